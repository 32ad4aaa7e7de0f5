"""The options of `learn` by name and type, so that an editor completes them."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

import networkx as nx

from bjp_engine.arrays import Floats


class LearnOptions(TypedDict, total=False):
    """Every option of the built-in scores and searches; which fit is said by the classes named."""

    # Of bjp and ib (`TestOptions`) and of mpl (`MPLOptions`).
    prior: float
    gamma: float
    slices: Literal["all", "observed"]
    ess: float
    # The prior over structures (`StructurePrior`).
    edge_probability: float | Literal["data"]
    expected_degree: float
    log_odds: Floats
    # The budget (`Budget`).
    seconds: float | None
    evaluations: int | None
    # Where a search starts, and how much of each proposal ibmap-hc, hill-climb and auto keep.
    start: str | nx.Graph[Any]
    contributions: int
    # Of tabu, restarts and annealing.
    tenure: int
    patience: int
    restarts: int
    strength: int
    sweeps: int
    hot: float
    cold: float
    seed: int
