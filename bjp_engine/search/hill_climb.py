"""Hill climbing that doesn't give up: pairs in ascending local contribution until one improves.

It goes on where IBMAP-HC stops. A proposal that doesn't raise the score is passed over until a
flip touches one of its ends; at last every pair that was passed over is tried once more, and the
climb ends where no single flip raises the score.
"""

from __future__ import annotations

import numpy as np

from bjp_engine.kernels.board import Rule
from bjp_engine.search.base import StopReason
from bjp_engine.search.ibmap_hc import IBMAPHillClimb


class HillClimb(IBMAPHillClimb):
    """Flip the first pair, by ascending local contribution, that raises the score."""

    name = "hill-climb"
    title = "Hill climb, every pair"
    rule = Rule(by_gain=False, goes_on=True, thorough=True, limit=np.inf)
    ends_because = StopReason.NO_FLIP
