"""Graphs and pairs as files: GraphML, CSV and JSON, by extension; GML is read as well.

A file of a graph holds names and edges, and the probability and effect of each edge if these are
given; reading takes names and edges only. Whole numbers come back as such from JSON and GML, and
as text from CSV and GraphML, which `Dataset.index` resolves.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import networkx as nx
import numpy as np

from bjp_engine.confidence.edges import ABSENT, PRESENT, EdgeConfidence, judge_pairs
from bjp_engine.dataset import Name
from bjp_engine.errors import DataError, GraphError, clip, plural
from bjp_engine.graph import GraphLike, as_graph, check_graph
from bjp_engine.io.sources import Content, Source, decode, read_source, readable
from bjp_engine.io.text import unmatched
from bjp_engine.parameters.effects import NUMBERS, UNKNOWN, effect_rows
from bjp_engine.validate import VariableIndex, check_letters, choice, file_path, instance

if TYPE_CHECKING:
    import pandas as pd

GraphFormat = Literal["graphml", "csv", "json"]
FORMATS: tuple[GraphFormat, ...] = get_args(GraphFormat)

# A graph on some hundred variables takes a few hundred kilobytes.
_LIMIT = 64 * 1024**2
# What the graph bears where there is something to warn of.
_WARNING = "warning"
# The columns of `FittedNetwork.effects`, and what an edge bears of them.
_EFFECT = {"effect": "effect"} | {
    name: f"effect_{name}" for name in ("low", "high", "spread", "kind", "among", "doubt")
}
# Where programs keep the names of nodes that they number: Gephi and yEd, igraph and Cytoscape.
_NAMES = ("label", "name", "v_name", "shared name")
# Characters that no XML 1.0 document can hold, however they are written.
_ILLEGAL_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HEADERS = (("source", "target"), ("from", "to"))
# What a spreadsheet program takes for a formula; an apostrophe in front marks text.
_FORMULA = re.compile("'*[=+\\-@＝＋－＠\t\r\n]")

# The nodes of a file with their attributes, its edges, and whether these have a direction.
_Parts = tuple[list[tuple[Any, Mapping[str, Any]]], Iterable[tuple[Any, Any]], bool]


def graph_bytes(
    graph: GraphLike,
    format: GraphFormat,  # noqa: A002
    confidence: EdgeConfidence | None = None,
    *,
    present: float = PRESENT,
    absent: float = ABSENT,
    effects: pd.DataFrame | None = None,
    warnings: Sequence[str] = (),
) -> bytes:
    r"""Write a graph, and what is known of its edges, as the content of a file.

    In CSV a node without edges is a line with an empty target, and names that a spreadsheet program
    takes for formulas get an apostrophe in front, which `read_graph` takes off again.

    Parameters
    ----------
    graph : networkx.Graph
        Undirected, on text or whole numbers; its own attributes are left out.
    confidence : EdgeConfidence, optional
        Gives each edge its `probability`, and where known `probability_error`. Where it is
        calibrated, each edge also has a `verdict`, and the graph the thresholds `present` and
        `absent` (`EdgeConfidence.verdicts`).
    effects : DataFrame, optional
        As `FittedNetwork.effects` gives it: `effect`, `effect_low`, `effect_high`, `effect_spread`
        and `effect_kind` of each edge, `effect_among`, the rows that show it, and `effect_doubt`.
    warnings : sequence of str
        What a reader has to know, see `bjp_engine.confidence.list_warnings`. CSV leaves them out.

    Examples
    --------
    >>> import networkx as nx
    >>> from bjp_engine.io import graph_bytes
    >>> graph_bytes(nx.Graph([("a", "b")]), "csv")
    b'source,target\r\na,b\r\n'
    """
    kind = choice(format, "format", FORMATS)
    given = as_graph(graph, getattr(confidence, "names", None))
    known = _plain_graph(given.nodes, given.edges())
    ends = [*known.edges]
    for name, values in _known_of(ends, confidence, (present, absent), effects).items():
        if name == _EFFECT["doubt"] and None in values:
            lacking = " - ".join(map(clip, ends[values.index(None)]))
            raise GraphError(f"The effects are not of this graph: they lack the edge {lacking}.")
        bears = {pair: one for pair, one in zip(ends, values, strict=True) if one not in (None, "")}
        nx.set_edge_attributes(known, bears, name)
    if confidence is not None:
        known.graph["probability_kind"] = str(confidence.kind)
        if confidence.judged is not None:
            known.graph |= {"present_from": float(present), "absent_up_to": float(absent)}
    if warnings:
        known.graph[_WARNING] = " ".join(warnings)
    return _WRITERS[kind](known)


def write_graph(
    graph: GraphLike,
    path: str | os.PathLike[str],
    format: GraphFormat | None = None,  # noqa: A002
    confidence: EdgeConfidence | None = None,
    **known: Any,
) -> None:
    """Write what `graph_bytes` makes to a file, which is replaced.

    The format is by default what the extension says.
    """
    place = file_path(path)
    content = graph_bytes(graph, _format_of(place.name, format, FORMATS), confidence, **known)
    try:
        place.write_bytes(content)
    except (OSError, ValueError) as reason:
        why = getattr(reason, "strerror", None) or type(reason).__name__
        raise GraphError(
            f"{clip(place.name)} can't be written ({why}); choose another place."
        ) from None


def pair_csv(
    confidence: EdgeConfidence,
    graph: nx.Graph[Any],
    *,
    present: float = PRESENT,
    absent: float = ABSENT,
    effects: pd.DataFrame | None = None,
) -> str:
    r"""Write every pair with its probability and verdict, and whether it is an edge of a graph.

    It is CSV, the most probable pair first, in which no name is a formula to a spreadsheet program.
    Columns: x, y; edge, "yes" or "no"; what `graph_bytes` gives an edge; probability_kind.

    Examples
    --------
    >>> from bjp_engine.confidence import EdgeConfidence
    >>> from bjp_engine.io import pair_csv
    >>> import networkx as nx, numpy as np
    >>> sure = EdgeConfidence("exact", ("a", "b"), np.array([[0, 0.7], [0.7, 0]]), None, "bjp")
    >>> pair_csv(sure, nx.Graph([("a", "b")]))
    'x,y,edge,probability,probability_kind\r\na,b,yes,0.7,exact\r\n'
    """
    instance(confidence, "confidence", EdgeConfidence, "a record of `bjp_engine.confidence`")
    if {*graph.nodes} != {*confidence.names}:
        raise GraphError(
            "graph and confidence have other variables; give what was made of the same data."
        )
    table = confidence.to_frame()[["x", "y"]]
    ends = [*zip(table["x"], table["y"], strict=True)]
    return inert_csv(
        table.assign(
            edge=["yes" if graph.has_edge(*pair) else "no" for pair in ends],
            **_known_of(ends, confidence, (present, absent), effects),
            probability_kind=str(confidence.kind),
        )
    )


def _known_of(
    pairs: Sequence[tuple[Name, Name]],
    confidence: EdgeConfidence | None,
    thresholds: tuple[float, float],
    effects: pd.DataFrame | None,
) -> dict[str, list[Any]]:
    """What is known of some pairs, as columns of a table; None where nothing is."""
    found: dict[str, list[Any]] = {}
    if confidence is not None:
        instance(confidence, "confidence", EdgeConfidence, "a record of `bjp_engine.confidence`")
        index = VariableIndex(confidence.names)
        try:
            places = [(index.place(x), index.place(y)) for x, y in pairs]
        except DataError as reason:
            raise GraphError(f"The confidence is not of this graph: {reason}") from None
        at = tuple(np.array(places, dtype=np.intp).reshape(-1, 2).T)
        found["probability"] = confidence.matrix[at].tolist()
        if confidence.judged is not None:
            verdicts = judge_pairs(confidence.matrix[at], confidence.judged[at], *thresholds)
            found["verdict"] = verdicts.tolist()
        if confidence.error is not None:
            found["probability_error"] = confidence.error[at].tolist()
    if effects is not None:
        rows = {frozenset((str(row["x"]), str(row["y"]))): row for row in known_effects(effects)}
        of = [rows.get(frozenset(map(str, pair)), {}) for pair in pairs]
        found |= {title: [row.get(name) for row in of] for name, title in _EFFECT.items()}
    return found


def known_effects(effects: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table of effects, with None for numbers that the data can't show."""
    return [
        row | dict.fromkeys(NUMBERS if row["doubt"] == UNKNOWN else ())
        for row in effect_rows(effects)
    ]


def read_graph(
    source: Source,
    format: Literal["graphml", "gml", "csv", "json"] | None = None,  # noqa: A002
) -> nx.Graph[Any]:
    r"""Read an undirected graph; its format is by default what the extension says.

    It has no attributes, but for sentences in `graph.graph["notes"]` where there is something to
    know of the file. Names are sought where Gephi, igraph, Cytoscape and yEd keep them; those of an
    edge list are text, numbers too.

    Examples
    --------
    >>> from bjp_engine.io import read_graph
    >>> list(read_graph(b"source,target\na,b\nc,", "csv"))
    ['a', 'b', 'c']
    """
    notes: list[str] = []
    try:
        content = read_source(source, limit=_LIMIT, remedy="; leave nodes out")
        title, parse = _PARSERS[_format_of(content.name, format, (*FORMATS, "gml"))]
        with readable(content.title, title):
            nodes, edges, is_directed = parse(content, notes)
            names = _names_of(nodes)
            name_of = dict(zip((node for node, _ in nodes), names, strict=True))
            named = [(name_of.get(u, u), name_of.get(v, v)) for u, v in edges]
    except DataError as reason:
        raise GraphError(str(reason)) from None
    graph = _plain_graph(names, named)
    if title == "GML" and names and names == [*name_of]:
        note = "have no names; their numbers are taken as column numbers, from 0."
        notes.append(f"The nodes of {content.title} {note}")
    if is_directed:
        notes.append(
            f"{content.title} calls its graph directed; its edges were taken without direction. "
            "The Markov network of a Bayesian network also joins the parents of each variable."
        )
    if notes:
        graph.graph["notes"] = tuple(notes)
    return graph


def _names_of(nodes: Sequence[tuple[Any, Mapping[str, Any]]]) -> list[Any]:
    """A name for each node: by the attribute that names most, each in its own way, or by its id."""

    def label(bears: Mapping[str, Any], kind: str) -> Any:
        text = bears.get(kind)
        # networkx makes empty containers of two texts.
        text = str(text) if text in ([], ()) else text
        return None if text is None or not str(text).strip() else text

    def use(kind: str) -> tuple[int, int, bool]:
        named = {node: text for node, bears in nodes if (text := label(bears, kind)) is not None}
        # Some programs write the id as the label.
        is_own = any(str(node) != str(text) for node, text in named.items())
        return len(named), len({*map(str, named.values())}), is_own

    best = max(_NAMES, key=use)
    return [node if (text := label(bears, best)) is None else text for node, bears in nodes]


def _plain_graph(nodes: Iterable[object], edges: Iterable[tuple[Any, Any]]) -> nx.Graph[Name]:
    """Nodes and edges without attributes, by names that differ as text."""
    names: dict[Any, Name] = {}
    texts: set[str] = set()
    for node in nodes:
        if isinstance(node, bool) or not isinstance(node, (str, int, np.integer)):
            raise GraphError(
                f"The node {clip(node)} is of type {type(node).__name__}; "
                "name nodes by text or whole numbers."
            )
        text = str(node)
        if not text.strip():
            raise GraphError("A node of the graph has no name; give it one.")
        if text in texts:
            raise GraphError(f"Two nodes read {clip(text)}; rename one of them.")
        texts.add(text)
        names[node] = text if isinstance(node, str) else int(node)
    plain: nx.Graph[Name] = nx.empty_graph(names.values())
    for u, v in edges:
        for end in (u, v):
            if end not in names:
                raise GraphError(f"An edge ends in {clip(end)}, which is not among the nodes.")
        plain.add_edge(names[u], names[v])
    check_graph(plain)
    return plain


def _format_of(name: str, format: str | None, formats: tuple[Any, ...]) -> Any:  # noqa: A002
    """The format that is given, else by the extension of the file's name."""
    if format is not None:
        return choice(format, "format", formats)
    suffix = Path(name).suffix.lower()[1:]
    if suffix in formats:
        return suffix
    what = f"{clip(name)} has no known extension" if name else "The file has no name"
    listed = ", ".join(f".{known}" for known in formats[:-1])
    raise GraphError(f"{what}; use {listed} or .{formats[-1]}, or give its format.")


def _columns(graph: nx.Graph[Any]) -> dict[str, list[Any]]:
    """What the edges of a graph bear, by name."""
    names = dict.fromkeys(name for *_, bears in graph.edges.data() for name in bears)
    return {name: [bears.get(name) for *_, bears in graph.edges.data()] for name in names}


# --- GraphML and GML: nodes have ids and attributes -------------------------------------------


def to_graphml(graph: nx.Graph[Any]) -> bytes:
    """A graph as GraphML, where names are ids."""
    for node in graph:
        if found := _ILLEGAL_XML.search(str(node)):
            raise GraphError(
                f"The node {clip(node)} has the control character U+{ord(found[0]):04X} in its "
                "name, which GraphML can't hold; rename it or use JSON."
            )
    out = io.BytesIO()
    # Of networkx's two writers the one that is there with and without lxml.
    nx.write_graphml_xml(graph, out, named_key_ids=True)
    return out.getvalue()


def parse_graphml(content: Content, notes: list[str]) -> _Parts:
    """The nodes and edges of a GraphML file, grouped ones too."""
    # networkx's own reader expands entities, loses grouped nodes and fails on others' attributes.
    from defusedxml.ElementTree import fromstring

    root = fromstring(content.data, forbid_dtd=True)
    bodies = root.findall("{*}graph")
    if len(bodies) != 1:
        raise DataError(f"{content.title} holds {len(bodies)} GraphML graphs; it must hold one.")
    keys = {key.get("id"): key.get("attr.name", "") for key in root.iterfind("{*}key")}
    nodes: list[tuple[Any, Mapping[str, Any]]] = []
    for node in root.iterfind(".//{*}node"):
        # yEd draws nodes, and names them in the drawing.
        drawn = [label.text for label in node.iterfind("{*}data//{*}NodeLabel")]
        bears = {"label": (drawn[0] or "").strip()} if drawn else {}
        bears |= {keys.get(data.get("key"), ""): data.text for data in node.iterfind("{*}data")}
        nodes.append((node.attrib["id"], bears))
    edges = [*root.iterfind(".//{*}edge")]
    usual = str(bodies[0].get("edgedefault") == "directed").lower()
    if many := len([*root.iterfind(".//{*}hyperedge")]):
        were = f"{'was' if many == 1 else 'were'} left out, since an edge joins two nodes"
        notes.append(f"{plural(many, 'hyperedge')} of {content.title} {were}.")
    return (
        nodes,
        [(edge.get("source"), edge.get("target")) for edge in edges],
        any(edge.get("directed", usual) == "true" for edge in edges),
    )


def parse_gml(content: Content, notes: list[str]) -> _Parts:
    """The nodes and edges of a GML file."""
    # networkx wants every character beyond ASCII as a reference.
    text = _text_of(content, notes).encode("ascii", "xmlcharrefreplace").decode()
    graph = nx.parse_gml([line.rstrip("\r") for line in text.split("\n")], label="id")
    return [*graph.nodes.data()], graph.edges(), graph.is_directed()


# --- Edge lists as CSV: one edge a line; a node without edges has an empty target -------------


def disarm_cell(text: str) -> str:
    """Text as a cell that no spreadsheet program runs as a formula; see `restore_cell`."""
    return f"'{text}" if _FORMULA.match(text) else text


def restore_cell(cell: str) -> str:
    """The text of a cell that `disarm_cell` made."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def inert_csv(table: pd.DataFrame) -> str:
    """A table as CSV in which no text is a formula to a spreadsheet program."""
    safe = table.map(lambda cell: disarm_cell(cell) if isinstance(cell, str) else cell)
    # Where these part columns, what follows them would begin a cell.
    texts = [cell for cell in safe.to_numpy().flat if isinstance(cell, str)]
    is_cut = any(sign in text for text in texts for sign in ";\t")
    quoting: Any = csv.QUOTE_NONNUMERIC if is_cut else csv.QUOTE_MINIMAL
    # RFC 4180's line end, and the one with which a lone carriage return gets its quotes.
    return safe.to_csv(index=False, lineterminator="\r\n", quoting=quoting)


def encode_csv(text: str) -> bytes:
    """Encode CSV so that spreadsheet programs don't read it in the machine's own 8-bit code."""
    return text.encode("ascii" if text.isascii() else "utf-8-sig")


def to_csv(graph: nx.Graph[Any]) -> bytes:
    """A graph as an edge list under the header source,target, with what its edges bear."""
    import pandas as pd

    check_letters([str(node) for node in graph], "A node's name")
    of_all = {name: value for name, value in graph.graph.items() if name != _WARNING}
    rows = [{"source": u, "target": v, **bears, **of_all} for u, v, bears in graph.edges.data()]
    rows += [{"source": node, "target": ""} for node in nx.isolates(graph)]
    names = ["source", "target", *_columns(graph), *of_all]
    # As objects numbers keep all their digits, and whole ones get no fraction.
    return encode_csv(inert_csv(pd.DataFrame(rows, columns=names, dtype=object)))


def _text_of(content: Content, notes: list[str]) -> str:
    """The text of a file; the notes don't speak of an option that a graph doesn't have."""
    guesses: list[str] = []
    text = decode(content, None, guesses)[0].decode()
    notes += [note.replace(", or give its encoding (encoding=)", "") for note in guesses]
    return text


def parse_edges(content: Content, notes: list[str]) -> _Parts:
    """The nodes and edges of an edge list."""
    text = _text_of(content, notes)
    first = text.lstrip("\r\n").partition("\n")[0]
    delimiter = next((mark for mark in ",;\t" if mark in first), ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, line = list[tuple[int, list[str]]](), 1
    try:
        for cells in reader:
            rows += [(line, cells)] * any(cells)
            line = reader.line_num + 1
    except csv.Error as reason:
        raise unmatched(line, str(reason)) from None
    if not rows:
        raise DataError(f"{content.title} is empty; an edge list has a line for each edge.")
    names = [cell.strip().lower() for cell in rows[0][1]]
    header = next((pair for pair in _HEADERS if {*pair} <= {*names}), None)
    if header is None:
        odd = [row for row in rows if len(row[1]) > 2]
        if not any(all(cells[:2]) and len(cells) > 1 for _, cells in rows):
            odd = rows
        for line, cells in odd:
            raise DataError(
                f"Line {line} has {plural(len(cells), 'cell')} where an edge has two names; part "
                "these by a comma, or begin with a header in which two columns are source,target."
            )
    places = [0, 1] if header is None else [*map(names.index, header)]
    nodes, edges = dict[str, None](), list[tuple[str, str]]()
    for line, cells in rows[header is not None :]:
        u, v = (restore_cell(cells[i]) if i < len(cells) else "" for i in places)
        if not u:
            raise DataError(f"Line {line} has no source; a lone node is a source without target.")
        nodes |= dict.fromkeys([u, v] if v else [u])
        edges += [(u, v)] * bool(v)
    return [(node, {}) for node in nodes], edges, False


# --- JSON -------------------------------------------------------------------------------------


def graph_fields(graph: nx.Graph[Any]) -> dict[str, list[Any]]:
    """A graph as JSON sees it."""
    return {"nodes": list(graph.nodes), "edges": [list(edge) for edge in graph.edges()]}


def inert_json(content: object, **options: Any) -> str:
    """ASCII JSON that holds no markup, wherever it is put."""
    text = json.dumps(content, allow_nan=False, **options)
    # Outside strings JSON has none of these characters.
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def to_json(graph: nx.Graph[Any]) -> bytes:
    """A graph as JSON, which keeps text and whole numbers apart."""
    return inert_json({**graph_fields(graph), **graph.graph, **_columns(graph)}).encode()


def parse_json(content: Content, notes: list[str]) -> _Parts:  # noqa: ARG001 - nothing is guessed
    """The nodes and edges of `to_json`'s format, or of the graph within a trace."""
    found = json.loads(content.data)
    if isinstance(found, dict) and "nodes" not in found:
        found = found.get("graph")
    fields = found if isinstance(found, dict) else {}
    nodes, edges = fields.get("nodes"), fields.get("edges")
    if not (
        isinstance(nodes, list)
        and isinstance(edges, list)
        and all(isinstance(edge, list) and len(edge) == 2 for edge in edges)
        and not any(isinstance(end, (list, dict)) for end in chain(nodes, *edges))
    ):
        raise DataError(
            f'{content.title} holds no graph; the form is {{"nodes": ["a", "b"], '
            '"edges": [["a", "b"]]}.'
        )
    return [(node, {}) for node in nodes], edges, False


_WRITERS: dict[str, Callable[[nx.Graph[Any]], bytes]] = {
    "graphml": to_graphml,
    "csv": to_csv,
    "json": to_json,
}
# As a sentence calls the format, and what reads it.
_PARSERS: dict[str, tuple[str, Callable[[Content, list[str]], _Parts]]] = {
    "graphml": ("GraphML", parse_graphml),
    "gml": ("GML", parse_gml),
    "csv": ("CSV", parse_edges),
    "json": ("JSON", parse_json),
}
