"""The networks and samples that the lessons look at, made by the engine and filed on the shelf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import networkx as nx
import numpy as np

from bjp_engine import Dataset, learn, networks, sampling
from bjp_engine.dataset import Name
from bjp_engine.independence import IndependenceTrace
from bjp_engine.sampling import Weights
from bjp_engine.scores import ScoreTrace
from bjp_engine.search import SearchTrace
from bjp_explorer.shell import caches
from bjp_explorer.views import examples, layout
from bjp_explorer.views.payloads import Points

# Seeds and sizes of the samples.
ROWS, SEED = 2000, 5
HUB_ROWS, HUB_SEED = 1000, 2


@dataclass(frozen=True, eq=False, slots=True)
class Place:
    """A graph, the data it is drawn for, and where its nodes stand."""

    data: Dataset
    graph: nx.Graph[Any]
    points: Points

    @property
    def names(self) -> tuple[Name, ...]:
        """The variables, in column order."""
        return self.data.names

    def test(self, x: Name, y: Name, given: tuple[Name, ...] = ()) -> IndependenceTrace:
        """One independence test on the data."""
        ordered = tuple(sorted(given, key=self.data.index))
        return caches.bayesian_test(self.data, x, y, ordered)

    def score(self, method: str = "bjp", graph: nx.Graph[Any] | None = None) -> ScoreTrace:
        """The score of this graph, or of another one on the same data."""
        one = self.graph if graph is None else graph
        return caches.score_graph(self.data, one, method)


def coronary() -> Place:
    """Coronary, with the graph that BJP learns from it."""
    loaded, graph = examples.coronary(), examples.learn_coronary("bjp").graph
    return Place(loaded.data, graph, layout.points(loaded, graph))


def few(rows: int, seed: int = 0) -> Dataset:
    """Some of coronary's rows, drawn without replacement."""
    data = coronary().data
    drawn = np.random.default_rng(seed).choice(data.rows, rows, replace=False)
    return data.take(np.sort(drawn))


def sample_network(
    name: str, weights: Weights = "log-odds", seed: int = SEED, rows: int = ROWS
) -> Place:
    """A benchmark network with a sample drawn from it."""

    def make() -> Place:
        return draw_sample(networks.load(name, labelled=True), weights, seed, rows)

    return caches.once(("lesson", name, weights, seed, rows), make)


def draw_sample(graph: nx.Graph[Any], weights: Weights, seed: int, rows: int) -> Place:
    """A graph with a sample drawn from it, exactly where it is small."""
    how: Literal["gibbs", "exact"] = "exact" if len(graph) <= 12 else "gibbs"
    data = sampling.random_model(graph, weights, seed=seed).sample(rows, seed=seed, method=how)
    return Place(data, graph, layout.positions_of(data.names, graph))


def hub() -> Place:
    """The hub with three leaves of the paper's Appendix B."""
    return sample_network("appendix-b", seed=HUB_SEED, rows=HUB_ROWS)


def star(leaves: int, rows: int, seed: int, epsilon: float) -> Place:
    """A hub, X0, in the middle of a circle of leaves, with log odds ratios of ± epsilon."""

    def make() -> Place:
        graph: nx.Graph[str] = nx.Graph(("X0", f"X{k}") for k in range(1, leaves + 1))
        model = sampling.random_model(graph, "log-odds", seed=seed, epsilon=epsilon)
        drawn = model.sample(rows, seed=seed, method="exact")
        data = drawn.select([f"X{k}" for k in range(leaves + 1)])
        return Place(data, graph, np.vstack([[0.5, 0.5], layout.circle(leaves)]))

    return caches.once(("lesson", "star", leaves, rows, seed, epsilon), make)


def find_stuck_climbs() -> tuple[Place, SearchTrace, SearchTrace]:
    """A strongly coupled sample on which the paper's search ends early, and another goes on.

    With its true network, and what IBMAP-HC and the hill climb found.
    """

    def make() -> tuple[Place, SearchTrace, SearchTrace]:
        place = sample_network("target-6", "clique-potentials")
        paper, other = (learn(place.data, search=name) for name in ("ibmap-hc", "hill-climb"))
        return place, paper, other

    return caches.once(("lesson", "stuck"), make)


def morph() -> tuple[Place, ...]:
    """From the ring to the star, one edge moved at a time; six nodes and six edges throughout."""

    def make() -> tuple[Place, ...]:
        n = 6
        names = [f"X{k}" for k in range(n)]
        graph = nx.relabel_nodes(nx.cycle_graph(n), dict(enumerate(names)))
        found = [draw_sample(graph, "log-odds", SEED, ROWS)]
        # The edges that are not the hub's give way to the hub's own, one by one.
        for old, new in (((2, 3), (0, 3)), ((3, 4), (0, 2)), ((4, 5), (0, 4))):
            graph = graph.copy()
            graph.remove_edge(*(names[k] for k in old))
            graph.add_edge(*(names[k] for k in new))
            found.append(Place(found[0].data, graph, found[0].points))
        return tuple(found)

    return caches.once(("lesson", "morph"), make)
