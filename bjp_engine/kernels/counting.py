"""The table of one variable x against others, within all slices of a conditioning set Z.

A table is a list of *layers*, one for each state of a target y but the first, of counts by cell
(slice · r_x + state of x), slices in lexicographic order of Z. It is counted by masks or row by
row, whichever is faster; where there would be more cells than rows, rows are grouped by the
slices that occur.

By masks: one mask of rows is made for each choice of "any state" or "state s ≥ 1" of every variable
of Z and of x; its intersection with a plane of y is counted, and the counts of single states follow
by subtraction (Möbius inversion on each axis). All y share the masks, and what involves at most
two variables is known already.
"""

from __future__ import annotations

import numpy as np

from bjp_engine.kernels.compiled import bare, borrowed, inner, kernel
from bjp_engine.kernels.loops import copy, row_numbers
from bjp_engine.kernels.table import MASK_WORDS, STEP, add_common, column, write_intersection

# Counts that are held at a time: 256 KB, which the second cache holds.
MOST_COUNTS = 1 << 15
LEAST_BLOCK = 64
# Values of a digit by which numbers are sorted.
DIGITS = 1 << 16


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
    size, most = cells_of_all(table, x, given), 1
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
    size = cells_of_all(table, x, given)
    return not lacking and size * (2 + planes) <= table.most_masks * columns_read


@bare
def at_a_time(table, x, given):  # type: ignore[no-untyped-def]
    """How many targets' layers may be held at a time."""
    return max(1, MOST_COUNTS // cells_of_all(table, x, given))


@bare
def cells_of_all(table, x, given):  # type: ignore[no-untyped-def]
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


# --- By masks -------------------------------------------------------------------------------------


@inner
def _monomials(table, x, given):  # type: ignore[no-untyped-def]
    """How the mask of each cell of (Z, x) is made of another one and a plane.

    In a cell's number each variable has a digit, 0 for any state; x is the last digit.
    """
    size = table.cardinalities[x]
    for z in given:
        size *= table.cardinalities[z]
    all_three = np.zeros((3, size), dtype=np.int64)
    parent, plane, order = all_three[0], all_three[1], all_three[2]
    made = 1
    for k in range(len(given), -1, -1):
        v = x
        if k < len(given):
            v = given[k]
        for state in range(1, table.cardinalities[v]):
            for m in range(made):
                parent[state * made + m] = m
                plane[state * made + m] = table.planes.first[v] + state - 1
                order[state * made + m] = order[m] + 1
        made *= table.cardinalities[v]
    return parent, plane, order


@bare
def _single_states(table, x, given, counts):  # type: ignore[no-untyped-def]
    """Möbius inversion of each row in place: what is not in a state s ≥ 1 is in state 0."""
    stride = 1
    for k in range(len(given), -1, -1):
        r = table.cardinalities[x]
        if k < len(given):
            r = table.cardinalities[given[k]]
        for t in range(counts.shape[0]):
            for start in range(0, counts.shape[1], stride * r):
                for state in range(1, r):
                    for u in range(start, start + stride):
                        counts[t, u] -= counts[t, u + state * stride]
        stride *= r


@kernel
def count_by_masks(table, x, given, targets):  # type: ignore[no-untyped-def]
    """The cells of (Z, x), shape (K r_x,), and their part in each plane of the targets."""
    table = borrowed(table)
    parent, plane, order = _monomials(table, x, given)
    wanted, layers = np.empty(_layers(table, targets), dtype=np.int64), 0
    for y in targets:
        for state in range(table.cardinalities[y] - 1):
            wanted[layers] = table.planes.first[y] + state
            layers += 1
    size = len(order)
    cells, within = np.zeros((1, size), dtype=np.int64), np.zeros((layers, size), dtype=np.int64)
    _known(table.planes.pairs, plane, parent, order, wanted, cells, within)
    cells[0, 0] = table.rows
    if len(given) > 0:
        of_masks = (parent, plane, order)
        _intersect(table.planes.words, of_masks, wanted, cells, within)
    _single_states(table, x, given, cells)
    _single_states(table, x, given, within)
    return cells[0], within


@bare
def _known(pairs, plane, parent, order, wanted, cells, within):  # type: ignore[no-untyped-def]
    """What involves one plane or two was counted for the whole dataset."""
    for m in range(len(order)):
        if order[m] == 1:
            cells[0, m] = pairs[plane[m], plane[m]]
            for t in range(len(wanted)):
                within[t, m] = pairs[wanted[t], plane[m]]
        elif order[m] == 2:
            cells[0, m] = pairs[plane[m], plane[parent[m]]]
    for t in range(len(wanted)):
        within[t, 0] = pairs[wanted[t], wanted[t]]


@inner
def _intersect(words, of_masks, wanted, cells, within):  # type: ignore[no-untyped-def]
    """Make the masks block by block, and count them within the wanted planes."""
    size = len(of_masks[0])
    block = max(LEAST_BLOCK, MASK_WORDS // size // STEP * STEP)
    spare = np.empty(size * min(block, words.shape[1]), dtype=np.uint64)
    for begin in range(0, words.shape[1], block):
        width = min(words.shape[1] - begin, block)
        masks = spare[: size * width].reshape((size, width))
        _intersect_block(words, begin, of_masks, masks, wanted, cells, within)


@bare
def _intersect_block(words, begin, of_masks, masks, wanted, cells, within):  # type: ignore[no-untyped-def]
    """The same for the words from `begin` on."""
    parent, plane, order = of_masks
    for m in range(1, len(order)):
        if order[m] == 1:
            continue
        # The mask of one state is its plane.
        mask, start = masks[parent[m]], 0
        if order[m] == 2:
            mask, start = words[plane[parent[m]]], begin
        count = write_intersection(mask, start, words[plane[m]], begin, masks[m])
        if order[m] > 2:
            cells[0, m] += count
    for t in range(0, len(wanted), 4):
        for m in range(1, len(order)):
            if order[m] > 1:
                add_common(masks[m], words, begin, wanted, t, within, m)


# --- Row by row -----------------------------------------------------------------------------------


@inner
def count_by_rows(table, x, given, targets):  # type: ignore[no-untyped-def]
    """The cells of (Z, x), and their part in each state but the first of the targets."""
    ids, size = np.zeros(table.rows, dtype=np.int32), np.int64(1)
    for z in given:
        append(table, ids, z)
        size *= table.cardinalities[z]
    every = row_numbers(table.rows)
    cells, place = cells_of(column(table, x), table.cardinalities[x], every, ids, size)
    return cells, parts_of(table, targets, every, place, len(cells))


@inner
def append(table, ids, v):  # type: ignore[no-untyped-def]
    """One more digit for the number of each row: the state of a variable."""
    stored, r = table.codes[v], np.int32(table.cardinalities[v])
    if len(stored) == len(ids):
        for i in range(len(ids)):
            ids[i] = np.int32(ids[i] * r) + np.int32(stored[i])
        return
    codes = column(table, v)
    for i in range(len(ids)):
        ids[i] = np.int32(ids[i] * r) + np.int32(codes[i])


# --- Grouped --------------------------------------------------------------------------------------


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
            size = _renumber_sorted(ids, column(table, given[at]), table.cardinalities[given[at]])
            at += 1
    return ids, size


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


# Unsigned numbers are never counted from the end: nothing is asked before they are used.


@inner
def cells_of(of_x, rx, rows, ids, size):  # type: ignore[no-untyped-def]
    """The cells of (stratum, x), and the cell of each row."""
    cells, place = np.zeros(size * rx, dtype=np.int64), np.empty(len(rows), dtype=np.int32)
    for i in range(len(rows)):
        place[i] = ids[i] * np.int32(rx) + np.int32(of_x[np.uint64(rows[i])])
    for cell in place:
        cells[np.uint64(cell)] += 1
    return cells, place


@inner
def parts_of(table, targets, rows, place, size):  # type: ignore[no-untyped-def]
    """How much of each cell is in each state but the first of the targets."""
    within, begin = np.zeros((_layers(table, targets), size), dtype=np.int64), 0
    for y in targets:
        of_y, ry = column(table, y), table.cardinalities[y]
        # The first state is counted too: cheaper than to ask each row.
        counts = np.zeros(ry * size, dtype=np.int64)
        for i in range(len(rows)):
            state = np.uint64(of_y[np.uint64(rows[i])])
            counts[state * np.uint64(size) + np.uint64(place[i])] += 1
        copy(counts[size:], within[begin : begin + ry - 1].reshape((ry - 1) * size))
        begin += ry - 1
    return within


@bare
def _layers(table, targets):  # type: ignore[no-untyped-def]
    """How many states the targets have, the first of each left out."""
    count = 0
    for y in targets:
        count += table.cardinalities[y] - 1
    return count


@inner
def occurring_cells(table, variables, rows, ids):  # type: ignore[no-untyped-def]
    """The cells that occur, ascending, and their counts: (stratum · r_x + state of x) · r_y + …."""
    keys = np.empty(len(rows), dtype=np.int64)
    for i in range(len(rows)):
        keys[i] = ids[i]
    for v in variables:
        codes, r = column(table, v), table.cardinalities[v]
        for i in range(len(rows)):
            keys[i] = keys[i] * r + codes[rows[i]]
    return _tally(keys)


@inner
def cells_laid_out(cells, within):  # type: ignore[no-untyped-def]
    """The same from the cells (slice, x) and those of y's states but the first."""
    flat, ry, found = cells.reshape(cells.size), len(within) + 1, 0
    keys = np.empty(len(flat) * ry, dtype=np.int64)
    counts = np.empty(len(keys), dtype=np.int64)
    for cell in range(len(flat)):
        rest = flat[cell]
        for state in range(1, ry):
            rest -= within[state - 1, cell]
        for state in range(ry):
            count = rest if state == 0 else within[state - 1, cell]
            if count > 0:
                keys[found], counts[found] = cell * ry + state, count
                found += 1
    return keys[:found], counts[:found]


@inner
def _tally(keys):  # type: ignore[no-untyped-def]
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


# --- For a trace ----------------------------------------------------------------------------------


@kernel
def cells_that_occur(table, x, y, given):  # type: ignore[no-untyped-def]
    """The cells of x and y within the slices that have rows.

    Returns the number of each slice among all of them, or where they are too many the first of
    its rows, and which of the two; then the keys of the cells, (slice · r_x + state of x) · r_y +
    state of y, ascending, and their counts.
    """
    table = borrowed(table)
    targets = np.full(1, y)
    if fits(table, x, given, targets):
        return _laid_out(table, x, targets, given)
    ids, size = strata(table, given)
    keys, counts = occurring_cells(table, (x, y), row_numbers(table.rows), ids)
    return _first_rows(ids, size), False, keys, counts


@inner
def _laid_out(table, x, targets, given):  # type: ignore[no-untyped-def]
    """The same from all slices laid out."""
    rx, ry = table.cardinalities[x], table.cardinalities[targets[0]]
    cells, within = lay_out(table, x, given, targets)
    keys, counts = cells_laid_out(cells.reshape((-1, rx)), within)
    slices, found = np.empty(len(keys), dtype=np.int64), 0
    for i in range(len(keys)):
        k = keys[i] // (rx * ry)
        if found == 0 or slices[found - 1] != k:
            slices[found] = k
            found += 1
        keys[i] -= (k - (found - 1)) * rx * ry
    return slices[:found], True, keys, counts


@kernel
def cells_of_node(table, j, given):  # type: ignore[no-untyped-def]
    """The cells of j within the configurations that have rows: where each begins, and counts."""
    table = borrowed(table)
    ids, size = strata(table, given)
    keys, counts = occurring_cells(table, (j,), row_numbers(table.rows), ids)
    return _first_rows(ids, size), keys, counts


@inner
def _first_rows(ids, size):  # type: ignore[no-untyped-def]
    """The first row of each stratum."""
    first = np.empty(size, dtype=np.int64)
    for i in range(len(ids) - 1, -1, -1):
        first[ids[i]] = i
    return first
