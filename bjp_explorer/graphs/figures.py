"""Figures of the graph tables: score against score, and the posterior of each edge."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations
from math import comb
from typing import Any

import networkx as nx
import numpy as np
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import ArrayLike, NDArray

from bjp_engine import Dataset
from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError
from bjp_engine.scores import SCORES
from bjp_engine.search import GraphTable
from bjp_explorer.graphs.gallery import Special, at_number
from bjp_explorer.shell.choices import Field, Number, OneOf, choice_of_score
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, html_text, tell_apart
from bjp_explorer.views.palette import READ_ONLY, Palette, style
from bjp_explorer.views.payloads import edge_pairs, pair_name

EDGES = "edges"
AXES = (*SCORES, EDGES)
# The best graphs are points up to here.
MOST_POINTS = 2000
CONFIG = READ_ONLY | {"toImageButtonOptions": {"format": "svg", "filename": "graphs"}}


def axis_title(axis: str) -> str:
    """What an axis of the scatter shows."""
    return "number of edges" if axis == EDGES else f"ln {SCORES[axis].title}"


def scatter(
    tables: Mapping[str, GraphTable],
    axes: tuple[str, str],
    method: str,
    specials: Sequence[Special],
    chosen: int,
    palette: Palette,
) -> go.Figure:
    """The best graphs by a score as points, one score against another.

    A point has its graph's number as `customdata`.
    """
    first = next(iter(tables.values()))
    edges = np.bitwise_count(np.arange(len(first.scores))).astype(np.int64)
    x, y = (edges if axis == EDGES else tables[axis].scores for axis in axes)
    text = " · ".join(
        f"{axis_title(axis)} %{{{letter}:.4f}}"
        for letter, axis in zip("yx", reversed(axes), strict=True)
        if axis != EDGES
    )
    figure = go.Figure()

    def add(numbers: ArrayLike, name: str, marker: Mapping[str, Any], *, named: bool) -> None:
        numbers = np.atleast_1d(numbers)
        figure.add_scatter(
            x=x[numbers],
            y=y[numbers],
            mode="markers",
            name=name,
            marker=marker,
            unselected_marker_opacity=marker["opacity"],
            customdata=numbers,
            text=[count(int(k), "edge") for k in edges[numbers]],
            hovertemplate=" · ".join([text, "%{text}"]).removeprefix(" · ") + "<extra></extra>",
            showlegend=named,
        )

    best = np.sort(tables[method].ranking[:MOST_POINTS])
    scale = [list(pair) for pair in zip(np.linspace(0, 1, 4), palette.scale, strict=True)]
    letters = {"size": 12}
    title = {"text": "edges", "font": letters}
    bar = {"title": title, "tickfont": letters, "thickness": 8, "len": 0.6, "outlinewidth": 0}
    shades = {"color": edges[best], "cmin": 0, "cmax": edges.max(), "colorscale": scale}
    add(best, "", {"size": 7, "opacity": 0.7, "colorbar": bar} | shades, named=False)
    for number, group in at_number(specials, first).items():
        # A score's hue where only it found the graph.
        hue = palette.score(group[0].method if len(group) == 1 else "")
        line = {"color": palette.paper, "width": 1.5}
        look = {"symbol": group[0].symbol, "size": 13, "color": hue, "line": line, "opacity": 1}
        add(number, " = ".join(one.name for one in group), look, named=True)
    ring = {"symbol": "circle-open", "size": 20, "color": palette.ink, "line": {"width": 2.5}}
    add(chosen, "the graph shown", {"opacity": 1} | ring, named=True)
    style(figure, palette, 470)
    figure.update_layout(clickmode="event+select")
    for update, axis in ((figure.update_xaxes, axes[0]), (figure.update_yaxes, axes[1])):
        update(title_text=axis_title(axis), fixedrange=False, zeroline=False)
    return figure


def edge_matrix(
    probabilities: NDArray[np.float64], data: Dataset, method: str, palette: Palette
) -> go.Figure:
    """The posterior probability of each edge as a matrix with numbers, in the score's hue."""
    full = palette.score(method)
    names, places = [html_text(name, 18) for name in data.names], list(range(data.n))
    values = np.array(probabilities, dtype=float)
    np.fill_diagonal(values, np.nan)
    cells = list(permutations(places, 2))
    written = [["" if i == j else share(values[i, j]) for j in places] for i in places]
    figure = go.Figure(
        go.Heatmap(
            z=values,
            x=places,
            y=places,
            zmin=0.0,
            zmax=1.0,
            text=written,
            colorscale=[palette.paper, full],
            showscale=False,
            xgap=2,
            ygap=2,
            customdata=[[f"{names[i]} – {names[j]}" for j in places] for i in places],
            hovertemplate="%{customdata}: %{text} %<extra></extra>",
            hoverongaps=False,
        )
    )
    figure.add_scatter(
        x=[j for _, j in cells],
        y=[i for i, _ in cells],
        mode="text",
        text=[written[i][j] for i, j in cells],
        textfont={"color": [_ink_on(values[cell], palette.paper, full) for cell in cells]},
        hoverinfo="skip",
        showlegend=False,
    )
    style(figure, palette, 400)
    ticks = {"tickvals": places, "ticktext": names, "showgrid": False, "zeroline": False}
    # Plotly leaves out a slanted label that goes beyond the figure, unless told otherwise.
    figure.update_xaxes(tickangle=35, ticklabeloverflow="allow", **ticks)
    figure.update_layout(margin_r=40)
    figure.update_yaxes(autorange="reversed", **ticks)
    return figure


def edge_bars(
    probabilities: NDArray[np.float64],
    data: Dataset,
    climb: nx.Graph[Any],
    method: str,
    palette: Palette,
) -> go.Figure:
    """The edges by descending posterior probability."""
    pairs = sorted(combinations(range(data.n), 2), key=lambda p: -probabilities[p])
    mine = edge_pairs(climb, data)
    figure = go.Figure()
    for inside, name in ((True, "in the hill climb’s graph"), (False, "not in it")):
        shown_here = [k for k, pair in enumerate(pairs) if (pair in mine) == inside]
        figure.add_bar(
            x=[probabilities[pairs[k]] for k in shown_here],
            y=shown_here,
            orientation="h",
            name=name,
            text=[f"{share(probabilities[pairs[k]])} %" for k in shown_here],
            textposition="outside",
            cliponaxis=False,
            marker={"color": palette.score(method)}
            if inside
            else {
                "color": palette.paper,
                "line": {"color": palette.muted, "width": 1},
                "pattern": {"shape": "/", "fgcolor": palette.muted, "size": 6},
            },
            hovertemplate="%{text}<extra></extra>",
        )
    style(figure, palette, max(200, 60 + 23 * len(pairs)))
    figure.update_layout(
        legend={"orientation": "h", "yref": "container", "yanchor": "bottom", "y": 0.0, "x": 0},
        showlegend=True,
        margin_b=70,
        bargap=0.25,
    )
    figure.update_xaxes(
        range=[0, 1.45],
        tickvals=[0, 0.5, 1],
        ticktext=["0 %", "50 %", "100 %"],
        tickangle=0,
        zeroline=False,
    )
    figure.update_yaxes(
        autorange="reversed",
        tickvals=list(range(len(pairs))),
        ticktext=[html.escape(pair_name(pair, data, 18), quote=False) for pair in pairs],
        showgrid=False,
    )
    return figure


def share(value: float) -> str:
    """A probability as a whole percentage, short enough for a small cell on a phone."""
    if 0 < value < 0.005:
        return "<1"
    if 0.995 <= value < 1:
        return ">99"
    return f"{100 * value:.0f}"


def _ink_on(value: float, paper: str, full: str) -> str:
    """Black or white, whichever reads better on a cell of the matrix."""

    def channel(k: int) -> float:
        empty, most = (int(c[k : k + 2], 16) for c in (paper, full))
        level = (empty + value * (most - empty)) / 255
        return level / 12.92 if level <= 0.04045 else float(((level + 0.055) / 1.055) ** 2.4)

    # The relative luminance of WCAG 2; above this one, black has the better contrast.
    luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    return "#000000" if luminance > 0.179 else "#ffffff"


# --- Choices --------------------------------------------------------------------------------------

# The engine scores all graphs on seven variables too, but two million graphs take too long.
MOST_VARIABLES = 6
SCORE = choice_of_score("graphs-score")
ACROSS, UP = (
    OneOf(name, key, default, {axis: axis_title(axis) for axis in AXES})
    for name, key, default in (("across", "graphs-x", AXES[2]), ("up", "graphs-y", AXES[0]))
)


def rank_choice(digest: str, method: str, graphs: int) -> Number:
    """The rank of the graph that is shown, on some variables by a score."""
    return Number("rank", f"graphs-place-{digest[:12]}-{method}", 1, 1, graphs)


def fields(loaded: Loaded, usual: Sequence[Name] | None = None) -> Iterator[Field]:
    """The page's choices; `usual` are the variables at first, where there are too many for all."""
    data = loaded.data
    names = list(data.names)
    if data.n > MOST_VARIABLES:
        yield Variables.of(loaded, usual)
        names = list(st.session_state.get(Variables.of(loaded).key) or usual or ())
    yield SCORE
    yield ACROSS
    yield UP
    if 1 < len(names) <= MOST_VARIABLES:
        part = data if len(names) == data.n else data.select(sorted(names, key=data.index))
        yield rank_choice(part.digest, SCORE.get(), 2 ** comb(len(names), 2))


@dataclass(frozen=True)
class Variables(Field):
    """Some of the variables; in the URL their columns, "0.4.17", and nothing for those at first."""

    names: Sequence[Name] = field(kw_only=True)
    usual: Sequence[Name] | None = field(kw_only=True)

    @classmethod
    def of(cls, loaded: Loaded, usual: Sequence[Name] | None = None) -> Variables:
        """The choice for one dataset."""
        key = f"graphs-variables-{loaded.data.digest[:12]}"
        return cls("variables", key, names=loaded.data.names, usual=usual)

    def get(self) -> Sequence[Name] | None:
        chosen: Sequence[Name] | None = super().get()
        return None if chosen is None or set(chosen) == set(self.usual or ()) else chosen

    def put(self, value: Sequence[Name] | None) -> None:
        if value is None:
            st.session_state.pop(self.key, None)
        else:
            super().put(value)

    def read(self, text: str) -> list[Name]:
        parts = text.split(".")
        if all(part.isascii() and part.isdecimal() and len(part) < 7 for part in parts):
            places = sorted({int(part) for part in parts})
            if len(places) <= MOST_VARIABLES and places[-1] < len(self.names):
                return [self.names[i] for i in places]
        raise OptionError(
            f"must be at most {MOST_VARIABLES} columns from 0 to {len(self.names) - 1}, "
            "such as 0.1.2"
        )

    def write(self, value: Any) -> str:
        return ".".join(str(i) for i, name in enumerate(self.names) if name in set(value))

    def menu(self, place: Any) -> list[Name]:
        """A list that unfolds."""
        st.session_state.setdefault(self.key, list(self.usual or ()))
        labels = dict(zip(self.names, tell_apart(self.names), strict=True))
        chosen: list[Name] = place.multiselect(
            f"At most {MOST_VARIABLES} of the {len(self.names)} variables",
            self.names,
            format_func=labels.__getitem__,
            max_selections=MOST_VARIABLES,
            select_all=False,
            key=self.key,
            persist_state="session",
        )
        return chosen
