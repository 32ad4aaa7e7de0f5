"""The posteriors of a graph's assertions against what they condition on, in two halves."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bjp_engine import SparedTests
from bjp_engine.scores import Half
from bjp_explorer.figures import text
from bjp_explorer.method_figures import palette

# Nearer to ½ than this, a posterior says next to nothing.
NEAR = 0.1
# Names are told on hovering up to here; beyond, they would be most of what the browser is sent.
MOST_NAMED = 40


def figure(halves: SparedTests) -> go.Figure:
    """Pr(assertion | D) against |Z|, computed and inferred side by side.

    Parameters
    ----------
    halves : SparedTests

    Returns
    -------
    plotly.graph_objects.Figure
    """
    colours = palette()
    drawn = go.Figure()
    drawn.add_hrect(
        y0=0.5 - NEAR, y1=0.5 + NEAR, fillcolor=colours["quiet"], opacity=0.16, line_width=0
    )
    drawn.add_hline(y=0.5, line={"color": colours["quiet"], "width": 1, "dash": "dot"})
    marks = [
        ("computed by BJP", halves.computed, -0.2, "independent", "circle"),
        ("inferred as 1", halves.inferred, 0.2, "dependent", "diamond-open"),
    ]
    for name, half, aside, colour, symbol in marks:
        drawn.add_scattergl(
            x=half.given + aside + _spread(len(half)),
            y=half.posterior,
            name=name,
            mode="markers",
            text=_pairs(halves, half),
            marker={
                "color": colours[colour],
                "symbol": symbol,
                "size": 7 if len(half) < 1000 else 5,
                "opacity": 0.85 if len(half) < 1000 else 0.5,
            },
            hovertemplate="%{text}Pr = %{y:.4f}<extra>" + name + "</extra>",
        )
    most = int(max((half.given.max() for half in (halves.computed, halves.inferred)), default=0))
    drawn.update_xaxes(
        title="|Z|, variables given",
        range=[-0.6, most + 0.6],
        dtick=max(1, round(most / 12)),
        showgrid=False,
        zeroline=False,
    )
    drawn.update_yaxes(range=[-0.04, 1.04], title="posterior of what is asserted", tickformat=".1f")
    drawn.update_layout(
        dragmode=False,
        height=380,
        margin={"l": 8, "r": 8, "t": 36, "b": 8},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "title": None},
        hovermode="closest",
    )
    return drawn


def _spread(size: int) -> NDArray[np.float64]:
    """Small shifts to the side, so that marks of one |Z| don't hide each other."""
    return (np.arange(size) * 0.618034 % 1.0 - 0.5) * 0.3


def _pairs(halves: SparedTests, half: Half) -> list[str] | None:
    """The pair of each mark."""
    if len(halves.names) > MOST_NAMED:
        return None
    names = [text(name, 18) for name in halves.names]
    pairs = zip(half.x.tolist(), half.y.tolist(), half.dependent.tolist(), strict=True)
    return [f"{names[x]} {'⊥̸' if d else '⊥'} {names[y]}<br>" for x, y, d in pairs]
