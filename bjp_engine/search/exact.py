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
from bjp_engine.errors import DataError
from bjp_engine.graph import Adjacency
from bjp_engine.scores.base import BlanketSums, Score
from bjp_engine.scores.local import LocalScore
from bjp_engine.scores.mpl import MPL
from bjp_engine.scores.structure import blanket_odds
from bjp_engine.search.driver import Move, State, score_graph
from bjp_engine.search.mpl_hc import climb_mpl
from bjp_engine.search.problem import NoOptions, Problem
from bjp_engine.search.programme import Programme, masks_of
from bjp_engine.search.trace import StopReason

# 2^20 blankets of each variable take 168 MB.
MOST_VARIABLES = 20
# Sets are counted in so many pieces, between which a search can be stopped.
PIECES, LEAST = 1 << 10, 16


@dataclass(frozen=True, eq=False, slots=True)
class ExactState(State):
    """How far the proof is: the sets of variables counted, the best graph so far."""

    sums: BlanketSums
    adjacency: Adjacency
    score: float
    counted: int = 0
    programme: Programme | None = None

    @property
    def tests(self) -> int:
        """Tests made so far; for MPL sets of variables counted, which give all local scores."""
        return self.sums.tests

    @property
    def evaluations(self) -> int:
        """Nodes of the tree of decisions examined so far."""
        return 0 if self.programme is None else self.programme.nodes

    @property
    def bound(self) -> float | None:
        """No graph scores higher; None until all sets are counted."""
        if self.programme is None:
            return None
        # The programme adds the parts in another order.
        return self.score if self.programme.finished else max(self.score, self.programme.bound)


class Exact:
    """Compute every blanket's part, then prove which graph is the best."""

    name = "exact"
    title = "Proven best"
    options_type = NoOptions
    keeps_fixed = True
    reads_rows = True

    def serves(self, score: Score) -> bool:
        """Every score that is a sum over blankets."""
        return score.decomposes

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
        start = problem.agreeing(climb_mpl(data, first, of_first, problem.preparing).adjacency)
        sums = score.blanket_sums(data, options, problem.progress)
        return ExactState(sums, start, score_graph(problem, start).score)

    def advance(self, problem: Problem, state: ExactState, most: int) -> Move:
        """Count some more sets, tighten the bound or go on with the branches."""
        sets, done = 1 << problem.data.n, state.counted
        if done < sets:
            problem.progress.tick(done, sets)
            end = min(sets, done + max(LEAST, sets // PIECES))
            state.sums.count(done, end)
            return Move(replace(state, counted=end))
        programme = state.programme
        if programme is None:
            programme = Programme(values_of(problem, state.sums), state.adjacency)
        else:
            programme.go_on(nodes=most)
        graph, stop = programme.adjacency, StopReason.PROVEN if programme.finished else None
        if (graph == state.adjacency).all():
            return Move(replace(state, programme=programme), stop=stop)
        better = replace(
            state, programme=programme, adjacency=graph, score=score_graph(problem, graph).score
        )
        return Move(better, stop=stop, begins=True)


def values_of(problem: Problem, sums: BlanketSums) -> Floats:
    """f_j(B) of every variable and blanket, with the prior over structures; shape (n, 2^n).

    -inf where a blanket disagrees with what is known.
    """
    values = sums.values()
    if problem.odds is not None:
        values += blanket_odds(problem.odds)
    if problem.pairs is not None:
        masks = np.arange(values.shape[1])
        for j, members in enumerate(masks_of(problem.pairs.required)):
            values[j, masks & members != members] = -np.inf
        for j, members in enumerate(masks_of(problem.pairs.forbidden)):
            values[j, masks & members != 0] = -np.inf
    return values
