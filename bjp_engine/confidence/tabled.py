"""The chain of `bjp_engine.confidence.chain` for few variables, by look-ups in compiled code.

With 12 variables there are 67 584 tests in all, and they are made once in about a second. Then a
graph's score is a sum of look-ups, and a sweep takes microseconds: the same chain, hundreds of
times as long.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from bjp_engine.confidence.ladder import Ladder
from bjp_engine.confidence.tally import Plan, Tally, WarmUp
from bjp_engine.counts import table_of
from bjp_engine.evidence import keep_local_prior, local_prior
from bjp_engine.graph import Adjacency
from bjp_engine.kernels import tempered as kernels
from bjp_engine.kernels.lookup import every_local_score, every_test
from bjp_engine.kernels.tempered import Chances, Copies, Drawn, Scores
from bjp_engine.scores.assertions import AssertionScore
from bjp_engine.scores.base import LocalScore
from bjp_engine.search.base import Problem

# With one more, tests and memory double and more.
MOST_TABLED = 12
# Sets of variables that are given, between two looks at the watch.
_SETS = 32
# Sweeps in one call.
_SWEEPS = 64


def tabled(problem: Problem) -> Scores:
    """Make every test or local score of a few variables."""
    data, n = problem.data, problem.data.n
    odds = np.zeros((n, n)) if problem.odds is None else np.array(problem.odds)
    problem.watch.tick()
    table = table_of(data, problem.watch)
    if isinstance(problem.score, LocalScore):
        local = np.full((n, 1 << n), np.nan)
        prior = local_prior(data, float(problem.score_options.ess))
        every_local_score(table, prior, local)
        keep_local_prior(data, prior)
        return Scores(kernels.LOCAL, local.reshape(n, 1, 1, 1 << n), odds)
    values = np.full((n, n, 2, 1 << n), np.nan)
    evidence = problem.score_options.evidence(data)
    for mask in range(0, 1 << n, _SETS):
        problem.watch.tick()
        every_test(table, evidence, mask, min(mask + _SETS, 1 << n), values)
    both = cast(AssertionScore, problem.score).both_ends
    return Scores(kernels.BOTH_ENDS if both else kernels.FIRST_END, values, odds)


class TabledChain:
    """A Markov chain over graphs on few variables, see `bjp_engine.confidence.tally.Chain`.

    Parameters
    ----------
    start : ndarray of bool, shape (n, n)
        Where every copy begins.
    seed : SeedSequence
        This chain's own.
    """

    def __init__(
        self, scores: Scores, start: Adjacency, plan: Plan, seed: np.random.SeedSequence
    ) -> None:
        """Score the start."""
        n = len(start)
        rows, columns = np.triu_indices(n, 1)
        self._scores, self._thin = scores, plan.thin
        # One for each kind of number: how many sweeps are made at once depends on the clock, and
        # must not change which numbers a sweep gets.
        self._orders, self._gains, self._exchanges = map(np.random.default_rng, seed.spawn(3))
        self._at_once = max(1, _SWEEPS // plan.thin)
        self._pairs = rows * n + columns
        self._warm_up, self._parity = WarmUp(plan.warm_up), 0
        self.ladder, self.tally = Ladder(plan.temperatures), Tally(plan.draws, len(rows))
        masks = start @ (1 << np.arange(n, dtype=np.int64))
        self._copies = Copies(
            np.tile(masks, (plan.temperatures, 1)),
            np.tile(start.sum(axis=1, dtype=np.int64), (plan.temperatures, 1)),
            np.zeros(plan.temperatures),
            self.ladder.betas,
            self.ladder.refused,
            self.ladder.asked,
        )
        kernels.rescore(self._scores, self._copies)

    def warm(self, draws: int) -> None:
        """Go on with the warm-up, and choose the ladder meanwhile."""
        while draws > 0:
            now = self._warm_up.until_next(min(draws, self._at_once))
            self._run(now, keep=False)
            draws -= now
            if self._warm_up.passed(now):
                self.ladder.respace()

    def draw(self, draws: int) -> None:
        """Draw from the posterior, and keep what is drawn."""
        if not self.tally.made:
            self.ladder.forget()
        while draws > 0:
            now = min(draws, self._at_once)
            drawn = self._run(now, keep=True)
            for k in range(now):
                self.tally.chance[self.tally.batch] += drawn.chance[k, self._pairs]
                self.tally.tried[self.tally.batch] += self._thin
                self.tally.add(drawn.present[k, self._pairs], float(drawn.score[k]))
            draws -= now

    def _run(self, draws: int, keep: bool) -> Drawn:
        """The sweeps of some draws."""
        cells, kept = self._copies.neighbours.shape[1] ** 2, draws if keep else 0
        sweeps, copies = draws * self._thin, len(self.ladder.betas)
        drawn = Drawn(
            np.zeros((kept, cells)), np.zeros((kept, cells), dtype=np.bool_), np.zeros(kept)
        )
        chances = Chances(
            self._orders.permuted(np.tile(self._pairs, (sweeps, 1)), axis=1),
            self._gains.logistic(size=(sweeps, copies, len(self._pairs))),
            self._exchanges.standard_exponential((sweeps, copies)),
        )
        kernels.tempered(self._scores, self._copies, chances, self._parity, drawn)
        self._parity = (self._parity + sweeps) % 2
        return drawn
