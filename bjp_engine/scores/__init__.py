"""The scores of a graph, under one registry.

A score of one's own is given to `score` and `learn` as it is, in place of a name; one that is
listed in `SCORES` is offered by the pages and the command line as well. CONTRIBUTING.md shows both.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from bjp_engine.dataset import DataLike, as_dataset
from bjp_engine.errors import OptionError, clip
from bjp_engine.graph import GraphLike, to_adjacency
from bjp_engine.scores.base import (
    AssertionTerm,
    LocalTerm,
    Score,
    ScoreTrace,
    find_plugin,
    plugin_names,
    read_options,
)
from bjp_engine.scores.bjp import (
    BJP,
    AssertionScore,
    IBScore,
    NearBlankets,
)
from bjp_engine.scores.change import score_change, spared_tests
from bjp_engine.scores.mpl import (
    MPL,
    LocalScore,
    LocalTrace,
    local_trace,
)
from bjp_engine.scores.prior import KnownEdges, StructurePrior, read_prior

SCORES: Mapping[str, Score] = MappingProxyType(
    {score.name: score for score in (BJP(), IBScore(), MPL(), NearBlankets())}
)
# The entry points under which other packages register theirs.
PLUGINS = "bjp_engine.scores"
# Those that the paper compares.
PAPERS = ("bjp", "ib", "mpl")


def find_score(method: str | Score) -> Score:
    """The score with a name, or the score object that is given."""
    if isinstance(method, str):
        if method in SCORES:
            return SCORES[method]
        method = find_plugin(PLUGINS, method) or method
    if isinstance(method, str) or not isinstance(method, (AssertionScore, LocalScore)):
        known = ", ".join(map(repr, (*SCORES, *plugin_names(PLUGINS))))
        raise OptionError(f"method={clip(method)} is not a score; use one of {known}.")
    for attribute in ("name", "title", *["both_ends"] * isinstance(method, AssertionScore)):
        if not hasattr(method, attribute):
            raise OptionError(
                f"The score {type(method).__name__} has no {attribute}; set it in the class."
            )
    return method


def score(
    data: DataLike, graph: GraphLike, method: str | Score = "bjp", **options: Any
) -> ScoreTrace:
    """Score a graph against the data, keeping every term.

    Parameters
    ----------
    graph : networkx.Graph, or what networkx makes one of: edges, a dict of lists, a matrix
        On the variables' names (or indices); variables that aren't nodes stand alone.
    method : {"bjp", "ib", "mpl", "near"}, AssertionScore or LocalScore
    **options
        `prior`, `gamma`, `slices`, `prior_cells` for bjp, ib and near (see `IndependenceOptions`);
        `ess` for mpl; and the prior over structures: `edge_probability`, `expected_degree` or
        `log_odds` (see `StructurePrior`).

    Examples
    --------
    >>> from bjp_engine import score
    >>> trace = score([[0, 0], [0, 0], [1, 1], [1, 1]], [(0, 1)])
    >>> [(term.dependent, term.computed) for term in trace.terms]
    [(True, True), (True, False)]
    """
    data = as_dataset(data)
    chosen = data.scored_by(find_score(method))
    kind, (structure, others) = f"method={chosen.name!r}", read_prior(options)
    record = read_options({kind: chosen.options_type}, others)[kind]
    odds = structure.odds(data.n)
    return chosen.trace(data, to_adjacency(graph, data), record, odds=odds)


__all__ = [
    "PAPERS",
    "SCORES",
    "AssertionScore",
    "AssertionTerm",
    "KnownEdges",
    "LocalScore",
    "LocalTerm",
    "LocalTrace",
    "Score",
    "ScoreTrace",
    "StructurePrior",
    "find_score",
    "local_trace",
    "score",
    "score_change",
    "spared_tests",
]
