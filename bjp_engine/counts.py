"""Counting: the only room that reads a dataset's codes.

Rows are first grouped into *strata*, one for each configuration of the conditioning set
that occurs (`stratify`); within the strata the states of one variable (`tally`) or of a
pair (`cross_tally`) are counted. Only cells that occur are returned, so memory is bounded
by N however many configurations are possible.

Kernels take arrays and return arrays; no kernel calls a kernel of another module, since
a compiled cache does not notice edits in an imported one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from bjp_engine.dataset import Dataset

Ids = NDArray[np.int32]
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class Strata:
    """The rows of a dataset grouped by their configuration of a conditioning set.

    Parameters
    ----------
    given : tuple of int
        The conditioning set Z, ascending column indices.
    ids : ndarray of int32, shape (N,)
        The stratum of each row: 0..size - 1 in lexicographic order of configurations.
    size : int
        How many configurations occur (1 for an empty Z; 0 without rows).
    """

    given: tuple[int, ...]
    ids: Ids
    size: int

    def configurations(self, data: Dataset) -> NDArray[Any]:
        """The codes of Z in each stratum.

        Parameters
        ----------
        data : Dataset
            The one that was stratified.

        Returns
        -------
        ndarray, shape (size, |Z|)
        """
        rows = np.zeros(self.size, dtype=np.intp)
        rows[self.ids[::-1]] = np.arange(len(self.ids) - 1, -1, -1)
        return data.codes[rows][:, list(self.given)]


@dataclass(frozen=True, eq=False, slots=True)
class CrossTally:
    """The non-zero cells of the r_x × r_y tables of all strata.

    Parameters
    ----------
    keys : ndarray of int64, ascending
        (stratum · r_x + state of x) · r_y + state of y.
    counts : ndarray of int64
        Rows in each cell.
    rx, ry : int
        States of x and y.
    """

    keys: Counts
    counts: Counts
    rx: int
    ry: int


def stratify(data: Dataset, given: Sequence[int]) -> Strata:
    """Group the rows by their configuration of a conditioning set.

    Parameters
    ----------
    data : Dataset
        N rows.
    given : sequence of int
        Column indices, each at most once.

    Returns
    -------
    Strata

    Notes
    -----
    One pass over the rows for each variable of Z; ids are renumbered after each, so the
    number of possible configurations never matters, only how many occur (at most N).
    """
    chosen = tuple(sorted(given))
    ids, size = np.zeros(data.rows, dtype=np.int32), 1
    for z in chosen:
        ids, size = _refine(ids, size, data.codes[:, z], data.cardinalities[z])
    return Strata(chosen, ids, size if data.rows else 0)


def cross_tally(data: Dataset, x: int, y: int, strata: Strata) -> CrossTally:
    """Count the pairs of states of two variables within each stratum.

    Parameters
    ----------
    data : Dataset
    x, y : int
        Column indices.
    strata : Strata
        Of the same dataset.

    Returns
    -------
    CrossTally
    """
    rx, ry = data.cardinalities[x], data.cardinalities[y]
    cx, cy = data.codes[:, x], data.codes[:, y]
    if strata.size * rx * ry <= _dense_limit(data.rows):
        keys, counts = _tally_pair(strata.ids, strata.size, cx, rx, cy, ry)
    else:
        joint = (strata.ids.astype(np.int64) * rx + cx) * ry + cy
        keys, counts = np.unique(joint, return_counts=True)
    return CrossTally(keys, counts, rx, ry)


def tally(data: Dataset, x: int, strata: Strata) -> tuple[Counts, Counts]:
    """Count the states of one variable within each stratum.

    Parameters
    ----------
    data : Dataset
    x : int
        Column index.
    strata : Strata
        Of the same dataset.

    Returns
    -------
    keys : ndarray of int64, ascending
        stratum · r_x + state of x, cells that occur only.
    counts : ndarray of int64
    """
    r = data.cardinalities[x]
    if strata.size * r <= _dense_limit(data.rows):
        return _tally_one(strata.ids, strata.size, data.codes[:, x], r)
    keys, counts = np.unique(strata.ids.astype(np.int64) * r + data.codes[:, x], return_counts=True)
    return keys, counts


def _dense_limit(rows: int) -> int:
    """The largest table worth clearing and scanning for that many rows."""
    return 4 * rows + 4096


def _refine(ids: Ids, size: int, codes: NDArray[Any], r: int) -> tuple[Ids, int]:
    """Split each stratum by one more variable, keeping only the parts that occur."""
    if size * r <= _dense_limit(len(ids)):
        return _renumber(ids, size, codes, r)
    keys, inverse = np.unique(ids.astype(np.int64) * r + codes, return_inverse=True)
    return inverse.astype(np.int32), len(keys)


@njit(cache=True, nogil=True)
def _renumber(ids, size, codes, r):  # type: ignore[no-untyped-def]
    """Dense ids of the pairs (id, code) that occur, in lexicographic order."""
    number = np.zeros(size * r, dtype=np.int32)
    for i in range(len(ids)):
        number[np.int64(ids[i]) * r + codes[i]] = 1
    found = 0
    for key in range(size * r):
        if number[key]:
            number[key] = found
            found += 1
    refined = np.empty(len(ids), dtype=np.int32)
    for i in range(len(ids)):
        refined[i] = number[np.int64(ids[i]) * r + codes[i]]
    return refined, found


@njit(cache=True, nogil=True)
def _tally_pair(ids, size, cx, rx, cy, ry):  # type: ignore[no-untyped-def]
    """Cells (id, x, y) that occur and their counts."""
    table = np.zeros(size * rx * ry, dtype=np.int64)
    for i in range(len(ids)):
        table[(np.int64(ids[i]) * rx + cx[i]) * ry + cy[i]] += 1
    keys = np.flatnonzero(table)
    return keys, table[keys]


@njit(cache=True, nogil=True)
def _tally_one(ids, size, codes, r):  # type: ignore[no-untyped-def]
    """Cells (id, x) that occur and their counts."""
    table = np.zeros(size * r, dtype=np.int64)
    for i in range(len(ids)):
        table[np.int64(ids[i]) * r + codes[i]] += 1
    keys = np.flatnonzero(table)
    return keys, table[keys]
