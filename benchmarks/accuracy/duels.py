"""One method beside another, on the samples that both have a graph of.

A distance is taken as a share of the true edges, so that every group weighs the same. Groups of
one network are alike; so the interval of the mean difference comes from drawing whole networks,
with replacement.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from benchmarks.accuracy.groups import Group
from benchmarks.accuracy.standing import SAME
from benchmarks.accuracy.store import Row

DRAWS = 10_000
Pair = tuple[Row, Row]


@dataclass(frozen=True)
class Side:
    """What one of the two comes to: shares and F1 are means of groups, seconds their median."""

    share: float
    f1: float
    seconds: float


@dataclass(frozen=True)
class Duel:
    """One method beside another.

    Parameters
    ----------
    other : str
        Whom it is held against.
    samples : int
        The samples that both have a graph of.
    wins, ties, losses : int
        Groups of such samples where its mean distance is lower, equal, higher.
    own, theirs : Side
        What the two come to there.
    low, high : float
        The middle 95 % of the bootstrap of the mean difference of shares, own less theirs.
    """

    other: str
    samples: int
    wins: int
    ties: int
    losses: int
    own: Side
    theirs: Side
    low: float
    high: float


def duel(rows: Iterable[Row], method: str, other: str) -> Duel | None:
    """Hold a method against another; nothing where they have no sample in common."""
    groups = common(rows, method, other)
    if not groups:
        return None
    signs = [sign(pairs) for pairs in groups.values()]
    differences = {
        group: fmean((mine.hamming - other.hamming) / mine.true for mine, other in pairs)
        for group, pairs in groups.items()
    }
    low, high = interval(differences)
    return Duel(
        other=other,
        samples=sum(map(len, groups.values())),
        wins=signs.count(-1),
        ties=signs.count(0),
        losses=signs.count(1),
        own=side(groups, 0),
        theirs=side(groups, 1),
        low=low,
        high=high,
    )


def common(rows: Iterable[Row], method: str, other: str) -> dict[Group, list[Pair]]:
    """The rows of both on the same samples, by group."""
    mine, theirs = (
        {one.key[0]: one for one in rows if one.method == name and one.hamming is not None}
        for name in (method, other)
    )
    groups: dict[Group, list[Pair]] = defaultdict(list)
    for sample in sorted(mine.keys() & theirs.keys()):
        groups[sample.group].append((mine[sample], theirs[sample]))
    return groups


def sign(pairs: Iterable[Pair]) -> int:
    """-1 where the first has the lower mean distance, 1 where the second has."""
    difference = fmean((mine.hamming or 0) - (other.hamming or 0) for mine, other in pairs)
    return 0 if abs(difference) <= SAME else -1 if difference < 0 else 1


def side(groups: dict[Group, list[Pair]], which: int) -> Side:
    """The means of one of the two."""
    columns = [[pair[which] for pair in pairs] for pairs in groups.values()]
    return Side(
        share=fmean(fmean((one.hamming or 0) / one.true for one in rows) for rows in columns),
        f1=fmean(fmean(one.f1 or 0 for one in rows) for rows in columns),
        seconds=median(fmean(one.seconds or 0 for one in rows) for rows in columns),
    )


def interval(differences: dict[Group, float]) -> tuple[float, float]:
    """The middle 95 % of the mean when networks are drawn anew, with all of their groups."""
    networks = sorted({group.network for group in differences})
    sums, counts = np.zeros(len(networks)), np.zeros(len(networks))
    for group, difference in differences.items():
        at = networks.index(group.network)
        sums[at] += difference
        counts[at] += 1
    chances = np.full(len(networks), 1 / len(networks))
    drawn = np.random.default_rng(0).multinomial(len(networks), chances, DRAWS)
    low, high = np.quantile(drawn @ sums / (drawn @ counts), (0.025, 0.975))
    return float(low), float(high)
