"""The undirected graph in the engine: an adjacency matrix, blankets and the order ψ.

Inside the engine a graph is a symmetric boolean matrix A (n, n) over column indices;
outside it is a `networkx.Graph` on the variables' names. This module is the border.
"""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import DataError, GraphError, clip

Adjacency = NDArray[np.bool_]


def to_adjacency(graph: nx.Graph[Any], data: Dataset) -> Adjacency:
    """Read a networkx graph against the columns of a dataset."""
    check_graph(graph)
    place = _places(graph, data)
    adjacency = np.zeros((data.n, data.n), dtype=np.bool_)
    for u, v in graph.edges():
        adjacency[place[u], place[v]] = adjacency[place[v], place[u]] = True
    return adjacency


def check_graph(graph: object) -> None:
    """Refuse what is no undirected graph without loops."""
    if not isinstance(graph, nx.Graph) or graph.is_directed():
        raise GraphError(
            f"graph is of type {type(graph).__name__}; "
            "a Markov network is an undirected networkx.Graph."
        )
    for node in nx.nodes_with_selfloops(graph):
        raise GraphError(f"The graph has an edge from {clip(node)} to itself; remove it.")


def _places(graph: nx.Graph[Any], data: Dataset) -> dict[Any, int]:
    """The column of each node. Nodes are names; only whole numbers that aren't are positions."""
    by_text = {str(name): i for i, name in enumerate(data.names)}
    place: dict[Any, int] = {}
    for node in graph.nodes:
        if str(node) in by_text:
            place[node] = by_text[str(node)]
            continue
        try:
            place[node] = data.index(node)
        except DataError:
            raise GraphError(
                f"The graph's node {clip(node)} is not one of the data's {data.n} variables; "
                "rename or remove it."
            ) from None
    if len(set(place.values())) < len(place):
        raise GraphError("Two nodes of the graph stand for one variable; keep one of them.")
    return place


def to_graph(
    adjacency: Adjacency, names: tuple[Name, ...], *, frozen: bool = False
) -> nx.Graph[Name]:
    """Write an adjacency matrix as a networkx graph with every variable as a node."""
    graph: nx.Graph[Name] = nx.Graph()
    graph.add_nodes_from(names)
    graph.add_edges_from((names[i], names[j]) for i, j in pairs(adjacency))
    return nx.freeze(graph) if frozen else graph


def pairs(adjacency: Adjacency) -> list[tuple[int, int]]:
    """The edges (i, j) with i < j, in lexicographic order."""
    # Few of the entries are set: to divide their places is less than to look at all rows.
    rows, columns = np.divmod(np.flatnonzero(adjacency), len(adjacency))
    return [(i, j) for i, j in zip(rows.tolist(), columns.tolist(), strict=True) if i < j]


def blanket(adjacency: Adjacency, i: int) -> tuple[int, ...]:
    """B^i, the neighbours of variable i, ascending."""
    return tuple(np.flatnonzero(adjacency[i]).tolist())


def degree_order(adjacency: Adjacency) -> NDArray[np.intp]:
    """ψ: variables by ascending degree, ties by ascending index (docs/theory.md §3)."""
    return np.argsort(adjacency.sum(axis=1), kind="stable")


def flipped(adjacency: Adjacency, i: int, j: int) -> Adjacency:
    """A copy with the edge {i, j} added where it is missing, removed where it is there."""
    copy = adjacency.copy()
    copy[i, j] = copy[j, i] = not adjacency[i, j]
    return copy
