"""The posteriors of a graph's assertions against what they condition on, in two halves."""

from __future__ import annotations

from typing import Any

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
    marks = [
        ("computed by BJP", halves.computed, -0.2, colours["independent"], "circle"),
        ("inferred as 1", halves.inferred, 0.2, colours["dependent"], "diamond-open"),
    ]
    most = int(max((half.given.max() for half in (halves.computed, halves.inferred)), default=0))
    whole = {"xref": "paper", "x0": 0, "x1": 1, "layer": "below"}
    near = {"type": "rect", "y0": 0.5 - NEAR, "y1": 0.5 + NEAR, "fillcolor": colours["quiet"]}
    half_way = {"type": "line", "y0": 0.5, "y1": 0.5}
    layout = {
        "dragmode": False,
        "height": 380,
        "margin": {"l": 8, "r": 8, "t": 36, "b": 8},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "hovermode": "closest",
        "xaxis": {
            "title": {"text": "|Z|, variables given"},
            "range": [-0.6, most + 0.6],
            "dtick": max(1, round(most / 12)),
            "showgrid": False,
            "zeroline": False,
        },
        "yaxis": {
            "title": {"text": "posterior of what is asserted"},
            "range": [-0.04, 1.04],
            "tickformat": ".1f",
        },
        "shapes": [
            {**whole, **near, "opacity": 0.16, "line": {"width": 0}},
            {**whole, **half_way, "line": {"color": colours["quiet"], "width": 1, "dash": "dot"}},
        ],
    }
    return go.Figure([_marks(halves, *mark) for mark in marks], layout)


def _marks(
    halves: SparedTests, name: str, half: Half, aside: float, colour: str, symbol: str
) -> dict[str, Any]:
    """The marks of one half, a little aside so that both can be seen."""
    few = len(half) < 1000
    return {
        "type": "scattergl",
        "x": half.given + aside + _spread(len(half)),
        "y": half.posterior,
        "name": name,
        "mode": "markers",
        "text": _pairs(halves, half),
        "marker": {
            "color": colour,
            "symbol": symbol,
            "size": 7 if few else 5,
            "opacity": 0.85 if few else 0.5,
        },
        "hovertemplate": "%{text}Pr = %{y:.4f}<extra>" + name + "</extra>",
    }


def _spread(size: int) -> NDArray[np.float64]:
    """Small shifts to the side, so that marks of one |Z| don't hide each other."""
    return (np.arange(size) * 0.618034 % 1.0 - 0.5) * 0.3


def _pairs(halves: SparedTests, half: Half) -> list[str] | str:
    """The pair of each mark."""
    if len(halves.names) > MOST_NAMED:
        return ""
    names = [text(name, 18) for name in halves.names]
    pairs = zip(half.x.tolist(), half.y.tolist(), half.dependent.tolist(), strict=True)
    return [f"{names[x]} {'⊥̸' if d else '⊥'} {names[y]}<br>" for x, y, d in pairs]
