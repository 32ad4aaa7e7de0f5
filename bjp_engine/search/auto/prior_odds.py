"""What the edges that were found tell of those that are hard to tell from none.

Two things are asked: how many of them are barely found, and how many are off the forest that
the pairs by themselves speak for.

The evidence of an edge supposes that effects of all sizes occur, so of the true edges some are
always barely found. Where nearly all that were found are sure, there are fewer of these than was
supposed, and a pair that is barely found is more likely none. This is the local false discovery
rate of Efron and others (2001), with one number for the density of edges near the threshold.
"""

from __future__ import annotations

import math

import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.graph import Adjacency

# An edge is barely found below these ln odds.
_BARELY = 6.0
# The share of true edges that is expected there: so much over √N, at most half.
_EXPECTED = 5.0
# How many edges that expectation is worth.
_WORTH = 1.0
# Off the forest, one edge for so many variables is expected.
_VARIABLES = 4.0
_LEAST = -5.0


def correction(log_odds: Floats, rows: int) -> float:
    """What is to be added to the ln odds of every pair (natural log)."""
    pairs = log_odds[np.triu_indices(len(log_odds), 1)]
    found, barely = int((pairs > 0).sum()), int(((pairs > 0) & (pairs < _BARELY)).sum())
    expected = min(_EXPECTED / math.sqrt(max(rows, 1)), 0.5)
    share = (barely + _WORTH * expected) / (found + _WORTH)
    return min(0.0, max(_LEAST, math.log(share / expected)))


def off_the_forest(log_odds: Floats, forest: Adjacency) -> float:
    """What is to be added to the ln odds of the pairs that are not in the forest (natural log).

    The usual prior expects about as many edges as there are variables, and a forest has nearly
    so many. Where hardly any other is found, the network may be a forest.
    """
    if not forest.any():
        return 0.0
    n = len(forest)
    found = int(((log_odds > 0) & ~forest)[np.triu_indices(n, 1)].sum())
    return min(0.0, max(_LEAST, math.log((found + 1) / (n / _VARIABLES + 1))))
