"""Line charts as SVG: a report needs no library, no server and no script."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 360.0, 250.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 18.0, 28.0, 34.0
TICKS = 5


@dataclass(frozen=True, slots=True)
class Point:
    """One value over one N.

    Parameters
    ----------
    low, high : float
        The band's limits; y where there is no band.
    """

    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Series:
    """One line, or marks only.

    Parameters
    ----------
    label : str
        Shown where the pointer rests.
    points : sequence of Point
        By ascending x.
    marks : bool
        Hollow marks and no line: the paper's figures.
    """

    label: str
    colour: str
    points: Sequence[Point]
    marks: bool = False


@dataclass(frozen=True, slots=True)
class Axes:
    """Where values lie in the picture.

    Parameters
    ----------
    x, y : (float, float)
        The least and the greatest value; both positive where they are logarithmic.
    logarithmic : bool
        Whether y is; x always is.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    logarithmic: bool

    def across(self, value: float) -> float:
        """Pixels from the left."""
        return LEFT + _share(math.log(value), *map(math.log, self.x)) * (WIDTH - LEFT - RIGHT)

    def down(self, value: float) -> float:
        """Pixels from the top; what lies below the axis is put on it."""
        if self.logarithmic:
            part = _share(math.log(max(value, self.y[0])), *map(math.log, self.y))
        else:
            part = _share(max(value, self.y[0]), *self.y)
        return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM)


def chart(title: str, series: Sequence[Series], unit: str, *, logarithmic: bool = False) -> str:
    """Draw values over N."""
    points = [point for line in series for point in line.points]
    axes = _axes(points, logarithmic)
    about = escape(f"{title}: {unit} over N")
    parts = [
        f'<svg viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" role="img" aria-label="{about}">',
        f'<text x="{LEFT}" y="14" class="title">{escape(title)}</text>',
        *_grid(axes, sorted({point.x for point in points})),
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 4}" text-anchor="end">N</text>',
        *(_marks(line, axes) if line.marks else _line(line, axes) for line in series),
        "</svg>",
    ]
    return "\n".join(parts)


def _axes(points: Sequence[Point], logarithmic: bool) -> Axes:
    """Axes that hold all points and bands."""
    left, right = min(p.x for p in points), max(p.x for p in points)
    across = (left, right) if left < right else (left / 2, right * 2)
    top = max(p.high for p in points)
    if logarithmic:
        bottom = min(p.y for p in points)
        decades = (10 ** math.floor(math.log10(bottom)), 10 ** math.ceil(math.log10(top)))
        return Axes(across, decades if decades[0] < decades[1] else (bottom / 2, top * 2), True)
    step = _step(top or 1.0)
    return Axes(across, (0.0, step * math.ceil((top or 1.0) / step)), False)


def _grid(axes: Axes, sizes: Sequence[float]) -> Iterator[str]:
    """Ticks, their numbers and lines."""
    low, high = axes.y
    if axes.logarithmic:
        first, last = round(math.log10(low)), round(math.log10(high))
        every = max(1, (last - first) // TICKS)
        values = [10.0**k for k in range(first, last + 1, every)]
    else:
        step = _step(high)
        values = [step * k for k in range(round(high / step) + 1)]
    for value in values:
        y = axes.down(value)
        yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>'
    for size in sizes:
        x = axes.across(size)
        yield f'<text x="{x:.1f}" y="{HEIGHT - 18}" text-anchor="middle">{size:g}</text>'


def _line(series: Series, axes: Axes) -> str:
    """A line with its band."""
    places = [(axes.across(p.x), axes.down(p.y)) for p in series.points]
    upper = [(axes.across(p.x), axes.down(p.high)) for p in series.points]
    lower = [(axes.across(p.x), axes.down(p.low)) for p in reversed(series.points)]
    colour, label = escape(series.colour), escape(series.label)
    return (
        f'<polygon points="{_path([*upper, *lower])}" fill="{colour}" class="band"/>'
        f'<polyline points="{_path(places)}" stroke="{colour}"><title>{label}</title></polyline>'
    )


def _marks(series: Series, axes: Axes) -> str:
    """A hollow mark for each value."""
    return "".join(
        f'<circle cx="{axes.across(p.x):.1f}" cy="{axes.down(p.y):.1f}" r="3.5" '
        f'stroke="{escape(series.colour)}"><title>{escape(series.label)}: {p.y:g}</title></circle>'
        for p in series.points
    )


def _path(places: Sequence[tuple[float, float]]) -> str:
    """Places as SVG writes them."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _share(value: float, low: float, high: float) -> float:
    """Where a value lies between two others, 0 to 1."""
    return (value - low) / (high - low)


def _step(top: float) -> float:
    """A round step that divides 0 to `top` into about five."""
    rough = top / TICKS
    unit = 10.0 ** math.floor(math.log10(rough))
    return next(unit * k for k in (1, 2, 5, 10) if unit * k >= rough)
