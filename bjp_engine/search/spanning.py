"""The heaviest spanning tree, as it grows from the first variable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bjp_engine.arrays import Floats


class Link(NamedTuple):
    """A variable that the tree takes in.

    Parameters
    ----------
    new, known : int
        It, and the one that it is joined to.
    weight : float
        Of that pair.
    """

    new: int
    known: int
    weight: float


def links(weights: Floats) -> Iterator[Link]:
    """The pairs of a spanning tree of the greatest total weight, by Prim's algorithm."""
    best, known = weights[0].copy(), np.zeros(len(weights), dtype=np.int64)
    outside = np.arange(1, len(weights))
    while len(outside):
        new = int(outside[np.argmax(best[outside])])
        yield Link(new, int(known[new]), float(best[new]))
        outside = outside[outside != new]
        better = weights[new] > best
        best[better], known[better] = weights[new, better], new
