"""What the paper claims of BJP, each claim tested on our rows.

All scores see the same data, so each claim is about paired differences: dataset by dataset, by
how much BJP does better. An interval is Student's, of 95 %, for one claim at a time; of twenty
true claims that are just met, one may look refuted.

Claims
------
fewer errors
    BJP's mean Hamming distance is at most IB-score's, and at most MPL's (in table 1: its rate
    of success at least theirs), at all N where the paper prints it so.
grows with n
    The improvement, averaged over N, grows from the smallest to the largest of the hub and of
    the scale-free networks: its regression on log2 n has a positive slope.
grows with irregularity
    The same over the targets, and over the real networks, against total irregularity.
fewer tests
    IB-score makes more tests than BJP.

References
----------
Schlüter, Strappa, Milone & Bromberg (arXiv 1608.02315), tables 1 to 4.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from bjp_engine import metrics, networks
from bjp_engine.experiments.description import Experiment
from bjp_engine.experiments.paired import gains, tests_ratio
from bjp_engine.experiments.printed import is_printed, printed
from bjp_engine.experiments.results import Results
from bjp_engine.experiments.spread import Estimate, combination

Kind = Literal["fewer errors", "grows with n", "grows with irregularity", "fewer tests"]
Verdict = Literal["holds", "open", "refuted"]
RIVALS = {"ib": "IB-score", "mpl": "MPL"}
# A line through fewer points says nothing.
FEWEST = 3


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim and what our rows say to it.

    Parameters
    ----------
    kind : str
        Which of the claims, see the module.
    scope : str
        The network, or the networks.
    rival : {"ib", "mpl"}
        The score that BJP is compared with.
    unit : str
        What the estimate counts.
    estimate, low, high : float
        By how much BJP does better, with its 95 % confidence interval; NaN without one.
    neutral : float
        Beyond this the claim holds, 0 or 1.
    rows : tuple of int
        The N that it is about.
    """

    kind: Kind
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
    """Test every claim that the results have rows for."""
    tables = [e for name, e in results.experiments.items() if is_printed(name)]
    found = [claim for table in tables for claim in _of_table(results, table)]
    kinds = {kind: place for place, kind in enumerate(Kind.__args__)}  # type: ignore[attr-defined]
    return tuple(sorted(found, key=lambda claim: kinds[claim.kind]))


def _of_table(results: Results, table: Experiment) -> Iterator[Claim]:
    """All claims about one table."""
    scores = {learner.score for learner in table.scores}
    for rival in RIVALS:
        if {"bjp", rival} <= scores:
            for network in table.networks:
                yield from _fewer_errors(results, table, network, rival)
            yield from _growth(results, table, rival)
    # All graphs need all tests, whatever the score.
    if {"bjp", "ib"} <= scores and table.name != "table-1":
        for network in table.networks:
            yield from _fewer_tests(results, table, network)


def _fewer_errors(results: Results, table: Experiment, network: str, rival: str) -> Iterator[Claim]:
    """BJP against another score where the paper prints it ahead."""
    sizes = _ahead(table, network, rival)
    found = gains(results, table, network, rival).over(sizes)
    if found is not None:
        where = ("fewer errors", table.name, network, rival, _unit(table))
        yield Claim(*where, found.mean, *found.interval, 0.0, sizes)  # type: ignore[arg-type]


def _ahead(table: Experiment, network: str, rival: str) -> tuple[int, ...]:
    """The N at which the paper prints BJP at least as good."""
    value = {(p.rows, p.score): p.value for p in printed(table.name) if p.network == network}
    sign = 1 if table.measure == "success" else -1
    return tuple(
        rows for rows in sorted(table.rows) if sign * (value[rows, "bjp"] - value[rows, rival]) >= 0
    )


def _growth(results: Results, table: Experiment, rival: str) -> Iterator[Claim]:
    """Whether the improvement grows along the table's networks."""
    kind: Kind = "grows with irregularity"
    unit = f"{_unit(table)} for each 10" if table.name == "table-1" else "edges for each 1000"
    step = 10 if table.name == "table-1" else 1000
    if table.name in ("table-2", "table-3"):
        kind, unit = "grows with n", "edges for each doubling"
    places, means = [], []
    for network in table.networks:
        found = gains(results, table, network, rival).over(table.rows)
        if found is not None:
            graph = networks.load(network)
            nodes, irregular = len(graph), metrics.total_irregularity(graph)
            places.append(math.log2(nodes) if kind == "grows with n" else irregular / step)
            means.append(found)
    slope = _slope(places, means)
    if slope is not None:
        scope = f"{table.networks[0]} to {table.networks[-1]}"
        where = (kind, table.name, scope, rival, unit)
        yield Claim(*where, slope.mean, *slope.interval, 0.0, tuple(sorted(table.rows)))


def _slope(places: list[float], means: list[Estimate]) -> Estimate | None:
    """The slope of the least-squares line through independent means."""
    if len(set(places)) < FEWEST:
        return None
    centre = math.fsum(places) / len(places)
    square = math.fsum((x - centre) ** 2 for x in places)
    return combination(means, [(x - centre) / square for x in places])


def _fewer_tests(results: Results, table: Experiment, network: str) -> Iterator[Claim]:
    """How many times as many tests IB-score makes."""
    found = tests_ratio(results, table, network)
    if found is not None:
        low, high = (math.exp(limit) for limit in found.interval)
        where = ("fewer tests", table.name, network, "ib", "times as many tests")
        yield Claim(*where, math.exp(found.mean), low, high, 1.0, tuple(sorted(table.rows)))  # type: ignore[arg-type]


def _unit(table: Experiment) -> str:
    """What an improvement counts."""
    return "rate of success" if table.measure == "success" else "edges"
