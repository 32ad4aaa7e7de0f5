"""Calibrated probabilities of pairs of known networks, left by `python -m benchmarks calibration`.

A cell counts the pairs of a kind of data and a number of rows whose probability lies in one tenth.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from bjp_explorer.accuracy import words
from bjp_explorer.accuracy.data import FOLDER
from bjp_explorer.accuracy.words import ALL_KINDS, DISTRIBUTIONS
from bjp_explorer.views.palette import Palette, style

# Fewer pairs than this say little of a share.
ENOUGH = 20
COLUMNS = {
    name: st.column_config.NumberColumn(words.COLUMNS[name], format=shape)
    for name, shape in (
        ("pairs", "localized"),
        ("edges", "%.1f %%"),
        ("none", "%.1f %%"),
        ("gap", "%.2f"),
        ("undecided", "%.1f %%"),
    )
}


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
    between = found["pairs"][1:9].sum() / found["pairs"].sum()
    edges, none = found["share"][9], 1 - found["share"][0]
    return {"edges": 100 * edges, "none": 100 * none, "gap": 100 * error(cells)} | {
        "undecided": 100 * between
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


def shortcomings(cells: pd.DataFrame) -> tuple[dict[str, Any], dict[str, float], dict[int, float]]:
    """Where probabilities are least right.

    The cell of many pairs that is furthest off; the ECE of each kind of data, and of each number of
    rows.
    """
    many = cells[cells["pairs"] >= 10 * ENOUGH]
    gap = ((many["edges"] - many["expected"]) / many["pairs"]).abs()
    kinds = {str(kind): error(own) for kind, own in cells.groupby("distribution")}
    sizes = {int(str(rows)): error(own) for rows, own in cells.groupby("rows")}
    furthest = many.iloc[int(gap.argmax())]
    return {name: furthest[name] for name in map(str, many)}, kinds, sizes


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
