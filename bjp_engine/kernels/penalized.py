"""A binary variable regressed on all others at once, each coefficient at a price.

    minimize  Σ_r [ln(1 + e^η_r) - y_r η_r] + Σ_k t_k |β_k|,    η_r = β_0 + Σ_k β_k x_rk,

with x coded ±1 and t_k so many standard deviations of the slope that a coefficient has where
nothing depends on anything. Solved on a working set that takes in what the solution so far
leaves above its price, by Newton's method: coordinates descend on the quadratic approximation,
whose weights p (1 - p) give way to (p - ½) / η, an upper bound of the curvature, as soon as a
step is no shorter than the one before.
Sums over rows go four at a time, in one order on every machine.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.compiled import bare, inlined, kernel
from bjp_engine.kernels.loops import fill, product_of, total_of

# A variable that would keep more others keeps none: what is not sparse is not found this way.
MOST = 32
CLOSE, MOST_STEPS, MOST_SWEEPS = 1e-4, 100, 100
# Relative to a price: what is above it by no more is on it.
ABOVE = 1e-3
_LONGEST, _FLAT = 2.0, 1e-6


class Fit(NamedTuple):
    """One regression on its way.

    Parameters
    ----------
    working : ndarray of int64, shape (MOST,)
        The variables whose coefficients may differ from 0.
    beta, step, slope : ndarray of float, shape (MOST + 1,)
        The intercept first; `step` is that of the present quadratic approximation.
    price : ndarray of float, shape (n,)
        t_k of each variable.
    linear, weight, rest, column : ndarray of float, shape (rows,)
        η, the weights, y - p, and a member's column times the weights.
    above : ndarray of float, shape (n,)
        By how much the slope of each variable is above its price, relative to it.
    """

    working: NDArray[np.int64]
    beta: NDArray[np.float64]
    step: NDArray[np.float64]
    slope: NDArray[np.float64]
    price: NDArray[np.float64]
    curvature: NDArray[np.float64]
    linear: NDArray[np.float64]
    weight: NDArray[np.float64]
    rest: NDArray[np.float64]
    column: NDArray[np.float64]
    above: NDArray[np.float64]


@kernel
def keep(coded, deviations, first, last, kept):  # type: ignore[no-untyped-def]
    """What some variables keep of all others.

    Parameters
    ----------
    coded : ndarray of float, shape (n, rows)
        Each variable ±1.
    deviations : float
        The price, in standard deviations.
    first, last : int
        The variables first..last - 1 are regressed.
    kept : ndarray of float, shape (n, n)
        Filled: [j, k] is the coefficient of k in the regression of j, 0 where it is not kept.
        Constant variables neither keep nor are kept; who would keep more than `MOST` keeps none.
    """
    n, rows = coded.shape
    fit = _room(n, rows)
    spread = np.empty(n)
    for k in range(n):
        mean = total_of(coded[k]) / rows
        spread[k] = math.sqrt(max(1.0 - mean * mean, 0.0))
    for j in range(first, last):
        if spread[j] <= 0.0:
            continue
        for k in range(n):
            fit.price[k] = deviations * math.sqrt(rows) * spread[k] * spread[j] / 2
        size = _regress(coded, j, fit)
        for a in range(size):
            kept[j, fit.working[a]] = fit.beta[a + 1]


@inlined
def _room(n, rows):  # type: ignore[no-untyped-def]
    """Memory."""
    return Fit(
        np.zeros(MOST, dtype=np.int64),
        np.zeros(MOST + 1),
        np.zeros(MOST + 1),
        np.zeros(MOST + 1),
        np.zeros(n),
        np.zeros((MOST + 1, MOST + 1)),
        np.zeros(rows),
        np.zeros(rows),
        np.zeros(rows),
        np.zeros(rows),
        np.zeros(n),
    )


@inlined
def _regress(coded, j, fit):  # type: ignore[no-untyped-def]
    """Regress variable j on all others; the size of the working set, 0 if it were too large."""
    size = np.int64(0)
    share = (1.0 + total_of(coded[j]) / coded.shape[1]) / 2
    fit.beta[0] = math.log(share / (1.0 - share))
    fill(fit.linear, fit.beta[0])
    while True:
        _solve(coded, j, fit, size)
        before = size
        size = _widen(coded, j, fit, size)
        if size > MOST:
            return 0
        if size == before:
            return size


@bare
def _solve(coded, j, fit, size):  # type: ignore[no-untyped-def]
    """Newton's method on a working set, until a step is short."""
    # No literal: numba would compile what it is handed to once for it, and once for a variable.
    bounded, before = size < 0, np.inf
    for _ in range(MOST_STEPS):
        _look(coded[j], fit, bounded)
        if size == 0:
            # The intercept alone is exact.
            return
        _approximate(coded, fit, size)
        _descend(fit, size)
        longest = 0.0
        for a in range(size + 1):
            longest = max(longest, abs(fit.step[a]))
        bounded = bounded or longest >= before
        before = longest
        _go(coded, fit, size, min(1.0, _LONGEST / max(longest, CLOSE)))
        if longest < CLOSE:
            break
    _look(coded[j], fit, bounded)


@bare
def _look(own, fit, bounded):  # type: ignore[no-untyped-def]
    """The weight of each row, and what the fit leaves of it."""
    for r in range(len(own)):
        eta = fit.linear[r]
        p = 1.0 / (1.0 + math.exp(-eta))
        fit.rest[r] = 0.5 * (1.0 + own[r]) - p
        if not bounded:
            fit.weight[r] = max(p * (1.0 - p), _FLAT)
        elif abs(eta) > CLOSE:
            fit.weight[r] = (p - 0.5) / eta
        else:
            fit.weight[r] = 0.25


@bare
def _approximate(coded, fit, size):  # type: ignore[no-untyped-def]
    """Slope and curvature at the present coefficients."""
    fit.slope[0] = total_of(fit.rest)
    fit.curvature[0, 0] = whole = total_of(fit.weight)
    for a in range(size):
        x = coded[fit.working[a]]
        fit.slope[a + 1] = product_of(x, fit.rest)
        for r in range(len(x)):
            fit.column[r] = x[r] * fit.weight[r]
        fit.curvature[0, a + 1] = fit.curvature[a + 1, 0] = total_of(fit.column)
        fit.curvature[a + 1, a + 1] = whole
        for b in range(a):
            entry = product_of(coded[fit.working[b]], fit.column)
            fit.curvature[a + 1, b + 1] = fit.curvature[b + 1, a + 1] = entry


@bare
def _descend(fit, size):  # type: ignore[no-untyped-def]
    """The step to the least of the quadratic approximation, one coordinate after another."""
    for a in range(size + 1):
        fit.step[a] = 0.0
    for _ in range(MOST_SWEEPS):
        moved = 0.0
        for a in range(size + 1):
            own, slope = fit.curvature[a, a], fit.slope[a]
            for b in range(size + 1):
                slope -= fit.curvature[a, b] * fit.step[b]
            at, price = fit.beta[a] + fit.step[a], 0.0
            if a > 0:
                price = fit.price[fit.working[a - 1]]
            goal = own * at + slope
            # Towards 0 by the price, and not beyond.
            goal = max(goal - price, 0.0) if goal > 0.0 else min(goal + price, 0.0)
            change = goal / own - at
            fit.step[a] += change
            moved = max(moved, abs(change))
        if moved < 0.1 * CLOSE:
            break


@bare
def _go(coded, fit, size, share):  # type: ignore[no-untyped-def]
    """Take a share of the step."""
    fit.beta[0] += share * fit.step[0]
    for r in range(len(fit.linear)):
        fit.linear[r] += share * fit.step[0]
    for a in range(1, size + 1):
        change = share * fit.step[a]
        if change != 0.0:
            fit.beta[a] += change
            x = coded[fit.working[a - 1]]
            for r in range(len(fit.linear)):
                fit.linear[r] += change * x[r]


@bare
def _widen(coded, j, fit, size):  # type: ignore[no-untyped-def]
    """Take in the variables that are farthest above their price; the new size.

    Greater than `MOST` where there is no room for all of them.
    """
    n = len(coded)
    for k in range(n):
        fit.above[k] = -1.0
        if k != j and fit.price[k] > 0.0:
            fit.above[k] = abs(product_of(coded[k], fit.rest)) / fit.price[k] - 1.0
    for a in range(size):
        fit.above[fit.working[a]] = -1.0
    farthest = ABOVE
    for k in range(n):
        farthest = max(farthest, fit.above[k])
    for k in range(n):
        if fit.above[k] > ABOVE and fit.above[k] >= 0.5 * farthest:
            size += 1
            if size <= MOST:
                fit.working[size - 1] = k
                fit.beta[size] = 0.0
    return size
