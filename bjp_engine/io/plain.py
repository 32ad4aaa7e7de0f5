"""A graph reduced to names and edges, and its JSON."""

from __future__ import annotations

import json
from typing import Any

import networkx as nx
import numpy as np

from bjp_engine.dataset import Name
from bjp_engine.errors import GraphError, clip
from bjp_engine.graph import check_graph
from bjp_engine.io.sources import Content
from bjp_engine.io.sureness import Sureness


def plain_graph(graph: nx.Graph[Any]) -> nx.Graph[Name]:
    """The same nodes and edges, without attributes or parallel edges."""
    check_graph(graph)
    plain: nx.Graph[Name] = nx.Graph()
    texts: set[str] = set()
    for node in graph.nodes:
        name = check_name(node)
        if str(name) in texts:
            raise GraphError(f"Two nodes read {clip(name)}; rename one of them.")
        texts.add(str(name))
        plain.add_node(name)
    plain.add_edges_from((check_name(u), check_name(v)) for u, v in graph.edges())
    return plain


def check_name(node: object) -> Name:
    """A node's name as str or int."""
    if isinstance(node, (int, np.integer)) and not isinstance(node, bool):
        return int(node)
    if not isinstance(node, str):
        raise GraphError(
            f"The node {clip(node)} is of type {type(node).__name__}; "
            "name nodes by text or whole numbers."
        )
    if not node.strip():
        raise GraphError("A node of the graph has no name; give it one.")
    return str(node)


def graph_fields(graph: nx.Graph[Any]) -> dict[str, list[Any]]:
    """A graph as JSON sees it."""
    return {"nodes": list(graph.nodes), "edges": [list(edge) for edge in graph.edges()]}


def to_json(graph: nx.Graph[Any], sure: Sureness | None = None) -> bytes:
    """A graph as JSON, which keeps text and whole numbers apart."""
    told: dict[str, Any] = {} if sure is None else sure.lists(graph)
    return inert(json.dumps(graph_fields(graph) | told)).encode()


def inert(text: str) -> str:
    """JSON that means the same and holds no markup, wherever it is put."""
    # Outside strings JSON has none of these characters.
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def parse_json(content: Content) -> nx.Graph[Any]:
    """Read `to_json`'s format, or the graph within a trace."""
    try:
        found = json.loads(content.data)
    except (ValueError, RecursionError) as reason:
        line = getattr(reason, "lineno", None)
        where = f" (line {line})" if line else ""
        raise GraphError(f"{content.title} is not JSON{where}; save the graph again.") from None
    if isinstance(found, dict) and "nodes" not in found:
        found = found.get("graph")
    nodes, edges = (
        (found.get("nodes"), found.get("edges")) if isinstance(found, dict) else (None, None)
    )
    if not isinstance(nodes, list) or not isinstance(edges, list):
        raise GraphError(
            f'{content.title} holds no graph; the form is {{"nodes": ["a", "b"], '
            '"edges": [["a", "b"]]}.'
        )
    graph: nx.Graph[Any] = nx.Graph()
    for node in nodes:
        name = check_name(node)
        if name in graph:
            raise GraphError(f"The node {clip(name)} is given twice; name it once.")
        graph.add_node(name)
    for edge in edges:
        if not isinstance(edge, list) or len(edge) != 2:
            raise GraphError(
                f"{clip(json.dumps(edge))} is no edge; an edge is a list of two nodes."
            )
        u, v = check_name(edge[0]), check_name(edge[1])
        for end in (u, v):
            if end not in graph:
                raise GraphError(f"An edge ends in {clip(end)}, which is not among the nodes.")
        graph.add_edge(u, v)
    return graph
