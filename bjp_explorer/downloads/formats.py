"""Every file of a result, in groups: the graph, figures, reports, and data for programs.

Nothing is made here before it is asked for, and none of it calls Streamlit: files are made in a
thread of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache, partial
from typing import Any

import networkx as nx
import pandas as pd

from bjp_engine.confidence.doubts import list_up
from bjp_engine.errors import BJPError
from bjp_engine.io import edge_csv, graph_bytes, known_csv, pair_csv, trace_json
from bjp_engine.io.graphs import graph_fields
from bjp_engine.io.pairs import encode_csv, inert_csv
from bjp_explorer.downloads.drawing import add_notes, drawing_of
from bjp_explorer.downloads.drawing_file import image
from bjp_explorer.downloads.drawing_svg import svg_file
from bjp_explorer.downloads.pyvis_file import interactive_html
from bjp_explorer.downloads.report import report_html
from bjp_explorer.downloads.result import Result
from bjp_explorer.downloads.script import notebook, script

SHARE, GRAPH, FIGURE, REPORT, PROGRAMS = "Share", "Graph", "Figure", "Report", "For programs"


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of file."""

    extension: str
    label: str
    mime: str
    icon: str
    # Called when the file is asked for.
    make: Callable[[], bytes]
    # Under which it stands.
    group: str = ""
    # What it holds, in a sentence.
    about: str = ""
    # Why it can't be made; empty where it can.
    problem: str = ""


def formats_of(result: Result) -> tuple[Format, ...]:
    """Every file of a result. In the order of their groups, each extension once."""
    return (*_graphs(result), *_figures(result), *_reports(result), *_programs(result))


def shared_page(make: Callable[[], str], problem: str = "") -> Format:
    """The view as it stands, as a page of its own."""
    return Format(
        *("page.html", "Share as a page", "text/html", "share"),
        lambda: make().encode(),
        SHARE,
        "One HTML file with this view and its player. It opens offline, on a phone and in a course "
        "page, and asks no server for anything.",
        problem,
    )


def table_csv(table: pd.DataFrame) -> bytes:
    """A table in which no name is a formula."""
    return encode_csv(inert_csv(table))


def _graphs(result: Result) -> Iterator[Format]:
    """Names and edges, and their probabilities."""
    graph, sure, effects = result.graph, result.confidence, result.effects
    known: dict[str, Any] = {
        "effects": effects,
        "warnings": result.warnings,
    }
    kinds: tuple[tuple[str, str, str, str, Callable[[], bytes]], ...] = (
        (
            *("graphml", "GraphML", "application/xml", "hub"),
            lambda: graph_bytes(graph, "graphml", sure, **known),
        ),
        (
            *("csv", "Edges (CSV)", "text/csv", "table"),
            lambda: encode_csv(edge_csv(graph, confidence=sure, **known)),
        ),
    )
    judged = ["verdict"] * (sure is not None and sure.judged is not None)
    effect = ["effect"] * (effects is not None)
    what = list_up(["probability", *judged, *effect])
    for extension, label, mime, icon, make in kinds:
        about = "Names and edges" + ("." if sure is None else f", with the {what} of each edge.")
        yield Format(extension, label, mime, icon, make, GRAPH, about, _refused(graph, make))
    if sure is not None:
        yield Format(
            *("pairs.csv", "All pairs (CSV)", "text/csv", "table"),
            lambda: encode_csv(pair_csv(sure, result.whole, **known)),
            GRAPH,
            f"The {list_up(['probability', *judged])} of every pair, and whether it is an edge."
            + (" Edges have their effect." if effects is not None else ""),
        )


def _figures(result: Result) -> Iterator[Format]:
    """The drawing, as it stands on the screen."""
    loaded, sure, of_edges = result.loaded, result.confidence, result.of_edges()

    @cache
    def drawing() -> Any:
        drawn = drawing_of(
            result.data, result.graph, result.points, loaded.title, result.about, sure, of_edges
        )
        return add_notes(drawn, (f"Warning: {one}" for one in result.warnings))

    def page() -> bytes:
        about = f"{loaded.title} · {result.about} · drag to move, scroll to zoom"
        about = " · ".join([about, *(f"Warning: {one}" for one in result.warnings)])
        return interactive_html(
            result.data, result.graph, result.points, loaded.title, about, sure, of_edges
        ).encode()

    about = "The network as shown on the page"
    for extension, mime, told, make in (
        ("svg", "image/svg+xml", "sharp at any size", lambda: svg_file(drawing())),
        ("png", "image/png", "as an image", lambda: image(drawing(), "png")),
        ("pdf", "application/pdf", "to print", lambda: image(drawing(), "pdf")),
    ):
        yield Format(extension, extension.upper(), mime, "image", make, FIGURE, f"{about}, {told}.")
    yield Format(
        *("html", "Figure as an interactive page", "text/html", "public"),
        page,
        FIGURE,
        "A page that works without this app, with variables to drag and zoom.",
    )


def _reports(result: Result) -> Iterator[Format]:
    """What was done, to read and to run."""
    yield Format(
        *("report.html", "Report (HTML)", "text/html", "description"),
        lambda: report_html(result, date.today()),
        REPORT,
        "Data and preparation, options, drawing, each edge, the scores, how to repeat it.",
    )
    yield Format(
        *("repeat.ipynb", "Notebook", "application/x-ipynb+json", "book"),
        partial(notebook, result),
        REPORT,
        "A Jupyter notebook that repeats the learning and compares the results.",
    )
    yield Format(
        *("repeat.py", "Python script", "text/x-python", "code"),
        partial(script, result),
        REPORT,
        "A program that repeats the learning and compares the results.",
    )


def _programs(result: Result) -> Iterator[Format]:
    """What other programs compute with."""
    sure, preparation = result.confidence, result.loaded.preparation
    steps = None if preparation is None else preparation.to_dict()
    yield Format(
        *("json", "JSON", "application/json", "data_object"),
        lambda: trace_json(
            *(result.trace, sure),
            effects=result.effects,
            preparation=steps,
            shown=_shown(result),
            warnings=result.warnings,
        ).encode(),
        PROGRAMS,
        "The graph and every number behind it, to the last digit."
        + (" Its “shown” has the edges that are not hidden." if result.hidden else ""),
    )
    if preparation is not None:
        yield Format(
            *("preparation.json", "Preparation", "application/json", "checklist"),
            lambda: preparation.to_json().encode(),
            PROGRAMS,
            "The preparation steps of the table, to apply to another file.",
        )

    if (known := result.known) is not None:
        yield Format(
            *("known.csv", "What is known (CSV)", "text/csv", "rule"),
            lambda: known_csv(known).encode(),
            PROGRAMS,
            "The pairs that were required, forbidden or given a probability.",
        )


def _shown(result: Result) -> dict[str, Any] | None:
    """The graph without the edges that are hidden, if some are, and below which number they are."""
    if not result.hidden:
        return None
    return {"threshold": result.threshold, **graph_fields(result.graph)}


def _refused(graph: nx.Graph[Any], make: Callable[[], bytes]) -> str:
    """Why a format can't hold one of the names, if so; those that any can aren't tried."""
    if all(str(name).isprintable() for name in graph):
        return ""
    try:
        make()
    except BJPError:
        return "This format can't hold one of the names; JSON can."
    return ""
