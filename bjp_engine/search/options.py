"""The options of `learn` by name and type, so that an editor completes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import networkx as nx

from bjp_engine.arrays import Floats
from bjp_engine.scores.known import KnownEdges
from bjp_engine.validate import Seed

if TYPE_CHECKING:
    import pandas as pd


class LearnOptions(TypedDict, total=False):
    """Every option of the built-in scores and searches.

    Attributes
    ----------
    prior, gamma, slices, prior_cells
        Of bjp, ib and near, see `IndependenceOptions`.
    ess
        Of mpl, see `MPLOptions`.
    edge_probability, expected_degree, log_odds
        The prior over structures, see `StructurePrior`.
    known
        Pairs that are required, forbidden or likely, see `bjp_engine.scores.KnownEdges`; a mapping
        of pairs and a table of three columns are taken as well.
    seconds, evaluations
        The budget, see `Budget`.
    start, contributions
        Where ibmap-hc starts, and how many local contributions each step keeps.
    tenure, patience, restarts, strength, seed
        Of tabu and restarts.
    """

    prior: float
    gamma: float
    slices: Literal["all", "observed"]
    prior_cells: Literal["equal", "centred"]
    ess: float
    edge_probability: float | Literal["data"]
    expected_degree: float
    log_odds: Floats
    known: KnownEdges | Mapping[Any, Any] | pd.DataFrame | None
    seconds: float | None
    evaluations: int | None
    start: str | nx.Graph[Any]
    contributions: int
    tenure: int
    patience: int
    restarts: int
    strength: int
    seed: Seed
