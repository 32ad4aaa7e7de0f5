"""Numbers that rise and fall together, such as one temperature in two units."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bjp_engine.dataset import Name
from bjp_engine.health.copies import FEW_ROWS, Copies
from bjp_engine.preparation.table import Column

# The least rank correlation, of either sign.
CORRELATION = 0.99
_ROWS = 2048


def rising_together(columns: dict[Name, Column]) -> list[Copies]:
    """Columns of numbers whose ranks agree with those of an earlier one.

    Parameters
    ----------
    columns : dict of str or int to Column
        In their order.

    Returns
    -------
    list of Copies
        Their `agreement` is the rank correlation (Spearman's, of either sign) in 2048 rows spread
        evenly over the table, or all where there are fewer.
    """
    names = list(columns)
    if len(names) < 2:
        return []
    rows = columns[names[0]].rows
    chosen = np.unique(np.linspace(0, rows - 1, min(rows, _ROWS)).astype(np.intp))
    related = _correlations(np.stack([_cells(columns[name], chosen) for name in names], axis=1))
    found, taken = [], set()
    for i, leader in enumerate(names):
        if i in taken:
            continue
        others = [j for j in range(i + 1, len(names)) if j not in taken]
        followers = [j for j in others if related[i, j] >= CORRELATION]
        if followers:
            taken.update(followers)
            shares = tuple(min(1.0, float(related[i, j])) for j in followers)
            found.append(Copies(leader, tuple(names[j] for j in followers), shares))
    return found


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
