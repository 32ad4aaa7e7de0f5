"""Near blankets beside BJP: what their tests condition on, and how near their graphs are.

How many slices the test of a pair that is not adjacent has on the true graph, for binary variables;
and the wrong edges per true edge of both scores under the same hill climb, with centred prior
cells and an expected degree of 2.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable
from statistics import fmean, stdev
from typing import Any

import networkx as nx

import bjp_engine as bjp
from benchmarks import marked
from benchmarks.accuracy.groups import BAYESIAN, DISTRIBUTIONS, REPORTING, Group, Sample, make

NETWORKS = ("hub-2", "karate", "curtis-54")
PUBLISHED = ("asia", "child", "alarm")
ROWS = (250, 1000)
SPARSE: dict[str, Any] = {"expected_degree": 2, "prior_cells": "centred"}
METHODS = ("bjp", "near")
Shares = dict[str, dict[str, list[float]]]


def slices(graph: nx.Graph[Any]) -> dict[str, float]:
    """The mean of 2^|Z| over the pairs that are not adjacent: by either end, as BJP, and near."""
    sizes: dict[str, list[int]] = defaultdict(list)
    parts = {x: list(nx.connected_components(nx.restricted_view(graph, [x], []))) for x in graph}
    order = {x: place for place, x in enumerate(sorted(graph, key=graph.degree))}
    for pair in nx.non_edges(graph):
        x, y = sorted(pair, key=order.__getitem__)
        sizes["IB-score"] += [graph.degree(x), graph.degree(y)]
        sizes["BJP"].append(graph.degree(x))
        (reached,) = (part for part in parts[x] if y in part)
        sizes["near blankets"].append(len(reached & set(graph[x])))
    return {name: fmean(2.0**size for size in of_name) for name, of_name in sizes.items()}


def table_of_slices() -> str:
    """A line for each network."""
    lines = ["| network | IB-score | BJP | near blankets |", "| --- | ---: | ---: | ---: |"]
    for name in ("karate", "curtis-54", "will-57", "dolphins", "hub-2", "scale-free-2"):
        cells = (f"{value:,.1f}" for value in slices(bjp.networks.load(name)).values())
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def measured(seeds: Iterable[int]) -> Shares:
    """Wrong edges per true edge by kind of distribution, for each score."""
    found: Shares = defaultdict(lambda: defaultdict(list))
    for kind, rows, seed in itertools.product(DISTRIBUTIONS, ROWS, seeds):
        for network in PUBLISHED if kind == BAYESIAN else NETWORKS:
            data, truth = make(Sample(Group(network, kind, rows), seed))
            for method in METHODS:
                learned = bjp.learn(data, method, "hill-climb", **SPARSE).graph
                share = bjp.metrics.hamming(truth, learned) / truth.number_of_edges()
                found[f"{kind}, {rows:,} rows"][method].append(share)
    for of_method in list(found.values()):
        for method, shares in of_method.items():
            found["all"][method] += shares
    return found


def table(found: Shares) -> str:
    """A line for each kind of distribution and number of rows; the difference has its error."""
    lines = ["| distribution | bjp | near | near − bjp |", "| --- " + "| ---: " * 3 + "|"]
    for kind, of_method in found.items():
        ours, theirs = (of_method[method] for method in ("near", "bjp"))
        less = [one - other for one, other in zip(ours, theirs, strict=True)]
        error = stdev(less) / len(less) ** 0.5
        cells = f"{fmean(theirs):.3f} | {fmean(ours):.3f} | {fmean(less):+.3f} ± {error:.3f}"
        lines.append(f"| {kind} | {cells} |")
    return "\n".join(lines)


def main() -> None:
    """Print both tables, and write them into docs/theory/scores.md and docs/benchmarks.md."""
    sizes = table_of_slices()
    print(sizes)
    marked.write("theory/scores.md", "near", sizes)
    nearer = table(measured(REPORTING))
    print(nearer)
    marked.write("benchmarks.md", "near", nearer)
