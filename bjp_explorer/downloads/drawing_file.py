"""A drawing as PNG or PDF, by matplotlib: without its global state, and one at a time.

pyplot keeps every figure it makes and belongs to one thread; a `Figure` on a canvas of its own is
forgotten with the call. matplotlib's settings are global all the same, so they are set and put back
under a lock.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from bjp_explorer.downloads.drawing import DASH, Drawing, Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import RcKeyType

# Dots of a PNG for each pixel of the drawing, so that it prints well.
_SHARP = 2
_LOCK = threading.Lock()
_POINTS = 0.72  # of a pixel, at 100 pixels an inch
_FONT = "DejaVu Sans"
_MOST_FONTS = 400
_MANY = 60
_UNKNOWN = "\ufffd"
# No moment and no program is written into the file: the same drawing gives the same bytes.
_METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
_SETTINGS: dict[RcKeyType, int] = {
    "text.usetex": False,
    "text.parse_math": False,
    "pdf.fonttype": 42,
}


def image(drawing: Drawing, form: Literal["png", "pdf"]) -> bytes:
    """Draw as an image file."""
    import matplotlib as mpl

    with _LOCK, mpl.rc_context():
        # What a user's matplotlibrc says is for the user's own figures.
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        figure = _figure(drawing)
        target = io.BytesIO()
        figure.savefig(
            target,
            format=form,
            dpi=100 * (_SHARP if form == "png" else 1),
            metadata=_METADATA[form],
        )
        return target.getvalue()


def _figure(drawing: Drawing) -> Figure:
    """The figure, in pixels from the upper left."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(drawing.width / 100, drawing.height / 100), dpi=100)
    FigureCanvasAgg(figure)
    figure.set_facecolor(drawing.palette.paper)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0, drawing.width)
    axes.set_ylim(drawing.height, 0)
    axes.set_axis_off()
    _marks(axes, drawing)
    _names(axes, drawing)
    return figure


def _marks(axes: Axes, drawing: Drawing) -> None:
    """Edges, and dots on top of them."""
    from matplotlib.collections import LineCollection

    axes.add_collection(
        LineCollection(
            [((x1, y1), (x2, y2)) for x1, y1, x2, y2 in (line.ends for line in drawing.lines)],
            linewidths=[line.width * _POINTS for line in drawing.lines],
            alpha=[line.opacity for line in drawing.lines] or None,
            colors=[line.colour(drawing.palette) for line in drawing.lines],
            linestyles=[_dashes(line) if line.is_dashed else "solid" for line in drawing.lines],
            capstyle="butt" if any(line.is_dashed for line in drawing.lines) else "round",
            zorder=1,
        )
    )
    axes.scatter(
        [dot.x for dot in drawing.dots],
        [dot.y for dot in drawing.dots],
        s=[(2 * dot.radius * _POINTS) ** 2 for dot in drawing.dots],
        facecolor=drawing.palette.paper,
        edgecolor=drawing.palette.ink,
        linewidths=2 * _POINTS,
        clip_on=False,
        zorder=2,
    )


def _dashes(line: Line) -> tuple[float, tuple[float, float]]:
    """A dash pattern, of which matplotlib multiplies the lengths by the width."""
    dash, gap = DASH
    return 0.0, (dash / line.width, gap / line.width)


def _names(axes: Axes, drawing: Drawing) -> None:
    """Every text, none of it read as a formula."""
    from matplotlib.patheffects import withStroke

    families, lacking = _fonts({c for text in _texts(drawing) for c in text})
    letters = {ord(c): _UNKNOWN for c in lacking}

    def write(x: float, y: float, text: str, size: float, **more: Any) -> None:
        shown = text.translate(letters)
        axes.text(
            x,
            y,
            shown,
            fontsize=size * _POINTS,
            fontfamily=families,
            color=drawing.palette.ink,
            va="baseline",
            parse_math=False,
            **more,
        )

    # Keeps names apart from the lines behind them; outlines of many names take seconds.
    paper = drawing.palette.paper
    apart: dict[str, Any] = {"path_effects": [withStroke(linewidth=3, foreground=paper)]}
    if len(drawing.dots) > _MANY:
        apart = {"bbox": {"facecolor": paper, "edgecolor": "none", "pad": 0.4, "alpha": 0.8}}
    for dot in drawing.dots:
        more = {"ha": "center", "zorder": 3, **apart}
        write(*dot.place, dot.label, drawing.text_size, **more)
    # Other fonts of the machine may have no bold letters.
    write(24, 30, drawing.title, 18, fontweight="bold" if len(families) == 1 else "normal")
    write(24, 51, drawing.about, 14)
    for y, line in drawing.foot:
        write(24, y, line, 13)


def _texts(drawing: Drawing) -> Iterable[str]:
    """All that is written."""
    yield from (drawing.title, drawing.about, *drawing.notes)
    yield from (dot.label for dot in drawing.dots)


def _fonts(letters: set[str]) -> tuple[list[str], set[str]]:
    """The fonts that have some letters, and the letters that none of them has.

    matplotlib's own first; others of this machine only where it lacks a letter.
    """
    from matplotlib.font_manager import FontProperties, fontManager

    own = fontManager.findfont(FontProperties(family=[_FONT]))
    families, lacking = [_FONT], {c for c in letters if ord(c) not in _characters_of(own)}
    if not lacking:
        return families, lacking
    regular = sorted(
        {(one.name, str(one.fname)) for one in fontManager.ttflist if one.style == "normal"}
    )
    for name, path in regular[:_MOST_FONTS]:
        found = {c for c in lacking if ord(c) in _characters_of(path)}
        if found and name not in families:
            families.append(name)
            lacking -= found
        if not lacking:
            break
    return families, lacking


@cache
def _characters_of(path: str) -> frozenset[int]:
    """The characters that a font has."""
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(FT2Font(path).get_charmap())
    except (OSError, RuntimeError):  # a font that can't be read has none
        return frozenset()
