"""The cliques of a graph, and the potential of one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.errors import GraphError
from bjp_engine.records import record
from bjp_engine.validate import entries, whole_number

Scope = tuple[int, ...]
# An array has 64 axes at most.
MOST_AXES = 60


def maximal_cliques(
    graph: nx.Graph[int], cardinalities: Sequence[int], most: int
) -> tuple[Scope, ...] | None:
    """The maximal cliques in lexicographic order; None with more than `most` weights in all."""
    found: list[Scope] = []
    weights = 0
    for clique in nx.find_cliques(graph):
        weights += math.prod(cardinalities[i] for i in clique)
        if weights > most or len(clique) > MOST_AXES:
            return None
        found.append(tuple(sorted(clique)))
    return tuple(sorted(found))


@record
@dataclass(frozen=True, eq=False)
class Factor:
    """One clique's potential.

    Parameters
    ----------
    variables : tuple of int
        Positions of the clique's variables, ascending.
    log_table : ndarray of float, shape (r_i for i in variables)
        ln φ_C of every joint state; read-only.
    """

    variables: tuple[int, ...]
    log_table: NDArray[np.float64]

    def __post_init__(self) -> None:
        variables = tuple(
            whole_number(i, "variables") for i in entries(self.variables, "variables")
        )
        object.__setattr__(self, "variables", variables)
        try:
            table = np.array(self.log_table, dtype=np.float64, order="C")
        except (TypeError, ValueError):
            raise GraphError(f"The table of factor {variables} must hold numbers.") from None
        table.setflags(write=False)
        object.__setattr__(self, "log_table", table)
