"""Searches by the gain of each flip: tabu search, and restarts of steepest ascent.

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

import math
from dataclasses import dataclass
from typing import cast

import numpy as np

from bjp_engine.arrays import Floats, Ints
from bjp_engine.graph import Adjacency, blanket
from bjp_engine.kernels.climb import ClimbOrders
from bjp_engine.kernels.loops import TIE
from bjp_engine.records import keep
from bjp_engine.scores.base import Score, exceeds
from bjp_engine.scores.bjp import Assertions, AssertionScore, orders_for
from bjp_engine.scores.mpl import LocalScore, with_flip
from bjp_engine.scores.prior import edge_odds, flip_odds
from bjp_engine.search.driver import Move, Problem
from bjp_engine.search.hill_climbs import StartOptions, start_graph
from bjp_engine.search.trace import Proposals, StopReason
from bjp_engine.validate import Seed, whole_number, whole_seed

# About as many tests are made before anyone is asked again.
_TESTS_AT_ONCE = 10_000
_FEWEST, _MOST = 8, 1024

Pairs = Ints


class LocalFlips:
    """A graph under flips and a sum of local parts, of which each flip changes two."""

    def __init__(self, problem: Problem, score: LocalScore, adjacency: Adjacency) -> None:
        self.adjacency, self._odds = adjacency.copy(), problem.odds
        self._parts = score.parts(problem.data, problem.score_options, problem.progress)
        self._of = self._parts.of_graph(adjacency)

    @property
    def score(self) -> float:
        """Its score."""
        return math.fsum(self._of.tolist() + edge_odds(self.adjacency, self._odds))

    @property
    def tests(self) -> int:
        """Local scores computed so far."""
        return self._parts.computed

    def propose(self, pairs: Pairs, needed: Floats) -> ClimbOrders:
        """Try flips in turn; keep those that gain more than they need."""
        orders, now = orders_for(0, 0, pairs, needed), self.score
        gain, score, kept = orders.gain, orders.score, orders.kept
        for k, (i, j) in enumerate(pairs.tolist()):
            one = self._parts(i, with_flip(blanket(self.adjacency, i), j))
            other = self._parts(j, with_flip(blanket(self.adjacency, j), i))
            of_prior = flip_odds(self.adjacency, self._odds, i, j)
            gain[k] = one + other - self._of[i] - self._of[j] + of_prior
            score[k] = now + gain[k]
            kept[k] = gain[k] > needed[k]
            if kept[k]:
                self.adjacency[i, j] = self.adjacency[j, i] = not self.adjacency[i, j]
                self._of[[i, j]] = one, other
                now = score[k] = self.score
        return orders


def flips_of(problem: Problem, adjacency: Adjacency) -> Assertions | LocalFlips:
    """A graph under flips, with the score and the prior of a problem."""
    score, data, options = problem.score, problem.data, problem.score_options
    if isinstance(score, LocalScore):
        return LocalFlips(problem, score, adjacency)
    return cast(AssertionScore, score).assertions(
        data, adjacency, options, problem.progress, odds=problem.odds, remembers=True
    )


class Walk:
    """A graph under flips, what the flip of each free pair would gain, and the best graph so far.

    `gains` are those of `pairs` (in lexicographic order) in the graph as it stands. After `best_at`
    of the flips `made` stood `adjacency`, the best graph, with its `score`; `ascents` have ended.
    """

    def __init__(self, problem: Problem) -> None:
        self.adjacency = start_graph(problem)
        self.flips = flips_of(problem, self.adjacency)
        self.score = self.flips.score
        every = np.stack(np.triu_indices(problem.data.n, 1), axis=1).astype(np.int64)
        self.pairs: Pairs = every if problem.pairs is None else every[problem.pairs.free]
        self.gains: Floats = np.full(len(self.pairs), -np.inf)
        self._stale = np.ones(len(self.pairs), dtype=np.bool_)
        self._apart = problem.score.decomposes
        self.best_at = self.made = self.evaluations = self.ascents = 0

    @property
    def tests(self) -> int:
        """Tests (or local scores) computed so far."""
        return self.flips.tests

    def weigh(self, problem: Problem) -> bool:
        """Weigh some more flips, unless all are weighed."""
        at_once = int(np.clip(_TESTS_AT_ONCE // (2 * problem.data.n), _FEWEST, _MOST))
        some = np.flatnonzero(self._stale)[: problem.budget.left(self.evaluations, at_once)]
        if len(some):
            never = np.full(len(some), np.inf)
            self.gains[some] = self.flips.propose(self.pairs[some], never).gain
            self._stale[some] = False
            self.evaluations += len(some)
        return len(some) > 0

    def best_flip(self) -> int | None:
        """The position of the flip that gains most, the first among equals; None if none gains."""
        size, best = abs(self.flips.score), float(self.gains.max(initial=-np.inf))
        if not exceeds(best, 0.0, size):
            return None
        scale = np.maximum(np.abs(self.gains), max(abs(best), size))
        return int(np.argmax(best - self.gains <= TIE * scale))

    def flip(self, pairs: Pairs, phase: str, needed: float = -np.inf) -> Proposals | None:
        """Flip pairs, each once, but those that don't gain more than is needed."""
        outcome = self.flips.propose(pairs, np.full(len(pairs), needed))
        kept = np.flatnonzero(outcome.kept)
        before, self.evaluations = self.evaluations, self.evaluations + len(pairs)
        if len(kept) == 0:
            return None
        made, scores = pairs[kept], outcome.score[kept]
        self._stale |= np.isin(self.pairs, made).any(axis=1) if self._apart else True
        graph, top = self.flips.adjacency, int(np.argmax(scores))
        proposals = Proposals(
            phase=phase,
            pairs=made,
            added=graph[made[:, 0], made[:, 1]],
            accepted=np.ones(len(kept), dtype=np.bool_),
            gain=outcome.gain[kept],
            score=scores,
            tests=np.full(len(kept), self.tests),
            evaluations=before + kept + 1,
        )
        if exceeds(float(scores[top]), self.score):
            self.adjacency, self.score = graph.copy(), float(scores[top])
            self.best_at = self.made + top + 1
            for i, j in made[top + 1 :].tolist():
                self.adjacency[i, j] = self.adjacency[j, i] = not graph[i, j]
        self.made += len(kept)
        return proposals


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
        return self.walk_type(problem)


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
        StartOptions.__post_init__(self)
        keep(self, seed=whole_seed(self.seed))
        for name, least in (("restarts", 0), ("strength", 1)):
            keep(self, **{name: whole_number(getattr(self, name), name, least)})


class Restarts(WalkSearch):
    """Ascend, shake the best graph, ascend again."""

    name = "restarts"
    title = "Restarts by perturbation"
    options_type = RestartOptions

    def advance(self, problem: Problem, walk: Walk, _most: int) -> Move:
        """Ascend one step, or shake the best graph."""
        options: RestartOptions = problem.search_options
        if walk.weigh(problem):
            return Move(walk)
        best = walk.best_flip()
        if best is not None:
            return Move(walk, walk.flip(walk.pairs[[best]], "ascent"))
        problem.progress.tick(walk.ascents, options.restarts + 1)
        if walk.ascents >= options.restarts:
            return Move(walk, stop=StopReason.SCHEDULE)
        shaken = _shaken(walk, options)
        if problem.budget.evaluations is not None:
            shaken = shaken[: problem.budget.evaluations - walk.evaluations]
        if len(shaken) == 0:
            return Move(walk, stop=StopReason.NO_PAIR)
        walk.ascents += 1
        return Move(walk, walk.flip(shaken, "restart"))


def _shaken(walk: Walk, options: RestartOptions) -> Pairs:
    """The flips that lead from the graph as it stands to the best one, shaken."""
    rng = np.random.default_rng([whole_seed(options.seed), walk.ascents])
    i, j = walk.pairs.T
    edges = walk.adjacency[i, j]
    half = min(int(edges.sum()), options.strength // 2)
    chosen = rng.permutation(np.flatnonzero(edges))[:half]
    others = rng.permutation(np.flatnonzero(~edges))[: options.strength - half]
    flipped = walk.flips.adjacency[i, j] != edges
    flipped[chosen] ^= True
    flipped[others] ^= True
    return walk.pairs[flipped]


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
        StartOptions.__post_init__(self)
        tenure = whole_number(self.tenure, "tenure", 0)
        keep(self, tenure=tenure, patience=whole_number(self.patience, "patience", 1))


class TabuWalk(Walk):
    """A walk with the move up to which each pair stays as it is."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.until = np.zeros(len(self.pairs), dtype=np.int64)

    def allowed(self) -> int:
        """The position of the best flip that is allowed; of equal ones the first."""
        reached = self.flips.score + self.gains
        scale = np.maximum(np.abs(reached), abs(self.score))
        free = (self.until <= self.made) | (reached - self.score > TIE * scale)
        if not free.any():
            # Every pair was flipped a short while ago: the one that waits longest goes first.
            return int(np.argmin(self.until))
        return int(np.argmax(np.where(free, self.gains, -np.inf)))


class TabuSearch(WalkSearch):
    """Make the best flip that isn't forbidden until patience ends."""

    name = "tabu"
    title = "Tabu search"
    options_type = TabuOptions
    walk_type = TabuWalk

    def advance(self, problem: Problem, walk: TabuWalk, _most: int) -> Move:
        """Weigh some flips, or make the best that is allowed."""
        options: TabuOptions = problem.search_options
        if walk.weigh(problem):
            return Move(walk)
        if walk.made - walk.best_at >= options.patience:
            return Move(walk, stop=StopReason.PATIENCE)
        if len(walk.pairs) == 0:
            return Move(walk, stop=StopReason.NO_PAIR)
        best = walk.allowed()
        walk.until[best] = walk.made + 1 + options.tenure
        return Move(walk, walk.flip(walk.pairs[[best]], "tabu"))
