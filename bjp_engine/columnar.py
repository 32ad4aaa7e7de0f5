"""Codes as they lie in memory: column by column, in the smallest type that holds them.

Tables are converted in blocks of rows that stay in the processor's cache, so the only large
arrays are the one that comes in and the one that goes out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bjp_engine.errors import DataError, clip

# Cells of a block: 64-bit ones beside their copies fill a part of a core's own cache.
BLOCK = 1 << 15
# Each thread holds a few blocks, and more of them than this wait for the memory.
_MOST_THREADS = 8


def code_dtype(cardinalities: Sequence[int]) -> type[np.unsignedinteger[Any]]:
    """The smallest type that holds every code, for the sake of memory bandwidth."""
    largest = max(cardinalities, default=1)
    return np.uint8 if largest <= 1 << 8 else np.uint16


def blocks(rows: int, columns: int = 1, cells: int = BLOCK) -> Iterator[slice]:
    """The rows of a table cut into pieces of some number of cells."""
    step = max(1, cells // max(1, columns))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


def columnar(table: NDArray[Any], dtype: DTypeLike) -> NDArray[Any]:
    """A copy column by column in memory."""
    copy = np.empty(table.shape, dtype=dtype, order="F")
    for block in blocks(*table.shape):
        copy[block] = table[block].astype(dtype, copy=False)
    return copy


def whole_numbers(table: NDArray[Any], names: Sequence[object]) -> NDArray[Any]:
    """A copy as codes, refusing what would be rounded."""
    if table.dtype.kind not in "iubf":
        raise DataError("codes must be whole numbers; use Dataset.from_frame for anything else.")
    for dtype in (np.uint8, np.uint16):
        codes = _narrowed(table, dtype, names)
        if codes is not None:
            return codes
    return table.astype(np.int64) if table.dtype.kind == "f" else table


def _narrowed(
    table: NDArray[Any], dtype: type[np.unsignedinteger[Any]], names: Sequence[object]
) -> NDArray[Any] | None:
    """The table in a small type, or None where that can't hold it."""
    largest = np.iinfo(dtype).max
    codes = np.empty(table.shape, dtype=dtype, order="F")
    for block in blocks(*table.shape):
        part = table[block]
        if part.dtype.kind == "f":
            part = _integers(part, block.start, names)
        # The bits of all numbers together: one reduction finds the negative and the large.
        if not 0 <= int(np.bitwise_or.reduce(part, axis=None)) <= largest:
            return None
        codes[block] = part.astype(dtype, copy=False)
    return codes


def _integers(part: NDArray[Any], start: int, names: Sequence[object]) -> NDArray[np.int64]:
    """Floats as integers, if they are whole."""
    with np.errstate(invalid="ignore"):
        whole: NDArray[np.int64] = part.astype(np.int64)
    same = whole == part
    if not same.all():
        row, column = np.argwhere(~same)[0]
        raise DataError(
            f"Column {clip(names[column])} holds {part[row, column]} in row {start + row + 1}; "
            "codes are whole numbers from 0 (use Dataset.from_frame for values)."
        )
    return whole


def threads_for(columns: int) -> int:
    """How many threads share some columns."""
    return min(columns, os.cpu_count() or 1, _MOST_THREADS)
