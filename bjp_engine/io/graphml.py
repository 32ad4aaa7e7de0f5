"""GraphML: node names are ids, the graph is undirected; a confidence is written, not read."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import networkx as nx

from bjp_engine.errors import GraphError, clip
from bjp_engine.io.markup import DoctypeError, refuse_doctype
from bjp_engine.io.sources import Content
from bjp_engine.io.sureness import Sureness

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
# Characters that no XML 1.0 document can hold, however they are written.
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_graphml(graph: nx.Graph[Any], sure: Sureness | None = None) -> bytes:
    """A graph as GraphML."""
    root = ET.Element("graphml", xmlns=_NAMESPACE)
    for name in sure.columns if sure else ():
        ET.SubElement(root, "key", {"id": name, "for": "edge", **_attribute(name, "double")})
    if sure:
        kind = {"id": "confidence_kind", "for": "graph", **_attribute("confidence_kind", "string")}
        ET.SubElement(root, "key", kind)
    body = ET.SubElement(root, "graph", edgedefault="undirected")
    if sure:
        ET.SubElement(body, "data", key="confidence_kind").text = sure.kind
    for node in graph.nodes:
        ET.SubElement(body, "node", id=_legal(str(node)))
    for u, v in graph.edges():
        edge = ET.SubElement(body, "edge", source=str(u), target=str(v))
        for name, value in sure.of(u, v).items() if sure else ():
            ET.SubElement(edge, "data", key=name).text = repr(value)
    ET.indent(root)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _attribute(name: str, kind: str) -> dict[str, str]:
    """What a key declares."""
    return {"attr.name": name, "attr.type": kind}


def parse_graphml(content: Content) -> nx.Graph[Any]:
    """Read the nodes and edges of a GraphML file."""
    try:
        refuse_doctype(content.data)
        root = ET.fromstring(content.data)  # noqa: S314 - without entities
    except DoctypeError:
        raise GraphError(
            f"{content.title} declares a document type (DOCTYPE), which is not read; remove it."
        ) from None
    except (ET.ParseError, LookupError, ValueError) as reason:
        line = getattr(reason, "position", (0,))[0]
        where = f" (line {line})" if line else ""
        raise GraphError(f"{content.title} is not GraphML{where}; save the graph again.") from None
    space = f"{{{_NAMESPACE}}}" if root.tag.startswith("{") else ""
    bodies = root.findall(f"{space}graph")
    if root.tag != f"{space}graphml" or len(bodies) != 1:
        raise GraphError(f"{content.title} holds {len(bodies)} GraphML graphs; it must hold one.")
    return _collect(bodies[0], space, content)


def _collect(body: ET.Element, space: str, content: Content) -> nx.Graph[Any]:
    """The nodes and edges under an element, grouped ones too."""
    directed = body.get("edgedefault") == "directed"
    graph: nx.Graph[Any] = nx.Graph()
    for node in body.iter(f"{space}node"):
        name = node.get("id", "")
        if not name or name in graph:
            problem = f"two nodes {clip(name)}" if name else "a node without an id"
            raise GraphError(f"{content.title} has {problem}; give each node its own id.")
        graph.add_node(name)
    for edge in body.iter(f"{space}edge"):
        u, v = edge.get("source", ""), edge.get("target", "")
        if directed or edge.get("directed") == "true":
            raise GraphError(
                f"{content.title} has a directed edge from {clip(u)} to {clip(v)}; "
                "a Markov network is undirected."
            )
        for end in (u, v):
            if end not in graph:
                raise GraphError(f"An edge ends in {clip(end)}, which is not among the nodes.")
        graph.add_edge(u, v)
    return graph


def _legal(name: str) -> str:
    """The name, if XML can hold it."""
    found = _ILLEGAL.search(name)
    if found:
        raise GraphError(
            f"The node {clip(_ILLEGAL.sub('�', name))} has the control character "
            f"U+{ord(found[0]):04X} in its name, which GraphML can't hold; rename it or use JSON."
        )
    return name
