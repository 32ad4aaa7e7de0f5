"""What the searches by gain share: what each flip would gain, and the best graph seen.

A walk weighs flips a few at a time, so that a cancel or a budget can end it between any two; it
makes one when all are weighed. Under a score that decomposes a flip leaves the gains of pairs that
it doesn't touch as they are; under BJP it may move variables in ψ, and all are weighed again,
mostly from tests that are known already.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats
from bjp_engine.graph import Adjacency
from bjp_engine.kernels.loops import TIE
from bjp_engine.scores.base import Score, exceeds
from bjp_engine.scores.board import Outcome
from bjp_engine.search.driver import State
from bjp_engine.search.flips import Flips, Pairs, flips_of, free_pairs
from bjp_engine.search.problem import Problem
from bjp_engine.search.starts import StartOptions, start_graph
from bjp_engine.search.steps import Proposals

# About as many tests are made before anyone is asked again.
_TESTS_AT_ONCE = 10_000
_FEWEST, _MOST = 8, 1024


class Gains:
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
    gains: Gains
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
        gains = Gains(free_pairs(problem), problem.score.decomposes)
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
    """Try flips, and hand on those that were kept."""
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
        added=_added(before, made),
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


def _added(before: Adjacency, made: Pairs) -> NDArray[np.bool_]:
    """Whether each of several flips, one after the other, adds its edge."""
    graph, added = before.copy(), np.empty(len(made), dtype=np.bool_)
    for k, (i, j) in enumerate(made.tolist()):
        added[k] = not graph[i, j]
        graph[i, j] = graph[j, i] = added[k]
    return added
