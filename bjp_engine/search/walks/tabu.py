"""Tabu search: the best flip even where it lowers the score, and not the same one again at once.

A pair that was flipped stays as it is for `tenure` moves, unless flipping it would lead to a
better graph than any before (Glover 1989). The result is the best graph that was met.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from bjp_engine.arrays import Ints
from bjp_engine.kernels.loops import TIE
from bjp_engine.records import keep
from bjp_engine.search.driver import Move
from bjp_engine.search.problem import Problem
from bjp_engine.search.starts import StartOptions
from bjp_engine.search.trace import StopReason
from bjp_engine.search.walks.walk import Walk, WalkSearch, try_flips, weigh_more
from bjp_engine.validate import whole_number


@dataclass(frozen=True, slots=True)
class TabuOptions(StartOptions):
    """How long a pair is left alone, and how long no better graph is waited for.

    Parameters
    ----------
    tenure : int
        Moves for which a flipped pair stays as it is.
    patience : int
        The search ends after so many moves without a better graph.
    """

    tenure: int = 10
    patience: int = 50

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        StartOptions.__post_init__(self)
        tenure = whole_number(self.tenure, "tenure", 0)
        keep(self, tenure=tenure, patience=whole_number(self.patience, "patience", 1))


@dataclass(frozen=True, eq=False, slots=True)
class TabuWalk(Walk):
    """A walk with the move up to which each pair stays as it is."""

    until: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))


class TabuSearch(WalkSearch):
    """Make the best flip that isn't forbidden until patience ends."""

    name = "tabu"
    title = "Tabu search"
    options_type = TabuOptions
    walk_type = TabuWalk

    def begin(self, problem: Problem) -> TabuWalk:
        """Score the starting graph; every pair is free."""
        walk = cast(TabuWalk, super().begin(problem))
        return replace(walk, until=np.zeros(len(walk.gains.pairs), dtype=np.int64))

    def advance(self, problem: Problem, state: TabuWalk, _most: int) -> Move:
        """Weigh some flips, or make the best that is allowed."""
        options: TabuOptions = problem.search_options
        more = weigh_more(problem, state)
        if more is not None:
            return Move(more)
        if state.made - state.best_at >= options.patience:
            return Move(state, stop=StopReason.PATIENCE)
        best = _allowed(state)
        if best is None:
            return Move(state, stop=StopReason.NO_PAIR)
        until = state.until.copy()
        until[best] = state.made + 1 + options.tenure
        pair = state.gains.pairs[best : best + 1]
        return Move(*try_flips(replace(state, until=until), pair, np.full(1, -np.inf), "tabu"))


def _allowed(walk: TabuWalk) -> int | None:
    """The position of the best flip that is allowed; of equal ones the first."""
    gains, now = walk.gains.value, walk.flips.score
    if len(gains) == 0:
        return None
    better = now + gains - walk.score > TIE * np.maximum(np.abs(now + gains), abs(walk.score))
    free = (walk.until <= walk.made) | better
    if not free.any():
        # Every pair was flipped a short while ago: the one that waits longest goes first.
        return int(np.argmin(walk.until))
    return int(np.argmax(np.where(free, gains, -np.inf)))
