"""The caches that pages share, each keyed by a short explicit text and never by a large object."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

import networkx as nx
import streamlit as st

from bjp_engine import Dataset, all_graphs, independence_test, score
from bjp_engine.classical import ClassicalTrace, classical_test
from bjp_engine.dataset import Name
from bjp_engine.growth import GrowthTrace, posterior_growth, subsample
from bjp_engine.independence import TestTrace
from bjp_engine.scores import ScoreTrace
from bjp_engine.search import GraphTable
from bjp_engine.warmup import warmup
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Loaded

Value = TypeVar("Value")


class Shelf(Generic[Value]):
    """Finished results, shared between visits; the least recently used go first.

    Parameters
    ----------
    size : int
        How many are kept.
    """

    def __init__(self, size: int) -> None:
        """Start empty."""
        self._size, self._lock = size, threading.Lock()
        self._items: OrderedDict[Hashable, Value] = OrderedDict()

    def get(self, key: Hashable) -> Value | None:
        """The result filed under a key, if it is still there."""
        with self._lock:
            if key in self._items:
                self._items.move_to_end(key)
            return self._items.get(key)

    def put(self, key: Hashable, value: Value) -> None:
        """File a result."""
        with self._lock:
            self._items[key] = value
            self._items.move_to_end(key)
            while len(self._items) > self._size:
                self._items.popitem(last=False)


@st.cache_resource(show_spinner="Getting ready …")
def ready() -> bool:
    """Load the compiled kernels once a server, so that no one's first search waits for them."""
    warmup()
    return True


@st.cache_resource(show_spinner=False)
def drawings() -> Shelf[Any]:
    """The shelf of figures and tables that take longer to make than to send."""
    return Shelf(96)


@st.cache_resource(show_spinner=False)
def searches() -> Shelf[Any]:
    """The shelf of finished searches, their flips, and graph tables."""
    return Shelf(128)


@st.cache_resource(max_entries=24, show_spinner="Loading the data …")
def loaded(token: str) -> Loaded:
    """A sample dataset, or one drawn from a benchmark network."""
    return sources.load(token)


def edges_key(graph: nx.Graph[Any]) -> str:
    """A graph's edges as text that two equal graphs share."""
    return ";".join(sorted("|".join(sorted((repr(u), repr(v)))) for u, v in graph.edges))


# Of datasets and graphs only these texts are hashed: Streamlit would sample a large array.
_KEYS: dict[Any, Callable[[Any], str]] = {Dataset: lambda data: data.digest, nx.Graph: edges_key}


@st.cache_resource(max_entries=128, show_spinner="Scoring the graph …", hash_funcs=_KEYS)
def score_graph(data: Dataset, graph: nx.Graph[Any], method: str) -> ScoreTrace:
    """The score of one graph, with every term."""
    return score(data, graph, method)


@st.cache_resource(max_entries=512, show_spinner=False, hash_funcs=_KEYS)
def bayesian_test(data: Dataset, x: Name, y: Name, given: tuple[Name, ...]) -> TestTrace:
    """One independence test, down to the counts."""
    return independence_test(data, x, y, given)


@st.cache_resource(max_entries=512, show_spinner=False, hash_funcs=_KEYS)
def classical_tests(data: Dataset, x: Name, y: Name, given: tuple[Name, ...]) -> ClassicalTrace:
    """The classical tests of one pair given a set."""
    return classical_test(data, x, y, given)


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs=_KEYS)
def subsample_of(data: Dataset, variables: tuple[Name, ...], rows: int, seed: int) -> Dataset:
    """Some variables of a dataset, and some of its rows in random order."""
    return subsample(data.select(variables), rows, seed)


@st.cache_resource(max_entries=256, show_spinner=False, hash_funcs=_KEYS)
def posterior_curves(
    data: Dataset, pair: tuple[Name, Name], sets: tuple[tuple[Name, ...], ...], seed: int
) -> GrowthTrace:
    """The posterior of a pair's independence on ever more rows, for several sets."""
    return posterior_growth(data, *pair, sets, seed=seed)


def once(key: Hashable, make: Callable[[], Value]) -> Value:
    """A result from the shelf of searches, or made now and filed."""
    return _filed(searches(), key, make)


def drawn(key: Hashable, make: Callable[[], Value]) -> Value:
    """A figure or a table from the shelf of drawings, or made now and filed.

    Shared between visits: never to be changed.
    """
    return _filed(drawings(), key, make)


def _filed(shelf: Shelf[Any], key: Hashable, make: Callable[[], Value]) -> Value:
    """What a shelf holds under a key; what it lacks is made."""
    found: Value | None = shelf.get(key)
    if found is None:
        found = make()
        shelf.put(key, found)
    return found


def graph_table(data: Dataset, method: str) -> GraphTable:
    """The score of every graph on the data's at most six variables."""
    return once(("all graphs", data.digest, method), lambda: all_graphs(data, method))
