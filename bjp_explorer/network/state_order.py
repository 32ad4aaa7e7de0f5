"""Which variables have states that read as a scale: numbers, intervals, ordinals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

# A number in a label; a minus sign belongs to it where no other number ends before.
_NUMBER = re.compile(r"(?<!\w)-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?", re.IGNORECASE)
# What else numbers, ordinals and intervals consist of.
_REST = re.compile(
    r"(?:[\s\[\](){}<>≤≥=+~,;:.…%–—-]|∞|st|nd|rd|th|inf|to|and|or|up|over|under|below|above|from"
    r"|less|more|least|most|at)*",
    re.IGNORECASE,
)


def has_order(labels: Sequence[str]) -> bool:
    """Whether three or more states read as numbers or intervals that rise, or fall, throughout."""
    if len(labels) < 3:
        return False
    ends = []
    for label in labels:
        text = label.replace("−", "-")
        numbers = [float(each.replace(",", "")) for each in _NUMBER.findall(text)]
        if not numbers or not _REST.fullmatch(_NUMBER.sub(" ", text)):
            return False
        ends.append((numbers[0], numbers[-1]))
    steps = list(pairwise(ends))
    return all(a < b for a, b in steps) or all(a > b for a, b in steps)
