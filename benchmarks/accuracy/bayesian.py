"""Published Bayesian networks, from the files that pgmpy carries, and samples drawn from them.

pgmpy reads the file; the rows are drawn here, so that a seed means the same whatever pgmpy does.
"""

from __future__ import annotations

import gzip
import itertools
import warnings
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

# 8 to 76 variables of 2 to 11 states.
NAMES = ("asia", "sachs", "child", "insurance", "alarm", "hailfinder", "win95pts")


@dataclass(frozen=True, eq=False)
class Network:
    """A Bayesian network: for each variable its parents and its table.

    Parameters
    ----------
    names : tuple of str
        The variables in alphabetical order, which says nothing about who comes before whom.
    parents : tuple of tuple of int
        The parents of each variable.
    tables : tuple of ndarray
        Pr(variable | parents): the variable is the first axis, its parents the others.
    """

    names: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[NDArray[np.float64], ...]

    @property
    def cardinalities(self) -> tuple[int, ...]:
        """The number of states of each variable."""
        return tuple(len(table) for table in self.tables)

    def rows(self, many: int, generator: np.random.Generator) -> NDArray[np.int64]:
        """Independent rows; one uniform a cell, so that fewer rows are the first of more."""
        n = len(self.names)
        uniforms = generator.random((many, n))
        codes = np.zeros((many, n), dtype=np.int64)
        for i in order(self.parents):
            given = tuple(codes[:, j] for j in self.parents[i])
            chances = self.tables[i][:, *given] if given else self.tables[i][:, None]
            # The last state needs no bound: what rounding leaves of the sum falls to it.
            codes[:, i] = (np.cumsum(chances, axis=0)[:-1] <= uniforms[:, i]).sum(axis=0)
        return codes

    def moral(self) -> nx.Graph[Any]:
        """Parent and child, and any two parents of one child, are neighbours."""
        graph: nx.Graph[Any] = nx.Graph()
        graph.add_nodes_from(self.names)
        for i, parents in enumerate(self.parents):
            family = [self.names[j] for j in (i, *parents)]
            graph.add_edges_from(itertools.combinations(family, 2))
        return graph


def order(parents: tuple[tuple[int, ...], ...]) -> list[int]:
    """The variables, every parent before its children."""
    directed: nx.DiGraph[int] = nx.DiGraph()
    directed.add_nodes_from(range(len(parents)))
    directed.add_edges_from((j, i) for i, above in enumerate(parents) for j in above)
    return list(nx.lexicographical_topological_sort(directed))


@cache
def load(name: str) -> Network:
    """A network by its name."""
    with warnings.catch_warnings():
        # What pgmpy warns of while it is imported is not this benchmark's affair.
        warnings.simplefilter("ignore")
        from pgmpy.readwrite import BIFReader

        packed = files("pgmpy.utils.example_models").joinpath(f"{name}.bif.gz").read_bytes()
        model = BIFReader(string=gzip.decompress(packed).decode()).get_model()
    names = sorted(model.nodes)
    place = {variable: i for i, variable in enumerate(names)}
    parents, tables = [], []
    for variable in names:
        table = model.get_cpds(variable)
        parents.append(tuple(place[other] for other in table.variables[1:]))
        tables.append(np.asarray(table.values, dtype=np.float64))
    return Network(tuple(names), tuple(parents), tuple(tables))
