"""What a graph's factors stand on: the maximal cliques, or the edges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, get_args

import networkx as nx
import numpy as np

from bjp_engine.errors import OptionError
from bjp_engine.graph import Adjacency, pairs
from bjp_engine.sampling.factor import Scope, maximal_cliques
from bjp_engine.validate import choice

Factors = Literal["auto", "cliques", "edges"]

# 2 MB of weights: with more than that, cliques are broken into their edges.
MOST_BY_CLIQUE = 1 << 18
# 128 MB: with more than that nothing is fitted.
MOST_WEIGHTS = 1 << 24


def scopes_of(
    adjacency: Adjacency, cardinalities: Sequence[int], factors: Factors = "auto"
) -> tuple[tuple[Scope, ...], Literal["cliques", "edges"]]:
    """The sets of variables that get a factor each."""
    choice(factors, "factors", get_args(Factors))
    if factors != "edges":
        most = MOST_BY_CLIQUE if factors == "auto" else MOST_WEIGHTS
        cliques = maximal_cliques(nx.from_numpy_array(adjacency), cardinalities, most)
        if cliques is not None:
            return cliques, "cliques"
        if factors == "cliques":
            raise OptionError(
                f"The tables of the graph's cliques hold more than {MOST_WEIGHTS} weights; "
                "use factors='edges', or a graph with fewer edges."
            )
    return _edges(adjacency, cardinalities), "edges"


def _edges(adjacency: Adjacency, cardinalities: Sequence[int]) -> tuple[Scope, ...]:
    """The edges, and the variables that have none."""
    alone: list[Scope] = [(int(i),) for i in np.flatnonzero(~adjacency.any(axis=1))]
    scopes = sorted([*pairs(adjacency), *alone])
    if sum(math.prod(cardinalities[i] for i in scope) for scope in scopes) > MOST_WEIGHTS:
        raise OptionError(
            f"The tables of the graph's edges hold more than {MOST_WEIGHTS} weights; "
            "use a graph with fewer edges, or variables with fewer states."
        )
    return tuple(scopes)
