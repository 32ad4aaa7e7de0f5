"""The states that occur, and the variables of two states as a dataset of their own.

Some parts of `auto` are for binary variables. Whether one is binary is asked of itself alone, and
of the states that occur: what other columns are like, or which states might have occurred, says
nothing about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.dataset import Dataset, adopt


@dataclass(frozen=True, eq=False, slots=True)
class BinaryPart:
    """Some columns of a dataset, coded 0 and 1.

    Parameters
    ----------
    columns : ndarray of int, shape (m,)
        Their places in the whole dataset, ascending.
    data : Dataset
        N rows of m variables.
    """

    columns: NDArray[np.intp]
    data: Dataset

    @property
    def pairs(self) -> tuple[NDArray[np.intp], ...]:
        """Indices of what the columns have in a matrix of all variables."""
        return np.ix_(self.columns, self.columns)

    @property
    def states(self) -> NDArray[np.uint8]:
        """The rows of each column, shape (m, N), read-only."""
        made = np.ascontiguousarray(self.data.codes.T, dtype=np.uint8)
        made.flags.writeable = False
        return made

    def spread(self, part: NDArray[Any], n: int, elsewhere: float) -> NDArray[Any]:
        """A matrix of these variables as one of all n."""
        whole = np.full((n, n), elsewhere, dtype=part.dtype)
        whole[self.pairs] = part
        return whole


def without_unseen(data: Dataset) -> Dataset:
    """The same rows without the states that no row has; the data themselves where all occur."""
    made: Dataset | None = data.derived("without unseen states", lambda: _drop_unseen(data))
    return data if made is None else made


def _drop_unseen(data: Dataset) -> Dataset | None:
    """Renumber the states of each column in which some do not occur; None where all do."""
    occurs = [
        np.bincount(data.codes[:, j], minlength=r) > 0 for j, r in enumerate(data.cardinalities)
    ]
    if not data.rows or all(seen.all() for seen in occurs):
        return None
    codes = np.empty(data.codes.shape, dtype=data.codes.dtype, order="F")
    for j, seen in enumerate(occurs):
        codes[:, j] = (np.cumsum(seen) - 1)[data.codes[:, j]]
    labels = tuple(
        tuple(label for label, has in zip(known, seen, strict=True) if has)
        for known, seen in zip(data.labels, occurs, strict=True)
    )
    return adopt(codes, tuple(map(len, labels)), data.names, labels, data.ordered)


def binary_part(data: Dataset) -> BinaryPart | None:
    """The variables of which exactly two states occur; None where there are not two such."""
    columns, part = data.derived("binary", lambda: _make(data))
    if len(columns) < 2:
        return None
    return BinaryPart(columns, data if part is None else part)


def _make(data: Dataset) -> tuple[NDArray[np.intp], Dataset | None]:
    """The columns, and a dataset of them; None for the data themselves, which keep this."""
    if data.rows and set(data.cardinalities) == {2}:
        same = (data.codes[:1] == data.codes).all(axis=0)
        if not same.any():
            return np.arange(data.n), None
    columns, codes = [], []
    for j, r in enumerate(data.cardinalities):
        states = np.flatnonzero(np.bincount(data.codes[:, j], minlength=r))
        if len(states) == 2:
            columns.append(j)
            codes.append(data.codes[:, j] == states[1])
    places = np.array(columns, dtype=np.intp)
    if len(columns) < 2:
        return places, None
    part = np.array(codes, dtype=np.uint8).T
    names = tuple(data.names[j] for j in columns)
    sizes, labels = (2,) * len(columns), (("0", "1"),) * len(columns)
    return places, adopt(part, sizes, names, labels)
