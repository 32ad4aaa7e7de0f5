"""A network as a drawing to keep: lines, dots and labels, the same for every kind of file.

Positions are those of the screen. Writers turn it into SVG (`drawing_svg`), PNG and PDF
(`drawing_file`); names are one line of plain text before any of them sees them.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine import Dataset
from bjp_engine.confidence import EdgeConfidence
from bjp_explorer.downloads.drawing_labels import place_labels
from bjp_explorer.shell.text import number, plain
from bjp_explorer.views.edges import pair_name
from bjp_explorer.views.effects import (
    NEGATIVE,
    POSITIVE,
    UNSIGNED,
    Effect,
    Effects,
    describe_width,
    widths,
)
from bjp_explorer.views.palette import LIGHT, Palette
from bjp_explorer.views.payloads import edge_indices
from bjp_explorer.views.words import MEASURES

# With more nodes than this, dots and names shrink and the drawing grows.
_MANY = 40
_SIZE, _MARGIN, _ABOVE, _BELOW = (800.0, 540.0), (170.0, 40.0), 46.0, 40.0
LONGEST = 28
# Between lines at the foot, and the width of a letter there.
LEADING, _LETTER = 18.0, 8.0
NOTES = {
    "calibrated": "Width shows the calibrated probability of the edge.",
    "test": "Width shows Pr(dependent) by the test of the pair.",
    "bootstrap": "Width shows how many resamples have the edge.",
    "exact": "Width shows the posterior of the edge over all graphs.",
}

# Of a dashed line, in pixels: a dash and a gap.
DASH = (9.0, 6.0)
SIGN_NOTES = {
    POSITIVE: "green: positive (later states go together)",
    NEGATIVE: "dashed purple: negative",
    UNSIGNED: "grey: no sign",
}


@dataclass(frozen=True, slots=True)
class Line:
    """An edge."""

    # x and y of one end, then of the other.
    ends: tuple[float, float, float, float]
    width: float
    opacity: float
    # Both names, and what is known of the edge.
    text: str
    # That of its effect, "positive", "negative" or "unsigned"; empty where there is none.
    sign: str = ""

    @property
    def is_dashed(self) -> bool:
        """Whether it is drawn with dashes, as a negative effect is."""
        return self.sign == NEGATIVE

    def colour(self, palette: Palette) -> str:
        """The hue of its sign, or ink."""
        return str(getattr(palette, self.sign)) if self.sign else palette.ink


@dataclass(frozen=True, slots=True)
class Dot:
    """A variable."""

    x: float
    y: float
    radius: float
    label: str
    # The name at greater length.
    text: str
    # The middle of the label's baseline.
    place: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Drawing:
    """All that is drawn, in pixels from the upper left."""

    width: float
    height: float
    # Above the drawing.
    title: str
    about: str
    lines: tuple[Line, ...]
    dots: tuple[Dot, ...]
    # Of the names.
    text_size: float
    # The lines at the foot.
    notes: tuple[str, ...] = ()
    palette: Palette = LIGHT

    @property
    def foot(self) -> list[tuple[float, str]]:
        """The lines below the network, each with the height at which it stands."""
        first = self.height - 18 - LEADING * (len(self.notes) - 1)
        return [(first + LEADING * k, line) for k, line in enumerate(self.notes)]


def drawing_of(
    data: Dataset,
    graph: nx.Graph[Any],
    points: NDArray[np.float64],
    title: str,
    about: str,
    confidence: EdgeConfidence | None = None,
    effects: Effects = MappingProxyType({}),
) -> Drawing:
    """A network as lines, dots and labels."""
    room = max(1.0, math.sqrt(data.n / _MANY))
    spans = np.array(_SIZE) * room
    places = points * spans + np.array([_MARGIN[0], _MARGIN[1] + _ABOVE])
    pairs, wide = edge_indices(graph, data), widths(effects)
    width = float(spans[0] + 2 * _MARGIN[0])
    drawing = Drawing(
        width=width,
        # A line more for each note.
        height=float(spans[1] + 2 * _MARGIN[1] + _ABOVE + _BELOW) - LEADING,
        title=plain(title, 90),
        about=plain(about, 160),
        lines=tuple(
            _line(data, places, (i, j), confidence, effects.get((i, j)), wide.get((i, j), 1.0))
            for i, j in pairs
        ),
        dots=_dots(data, places, pairs, width),
        text_size=_text_size(data),
    )
    return add_notes(drawing, filter(None, [note_of(confidence, effects)]))


def note_of(confidence: EdgeConfidence | None, effects: Effects) -> str:
    """What widths, colours, dashes and opacities show."""
    if not effects:
        return "" if confidence is None else NOTES[confidence.kind]
    signs = {each.sign for each in effects.values()}
    told = "; ".join(text for sign, text in SIGN_NOTES.items() if sign in signs)
    opacity = "" if confidence is None else f" Opacity: {MEASURES[confidence.kind]}."
    return f"{told[:1].upper()}{told[1:]}. Width: {describe_width(effects)}.{opacity}"


def add_notes(drawing: Drawing, notes: Iterable[str]) -> Drawing:
    """The drawing with what a reader has to know at its foot."""
    widest = int(drawing.width / _LETTER)
    lines = [line for note in notes for line in textwrap.wrap(plain(note, 400), widest)]
    height = drawing.height + LEADING * len(lines)
    return replace(drawing, height=height, notes=(*drawing.notes, *lines))


def _text_size(data: Dataset) -> float:
    """Of the names, in pixels."""
    return 15.0 if data.n <= _MANY else 12.0


def _line(
    data: Dataset,
    places: NDArray[np.float64],
    pair: tuple[int, int],
    confidence: EdgeConfidence | None,
    effect: Effect | None,
    share: float,
) -> Line:
    """One edge; `share` is the width of its effect."""
    i, j = pair
    x0, y0, x1, y1 = (round(float(value), 2) for value in (*places[i], *places[j]))
    ends = x0, y0, x1, y1
    widest = 7.0 if data.n <= _MANY else 4.0
    text = pair_name(pair, data)
    if confidence is None and effect is None:
        return Line(ends, 0.28 * widest, 0.6, text)
    sure, known = 1.0, []
    if effect is not None:
        joined = effect.joins
        known.append(f"{effect.text}{f' ({joined})' if joined else ''}")
    if confidence is not None:
        sure = float(confidence.matrix[i, j])
        known.append(f"{MEASURES[confidence.kind]} {number(sure, 4)}")
    return Line(
        ends,
        round(max(0.8, widest * (sure if effect is None else share)), 2),
        round(0.2 + 0.6 * sure, 3) if effect is None else round(0.3 + 0.6 * sure, 3),
        f"{text}: {' · '.join(known)}",
        "" if effect is None else effect.sign,
    )


def _dots(
    data: Dataset, places: NDArray[np.float64], pairs: list[list[int]], width: float
) -> tuple[Dot, ...]:
    """The variables, their names clear of the edges as on the screen."""
    radius, size = 9.0 if data.n <= _MANY else 5.0, _text_size(data)
    labels = [plain(name, LONGEST) for name in data.names]
    middles = place_labels(places, labels, pairs, radius, size, width)
    return tuple(
        Dot(
            round(float(x), 2),
            round(float(y), 2),
            radius,
            label,
            plain(name),
            (round(float(across), 2), round(float(down) + 0.34 * size, 2)),
        )
        for name, label, (x, y), (across, down) in zip(
            data.names, labels, places, middles, strict=True
        )
    )
