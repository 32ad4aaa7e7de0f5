"""What the searches by gain share: what each flip would gain, and the best graph seen.

A walk weighs flips a few at a time, so that a cancel or a budget can end it between any two; it
makes one when all are weighed. Under a score that decomposes a flip leaves the gains of pairs that
it doesn't touch as they are; under BJP it may move variables in ψ, and all are weighed again,
mostly from tests that are known already.

`restarts` is steepest ascent again and again, each time from the best graph with some pairs
flipped: iterated local search (Lourenço, Martin & Stützle 2003). `tabu` makes the best flip even
where it lowers the score, and leaves the pair alone for `tenure` moves unless flipping it leads to
a better graph than any before (Glover 1989).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats, Ints
from bjp_engine.graph import Adjacency
from bjp_engine.kernels.loops import TIE
from bjp_engine.records import keep
from bjp_engine.scores.base import Score, exceeds
from bjp_engine.scores.board import Outcome
from bjp_engine.search.driver import Move, Problem, State
from bjp_engine.search.flips import Flips, Pairs, flips_of, free_pairs
from bjp_engine.search.starts import StartOptions, start_graph
from bjp_engine.search.trace import Proposals, StopReason
from bjp_engine.validate import Seed, whole_number, whole_seed

# About as many tests are made before anyone is asked again.
_TESTS_AT_ONCE = 10_000
_FEWEST, _MOST = 8, 1024


class FlipGains:
    """What the flip of each pair would gain, as far as it is known for the graph as it stands.

    `apart` is True where a flip leaves the gains of the pairs that it doesn't touch as they are.
    """

    def __init__(self, pairs: Pairs, apart: bool) -> None:
        """Know nothing."""
        self.pairs = pairs
        self.value: Floats = np.full(len(self.pairs), -np.inf)
        self._stale = np.ones(len(self.pairs), dtype=np.bool_)
        self._apart = apart

    def unknown(self, most: int) -> NDArray[np.intp]:
        """Positions of the next pairs that are to be weighed."""
        return np.flatnonzero(self._stale)[:most]

    def learn(self, positions: NDArray[np.intp], gains: Floats) -> None:
        """Note what some flips would gain."""
        self.value[positions] = gains
        self._stale[positions] = False

    def forget(self, pairs: Pairs) -> None:
        """Note that these were flipped."""
        if not self._apart:
            self._stale[:] = True
            return
        self._stale |= np.isin(self.pairs, pairs).any(axis=1)


@dataclass(frozen=True, eq=False, slots=True)
class Walk(State):
    """Where a search by gain stands: the graph under flips, and the best graph so far.

    Each advance changes `flips`. `best_at` of the steps `made` led to the best graph.
    """

    flips: Flips
    gains: FlipGains
    adjacency: Adjacency
    score: float
    best_at: int = 0
    made: int = 0
    evaluations: int = 0

    @property
    def tests(self) -> int:
        """Tests (or local scores) computed so far."""
        return self.flips.tests


class WalkSearch:
    """A search on a walk: a subclass gives `advance`."""

    options_type: type[StartOptions] = StartOptions
    walk_type: type[Walk] = Walk
    keeps_fixed = True

    def serves(self, _score: Score) -> bool:
        """Every score: the flips of all can be tried."""
        return True

    def begin(self, problem: Problem) -> Walk:
        """Score the starting graph."""
        adjacency = start_graph(problem)
        flips = flips_of(problem, adjacency)
        gains = FlipGains(free_pairs(problem), problem.score.decomposes)
        return self.walk_type(flips, gains, adjacency.copy(), flips.score)


def at_once(problem: Problem, walk: Walk) -> int:
    """How many flips may be tried before anyone is asked again."""
    n = problem.data.n
    return problem.budget.left(
        walk.evaluations, int(np.clip(_TESTS_AT_ONCE // (2 * n), _FEWEST, _MOST))
    )


def weigh_more(problem: Problem, walk: Walk) -> Walk | None:
    """The walk with some more flips weighed; None if all of them are."""
    positions = walk.gains.unknown(at_once(problem, walk))
    if len(positions) == 0:
        return None
    outcome = walk.flips.propose(walk.gains.pairs[positions], np.full(len(positions), np.inf))
    walk.gains.learn(positions, outcome.gain)
    return replace(walk, evaluations=walk.evaluations + len(positions))


def best_flip(walk: Walk) -> int | None:
    """The position of the flip that gains most, the first among equals; None if none gains."""
    gains = walk.gains.value
    if len(gains) == 0:
        return None
    size = abs(walk.flips.score)
    best = float(gains.max())
    if not exceeds(best, 0.0, size):
        return None
    scale = np.maximum(np.abs(gains), max(abs(best), size))
    return int(np.argmax(best - gains <= TIE * scale))


def try_flips(
    walk: Walk, pairs: Pairs, needed: Floats, phase: str
) -> tuple[Walk, Proposals | None]:
    """Try flips of pairs, each once, and hand on those that were kept."""
    before = walk.flips.adjacency.copy()
    outcome = walk.flips.propose(pairs, needed)
    kept = np.flatnonzero(outcome.kept)
    tried_before, evaluations = walk.evaluations, walk.evaluations + len(pairs)
    if len(kept) == 0:
        return replace(walk, evaluations=evaluations), None
    made = pairs[kept]
    walk.gains.forget(made)
    proposals = Proposals(
        phase=phase,
        pairs=made,
        added=~before[made[:, 0], made[:, 1]],
        accepted=np.ones(len(kept), dtype=np.bool_),
        gain=outcome.gain[kept],
        score=outcome.score[kept],
        tests=np.full(len(kept), walk.tests),
        degrees=before.sum(axis=1),
        evaluations=tried_before + kept + 1,
    )
    walk = replace(walk, made=walk.made + len(kept), evaluations=evaluations)
    return _with_best(walk, made, outcome, kept), proposals


def _with_best(walk: Walk, made: Pairs, outcome: Outcome, kept: NDArray[np.intp]) -> Walk:
    """The walk with the best of the graphs that it just came through, if that is better."""
    scores = outcome.score[kept]
    top = int(np.argmax(scores))
    if not exceeds(float(scores[top]), walk.score):
        return walk
    graph = walk.flips.adjacency.copy()
    for i, j in made[top + 1 :].tolist():
        graph[i, j] = graph[j, i] = not graph[i, j]
    first = walk.made - len(kept)
    return replace(walk, adjacency=graph, score=float(scores[top]), best_at=first + top + 1)


@dataclass(frozen=True, slots=True)
class RestartOptions(StartOptions):
    """How often the ascent is begun again, and how far away.

    Parameters
    ----------
    restarts : int
        Ascents after the first; 0 is plain steepest ascent.
    strength : int
        Pairs flipped before each: half of them edges where there are so many.
    seed : int
        Of the random pairs.
    """

    restarts: int = 10
    strength: int = 6
    seed: Seed = 0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        StartOptions.__post_init__(self)
        keep(self, seed=whole_seed(self.seed))
        for name, least in (("restarts", 0), ("strength", 1)):
            keep(self, **{name: whole_number(getattr(self, name), name, least)})


@dataclass(frozen=True, eq=False, slots=True)
class RestartWalk(Walk):
    """A walk that counts the ascents that have ended."""

    ascents: int = 0


class Restarts(WalkSearch):
    """Ascend, shake the best graph, ascend again."""

    name = "restarts"
    title = "Restarts by perturbation"
    options_type = RestartOptions
    walk_type = RestartWalk

    def advance(self, problem: Problem, state: RestartWalk, _most: int) -> Move:
        """Ascend one step, or shake the best graph."""
        options: RestartOptions = problem.search_options
        move = _ascend(problem, state)
        if move is not None:
            return move
        problem.progress.tick(state.ascents, options.restarts + 1)
        if state.ascents >= options.restarts:
            return Move(state, stop=StopReason.SCHEDULE)
        shaken = _shaken(state, options)
        if problem.budget.evaluations is not None:
            shaken = shaken[: problem.budget.evaluations - state.evaluations]
        if len(shaken) == 0:
            return Move(state, stop=StopReason.NO_PAIR)
        after = replace(state, ascents=state.ascents + 1)
        return Move(*try_flips(after, shaken, np.full(len(shaken), -np.inf), "restart"))


def _ascend(problem: Problem, walk: RestartWalk) -> Move | None:
    """Weigh some flips, or make the best of all; None where no flip raises the score."""
    more = weigh_more(problem, walk)
    if more is not None:
        return Move(more)
    best = best_flip(walk)
    if best is None:
        return None
    pair = walk.gains.pairs[best : best + 1]
    return Move(*try_flips(walk, pair, np.full(1, -np.inf), "ascent"))


def _shaken(walk: RestartWalk, options: RestartOptions) -> Pairs:
    """The flips that lead from the graph as it stands to the best one, shaken."""
    rng = np.random.default_rng([whole_seed(options.seed), walk.ascents])
    pairs = walk.gains.pairs
    edges = walk.adjacency[pairs[:, 0], pairs[:, 1]]
    half = min(int(edges.sum()), options.strength // 2)
    chosen = rng.permutation(np.flatnonzero(edges))[:half]
    others = rng.permutation(np.flatnonzero(~edges))[: options.strength - half]
    flipped = walk.flips.adjacency[pairs[:, 0], pairs[:, 1]] != edges
    flipped[chosen] ^= True
    flipped[others] ^= True
    return pairs[flipped]


@dataclass(frozen=True, slots=True)
class TabuOptions(StartOptions):
    """How long a pair is left alone, and how long no better graph is waited for.

    Parameters
    ----------
    tenure : int
        Moves for which a flipped pair stays as it is.
    patience : int
        The search ends after so many moves without a better graph.
    """

    tenure: int = 10
    patience: int = 50

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        StartOptions.__post_init__(self)
        tenure = whole_number(self.tenure, "tenure", 0)
        keep(self, tenure=tenure, patience=whole_number(self.patience, "patience", 1))


@dataclass(frozen=True, eq=False, slots=True)
class TabuWalk(Walk):
    """A walk with the move up to which each pair stays as it is."""

    until: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))


class TabuSearch(WalkSearch):
    """Make the best flip that isn't forbidden until patience ends."""

    name = "tabu"
    title = "Tabu search"
    options_type = TabuOptions
    walk_type = TabuWalk

    def begin(self, problem: Problem) -> TabuWalk:
        """Score the starting graph; every pair is free."""
        walk = cast(TabuWalk, super().begin(problem))
        return replace(walk, until=np.zeros(len(walk.gains.pairs), dtype=np.int64))

    def advance(self, problem: Problem, state: TabuWalk, _most: int) -> Move:
        """Weigh some flips, or make the best that is allowed."""
        options: TabuOptions = problem.search_options
        more = weigh_more(problem, state)
        if more is not None:
            return Move(more)
        if state.made - state.best_at >= options.patience:
            return Move(state, stop=StopReason.PATIENCE)
        best = _allowed(state)
        if best is None:
            return Move(state, stop=StopReason.NO_PAIR)
        until = state.until.copy()
        until[best] = state.made + 1 + options.tenure
        pair = state.gains.pairs[best : best + 1]
        return Move(*try_flips(replace(state, until=until), pair, np.full(1, -np.inf), "tabu"))


def _allowed(walk: TabuWalk) -> int | None:
    """The position of the best flip that is allowed; of equal ones the first."""
    gains, now = walk.gains.value, walk.flips.score
    if len(gains) == 0:
        return None
    better = now + gains - walk.score > TIE * np.maximum(np.abs(now + gains), abs(walk.score))
    free = (walk.until <= walk.made) | better
    if not free.any():
        # Every pair was flipped a short while ago: the one that waits longest goes first.
        return int(np.argmin(walk.until))
    return int(np.argmax(np.where(free, gains, -np.inf)))
