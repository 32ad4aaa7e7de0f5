"""The MPL hill climb of Pensar et al. (2017), in two phases (docs/theory.md §4).

First each variable's blanket is found alone: add the candidate that most improves the local
score, if strictly; after each addition, while the blanket has more than two members, remove
the one whose removal most improves it, if strictly (`LocalParts.climb`).
The AND graph joins pairs that found each other, the OR graph pairs where one found the other.
Second, from AND, flip the pair in OR but not AND with the largest positive gain until there is
none.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from bjp_engine.arrays import Bools, Floats
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency, blanket, flipped, pairs
from bjp_engine.progress import Progress
from bjp_engine.scores.base import NoOptions, Score, exact_sum, exceeds
from bjp_engine.scores.local import LocalParts, LocalScore, with_flip
from bjp_engine.scores.structure import edge_odds, flip_odds
from bjp_engine.search.driver import Move, Problem, State
from bjp_engine.search.trace import Proposals, StopReason

Pair = tuple[int, int]
# What flipping a pair gains, and how large the parts are that change.
Gains = dict[Pair, tuple[float, float]]


@dataclass(frozen=True, eq=False)
class MPLState(State):
    """Where the hill climb stands: the blankets found, [j, b] where b is in that of j.

    `variable` is the next one of the first phase, in which each member of a blanket adds its odds.
    The second has flipped the `graph`, whose local scores are `known`; the gains of a flipped
    pair's ends are forgotten.
    """

    local: LocalParts
    odds: Floats | None
    found: Adjacency
    variable: int = 0
    graph: Adjacency | None = None
    known: Floats | None = None
    gains: Gains = field(default_factory=dict)

    @cached_property
    def adjacency(self) -> Adjacency:
        """The graph; in the first phase the AND graph of the blankets found so far."""
        return self.found & self.found.T if self.graph is None else self.graph

    @cached_property
    def parts(self) -> Floats:
        """The local score of each variable in the graph."""
        return self.local.of_graph(self.adjacency) if self.known is None else self.known

    @property
    def score(self) -> float:
        """The graph's score."""
        return exact_sum(self.parts.tolist() + edge_odds(self.adjacency, self.odds))

    @property
    def tests(self) -> int:
        """Local scores computed so far."""
        return self.local.computed

    @property
    def evaluations(self) -> int:
        """Local scores computed so far: each weighs one change."""
        return self.local.computed

    @property
    def milestones(self) -> dict[str, Adjacency]:
        """The AND and the OR graph of the blankets found so far."""
        return {"and": self.found & self.found.T, "or": self.found | self.found.T}


class MPLHillClimb:
    """Blankets one by one, then the flips between AND and OR."""

    name = "mpl-hc"
    title = "MPL hill climb"
    options_type = NoOptions
    keeps_fixed = by_tables = True

    def serves(self, score: Score) -> bool:
        """Scores made of local parts."""
        return isinstance(score, LocalScore)

    def begin(self, problem: Problem) -> MPLState:
        """Score the empty graph, or that of the required edges."""
        score, data = cast(LocalScore, problem.score), problem.data
        parts = score.parts(data, problem.score_options, problem.progress)
        empty = np.zeros((data.n, data.n), dtype=np.bool_)
        return MPLState(parts, problem.odds, problem.agreeing(empty))

    def advance(self, problem: Problem, state: MPLState, most: int) -> Move:
        """Find the next blankets, or make the best flip between AND and OR."""
        if state.variable < problem.data.n:
            return _next_blankets(problem, state, most)
        return _best_flip(problem, state)


def climb_mpl(
    data: Dataset, score: LocalScore, options: Any, progress: Progress, *, flips: bool = True
) -> MPLState:
    """Where the hill climb ends, or its first phase alone, for a search that begins there."""
    problem = Problem(data, score, options, NoOptions(), progress)
    search, stop = MPLHillClimb(), None
    state = search.begin(problem)
    while state.variable < data.n or (flips and stop is None):
        move = search.advance(problem, state, 1)
        state, stop = cast(MPLState, move.state), move.stop
    state.local.keep()
    return state


def _next_blankets(problem: Problem, state: MPLState, most: int) -> Move:
    """Run the first phase for one variable, or for as many as may be handed on at once."""
    n, begin = problem.data.n, state.variable
    end = min(n, begin + max(1, most // 8))
    problem.progress.tick(begin, n)
    found = state.found.copy()
    odds = np.empty((0, 0)) if state.odds is None else state.odds.copy()
    changes, scores = state.local.climb(begin, end, odds, found, problem.pairs)
    proposals = Proposals(
        phase="blanket",
        pairs=changes[:, :2],
        added=changes[:, 2] == 1,
        accepted=np.ones(len(changes), dtype=np.bool_),
        gain=scores[:, 1] - scores[:, 0],
        score=scores[:, 1],
        tests=changes[:, 3],
    )
    return Move(MPLState(state.local, state.odds, found, end), proposals, begins=end == n)


def _best_flip(problem: Problem, state: MPLState) -> Move:
    """One flip of the second phase, or the end."""
    candidates: Bools = (state.found | state.found.T) & ~(state.found & state.found.T)
    graph, local, progress = state.adjacency, state.local, problem.progress
    best = _largest_gain(local, state.odds, graph, candidates, state.gains, progress)
    if best is None:
        local.keep()
        return Move(state, stop=StopReason.NO_CANDIDATE)
    i, j = best
    adjacency, parts = flipped(graph, i, j), state.parts.copy()
    for x in best:
        parts[x] = local(x, blanket(adjacency, x))
    moved = replace(state, graph=adjacency, known=parts, gains=_kept(state.gains, i, j))
    proposals = Proposals(
        phase="graph",
        pairs=np.array([best]),
        added=adjacency[i, j : j + 1].copy(),
        accepted=np.ones(1, dtype=np.bool_),
        gain=np.array([state.gains[best][0]]),
        score=np.array([moved.score]),
        tests=np.array([moved.tests]),
        degrees=graph.sum(axis=1),
    )
    return Move(moved, proposals)


def _kept(gains: Gains, i: int, j: int) -> Gains:
    """The gains that a flip of {i, j} doesn't change."""
    return {pair: gain for pair, gain in gains.items() if not {i, j} & set(pair)}


def _largest_gain(
    parts: LocalParts,
    odds: Floats | None,
    graph: Adjacency,
    candidates: Adjacency,
    gains: Gains,
    progress: Progress,
) -> Pair | None:
    """The candidate pair whose flip gains most, if that is positive; the first among equals."""
    best: Pair | None = None
    lacking = [pair for pair in pairs(candidates) if pair not in gains]
    ends = [end for i, j in lacking for end in ((i, j), (j, i))]
    parts.prepare((i, blanket(graph, i), [j]) for i, j in ends)
    for pair in pairs(candidates):
        if pair not in gains:
            progress.tick()
            gains[pair] = _pair_gain(parts, odds, graph, *pair)
        gain, scale = gains[pair]
        if exceeds(gain, gains[best][0] if best else 0.0, scale):
            best = pair
    return best


def _pair_gain(
    parts: LocalParts, odds: Floats | None, graph: Adjacency, i: int, j: int
) -> tuple[float, float]:
    """What flipping {i, j} does to the two local scores, and how large those are."""
    gain = scale = 0.0
    for end, other in ((i, j), (j, i)):
        members = blanket(graph, end)
        before, after = parts(end, members), parts(end, with_flip(members, other))
        gain += after - before
        scale += abs(before)
    return gain + flip_odds(graph, odds, i, j), scale
