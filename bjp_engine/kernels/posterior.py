"""The Bayesian test from a table's slices (SPEC section 2).

Slice k weighs dependence against independence by the ratio h_k / g_k of its evidence. With ρ(m, n)
= ln Γ(γm + n) - ln Γ(γm), cells c, margins a and b and n rows in a slice of r_x × r_y cells,

    ln h_k - ln g_k = Σ ρ(1, c) - Σ ρ(1, a) - Σ ρ(1, b) + ρ(r_x, n) + ρ(r_y, n) - ρ(r_x r_y, n),

which is 0 where there is one row, or none. The test is Σ_k ln(1 + (1 - p_k) / p_k · h_k / g_k).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.borrow import borrowed
from bjp_engine.kernels.cells import begin_anew, zeros
from bjp_engine.kernels.compiled import inlined, inner, kernel
from bjp_engine.kernels.plain import copy, sum_of
from bjp_engine.kernels.rising import Whole, fill_rising, rising_in

# A slice whose evidence weighs more than e^100 either way is added as a log; the odds of the
# others are multiplied up, and the product is turned into a log before it overflows.
HEAVY = 100.0
HUGE = 1e150
# Beyond these a prior's odds are not multiplied with a slice's weight but added in logs.
_MOST_ODDS, _LEAST_ODDS = 100.0, -600.0
# Below this a sum of exponentials has lost digits to underflow; its log is summed instead.
TINY = 1e-200
# Slices of two by two cells and so few rows are looked up.
FEW = 15
# What is asked of a test.
INDEPENDENT, DEPENDENT = 0, 1


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
    """The entries of the table of few rows.

    Returns
    -------
    int
    """
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
    """

    rows: NDArray[np.int64]
    place: NDArray[np.int64]
    fixed: Whole


class Prior(NamedTuple):
    """The prior of independence spread over K slices.

    Parameters
    ----------
    k : float
        K; infinite where it is too large for a float.
    log_p, log_q : float
        ln p_k and ln(1 - p_k).
    log_prior : float
    """

    k: float
    log_p: float
    log_q: float
    log_prior: float


@kernel
def spread_prior(log_prior, k, log_k):  # type: ignore[no-untyped-def]
    """ln p_k = ln(prior) / K and ln(1 - p_k), finite however large K is."""
    log_share = math.log(-log_prior) - log_k
    share = math.exp(log_share) if k > 1 else -log_prior
    log_q = log_share - share / 2 if share < 1e-8 else math.log(-math.expm1(-share))
    return Prior(k, -share, log_q, log_prior)


@inlined
def silent(prior, slices):  # type: ignore[no-untyped-def]
    """-ln of what that many slices contribute together when they keep their prior."""
    return -prior.log_prior * ((prior.k - slices) / prior.k if prior.k < np.inf else 1.0)


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
    return Slices(rows, place, fixed)


@inner
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


@inner
def _fixed_beyond(evidence, n, cells, ry):  # type: ignore[no-untyped-def]
    """The same where the table doesn't reach."""
    rx = len(cells)
    fixed = rising_in(evidence, rx, n) + rising_in(evidence, ry, n)
    fixed -= rising_in(evidence, rx * ry, n)
    for count in cells:
        fixed -= rising_in(evidence, np.int64(1), count)
    return fixed


@inner
def fill_ratios(evidence, cells, within, slices, ratios):  # type: ignore[no-untyped-def]
    """ln h_k - ln g_k of all slices; `within` are the cells of y's states but the first."""
    rx, table, unit = cells.shape[1], evidence.table, 0.5**evidence.bits
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


@inner
def _ratio_beyond(evidence, cells, within, k, ratio):  # type: ignore[no-untyped-def]
    """The same for a slice of more rows than the table has entries, in units."""
    rest, rx = np.empty(len(cells), dtype=np.int64), len(cells)
    copy(cells, rest)
    for t in range(len(within)):
        of_y = within[t, k * rx : (k + 1) * rx]
        for m in range(rx):
            rest[m] -= of_y[m]
        for count in of_y:
            ratio += rising_in(evidence, np.int64(1), count)
        ratio -= rising_in(evidence, np.int64(1), sum_of(of_y))
    for count in rest:
        ratio += rising_in(evidence, np.int64(1), count)
    return ratio - rising_in(evidence, np.int64(1), sum_of(rest))


@kernel
def evidence_of_slices(evidence, keys, counts, size, rx, ry):  # type: ignore[no-untyped-def]
    """ln g_k, ln h_k and their exact difference, from the cells that occur.

    Where g = h by the formula (one row) they are equal to the last bit.
    """
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


@inner
def softplus(d):  # type: ignore[no-untyped-def]
    """ln(1 + e^d)."""
    return d + math.log1p(math.exp(-d)) if d > 0 else math.log1p(math.exp(d))


@kernel
def doubt_of(prior, ratios):  # type: ignore[no-untyped-def]
    """s = -ln Pr(X ⊥ Y | Z, D), the sum of ln(1 + odds) over all K slices.

    Slices with g = h keep their prior; counting them makes ½ stay ½ to the last bit.
    """
    log_odds = prior.log_q - prior.log_p
    usual = _LEAST_ODDS < log_odds < _MOST_ODDS
    odds = math.exp(log_odds) if usual else 0.0
    total, product, spoken = 0.0, 0.0, 0
    for ratio in ratios:
        if ratio < HEAVY and usual:
            weight = math.exp(ratio)
            if weight != 1.0:
                spoken += 1
                # 1 + product is the product of all (1 + odds); small odds keep their digits.
                product += odds * weight + product * (odds * weight)
                if product > HUGE:
                    total += math.log1p(product)
                    product = 0.0
        elif ratio != 0.0:
            spoken += 1
            total += softplus(log_odds + ratio)
    return total + math.log1p(product) + silent(prior, spoken)


@inner
def doubts_of(evidence, prior, cells, within, states, slices, doubts):  # type: ignore[no-untyped-def]
    """The same for several y, from their counts; `states` are the states of each."""
    begin = 0
    ratios = np.empty(len(cells))
    by_two, rows = cells.shape[1] == 2, 0
    for r in states:
        by_two = by_two and r == 2
    for n in slices.rows:
        rows = max(rows, n)
    if by_two and rows < len(evidence.table):
        prepare(evidence, slices, cells, np.int64(2))
        _doubts_of_pairs(evidence, prior, cells, within, slices, doubts)
        return
    for t in range(len(states)):
        if t == 0 or states[t] != states[t - 1]:
            prepare(evidence, slices, cells, states[t])
        end = begin + states[t] - 1
        fill_ratios(evidence, cells, within[begin:end], slices, ratios)
        doubts[t] = doubt_of(prior, ratios)
        begin = end


@inner
def _doubts_of_pairs(evidence, prior, cells, within, slices, doubts):  # type: ignore[no-untyped-def]
    """The same where x and every y have two states."""
    table, few = evidence.table, evidence.few
    rows, place, fixed = slices
    unit = 0.5**evidence.bits
    log_odds = prior.log_q - prior.log_p
    odds = math.exp(log_odds)
    for t in range(len(doubts)):
        total, product, spoken = 0.0, 0.0, 0
        for k in range(len(rows)):
            c0, c1, a1 = within[t, 2 * k], within[t, 2 * k + 1], cells[k, 1]
            b1 = c0 + c1
            if place[k] >= 0:
                weight = few[place[k] + b1 * (a1 + 1) + c1]
            else:
                n = rows[k]
                a0, b0 = n - a1, n - b1
                ratio = fixed[k] + table[a0 - c0] + table[a1 - c1] + table[c0] + table[c1]
                d = (ratio - table[b1] - table[b0]) * unit
                if d >= HEAVY:
                    spoken += 1
                    total += softplus(log_odds + d)
                    continue
                weight = math.exp(d)
            if weight != 1.0:
                spoken += 1
                product += odds * weight + product * (odds * weight)
                if product > HUGE:
                    total += math.log1p(product)
                    product = 0.0
        doubts[t] = total + math.log1p(product) + silent(prior, spoken)


@inlined
def add_pair(evidence, sums, log_odds, n, a, b, c):  # type: ignore[no-untyped-def]
    """Add one slice of two by two cells to (total, product, spoken), by its counts; γ is 1."""
    total, product, spoken = sums
    table = evidence.table
    if n <= FEW:
        weight = evidence.few[few_place(n, a) + b * (a + 1) + c]
    else:
        ratio = table[3] + 2 * table[n + 1] - table[n + 3] - table[a] - table[n - a]
        ratio += table[c] + table[a - c] + table[b - c] + table[n - a - b + c]
        d = (ratio - table[b] - table[n - b]) * 0.5**evidence.bits
        if d >= HEAVY:
            return total + softplus(log_odds + d), product, spoken + 1
        weight = math.exp(d)
    if weight == 1.0:
        return sums
    odds = math.exp(log_odds) * weight
    product += odds + product * odds
    if product > HUGE:
        return total + math.log1p(product), 0.0, spoken + 1
    return total, product, spoken + 1


@inlined
def usual_prior(prior):  # type: ignore[no-untyped-def]
    """Whether the prior's odds may be multiplied with a slice's weight."""
    return _LEAST_ODDS < prior.log_q - prior.log_p < _MOST_ODDS


@kernel
def log_dependent(s):  # type: ignore[no-untyped-def]
    """ln Pr(X ⊥̸ Y | Z, D) = ln(1 - e^-s), from the side that keeps its digits."""
    return math.log(-math.expm1(-s)) if s < math.log(2) else math.log1p(-math.exp(-s))


@kernel
def log_dependent_tiny(prior, ratios):  # type: ignore[no-untyped-def]
    """The same for an s below TINY: ln(1 + e^d) = e^d in every slice, and ln(1 - e^-s) = ln s."""
    top, total = -np.inf, 0.0
    for ratio in ratios:
        if ratio != 0.0:
            top = max(top, ratio)
    for ratio in ratios:
        if ratio != 0.0:
            total += math.exp(ratio - top)
    return (prior.log_q - prior.log_p) + top + math.log(total)


@kernel
def fill_tables(table, evidence):  # type: ignore[no-untyped-def]
    """Fill the table of ρ(1, n), and that of few rows."""
    log_gamma = math.log(evidence.gamma)
    fill_rising(evidence.table, evidence.logs, evidence.gamma, log_gamma, evidence.bits)
    cells, within = np.zeros((1, 2), dtype=np.int64), np.zeros((1, 2), dtype=np.int64)
    ratio = np.zeros(1)
    for n in range(FEW + 1):
        for a in range(n + 1):
            cells[0, 0], cells[0, 1] = n - a, a
            begin_anew(table)
            slices = open_slices(table, cells)
            prepare(evidence, slices, cells, np.int64(2))
            for b in range(n + 1):
                for c in range(max(0, a + b - n), min(a, b) + 1):
                    within[0, 0], within[0, 1] = b - c, c
                    fill_ratios(evidence, cells, within, slices, ratio)
                    evidence.few[few_place(n, a) + b * (a + 1) + c] = math.exp(ratio[0])
