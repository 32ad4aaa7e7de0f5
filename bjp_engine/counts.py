"""Counting: a dataset made ready for the kernels, and the counts that traces show.

Columns are packed into bit planes and the pairs of planes are counted once for a dataset (see
`bjp_engine.kernels.bits`); what is made is kept with the dataset. The kernels count the rest as
they need it. A trace gets only cells that occur, so its memory is bounded by N however
many configurations are possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.dataset import Dataset
from bjp_engine.kernels.bits import count_pairs, pack
from bjp_engine.kernels.cells import NO_ROWS, Table, new_scratch
from bjp_engine.kernels.traced import cells_that_occur
from bjp_engine.progress import UNWATCHED, Progress

Counts = NDArray[np.int64]
Columns = NDArray[np.int64]

# So many intersections of planes take as long as to read a column of codes; measured.
MOST_MASKS = 125
# Codes that are copied row by row for scores that test at hubs (16 MB).
MOST_CODES_BY_ROW = 1 << 24


@dataclass(frozen=True, eq=False, slots=True)
class CrossTally:
    """The non-zero cells of the r_x × r_y tables of all slices that have rows.

    Parameters
    ----------
    given : tuple of int
        The conditioning set Z, ascending column indices.
    configurations : ndarray, shape (S, |Z|)
        The codes of Z in each slice, in lexicographic order.
    keys : ndarray of int64, ascending
        (slice · r_x + state of x) · r_y + state of y.
    counts : ndarray of int64
        Rows in each cell.
    rx, ry : int
        States of x and y.
    """

    given: tuple[int, ...]
    configurations: NDArray[Any]
    keys: Counts
    counts: Counts
    rx: int
    ry: int

    @property
    def size(self) -> int:
        """S, how many slices have rows."""
        return len(self.configurations)


def table_of(data: Dataset, watch: Progress = UNWATCHED) -> Table:
    """A dataset as the kernels read it: made once, with a scratch for the caller alone."""
    shared = data.derived("table", lambda: _make_table(data, watch))
    return shared._replace(scratch=new_scratch())


def _make_table(data: Dataset, watch: Progress) -> Table:
    """Pack the columns and count all pairs."""
    planes = pack(data.codes, data.cardinalities)
    many = len(planes.words)
    # At once where nobody watches; else in parts of some ten milliseconds.
    at_once = many if watch is UNWATCHED else 1 + (1 << 26) // max(1, planes.words.size)
    for begin in range(0, many, max(1, at_once)):
        watch.tick()
        count_pairs(planes.words, planes.pairs, begin, min(many, begin + at_once))
    cardinalities = np.array(data.cardinalities, dtype=np.int64)
    codes = data.codes.T.view(np.uint8)
    scratch = new_scratch()
    return Table(data.rows, codes, cardinalities, planes, MOST_MASKS, 1, scratch, NO_ROWS)


def with_rows(data: Dataset, table: Table) -> Table:
    """The same with the codes of each row side by side, where that is no great copy."""
    if data.codes.size > MOST_CODES_BY_ROW or data.codes.dtype != np.uint8:
        return table
    return table._replace(by_row=data.derived("by row", lambda: data.codes.copy(order="C")))


def columns(members: Sequence[int]) -> Columns:
    """Column indices as the kernels take them."""
    return np.array(members, dtype=np.int64)


def cross_tally(data: Dataset, x: int, y: int, given: Sequence[int]) -> CrossTally:
    """Count the pairs of states of two variables within each slice of a set."""
    slices, numbered, keys, counts = cells_that_occur(table_of(data), x, y, columns(given))
    if numbered:
        shape = [data.cardinalities[z] for z in given]
        codes = np.unravel_index(slices, shape) if given else ()
        configurations = np.array(codes, dtype=np.int64).reshape(len(given), len(slices)).T
    else:
        configurations = data.codes[slices][:, list(given)]
    rx, ry = data.cardinalities[x], data.cardinalities[y]
    return CrossTally(tuple(given), configurations, keys, counts, rx, ry)
