"""The distance of two graphs, and how uneven the degrees of one graph are (docs/theory.md §5).

Irregularity: Albertson's edge irregularity sums `|d_i - d_j|` over the edges; the total
irregularity of Abdo, Brandt and Dimitrov sums it over all pairs of nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np

from bjp_engine.errors import GraphError, clip
from bjp_engine.graph import GraphLike, as_graph
from bjp_engine.records import record

__all__ = ["confusion", "edge_irregularity", "hamming", "total_irregularity"]


@record
@dataclass(frozen=True)
class Confusion:
    """A learned graph against the true one.

    They have `tp` edges in common; `fp` edges are only in the learned one, `fn` only in the true
    one. Where there is no edge to judge (0/0) a ratio is 1: no mistake was made.
    """

    tp: int
    fp: int
    fn: int

    @property
    def hamming(self) -> int:
        """The number of pairs on which the graphs differ, fp + fn."""
        return self.fp + self.fn

    @property
    def precision(self) -> float:
        """The share of the learned edges that is true, tp / (tp + fp)."""
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        """The share of the true edges that was learned, tp / (tp + fn)."""
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, 2 tp / (2 tp + fp + fn)."""
        return _ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)


def confusion(truth: GraphLike, g: GraphLike) -> Confusion:
    """Compare a graph with the true one.

    Examples
    --------
    >>> import networkx as nx
    >>> from bjp_engine.metrics import confusion
    >>> result = confusion(nx.path_graph(3), nx.star_graph(2))
    >>> result.tp, result.fp, result.fn
    (1, 1, 1)
    """
    truth = as_graph(truth)
    graphs = truth, _on_nodes(as_graph(g), truth)
    true, found = (set(map(frozenset, graph.edges())) for graph in graphs)
    return Confusion(len(true & found), len(found - true), len(true - found))


def hamming(g: GraphLike, h: GraphLike) -> int:
    """The number of pairs of nodes adjacent in one graph and not in the other.

    Examples
    --------
    >>> import networkx as nx
    >>> from bjp_engine.metrics import hamming
    >>> hamming(nx.path_graph(3), nx.star_graph(2))
    2
    """
    return confusion(g, h).hamming


def total_irregularity(g: GraphLike) -> int:
    """The sum of `|d_i - d_j|` over all pairs of nodes i < j.

    Examples
    --------
    >>> import networkx as nx
    >>> from bjp_engine.metrics import total_irregularity
    >>> total_irregularity(nx.star_graph(5))
    20

    Notes
    -----
    The paper's tables hold this number (for its hub and scale-free networks, twice it).
    """
    degrees = np.array([degree for _, degree in nx.Graph(as_graph(g)).degree()], dtype=np.int64)
    return int(np.abs(degrees[:, None] - degrees).sum()) // 2


def edge_irregularity(g: GraphLike) -> int:
    """The sum of `|d_i - d_j|` over the edges.

    Examples
    --------
    >>> import networkx as nx
    >>> from bjp_engine.metrics import edge_irregularity
    >>> edge_irregularity(nx.path_graph(3))
    2
    """
    simple: nx.Graph[Any] = nx.Graph(as_graph(g))  # parallel edges of a multigraph count once
    return sum(abs(simple.degree(u) - simple.degree(v)) for u, v in simple.edges())


def _ratio(part: int, whole: int) -> float:
    """part / whole, and 1 where there is nothing to judge."""
    return part / whole if whole else 1.0


def _on_nodes(graph: nx.Graph[Any], truth: nx.Graph[Any]) -> nx.Graph[Any]:
    """A graph on the nodes of another, which are the same or read the same."""
    by_text = {str(node): node for node in truth}
    same = {node: node if node in truth else by_text.get(str(node)) for node in graph}
    found = set(same.values())
    strange = [node for node in truth if node not in found]
    strange += [node for node, of in same.items() if of is None or (of != node and of in graph)]
    if strange:
        raise GraphError(
            f"The node {clip(strange[0])} is in one graph and not in the other; compare graphs on "
            "the same nodes."
        )
    return nx.relabel_nodes(graph, same)
