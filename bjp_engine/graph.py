"""The undirected graph in the engine: an adjacency matrix, blankets and the order ψ.

Inside the engine a graph is a symmetric boolean matrix A (n, n) over column indices;
outside it is a `networkx.Graph` on the variables' names. This module is the border.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike, NDArray

from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import GraphError, clip, listed
from bjp_engine.validate import VariableIndex, is_pandas

Adjacency = NDArray[np.bool_]
# What networkx.to_networkx_graph takes: edges, the neighbours of each node, a matrix, and more.
GraphLike: TypeAlias = "nx.Graph[Any] | Iterable[Any] | ArrayLike"


def to_adjacency(graph: object, data: Dataset | Sequence[Name]) -> Adjacency:
    """Read a graph against the columns of a dataset, or against names.

    Nodes are names; only whole numbers that aren't are positions.
    """
    names = data.names if isinstance(data, Dataset) else data
    given = as_graph(graph, names)
    by_text, index = {str(name): i for i, name in enumerate(names)}, VariableIndex(names)
    place = {node: by_text.get(str(node), index.find(node)) for node in given}
    for node, found in place.items():
        if found is None:
            raise GraphError(
                f"The graph's node {listed([node], 1, names)} is not one of the {len(names)} "
                f"variables {listed(names, 8, [node])}; rename or remove it."
            )
    if len(set(place.values())) < len(place):
        raise GraphError("Two nodes of the graph stand for one variable; keep one of them.")
    adjacency = np.zeros((len(names), len(names)), dtype=np.bool_)
    for u, v in given.edges():
        adjacency[place[u], place[v]] = adjacency[place[v], place[u]] = True
    return adjacency


def as_graph(graph: object, names: Sequence[Name] | None = None) -> nx.Graph[Any]:
    """An undirected graph without loops: networkx's, or whatever networkx makes one of.

    That is a list of edges, a dict of lists, a matrix, and more. Rows of a matrix without names
    are the variables in their order.
    """
    given: Any = graph
    if not isinstance(graph, nx.Graph):
        try:
            if isinstance(graph, (str, bytes)):
                raise TypeError
            given = nx.to_networkx_graph(given, create_using=nx.Graph)
        except (nx.NetworkXException, TypeError, ValueError, KeyError, AttributeError):
            raise GraphError(
                f"graph is of type {type(graph).__name__}, of which networkx makes no graph; give "
                "an undirected networkx.Graph, a list of edges or a square matrix."
            ) from None
    if hasattr(graph, "shape") and not is_pandas(graph, "DataFrame"):
        if (graph != graph.T).sum():  # type: ignore[attr-defined]
            raise GraphError("The graph's matrix is not symmetric; give an undirected graph.")
        if names is not None and len(given) != len(names):
            raise GraphError(
                f"The graph's matrix has {len(given)} rows for {len(names)} variables; give one "
                "for each."
            )
        given = given if names is None else nx.relabel_nodes(given, dict(enumerate(names)))
    check_graph(given)
    return given


def check_graph(graph: object) -> None:
    """Refuse what is no undirected graph without loops."""
    if not isinstance(graph, nx.Graph) or graph.is_directed():
        raise GraphError(
            f"graph is of type {type(graph).__name__}; "
            "a Markov network is an undirected networkx.Graph."
        )
    for node in nx.nodes_with_selfloops(graph):
        raise GraphError(f"The graph has an edge from {clip(node)} to itself; remove it.")


def on_names(graph: object, names: tuple[Name, ...]) -> nx.Graph[Name]:
    """A copy of a graph on the names of variables, with every variable as a node."""
    return to_graph(to_adjacency(graph, names), names)


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
