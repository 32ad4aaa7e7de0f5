"""Wrong edges beside true edges as rows grow, a panel a distribution: docs/images/accuracy.svg."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from statistics import fmean

from benchmarks.accuracy.groups import DISTRIBUTIONS, ROWS
from benchmarks.accuracy.methods import ALL, PAPER, SUBJECT, titles
from benchmarks.accuracy.standing import Means
from benchmarks.curves import STYLE, short

IMAGE = Path(__file__).parents[2] / "docs" / "images" / "accuracy.svg"
# Light and dark, and the dashes; the engine's two are drawn without, and as many peers as are left.
LOOKS = (
    ("#0b6e99", "#59c0ee", "none"),
    ("#b3541e", "#f0955a", "none"),
    ("#5b7d1f", "#a9d15a", "7 3"),
    ("#7a4fa3", "#c3a0ea", "2 3"),
    ("#a8324e", "#f08aa2", "9 3 2 3"),
    ("#6b6b6b", "#b5b5b5", "4 4"),
    ("#8a6d00", "#e3c34d", "1 4"),
)
# One panel, in pixels.
WIDTH, HEIGHT, LEFT, TOP, GAP, ACROSS = 250, 200, 60, 76, 80, 3
ABOUT = "Wrong edges per true edge by the number of rows, mean of the groups of a distribution"
Curves = dict[str, list[tuple[int, float]]]


def shown(methods: Sequence[str]) -> list[str]:
    """The method that is judged and the paper's search, then the peers that stand best."""
    own = {name for one in ALL if one.ours for name in one.rows.values()}
    ours = [name for name in (SUBJECT, PAPER) if name in methods]
    return (ours + [name for name in methods if name not in own])[: len(LOOKS)]


def curves(table: Means, distribution: str, methods: Sequence[str]) -> Curves:
    """Distance over the number of true edges, the mean of the groups where all shown have one."""
    found: Curves = {}
    for rows in ROWS:
        cells = [
            those
            for group, those in table.items()
            if (group.distribution, group.rows) == (distribution, rows)
        ]
        # One that takes binary data only does not decide on which of the others are compared.
        present = [m for m in methods if 2 * sum(m in those for those in cells) > len(cells)]
        common = [those for those in cells if all(name in those for name in present)]
        for name in present if common else ():
            share = fmean(those[name].hamming / those[name].true for those in common)
            found.setdefault(name, []).append((rows, share))
    return found


def panel(title: str, lines: Curves, classes: dict[str, str], left: float, top: float) -> list[str]:
    """One set of axes with its curves."""
    most = max((y for points in lines.values() for _, y in points), default=1.0)
    most = math.ceil(5 * most) / 5 or 0.2
    first, last = math.log(ROWS[0]), math.log(ROWS[-1])

    def place(rows: int, y: float) -> tuple[float, float]:
        along = (math.log(rows) - first) / (last - first)
        return left + 12 + along * (WIDTH - 24), top + HEIGHT - y / most * HEIGHT

    parts = [f'<text class="title" x="{left}" y="{top - 14}">{escape(title)}</text>']
    for k in range(5):
        y = place(ROWS[0], most * k / 4)[1]
        parts.append(f'<path class="grid" d="M{left} {y:.1f}h{WIDTH}"/>')
        label = f"{100 * most * k / 4:.0f} %"
        parts.append(f'<text text-anchor="end" x="{left - 8}" y="{y + 4:.1f}">{label}</text>')
    for rows in ROWS:
        at = place(rows, 0)[0]
        label = f'<text text-anchor="middle" x="{at:.1f}" y="{top + HEIGHT + 20}">{short(rows)}'
        parts.append(label + "</text>")
    parts.append(f'<path class="axis" d="M{left} {top}V{top + HEIGHT}h{WIDTH}"/>')
    for name, points in lines.items():
        spots = [place(x, y) for x, y in points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        parts.append(f'<polyline class="{classes[name]}" points="{line}"/>')
        parts += [
            f'<circle class="{classes[name]}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in spots
        ]
    return parts


def style(many: int) -> str:
    """The looks of as many curves, for light and dark pages."""
    light, dark = (
        " ".join(f".m{k} {{ stroke: {look[side]}; }}" for k, look in enumerate(LOOKS[:many]))
        for side in (0, 1)
    )
    dashes = " ".join(
        f"polyline.m{k}, path.m{k} {{ stroke-dasharray: {look[2]}; }}"
        for k, look in enumerate(LOOKS[:many])
    )
    return f"{STYLE}{light}\n{dashes}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n"


def draw(table: Means, methods: Sequence[str]) -> str:
    """The whole figure."""
    names, known = shown(methods), titles()
    classes = {name: f"m{k}" for k, name in enumerate(names)}
    parts = [f'<text x="{LEFT}" y="26">{ABOUT}</text>']
    for k, distribution in enumerate(DISTRIBUTIONS):
        left = LEFT + (k % ACROSS) * (WIDTH + GAP)
        top = TOP + (k // ACROSS) * (HEIGHT + 90)
        parts += panel(distribution, curves(table, distribution, names), classes, left, top)
    left = LEFT + (len(DISTRIBUTIONS) % ACROSS) * (WIDTH + GAP)
    top = TOP + (len(DISTRIBUTIONS) // ACROSS) * (HEIGHT + 90)
    for k, name in enumerate(names):
        y = top + 8 + 24 * k
        parts.append(f'<path class="{classes[name]}" stroke-width="2" d="M{left} {y}h36"/>')
        parts.append(f'<text x="{left + 44}" y="{y + 4}">{escape(known.get(name, name))}</text>')
    size = f"{LEFT + ACROSS * (WIDTH + GAP)} {TOP + 2 * (HEIGHT + 90) - 30}"
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}">\n<style>{style(len(names))}'
        f'</style>\n<rect class="back" width="100%" height="100%"/>\n{body}\n</svg>\n'
    )
