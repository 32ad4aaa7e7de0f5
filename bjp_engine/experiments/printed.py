"""The paper's printed figures: tables 1 to 4 of arXiv 1608.02315."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from bjp_engine._resources import sample_data
from bjp_engine.errors import OptionError, clip
from bjp_engine.experiments.description import Measure

SCORES = ("mpl", "ib", "bjp")
# How many datasets a printed mean is over.
REPEATS = 100


@dataclass(frozen=True, slots=True)
class Printed:
    """One printed figure.

    Parameters
    ----------
    rows : int
        N.
    measure : {"hamming", "success"}
        Mean Hamming distance, or how often the network itself was learned, 0 to 1.
    spread : float or None
        The number printed behind ±, best read as a standard error; table 1 has none.
    seconds : float or None
        Run time; table 1 has none.
    """

    network: str
    rows: int
    score: str
    measure: Measure
    value: float
    spread: float | None
    seconds: float | None


def printed(table: str) -> tuple[Printed, ...]:
    """What the paper prints in a table."""
    tables = _tables()
    if table not in tables:
        raise OptionError(f"There is no table {clip(table)}; choose from {', '.join(tables)}.")
    return tables[table]


def is_printed(table: str) -> bool:
    """Whether the paper has a table of this name."""
    return table in _tables()


@cache
def _tables() -> dict[str, tuple[Printed, ...]]:
    """All figures by table."""
    found: dict[str, list[Printed]] = {}
    path = sample_data() / "paper" / "tables.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            found.setdefault(f"table-{row['table']}", []).extend(_figures(row))
    return {table: tuple(figures) for table, figures in found.items()}


def _figures(row: dict[str, str]) -> Iterator[Printed]:
    """The three figures of a line."""
    measure: Measure = "success" if row["measure"] == "success_rate" else "hamming"
    for score in SCORES:
        spread, seconds = (
            float(row[f"{score}_{what}"]) if row[f"{score}_{what}"] else None
            for what in ("spread", "seconds")
        )
        where = (row["network"], int(row["rows"]), score)
        yield Printed(*where, measure, float(row[score]), spread, seconds)
