"""One map of the variables for every page: computed once a dataset, never moved by a step."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.dataset import Name
from bjp_explorer.shell import caches
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views import layout


def points(loaded: Loaded, learned: nx.Graph[Any] | None) -> NDArray[np.float64]:
    """Node positions for all graphs on one dataset.

    For the true network where it is known, else for what is learned and published; a circle while
    neither is known.
    """
    if loaded.truth is None and learned is None:
        return layout.circle(loaded.data.n)
    union: nx.Graph[Any] = nx.Graph()
    union.add_nodes_from(loaded.data.names)
    shown = [loaded.truth] if loaded.truth is not None else [learned, loaded.published]
    for graph in shown:
        if graph is not None:
            union.add_edges_from(graph.edges)
    return positions(loaded.data.names, union)


def points_showing(
    loaded: Loaded, learned: nx.Graph[Any] | None, shown: nx.Graph[Any]
) -> NDArray[np.float64]:
    """The same positions; but if a node hides an edge that is shown, those for both graphs."""
    usual, index = points(loaded, learned), loaded.data.index
    if learned is None or not layout.hides_edge(
        usual, [(index(x), index(y)) for x, y in shown.edges]
    ):
        return usual
    both: nx.Graph[Any] = nx.compose(learned, shown)
    both.add_edges_from(loaded.truth.edges if loaded.truth is not None else ())
    return positions(loaded.data.names, both)


def positions(names: tuple[Name, ...], graph: nx.Graph[Any]) -> NDArray[np.float64]:
    """Node positions for a graph, computed once a server."""
    key = ("positions", names, caches.edges_key(graph))
    return caches.drawn(key, lambda: layout.positions(names, [graph]))
