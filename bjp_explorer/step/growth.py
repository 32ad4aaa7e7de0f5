"""The posterior of a test as rows are added: a slider that thins the data, and the curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from bjp_engine import Dataset
from bjp_engine.dataset import Name
from bjp_engine.growth import GrowthTrace, grid
from bjp_explorer.shell import prediction
from bjp_explorer.shell.text import (
    html_text,
    probability,
)
from bjp_explorer.views import palette

# More curves than these can't be told apart.
MOST_SETS = 5
DASHES = ("dot", "dash", "dashdot", "longdash")


def slider(data: Dataset, key: str) -> tuple[int, int]:
    """How many rows to look at, in which order; one control for all tests on a page."""
    # Other data have other numbers of rows.
    at, turn = f"{key}-rows-{data.rows}", f"{key}-shuffle"
    sizes = grid(data.rows).tolist()
    line = st.container(horizontal=True, vertical_alignment="bottom")
    rows = line.select_slider(
        "Rows",
        sizes,
        data.rows,
        format_func=lambda size: f"{size:,}",
        key=at,
        persist_state="session",
        help="The first rows of a random order. Everything in this box uses these rows.",
    )
    seed = order(key)
    line.button(
        "Shuffle",
        icon=":material/shuffle:",
        key=f"{turn}-button",
        on_click=lambda: st.session_state.update({turn: seed + 1}),
        help="Uses another random order of the rows.",
    )
    return int(rows), int(seed)


def order(key: str) -> int:
    """The seed of the present random order of the rows."""
    return int(st.session_state.setdefault(f"{key}-shuffle", 0))


def ask(trace: GrowthTrace, of: str, key: str) -> bool:
    """Ask whether the posterior rises or falls from a tenth of the rows on; then compare.

    True while the question is open, so that nothing may give its answer.
    """
    few = int(np.searchsorted(trace.sizes, trace.sizes[-1] / 10))
    curve = trace.log_independent[-1][few:]
    if trace.sizes[few] < 2 or curve[0] == curve[-1]:
        return False  # no rows to add, or no change to predict
    key, about = f"{key}-growth", (of, trace.x, trace.y, trace.sets[-1], trace.seed)
    if prediction.is_open(key, about):
        question = _grows(int(trace.sizes[few]), int(trace.sizes[-1]))
        prediction.ask(question, {"rise": "It rises", "fall": "It falls"}, key, about)
        return True
    rises = bool(curve[-1] > curve[0])
    text = grown(trace.sizes[few:].tolist(), curve.tolist())
    prediction.compare({"rise": rises, "fall": not rises}, text, key, about)
    return False


def grow_sets(given: Sequence[Name]) -> tuple[tuple[Name, ...], ...]:
    """Growing conditioning sets: none, then the members of a set one by one or several at a time.

    At most `MOST_SETS`, from the empty set to all.
    """
    spread = np.linspace(0, len(given), min(len(given) + 1, MOST_SETS))
    return tuple(tuple(given[: round(float(size))]) for size in spread)


def show(trace: GrowthTrace, rows: int, dependent: bool, key: str) -> None:
    """The curves, with the number of rows looked at marked."""
    st.plotly_chart(figure(trace, rows, dependent), key=f"{key}-growth", config=palette.READ_ONLY)
    if len(trace.sets) > 1:
        st.caption(
            "The same rows, divided among the configurations of ever more variables. The more "
            "variables are given, the more rows a test needs to leave ½."
        )


def figure(trace: GrowthTrace, rows: int, dependent: bool) -> go.Figure:
    """Pr(⊥ | D) against the number of rows, a line for each conditioning set."""
    colours = palette.current()
    mine = colours.vermilion if dependent else colours.blue
    quiet, at = colours.quiet, max(rows, 1)
    here = float(np.exp(trace.log_independent[-1, int(np.searchsorted(trace.sizes, rows))]))
    mark = {
        "x": [at],
        "y": [here],
        "mode": "markers",
        "marker": {"color": mine, "size": 11, "symbol": "diamond"},
        "showlegend": False,
        "hoverinfo": "skip",
    }
    half = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 0.5, "y1": 0.5}
    these = {"type": "line", "yref": "paper", "x0": at, "x1": at, "y0": 0, "y1": 1}
    layout = {
        "dragmode": False,
        "height": 320,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "legend": {"orientation": "h", "y": -0.28, "yanchor": "top", "x": 0},
        "hovermode": "x unified",
        "xaxis": {"type": "log", "title": {"text": "rows"}, "showgrid": False, "dtick": 1},
        "yaxis": {"range": [-0.04, 1.04], "title": {"text": "Pr(⊥ | D)"}, "tickformat": ".1f"},
        "shapes": [
            {**half, "line": {"color": quiet, "width": 1, "dash": "dot"}},
            {**these, "line": {"color": mine, "width": 1}},
        ],
    }
    curves = [_curve(trace, m, mine, quiet) for m in range(len(trace.sets))]
    # In one go: plotly checks what it is given at each change, which takes longer than the test.
    return go.Figure([*curves, mark], layout)


def _curve(trace: GrowthTrace, m: int, mine: str, quiet: str) -> dict[str, Any]:
    """The line of one conditioning set; the last is the test's."""
    # A log scale has no 0, and a single row leaves the prior as it is.
    kept, last = trace.sizes > 0, m == len(trace.sets) - 1
    return {
        "x": trace.sizes[kept].tolist(),
        "y": np.exp(trace.log_independent[m][kept]).tolist(),
        "name": _name(trace, m),
        "mode": "lines",
        "line": {
            "color": mine if last else quiet,
            "dash": "solid" if last else DASHES[m % len(DASHES)],
            "width": 3 if last else 1.8,
        },
        "hovertemplate": "%{y:.4f}<extra>" + f"{len(trace.sets[m])} given</extra>",
    }


def _name(trace: GrowthTrace, m: int) -> str:
    """A set by what it has more than the one before."""
    if not m:
        return "∅ given"
    more = [name for name in trace.sets[m] if name not in trace.sets[m - 1]]
    names = ", ".join(html_text(name, 18) for name in more[:2])
    return f"+ {names}" + (f" and {len(more) - 2} more" if len(more) > 2 else "")


def _grows(few: int, rows: int) -> str:
    """What is asked before the curve of a posterior is shown."""
    return f"From {few:,} to all {rows:,} rows: does Pr(⊥ | D) rise or fall?"


def grown(sizes: list[int], curve: list[float]) -> str:
    """How a posterior went over some numbers of rows, given as logs, and where it turned."""
    way = "rises" if curve[-1] > curve[0] else "falls"
    text = (
        f"It {way} from {probability(curve[0])} with {sizes[0]:,} rows to "
        f"{probability(curve[-1])} with all {sizes[-1]:,}."
    )
    # The extreme that is no end of the curve by what a plot shows.
    for extreme, name in ((max(curve), "highest"), (min(curve), "lowest")):
        inner = min(abs(math.exp(extreme) - math.exp(end)) for end in (curve[0], curve[-1]))
        if inner > 0.01:
            at = sizes[curve.index(extreme)]
            text += f" In between it is {name} with {at:,} rows, {probability(extreme)}."
    return text
