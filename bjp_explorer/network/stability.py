"""Stability: what remains of the network with fewer rows, and which edges differ in strength."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from bjp_engine import Dataset
from bjp_engine.confidence import Stability
from bjp_engine.confidence.stability import DROPPED, GOOD, HIGH, LEAST
from bjp_engine.search import SearchTrace
from bjp_explorer.downloads.button import file_stem, offer_tables
from bjp_explorer.jobs import costs, results, tasks
from bjp_explorer.jobs.tasks import Checked, Task
from bjp_explorer.network import pairs, words
from bjp_explorer.shell import visit
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, html_text, number, plain
from bjp_explorer.views.palette import READ_ONLY, Palette, add_band, current, style

REPEATS, RESAMPLES = 100, 200
# Seconds for a subset on one core, besides its search: a fit, and more of it for each edge.
_EACH_FIT, _EACH_EDGE = 0.006, 5e-4
# Edges that the matrix has room for.
_MOST_EDGES = 40

STABILITY = "Stability: fewer rows, and differences between edges"
CHECK, CHECKING, COUNTED = "Check stability", "Checking stability", "subsets and resamples"
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
DIFFERENCES = "Which edges differ in strength?"
TOO_FEW = "The graph has fewer than two edges, so there are no differences."
PLACE, EDGE, STRENGTH = "#", "edge", "strength"
STRENGTH_HELP = (
    "Absolute log odds ratio given all other variables (natural log); for more than two states "
    "the root mean square of all of them."
)
STRONGER, WEAKER = "stronger than", "weaker than"
COUNT_HELP = "Number of edges from which it differs: the interval excludes 0."
OF_DIFFERENCES = (
    f"95 % bootstrap intervals of the difference of both strengths, from {RESAMPLES} resamples of "
    "the rows on the learned graph. They are not corrected for their number: of pairs of "
    "equally strong edges, about 1 in 20 differs by chance."
)


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
        asked = {"search": search, "options": options, "repeats": REPEATS, "resamples": RESAMPLES}
        found: Checked | None = results.on_request(key, partial(_offer, data, trace, asked, key))
        if found is not None:
            visit.note(loaded, ("stability", search, *options.items()), found.curve.describe())
            further[:] = visit.notes(loaded, search, *options.items())
            _show_curve(found.curve)
            _show_differences(found.differences)
            files = [
                ("curve.csv", "Curve (CSV)", found.curve.to_frame()),
                ("differences.csv", "Differences between edges (CSV)", found.differences),
            ]
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


def _show_differences(differences: pd.DataFrame) -> None:
    """Every edge by falling strength, and which ones differ."""
    st.markdown(f"**{DIFFERENCES}**")
    if differences.empty:
        st.markdown(TOO_FEW)
        return
    edges, gaps = matrix_of(differences)
    st.markdown(describe_differences(differences))
    column = st.column_config
    st.dataframe(
        table(edges, gaps),
        hide_index=True,
        key="network-differences-table",
        height=min(36 * len(edges) + 38, 420),
        column_config={
            "place": column.NumberColumn(PLACE, width=40, pinned=True),
            "edge": column.TextColumn(EDGE, width=230),
            "strength": column.NumberColumn(STRENGTH, format="%.2f", help=STRENGTH_HELP),
            "stronger": column.NumberColumn(STRONGER, help=COUNT_HELP),
            "weaker": column.NumberColumn(WEAKER, help=COUNT_HELP),
        },
    )
    st.plotly_chart(
        difference_figure(edges, gaps, current()), key="network-differences-chart", config=READ_ONLY
    )
    st.caption(f"{describe_matrix(len(edges))} {OF_DIFFERENCES}")


def describe_differences(differences: pd.DataFrame) -> str:
    """How many pairs of edges differ. Markdown."""
    differing = int(differences["differ"].sum())
    return (
        f"**{differing:,} of {count(len(differences), 'pair')} of edges differ** in strength: the "
        "95 % interval of their difference excludes 0."
    )


def describe_matrix(edges: int) -> str:
    """What the matrix shows."""
    some = f" The {_MOST_EDGES} strongest edges are drawn." if edges > _MOST_EDGES else ""
    return (
        "Strong cells: the two edges differ. Faint cells: the data do not show that they do. The "
        f"numbers are those of the table.{some}"
    )


def matrix_of(differences: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    """The edges by falling strength, and difference, low, high of each pair, shape (E, E, 3)."""
    last = differences.iloc[[-1]]
    edges = pd.concat(
        [
            part[[f"x{k}", f"y{k}", f"strength{k}"]].set_axis(["x", "y", "strength"], axis=1)
            for k, part in ((1, differences.drop_duplicates(["x1", "y1"])), (2, last))
        ],
        ignore_index=True,
    )
    gaps = np.full((len(edges), len(edges), 3), math.nan)
    first, second = np.triu_indices(len(edges), 1)
    gaps[first, second] = differences[["difference", "low", "high"]].to_numpy()
    gaps[second, first] = -differences[["difference", "high", "low"]].to_numpy()
    return edges, gaps


def table(edges: pd.DataFrame, gaps: np.ndarray[Any, Any]) -> pd.DataFrame:
    """A row for each edge.

    Columns place, edge, strength, stronger and weaker: from how many edges it differs.
    """
    names = zip(edges["x"], edges["y"], strict=True)
    return pd.DataFrame(
        {
            "place": np.arange(1, len(edges) + 1),
            "edge": [pairs.cell(" – ".join(plain(name, 28) for name in each)) for each in names],
            "strength": edges["strength"],
            "stronger": (gaps[:, :, 1] > 0).sum(axis=1),
            "weaker": (gaps[:, :, 2] < 0).sum(axis=1),
        }
    )


def difference_figure(
    edges: pd.DataFrame, gaps: np.ndarray[Any, Any], palette: Palette
) -> go.Figure:
    """The strongest edges as a matrix, dark where two of them differ."""
    most = min(len(edges), _MOST_EDGES)
    ends = zip(edges["x"], edges["y"], strict=True)
    names = [f"{k}. {html_text(x)} – {html_text(y)}" for k, (x, y) in enumerate(ends, start=1)]
    places, gaps = [*range(1, most + 1)], gaps[:most, :most]
    differ = (gaps[:, :, 1] > 0) | (gaps[:, :, 2] < 0)
    texts = [
        [
            f"{names[i]}<br>{names[j]}<br>difference {number(gaps[i, j, 0], 2)} "
            f"[{number(gaps[i, j, 1], 2)}, {number(gaps[i, j, 2], 2)}]"
            for j in range(most)
        ]
        for i in range(most)
    ]
    drawn = go.Figure(
        go.Heatmap(
            z=np.where(np.eye(most, dtype=np.bool_), math.nan, differ.astype(float)),
            x=places,
            y=places,
            zmin=0,
            zmax=1,
            colorscale=[palette.scale[0], palette.scale[2]],
            showscale=False,
            xgap=1,
            ygap=1,
            customdata=texts,
            hovertemplate="%{customdata}<extra></extra>",
            hoverongaps=False,
        )
    )
    style(drawn, palette, 420)
    ticks = {"showgrid": False, "zeroline": False, "constrain": "domain"}
    step = max(1, math.ceil(most / 20))
    drawn.update_xaxes(tickvals=places[::step], tickangle=0, **ticks)
    drawn.update_yaxes(tickvals=places[::step], autorange="reversed", scaleanchor="x", **ticks)
    return drawn
