"""A graph under flips that a search asks for: what each gains, and whether it is kept.

This is what tabu search and restarts stand on. They differ only in which pairs they try and in what
a flip must gain to be kept: -inf keeps it whatever it does, 0 if it raises the score, and inf
never, which only computes what it would gain.

Assertions are flipped on the kernels' board, which remembers the tests behind flips that were not
made; under a sum of local parts a flip changes two of them.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from bjp_engine.arrays import Floats, Ints
from bjp_engine.graph import Adjacency, blanket
from bjp_engine.scores.assertions import AssertionScore
from bjp_engine.scores.base import exact_sum
from bjp_engine.scores.board import Assertions, Outcome
from bjp_engine.scores.local import LocalScore, with_flip
from bjp_engine.scores.structure import edge_odds, flip_odds
from bjp_engine.search.driver import Problem

Pairs = Ints


class LocalFlips:
    """Flips under a sum of local parts."""

    def __init__(self, problem: Problem, score: LocalScore, adjacency: Adjacency) -> None:
        """Score the graph."""
        self.adjacency, self._odds = adjacency.copy(), problem.odds
        self._parts = score.parts(problem.data, problem.score_options, problem.progress)
        self._of = self._parts.of_graph(adjacency)

    @property
    def score(self) -> float:
        """Its score."""
        return exact_sum(self._of.tolist() + edge_odds(self.adjacency, self._odds))

    @property
    def tests(self) -> int:
        """Local scores computed so far."""
        return self._parts.computed

    def propose(self, pairs: Pairs, needed: Floats) -> Outcome:
        """Try flips in turn; keep those that gain more than they need."""
        gain, score = np.empty(len(pairs)), np.empty(len(pairs))
        kept = np.zeros(len(pairs), dtype=np.bool_)
        now = self.score
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
        return Outcome(gain, score, kept)


# A scored graph whose edges can be flipped; the one mutable thing of a search.
Flips = Assertions | LocalFlips


def flips_of(problem: Problem, adjacency: Adjacency) -> Flips:
    """A graph under flips, with the score and the prior of a problem."""
    score, data, options = problem.score, problem.data, problem.score_options
    if isinstance(score, LocalScore):
        return LocalFlips(problem, score, adjacency)
    return cast(AssertionScore, score).assertions(
        data, adjacency, options, problem.progress, odds=problem.odds, remembers=True
    )


def free_pairs(problem: Problem) -> Pairs:
    """The pairs that a search may flip, in lexicographic order, shape (m, 2)."""
    every = np.stack(np.triu_indices(problem.data.n, 1), axis=1).astype(np.int64)
    return every if problem.pairs is None else every[problem.pairs.free]
