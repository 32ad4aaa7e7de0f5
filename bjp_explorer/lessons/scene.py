"""What the lessons look at: networks with their samples, and what the browser draws of them.

A scene is a dict with some of: `say` (sentences about what was clicked), `networks`, `matrix`,
`cards` (tables of counts), `table` and `figures` (key numbers).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np

from bjp_engine import Dataset, networks, sampling
from bjp_engine.dataset import Name
from bjp_engine.independence import IndependenceTrace, Slice
from bjp_engine.sampling import Weights
from bjp_engine.scores import AssertionTerm, ScoreTrace
from bjp_explorer.lessons.model import Payload, Picks, Touch
from bjp_explorer.shell import caches
from bjp_explorer.shell.text import names_list, plain, probability, together
from bjp_explorer.views import examples, layout
from bjp_explorer.views.payloads import Points, edge_indices, layout_of, step_payload

# --- Networks and samples -------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, slots=True)
class Place:
    """A graph, the data it is drawn for, and where its nodes stand."""

    data: Dataset
    graph: nx.Graph[Any]
    points: Points

    @property
    def names(self) -> tuple[Name, ...]:
        """The variables, in column order."""
        return self.data.names

    def named(self, picks: Iterable[int]) -> list[Name]:
        """The variables that were clicked."""
        return [self.names[k] for k in picks]

    def columns(self, names: Iterable[Name]) -> tuple[int, ...]:
        """The columns of some variables, in their order."""
        return tuple(map(self.data.index, names))

    def test(self, x: Name, y: Name, given: Iterable[Name] = ()) -> IndependenceTrace:
        """One independence test on the data."""
        return caches.bayesian_test(self.data, x, y, tuple(sorted(given, key=self.data.index)))

    def score(self, method: str = "bjp", graph: nx.Graph[Any] | None = None) -> ScoreTrace:
        """The score of this graph, or of another one on the same data."""
        return caches.score_graph(self.data, self.graph if graph is None else graph, method)


def coronary() -> Place:
    """Coronary, with the graph that BJP learns from it."""
    loaded, graph = examples.coronary(), examples.learn_coronary("bjp").graph
    return Place(loaded.data, graph, layout.points(loaded, graph))


# Its variables, and its pairs, to be clicked.
NODES = Touch("node", lambda: range(coronary().data.n))
PAIRS = Touch("pair", lambda: combinations(range(coronary().data.n), 2))


@cache
def sample_network(
    name: str, weights: Weights = "log-odds", seed: int = 5, rows: int = 2000
) -> Place:
    """A benchmark network with a sample drawn from it."""
    return _sample(networks.load(name, labelled=True), weights, seed, rows)


@cache
def sample_edges(edges: tuple[tuple[int, int], ...], rows: int = 2000) -> Place:
    """A small network of variables X0, X1, …, and a sample drawn from it."""
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(f"X{k}" for k in sorted({k for edge in edges for k in edge}))
    graph.add_edges_from((f"X{i}", f"X{j}") for i, j in edges)
    return _sample(graph, "log-odds", 5, rows)


def _sample(graph: nx.Graph[Any], weights: Weights, seed: int, rows: int) -> Place:
    model = sampling.random_model(graph, weights, seed=seed)
    data = model.sample(rows, seed=seed, method="exact" if len(graph) <= 12 else "gibbs")
    return Place(data, graph, layout.positions_of(data.names, graph))


@cache
def star(leaves: int, rows: int, seed: int, epsilon: float) -> Place:
    """A hub, X0, in the middle of a circle of leaves, with log odds ratios of ± epsilon."""
    graph: nx.Graph[str] = nx.Graph(("X0", f"X{k}") for k in range(1, leaves + 1))
    model = sampling.random_model(graph, "log-odds", seed=seed, epsilon=epsilon)
    drawn = model.sample(rows, seed=seed, method="exact")
    data = drawn.select([f"X{k}" for k in range(leaves + 1)])
    return Place(data, graph, np.vstack([[0.5, 0.5], layout.circle(leaves)]))


# --- Words ----------------------------------------------------------------------------------------


def listed(names: Iterable[Name], last: str = "and") -> str:
    """Names in a sentence; "nothing" where there are none."""
    return together([plain(name) for name in names], last) or "nothing"


def joined(names: Iterable[Name]) -> str:
    """A pair or a path in a sentence."""
    return " – ".join(map(plain, names))


def letter(k: int) -> str:
    """A card's name."""
    return "ABCDEFGH"[k]


def assertion(term: AssertionTerm) -> str:
    """An assertion in angle brackets."""
    sign = "⊥̸" if term.dependent else "⊥"
    return f"⟨{plain(term.x)} {sign} {plain(term.y)} | {names_list(term.given)}⟩"


# --- Networks -------------------------------------------------------------------------------------


def network(
    place: Place,
    graph: nx.Graph[Any] | None = None,
    *,
    roles: Mapping[Name, str] | None = None,
    tones: Mapping[frozenset[Name], str] | None = None,
    order: Sequence[Name] | None = None,
    **more: Any,
) -> Payload:
    """A place's own network, or another one on its variables."""
    data, tones = place.data, tones or {}
    graph = place.graph if graph is None else graph
    return {
        **layout_of(data, place.points),
        "title": "",
        "kind": "local",
        "link": None,
        "badges": None,
        "edges": [
            [i, j, tones.get(frozenset(place.named((i, j))), "plain")]
            for i, j in edge_indices(graph, data)
        ],
        "roles": [[data.index(name), role] for name, role in (roles or {}).items()],
        "rank": None if order is None else [order.index(name) for name in data.names],
        "degree": [int(graph.degree[name]) for name in data.names],
        **more,
    }


def light_blanket(place: Place, x: Name) -> Payload:
    """A place's network with one blanket in green."""
    return network(
        place,
        roles={x: "x"} | dict.fromkeys(place.graph[x], "given"),
        tones={frozenset((x, z)): "given" for z in place.graph[x]},
    )


def pair_of(term: AssertionTerm, data: Dataset) -> Payload:
    """What a network shows of one assertion: the pair, what is given, the line between them.

    Arguments of `network`.
    """
    kind = ("dependent" if term.dependent else "independent") if term.computed else "inferred"
    tested = {frozenset((term.x, term.y)): "tested"} if term.dependent and term.computed else {}
    return {
        "roles": {term.x: "x", term.y: "y"} | dict.fromkeys(term.given, "given"),
        "tones": {frozenset((term.x, z)): "given" for z in term.given} | tested,
        "kind": kind,
        "link": {
            "i": data.index(term.x),
            "j": data.index(term.y),
            "tone": kind,
            "dependent": term.dependent,
            "straight": term.dependent,
        },
    }


# --- Assertions -----------------------------------------------------------------------------------


def terms_of(trace: ScoreTrace) -> list[AssertionTerm]:
    """The assertions of a score."""
    return [term for term in trace.terms if isinstance(term, AssertionTerm)]


def computed_of(trace: ScoreTrace, pair: Iterable[Name]) -> AssertionTerm:
    """The computed assertion of a pair."""
    ends = set(pair)
    return next(t for t in terms_of(trace) if t.computed and {t.x, t.y} == ends)


def cells_of(place: Place) -> list[Picks]:
    """Every assertion by itself, as the cell of its two columns."""
    return [(place.columns((t.x, t.y)),) for t in terms_of(place.score())]


def matrix(
    trace: ScoreTrace, data: Dataset, *, reached: int | None = None, by_column: bool = False
) -> Payload:
    """The n × n assertions of a graph."""
    nowhere = np.zeros((data.n, 2))
    sent = step_payload(trace, data, nowhere, identity="", editable=False)
    terms = terms_of(trace)
    found = [probability(t.value) if t.computed else "inferred as 1" for t in terms]
    return {
        "names": sent["names"],
        "order": list(range(data.n)) if by_column else [data.index(x) for x in trace.order],
        "degree": sent["degree"],
        "terms": sent["terms"],
        "reached": reached,
        "by_column": by_column,
        "describe": [f"{assertion(t)}: {p}" for t, p in zip(terms, found, strict=True)],
    }


# --- Counts ---------------------------------------------------------------------------------------


def counts_card(
    test: IndependenceTrace, part: Slice, data: Dataset, title: str, *lines: str
) -> Payload:
    """The counts of one slice with their margins, and lines below them."""
    x, y = data.index(test.x), data.index(test.y)
    # What the margins alone would lead one to expect.
    expected = np.outer(part.counts.sum(axis=1), part.counts.sum(axis=0)) / max(part.rows, 1)
    return {
        "title": title,
        "counts": {
            "x": plain(test.x),
            "y": plain(test.y),
            "rows": [plain(label) for label in data.labels[x]],
            "columns": [plain(label) for label in data.labels[y]],
            "cells": part.counts.tolist(),
            "expected": expected.tolist(),
        },
        "lines": list(lines),
    }
