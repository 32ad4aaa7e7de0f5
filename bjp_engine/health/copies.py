"""Columns that say the same as another: one-to-one recodings, and nearly so.

Exact copies have equal codes once values are numbered by first occurrence, so a hash of them finds
all at once. Near copies are looked for in a few thousand rows by one matrix product, which counts
all pairs of states of all pairs of columns, and what is found is counted again in all rows.
Numbers, such as one temperature in two units, are compared by their ranks.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats, Ints, Places
from bjp_engine.columns import FEW_ROWS, Column
from bjp_engine.validate import Name

# The least rank correlation of near copies, of either sign.
CORRELATION = 0.99
# Near copies agree in this share of the rows in which both have a value …
AGREEMENT = 0.95
# … and knowing one takes away this share of the errors made in guessing the other.
GAIN = 0.9
# Rows outside the most frequent state, without which two columns agree by chance.
FEW_OTHERS = 5
# Rows to a state on average, without which nearly every row has its own.
_ROWS_A_STATE = 20
# Rows and states of the matrix product.
_ROWS = 2048
_STATES = 2048
# How far below the bounds a pair may be in the few rows to be counted in all.
_MARGIN = 0.05


@dataclass(frozen=True)
class Copies:
    """A column and later ones that say the same."""

    leader: Name
    followers: tuple[Name, ...]
    # The share of rows in which a follower is what the leader makes one expect, or the other way
    # round, whichever is smaller; 1 for copies.
    agreement: tuple[float, ...]


def exact_copies(columns: dict[Name, Column]) -> list[Copies]:
    """Columns that are one-to-one recodings of an earlier one, missing cells included."""
    alike: dict[bytes, list[Name]] = defaultdict(list)
    for name, column in columns.items():
        # Columns whose values occur less than twice on average are one-to-one with many others.
        counts = np.sort(column.counts[column.counts > 0])
        if len(counts) * 2 <= column.rows and _varies(column):
            alike[counts.tobytes()].append(name)
    groups: dict[bytes, list[Name]] = defaultdict(list)
    for names in alike.values():
        # Only columns whose states are equally frequent can be copies.
        for name in names if len(names) > 1 else ():
            groups[_first_seen(columns[name])].append(name)
    return [
        Copies(names[0], tuple(names[1:]), (1.0,) * (len(names) - 1))
        for names in groups.values()
        if len(names) > 1
    ]


def near_copies(columns: dict[Name, Column]) -> tuple[list[Copies], int]:
    """Columns that nearly repeat an earlier one."""
    names = _compared(columns)
    if len(names) < 2:
        return [], len(names)
    rows = columns[names[0]].rows
    sample = _spread(rows)
    shares, gains = _agreements([columns[name].take(sample) for name in names])
    complete = len(sample) == rows
    slack = 0.0 if complete else _MARGIN
    close = (shares >= AGREEMENT - slack) & (gains >= GAIN - slack)

    def agreement(i: int, j: int) -> float:
        if complete:
            return float(shares[i, j])
        return agreement_of(columns[names[i]], columns[names[j]])

    return list(_groups(names, close, agreement)), len(names)


def rank_copies(columns: dict[Name, Column]) -> tuple[list[Copies], list[Copies]]:
    """Columns of numbers that have the ranks of an earlier one, or nearly so."""
    names = list(columns)
    if len(names) < 2:
        return [], []
    sample = _spread(columns[names[0]].rows)
    related = _correlations(np.stack([_cells(columns[name], sample) for name in names], axis=1))
    exact: list[Copies] = []
    near: list[Copies] = []
    groups = _groups(names, related >= CORRELATION, lambda i, j: min(1.0, float(related[i, j])))
    for group in groups:
        pairs = list(zip(group.followers, group.agreement, strict=True))
        same = [has_same_ranks(columns[group.leader], columns[name]) for name, _ in pairs]
        for found, wanted in ((exact, True), (near, False)):
            chosen = [pair for pair, one in zip(pairs, same, strict=True) if one is wanted]
            if chosen:
                found.append(Copies(group.leader, *map(tuple, zip(*chosen, strict=True))))
    return exact, near


def _spread(rows: int) -> Places:
    return np.unique(np.linspace(0, rows - 1, min(rows, _ROWS)).astype(np.intp))


def _groups(
    names: Sequence[Name], close: NDArray[np.bool_], share: Callable[[int, int], float]
) -> Iterator[Copies]:
    """Each column with the later ones that follow it and no earlier one."""
    taken: set[int] = set()
    for i in np.flatnonzero(np.triu(close, 1).any(axis=1)).tolist():
        if i in taken:
            continue
        later = [j for j in range(i + 1, len(names)) if close[i, j] and j not in taken]
        followers = [(j, found) for j in later if (found := share(i, j))]
        taken.update(j for j, _ in followers)
        if followers:
            places, shares = zip(*followers, strict=True)
            yield Copies(names[i], tuple(names[j] for j in places), shares)


def agreement_of(one: Column, two: Column) -> float:
    """How far two columns say the same, counted in all rows."""
    k, m = len(one.values), len(two.values)
    both = (one.codes >= 0) & (two.codes >= 0)
    cells = one.codes[both].astype(np.int32) * m + two.codes[both]
    table = np.bincount(cells, minlength=k * m).reshape(k, m)
    rows = int(table.sum())
    if rows < FEW_ROWS:
        return 0.0
    shares, gains = [], []
    for counts in (table, table.T):
        right = int(counts.max(axis=1).sum())
        usual = int(counts.sum(axis=0).max())
        shares.append(right / rows)
        gains.append((right - usual) / (rows - usual) if rows - usual >= FEW_OTHERS else 0.0)
    return min(shares) if min(shares) >= AGREEMENT and min(gains) >= GAIN else 0.0


def _varies(column: Column) -> bool:
    """Whether enough rows lie outside the most frequent state."""
    present = column.rows - column.holes
    return present >= FEW_ROWS and present - int(column.counts.max(initial=0)) >= FEW_OTHERS


def _first_seen(column: Column) -> bytes:
    """A hash of the codes, numbered by first occurrence."""
    import pandas as pd

    seen = pd.unique(column.codes)
    # The state of a missing cell is not to be taken for another one.
    seen = seen[seen >= 0]
    places = np.full(len(column.values) + 1, -1, dtype=np.int32)
    places[seen] = np.arange(len(seen))
    return hashlib.blake2b(places[column.codes].data, digest_size=16).digest()


def _compared(columns: dict[Name, Column]) -> list[Name]:
    """The columns of fewest states that fit together, in their order."""
    fitting = sorted(
        (len(column.values), place, name)
        for place, (name, column) in enumerate(columns.items())
        if _varies(column) and len(column.values) * _ROWS_A_STATE <= column.rows - column.holes
    )
    total, chosen = 0, []
    for states, place, name in fitting:
        total += states
        if total > _STATES:
            break
        chosen.append((place, name))
    return [name for _, name in sorted(chosen)]


def _agreements(columns: Sequence[Column]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Agreement and gain of each pair in its worse direction; 0 where too few rows have both."""
    sizes = np.array([len(column.values) for column in columns])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    held = np.zeros((columns[0].rows, int(sizes.sum())), dtype=np.float32)
    for column, start in zip(columns, starts, strict=True):
        present = np.flatnonzero(column.codes >= 0)
        held[present, start + column.codes[present].astype(np.intp)] = 1
    counts = (held.T @ held).astype(np.float64)
    # Rows of the result: the column that is guessed from.
    right = np.add.reduceat(np.maximum.reduceat(counts, starts, axis=1), starts, axis=0)
    margins = np.add.reduceat(counts, starts, axis=0)
    usual = np.maximum.reduceat(margins, starts, axis=1)
    rows = np.add.reduceat(margins, starts, axis=1)
    others = rows - usual
    with np.errstate(divide="ignore", invalid="ignore"):
        share, gain = right / rows, (right - usual) / others
    enough = (rows >= FEW_ROWS) & (others >= FEW_OTHERS)
    share, gain = (np.where(enough, part, 0.0) for part in (share, gain))
    return np.minimum(share, share.T), np.minimum(gain, gain.T)


def has_same_ranks(one: Column, two: Column) -> bool:
    """Whether one column of numbers is a rising or a falling function of the other."""
    first, second = _ranks(one), _ranks(two)
    if np.array_equal(first, second):
        return True
    falling = np.where(second < 0, -1, second.max(initial=-1) - second)
    return bool(np.array_equal(first, falling))


def _ranks(column: Column) -> Ints:
    """The place of each cell's number among the different ones; -1 where it is missing."""
    seen = np.flatnonzero(column.counts)
    places = np.full(len(column.values) + 1, -1, dtype=np.int64)
    places[seen[np.argsort(column.numbers[seen])]] = np.arange(len(seen))
    return places[column.codes]


def _cells(column: Column, rows: Places) -> Floats:
    """The numbers in some rows, NaN where they are missing."""
    codes = column.codes[rows]
    return np.where(codes < 0, np.nan, column.numbers[codes])


def _correlations(cells: Floats) -> Floats:
    """The size of the rank correlation of each pair, in the rows in which both have a value."""
    import pandas as pd

    ranks = pd.DataFrame(cells).rank().to_numpy()
    present = np.isfinite(ranks).astype(np.float64)
    # A column may have no value in any of these rows.
    means = np.nansum(ranks, axis=0) / np.maximum(present.sum(axis=0), 1)
    centred = np.where(present > 0, ranks - means, 0.0)
    size = (centred**2).T @ present
    enough = present.T @ present >= FEW_ROWS
    with np.errstate(divide="ignore", invalid="ignore"):
        related = np.abs(centred.T @ centred) / np.sqrt(size * size.T)
    return np.where(enough & (size > 0) & (size.T > 0), related, 0.0)
