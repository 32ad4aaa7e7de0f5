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

from bjp_explorer.views.payload_types import (
    AxisPayload,
    GroupPayload,
    Mark,
    PointsPayload,
    Ring,
)


@dataclass(frozen=True, slots=True)
class Axis:
    """One of the two axes.

    Parameters
    ----------
    short : str
        Its name in the text of a point.
    digits : int
        Decimals of a value in that text.
    whole : bool
        Whether that text and the axis have whole numbers.
    range : (float, float), optional
        Its ends; by default all points find room.
    """

    title: str
    short: str
    digits: int = 4
    whole: bool = False
    range: tuple[float, float] | None = None

    def payload(self) -> AxisPayload:
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
    """Points that look alike.

    Parameters
    ----------
    colour : str
        Of CSS; not used where there are levels.
    size : float
        Pixels across.
    alpha : float
        How opaque a point is.
    keys : ndarray of int, shape (k,), optional
        What is reported of a point that is clicked, instead of its place among them.
    levels : ndarray of int, shape (k,), optional
        The colour of each, as `Cloud.levels` has them.
    texts : sequence of str
        What the text of each point begins with; empty for nothing.
    """

    name: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    symbol: str = "circle"
    colour: str = ""
    size: float = 6
    alpha: float = 0.8
    keys: NDArray[np.intp] | None = None
    levels: NDArray[np.int64] | None = None
    texts: Sequence[str] = ()

    def payload(self) -> GroupPayload:
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
    """Groups of points on two axes.

    Parameters
    ----------
    label : str
        The picture in words.
    height : int
        Pixels.
    marks : sequence of (float, float, str, str, str)
        Places that stand out: x, y, symbol, name, colour.
    ring : (float, float, str), optional
        The point that is looked at, and its name.
    levels : (sequence of str, str), optional
        The colours of the levels 0, 1, …, and what they count, in the singular.
    bands : sequence of (float, float)
        Parts of y with a ground of their own.
    pickable : bool
        Whether a click on a point is reported.
    """

    x: Axis
    y: Axis
    groups: Sequence[Group]
    label: str
    height: int = 380
    marks: Sequence[tuple[float, float, str, str, str]] = ()
    ring: tuple[float, float, str] | None = None
    levels: tuple[Sequence[str], str] | None = None
    bands: Sequence[tuple[float, float]] = ()
    pickable: bool = False

    def payload(self, identity: str, stem: str) -> PointsPayload:
        """The cloud for the component."""
        colours, noun = self.levels or ((), "")
        marks: list[Mark] = [
            {"x": float(x), "y": float(y), "symbol": symbol, "name": name, "colour": colour}
            for x, y, symbol, name, colour in self.marks
        ]
        ring: Ring | None = None
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
