"""The Bayesian test of a table: the evidence of each slice, and what all of them make of it.

With ρ(m, n) = ln Γ(γm + n) - ln Γ(γm), cells c, margins a and b and n rows in a slice of r_x × r_y
cells (docs/theory.md §2), slice k weighs dependence against independence by

    ln h_k - ln g_k = Σ ρ(1, c) - Σ ρ(1, a) - Σ ρ(1, b) + ρ(r_x, n) + ρ(r_y, n) - ρ(r_x r_y, n),

which is 0 where there is one row, or none. What the tests of one x share is prepared once. Its
odds are h_k / g_k (1 - p_k) / p_k, and -ln Pr(X ⊥ Y | Z, D) is the sum of ln(1 + odds) over all k.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.centred import (
    KAPPAS,
    log_mean,
    pair_odds,
    sparse_odds,
)
from bjp_engine.kernels.compiled import bare, borrowed, inlined, inner, kernel
from bjp_engine.kernels.counting import cells_laid_out
from bjp_engine.kernels.loops import sum_of
from bjp_engine.kernels.rising import Whole, fill_rising, rising_in

# Slices of two by two cells and so few rows are looked up.
FEW = 15
# A slice whose evidence weighs more than e^100 either way is added as a log; the odds of the
# others are multiplied up, and the product is turned into a log before it overflows.
HEAVY = 100.0
HUGE = 1e150
# Beyond these a prior's odds are not multiplied with a slice's weight but added in logs.
_MOST_ODDS, _LEAST_ODDS = 100.0, -600.0
# Below this a sum of exponentials has lost digits to underflow; its log is summed instead.
TINY = 1e-200
# What is asked of a test.
INDEPENDENT, DEPENDENT = 0, 1


class Evidence(NamedTuple):
    """What the evidence of a slice is computed with."""

    gamma: float  # the hyperparameter of every cell
    bits: int  # evidence is in units of 2^-bits, see `rising`
    table: Whole  # ρ(1, n)
    logs: NDArray[np.float64]  # see `rising.leading_logs`
    # h / g of two by two cells of at most FEW rows, see `few_place`; empty where one is too heavy
    # to be multiplied.
    few: NDArray[np.float64]
    log_prior: float  # ln of the prior probability of independence
    observed: bool  # K counts only the configurations that occur
    centred: bool  # the prior of cells is centred on independence, see `centred`
    states: NDArray[np.int64]  # (n,): how many of each variable K counts


class SharedParts(NamedTuple):
    """What the tests of one x given one Z share of each slice of two by two cells, shape (S,)."""

    rows: NDArray[np.int64]
    place: NDArray[np.int64]  # where its weights begin among the few; -1 where it isn't looked up
    fixed: Whole  # what in ln h_k - ln g_k does not depend on y, of equal prior cells


class SlicePrior(NamedTuple):
    """The prior of independence spread over K slices."""

    k: float  # infinite where it is too large for a float
    log_p: float
    log_q: float  # ln(1 - p_k)
    log_prior: float


def few_size() -> int:
    """The entries of the table of few rows."""
    return sum((n + 1) ** 2 * (n + 2) // 2 for n in range(FEW + 1))


@inlined
def few_place(n, a):  # type: ignore[no-untyped-def]
    """Where the weights of two by two cells with n rows, a of them in x's state 1, begin.

    There the weight with b rows in y's state 1, c of them in both, is at b (a + 1) + c.
    """
    # Σ_{m < n} (m + 1) (m + 1) (m + 2) / 2, and (n + 1) a (a + 1) / 2.
    return n * (n + 1) * (n + 2) * (3 * n + 1) // 24 + (n + 1) * a * (a + 1) // 2


@inner
def open_slices(cells):  # type: ignore[no-untyped-def]
    """The rows of each slice, from the cells of (Z, x)."""
    parts = np.zeros((3, len(cells)), dtype=np.int64)
    for k in range(len(cells)):
        parts[0, k] = sum_of(cells[k])
    return SharedParts(parts[0], parts[1], parts[2])


@bare
def prepare(evidence, slices, cells):  # type: ignore[no-untyped-def]
    """Fill in what doesn't depend on y, where x and y have two states each."""
    one, two, four = np.int64(1), np.int64(2), np.int64(4)
    for k in range(len(cells)):
        n, place = slices.rows[k], np.int64(-1)
        if n <= FEW and len(evidence.few) > 0:
            place = few_place(n, cells[k, 1])
        elif n > 1 and not evidence.centred:
            fixed = 2 * rising_in(evidence, two, n) - rising_in(evidence, four, n)
            for count in cells[k]:
                fixed -= rising_in(evidence, one, count)
            slices.fixed[k] = fixed
        slices.place[k] = place


@inner
def ratios_of(evidence, cells, within, rows):  # type: ignore[no-untyped-def]
    """ln h_k - ln g_k of all slices; `within` are the cells of y's states but the first."""
    size, rx, ry = len(cells), cells.shape[1], np.int64(len(within) + 1)
    if evidence.centred:
        keys, counts = cells_laid_out(cells, within)
        return evidence_of_slices(evidence, keys, counts, size, rx, ry)[2]
    ratios, unit, one = np.zeros(size), 0.5**evidence.bits, np.int64(1)
    for k in range(size):
        first = n = rows[k]
        if n < 2:
            continue
        ratio = rising_in(evidence, rx, n) + rising_in(evidence, ry, n)
        ratio -= rising_in(evidence, rx * ry, n)
        for m in range(rx):
            count = cells[k, m]
            ratio -= rising_in(evidence, one, count)
            for t in range(len(within)):
                count -= within[t, k * rx + m]
            ratio += rising_in(evidence, one, count)
        for t in range(len(within)):
            margin = np.int64(0)
            for m in range(k * rx, (k + 1) * rx):
                margin += within[t, m]
                ratio += rising_in(evidence, one, within[t, m])
            first -= margin
            ratio -= rising_in(evidence, one, margin)
        ratios[k] = (ratio - rising_in(evidence, one, first)) * unit
    return ratios


@kernel
def evidence_of_slices(evidence, keys, counts, size, rx, ry):  # type: ignore[no-untyped-def]
    """ln g_k, ln h_k, their exact difference, and ln odds by κ, from the cells that occur.

    Where g = h by the formula (one row) they are equal to the last bit.
    """
    evidence = borrowed(evidence)
    log_g, log_h, ratios = np.empty(size), np.empty(size), np.empty(size)
    by_weight = np.empty((size, len(KAPPAS) if evidence.centred else 0))
    column = np.zeros(ry, dtype=np.int64)
    unit, end = 0.5**evidence.bits, 0
    for k in range(size):
        start, rows, margin, state = end, np.int64(0), np.int64(0), np.int64(-1)
        of_margins, of_cells = np.int64(0), np.int64(0)
        while end < len(keys) and keys[end] < (k + 1) * rx * ry:
            end += 1
        if evidence.centred:
            log_g[k], odds = sparse_odds(evidence, keys[start:end], counts[start:end], ry, column)
            by_weight[k, 0], by_weight[k, 1] = odds
            ratios[k] = log_mean(odds)
            log_h[k] = log_g[k] + ratios[k]
            continue
        for cell in range(start, end):
            count, y = counts[cell], keys[cell] % ry
            if keys[cell] // ry != state:
                of_margins += rising_in(evidence, np.int64(1), margin)
                margin, state = np.int64(0), keys[cell] // ry
            of_cells += rising_in(evidence, np.int64(1), count)
            margin += count
            column[y] += count
            rows += count
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
    return log_g, log_h, ratios, by_weight


@kernel
def fill_tables(evidence):  # type: ignore[no-untyped-def]
    """Fill the table of ρ(1, n), and that of few rows."""
    evidence, log_gamma = borrowed(evidence), math.log(evidence.gamma)
    fill_rising(evidence.table, evidence.logs, evidence.gamma, log_gamma, evidence.bits)
    size, two = len(evidence.few), np.int64(2)
    cells, within = np.zeros((size, 2), dtype=np.int64), np.zeros((1, 2 * size), dtype=np.int64)
    for n in range(FEW + 1):
        for a in range(n + 1):
            for b in range(n + 1):
                for c in range(max(0, a + b - n), min(a, b) + 1):
                    k = few_place(n, a) + b * (a + 1) + c
                    cells[k, 0], cells[k, 1] = n - a, a
                    within[0, 2 * k], within[0, 2 * k + 1] = b - c, c
    keys, counts = cells_laid_out(cells, within)
    ratios = evidence_of_slices(evidence, keys, counts, size, two, two)[2]
    for k in range(size):
        evidence.few[k] = math.exp(ratios[k])


@kernel
def spread_prior(log_prior, k, log_k):  # type: ignore[no-untyped-def]
    """ln p_k = ln(prior) / K and ln(1 - p_k), finite however large K is."""
    log_share = math.log(-log_prior) - log_k
    share = math.exp(log_share) if k > 1 else -log_prior
    log_q = log_share - share / 2 if share < 1e-8 else math.log(-math.expm1(-share))
    return SlicePrior(k, -share, log_q, log_prior)


@inlined
def silent(prior, slices):  # type: ignore[no-untyped-def]
    """-ln of what that many slices contribute together when they keep their prior."""
    return -prior.log_prior * ((prior.k - slices) / prior.k if prior.k < np.inf else 1.0)


@inlined
def usual_prior(prior):  # type: ignore[no-untyped-def]
    """Whether the prior's odds may be multiplied with a slice's weight."""
    return _LEAST_ODDS < prior.log_q - prior.log_p < _MOST_ODDS


@bare
def softplus(d):  # type: ignore[no-untyped-def]
    """ln(1 + e^d)."""
    return d + math.log1p(math.exp(-d)) if d > 0 else math.log1p(math.exp(d))


@inlined
def add_weight(sums, odds, weight):  # type: ignore[no-untyped-def]
    """Add one slice of an ordinary weight to (total, product, slices that speak)."""
    total, product, spoken = sums
    if weight != 1.0:
        spoken += 1
        # 1 + product is the product of all (1 + odds); small odds keep their digits.
        product += odds * weight + product * (odds * weight)
        if product > HUGE:
            total += math.log1p(product)
            product = 0.0
    return total, product, spoken


@inlined
def add_pair(evidence, centred, unit, sums, log_odds, odds, prepared, n, a, b, c):  # type: ignore[no-untyped-def]
    """Add one slice of two by two cells: n rows, a and b in state 1 of x and of y, c in both.

    `centred` is a constant where it is called, so that no loop asks; place and fixed are prepared.
    """
    table, (place, fixed) = evidence.table, prepared
    if place >= 0:
        weight = evidence.few[place + b * (a + 1) + c]
    else:
        if centred:
            d = pair_odds(evidence, n, a, b, c)
        else:
            ratio = fixed + table[n - a - b + c] + table[a - c] + table[b - c] + table[c]
            d = (ratio - table[b] - table[n - b]) * unit
        if d >= HEAVY:
            return sums[0] + softplus(log_odds + d), sums[1], sums[2] + 1
        weight = math.exp(d)
    return add_weight(sums, odds, weight)


@kernel
def doubt_of(prior, ratios):  # type: ignore[no-untyped-def]
    """s = -ln Pr(X ⊥ Y | Z, D), the sum of ln(1 + odds) over all K slices.

    Slices with g = h keep their prior; counting them makes ½ stay ½ to the last bit.
    """
    log_odds, usual = prior.log_q - prior.log_p, usual_prior(prior)
    odds = math.exp(log_odds) if usual else 0.0
    sums = 0.0, 0.0, 0
    for ratio in ratios:
        if ratio < HEAVY and usual:
            sums = add_weight(sums, odds, math.exp(ratio))
        elif ratio != 0.0:
            sums = sums[0] + softplus(log_odds + ratio), sums[1], sums[2] + 1
    return sums[0] + math.log1p(sums[1]) + silent(prior, sums[2])


@inlined
def doubts_of_pairs(evidence, centred, prior, cells, within, slices, doubts):  # type: ignore[no-untyped-def]
    """The same for several y, where x and every y have two states."""
    rows, place, fixed = slices.rows, slices.place, slices.fixed
    log_odds, unit = prior.log_q - prior.log_p, 0.5**evidence.bits
    odds = math.exp(log_odds)
    for t in range(len(doubts)):
        sums = 0.0, 0.0, 0
        for k in range(len(rows)):
            a, c = cells[k, 1], within[t, 2 * k + 1]
            b = within[t, 2 * k] + c
            n, prepared = rows[k], (place[k], fixed[k])
            sums = add_pair(evidence, centred, unit, sums, log_odds, odds, prepared, n, a, b, c)
        doubts[t] = sums[0] + math.log1p(sums[1]) + silent(prior, sums[2])


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
