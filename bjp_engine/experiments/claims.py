"""What the paper claims of BJP, each claim tested on our rows.

All scores see the same data, so each claim is about paired differences: dataset by dataset, by
how much BJP does better. An interval is Student's, of 95 %, for one claim at a time; of twenty
true claims that are just met, one may look refuted. The claims are those of Schlüter, Strappa,
Milone & Bromberg (arXiv 1608.02315), tables 1 to 4.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from bjp_engine import metrics, networks
from bjp_engine.experiments.description import TABLES, Experiment
from bjp_engine.experiments.results import Results, check_results
from bjp_engine.experiments.summary import MeanEstimate, combine, estimate, printed

if TYPE_CHECKING:
    import pandas as pd

ClaimKind = Literal["fewer errors", "grows with n", "grows with irregularity", "fewer tests"]
Verdict = Literal["holds", "open", "refuted"]
RIVALS = {"ib": "IB-score", "mpl": "MPL"}
# A line through fewer points says nothing.
FEWEST = 3


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim, and the verdict of our rows on it.

    Parameters
    ----------
    kind : {"fewer errors", "grows with n", "grows with irregularity", "fewer tests"}
        *Fewer errors*: BJP's mean Hamming distance is at most the rival's (in table 1: its rate
        of success at least the rival's), at all N where the paper prints it so. *Grows with n*,
        of hubs and scale-free networks: the improvement, averaged over N, has a positive slope
        on log2 n. *Grows with irregularity*, of targets and real networks: the same on total
        irregularity. *Fewer tests*: IB-score makes more tests than BJP.
    scope : str
        The network, or the networks.
    estimate, low, high : float
        By how much BJP does better, with its 95 % confidence interval; NaN without one.
    neutral : float
        Beyond this the claim holds, 0 or 1.
    rows : tuple of int
        The N that it is about.
    """

    kind: ClaimKind
    experiment: str
    scope: str
    rival: str
    unit: str
    estimate: float
    low: float
    high: float
    neutral: float
    rows: tuple[int, ...]

    @property
    def verdict(self) -> Verdict:
        """`holds` or `refuted` where the whole interval says so, else `open`."""
        if self.low >= self.neutral:
            return "holds"
        return "refuted" if self.high < self.neutral else "open"

    @property
    def sentence(self) -> str:
        """The claim in words."""
        rival, where = RIVALS[self.rival], self.scope
        if self.kind == "fewer errors":
            better = "learns the network at least as often as"
            if self.unit == "edges":
                better = "has at most as many wrong edges as"
            return f"{where}: BJP {better} {rival}"
        if self.kind == "fewer tests":
            return f"{where}: {rival} makes more tests than BJP"
        return f"{where}: BJP's improvement over {rival} {self.kind}"


def claims(results: Results) -> tuple[Claim, ...]:
    """Test every claim of the paper that the results have rows for; by kind.

    Examples
    --------
    >>> from bjp_engine.experiments import claims
    >>> from bjp_engine.experiments import read_results
    >>> found = claims(read_results("sample_data/paper/results.parquet"))
    >>> [claim.sentence for claim in found if claim.verdict == "refuted"]
    ['scale-free-1: BJP has at most as many wrong edges as IB-score']
    """
    experiments = check_results(results).experiments.values()
    found = [claim for one in experiments if one.name in TABLES for claim in _of(results, one)]
    return tuple(sorted(found, key=lambda claim: get_args(ClaimKind).index(claim.kind)))


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


def _fewer_errors(table: Experiment, gains: pd.DataFrame, rival: str) -> Iterator[Claim]:
    """BJP against another score where the paper prints it ahead."""
    sign = 1 if table.measure == "success" else -1
    for network in table.networks:
        ahead = []
        for size in sorted(table.rows):
            ours, theirs = (printed()[table.name, network, size, s].value for s in ("bjp", rival))
            if sign * (ours - theirs) >= 0:
                ahead.append(size)
        found = _mean(table, gains, network, ahead)
        if found is not None:
            where = (table.name, network, rival, _unit(table))
            yield Claim("fewer errors", *where, found.mean, *found.interval, 0.0, tuple(ahead))


def _growth(table: Experiment, gains: pd.DataFrame, rival: str) -> Iterator[Claim]:
    """Whether the improvement grows along the networks: a least-squares line."""
    kind: ClaimKind = "grows with irregularity"
    step = 10 if table.name == "table-1" else 1000
    unit = f"{_unit(table)} for each {step}"
    if table.name in ("table-2", "table-3"):
        kind, unit = "grows with n", "edges for each doubling"
    places, means = [], []
    for network in table.networks:
        found = _mean(table, gains, network, table.rows)
        if found is not None:
            graph = networks.load(network)
            irregular = metrics.total_irregularity(graph) / step
            places.append(math.log2(len(graph)) if kind == "grows with n" else irregular)
            means.append(found)
    if len(set(places)) >= FEWEST:
        centre = math.fsum(places) / len(places)
        square = math.fsum((x - centre) ** 2 for x in places)
        slope = combine(means, [(x - centre) / square for x in places])
        where = (table.name, f"{table.networks[0]} to {table.networks[-1]}", rival, unit)
        yield Claim(kind, *where, slope.mean, *slope.interval, 0.0, tuple(sorted(table.rows)))


def _fewer_tests(table: Experiment, ratios: pd.DataFrame) -> Iterator[Claim]:
    """How many times as many tests IB-score makes, from logarithms."""
    for network in table.networks:
        found = _mean(table, ratios, network, table.rows)
        if found is not None:
            middle, low, high = (math.exp(limit) for limit in (found.mean, *found.interval))
            where = (table.name, network, "ib", "times as many tests")
            yield Claim("fewer tests", *where, middle, low, high, 1.0, tuple(sorted(table.rows)))


def _unit(table: Experiment) -> str:
    return "rate of success" if table.measure == "success" else "edges"
