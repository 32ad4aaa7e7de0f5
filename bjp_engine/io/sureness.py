"""How sure it is of a graph's edges, as the writers of files need it."""

from __future__ import annotations

from typing import Any

import networkx as nx

from bjp_engine.confidence.edges import EdgeConfidence
from bjp_engine.dataset import Name
from bjp_engine.errors import DataError, GraphError


class Sureness:
    """A confidence as named numbers of an edge."""

    def __init__(self, confidence: EdgeConfidence) -> None:
        """Hold it."""
        self._confidence = confidence
        self.kind: str = confidence.kind
        error = () if confidence.error is None else ("confidence_error",)
        self.columns: tuple[str, ...] = ("confidence", *error)

    def of(self, u: Name, v: Name) -> dict[str, float]:
        """The numbers of an edge, by column."""
        try:
            edge = self._confidence.of(u, v)
        except DataError as reason:
            raise GraphError(f"The confidence is not of this graph: {reason}") from None
        numbers = (edge.confidence, edge.error)
        found = dict(zip(self.columns, numbers, strict=False))
        return {name: float(value) for name, value in found.items() if value is not None}

    def told(self, graph: nx.Graph[Any]) -> nx.Graph[Any]:
        """The graph with its numbers as attributes."""
        told: nx.Graph[Any] = nx.Graph(confidence_kind=self.kind)
        told.add_nodes_from(graph)
        told.add_edges_from((u, v, self.of(u, v)) for u, v in graph.edges())
        return told

    def lists(self, graph: nx.Graph[Any]) -> dict[str, Any]:
        """The numbers of all edges, in their order."""
        found = [self.of(u, v) for u, v in graph.edges()]
        columns = {name: [edge[name] for edge in found] for name in self.columns}
        return {"confidence_kind": self.kind, **columns}
