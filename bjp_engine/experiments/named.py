"""The paper's four tables as experiments, with its own design of 10 × 10 datasets a cell.

Which kind of distribution belongs to which table is a reconstruction, docs/theory.md §7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from bjp_engine.errors import OptionError, clip
from bjp_engine.experiments.description import PAPER_ROWS, Experiment, Learner

# In the order of the paper's columns.
CLIMBS = (Learner("mpl", "mpl-hc"), Learner("ib", "ibmap-hc"), Learner("bjp", "ibmap-hc"))
ALL_GRAPHS = tuple(Learner(score, "exhaustive") for score, _ in CLIMBS)
REAL = ("karate", "curtis-54", "will-57", "dolphins", "polbooks", "adj-noun")

TARGETS = tuple(f"target-{k}" for k in range(1, 7))
HUBS = tuple(f"hub-{k}" for k in range(1, 5))
SCALE_FREE = tuple(f"scale-free-{k}" for k in range(1, 5))

TABLES: Mapping[str, Experiment] = MappingProxyType(
    {
        table.name: table
        for table in (
            Experiment("table-1", TARGETS, PAPER_ROWS, ALL_GRAPHS),
            Experiment("table-2", HUBS, PAPER_ROWS, CLIMBS),
            Experiment("table-3", SCALE_FREE, PAPER_ROWS, CLIMBS),
            Experiment("table-4", REAL, PAPER_ROWS, CLIMBS, "log-odds"),
        )
    }
)


def named(name: str) -> Experiment:
    """One of the paper's tables."""
    if name not in TABLES:
        close = get_close_matches(str(name), TABLES, n=1)
        instead = f"; did you mean {close[0]}?" if close else f"; choose from {', '.join(TABLES)}."
        raise OptionError(f"There is no experiment {clip(name)}{instead}")
    return TABLES[name]


def shrunk(
    experiment: Experiment,
    *,
    networks: Sequence[str] | None = None,
    rows: Sequence[int] | None = None,
    distributions: int | None = None,
    samples: int | None = None,
    seed: int | None = None,
) -> Experiment:
    """The same experiment with another size; its cells stay what they were."""
    asked: dict[str, Any] = {
        "networks": networks,
        "rows": rows,
        "distributions": distributions,
        "samples": samples,
        "seed": seed,
    }
    for key in ("networks", "rows"):
        known = getattr(experiment, key)
        for entry in asked[key] or ():
            if entry not in known:
                listed = ", ".join(map(str, known))
                raise OptionError(
                    f"{key}: {clip(entry)} is not part of {experiment.name}; choose from {listed}."
                )
    return replace(experiment, **{key: value for key, value in asked.items() if value is not None})
