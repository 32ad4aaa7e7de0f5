"""Logistic regression of a binary variable on products of others, fitted on counts.

The configurations of k binary variables are the numbers 0..2^k - 1, a bit for each. A product
of some of them, coded +1 (state 0) and -1 (state 1), is a set S of bits, with the value
(-1)^|c ∩ S| in configuration c. So the linear predictor of a model is the Walsh-Hadamard
transform of its coefficients, and with weights w the scalar product of the columns of S and T
is the transform of w at S △ T: nothing ever runs over rows, or over columns times cells.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.compiled import bare
from bjp_engine.kernels.loops import fill

# Coefficients have a normal prior of variance 1 / γ, the intercept one of variance 4 / γ.
FAINT = 0.25
MOST_STEPS, LONGEST_STEP, CLOSE = 25, 3.0, 1e-3


class Lattice(NamedTuple):
    """A variable's counts by configuration, and what a fit writes down about them."""

    zero: NDArray[np.float64]  # rows with the variable in state 0,
    one: NDArray[np.float64]  # and in state 1
    fitted: NDArray[np.float64]  # the probability of state 1
    # Transforms of the weights n p (1 - p), and of the rows of state 1 minus those expected.
    weight: NDArray[np.float64]
    rest: NDArray[np.float64]


class Room(NamedTuple):
    """Memory of a fit, and the prior of its coefficients."""

    ridge: float  # γ, one over their variance
    curvature: NDArray[np.float64]
    factor: NDArray[np.float64]
    inverse: NDArray[np.float64]
    step: NDArray[np.float64]


@bare
def transform(values, size):  # type: ignore[no-untyped-def]
    """The Walsh-Hadamard transform of the first `size` values, in place."""
    half = 1
    while half < size:
        for begin in range(0, size, 2 * half):
            for c in range(begin, begin + half):
                one, other = values[c], values[c + half]
                values[c], values[c + half] = one + other, one - other
        half *= 2


@bare
def fit(lattice, size, terms, m, beta, room):  # type: ignore[no-untyped-def]
    """Find the coefficients by Newton's method from where `beta` stands; returns the evidence.

    `terms` are the sets of the first m columns; the first is empty. By Laplace's approximation:
    ln L + ln prior at the maximum, - ½ ln of the curvature's determinant; but for ln 2π, which the
    prior has as often.
    """
    before = value = -np.inf
    for step in range(MOST_STEPS):
        value = weigh(lattice, size, terms, m, beta)
        for q in range(m):
            value -= 0.5 * ridge_of(q, room) * beta[q] * beta[q]
        if abs(value - before) < CLOSE or step == MOST_STEPS - 1:
            break
        before = value
        curve(lattice, terms, m, room)
        factorise(room.curvature, m, room.factor)
        for q in range(m):
            room.step[q] = lattice.rest[terms[q]] - ridge_of(q, room) * beta[q]
        take_step(room.factor, room.step, m, beta)
    curve(lattice, terms, m, room)
    factorise(room.curvature, m, room.factor)
    for q in range(m):
        value -= math.log(room.factor[q, q]) - 0.5 * math.log(ridge_of(q, room))
    return value


@bare
def take_step(factor, step, m, beta):  # type: ignore[no-untyped-def]
    """A step of Newton's method, not too long; `step` is the gradient, and changed."""
    solve(factor, m, step)
    longest = 0.0
    for q in range(m):
        longest = max(longest, abs(step[q]))
    scale = 1.0 if longest < LONGEST_STEP else LONGEST_STEP / longest
    for q in range(m):
        beta[q] += scale * step[q]


@bare
def ridge_of(q, room):  # type: ignore[no-untyped-def]
    """What the prior adds to the curvature in coefficient q, the intercept being the first."""
    return room.ridge if q > 0 else FAINT * room.ridge


@bare
def weigh(lattice, size, terms, m, beta):  # type: ignore[no-untyped-def]
    """Fill in the fitted probabilities and both transforms; returns ln L."""
    zero, one, fitted, weight, rest = lattice
    fill(fitted[:size], 0.0)
    for q in range(m):
        fitted[terms[q]] += beta[q]
    transform(fitted, size)
    value = 0.0
    for c in range(size):
        rows, predictor = zero[c] + one[c], fitted[c]
        small = math.exp(-abs(predictor))
        fitted[c] = 1 / (1 + small) if predictor > 0 else small / (1 + small)
        value -= one[c] * max(-predictor, 0.0) + zero[c] * max(predictor, 0.0)
        value -= rows * math.log1p(small)
        rest[c] = one[c] - rows * fitted[c]
        weight[c] = rows * fitted[c] * (1 - fitted[c])
    transform(rest, size)
    transform(weight, size)
    return value


@bare
def curve(lattice, terms, m, room):  # type: ignore[no-untyped-def]
    """The curvature of -ln L and the prior in the coefficients."""
    curvature = room.curvature
    for q in range(m):
        for r in range(q + 1):
            curvature[q, r] = curvature[r, q] = lattice.weight[terms[q] ^ terms[r]]
        curvature[q, q] += ridge_of(q, room)


@bare
def factorise(matrix, m, factor):  # type: ignore[no-untyped-def]
    """Cholesky's factor of the leading m × m part."""
    for q in range(m):
        for r in range(q + 1):
            value = matrix[q, r]
            for s in range(r):
                value -= factor[q, s] * factor[r, s]
            if q == r:
                factor[q, q] = math.sqrt(max(value, 1e-12))
            else:
                factor[q, r] = value / factor[r, r]


@bare
def solve(factor, m, values):  # type: ignore[no-untyped-def]
    """Solve for the first m values, in place."""
    for q in range(m):
        value = values[q]
        for r in range(q):
            value -= factor[q, r] * values[r]
        values[q] = value / factor[q, q]
    for q in range(m - 1, -1, -1):
        value = values[q]
        for r in range(q + 1, m):
            value -= factor[r, q] * values[r]
        values[q] = value / factor[q, q]


@bare
def invert(lattice, terms, m, room):  # type: ignore[no-untyped-def]
    """The inverse of the curvature at the fit."""
    curve(lattice, terms, m, room)
    factorise(room.curvature, m, room.factor)
    invert_factor(room.factor, m, room.inverse)


@bare
def invert_factor(factor, m, inverse):  # type: ignore[no-untyped-def]
    """The inverse of the matrix that a factor of Cholesky's is of."""
    for q in range(m):
        fill(inverse[q, :m], 0.0)
        inverse[q, q] = 1.0
        solve(factor, m, inverse[q])


@bare
def loss(beta, chosen, count, room):  # type: ignore[no-untyped-def]
    """What the evidence would lose without some columns: ½ b' V_bb^-1 b + ½ ln det(r V_bb)."""
    inverse, part, factor, step = room.inverse, room.curvature, room.factor, room.step
    for a in range(count):
        step[a] = beta[chosen[a]]
        for b in range(count):
            part[a, b] = inverse[chosen[a], chosen[b]]
    factorise(part, count, factor)
    solve(factor, count, step)
    value = 0.0
    for a in range(count):
        value += 0.5 * step[a] * beta[chosen[a]]
        value += math.log(factor[a, a]) + 0.5 * math.log(room.ridge)
    return value
