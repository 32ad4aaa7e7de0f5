"""Columns as bit planes: 64 rows in a word, one plane for each state but the first.

How many rows are in all of several states is then the number of ones in the intersection of
their planes, and what the first state has is the rest. Counts of single planes and of pairs
are made once for a dataset and never again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.compiled import kernel
from bjp_engine.kernels.vectors import STEP, address, common

# A variable of more states has no planes: they would outgrow its codes.
MOST_STATES = 8
# Words of each plane that are intersected at a time, to stay in the nearest cache.
BLOCK = 512


class Planes(NamedTuple):
    """The bit planes of a table and the sizes of their pairwise intersections.

    Parameters
    ----------
    words : ndarray of uint64, shape (P, W)
        Bit i % 64 of word i // 64 tells whether row i is in the plane's state.
    first : ndarray of int64, shape (n,)
        The plane of state 1 of each variable; -1 where it has no planes.
    pairs : ndarray of int32, shape (P, P)
        Rows in both planes; on the diagonal rows in one.
    """

    words: NDArray[np.uint64]
    first: NDArray[np.int64]
    pairs: NDArray[np.int32]


def pack(codes: NDArray[Any], cardinalities: Sequence[int]) -> Planes:
    """Pack a table of codes; its pairs are not yet counted.

    Parameters
    ----------
    codes : ndarray of unsigned int, shape (N, n)
        Column-contiguous.
    """
    owned = [r - 1 if r <= MOST_STATES else 0 for r in cardinalities]
    first = np.cumsum([0, *owned])[:-1].astype(np.int64)
    first[[r > MOST_STATES for r in cardinalities]] = -1
    words = np.zeros((sum(owned), -(-len(codes) // (64 * STEP)) * STEP), dtype="<u8")
    bytes_of = words.view(np.uint8)
    for i, r in enumerate(cardinalities):
        for state in range(1, r if r <= MOST_STATES else 1):
            column = codes[:, i] if r == 2 else codes[:, i] == state
            packed = np.packbits(column, bitorder="little")
            bytes_of[first[i] + state - 1, : len(packed)] = packed
    pairs = np.zeros((len(words), len(words)), dtype=np.int32)
    return Planes(words.astype(np.uint64, copy=False), first, pairs)


@kernel
def count_pairs(words, pairs, begin, end):  # type: ignore[no-untyped-def]
    """Fill rows `begin` to `end` of the table of pairs, and the same columns."""
    for start in range(0, words.shape[1], BLOCK):
        steps = min(words.shape[1] - start, BLOCK) // STEP
        for p in range(begin, end):
            mine, q = address(words, p, start), p
            while q + 4 <= len(words):
                x, row = address(words, q, start), 8 * words.shape[1]
                a, b, c, d = common(mine, (x, x + row, x + 2 * row, x + 3 * row), steps)
                pairs[p, q] += a
                pairs[p, q + 1] += b
                pairs[p, q + 2] += c
                pairs[p, q + 3] += d
                q += 4
            while q < len(words):
                pairs[p, q] += common(mine, (address(words, q, start),), steps)[0]
                q += 1
    for p in range(begin, end):
        for q in range(p, len(words)):
            pairs[q, p] = pairs[p, q]
