"""The posteriors of a graph's assertions against what they condition on, in two halves."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bjp_engine.scores import SparedTests, TermColumns
from bjp_explorer.shell.text import html_text
from bjp_explorer.views.palette import Palette, style

# Nearer to ½ than this, a posterior says next to nothing.
NEAR = 0.1
# Of each half, points up to here; beyond, as many of them at random.
MOST_POINTS = 2000


def chart(halves: SparedTests, palette: Palette) -> go.Figure:
    """Pr(assertion | D) against |Z|, computed and inferred side by side."""
    figure = go.Figure()
    names = [html_text(name, 18) for name in halves.names]
    for name, half in (("computed", halves.computed), ("inferred", halves.inferred)):
        drawn, computed = _sample(half), half is halves.computed
        # A little aside, so that both halves are seen and marks of one |Z| don't hide each other.
        aside = (np.arange(len(half)) * 0.618034 % 1.0 - 0.5) * 0.3 + (-0.2 if computed else 0.2)
        for dependent in (False, True):
            mine = drawn[half.dependent[drawn] == dependent]
            sign = "⊥̸" if dependent else "⊥"
            figure.add_scatter(
                x=(half.given + aside)[mine],
                y=half.posterior[mine],
                mode="markers",
                name=f"{sign}, {name}",
                marker={
                    "symbol": "circle" if computed else "diamond-open",
                    "color": palette.vermilion if dependent else palette.blue,
                    "size": 7 if len(drawn) < 1000 else 5,
                },
                opacity=0.85 if len(drawn) < 1000 else 0.5,
                customdata=half.given[mine],
                text=[f"{names[half.x[k]]} {sign} {names[half.y[k]]}" for k in mine],
                hovertemplate="%{text}<br>|Z| = %{customdata} · Pr = %{y:.4f}<extra></extra>",
            )
    figure.add_hrect(0.5 - NEAR, 0.5 + NEAR, fillcolor=palette.grid, line_width=0, layer="below")
    style(figure, palette, 380)
    figure.update_xaxes(title_text="|Z|, variables given", zeroline=False)
    figure.update_yaxes(title_text="posterior of the assertion", range=[-0.04, 1.04])
    return figure


def _sample(half: TermColumns) -> NDArray[np.intp]:
    """The places of the marks that are drawn."""
    if len(half) <= MOST_POINTS:
        return np.arange(len(half))
    return np.sort(np.random.default_rng(0).choice(len(half), MOST_POINTS, replace=False))
