"""A dataset as the kernels read it: bit planes and codes.

A bit plane holds 64 rows in a word, one plane for each state but the first. How many rows are in
all of several states is the number of ones in the intersection of their planes, and what the
first state has is the rest. Counts of single planes and of pairs are made once for a dataset.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.compiled import bare, inner, kernel, ones

# A variable of more states has no planes: they would outgrow its codes.
MOST_STATES = 8
# Planes are padded to whole steps of so many words, as many as the widest registers hold.
STEP = 8
# Words of each plane that are intersected at a time, to stay in the nearest cache.
BLOCK = 512
# Words of all masks together that are made at a time: 256 KB, to stay in the second cache.
MASK_WORDS = 1 << 15


class Planes(NamedTuple):
    """The bit planes of a table and the sizes of their pairwise intersections."""

    words: NDArray[np.uint64]  # (P, W): bit i % 64 of word i // 64 is row i
    first: NDArray[np.int64]  # (n,): the plane of each variable's state 1, -1 where it has none
    pairs: NDArray[np.int32]  # (P, P): rows in both planes; on the diagonal rows in one


class CodedTable(NamedTuple):
    """A dataset as the kernels read it."""

    rows: int
    codes: NDArray[np.uint8]  # (n, N), or (n, 2 N) where any variable has more than 256 states
    cardinalities: NDArray[np.int64]
    planes: Planes
    most_masks: int  # so many masks cost as much as to read a column of codes
    cells_a_row: int  # tables of up to so many cells a row are laid out, else rows are grouped


def first_planes(cardinalities: Sequence[int]) -> tuple[NDArray[np.int64], int]:
    """The plane of each variable's state 1, -1 where it has none; and how many there are."""
    owned = [r - 1 if r <= MOST_STATES else 0 for r in cardinalities]
    first = np.cumsum([0, *owned])[:-1].astype(np.int64)
    first[[r > MOST_STATES for r in cardinalities]] = -1
    return first, sum(owned)


def pack(codes: NDArray[Any], cardinalities: Sequence[int]) -> Planes:
    """Pack a column-contiguous table of codes; its pairs are not yet counted."""
    first, owned = first_planes(cardinalities)
    words = np.zeros((owned, -(-len(codes) // (64 * STEP)) * STEP), dtype="<u8")
    bytes_of = words.view(np.uint8)
    for i, r in enumerate(cardinalities):
        for state in range(1, r if r <= MOST_STATES else 1):
            column = codes[:, i] if r == 2 else codes[:, i] == state
            packed = np.packbits(column, bitorder="little")
            bytes_of[first[i] + state - 1, : len(packed)] = packed
    pairs = np.zeros((len(words), len(words)), dtype=np.int32)
    return Planes(words.astype(np.uint64, copy=False), first, pairs)


# In the loops over words numbers are unsigned: none is counted from the end, so nothing is asked.


@bare
def common(mask, plane, begin):  # type: ignore[no-untyped-def]
    """How many rows a mask has in common with a plane from word `begin` on."""
    count, begin = 0, np.uint64(begin)
    for w in range(np.uint64(len(mask))):
        count += ones(mask[w] & plane[begin + w])
    return count


@bare
def write_intersection(mask, start, plane, begin, target):  # type: ignore[no-untyped-def]
    """Write the rows in common of a mask from `start` on and a plane; how many they are."""
    count, start, begin = 0, np.uint64(start), np.uint64(begin)
    for w in range(np.uint64(len(target))):
        rows = mask[start + w] & plane[begin + w]
        target[w] = rows
        count += ones(rows)
    return count


@bare
def add_common(mask, words, begin, planes, t, counts, m):  # type: ignore[no-untyped-def]
    """Add to `counts[:, m]` the rows that a mask has in common with planes from `t` on, up to four.

    A mask is read once for all four: what limits a count is reading.
    """
    if t + 4 > len(planes):
        for k in range(t, len(planes)):
            counts[k, m] += common(mask, words[planes[k]], begin)
        return
    p, q, r, s = words[planes[t]], words[planes[t + 1]], words[planes[t + 2]], words[planes[t + 3]]
    a = b = c = d = 0
    begin = np.uint64(begin)
    for w in range(np.uint64(len(mask))):
        rows, at = mask[w], begin + w
        a += ones(rows & p[at])
        b += ones(rows & q[at])
        c += ones(rows & r[at])
        d += ones(rows & s[at])
    counts[t, m] += a
    counts[t + 1, m] += b
    counts[t + 2, m] += c
    counts[t + 3, m] += d


@kernel
def count_pairs(words, pairs, begin, end):  # type: ignore[no-untyped-def]
    """Fill rows `begin` to `end` of the table of pairs, and the same columns."""
    planes = np.arange(len(words))
    for start in range(0, words.shape[1], BLOCK):
        for p in range(begin, end):
            mask = words[p, start : start + BLOCK]
            for q in range(p, len(words), 4):
                add_common(mask, words, start, planes, q, pairs, p)
    for p in range(begin, end):
        for q in range(p, len(words)):
            pairs[p, q] = pairs[q, p]


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
