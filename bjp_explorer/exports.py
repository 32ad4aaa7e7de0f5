"""One "Download" for every page: the graph in four formats and as an interactive page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import streamlit as st
from numpy.typing import NDArray

from bjp_engine import BJPError, EdgeConfidence, ScoreTrace, SearchTrace, trace_json
from bjp_engine.io import edge_csv, graph_bytes
from bjp_engine.io.sureness import Sureness
from bjp_engine.scores import SCORES
from bjp_explorer.pyvis_file import interactive_html
from bjp_explorer.sources import Loaded
from bjp_explorer.text import count, number

Trace = ScoreTrace | SearchTrace


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of file.

    Parameters
    ----------
    extension, label, mime, icon : str
    deferred : bool
        Whether it is made only when it is asked for, because that takes a moment.
    make : callable() -> bytes
    """

    extension: str
    label: str
    mime: str
    icon: str
    deferred: bool
    make: Callable[[], bytes]


def downloads(
    loaded: Loaded,
    graph: nx.Graph[Any],
    trace: Trace,
    points: NDArray[np.float64],
    *,
    name: str,
    key: str,
    label: str = "Download",
) -> None:
    """A button that unfolds to every file of one graph.

    Parameters
    ----------
    loaded : Loaded
        The data that the graph is about.
    graph : networkx.Graph
    trace : ScoreTrace or SearchTrace
        What the JSON file holds, in full.
    points : ndarray of float, shape (n, 2)
        Node positions in the unit square, as on the screen.
    name : str
        Tells this graph from others of the dataset, in the file names.
    key : str
        The page's, to tell its buttons from others.
    label : str
    """
    offer(formats(loaded, graph, trace, points), file_stem(loaded.title, name), key, label)


def offer(kinds: Sequence[Format], stem: str, key: str, label: str = "Download") -> None:
    """The button that unfolds to some files.

    Parameters
    ----------
    kinds : sequence of Format
    stem : str
        Of the file names.
    key, label : str
        See `downloads`.
    """
    with st.popover(label, icon=":material/download:", width="content", key=f"{key}-download"):
        for kind in kinds:
            _button(kind, stem, f"{key}-{kind.extension}")


def formats(
    loaded: Loaded,
    graph: nx.Graph[Any],
    trace: Trace,
    points: NDArray[np.float64],
    confidence: EdgeConfidence | None = None,
) -> tuple[Format, ...]:
    """Every file of one graph.

    Parameters
    ----------
    loaded, graph, trace, points
        See `downloads`.
    confidence : EdgeConfidence, optional
        How sure it is of each edge: every file then tells it, and the JSON file holds it in the
        place of the trace.

    Returns
    -------
    tuple of Format
    """

    def page() -> bytes:
        about = f"{loaded.title} · {_told(graph, trace)} · drag to move, scroll to zoom"
        return interactive_html(
            loaded.data, graph, points, loaded.title, about, confidence
        ).encode()

    def record() -> bytes:
        if confidence is None:
            return trace_json(trace).encode()
        return graph_bytes(graph, "json", confidence)

    whole = "Graph and full trace (JSON)" if confidence is None else "Graph with confidence (JSON)"
    return (
        Format("html", "Interactive page (HTML)", "text/html", "public", True, page),
        Format(
            "graphml",
            "GraphML",
            "application/xml",
            "hub",
            False,
            lambda: graph_bytes(graph, "graphml", confidence),
        ),
        Format(
            "gml", "GML", "text/plain", "hub", False, lambda: graph_bytes(graph, "gml", confidence)
        ),
        Format(
            "csv", "Edges (CSV)", "text/csv", "table", False, lambda: spreadsheet(graph, confidence)
        ),
        Format("json", whole, "application/json", "data_object", True, record),
    )


def spreadsheet(graph: nx.Graph[Any], confidence: EdgeConfidence | None = None) -> bytes:
    """An edge list in which no name is a formula.

    Parameters
    ----------
    graph : networkx.Graph
    confidence : EdgeConfidence, optional
        Written as further columns.

    Returns
    -------
    bytes
    """
    sure = None if confidence is None else Sureness(confidence)
    text = edge_csv(graph, safe=True, sure=sure)
    # Spreadsheet programs take a file without this mark for the machine's own 8-bit code.
    return text.encode("ascii" if text.isascii() else "utf-8-sig")


def file_stem(*parts: str) -> str:
    """A file name without its extension: ASCII letters, digits and hyphens.

    Parameters
    ----------
    *parts : str
        Any text.

    Returns
    -------
    str
        "network" where nothing is left.

    Examples
    --------
    >>> file_stem("Coronary heart disease", "bjp"), file_stem("../Ä=1", "…")
    ('coronary-heart-disease-bjp', 'a-1')
    """
    text = unicodedata.normalize("NFKD", " ".join(parts)).encode("ascii", "ignore").decode()
    stem = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return stem[:80].rstrip("-") or "network"


def _button(kind: Format, stem: str, key: str) -> None:
    """One file's button; greyed out, with the reason, where a format can't hold the names."""
    content: bytes | Callable[[], bytes] = kind.make
    problem = None
    if not kind.deferred:
        try:
            content = kind.make()
        except BJPError as error:
            content, problem = b"", str(error)
    st.download_button(
        kind.label,
        content,
        file_name=f"{stem}.{kind.extension}",
        mime=kind.mime,
        key=key,
        help="This format can't hold one of the names; JSON can." if problem else None,
        disabled=problem is not None,
        on_click="ignore",
        icon=f":material/{kind.icon}:",
        width="stretch",
    )


def _told(graph: nx.Graph[Any], trace: Trace) -> str:
    """What the graph is, in a few words."""
    value = trace.total if isinstance(trace, ScoreTrace) else trace.score
    edges = count(graph.number_of_edges(), "edge")
    return f"{edges} · ln {SCORES[trace.method].title} = {number(value, 4)}"
