"""A graph as others compute with it: variables in order, their states, and factors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import GraphError, OptionError, clip

if TYPE_CHECKING:
    from bjp_engine.parameters import FittedNetwork

Scope = tuple[int, ...]
Table = tuple[Scope, NDArray[np.float64]]
# Each weight is a line of text, or a part of one.
MOST_WEIGHTS = 1 << 20


@dataclass(frozen=True, eq=False, slots=True)
class Model:
    """What is known of a graph's variables.

    Parameters
    ----------
    names : tuple of str or int
        In column order.
    edges : tuple of (int, int)
        Places in `names`, i < j, in lexicographic order.
    labels : tuple of tuple of str, or None
        The states of each variable; None where only the graph is known.
    network : FittedNetwork or None
        Its parameters.
    """

    names: tuple[Name, ...]
    edges: tuple[tuple[int, int], ...]
    labels: tuple[tuple[str, ...], ...] | None = None
    network: FittedNetwork | None = None

    @property
    def cardinalities(self) -> tuple[int, ...]:
        """r_i; empty where the states are not known."""
        return tuple(map(len, self.labels or ()))

    def log_tables(self) -> tuple[Table, ...]:
        """The factors that were fitted, as scopes and ln φ."""
        if self.network is None:
            return ()
        tables = tuple((one.variables, one.log_table) for one in self.network.model.factors)
        check_weights(sum(table.size for _, table in tables))
        return tables

    def scopes(self) -> tuple[Scope, ...]:
        """Which variables share a factor: the maximal cliques, or the edges of large ones."""
        from bjp_engine.parameters.elimination import scopes_of

        n = len(self.names)
        adjacency = np.zeros((n, n), dtype=np.bool_)
        for i, j in self.edges:
            adjacency[i, j] = adjacency[j, i] = True
        try:
            found = scopes_of(adjacency, self.cardinalities)[0]
        except OptionError as reason:
            raise GraphError(str(reason)) from None
        sizes = (math.prod(self.cardinalities[i] for i in scope) for scope in found)
        check_weights(sum(sizes))
        return found


def model_of(
    graph: nx.Graph[Name], data: Dataset | None = None, network: FittedNetwork | None = None
) -> Model:
    """Put together what is known."""
    if network is not None:
        given = {frozenset(edge) for edge in graph.edges}
        if set(graph) != set(network.names) or given != set(map(frozenset, network.graph.edges)):
            raise GraphError(
                "The parameters were fitted to another graph; fit them to this one "
                "(fit_parameters)."
            )
        return Model(network.names, _edges(graph, network.names), network.labels, network)
    if data is not None:
        strange = [node for node in graph if node not in data.names]
        if strange:
            raise GraphError(f"The node {clip(strange[0])} is no variable of the data.")
        return Model(data.names, _edges(graph, data.names), data.labels)
    return Model(tuple(graph), _edges(graph, tuple(graph)))


def check_weights(weights: int) -> None:
    """Refuse more weights than a text file should hold."""
    if weights > MOST_WEIGHTS:
        raise GraphError(
            f"The factors hold {weights:,} weights and a text file takes {MOST_WEIGHTS:,}; use a "
            "graph with fewer edges, or variables with fewer states."
        )


def _edges(graph: nx.Graph[Any], names: tuple[Name, ...]) -> tuple[tuple[int, int], ...]:
    """The edges as places."""
    place = {name: i for i, name in enumerate(names)}
    pairs = (sorted((place[u], place[v])) for u, v in graph.edges())
    return tuple(sorted((i, j) for i, j in pairs))
