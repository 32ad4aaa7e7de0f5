"""Numbers that rise and fall together, such as one temperature in two units."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bjp_engine.columns import Column
from bjp_engine.dataset import Name
from bjp_engine.health.copies import FEW_ROWS, Copies

# The least rank correlation, of either sign.
CORRELATION = 0.99
_ROWS = 2048


def rising_together(columns: dict[Name, Column]) -> tuple[list[Copies], list[Copies]]:
    """Columns of numbers whose ranks agree with those of an earlier one."""
    names = list(columns)
    if len(names) < 2:
        return [], []
    rows = columns[names[0]].rows
    chosen = np.unique(np.linspace(0, rows - 1, min(rows, _ROWS)).astype(np.intp))
    related = _correlations(np.stack([_cells(columns[name], chosen) for name in names], axis=1))
    exact: list[Copies] = []
    near: list[Copies] = []
    taken: set[int] = set()
    for i, leader in enumerate(names):
        if i in taken:
            continue
        close = [j for j in np.flatnonzero(related[i] >= CORRELATION).tolist() if j > i]
        followers = [j for j in close if j not in taken]
        taken.update(followers)
        same = {j for j in followers if same_ranks(columns[leader], columns[names[j]])}
        for found, chosen_ones in ((exact, same), (near, set(followers) - same)):
            if chosen_ones:
                order = sorted(chosen_ones)
                shares = tuple(min(1.0, float(related[i, j])) for j in order)
                found.append(Copies(leader, tuple(names[j] for j in order), shares))
    return exact, near


def same_ranks(one: Column, two: Column) -> bool:
    """Whether one column of numbers is a rising or a falling function of the other."""
    first, second = _ranks(one), _ranks(two)
    if np.array_equal(first, second):
        return True
    falling = np.where(second < 0, -1, second.max(initial=-1) - second)
    return bool(np.array_equal(first, falling))


def _ranks(column: Column) -> NDArray[np.int64]:
    """The place of each cell's number among the different ones; -1 where it is missing."""
    seen = np.flatnonzero(column.counts)
    places = np.full(len(column.values) + 1, -1, dtype=np.int64)
    places[seen[np.argsort(column.numbers[seen])]] = np.arange(len(seen))
    return places[column.codes]


def _cells(column: Column, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """The numbers in some rows, NaN where they are missing."""
    codes = column.codes[rows]
    return np.where(codes < 0, np.nan, column.numbers[codes])


def _correlations(cells: NDArray[np.float64]) -> NDArray[Any]:
    """The size of the rank correlation of each pair, in the rows in which both have a value."""
    ranks = pd.DataFrame(cells).rank().to_numpy()
    centred = ranks - np.nanmean(ranks, axis=0)
    present = np.isfinite(centred).astype(np.float64)
    centred = np.where(present > 0, centred, 0.0)
    size = (centred**2).T @ present
    enough = present.T @ present >= FEW_ROWS
    with np.errstate(divide="ignore", invalid="ignore"):
        related = np.abs(centred.T @ centred) / np.sqrt(size * size.T)
    return np.where(enough & (size > 0) & (size.T > 0), related, 0.0)
