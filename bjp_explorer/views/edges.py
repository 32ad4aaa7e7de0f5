"""The pairs that *Your network* shows: the learned edges, and the strongest others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np

from bjp_engine import Dataset
from bjp_engine.confidence import EdgeConfidence
from bjp_engine.confidence.edges import PRESENT
from bjp_engine.dataset import Name
from bjp_explorer.shell.text import plain
from bjp_explorer.views.payloads import edge_indices

# From here on a pair that is no edge has a line in the table, up to so many.
LIKELY, MOST_OTHERS = 0.5, 50
# The most pairs that a sentence names, and the most dotted lines of a drawing.
MOST_NAMED = 6


@dataclass(frozen=True, slots=True)
class Line:
    """What is known of a pair."""

    # Columns, i < j.
    i: int
    j: int
    # Of the kind that was chosen.
    confidence: float
    # Its Monte Carlo standard error.
    error: float | None
    # The probability of dependence by the one test that BJP computes of the pair.
    test: float
    # What that test is given: the blanket of one end, without the other.
    given: tuple[Name, ...]
    # Whether it is an edge of the learned graph.
    learned: bool


def flipped(graph: nx.Graph[Any], data: Dataset, i: int, j: int) -> nx.Graph[Any]:
    """A copy with the edge of two columns added where it is missing, removed where it is there."""
    copy: nx.Graph[Any] = nx.Graph(graph)
    pair = data.names[i], data.names[j]
    if copy.has_edge(*pair):
        copy.remove_edge(*pair)
    else:
        copy.add_edge(*pair)
    return copy


def pair_name(pair: Sequence[int], data: Dataset, width: int = 28) -> str:
    """An edge by the names of its ends."""
    return " – ".join(plain(data.names[i], width) for i in pair)


def lines(
    data: Dataset,
    graph: nx.Graph[Any],
    sure: EdgeConfidence,
    tests: EdgeConfidence,
    threshold: float,
    least: float = LIKELY,
) -> list[Line]:
    """The learned edges and the strongest other pairs, the surest first.

    Of pairs that are no edges only those of confidence `least` or more, `MOST_OTHERS` at most.
    """
    edges = edge_indices(graph, data)
    rest = np.triu(sure.matrix >= max(threshold, least), 1)
    for i, j in edges:
        rest[i, j] = False
    rows, columns = np.nonzero(rest)
    best = np.argsort(-sure.matrix[rows, columns], kind="stable")[:MOST_OTHERS]
    others = zip(rows[best].tolist(), columns[best].tolist(), strict=True)
    found = [line_of(data, graph, sure, tests, (i, j), True) for i, j in edges]
    found = [line for line in found if line.confidence >= threshold]
    found += [line_of(data, graph, sure, tests, pair, False) for pair in others]
    return sorted(found, key=lambda line: (-line.confidence, line.i, line.j))


def line_of(
    data: Dataset,
    graph: nx.Graph[Any],
    sure: EdgeConfidence,
    tests: EdgeConfidence,
    pair: tuple[int, int] | list[int],
    learned: bool,
) -> Line:
    """One pair."""
    i, j = pair
    assert tests.computed is not None
    x, y = (i, j) if tests.computed[i, j] else (j, i)
    blanket = sorted({data.index(name) for name in graph[data.names[x]]} - {y})
    return Line(
        i,
        j,
        float(sure.matrix[i, j]),
        None if sure.error is None else float(sure.error[i, j]),
        float(tests.matrix[i, j]),
        tuple(data.names[k] for k in blanket),
        learned,
    )


def clear_others(found: Sequence[Line], present: float = PRESENT) -> list[Line]:
    """The pairs that are no edges though their number is high: those that are named and drawn."""
    return [x for x in found if not x.learned and x.confidence >= present][:MOST_NAMED]
