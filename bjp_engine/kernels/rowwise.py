"""Logistic regression on up to 32 other variables, without products.

The evidence and the steps are those of `regression`, which counts configurations and so stops at
eight members. Here sums run over rows, one block after another, in the same order on every
machine; memory holds one block.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.compiled import bare, kernel
from bjp_engine.kernels.lattice import (
    CLOSE,
    FAINT,
    MOST_STEPS,
    factorise,
    invert_factor,
    take_step,
)
from bjp_engine.kernels.loops import fill, product_of

MOST = 32
# Candidates that enter in one step.
_TOGETHER = 4
_BLOCK = 1024


class RowFit(NamedTuple):
    """The state of one regression; index 0 of `beta` and of `coded` is the intercept."""

    members: NDArray[np.int64]  # (MOST,): the blanket, in the order of entry
    beta: NDArray[np.float64]  # (MOST + 1,): coefficients, and the gradient of ln L
    slope: NDArray[np.float64]
    solved: NDArray[np.float64]  # (MOST + 1,): the step of Newton's method
    # (MOST + 1, MOST + 1): of -(ln L + ln prior), with its Cholesky factor and its inverse
    curvature: NDArray[np.float64]
    factor: NDArray[np.float64]
    inverse: NDArray[np.float64]
    rest: NDArray[np.float64]  # (_BLOCK,): y - p and p (1 - p) for the rows of a block
    weight: NDArray[np.float64]
    # (MOST + 2, _BLOCK): members' columns, ±1, and the same times `weight`; the last row of `coded`
    # is a candidate's.
    coded: NDArray[np.float64]
    weighed: NDArray[np.float64]
    score: NDArray[np.float64]  # (n,): the gradient of ln L in the coefficient of each candidate
    shared: NDArray[np.float64]  # (n, MOST + 1): -∂² ln L in that coefficient and each member's


@kernel
def extend_blanket(columns, j, odds, gamma, inside, promise):  # type: ignore[no-untyped-def]
    """Add members to a blanket of variable j, and remove them, until neither raises the evidence.

    `columns`, shape (n, rows), holds the states 0 and 1, `odds` λ of each variable. `inside` is the
    blanket and `promise` the ln odds that each variable belongs to it; both are updated. Returns
    the evidence with λ of the members, or -inf where no candidate promises a gain.
    """
    n = len(columns)
    lines, squares = np.zeros((3, MOST + 1)), np.zeros((3, MOST + 1, MOST + 1))
    rows, blocks = np.zeros((2, _BLOCK)), np.zeros((2, MOST + 2, _BLOCK))
    fit = RowFit(
        np.zeros(MOST, dtype=np.int64),
        lines[0],
        lines[1],
        lines[2],
        squares[0],
        squares[1],
        squares[2],
        rows[0],
        rows[1],
        blocks[0],
        blocks[1],
        np.zeros(n),
        np.zeros((n, MOST + 1)),
    )
    refused = np.zeros(n, dtype=np.bool_)
    refused[j] = True
    size = np.int64(0)
    for k in range(n):
        if inside[k]:
            fit.members[size] = k
            size += 1
    value = -np.inf
    while True:
        before = size
        size = _add_best(fit, size, inside, refused, promise)
        if size == before:
            break
        value = _fit_members(columns, j, fit, size, gamma)
        worst = _find_weakest(fit, size, odds, gamma, promise)
        while worst >= 0:
            refused[fit.members[worst]], inside[fit.members[worst]] = True, False
            for q in range(worst, size - 1):
                fit.members[q], fit.beta[q + 1] = fit.members[q + 1], fit.beta[q + 2]
            size -= 1
            value = _fit_members(columns, j, fit, size, gamma)
            worst = _find_weakest(fit, size, odds, gamma, promise)
        _score_candidates(columns, j, fit, size, odds, gamma, inside, promise)
    promise[j] = 0.0
    for q in range(size):
        value += odds[fit.members[q]]
    return value


@bare
def _fit_members(columns, j, fit, size, gamma):  # type: ignore[no-untyped-def]
    """Fit by Newton's method from the current coefficients; Laplace's evidence.

    Fills the inverse of the curvature.
    """
    m, rows = size + 1, columns.shape[1]
    before = value = -np.inf
    for step in range(MOST_STEPS):
        value = 0.0
        fill(fit.slope, 0.0)
        for q in range(m):
            fill(fit.curvature[q], 0.0)
        for begin in range(0, rows, _BLOCK):
            value += _evaluate_block(columns, j, fit, size, begin)
            _add_block(fit, m, min(_BLOCK, rows - begin))
        for q in range(m):
            ridge = gamma if q > 0 else FAINT * gamma
            value -= 0.5 * ridge * fit.beta[q] * fit.beta[q]
            fit.curvature[q, q] += ridge
            fit.solved[q] = fit.slope[q] - ridge * fit.beta[q]
        factorise(fit.curvature, m, fit.factor)
        if abs(value - before) < CLOSE or step == MOST_STEPS - 1:
            break
        before = value
        take_step(fit.factor, fit.solved, m, fit.beta)
    for q in range(m):
        ridge = gamma if q > 0 else FAINT * gamma
        value -= math.log(fit.factor[q, q]) - 0.5 * math.log(ridge)
    invert_factor(fit.factor, m, fit.inverse)
    return value


@bare
def _evaluate_block(columns, j, fit, size, begin):  # type: ignore[no-untyped-def]
    """Fill `rest`, `weight` and the members' columns for a block of rows; ln L of these rows."""
    many = min(_BLOCK, columns.shape[1] - begin)
    for q in range(size):
        _code_block(columns[fit.members[q]], begin, many, fit.coded[q + 1])
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
def _code_block(column, begin, many, coded):  # type: ignore[no-untyped-def]
    """Code the states of a block of rows, +1 for 0 and -1 for 1."""
    for r in range(many):
        coded[r] = 1.0 - 2.0 * column[begin + r]


@bare
def _add_block(fit, m, many):  # type: ignore[no-untyped-def]
    """Add a block to gradient and curvature."""
    for q in range(m):
        fit.slope[q] += product_of(fit.coded[q, :many], fit.rest)
        for s in range(q + 1):
            entry = product_of(fit.coded[s, :many], fit.weighed[q])
            fit.curvature[q, s] += entry
            if s < q:
                fit.curvature[s, q] = fit.curvature[q, s]


@bare
def _find_weakest(fit, size, odds, gamma, promise):  # type: ignore[no-untyped-def]
    """The member whose removal gains most, -1 if none gains; fills the members' `promise`."""
    worst, place = 0.0, np.int64(-1)
    for q in range(size):
        v, b = fit.inverse[q + 1, q + 1], fit.beta[q + 1]
        net = 0.5 * (b * b / v + math.log(gamma * v)) + odds[fit.members[q]]
        promise[fit.members[q]] = net
        if net < worst:
            worst, place = net, np.int64(q)
    return place


@bare
def _score_candidates(columns, j, fit, size, odds, gamma, inside, promise):  # type: ignore[no-untyped-def]
    """Fill each candidate's `promise`, λ + U² / (2 V) - ½ ln (V / γ)."""
    n, rows, last = len(columns), columns.shape[1], MOST + 1
    fill(fit.score, 0.0)
    whole = 0.0
    for k in range(n):
        fill(fit.shared[k], 0.0)
    for begin in range(0, rows, _BLOCK):
        many = min(_BLOCK, rows - begin)
        _evaluate_block(columns, j, fit, size, begin)
        whole += product_of(fit.weighed[0, :many], fit.coded[0])
        for k in range(n):
            if inside[k] or k == j:
                continue
            _code_block(columns[k], begin, many, fit.coded[last])
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
def _add_best(fit, size, inside, refused, promise):  # type: ignore[no-untyped-def]
    """Add the most promising candidates that gain; the new size."""
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
