"""Over which variables the factors of a graph stand: its maximal cliques, or its edges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import networkx as nx
import numpy as np

from bjp_engine.errors import OptionError, clip
from bjp_engine.graph import Adjacency, pairs

Factors = Literal["auto", "cliques", "edges"]
Scope = tuple[int, ...]

# 2 MB of weights: with more than that, cliques are broken into their edges.
MOST_BY_CLIQUE = 1 << 18
# 128 MB: with more than that nothing is fitted.
MOST_WEIGHTS = 1 << 24
# An array has 64 axes at most.
MOST_AXES = 60


def scopes_of(
    adjacency: Adjacency, cardinalities: Sequence[int], factors: Factors = "auto"
) -> tuple[tuple[Scope, ...], Literal["cliques", "edges"]]:
    """The sets of variables that get a factor each."""
    if factors not in ("auto", "cliques", "edges"):
        raise OptionError(
            f"factors={clip(factors)} is not known; use 'auto', 'cliques' or 'edges'."
        )
    if factors != "edges":
        most = MOST_BY_CLIQUE if factors == "auto" else MOST_WEIGHTS
        cliques = _cliques(adjacency, cardinalities, most)
        if cliques is not None:
            return cliques, "cliques"
        if factors == "cliques":
            raise OptionError(
                f"The tables of the graph's cliques hold more than {MOST_WEIGHTS} weights; "
                "use factors='edges', or a graph with fewer edges."
            )
    return _edges(adjacency, cardinalities), "edges"


def _cliques(
    adjacency: Adjacency, cardinalities: Sequence[int], most: int
) -> tuple[Scope, ...] | None:
    """The maximal cliques, or None where their tables hold too much."""
    found: list[Scope] = []
    weights = 0
    for clique in nx.find_cliques(nx.from_numpy_array(adjacency)):
        weights += math.prod(cardinalities[i] for i in clique)
        if weights > most or len(clique) > MOST_AXES:
            return None
        found.append(tuple(sorted(clique)))
    return tuple(sorted(found))


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
