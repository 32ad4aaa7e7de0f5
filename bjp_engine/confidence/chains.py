"""Markov chains over graphs: pairs drawn given all others, in copies at several temperatures.

Given all other pairs, {i, j} is an edge with probability 1 / (1 + e^-d), d what the score gains
with it (natural log, prior over structures included). A sweep draws pairs from that in random
order (heat bath; Metropolis's rule with Barker's acceptance). The mean of these probabilities over
the draws has the expectation of the edge's frequency and less variance (Gelfand & Smith 1990).

A copy at inverse temperature β draws from the score to the power of β: at 1 from the posterior, at
0 from all graphs alike. Copies at neighbouring temperatures exchange their graphs so that each
keeps its distribution, and a graph that leads out of a mode arrives at β = 1 from the warm end.

`FlipSampler` tries flips as every search does. `LookUpSampler` serves few variables: every test is
made once (67 584 for 12 variables, about a second), and then a compiled sweep takes microseconds.

References
----------
Madigan & York (1995), Bayesian graphical models for discrete data: MCMC over graphs.
Gelfand & Smith (1990), Sampling-based approaches to calculating marginal densities.
Geyer (1991), Markov chain Monte Carlo maximum likelihood.
Syed, Bouchard-Côté, Deligiannidis & Doucet (2022), Non-reversible parallel tempering.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bjp_engine.arrays import Bools, Floats, Places
from bjp_engine.graph import Adjacency
from bjp_engine.kernels import tempered as kernels
from bjp_engine.scores.local import LocalScore
from bjp_engine.search.exhaustive import every_assertion
from bjp_engine.search.flips import Flips, Pairs, flips_of, free_pairs
from bjp_engine.search.problem import Problem

# Batches of draws, whose means give the Monte Carlo error.
BATCHES = 20
# How often a warm-up spaces the ladder of temperatures again.
RESPACINGS = 12
# Pairs that a sweep of flips tries, about.
MOST_TRIED = 256
# Added to the doubt about a pair, as a standard deviation: no pair is given up.
_LEAST_DOUBT = 0.02
# The first ladder stays where graphs are like those of the posterior, and cost as much.
_FIRST_RATIO = 0.8
# Refused exchanges between neighbours, at most, where there are too few copies for all of the way.
_REFUSED = 2 / 3
# Below this a copy may as well draw from all graphs alike.
_WARM_ENOUGH = 0.01


@dataclass(frozen=True, slots=True)
class Plan:
    """How long a chain is: draws that are forgotten, draws that count, and sweeps a draw."""

    warm_up: int
    draws: int
    temperatures: int
    thin: int = 1


class Tally:
    """What a chain keeps of its draws: which pairs were edges (packed), how many, and the score."""

    def __init__(self, draws: int, pairs: int) -> None:
        self.made, self._size = 0, max(1, -(-draws // BATCHES))
        self.present = np.zeros((draws, (pairs + 7) // 8), dtype=np.uint8)
        self.edges, self.score = np.zeros(draws), np.zeros(draws)
        # The sum of the probabilities with which each pair was drawn, and how often it was.
        self.chance, self.tried = np.zeros((BATCHES, pairs)), np.zeros((BATCHES, pairs))

    def count(self, pairs: Places | slice, chance: Floats, times: int = 1) -> None:
        """Add the probabilities with which pairs, each named once, were drawn for the next draw."""
        batch = self.made // self._size
        self.chance[batch, pairs] += chance
        self.tried[batch, pairs] += times

    def add(self, present: Bools, score: float) -> None:
        """Keep the next draw, once its probabilities are counted."""
        self.present[self.made] = np.packbits(present)
        self.edges[self.made], self.score[self.made] = present.sum(), score
        self.made += 1


class Ladder:
    """Inverse temperatures β from 1 downward, and how often neighbours refused to exchange."""

    def __init__(self, copies: int) -> None:
        # All three are changed in place.
        self.betas = np.power(_FIRST_RATIO, np.arange(copies, dtype=np.float64))
        self.refused, self.tried = np.zeros(copies - 1), np.zeros(copies - 1)

    def forget(self, share: float = 1.0) -> None:
        """Let the refusals so far count less, or not at all."""
        self.refused *= 1 - share
        self.tried *= 1 - share

    def respace(self) -> None:
        """Space the ladder by the refusals so far."""
        if len(self.betas) > 1:
            self.betas[:] = respaced(self.betas, self.refused / np.maximum(self.tried, 1))
            self.forget(0.5)

    def least_accepted(self) -> float | None:
        """The least share of accepted exchanges between neighbours; None where none was tried."""
        tried = self.tried > 0
        if not tried.any():
            return None
        return float(1 - (self.refused[tried] / self.tried[tried]).max())


def respaced(ladder: Floats, refused: Floats) -> Floats:
    """The next ladder, from the share of refusals between neighbours."""
    # Exchanges work best where all neighbours refuse equally often (Syed and others 2022). The sum
    # of refusals up to β, the barrier, hardly depends on the spacing: its steps become equal.
    steps = len(ladder)
    barrier = np.concatenate([[0.0], np.cumsum(np.maximum(refused, 1e-3))])
    reach = _REFUSED * (steps - 1)
    if barrier[-1] > reach:
        return np.interp(np.linspace(0.0, reach, steps), barrier, ladder)
    # Further on by the slope of the last step, but no more than halfway to 0 at a time.
    slope = (barrier[-1] - barrier[-2]) / max(ladder[-2] - ladder[-1], 1e-12)
    end = max(ladder[-1] - (reach - barrier[-1]) / slope, ladder[-1] / 2)
    longer = np.append(ladder, end if end > _WARM_ENOUGH else 0.0)
    barrier = np.append(barrier, barrier[-1] + slope * (ladder[-1] - longer[-1]))
    return np.interp(np.linspace(0.0, barrier[-1], steps), barrier, longer)


class Chain:
    """A Markov chain whose draws at β = 1 are of the posterior."""

    def __init__(self, sampler: FlipSampler | LookUpSampler, plan: Plan, pairs: int) -> None:
        self._sampler, self._plan = sampler, plan
        self._at_once, self._warmed = max(1, sampler.at_once // plan.thin), 0
        self.ladder, self.tally = Ladder(plan.temperatures), Tally(plan.draws, pairs)

    def warm(self, draws: int) -> None:
        """Go on with the warm-up, and choose ladder and pairs meanwhile."""
        length = self._plan.warm_up
        while draws > 0:
            spaced = self._warmed * RESPACINGS // length
            until_next = -(-(spaced + 1) * length // RESPACINGS) - self._warmed
            now = min(draws, self._at_once, until_next)
            self._sampler.sweep(now, self._plan.thin, self.ladder, None)
            draws, self._warmed = draws - now, self._warmed + now
            if now == until_next:
                self.ladder.respace()
                self._sampler.adapt()

    def draw(self, draws: int) -> None:
        """Draw from the posterior, and keep what is drawn."""
        if not self.tally.made:
            self.ladder.forget()
        while draws > 0:
            now = min(draws, self._at_once)
            self._sampler.sweep(now, self._plan.thin, self.ladder, self.tally)
            draws -= now


class FlipSampler:
    """Copies whose edges are flipped as in a search, each pair with a probability of its own."""

    # Sweeps in one call, at most.
    at_once = 1

    def __init__(
        self, problem: Problem, start: Adjacency, temperatures: int, seed: np.random.SeedSequence
    ) -> None:
        self._rng, self._parity = np.random.default_rng(seed), 0
        self._pairs, self._upper = free_pairs(problem), np.triu_indices(problem.data.n, 1)
        self._places, m = places_of(self._pairs, problem.data.n), len(self._pairs)
        self._flips = [flips_of(problem, start) for _ in range(temperatures)]
        self._share = np.full((temperatures, m), min(1.0, MOST_TRIED / max(m, 1)))
        self._doubt, self._tried = np.zeros((temperatures, m)), np.zeros((temperatures, m))

    def sweep(self, draws: int, thin: int, ladder: Ladder, tally: Tally | None) -> None:
        """Make the sweeps of some draws, each with exchanges after it; tally those at β = 1."""
        for made in range(1, draws * thin + 1):
            for copy, beta in enumerate(ladder.betas.tolist()):
                pairs = self._rng.permutation(len(self._pairs))
                pairs = pairs[self._rng.random(len(pairs)) < self._share[copy, pairs]]
                chance = heat_bath(self._flips[copy], self._pairs[pairs], beta, self._rng)
                if tally is None:
                    self._doubt[copy, pairs] += np.minimum(chance, 1 - chance)
                    self._tried[copy, pairs] += 1
                elif copy == 0:
                    tally.count(self._places[pairs], chance)
            # Before the exchange: what it brings was drawn at another temperature.
            if tally is not None and made % thin == 0:
                tally.add(self._flips[0].adjacency[self._upper], self._flips[0].score)
            self._exchange(ladder)

    def adapt(self) -> None:
        """Try most what is most in doubt, or was never tried; that doesn't depend on the graph."""
        if len(self._pairs) > MOST_TRIED:
            doubt = np.where(self._tried > 0, self._doubt / np.maximum(self._tried, 1), 0.5)
            self._share = np.stack([shares(row) for row in doubt])
            self._doubt *= 0.5
            self._tried *= 0.5

    def _exchange(self, ladder: Ladder) -> None:
        """Let every second pair of neighbouring temperatures exchange their graphs."""
        betas, flips = ladder.betas, self._flips
        for k in range(self._parity, len(flips) - 1, 2):
            gain = (betas[k] - betas[k + 1]) * (flips[k + 1].score - flips[k].score)
            ladder.refused[k] += -np.expm1(min(0.0, gain))
            ladder.tried[k] += 1
            if -self._rng.standard_exponential() < gain:
                flips[k], flips[k + 1] = flips[k + 1], flips[k]
        self._parity = 1 - self._parity


def heat_bath(flips: Flips, pairs: Pairs, beta: float, rng: np.random.Generator) -> Floats:
    """Draw some pairs, each given all others; their probabilities at β = 1."""
    there = flips.adjacency[pairs[:, 0], pairs[:, 1]]
    # A flip needs more than the logit of a uniform number over β; at β = 0 its sign decides.
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
        few = np.minimum(1.0, middle * weight).sum() < MOST_TRIED
        low, high = (middle, high) if few else (low, middle)
    return np.minimum(1.0, high * weight)


def places_of(pairs: Pairs, n: int) -> Places:
    """Where some pairs i < j stand among all pairs of n variables in lexicographic order."""
    i, j = pairs.T
    found: Places = i * (2 * n - i - 1) // 2 + j - i - 1
    return found


class LookUpSampler:
    """Copies on few variables, swept by compiled code that looks the scores up."""

    # Sweeps in one call, at most.
    at_once = 64

    def __init__(
        self,
        scores: kernels.Scores,
        start: Adjacency,
        temperatures: int,
        seed: np.random.SeedSequence,
        free: Pairs | None = None,
    ) -> None:
        n = len(start)
        rows, columns = np.triu_indices(n, 1)
        self._scores, self._every, self._parity = scores, rows * n + columns, 0
        free = np.column_stack((rows, columns)) if free is None else free
        self._pairs, self._places = free[:, 0] * n + free[:, 1], places_of(free, n)
        # One for each kind of number: how many sweeps are made at once depends on the clock, and
        # must not change which numbers a sweep gets.
        self._orders, self._gains, self._exchanges = map(np.random.default_rng, seed.spawn(3))
        masks = start @ (1 << np.arange(n, dtype=np.int64))
        none = np.zeros(temperatures - 1)
        self.copies = kernels.Copies(
            np.tile(masks, (temperatures, 1)),
            np.tile(start.sum(axis=1, dtype=np.int64), (temperatures, 1)),
            np.zeros(temperatures),
            np.ones(temperatures),
            none,
            none,
        )
        kernels.rescore(scores, self.copies)

    def sweep(self, draws: int, thin: int, ladder: Ladder, tally: Tally | None) -> None:
        """Make the sweeps of some draws, each with exchanges after it; tally those at β = 1."""
        cells, kept = self.copies.neighbours.shape[1] ** 2, 0 if tally is None else draws
        sweeps, temperatures = draws * thin, len(ladder.betas)
        drawn = kernels.Drawn(
            np.zeros((kept, cells)), np.zeros((kept, cells), dtype=np.bool_), np.zeros(kept)
        )
        chances = kernels.Chances(
            self._orders.permuted(np.tile(self._pairs, (sweeps, 1)), axis=1),
            self._gains.logistic(size=(sweeps, temperatures, len(self._pairs))),
            self._exchanges.standard_exponential((sweeps, temperatures)),
        )
        copies = self.copies._replace(
            ladder=ladder.betas, refused=ladder.refused, tried=ladder.tried
        )
        kernels.tempered(self._scores, copies, chances, self._parity, drawn)
        self._parity = (self._parity + sweeps) % 2
        if tally is not None:
            for k in range(draws):
                tally.count(self._places, drawn.chance[k, self._pairs], thin)
                tally.add(drawn.present[k, self._every], float(drawn.score[k]))

    def adapt(self) -> None:
        """Every sweep tries all pairs."""


def every_score(problem: Problem) -> kernels.Scores:
    """Every test or local score of a few variables, to look the score of any graph up in."""
    data, n = problem.data, problem.data.n
    odds = np.zeros((n, n)) if problem.odds is None else np.array(problem.odds)
    problem.progress.tick()
    if isinstance(problem.score, LocalScore):
        local = problem.score.parts(data, problem.score_options, problem.progress).every()
        return kernels.Scores(kernels.LOCAL, local.reshape(n, 1, 1, 1 << n), odds, False)
    return every_assertion(problem)[0]
