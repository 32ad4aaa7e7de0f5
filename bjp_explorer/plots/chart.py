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
    """Marked points.

    Parameters
    ----------
    texts : tuple of str
        What is known of each, for a reader who points at it.
    name : str
        What they are, in the legend; empty for none.
    error : tuple of float
        Half the length of each one's horizontal error bar; empty for none.
    labels : tuple of str
        Names below the points; empty for none.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    texts: tuple[str, ...]
    colour: str
    name: str = ""
    is_open: bool = False
    error: tuple[float, ...] = ()
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
    """Marks with their axes.

    Parameters
    ----------
    title : str
    x_title, y_title : str
        Both empty for a drawing without axes.
    marks : tuple of Line, Points or Bars
        In the order in which they are drawn.
    palette : Palette
    height : int
        In pixels.
    rows : tuple of str
        Names of the heights 0, 1, …, from the top, where y counts rows.
    x_range : tuple of float, or None
    whole : bool
        Whether x counts something, so that only whole numbers are ticks.
    """

    title: str
    x_title: str
    y_title: str
    marks: tuple[Line | Points | Bars, ...]
    palette: Palette
    height: int = 360
    rows: tuple[str, ...] = ()
    x_range: tuple[float, float] | None = None
    whole: bool = False

    @property
    def has_axes(self) -> bool:
        """Whether places mean something."""
        return bool(self.x_title)
