"""A chart as a figure of plotly, which shows what is known of a point under the pointer."""

from __future__ import annotations

import html
from typing import Any

import plotly.graph_objects as go

from bjp_explorer.plots.chart import Bars, Chart, Line, Points
from bjp_explorer.views.palette import style


def draw(chart: Chart) -> go.Figure:
    """The figure; it is on paper of its own colour, so that it is read on any page."""
    figure = go.Figure([_trace(mark, chart) for mark in chart.marks])
    style(figure, chart.palette, chart.height)
    figure.update_layout(
        title={"text": _inert(chart.title), "font": {"size": 15}, "x": 0, "xref": "paper"},
        margin={"l": 16, "r": 24, "t": 78, "b": 16},
        paper_bgcolor=chart.palette.paper,
        plot_bgcolor=chart.palette.paper,
        barmode="overlay",
        bargap=0.25,
        hovermode="closest",
        separators=".,",
    )
    figure.update_xaxes(title_text=_inert(chart.x_title), zeroline=False)
    figure.update_yaxes(title_text=_inert(chart.y_title), zeroline=False, separatethousands=True)
    if chart.whole:
        figure.update_xaxes(tickformat="d", rangemode="tozero")
        if (most := max(max(mark.x) for mark in chart.marks if isinstance(mark, Line))) < 12:
            figure.update_xaxes(dtick=1, range=[-0.2, most + 0.2])
    if chart.x_range:
        figure.update_xaxes(range=list(chart.x_range))
    if chart.rows:
        figure.update_yaxes(
            tickvals=list(range(len(chart.rows))),
            ticktext=[_inert(row) for row in chart.rows],
            range=[len(chart.rows) - 0.4, -0.6],
            showgrid=False,
        )
    if not chart.has_axes:
        figure.update_xaxes(visible=False)
        figure.update_yaxes(visible=False, autorange="reversed")
    return figure


def _trace(mark: Line | Points | Bars, chart: Chart) -> Any:
    """A mark as plotly has it."""
    if isinstance(mark, Line):
        return go.Scatter(
            x=mark.x,
            y=mark.y,
            mode="lines",
            line={"color": mark.colour, "shape": "hv" if mark.steps else "linear"},
            hoverinfo="skip",
            showlegend=False,
        )
    told = {
        "customdata": [_inert(text) for text in mark.texts],
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    if isinstance(mark, Bars):
        return go.Bar(
            base=mark.start,
            x=mark.length,
            y=mark.y,
            orientation="h",
            text=[_inert(text) for text in mark.inside],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            constraintext="none",
            insidetextfont={"color": mark.ink, "size": 12},
            marker={"color": mark.colour, "line": {"color": chart.palette.paper, "width": 1}},
            showlegend=False,
            **told,
        )
    return go.Scatter(
        x=mark.x,
        y=mark.y,
        mode="markers+text" if mark.labels else "markers",
        name=_inert(mark.name),
        showlegend=bool(mark.name),
        marker={
            "size": 9,
            "color": chart.palette.paper if mark.is_open else mark.colour,
            "line": {"color": mark.colour, "width": 2},
        },
        error_x={"array": mark.error, "color": mark.colour, "thickness": 1.2}
        if mark.error
        else None,
        text=[_inert(label) for label in mark.labels] or None,
        textposition="bottom center",
        cliponaxis=False,
        **told,
    )


def _inert(text: str) -> str:
    """Plotly reads tags in every text."""
    return html.escape(text, quote=False)
