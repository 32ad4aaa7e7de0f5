"""Many tests of two states each given one larger set: all y of a row of codes counted at once.

Where Z has many slices, most of the time goes into finding, row by row and y by y, the cell that
a row belongs to. With the codes of a row side by side, all y are counted by adding the row to
its cell, sixteen codes an instruction; and then each slice is weighed for all y.
"""

from __future__ import annotations

import math

import numpy as np

from bjp_engine.kernels.compiled import bare, inner
from bjp_engine.kernels.plain import fill
from bjp_engine.kernels.posterior import HEAVY, HUGE, silent, softplus, usual_prior
from bjp_engine.kernels.slices import open_slices, prepare

# So many tests must share the work, and Z and x have so many cells, before it pays.
LEAST_TARGETS, LEAST_CELLS = 16, 64
# Cells of all columns that are held at a time: 16 MB.
MOST_COUNTS = 1 << 22


@bare
def suits(table, evidence, x, given, targets):  # type: ignore[no-untyped-def]
    """Whether the tests are of this kind."""
    cards, cells = table.cardinalities, table.cardinalities[x]
    binary = len(table.by_row) > 0 and len(targets) >= LEAST_TARGETS and cells == 2
    for z in given:
        cells = min(cells * cards[z], 1 << 40)
    for y in targets:
        binary = binary and cards[y] == 2
    return binary and cells >= LEAST_CELLS and table.rows < len(evidence.table)


@inner
def all_across(table, evidence, prior, x, targets, groups, doubts):  # type: ignore[no-untyped-def]
    """s = -ln Pr(x ⊥ y | Z, D) of all targets, as `posterior.doubts_of` would have it.

    Parameters
    ----------
    groups : tuple
        The rows that count, the stratum of each, and how many strata there are.
    doubts : ndarray of float
        Filled, one value a target.

    Returns
    -------
    bool
        False where nothing was done, since it would take too much memory.
    """
    rows, ids, size = groups
    columns = table.by_row.shape[1]
    if 2 * size * columns > MOST_COUNTS or not usual_prior(prior):
        return False
    counts, cells = _counted(table, x, rows, ids, size)
    slices = open_slices(table, cells)
    prepare(evidence, slices, cells, np.int64(2))
    _weigh(evidence, prior, targets, counts, cells, slices, doubts)
    return True


@inner
def _counted(table, x, rows, ids, size):  # type: ignore[no-untyped-def]
    """Rows in state 1 of every column, by (stratum, state of x), and rows in all."""
    by_row, columns = table.by_row, table.by_row.shape[1]
    counts = np.zeros((2 * size, columns), dtype=np.int32)
    cells = np.zeros((size, 2), dtype=np.int64)
    for i in range(len(rows)):
        codes = by_row[rows[i]]
        state = np.int64(codes[x])
        cells[ids[i], state] += 1
        cell = counts[2 * ids[i] + state]
        for y in range(columns):
            cell[y] += np.int32(codes[y])
    return counts, cells


@inner
def _weigh(evidence, prior, targets, counts, cells, slices, doubts):  # type: ignore[no-untyped-def]
    """Slice by slice, each for all targets."""
    table, few, unit = evidence.table, evidence.few, 0.5**evidence.bits
    rows, place, fixed = slices.rows, slices.place, slices.fixed
    log_odds = prior.log_q - prior.log_p
    odds = math.exp(log_odds)
    products, spoken = np.zeros(len(targets)), np.zeros(len(targets))
    fill(doubts, 0.0)
    for k in range(len(rows)):
        zero, one = counts[2 * k], counts[2 * k + 1]
        n, a1, start, constant = rows[k], cells[k, 1], place[k], fixed[k]
        for t in range(len(targets)):
            c0, c1 = np.int64(zero[targets[t]]), np.int64(one[targets[t]])
            b1 = c0 + c1
            if start >= 0:
                weight = few[start + b1 * (a1 + 1) + c1]
            else:
                ratio = constant + table[n - a1 - c0] + table[a1 - c1] + table[c0] + table[c1]
                d = (ratio - table[b1] - table[n - b1]) * unit
                if d >= HEAVY:
                    spoken[t] += 1
                    doubts[t] += softplus(log_odds + d)
                    continue
                weight = math.exp(d)
            if weight != 1.0:
                spoken[t] += 1
                product = products[t]
                product += odds * weight + product * (odds * weight)
                if product > HUGE:
                    doubts[t] += math.log1p(product)
                    product = 0.0
                products[t] = product
    for t in range(len(targets)):
        doubts[t] = doubts[t] + math.log1p(products[t]) + silent(prior, spoken[t])
