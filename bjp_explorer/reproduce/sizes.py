"""What *Reproduce the paper* offers to run: tables in three sizes, and how long each takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from bjp_engine.experiments import TABLES, Experiment, Results, find_table, resize
from bjp_engine.search.many import cores

# What is asked of a table; what is left out stays as in the paper.
SIZES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "glance": {"distributions": 2, "samples": 1, "rows": (250, 500, 1000)},
        "quick": {"distributions": 10, "samples": 1},
        "full": {},
    }
)
SHIPPED = "shipped"
MOST_SEED = 10**6
# Workers that start, and what sampling and packing add to the searches, measured on whole runs:
# `bjp experiment table-1` to `table-4` in the paper's design took 1.1 to 1.6 times their searches.
START, BESIDE = 5.0, 1.5


def experiment_of(table: str, size: str, seed: int = 0) -> Experiment:
    """The experiment behind a choice."""
    return resize(find_table(table), seed=seed, **SIZES[size])


def estimate(experiment: Experiment, measured: Results) -> float:
    """How long an experiment will take here, by the run times of the rows that are shipped.

    Seconds with a worker on every core; NaN where nothing was measured.
    """
    chosen = np.isin(measured["rows"], experiment.rows)
    chosen &= np.isin(measured["network"], experiment.networks)
    if not chosen.any():
        return float("nan")
    learn = float(measured["seconds"][chosen].mean())
    return START + BESIDE * learn * experiment.size / cores()


def command(experiments: Iterable[Experiment], out: str = "results.db") -> str:
    """The command that makes the rows of some of the paper's tables."""
    listed = list(experiments)
    one = listed[0]
    words = ["bjp experiment", *(experiment.name for experiment in listed)]
    usual = TABLES[one.name]
    words += [
        f"--{name} {getattr(one, name)}"
        for name in ("distributions", "samples", "seed")
        if getattr(one, name) != getattr(usual, name)
    ]
    if one.rows != usual.rows:
        words.append(f"--rows {','.join(map(str, one.rows))}")
    if set(one.networks) != set(usual.networks):
        words.append(f"--networks {','.join(one.networks)}")
    return " ".join([*words, f"--out {out}"])
