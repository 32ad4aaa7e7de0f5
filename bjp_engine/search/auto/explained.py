"""Whether the tables of both ends explain what the regressions of scores see in a pair.

Scores add up. Where two variables are driven by an interaction of two others, regressions leave
some dependence between them, and claim an edge. If it were one, the pair would depend at least as
much within the slices of each end's blanket, since nothing is assumed there. So a claim is
contradicted where the blanket that a table chose leaves far less: ½ G² beyond its expectation,
½ df, and with three standard deviations added, is less than half of the ln odds claimed. It takes
enough rows in a cell that G² has its usual distribution.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Bools, Floats, number_rows
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency
from bjp_engine.progress import UNWATCHED, Progress

# So many rows a cell of each slice, on average.
_ROWS_OF_CELL = 2.0
_DEVIATIONS, _SHARE = 3.0, 0.5


def explained_away(
    data: Dataset, found: Adjacency, claimed: Floats, progress: Progress = UNWATCHED
) -> Bools:
    """The pairs of which the tables of both ends contradict the ln odds claimed, shape (n, n).

    `found` says [j, b] where b is in the blanket that a table of j chose; a pair of which one end
    is in the blanket of the other is not contradicted.
    """
    gone = np.zeros_like(found)
    blankets = found.any(axis=1)
    asked = np.triu(claimed > 0.0, 1) & ~(found | found.T) & np.logical_and.outer(*[blankets] * 2)
    for i, j in np.argwhere(asked):
        progress.tick()
        least = _SHARE * claimed[i, j]
        if all(_most(data, i, j, np.flatnonzero(found[end])) < least for end in (i, j)):
            gone[i, j] = gone[j, i] = True
    return gone


def _most(data: Dataset, i: int, j: int, blanket: NDArray[np.intp]) -> float:
    """What the dependence within slices may come to, in ln; infinite where rows are too few."""
    sizes = [data.cardinalities[k] for k in blanket]
    slices = number_rows(data.codes[:, blanket], sizes)
    q, a, b = int(slices.max()) + 1, data.cardinalities[i], data.cardinalities[j]
    if data.rows < _ROWS_OF_CELL * q * a * b:
        return math.inf
    cells = (slices * a + data.codes[:, i]) * b + data.codes[:, j]
    counts = np.bincount(cells, minlength=q * a * b).reshape(q, a, b).astype(np.float64)
    rows, columns = counts.sum(axis=2, keepdims=True), counts.sum(axis=1, keepdims=True)
    whole = counts.sum(axis=(1, 2), keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = counts * np.log(counts * whole / (rows * columns))
    half = float(np.where(counts > 0, parts, 0.0).sum())
    freedom = ((np.count_nonzero(rows, axis=1) - 1) * (np.count_nonzero(columns, axis=2) - 1)).sum()
    return half - freedom / 2 + _DEVIATIONS * math.sqrt(freedom / 2)
