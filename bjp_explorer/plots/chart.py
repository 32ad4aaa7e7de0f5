"""A chart before it is drawn: what plotly and matplotlib both draw, in one form.

Texts are one line of plain text, and neither writer reads markup or formulas in them.
"""

from __future__ import annotations

from dataclasses import dataclass

from bjp_explorer.views.palette import Palette


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points; nan breaks it."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    colour: str
    steps: bool = False


@dataclass(frozen=True, slots=True)
class Points:
    """Marked points."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    # What is known of each, for a reader who points at it.
    texts: tuple[str, ...]
    colour: str
    # What they are, in the legend; empty for none.
    name: str = ""
    is_open: bool = False
    # Half the length of each one's horizontal error bar; empty for none.
    error: tuple[float, ...] = ()
    # Names below the points; empty for none.
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bars:
    """Horizontal bars of one unit's width: from `start`, `length` to the right, at height y.

    `inside` stands in a bar where it has room for it, in the colour `ink`.
    """

    start: tuple[float, ...]
    length: tuple[float, ...]
    y: tuple[float, ...]
    texts: tuple[str, ...]
    inside: tuple[str, ...]
    colour: tuple[str, ...]
    ink: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Marks with their axes."""

    title: str
    # Both empty for a drawing without axes.
    x_title: str
    y_title: str
    # In the order in which they are drawn.
    marks: tuple[Line | Points | Bars, ...]
    palette: Palette
    # In pixels.
    height: int = 360
    # Names of the heights 0, 1, …, from the top, where y counts rows.
    rows: tuple[str, ...] = ()
    x_range: tuple[float, float] | None = None
    # Whether x counts something, so that only whole numbers are ticks.
    whole: bool = False

    @property
    def has_axes(self) -> bool:
        """Whether places mean something."""
        return bool(self.x_title)
