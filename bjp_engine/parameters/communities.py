"""Groups of variables that hang together, and the variables that connect them (docs/theory.md §11).

A community is a group whose variables are connected with each other more strongly than their
strengths lead one to expect. Communities maximise the modularity (Newman & Girvan 2004) of the
graph weighted by the strengths of edges, as far as the algorithm of Louvain finds it (Blondel and
others 2008). It goes through the variables in random order, so it is run several times and the
division with the highest modularity is taken.

References
----------
Blondel, Guillaume, Lambiotte & Lefebvre (2008), Fast unfolding of communities in large networks.
Jones, Ma & McNally (2021), Bridge centrality: a network approach to understanding comorbidity.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import networkx as nx
import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError, clip
from bjp_engine.parameters.effects import edge_strengths
from bjp_engine.parameters.network import FittedNetwork
from bjp_engine.validate import Seed, VariableIndex, instance, whole_seed

if TYPE_CHECKING:
    import pandas as pd

Groups: TypeAlias = Sequence[Collection[Name]]

RUNS = 10


def find_communities(network: FittedNetwork, seed: Seed = 0) -> tuple[tuple[Name, ...], ...]:
    """Divide the variables into groups that are strongly connected inside.

    Parameters
    ----------
    network : FittedNetwork
        Fitted to at least one row.
    seed : int
        0 or more; ten runs with seeds derived from it, of which the best counts.

    Returns
    -------
    tuple of tuple
        Names in column order, the largest group first. A variable without edges is a group of its
        own.

    Examples
    --------
    >>> import networkx as nx
    >>> from bjp_engine.parameters import find_communities
    >>> from bjp_engine import Dataset, fit_parameters
    >>> data = Dataset.from_codes([[0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [1, 1, 1, 1]] * 25)
    >>> find_communities(fit_parameters(data, nx.Graph([(0, 1), (1, 2), (2, 3)])))
    ((0, 1), (2, 3))

    Notes
    -----
    By the algorithm of Louvain (Blondel and others 2008), with `|effect|` as the weight of an edge;
    docs/theory.md §11. Often several divisions are nearly as good.
    """
    instance(network, "network", FittedNetwork, "bjp_engine.fit_parameters(data, graph)")
    seed = whole_seed(seed)
    found = divide(edge_strengths(network), seed)
    return tuple(tuple(network.names[i] for i in group) for group in found)


def divide(weights: Floats, seed: int) -> list[list[int]]:
    """The places of each community's variables, the largest community first."""
    graph: nx.Graph[int] = nx.from_numpy_array(weights)
    if not graph.number_of_edges():
        return [[i] for i in range(len(weights))]
    seeds = np.random.SeedSequence(seed).generate_state(RUNS).tolist()
    runs = [nx.community.louvain_communities(graph, seed=each) for each in seeds]
    best = max(runs, key=lambda groups: nx.community.modularity(graph, groups))
    return sorted(map(sorted, best), key=lambda group: (-len(group), group))


def measure_bridges(network: FittedNetwork, groups: Groups | None = None) -> pd.DataFrame:
    """How strongly each variable is connected inside its group and with other groups.

    Parameters
    ----------
    network : FittedNetwork
        Fitted to at least one row.
    groups : sequence of collection of str or int, optional
        The names, or indices, of each group's variables, every variable in one of them; by
        default those of `find_communities`.

    Returns
    -------
    pandas.DataFrame
        A row for each variable, in column order:

        - variable.
        - group: the number of its group, from 1.
        - neighbours: how many edges it has.
        - strength: the sum of `|effect|` of its edges, natural log, see `FittedNetwork.effects`.
        - bridge: the part of it that goes to other groups (bridge strength, Jones and others).

    Examples
    --------
    >>> import networkx as nx
    >>> from bjp_engine.parameters import measure_bridges
    >>> from bjp_engine import Dataset, fit_parameters
    >>> data = Dataset.from_codes([[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 1, 1]] * 25)
    >>> network = fit_parameters(data, nx.path_graph(3))
    >>> found = measure_bridges(network, [[0, 1], [2]])
    >>> found["group"].tolist(), (found["bridge"] > 0).tolist()
    ([1, 1, 2], [False, True, True])

    Notes
    -----
    A large value says that many or strong edges meet here. It does not say that a change of this
    variable would change the others, nor that it matters more (docs/theory.md §11).
    """
    import pandas as pd

    instance(network, "network", FittedNetwork, "bjp_engine.fit_parameters(data, graph)")
    strengths = edge_strengths(network)
    names = network.names
    found = divide(strengths, 0) if groups is None else _places(names, groups)
    number = np.zeros(len(names), dtype=np.int64)
    for k, group in enumerate(found):
        number[group] = k + 1
    apart = number[:, None] != number
    return pd.DataFrame(
        {
            "variable": pd.Series(list(names), dtype=object),
            "group": number,
            "neighbours": [network.graph.degree[name] for name in names],
            "strength": strengths.sum(axis=1),
            "bridge": (strengths * apart).sum(axis=1),
        }
    )


def _places(names: tuple[Name, ...], groups: Any) -> list[list[int]]:
    """Groups that are given, by the places of their variables."""
    if isinstance(groups, str) or not isinstance(groups, Sequence):
        raise OptionError(
            f"groups is {clip(groups)}; give a list of groups, each a list of variables."
        )
    index, found = VariableIndex(names), []
    for k, group in enumerate(groups):
        if isinstance(group, str) or not isinstance(group, Collection):
            raise OptionError(f"groups[{k}] is {clip(group)}; give a list of variables.")
        found.append([index.place(name) for name in group])
    times = np.bincount([place for group in found for place in group], minlength=len(names))
    for name, often in zip(names, times, strict=True):
        if often != 1:
            where = "no group" if often == 0 else f"{often} groups or places of one"
            raise OptionError(f"Variable {clip(name)} is in {where}; put it into exactly one.")
    return found
