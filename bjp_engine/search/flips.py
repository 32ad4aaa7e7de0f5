"""A graph under flips that a search tells: what each gains, and whether it is kept.

This is what steepest ascent, tabu search, restarts, annealing and the Markov chains over graphs
stand on. They differ only in which pairs they try and in what a flip must gain to be kept: -inf
keeps it whatever it does, 0 if it raises the score, ln u for a uniform u with the probability
of Metropolis's rule, and inf never, which only finds out what it would gain.

For BJP and IB-score flips are tried on the kernels' board, which remembers the tests behind
those that were not made; for MPL a flip changes two local scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats
from bjp_engine.graph import Adjacency, blanket
from bjp_engine.scores.assertions import AssertionScore
from bjp_engine.scores.base import exact_sum
from bjp_engine.scores.board import Assertions, Setting
from bjp_engine.scores.structure import edge_odds
from bjp_engine.search.base import Problem
from bjp_engine.search.mpl_hc import LocalScores

Pairs = NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class Outcome:
    """What became of flips that were tried one after the other.

    Parameters
    ----------
    gain : ndarray of float, shape (F,)
        What each gains, given those that were kept before it.
    score : ndarray of float, shape (F,)
        With the flip made.
    """

    gain: Floats
    score: Floats
    kept: NDArray[np.bool_]


class Flips(Protocol):
    """A scored graph whose edges can be flipped; the one mutable thing of a search."""

    @property
    def adjacency(self) -> Adjacency:
        """The graph as it stands, shape (n, n); not a copy."""
        ...

    @property
    def score(self) -> float:
        """Its score with the prior over structures (natural log)."""
        ...

    @property
    def tests(self) -> int:
        """Tests (or local scores) computed so far."""
        ...

    def propose(self, pairs: Pairs, needed: Floats) -> Outcome:
        """Try flips in turn; keep those that gain more than they need."""
        ...


@dataclass(frozen=True, eq=False, slots=True)
class AssertionFlips:
    """Flips under BJP or IB-score."""

    assertions: Assertions

    @property
    def adjacency(self) -> Adjacency:
        """The graph as it stands."""
        return self.assertions.adjacency

    @property
    def score(self) -> float:
        """Its score."""
        return self.assertions.score

    @property
    def tests(self) -> int:
        """Tests made so far."""
        return self.assertions.tests

    def propose(self, pairs: Pairs, needed: Floats) -> Outcome:
        """See `Flips`."""
        orders = self.assertions.flip(pairs, needed)
        return Outcome(orders.gain, orders.score, orders.kept)


class LocalFlips:
    """Flips under MPL."""

    def __init__(self, problem: Problem, adjacency: Adjacency) -> None:
        """Score the graph."""
        self.adjacency = adjacency.copy()
        self._scores = LocalScores(problem.data, problem.score_options, problem.watch)
        self._odds = problem.odds
        self._parts = self._scores.parts(adjacency)

    @property
    def score(self) -> float:
        """Its score."""
        return exact_sum(self._parts.tolist() + edge_odds(self.adjacency, self._odds))

    @property
    def tests(self) -> int:
        """Local scores computed so far."""
        return self._scores.computed

    def propose(self, pairs: Pairs, needed: Floats) -> Outcome:
        """See `Flips`."""
        gain, score = np.empty(len(pairs)), np.empty(len(pairs))
        kept = np.zeros(len(pairs), dtype=np.bool_)
        now = self.score
        for k, (i, j) in enumerate(pairs.tolist()):
            parts = self._with(i, j)
            gain[k] = parts[0] + parts[1] - self._parts[i] - self._parts[j] + self._odds_of(i, j)
            score[k] = now + gain[k]
            kept[k] = gain[k] > needed[k]
            if kept[k]:
                self.adjacency[i, j] = self.adjacency[j, i] = not self.adjacency[i, j]
                self._parts[[i, j]] = parts
                now = score[k] = self.score
        return Outcome(gain, score, kept)

    def _with(self, i: int, j: int) -> tuple[float, float]:
        """The local scores of i and j with the edge between them flipped."""
        found = []
        for end, other in ((i, j), (j, i)):
            members = blanket(self.adjacency, end)
            rest = tuple(m for m in members if m != other)
            changed = rest if len(rest) < len(members) else tuple(sorted((*members, other)))
            found.append(self._scores(end, changed))
        return found[0], found[1]

    def _odds_of(self, i: int, j: int) -> float:
        """What the prior gains with {i, j} flipped."""
        if self._odds is None:
            return 0.0
        return float(-self._odds[i, j] if self.adjacency[i, j] else self._odds[i, j])


def flips_of(problem: Problem, adjacency: Adjacency) -> Flips:
    """A graph under flips, with the score and the prior of a problem."""
    if problem.score.name == "mpl":
        return LocalFlips(problem, adjacency)
    score, setting = cast(AssertionScore, problem.score), Setting(problem.odds, remembers=True)
    return AssertionFlips(
        Assertions.of(
            problem.data,
            adjacency,
            score.both_ends,
            problem.score_options,
            problem.watch,
            setting,
        )
    )
