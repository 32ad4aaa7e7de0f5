"""The MPL hill climb of Pensar et al. (2017), in two phases (docs/theory.md §4).

First each variable's blanket is found alone: add the candidate that most improves the local
score, if strictly; after each addition, while the blanket has more than two members, remove
the one whose removal most improves it, if strictly (`LocalParts.climb`).
The AND graph joins pairs that found each other, the OR graph pairs where one found the other.
Second, from AND, flip the pair in OR but not AND with the largest positive gain until there is
none.
"""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency, blanket, flipped, pairs
from bjp_engine.progress import Progress
from bjp_engine.scores.base import NoOptions, Score, exceeds
from bjp_engine.scores.mpl import LocalScore, with_flip
from bjp_engine.scores.prior import edge_odds, flip_odds
from bjp_engine.search.driver import Move, Problem
from bjp_engine.search.trace import Proposals, StopReason

Pair = tuple[int, int]


class MPLClimb:
    """Where the hill climb stands: the blankets found, [j, b] where b is in that of j, and a graph.

    `variable` is the next one of the first phase, in which the graph is AND; the second flips it.
    """

    def __init__(self, problem: Problem) -> None:
        data, score = problem.data, cast(LocalScore, problem.score)
        self.local = score.parts(data, problem.score_options, problem.progress)
        self.odds, self.known = problem.odds, problem.pairs
        self.found = problem.agreeing(np.zeros((data.n, data.n), dtype=np.bool_))
        self.adjacency, self.variable = self.found, 0
        self._parts: Floats | None = None
        # What flipping a pair gains, and how large the parts are that change.
        self._gains: dict[Pair, tuple[float, float]] = {}

    @property
    def parts(self) -> Floats:
        """The local score of each variable in the graph."""
        if self._parts is None:
            self._parts = self.local.of_graph(self.adjacency)
        return self._parts

    @property
    def score(self) -> float:
        """The graph's score."""
        return math.fsum(self.parts.tolist() + edge_odds(self.adjacency, self.odds))

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

    def find_blankets(self, end: int) -> Proposals:
        """Run the first phase for the variables up to one; each member adds its odds."""
        found = self.found.copy()
        odds = np.empty((0, 0)) if self.odds is None else self.odds.copy()
        changes, scores = self.local.climb(self.variable, end, odds, found, self.known)
        self.found, self.variable = found, end
        self.adjacency, self._parts = found & found.T, None
        return Proposals(
            phase="blanket",
            pairs=changes[:, :2],
            added=changes[:, 2] == 1,
            accepted=np.ones(len(changes), dtype=np.bool_),
            gain=scores[:, 1] - scores[:, 0],
            score=scores[:, 1],
            tests=changes[:, 3],
            of_graph=False,
        )

    def flip_best(self, progress: Progress) -> Proposals | None:
        """Make the flip of the second phase that gains most, the first among equals, if any."""
        graph, local, gains = self.adjacency, self.local, self._gains
        candidates = pairs((self.found | self.found.T) & ~(self.found & self.found.T))
        lacking = [pair for pair in candidates if pair not in gains]
        ends = [end for i, j in lacking for end in ((i, j), (j, i))]
        local.prepare((i, blanket(graph, i), [j]) for i, j in ends)
        for pair in lacking:
            progress.tick()
            gains[pair] = self._weigh(*pair)
        best: Pair | None = None
        for pair in candidates:
            gain, scale = gains[pair]
            if exceeds(gain, gains[best][0] if best else 0.0, scale):
                best = pair
        if best is None:
            return None
        i, j = best
        gain, parts = gains[best][0], self.parts.copy()
        # The gains of other pairs stay as they are.
        self._gains = {pair: of for pair, of in gains.items() if not {i, j} & set(pair)}
        self.adjacency = flipped(graph, i, j)
        for x in best:
            parts[x] = local(x, blanket(self.adjacency, x))
        self._parts = parts
        return Proposals(
            phase="graph",
            pairs=np.array([best]),
            added=self.adjacency[i, [j]],
            accepted=np.ones(1, dtype=np.bool_),
            gain=np.array([gain]),
            score=np.array([self.score]),
            tests=np.array([self.tests]),
        )

    def _weigh(self, i: int, j: int) -> tuple[float, float]:
        """What flipping {i, j} does to the two local scores, and how large those are."""
        gain = scale = 0.0
        for end, other in ((i, j), (j, i)):
            members = blanket(self.adjacency, end)
            before, after = self.local(end, members), self.local(end, with_flip(members, other))
            gain += after - before
            scale += abs(before)
        return gain + flip_odds(self.adjacency, self.odds, i, j), scale


class MPLHillClimb:
    """Blankets one by one, then the flips between AND and OR."""

    name = "mpl-hc"
    title = "MPL hill climb"
    options_type = NoOptions
    keeps_fixed = by_tables = True

    def serves(self, score: Score) -> bool:
        """Scores made of local parts."""
        return isinstance(score, LocalScore)

    def begin(self, problem: Problem) -> MPLClimb:
        """Score the empty graph, or that of the required edges."""
        return MPLClimb(problem)

    def advance(self, problem: Problem, climb: MPLClimb, most: int) -> Move:
        """Find the next blankets, as many as may be made known at once, or make the best flip."""
        n, progress = problem.data.n, problem.progress
        if climb.variable < n:
            progress.tick(climb.variable, n)
            found = climb.find_blankets(min(n, climb.variable + max(1, most // 8)))
            return Move(climb, found, begins=climb.variable == n)
        made = climb.flip_best(progress)
        if made is None:
            return Move(climb, stop=StopReason.NO_CANDIDATE)
        return Move(climb, made)


def climb_mpl(
    data: Dataset, score: LocalScore, options: Any, progress: Progress, *, flips: bool = True
) -> MPLClimb:
    """Where the hill climb ends, or its first phase alone, for a search that begins there."""
    problem = Problem(data, score, options, NoOptions(), progress)
    search, climb = MPLHillClimb(), MPLClimb(problem)
    while climb.variable < data.n:
        search.advance(problem, climb, 1)
    while flips and climb.flip_best(progress) is not None:
        pass
    return climb
