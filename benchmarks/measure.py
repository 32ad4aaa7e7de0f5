"""Timing that a busy machine disturbs as little as can be: interleaved repeats, medians."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

Work = Callable[[], object]

# What a piece of work is repeated for in each round, and how often at most.
ROUND, MOST = 0.04, 40


def medians(works: Mapping[str, Work], repeats: int = 5) -> dict[str, float]:
    """The median seconds of each piece of work, run in turn after one warm-up.

    Running A B C A B C … lets a slow spell of the machine fall on all of them alike, so that
    the ratios between them hold even where the seconds don't.
    """
    for work in works.values():
        work()
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            seconds[name].append(seconds_of(work))
    return {name: statistics.median(taken) for name, taken in seconds.items()}


def rounds(works: Mapping[str, Work], repeats: int = 5) -> dict[str, float]:
    """The same, where what takes a millisecond is compared with what takes a second.

    In each round short work is run many times, and once more before that, uncounted: the long
    work beside it has emptied the caches of the processor.
    """
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(repeats + 1):
        for name, work in works.items():
            first = seconds_of(work)
            taken = [seconds_of(work) for _ in range(min(MOST, int(ROUND / first)))]
            if turn > 0:
                seconds[name] += taken or [first]
    return {name: statistics.median(taken) for name, taken in seconds.items()}


def median_ready(make: Callable[[], Any], work: Callable[[Any], object], repeats: int) -> float:
    """The median seconds of work on something made anew each time, its making not counted."""
    taken = [seconds_of(partial(work, make())) for _ in range(repeats + 1)]
    return statistics.median(taken[1:])


def seconds_of(work: Work) -> float:
    """The seconds of one run, without pauses of the collector."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        began = time.perf_counter()
        work()
        return time.perf_counter() - began
    finally:
        if enabled:
            gc.enable()


def memory(what: str) -> float:
    """Megabytes this process holds: "VmRSS" now, "VmHWM" at most."""
    status = Path("/proc/self/status")
    if status.exists():
        # Of this process alone; what getrusage says may include the one that started it.
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines[what].split()[0]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


def forget_peak() -> None:
    """Let the most that was held begin anew with what is held now, where the system can."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return
