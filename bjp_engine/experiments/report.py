"""A report as one HTML file: figures, claims and tables, without scripts or links to elsewhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

import numpy as np

from bjp_engine.experiments.agreement import Agreement, agreement, share
from bjp_engine.experiments.charts import Point, Series, chart
from bjp_engine.experiments.claims import RIVALS, Claim, claims
from bjp_engine.experiments.description import Experiment
from bjp_engine.experiments.results import Results
from bjp_engine.experiments.summary import Key, Summary, summaries

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


def report_html(results: Results, path: str | Path) -> None:
    """Write a report."""
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
    of_all = summaries(results)
    for name, experiment in results.experiments.items():
        cells = [one for one in of_all if one.experiment == name]
        if cells:
            yield from _experiment(experiment, cells, compared)


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
    experiment: Experiment,
    cells: Sequence[Summary],
    compared: dict[Key, Agreement],
) -> Iterator[str]:
    """Figures and tables of one experiment."""
    of_this = [one for one in compared.values() if one.summary.experiment == experiment.name]
    yield f"<h2>{escape(experiment.name)}</h2>"
    yield f'<p class="quiet">{escape(_design(experiment))}</p>'
    if of_this:
        agrees = sum(one.agrees for one in of_this)
        yield (
            f"<p>{agrees} of {len(of_this)} figures ({share(of_this):.0%}) agree with the paper's: "
            "within 10 % of its Hamming distance, or within three standard errors of the "
            'difference. The others are <span class="off">marked</span>.</p>'
        )
    yield from _key(experiment)
    for what, value, printed in (
        (MEASURES[experiment.measure], _mean, lambda one: one.printed.value),
        ("seconds a search", _seconds, lambda one: one.printed.seconds),
    ):
        yield f'<h3>{what[0].upper()}{what[1:]}</h3><div class="charts">'
        for network, block in groupby(cells, key=lambda one: one.network):
            yield _chart(network, what, _series([*block], compared, value, printed))
        yield "</div>"
    for network, block in groupby(cells, key=lambda one: one.network):
        yield from _table(network, [*block], compared)


def _design(experiment: Experiment) -> str:
    """The description in a line."""
    plain = experiment.as_plain()
    hidden = {"name", "networks", "scores", *({"epsilon"} - {*_of_weights(experiment)})}
    return "; ".join(f"{key} {value}" for key, value in plain.items() if key not in hidden)


def _of_weights(experiment: Experiment) -> tuple[str, ...]:
    """The keys that the distribution reads."""
    return ("epsilon",) if experiment.weights == "log-odds" else ()


def _key(experiment: Experiment) -> Iterator[str]:
    """Which colour is which score."""
    yield '<p class="key">'
    for score, search in experiment.scores:
        yield f'<span><b style="color:{COLOURS[score]}">●</b> {TITLES[score]} by {search}</span>'
    yield "</p>"


def _mean(one: Summary) -> Point:
    """A mean with one standard error up and down."""
    error = 0.0 if math.isnan(one.error) else one.error
    return Point(one.rows, one.mean, one.mean - error, one.mean + error)


def _seconds(one: Summary) -> Point:
    """A run time."""
    return Point(one.rows, one.seconds, one.seconds, one.seconds)


def _series(
    cells: Sequence[Summary],
    compared: dict[Key, Agreement],
    value: Callable[[Summary], Point],
    printed: Callable[[Agreement], float | None],
) -> list[Series]:
    """Our lines and the paper's marks."""
    found = []
    for score, search in dict.fromkeys((one.score, one.search) for one in cells):
        mine = [one for one in cells if (one.score, one.search) == (score, search)]
        colour, label = COLOURS[score], f"{TITLES[score]} by {search}"
        found.append(Series(label, colour, [value(one) for one in mine]))
        beside = [(one.rows, compared[one.key]) for one in mine if one.key in compared]
        figures = [(rows, printed(one)) for rows, one in beside]
        marks = [Point(rows, y, y, y) for rows, y in figures if y is not None]
        found.append(Series(f"{TITLES[score]}, the paper's", colour, marks, marks=True))
    return found


def _chart(network: str, what: str, series: Sequence[Series]) -> str:
    """A figure; run times spread over many powers of ten."""
    return f"<div>{chart(network, series, what, logarithmic=what.startswith('seconds'))}</div>"


def _table(
    network: str,
    cells: Sequence[Summary],
    compared: dict[Key, Agreement],
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


def _numbers(one: Summary | None, compared: dict[Key, Agreement]) -> str:
    """Ours, the paper's and the difference."""
    if one is None:
        return "<td>–<td><td>"
    digits = 2 if one.measure == "success" else 1
    error = "" if math.isnan(one.error) else f" ± {one.error:.{digits}f}"
    ours = f"<td>{one.mean:.{digits}f}{error}"
    beside = compared.get(one.key)
    if beside is None:
        return f"{ours}<td><td>"
    mark = "" if beside.agrees else ' class="off"'
    return (
        f'{ours}<td class="quiet">{beside.printed.value:.{digits}f}'
        f"<td><span{mark}>{beside.difference:+.{digits}f}</span>"
    )
