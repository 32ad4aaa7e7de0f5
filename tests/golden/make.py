"""Write the golden files from the oracles: `python -m tests.golden.make`."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from tests import oracles

HERE = Path(__file__).parent
CORONARY = HERE.parents[1] / "sample_data" / "datasets" / "coronary.csv"

TABLES = [
    [[2, 0], [0, 2]],
    [[1, 1], [1, 1]],
    [[1, 0], [0, 0]],
    [[3, 0], [0, 0]],
    [[10, 20], [30, 60]],
    [[10, 20], [60, 30]],
    [[5, 1, 0], [0, 3, 7]],
    [[7, 0, 2, 1], [0, 9, 0, 0], [4, 4, 4, 4]],
    [[0, 0, 0, 0, 0, 12], [1, 0, 3, 0, 0, 0]],
    [[250, 3], [2, 245]],
    [[100, 100], [100, 101]],
]


def posteriors() -> list[dict[str, object]]:
    """Exact posteriors of small tables."""
    return [{"table": t, "independent": str(oracles.exact_posterior(t))} for t in TABLES]


def read_coronary() -> tuple[list[str], list[tuple[int, ...]], list[int]]:
    """Names, codes (states in sorted order) and numbers of states."""
    with CORONARY.open(newline="", encoding="utf-8") as file:
        names, *rows = list(csv.reader(file))
    columns = list(zip(*rows, strict=True))
    states = [sorted(set(column)) for column in columns]
    codes = [[own.index(v) for v in col] for own, col in zip(states, columns, strict=True)]
    return names, list(zip(*codes, strict=True)), [len(own) for own in states]


def coronary() -> dict[str, object]:
    """The search of each score on the coronary data."""
    names, rows, cards = read_coronary()
    searches = {
        "bjp": oracles.ibmap_hc(rows, cards, "bjp"),
        "ib": oracles.ibmap_hc(rows, cards, "ib"),
        "mpl": oracles.mpl_hc(rows, cards),
        "near": oracles.ibmap_hc(rows, cards, "near"),
    }
    out: dict[str, object] = {}
    for method, search in searches.items():
        order = oracles.degree_order(search.edges, len(cards))
        out[method] = {
            "flips": [[names[i], names[j]] for i, j in search.flips],
            "scores": [float(value) for value in search.scores],
            "rejected": search.rejected and [names[i] for i in search.rejected],
            "edges": sorted(sorted(names[i] for i in edge) for edge in search.edges),
            "order": [names[i] for i in order],
        }
    return out


def main() -> None:
    """Write every file."""
    for name, content in (("posteriors", posteriors()), ("coronary", coronary())):
        path = HERE / f"{name}.json"
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
