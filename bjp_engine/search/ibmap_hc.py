"""IBMAP-HC, the paper's hill climb for BJP and IB-score (SPEC section 4).

From the starting graph: propose the flip of the pair with the lowest local contribution (the
first such pair in lexicographic order), rescore, keep it if the score is strictly greater,
else stop. Only that one proposal is tried. A flip of {i, j} changes the blankets of i and j,
so only their rows of assertions are forgotten; what the new order ψ needs besides is computed
when it is first needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import networkx as nx
import numpy as np

from bjp_engine.errors import OptionError, clip
from bjp_engine.evidence import Floats
from bjp_engine.graph import Adjacency, flipped, to_adjacency
from bjp_engine.scores.assertions import AssertionScore, Posteriors, contributions, total
from bjp_engine.scores.mpl import MPLOptions
from bjp_engine.search.base import Contribution, Move, Problem, Step, StopReason
from bjp_engine.search.mpl_hc import blanket_graphs, mpl_graph
from bjp_engine.search.ties import exceeds, lowest

STARTS = ("empty", "mpl-and", "mpl-or", "mpl")


@dataclass(frozen=True, slots=True)
class IBMAPOptions:
    """Where the climb starts and how much of each proposal it keeps.

    Parameters
    ----------
    start : str or networkx.Graph
        "empty" (the paper's), "mpl-and", "mpl-or", "mpl", or a graph on the variables.
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
class ClimbState:
    """A graph with the posteriors of its computed assertions.

    Parameters
    ----------
    adjacency : ndarray of bool, shape (n, n)
    posteriors : Posteriors
    local : ndarray of float, shape (n(n - 1)/2,)
        The local contribution of each pair.
    score : float
    """

    adjacency: Adjacency
    posteriors: Posteriors
    local: Floats
    score: float

    @property
    def tests(self) -> int:
        """Tests computed so far."""
        return self.posteriors.tests

    @property
    def milestones(self) -> dict[str, Adjacency]:
        """None: the climb is its own story."""
        return {}


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
        return _evaluate(problem, start_graph(problem), Posteriors.unknown(problem.data.n))

    def advance(self, problem: Problem, state: ClimbState) -> Move:
        """Propose one flip; keep it, or stop.

        Parameters
        ----------
        problem : Problem
        state : ClimbState

        Returns
        -------
        Move
        """
        if not len(state.local):
            return Move(state, stop=StopReason.NO_PAIR)
        candidates = lowest_contributions(problem, state)
        i, j = (problem.data.index(name) for name in candidates[0].edge)
        proposal = _evaluate(
            problem, flipped(state.adjacency, i, j), state.posteriors.after_flip(i, j)
        )
        accepted = exceeds(proposal.score, state.score)
        step = Step(
            index=0,
            phase="ascent",
            edge=candidates[0].edge,
            added=not candidates[0].adjacent,
            accepted=accepted,
            gain=proposal.score - state.score,
            score=proposal.score,
            order=problem.order(proposal.adjacency),
            contributions=candidates,
            tests=proposal.tests,
        )
        if accepted:
            return Move(proposal, step)
        spent = Posteriors(state.posteriors.values, proposal.tests)
        refused = ClimbState(state.adjacency, spent, state.local, state.score)
        return Move(refused, step, StopReason.NOT_RAISED)


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
    if start == "mpl":
        return mpl_graph(data, MPLOptions(), problem.watch)
    both, either = blanket_graphs(data, MPLOptions(), problem.watch)
    return both if start == "mpl-and" else either


def lowest_contributions(problem: Problem, state: ClimbState) -> tuple[Contribution, ...]:
    """The lowest local contributions, ascending; equal ones in lexicographic order.

    Parameters
    ----------
    problem : Problem
    state : ClimbState

    Returns
    -------
    tuple of Contribution
        At most as many as the options ask for; the first is the next proposal.
    """
    chosen = lowest(state.local, problem.search_options.contributions)
    rows, columns = np.triu_indices(problem.data.n, 1)
    names = problem.data.names
    return tuple(
        Contribution(
            (names[rows[p]], names[columns[p]]),
            bool(state.adjacency[rows[p], columns[p]]),
            float(state.local[p]),
        )
        for p in chosen
    )


def _evaluate(problem: Problem, adjacency: Adjacency, known: Posteriors) -> ClimbState:
    """Complete the posteriors that the score needs and add them up."""
    computed = cast(AssertionScore, problem.score).computed(adjacency)
    posteriors = known.completed(
        problem.data, adjacency, computed, problem.score_options, problem.watch
    )
    local = contributions(posteriors, computed)
    return ClimbState(adjacency, posteriors, local, total(posteriors, computed))
