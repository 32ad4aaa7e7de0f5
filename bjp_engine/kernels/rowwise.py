"""A regression with more members than configurations can be counted of, without products.

The evidence and the changes are those of `regression`, but sums go over rows, a block of them at
a time, so that memory is needed for a block only. Forward, the candidates that promise most enter
together; backward, what loses least by Wald's statistic goes, if that gains.
Sums are made in one order on every machine.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.compiled import bare, inlined, kernel
from bjp_engine.kernels.lattice import CLOSE, FAINT, LONGEST_STEP, MOST_STEPS, factorise, solve
from bjp_engine.kernels.loops import fill, product_of, total_of

MOST = 32
# So many enter at once.
_TOGETHER = 4
_BLOCK = 1024


class Rows(NamedTuple):
    """One regression on its way; the intercept comes first in each of its columns.

    Parameters
    ----------
    members : ndarray of int64, shape (MOST,)
        The blanket, as it was entered.
    beta, slope, solved : ndarray of float, shape (MOST + 1,)
        The coefficients, the slope of ln L there, and a vector to work on.
    curvature, factor, inverse : ndarray of float, shape (MOST + 1, MOST + 1)
        Minus the second derivative of ln L and the prior, its root and its inverse.
    rest, weight : ndarray of float, shape (_BLOCK,)
        y - p and p (1 - p) of the rows of a block.
    coded, weighed : ndarray of float, shape (MOST + 2, _BLOCK)
        Columns of the members, ±1, and the same times the weights; the last is a candidate's.
    score : ndarray of float, shape (n,)
        The slope of ln L in the coefficient of each candidate,
    shared : ndarray of float, shape (n, MOST + 1)
        and its curvature with that of each member.
    """

    members: NDArray[np.int64]
    beta: NDArray[np.float64]
    slope: NDArray[np.float64]
    solved: NDArray[np.float64]
    curvature: NDArray[np.float64]
    factor: NDArray[np.float64]
    inverse: NDArray[np.float64]
    rest: NDArray[np.float64]
    weight: NDArray[np.float64]
    coded: NDArray[np.float64]
    weighed: NDArray[np.float64]
    score: NDArray[np.float64]
    shared: NDArray[np.float64]


@kernel
def go_on(columns, j, odds, gamma, inside, promise):  # type: ignore[no-untyped-def]
    """Go on from a blanket of variable j until nothing gains; the evidence with λ of its members.

    `columns`, shape (n, rows), has the states 0 and 1, `odds` λ of each variable. `inside` is the
    blanket, and `promise` has the ln odds that each variable belongs there; both are changed to
    those of the new blanket. -inf where nothing outside promises to gain.
    """
    n = len(columns)
    fit, refused = _room(n), np.zeros(n, dtype=np.bool_)
    refused[j] = True
    size = np.int64(0)
    for k in range(n):
        if inside[k]:
            fit.members[size] = k
            size += 1
    value = -np.inf
    while True:
        before = size
        size = _widen(fit, size, inside, refused, promise)
        if size == before:
            break
        value = _fit(columns, j, fit, size, gamma)
        worst = _weakest(fit, size, odds, gamma, promise)
        while worst >= 0:
            refused[fit.members[worst]], inside[fit.members[worst]] = True, False
            for q in range(worst, size - 1):
                fit.members[q], fit.beta[q + 1] = fit.members[q + 1], fit.beta[q + 2]
            size -= 1
            value = _fit(columns, j, fit, size, gamma)
            worst = _weakest(fit, size, odds, gamma, promise)
        _ask(columns, j, fit, size, odds, gamma, inside, promise)
    promise[j] = 0.0
    for q in range(size):
        value += odds[fit.members[q]]
    return value


@inlined
def _room(n):  # type: ignore[no-untyped-def]
    """Memory."""
    return Rows(
        np.zeros(MOST, dtype=np.int64),
        np.zeros(MOST + 1),
        np.zeros(MOST + 1),
        np.zeros(MOST + 1),
        np.zeros((MOST + 1, MOST + 1)),
        np.zeros((MOST + 1, MOST + 1)),
        np.zeros((MOST + 1, MOST + 1)),
        np.zeros(_BLOCK),
        np.zeros(_BLOCK),
        np.zeros((MOST + 2, _BLOCK)),
        np.zeros((MOST + 2, _BLOCK)),
        np.zeros(n),
        np.zeros((n, MOST + 1)),
    )


@bare
def _fit(columns, j, fit, size, gamma):  # type: ignore[no-untyped-def]
    """Newton's method from where the coefficients stand; the evidence by Laplace's approximation.

    Leaves the inverse of the curvature at the fit.
    """
    m, rows = size + 1, columns.shape[1]
    before = value = -np.inf
    for step in range(MOST_STEPS):
        value = 0.0
        fill(fit.slope, 0.0)
        for q in range(m):
            fill(fit.curvature[q], 0.0)
        for begin in range(0, rows, _BLOCK):
            value += _block(columns, j, fit, size, begin)
            _add(fit, m, min(_BLOCK, rows - begin))
        for q in range(m):
            ridge = gamma if q > 0 else FAINT * gamma
            value -= 0.5 * ridge * fit.beta[q] * fit.beta[q]
            fit.curvature[q, q] += ridge
            fit.solved[q] = fit.slope[q] - ridge * fit.beta[q]
        factorise(fit.curvature, m, fit.factor)
        if abs(value - before) < CLOSE or step == MOST_STEPS - 1:
            break
        before = value
        solve(fit.factor, m, fit.solved)
        longest = 0.0
        for q in range(m):
            longest = max(longest, abs(fit.solved[q]))
        scale = 1.0 if longest < LONGEST_STEP else LONGEST_STEP / longest
        for q in range(m):
            fit.beta[q] += scale * fit.solved[q]
    for q in range(m):
        ridge = gamma if q > 0 else FAINT * gamma
        value -= math.log(fit.factor[q, q]) - 0.5 * math.log(ridge)
        fill(fit.inverse[q], 0.0)
        fit.inverse[q, q] = 1.0
        solve(fit.factor, m, fit.inverse[q])
    return value


@bare
def _block(columns, j, fit, size, begin):  # type: ignore[no-untyped-def]
    """What the fit leaves of each row of a block, and its weight; ln L of these rows."""
    many = min(_BLOCK, columns.shape[1] - begin)
    for q in range(size):
        _code(columns[fit.members[q]], begin, many, fit.coded[q + 1])
    value = 0.0
    for r in range(many):
        fit.coded[0, r] = 1.0
        fit.rest[r] = fit.beta[0]
    for q in range(1, size + 1):
        for r in range(many):
            fit.rest[r] += fit.beta[q] * fit.coded[q, r]
    for r in range(many):
        predictor, one = fit.rest[r], columns[j, begin + r]
        small = math.exp(-abs(predictor))
        p = 1.0 / (1.0 + small) if predictor > 0.0 else small / (1.0 + small)
        value -= max(-predictor, 0.0) if one else max(predictor, 0.0)
        value -= math.log1p(small)
        fit.rest[r], fit.weight[r] = one - p, p * (1.0 - p)
    for q in range(size + 1):
        for r in range(many):
            fit.weighed[q, r] = fit.weight[r] * fit.coded[q, r]
    return value


@bare
def _code(column, begin, many, coded):  # type: ignore[no-untyped-def]
    """The states of a block of rows, +1 for 0 and -1 for 1."""
    for r in range(many):
        coded[r] = 1.0 - 2.0 * column[begin + r]


@bare
def _add(fit, m, many):  # type: ignore[no-untyped-def]
    """Add a block to slope and curvature."""
    for q in range(m):
        fit.slope[q] += product_of(fit.coded[q, :many], fit.rest)
        for s in range(q + 1):
            entry = product_of(fit.coded[s, :many], fit.weighed[q])
            fit.curvature[q, s] += entry
            if s < q:
                fit.curvature[s, q] = fit.curvature[q, s]


@bare
def _weakest(fit, size, odds, gamma, promise):  # type: ignore[no-untyped-def]
    """The place of the member that gains most by going, -1 if none does; promises of members."""
    worst, place = 0.0, np.int64(-1)
    for q in range(size):
        v, b = fit.inverse[q + 1, q + 1], fit.beta[q + 1]
        net = 0.5 * (b * b / v + math.log(gamma * v)) + odds[fit.members[q]]
        promise[fit.members[q]] = net
        if net < worst:
            worst, place = net, np.int64(q)
    return place


@bare
def _ask(columns, j, fit, size, odds, gamma, inside, promise):  # type: ignore[no-untyped-def]
    """What each candidate promises: U² / (2 V) - ½ ln (V / γ), with its λ."""
    n, rows, last = len(columns), columns.shape[1], MOST + 1
    fill(fit.score, 0.0)
    whole = 0.0
    for k in range(n):
        fill(fit.shared[k], 0.0)
    for begin in range(0, rows, _BLOCK):
        many = min(_BLOCK, rows - begin)
        _block(columns, j, fit, size, begin)
        whole += total_of(fit.weight[:many])
        for k in range(n):
            if inside[k] or k == j:
                continue
            _code(columns[k], begin, many, fit.coded[last])
            fit.score[k] += product_of(fit.rest[:many], fit.coded[last])
            for q in range(size + 1):
                fit.shared[k, q] += product_of(fit.weighed[q, :many], fit.coded[last])
    for k in range(n):
        if inside[k] or k == j:
            continue
        v = whole + gamma
        for q in range(size + 1):
            v -= fit.shared[k, q] * product_of(fit.inverse[q, : size + 1], fit.shared[k])
        v = max(v, 1e-9)
        promise[k] = 0.5 * (fit.score[k] * fit.score[k] / v - math.log(v / gamma)) + odds[k]


@bare
def _widen(fit, size, inside, refused, promise):  # type: ignore[no-untyped-def]
    """Enter the candidates that promise most, as many as gain and have room; the new size."""
    for _ in range(_TOGETHER):
        best, chosen = 0.0, -1
        for k in range(len(promise)):
            if promise[k] > best and not inside[k] and not refused[k]:
                best, chosen = promise[k], k
        if chosen < 0 or size == MOST:
            break
        inside[chosen] = True
        fit.members[size], fit.beta[size + 1] = chosen, 0.0
        size += 1
    return size
