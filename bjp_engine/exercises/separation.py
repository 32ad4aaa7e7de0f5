"""Separate two nodes by as few others as possible."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np

from bjp_engine.exercises.drafts import (
    NAMES,
    QuestionDraft,
    draw_graph,
    graph_of,
    picture_of,
)
from bjp_engine.exercises.records import Answer, Form, Picture


def draw_separation(rng: np.random.Generator, level: int) -> QuestionDraft | None:
    """A smallest set that separates two nodes: of one node at level 1, of two above.

    Trivial are neighbours, which no set separates, nodes without a path between them, and
    pairs of which both blankets are smallest sets; at level 3 those of which one is.
    """
    adjacency = draw_graph(rng, (6, 7, 8)[level - 1], (0.35, 0.4, 0.4)[level - 1])
    i, j = sorted(map(int, rng.choice(len(adjacency), 2, replace=False)))
    graph, x, y = graph_of(adjacency), NAMES[i], NAMES[j]
    if adjacency[i, j] or not nx.has_path(graph, x, y):
        return None
    smallest = _smallest_sets(graph, x, y)
    size = len(smallest[0])
    blankets = [tuple(sorted(graph[node])) for node in (x, y)]
    small = sum(len(one) == size for one in blankets)
    if size != min(level, 2) or small == 2 or (level == 3 and small):
        return None
    return QuestionDraft(
        ask=f"Separate {x} from {y} by as few nodes as possible. Which nodes are given?",
        picture=Picture((picture_of(adjacency, marked=(i, j)),)),
        form=Form.NODES,
        answer=smallest[0],
        others=tuple(smallest[1:]),
        mistakes=_mistakes(graph, x, y, size),
        solution=(
            f"A set separates {x} from {y} if every path between them passes through it.",
            f"{_paths_text(graph, x, y)}: each path needs a node of its own, so at least {size}.",
            f"Right: {' or '.join('{' + ', '.join(one) + '}' for one in smallest)}.",
        ),
    )


def separates(graph: nx.Graph[Any], x: str, y: str, given: tuple[str, ...]) -> bool:
    """Whether every path between two nodes passes through a set."""
    left = graph.subgraph(set(graph) - set(given))
    return not nx.has_path(left, x, y)


def _smallest_sets(graph: nx.Graph[Any], x: str, y: str) -> list[tuple[str, ...]]:
    """All separating sets of the smallest size."""
    others = [node for node in graph if node not in (x, y)]
    size = nx.node_connectivity(graph, x, y)
    return [each for each in combinations(others, size) if separates(graph, x, y, each)]


def _mistakes(graph: nx.Graph[Any], x: str, y: str, size: int) -> Iterator[tuple[Answer, str]]:
    """Common neighbours, blankets that are larger than needed, and sets that leave a path open."""
    others = [node for node in graph if node not in (x, y)]
    common = tuple(sorted(set(graph[x]) & set(graph[y])))
    sets = [common, *(tuple(sorted(graph[node])) for node in (x, y)), tuple(others)]
    for given in (*sets, *combinations(others, size), *combinations(others, size - 1)):
        if not given:
            continue
        if separates(graph, x, y, given):
            yield given, f"This set separates {x} from {y}, but {size} would be enough."
        else:
            left = graph.subgraph(set(graph) - set(given))
            path = " – ".join(nx.shortest_path(left, x, y))
            yield given, f"The path {path} stays open."


def _paths_text(graph: nx.Graph[Any], x: str, y: str) -> str:
    """As many paths as have no inner node in common."""
    return ", ".join(" – ".join(path) for path in nx.node_disjoint_paths(graph, x, y))
