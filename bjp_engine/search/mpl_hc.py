"""The MPL hill climb of Pensar et al. (2017), in two phases (SPEC section 4).

First each variable's blanket is found alone: add the candidate that most improves the local
score, if strictly; after each addition, while the blanket has more than two members, remove
the one whose removal most improves it, if strictly. The AND graph joins pairs that found each
other, the OR graph pairs where one found the other. Second, from AND, flip the pair in
OR but not AND with the largest positive gain until there is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bjp_engine.counts import stratify
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency, blanket, flipped, pairs
from bjp_engine.scores.base import exact_sum
from bjp_engine.scores.mpl import MPLOptions, grown_score, local_score
from bjp_engine.search.base import Move, NoOptions, Problem, Step, StopReason
from bjp_engine.search.ties import exceeds
from bjp_engine.watch import NO_WATCH, Watch

# One entry: the members of a blanket and its local score.
Members = tuple[int, ...]


class LocalScores:
    """Local scores by variable and blanket, each computed once.

    Parameters
    ----------
    data : Dataset
    options : MPLOptions
    """

    def __init__(self, data: Dataset, options: MPLOptions) -> None:
        """Start with none."""
        self._data, self._options = data, options
        self._known: dict[tuple[int, Members], float] = {}

    def __call__(self, j: int, members: Members) -> float:
        """The local score of variable j with an ascending blanket."""
        key = (j, members)
        if key not in self._known:
            self._known[key] = local_score(self._data, j, members, self._options)
        return self._known[key]

    def grown(self, j: int, members: Members, candidates: list[int]) -> None:
        """Compute what is not yet known of the blankets with one candidate more.

        They share one grouping of the rows, which saves a pass for each of them.
        """
        keys = {c: (j, _changed(members, c)) for c in candidates}
        missing = [c for c in candidates if keys[c] not in self._known]
        if missing:
            strata = stratify(self._data, members)
            for c in missing:
                self._known[keys[c]] = grown_score(self._data, j, strata, c, self._options)

    def __len__(self) -> int:
        """How many were computed."""
        return len(self._known)


@dataclass(frozen=True, slots=True)
class BlanketFlip:
    """One accepted change of one variable's blanket in the first phase."""

    j: int
    member: int
    added: bool
    gain: float
    score: float


@dataclass(frozen=True, eq=False, slots=True)
class MPLState:
    """Where the hill climb stands.

    Parameters
    ----------
    adjacency : ndarray of bool, shape (n, n)
        The graph; in the first phase the AND of the blankets found so far.
    score : float
    local : LocalScores
        Shared and growing; it only saves work.
    found : ndarray of bool, shape (n, n)
        [j, b] where b is in the blanket of j.
    pending : tuple of BlanketFlip
        What the first phase did to the present variable and has not yet been told.
    variable : int
        The next variable of the first phase; n once it is over.
    """

    adjacency: Adjacency
    score: float
    local: LocalScores
    found: Adjacency
    pending: tuple[BlanketFlip, ...] = ()
    variable: int = 0

    @property
    def tests(self) -> int:
        """Local scores computed so far."""
        return len(self.local)

    @property
    def milestones(self) -> dict[str, Adjacency]:
        """The AND and the OR graph of the blankets found so far."""
        return {"and": self.found & self.found.T, "or": self.found | self.found.T}


class MPLHillClimb:
    """Blankets one by one, then the flips between AND and OR."""

    name = "mpl-hc"
    title = "MPL hill climb"
    methods: tuple[str, ...] = ("mpl",)
    options_type = NoOptions

    def begin(self, problem: Problem) -> MPLState:
        """Score the empty graph.

        Parameters
        ----------
        problem : Problem

        Returns
        -------
        MPLState
        """
        n = problem.data.n
        local = LocalScores(problem.data, problem.score_options)
        empty = np.zeros((n, n), dtype=np.bool_)
        return MPLState(empty, _graph_score(local, empty), local, empty)

    def advance(self, problem: Problem, state: MPLState) -> Move:
        """Tell the next change of a blanket, or make the best flip between AND and OR.

        Parameters
        ----------
        problem : Problem
        state : MPLState

        Returns
        -------
        Move
        """
        if state.pending:
            return _tell(problem, state)
        if state.variable < problem.data.n:
            grown = _next_blanket(problem, state)
            return Move(grown, begins=grown.variable == problem.data.n)
        return _best_flip(problem, state)


def blanket_graphs(
    data: Dataset, options: MPLOptions, watch: Watch = NO_WATCH
) -> tuple[Adjacency, Adjacency]:
    """The AND and the OR graph of the first phase alone.

    Parameters
    ----------
    data : Dataset
    options : MPLOptions
    watch : Watch

    Returns
    -------
    both, either : ndarray of bool, shape (n, n)
    """
    local = LocalScores(data, options)
    found = np.zeros((data.n, data.n), dtype=np.bool_)
    for j in range(data.n):
        watch.tick(j, data.n)
        for flip in blanket_climb(local, j, data.n, watch):
            found[flip.j, flip.member] = flip.added
    return found & found.T, found | found.T


def mpl_graph(data: Dataset, options: MPLOptions, watch: Watch = NO_WATCH) -> Adjacency:
    """The graph that both phases end with.

    Parameters
    ----------
    data : Dataset
    options : MPLOptions
    watch : Watch

    Returns
    -------
    ndarray of bool, shape (n, n)
    """
    both, either = blanket_graphs(data, options, watch)
    local, graph = LocalScores(data, options), both
    while (best := _largest_gain(local, graph, either & ~both, watch)) is not None:
        graph = flipped(graph, best[0], best[1])
    return graph


def blanket_climb(
    local: LocalScores, j: int, n: int, watch: Watch = NO_WATCH
) -> Iterator[BlanketFlip]:
    """The changes that build one variable's blanket.

    Parameters
    ----------
    local : LocalScores
    j : int
        The variable.
    n : int
        The number of variables.
    watch : Watch

    Yields
    ------
    BlanketFlip
    """
    members: Members = ()
    score = local(j, members)
    while True:
        outside = [c for c in range(n) if c != j and c not in members]
        local.grown(j, members, outside)
        change = _best_change(local, j, members, outside, score)
        if change is None:
            return
        watch.tick()
        members, score = _changed(members, change.member), change.score
        yield change
        while len(members) > 2:
            removal = _best_change(local, j, members, list(members), score)
            if removal is None:
                break
            members, score = _changed(members, removal.member), removal.score
            yield removal


def _best_change(
    local: LocalScores, j: int, members: Members, candidates: list[int], score: float
) -> BlanketFlip | None:
    """The candidate whose flip most improves the local score; the first among equals."""
    best, best_score = -1, score
    for candidate in candidates:
        value = local(j, _changed(members, candidate))
        if exceeds(value, best_score):
            best, best_score = candidate, value
    if best < 0:
        return None
    return BlanketFlip(j, best, best not in members, best_score - score, best_score)


def _changed(members: Members, b: int) -> Members:
    """The blanket with b removed where it is a member, added where not."""
    rest = tuple(m for m in members if m != b)
    return rest if b in members else tuple(sorted((*members, b)))


def _next_blanket(problem: Problem, state: MPLState) -> MPLState:
    """Run the first phase for one variable; its changes wait to be told."""
    problem.watch.tick(state.variable, problem.data.n)
    flips = tuple(blanket_climb(state.local, state.variable, problem.data.n, problem.watch))
    found = state.found.copy()
    for flip in flips:
        found[flip.j, flip.member] = flip.added
    both = found & found.T
    score = _graph_score(state.local, both)
    return MPLState(both, score, state.local, found, flips, state.variable + 1)


def _tell(problem: Problem, state: MPLState) -> Move:
    """Hand out the first pending change as a step."""
    flip, rest = state.pending[0], state.pending[1:]
    names = problem.data.names
    step = Step(
        index=0,
        phase="blanket",
        edge=(names[flip.j], names[flip.member]),
        added=flip.added,
        accepted=True,
        gain=flip.gain,
        score=flip.score,
        tests=state.tests,
    )
    told = MPLState(state.adjacency, state.score, state.local, state.found, rest, state.variable)
    return Move(told, step)


def _best_flip(problem: Problem, state: MPLState) -> Move:
    """One flip of the second phase, or the end."""
    candidates = (state.found | state.found.T) & ~(state.found & state.found.T)
    best = _largest_gain(state.local, state.adjacency, candidates, problem.watch)
    if best is None:
        return Move(state, stop=StopReason.NO_CANDIDATE)
    i, j, gain = best
    adjacency = flipped(state.adjacency, i, j)
    score = _graph_score(state.local, adjacency)
    step = Step(
        index=0,
        phase="graph",
        edge=(problem.data.names[i], problem.data.names[j]),
        added=bool(adjacency[i, j]),
        accepted=True,
        gain=gain,
        score=score,
        order=problem.order(adjacency),
        tests=state.tests,
    )
    return Move(MPLState(adjacency, score, state.local, state.found, (), state.variable), step)


def _largest_gain(
    local: LocalScores, graph: Adjacency, candidates: Adjacency, watch: Watch
) -> tuple[int, int, float] | None:
    """The candidate pair whose flip gains most, if that is positive; the first among equals."""
    best: tuple[int, int, float] | None = None
    for i, j in pairs(candidates):
        watch.tick()
        gain, scale = _pair_gain(local, graph, i, j)
        if exceeds(gain, best[2] if best else 0.0, scale):
            best = (i, j, gain)
    return best


def _pair_gain(local: LocalScores, graph: Adjacency, i: int, j: int) -> tuple[float, float]:
    """What flipping {i, j} does to the two local scores, and how large those are."""
    gain = scale = 0.0
    for end, other in ((i, j), (j, i)):
        members = blanket(graph, end)
        before, after = local(end, members), local(end, _changed(members, other))
        gain += after - before
        scale += abs(before)
    return gain, scale


def _graph_score(local: LocalScores, graph: Adjacency) -> float:
    """ln MPL of a graph."""
    return exact_sum(local(i, blanket(graph, i)) for i in range(len(graph)))
