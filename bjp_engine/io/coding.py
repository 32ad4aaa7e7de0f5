"""Columns as their different values and one small code a row, and the dataset made of them.

A column of a hundred million cells is judged by its few different values: they go through the
same steps as the cells of a small table, so both give the same states in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bjp_engine.columnar import blocks, code_dtype, threads_for
from bjp_engine.dataset import Dataset, Missing, Name, adopt
from bjp_engine.errors import DataError
from bjp_engine.labels import code_column
from bjp_engine.validate import check_missing, check_states, missing_sentence, nothing_left_sentence

# Rows in hand at once.
ROWS = 1 << 18
# So few states are counted faster by comparing than by `bincount`, which widens every code.
_FEW = 16


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column by its different values.

    Parameters
    ----------
    values : pandas.Series of length k
        Each value once, as a frame of the whole table would hold it; one or several of
        them may be missing.
    counts : ndarray of int, shape (k,)
        How many rows hold each; at least one.
    places : ndarray of int, shape (codes,)
        Which of the values each code stands for; any where no row bears the code.
    """

    name: Name
    values: pd.Series[Any]
    counts: NDArray[np.int64]
    places: NDArray[np.intp]
    codes: NDArray[Any]

    @property
    def absent(self) -> NDArray[np.bool_]:
        """Which values count as missing, shape (k,)."""
        return self.values.isna().to_numpy()

    @property
    def holes(self) -> int:
        """How many rows have a missing cell."""
        return int(self.counts[self.absent].sum())


def tally(codes: NDArray[Any], states: int) -> NDArray[np.int64]:
    """How often each code occurs among some."""
    if states > _FEW:
        return np.bincount(codes, minlength=states)
    return np.array([np.count_nonzero(codes == k) for k in range(states)], dtype=np.int64)


def empty_rows(columns: Sequence[CodedColumn]) -> int:
    """In how many rows every cell is missing."""
    if not all(column.holes for column in columns):
        return 0
    empty = np.ones(len(columns[0].codes), dtype=np.bool_)
    for column in columns:
        _narrow(empty, column, column.absent)
    return int(np.count_nonzero(empty))


def to_dataset(columns: list[CodedColumn], missing: Missing) -> Dataset:
    """The dataset of some columns, as `Dataset.from_frame` makes it of their cells."""
    check_missing(missing)
    names = tuple(column.name for column in columns)
    kept = _complete_rows(columns, missing)
    rows = len(columns[0].codes) if kept is None else int(np.count_nonzero(kept))
    states = [_states(column, kept) for column in columns]
    labels = tuple(texts for _, texts in states)
    sizes = tuple(map(len, labels))
    codes = np.empty((rows, len(names)), dtype=code_dtype(sizes), order="F")
    held = {i: column.codes for i, column in enumerate(columns)}
    columns.clear()

    def fill(i: int) -> None:
        # What was read is given back column by column, while the table fills.
        _fill(codes[:, i], held.pop(i), states[i][0].astype(codes.dtype), kept)

    with ThreadPoolExecutor(threads_for(len(names))) as pool:
        list(pool.map(fill, range(len(names))))
    return adopt(codes, sizes, names, labels)


def _complete_rows(columns: Sequence[CodedColumn], missing: Missing) -> NDArray[np.bool_] | None:
    """Which rows to keep where some are dropped, or None where all are kept."""
    holes = np.array([column.holes for column in columns])
    if missing == "state" or not holes.any():
        return None
    names = [column.name for column in columns]
    if missing == "error":
        raise DataError(missing_sentence(holes, names))
    kept = np.ones(len(columns[0].codes), dtype=np.bool_)
    for column in columns:
        _narrow(kept, column, ~column.absent)
    if not kept.any():
        raise DataError(nothing_left_sentence(holes, len(kept), names))
    return kept


def _states(
    column: CodedColumn, kept: NDArray[np.bool_] | None
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """The state of each code, and the labels of the states."""
    values, places = column.values, column.places
    if kept is not None:
        seen = _seen(column, kept)
        values = values[seen]
        places = np.maximum(np.cumsum(seen)[places] - 1, 0)
    states, labels = code_column(values, column.name)
    check_states(len(labels), column.name)
    return states[places], labels


def _seen(column: CodedColumn, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which values the kept rows hold."""
    counts = np.zeros(len(column.places), dtype=np.int64)
    for block in blocks(len(kept), cells=ROWS):
        counts += tally(column.codes[block][kept[block]], len(counts))
    seen = np.zeros(len(column.values), dtype=np.bool_)
    seen[column.places[counts > 0]] = True
    return seen


def _narrow(rows: NDArray[np.bool_], column: CodedColumn, wanted: NDArray[np.bool_]) -> None:
    """Strike the rows whose value isn't wanted."""
    if wanted.all():
        return
    table = wanted[column.places]
    for block in blocks(len(rows), cells=ROWS):
        rows[block] &= table.take(column.codes[block])


def _fill(
    out: NDArray[Any], codes: NDArray[Any], table: NDArray[Any], kept: NDArray[np.bool_] | None
) -> None:
    """Write one column's states."""
    done = 0
    for block in blocks(len(codes), cells=ROWS):
        states = table.take(codes[block] if kept is None else codes[block][kept[block]])
        out[done : done + len(states)] = states
        done += len(states)
