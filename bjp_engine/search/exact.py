"""The best graph of a decomposable score, proven to be the best, for up to twenty variables.

MPL is the sum of the variables' local scores, IB-score the sum of their rows of assertions: both
are Σ_j f_j(B_j) over the blankets. First f_j of every blanket is computed, then the graph with
the greatest sum is found as a 0-1 programme over blankets (`bjp_engine.search.programme`). A prior
over structures that is a sum over edges adds half of each edge's ln odds at either end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.counts import keep_local_prior, local_prior, table_of
from bjp_engine.errors import DataError
from bjp_engine.graph import Adjacency
from bjp_engine.kernels.lookup import every_row, every_set
from bjp_engine.scores.base import LocalScore
from bjp_engine.scores.mpl import MPLOptions
from bjp_engine.search.base import Move, NoOptions, Problem, State, StopReason
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
        data = problem.data
        self._problem, self._sets, self._done, self.tests = problem, 1 << data.n, 0, 0
        self._table = table_of(data, problem.watch)
        self._of_mpl = isinstance(problem.score, LocalScore)
        if self._of_mpl:
            self._prior = local_prior(data, float(problem.score_options.ess))
            self._evidence = np.zeros(self._sets, dtype=np.int64)
        else:
            self._terms = problem.score_options.evidence(data)
            self._rows: Floats = np.zeros((data.n, self._sets))

    @property
    def complete(self) -> bool:
        """Whether all are known."""
        return self._done == self._sets

    def go_on(self) -> None:
        """Count the next sets."""
        self._problem.watch.tick(self._done, self._sets)
        begin, end = self._done, min(self._sets, self._done + max(LEAST, self._sets // PIECES))
        if self._of_mpl:
            every_set(self._table, self._prior, begin, end, self._evidence)
            self.tests += end - begin
        else:
            self.tests += int(every_row(self._table, self._terms, begin, end, self._rows))
        self._done = end

    def values(self) -> Floats:
        """All of them, with the prior over structures; shape (n, 2^n)."""
        n, odds = self._problem.data.n, self._problem.odds
        values = self._local_scores() if self._of_mpl else self._rows
        if odds is not None:
            values += blanket_odds(odds, n)
        return values

    def _local_scores(self) -> Floats:
        """A(B ∪ {j}) - A(B), see `bjp_engine.kernels.lookup`; 0 where B holds j."""
        n = self._problem.data.n
        values = np.zeros((n, self._sets))
        for j in range(n):
            # Bit j of a mask is the middle index.
            evidence = self._evidence.reshape(-1, 2, 1 << j)
            gained = evidence[:, 1] - evidence[:, 0]
            values[j].reshape(-1, 2, 1 << j)[:, 0] = gained * 0.5**self._prior.bits
        keep_local_prior(self._problem.data, self._prior)
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
    methods: tuple[str, ...] = ("mpl", "ib")
    options_type = NoOptions

    def begin(self, problem: Problem) -> ExactState:
        """Score the graph of the MPL hill climb, the first one to beat."""
        data, options = problem.data, problem.score_options
        if data.n > MOST_VARIABLES:
            raise DataError(
                f"The data has {data.n} variables, and the exact search is for at most "
                f"{MOST_VARIABLES}; choose some of them with data.select(...)."
            )
        of_mpl = options if isinstance(options, MPLOptions) else MPLOptions()
        start = mpl_graph(data, of_mpl, problem.watch)
        return ExactState(Parts(problem), start, _total(problem, start))

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
        state = replace(state, adjacency=adjacency, score=_total(problem, adjacency))
    return Move(state, stop=StopReason.PROVEN if programme.finished else None, begins=better)


def _total(problem: Problem, adjacency: Adjacency) -> float:
    """The score of a graph, as the score itself adds it up."""
    options, watch = problem.score_options, problem.watch
    return problem.score.trace(problem.data, adjacency, options, watch, problem.odds).total
