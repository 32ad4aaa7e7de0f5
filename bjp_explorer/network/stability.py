"""Stability: what remains of the network with fewer rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from bjp_engine import Dataset
from bjp_engine.confidence import Stability
from bjp_engine.confidence.stability import DROPPED, GOOD, HIGH, LEAST
from bjp_engine.search import SearchTrace
from bjp_explorer.downloads.button import file_stem, offer_tables
from bjp_explorer.jobs import costs, results, tasks
from bjp_explorer.jobs.tasks import Task
from bjp_explorer.network import words
from bjp_explorer.shell import visit
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views.palette import READ_ONLY, Palette, add_band, current, style

REPEATS = 100
# Seconds for a subset on one core, besides its search: a fit, and more of it for each edge.
_EACH_FIT, _EACH_EDGE = 0.006, 5e-4

STABILITY = "Stability: what fewer rows would have shown"
CHECK, CHECKING, COUNTED = "Check stability", "Checking stability", "subsets"
CAPTION = (
    f"Lines: mean over {REPEATS} subsets of each size; bands leave out 5 % of them on either side. "
    f"CS is the largest share of dropped rows up to which a band stays at {HIGH} or above. It "
    f"should not be below {LEAST}, and better above {GOOD} (Epskamp, Borsboom & Fried 2018). "
    "Stability does not show that the network is true: a search can repeat its mistakes."
)
EDGES, NODES, FOUND = "edge strengths", "node strengths", "edges (F1)"
DROPPED_AXIS, AGREEMENT = "rows dropped (%)", "agreement with all rows"
COLUMNS = {
    "dropped": ("dropped", "Share of the rows that are left out, in percent."),
    "rows": ("rows left", ""),
    "edges": ("edge strengths", "Mean correlation with the strengths of all pairs in all rows."),
    "edges_low": ("5 % below", "95 % of the correlations of edge strengths are at least this."),
    "nodes": ("node strengths", "The same for the sums of the strengths of a variable’s edges."),
    "nodes_low": ("5 % below ", "95 % of the correlations of node strengths are at least this."),
    "f1": (FOUND, "F1 of the learned edges against those of all rows; 1 if they are the same."),
    "hamming": ("Hamming", "Pairs that are an edge in only one of both graphs."),
}


@st.fragment
def show(
    loaded: Loaded,
    trace: SearchTrace,
    search: str,
    options: Mapping[str, Any],
    further: list[str],
) -> None:
    """The part of the page; folded, it computes nothing.

    `further`: what files say besides; those made from now on say what was found here, too.
    """
    data = loaded.data
    part = st.expander(STABILITY, key=f"network-stability {data.digest}", on_change="rerun")
    if not part.open:
        return
    with part:
        key = ("stability", data.digest, search, *options.items())
        asked = {"search": search, "options": options, "repeats": REPEATS}
        found: Stability | None = results.on_request(key, partial(_offer, data, trace, asked, key))
        if found is not None:
            visit.note(loaded, ("stability", search, *options.items()), found.describe())
            further[:] = visit.notes(loaded, search, *options.items())
            _show_curve(found)
            files = [("curve.csv", "Curve (CSV)", found.to_frame())]
            offer_tables(files, file_stem(loaded.title, search, "stability"), "network-stability")


def _offer(data: Dataset, trace: SearchTrace, asked: dict[str, Any], key: tuple[Any, ...]) -> None:
    """A button, and what it does."""
    subsets, edges = len(DROPPED) * REPEATS, trace.graph.number_of_edges()

    def begin() -> None:
        cost = subsets * costs.of_search(data, "bjp", asked["search"], {})
        results.begin(key, CHECKING, Task(tasks.checked, data, asked), cost, COUNTED)

    threads = max(1, results.server_pool().size)
    seconds = subsets * (trace.seconds / threads + _EACH_FIT + _EACH_EDGE * edges)
    about = describe_check(seconds)
    results.offer(CHECK, about, begin, "network-stability-begin", ":material/ssid_chart:")


def describe_check(seconds: float) -> str:
    """What the button begins."""
    return (
        f"Drops {100 * DROPPED[0]:g} to {100 * DROPPED[-1]:g} % of the rows {REPEATS} times each, "
        f"learns again, and compares the edges’ strengths. {words.takes(seconds)}"
    )


def _show_curve(curve: Stability) -> None:
    """The coefficients, the chart and the table."""
    st.markdown(curve.describe())
    if not math.isnan(curve.coefficient()):
        st.plotly_chart(
            figure(curve.to_frame(), current()), key="network-stability-chart", config=READ_ONLY
        )
        st.caption(CAPTION)
    frame = curve.to_frame()
    column = st.column_config
    st.dataframe(
        frame[[*COLUMNS]].assign(dropped=100 * frame["dropped"]),
        hide_index=True,
        key="network-stability-table",
        column_config={
            name: column.NumberColumn(
                label,
                help=about or None,
                format={"dropped": "%.0f %%", "rows": "%d", "hamming": "%.1f"}.get(name, "%.2f"),
                pinned=name == "dropped",
            )
            for name, (label, about) in COLUMNS.items()
        },
    )


def figure(frame: pd.DataFrame, palette: Palette) -> go.Figure:
    """The correlations with their bands, and F1, against the share of rows dropped."""
    looks = {
        "edges": (EDGES, palette.ink, "solid", "circle"),
        "nodes": (NODES, palette.quiet, "dash", "square"),
        "f1": (FOUND, palette.muted, "dot", "diamond-open"),
    }
    dropped, drawn = 100 * frame["dropped"], go.Figure()
    for name in ("nodes", "edges"):
        low, high = ([*frame[f"{name}_{end}"]] for end in ("low", "high"))
        add_band(drawn, [*dropped], low, high, looks[name][1])
    for name, (label, colour, dash, symbol) in looks.items():
        drawn.add_scatter(
            x=dropped,
            y=frame[name],
            mode="lines+markers",
            name=label,
            line={"color": colour, "dash": dash, "width": 2},
            marker={"symbol": symbol, "size": 8, "color": colour},
            customdata=frame[["rows", f"{name}_low", f"{name}_high"]],
            hovertemplate=f"{label}: mean %{{y:.2f}}, 90 % of the subsets from "
            "%{customdata[1]:.2f} to %{customdata[2]:.2f}<br>%{customdata[0]:,} rows left"
            "<extra></extra>",
        )
    drawn.add_hline(HIGH, line={"color": palette.primary, "width": 1, "dash": "dash"})
    style(drawn, palette, 360)
    drawn.update_xaxes(title={"text": DROPPED_AXIS}, tickvals=[*range(10, 100, 10)])
    least = min(0.0, float(frame[["edges_low", "nodes_low", "f1_low"]].min().min()))
    drawn.update_yaxes(title={"text": AGREEMENT}, range=[least - 0.03, 1.03], zeroline=False)
    return drawn
