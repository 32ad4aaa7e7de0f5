"""What the paper claims of BJP, each claim tested on our rows.

All scores see the same data, so each claim is about paired differences: dataset by dataset, by
how much BJP does better. An interval is Student's, of 95 %, for one claim at a time; of twenty
true claims that are just met, one may look refuted. The claims are those of Schlüter, Strappa,
Milone & Bromberg (arXiv 1608.02315), tables 1 to 4.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bjp_engine import metrics, networks
from bjp_engine.experiments.description import Experiment
from bjp_engine.experiments.results import Results, check_results
from bjp_engine.experiments.summary import (
    MeanEstimate,
    combine,
    dependent,
    estimate,
    lay_out,
    pick,
    printed,
)

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
    """Test every claim that the results have rows for.

    Returns
    -------
    tuple of Claim
        By kind; empty for experiments that are not the paper's.

    Examples
    --------
    >>> from bjp_engine.experiments import claims
    >>> from bjp_engine.experiments import read_results
    >>> found = claims(read_results("sample_data/paper/results.parquet"))
    >>> [claim.sentence for claim in found if claim.verdict == "refuted"]
    ['scale-free-1: BJP has at most as many wrong edges as IB-score']
    """
    experiments = check_results(results).experiments.values()
    tables = [one for one in experiments if printed(one.name)]
    found = [claim for table in tables for claim in _of_table(results, table)]
    return tuple(sorted(found, key=lambda claim: get_args(ClaimKind).index(claim.kind)))


@dataclass(frozen=True, eq=False, slots=True)
class _Pairs:
    """By how much BJP does better on the same data: by network, N (ascending) and dataset."""

    table: Experiment
    gains: NDArray[np.float64]

    def mean(self, network: int, rows: Collection[int]) -> MeanEstimate | None:
        """The mean over several N, of the datasets that have a row at each of them."""
        sizes = [k for k, size in enumerate(sorted(self.table.rows)) if size in rows]
        if not sizes:
            return None
        means = self.gains[network, sizes].mean(axis=0)
        there = ~np.isnan(means)
        return estimate(means[there], dependent(self.table)[there]) if there.any() else None


def _of_table(results: Results, table: Experiment) -> Iterator[Claim]:
    # Of several searches of a score the first counts.
    first = {learner.score: k for k, learner in reversed([*enumerate(table.scores)])}
    numbers = lay_out(results, table)
    wrong = pick(results["hamming"], numbers)
    if table.measure == "success":
        # Not equal and nothing: a missing row stays missing.
        wrong = np.where(np.isnan(wrong), np.nan, wrong != 0)
    for rival in RIVALS:
        if {"bjp", rival} <= first.keys():
            pairs = _Pairs(table, wrong[:, :, first[rival]] - wrong[:, :, first["bjp"]])
            yield from _fewer_errors(pairs, rival)
            yield from _growth(pairs, rival)
    # All graphs need all tests, whatever the score.
    if {"bjp", "ib"} <= first.keys() and table.name != "table-1":
        tests = pick(results["tests"], numbers)
        yield from _fewer_tests(
            _Pairs(table, np.log(tests[:, :, first["ib"]] / tests[:, :, first["bjp"]]))
        )


def _fewer_errors(pairs: _Pairs, rival: str) -> Iterator[Claim]:
    """BJP against another score where the paper prints it ahead."""
    table = pairs.table
    value = {p[:3]: p.value for p in printed(table.name)}
    sign = 1 if table.measure == "success" else -1
    for k, network in enumerate(table.networks):
        ahead = tuple(
            size
            for size in sorted(table.rows)
            if sign * (value[network, size, "bjp"] - value[network, size, rival]) >= 0
        )
        found = pairs.mean(k, ahead)
        if found is not None:
            where = (table.name, network, rival, _unit(table))
            yield Claim("fewer errors", *where, found.mean, *found.interval, 0.0, ahead)


def _growth(pairs: _Pairs, rival: str) -> Iterator[Claim]:
    """Whether the improvement grows along the networks: a least-squares line."""
    table = pairs.table
    kind: ClaimKind = "grows with irregularity"
    step = 10 if table.name == "table-1" else 1000
    unit = f"{_unit(table)} for each {step}"
    if table.name in ("table-2", "table-3"):
        kind, unit = "grows with n", "edges for each doubling"
    places, means = [], []
    for k, network in enumerate(table.networks):
        found = pairs.mean(k, table.rows)
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


def _fewer_tests(ratios: _Pairs) -> Iterator[Claim]:
    """How many times as many tests IB-score makes, from logarithms."""
    table = ratios.table
    for k, network in enumerate(table.networks):
        found = ratios.mean(k, table.rows)
        if found is not None:
            middle, low, high = (math.exp(limit) for limit in (found.mean, *found.interval))
            where = (table.name, network, "ib", "times as many tests")
            yield Claim("fewer tests", *where, middle, low, high, 1.0, tuple(sorted(table.rows)))


def _unit(table: Experiment) -> str:
    return "rate of success" if table.measure == "success" else "edges"
