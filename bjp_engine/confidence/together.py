"""Several chains, each in a thread of its own, and asked now and then whether to go on.

They are advanced side by side by equally many draws, so that at any time all have as many draws.
Each has its own random numbers: threads change nothing but the time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from bjp_engine.confidence.diagnostics import LEAST_DRAWS
from bjp_engine.confidence.edges import Ended
from bjp_engine.confidence.tally import Chain, Plan
from bjp_engine.errors import Cancelled
from bjp_engine.progress import Progress

# Seconds of work between two questions whether to stop.
_PATIENCE = 0.2
# Seconds for a draw of every chain, below which threads would mostly wait for each other.
_WORTH_A_THREAD = 0.02
# Of the time that is given, the warm-up may take so much.
_WARM_SHARE = 1 / 3


class Clock:
    """When it is time to stop.

    Parameters
    ----------
    began : float
        By `time.perf_counter`.
    seconds : float or None
        How much time there is in all.
    """

    def __init__(self, began: float, seconds: float | None, watch: Progress) -> None:
        """Hold them."""
        self.began, self.seconds, self.watch = began, seconds, watch

    def over(self, share: float = 1.0) -> bool:
        """Whether a share of the time is over."""
        if self.seconds is None:
            return False
        return time.perf_counter() - self.began > share * self.seconds


def run_together(chains: Sequence[Chain], plan: Plan, clock: Clock, threads: int) -> Ended:
    """Warm the chains up and draw from them."""
    with ThreadPoolExecutor(threads, "chain") as pool:
        warming = _Phase([chain.warm for chain in chains], pool, clock, 0, plan)
        warming.advance(plan.warm_up, enough=1, share=_WARM_SHARE)
        drawing = _Phase([chain.draw for chain in chains], pool, clock, plan.warm_up, plan)
        try:
            made = drawing.advance(plan.draws, enough=min(LEAST_DRAWS, plan.draws), share=1.0)
        except Cancelled:
            if chains[0].tally.made < LEAST_DRAWS:
                raise
            return Ended.CANCELLED
    return Ended.COMPLETE if made == plan.draws else Ended.TIME


@dataclass(frozen=True, slots=True)
class _Phase:
    """What all chains do for a while.

    Parameters
    ----------
    steps : sequence of callable(draws)
        One of each chain.
    before : int
        Draws of each chain in the phases before.
    """

    steps: Sequence[Callable[[int], None]]
    pool: ThreadPoolExecutor
    clock: Clock
    before: int
    plan: Plan

    def advance(self, draws: int, enough: int, share: float) -> int:
        """Let every chain make draws until it is time to stop; how many each made."""
        made, block, pace = 0, 1, 0.0
        while made < draws and not (made >= enough and self.clock.over(share)):
            self._tell(made)
            block, asked = min(block, draws - made), time.perf_counter()
            run = map if pace < _WORTH_A_THREAD else self.pool.map
            list(run(partial(_take, block), self.steps))
            made += block
            pace = (time.perf_counter() - asked) / block
            block = max(1, min(4 * block, int(_PATIENCE / max(pace, 1e-9))))
        self._tell(made)
        return made

    def _tell(self, made: int) -> None:
        """Report, and stop if so asked."""
        chains, total = len(self.steps), self.plan.warm_up + self.plan.draws
        self.clock.watch.tick(chains * (self.before + made), chains * total)


def _take(draws: int, step: Callable[[int], None]) -> None:
    """Some draws of one chain."""
    step(draws)
