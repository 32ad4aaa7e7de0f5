"""`python -m benchmarks bets`: what skipping half of the tests wins and costs, on stars.

Stars of 2 to 10 leaves with strong edges (log odds ratios of 1) and weak ones (clique log-weights
of the paper), sampled exactly; each score searches as it was published. The lesson on the bet shows
the table that this writes. Its seeds are in no example of the lessons.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from itertools import chain
from statistics import fmean, stdev
from typing import Any

import networkx as nx

import bjp_engine as bjp
from bjp_engine.search import PUBLISHED
from bjp_explorer.lessons.irregular import COLUMNS, FILE, LEAVES, ROWS, SAMPLES, SCORES, WEIGHTS

SEEDS = range(40_000, 40_000 + SAMPLES)


def wrong_edges(leaves: int, rows: int, weights: Any, seed: int) -> list[int]:
    """Wrong edges of the graph that each score finds in one sample."""
    star = nx.star_graph(leaves)
    data = bjp.sampling.random_model(star, weights, seed=seed).sample(rows, seed)
    found = (bjp.learn(data, score, PUBLISHED[score]).graph for score in SCORES)
    return [bjp.metrics.hamming(star, graph) for graph in found]


def figures(values: Sequence[int]) -> tuple[str, str]:
    """A mean and its standard error."""
    return f"{fmean(values):.2f}", f"{stdev(values) / len(values) ** 0.5:.3f}"


def main() -> None:
    """Sample, search, and write the file of the lesson."""
    with FILE.open("w", encoding="utf-8", newline="") as file:
        made = csv.writer(file, lineterminator="\n")
        columns = chain.from_iterable((name, f"{name} error") for name in COLUMNS)
        made.writerow(("weights", "rows", "leaves", *columns))
        for weights in WEIGHTS:
            for rows in ROWS:
                for leaves in LEAVES:
                    each = [wrong_edges(leaves, rows, weights, seed) for seed in SEEDS]
                    values = [*zip(*each, strict=True), [one[0] - one[1] for one in each]]
                    found = chain.from_iterable(map(figures, values))
                    made.writerow((weights, rows, leaves, *found))
                print(weights, rows, flush=True)
