"""Means over datasets with their errors, compared with the figures that the paper prints.

Ten samples from each of ten random distributions say less than a hundred from a hundred. The
standard error is therefore that of the distributions' means, with one degree of freedom less
than there are distributions; where all samples come from one distribution, that of the samples.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bjp_engine.experiments.description import Experiment
from bjp_engine.experiments.results import Results, check_results
from bjp_engine.resources import sample_data

if TYPE_CHECKING:
    import pandas as pd

CONFIDENCE = 0.95
# A figure agrees within so many standard errors, or within this share of a Hamming distance.
ERRORS, SHARE = 3.0, 0.1
# How many datasets a printed mean is over.
REPEATS = 100
CELL = ["experiment", "network", "rows", "score", "search"]


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


def rate_error(successes: Any, trials: Any) -> Any:
    """The standard error of a rate, or of several; not 0 where all or none succeeded."""
    rate = (successes + 1) / (trials + 2)
    return np.sqrt(rate * (1 - rate) / trials)


def summaries(results: Results) -> pd.DataFrame:
    """Means over the datasets of each network, N and score that has a row, and the paper's figures.

    Returns
    -------
    DataFrame
        `hamming`, the mean Hamming distance, and `success`, how often the network itself was
        learned, each with its standard error `…_error`, NaN where there is one repeat only. The
        one that the experiment is judged by, its `measure`, is `mean ± error` as well. Further
        means are `fp` and `fn` (edges too many and missing), `seconds` and `tests`. `printed` is
        the paper's mean or rate, `printed_spread` the number that it prints behind ±, best read as
        a standard error, and `printed_seconds` its run time; NaN where it prints none. `agrees`:
        within 10 % of its Hamming distance, or within three errors of the `difference`.

    Examples
    --------
    >>> from bjp_engine.experiments import summaries
    >>> from bjp_engine.experiments import read_results
    >>> results = read_results("sample_data/paper/results.parquet")
    >>> found = summaries(results.where(network="karate", rows=8000, score="bjp"))
    >>> found[["repeats", "hamming", "hamming_error", "printed", "agrees"]].round(3)
       repeats  hamming  hamming_error  printed  agrees
    0      100     2.02          0.135      3.2    True
    """
    import pandas as pd

    tables = check_results(results).experiments.items()
    parts = [_summarise(one, results.where(experiment=name).to_frame()) for name, one in tables]
    return pd.concat(parts, ignore_index=True)


def _summarise(experiment: Experiment, rows: pd.DataFrame) -> pd.DataFrame:
    """A line for each cell of an experiment, in the order of its design."""
    measured = rows.assign(success=rows["hamming"] == 0)
    means = measured.groupby([*CELL, *experiment.independent_levels])[["hamming", "success"]].mean()
    cells: Any = rows.groupby(CELL)
    groups: Any = means.groupby(CELL)
    table = cells.size().to_frame("repeats").assign(measure=experiment.measure)
    for name in ("hamming", "success"):
        # Not pandas' own `mean` of groups, whose last digit differs from that of each alone.
        table[name] = groups[name].agg(lambda values: values.mean())
        table[f"{name}_error"] = groups[name].agg(lambda values: values.sem())
    others = ["fp", "fn", "seconds", "tests"]
    table[others] = cells[others].agg(lambda values: values.mean())
    # Distributions that happen to agree don't make a rate more precise than its trials.
    least = rate_error(table["success"] * table["repeats"], table["repeats"])
    table["success_error"] = np.fmax(least, table["success_error"])
    design = product(experiment.networks, sorted(experiment.rows), experiment.scores)
    order = [(experiment.name, network, size, *learner) for network, size, learner in design]
    table = table.loc[[cell for cell in order if cell in table.index]].reset_index()
    table = table.merge(printed(), how="left", on=[*CELL[:-1], "measure"])
    mean, error = (table[experiment.measure + end] for end in ("", "_error"))
    theirs = table["printed_spread"]
    if experiment.measure == "success":
        theirs = rate_error(table["printed"] * REPEATS, REPEATS)
    table["difference"] = mean - table["printed"]
    # A repeat alone has no error of its own.
    table["difference_error"] = [*map(math.hypot, error.fillna(theirs), theirs)]
    apart = table["difference"].abs()
    close = (table["measure"] == "hamming") & (apart <= SHARE * table["printed"])
    agrees = close | (apart <= ERRORS * table["difference_error"])
    table["agrees"] = agrees.astype("boolean").where(table["printed"].notna())
    return table.assign(mean=mean, error=error)


def gaps(found: pd.DataFrame) -> dict[str, float]:
    """The mean absolute difference from the paper, by network."""
    apart: Any = found["difference"].abs().groupby(found["network"], sort=False).mean()
    return apart.dropna().to_dict()


@cache
def printed() -> pd.DataFrame:
    """What arXiv 1608.02315 prints, a line for each table, network, N and score.

    Table 1 has neither spread nor seconds.
    """
    import pandas as pd

    wide = pd.read_csv(sample_data("paper", "tables.csv"))
    wide["experiment"] = "table-" + wide["table"].astype(str)
    wide["measure"] = wide["measure"].replace("success_rate", "success")
    ends = ("", "_spread", "_seconds")
    of_scores = (
        wide[["experiment", "network", "rows", "measure"]].assign(
            score=score, **{f"printed{end}": wide[score + end] for end in ends}
        )
        for score in ("mpl", "ib", "bjp")
    )
    return pd.concat(of_scores)
