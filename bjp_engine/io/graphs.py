"""Graphs as files: GraphML, GML, edge CSV and JSON, told by extension; and models for others.

A file holds names and edges, and how sure it is of them if that is given; reading takes names and
edges only. JSON keeps the kind of a name (text or whole number); the others hold text, which
`Dataset.index` resolves.

Two more are for programs that compute with a network: Libra's `.mn`, which numbers the variables,
and a Python file that builds it for pgmpy. Both take the variables' states from the data, and the
parameters if they were fitted. The second is written only: code is never read.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

import networkx as nx

from bjp_engine.confidence.edges import EdgeConfidence
from bjp_engine.dataset import Dataset
from bjp_engine.errors import GraphError, OptionError, clip
from bjp_engine.io.edges import edge_csv, parse_edges
from bjp_engine.io.gml import parse_gml, to_gml
from bjp_engine.io.graphml import parse_graphml, to_graphml
from bjp_engine.io.libra_network import parse_mn, to_mn
from bjp_engine.io.model import Model, model_of
from bjp_engine.io.pgmpy_code import to_pgmpy_code
from bjp_engine.io.plain import parse_json, plain_graph, to_json
from bjp_engine.io.sources import Content, Source, read_source
from bjp_engine.io.sureness import Sureness

if TYPE_CHECKING:
    from bjp_engine.parameters import FittedNetwork

GraphFormat = Literal["graphml", "gml", "csv", "json", "mn", "py"]
# Those that hold a graph's names and give it back.
FORMATS: tuple[GraphFormat, ...] = ("graphml", "gml", "csv", "json")
READ: tuple[GraphFormat, ...] = (*FORMATS, "mn")
WRITTEN: tuple[GraphFormat, ...] = (*READ, "py")

# A graph on some hundred variables takes a few hundred kilobytes.
_LIMIT = 64 * 1024**2

_WRITERS: dict[str, Callable[[nx.Graph[Any], Sureness | None], bytes]] = {
    "graphml": to_graphml,
    "gml": to_gml,
    "csv": lambda graph, sure: edge_csv(graph, sure=sure).encode(),
    "json": to_json,
}
_PARSERS: dict[str, Callable[[Content], nx.Graph[Any]]] = {
    "graphml": parse_graphml,
    "gml": parse_gml,
    "csv": parse_edges,
    "json": parse_json,
    "mn": parse_mn,
}
_MODELS: dict[str, Callable[[Model], bytes]] = {"mn": to_mn, "py": to_pgmpy_code}


def graph_bytes(
    graph: nx.Graph[Any],
    format: GraphFormat,  # noqa: A002
    confidence: EdgeConfidence | None = None,
    *,
    data: Dataset | None = None,
    network: FittedNetwork | None = None,
) -> bytes:
    """A graph as the content of a file."""
    kind, plain = _known(format, WRITTEN), plain_graph(graph)
    if kind in _MODELS:
        return _MODELS[kind](model_of(plain, data, network))
    return _WRITERS[kind](plain, None if confidence is None else Sureness(confidence))


def write_graph(
    graph: nx.Graph[Any],
    target: str | os.PathLike[str] | IO[bytes],
    format: GraphFormat | None = None,  # noqa: A002
    confidence: EdgeConfidence | None = None,
    *,
    data: Dataset | None = None,
    network: FittedNetwork | None = None,
) -> None:
    """Write a graph to a file.

    Parameters
    ----------
    graph : networkx.Graph
        As `graph_bytes` takes it.
    target : str, path or binary file
        Where to; a file on disk is replaced.
    format : {"graphml", "gml", "csv", "json", "mn", "py"}, optional
        By default what the extension says.
    confidence, data, network : optional
        See `graph_bytes`.

    Raises
    ------
    GraphError
        If the graph or the file can't be written.
    OptionError
        If the format isn't known.
    """
    if isinstance(target, (str, os.PathLike)):
        path = Path(os.fsdecode(target))
        kind = format or _format_of(path.name, WRITTEN)
        content = graph_bytes(graph, kind, confidence, data=data, network=network)
        try:
            path.write_bytes(content)
        except (OSError, ValueError) as reason:
            why = getattr(reason, "strerror", None) or type(reason).__name__
            raise GraphError(
                f"{clip(path.name)} can't be written ({why}); choose another place."
            ) from None
    else:
        kind = format or _format_of(getattr(target, "name", ""), WRITTEN)
        target.write(graph_bytes(graph, kind, confidence, data=data, network=network))


def read_graph(
    source: Source,
    format: GraphFormat | None = None,  # noqa: A002
) -> nx.Graph[Any]:
    """Read an undirected graph.

    Parameters
    ----------
    source : str, path, bytes or binary file
    format : {"graphml", "gml", "csv", "json", "mn"}, optional
        By default what the extension says.

    Returns
    -------
    networkx.Graph
        Without attributes. Of a `.mn` file, which has no names, the nodes are the columns.

    Raises
    ------
    GraphError
        If the file can't be read, or holds no undirected graph without loops.
    OptionError
        If the format isn't known.
    """
    content = read_source(source, limit=_LIMIT, error=GraphError)
    kind = _known(format, READ) if format is not None else _format_of(content.name, READ)
    return plain_graph(_PARSERS[kind](content))


def _known(format: str, formats: tuple[GraphFormat, ...]) -> GraphFormat:  # noqa: A002
    """The format, if it is one of some."""
    for known in formats:
        if format == known:
            return known
    raise OptionError(f"format={clip(format)} is not known; use one of {', '.join(formats)}.")


def _format_of(name: object, formats: tuple[GraphFormat, ...]) -> GraphFormat:
    """The format by extension."""
    suffix = Path(name).suffix.lower() if isinstance(name, str) else ""
    for known in formats:
        if suffix == f".{known}":
            return known
    what = f"{clip(name)} has no known extension" if name else "The file has no name"
    listed = ", ".join(f".{known}" for known in formats[:-1])
    raise GraphError(f"{what}; use {listed} or .{formats[-1]}, or give its format.")
