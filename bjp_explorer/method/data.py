"""What the page about the method asks of the engine: small samples, their traces, network sizes.

Everything is small enough to be made while the page is drawn and is filed on the shelf, so that
moving a slider costs only what it changes. Samples are drawn exactly, from one seed each.
"""

from __future__ import annotations

from dataclasses import dataclass

import networkx as nx
import numpy as np

from bjp_engine import Dataset, independence_test, networks, sampling
from bjp_engine.dataset import Name
from bjp_engine.networks import NetworkInfo
from bjp_engine.scores import SCORES, AssertionScore, ScoreTrace
from bjp_explorer.shell import caches
from bjp_explorer.views.examples import WEIGHTS

MOST_LEAVES = 10
STAR_ROWS = (250, 500, 1000, 2000, 4000, 8000, 16000)


def first_of(trace: ScoreTrace, x: Name) -> int:
    """The step of a walk at which a variable's turn comes. 1 for the first term."""
    return 1 + next(k for k, term in enumerate(trace.terms) if term.x == x)


@dataclass(frozen=True, slots=True)
class StarPoint:
    """One star: what its two true assertions look like from the hub, and from the other end."""

    # k, the hub's degree.
    leaves: int
    # Slices of the test given all k leaves.
    configurations: int
    # Those that hold at least one row.
    occurring: int
    # ln Pr(hub ⊥̸ first leaf), given the hub's other leaves and given nothing.
    hub_dependent: float
    leaf_dependent: float
    # ln Pr(hub ⊥ a lone variable), given all leaves and given nothing.
    hub_independent: float
    lone_independent: float


def star(rows: int, seed: int) -> tuple[StarPoint, ...]:
    """A hub with 1 to 10 leaves and a lone variable, tested from both ends.

    The first k leaves of one sample each time; without the others they are a star too.
    """

    def make() -> tuple[StarPoint, ...]:
        graph: nx.Graph[int] = nx.star_graph(MOST_LEAVES)
        lone = MOST_LEAVES + 1
        graph.add_node(lone)
        data = sampling.random_model(graph, WEIGHTS, seed=seed).sample(
            rows, seed=seed, method="exact"
        )
        return tuple(_star_point(data, leaves, lone) for leaves in range(1, MOST_LEAVES + 1))

    return caches.once(("method star", rows, seed), make)


def _star_point(data: Dataset, leaves: int, lone: int) -> StarPoint:
    """The tests of the star of the first leaves; variable 0 is the hub."""
    dependent = independence_test(data, 0, 1, range(2, leaves + 1))
    independent = independence_test(data, 0, lone, range(1, leaves + 1))
    return StarPoint(
        leaves,
        independent.configurations,
        len(independent.slices),
        dependent.log_dependent,
        independence_test(data, 1, 0).log_dependent,
        independent.log_independent,
        independence_test(data, lone, 0).log_independent,
    )


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many variables BJP's tests condition on in the true graph of a benchmark network."""

    info: NetworkInfo
    # Mean size of the conditioning set over the computed and over the inferred assertions.
    computed: float
    inferred: float
    # How many variables more the inferred assertions condition on, all together.
    saved: int


def sizes() -> tuple[Sizes, ...]:
    """The conditioning sets of all benchmark networks."""
    return caches.once("method sizes", lambda: tuple(map(_sizes, networks.names())))


def _sizes(name: str) -> Sizes:
    """|B^x without y| averaged over the pairs that BJP's own rule computes, and over the rest."""
    adjacency = nx.to_numpy_array(networks.load(name), dtype=np.bool_)
    given = adjacency.sum(axis=1)[:, None] - adjacency
    bjp = SCORES["bjp"]
    assert isinstance(bjp, AssertionScore)
    computed = bjp.computed(adjacency)
    inferred = ~computed & ~np.eye(len(adjacency), dtype=np.bool_)
    return Sizes(
        networks.describe(name),
        float(given[computed].mean()),
        float(given[inferred].mean()),
        int(given[inferred].sum() - given[computed].sum()),
    )
