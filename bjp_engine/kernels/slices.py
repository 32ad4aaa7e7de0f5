"""What the slices of a table say: the ratio of the evidence of dependence to that of independence.

With ρ(m, n) = ln Γ(γm + n) - ln Γ(γm), cells c, margins a and b and n rows in a slice of r_x × r_y
cells (docs/theory.md §2),

    ln h_k - ln g_k = Σ ρ(1, c) - Σ ρ(1, a) - Σ ρ(1, b) + ρ(r_x, n) + ρ(r_y, n) - ρ(r_x r_y, n),

which is 0 where there is one row, or none. What the tests of one x share is prepared once.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.borrow import borrowed
from bjp_engine.kernels.cells import begin_anew, zeros
from bjp_engine.kernels.compiled import bare, inlined, inner, kernel
from bjp_engine.kernels.plain import sum_of
from bjp_engine.kernels.rising import Whole, fill_rising, rising_in

# Slices of two by two cells and so few rows are looked up.
FEW = 15


class Evidence(NamedTuple):
    """What the evidence of a slice is computed with.

    Parameters
    ----------
    gamma : float
        γ, the hyperparameter of every cell.
    bits : int
        Evidence is in units of 2^-bits, see `bjp_engine.kernels.rising`.
    table : ndarray of int64
        ρ(1, n).
    logs : ndarray of float
        See `bjp_engine.kernels.rising.leading_logs`.
    few : ndarray of float
        h / g of two by two cells with at most FEW rows, see `few_place`; empty where one is too
        heavy to be multiplied.
    log_prior : float
        ln of the prior probability of independence.
    observed : bool
        Whether K counts only the configurations that occur.
    """

    gamma: float
    bits: int
    table: Whole
    logs: NDArray[np.float64]
    few: NDArray[np.float64]
    log_prior: float
    observed: bool


@inner
def borrow_evidence(evidence):  # type: ignore[no-untyped-def]
    """The same with its arrays borrowed."""
    table, logs, few = borrowed(evidence.table), borrowed(evidence.logs), borrowed(evidence.few)
    return Evidence(
        evidence.gamma, evidence.bits, table, logs, few, evidence.log_prior, evidence.observed
    )


def few_size() -> int:
    """The entries of the table of few rows."""
    return sum((n + 1) ** 2 * (n + 2) // 2 for n in range(FEW + 1))


class Slices(NamedTuple):
    """What the tests of one x given one Z share of each slice.

    Parameters
    ----------
    rows : ndarray of int64, shape (S,)
        n_k.
    place : ndarray of int64, shape (S,)
        Where the slice's weights begin in the table of few rows; -1 where it isn't looked up.
    fixed : ndarray of int64, shape (S,)
        What in ln h_k - ln g_k depends on the states of y, but not on y.
    ratios : ndarray of float, shape (S,)
        ln h_k - ln g_k of the y at hand.
    """

    rows: NDArray[np.int64]
    place: NDArray[np.int64]
    fixed: Whole
    ratios: NDArray[np.float64]


@inlined
def few_place(n, a):  # type: ignore[no-untyped-def]
    """Where the weights of two by two cells with n rows, a of them in x's state 1, begin.

    There the weight with b rows in y's state 1, c of them in both, is at b (a + 1) + c.
    """
    # Σ_{m < n} (m + 1) (m + 1) (m + 2) / 2, and (n + 1) a (a + 1) / 2.
    return n * (n + 1) * (n + 2) * (3 * n + 1) // 24 + (n + 1) * a * (a + 1) // 2


@inner
def open_slices(table, cells):  # type: ignore[no-untyped-def]
    """The rows of each slice, from the cells of (Z, x)."""
    size, rx = cells.shape
    all_three = zeros(table, np.int64(3), np.int64(size))
    rows, place, fixed = all_three[0], all_three[1], all_three[2]
    for k in range(size):
        place[k] = -1
        for m in range(rx):
            rows[k] += cells[k, m]
    return Slices(rows, place, fixed, np.empty(size))


@bare
def prepare(evidence, slices, cells, ry):  # type: ignore[no-untyped-def]
    """Fill in the parts of the ratios that don't depend on which y it is."""
    rx, table = cells.shape[1], evidence.table
    looked_up = rx == 2 and ry == 2 and len(evidence.few) > 0
    reach = len(table) - rx * ry if evidence.gamma == 1.0 else 0
    shift = np.int64(0)
    if reach > 0:
        shift = table[rx * ry - 1] - table[rx - 1] - table[ry - 1]
    for k in range(len(cells)):
        n = slices.rows[k]
        if looked_up and n <= FEW:
            slices.place[k] = few_place(n, cells[k, 1])
        if n < 2:
            continue
        if n < reach:
            fixed = shift + table[n + rx - 1] + table[n + ry - 1] - table[n + rx * ry - 1]
            for m in range(rx):
                fixed -= table[cells[k, m]]
            slices.fixed[k] = fixed
        else:
            slices.fixed[k] = _fixed_beyond(evidence, n, cells[k], ry)


@bare
def _fixed_beyond(evidence, n, cells, ry):  # type: ignore[no-untyped-def]
    """The same where the table doesn't reach."""
    rx = len(cells)
    fixed = rising_in(evidence, rx, n) + rising_in(evidence, ry, n)
    fixed -= rising_in(evidence, rx * ry, n)
    for count in cells:
        fixed -= rising_in(evidence, np.int64(1), count)
    return fixed


@bare
def fill_ratios(evidence, cells, within, slices):  # type: ignore[no-untyped-def]
    """ln h_k - ln g_k of all slices; `within` are the cells of y's states but the first."""
    rx, table, unit = cells.shape[1], evidence.table, 0.5**evidence.bits
    ratios = slices.ratios
    for k in range(len(ratios)):
        ratio, first = slices.fixed[k], slices.rows[k]
        if first < 2:
            ratios[k] = 0.0
            continue
        if first >= len(table):
            ratios[k] = _ratio_beyond(evidence, cells[k], within, k, ratio) * unit
            continue
        for m in range(rx):
            count = cells[k, m]
            for t in range(len(within)):
                count -= within[t, k * rx + m]
            ratio += table[count]
        for t in range(len(within)):
            margin = 0
            for m in range(rx):
                margin += within[t, k * rx + m]
                ratio += table[within[t, k * rx + m]]
            first -= margin
            ratio -= table[margin]
        ratios[k] = (ratio - table[first]) * unit


@bare
def _ratio_beyond(evidence, cells, within, k, ratio):  # type: ignore[no-untyped-def]
    """The same for a slice of more rows than the table has entries, in units."""
    rx, one, rest = len(cells), np.int64(1), sum_of(cells)
    for t in range(len(within)):
        margin = np.int64(0)
        for m in range(k * rx, (k + 1) * rx):
            margin += within[t, m]
            ratio += rising_in(evidence, one, within[t, m])
        ratio -= rising_in(evidence, one, margin)
        rest -= margin
    for m in range(rx):
        count = cells[m]
        for t in range(len(within)):
            count -= within[t, k * rx + m]
        ratio += rising_in(evidence, one, count)
    return ratio - rising_in(evidence, one, rest)


@kernel
def evidence_of_slices(evidence, keys, counts, size, rx, ry):  # type: ignore[no-untyped-def]
    """ln g_k, ln h_k and their exact difference, from the cells that occur.

    Where g = h by the formula (one row) they are equal to the last bit.
    """
    evidence = borrow_evidence(evidence)
    log_g, log_h, ratios = np.empty(size), np.empty(size), np.empty(size)
    column = np.zeros(ry, dtype=np.int64)
    unit, end = 0.5**evidence.bits, 0
    for k in range(size):
        start, rows, margin, state = end, np.int64(0), np.int64(0), np.int64(-1)
        of_margins, of_cells = np.int64(0), np.int64(0)
        while end < len(keys) and keys[end] < (k + 1) * rx * ry:
            if keys[end] // ry != state:
                of_margins += rising_in(evidence, np.int64(1), margin)
                margin, state = np.int64(0), keys[end] // ry
            of_cells += rising_in(evidence, np.int64(1), counts[end])
            margin += counts[end]
            column[keys[end] % ry] += counts[end]
            rows += counts[end]
            end += 1
        of_margins += rising_in(evidence, np.int64(1), margin)
        for cell in range(start, end):
            of_margins += rising_in(evidence, np.int64(1), column[keys[cell] % ry])
            column[keys[cell] % ry] = 0
        if rows == 1:
            log_g[k] = log_h[k] = -math.log(rx) - math.log(ry)
            ratios[k] = 0.0
            continue
        of_margins -= rising_in(evidence, rx, rows) + rising_in(evidence, ry, rows)
        of_cells -= rising_in(evidence, rx * ry, rows)
        log_g[k], log_h[k] = of_margins * unit, of_cells * unit
        ratios[k] = (of_cells - of_margins) * unit
    return log_g, log_h, ratios


@kernel
def fill_tables(table, evidence):  # type: ignore[no-untyped-def]
    """Fill the table of ρ(1, n), and that of few rows."""
    evidence, log_gamma = borrow_evidence(evidence), math.log(evidence.gamma)
    fill_rising(evidence.table, evidence.logs, evidence.gamma, log_gamma, evidence.bits)
    cells, within = np.zeros((1, 2), dtype=np.int64), np.zeros((1, 2), dtype=np.int64)
    for n in range(FEW + 1):
        for a in range(n + 1):
            cells[0, 0], cells[0, 1] = n - a, a
            begin_anew(table)
            slices = open_slices(table, cells)
            prepare(evidence, slices, cells, np.int64(2))
            for b in range(n + 1):
                for c in range(max(0, a + b - n), min(a, b) + 1):
                    within[0, 0], within[0, 1] = b - c, c
                    fill_ratios(evidence, cells, within, slices)
                    evidence.few[few_place(n, a) + b * (a + 1) + c] = math.exp(slices.ratios[0])
