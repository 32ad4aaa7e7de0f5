"""Means over datasets with their errors, compared with the figures that the paper prints.

Ten samples from each of ten random distributions say less than a hundred from a hundred. The
standard error is therefore that of the distributions' means, with one degree of freedom less
than there are distributions; where all samples come from one distribution, that of the samples.

All scores see the same data, so each of the paper's claims (arXiv 1608.02315, tables 1 to 4) is
about paired differences: dataset by dataset, by how much BJP does better. An interval is Student's,
of 95 %, for one claim at a time; of twenty true claims that are just met, one may look refuted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bjp_engine import metrics, networks
from bjp_engine.experiments.description import TABLES, Experiment
from bjp_engine.experiments.runs import Results, check_results
from bjp_engine.resources import sample_data

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

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

        reach = float(stdtrit(self.freedom, (1 + CONFIDENCE) / 2)) * self.error
        return self.mean - reach, self.mean + reach


def estimate(values: pd.Series[Any], groups: Any) -> MeanEstimate:
    """The mean of a sample in groups, given as to `groupby`, that are independent of each other."""
    means: Any = values.groupby(groups).mean()
    return MeanEstimate(float(means.mean()), float(means.sem()), len(means) - 1)


def combine(parts: list[MeanEstimate], weights: NDArray[np.float64]) -> MeanEstimate:
    """A weighted sum of independent means; Welch's and Satterthwaite's degrees of freedom."""
    means, errors, freedoms = np.array(parts).T
    variances = (weights * errors) ** 2
    total, below = variances.sum(), (variances**2 / freedoms).sum()
    freedom = total**2 / below if below else freedoms.min()
    return MeanEstimate(float(weights @ means), math.sqrt(total), float(freedom))


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
    """What arXiv 1608.02315 prints; of table 1 neither spread nor seconds."""
    import pandas as pd

    return pd.read_csv(sample_data("paper", "tables.csv"))


# --- The paper's claims ---------------------------------------------------------------------------

CLAIMS = ("fewer errors", "grows with n", "grows with irregularity", "fewer tests")
RIVALS = {"ib": "IB-score", "mpl": "MPL"}
UNITS = {"success": "rate of success", "hamming": "edges"}
# A line through fewer points says nothing.
FEWEST = 3


class Claim(NamedTuple):
    """One claim of a table of the paper on a network, or several, and our verdict on it."""

    kind: str
    experiment: str
    scope: str
    rival: str
    unit: str
    estimate: float
    low: float
    high: float
    rows: tuple[int, ...]
    verdict: str
    sentence: str


def claims(results: Results) -> pd.DataFrame:
    """Test every claim of the paper that the results have rows for; by kind.

    Returns
    -------
    DataFrame
        *Fewer errors*: BJP's mean Hamming distance is at most the rival's (in table 1: its rate of
        success at least the rival's), at all N where the paper prints it so. *Grows with n*, of
        hubs and scale-free networks: the improvement, averaged over N, has a positive slope on
        log2 n. *Grows with irregularity*, of targets and real networks: the same on total
        irregularity. *Fewer tests*: IB-score makes more tests than BJP. `estimate`: by how much
        BJP does better, between `low` and `high`; `rows`: the N that it is about; `verdict`:
        `holds` or `refuted` where the whole interval says so, else `open`.

    Examples
    --------
    >>> from bjp_engine.experiments import claims
    >>> from bjp_engine.experiments import read_results
    >>> found = claims(read_results("sample_data/paper/results.parquet"))
    >>> found.loc[found["verdict"] == "refuted", "sentence"].tolist()
    ['scale-free-1: BJP has at most as many wrong edges as IB-score']
    """
    import pandas as pd

    experiments = check_results(results).experiments.values()
    found = [claim for one in experiments if one.name in TABLES for claim in _of(results, one)]
    found.sort(key=lambda claim: CLAIMS.index(claim.kind))
    return pd.DataFrame(found, columns=Claim._fields)


def _of(results: Results, table: Experiment) -> Iterator[Claim]:
    import pandas as pd

    frame = results.where(experiment=table.name).to_frame()
    # Of several searches of a score the first counts.
    first = dict(reversed(table.scores))
    frame = frame[frame["search"] == frame["score"].map(first)]
    wide = frame.assign(wrong=frame["hamming"].astype(float)).pivot(
        index=["network", "distribution", "sample"],
        columns=["score", "rows"],
        values=["wrong", "tests"],
    )
    if table.measure == "success":
        wide["wrong"] = wide["wrong"].mask(wide["wrong"] > 0, 1.0)

    def of_score(column: str, score: str) -> pd.DataFrame:
        """A line for each dataset, a column for each N."""
        pairs = pd.MultiIndex.from_product([[column], [score], table.rows])
        return wide.reindex(columns=pairs).droplevel([0, 1], axis=1)

    for rival in RIVALS:
        if {"bjp", rival} <= first.keys():
            gains = of_score("wrong", rival) - of_score("wrong", "bjp")
            yield from _fewer_errors(table, gains, rival)
            yield from _growth(table, gains, rival)
    # All graphs need all tests, whatever the score.
    if {"bjp", "ib"} <= first.keys() and table.name != "table-1":
        logs = (of_score("tests", "ib") / of_score("tests", "bjp")).map(math.log, "ignore")
        for network, (found, sizes) in _means(table, logs).items():
            where = "fewer tests", table.name, network, "ib", "times as many tests"
            yield _claim(where, found, sizes, f"{RIVALS['ib']} makes more tests than BJP", math.exp)


def _means(
    table: Experiment, gains: pd.DataFrame, ahead: pd.Series[Any] | None = None
) -> dict[str, tuple[MeanEstimate, list[int]]]:
    """By how much BJP does better on each network at all N, or those where it is ahead; these N.

    Over the datasets that have a row at each of them.
    """
    found = {}
    for network in table.networks:
        sizes = [n for n in sorted(table.rows) if ahead is None or ahead[network, n]]
        if sizes and network in gains.index:
            means = gains.loc[[network], sizes].mean(axis=1, skipna=False).dropna()
            if not means.empty:
                found[network] = estimate(means, table.independent_levels), sizes
    return found


def _claim(
    where: tuple[str, str, str, str, str],
    found: MeanEstimate,
    rows: Iterable[int],
    sentence: str,
    scale: Callable[[float], float] = float,
) -> Claim:
    """A claim with its verdict; its numbers on another scale."""
    low, high = found.interval
    verdict = "holds" if low >= 0 else "refuted" if high < 0 else "open"
    numbers = scale(found.mean), scale(low), scale(high)
    return Claim(*where, *numbers, tuple(rows), verdict, f"{where[2]}: {sentence}")


def _fewer_errors(table: Experiment, gains: pd.DataFrame, rival: str) -> Iterator[Claim]:
    """BJP against another score where the paper prints it ahead."""
    theirs = printed()[printed()["experiment"] == table.name]
    figures = theirs.pivot(index=["network", "rows"], columns="score", values="printed")
    ahead, better = figures["bjp"] <= figures[rival], "has at most as many wrong edges as"
    if table.measure == "success":
        ahead, better = figures["bjp"] >= figures[rival], "learns the network at least as often as"
    for network, (found, sizes) in _means(table, gains, ahead).items():
        where = "fewer errors", table.name, network, rival, UNITS[table.measure]
        yield _claim(where, found, sizes, f"BJP {better} {RIVALS[rival]}")


def _growth(table: Experiment, gains: pd.DataFrame, rival: str) -> Iterator[Claim]:
    """Whether the improvement grows along the networks: a least-squares line."""
    by_size, step = table.name in ("table-2", "table-3"), 10 if table.name == "table-1" else 1000
    found = _means(table, gains)
    graphs = map(networks.load, found)
    places = np.array(
        [math.log2(len(g)) if by_size else metrics.total_irregularity(g) / step for g in graphs]
    )
    if len(set(places)) >= FEWEST:
        apart = places - places.mean()
        slope = combine([mean for mean, _ in found.values()], apart / (apart @ apart))
        kind = "grows with n" if by_size else "grows with irregularity"
        unit = f"{UNITS[table.measure]} for each {'doubling' if by_size else step}"
        where = kind, table.name, f"{table.networks[0]} to {table.networks[-1]}", rival, unit
        sentence = f"BJP's improvement over {RIVALS[rival]} {kind}"
        yield _claim(where, slope, sorted(table.rows), sentence)
