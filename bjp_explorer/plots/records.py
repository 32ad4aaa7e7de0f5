"""Which chart shows what the engine returns: the methods `plot` of its records from inside."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from bjp_engine.confidence import EdgeConfidence
from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import not_installed
from bjp_engine.scores import SCORES, LocalTerm, ScoreTrace
from bjp_engine.search import SearchTrace
from bjp_engine.search.steps import Step
from bjp_engine.validate import choice, whole_number
from bjp_explorer.plots.chart import Bars, Chart, Line, Points
from bjp_explorer.shell.origins import short_title
from bjp_explorer.shell.text import count, number, plain
from bjp_explorer.views import layout
from bjp_explorer.views.palette import DARK, LIGHT, Palette
from bjp_explorer.views.payloads import begin_of
from bjp_explorer.views.words import MEASURES

WRITERS = {"plotly": "with_plotly", "matplotlib": "with_matplotlib"}
THEMES = {"light": LIGHT, "dark": DARK}
KINDS = ("score", "network")
# Pixels of a row of a chart, and what is above and below all rows.
_ROW, _AROUND = 26, 130
# The share of a bar from which a state's name has room in it, for each of its letters.
_LETTER = 0.014


def draw(what: Any, *, backend: str, theme: str, **how: Any) -> Any:
    """The figure of a record, by the package that was asked for."""
    writer = WRITERS[choice(backend, "backend", tuple(WRITERS))]
    palette = THEMES[choice(theme, "theme", tuple(THEMES))]
    chart = _chart(what, palette, **how)
    try:
        module = import_module(f"bjp_explorer.plots.{writer}")
    except ModuleNotFoundError as error:
        raise not_installed(f"plot(backend={backend!r})", backend, backend) from error
    return module.draw(chart)


def _chart(what: Any, palette: Palette, **how: Any) -> Chart:
    """The chart of a record."""
    if isinstance(what, SearchTrace):
        kind = choice(how["kind"], "kind", KINDS)
        return network(what, palette) if kind == "network" else climb(what, palette)
    most = whole_number(how["most"], "most", least=1)
    if isinstance(what, ScoreTrace):
        return terms(what, palette, most)
    if isinstance(what, EdgeConfidence):
        return confidence(what, palette, most)
    return shares(what, palette, most)


def climb(trace: SearchTrace, palette: Palette) -> Chart:
    """The score after each flip of an edge; hollow points are removals."""
    # Flips of blankets raise a variable's own score, which is another number.
    steps = [step for step in trace.steps if step.phase != "blanket"]
    colour = palette.score(trace.method)
    name, (_, begin) = _name(trace), begin_of(trace)
    places = tuple(map(float, range(len(steps) + 1)))
    values = (begin, *(step.score for step in steps))

    def marked(added: bool, which: str) -> tuple[Points, ...]:
        those = [(k, step) for k, step in enumerate(steps, 1) if step.added is added]
        if not those:
            return ()
        x, chosen = zip(*those, strict=True)
        texts = tuple(_flip(k, step, name) for k, step in those)
        y = tuple(step.score for step in chosen)
        return (Points(tuple(map(float, x)), y, texts, colour, which, is_open=not added),)

    start = f"start: {name} = {number(begin)}"
    return Chart(
        title=f"{trace.search}: {name} = {number(trace.score)}, {count(len(steps), 'flip')}",
        x_title="flips",
        y_title=name,
        marks=(
            Line(places, values, colour, steps=True),
            Points((0.0,), (begin,), (start,), palette.ink, "start"),
            *marked(True, "edge added"),
            *marked(False, "edge removed"),
        ),
        palette=palette,
        whole=True,
    )


def network(trace: SearchTrace, palette: Palette) -> Chart:
    """The learned graph, its nodes where every page has them."""
    names = list(trace.graph)
    places = dict(zip(names, layout.positions(names, [trace.graph]).tolist(), strict=True))
    ends = [(*places[x], *places[y]) for x, y in trace.graph.edges]
    degrees = trace.graph.degree
    return Chart(
        title=f"{count(trace.graph.number_of_edges(), 'edge')} learned by {trace.search}",
        x_title="",
        y_title="",
        marks=(
            Line(
                tuple(v for x1, _, x2, _ in ends for v in (x1, x2, np.nan)),
                tuple(v for _, y1, _, y2 in ends for v in (y1, y2, np.nan)),
                palette.muted,
            ),
            Points(
                tuple(x for x, _ in places.values()),
                tuple(y for _, y in places.values()),
                tuple(f"{plain(name)}: {count(degrees[name], 'neighbour')}" for name in names),
                palette.ink,
                is_open=True,
                labels=tuple(plain(name, 20) for name in names),
            ),
        ),
        palette=palette,
        height=460,
    )


def confidence(found: EdgeConfidence, palette: Palette, most: int) -> Chart:
    """The probability of each pair, the highest first, with its standard error."""
    table = found.verdicts().head(most)
    errors = found.to_frame().get("error")
    pairs = len(found.names) * (len(found.names) - 1) // 2
    judged = table["verdict"].ne("not judged").to_numpy()

    def marked(which: Any, name: str, is_open: bool) -> tuple[Points, ...]:
        rows = np.flatnonzero(which)
        if not len(rows):
            return ()
        part = table.iloc[rows]
        error = () if errors is None else tuple(errors.iloc[rows].tolist())
        values = tuple(part["probability"].tolist())
        margins = error or (None,) * len(rows)
        texts = tuple(
            f"{_pair(x, y, 60)}: {value:.4f}" + ("" if one is None else f" ± {one:.4f}")
            for x, y, value, one in zip(part["x"], part["y"], values, margins, strict=True)
        )
        y = tuple(map(float, rows))
        return (Points(values, y, texts, palette.ink, name, is_open=is_open, error=error),)

    some = "" if judged.all() else "judged"
    shown = count(pairs, "pair") if pairs <= most else f"{most} most probable of {pairs:,} pairs"
    note = "" if errors is None else "; bars: ± 1 Monte Carlo standard error"
    return Chart(
        title=f"{shown}{note}",
        x_title=MEASURES[found.kind],
        y_title="",
        marks=(
            *marked(judged, some, False),
            *marked(~judged, "not judged: unlike the pairs of known networks", True),
        ),
        palette=palette,
        height=_AROUND + _ROW * len(table),
        rows=tuple(_pair(x, y) for x, y in zip(table["x"], table["y"], strict=True)),
        x_range=(-0.02, 1.02),
    )


def terms(trace: ScoreTrace, palette: Palette, most: int) -> Chart:
    """The computed terms of a score, the lowest first: what costs most."""
    computed = sorted(trace.computed, key=lambda term: term.value)[:most]
    values = tuple(term.value for term in computed)
    total = len(trace.computed)
    shown = count(total, "computed term") if total <= most else f"{most} lowest of {total:,} terms"
    names = tuple(_term(term) for term in computed)
    return Chart(
        title=f"{_name(trace)} = {number(trace.score)}: {shown}",
        x_title="ln of the term",
        y_title="",
        marks=(
            Bars(
                (0.0,) * len(values),
                values,
                tuple(map(float, range(len(values)))),
                tuple(f"{name}: {number(v, 4)}" for name, v in zip(names, values, strict=True)),
                ("",) * len(values),
                (palette.score(trace.method),) * len(values),
                (palette.paper,) * len(values),
            ),
        ),
        palette=palette,
        height=_AROUND + _ROW * len(values),
        rows=names,
    )


def shares(data: Dataset, palette: Palette, most: int) -> Chart:
    """A bar for each variable, cut by the shares of its states."""
    n = min(data.n, most)
    rows: list[tuple[float, float, int, str, str, str, str]] = []
    for i in range(n):
        r = data.cardinalities[i]
        counts = np.bincount(data.codes[:, i], minlength=r)
        part = counts / max(data.rows, 1)
        starts = np.concatenate([[0.0], np.cumsum(part)[:-1]])
        for k in np.flatnonzero(counts):
            label = plain(data.labels[i][k], 24)
            colour = _shade(palette, k / max(r - 1, 1))
            text = f"{plain(data.names[i])} = {label}: {counts[k]:,} rows, {100 * part[k]:.1f} %"
            inside = label if part[k] >= _LETTER * (len(label) + 1) else ""
            ink = _on(colour)
            rows.append((float(starts[k]), float(part[k]), i, text, inside, colour, ink))
    columns = tuple(zip(*rows, strict=True)) or ((),) * 7
    start, length, y, texts, inside_, colours, inks = columns
    shown = count(n, "variable") if n == data.n else f"first {n} of {data.n:,} variables"
    return Chart(
        title=f"{count(data.rows, 'row')}, {shown}",
        x_title="share of the rows",
        y_title="",
        marks=(Bars(start, length, y, texts, inside_, colours, inks),),
        palette=palette,
        height=_AROUND + _ROW * n,
        rows=tuple(plain(name, 28) for name in data.names[:n]),
        x_range=(0.0, 1.0),
    )


def _shade(palette: Palette, place: float) -> str:
    """A shade of ink between the first of the scale and the last."""
    stops = np.array([[int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in palette.scale])
    at = np.linspace(0, 1, len(stops))
    mixed = [round(float(np.interp(place, at, stops[:, k]))) for k in range(3)]
    return "#" + "".join(f"{value:02x}" for value in mixed)


def _on(colour: str) -> str:
    """The ink or the paper that is read better on a colour."""
    light = np.dot([int(colour[k : k + 2], 16) for k in (1, 3, 5)], [0.299, 0.587, 0.114])
    return LIGHT.ink if light > 128 else LIGHT.paper


def _title(method: str) -> str:
    """A score's short name."""
    return short_title(method) if method in SCORES else plain(method)


def _name(what: SearchTrace | ScoreTrace) -> str:
    """What a score's number is: its logarithm, or the sum with the prior over structures."""
    prior = not what.structure.uniform if isinstance(what, SearchTrace) else what.log_prior
    return f"ln {_title(what.method)}{' + prior' if prior else ''}"


def _pair(x: Name, y: Name, width: int = 20) -> str:
    """Both names of a pair."""
    return f"{plain(x, width)} – {plain(y, width)}"


def _term(term: Any) -> str:
    """What a term is about: a pair given its conditioning set, or a variable."""
    return plain(term.x, 28) if isinstance(term, LocalTerm) else _pair(term.x, term.y)


def _flip(k: int, step: Step, name: str) -> str:
    """A flip in a line."""
    verb = "add" if step.added else "remove"
    change = f"{name} = {number(step.score)}, gain {number(step.gain)}"
    return f"flip {k}: {verb} {_pair(*step.edge, 60)}; {change}"
