"""The table of one variable x against others, within the slices of a conditioning set Z.

Two ways lead to the same counts. *By masks*, where the cells are few: one mask of rows for
each choice of "any state" or "state s ≥ 1" of every variable of Z and of x; its intersection
with a plane of y is counted, and the counts of single states follow by subtraction (Möbius
inversion on each axis). All y share the masks, and what involves at most two variables is
known already. *By strata*, where there are many: the rows are grouped by the configurations
of Z that occur; a stratum of one row says nothing of (in)dependence and is left out.

Either way a table is a list of *layers*, one for each state of y, of counts by cell
(slice · r_x + state of x), slices in lexicographic order of Z.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.bits import Planes
from bjp_engine.kernels.borrow import borrowed
from bjp_engine.kernels.compiled import inner, kernel
from bjp_engine.kernels.vectors import STEP, common, intersect

# Words of all masks together that are made at a time: 32 KB, the nearest cache.
MASK_WORDS = 32768
LEAST_BLOCK = 64
# Counts that fit into memory written on and forgotten (64 KB).
SCRATCH_COUNTS = 1 << 13
# Planes that a mask is counted in while it is made.
FIRST = 3


NO_ROWS = np.empty((0, 0), dtype=np.uint8)


class Scratch(NamedTuple):
    """Memory that kernels write on and forget, so that a test needs none of its own.

    Parameters
    ----------
    counts : ndarray of int64
    words : ndarray of uint64
    used : ndarray of int64, shape (1,)
        How many of the counts are taken; a kernel that begins anew sets it to 0.
    """

    counts: NDArray[np.int64]
    words: NDArray[np.uint64]
    used: NDArray[np.int64]


def new_scratch() -> Scratch:
    """Memory for one search; not to be shared between threads.

    Returns
    -------
    Scratch
    """
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
    cardinalities : ndarray of int64, shape (n,)
    planes : Planes
    most_masks : int
        Up to so many cells (of Z and x, times the states of y but one) masks are used, and up
        to four times as many where there is one y only.
    scratch : Scratch
    by_row : ndarray of uint8, shape (N, n)
        The codes of a row side by side, where a search that needs it made it; else empty.
    """

    rows: int
    codes: NDArray[np.uint8]
    cardinalities: NDArray[np.int64]
    planes: Planes
    most_masks: int
    scratch: Scratch
    by_row: NDArray[np.uint8]


def blank_table() -> Table:
    """A table without a row, for what only needs its scratch.

    Returns
    -------
    Table
    """
    none = np.empty(0, dtype=np.int64)
    words, pairs = np.empty((0, STEP), dtype=np.uint64), np.empty((0, 0), dtype=np.int32)
    codes = np.empty((0, 0), dtype=np.uint8)
    codes.setflags(write=False)
    planes = Planes(words, none, pairs)
    return Table(0, codes, none, planes, 0, new_scratch(), NO_ROWS)


@inner
def borrow_table(table):  # type: ignore[no-untyped-def]
    """The table with its arrays borrowed."""
    words, first, pairs = table.planes
    planes = Planes(borrowed(words), borrowed(first), borrowed(pairs))
    codes, cardinalities = borrowed(table.codes), borrowed(table.cardinalities)
    counts, spare, used = table.scratch
    scratch = Scratch(borrowed(counts), borrowed(spare), borrowed(used))
    by_row = borrowed(table.by_row)
    return Table(table.rows, codes, cardinalities, planes, table.most_masks, scratch, by_row)


@inner
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


@inner
def monomials(table, x, given):  # type: ignore[no-untyped-def]
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


@inner
def radices(table, x, given):  # type: ignore[no-untyped-def]
    """The number of states of each digit of a cell's number, the last digit first."""
    radix = zeros(table, np.int64(1), np.int64(len(given) + 1))[0]
    radix[0] = table.cardinalities[x]
    for k in range(len(given)):
        radix[k + 1] = table.cardinalities[given[len(given) - 1 - k]]
    return radix


@inner
def single_states(counts, radix):  # type: ignore[no-untyped-def]
    """Möbius inversion of each row in place: what is not in a state s ≥ 1 is in state 0."""
    for t in range(counts.shape[0]):
        stride = 1
        for r in radix:
            for start in range(0, counts.shape[1], stride * r):
                for state in range(1, r):
                    for u in range(start, start + stride):
                        counts[t, u] -= counts[t, u + state * stride]
            stride *= r


@inner
def target_planes(table, targets):  # type: ignore[no-untyped-def]
    """The planes of several variables, one after another."""
    total = np.int64(0)
    for y in targets:
        total += table.cardinalities[y] - 1
    planes = zeros(table, np.int64(1), total)[0]
    count = 0
    for y in targets:
        for state in range(table.cardinalities[y] - 1):
            planes[count] = table.planes.first[y] + state
            count += 1
    return planes


@inner
def count_by_masks(table, x, given, targets):  # type: ignore[no-untyped-def]
    """The cells of (Z, x), and their part in each plane of the targets.

    Returns
    -------
    cells : ndarray of int64, shape (1, K r_x)
    within : ndarray of int64, shape (planes of all targets, K r_x)
    """
    parent, plane, order = monomials(table, x, given)
    wanted = target_planes(table, targets)
    size = np.int64(len(order))
    cells, within = zeros(table, np.int64(1), size), zeros(table, np.int64(len(wanted)), size)
    _known(table.planes.pairs, plane, parent, order, wanted, cells, within)
    cells[0, 0] = table.rows
    if len(given) > 0:
        _intersect(table, plane, parent, order, wanted, cells, within)
    radix = radices(table, x, given)
    single_states(cells, radix)
    single_states(within, radix)
    return cells, within


@inner
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
def _intersect(table, plane, parent, order, wanted, cells, within):  # type: ignore[no-untyped-def]
    """Make the masks block by block, and count them within the wanted planes."""
    words, spare, size = table.planes.words, table.scratch.words, len(order)
    block = max(LEAST_BLOCK, MASK_WORDS // size // STEP * STEP)
    for begin in range(0, words.shape[1], block):
        end = min(words.shape[1], begin + block)
        width = end - begin
        flat = spare[:0]
        if size * width <= len(spare):
            flat = spare[: size * width]
        else:
            flat = np.empty(size * width, dtype=np.uint64)
        masks = flat.reshape((size, width))
        for m in range(1, size):
            if order[m] == 1:
                continue
            # The mask of one state is its plane.
            source = masks[parent[m]]
            if order[m] == 2:
                source = words[plane[parent[m]], begin:end]
            count = _make(words, masks[m], source, plane[m], begin, wanted, within[:, m])
            if order[m] > 2:
                cells[0, m] += count
        for t in range(FIRST, len(wanted), 4):
            for m in range(1, size):
                if order[m] > 1:
                    _count(words, masks[m], begin, wanted[t : t + 4], within[t:, m])


@inner
def _make(words, target, mask, plane, begin, wanted, counts):  # type: ignore[no-untyped-def]
    """Intersect a mask with a plane; its rows, and those within the first of the wanted planes."""
    if len(wanted) == 0:
        return intersect(target, mask, plane, words, (), begin)[0]
    if len(wanted) == 1:
        rows, a = intersect(target, mask, plane, words, (wanted[0],), begin)
        counts[0] += a
        return rows
    if len(wanted) == 2:
        rows, a, b = intersect(target, mask, plane, words, (wanted[0], wanted[1]), begin)
        counts[0] += a
        counts[1] += b
        return rows
    first = (wanted[0], wanted[1], wanted[2])
    rows, a, b, c = intersect(target, mask, plane, words, first, begin)
    counts[0] += a
    counts[1] += b
    counts[2] += c
    return rows


@inner
def _count(words, mask, begin, wanted, counts):  # type: ignore[no-untyped-def]
    """Add the rows of a mask within up to four planes."""
    if len(wanted) == 4:
        four = (wanted[0], wanted[1], wanted[2], wanted[3])
        a, b, c, d = common(mask, words, four, begin)
        counts[0] += a
        counts[1] += b
        counts[2] += c
        counts[3] += d
        return
    for t in range(len(wanted)):
        counts[t] += common(mask, words, (wanted[t],), begin)[0]


@inner
def without(table, cells, x, given, place):  # type: ignore[no-untyped-def]
    """The cells of (Z, x) as those of x and y within Z without y = given[place].

    Returns
    -------
    cells : ndarray of int64, shape (K / r_y · r_x,)
    within : ndarray of int64, shape (r_y - 1, K / r_y · r_x)
    """
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


@inner
def count_by_rows(table, x, given):  # type: ignore[no-untyped-def]
    """The cells of (Z, x), each row counted where it belongs."""
    size = table.cardinalities[x]
    for z in given:
        size *= table.cardinalities[z]
    place = np.zeros(table.rows, dtype=np.int32)
    for k in range(len(given) + 1):
        v = x
        if k < len(given):
            v = given[k]
        codes, r = column(table, v), np.int32(table.cardinalities[v])
        for i in range(len(place)):
            place[i] = place[i] * r + np.int32(codes[i])
    cells = np.zeros(size, dtype=np.int64)
    for i in range(len(place)):
        cells[place[i]] += 1
    return cells
