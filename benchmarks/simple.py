"""Two simple ways to learn a network of binary variables, which `auto` is compared with.

L1-penalised logistic regression of each variable, the penalty by the extended BIC and an edge where
both ends keep each other (van Borkulo and others 2014); and logistic regression on all other
variables, the larger of both ends' p-values and the false discovery rate of Benjamini and
Hochberg at 5 %. Both are our own implementations, all variables as spins of ±1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from bjp_engine.arrays import Bools, Floats

# Of more variables a regression on all of them is not tried.
MOST = 40
GAMMA, PENALTIES, LEAST, STEPS = 0.25, 20, 0.02, 60
RATE, RIDGE, NEWTON = 0.05, 1e-3, 15
Spins = NDArray[np.float64]


def lasso_neighbours(spins: Spins) -> Bools:
    """The pairs that both ends keep, by proximal gradient steps for all variables at once."""
    rows, n = spins.shape
    spread = spins.std(axis=0)
    x = (spins - spins.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    y = (spins > 0).astype(float)
    share = np.clip(y.mean(axis=0), 1e-6, 1 - 1e-6)
    weights, level = np.zeros((n, n)), np.log(share / (1 - share))
    least, kept = np.full(n, np.inf), np.zeros((n, n), dtype=np.bool_)
    largest = np.abs(x.T @ (y - share) / rows)
    np.fill_diagonal(largest, 0.0)
    curved = np.linalg.eigvalsh(x.T @ x / rows).max() / 4
    for penalty in np.geomspace(largest.max(), LEAST * largest.max(), PENALTIES):
        ahead, speed = weights.copy(), 1.0
        for _ in range(STEPS):
            rest = expit(x @ ahead.T + level) - y
            moved = ahead - rest.T @ x / rows / curved
            moved = np.sign(moved) * np.maximum(np.abs(moved) - penalty / curved, 0.0)
            np.fill_diagonal(moved, 0.0)
            level = level - rest.mean(axis=0) * 8 / 3
            faster = (1 + np.sqrt(1 + 4 * speed**2)) / 2
            ahead = moved + (speed - 1) / faster * (moved - weights)
            change, weights, speed = np.abs(moved - weights).max(), moved, faster
            if change < 1e-4:
                break
        linear = x @ weights.T + level
        likelihood = (y * linear - np.logaddexp(0, linear)).sum(axis=0)
        size = (weights != 0).sum(axis=1)
        criterion = -2 * likelihood + size * (np.log(rows) + 4 * GAMMA * np.log(n - 1))
        better = criterion < least
        least, kept[better] = np.minimum(least, criterion), (weights != 0)[better]
    found: Bools = kept & kept.T
    return found


def tested_pairs(spins: Spins) -> Bools:
    """The pairs that logistic regressions on all others find at a false discovery rate."""
    n = spins.shape[1]
    p = np.ones((n, n))
    for j in range(n):
        p[j, np.arange(n) != j] = _wald(np.delete(spins, j, axis=1), spins[:, j] > 0)
    upper = np.triu_indices(n, 1)
    each = np.maximum(p, p.T)[upper]
    order = np.argsort(each)
    passed = np.flatnonzero(each[order] <= RATE * np.arange(1, len(each) + 1) / len(each))
    found = np.zeros((n, n), dtype=np.bool_)
    some = order[: passed[-1] + 1] if len(passed) else order[:0]
    found[upper[0][some], upper[1][some]] = True
    made: Bools = found | found.T
    return made


def _wald(others: Spins, one: Bools) -> Floats:
    """Two-sided p-values of the coefficients."""
    x = np.column_stack([np.ones(len(others)), others])
    beta, ridge = np.zeros(x.shape[1]), RIDGE * np.eye(x.shape[1])
    for _ in range(NEWTON):
        p = expit(x @ beta)
        curved = (x * (p * (1 - p))[:, None]).T @ x + ridge
        step = np.linalg.solve(curved, x.T @ (one - p) - RIDGE * beta)
        beta += step * min(1.0, 3.0 / np.abs(step).max())
    z = beta / np.sqrt(np.diag(np.linalg.inv(curved)))
    found: Floats = 2 * ndtr(-np.abs(z[1:]))
    return found
