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

# The names of a file's nodes, and its edges by these.
_Parts = tuple[Iterable[Any], Iterable[tuple[Any, Any]]]
# What is known of every edge, or of all of them, by name.
_Known = dict[str, Any]


def graph_bytes(
    graph: GraphLike,
    format: GraphFormat,  # noqa: A002
    confidence: EdgeConfidence | None = None,
    *,
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
        calibrated, each edge also has a `verdict`, and the graph its thresholds.
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
    plain = _plain_graph(given.nodes, given.edges())
    ends = [*plain.edges]
    of_edges = _known_of(ends, confidence, effects)
    if None in (doubts := of_edges.get(_EFFECT["doubt"], [])):
        lacking = " - ".join(map(clip, ends[doubts.index(None)]))
        raise GraphError(f"The effects are not of this graph: they lack the edge {lacking}.")
    of_all: _Known = {}
    if confidence is not None:
        of_all["probability_kind"] = str(confidence.kind)
    if "verdict" in of_edges:
        of_all |= {"present_from": PRESENT, "absent_up_to": ABSENT}
    if warnings and kind != "csv":
        of_all["warning"] = " ".join(warnings)
    return _WRITERS[kind](plain, of_edges, of_all)


def write_graph(graph: GraphLike, path: str | os.PathLike[str], **known: Any) -> None:
    """Write what `graph_bytes` makes, in the format that the extension says; a file is replaced."""
    place = file_path(path)
    content = graph_bytes(graph, _format_of(place.name, FORMATS), **known)
    try:
        place.write_bytes(content)
    except (OSError, ValueError) as reason:
        why = getattr(reason, "strerror", None) or type(reason).__name__
        raise GraphError(
            f"{clip(place.name)} can't be written ({why}); choose another place."
        ) from None


def pair_csv(
    confidence: EdgeConfidence, graph: nx.Graph[Any], *, effects: pd.DataFrame | None = None
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
            **_known_of(ends, confidence, effects),
            probability_kind=str(confidence.kind),
        )
    )


def _known_of(
    pairs: Sequence[tuple[Name, Name]],
    confidence: EdgeConfidence | None,
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
            verdicts = judge_pairs(confidence.matrix[at], confidence.judged[at])
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
        known = (*FORMATS, "gml")
        kind = (
            choice(format, "format", known)
            if format
            else _format_of(content.name, known, ", or give its format")
        )
        title, parse = _PARSERS[kind]
        with readable(content.title, title):
            names, edges = parse(content, notes)
    except DataError as reason:
        raise GraphError(str(reason)) from None
    graph = _plain_graph(names, edges)
    if notes:
        graph.graph["notes"] = tuple(notes)
    return graph


def _by_name(
    nodes: Sequence[tuple[Any, Mapping[str, Any]]], edges: Iterable[tuple[Any, Any]]
) -> _Parts:
    """Names in place of ids: the attribute that names most nodes, each in its own way."""

    def texts(kind: str) -> dict[Any, Any]:
        # networkx makes empty containers of two texts.
        found = {n: str(b[kind]) if b[kind] in ([], ()) else b[kind] for n, b in nodes if kind in b}
        return {n: text for n, text in found.items() if text is not None and str(text).strip()}

    def use(found: Mapping[Any, Any]) -> tuple[int, int, bool]:
        # Some programs write the id as the label.
        is_own = any(str(node) != str(text) for node, text in found.items())
        return len(found), len({*map(str, found.values())}), is_own

    best = max(map(texts, _NAMES), key=use)
    return [best.get(n, n) for n, _ in nodes], [(best.get(u, u), best.get(v, v)) for u, v in edges]


def _undirected(content: Content) -> str:
    """What a reader has to know of a graph that calls itself directed."""
    return (
        f"{content.title} calls its graph directed; its edges were taken without direction. "
        "The Markov network of a Bayesian network also joins the parents of each variable."
    )


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


def _format_of(name: str, formats: tuple[Any, ...], more: str = "") -> Any:
    """The format that the extension of a file's name says."""
    suffix = Path(name).suffix.lower()[1:]
    if suffix in formats:
        return suffix
    what = f"{clip(name)} has no known extension" if name else "The file has no name"
    listed = ", ".join(f".{known}" for known in formats[:-1])
    raise GraphError(f"{what}; use {listed} or .{formats[-1]}{more}.")


# --- GraphML and GML: nodes have ids and attributes -------------------------------------------


def to_graphml(graph: nx.Graph[Any], of_edges: _Known, of_all: _Known) -> bytes:
    """A graph as GraphML, where names are ids."""
    for node in graph:
        if found := _ILLEGAL_XML.search(str(node)):
            raise GraphError(
                f"The node {clip(node)} has the control character U+{ord(found[0]):04X} in its "
                "name, which GraphML can't hold; rename it or use JSON."
            )
    ends = [*graph.edges]
    for name, column in of_edges.items():
        known = {pair: x for pair, x in zip(ends, column, strict=True) if x not in (None, "")}
        nx.set_edge_attributes(graph, known, name)
    graph.graph |= of_all
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
    if any(edge.get("directed", usual) == "true" for edge in edges):
        notes.append(_undirected(content))
    if many := len([*root.iterfind(".//{*}hyperedge")]):
        were = f"{'was' if many == 1 else 'were'} left out, since an edge joins two nodes"
        notes.append(f"{plural(many, 'hyperedge')} of {content.title} {were}.")
    return _by_name(nodes, [(edge.get("source"), edge.get("target")) for edge in edges])


def parse_gml(content: Content, notes: list[str]) -> _Parts:
    """The nodes and edges of a GML file."""
    # networkx wants every character beyond ASCII as a reference.
    text = _text_of(content, notes).encode("ascii", "xmlcharrefreplace").decode()
    graph = nx.parse_gml([line.rstrip("\r") for line in text.split("\n")], label="id")
    names, edges = _by_name([*graph.nodes.data()], graph.edges())
    if names and names == [*graph]:
        note = "have no names; their numbers are taken as column numbers, from 0."
        notes.append(f"The nodes of {content.title} {note}")
    if graph.is_directed():
        notes.append(_undirected(content))
    return names, edges


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


def to_csv(graph: nx.Graph[Any], of_edges: _Known, of_all: _Known) -> bytes:
    """A graph as an edge list under the header source,target, with what its edges bear."""
    import pandas as pd

    check_letters([str(node) for node in graph], "A node's name")
    names = ["source", "target", *of_edges]
    rows = [
        dict(zip(names, (*pair, *known), strict=True)) | of_all
        for pair, *known in zip(graph.edges, *of_edges.values(), strict=True)
    ]
    rows += [{"source": node, "target": ""} for node in nx.isolates(graph)]
    # As objects numbers keep all their digits, and whole ones get no fraction.
    return encode_csv(inert_csv(pd.DataFrame(rows, columns=[*names, *of_all], dtype=object)))


def _text_of(content: Content, notes: list[str]) -> str:
    """The text of a file; the notes don't speak of an option that a graph doesn't have."""
    guesses: list[str] = []
    text = decode(content, None, guesses)[0].decode()
    notes += [note.replace(", or give its encoding (encoding=)", "") for note in guesses]
    return text


def list_records(text: str, delimiter: str = ",") -> list[tuple[int, list[str]]]:
    """The lines of a CSV that hold anything, with their numbers."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, line = list[tuple[int, list[str]]](), 1
    try:
        for cells in reader:
            rows += [(line, cells)] * any(map(str.strip, cells))
            line = reader.line_num + 1
    except csv.Error as reason:
        raise unmatched(line, str(reason)) from None
    return rows


def parse_edges(content: Content, notes: list[str]) -> _Parts:
    """The nodes and edges of an edge list."""
    text = _text_of(content, notes)
    first = text.lstrip("\r\n").partition("\n")[0]
    delimiter = next((mark for mark in ",;\t" if mark in first), ",")
    rows = list_records(text, delimiter)
    if not rows:
        raise DataError(f"{content.title} is empty; an edge list has a line for each edge.")
    names = [cell.strip().lower() for cell in rows[0][1]]
    header = next((pair for pair in _HEADERS if {*pair} <= {*names}), None)
    if header is None:
        has_edge = any(len(cells) > 1 and all(cells[:2]) for _, cells in rows)
        for line, cells in (row for row in rows if len(row[1]) > 2 or not has_edge):
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
    return nodes, edges


# --- JSON -------------------------------------------------------------------------------------


def graph_fields(graph: nx.Graph[Any]) -> dict[str, list[Any]]:
    """A graph as JSON sees it."""
    return {"nodes": list(graph.nodes), "edges": [list(edge) for edge in graph.edges()]}


def inert_json(content: object, **options: Any) -> str:
    """ASCII JSON that holds no markup, wherever it is put."""
    text = json.dumps(content, allow_nan=False, **options)
    # Outside strings JSON has none of these characters.
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def to_json(graph: nx.Graph[Any], of_edges: _Known, of_all: _Known) -> bytes:
    """A graph as JSON, which keeps text and whole numbers apart."""
    return inert_json({**graph_fields(graph), **of_all, **of_edges}).encode()


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
    return nodes, edges


_WRITERS = {"graphml": to_graphml, "csv": to_csv, "json": to_json}
# As a sentence calls the format, and what reads it.
_PARSERS: dict[str, tuple[str, Callable[[Content, list[str]], _Parts]]] = {
    "graphml": ("GraphML", parse_graphml),
    "gml": ("GML", parse_gml),
    "csv": ("CSV", parse_edges),
    "json": ("JSON", parse_json),
}
