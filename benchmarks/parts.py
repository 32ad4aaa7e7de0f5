"""What the parts of `auto` bring: the distance to the truth with each of them taken out.

On networks and distributions of `benchmarks.accuracy`, with the seeds that choices are made on.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from statistics import fmean
from unittest.mock import patch

import numpy as np

import bjp_engine as bjp
from benchmarks import marked
from benchmarks.accuracy.groups import DISTRIBUTIONS, Sample, groups, make
from bjp_engine.arrays import Floats
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency
from bjp_engine.progress import Progress

SEEDS = range(2000, 2004)
Part = Callable[[], AbstractContextManager[object]]


def nobody(data: Dataset, _watch: Progress) -> Adjacency:
    """No pair is kept by both ends."""
    return np.zeros((data.n, data.n), dtype=np.bool_)


def nowhere(data: Dataset, *_given: object) -> Floats:
    """No pair is in a forest."""
    return np.full((data.n, data.n), -np.inf)


def unchanged(odds: Floats, *_given: object) -> Floats:
    """Nothing is corrected."""
    return np.zeros_like(odds)


def whole(data: Dataset) -> Floats:
    """Tables count as the models of binary variables do."""
    return np.ones((data.n, data.n))


def uncorrected() -> AbstractContextManager[object]:
    """Neither for edges that are barely found nor for those off the forest."""
    name = "bjp_engine.search.auto.evidence"
    return patch.multiple(name, few_weak=unchanged, off_the_forest=unchanged)


VARIANTS: dict[str, Part] = {
    "`auto`": nullcontext,
    "without the regression on all at once": lambda: patch(
        "bjp_engine.search.auto.evidence.kept_by_both", nobody
    ),
    "without the forest": lambda: patch("bjp_engine.search.auto.evidence.forest_odds", nowhere),
    "without the corrections": uncorrected,
    "without logistic regression": lambda: patch(
        "bjp_engine.search.auto.nodewise.binary_part", lambda _data: None
    ),
    "blankets of at most eight": lambda: patch(
        "bjp_engine.search.auto.nodewise.extend_blanket", lambda *_given: -math.inf
    ),
    "tables in full": lambda: patch("bjp_engine.search.auto.evidence.table_share", whole),
    "all that tables have against an edge": lambda: patch(
        "bjp_engine.search.auto.nodewise._MOST_AGAINST", math.inf
    ),
}
Shares = dict[tuple[str, int], dict[str, list[float]]]


def measured() -> Shares:
    """Wrong edges per true edge by distribution and rows, for each variant."""
    found: Shares = defaultdict(lambda: defaultdict(list))
    for group in groups():
        for seed in SEEDS:
            data, truth = make(Sample(group, seed))
            for name, part in VARIANTS.items():
                with part():
                    learned = bjp.learn(data, "bjp", "auto").graph
                share = bjp.metrics.hamming(truth, learned) / truth.number_of_edges()
                found[group.distribution, group.rows][name].append(share)
    return found


def table(found: Shares) -> str:
    """A line for each distribution and number of rows."""
    lines = [f"| distribution | N | {' | '.join(VARIANTS)} |", "| --- " * (2 + len(VARIANTS)) + "|"]
    for kind, rows in sorted(found, key=lambda key: (DISTRIBUTIONS.index(key[0]), key[1])):
        cells = (f"{fmean(found[kind, rows][name]):.3f}" for name in VARIANTS)
        lines.append(f"| {kind} | {rows} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Print it, and write it into docs/auto.md."""
    text = table(measured())
    print(text)
    marked.write("auto.md", "parts", text)
