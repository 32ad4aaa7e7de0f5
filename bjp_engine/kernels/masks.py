"""Counting by masks, for tables of few cells.

One mask of rows is made for each choice of "any state" or "state s ≥ 1" of every variable of Z
and of x; its intersection with a plane of y is counted, and the counts of single states follow
by subtraction (Möbius inversion on each axis). All y share the masks, and what involves at most
two variables is known already.
"""

from __future__ import annotations

import numpy as np

from bjp_engine.kernels.cells import MASK_WORDS, zeros
from bjp_engine.kernels.compiled import bare, inner
from bjp_engine.kernels.vectors import STEP, address, common, intersect

LEAST_BLOCK = 64
# Planes that a mask is counted in while it is made.
FIRST = 3


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


@bare
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
    """The cells of (Z, x), and their part in each plane of the targets."""
    parent, plane, order = monomials(table, x, given)
    wanted = target_planes(table, targets)
    size = np.int64(len(order))
    cells, within = zeros(table, np.int64(1), size), zeros(table, np.int64(len(wanted)), size)
    _known(table.planes.pairs, plane, parent, order, wanted, cells, within)
    cells[0, 0] = table.rows
    if len(given) > 0:
        spare = table.scratch.words
        if size * LEAST_BLOCK > len(spare):
            spare = np.empty(size * LEAST_BLOCK, dtype=np.uint64)
        addresses = zeros(table, np.int64(1), np.int64(len(wanted)))[0]
        of_masks = (parent, plane, order)
        _intersect(table.planes.words, spare, of_masks, wanted, addresses, cells, within)
    radix = radices(table, x, given)
    single_states(cells, radix)
    single_states(within, radix)
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
            count = _make((made, source, one), addresses, steps, within, m)
            if order[m] > 2:
                cells[0, m] += count
        for t in range(FIRST, len(wanted), 4):
            for m in range(1, size):
                if order[m] > 1:
                    _count(address(masks, m, 0), addresses, steps, t, within, m)


@bare
def _make(of_mask, planes, steps, within, m):  # type: ignore[no-untyped-def]
    """Make a mask of another one and a plane; its rows, and those in the first of the planes."""
    made, source, one = of_mask
    if len(planes) == 0:
        return intersect(made, source, one, (), steps)[0]
    if len(planes) == 1:
        rows, a = intersect(made, source, one, (planes[0],), steps)
        within[0, m] += a
        return rows
    if len(planes) == 2:
        rows, a, b = intersect(made, source, one, (planes[0], planes[1]), steps)
        within[0, m] += a
        within[1, m] += b
        return rows
    rows, a, b, c = intersect(made, source, one, (planes[0], planes[1], planes[2]), steps)
    within[0, m] += a
    within[1, m] += b
    within[2, m] += c
    return rows


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
