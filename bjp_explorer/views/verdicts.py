"""What calibrated probabilities say of all pairs together: how many verdicts, how many errors."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bjp_engine.confidence import EdgeConfidence
from bjp_engine.confidence.edges import ABSENT, PRESENT, judge_pairs


class Thresholds(NamedTuple):
    """From which probability a pair is taken for an edge, and up to which for none."""

    present: float = PRESENT
    absent: float = ABSENT

    @property
    def text(self) -> str:
        """Both in words."""
        return f"present from {self.present:g}, absent up to {self.absent:g}"


USUAL = Thresholds()


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Of all pairs."""

    # How many pairs are taken for edges, for neither, and for none.
    present: int
    undecided: int
    absent: int
    # Pairs of which the fit has not seen the like; nothing else here counts them.
    beyond: int
    # How many of the edges shown are expected to be none, and how many edges are expected among all
    # other pairs: sums of 1 - p and of p.
    false: float
    missed: float
    # By which they are.
    thresholds: Thresholds = USUAL


def judge(
    sure: EdgeConfidence,
    edges: Iterable[tuple[int, int]],
    thresholds: Thresholds = USUAL,
) -> Verdicts:
    """Count all pairs, of which some are shown as edges and some are like those of the fit."""
    assert sure.judged is not None
    judged = np.triu(sure.judged, 1)
    verdict = judge_pairs(sure.matrix[judged], True, *thresholds)
    present, undecided, absent = (
        int((verdict == one).sum()) for one in ("present", "undecided", "absent")
    )
    shown = np.zeros(sure.matrix.shape, dtype=np.bool_)
    for i, j in edges:
        shown[min(i, j), max(i, j)] = True
    beyond = len(sure.names) * (len(sure.names) - 1) // 2 - int(judged.sum())
    false, missed = 1.0 - sure.matrix[judged & shown], sure.matrix[judged & ~shown]
    errors = math.fsum(false), math.fsum(missed)
    return Verdicts(present, undecided, absent, beyond, *errors, thresholds)
