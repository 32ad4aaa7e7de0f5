"""Calibrated probabilities of pairs of known networks, left by `python -m benchmarks calibration`.

A cell counts the pairs of a kind of data and a number of rows whose probability lies in one tenth.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from bjp_engine.confidence.edges import ABSENT, PRESENT
from bjp_explorer.accuracy.packages import DISTRIBUTIONS, FOLDER
from bjp_explorer.views.palette import Palette, style

# Fewer pairs than this say little of a share.
ENOUGH = 20
COLUMNS = {
    "pairs": st.column_config.NumberColumn(format="localized"),
    "edges": st.column_config.NumberColumn(f"edges among {PRESENT} or more", format="%.1f %%"),
    "none": st.column_config.NumberColumn(f"no edges among {ABSENT} or less", format="%.1f %%"),
    "gap": st.column_config.NumberColumn("off by", format="%.2f"),
    "undecided": st.column_config.NumberColumn(format="%.1f %%"),
}
ALL_KINDS = "all kinds"


@st.cache_resource(show_spinner=False)
def read() -> pd.DataFrame:
    """Every cell: distribution, rows, tenth, pairs, edges, and the sum of the probabilities."""
    cells = pd.read_csv(FOLDER / "calibration.csv")
    return cells.assign(expected=cells["pairs"] * cells.pop("probability"))


def select(cells: pd.DataFrame, kind: str, rows: int) -> pd.DataFrame:
    """The cells of a kind of data and a number of rows; of all where it is "" or 0."""
    kept = (cells["distribution"] == kind) | (not kind)
    return cells[kept & ((cells["rows"] == rows) | (not rows))]


def bins(cells: pd.DataFrame) -> pd.DataFrame:
    """By tenth: pairs, edges, their mean probability, the share of edges and its standard error."""
    found = cells.groupby("tenth")[["pairs", "edges", "expected"]].sum()
    share = found["edges"] / found["pairs"]
    error = np.sqrt(share * (1 - share) / found["pairs"])
    return found.assign(probability=found["expected"] / found["pairs"], share=share, error=error)


def error(cells: pd.DataFrame) -> float:
    """ECE: how far the tenths are from their share of edges, the mean of all pairs."""
    found = bins(cells)
    return float((found["expected"] - found["edges"]).abs().sum() / found["pairs"].sum())


def figures(cells: pd.DataFrame) -> dict[str, float]:
    """Of some cells, in percent; no number where there are no such pairs.

    What share of the pairs in the highest tenth are edges, and of those in the lowest none; the
    ECE; and the share of pairs between.
    """
    found = bins(cells).reindex(range(10))
    return {
        "edges": 100 * found["share"][9],
        "none": 100 * (1 - found["share"][0]),
        "gap": 100 * error(cells),
        "undecided": 100 * found["pairs"][1:9].sum() / found["pairs"].sum(),
    }


def by_kind(cells: pd.DataFrame) -> pd.DataFrame:
    """A line for each kind of data and one for all."""
    parts = {"": cells} | {kind: select(cells, kind, 0) for kind in DISTRIBUTIONS}
    lines = [
        {"data": DISTRIBUTIONS[kind][0] if kind else ALL_KINDS, "pairs": int(own["pairs"].sum())}
        | figures(own)
        for kind, own in parts.items()
        if len(own)
    ]
    return pd.DataFrame(lines)


def finding(cells: pd.DataFrame) -> str:
    """How right calibrated probabilities are."""
    edges, none, gap, undecided = figures(cells).values()
    if math.isnan(edges):
        text = f"**No pair has a calibrated probability of {PRESENT} or more**"
    else:
        text = (
            f"**Of the pairs with a calibrated probability of {PRESENT} or more, {edges:.1f} % are "
            "edges**"
        )
    if not math.isnan(none):
        text += f"; of those with {ABSENT} or less, {none:.1f} % are not"
    return (
        f"{text}. {undecided:.1f} % of all pairs lie between. Over all pairs, probability and "
        f"share of edges differ by {gap:.2f} percentage points on average."
    )


def falls_short(cells: pd.DataFrame) -> str:
    """Where probabilities are least right: one bin, and the worst kind of data and size."""
    many = cells[cells["pairs"] >= 10 * ENOUGH]
    gap = ((many["edges"] - many["expected"]) / many["pairs"]).abs()
    worst = many.iloc[int(gap.argmax())]
    kinds = {str(kind): error(own) for kind, own in cells.groupby("distribution")}
    sizes = {int(str(rows)): error(own) for rows, own in cells.groupby("rows")}
    given, share = (worst[name] / worst["pairs"] for name in ("expected", "edges"))
    kind, rows = max(kinds, key=kinds.__getitem__), max(sizes, key=sizes.__getitem__)
    return (
        f"The widest gap is in {DISTRIBUTIONS[worst['distribution']][0]} with {worst['rows']:,} "
        f"rows: there, {worst['pairs']:,} pairs have a mean probability of {given:.2f}, and "
        f"{100 * share:.0f} % of them are edges. On average, the probabilities are furthest off in "
        f"{DISTRIBUTIONS[kind][0]} ({100 * kinds[kind]:.2f} percentage points) and with "
        f"{rows:,} rows ({100 * sizes[rows]:.2f})."
    )


def diagram(cells: pd.DataFrame, palette: Palette) -> go.Figure:
    """Share of edges against probability; calibrated probabilities lie on the diagonal.

    Trace 0 is the diagonal, trace 1 holds the tenths.
    """
    found = bins(cells)
    found = found[found["pairs"] >= ENOUGH]
    figure = go.Figure()
    figure.add_scatter(
        x=[0, 1],
        y=[0, 1],
        mode="lines",
        name="calibrated",
        line={"color": palette.quiet, "dash": "dot", "width": 1.5},
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=found["probability"],
        y=found["share"],
        mode="markers+lines+text",
        name="pairs in a tenth, with their number",
        text=[f"{pairs:,}" for pairs in found["pairs"]],
        # Beside the line, and never beyond the edges of a narrow chart.
        textposition=["bottom right" if k < 5 else "top left" for k in found.index],
        textfont={"size": 12, "color": palette.ink},
        error_y={"array": 2 * found["error"], "color": palette.bjp, "thickness": 1.5},
        marker={"size": 9, "color": palette.bjp},
        line={"color": palette.bjp, "width": 2},
        cliponaxis=False,
        customdata=found[["pairs", "edges"]],
        hovertemplate="mean probability %{x:.3f}<br>%{customdata[1]:,} of %{customdata[0]:,} pairs "
        "are edges: %{y:.3f}<extra></extra>",
    )
    style(figure, palette, 430)
    ticks = {"range": [-0.02, 1.09], "tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1], "zeroline": False}
    figure.update_xaxes(title={"text": "calibrated probability"}, **ticks)
    figure.update_yaxes(
        title={"text": "share that are edges"}, **(ticks | {"range": [-0.06, 1.05]})
    )
    return figure
