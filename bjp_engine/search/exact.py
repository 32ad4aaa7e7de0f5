"""The best graph of a decomposable score, proven to be the best, for up to twenty variables.

MPL is the sum of the variables' local scores, IB-score the sum of their rows of assertions: both
are Σ_j f_j(B_j) over the blankets. First f_j of every blanket is computed, then the graph with
the greatest sum is found as a 0-1 programme over blankets (`bjp_engine.search.programme`). A prior
over structures that is a sum over edges adds half of each edge's ln odds at either end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from bjp_engine.arrays import Floats
from bjp_engine.errors import DataError
from bjp_engine.graph import Adjacency
from bjp_engine.scores.assertions import AssertionScore
from bjp_engine.scores.base import Score
from bjp_engine.scores.local import LocalScore
from bjp_engine.scores.mpl import MPL
from bjp_engine.search.driver import Move, NoOptions, Problem, State, StopReason, scored
from bjp_engine.search.flips import can_flip
from bjp_engine.search.mpl_hc import mpl_graph
from bjp_engine.search.programme import Programme, blanket_odds

# 2^20 blankets of each variable take 168 MB.
MOST_VARIABLES = 20
# Sets are counted in so many pieces, between which a search can be stopped.
PIECES, LEAST = 1 << 10, 16


class Parts:
    """f_j(B) of every variable and blanket, worked out a piece at a time."""

    def __init__(self, problem: Problem) -> None:
        """Start with none."""
        score, data = cast(AssertionScore | LocalScore, problem.score), problem.data
        self._problem, self._sets, self._done = problem, 1 << data.n, 0
        self._sums = score.blanket_sums(data, problem.score_options, problem.progress)

    @property
    def tests(self) -> int:
        """Tests made so far, or for MPL sets of variables counted."""
        return self._sums.tests

    @property
    def complete(self) -> bool:
        """Whether all are known."""
        return self._done == self._sets

    def go_on(self) -> None:
        """Count the next sets."""
        self._problem.progress.tick(self._done, self._sets)
        begin, end = self._done, min(self._sets, self._done + max(LEAST, self._sets // PIECES))
        self._sums.count(begin, end)
        self._done = end

    def values(self) -> Floats:
        """All of them, with the prior over structures; shape (n, 2^n)."""
        values, odds = self._sums.values(), self._problem.odds
        if odds is not None:
            values += blanket_odds(odds, self._problem.data.n)
        return values


@dataclass(frozen=True, eq=False, slots=True)
class ExactState(State):
    """How far the proof is.

    Parameters
    ----------
    parts : Parts
        Growing.
    adjacency : ndarray of bool, shape (n, n)
        The best graph so far.
    programme : Programme or None
        Once all parts are computed; it goes on by itself.
    settling : bool
        Whether the bound of the whole is still being tightened, before any branching.
    """

    parts: Parts
    adjacency: Adjacency
    score: float
    programme: Programme | None = None
    settling: bool = True

    @property
    def tests(self) -> int:
        """Tests made so far; for MPL sets of variables counted, which give all local scores."""
        return self.parts.tests

    @property
    def evaluations(self) -> int:
        """Nodes of the tree of decisions examined so far."""
        return 0 if self.programme is None else self.programme.nodes

    @property
    def bound(self) -> float | None:
        """No graph scores higher; None until all parts are computed."""
        if self.programme is None:
            return None
        # The programme adds the parts in another order.
        return self.score if self.programme.finished else max(self.score, self.programme.bound)


class Exact:
    """Compute every blanket's part, then prove which graph is the best."""

    name = "exact"
    title = "Proven best"
    options_type = NoOptions

    def serves(self, score: Score) -> bool:
        """Every score that is a sum over blankets."""
        return can_flip(score) and score.decomposes

    def begin(self, problem: Problem) -> ExactState:
        """Score the graph of the MPL hill climb, the first one to beat."""
        data, score, options = problem.data, problem.score, problem.score_options
        if data.n > MOST_VARIABLES:
            raise DataError(
                f"The data has {data.n} variables, and the exact search is for at most "
                f"{MOST_VARIABLES}; choose some of them with data.select(...)."
            )
        first = score if isinstance(score, LocalScore) else MPL()
        of_first = options if first is score else first.options_type()
        parts = first.parts(data, of_first, problem.preparing)
        start = mpl_graph(parts, data.n, problem.preparing)
        return ExactState(Parts(problem), start, scored(problem, start).score)

    def advance(self, problem: Problem, state: ExactState, most: int) -> Move:
        """Compute some more parts, tighten the bound or go on with the branches."""
        if not state.parts.complete:
            state.parts.go_on()
            return Move(state)
        if state.programme is None:
            programme = Programme(state.parts.values(), state.adjacency)
            return _moved(problem, replace(state, programme=programme), programme)
        programme, settling = state.programme, False
        if state.settling:
            settling = programme.settle()
        else:
            programme.branch(nodes=most)
        return _moved(problem, replace(state, settling=settling), programme)


def _moved(problem: Problem, state: ExactState, programme: Programme) -> Move:
    """The state with the programme's best graph, and whether that is proven to be the best."""
    adjacency = programme.adjacency
    better = bool((adjacency != state.adjacency).any())
    if better:
        state = replace(state, adjacency=adjacency, score=scored(problem, adjacency).score)
    return Move(state, stop=StopReason.PROVEN if programme.finished else None, begins=better)
