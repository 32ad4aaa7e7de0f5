"""A dataset as the kernels read it, and the memory that they write on and forget."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.bits import Planes
from bjp_engine.kernels.borrow import borrowed
from bjp_engine.kernels.compiled import bare, inner, kernel
from bjp_engine.kernels.vectors import STEP

# Words of all masks together that are made at a time: 256 KB, to stay in the second cache.
MASK_WORDS = 1 << 15
# Counts that fit into memory written on and forgotten (64 KB).
SCRATCH_COUNTS = 1 << 13
NO_ROWS = np.empty((0, 0), dtype=np.uint8)


class Scratch(NamedTuple):
    """Memory that kernels write on and forget, so that a test needs none of its own.

    Parameters
    ----------
    used : ndarray of int64, shape (1,)
        How many of the counts are taken; a kernel that begins anew sets it to 0.
    """

    counts: NDArray[np.int64]
    words: NDArray[np.uint64]
    used: NDArray[np.int64]


def new_scratch() -> Scratch:
    """Memory for one search; not to be shared between threads."""
    return Scratch(
        np.empty(SCRATCH_COUNTS, dtype=np.int64),
        np.empty(4 * MASK_WORDS, dtype=np.uint64),
        np.zeros(1, dtype=np.int64),
    )


class Table(NamedTuple):
    """A dataset as the kernels read it.

    Parameters
    ----------
    rows : int
        N.
    codes : ndarray of uint8, shape (n, N) or (n, 2 N)
        A row for each variable; where any has more than 256 states, two bytes a code.
    most_masks : int
        So many masks cost as much as to read a column of codes: what there is to choose by.
    cells_a_row : int
        Tables of up to so many cells a row are laid out; otherwise rows are grouped.
    by_row : ndarray of uint8, shape (N, n)
        The codes of a row side by side, where a search that needs it made it; else empty.
    """

    rows: int
    codes: NDArray[np.uint8]
    cardinalities: NDArray[np.int64]
    planes: Planes
    most_masks: int
    cells_a_row: int
    scratch: Scratch
    by_row: NDArray[np.uint8]


def blank_table() -> Table:
    """A table without a row, for what only needs its scratch."""
    none = np.empty(0, dtype=np.int64)
    words, pairs = np.empty((0, STEP), dtype=np.uint64), np.empty((0, 0), dtype=np.int32)
    codes = np.empty((0, 0), dtype=np.uint8)
    codes.setflags(write=False)
    planes = Planes(words, none, pairs)
    return Table(0, codes, none, planes, 0, 0, new_scratch(), NO_ROWS)


@inner
def borrow_table(table):  # type: ignore[no-untyped-def]
    """The table with its arrays borrowed."""
    words, first, pairs = table.planes
    planes = Planes(borrowed(words), borrowed(first), borrowed(pairs))
    codes, cardinalities = borrowed(table.codes), borrowed(table.cardinalities)
    counts, spare, used = table.scratch
    scratch = Scratch(borrowed(counts), borrowed(spare), borrowed(used))
    by_row = borrowed(table.by_row)
    most, dense = table.most_masks, table.cells_a_row
    return Table(table.rows, codes, cardinalities, planes, most, dense, scratch, by_row)


@bare
def begin_anew(table):  # type: ignore[no-untyped-def]
    """Forget what was written on the scratch."""
    table.scratch.used[0] = 0


@inner
def zeros(table, rows, size):  # type: ignore[no-untyped-def]
    """So many rows of zeros, on the scratch where they fit."""
    counts, start = table.scratch.counts, table.scratch.used[0]
    flat = counts[:0]
    if start + rows * size <= len(counts):
        flat = counts[start : start + rows * size]
        table.scratch.used[0] = start + rows * size
    else:
        flat = np.empty(rows * size, dtype=np.int64)
    for m in range(len(flat)):
        flat[m] = 0
    return flat.reshape((rows, size))


@inner
def column(table, v):  # type: ignore[no-untyped-def]
    """The codes of one variable, shape (N,); wide enough for any."""
    codes = np.empty(table.rows, dtype=np.uint16)
    stored = table.codes[v]
    if len(stored) == len(codes):
        for i in range(len(codes)):
            codes[i] = stored[i]
    else:
        for i in range(len(codes)):
            codes[i] = np.uint16(stored[2 * i]) | np.uint16(stored[2 * i + 1]) << 8
    return codes


@kernel
def possible(cardinalities, given):  # type: ignore[no-untyped-def]
    """K, the configurations of a set, as a float (infinite where it is too large), and ln K."""
    count, log_count = 1.0, 0.0
    for z in given:
        count *= cardinalities[z]
        log_count += np.log(float(cardinalities[z]))
    return count, np.log(count) if np.isfinite(count) else log_count
