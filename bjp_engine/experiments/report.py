"""Results as one HTML file, without scripts or links to elsewhere, and as a CSV of means."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from html import escape
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bjp_engine.experiments.claims import Claim, claims
from bjp_engine.experiments.description import Experiment
from bjp_engine.experiments.results import Results, check_results
from bjp_engine.experiments.summary import Block, Summary, by_network, share, summaries
from bjp_engine.scores import SCORES
from bjp_engine.validate import file_path

TITLES = {name: score.title for name, score in SCORES.items()}
# As in the app.
COLOURS = {"mpl": "#6b6220", "ib": "#63300f", "bjp": "#7b2fd6", "near": "#e012c0"}
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
    """Write a CSV with a line for each network, N and score: our means and the paper's figures."""
    import pandas as pd

    derived = ("difference", "difference_error", "agrees")
    lines = [
        asdict(one) | {name: getattr(one, name) for name in derived} for one in summaries(results)
    ]
    columns = [*(field.name for field in fields(Summary)), *derived]
    frame = pd.DataFrame(lines, columns=columns)
    frame.to_csv(file_path(path), index=False, lineterminator="\n")


def report_html(results: Results, path: str | Path) -> None:
    """Write a report: claims, figures and tables in one HTML file."""
    parts = ["<!doctype html>", '<html lang="en">', '<meta charset="utf-8">']
    parts += ['<meta name="viewport" content="width=device-width">']
    parts += ["<title>BJP experiments</title>", f"<style>{STYLE}</style>"]
    parts += _body(check_results(results))
    file_path(path).write_text("\n".join([*parts, "</html>", ""]), encoding="utf-8")


def _body(results: Results) -> Iterator[str]:
    versions = ", ".join(np.unique(results["version"]).tolist()) or "none"
    yield "<h1>BJP, IB-score and MPL on known networks</h1>"
    yield (
        f"<p>{len(results):,} of {results.expected:,} results, engine version {escape(versions)}. "
        "Bands are one standard error up and down; hollow circles are the paper's figures "
        "(arXiv 1608.02315).</p>"
    )
    yield from _claims(claims(results))
    for name, of_one in groupby(by_network(summaries(results)), key=lambda one: one.experiment):
        yield from _experiment(results.experiments[name], list(of_one))


def _claims(found: Sequence[Claim]) -> Iterator[str]:
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


def _experiment(experiment: Experiment, blocks: Sequence[Block]) -> Iterator[str]:
    hidden = {"name", "networks", "scores", "" if experiment.weights == "log-odds" else "epsilon"}
    design = (f"{k} {value}" for k, value in experiment.as_plain().items() if k not in hidden)
    compared = [one for block in blocks for one in block.cells if one.printed is not None]
    yield f"<h2>{escape(experiment.name)}</h2>"
    yield f'<p class="quiet">{escape("; ".join(design))}</p>'
    if compared:
        agrees = sum(one.agrees is True for one in compared)
        yield (
            f"<p>Means ± standard error (the paper's, difference). {agrees} of {len(compared)} "
            f"figures ({share(compared):.0%}) agree with the paper's: within 10 % of its Hamming "
            "distance, or within three standard errors of the difference. The others are "
            '<span class="off">marked</span>.</p>'
        )
    yield '<p class="key">'
    for score, search in experiment.scores:
        yield f'<span><b style="color:{COLOURS[score]}">●</b> {TITLES[score]} by {search}</span>'
    yield "</p>"
    for what, times in ((MEASURES[experiment.measure], False), ("seconds a search", True)):
        yield f'<h3>{what[0].upper()}{what[1:]}</h3><div class="charts">'
        for block in blocks:
            # Run times spread over many powers of ten.
            drawing = draw_chart(block.network, _series(block, times), what, logarithmic=times)
            yield f"<div>{drawing}</div>"
        yield "</div>"
    for block in blocks:
        yield from _table(block)


def _table(block: Block) -> Iterator[str]:
    yield f'<h3>{escape(block.network)}</h3><div class="wide"><table><tr><th>N'
    yield "".join(f"<th>{TITLES[score]}" for score, _ in block.learners)
    yield "</tr>"
    for rows, line in block.lines():
        yield f"<tr><td>{rows}{''.join(map(_cell, line))}</tr>"
    yield "</table></div>"


def _cell(one: Summary | None) -> str:
    if one is None:
        return "<td>–"
    return f"{'<td class=off>' if one.agrees is False else '<td>'}{one.text}"


# --- Line charts over N, as SVG -------------------------------------------------------------------

WIDTH, HEIGHT = 360.0, 250.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 18.0, 28.0, 34.0
TICKS = 5


class Point(NamedTuple):
    """One value over one N, with half the width of its band."""

    x: float
    y: float
    error: float = 0.0


class Series(NamedTuple):
    """One line, by ascending N; or hollow marks without a line, for the paper's figures."""

    label: str
    colour: str
    points: Sequence[Point]
    marks: bool = False


def _series(block: Block, times: bool) -> Iterator[Series]:
    """Our lines and the paper's marks: means with one standard error up and down, or run times."""
    for score, search in block.learners:
        ours, theirs = [], []
        for one in block.cells:
            if (one.score, one.search) == (score, search):
                error = 0.0 if times or math.isnan(one.error) else one.error
                ours.append(Point(one.rows, one.seconds if times else one.mean, error))
                figure = one.printed_seconds if times else one.printed
                if figure is not None:
                    theirs.append(Point(one.rows, figure))
        yield Series(f"{TITLES[score]} by {search}", COLOURS[score], ours)
        yield Series(f"{TITLES[score]}, the paper's", COLOURS[score], theirs, marks=True)


def draw_chart(
    title: str, series: Iterable[Series], unit: str, *, logarithmic: bool = False
) -> str:
    """Draw values over N; the horizontal axis is logarithmic, the vertical one if asked."""
    series = list(series)
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
    for label, colour, line, marks in series:
        name = f"<title>{escape(label)}"
        if marks:
            parts += [
                f'<circle cx="{x(p.x):.1f}" cy="{y(p.y):.1f}" r="3.5" stroke="{colour}">'
                f"{name}: {p.y:g}</title></circle>"
                for p in line
            ]
            continue
        middle = [f"{x(p.x):.1f},{y(p.y):.1f}" for p in line]
        upper = [f"{x(p.x):.1f},{y(p.y + p.error):.1f}" for p in line]
        lower = [f"{x(p.x):.1f},{y(p.y - p.error):.1f}" for p in reversed(line)]
        parts += [
            f'<polygon points="{" ".join(upper + lower)}" fill="{colour}" class="band"/>',
            f'<polyline points="{" ".join(middle)}" stroke="{colour}">{name}</title></polyline>',
        ]
    return "\n".join([*parts, "</svg>"])


def _ticks(points: Sequence[Point], logarithmic: bool) -> tuple[float, float, list[float]]:
    """The ends of a vertical axis that holds all points and bands, and its round numbers."""
    top = max(p.y + p.error for p in points)
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


def _part(value: float, low: float, high: float) -> float:
    """Where a value lies between two others, 0 to 1."""
    return (value - low) / (high - low)
