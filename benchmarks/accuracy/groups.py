"""The datasets that are judged on: what each is called, and how it is made from that alone.

A group is a network, a distribution and a number of rows; a sample is a group with a seed. On
the benchmark networks of docs/theory.md §6 one seed serves for the model and for its rows, which
come from the engine's Gibbs sampler:

- `clique-log-weights`, `clique-potentials`, `log-odds`: as docs/theory.md §7 says;
- `mixed-log-odds`: as `log-odds`, but the log odds ratio of each edge is +1 or −1, each equally
  likely: its table of log weights is multiplied by a sign from `default_rng([seed, 1])`;
- `bayesian`: independent rows of a published Bayesian network, one variable after another given
  its parents, from `default_rng(seed)`; the truth is the moral graph.

In all of them N rows are the first N of a longer sample with the same seed. Seeds 0 to 4 are
for reporting. Whoever chooses a default chooses it on seeds from `CHOOSING` on.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import networkx as nx
import numpy as np

import bjp_engine as bjp
from benchmarks.accuracy import bayesian
from bjp_engine.sampling import Factor, MarkovModel

ROWS = (250, 1000, 8000)
REPORTING = range(5)
CHOOSING = 100
NETWORKS = tuple(
    name for name in bjp.networks.names() if not name.startswith(("target-", "appendix-"))
)
WEIGHTS = ("clique-log-weights", "clique-potentials", "log-odds")
MIXED, BAYESIAN = "mixed-log-odds", "bayesian"
DISTRIBUTIONS = (*WEIGHTS, MIXED, BAYESIAN)


@dataclass(frozen=True, order=True)
class Group:
    """Samples that differ in their seed only."""

    network: str
    distribution: str
    rows: int

    def __str__(self) -> str:
        return f"{self.network}:{self.distribution}:{self.rows}"


@dataclass(frozen=True, order=True)
class Sample:
    """One dataset, by the words it is made from."""

    group: Group
    seed: int

    def __str__(self) -> str:
        return f"{self.group}:{self.seed}"


def groups() -> list[Group]:
    """Every group, in the order of the networks."""
    pairs = [(name, kind) for name in NETWORKS for kind in (*WEIGHTS, MIXED)]
    pairs += [(name, BAYESIAN) for name in bayesian.NAMES]
    return [Group(*pair, rows) for pair in pairs for rows in ROWS]


def samples(seeds: Iterable[int] = REPORTING) -> list[Sample]:
    """One seed after another, each in an order in which every beginning is balanced."""

    def place(sample: Sample) -> bytes:
        return sha256(str(sample).encode()).digest()

    return [
        sample
        for seed in seeds
        for sample in sorted((Sample(group, seed) for group in groups()), key=place)
    ]


def make(sample: Sample) -> tuple[bjp.Dataset, nx.Graph[Any]]:
    """The dataset and the true graph on the names of its columns."""
    group, seed = sample.group, sample.seed
    if group.distribution == BAYESIAN:
        network = bayesian.load(group.network)
        codes = network.rows(group.rows, np.random.default_rng(seed))
        return bjp.Dataset.from_codes(codes, network.cardinalities, network.names), network.moral()
    drawn = model(bjp.networks.load(group.network), group.distribution, seed)
    # The rows of the paper's scheme, where its chains disagree, too (docs/benchmarks.md).
    with warnings.catch_warnings(action="ignore"):
        return drawn.sample(group.rows, seed, "gibbs"), drawn.graph


def model(graph: nx.Graph[Any], distribution: str, seed: int) -> MarkovModel:
    """A distribution on a graph; see above for the one that the engine has not."""
    if distribution != MIXED:
        return bjp.sampling.random_model(graph, distribution, seed=seed)  # type: ignore[arg-type]
    plain = bjp.sampling.random_model(graph, "log-odds")
    signs = np.random.default_rng([seed, 1]).choice([-1.0, 1.0], len(plain.factors))
    signed = [
        Factor(factor.variables, sign * factor.log_table)
        for factor, sign in zip(plain.factors, signs, strict=True)
    ]
    return MarkovModel(plain.names, plain.cardinalities, tuple(signed))
