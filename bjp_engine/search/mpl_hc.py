"""The MPL hill climb of Pensar et al. (2017), in two phases (docs/theory.md §4).

First each variable's blanket is found alone: add the candidate that most improves the local
score, if strictly; after each addition, while the blanket has more than two members, remove
the one whose removal most improves it, if strictly (`bjp_engine.kernels.local.blanket_climbs`).
The AND graph joins pairs that found each other, the OR graph pairs where one found the other.
Second, from AND, flip the pair in OR but not AND with the largest positive gain until there is
none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.counts import columns, keep_local_prior, local_prior, table_of
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency, blanket, flipped, pairs
from bjp_engine.kernels import local
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.scores.base import exact_sum
from bjp_engine.scores.mpl import MPLOptions
from bjp_engine.scores.structure import edge_odds
from bjp_engine.search.base import Move, NoOptions, Problem, State, StopReason
from bjp_engine.search.steps import Proposals
from bjp_engine.search.ties import exceeds

Members = tuple[int, ...]
Pair = tuple[int, int]


class LocalScores:
    """Local scores by variable and blanket, each computed once; and how many were computed.

    Parameters
    ----------
    odds : ndarray of float, shape (n, n), optional
        The prior over structures: in the first phase each member of a blanket adds its own.
    """

    def __init__(
        self,
        data: Dataset,
        options: MPLOptions,
        watch: Progress = UNWATCHED,
        odds: Floats | None = None,
    ) -> None:
        """Start with none."""
        self._data, self._table = data, table_of(data, watch)
        self.odds = odds
        self._prior = local_prior(data, float(options.ess))
        self._known: dict[tuple[int, Members], float] = {}
        self.computed = 0

    def __call__(self, j: int, members: Members) -> float:
        """The local score of variable j with an ascending blanket."""
        key = (j, members)
        if key not in self._known:
            given = columns(members)
            self._known[key] = local.local_score(self._table, self._prior, j, given)
            self.computed += 1
        return self._known[key]

    def parts(self, adjacency: Adjacency) -> Floats:
        """The local score of every variable in a graph, shape (n,)."""
        parts = np.empty(len(adjacency))
        local.local_scores(self._table, self._prior, np.arange(len(parts)), adjacency, parts)
        self.computed += len(parts)
        return parts

    def climbs(self, begin: int, end: int, found: Adjacency) -> Proposals:
        """Find the blankets of some variables, fill their rows, and tell the changes."""
        odds = np.empty((0, 0)) if self.odds is None else self.odds.copy()
        changes, scores, computed = local.blanket_climbs(
            self._table, self._prior, odds, begin, end, found
        )
        before, self.computed = self.computed, self.computed + computed
        return Proposals(
            phase="blanket",
            pairs=changes[:, :2],
            added=changes[:, 2] == 1,
            accepted=np.ones(len(changes), dtype=np.bool_),
            gain=scores[:, 1] - scores[:, 0],
            score=scores[:, 1],
            tests=changes[:, 3] + before,
        )

    def keep(self) -> None:
        """Leave the tables that were made to the next search on the same data."""
        keep_local_prior(self._data, self._prior)


@dataclass(frozen=True, eq=False)
class MPLState(State):
    """Where the hill climb stands.

    Parameters
    ----------
    local : LocalScores
        Shared and growing; it only saves work.
    found : ndarray of bool, shape (n, n)
        [j, b] where b is in the blanket of j.
    variable : int
        The next variable of the first phase; n once it is over.
    """

    local: LocalScores
    found: Adjacency
    variable: int = 0

    @cached_property
    def adjacency(self) -> Adjacency:
        """The AND graph of the blankets found so far."""
        return self.found & self.found.T

    @cached_property
    def parts(self) -> Floats:
        """The local score of each variable in the graph."""
        return self.local.parts(self.adjacency)

    @property
    def score(self) -> float:
        """The graph's score."""
        return exact_sum(self.parts.tolist() + edge_odds(self.adjacency, self.local.odds))

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


@dataclass(frozen=True, eq=False)
class FlipState(MPLState):
    """Where the second phase stands.

    Parameters
    ----------
    adjacency : ndarray of bool, shape (n, n)
        The graph.
    parts : ndarray of float, shape (n,)
        The local score of each variable in it.
    gains : dict
        What each flip would gain; those of a flipped pair's ends are forgotten.
    """

    adjacency: Adjacency = field(kw_only=True)
    parts: Floats = field(kw_only=True)
    gains: dict[Pair, tuple[float, float]] = field(kw_only=True, default_factory=dict)


class MPLHillClimb:
    """Blankets one by one, then the flips between AND and OR."""

    name = "mpl-hc"
    title = "MPL hill climb"
    methods: tuple[str, ...] = ("mpl",)
    options_type = NoOptions

    def begin(self, problem: Problem) -> MPLState:
        """Score the empty graph."""
        n = problem.data.n
        scores = LocalScores(problem.data, problem.score_options, problem.watch, problem.odds)
        empty = np.zeros((n, n), dtype=np.bool_)
        return MPLState(scores, empty)

    def advance(self, problem: Problem, state: MPLState, most: int) -> Move:
        """Find the next blankets, or make the best flip between AND and OR."""
        if state.variable < problem.data.n:
            return _next_blankets(problem, state, most)
        if not isinstance(state, FlipState):
            state = _opened(state)
        return _best_flip(problem, state)


def blanket_graphs(
    data: Dataset, options: MPLOptions, watch: Progress = UNWATCHED
) -> tuple[Adjacency, Adjacency]:
    """The AND and the OR graph of the first phase alone."""
    scores = LocalScores(data, options, watch)
    found = np.zeros((data.n, data.n), dtype=np.bool_)
    for j in range(data.n):
        watch.tick(j, data.n)
        scores.climbs(j, j + 1, found)
    scores.keep()
    return found & found.T, found | found.T


def mpl_graph(data: Dataset, options: MPLOptions, watch: Progress = UNWATCHED) -> Adjacency:
    """The graph that both phases end with."""
    both, either = blanket_graphs(data, options, watch)
    scores, graph = LocalScores(data, options, watch), both
    gains: dict[Pair, tuple[float, float]] = {}
    while (best := _largest_gain(scores, graph, either & ~both, gains, watch)) is not None:
        graph = flipped(graph, *best)
        gains = _kept(gains, *best)
    return graph


def _next_blankets(problem: Problem, state: MPLState, most: int) -> Move:
    """Run the first phase for one variable, or for as many as may be told at once."""
    n, begin = problem.data.n, state.variable
    end = min(n, begin + max(1, most // 8))
    problem.watch.tick(begin, n)
    found = state.found.copy()
    proposals = state.local.climbs(begin, end, found)
    return Move(MPLState(state.local, found, end), proposals, begins=end == n)


def _opened(state: MPLState) -> FlipState:
    """The second phase at its beginning, the AND graph."""
    return FlipState(
        state.local, state.found, state.variable, adjacency=state.adjacency, parts=state.parts
    )


def _best_flip(problem: Problem, state: FlipState) -> Move:
    """One flip of the second phase, or the end."""
    candidates = (state.found | state.found.T) & ~(state.found & state.found.T)
    best = _largest_gain(state.local, state.adjacency, candidates, state.gains, problem.watch)
    if best is None:
        state.local.keep()
        return Move(state, stop=StopReason.NO_CANDIDATE)
    i, j = best
    moved = _moved(state, i, j)
    proposals = Proposals(
        phase="graph",
        pairs=np.array([[i, j]]),
        added=moved.adjacency[i, j : j + 1].copy(),
        accepted=np.ones(1, dtype=np.bool_),
        gain=np.array([state.gains[best][0]]),
        score=np.array([moved.score]),
        tests=np.array([moved.tests]),
        degrees=state.adjacency.sum(axis=1),
    )
    return Move(moved, proposals)


def _moved(state: FlipState, i: int, j: int) -> FlipState:
    """The state after the flip of {i, j}."""
    adjacency, parts = flipped(state.adjacency, i, j), state.parts.copy()
    for x in (i, j):
        parts[x] = state.local(x, blanket(adjacency, x))
    return FlipState(
        state.local,
        state.found,
        state.variable,
        adjacency=adjacency,
        parts=parts,
        gains=_kept(state.gains, i, j),
    )


def _kept(
    gains: dict[Pair, tuple[float, float]], i: int, j: int
) -> dict[Pair, tuple[float, float]]:
    """The gains that a flip of {i, j} doesn't change."""
    return {pair: gain for pair, gain in gains.items() if not {i, j} & set(pair)}


def _largest_gain(
    scores: LocalScores,
    graph: Adjacency,
    candidates: Adjacency,
    gains: dict[Pair, tuple[float, float]],
    watch: Progress,
) -> Pair | None:
    """The candidate pair whose flip gains most, if that is positive; the first among equals."""
    best: Pair | None = None
    for pair in pairs(candidates):
        if pair not in gains:
            watch.tick()
            gains[pair] = _pair_gain(scores, graph, *pair)
        gain, scale = gains[pair]
        if exceeds(gain, gains[best][0] if best else 0.0, scale):
            best = pair
    return best


def _pair_gain(scores: LocalScores, graph: Adjacency, i: int, j: int) -> tuple[float, float]:
    """What flipping {i, j} does to the two local scores, and how large those are."""
    gain = scale = 0.0
    for end, other in ((i, j), (j, i)):
        members = blanket(graph, end)
        rest = tuple(m for m in members if m != other)
        changed = rest if len(rest) < len(members) else tuple(sorted((*members, other)))
        before, after = scores(end, members), scores(end, changed)
        gain += after - before
        scale += abs(before)
    if scores.odds is not None:
        gain += float(-scores.odds[i, j] if graph[i, j] else scores.odds[i, j])
    return gain, scale
