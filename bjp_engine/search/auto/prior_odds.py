"""What the edges that were found tell of a pair that is hard to tell from none.

Of the other pairs two things are asked: how many of them are barely found, and how many are off
the forest that the pairs by themselves speak for. A pair is not asked about itself, else the only
weak one in a network would be its own example of a weak one.

The evidence of an edge supposes that effects of all sizes occur, so of the true edges some are
always barely found. Where nearly all that were found are sure, there are fewer of these than was
supposed, and a pair that is barely found is more likely none. This is the local false discovery
rate of Efron and others (2001), with one number for the density of edges near the threshold.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats
from bjp_engine.graph import Adjacency

# An edge is barely found below these ln odds.
_BARELY = 6.0
# The share of true edges that is expected there: so much over √N, at most half.
_EXPECTED = 5.0
# Two evidences suppose effects of all sizes: that of the models, and the tests of the climb.
_EVIDENCES = 2.0
# Off the forest, one edge for so many variables is expected.
_VARIABLES = 4.0


def few_weak(log_odds: Floats, rows: int) -> Floats:
    """What is to be added to the ln odds of each pair for want of others barely found."""
    found = _found(log_odds)
    expected = min(_EXPECTED / math.sqrt(max(rows, 1)), 0.5)
    share = (_others(found & (log_odds < _BARELY)) + expected) / (_others(found) + 1)
    return _EVIDENCES * np.minimum(0.0, np.log(share / expected))


def off_the_forest(log_odds: Floats, forest: Adjacency) -> Floats:
    """What is to be added to those of each pair off the forest, for want of others there."""
    others = _others(_found(log_odds) & ~forest)
    added = np.minimum(0.0, np.log((others + 1) / (len(forest) / _VARIABLES + 1)))
    return np.where(forest, 0.0, added)


def _found(log_odds: Floats) -> Adjacency:
    """The pairs that are rather edges."""
    found: Adjacency = log_odds > 0
    np.fill_diagonal(found, False)
    return found


def _others(pairs: Adjacency) -> NDArray[np.int64]:
    """How many there are of some pairs, without the pair itself, shape (n, n)."""
    return pairs.sum(dtype=np.int64) // 2 - pairs
