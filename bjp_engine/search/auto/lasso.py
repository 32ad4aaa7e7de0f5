"""What two variables keep of each other when each is regressed on all others at once.

An evidence for each blanket by itself asks whether one more member pays. With few rows and many
weak edges none does alone, though together they would: what is left out is then explained by
whoever is in. A logistic regression on all variables, their coefficients held small by a price
on each, leaves nobody out, so it finds such edges; that both ends keep one another makes up for
what it finds too easily (Meinshausen and Bühlmann 2006; Ravikumar, Wainwright and Lafferty 2010).
"""

from __future__ import annotations

import math

import numpy as np

from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency
from bjp_engine.kernels.penalized import keep
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.search.auto.binary import binary_part

# With more rows the evidence of each blanket finds what this would, and is surer: from so many
# on it counts less and less, and from twice as many on nothing.
MANY_ROWS = 1000
# Multiplications between two looks at the progress.
_STRIDE = 20_000_000


def price(n: int, rows: int) -> float:
    """What each coefficient costs.

    √(2 ln n + ½ ln N): the first is what the largest of n slopes reaches by chance, the second
    makes a found edge rarer as there are more rows, as an evidence does.
    """
    return math.sqrt(2 * math.log(n) + 0.5 * math.log(rows))


def share_counted(rows: int) -> float:
    """How much what is kept counts, from 0 to 1."""
    return min(max(2.0 - rows / MANY_ROWS, 0.0), 1.0)


def kept_by_both(data: Dataset, progress: Progress = UNWATCHED) -> Adjacency:
    """The pairs of binary variables whose ends keep each other; none where it counts nothing."""
    binary, rows = binary_part(data), data.rows
    if binary is None or not share_counted(rows):
        return np.zeros((data.n, data.n), dtype=np.bool_)
    n = len(binary.columns)
    kept = np.zeros((n, n))
    coded = np.where(binary.data.codes.T == 1, 1.0, -1.0)
    stride = max(1, _STRIDE // (n * rows))
    for first in range(0, n, stride):
        progress.tick(first, n)
        keep(coded, price(data.n, rows), first, min(first + stride, n), kept)
    return binary.spread((kept != 0) & (kept.T != 0), data.n, False)
