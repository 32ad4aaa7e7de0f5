"""The paper's claims in words: each with its verdict, its difference and its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bjp_engine.experiments import Claim
from bjp_explorer.shell.text import markdown, number, together

KINDS = {
    "fewer errors": "BJP is at least as close to the true network, where the paper prints it so",
    "grows with n": "BJP’s improvement grows with the number of nodes",
    "grows with irregularity": "BJP’s improvement grows with irregularity",
    "fewer tests": "BJP needs fewer tests",
}
_RATE = "rate of success"
VERDICTS = {"holds": "✓ holds", "open": "? open", "refuted": "✗ refuted"}


def claim(one: Claim, sizes: Sequence[int]) -> str:
    """A claim with its verdict, the paired difference and its interval, as Markdown."""
    # A difference of success rates is written in percentage points.
    scale = 100 if one.unit.startswith(_RATE) else 1
    unit = one.unit.replace(_RATE, "percentage points")
    interval = "no interval yet"
    if not math.isnan(one.low):
        interval = f"{figure(scale * one.low)} to {figure(scale * one.high)}"
    return (
        f"**{VERDICTS[one.verdict]}** · {markdown(one.sentence)}: "
        f"{figure(scale * one.estimate)} {unit} ({interval}){_where(one.rows, sorted(sizes))}"
    )


def _where(rows: Sequence[int], sizes: Sequence[int]) -> str:
    """The N of a claim, where they are not all."""
    if list(rows) == list(sizes):
        return ""
    if list(rows) == list(sizes[: len(rows)]):
        return f", N ≤ {rows[-1]:,}"
    return f", N = {together([f'{n:,}' for n in rows])}"


def tally(found: Sequence[Claim]) -> str:
    """How many of some claims hold."""
    parts = []
    for name, verdict in VERDICTS.items():
        many = sum(one.verdict == name for one in found)
        if many:
            mark, word = verdict.split(" ", 1)
            parts.append(f"{mark} {many} {word if many == 1 else word.removesuffix('s')}")
    return ", ".join(parts)


def figure(value: float) -> str:
    """A number to three digits, with a true minus sign."""
    digits = 0 if value == 0 else max(0, 2 - math.floor(math.log10(abs(value))))
    return number(value, min(digits, 6))
