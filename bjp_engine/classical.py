"""The classical tests of independence: χ², G² and mutual information.

For ⟨X ⊥ Y | Z⟩ every slice k with n_k rows has a table of counts c with margins a and b, and
under independence the expected counts e_st = a_s b_t / n_k. Then (docs/theory.md §2)

    χ²_k = Σ_st (c_st - e_st)² / e_st,    G²_k = 2 Σ_st c_st ln(c_st / e_st),
    df_k = (states of x that occur in the slice - 1) (states of y that occur in it - 1),

and the statistics of the test are their sums over the slices with rows. If X and Y are independent
given Z, both are distributed as χ² with df degrees of freedom as N grows. G² / (2N) is the
conditional mutual information of the counts' frequencies in nats.

Symbols: χ² = `pearson`, G² = `g_squared`, df = `freedom`, I = `information`. All logs natural.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bjp_engine.arrays import Ints
from bjp_engine.counts import CrossTally, cross_tally
from bjp_engine.dataset import DataLike, Name, as_dataset
from bjp_engine.independence import tested_columns
from bjp_engine.records import record

__all__ = ["ClassicalTrace", "classical_test"]


@record
@dataclass(frozen=True, eq=False, slots=True)
class ClassicalTrace:
    """χ², G² and mutual information of one pair given a set, slice by slice and in all.

    Parameters
    ----------
    slices : recarray
        A record for each configuration that occurs, in the order of `IndependenceTrace.slices`:
        `rows`, `pearson`, `g_squared`, `freedom` (states without a row in the slice are not
        counted), `p_pearson`, `p_g_squared`, and `least_expected`, the smallest expected count
        among the states that occur.
    pearson, g_squared : float
        χ² and G², summed over the slices.
    p_pearson, p_g_squared : float
        Their p-values; 1.0 where df is 0, and 0.0 where they are no double any more.
    information : float
        G² / (2N), the mutual information of x and y given Z in nats; 0.0 without rows.
    """

    x: Name
    y: Name
    given: tuple[Name, ...]
    rows: int
    slices: np.recarray[Any, Any] = field(repr=False)
    pearson: float
    g_squared: float
    freedom: int
    p_pearson: float
    p_g_squared: float
    information: float


def classical_test(data: DataLike, x: Name, y: Name, given: Iterable[Name] = ()) -> ClassicalTrace:
    """Pearson's χ² and the likelihood-ratio G² of ⟨X ⊥ Y | Z⟩, with mutual information.

    There is no continuity correction, and the test is symmetric in x and y.

    Examples
    --------
    >>> from bjp_engine.classical import classical_test
    >>> data = [[0, 0]] * 3 + [[0, 1]] + [[1, 1]] * 4
    >>> test = classical_test(data, 0, 1)
    >>> round(test.pearson, 4), test.freedom, round(test.p_pearson, 4)
    (4.8, 1, 0.0285)

    Notes
    -----
    A state without a row in a slice is no row or column of its table there, so a sparse slice has
    fewer degrees of freedom; a slice with one row has none. The p-values are those of the limit of
    many rows, and poor where expected counts are small (`least_expected`).

    References
    ----------
    docs/theory.md §2; Agresti (2013), section 3.2.
    """
    data = as_dataset(data)
    i, j, z = tested_columns(data, x, y, given)
    # The smaller index first, so that the test is symmetric to the last bit.
    cells = cross_tally(data, min(i, j), max(i, j), z)
    slices = _slices(cells)
    pearson, g_squared = float(slices.pearson.sum()), float(slices.g_squared.sum())
    freedom = int(slices.freedom.sum())
    return ClassicalTrace(
        data.names[i],
        data.names[j],
        tuple(data.names[k] for k in z),
        data.rows,
        slices,
        pearson,
        g_squared,
        freedom,
        float(_upper_tail(pearson, freedom)),
        float(_upper_tail(g_squared, freedom)),
        g_squared / (2 * data.rows) if data.rows else 0.0,
    )


def _upper_tail(statistic: Any, freedom: Any) -> Any:
    """P-values of statistics: how probable one as large is under independence."""
    from scipy.special import chdtrc

    return np.where(freedom, chdtrc(np.maximum(freedom, 1), statistic), 1.0)


def _slices(cells: CrossTally) -> np.recarray[Any, Any]:
    """The statistics of all slices at once, from the cells that occur."""
    size, counts = cells.size, cells.counts
    slice_of = cells.keys // (cells.rx * cells.ry)
    rows = np.bincount(slice_of, counts, minlength=size).astype(np.int64)
    in_rows, rx, least_x = _margin(cells.keys // cells.ry, counts, size, cells.rx)
    keys = slice_of * cells.ry + cells.keys % cells.ry
    in_columns, ry, least_y = _margin(keys, counts, size, cells.ry)
    product = in_rows * in_columns
    expected = product / rows[slice_of]
    # Where counts are as expected the whole numbers are equal, and the logarithm is exactly 0.
    log_ratio = np.log1p((counts * rows[slice_of] - product) / product)
    g_squared = np.bincount(slice_of, 2 * counts * log_ratio, minlength=size)
    pearson = np.bincount(slice_of, (counts - expected) ** 2 / expected, minlength=size)
    # A cell without rows adds its expected count: in total what the others' expected ones leave.
    occurring = np.bincount(slice_of, minlength=size)
    left = rows - np.bincount(slice_of, expected, minlength=size)
    left[occurring == rx * ry] = 0.0
    pearson, g_squared = pearson + np.maximum(left, 0.0), np.maximum(g_squared, 0.0)
    freedom = (rx - 1) * (ry - 1)
    columns = {
        "rows": rows,
        "pearson": pearson,
        "g_squared": g_squared,
        "freedom": freedom,
        "p_pearson": _upper_tail(pearson, freedom),
        "p_g_squared": _upper_tail(g_squared, freedom),
        "least_expected": least_x * least_y / np.maximum(rows, 1),
    }
    kinds = [(name, column.dtype) for name, column in columns.items()]
    found = np.rec.fromarrays([*columns.values()], dtype=kinds)
    found.setflags(write=False)
    return found


def _margin(keys: Ints, counts: Ints, size: int, states: int) -> tuple[Ints, Ints, Ints]:
    """Add up cells that share a slice and a state; `keys` is slice · states + state.

    That is the sum of each cell, and of each slice how many states occur and their least sum.
    """
    found, place = np.unique(keys, return_inverse=True)
    sums = np.bincount(place, counts, minlength=len(found)).astype(np.int64)
    occurring = np.bincount(found // states, minlength=size)
    starts = np.searchsorted(found, np.arange(size) * states)
    least = np.minimum.reduceat(sums, starts) if size else np.zeros(0, dtype=np.int64)
    return sums[place], occurring, least
