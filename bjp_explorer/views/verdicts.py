"""What calibrated probabilities say of all pairs together: how many verdicts, how many errors."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bjp_engine.confidence import EdgeConfidence
from bjp_engine.confidence.edges import ABSENT, PRESENT, judge_pairs

# What makes a pair present, and what absent.
USUAL = f"present from {PRESENT:g}, absent up to {ABSENT:g}"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Of all pairs."""

    # How many pairs are taken for edges, for neither, and for none.
    present: int
    undecided: int
    absent: int
    # Pairs of which the fit has not seen the like; nothing else here counts them.
    beyond: int
    # How many present pairs are expected to be no edge, and how many edges are expected among all
    # other pairs: sums of 1 - p and of p.
    false: float
    missed: float


def judge(sure: EdgeConfidence) -> Verdicts:
    """Count all pairs, of which some are like those of the fit."""
    assert sure.judged is not None
    judged = np.triu(sure.judged, 1)
    p = sure.matrix[judged]
    verdict = judge_pairs(p)
    present, undecided, absent = (
        int((verdict == one).sum()) for one in ("present", "undecided", "absent")
    )
    beyond = len(sure.names) * (len(sure.names) - 1) // 2 - len(p)
    false = math.fsum(1.0 - p[verdict == "present"])
    return Verdicts(present, undecided, absent, beyond, false, math.fsum(p[verdict != "present"]))
