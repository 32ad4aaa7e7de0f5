"""The colours of both themes, and what charts have in common."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go
import streamlit as st


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one theme (Okabe–Ito, as the components use them; a scale for amounts)."""

    ink: str
    paper: str
    grid: str
    blue: str
    vermilion: str
    quiet: str
    muted: str
    scale: tuple[str, ...]


LIGHT = Palette(
    ink="#1b2733",
    paper="#ffffff",
    grid="#dde2e7",
    blue="#0072b2",
    vermilion="#d55e00",
    quiet="#7a8591",
    muted="#98a3ad",
    scale=("#b9dcf2", "#56b4e9", "#0072b2", "#00344f"),
)
DARK = Palette(
    ink="#e6ebf0",
    paper="#12171c",
    grid="#313b45",
    blue="#3b9bdb",
    vermilion="#f0803c",
    quiet="#93a0ad",
    muted="#74808c",
    scale=("#1d4a66", "#2f86bd", "#7cc4ee", "#e3f3fd"),
)

# What plotly offers on a figure to be read: no zoom, only a button that saves it.
READ_ONLY = {
    "displaylogo": False,
    "scrollZoom": False,
    "modeBarButtons": [["toImage"]],
    "toImageButtonOptions": {"format": "svg", "filename": "method"},
}


def current() -> Palette:
    """The colours of the theme that the page is shown in."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def style(figure: go.Figure, palette: Palette, height: int) -> None:
    """Give a chart what all charts share."""
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 34, "b": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": palette.ink, "size": 13},
        dragmode=False,
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0},
    )
    figure.update_xaxes(gridcolor=palette.grid, automargin=True, fixedrange=True)
    figure.update_yaxes(gridcolor=palette.grid, automargin=True, fixedrange=True)
