"""How the methods stand beside each other: means of each group, and what follows from them.

Methods are compared in a group on the same seeds only, those that are asked for. One that has
no graph on one of them (over time, failed, not run) has no mean there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp, log
from statistics import fmean, median

from benchmarks.accuracy.groups import REPORTING, Group
from benchmarks.accuracy.methods import ALL
from benchmarks.accuracy.store import FAILED, OVER_TIME, Row

# Means below one edge are as good as each other where a ratio is taken.
LEAST = 1.0
# Distances that differ by less are equal.
SAME = 1e-9
# What still counts as near the least: a tenth more, or so many edges more.
TENTH, EDGE = 1.1, 1.0


@dataclass(frozen=True)
class Mean:
    """One method in one group."""

    hamming: float
    f1: float
    seconds: float
    true: float


Means = dict[Group, dict[str, Mean]]


@dataclass(frozen=True)
class Standing:
    """One method in all groups.

    Parameters
    ----------
    method : str
        Its name in the results.
    tried, judged : int
        Groups that it was run on, and those where it has a mean.
    lowest, tenth, edge : int
        Groups where no other method's mean distance is lower; where it is within a tenth of the
        least; and where it is no more than one edge above it.
    worst, usual : float
        The largest and the geometric mean ratio of its mean distance to the lowest, both taken
        as at least one edge.
    f1, seconds : float
        The mean F1 and the median seconds of the groups where it has a mean.
    over, failed : int
        Samples that were over time, and that failed.
    """

    method: str
    tried: int
    judged: int
    lowest: int
    tenth: int
    edge: int
    worst: float
    usual: float
    f1: float
    seconds: float
    over: int
    failed: int


def complete(rows: Iterable[Row]) -> list[int]:
    """The reporting seeds that every fast method has been run on wherever it was run at all."""
    fast = {method.name for method in ALL if method.tier == 0}
    done = Counter((one.method, one.seed) for one in rows if one.method in fast)
    most = Counter({name: max(done[name, seed] for seed in REPORTING) for name, _ in done})
    return [seed for seed in REPORTING if all(done[name, seed] == most[name] for name in most)]


def means(rows: Iterable[Row], seeds: Iterable[int]) -> Means:
    """The mean of each group and method that has a graph on every seed."""
    wanted = set(seeds)
    cells: dict[tuple[Group, str], list[Row]] = defaultdict(list)
    for one in rows:
        if one.seed in wanted and one.hamming is not None:
            cells[one.group, one.method].append(one)
    found: Means = defaultdict(dict)
    for (group, method), those in cells.items():
        if len(those) == len(wanted):
            found[group][method] = Mean(
                fmean(one.hamming or 0 for one in those),
                fmean(one.f1 or 0 for one in those),
                fmean(one.seconds or 0 for one in those),
                fmean(one.true for one in those),
            )
    return dict(sorted(found.items()))


def lowest(cells: Mapping[str, Mean]) -> float:
    """The least mean distance in a group."""
    return min(mean.hamming for mean in cells.values())


def is_lowest(cells: Mapping[str, Mean], method: str) -> bool:
    """Whether no other method is nearer to the truth in a group; of equals, all are lowest."""
    return cells[method].hamming <= lowest(cells) + SAME


def ratio(cells: Mapping[str, Mean], method: str) -> float:
    """A method's mean distance beside the least."""
    return max(cells[method].hamming, LEAST) / max(lowest(cells), LEAST)


def standings(rows: Iterable[Row], seeds: Iterable[int]) -> list[Standing]:
    """Every method that has a mean somewhere, the nearest to the lowest first."""
    seeds = set(seeds)
    rows = [one for one in rows if one.seed in seeds]
    table = means(rows, seeds)
    found = []
    for method in sorted({name for cells in table.values() for name in cells}):
        own = [one for one in rows if one.method == method]
        judged = [cells for cells in table.values() if method in cells]
        ratios = [ratio(cells, method) for cells in judged]
        found.append(
            Standing(
                method=method,
                tried=len({one.group for one in own}),
                judged=len(judged),
                lowest=sum(is_lowest(cells, method) for cells in judged),
                tenth=sum(c[method].hamming <= TENTH * lowest(c) + SAME for c in judged),
                edge=sum(c[method].hamming <= EDGE + lowest(c) + SAME for c in judged),
                worst=max(ratios),
                usual=exp(fmean(map(log, ratios))),
                f1=fmean(cells[method].f1 for cells in judged),
                seconds=median(cells[method].seconds for cells in judged),
                over=sum(one.note == OVER_TIME for one in own),
                failed=sum(one.note.startswith(FAILED) for one in own),
            )
        )
    return sorted(found, key=lambda one: (one.usual, one.method))
