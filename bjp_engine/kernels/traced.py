"""The cells of one test or one local score, kept for a trace instead of only added up."""

from __future__ import annotations

import math

import numpy as np

from bjp_engine.kernels.compiled import inner, kernel
from bjp_engine.kernels.counting import fits, lay_out
from bjp_engine.kernels.groups import sparse_cells, strata, tally
from bjp_engine.kernels.intrinsics import borrowed
from bjp_engine.kernels.local import risen, table_of
from bjp_engine.kernels.loops import row_numbers
from bjp_engine.kernels.rising import in_units
from bjp_engine.kernels.table import column


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
    every = row_numbers(table.rows)
    keys, counts = sparse_cells(table, x, y, every, ids)
    first = np.full(size, -1)
    for i in range(table.rows - 1, -1, -1):
        first[ids[i]] = i
    return first, False, keys, counts


@inner
def _laid_out(table, x, targets, given):  # type: ignore[no-untyped-def]
    """The same from all slices laid out."""
    rx, ry = table.cardinalities[x], table.cardinalities[targets[0]]
    cells, within = lay_out(table, x, given, targets)
    size = cells.shape[1] // rx
    slices, keys = np.empty(size, dtype=np.int64), np.empty(size * rx * ry, dtype=np.int64)
    counts, found, filled = np.empty(size * rx * ry, dtype=np.int64), 0, 0
    for k in range(size):
        start = filled
        for m in range(rx):
            rest = cells[0, k * rx + m]
            for state in range(1, ry):
                rest -= within[state - 1, k * rx + m]
            for state in range(ry):
                count = rest if state == 0 else within[state - 1, k * rx + m]
                if count > 0:
                    keys[filled], counts[filled] = (found * rx + m) * ry + state, count
                    filled += 1
        if filled > start:
            slices[found] = k
            found += 1
    return slices[:found], True, keys[:filled], counts[:filled]


@kernel
def cells_of_node(table, j, given):  # type: ignore[no-untyped-def]
    """The cells of j within the configurations that have rows: where each begins, and counts."""
    table = borrowed(table)
    ids, size = strata(table, given)
    codes, r = column(table, j), table.cardinalities[j]
    keys, first = np.empty(table.rows, dtype=np.int64), np.full(size, -1)
    for i in range(table.rows - 1, -1, -1):
        keys[i] = ids[i] * r + codes[i]
        first[ids[i]] = i
    keys, counts = tally(keys)
    return first, keys, counts


@kernel
def values_of_configurations(prior, logs, keys, counts, size, r):  # type: ignore[no-untyped-def]
    """The parts of a local score, from the cells configuration · r + state; and their sum."""
    prior = borrowed(prior)
    alpha, total = table_of(prior, logs[0]), table_of(prior, logs[1])
    values, end, sum_of_all = np.empty(size), 0, np.int64(0)
    for k in range(size):
        rows, units = np.int64(0), np.int64(0)
        while end < len(keys) and keys[end] < (k + 1) * r:
            rows += counts[end]
            units += risen(prior, alpha, logs[0], counts[end])
            end += 1
        if rows == 1:
            units = -in_units(math.log(float(r)), prior.bits)
        else:
            units -= risen(prior, total, logs[1], rows)
        values[k] = units * 0.5**prior.bits
        sum_of_all += units
    return values, sum_of_all * 0.5**prior.bits
