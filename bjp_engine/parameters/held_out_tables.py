"""Each variable's distribution given its blanket as a table of its own, smoothed as MPL does.

Pr(x_i = s | x_{B^i} = l) = (n_sl + ess / (r_i q_i)) / (n_l + ess / q_i), with q_i configurations
of the blanket: the mean of the posterior under MPL's Dirichlet prior (Pensar et al. 2017). These
n tables need not agree with any joint distribution, and a blanket of 16 binary variables has
65 536 rows to fill where a network has 16 factors.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency, blanket


def log_conditional(train: Dataset, test: Dataset, adjacency: Adjacency, ess: float) -> Floats:
    """ln Pr(x_i | x_{B^i}) of every cell of a table, from the counts of another."""
    found = np.empty(test.codes.shape, order="F")
    for i, r in enumerate(test.cardinalities):
        members = blanket(adjacency, i)
        strata = _strata(train, test, members)
        # q may be too large for a float.
        log_weight = math.log(ess) - sum(math.log(train.cardinalities[j]) for j in members)
        cells = strata * r + np.concatenate([train.codes[:, i], test.codes[:, i]])
        parts = (
            _log_counts(cells, train.rows, log_weight - math.log(r)),
            _log_counts(strata, train.rows, log_weight),
        )
        found[:, i] = parts[0] - parts[1]
    return found


def _strata(train: Dataset, test: Dataset, members: tuple[int, ...]) -> NDArray[Any]:
    """A number for the blanket's configuration in each row of both tables."""
    numbers = np.zeros(train.rows + test.rows, dtype=np.int64)
    for j in members:
        numbers *= train.cardinalities[j]
        numbers += np.concatenate([train.codes[:, j], test.codes[:, j]])
        # Numbered anew, so that no product overflows.
        numbers = np.unique(numbers, return_inverse=True)[1]
    return numbers


def _log_counts(numbers: NDArray[Any], rows: int, log_weight: float) -> Floats:
    """ln(n + weight) for each row of the second table, n counted in the first."""
    _, dense = np.unique(numbers, return_inverse=True)
    counts = np.bincount(dense[:rows], minlength=int(dense.max(initial=0)) + 1)[dense[rows:]]
    logs = np.log(counts, out=np.full(len(counts), -np.inf), where=counts > 0)
    return np.asarray(np.logaddexp(logs, log_weight))
