"""Very many points as the browser draws them: numbers as bytes, the rest as words.

Tens of thousands of marks are too many for a plotting library; `components.points_view` draws them
on a canvas, once for all that is marked on top of them.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from bjp_explorer.views.payloads import Payload


@dataclass(frozen=True, slots=True)
class Axis:
    """One of the two axes."""

    title: str
    # Its name in the text of a point.
    short: str
    # Decimals of a value in that text.
    digits: int = 4
    # Whether that text and the axis have whole numbers.
    whole: bool = False
    # Its ends; by default all points find room.
    range: tuple[float, float] | None = None

    def payload(self) -> Payload:
        """The axis for the component."""
        return {
            "title": self.title,
            "short": self.short,
            "digits": self.digits,
            "whole": self.whole,
            "range": None if self.range is None else list(self.range),
        }


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """Points that look alike."""

    name: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    symbol: str = "circle"
    # Of CSS; not used where there are levels.
    colour: str = ""
    # Pixels across.
    size: float = 6
    # How opaque a point is.
    alpha: float = 0.8
    # What is reported of a point that is clicked, instead of its place among them. Shape (k,).
    keys: NDArray[np.intp] | None = None
    # The colour of each, as `Cloud.levels` has them. Shape (k,).
    levels: NDArray[np.int64] | None = None
    # What the text of each point begins with; empty for nothing.
    texts: Sequence[str] = ()

    def payload(self) -> Payload:
        """The group for the component."""
        return {
            "name": self.name,
            "x": pack(self.x, "<f8"),
            "y": pack(self.y, "<f8"),
            "symbol": self.symbol,
            "colour": self.colour,
            "size": self.size,
            "alpha": self.alpha,
            "keys": None if self.keys is None else pack(self.keys, "<i4"),
            "levels": None if self.levels is None else pack(self.levels, "u1"),
            "texts": list(self.texts) or None,
        }


@dataclass(frozen=True, eq=False, slots=True)
class Cloud:
    """Groups of points on two axes."""

    x: Axis
    y: Axis
    groups: Sequence[Group]
    # The picture in words.
    label: str
    # Pixels.
    height: int = 380
    # Places that stand out: x, y, symbol, name, colour.
    marks: Sequence[tuple[float, float, str, str, str]] = ()
    # The point that is looked at, and its name.
    ring: tuple[float, float, str] | None = None
    # The colours of the levels 0, 1, …, and what they count, in the singular.
    levels: tuple[Sequence[str], str] | None = None
    # Parts of y with a ground of their own.
    bands: Sequence[tuple[float, float]] = ()
    # Whether a click on a point is reported.
    pickable: bool = False

    def payload(self, identity: str, stem: str) -> Payload:
        """The cloud for the component."""
        colours, noun = self.levels or ((), "")
        marks: list[Payload] = [
            {"x": float(x), "y": float(y), "symbol": symbol, "name": name, "colour": colour}
            for x, y, symbol, name, colour in self.marks
        ]
        ring: Payload | None = None
        if self.ring is not None:
            x, y, name = self.ring
            ring = {"x": float(x), "y": float(y), "name": name}
        return {
            "id": identity,
            "stem": stem,
            "label": self.label,
            "height": self.height,
            "x": self.x.payload(),
            "y": self.y.payload(),
            "groups": [group.payload() for group in self.groups],
            "marks": marks,
            "ring": ring,
            "levels": {"colours": list(colours), "noun": noun} if self.levels else None,
            "bands": [list(band) for band in self.bands],
            "pickable": self.pickable,
        }


def pack(values: ArrayLike, dtype: DTypeLike) -> str:
    """Numbers as base64 of their bytes, which JSON can hold and a browser can read at once."""
    return base64.b64encode(np.ascontiguousarray(values, dtype=dtype).tobytes()).decode()
