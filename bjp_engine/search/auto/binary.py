"""The variables of two states as a dataset of their own.

Some parts of `auto` are for binary variables. Whether one is binary is asked of itself alone, and
of the states that occur: what other columns are like, or which states might have occurred, says
nothing about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.dataset import Dataset


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


def binary_part(data: Dataset) -> BinaryPart | None:
    """The variables of which exactly two states occur; None where there are not two such."""
    columns, part = data.derived("binary", lambda: _make(data))
    if len(columns) < 2:
        return None
    return BinaryPart(columns, data if part is None else part)


def _make(data: Dataset) -> tuple[NDArray[np.intp], Dataset | None]:
    """The columns, and a dataset of them; None for the data themselves, which keep this."""
    used = data.drop_unused_states()
    columns = np.flatnonzero(np.equal(used.cardinalities, 2) & (data.rows > 0))
    if len(columns) < 2 or (len(columns) == data.n and used is data):
        return columns, None
    return columns, used.select([data.names[j] for j in columns])
