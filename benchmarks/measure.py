"""Timing that a busy machine disturbs as little as can be: interleaved repeats, medians."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

Work = Callable[[], object]


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
            began = time.perf_counter()
            work()
            seconds[name].append(time.perf_counter() - began)
    return {name: statistics.median(taken) for name, taken in seconds.items()}


def table(title: str, rows: Mapping[str, float], reference: str | None = None) -> None:
    """Print seconds, and how many times faster than the reference each row is."""
    print(f"\n{title}")
    for name, taken in rows.items():
        ratio = f"{rows[reference] / taken:8.1f} ×" if reference else ""
        print(f"  {name:<44}{taken * 1000:12.3f} ms {ratio}")
