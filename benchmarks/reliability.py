"""A reliability diagram, a panel a distribution: docs/images/calibration.svg."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path

import numpy as np

from benchmarks.accuracy.figure import style
from benchmarks.accuracy.groups import DISTRIBUTIONS, ROWS
from bjp_engine.arrays import Bools, Floats

IMAGE = Path(__file__).parents[1] / "docs" / "images" / "calibration.svg"
ABOUT = "Share of edges among pairs by their probability, bins of 20 pairs or more"
# One panel, in pixels.
SIDE, LEFT, TOP, GAP, ACROSS = 240, 64, 84, 90, 3
LEAST = 20
Points = list[tuple[float, float]]


def bins(found: Floats, edge: Bools) -> Points:
    """Mean probability and share of edges of each tenth that holds enough pairs."""
    which = np.minimum((10 * found).astype(int), 9)
    each = [which == k for k in range(10)]
    return [
        (float(found[those].mean()), float(edge[those].mean()))
        for those in each
        if those.sum() >= LEAST
    ]


def draw(found: Mapping[tuple[str, int], Points]) -> str:
    """The whole figure."""
    parts = [f'<text x="{LEFT}" y="26">{ABOUT}</text>']
    for k, kind in enumerate((*DISTRIBUTIONS, None)):
        left = LEFT + (k % ACROSS) * (SIDE + GAP)
        top = TOP + (k // ACROSS) * (SIDE + GAP)
        if kind is None:
            parts += _legend(left, top)
        else:
            parts += _panel(kind, [found.get((kind, rows), []) for rows in ROWS], left, top)
    size = f"{LEFT + ACROSS * (SIDE + GAP) - 40} {TOP + 2 * (SIDE + GAP) - 10}"
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}">\n'
        f"<style>{style(len(ROWS))}"
        f'</style>\n<rect class="back" width="100%" height="100%"/>\n{body}\n</svg>\n'
    )


def _panel(title: str, lines: list[Points], left: int, top: int) -> list[str]:
    """One square with its diagonal, on which calibrated probabilities lie."""
    parts = [f'<text class="title" x="{left}" y="{top - 14}">{escape(title)}</text>']
    for k in range(6):
        at = SIDE * k / 5
        parts.append(f'<path class="grid" d="M{left} {top + SIDE - at:.0f}h{SIDE}"/>')
        parts.append(
            f'<text text-anchor="end" x="{left - 8}" y="{top + SIDE - at + 4:.0f}">{k / 5:g}</text>'
        )
        parts.append(
            f'<text text-anchor="middle" x="{left + at:.0f}" y="{top + SIDE + 20}">{k / 5:g}</text>'
        )
    parts.append(f'<path class="axis" d="M{left} {top}v{SIDE}h{SIDE}"/>')
    parts.append(f'<path class="axis" d="M{left} {top + SIDE}l{SIDE} -{SIDE}"/>')
    for k, points in enumerate(lines):
        spots = [(left + SIDE * x, top + SIDE - SIDE * y) for x, y in points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        parts.append(f'<polyline class="m{k}" points="{line}"/>')
        parts += [f'<circle class="m{k}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in spots]
    return parts


def _legend(left: int, top: int) -> list[str]:
    """Which line has how many rows, and what the axes are."""
    parts = []
    for k, rows in enumerate(ROWS):
        y = top + 12 + 24 * k
        parts.append(f'<path class="m{k}" stroke-width="2" d="M{left} {y}h36"/>')
        parts.append(f'<text x="{left + 44}" y="{y + 4}">{rows:,} rows</text>')
    for k, line in enumerate(("horizontal axis: probability", "vertical axis: share of edges")):
        parts.append(f'<text x="{left}" y="{top + 110 + 20 * k}">{line}</text>')
    return parts
