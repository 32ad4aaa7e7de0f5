"""The searches beside the best that anyone could do, as `python -m benchmarks limit` left it."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from bjp_explorer.accuracy.packages import FOLDER, PAPER, SUBJECT
from bjp_explorer.shell.text import number
from bjp_explorer.views.palette import LOOKS, Palette, style

LIMIT = "limit"
TITLES = {LIMIT: "the limit", SUBJECT: "auto", PAPER: "the paper’s search"}


@dataclass(frozen=True, eq=False)
class Limit:
    """What was drawn, and what came of it."""

    variables: int
    networks: int
    # The probability of an edge.
    density: float
    # Wrong edges per true edge: a row for each number of rows, a column for each method.
    wrong: pd.DataFrame


@st.cache_resource(show_spinner=False)
def read() -> Limit:
    """The file, read once a server."""
    found = json.loads((FOLDER / "limit.json").read_text(encoding="utf-8"))
    wrong = pd.DataFrame.from_dict(found["wrong per true edge"], orient="index")
    wrong.index = wrong.index.astype(int).rename("rows")
    return Limit(found["variables"], found["networks"], found["edge probability"], wrong)


def finding(found: Limit) -> str:
    """How near the searches come to the limit where the limit is not yet nothing."""
    wrong = found.wrong
    some = wrong[wrong["limit"] >= 0.01]
    near = (some if len(some) else wrong).iloc[-1]
    last = wrong.iloc[-1]
    return (
        f"**With {near.name:,} rows, auto makes {number(near[SUBJECT], 2)} wrong edges per true "
        f"edge; no method can make fewer than {number(near['limit'], 2)} on average.** The paper’s "
        f"search makes {number(near[PAPER], 2)}. With {last.name:,} rows auto makes "
        f"{number(last[SUBJECT], 3)}, the paper’s search {number(last[PAPER], 3)}, and the limit "
        f"is {number(last['limit'], 3)}."
    )


def describe(found: Limit) -> str:
    """What the limit is."""
    graphs = 2 ** (found.variables * (found.variables - 1) // 2)
    return (
        "The limit knows how the data were made, all but the graph. It weighs each of the "
        f"{graphs:,} graphs by its exact likelihood and keeps the edges of probability above ½. "
        f"The data: {found.networks:,} networks of {found.variables} two-state variables, where "
        f"each pair is an edge with probability {found.density:g}."
    )


def table(found: Limit) -> pd.DataFrame:
    """The numbers of the chart."""
    shown = found.wrong.rename(columns=TITLES).map("{:.3f}".format).reset_index()
    return shown.assign(rows=shown["rows"].map("{:,}".format))


def chart(found: Limit, palette: Palette) -> go.Figure:
    """Wrong edges per true edge against rows, a trace for each method."""
    figure = go.Figure()
    bjp = LOOKS["bjp"]
    looks = {
        SUBJECT: (palette.bjp, bjp.symbol, bjp.dash),
        PAPER: (palette.bjp, f"{bjp.symbol}-open", "dash"),
        LIMIT: (palette.ink, "line-ew-open", "dot"),
    }
    for name, wrong in found.wrong.items():
        colour, symbol, dash = looks[str(name)]
        figure.add_scatter(
            x=list(wrong.index),
            y=list(wrong),
            name=TITLES[str(name)],
            mode="lines+markers",
            marker={"size": 10, "symbol": symbol, "color": colour, "line": {"width": 2}},
            line={"color": colour, "dash": dash, "width": 2.4},
            hovertemplate="%{x:,} rows: %{y:.3f}<extra></extra>",
        )
    style(figure, palette, 400)
    rows = list(found.wrong.index)
    figure.update_xaxes(
        type="log", tickvals=rows, ticktext=[f"{n:,}" for n in rows], title={"text": "rows"}
    )
    figure.update_yaxes(
        title={"text": "wrong edges per true edge"}, rangemode="tozero", zeroline=False
    )
    return figure
