"""Structures on real data without a truth: held-out pseudo-log-likelihood of the sample datasets.

`make bench ARGS=heldout`. Structures are learned from four folds and predict the fifth.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

import bjp_engine as bjp
from bjp_engine.parameters.held_out import deal_rows

DATASETS = Path(__file__).parents[1] / "sample_data" / "datasets"
NAMES = (
    *("coronary", "titanic", "dayton_drugs", "rochdale", "supreme_court"),
    *("icar_ability16", "house_votes_84", "senate109"),
)
CANDIDATES = {
    "auto": lambda train: bjp.learn(train, "bjp", "auto").graph,
    "bjp": lambda train: bjp.learn(train, "bjp", search="ibmap-hc").graph,
    "ib": lambda train: bjp.learn(train, "ib", search="ibmap-hc").graph,
    "mpl": lambda train: bjp.learn(train, "mpl").graph,
    "chow-liu": lambda train: bjp.learn(train, start="chow-liu", search="ibmap-hc").start,
    "empty": lambda _: nx.empty_graph(0),
}


def predicted(data: bjp.Dataset, candidate: Any, **options: Any) -> np.ndarray:
    """ln of the pseudo-likelihood of each row, by what its fold was not part of."""
    dealt, found = deal_rows(data.rows, 5, 0), np.empty(data.rows)
    for k in range(5):
        train, test = data.take(dealt != k), data.take(dealt == k)
        network = bjp.fit_parameters(train, candidate(train), **options)
        found[dealt == k] = network.log_conditional(test).sum(axis=1)
    return found


def structures() -> None:
    """How well what is learned in each way predicts, and by how much auto is ahead of the paper."""
    print("dataset | " + " | ".join(CANDIDATES) + " | auto - bjp")
    for name in NAMES:
        data = bjp.read_table(DATASETS / f"{name}.csv", missing="state")
        found = pd.DataFrame({key: predicted(data, made) for key, made in CANDIDATES.items()})
        margin = found["auto"] - found["bjp"]
        means = " | ".join(f"{found[candidate].mean():.3f}" for candidate in CANDIDATES)
        print(f"{name} | {means} | {margin.mean():+.3f} ± {margin.sem():.3f}")


def estimates() -> None:
    """What the paper's search learns with BJP, with parameters fitted in other ways."""
    ways = {
        "pseudo-likelihood, ridge 1": {},
        "ridge 0.1": {"ridge": 0.1},
        "ridge 10": {"ridge": 10.0},
        "likelihood, ess 1": {"estimate": "likelihood"},
        "ess 5": {"estimate": "likelihood", "ess": 5.0},
    }
    print("dataset | " + " | ".join(ways))
    for name in NAMES:
        data = bjp.read_table(DATASETS / f"{name}.csv", missing="state")
        means = [predicted(data, CANDIDATES["bjp"], **way).mean() for way in ways.values()]
        print(f"{name} | " + " | ".join(f"{mean:.3f}" for mean in means))


def fitting() -> None:
    """Seconds for parameters alone, on graphs with a known truth."""
    print("network, rows | likelihood | pseudo-likelihood | weights")
    for name, rows in (
        ("karate", 8000),
        ("scale-free-4", 8000),
        ("polbooks", 2000),
        ("adj-noun", 2000),
    ):
        graph = bjp.networks.load(name)
        data = bjp.sampling.random_model(graph, "clique-potentials", seed=1).sample(
            rows, 1, "gibbs"
        )
        shown = []
        for estimate in ("likelihood", "pseudo-likelihood"):
            began = time.perf_counter()
            try:
                network = bjp.fit_parameters(data, graph, estimate)
            except bjp.errors.OptionError:
                shown.append("out of reach")
                continue
            steps = f"{network.iterations} step{'s' if network.iterations > 1 else ''}"
            weights = sum(table.size for table in network.factors.values())
            shown.append(f"{time.perf_counter() - began:.2f} s ({steps})")
        print(f"{name}, {rows} | " + " | ".join(shown) + f" | {weights}")


def main() -> int:
    """All three tables."""
    for table in (structures, estimates, fitting):
        table()
        print()
    return 0
