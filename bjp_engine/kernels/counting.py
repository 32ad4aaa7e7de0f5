"""The table of one variable x against others, within all slices of a conditioning set Z.

A table is a list of *layers*, one for each state of a target y but the first, of counts by cell
(slice · r_x + state of x), slices in lexicographic order of Z. It is counted by masks or row by
row, whichever is faster; where there would be more cells than rows, see `groups`.

By masks: one mask of rows is made for each choice of "any state" or "state s ≥ 1" of every variable
of Z and of x; its intersection with a plane of y is counted, and the counts of single states follow
by subtraction (Möbius inversion on each axis). All y share the masks, and what involves at most
two variables is known already.
"""

from __future__ import annotations

import numpy as np

from bjp_engine.kernels.compiled import bare, inner, kernel
from bjp_engine.kernels.intrinsics import STEP, address, borrowed, common, intersect
from bjp_engine.kernels.loops import fill
from bjp_engine.kernels.table import MASK_WORDS, begin_anew, column, zeros

# Counts that are held at a time: 256 KB, which the second cache holds.
MOST_COUNTS = 1 << 15
LEAST_BLOCK = 64


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
    all_three = zeros(table, np.int64(3), size)
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
def count_planes(table, x, given, targets):  # type: ignore[no-untyped-def]
    """The same, called from Python: the cells, shape (K r_x,), and their layers."""
    table = borrowed(table)
    begin_anew(table)
    cells, within = count_by_masks(table, x, given, targets)
    return cells[0].copy(), within.copy()


@inner
def count_by_masks(table, x, given, targets):  # type: ignore[no-untyped-def]
    """The cells of (Z, x), and their part in each plane of the targets."""
    parent, plane, order = _monomials(table, x, given)
    layers = np.int64(0)
    for y in targets:
        layers += table.cardinalities[y] - 1
    wanted = zeros(table, np.int64(1), layers)[0]
    layers = np.int64(0)
    for y in targets:
        for state in range(table.cardinalities[y] - 1):
            wanted[layers] = table.planes.first[y] + state
            layers += 1
    size = np.int64(len(order))
    cells, within = zeros(table, np.int64(1), size), zeros(table, layers, size)
    _known(table.planes.pairs, plane, parent, order, wanted, cells, within)
    cells[0, 0] = table.rows
    if len(given) > 0:
        spare = table.scratch.words
        if size * LEAST_BLOCK > len(spare):
            spare = np.empty(size * LEAST_BLOCK, dtype=np.uint64)
        addresses = zeros(table, np.int64(1), layers)[0]
        of_masks = (parent, plane, order)
        _intersect(table.planes.words, spare, of_masks, wanted, addresses, cells, within)
    _single_states(table, x, given, cells)
    _single_states(table, x, given, within)
    return cells, within


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


@bare
def _intersect(words, spare, of_masks, wanted, addresses, cells, within):  # type: ignore[no-untyped-def]
    """Make the masks block by block, and count them within the wanted planes."""
    parent, plane, order = of_masks
    size = len(order)
    block = max(LEAST_BLOCK, MASK_WORDS // size // STEP * STEP)
    for begin in range(0, words.shape[1], block):
        width = min(words.shape[1] - begin, block)
        masks, steps = spare[: size * width].reshape((size, width)), width // STEP
        for t in range(len(wanted)):
            addresses[t] = address(words, wanted[t], begin)
        for m in range(1, size):
            if order[m] == 1:
                continue
            # The mask of one state is its plane.
            source = address(masks, parent[m], 0)
            if order[m] == 2:
                source = address(words, plane[parent[m]], begin)
            one, made = address(words, plane[m], begin), address(masks, m, 0)
            count = intersect(made, source, one, steps)
            if order[m] > 2:
                cells[0, m] += count
        for t in range(0, len(wanted), 4):
            for m in range(1, size):
                if order[m] > 1:
                    _count(address(masks, m, 0), addresses, steps, t, within, m)


@bare
def _count(mask, planes, steps, t, within, m):  # type: ignore[no-untyped-def]
    """Add the rows of a mask within the planes from `t` on, four at most."""
    if t + 4 <= len(planes):
        four = (planes[t], planes[t + 1], planes[t + 2], planes[t + 3])
        a, b, c, d = common(mask, four, steps)
        within[t, m] += a
        within[t + 1, m] += b
        within[t + 2, m] += c
        within[t + 3, m] += d
        return
    for k in range(t, len(planes)):
        within[k, m] += common(mask, (planes[k],), steps)[0]


# --- Row by row -----------------------------------------------------------------------------------


@inner
def count_by_rows(table, x, given, targets):  # type: ignore[no-untyped-def]
    """The cells of (Z, x), and their part in each state but the first of the targets."""
    place, size = numbered(table, given)
    append(table, place, x)
    size *= table.cardinalities[x]
    layers = 0
    for y in targets:
        layers += table.cardinalities[y] - 1
    # The layer before those of a target is where its first state is counted.
    counts = np.empty((layers + 1, size), dtype=np.int64)
    end = layers + 1
    for t in range(len(targets) - 1, -1, -1):
        begin = end - table.cardinalities[targets[t]]
        _tally(table, targets[t], place, counts[begin:end])
        end = begin + 1
    cells = np.zeros((1, size), dtype=np.int64)
    if len(targets) == 0:
        for cell in place:
            cells[0, cell] += 1
        return cells, counts[1:]
    for layer in range(table.cardinalities[targets[0]]):
        for m in range(size):
            cells[0, m] += counts[layer, m]
    return cells, counts[1:]


@inner
def numbered(table, given):  # type: ignore[no-untyped-def]
    """The configuration of each row among all of them, and how many there are."""
    ids, size = np.zeros(table.rows, dtype=np.int32), np.int64(1)
    for z in given:
        append(table, ids, z)
        size *= table.cardinalities[z]
    return ids, size


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


@inner
def _tally(table, y, place, counts):  # type: ignore[no-untyped-def]
    """Count rows by the state of y and their cell."""
    # Unsigned numbers are never counted from the end: nothing is asked before they are used.
    stored, size = table.codes[y], np.uint64(counts.shape[1])
    flat = counts.reshape(counts.size)
    fill(flat, 0)
    if len(stored) == len(place):
        for i in range(len(place)):
            flat[np.uint64(stored[i]) * size + np.uint64(place[i])] += 1
        return
    codes = column(table, y)
    for i in range(len(place)):
        flat[np.uint64(codes[i]) * size + np.uint64(place[i])] += 1
