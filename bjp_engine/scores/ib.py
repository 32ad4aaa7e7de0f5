"""IB-score, the independence-based score (Schlüter, Bromberg & Edera 2014).

The posterior of a graph's assertions taken as if they were independent: for every ordered
pair the assertion given the first variable's blanket is computed, n(n - 1) tests in all,
those at the hubs' large blankets included.
"""

from __future__ import annotations

from bjp_engine.scores.assertions import AssertionScore


class IBScore(AssertionScore):
    """Each pair is computed from both ends."""

    name = "ib"
    title = "IB-score"
    cited = "IB-score (Schlüter et al., 2014)"
    both_ends = True
