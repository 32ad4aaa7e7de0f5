"""The table of one variable x against others, within all slices of a conditioning set Z.

A table is a list of *layers*, one for each state of a target y but the first, of counts by cell
(slice · r_x + state of x), slices in lexicographic order of Z. It is counted by masks or row by
row, whichever is faster; where there would be more cells than rows, see `strata`.
"""

from __future__ import annotations

import numpy as np

from bjp_engine.kernels.compiled import bare, inner
from bjp_engine.kernels.masks import count_by_masks
from bjp_engine.kernels.rows import count_by_rows

# Counts that are held at a time: 256 KB, which the second cache holds.
MOST_COUNTS = 1 << 15


@inner
def lay_out(table, x, given, targets):  # type: ignore[no-untyped-def]
    """The cells of (Z, x), and their layers by the states of the targets; see `fits`."""
    if fits_masks(table, x, given, targets):
        return count_by_masks(table, x, given, targets)
    return count_by_rows(table, x, given, targets)


@bare
def fits(table, x, given, targets):  # type: ignore[no-untyped-def]
    """Whether all slices should be laid out."""
    if fits_masks(table, x, given, targets):
        return True
    size, most = _cells(table, x, given), 1
    for y in targets:
        most = max(most, table.cardinalities[y])
    if len(targets) == 0:
        # Nothing is read of a cell without rows: clearing it is all that it costs.
        return table.cells_a_row > 0 and size <= dense_limit(table.rows)
    return size * most <= table.cells_a_row * table.rows


@bare
def fits_masks(table, x, given, targets):  # type: ignore[no-untyped-def]
    """Whether all variables have planes and masks are the faster way."""
    first, planes = table.planes.first, 0
    lacking = first[x] < 0
    for z in given:
        lacking = lacking or first[z] < 0
    for y in targets:
        lacking = lacking or first[y] < 0
        planes += table.cardinalities[y] - 1
    # A mask is made, its rows are counted, and those in each plane. Otherwise each column of Z
    # and x is read once, and a target's is tallied, which takes three times as long.
    columns_read = len(given) + 2 + 3 * len(targets)
    size = _cells(table, x, given)
    return not lacking and size * (2 + planes) <= table.most_masks * columns_read


@bare
def at_a_time(table, x, given):  # type: ignore[no-untyped-def]
    """How many targets' layers may be held at a time."""
    return max(1, MOST_COUNTS // _cells(table, x, given))


@bare
def _cells(table, x, given):  # type: ignore[no-untyped-def]
    """The cells of (Z, x), or a number beyond all bounds."""
    size = table.cardinalities[x]
    for z in given:
        size = min(size * table.cardinalities[z], np.int64(1) << 40)
    return size


@bare
def dense_limit(rows):  # type: ignore[no-untyped-def]
    """The largest table worth clearing and scanning for that many rows."""
    return 4 * rows + 4096


@inner
def without(table, cells, x, given, place):  # type: ignore[no-untyped-def]
    """The cells of (Z, x) as those of x and y within Z without y = given[place]."""
    ry, low = table.cardinalities[given[place]], table.cardinalities[x]
    for k in range(place + 1, len(given)):
        low *= table.cardinalities[given[k]]
    total = np.zeros(len(cells) // ry, dtype=np.int64)
    within = np.zeros((ry - 1, len(total)), dtype=np.int64)
    for high in range(len(total) // low):
        for u in range(low):
            to, source = high * low + u, high * low * ry + u
            total[to] = cells[source]
            for state in range(1, ry):
                count = cells[source + state * low]
                total[to] += count
                within[state - 1, to] = count
    return total, within
