"""Every file of a result, in four groups: picture, pairs, graph, and what repeats it.

Nothing is made here before it is asked for, and none of it calls Streamlit: files are made in a
thread of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial

import pandas as pd

from bjp_engine.errors import BJPError
from bjp_engine.io import graph_bytes, pair_csv, trace_json
from bjp_engine.io.graphs import encode_csv, inert_csv
from bjp_explorer.downloads.drawing import picture
from bjp_explorer.downloads.pyvis_file import interactive_html
from bjp_explorer.downloads.report import report_html
from bjp_explorer.downloads.result import Result
from bjp_explorer.downloads.script import script


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


def formats_of(result: Result) -> Iterator[Format]:
    """Every file of a result. In the order of their groups, each extension once."""
    graph, sure, effects = result.graph, result.confidence, result.effects
    about = "The network as shown on the page"
    yield Format(
        *("svg", "SVG", "image/svg+xml", "image"),
        partial(picture, result, "svg"),
        "Picture",
        f"{about}, sharp at any size.",
    )
    yield Format(
        *("png", "PNG", "image/png", "image"),
        partial(picture, result, "png"),
        "Picture",
        f"{about}, as an image.",
    )
    yield Format(
        *("html", "Interactive (pyvis)", "text/html", "public"),
        lambda: interactive_html(result).encode(),
        "Picture",
        "A page that works without this app, with variables to drag and zoom.",
    )

    def pairs() -> bytes:
        if sure is None:
            return graph_bytes(graph, "csv")
        return encode_csv(pair_csv(sure, graph, effects=effects))

    what = "Every pair: probability, verdict, edge or not, effect." if sure else "Both ends."
    yield Format("csv", "CSV", "text/csv", "table", pairs, "Pairs", what)

    def graphml() -> bytes:
        return graph_bytes(graph, "graphml", sure, effects=effects, warnings=result.warnings)

    problem = ""
    # Names that any format can hold aren't tried.
    if not all(str(name).isprintable() for name in graph):
        try:
            graphml()
        except BJPError:
            problem = "This format can't hold one of the names; JSON can."
    what = "Names and edges, with what is known of each edge."
    yield Format("graphml", "GraphML", "application/xml", "hub", graphml, "Graph", what, problem)
    preparation = result.loaded.preparation
    steps = None if preparation is None else preparation.to_dict()
    yield Format(
        *("json", "JSON", "application/json", "data_object"),
        lambda: trace_json(
            *(result.trace, sure), effects=effects, preparation=steps, warnings=result.warnings
        ).encode(),
        "Graph",
        "The graph and every number behind it, to the last digit.",
    )
    yield Format(
        *("report.html", "Report (HTML)", "text/html", "description"),
        lambda: report_html(result, date.today()),
        "Repeat",
        "Data and preparation, options, drawing, each edge, the scores, how to repeat it.",
    )
    yield Format(
        *("repeat.py", "Python script", "text/x-python", "code"),
        partial(script, result),
        "Repeat",
        "A program that repeats the learning and compares the results.",
    )


def shared_page(make: Callable[[], str], problem: str = "") -> Format:
    """The view as it stands, as a page of its own."""
    return Format(
        *("page.html", "Share as a page", "text/html", "share"),
        lambda: make().encode(),
        "Share",
        "One HTML file with this view and its player. It opens offline, on a phone and in a course "
        "page, and asks no server for anything.",
        problem,
    )


def table_csv(table: pd.DataFrame) -> bytes:
    """A table in which no name is a formula."""
    return encode_csv(inert_csv(table))
