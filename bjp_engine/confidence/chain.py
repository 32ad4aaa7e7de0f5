"""One Markov chain over graphs: edge flips, in copies at several temperatures.

A sweep tries to flip pairs in random order. Given all other pairs, {i, j} is an edge with
probability 1 / (1 + e^-d), d what the score gains with it (natural log, prior over structures
included); a sweep draws each pair from that (heat bath, Glauber dynamics; Metropolis's rule with
Barker's acceptance). As a flip that needs more than logit(u) for a uniform u, that is one call of
compiled code a sweep.

What is kept of a draw at temperature 1 is not only whether each pair was an edge afterwards but
the probability it was drawn with. The mean of these has the same expectation as the frequency and
less variance (Rao & Blackwell; Gelfand & Smith 1990).

Where there are more pairs than a sweep tries, each is tried with a probability of its own, chosen
in the warm-up: pairs in doubt always, the others now and then. It doesn't depend on the graph, so
the distribution is the same.

References
----------
Madigan & York (1995), Bayesian graphical models for discrete data: MCMC over graphs.
Gelfand & Smith (1990), Sampling-based approaches to calculating marginal densities.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats
from bjp_engine.confidence.ladder import Ladder
from bjp_engine.confidence.tally import Indices, Plan, Tally, WarmUp
from bjp_engine.graph import Adjacency
from bjp_engine.search.base import Problem
from bjp_engine.search.flips import Flips, Pairs, flips_of

# Pairs tried in a sweep, about.
MOST_TRIED = 256
# Added to the doubt about a pair, as a standard deviation: no pair is given up.
_LEAST_DOUBT = 0.02


class FlipChain:
    """A Markov chain over graphs, see `bjp_engine.confidence.tally.Chain`.

    Parameters
    ----------
    problem : Problem
        Data, score and prior over structures.
    start : ndarray of bool, shape (n, n)
        Where every copy begins.
    seed : SeedSequence
        This chain's own.
    """

    def __init__(
        self, problem: Problem, start: Adjacency, plan: Plan, seed: np.random.SeedSequence
    ) -> None:
        """Score the start."""
        self._rng, self._thin = np.random.default_rng(seed), plan.thin
        self._pairs = np.column_stack(np.triu_indices(problem.data.n, 1)).astype(np.int64)
        copies, m = plan.temperatures, len(self._pairs)
        self._flips = [flips_of(problem, start) for _ in range(copies)]
        self._share = np.full((copies, m), min(1.0, MOST_TRIED / max(m, 1)))
        self._doubt, self._looked = np.zeros((copies, m)), np.zeros((copies, m))
        self._warm_up, self._parity = WarmUp(plan.warm_up), 0
        self.ladder, self.tally = Ladder(copies), Tally(plan.draws, m)

    def warm(self, draws: int) -> None:
        """Go on with the warm-up, and choose ladder and shares meanwhile."""
        for _ in range(draws):
            for _ in range(self._thin):
                for copy in range(len(self._flips)):
                    tried, chance = self._sweep(copy)
                    self._doubt[copy, tried] += np.minimum(chance, 1 - chance)
                    self._looked[copy, tried] += 1
                self._exchange()
            if self._warm_up.passed(1):
                self.ladder.respace()
                self._choose_shares()

    def draw(self, draws: int) -> None:
        """Draw from the posterior, and keep what is drawn."""
        if not self.tally.made:
            self.ladder.forget()
        for _ in range(draws):
            batch = self.tally.batch
            for k in range(self._thin):
                tried, chance = self._sweep(0)
                # Each pair is tried once at most, so plain indexing adds all.
                self.tally.chance[batch, tried] += chance
                self.tally.tried[batch, tried] += 1
                for copy in range(1, len(self._flips)):
                    self._sweep(copy)
                # Before the exchange: what it brings was drawn at another temperature.
                if k == self._thin - 1:
                    self.tally.add(self._present(0), self._flips[0].score)
                self._exchange()

    def _present(self, copy: int) -> NDArray[np.bool_]:
        """Which pairs are edges of a copy."""
        present: NDArray[np.bool_] = self._flips[copy].adjacency[
            self._pairs[:, 0], self._pairs[:, 1]
        ]
        return present

    def _sweep(self, copy: int) -> tuple[Indices, Floats]:
        """Draw each of some pairs given all others; which they were, and their probabilities."""
        rng, share = self._rng, self._share[copy]
        tried = rng.permutation(len(self._pairs))
        tried = tried[rng.random(len(tried)) < share[tried]]
        return tried, heat_bath(
            self._flips[copy], self._pairs[tried], float(self.ladder.betas[copy]), rng
        )

    def _exchange(self) -> None:
        """Let every second pair of neighbouring temperatures exchange their graphs."""
        betas = self.ladder.betas
        for k in range(self._parity, len(self._flips) - 1, 2):
            cold, warm = self._flips[k], self._flips[k + 1]
            gain = (betas[k] - betas[k + 1]) * (warm.score - cold.score)
            self.ladder.refused[k] += -np.expm1(min(0.0, gain))
            self.ladder.asked[k] += 1
            if -self._rng.standard_exponential() < gain:
                self._flips[k], self._flips[k + 1] = warm, cold
        self._parity = 1 - self._parity

    def _choose_shares(self) -> None:
        """Try most what is most in doubt."""
        if len(self._pairs) > MOST_TRIED:
            # What was never looked at is in doubt.
            doubt = np.where(self._looked > 0, self._doubt / np.maximum(self._looked, 1), 0.5)
            self._share = np.stack([shares(row) for row in doubt])
            self._doubt *= 0.5
            self._looked *= 0.5


def heat_bath(flips: Flips, pairs: Pairs, beta: float, rng: np.random.Generator) -> Floats:
    """Draw each of some pairs given all others, one after the other."""
    there = flips.adjacency[pairs[:, 0], pairs[:, 1]]
    # The logit of a uniform number is logistic; at β = 0 its sign decides.
    logit = rng.logistic(size=len(pairs))
    needed = logit / beta if beta > 0 else np.where(logit < 0, -np.inf, np.inf)
    gain = flips.propose(pairs, needed).gain
    chance: Floats = np.exp(-np.logaddexp(0.0, np.where(there, gain, -gain)))
    return chance


def shares(doubt: Floats) -> Floats:
    """With what probability a sweep tries each pair, so that it tries `MOST_TRIED` on average."""
    weight = np.sqrt(doubt) + _LEAST_DOUBT
    low, high = 0.0, 1.0 / weight.min()
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if np.minimum(1.0, middle * weight).sum() < MOST_TRIED else (low, middle)
        )
    return np.minimum(1.0, high * weight)
