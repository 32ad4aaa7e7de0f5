"""Steepest ascent: weigh the flip of every pair, make the one that gains most."""

from __future__ import annotations

import numpy as np

from bjp_engine.search.driver import Move
from bjp_engine.search.problem import Problem
from bjp_engine.search.trace import StopReason
from bjp_engine.search.walks.walk import Walk, WalkSearch, best_flip, try_flips, weigh_more


class SteepestAscent(WalkSearch):
    """Make the best flip until none raises the score."""

    name = "steepest"
    title = "Steepest ascent"

    def advance(self, problem: Problem, state: Walk, _most: int) -> Move:
        """Weigh some flips, or make the best of all."""
        return ascend(problem, state) or Move(state, stop=StopReason.NO_FLIP)


def ascend(problem: Problem, walk: Walk) -> Move | None:
    """One advance of a steepest ascent."""
    more = weigh_more(problem, walk)
    if more is not None:
        return Move(more)
    best = best_flip(walk)
    if best is None:
        return None
    pair = walk.gains.pairs[best : best + 1]
    return Move(*try_flips(walk, pair, np.full(1, -np.inf), "ascent"))
