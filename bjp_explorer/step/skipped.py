"""What the tests that BJP skips would say of a graph, where it takes no time to ask them."""

from __future__ import annotations

import numpy as np

from bjp_engine import Dataset
from bjp_engine.scores import ScoreTrace, spared_tests
from bjp_engine.scores.assertions import AssertionTerms
from bjp_explorer.jobs import costs
from bjp_explorer.shell import caches
from bjp_explorer.shell.caches import Cells

# A page is drawn at once; the skipped tests are as many as those that were made.
MOST_SECONDS = 0.05


def values_of(trace: ScoreTrace, data: Dataset, cells: Cells) -> list[float | None]:
    """ln Pr of each assertion by its skipped test; None where BJP makes the test.

    Empty for other scores, and where the tests would take too long.
    """
    terms = trace.terms
    if trace.method != "bjp" or not isinstance(terms, AssertionTerms):
        return []
    if costs.of_graph(data, trace.graph, "ib") > MOST_SECONDS:
        return []
    halves = spared_tests(trace, caches.score_graph(data, trace.graph, "ib", cells))
    found: list[float | None] = [None] * len(terms)
    inferred = np.flatnonzero(~terms.columns().computed).tolist()
    for k, value in zip(inferred, halves.inferred.value.tolist(), strict=True):
        found[k] = value
    return found
