"""Figures of the comparison with other packages: distances, seconds, and the methods in a table."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from bjp_engine.scores import SCORES
from bjp_explorer.accuracy.data import SUBJECT, Measured
from bjp_explorer.accuracy.words import DISTRIBUTIONS
from bjp_explorer.views.palette import LOOKS, READ_ONLY, Palette, style

SETTINGS = READ_ONLY | {"toImageButtonOptions": {"format": "svg", "filename": "accuracy"}}
SUMMARY_COLUMNS = {
    "#": st.column_config.NumberColumn(width=40, pinned=True),
    "method": st.column_config.TextColumn(width=250),
    "wrong per true edge": st.column_config.NumberColumn(format="%.3f"),
    "nearest": st.column_config.NumberColumn("closest", format="%.0f %%"),
    "within 10 %": st.column_config.NumberColumn(format="%.0f %%"),
    "mean F1": st.column_config.NumberColumn(format="%.3f"),
    "median seconds": st.column_config.NumberColumn(format="%.3g"),
}
# Wrong edges per true edge up to which points are drawn where they are.
FAR = 1.6
ROW = 38  # pixels


def number_titles(found: Measured, methods: Sequence[str]) -> list[str]:
    """Titles with the numbers that the table gives them, as plotly writes them."""
    titles = [html.escape(found.title(name), quote=False) for name in methods]
    return [f"{k}. {title}" for k, title in enumerate(titles, start=1)]


def strips(found: Measured, table: pd.DataFrame, palette: Palette) -> go.Figure:
    """Each group's distance as a point, a strip for each method, and its mean.

    Trace 0 holds the groups, trace 1 the means.
    """
    names = list(table.index)
    place = {name: k for k, name in enumerate(names)}
    points = found.common(names)
    # Points of one strip are spread, the same way at each drawing.
    spread = np.random.default_rng(0).uniform(-0.13, 0.13, len(points))
    looks = {name: _look(found, name, palette) for name in names}
    figure = go.Figure()
    figure.add_scatter(
        x=points["share"].clip(upper=FAR),
        y=points["method"].map(place) + 0.18 + spread,
        mode="markers",
        name="a group",
        marker={
            "size": 5,
            "opacity": 0.45,
            "symbol": [looks[name][0] for name in points["method"]],
            "color": [looks[name][1] for name in points["method"]],
        },
        customdata=points.assign(kind=points["distribution"].map(kind))[
            ["network", "kind", "rows", "hamming", "true", "share"]
        ],
        hovertemplate="%{customdata[0]}, %{customdata[1]}, N = %{customdata[2]:,}<br>"
        "%{customdata[3]:.1f} wrong edges, %{customdata[4]} true: %{customdata[5]:.2f}"
        "<extra></extra>",
    )
    figure.add_scatter(
        x=table["share"],
        y=[place[name] + 0.18 for name in names],
        mode="markers",
        name="mean of the groups",
        marker={
            "symbol": "line-ns",
            "size": 12,
            "line": {"width": 4, "color": palette.ink},
        },
        customdata=number_titles(found, names),
        hovertemplate="%{customdata}<br>%{x:.3f}<extra></extra>",
    )
    # A name stands above its strip, so that a narrow screen has room for both.
    for name, text in zip(names, number_titles(found, names), strict=True):
        bold = f"<b>{text}</b>" if name == SUBJECT else text
        figure.add_annotation(
            x=0,
            y=place[name] - 0.27,
            text=f"{bold} · {table.loc[name, 'share']:.2f}",
            showarrow=False,
            xanchor="left",
            font={"color": palette.ink},
        )
    style(figure, palette, ROW * len(names) + 90)
    figure.update_xaxes(
        title={"text": "wrong edges per true edge"}, range=[-0.03, FAR + 0.05], zeroline=False
    )
    bounds = [len(names) - 0.4, -0.6]
    figure.update_yaxes(range=bounds, showticklabels=False, showgrid=False, zeroline=False)
    return figure


def times(found: Measured, table: pd.DataFrame, palette: Palette) -> go.Figure:
    """Seconds of a learn against mean distance; each method by its number in the table.

    A trace for each score of the engine, and one for the other packages.
    """
    names, texts = list(table.index), number_titles(found, list(table.index))
    figure = go.Figure()
    for score in dict.fromkeys(found.score(name) for name in names):
        own = [k for k, name in enumerate(names) if found.score(name) == score]
        symbol, colour = _look(found, names[own[0]], palette)
        figure.add_scatter(
            # The clock of some packages has no more than milliseconds.
            x=[max(table["seconds"].iloc[k], 0.001) for k in own],
            y=[table["share"].iloc[k] for k in own],
            mode="markers+text",
            name=f"{SCORES[score].title}, this engine" if score else "other packages",
            text=[str(k + 1) for k in own],
            customdata=[texts[k] for k in own],
            textposition="middle right",
            textfont={"color": palette.ink, "size": 13},
            marker={"symbol": symbol, "size": 12, "color": colour},
            hovertemplate="%{customdata}<br>%{x:.3g} s, %{y:.3f}<extra></extra>",
        )
    style(figure, palette, 420)
    figure.update_xaxes(type="log", dtick=1, title={"text": "median seconds per search"})
    figure.update_yaxes(title={"text": "wrong edges per true edge"}, zeroline=False)
    return figure


def _look(found: Measured, method: str, palette: Palette) -> tuple[str, str]:
    """Marker and colour: those of the score, or an open circle for another package."""
    score = found.score(method)
    return (LOOKS[score].symbol if score else "circle-open", palette.score(score))


def kind(distribution: str) -> str:
    """What a distribution is called."""
    return DISTRIBUTIONS[distribution][0]


def summary(found: Measured, table: pd.DataFrame) -> pd.DataFrame:
    """The standings as a table to read."""
    names = list(table.index)
    duels = ["–".join(map(str, found.against(name))) if name != SUBJECT else "" for name in names]
    return pd.DataFrame(
        {
            "#": range(1, len(names) + 1),
            "method": [found.title(name) for name in names],
            "wrong per true edge": table["share"].to_numpy(),
            "nearest": (100 * table["lowest"] / table["groups"]).to_numpy(),
            "within 10 %": (100 * table["tenth"] / table["groups"]).to_numpy(),
            "mean F1": table["f1"].to_numpy(),
            "median seconds": table["seconds"].to_numpy(),
            "groups": table["groups"].to_numpy(),
            "wins–ties–losses of auto": duels,
            "version": found.methods.loc[names, "version"].to_numpy(),
        }
    )
