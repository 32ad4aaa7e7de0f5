"""How time grows with the number of variables and of rows: docs/images/performance.svg."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

import bjp_engine as bjp
from benchmarks import samples
from benchmarks.measure import median_ready
from bjp_engine.search import PUBLISHED

IMAGE = Path(__file__).parents[1] / "docs" / "images" / "performance.svg"
METHODS = {"bjp": "BJP", "ib": "IB-score", "mpl": "MPL"}
VARIABLES = (16, 32, 64, 128, 256, 512, 1000, 2000)
ROWS = (1000, 10_000, 100_000, 1_000_000, 10_000_000)
Curves = dict[str, list[tuple[float, float]]]

# One panel, in pixels; and what of the time axis is shown, in powers of ten.
WIDTH, HEIGHT, LEFT, TOP = 360, 300, 70, 46
LOW, HIGH = -4, 2
STYLE = """
text { font: 13px sans-serif; fill: #333; } .axis, .grid { stroke: #333; fill: none; }
.grid { stroke-opacity: .15; } .title { font-weight: 600; }
.bjp { stroke: #0b6e99; } .ib { stroke: #b3541e; } .mpl { stroke: #5b7d1f; }
polyline { fill: none; stroke-width: 2; } circle { stroke-width: 2; fill: #fff; }
.back { fill: #fff; }
@media (prefers-color-scheme: dark) { text { fill: #ddd; } .axis, .grid { stroke: #ddd; }
.bjp { stroke: #59c0ee; } .ib { stroke: #f0955a; } .mpl { stroke: #a9d15a; }
.back, circle { fill: #0e1117; } }
"""


def seconds(data: bjp.Dataset, method: str) -> float:
    """The median of a learn on a new dataset; once where it takes long."""
    cells = data.rows * data.n**2
    repeats = 1 if cells > 10**9 else 5
    return median_ready(
        partial(samples.anew, data),
        lambda table: bjp.learn(table, method, PUBLISHED[method]),
        repeats,
    )


def by_variables() -> Curves:
    """n variables with three neighbours each, 8000 rows."""
    found: Curves = {method: [] for method in METHODS}
    for n in VARIABLES:
        data = samples.regular(n)
        for method in METHODS:
            found[method].append((n, seconds(data, method)))
    return found


def by_rows() -> Curves:
    """Sixteen dependent pairs, N rows."""
    found: Curves = {method: [] for method in METHODS}
    for rows in ROWS:
        data = samples.dependent_pairs(32, rows)
        for method in METHODS:
            found[method].append((rows, seconds(data, method)))
    return found


def panel(title: str, unit: str, curves: Curves, left: float) -> list[str]:
    """One set of axes with its curves, log-log."""
    across = [x for points in curves.values() for x, _ in points]
    least, most = math.log10(min(across)), math.log10(max(across))

    def place(x: float, y: float) -> tuple[float, float]:
        along = (math.log10(x) - least) / (most - least)
        up = (math.log10(y) - LOW) / (HIGH - LOW)
        return left + along * WIDTH, TOP + HEIGHT - up * HEIGHT

    bottom = TOP + HEIGHT
    parts = [f'<text class="title" x="{left}" y="{TOP - 16}">{title}</text>']
    for power in range(LOW, HIGH + 1):
        y = place(min(across), 10.0**power)[1]
        parts.append(f'<path class="grid" d="M{left} {y:.1f}h{WIDTH}"/>')
        label = f"{10.0**power:g} s" if power >= 0 else f"{1000 * 10.0**power:g} ms"
        parts.append(f'<text text-anchor="end" x="{left - 8}" y="{y + 4:.1f}">{label}</text>')
    for x in sorted(set(across)):
        at = place(x, 1.0)[0]
        parts.append(f'<path class="axis" d="M{at:.1f} {bottom}v5"/>')
        parts.append(f'<text text-anchor="middle" x="{at:.1f}" y="{bottom + 20}">{short(x)}</text>')
    parts.append(f'<path class="axis" d="M{left} {TOP}V{bottom}h{WIDTH}"/>')
    middle = left + WIDTH / 2
    parts.append(f'<text text-anchor="middle" x="{middle}" y="{bottom + 42}">{unit}</text>')
    for method, points in curves.items():
        spots = [place(x, y) for x, y in points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        parts.append(f'<polyline class="{method}" points="{line}"/>')
        parts += [f'<circle class="{method}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in spots]
    return parts


def short(x: float) -> str:
    """1000000 as 1 M."""
    if x >= 1e6:
        return f"{x / 1e6:g} M"
    return f"{x / 1e3:g} k" if x >= 1e4 else f"{x:g}"


def draw(variables: Curves, rows: Curves) -> str:
    """The whole figure."""
    second = LEFT + WIDTH + 90
    parts = [
        *panel("N = 8000, three neighbours each", "variables n", variables, LEFT),
        *panel("n = 32, dependent pairs", "rows N", rows, second),
    ]
    for k, (method, title) in enumerate(METHODS.items()):
        x, y = LEFT + 16, TOP + 16 + 20 * k
        parts.append(f'<path class="{method}" stroke-width="2" d="M{x} {y}h24"/>')
        parts.append(f'<text x="{x + 32}" y="{y + 4}">{title}</text>')
    size = f"{second + WIDTH + 30} {TOP + HEIGHT + 60}"
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}">\n<style>{STYLE}</style>\n'
        f'<rect class="back" width="100%" height="100%"/>\n{body}\n</svg>\n'
    )


def show(title: str, curves: Curves) -> None:
    """The figures as a table."""
    print(f"\n| {title} | " + " | ".join(METHODS.values()) + " |")
    print("|---" * (1 + len(METHODS)) + "|")
    for points in zip(*curves.values(), strict=True):
        cells = " | ".join(f"{1000 * y:,.3g} ms" if y < 1 else f"{y:.2f} s" for _, y in points)
        print(f"| {points[0][0]:,} | {cells} |")


def main() -> None:
    """Measure, print and draw."""
    variables, rows = by_variables(), by_rows()
    show("n (N = 8000)", variables)
    show("N (n = 32)", rows)
    IMAGE.write_text(draw(variables, rows), encoding="utf-8")
    print("\ndocs/images/performance.svg")
