"""A chart as a figure of matplotlib, without pyplot: a notebook shows it, and no state is kept."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from bjp_explorer.plots.chart import Bars, Chart, Line, Points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

_WIDTH = 760


class Picture(Figure):
    """A figure that shows itself in a notebook, pyplot or not."""

    def _repr_png_(self) -> bytes:
        """As an image that doesn't change with the moment it is made."""
        target = io.BytesIO()
        self.savefig(target, format="png", metadata={"Software": None})
        return target.getvalue()


def draw(chart: Chart) -> Picture:
    """The figure, on paper of its own colour."""
    figure = Picture(figsize=(_WIDTH / 100, chart.height / 100), dpi=100, layout="constrained")
    figure.set_facecolor(chart.palette.paper)
    axes = figure.add_subplot()
    axes.set_facecolor(chart.palette.paper)
    for mark in chart.marks:
        _add(axes, mark, chart)
    _set_axes(axes, chart)
    texts: list[Text] = [axes.set_title(chart.title, loc="left", fontsize=10.5)]
    texts += [axes.set_xlabel(chart.x_title), axes.set_ylabel(chart.y_title)]
    if any(isinstance(mark, Points) and mark.name for mark in chart.marks):
        legend = axes.legend(
            loc="lower right", bbox_to_anchor=(1, 1), ncols=3, frameon=False, fontsize=9
        )
        texts += legend.get_texts()
    for text in [*texts, *axes.get_xticklabels(), *axes.get_yticklabels()]:
        _make_plain(text, chart.palette.ink)
    return figure


def _set_axes(axes: Axes, chart: Chart) -> None:
    """Ticks, limits and grid."""
    axes.spines[:].set_visible(False)
    axes.tick_params(colors=chart.palette.ink, length=0, labelsize=9)
    axes.grid(axis="x" if chart.rows else "both", color=chart.palette.grid, linewidth=0.8)
    axes.set_axisbelow(True)
    if chart.whole:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    if chart.x_range:
        axes.set_xlim(*chart.x_range)
    if chart.rows:
        axes.set_yticks(range(len(chart.rows)), chart.rows, parse_math=False)
        axes.set_ylim(len(chart.rows) - 0.4, -0.6)
    if not chart.has_axes:
        axes.set_axis_off()
        axes.margins(0.1)
        axes.invert_yaxis()


def _add(axes: Axes, mark: Line | Points | Bars, chart: Chart) -> None:
    """Draw one mark."""
    if isinstance(mark, Line):
        axes.plot(
            mark.x,
            mark.y,
            color=mark.colour,
            drawstyle="steps-post" if mark.steps else "default",
            zorder=2,
        )
    elif isinstance(mark, Bars):
        axes.barh(
            mark.y,
            mark.length,
            left=mark.start,
            height=0.75,
            color=mark.colour,
            edgecolor=chart.palette.paper,
        )
        for start, length, y, inside, ink in zip(
            mark.start, mark.length, mark.y, mark.inside, mark.ink, strict=True
        ):
            _write(axes, start + length / 2, y, inside, ink, va="center")
    else:
        axes.errorbar(
            mark.x,
            mark.y,
            xerr=mark.error or None,
            fmt="o",
            color=mark.colour,
            markerfacecolor=chart.palette.paper if mark.is_open else mark.colour,
            markersize=6,
            elinewidth=1.2,
            label=mark.name or None,
            zorder=3,
        )
        for x, y, label in zip(mark.x, mark.y, mark.labels, strict=False):
            _write(axes, x, y + 0.035, label, chart.palette.ink, va="top")


def _write(axes: Axes, x: float, y: float, text: str, ink: str, va: str) -> None:
    """A text, none of it read as a formula."""
    axes.text(x, y, text, color=ink, ha="center", va=va, fontsize=8.5, parse_math=False)


def _make_plain(text: Text, ink: str) -> None:
    """Ink, and no formula."""
    text.set_color(ink)
    text.set_parse_math(False)
