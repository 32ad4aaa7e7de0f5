"""One Bayesian test: the compiled kernels against the same formula in plain numpy and scipy."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

import bjp_engine as bjp
from benchmarks.measure import Work

ROWS, GIVEN = 8000, (2, 3, 4)
PLAIN, ENGINE = "numpy and scipy", "independence_test, with its trace"


def log_independent(codes: np.ndarray, x: int, y: int, given: tuple[int, ...]) -> float:
    """The formula of docs/theory.md §2 for binary variables, every slice laid out."""
    slices = 2 ** len(given)
    stratum = codes[:, list(given)] @ (1 << np.arange(len(given)))
    counts = np.bincount((stratum * 2 + codes[:, x]) * 2 + codes[:, y], minlength=slices * 4)
    cells = counts.reshape(slices, 2, 2).astype(float)

    def evidence(v: np.ndarray) -> np.ndarray:
        m = v.shape[1]
        return gammaln(m) - gammaln(m + v.sum(axis=1)) + gammaln(1 + v).sum(axis=1)

    log_g = evidence(cells.sum(axis=2)) + evidence(cells.sum(axis=1))
    log_h = evidence(cells.reshape(slices, 4))
    log_p = -np.log(2) / slices
    odds = np.log(-np.expm1(log_p)) + log_h - log_p - log_g
    return float(-np.logaddexp(0, odds).sum())


def works() -> dict[str, Work]:
    """The two ways on one dataset, after checking that they agree."""
    data = bjp.Dataset.from_codes(np.random.default_rng(0).integers(0, 2, (ROWS, 6)), [2] * 6)
    codes = data.codes.astype(np.int64)
    ours = bjp.independence_test(data, 0, 1, GIVEN).log_independent
    assert abs(ours - log_independent(codes, 0, 1, GIVEN)) < 1e-9 * abs(ours)
    return {
        PLAIN: lambda: log_independent(codes, 0, 1, GIVEN),
        ENGINE: lambda: bjp.independence_test(data, 0, 1, GIVEN),
    }
