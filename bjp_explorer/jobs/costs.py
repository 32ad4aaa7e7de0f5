"""About how long a task takes, at a glance: whether a thread does it, or a worker process.

The figures are the least that a search took on random data of three states a variable, seconds on
one core. They need not be right within a factor of three: a worker answers some milliseconds later
than a thread, and a thread's kernels hold nobody up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx

from bjp_engine import Dataset
from bjp_engine.scores import SCORES, LocalScore
from bjp_engine.search import PUBLISHED

# Seconds below which a task is not worth a place in the queue.
QUICK = 0.3
# Rows from which on a search takes longer the more there are.
_MANY = 20_000
# Seconds for sixteen variables, and the power of their number by which it grows.
_SEARCHES = {
    "ibmap-hc": (0.005, 2),
    "auto": (0.01, 2),
    "mpl-hc": (0.005, 2),
    "hill-climb": (0.03, 3),
    "tabu": (0.2, 3),
    "restarts": (0.3, 3),
}
# Of a search that isn't in the table: whatever it is, it may be long.
_UNKNOWN = (1.0, 3)
# One score of every graph, for each graph.
_EACH_GRAPH = 3e-7
# Of one graph's score: a row, for each variable of a test.
_EACH_ROW = 2.5e-9
# Of a network's parameters: a row, for each weight of the edges.
_EACH_WEIGHT = 1e-6
# Of effects: an edge, and a row of each.
_EACH_EDGE, _EACH_ROW_OF_EDGE = 0.02, 5e-7


def of_search(data: Dataset, method: str, search: str | None, options: Mapping[str, Any]) -> float:
    """About how many seconds a search takes. At most what the option `seconds` gives it."""
    name = search or PUBLISHED[method]
    if name == "exhaustive":
        about = _of_every_graph(data)
    else:
        seconds, power = _SEARCHES.get(name, _UNKNOWN)
        about = seconds * (data.n / 16) ** power * max(1.0, data.rows / _MANY)
    return min(about, float(options.get("seconds") or about))


def of_all_graphs(data: Dataset) -> float:
    """About how many seconds it takes to score every graph under every score."""
    return len(SCORES) * _of_every_graph(data)


def _of_every_graph(data: Dataset) -> float:
    graphs = 2.0 ** min(data.n * (data.n - 1) // 2, 60)
    return _EACH_GRAPH * graphs * max(1.0, data.rows / _MANY)


def of_graph(data: Dataset, graph: nx.Graph[Any], method: str) -> float:
    """About how many seconds the score of one graph takes."""
    tests = 1 if isinstance(SCORES[method], LocalScore) else data.n - 1
    edges: int = graph.number_of_edges()
    return _EACH_ROW * data.rows * tests * (data.n + 2 * edges)


def of_fit(data: Dataset, graph: nx.Graph[Any]) -> float:
    """About how many seconds it takes to fit the parameters of a graph."""
    states = dict(zip(data.names, data.cardinalities, strict=True))
    return _EACH_WEIGHT * data.rows * sum(states[u] * states[v] for u, v in graph.edges)


def of_effects(data: Dataset, graph: nx.Graph[Any]) -> float:
    """About how many seconds the effects of a graph's edges take."""
    edges: int = graph.number_of_edges()
    return edges * (_EACH_EDGE + _EACH_ROW_OF_EDGE * data.rows)
