"""IBMAP-HC, the paper's hill climb for BJP and IB-score (SPEC section 4).

From the starting graph: propose the flip of the pair with the lowest local contribution (the
first such pair in lexicographic order), rescore, keep it if the score is strictly greater,
else stop. Only that one proposal is tried. The ascent itself is `bjp_engine.kernels.climb.climb`:
a flip of {i, j} changes the blankets of i and j, so only their assertions are forgotten, and what
the new order ψ needs besides is computed when it is first needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import networkx as nx
import numpy as np

from bjp_engine.errors import OptionError, clip
from bjp_engine.graph import Adjacency, to_adjacency
from bjp_engine.kernels.climb import GOES_ON
from bjp_engine.scores.assertions import AssertionScore
from bjp_engine.scores.board import Assertions, Setting
from bjp_engine.scores.mpl import MPLOptions
from bjp_engine.search.base import Move, Problem, State, StopReason
from bjp_engine.search.chow_liu import chow_liu_tree
from bjp_engine.search.mpl_hc import blanket_graphs, mpl_graph
from bjp_engine.search.steps import Lowest, Proposals

STARTS = ("empty", "mpl-and", "mpl-or", "mpl", "chow-liu")


@dataclass(frozen=True, slots=True)
class IBMAPOptions:
    """Where the climb starts and how much of each proposal it keeps.

    Parameters
    ----------
    start : str or networkx.Graph
        "empty" (the paper's), "mpl-and", "mpl-or", "mpl", "chow-liu", or a graph on the
        variables.
    contributions : int
        How many of the lowest local contributions each step records.

    Raises
    ------
    OptionError
        If one is out of range.
    """

    start: str | nx.Graph[Any] = "empty"
    contributions: int = 10

    def __post_init__(self) -> None:
        """Refuse what isn't a start."""
        if isinstance(self.start, nx.Graph):
            object.__setattr__(self, "start", nx.freeze(self.start.copy()))
        elif self.start not in STARTS:
            raise OptionError(
                f"start={clip(self.start)} is not known; use {', '.join(STARTS)} or a "
                "networkx.Graph on the variables."
            )
        if isinstance(self.contributions, bool) or not isinstance(self.contributions, int):
            raise OptionError(f"contributions={clip(self.contributions)} must be a whole number.")
        if self.contributions < 1:
            raise OptionError(f"contributions={self.contributions} must be 1 or more.")


@dataclass(frozen=True, eq=False, slots=True)
class ClimbState(State):
    """The climb's graph on its board, which each advance changes.

    Parameters
    ----------
    assertions : Assertions
    """

    assertions: Assertions

    @property
    def adjacency(self) -> Adjacency:
        """The graph, shape (n, n)."""
        return self.assertions.adjacency

    @property
    def score(self) -> float:
        """Its score."""
        return self.assertions.score

    @property
    def tests(self) -> int:
        """Tests made so far."""
        return self.assertions.tests

    @property
    def evaluations(self) -> int:
        """Flips tried so far."""
        return self.assertions.evaluations


class IBMAPHillClimb:
    """Flip the pair with the lowest local contribution until that no longer helps."""

    name = "ibmap-hc"
    title = "IBMAP-HC"
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
        score = cast(AssertionScore, problem.score)
        return ClimbState(
            Assertions.of(
                problem.data,
                start_graph(problem),
                score.both_ends,
                problem.score_options,
                problem.watch,
                Setting(problem.odds),
            )
        )

    def advance(self, problem: Problem, state: ClimbState, most: int) -> Move:
        """Propose flips until one is refused, or so many were made.

        Parameters
        ----------
        problem : Problem
        state : ClimbState
        most : int

        Returns
        -------
        Move
        """
        return climbed(problem, state, most, StopReason.NOT_RAISED)


def climbed(problem: Problem, state: ClimbState, most: int, reason: StopReason) -> Move:
    """Propose flips by the board's rule.

    Parameters
    ----------
    problem : Problem
    state : ClimbState
    most : int
        How many at most.
    reason : StopReason
        What the end of the rule means.

    Returns
    -------
    Move
    """
    n = problem.data.n
    if n < 2:
        return Move(state, stop=StopReason.NO_PAIR)
    degrees, tried = state.assertions.board.degree.copy(), state.evaluations
    # Room for a flip of each pair and more would be wasted: the rest is asked for again.
    keep = problem.search_options.contributions
    record, end = state.assertions.climb(min(most, 2 * n), keep)
    if len(record.score) == 0:
        return Move(state, stop=reason)
    proposals = Proposals(
        phase="ascent",
        pairs=record.pair,
        added=~record.adjacent[:, 0],
        accepted=record.kept,
        gain=record.score - record.before,
        score=record.score,
        tests=record.tests,
        degrees=degrees,
        lowest=Lowest(record.lowest, record.value, record.adjacent),
        evaluations=tried + np.arange(1, len(record.score) + 1),
    )
    return Move(state, proposals, None if end == GOES_ON else reason)


def start_graph(problem: Problem) -> Adjacency:
    """The graph that the `start` option names.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    ndarray of bool, shape (n, n)

    Raises
    ------
    GraphError
        If a given graph doesn't fit the data.
    """
    start, data = problem.search_options.start, problem.data
    if isinstance(start, nx.Graph):
        return to_adjacency(start, data)
    if start == "empty":
        return np.zeros((data.n, data.n), dtype=np.bool_)
    if start == "chow-liu":
        return chow_liu_tree(data, problem.watch)
    if start == "mpl":
        return mpl_graph(data, MPLOptions(), problem.watch)
    both, either = blanket_graphs(data, MPLOptions(), problem.watch)
    return both if start == "mpl-and" else either
