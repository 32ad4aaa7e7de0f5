"""IBMAP-HC, the paper's hill climb for BJP and IB-score (docs/theory.md §4).

From the starting graph: propose the flip of the pair with the lowest local contribution (the
first such pair in lexicographic order), rescore, keep it if the score is strictly greater,
else stop. Only that one proposal is tried. The ascent itself is `bjp_engine.kernels.climb.climb`:
a flip of {i, j} changes the blankets of i and j, so only their assertions are forgotten, and what
the new order ψ needs besides is computed when it is first needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from bjp_engine.kernels.climb import GOES_ON
from bjp_engine.records import keep
from bjp_engine.scores.base import Score
from bjp_engine.scores.bjp import AssertionScore
from bjp_engine.scores.board import Assertions
from bjp_engine.search.driver import Move, Problem
from bjp_engine.search.starts import StartOptions, start_graph
from bjp_engine.search.trace import Proposals, StopReason
from bjp_engine.validate import whole_number


@dataclass(frozen=True, slots=True)
class IBMAPOptions(StartOptions):
    """Where the climb starts and how much of each proposal it keeps.

    Parameters
    ----------
    contributions : int
        The number of pairs, lowest first, whose local contributions each step records.
    """

    contributions: int = 10

    def __post_init__(self) -> None:
        StartOptions.__post_init__(self)
        keep(self, contributions=whole_number(self.contributions, "contributions", 1))


class IBMAPHillClimb:
    """Flip the pair with the lowest local contribution until that no longer helps."""

    name = "ibmap-hc"
    title = "IBMAP-HC"
    options_type = IBMAPOptions
    keeps_fixed = by_tables = True
    goes_on = False
    ends_because = StopReason.NOT_RAISED

    def serves(self, score: Score) -> bool:
        """Scores made of assertions."""
        return isinstance(score, AssertionScore)

    def begin(self, problem: Problem) -> Assertions:
        """Score the starting graph; each advance flips it."""
        return cast(AssertionScore, problem.score).assertions(
            problem.data,
            start_graph(problem),
            problem.score_options,
            problem.progress,
            odds=problem.odds,
            goes_on=self.goes_on,
            fixed=problem.fixed,
        )

    def advance(self, problem: Problem, made: Assertions, most: int) -> Move:
        """Propose flips until the climb ends, or so many were made."""
        n, tried = problem.data.n, made.evaluations
        if n < 2:
            return Move(made, stop=StopReason.NO_PAIR)
        # A record of more flips would mostly stay empty: the driver asks for the rest again.
        record, end = made.climb(min(most, 2 * n), problem.search_options.contributions)
        if len(record.score) == 0:
            return Move(made, stop=self.ends_because)
        proposals = Proposals(
            phase="ascent",
            pairs=record.pair,
            added=~record.adjacent[:, 0],
            accepted=record.kept,
            gain=record.score - record.before,
            score=record.score,
            tests=record.tests,
            evaluations=tried + np.arange(1, len(record.score) + 1),
            lowest=(record.lowest, record.value, record.adjacent),
        )
        return Move(made, proposals, None if end == GOES_ON else self.ends_because)


class HillClimb(IBMAPHillClimb):
    """Flip the first pair, by ascending local contribution, that raises the score.

    It goes on where IBMAP-HC stops. A proposal that doesn't raise the score is passed over until a
    flip touches one of its ends; at last every pair that was passed over is tried once more, and
    the climb ends where no single flip raises the score.
    """

    name = "hill-climb"
    title = "Hill climb, every pair"
    goes_on = True
    by_tables = False
    ends_because = StopReason.NO_FLIP
