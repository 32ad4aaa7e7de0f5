"""The pairs that *Your network* shows: the learned edges, and the strongest others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

from bjp_engine import Dataset
from bjp_engine.confidence import EdgeConfidence
from bjp_engine.dataset import Name
from bjp_explorer.shell.text import number, plain, shown
from bjp_explorer.views.payloads import edge_indices
from bjp_explorer.views.words import MEASURES

Reasons = Mapping[tuple[int, int], str]

# From here on a number is high; from here on a pair that is no edge has a line in the table, up to
# so many.
HIGH, LIKELY, MOST_OTHERS = 0.9, 0.5, 50
# The most pairs that a sentence names, and the most dotted lines of a drawing.
MOST_NAMED = 6
# The most names of a given set.
_GIVEN = 8
# Cells that begin so are formulas to a spreadsheet program, as which the table can be saved.
_FORMULA = ("=", "+", "-", "@")


@dataclass(frozen=True, slots=True)
class Line:
    """What is known of a pair.

    Parameters
    ----------
    i, j : int
        Columns, i < j.
    confidence : float
        Of the kind that was chosen.
    error : float or None
        Its Monte Carlo standard error.
    test : float
        The probability of dependence by the one test that BJP computes of the pair.
    given : tuple of str or int
        What that test is given: the blanket of one end, without the other.
    learned : bool
        Whether it is an edge of the learned graph.
    """

    i: int
    j: int
    confidence: float
    error: float | None
    test: float
    given: tuple[Name, ...]
    learned: bool


def pair_name(pair: Sequence[int], data: Dataset, width: int = 28) -> str:
    """An edge by the names of its ends."""
    return " – ".join(plain(shown(data.names[i]), width) for i in pair)


def lines(
    data: Dataset,
    graph: nx.Graph[Any],
    sure: EdgeConfidence,
    tests: EdgeConfidence,
    threshold: float,
) -> list[Line]:
    """The learned edges and the strongest other pairs, the surest first.

    Of pairs that are no edges only those of confidence ½ or more, `MOST_OTHERS` at most.
    """
    edges = edge_indices(graph, data)
    rest = np.triu(sure.matrix >= max(threshold, LIKELY), 1)
    for i, j in edges:
        rest[i, j] = False
    rows, columns = np.nonzero(rest)
    best = np.argsort(-sure.matrix[rows, columns], kind="stable")[:MOST_OTHERS]
    others = zip(rows[best].tolist(), columns[best].tolist(), strict=True)
    found = [_line(data, graph, sure, tests, (i, j), True) for i, j in edges]
    found = [line for line in found if line.confidence >= threshold]
    found += [_line(data, graph, sure, tests, pair, False) for pair in others]
    return sorted(found, key=lambda line: (-line.confidence, line.i, line.j))


def _line(
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


def drawing_edges(found: Sequence[Line], data: Dataset, kind: str, why: Reasons) -> list[list[Any]]:
    """The pairs as edges of a drawing.

    Of the pairs that are no edges the surest, as the words name them, without weight.
    """
    edges = [line for line in found if line.learned]
    return [
        [
            line.i,
            line.j,
            "plain" if line.learned else "missing",
            round(line.confidence, 4) if line.learned else None,
            describe(line, data, kind, why),
        ]
        for line in sorted([*edges, *clear_others(found)], key=lambda line: (line.i, line.j))
    ]


def clear_others(found: Sequence[Line]) -> list[Line]:
    """The pairs that are no edges though their number is high: those that are named and drawn."""
    return [x for x in found if not x.learned and x.confidence >= HIGH][:MOST_NAMED]


def describe(line: Line, data: Dataset, kind: str, why: Reasons) -> str:
    """A pair in words, as plain text."""
    error = "" if line.error is None else f" ± {number(line.error)}"
    where = "" if line.learned else " (not in the graph)"
    test = f"Pr(dependent) {number(line.test, 4)}, " if line.confidence != line.test else ""
    reason = f" · {why[line.i, line.j]}" if (line.i, line.j) in why else ""
    return (
        f"{pair_name((line.i, line.j), data)}{where}: {MEASURES[kind]} "
        f"{number(line.confidence, 4)}{error} · {test}given {conditioning_set(line.given)}{reason}"
    )


def conditioning_set(names: Sequence[Name]) -> str:
    """A set of names, cut where it is long."""
    if not names:
        return "∅"
    more = f", … {len(names) - _GIVEN:,} more" if len(names) > _GIVEN else ""
    return "{" + ", ".join(plain(shown(name), 28) for name in names[:_GIVEN]) + more + "}"


def table(
    found: Sequence[Line],
    data: Dataset,
    kind: str,
    known: nx.Graph[Any] | None,
    why: Reasons,
) -> pd.DataFrame:
    """The pairs as a table.

    Columns pair, confidence, error, learned, why, known, test, given; without those that there are
    not, and without test where it is the confidence.
    """

    def name(line: Line) -> str:
        text = pair_name((line.i, line.j), data)
        return f"'{text}" if text.startswith(_FORMULA) else text

    columns: dict[str, list[Any]] = {
        "pair": [name(line) for line in found],
        "confidence": [line.confidence for line in found],
    }
    if any(line.error is not None for line in found):
        columns["error"] = [line.error for line in found]
    columns["learned"] = ["edge" if line.learned else "no edge" for line in found]
    if why:
        columns["why"] = [why.get((line.i, line.j), "") for line in found]
    if known is not None:
        has = [known.has_edge(data.names[line.i], data.names[line.j]) for line in found]
        columns["known"] = ["edge" if edge else "no edge" for edge in has]
    if kind != "test":
        columns["test"] = [line.test for line in found]
    columns["given"] = [conditioning_set(line.given) for line in found]
    return pd.DataFrame(columns)


def learned_graph(found: Sequence[Line], data: Dataset) -> nx.Graph[Name]:
    """The learned edges that are shown, as a graph on all variables."""
    graph: nx.Graph[Name] = nx.Graph()
    graph.add_nodes_from(data.names)
    pairs = sorted((line.i, line.j) for line in found if line.learned)
    graph.add_edges_from((data.names[i], data.names[j]) for i, j in pairs)
    return graph
