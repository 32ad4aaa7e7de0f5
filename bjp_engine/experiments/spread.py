"""Means with honest errors: datasets from one distribution are not independent of each other.

Ten samples from each of ten random distributions say less than a hundred from a hundred. The
standard error is therefore that of the distributions' means, with one degree of freedom less
than there are distributions; where all samples come from one distribution, that of the samples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its standard error.

    Parameters
    ----------
    error : float
        The standard error; NaN where there is one independent value only.
    freedom : float
        Its degrees of freedom.
    """

    mean: float
    error: float
    freedom: float

    @property
    def interval(self) -> tuple[float, float]:
        """The limits of Student's 95 % confidence interval; NaN without an error."""
        from scipy.special import stdtrit

        if not self.freedom > 0:
            return math.nan, math.nan
        reach = float(stdtrit(self.freedom, (1 + CONFIDENCE) / 2)) * self.error
        return self.mean - reach, self.mean + reach


def estimate(values: NDArray[np.floating], groups: NDArray[np.integer]) -> Estimate:
    """The mean of a sample in groups."""
    _, place, counts = np.unique(groups, return_inverse=True, return_counts=True)
    means = np.bincount(place, weights=values) / counts
    error = means.std(ddof=1) / math.sqrt(len(means)) if len(means) > 1 else math.nan
    return Estimate(float(means.mean()), float(error), len(means) - 1)


def combination(parts: list[Estimate], weights: list[float]) -> Estimate:
    """A weighted sum of independent means."""
    variances = [(w * part.error) ** 2 for w, part in zip(weights, parts, strict=True)]
    total = math.fsum(variances)
    below = math.fsum(
        v * v / part.freedom for v, part in zip(variances, parts, strict=True) if part.freedom > 0
    )
    mean = math.fsum(w * part.mean for w, part in zip(weights, parts, strict=True))
    freedom = total * total / below if below else min(part.freedom for part in parts)
    return Estimate(mean, math.sqrt(total), freedom)


def rate_error(successes: float, trials: float) -> float:
    """The standard error of a rate, not 0 where all or none succeeded."""
    rate = (successes + 1) / (trials + 2)
    return math.sqrt(rate * (1 - rate) / trials)
