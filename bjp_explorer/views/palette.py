"""The colours of both themes, how each score is drawn, and what charts have in common.

Blue is ⊥ and vermilion ⊥̸, here as in the components, and nothing else has these two. Each score has
one hue, marker and line on every page. An effect has the hue of its sign, and a negative one a
dashed line. Amounts are shades of ink; buttons and what is selected
have the theme's primary colour. docs/images/palette.svg shows all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import plotly.graph_objects as go


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one theme (⊥ and ⊥̸ are Okabe and Ito's; a scale for amounts)."""

    ink: str
    paper: str
    grid: str
    blue: str
    vermilion: str
    quiet: str
    muted: str
    primary: str
    scale: tuple[str, ...]
    bjp: str
    ib: str
    mpl: str
    near: str
    positive: str
    negative: str
    unsigned: str

    def score(self, method: str) -> str:
        """The hue of a score; ink for one that has none of its own."""
        return str(getattr(self, method)) if method in LOOKS else self.ink


@dataclass(frozen=True, slots=True)
class Look:
    """What tells a score apart without its colour: plotly's names of a marker and of a line."""

    symbol: str
    dash: str


# A score without an entry has the neutral look, in ink.
OTHER = Look("hexagon", "longdash")
LOOKS = {
    "bjp": Look("circle", "solid"),
    "ib": Look("square", "dash"),
    "mpl": Look("triangle-up", "dot"),
    "near": Look("triangle-down", "dashdot"),
}
LIGHT = Palette(
    ink="#1b2733",
    paper="#ffffff",
    grid="#dde2e7",
    blue="#0072b2",
    vermilion="#d55e00",
    quiet="#7a8591",
    muted="#98a3ad",
    primary="#3d5166",
    scale=("#ccd4db", "#93a0ad", "#566472", "#1b2733"),
    bjp="#7b2fd6",
    ib="#63300f",
    mpl="#6b6220",
    near="#e012c0",
    positive="#006622",
    negative="#b02a9a",
    unsigned="#565f68",
)
DARK = Palette(
    ink="#e6ebf0",
    paper="#12171c",
    grid="#313b45",
    blue="#3b9bdb",
    vermilion="#f0803c",
    quiet="#93a0ad",
    muted="#74808c",
    primary="#c3d2e0",
    scale=("#3a4651", "#6b7885", "#a5b1bd", "#e6ebf0"),
    bjp="#a37bff",
    ib="#b5714d",
    mpl="#f0dc50",
    near="#e62fb4",
    positive="#49f29d",
    negative="#e04aa0",
    unsigned="#afb4b9",
)

# What plotly offers on a figure to be read: no zoom, only a button that saves it, and Streamlit's
# that fills the screen.
READ_ONLY = {
    "displaylogo": False,
    "scrollZoom": False,
    "modeBarButtonsToRemove": ["zoom", "pan", "zoomin", "zoomout", "autoscale", "resetscale"],
    "toImageButtonOptions": {"format": "svg", "filename": "figure"},
}


def current() -> Palette:
    """The colours of the theme that the page is shown in."""
    import streamlit as st

    return DARK if st.context.theme.type == "dark" else LIGHT


def add_band(
    figure: go.Figure,
    x: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    colour: str,
) -> None:
    """A faint band between two lines."""
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    figure.add_scatter(
        x=[*x, *reversed(x)],
        y=[*high, *reversed(low)],
        mode="lines",
        fill="toself",
        fillcolor=f"rgba({red},{green},{blue},0.16)",
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
    )


def style(figure: go.Figure, palette: Palette, height: int) -> None:
    """Give a chart what all charts share."""
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 34, "b": 8, "pad": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": palette.ink, "size": 13},
        dragmode=False,
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": palette.quiet, "activecolor": palette.ink},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "font": {"size": 12}},
        hoverlabel={"font": {"size": 12}},
    )
    # Sizes that are left out, Streamlit takes from the page's letters; a projector magnifies all.
    axes = {
        "gridcolor": palette.grid,
        "automargin": True,
        "fixedrange": True,
        "tickfont": {"size": 12},
        "title": {"font": {"size": 14}, "standoff": 20},
    }
    figure.update_xaxes(axes)
    figure.update_yaxes(axes)
