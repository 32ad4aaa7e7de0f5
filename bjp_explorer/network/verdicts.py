"""What calibrated probabilities say of all pairs together: how many verdicts, how many errors."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bjp_engine.confidence import EdgeConfidence

# From which probability a pair is present, and up to which it is absent.
PRESENT, ABSENT = 0.9, 0.1


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Of all pairs.

    Parameters
    ----------
    present, undecided, absent : int
        How many pairs are taken for edges, for neither, and for none.
    false, missed : float
        How many of the edges shown are expected to be none, and how many edges are expected among
        all other pairs: sums of 1 - p and of p.
    """

    present: int
    undecided: int
    absent: int
    false: float
    missed: float


def judge(sure: EdgeConfidence, edges: Iterable[tuple[int, int]]) -> Verdicts:
    """Count all pairs, of which some are shown as edges."""
    verdict = sure.verdicts(PRESENT, ABSENT)["verdict"]
    present, undecided, absent = (
        int((verdict == one).sum()) for one in ("present", "undecided", "absent")
    )
    shown = np.zeros(sure.matrix.shape, dtype=np.bool_)
    for i, j in edges:
        shown[min(i, j), max(i, j)] = True
    rest = np.triu(~shown, 1)
    false, missed = 1.0 - sure.matrix[shown], sure.matrix[rest]
    return Verdicts(present, undecided, absent, math.fsum(false), math.fsum(missed))


def verdict_of(probability: float) -> str:
    """Of one pair."""
    if probability >= PRESENT:
        return "present"
    return "absent" if probability <= ABSENT else "undecided"
