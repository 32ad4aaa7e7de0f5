"""Arrays: the names of their types, and how codes lie in memory.

Codes stand column by column in the smallest type that holds them. Tables are converted in blocks
of rows that stay in the processor's cache, so the only large arrays are the one that comes in and
the one that goes out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Places: TypeAlias = NDArray[np.intp]
Bools: TypeAlias = NDArray[np.bool_]
Codes: TypeAlias = NDArray[np.unsignedinteger[Any]]

# Cells of a block: 64-bit ones beside their copies fill a part of a core's own cache.
BLOCK = 1 << 15
# Each thread holds a few blocks, and more of them than this wait for the memory.
_MOST_THREADS = 8


def code_dtype(cardinalities: Sequence[int]) -> type[np.unsignedinteger[Any]]:
    """The smallest type that holds every code, for the sake of memory bandwidth."""
    largest = max(cardinalities, default=1)
    return np.uint8 if largest <= 1 << 8 else np.uint16


def signed_dtype(states: int) -> type[np.signedinteger[Any]]:
    """The smallest type that holds -1 and the codes of some states."""
    if states <= np.iinfo(np.int8).max:
        return np.int8
    return np.int16 if states <= np.iinfo(np.int16).max else np.int32


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


def number_rows(codes: NDArray[Any], cardinalities: Sequence[int]) -> Places:
    """The place of each row among the distinct rows of a table of codes in lexicographic order."""
    numbers = np.zeros(len(codes), dtype=np.intp)
    for column, r in zip(codes.T, cardinalities, strict=True):
        # Without gaps after each column, so that no product overflows.
        numbers = np.unique(numbers * r + column, return_inverse=True)[1]
    return numbers


def columns(members: Sequence[int]) -> Ints:
    """Column indices as the kernels take them."""
    return np.array(members, dtype=np.int64)


def threads_for(columns: int) -> int:
    """How many threads share some columns."""
    return min(columns, os.cpu_count() or 1, _MOST_THREADS)
