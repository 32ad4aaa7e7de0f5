"""Simulated annealing: random flips, those that lower the score ever more rarely kept.

A flip that gains g is kept with probability min(1, exp(g / T)) (Kirkpatrick, Gelatt & Vecchi
1983). T falls geometrically; at T = 1 the walk samples from the posterior. At the end a steepest
ascent leads to the nearest maximum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bjp_engine.errors import OptionError
from bjp_engine.records import keep
from bjp_engine.search.driver import Move
from bjp_engine.search.problem import Problem
from bjp_engine.search.starts import StartOptions
from bjp_engine.search.trace import StopReason
from bjp_engine.search.walks.steepest import ascend
from bjp_engine.search.walks.walk import Walk, WalkSearch, at_once, try_flips
from bjp_engine.validate import Seed, positive_number, whole_number, whole_seed


@dataclass(frozen=True, slots=True)
class AnnealingOptions(StartOptions):
    """How slowly the walk cools down.

    Parameters
    ----------
    start
        See `StartOptions`.
    sweeps : int
        Flips tried for each pair, on average.
    hot, cold : float
        T at the beginning and at the end, in nats; hot > cold > 0.
    seed : int
        Of the random flips.
    """

    sweeps: int = 100
    hot: float = 5.0
    cold: float = 0.1
    seed: Seed = 0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        StartOptions.__post_init__(self)
        sweeps = whole_number(self.sweeps, "sweeps", 1)
        keep(self, sweeps=sweeps, seed=whole_seed(self.seed))
        for name in ("hot", "cold"):
            keep(self, **{name: positive_number(getattr(self, name), name, bounded=True)})
        if self.hot < self.cold:
            raise OptionError(f"hot={self.hot} is colder than cold={self.cold}; exchange them.")


@dataclass(frozen=True, eq=False, slots=True)
class AnnealingWalk(Walk):
    """A walk that counts the random flips tried so far."""

    cooled: int = 0


class Annealing(WalkSearch):
    """Flip at random, cool down, and ascend."""

    name = "annealing"
    title = "Simulated annealing"
    options_type = AnnealingOptions
    walk_type = AnnealingWalk

    def advance(self, problem: Problem, state: AnnealingWalk, _most: int) -> Move:
        """Try some random flips; once it is cold, ascend."""
        options: AnnealingOptions = problem.search_options
        total = options.sweeps * len(state.gains.pairs)
        if problem.budget.evaluations is not None:
            # Half of a budget that ends sooner is left for the ascent.
            total = min(total, max(1, problem.budget.evaluations // 2))
        problem.progress.tick(state.cooled, max(total, 1))
        if state.cooled >= total:
            return ascend(problem, state) or Move(state, stop=StopReason.SCHEDULE)
        many = min(at_once(problem, state), total - state.cooled)
        # Each flip has random numbers of its own, however many are tried at once.
        bits = np.random.PCG64(whole_seed(options.seed)).advance(2 * state.cooled)
        drawn = np.random.Generator(bits).random((many, 2))
        chosen = (drawn[:, 0] * len(state.gains.pairs)).astype(np.int64)
        share = (state.cooled + np.arange(many)) / max(total - 1, 1)
        temperature = options.hot * (options.cold / options.hot) ** share
        # 1 - u is never 0.
        needed = temperature * np.log(1.0 - drawn[:, 1])
        after = replace(state, cooled=state.cooled + many)
        return Move(*try_flips(after, state.gains.pairs[chosen], needed, "annealing"))
