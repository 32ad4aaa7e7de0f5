"""Means over datasets with their errors, compared with the figures that the paper prints.

Ten samples from each of ten random distributions say less than a hundred from a hundred. The
standard error is therefore that of the distributions' means, with one degree of freedom less
than there are distributions; where all samples come from one distribution, that of the samples.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from bjp_engine.experiments.description import Measure
from bjp_engine.experiments.results import Results, check_results
from bjp_engine.resources import sample_data

if TYPE_CHECKING:
    import pandas as pd

CONFIDENCE = 0.95
# A figure agrees within so many standard errors, or within this share of a Hamming distance.
ERRORS, SHARE = 3.0, 0.1
# How many datasets a printed mean is over.
REPEATS = 100


class MeanEstimate(NamedTuple):
    """A mean with its standard error (NaN for one independent value) and degrees of freedom."""

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


def estimate(values: pd.Series[Any], groups: Any) -> MeanEstimate:
    """The mean of a sample in groups, given as to `groupby`, that are independent of each other."""
    means: Any = values.groupby(groups).mean()
    return MeanEstimate(float(means.mean()), float(means.sem()), len(means) - 1)


def combine(parts: list[MeanEstimate], weights: list[float]) -> MeanEstimate:
    """A weighted sum of independent means; Welch's and Satterthwaite's degrees of freedom."""
    variances = [(w * part.error) ** 2 for w, part in zip(weights, parts, strict=True)]
    total = math.fsum(variances)
    below = math.fsum(
        v * v / part.freedom for v, part in zip(variances, parts, strict=True) if part.freedom > 0
    )
    mean = math.fsum(w * part.mean for w, part in zip(weights, parts, strict=True))
    freedom = total * total / below if below else min(part.freedom for part in parts)
    return MeanEstimate(mean, math.sqrt(total), freedom)


def rate_error(successes: float, trials: float) -> float:
    """The standard error of a rate, not 0 where all or none succeeded."""
    rate = (successes + 1) / (trials + 2)
    return math.sqrt(rate * (1 - rate) / trials)


@dataclass(frozen=True, slots=True)
class Summary:
    """The means over the datasets of a cell, and the paper's figures for it.

    Parameters
    ----------
    hamming, hamming_error : float
        Mean Hamming distance and its standard error, NaN where there is one repeat only.
    success, success_error : float
        How often the network itself was learned, 0 to 1.
    fp, fn : float
        Mean edges too many and missing.
    printed : float or None
        The paper's mean or rate; None where it prints none.
    printed_spread, printed_seconds : float or None
        The number that it prints behind ±, best read as a standard error, and its run time;
        None in table 1.
    """

    experiment: str
    network: str
    rows: int
    score: str
    search: str
    repeats: int
    measure: Measure
    hamming: float
    hamming_error: float
    success: float
    success_error: float
    fp: float
    fn: float
    seconds: float
    tests: float
    printed: float | None = None
    printed_spread: float | None = None
    printed_seconds: float | None = None

    @property
    def mean(self) -> float:
        """The mean by which the experiment is judged."""
        return self.success if self.measure == "success" else self.hamming

    @property
    def error(self) -> float:
        """Its standard error, NaN where there is none."""
        return self.success_error if self.measure == "success" else self.hamming_error

    @property
    def digits(self) -> int:
        """Decimals to write the mean with."""
        return 2 if self.measure == "success" else 1

    @property
    def text(self) -> str:
        """Our mean ± its error; then the paper's, where it prints one, and the difference."""
        text = f"{self.mean:.{self.digits}f}"
        if not math.isnan(self.error):
            text += f" ± {self.error:.{self.digits}f}"
        if self.printed is None:
            return text
        return f"{text} ({self.printed:.{self.digits}f}, {self.difference:+.{self.digits}f})"

    @property
    def difference(self) -> float:
        """Our mean minus the paper's, NaN where it prints none."""
        return math.nan if self.printed is None else self.mean - self.printed

    @property
    def difference_error(self) -> float:
        """The standard error of the difference: ours and the paper's combined."""
        if self.printed is None:
            return math.nan
        theirs = self.printed_spread
        if theirs is None:
            theirs = rate_error(self.printed * REPEATS, REPEATS)
        # A repeat alone has no error of its own.
        return math.hypot(theirs if math.isnan(self.error) else self.error, theirs)

    @property
    def agrees(self) -> bool | None:
        """Within 10 % of the paper's Hamming distance, or within three combined errors."""
        if self.printed is None:
            return None
        apart = abs(self.difference)
        close = self.measure == "hamming" and apart <= SHARE * self.printed
        return close or apart <= ERRORS * self.difference_error


def summaries(results: Results) -> tuple[Summary, ...]:
    """The means of each network, N and score, beside the paper's; those that have a row yet.

    Examples
    --------
    >>> from bjp_engine.experiments import summaries
    >>> from bjp_engine.experiments import read_results
    >>> results = read_results("sample_data/paper/results.parquet")
    >>> (one,) = summaries(results.where(network="karate", rows=8000, score="bjp"))
    >>> one.repeats, one.hamming, round(one.hamming_error, 3), one.printed, one.agrees
    (100, 2.02, 0.135, 3.2, True)
    """
    found = []
    frame = check_results(results).to_frame().set_index(["distribution", "sample"])
    cells = dict(iter(frame.groupby(["experiment", "network", "rows", "score", "search"])))
    for name, experiment in results.experiments.items():
        sizes = sorted(experiment.rows)
        for network, size, learner in product(experiment.networks, sizes, experiment.scores):
            rows = cells.get((name, network, size, *learner))
            if rows is None:
                continue
            wrong, right = (
                estimate(values, experiment.independent_levels)
                for values in (rows["hamming"], rows["hamming"] == 0)
            )
            # Distributions that happen to agree don't make a rate more precise than its trials.
            least = rate_error(right.mean * len(rows), len(rows))
            fp, fn, seconds, tests = rows[["fp", "fn", "seconds", "tests"]].mean().tolist()
            figure = printed().get((name, network, size, learner.score))
            if figure is not None and figure.measure != experiment.measure:
                figure = None
            one = Summary(
                *(name, network, size, *learner),
                repeats=len(rows),
                measure=experiment.measure,
                hamming=wrong.mean,
                hamming_error=wrong.error,
                success=right.mean,
                success_error=max(least, right.error) if right.freedom else least,
                fp=fp,
                fn=fn,
                seconds=seconds,
                tests=tests,
                printed=figure and figure.value,
                printed_spread=figure and figure.spread,
                printed_seconds=figure and figure.seconds,
            )
            found.append(one)
    return tuple(found)


def share(found: Iterable[Summary]) -> float:
    """The share of the figures that agree with the paper's."""
    agrees = [one.agrees for one in found if one.agrees is not None]
    return sum(agrees) / len(agrees) if agrees else 1.0


def gaps(found: Iterable[Summary]) -> dict[str, float]:
    """The mean absolute difference from the paper, by network."""
    apart: dict[str, list[float]] = {}
    for one in found:
        if one.printed is not None:
            apart.setdefault(one.network, []).append(abs(one.difference))
    return {network: sum(values) / len(values) for network, values in apart.items()}


# --- The figures of arXiv 1608.02315 --------------------------------------------------------------


class Printed(NamedTuple):
    """One printed figure; table 1 has neither spread nor seconds."""

    measure: Measure
    value: float
    spread: float | None
    seconds: float | None


@cache
def printed() -> Mapping[tuple[str, str, int, str], Printed]:
    """What the paper prints, by table, network, N and score."""
    found = {}
    with sample_data("paper", "tables.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            measure: Measure = "success" if row["measure"] == "success_rate" else "hamming"
            for score in ("mpl", "ib", "bjp"):
                texts = (row[score + end] for end in ("", "_spread", "_seconds"))
                value, spread, seconds = (float(text) if text else None for text in texts)
                where = f"table-{row['table']}", row["network"], int(row["rows"]), score
                found[where] = Printed(measure, value or 0.0, spread, seconds)
    return found
