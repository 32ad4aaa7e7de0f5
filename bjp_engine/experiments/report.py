"""Results as one HTML file, without scripts or links to elsewhere, and as a CSV of means."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from html import escape
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bjp_engine.experiments.claims import RIVALS, Claim, claims
from bjp_engine.experiments.description import Experiment
from bjp_engine.experiments.store import Results
from bjp_engine.experiments.summary import Agreement, Key, Summary, agreement, share, summaries

TITLES = {"bjp": "BJP", **RIVALS}
# Okabe and Ito's palette.
COLOURS = {"mpl": "#E69F00", "ib": "#0072B2", "bjp": "#D55E00"}
MEASURES = {"hamming": "mean Hamming distance", "success": "rate of success"}
STYLE = """
:root { color-scheme: light dark; --line: #8885; --quiet: #6b7580; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child, td:first-child, .words { text-align: left; }
.wide { overflow-x: auto; }
.words { white-space: nowrap; }
.quiet { color: var(--quiet); }
.off { font-weight: 700; text-decoration: underline dotted; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(300px, 1fr)); gap: 1rem; }
svg { width: 100%; height: auto; }
svg text { font: 11px system-ui, sans-serif; fill: currentColor; }
svg .title { font-weight: 600; font-size: 13px; }
svg .grid { stroke: var(--line); }
svg polyline { fill: none; stroke-width: 2; }
svg .band { opacity: .2; }
svg circle { fill: none; stroke-width: 1.5; }
.key span { margin-right: 1.2rem; white-space: nowrap; }
"""


def write_summary(results: Results, path: str | Path) -> None:
    """Write a CSV with a line for each network, N and score: our means and the paper's figures.

    Parameters
    ----------
    results : Results
    path : str or Path
    """
    import pandas as pd

    compared = {one.summary.key: one for one in agreement(results)}
    lines = []
    for summary in summaries(results):
        line, one = asdict(summary), compared.get(summary.key)
        if one is not None:
            figure = one.printed
            line |= {"printed": figure.value, "printed_spread": figure.spread}
            line |= {"printed_seconds": figure.seconds, "difference": one.difference}
            line |= {"difference_error": one.error, "agrees": one.agrees}
        lines.append(line)
    columns = [*Summary.__slots__, *("printed", "printed_spread", "printed_seconds")]
    columns += ["difference", "difference_error", "agrees"]
    frame = pd.DataFrame(lines, columns=columns)
    frame.to_csv(path, index=False, lineterminator="\n")


def report_html(results: Results, path: str | Path) -> None:
    """Write a report: claims, figures and tables in one HTML file.

    Parameters
    ----------
    results : Results
    path : str or Path
    """
    parts = ["<!doctype html>", '<html lang="en">', '<meta charset="utf-8">']
    parts += ['<meta name="viewport" content="width=device-width">']
    parts += ["<title>BJP experiments</title>", f"<style>{STYLE}</style>", *_body(results)]
    Path(path).write_text("\n".join([*parts, "</html>", ""]), encoding="utf-8")


def _body(results: Results) -> Iterator[str]:
    """Everything that is read."""
    versions = ", ".join(np.unique(results["version"]).tolist()) or "none"
    yield "<h1>BJP, IB-score and MPL on networks that are known</h1>"
    yield (
        f"<p>{len(results):,} of {results.expected:,} results, engine version {escape(versions)}. "
        "Bands are one standard error up and down; hollow circles are the paper's figures "
        "(arXiv 1608.02315).</p>"
    )
    yield from _claims(claims(results))
    compared = {one.summary.key: one for one in agreement(results)}
    for name, of_one in groupby(summaries(results), key=lambda one: one.experiment):
        yield from _experiment(results.experiments[name], list(of_one), compared)


def _claims(found: Sequence[Claim]) -> Iterator[str]:
    """A table of the claims."""
    if not found:
        return
    yield "<h2>The paper's claims</h2>"
    yield (
        "<p>By how much BJP does better on the same data, with a 95 % confidence interval; "
        "at the N where the paper prints it so.</p>"
    )
    yield '<div class="wide"><table><tr><th>Claim<th class="words">On our rows<th>Estimate'
    yield '<th class="words">Interval<th class="words">Unit<th class="words">N</tr>'
    for claim in found:
        sizes = ", ".join(map(str, claim.rows))
        yield (
            f"<tr><td>{escape(claim.sentence)}"
            f'<td class="words{" off" if claim.verdict == "refuted" else ""}">{claim.verdict}'
            f'<td>{claim.estimate:.3g}<td class="words">{claim.low:.3g} to {claim.high:.3g}'
            f'<td class="words">{claim.unit}<td class="words quiet">{sizes}</tr>'
        )
    yield "</table></div>"


def _experiment(
    experiment: Experiment, cells: Sequence[Summary], compared: Mapping[Key, Agreement]
) -> Iterator[str]:
    """Figures and tables of one experiment."""
    hidden = {"name", "networks", "scores", "" if experiment.weights == "log-odds" else "epsilon"}
    design = (f"{k} {value}" for k, value in experiment.as_plain().items() if k not in hidden)
    of_this = [compared[one.key] for one in cells if one.key in compared]
    yield f"<h2>{escape(experiment.name)}</h2>"
    yield f'<p class="quiet">{escape("; ".join(design))}</p>'
    if of_this:
        agrees = sum(one.agrees for one in of_this)
        yield (
            f"<p>{agrees} of {len(of_this)} figures ({share(of_this):.0%}) agree with the paper's: "
            "within 10 % of its Hamming distance, or within three standard errors of the "
            'difference. The others are <span class="off">marked</span>.</p>'
        )
    yield '<p class="key">'
    for score, search in experiment.scores:
        yield f'<span><b style="color:{COLOURS[score]}">●</b> {TITLES[score]} by {search}</span>'
    yield "</p>"
    blocks = [(name, list(some)) for name, some in groupby(cells, key=lambda one: one.network)]
    for what, value, figure in (
        (MEASURES[experiment.measure], _mean, lambda one: one.printed.value),
        ("seconds a search", _seconds, lambda one: one.printed.seconds),
    ):
        yield f'<h3>{what[0].upper()}{what[1:]}</h3><div class="charts">'
        for network, block in blocks:
            series = list(_series(block, compared, value, figure))
            # Run times spread over many powers of ten.
            drawing = draw_chart(network, series, what, logarithmic=value is _seconds)
            yield f"<div>{drawing}</div>"
        yield "</div>"
    for network, block in blocks:
        yield from _table(network, block, compared)


def _table(
    network: str, cells: Sequence[Summary], compared: Mapping[Key, Agreement]
) -> Iterator[str]:
    """All numbers of a network."""
    columns = [*dict.fromkeys((one.score, one.search) for one in cells)]
    yield f'<h3>{escape(network)}</h3><div class="wide"><table><tr><th>N'
    yield "".join(f"<th>{TITLES[score]}<th>paper<th>difference" for score, _ in columns)
    yield "</tr>"
    for rows, line in groupby(cells, key=lambda one: one.rows):
        found = {(one.score, one.search): one for one in line}
        numbers = "".join(_numbers(found.get(column), compared) for column in columns)
        yield f"<tr><td>{rows}{numbers}</tr>"
    yield "</table></div>"


def _numbers(one: Summary | None, compared: Mapping[Key, Agreement]) -> str:
    """Ours, the paper's and the difference."""
    if one is None:
        return "<td>–<td><td>"
    digits = 2 if one.measure == "success" else 1
    error = "" if math.isnan(one.error) else f" ± {one.error:.{digits}f}"
    ours, theirs = f"<td>{one.mean:.{digits}f}{error}", compared.get(one.key)
    if theirs is None:
        return f"{ours}<td><td>"
    mark = "" if theirs.agrees else ' class="off"'
    return (
        f'{ours}<td class="quiet">{theirs.printed.value:.{digits}f}'
        f"<td><span{mark}>{theirs.difference:+.{digits}f}</span>"
    )


# --- Line charts over N, as SVG -------------------------------------------------------------------

WIDTH, HEIGHT = 360.0, 250.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 18.0, 28.0, 34.0
TICKS = 5
Place = Callable[[float], float]


class Point(NamedTuple):
    """One value over one N, with the limits of its band."""

    x: float
    y: float
    low: float
    high: float


class Series(NamedTuple):
    """One line, by ascending N; or hollow marks without a line, for the paper's figures."""

    label: str
    colour: str
    points: Sequence[Point]
    marks: bool = False


def _mean(one: Summary) -> Point:
    """A mean with one standard error up and down."""
    error = 0.0 if math.isnan(one.error) else one.error
    return Point(one.rows, one.mean, one.mean - error, one.mean + error)


def _seconds(one: Summary) -> Point:
    """A run time."""
    return Point(one.rows, one.seconds, one.seconds, one.seconds)


def _series(
    cells: Sequence[Summary],
    compared: Mapping[Key, Agreement],
    value: Callable[[Summary], Point],
    figure: Callable[[Agreement], float | None],
) -> Iterator[Series]:
    """Our lines and the paper's marks."""
    for score, search in dict.fromkeys((one.score, one.search) for one in cells):
        mine = [one for one in cells if (one.score, one.search) == (score, search)]
        yield Series(f"{TITLES[score]} by {search}", COLOURS[score], [value(one) for one in mine])
        theirs = [(one.rows, figure(compared[one.key])) for one in mine if one.key in compared]
        marks = [Point(rows, y, y, y) for rows, y in theirs if y is not None]
        yield Series(f"{TITLES[score]}, the paper's", COLOURS[score], marks, marks=True)


def draw_chart(
    title: str, series: Sequence[Series], unit: str, *, logarithmic: bool = False
) -> str:
    """Draw values over N; the horizontal axis is logarithmic, the vertical one if asked."""
    points = [point for line in series for point in line.points]
    sizes = sorted({point.x for point in points})
    ends = (sizes[0], sizes[-1]) if len(sizes) > 1 else (sizes[0] / 2, sizes[0] * 2)
    low, high, ticks = _ticks(points, logarithmic)
    scale = math.log if logarithmic else float

    def x(value: float) -> float:
        return LEFT + _part(*map(math.log, (value, *ends))) * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        # What lies below the axis is put on it.
        part = _part(*map(scale, (max(value, low), low, high)))
        return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM)

    about = escape(f"{title}: {unit} over N")
    parts = [
        f'<svg viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" role="img" aria-label="{about}">',
        f'<text x="{LEFT}" y="14" class="title">{escape(title)}</text>',
    ]
    for tick in ticks:
        at = f'y1="{y(tick):.1f}" y2="{y(tick):.1f}"'
        parts += [
            f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" {at}/>',
            f'<text x="{LEFT - 5}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>',
        ]
    for size in sizes:
        parts.append(
            f'<text x="{x(size):.1f}" y="{HEIGHT - 18}" text-anchor="middle">{size:g}</text>'
        )
    parts.append(f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 4}" text-anchor="end">N</text>')
    parts += (_marks(line, x, y) if line.marks else _line(line, x, y) for line in series)
    return "\n".join([*parts, "</svg>"])


def _ticks(points: Sequence[Point], logarithmic: bool) -> tuple[float, float, list[float]]:
    """The ends of a vertical axis that holds all points and bands, and its round numbers."""
    top = max(p.high for p in points)
    if logarithmic:
        bottom = min(p.y for p in points)
        first, last = math.floor(math.log10(bottom)), math.ceil(math.log10(top))
        every = max(1, (last - first) // TICKS)
        ticks = [10.0**k for k in range(first, last + 1, every)]
        return (10.0**first, 10.0**last, ticks) if first < last else (bottom / 2, top * 2, ticks)
    rough = (top or 1.0) / TICKS
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * k for k in (1, 2, 5, 10) if unit * k >= rough)
    ticks = [step * k for k in range(math.ceil((top or 1.0) / step) + 1)]
    return 0.0, ticks[-1], ticks


def _line(series: Series, x: Place, y: Place) -> str:
    """A line with its band."""
    line = " ".join(f"{x(p.x):.1f},{y(p.y):.1f}" for p in series.points)
    band = [f"{x(p.x):.1f},{y(p.high):.1f}" for p in series.points]
    band += [f"{x(p.x):.1f},{y(p.low):.1f}" for p in reversed(series.points)]
    colour, label = escape(series.colour), escape(series.label)
    return (
        f'<polygon points="{" ".join(band)}" fill="{colour}" class="band"/>'
        f'<polyline points="{line}" stroke="{colour}"><title>{label}</title></polyline>'
    )


def _marks(series: Series, x: Place, y: Place) -> str:
    """A hollow mark for each value."""
    return "".join(
        f'<circle cx="{x(p.x):.1f}" cy="{y(p.y):.1f}" r="3.5" '
        f'stroke="{escape(series.colour)}"><title>{escape(series.label)}: {p.y:g}</title></circle>'
        for p in series.points
    )


def _part(value: float, low: float, high: float) -> float:
    """Where a value lies between two others, 0 to 1."""
    return (value - low) / (high - low)
