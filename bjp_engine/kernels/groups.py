"""Rows grouped by the configurations of a set that occur, for sets with many of them."""

from __future__ import annotations

import numpy as np

from bjp_engine.kernels.compiled import inner
from bjp_engine.kernels.counting import append, dense_limit
from bjp_engine.kernels.loops import copy, fill, row_numbers
from bjp_engine.kernels.table import column

DIGITS = 1 << 16


@inner
def strata(table, given):  # type: ignore[no-untyped-def]
    """The stratum of each row, in lexicographic order of configurations, and how many there are.

    As many variables as have few configurations together are taken at once; numbers are made
    dense after each such step, so it never matters how many configurations are possible.
    """
    ids, size = np.zeros(table.rows, dtype=np.int32), np.int64(min(1, table.rows))
    at, room = 0, dense_limit(table.rows)
    while at < len(given):
        possible = size
        begin = at
        while at < len(given) and possible * table.cardinalities[given[at]] <= room:
            possible *= table.cardinalities[given[at]]
            append(table, ids, given[at])
            at += 1
        if at > begin:
            size = _renumber(ids, possible)
        else:
            size = refine(table, ids, size, given[at])
            at += 1
    return ids, size


@inner
def refine(table, ids, size, z):  # type: ignore[no-untyped-def]
    """Split each stratum, in place, by one more variable; how many there are then."""
    r = table.cardinalities[z]
    if size * r <= dense_limit(table.rows):
        append(table, ids, z)
        return _renumber(ids, size * r)
    return _renumber_sorted(ids, column(table, z), r)


@inner
def _renumber(ids, possible):  # type: ignore[no-untyped-def]
    """Dense numbers for those that occur, in the same order; how many they are."""
    number = np.zeros(possible, dtype=np.int32)
    for i in range(len(ids)):
        number[ids[i]] = 1
    found = 0
    for key in range(possible):
        if number[key]:
            number[key] = found
            found += 1
    for i in range(len(ids)):
        ids[i] = number[ids[i]]
    return found


@inner
def _renumber_sorted(ids, codes, r):  # type: ignore[no-untyped-def]
    """The same where that table would be too large."""
    keys = np.empty(len(ids), dtype=np.int64)
    for i in range(len(ids)):
        keys[i] = np.int64(ids[i]) * r + codes[i]
    found, previous = -1, np.int64(-1)
    for row in ascending(keys):
        if keys[row] != previous:
            previous = keys[row]
            found += 1
        ids[row] = found
    return found + 1


@inner
def ascending(keys):  # type: ignore[no-untyped-def]
    """The positions of whole numbers from the least to the greatest; equal ones stay in order.

    Sixteen bits at a time, from the last to the first that any of them has.
    """
    order, moved = row_numbers(len(keys)), np.empty(len(keys), dtype=np.int32)
    top = np.int64(0)
    for key in keys:
        top = max(top, key)
    shift = 0
    while top >> shift > 0:
        start = np.zeros(DIGITS + 1, dtype=np.int64)
        for key in keys:
            start[((key >> shift) & (DIGITS - 1)) + 1] += 1
        for digit in range(DIGITS):
            start[digit + 1] += start[digit]
        for at in order:
            digit = (keys[at] >> shift) & (DIGITS - 1)
            moved[start[digit]] = at
            start[digit] += 1
        order, moved = moved, order
        shift += 16
    return order


@inner
def shared_rows(ids, size):  # type: ignore[no-untyped-def]
    """The rows that are not alone in their stratum, their strata numbered anew, and how many."""
    number = np.zeros(size, dtype=np.int32)
    for stratum in ids:
        number[stratum] += 1
    kept = 0
    for stratum in range(size):
        if number[stratum] > 1:
            number[stratum] = kept
            kept += 1
        else:
            number[stratum] = -1
    rows, anew = np.empty(len(ids), dtype=np.int32), np.empty(len(ids), dtype=np.int32)
    found = 0
    for i in range(len(ids)):
        if number[ids[i]] >= 0:
            rows[found] = i
            anew[found] = number[ids[i]]
            found += 1
    return rows[:found], anew[:found], kept


@inner
def cells_of(of_x, rx, rows, ids, size):  # type: ignore[no-untyped-def]
    """The cells of (stratum, x), and the cell of each row."""
    cells, place = np.zeros(size * rx, dtype=np.int64), np.empty(len(rows), dtype=np.int32)
    for i in range(len(rows)):
        place[i] = ids[i] * np.int32(rx) + np.int32(of_x[rows[i]])
        cells[place[i]] += 1
    return cells, place


@inner
def parts_of(table, targets, rows, place, size):  # type: ignore[no-untyped-def]
    """How much of each cell is in the states but the first of several y, each with as many."""
    ry = table.cardinalities[targets[0]]
    within = np.zeros((len(targets) * (ry - 1), size), dtype=np.int64)
    all_states = np.empty((ry, size), dtype=np.int64)
    for t in range(len(targets)):
        of_y = column(table, targets[t])
        if ry == 2:
            part = within[t]
            for i in range(len(rows)):
                part[place[i]] += of_y[rows[i]]
            continue
        # The first state is counted too: cheaper than to ask each row.
        flat = all_states.reshape(ry * size)
        fill(flat, 0)
        for i in range(len(rows)):
            flat[np.int64(of_y[rows[i]]) * size + place[i]] += 1
        for state in range(1, ry):
            copy(all_states[state], within[t * (ry - 1) + state - 1])
    return within


@inner
def sparse_cells(table, x, y, rows, ids):  # type: ignore[no-untyped-def]
    """The cells that occur, ascending: (stratum · r_x + state of x) · r_y + state of y."""
    of_x, of_y = column(table, x), column(table, y)
    rx, ry = table.cardinalities[x], table.cardinalities[y]
    keys = np.empty(len(rows), dtype=np.int64)
    for i in range(len(rows)):
        keys[i] = (np.int64(ids[i]) * rx + of_x[rows[i]]) * ry + of_y[rows[i]]
    return tally(keys)


@inner
def tally(keys):  # type: ignore[no-untyped-def]
    """The different keys, ascending, and how often each occurs."""
    order = ascending(keys)
    found = 0
    different, counts = np.empty(len(keys), dtype=np.int64), np.zeros(len(keys), dtype=np.int64)
    for i in range(len(keys)):
        if i == 0 or keys[order[i]] != keys[order[i - 1]]:
            different[found] = keys[order[i]]
            found += 1
        counts[found - 1] += 1
    return different[:found], counts[:found]
