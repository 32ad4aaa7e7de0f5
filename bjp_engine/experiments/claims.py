"""What the paper claims of BJP, each claim tested on our rows.

All scores see the same data, so each claim is about paired differences: dataset by dataset, by
how much BJP does better. An interval is Student's, of 95 %, for one claim at a time; of twenty
true claims that are just met, one may look refuted. The claims are those of Schlüter, Strappa,
Milone & Bromberg (arXiv 1608.02315), tables 1 to 4.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from bjp_engine import metrics, networks
from bjp_engine.experiments.description import TABLES, Experiment
from bjp_engine.experiments.results import Results, check_results
from bjp_engine.experiments.summary import MeanEstimate, combine, estimate, printed

if TYPE_CHECKING:
    import pandas as pd

KINDS = ("fewer errors", "grows with n", "grows with irregularity", "fewer tests")
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
    found.sort(key=lambda claim: KINDS.index(claim.kind))
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
        ratios = of_score("tests", "ib") / of_score("tests", "bjp")
        yield from _fewer_tests(table, ratios.map(math.log, na_action="ignore"))


def _mean(
    table: Experiment, gains: pd.DataFrame, network: str, rows: Sequence[int]
) -> MeanEstimate | None:
    """By how much BJP does better at several N, over the datasets that have a row at each."""
    if not rows or network not in gains.index:
        return None
    means = gains.loc[[network], list(rows)].mean(axis=1, skipna=False).dropna()
    return None if means.empty else estimate(means, table.independent_levels)


def _claim(
    kind: str,
    table: Experiment,
    scope: str,
    rival: str,
    found: MeanEstimate,
    rows: Iterable[int],
    unit: str = "",
) -> Claim:
    """A claim with its verdict, in words."""
    name, (low, high), neutral, middle = RIVALS[rival], found.interval, 0.0, found.mean
    unit = unit or UNITS[table.measure]
    sentence = f"BJP's improvement over {name} {kind}"
    if kind == "fewer errors":
        better = "learns the network at least as often as"
        if table.measure == "hamming":
            better = "has at most as many wrong edges as"
        sentence = f"BJP {better} {name}"
    elif kind == "fewer tests":
        sentence, neutral = f"{name} makes more tests than BJP", 1.0
        middle, low, high = map(math.exp, (middle, low, high))
    verdict = "holds" if low >= neutral else "refuted" if high < neutral else "open"
    where = (kind, table.name, scope, rival, unit)
    return Claim(*where, middle, low, high, tuple(rows), verdict, f"{scope}: {sentence}")


def _fewer_errors(table: Experiment, gains: pd.DataFrame, rival: str) -> Iterator[Claim]:
    """BJP against another score where the paper prints it ahead."""
    figures = printed().pivot(
        index=["experiment", "network", "rows"], columns="score", values="printed"
    )
    ours = (figures["bjp"] - figures[rival]) * (1 if table.measure == "success" else -1)
    for network in table.networks:
        ahead = [size for size in sorted(table.rows) if ours[table.name, network, size] >= 0]
        if found := _mean(table, gains, network, ahead):
            yield _claim("fewer errors", table, network, rival, found, ahead)


def _growth(table: Experiment, gains: pd.DataFrame, rival: str) -> Iterator[Claim]:
    """Whether the improvement grows along the networks: a least-squares line."""
    by_size = table.name in ("table-2", "table-3")
    step = 10 if table.name == "table-1" else 1000
    places, means = [], []
    for network in table.networks:
        if found := _mean(table, gains, network, table.rows):
            graph = networks.load(network)
            irregular = metrics.total_irregularity(graph) / step
            places.append(math.log2(len(graph)) if by_size else irregular)
            means.append(found)
    if len(set(places)) >= FEWEST:
        centre = math.fsum(places) / len(places)
        square = math.fsum((x - centre) ** 2 for x in places)
        slope = combine(means, [(x - centre) / square for x in places])
        kind = "grows with n" if by_size else "grows with irregularity"
        each = "doubling" if by_size else step
        unit = f"{UNITS[table.measure]} for each {each}"
        scope = f"{table.networks[0]} to {table.networks[-1]}"
        yield _claim(kind, table, scope, rival, slope, sorted(table.rows), unit)


def _fewer_tests(table: Experiment, ratios: pd.DataFrame) -> Iterator[Claim]:
    """How many times as many tests IB-score makes, from logarithms."""
    for network in table.networks:
        if found := _mean(table, ratios, network, table.rows):
            rows = sorted(table.rows)
            yield _claim("fewer tests", table, network, "ib", found, rows, "times as many tests")
