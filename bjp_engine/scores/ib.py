"""IB-score, the independence-based score (Schlüter, Bromberg & Edera 2014).

The posterior of a graph's assertions taken as if they were independent: for every ordered
pair the assertion given the first variable's blanket is computed, n(n - 1) tests in all,
those at the hubs' large blankets included.
"""

from __future__ import annotations

import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency
from bjp_engine.independence import TestOptions
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.scores.assertions import Mask, assertion_trace
from bjp_engine.scores.base import ScoreTrace


class IBScore:
    """Each pair is computed from both ends."""

    name = "ib"
    title = "IB-score"
    options_type = TestOptions
    both_ends = True

    def computed(self, adjacency: Adjacency) -> Mask:
        """Which assertions are computed: all."""
        return ~np.eye(len(adjacency), dtype=np.bool_)

    def trace(
        self,
        data: Dataset,
        adjacency: Adjacency,
        options: TestOptions,
        watch: Progress = UNWATCHED,
        odds: Floats | None = None,
    ) -> ScoreTrace:
        """ln IB-score of a graph with its n(n - 1) computed terms."""
        return assertion_trace(self, data, adjacency, options, watch, odds)
