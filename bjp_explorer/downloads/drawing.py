"""A network as a drawing to keep: lines, dots and labels, the same for every kind of file.

Positions are those of the screen. Writers turn it into SVG (`drawing_svg`), PNG and PDF
(`drawing_file`); names are one line of plain text before any of them sees them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine import Dataset
from bjp_engine.confidence import EdgeConfidence
from bjp_explorer.shell.text import number, plain, shown
from bjp_explorer.views.graph_gallery import pair_name
from bjp_explorer.views.layout import CIRCLE
from bjp_explorer.views.palette import LIGHT, Palette
from bjp_explorer.views.payloads import edge_indices
from bjp_explorer.views.words import MEASURES

Anchor = Literal["start", "middle", "end"]
# With more nodes than this, dots and names shrink and the drawing grows.
_MANY = 40
_SIZE, _MARGIN, _ABOVE, _BELOW = (800.0, 540.0), (170.0, 40.0), 46.0, 40.0
LONGEST = 28
NOTES = {
    "test": "Width shows Pr(dependent) by the test of the pair.",
    "bootstrap": "Width shows how many resamples have the edge.",
    "mcmc": "Width shows the posterior of the edge, by Markov chains.",
    "exact": "Width shows the posterior of the edge over all graphs.",
}


@dataclass(frozen=True, slots=True)
class Line:
    """An edge.

    Parameters
    ----------
    ends : tuple of float
        x and y of one end, then of the other.
    told : str
        Both names, and the confidence where there is one.
    """

    ends: tuple[float, float, float, float]
    width: float
    opacity: float
    told: str


@dataclass(frozen=True, slots=True)
class Dot:
    """A variable.

    Parameters
    ----------
    told : str
        The name at greater length.
    place : tuple of float
        Where the label stands: its baseline.
    anchor : {"start", "middle", "end"}
        Which part of the label stands there.
    """

    x: float
    y: float
    radius: float
    label: str
    told: str
    place: tuple[float, float]
    anchor: Anchor


@dataclass(frozen=True, slots=True)
class Drawing:
    """All that is drawn, in pixels from the upper left.

    Parameters
    ----------
    title, about, note : str
        Above the drawing, and below it; `note` may be empty.
    text_size : float
        Of the names.
    """

    width: float
    height: float
    title: str
    about: str
    note: str
    lines: tuple[Line, ...]
    dots: tuple[Dot, ...]
    text_size: float
    palette: Palette = LIGHT


def drawing_of(
    data: Dataset,
    graph: nx.Graph[Any],
    points: NDArray[np.float64],
    title: str,
    about: str,
    confidence: EdgeConfidence | None = None,
) -> Drawing:
    """A network as lines, dots and labels."""
    room = max(1.0, math.sqrt(data.n / _MANY))
    spans = np.array(_SIZE) * room
    places = points * spans + np.array([_MARGIN[0], _MARGIN[1] + _ABOVE])
    return Drawing(
        width=float(spans[0] + 2 * _MARGIN[0]),
        height=float(spans[1] + 2 * _MARGIN[1] + _ABOVE + _BELOW),
        title=plain(title, 90),
        about=plain(about, 160),
        note="" if confidence is None else NOTES[confidence.kind],
        lines=tuple(_line(data, places, (i, j), confidence) for i, j in edge_indices(graph, data)),
        dots=tuple(_dot(data, places, i) for i in range(data.n)),
        text_size=15.0 if data.n <= _MANY else 12.0,
    )


def _line(
    data: Dataset,
    places: NDArray[np.float64],
    pair: tuple[int, int],
    confidence: EdgeConfidence | None,
) -> Line:
    """One edge."""
    i, j = pair
    x0, y0, x1, y1 = (round(float(value), 2) for value in (*places[i], *places[j]))
    ends = x0, y0, x1, y1
    widest = 7.0 if data.n <= _MANY else 4.0
    told = pair_name(pair, data)
    if confidence is None:
        return Line(ends, 0.28 * widest, 0.6, told)
    sure = float(confidence.matrix[i, j])
    return Line(
        ends,
        round(max(0.8, widest * sure), 2),
        round(0.2 + 0.6 * sure, 3),
        f"{told}: {MEASURES[confidence.kind]} {number(sure, 4)}",
    )


def _dot(data: Dataset, places: NDArray[np.float64], i: int) -> Dot:
    """One variable; on a circle its name stands outside, else below."""
    x, y = (round(float(value), 2) for value in places[i])
    few = data.n <= _MANY
    radius = 9.0 if few else 5.0
    name = data.names[i]
    below = (x, y + radius + (17.0 if few else 13.0))
    label, told = plain(shown(name), LONGEST), plain(shown(name), 200)
    if data.n > CIRCLE:
        return Dot(x, y, radius, label, told, below, "middle")
    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    side, height = x - middle[0], y - middle[1]
    if abs(side) < 40.0:
        place = below if height >= 0 else (x, y - radius - 8.0)
        return Dot(x, y, radius, label, told, place, "middle")
    # Half of a wide margin fits some dozen letters; longer names go below.
    if len(label) > 18:
        return Dot(x, y, radius, label, told, below, "middle")
    away = radius + 7.0
    beside = (x + away, y + 5.0) if side > 0 else (x - away, y + 5.0)
    return Dot(x, y, radius, label, told, beside, "start" if side > 0 else "end")
