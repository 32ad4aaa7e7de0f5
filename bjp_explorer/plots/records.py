"""What the method `plot` of the engine's records draws: one chart by matplotlib, without pyplot.

A notebook shows the figure, no state is kept, and no text is read as a formula.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from bjp_engine.confidence import EdgeConfidence
from bjp_engine.dataset import Name
from bjp_engine.errors import not_installed
from bjp_engine.scores import SCORES, LocalTerm, ScoreTrace
from bjp_engine.search import SearchTrace
from bjp_engine.validate import choice, whole_number
from bjp_explorer.shell.origins import short_title
from bjp_explorer.shell.text import count, number, plain
from bjp_explorer.views import layout
from bjp_explorer.views.palette import DARK, LIGHT, Palette
from bjp_explorer.views.payloads import begin_of
from bjp_explorer.views.words import MEASURES

try:
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator
except ModuleNotFoundError as error:
    raise not_installed("plot()", "matplotlib", "matplotlib") from error

THEMES = {"light": LIGHT, "dark": DARK}
# Pixels of a row of a chart, and what is above and below all rows.
_WIDTH, _ROW, _AROUND = 760, 26, 130
# The share of a bar from which a state's name has room in it, for each of its letters.
_LETTER = 0.014


class Picture(Figure):
    """A figure that shows itself in a notebook, pyplot or not."""

    def _repr_png_(self) -> bytes:
        """As an image that doesn't change with the moment it is made."""
        target = io.BytesIO()
        self.savefig(target, format="png", metadata={"Software": None})
        return target.getvalue()


def draw(what: Any, *, theme: str, **how: Any) -> Picture:
    """The figure of a record."""
    palette = THEMES[choice(theme, "theme", tuple(THEMES))]
    if isinstance(what, SearchTrace):
        kind = choice(how["kind"], "kind", ("score", "network"))
        return _network(what, palette) if kind == "network" else _climb(what, palette)
    most = whole_number(how["most"], "most", least=1)
    if isinstance(what, ScoreTrace):
        return _terms(what, palette, most)
    if isinstance(what, EdgeConfidence):
        return _pairs(what, palette, most)
    n = min(what.n, most)
    shown = count(n, "variable") if n == what.n else f"first {n} of {what.n:,} variables"
    rows, height = [plain(name, 28) for name in what.names[:n]], _AROUND + _ROW * n
    title = f"{count(what.rows, 'row')}, {shown}"
    figure, axes = _chart(title, palette, height, rows, "share of the rows")
    axes.set_xlim(0.0, 1.0)
    stops = np.array([[int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in palette.scale]) / 255
    for i in range(n):
        r = what.cardinalities[i]
        part = np.bincount(what.codes[:, i], minlength=r) / max(what.rows, 1)
        starts = np.cumsum(part) - part
        for k in np.flatnonzero(part):
            # A shade of ink between the first of the scale and the last.
            at, along = k / max(r - 1, 1), np.linspace(0, 1, len(stops))
            shade = [float(np.interp(at, along, stops[:, c])) for c in range(3)]
            axes.barh(i, part[k], left=starts[k], height=0.75, color=shade, edgecolor=palette.paper)
            label = plain(what.labels[i][k], 24)
            if part[k] >= _LETTER * (len(label) + 1):
                light = np.dot(shade, [0.299, 0.587, 0.114]) > 0.5
                ink = LIGHT.ink if light else LIGHT.paper
                _write(axes, starts[k] + part[k] / 2, i, label, ink, va="center")
    return figure


def _chart(
    title: str, palette: Palette, height: int = 360, rows: Sequence[str] = (), x_title: str = ""
) -> tuple[Picture, Any]:
    figure = Picture(figsize=(_WIDTH / 100, height / 100), dpi=100, layout="constrained")
    figure.set_facecolor(palette.paper)
    axes = figure.add_subplot()
    axes.set_facecolor(palette.paper)
    axes.spines[:].set_visible(False)
    axes.tick_params(colors=palette.ink, length=0, labelsize=9)
    axes.grid(axis="x" if rows else "both", color=palette.grid, linewidth=0.8)
    axes.set_axisbelow(True)
    look: dict[str, Any] = {"color": palette.ink, "parse_math": False}
    axes.set_title(title, loc="left", fontsize=10.5, **look)
    axes.set_xlabel(x_title, **look)
    if rows:
        axes.set_yticks(range(len(rows)), rows, **look)
        axes.set_ylim(len(rows) - 0.4, -0.6)
    return figure, axes


def _mark(axes: Any, palette: Palette, x: Any, y: Any, colour: str, **look: Any) -> None:
    """Points, hollow ones on paper, with what they are in the legend."""
    hollow = look.pop("is_open", False)
    face = palette.paper if hollow else colour
    axes.errorbar(x, y, fmt="o", color=colour, markerfacecolor=face, zorder=3, **look)


def _legend(axes: Any, palette: Palette) -> None:
    """What the points are, where something is said of them."""
    if axes.get_legend_handles_labels()[1]:
        axes.legend(loc="lower right", ncols=3, frameon=False, fontsize=9, labelcolor=palette.ink)


def _climb(trace: SearchTrace, palette: Palette) -> Picture:
    # Flips of blankets raise a variable's own score, which is another number.
    steps = [step for step in trace.steps if step.phase != "blanket"]
    colour, name = palette.score(trace.method), _name(trace)
    title = f"{trace.search}: {name} = {number(trace.score)}, {count(len(steps), 'flip')}"
    figure, axes = _chart(title, palette, x_title="flips")
    axes.set_ylabel(name, color=palette.ink, parse_math=False)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    values = [begin_of(trace)[1], *(step.score for step in steps)]
    axes.plot(range(len(values)), values, color=colour, drawstyle="steps-post", zorder=2)
    for added, label in ((True, "edge added"), (False, "edge removed")):
        if those := [k for k, step in enumerate(steps, 1) if step.added is added]:
            scores = [values[k] for k in those]
            _mark(axes, palette, those, scores, colour, label=label, is_open=not added)
    _legend(axes, palette)
    return figure


def _network(trace: SearchTrace, palette: Palette) -> Picture:
    names = list(trace.graph)
    title = f"{count(trace.graph.number_of_edges(), 'edge')} learned by {trace.search}"
    figure, axes = _chart(title, palette, 460)
    axes.set_axis_off()
    axes.margins(0.1)
    axes.invert_yaxis()
    places = dict(zip(names, layout.positions(names, [trace.graph]).tolist(), strict=True))
    for x, y in trace.graph.edges:
        axes.plot(*zip(places[x], places[y], strict=True), color=palette.muted, zorder=2)
    x, y = zip(*places.values(), strict=True)
    _mark(axes, palette, x, y, palette.ink, is_open=True)
    for name, (x, y) in places.items():
        _write(axes, x, y + 0.035, plain(name, 20), palette.ink, va="top")
    return figure


def _pairs(found: EdgeConfidence, palette: Palette, most: int) -> Picture:
    """The probability of each pair, the highest first, with its standard error."""
    table, pairs = found.verdicts().head(most), len(found.names) * (len(found.names) - 1) // 2
    errors = found.to_frame().get("error")
    shown = count(pairs, "pair") if pairs <= most else f"{most} most probable of {pairs:,} pairs"
    note = "" if errors is None else "; bars: ± 1 Monte Carlo standard error"
    rows = [_pair(x, y) for x, y in zip(table["x"], table["y"], strict=True)]
    height = _AROUND + _ROW * len(rows)
    figure, axes = _chart(f"{shown}{note}", palette, height, rows, MEASURES[found.kind])
    axes.set_xlim(-0.02, 1.02)
    judged = table["verdict"].ne("not judged").to_numpy()
    for which, label in ((judged, "judged"), (~judged, "not judged: unlike known networks")):
        places = np.flatnonzero(which)
        if len(places):
            xerr = None if errors is None else errors.iloc[places]
            look: dict[str, Any] = {"xerr": xerr, "elinewidth": 1.2, "is_open": label != "judged"}
            look["label"] = None if judged.all() else label
            values = table["probability"].iloc[places]
            _mark(axes, palette, values, places, palette.ink, **look)
    _legend(axes, palette)
    return figure


def _terms(trace: ScoreTrace, palette: Palette, most: int) -> Picture:
    """The computed terms of a score, the lowest first: what costs most."""
    total = len(trace.computed)
    computed = sorted(trace.computed, key=lambda term: term.value)[:most]
    shown = count(total, "computed term") if total <= most else f"{most} lowest of {total:,} terms"
    title = f"{_name(trace)} = {number(trace.total)}: {shown}"
    rows = [
        plain(term.x, 28) if isinstance(term, LocalTerm) else _pair(term.x, term.y)
        for term in computed
    ]
    figure, axes = _chart(title, palette, _AROUND + _ROW * len(rows), rows, "ln of the term")
    colour = palette.score(trace.method)
    axes.barh(range(len(rows)), [term.value for term in computed], height=0.75, color=colour)
    return figure


def _write(axes: Any, x: float, y: float, text: str, ink: str, va: str) -> None:
    axes.text(x, y, text, color=ink, ha="center", va=va, fontsize=8.5, parse_math=False)


def _name(what: SearchTrace | ScoreTrace) -> str:
    """What a score's number is: its logarithm, or the sum with the prior over structures."""
    prior = not what.structure.uniform if isinstance(what, SearchTrace) else what.log_prior
    title = short_title(what.method) if what.method in SCORES else plain(what.method)
    return f"ln {title}{' + prior' if prior else ''}"


def _pair(x: Name, y: Name) -> str:
    return f"{plain(x, 20)} – {plain(y, 20)}"
