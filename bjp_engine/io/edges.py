"""Edge lists as CSV: one edge a line; a node without edges has an empty target."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

import networkx as nx

from bjp_engine.errors import GraphError, clip
from bjp_engine.io.sources import Content
from bjp_engine.io.spreadsheet import disarmed, restored
from bjp_engine.io.sureness import Sureness

_HEADERS = (("source", "target"), ("from", "to"))


def edge_csv(graph: nx.Graph[Any], *, safe: bool = True, sure: Sureness | None = None) -> str:
    """A graph as an edge list under the header source,target."""

    def cell(name: object) -> str:
        text = str(name)
        if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
            raise GraphError(
                f"The node {clip(ascii(text))} has half a character in its name; rename it."
            )
        return disarmed(text) if safe and isinstance(name, str) else text

    out = io.StringIO(newline="")
    # RFC 4180's line end, and the one with which a lone carriage return gets its quotes.
    writer = csv.writer(out, lineterminator="\r\n")
    more = [] if sure is None else [*sure.columns, "confidence_kind"]
    writer.writerow((*_HEADERS[0], *more))
    for u, v in graph.edges():
        told = () if sure is None else (*map(repr, sure.of(u, v).values()), sure.kind)
        writer.writerow((cell(u), cell(v), *told))
    writer.writerows((cell(node), "", *[""] * len(more)) for node in nx.isolates(graph))
    return out.getvalue()


def parse_edges(content: Content) -> nx.Graph[Any]:
    """Read an edge list."""
    try:
        text = content.data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise GraphError(f"{content.title} is not UTF-8 text; save the edge list again.") from None
    rows = list(_rows(text))
    if not rows:
        raise GraphError(f"{content.title} is empty; an edge list has a line for each edge.")
    places = _places(rows[0][1])
    if places is None and not any(all(cells[:2]) and len(cells) > 1 for _, cells in rows):
        raise GraphError(
            f"Line {rows[0][0]} has one cell, and so has every other; separate source and target "
            "by a comma, or begin with the line source,target."
        )
    graph: nx.Graph[Any] = nx.Graph()
    for line, cells in rows[0 if places is None else 1 :]:
        if places is None and len(cells) > 2:
            raise GraphError(
                f"Line {line} has {len(cells)} cells and there is no header; "
                "start with the line source,target."
            )
        u, v = (restored(cells[i]) if i < len(cells) else "" for i in places or (0, 1))
        if not u:
            raise GraphError(f"Line {line} has no source; a lone node is a source without target.")
        graph.add_node(u)
        if v:
            graph.add_edge(u, v)
    return graph


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """The lines with any cell filled, and where they begin."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error:
        raise GraphError(f"Line {line}: the quotation marks don't match; close them.") from None


def _delimiter(text: str) -> str:
    """The delimiter of the first line: a comma, unless it has only another."""
    first = text.lstrip("\r\n").partition("\n")[0]
    found = [mark for mark in (",", ";", "\t") if mark in first]
    return found[0] if found else ","


def _places(cells: list[str]) -> tuple[int, int] | None:
    """Where source and target stand, if this is a header."""
    names = [cell.strip().lower() for cell in cells]
    for source, target in _HEADERS:
        if source in names and target in names:
            return names.index(source), names.index(target)
    return None
