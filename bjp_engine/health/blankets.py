"""How large a blanket the rows allow: configurations, rows in each, and what a slice can tell.

A test given a blanket falls into a slice for each of the blanket's configurations. A slice of few
rows moves the posterior little, however strong the dependence: that is the measure here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import lgamma

from bjp_engine.health import thresholds as bounds
from bjp_engine.validate import entries, whole_number

# Larger blankets are not looked at.
MOST_NEIGHBOURS = 8


@dataclass(frozen=True)
class BlanketLimit:
    """How large a blanket a number of rows allows."""

    rows: int
    states: float  # the typical number of a variable: the geometric mean
    needed: int  # rows without which a slice of two binary variables can't reach odds of 19 to 1
    largest: int  # size d that leaves so many rows to a configuration; -1 where not even 0 does

    def rows_given(self, size: int) -> float:
        """The rows that a configuration of so many typical neighbours has on average."""
        return self.rows / self.states**size


@cache
def slice_rows(r: int, s: int, odds: float = bounds.ODDS) -> int:
    """How many rows a slice of r × s states needs to support dependence at some odds."""
    rows = 1
    while log_odds_at_best(rows, r, s) < math.log(odds):
        rows += 1
    return rows


def log_odds_at_best(rows: int, r: int, s: int) -> float:
    """ln h − ln g of rows spread evenly over pairs of states that go together."""
    pairs = min(r, s)
    cells = [rows // pairs + (k < rows % pairs) for k in range(pairs)]
    joint = sum(lgamma(1 + cell) for cell in cells)
    h = lgamma(r * s) - lgamma(r * s + rows) + joint
    g = sum(lgamma(states) - lgamma(states + rows) + joint for states in (r, s))
    return h - g


def blanket_limit(rows: int, states: Sequence[int]) -> BlanketLimit:
    """The largest blanket that so many rows support, by the states r_i of each variable."""
    whole_number(rows, "rows")
    counts = [whole_number(r, "states", 1) for r in entries(states, "states")]
    several = [r for r in counts if r > 1]
    typical = math.exp(sum(map(math.log, several)) / len(several)) if several else 2.0
    needed = slice_rows(2, 2)
    sizes = range(min(max(0, len(several) - 1), MOST_NEIGHBOURS) + 1)
    largest = max((d for d in sizes if rows / typical**d >= needed), default=-1)
    return BlanketLimit(rows, typical, needed, largest)
