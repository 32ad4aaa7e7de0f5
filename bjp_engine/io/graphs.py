"""Graphs as files: GraphML, edge CSV and JSON, by extension; GML is read as well.

A file holds names and edges, and the probability of each edge and its effect if these are given;
reading takes names and edges only. Names come back as they were, text or whole numbers; but those
of a CSV file are all text, which `Dataset.index` resolves.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, get_args

import networkx as nx
import numpy as np

from bjp_engine.confidence.edges import ABSENT, PRESENT, EdgeConfidence
from bjp_engine.dataset import Name
from bjp_engine.errors import DataError, GraphError, clip, plural
from bjp_engine.graph import GraphLike, as_graph
from bjp_engine.io.dialect import decode
from bjp_engine.io.sources import Content, Source, read_source
from bjp_engine.io.text import unmatched
from bjp_engine.validate import choice, instance

if TYPE_CHECKING:
    import pandas as pd

GraphFormat = Literal["graphml", "csv", "json"]
FORMATS: tuple[GraphFormat, ...] = get_args(GraphFormat)
READ = (*FORMATS, "gml")

# A graph on some hundred variables takes a few hundred kilobytes.
_LIMIT = 64 * 1024**2
# What an edge may bear, in the order of a table's columns; the graph bears the kind of both.
_VALUE, _ERROR, _KIND = "probability", "probability_error", "probability_kind"
# Of calibrated probabilities only, and by which thresholds.
_VERDICT, _THRESHOLDS = "verdict", ("present_from", "absent_up_to")
# What the graph bears where there is something to warn of.
_WARNING = "warning"
# The columns of `FittedNetwork.effects`, and what an edge bears of them.
_EFFECT = {"effect": "effect"} | {
    name: f"effect_{name}" for name in ("low", "high", "spread", "kind", "among", "doubt")
}
# What a node bears whose name is a whole number, in formats that hold names as text.
_NUMBER = "number"
# Where programs keep the names of nodes that they number: Gephi and yEd, igraph and Cytoscape.
_NAMES = ("label", "name", "v_name", "shared name")
# What the graph of a file bears that is to be known of it.
_NOTES = "notes"
_WHOLE = re.compile("0|-?[1-9][0-9]{0,3999}")
# Characters that no XML 1.0 document can hold, however they are written.
_ILLEGAL_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HEADERS = (("source", "target"), ("from", "to"))
# What can't be given for an edge list.
_ENCODING = ", or give its encoding (encoding=)"
# What a spreadsheet program takes for a formula; an apostrophe in front marks text.
_FORMULA = re.compile("'*[=+\\-@＝＋－＠\t\r\n]")


def graph_bytes(
    graph: GraphLike,
    format: GraphFormat,  # noqa: A002
    confidence: EdgeConfidence | None = None,
    **known: Any,
) -> bytes:
    r"""Write a graph, and what `annotate_graph` knows of it, as the content of a file.

    In CSV a node without edges is a line with an empty target, and names that a spreadsheet program
    takes for formulas get an apostrophe in front, which `read_graph` takes off again.

    Examples
    --------
    >>> import networkx as nx
    >>> from bjp_engine.io import graph_bytes
    >>> graph_bytes(nx.Graph([("a", "b")]), "csv")
    b'source,target\r\na,b\r\n'
    """
    kind = choice(format, "format", FORMATS)
    return _WRITERS[kind](annotate_graph(graph, confidence, **known))


def annotate_graph(
    graph: GraphLike,
    confidence: EdgeConfidence | None = None,
    *,
    present: float = PRESENT,
    absent: float = ABSENT,
    effects: pd.DataFrame | None = None,
    warnings: Sequence[str] = (),
) -> nx.Graph[Name]:
    """A copy of a graph whose edges bear what is known of them, as networkx takes it.

    Parameters
    ----------
    graph : networkx.Graph
        Undirected, on text or whole numbers; its own attributes are left out.
    confidence : EdgeConfidence, optional
        The `probability` of each edge, and where known its `probability_error`. Where it is
        calibrated, each edge also has a `verdict`, and the graph its thresholds `present` and
        `absent` (`EdgeConfidence.verdicts`).
    effects : DataFrame, optional
        As `FittedNetwork.effects` gives it: `effect`, `effect_low`, `effect_high`, `effect_spread`
        and `effect_kind` of each edge.
    warnings : sequence of str
        What a reader has to know, see `bjp_engine.confidence.list_warnings`; the graph's attribute
        `warning`, in CSV a column.

    Examples
    --------
    >>> import networkx as nx
    >>> from bjp_engine.io import annotate_graph
    >>> from bjp_engine.confidence import confidence_of_tests
    >>> data = [[0, 0], [0, 0], [1, 1], [1, 1]]
    >>> graph = nx.Graph([(0, 1)])
    >>> known = annotate_graph(graph, confidence_of_tests(data, graph))
    >>> round(known.edges[0, 1]["probability"] * 37, 9)
    30.0
    """
    known = plain_graph(graph, confidence)
    if confidence is not None:
        _add_probabilities(known, confidence, (present, absent))
    if effects is not None:
        from bjp_engine.parameters.effects import UNKNOWN, effect_rows

        rows = {frozenset((str(row["x"]), str(row["y"]))): row for row in effect_rows(effects)}
        for u, v, bears in known.edges.data():
            row = rows.get(frozenset((str(u), str(v))))
            if row is None:
                raise GraphError(
                    f"The effects are not of this graph: they lack the edge {clip(u)} - {clip(v)}."
                )
            known_ones = ("doubt",) if row["doubt"] == UNKNOWN else _EFFECT
            bears.update({_EFFECT[one]: row[one] for one in known_ones if row[one] != ""})
    if warnings:
        known.graph[_WARNING] = " ".join(warnings)
    return known


def write_graph(
    graph: GraphLike,
    target: str | os.PathLike[str] | IO[bytes],
    format: GraphFormat | None = None,  # noqa: A002
    confidence: EdgeConfidence | None = None,
    **known: Any,
) -> None:
    """Write what `graph_bytes` makes to a path, whose file is replaced, or to a binary file.

    The format is by default what the extension says.
    """
    path = Path(os.fsdecode(target)) if isinstance(target, (str, os.PathLike)) else None
    kind = _format_of(getattr(path or target, "name", ""), format, FORMATS)
    content = graph_bytes(graph, kind, confidence, **known)  # type: ignore[arg-type]
    if path is None:
        target.write(content)  # type: ignore[union-attr]
        return
    try:
        path.write_bytes(content)
    except (OSError, ValueError) as reason:
        why = getattr(reason, "strerror", None) or type(reason).__name__
        raise GraphError(
            f"{clip(path.name)} can't be written ({why}); choose another place."
        ) from None


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
    try:
        content = read_source(source, limit=_LIMIT, remedy="; leave nodes out")
    except DataError as reason:
        raise GraphError(str(reason)) from None
    found = _PARSERS[_format_of(content.name, format, READ)](content)
    undirected = nx.Graph(found) if found.is_directed() else found
    graph = plain_graph(undirected)
    notes = [*found.graph.get(_NOTES, ())]
    if found.is_directed():
        notes.append(
            f"{content.title} calls its graph directed; its edges were taken without direction. "
            "The Markov network of a Bayesian network also joins the parents of each variable."
        )
    if notes:
        graph.graph[_NOTES] = tuple(notes)
    return graph


def plain_graph(graph: object, *named: Any) -> nx.Graph[Name]:
    """The same nodes and edges, without attributes or parallel edges.

    Rows of a matrix are the variables of the first record that has names.
    """
    given = as_graph(graph, next((one.names for one in named if hasattr(one, "names")), None))
    plain: nx.Graph[Name] = nx.Graph()
    texts: set[str] = set()
    for node in given.nodes:
        name = _checked_name(node)
        if str(name) in texts:
            raise GraphError(f"Two nodes read {clip(name)}; rename one of them.")
        texts.add(str(name))
        plain.add_node(name)
    plain.add_edges_from((_checked_name(u), _checked_name(v)) for u, v in given.edges())
    return plain


def _checked_name(node: object) -> Name:
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


def _add_probabilities(
    graph: nx.Graph[Name], confidence: EdgeConfidence, thresholds: tuple[float, float]
) -> None:
    """Give each edge its probability and, where that is calibrated, the verdict."""
    instance(confidence, "confidence", EdgeConfidence, "a record of `bjp_engine.confidence`")
    graph.graph[_KIND] = str(confidence.kind)
    verdicts: dict[Any, str] = {}
    if confidence.judged is not None:
        table = confidence.verdicts(*thresholds)
        verdicts = table.set_index(["x", "y"])["verdict"].to_dict()
        graph.graph |= dict(zip(_THRESHOLDS, map(float, thresholds), strict=True))
    for u, v, bears in graph.edges.data():
        try:
            edge = confidence.of(u, v)
        except DataError as reason:
            raise GraphError(f"The confidence is not of this graph: {reason}") from None
        bears[_VALUE] = float(edge.confidence)
        if edge.error is not None:
            bears[_ERROR] = float(edge.error)
        if verdicts:
            bears[_VERDICT] = verdicts[edge.x, edge.y]


def _columns(graph: nx.Graph[Any]) -> dict[str, list[Any]]:
    """What the edges of a graph bear, by name."""
    names = list(dict.fromkeys(name for *_, bears in graph.edges.data() for name in bears))
    if not names and _KIND in graph.graph:
        names = [_VALUE, *[_VERDICT] * (_THRESHOLDS[0] in graph.graph)]
    return {name: [bears.get(name) for *_, bears in graph.edges.data()] for name in names}


def _add_edge(graph: nx.Graph[Any], u: Any, v: Any) -> None:
    for end in (u, v):
        if end not in graph:
            raise GraphError(f"An edge ends in {clip(end)}, which is not among the nodes.")
    graph.add_edge(u, v)


# --- GraphML: node names are ids -------------------------------------------------------------


def to_graphml(graph: nx.Graph[Any]) -> bytes:
    """A graph as GraphML."""
    for node in graph:
        found = _ILLEGAL_XML.search(str(node))
        if found:
            raise GraphError(
                f"The node {clip(_ILLEGAL_XML.sub('�', str(node)))} has the control character "
                f"U+{ord(found[0]):04X} in its name, which GraphML can't hold; rename it or use "
                "JSON."
            )
    out, typed = io.BytesIO(), graph.copy()
    # A name that is a number is also an attribute, which keeps its type.
    nx.set_node_attributes(typed, {n: n for n in graph if not isinstance(n, str)}, _NUMBER)
    # Of networkx's two writers the one that is there with and without lxml.
    nx.write_graphml_xml(typed, out, named_key_ids=True)
    return out.getvalue()


def parse_graphml(content: Content) -> nx.Graph[Any]:
    """Read the nodes and edges of a GraphML file, grouped ones too."""
    # networkx's own reader expands entities, loses grouped nodes and fails on others' attributes.
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        root = fromstring(content.data, forbid_dtd=True)
    except DefusedXmlException:
        raise GraphError(
            f"{content.title} declares a document type (DOCTYPE), which is not read; remove it."
        ) from None
    except (ParseError, LookupError, ValueError) as reason:
        line = getattr(reason, "position", (0,))[0]
        where = f" (line {line})" if line else ""
        raise GraphError(f"{content.title} is not GraphML{where}; save the graph again.") from None
    bodies = root.findall("{*}graph")
    if root.tag.rpartition("}")[2] != "graphml" or len(bodies) != 1:
        raise GraphError(f"{content.title} holds {len(bodies)} GraphML graphs; it must hold one.")
    keys = {key.get("id"): key.get("attr.name", "") for key in root.iterfind("{*}key")}
    nodes: dict[str, dict[str, Any]] = {}
    for node in bodies[0].iterfind(".//{*}node"):
        name = node.get("id", "")
        if not name or name in nodes:
            problem = f"two nodes {clip(name)}" if name else "a node without an id"
            raise GraphError(f"{content.title} has {problem}; give each node its own id.")
        held = nodes[name] = {}
        for data in node.iterfind("{*}data"):
            held[keys.get(data.get("key"), "")] = data.text
            # yEd draws nodes, and names them in the drawing.
            for drawn in data.iterfind(".//{*}NodeLabel"):
                held.setdefault(_NAMES[0], (drawn.text or "").strip())
    names = _names_of(content, nodes)
    edges = [*bodies[0].iterfind(".//{*}edge")]
    usual = str(bodies[0].get("edgedefault") == "directed").lower()
    directed = any(edge.get("directed", usual) == "true" for edge in edges)
    graph: nx.Graph[Any] = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(names.values())
    for edge in edges:
        u, v = edge.get("source", ""), edge.get("target", "")
        _add_edge(graph, names.get(u, u), names.get(v, v))
    if many := len([*bodies[0].iterfind(".//{*}hyperedge")]):
        were = f"{'was' if many == 1 else 'were'} left out, since an edge joins two nodes"
        graph.graph[_NOTES] = (f"{plural(many, 'hyperedge')} of {content.title} {were}.",)
    return graph


def _names_of(content: Content, nodes: dict[Any, dict[str, Any]]) -> dict[Any, Name]:
    """A name for each node: by the first attribute that names all, and not by their ids."""

    def name(kind: str, node: Any) -> Any:
        text = nodes[node].get(kind)
        return node if text is None or not str(text).strip() else text

    def use(kind: str) -> tuple[int, int, bool]:
        """How many nodes it names, in how many ways; some programs write the id as the label."""
        texts = [str(name(kind, node)) for node in nodes]
        named = sum(bool(str(bears.get(kind) or "").strip()) for bears in nodes.values())
        return named, len(set(texts)) * (named > 0), texts != [*map(str, nodes)]

    best = max(_NAMES, key=use)
    names = {node: _label(name(best, node), nodes[node].get(_NUMBER)) for node in nodes}
    for text, times in Counter(map(str, names.values())).items():
        if times > 1:
            raise GraphError(f"{content.title} has two nodes labelled {clip(text)}; rename one.")
    return names


# --- GML: node names are attributes ----------------------------------------------------------


def parse_gml(content: Content) -> nx.Graph[Any]:
    """Read the nodes and edges of a GML file."""
    raw = content.data.removeprefix(codecs.BOM_UTF8)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")  # what the format's own definition says
    # networkx wants every other character as a reference.
    text = text.encode("ascii", "xmlcharrefreplace").decode()
    try:
        graph = nx.parse_gml([line.rstrip("\r") for line in text.split("\n")], label="id")
    except Exception as reason:  # the parser fails in any way on what isn't GML
        why = " ".join(str(reason).split())[:100]
        raise GraphError(f"{content.title} can't be read as GML ({why}).") from None
    named = _names_of(content, dict(graph.nodes(data=True)))
    made: nx.Graph[Any] = nx.relabel_nodes(graph, named)
    made.graph = {}
    if named and named == {node: node for node in graph}:
        note = "have no names; their numbers are taken as column numbers, from 0."
        made.graph[_NOTES] = (f"The nodes of {content.title} {note}",)
    return made


def _label(label: object, number: object) -> Name:
    """A label as a name; networkx makes two of them empty containers."""
    label = str(label) if label in ([], ()) else label
    if isinstance(label, str):
        return int(label) if str(number) == label and _WHOLE.fullmatch(label) else label
    if isinstance(label, int):
        return label
    raise GraphError(
        f"The label {clip(label)} is not a name; label nodes by text or whole numbers."
    )


# --- Edge lists as CSV: one edge a line; a node without edges has an empty target -------------


def disarm_cell(text: str) -> str:
    """Text as a cell that no spreadsheet program runs as a formula; see `restore_cell`."""
    return f"'{text}" if _FORMULA.match(text) else text


def restore_cell(cell: str) -> str:
    """The text of a cell that `disarm_cell` made."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def encode_csv(text: str) -> bytes:
    """Encode CSV so that spreadsheet programs don't read it in the machine's own 8-bit code."""
    return text.encode("ascii" if text.isascii() else "utf-8-sig")


def to_csv(graph: nx.Graph[Any]) -> bytes:
    """A graph as an edge list under the header source,target, with what its edges bear."""

    def cell(content: object) -> str:
        # Of a number all digits.
        text = "" if content is None else str(content)
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise GraphError(
                f"The node {clip(ascii(text))} has half a character in its name; rename it."
            )
        return disarm_cell(text) if isinstance(content, str) else text

    out = io.StringIO(newline="")
    # RFC 4180's line end, and the one with which a lone carriage return gets its quotes.
    writer = csv.writer(out, lineterminator="\r\n")
    numbers = _columns(graph)
    of_all = {name: cell(value) for name, value in graph.graph.items() if name != _WARNING}
    writer.writerow((*_HEADERS[0], *numbers, *of_all))
    rows = zip(graph.edges(), *numbers.values(), strict=True)
    writer.writerows((*map(cell, (u, v, *known)), *of_all.values()) for (u, v), *known in rows)
    blank = [""] * (len(numbers) + len(of_all))
    writer.writerows((cell(node), "", *blank) for node in nx.isolates(graph))
    return encode_csv(out.getvalue())


def parse_edges(content: Content) -> nx.Graph[Any]:
    """Read an edge list."""
    guesses: list[str] = []
    try:
        text = decode(content, None, guesses)[0].decode()
    except DataError as reason:
        raise GraphError(str(reason)) from None
    rows = list(_edge_rows(text))
    if not rows:
        raise GraphError(f"{content.title} is empty; an edge list has a line for each edge.")
    names = [cell.strip().lower() for cell in rows[0][1]]
    header = next((pair for pair in _HEADERS if {*pair} <= {*names}), None)
    places = (0, 1) if header is None else tuple(map(names.index, header))
    if header is None and not any(all(cells[:2]) and len(cells) > 1 for _, cells in rows):
        raise GraphError(
            f"Line {rows[0][0]} has one cell, and so has every other; separate source and target "
            "by a comma, or begin with the line source,target."
        )
    graph: nx.Graph[Any] = nx.Graph()
    if guesses:
        graph.graph[_NOTES] = tuple(note.replace(_ENCODING, "") for note in guesses)
    for line, cells in rows[header is not None :]:
        if header is None and len(cells) > 2:
            raise GraphError(
                f"Line {line} has {len(cells)} cells and there is no header; "
                "start with the line source,target."
            )
        u, v = (restore_cell(cells[i]) if i < len(cells) else "" for i in places)
        if not u:
            raise GraphError(f"Line {line} has no source; a lone node is a source without target.")
        graph.add_node(u)
        if v:
            graph.add_edge(u, v)
    return graph


def _edge_rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """The lines with any cell filled, and where they begin."""
    first = text.lstrip("\r\n").partition("\n")[0]
    delimiter = next((mark for mark in ",;\t" if mark in first), ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as reason:
        raise GraphError(str(unmatched(line, str(reason)))) from None


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
    fields = found if isinstance(found, dict) else {}
    nodes, edges = fields.get("nodes"), fields.get("edges")
    if not isinstance(nodes, list) or not isinstance(edges, list):
        raise GraphError(
            f'{content.title} holds no graph; the form is {{"nodes": ["a", "b"], '
            '"edges": [["a", "b"]]}.'
        )
    graph: nx.Graph[Any] = nx.Graph()
    for name in map(_checked_name, nodes):
        if name in graph:
            raise GraphError(f"The node {clip(name)} is given twice; name it once.")
        graph.add_node(name)
    for edge in edges:
        if not isinstance(edge, list) or len(edge) != 2:
            raise GraphError(
                f"{clip(json.dumps(edge))} is not an edge; an edge is a list of two nodes."
            )
        _add_edge(graph, *map(_checked_name, edge))
    return graph


_WRITERS: dict[str, Callable[[nx.Graph[Any]], bytes]] = {
    "graphml": to_graphml,
    "csv": to_csv,
    "json": to_json,
}
_PARSERS: dict[str, Callable[[Content], nx.Graph[Any]]] = {
    "graphml": parse_graphml,
    "gml": parse_gml,
    "csv": parse_edges,
    "json": parse_json,
}


def _format_of(name: object, format: str | None, formats: tuple[str, ...]) -> str:  # noqa: A002
    """The format that is given, else by the extension of the file's name."""
    if format is not None:
        return choice(format, "format", formats)
    suffix = Path(name).suffix.lower() if isinstance(name, str) else ""
    if suffix[1:] in formats:
        return suffix[1:]
    what = f"{clip(name)} has no known extension" if name else "The file has no name"
    listed = ", ".join(f".{known}" for known in formats[:-1])
    raise GraphError(f"{what}; use {listed} or .{formats[-1]}, or give its format.")
