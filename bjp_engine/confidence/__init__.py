"""The confidence that a pair of variables is an edge, computed in four ways.

`confidence_of_tests` looks at one graph's tests, `bootstrap` at graphs learned from resampled rows,
`posterior_edges` at all graphs, weighted by their score; `edge_probabilities` puts the evidence of
`auto` on the scale of what was seen on known networks. All return an `EdgeConfidence`.
`shuffle_columns` makes a table without any edge, to compare with; `compare_groups` and
`compare_all_groups` test whether groups of rows have the same network, `drop_cases` whether it
stays the same with fewer rows. All leave out states that no row has, but for `confidence_of_tests`,
whose numbers are terms of a score. `list_warnings` says what to know before relying on a result.
"""

from bjp_engine.confidence.calibrated import edge_probabilities
from bjp_engine.confidence.comparison import (
    GroupComparison,
    GroupComparisons,
    compare_all_groups,
    compare_groups,
    describe_comparison,
)
from bjp_engine.confidence.doubts import list_warnings
from bjp_engine.confidence.edges import (
    EdgeConfidence,
    bootstrap,
    confidence_of_tests,
    posterior_edges,
    shuffle_columns,
)
from bjp_engine.confidence.groups import choose_groups
from bjp_engine.confidence.stability import Stability, drop_cases

__all__ = [
    "EdgeConfidence",
    "GroupComparison",
    "GroupComparisons",
    "Stability",
    "bootstrap",
    "choose_groups",
    "compare_all_groups",
    "compare_groups",
    "confidence_of_tests",
    "describe_comparison",
    "drop_cases",
    "edge_probabilities",
    "list_warnings",
    "posterior_edges",
    "shuffle_columns",
]
