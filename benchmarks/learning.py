"""Whole learns: the paper's largest case, and how the time grows with n."""

from __future__ import annotations

from functools import partial

import bjp_engine as bjp
from benchmarks.measure import medians, table
from bjp_engine.search import PUBLISHED

ROWS = 8000


def main() -> None:
    """Time the three scores on the scale-free networks, and all graphs on six variables."""
    for name in ("scale-free-1", "scale-free-3", "scale-free-4"):
        graph = bjp.networks.load(name)
        data = bjp.sampling.random_model(graph, seed=0).sample(ROWS, seed=0)
        works = {
            f"{method}, published search": partial(bjp.learn, data, method, PUBLISHED[method])
            for method in ("mpl", "ib", "bjp")
        }
        table(f"{name}: n = {data.n}, N = {ROWS}", medians(works, 3), "ib, published search")
    six = bjp.sampling.random_model(bjp.networks.load("target-6"), seed=0).sample(ROWS, seed=0)
    works = {
        f"{method}, 32 768 graphs": partial(bjp.all_graphs, six, method)
        for method in ("mpl", "ib", "bjp")
    }
    table("target-6: every graph on six variables", medians(works, 3))
