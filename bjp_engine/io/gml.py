"""GML: node names are labels, written in ASCII with character references."""

from __future__ import annotations

import codecs
import re
from typing import Any

import networkx as nx

from bjp_engine.dataset import Name
from bjp_engine.errors import GraphError, clip
from bjp_engine.io.sources import Content
from bjp_engine.io.sureness import Sureness


def to_gml(graph: nx.Graph[Any], sure: Sureness | None = None) -> bytes:
    """A graph as GML."""
    told = graph if sure is None else sure.told(graph)
    named = nx.relabel_nodes(told, {node: str(node) for node in graph})
    return ("\n".join(nx.generate_gml(named)) + "\n").encode("ascii")


def parse_gml(content: Content) -> nx.Graph[Any]:
    """Read the nodes and edges of a GML file."""
    lines = [line.rstrip("\r") for line in _ascii(content.data).split("\n")]
    try:
        graph = nx.parse_gml(lines, label="id")
    except Exception as reason:  # the parser fails in any way on what isn't GML
        why = " ".join(str(reason).split())[:100]
        raise GraphError(f"{content.title} can't be read as GML ({why}).") from None
    names: dict[Any, Name] = {}
    for node, attributes in graph.nodes(data=True):
        names[node] = _name(attributes.get("label", node))
    if len({str(name) for name in names.values()}) < len(names):
        texts = [str(name) for name in names.values()]
        twice = next(text for text in texts if texts.count(text) > 1)
        raise GraphError(f"{content.title} has two nodes labelled {clip(twice)}; rename one.")
    named: nx.Graph[Any] = graph.__class__()
    named.add_nodes_from(names.values())
    named.add_edges_from((names[u], names[v]) for u, v in graph.edges())
    return named


def _ascii(data: bytes) -> str:
    """The text with every other character as a reference, as networkx wants it."""
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")  # what the format's own definition says
    return re.sub(r"[^\x00-\x7f]", lambda found: f"&#{ord(found[0])};", text)


def _name(label: object) -> Name:
    """A label as text; networkx makes two of them empty containers."""
    if label == []:
        return "[]"
    if label == ():
        return "()"
    if isinstance(label, (str, int)):
        return label
    raise GraphError(f"The label {clip(label)} is no name; label nodes by text or whole numbers.")
