"""What counts as equal: two numbers whose difference is no more than rounding leaves.

Different tables can be exactly equally probable, and their logarithms then differ in the last
digits only. A search that took such a difference for a gain would add edges for no reason,
and ties would not be broken by position, as docs/theory.md §4 says. A score is good to about 13
digits; 12 are compared.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats
from bjp_engine.kernels.loops import TIE


def exceeds(value: float, other: float, scale: float = 0.0) -> bool:
    """Whether a number is greater than another by more than rounding."""
    return value - other > TIE * max(abs(value), abs(other), scale)


def highest(values: Floats) -> int:
    """The position of the highest value; of equal ones the first."""
    top = float(values.max())
    return int(np.argmax(values >= top - TIE * abs(top)))


def ranked(values: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Positions by descending value, equal ones by position; and the rank of each position."""
    order = np.argsort(-values)
    ordered = values[order]
    scale = np.maximum(np.abs(ordered[:-1]), np.abs(ordered[1:]))
    starts = np.concatenate([[True], ordered[:-1] - ordered[1:] > TIE * scale])
    group = np.cumsum(starts)
    # Group and position in one number, sorted as such: several times faster than by two keys.
    order = np.sort(group * len(values) + order) % len(values)
    rank = np.empty(len(values), dtype=np.intp)
    rank[order] = (np.flatnonzero(starts) + 1)[group - 1]
    return order, rank
