"""The posterior probability of each edge: over all graphs, weighted by their score."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from bjp_engine.confidence.edges import EdgeConfidence
from bjp_engine.dataset import DataLike, as_dataset
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import FrozenMapping
from bjp_engine.scores import Score
from bjp_engine.scores.known import freeze_known
from bjp_engine.search.exhaustive import score_all_graphs
from bjp_engine.search.problem import pose


def posterior_edges(
    data: DataLike, method: str | Score = "bjp", *, progress: Progress = UNWATCHED, **options: Any
) -> EdgeConfidence:
    """The posterior probability of each edge, over all graphs (docs/theory.md §12).

    Parameters
    ----------
    data : Dataset, DataFrame or array
        N rows of n ≤ 7 variables.

    Examples
    --------
    >>> from bjp_engine.confidence import posterior_edges
    >>> data = [[0, 0], [0, 0], [1, 1], [1, 1]]
    >>> round(37 * posterior_edges(data).of(0, 1).confidence, 9)
    30.0
    """
    began = time.perf_counter()
    check_progress(progress)
    given = freeze_known(options)
    problem = pose(as_dataset(data).drop_unused_states(), method, given, progress.quiet)
    found = score_all_graphs(replace(problem, progress=progress)).edge_probabilities
    return EdgeConfidence(
        "exact",
        problem.data.names,
        # Else their sum may lack the last digit.
        found if problem.pairs is None else problem.pairs.settle(found),
        None,
        problem.score.name,
        options=FrozenMapping(given),
        seconds=time.perf_counter() - began,
    )
