"""The figures of the page about the method: stars tested from both ends, and network sizes.

Every mark is a field of an engine trace.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from bjp_explorer.method.data import Sizes, StarPoint
from bjp_explorer.views import palette


def star_rows_figure(points: Sequence[StarPoint], rows: int) -> go.Figure:
    """Slices of the hub's test and the rows left for each, against the hub's degree."""
    colours = palette.current()
    x = [p.leaves for p in points]
    figure = go.Figure()
    lines: list[tuple[str, list[float], str, str]] = [
        ("slices, K", [p.configurations for p in points], colours.quiet, "dot"),
        ("slices with a row", [p.occurring for p in points], colours.quiet, "solid"),
        ("rows per slice", [rows / p.occurring for p in points], colours.ink, "solid"),
    ]
    for name, y, colour, dash in lines:
        figure.add_scatter(
            x=x,
            y=y,
            name=name,
            mode="lines+markers",
            line={"color": colour, "dash": dash, "width": 2.4},
            hovertemplate="%{y:.4~g}<extra>" + name + "</extra>",
        )
    figure.update_yaxes(type="log", dtick=1, title=None)
    return _finished(figure, "leaves of the hub", 330)


def star_posterior_figure(points: Sequence[StarPoint]) -> go.Figure:
    """The posterior of two true assertions, from the small end and from the hub."""
    colours = palette.current()
    figure = go.Figure()
    figure.add_hline(y=0.5, line={"color": colours.quiet, "width": 1, "dash": "dot"})
    lines = [
        ("edge, leaf's end", "leaf_dependent", colours.vermilion, "solid"),
        ("edge, hub's end", "hub_dependent", colours.vermilion, "dot"),
        ("no edge, small end", "lone_independent", colours.blue, "solid"),
        ("no edge, hub's end", "hub_independent", colours.blue, "dot"),
    ]
    for name, attribute, colour, dash in lines:
        figure.add_scatter(
            x=[p.leaves for p in points],
            y=[math.exp(getattr(p, attribute)) for p in points],
            name=name,
            mode="lines+markers" if dash == "dot" else "lines",
            line={"color": colour, "dash": dash, "width": 2.4},
            hovertemplate="%{y:.4f}<extra>" + name + "</extra>",
        )
    figure.update_yaxes(range=[0, 1.04], tickformat=".1f")
    return _finished(figure, "leaves of the hub", 330)


def sizes_figure(sizes: Sequence[Sizes]) -> go.Figure:
    """Mean size of the conditioning set, computed against inferred, for each network."""
    colours = palette.current()
    ordered = sorted(sizes, key=lambda s: s.inferred - s.computed)
    y = [s.info.name for s in ordered]
    # All at once: each `add_shape` checks those before it anew.
    bars = [
        {
            "type": "line",
            "x0": s.computed,
            "x1": s.inferred,
            "y0": s.info.name,
            "y1": s.info.name,
            "line": {"color": colours.quiet, "width": 2},
            "layer": "below",
        }
        for s in ordered
    ]
    figure = go.Figure(layout={"shapes": bars})
    marks = [
        ("computed", [s.computed for s in ordered], colours.bjp, palette.LOOKS["bjp"].symbol),
        ("inferred", [s.inferred for s in ordered], colours.quiet, "triangle-right-open"),
    ]
    for name, x, colour, symbol in marks:
        figure.add_scatter(
            x=x,
            y=y,
            name=name,
            mode="markers",
            marker={"color": colour, "size": 10, "symbol": symbol},
            hovertemplate="%{y}: %{x:.2f}<extra>" + name + "</extra>",
        )
    figure.update_xaxes(showgrid=True, rangemode="tozero")
    figure.update_yaxes(dtick=1, showgrid=False)
    return _finished(figure, "variables a test conditions on, mean", 610)


def _finished(figure: go.Figure, x_title: str, height: int) -> go.Figure:
    """What the figures have in common: legend on top, one tooltip a position, no toolbar space."""
    figure.update_xaxes(title=x_title, dtick=1 if height < 400 else None)
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "title": None}
    figure.update_layout(
        dragmode=False,
        height=height,
        # Two entries a line and room for two lines, so that figures side by side line up.
        margin={"l": 8, "r": 8, "t": 64, "b": 8},
        legend={**legend, "entrywidthmode": "fraction", "entrywidth": 0.5},
        hovermode="x unified" if height < 400 else "closest",
    )
    return figure
