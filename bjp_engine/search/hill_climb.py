"""Hill climbing that doesn't give up: pairs in ascending local contribution until one improves.

It goes on where IBMAP-HC stops. A proposal that doesn't raise the score is passed over until a
flip touches one of its ends; at last every pair that was passed over is tried once more, and the
climb ends where no single flip raises the score.
"""

from __future__ import annotations

import numpy as np

from bjp_engine.kernels.board import Rule
from bjp_engine.search.base import Move, Problem, StopReason
from bjp_engine.search.ibmap_hc import ClimbState, IBMAPOptions, board_of, climbed
from bjp_engine.search.starts import start_graph

RULE = Rule(by_gain=False, goes_on=True, thorough=True, limit=np.inf)


class HillClimb:
    """Flip the first pair, by ascending local contribution, that raises the score."""

    name = "hill-climb"
    title = "Hill climb, every pair"
    methods: tuple[str, ...] = ("bjp", "ib")
    options_type = IBMAPOptions

    def begin(self, problem: Problem) -> ClimbState:
        """Score the starting graph.

        Parameters
        ----------
        problem : Problem

        Returns
        -------
        ClimbState
        """
        return board_of(problem, start_graph(problem), RULE)

    def advance(self, problem: Problem, state: ClimbState, most: int) -> Move:
        """Propose flips until none raises the score, or so many were made.

        Parameters
        ----------
        problem : Problem
        state : ClimbState
        most : int

        Returns
        -------
        Move
        """
        return climbed(problem, state, most, StopReason.NO_FLIP)
