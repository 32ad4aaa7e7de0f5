"""The caches that pages share, each keyed by a short explicit text and never by a large object.

Nothing here needs a page: what makes a file without one stands on the same results.
"""

from __future__ import annotations

import gc
import hashlib
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, Literal, TypeVar

import networkx as nx
import numpy as np

from bjp_engine import Dataset, all_graphs, independence_test, score
from bjp_engine.classical import ClassicalTrace, classical_test
from bjp_engine.dataset import Name
from bjp_engine.independence import (
    GrowthTrace,
    IndependenceOptions,
    IndependenceTrace,
    posterior_growth,
    subsample,
)
from bjp_engine.scores import ScoreTrace
from bjp_engine.search import GraphTable

Value = TypeVar("Value")
# Of a test: see `IndependenceOptions.prior_cells`.
Cells = Literal["equal", "centred"]
# What belongs to the program and not to a result.
_SHARED = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)
_MOST_PARTS = 30_000


class Shelf:
    """Finished results, shared between visits; past `most` bytes the least recently used go.

    What was filed last is kept in any case.
    """

    def __init__(self, most: int) -> None:
        self._most, self._held, self._lock = most, 0, threading.Lock()
        self._items: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def get(self, key: Hashable) -> Any:
        """The result filed under a key; None where there is none any more."""
        with self._lock:
            if key in self._items:
                self._items.move_to_end(key)
            found = self._items.get(key)
            return None if found is None else found[0]

    def put(self, key: Hashable, value: object) -> None:
        """File a result."""
        size = weight(value)
        with self._lock:
            self._held += size - self._items.pop(key, (None, 0))[1]
            self._items[key] = value, size
            while self._held > self._most and len(self._items) > 1:
                _, (_, gone) = self._items.popitem(last=False)
                self._held -= gone

    def once(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The result under a key, or made now and filed."""
        found: Value | None = self.get(key)
        if found is None:
            found = make()
            self.put(key, found)
        return found


def weight(thing: object) -> int:
    """About how many bytes a thing keeps alive; past so many parts the rest is not looked at."""
    seen: set[int] = set()
    waiting, total = [thing], 0
    while waiting and len(seen) < _MOST_PARTS:
        each = waiting.pop()
        if id(each) in seen or isinstance(each, _SHARED):
            continue
        seen.add(id(each))
        total += sys.getsizeof(each)
        if isinstance(each, np.ndarray):
            # An array's size is that of its cells, unless they belong to another one.
            waiting.append(each.base)
        waiting += gc.get_referents(each)
    return total


# Finished searches, their flips, tests, and graph tables; figures and tables that take longer to
# make than to send, shared between visits and never to be changed.
SEARCHES, DRAWINGS = Shelf(256 << 20), Shelf(64 << 20)
once, drawn = SEARCHES.once, DRAWINGS.once


def edges_key(graph: nx.Graph[Any]) -> str:
    """A short text that two graphs share if they have the same edges."""
    edges = ";".join(sorted("|".join(sorted((repr(u), repr(v)))) for u, v in graph.edges))
    return hashlib.sha256(edges.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def score_graph(
    data: Dataset, graph: nx.Graph[Any], method: str, cells: Cells = "equal"
) -> ScoreTrace:
    """The score of one graph, with every term; `cells` are the prior cells of its tests."""
    key = score_key(data, graph, method, cells)
    return once(key, lambda: score(data, graph, method, **test_options(cells)))


def score_key(
    data: Dataset, graph: nx.Graph[Any], method: str, cells: Cells = "equal"
) -> tuple[str, ...]:
    """Under which a graph's score is filed."""
    return ("score", data.digest, method, cells, edges_key(graph))


def fitted_key(data: Dataset, graph: nx.Graph[Any]) -> tuple[str, ...]:
    """Under which a graph with its parameters is filed."""
    return ("fitted", data.digest, edges_key(graph))


def test_options(cells: Cells) -> dict[str, Any]:
    """The options of a score whose tests have such prior cells; none for the paper's."""
    return {} if cells == "equal" else {"prior_cells": cells}


def bayesian_test(
    data: Dataset, x: Name, y: Name, given: tuple[Name, ...], cells: Cells = "equal"
) -> IndependenceTrace:
    """One independence test, down to the counts."""
    key = ("test", data.digest, x, y, given, cells)
    return once(key, lambda: independence_test(data, x, y, given, prior_cells=cells))


def classical_tests(data: Dataset, x: Name, y: Name, given: tuple[Name, ...]) -> ClassicalTrace:
    """The classical tests of one pair given a set."""
    key = ("classical", data.digest, x, y, given)
    return once(key, lambda: classical_test(data, x, y, given))


def subsample_of(data: Dataset, variables: tuple[Name, ...], rows: int, seed: int) -> Dataset:
    """Some variables of a dataset, and some of its rows in random order."""
    key = ("subsample", data.digest, variables, rows, seed)
    return once(key, lambda: subsample(data.select(variables), rows, seed))


def posterior_curves(
    data: Dataset,
    pair: tuple[Name, Name],
    sets: tuple[tuple[Name, ...], ...],
    seed: int,
    cells: Cells = "equal",
) -> GrowthTrace:
    """The posterior of a pair's independence on ever more rows, for several sets."""
    options = IndependenceOptions(prior_cells=cells)
    key = ("growth", data.digest, pair, sets, seed, cells)
    return once(key, lambda: posterior_growth(data, *pair, sets, seed=seed, options=options))


def graph_table(data: Dataset, method: str) -> GraphTable:
    """The score of every graph on the data's at most six variables."""
    return once(("all graphs", data.digest, method), lambda: all_graphs(data, method))
