"""What the bet wins and costs on stars: the table that `python -m benchmarks bets` writes."""

from __future__ import annotations

import csv
from functools import cache
from itertools import product
from pathlib import Path

from bjp_explorer.lessons.model import Payload
from bjp_explorer.shell.phrases import say
from bjp_explorer.shell.text import number

FILE = Path(__file__).with_name("bets.csv")
WEIGHTS, ROWS = ("log-odds", "clique-log-weights"), (100, 250, 1000, 4000)
LEAVES, SCORES, SAMPLES = (2, 4, 6, 8, 10), ("bjp", "ib", "mpl"), 100
NAMES = ("BJP", "IB-score", "MPL")
COLUMNS = (*SCORES, "bjp - ib")
# The length of the bars: more than any mean in the table.
MOST = 10.0


@cache
def figures() -> dict[tuple[str, int, int], dict[str, tuple[float, float]]]:
    """Mean wrong edges with their standard error by weights, rows and leaves, for each column."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return {
            (row["weights"], int(row["rows"]), int(row["leaves"])): {
                name: (float(row[name]), float(row[f"{name} error"])) for name in COLUMNS
            }
            for row in csv.DictReader(file)
        }


def clearly(weights: str, rows: int, leaves: int) -> int:
    """−1 where BJP has clearly fewer wrong edges than IB-score, 1 where clearly more, else 0.

    Clearly: by more than two standard errors of the difference on the same samples.
    """
    mean, error = figures()[weights, rows, leaves]["bjp - ib"]
    return (mean > 2 * error) - (mean < -2 * error)


def summary() -> dict[str, int]:
    """In how many settings BJP has clearly fewer wrong edges than IB-score, and clearly more."""
    found = [clearly(*setting) for setting in product(WEIGHTS, ROWS, LEAVES)]
    return {
        "settings": len(found),
        "better": found.count(-1),
        "worse": found.count(1),
        "even": found.count(0),
        "samples": SAMPLES,
    }


def scene(weights: str, rows: int, leaves: int) -> Payload:
    """The wrong edges of the scores in one setting, and what they show."""
    found = figures()[weights, rows, leaves]
    mean, error = (number(value, 2) for value in found["bjp - ib"])
    verdict = ("even", "worse", "better")[clearly(weights, rows, leaves)]
    return {
        "bars": [
            {"label": name, "value": found[score][0], "error": found[score][1], "most": MOST}
            for name, score in zip(NAMES, SCORES, strict=True)
        ],
        "say": [say(f"irregular.bets.{verdict}", difference=mean, error=error)],
    }
