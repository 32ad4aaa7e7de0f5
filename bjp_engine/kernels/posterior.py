"""The Bayesian test: from the ratios of a table's slices to its posterior (docs/theory.md §2).

Slice k weighs dependence against independence by the ratio h_k / g_k of its evidence (see
`slices`); its odds are that times (1 - p_k) / p_k. The test is the sum of ln(1 + odds) over all.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bjp_engine.kernels.compiled import bare, inlined, kernel
from bjp_engine.kernels.slices import FEW, few_place, fill_ratios, prepare

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


class Prior(NamedTuple):
    """The prior of independence spread over K slices.

    Parameters
    ----------
    k : float
        K; infinite where it is too large for a float.
    log_p, log_q : float
        ln p_k and ln(1 - p_k).
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
def usual_prior(prior):  # type: ignore[no-untyped-def]
    """Whether the prior's odds may be multiplied with a slice's weight."""
    return _LEAST_ODDS < prior.log_q - prior.log_p < _MOST_ODDS


@bare
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


@bare
def doubts_of(evidence, prior, cells, within, states, slices, doubts):  # type: ignore[no-untyped-def]
    """The same for several y, from their counts; `states` are the states of each."""
    begin = 0
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
        fill_ratios(evidence, cells, within[begin:end], slices)
        doubts[t] = doubt_of(prior, slices.ratios)
        begin = end


@bare
def _doubts_of_pairs(evidence, prior, cells, within, slices, doubts):  # type: ignore[no-untyped-def]
    """The same where x and every y have two states."""
    table, few = evidence.table, evidence.few
    rows, place, fixed = slices.rows, slices.place, slices.fixed
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
