"""What the bet wins and costs on stars: the table that `python -m benchmarks bets` writes."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

from bjp_explorer.lessons.model import Payload
from bjp_explorer.shell.phrases import say
from bjp_explorer.shell.text import count

FILE = Path(__file__).with_name("bets.csv")
WEIGHTS, ROWS = ("log-odds", "clique-log-weights"), (100, 250, 1000, 4000)
LEAVES, SCORES, SAMPLES = (2, 4, 6, 8, 10), ("bjp", "ib", "mpl"), 100
_DIFFERENCE = "bjp - ib"


@cache
def figures() -> dict[tuple[str, int, int, str], tuple[float, float]]:
    """Mean wrong edges and their standard error by weights, rows, leaves and score."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return {
            (row["weights"], int(row["rows"]), int(row["leaves"]), row["of"]): (
                float(row["wrong"]),
                float(row["error"]),
            )
            for row in csv.DictReader(file)
        }


def compare(weights: str, rows: int) -> tuple[int, int]:
    """For how many leaves BJP has clearly fewer wrong edges than IB-score, and clearly more.

    Clearly: by more than two standard errors of the difference on the same samples.
    """
    found = [figures()[weights, rows, leaves, _DIFFERENCE] for leaves in LEAVES]
    better = sum(mean < -2 * error for mean, error in found)
    return better, sum(mean > 2 * error for mean, error in found)


def scene(weights: str, rows: int) -> Payload:
    """The table of a number of rows, and what it shows."""
    table = [
        [str(leaves), *(_cell(*figures()[weights, rows, leaves, score]) for score in SCORES)]
        for leaves in LEAVES
    ]
    better, worse = compare(weights, rows)
    said = say(
        "irregular.bets.found",
        rows=count(rows, "row"),
        better=str(better),
        worse=str(worse),
        even=str(len(LEAVES) - better - worse),
    )
    head = [say("irregular.bets.leaves"), "BJP", "IB-score", "MPL"]
    return {"table": {"head": head, "rows": table}, "say": [said]}


def _cell(mean: float, error: float) -> str:
    return f"{mean:.2f} ± {error:.2f}"
