"""Several chains, each in a thread of its own, and asked now and then whether to go on.

They are advanced side by side by equally many sweeps, so that at any time all have as many draws.
Each has its own random numbers: threads change nothing but the time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from bjp_engine.confidence.chain import Chain, Plan
from bjp_engine.confidence.diagnostics import LEAST_DRAWS
from bjp_engine.confidence.edges import Ended
from bjp_engine.errors import Cancelled
from bjp_engine.watch import Watch

# Seconds of work between two questions whether to stop.
_PATIENCE = 0.2
# Seconds for a sweep of every chain, below which threads would mostly wait for each other.
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
    watch : Watch
    """

    def __init__(self, began: float, seconds: float | None, watch: Watch) -> None:
        """Hold them."""
        self.began, self.seconds, self.watch = began, seconds, watch

    def over(self, share: float = 1.0) -> bool:
        """Whether a share of the time is over."""
        if self.seconds is None:
            return False
        return time.perf_counter() - self.began > share * self.seconds


def run_together(chains: Sequence[Chain], plan: Plan, clock: Clock, threads: int) -> Ended:
    """Warm the chains up and draw from them.

    Parameters
    ----------
    chains : sequence of Chain
        Changed.
    plan : Plan
        How long they are.
    clock : Clock
    threads : int

    Returns
    -------
    Ended
        Whether all draws were made.

    Raises
    ------
    Cancelled
        If the watch said so before there were enough draws to tell anything.
    """
    total = len(chains) * (plan.warm_up + plan.draws)
    with ThreadPoolExecutor(threads, "chain") as pool:

        def advance(
            step: Callable[[Chain, int], None], sweeps: int, first: int, enough: int
        ) -> int:
            """Make sweeps of every chain, until it is time to stop; how many."""
            made, block, pace = 0, 1, 0.0
            share = _WARM_SHARE if step is Chain.warm else 1.0
            while made < sweeps and not (made >= enough and clock.over(share)):
                clock.watch.tick(len(chains) * (first + made), total)
                block, asked = min(block, sweeps - made), time.perf_counter()
                run = map if pace < _WORTH_A_THREAD else pool.map
                list(run(partial(_take, step, block), chains))
                made += block
                pace = (time.perf_counter() - asked) / block
                block = max(1, min(4 * block, int(_PATIENCE / max(pace, 1e-9))))
            clock.watch.tick(len(chains) * (first + made), total)
            return made

        advance(Chain.warm, plan.warm_up, 0, 1)
        try:
            advance(Chain.draw, plan.draws, plan.warm_up, LEAST_DRAWS)
        except Cancelled:
            if chains[0].tally.made < LEAST_DRAWS:
                raise
            return Ended.CANCELLED
    return Ended.COMPLETE if chains[0].tally.made == plan.draws else Ended.TIME


def _take(step: Callable[[Chain, int], None], sweeps: int, chain: Chain) -> None:
    """Some sweeps of one chain."""
    step(chain, sweeps)
