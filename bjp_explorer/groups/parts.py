"""The rows of each group, from a column's states or from two files."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from bjp_engine import Dataset
from bjp_engine.confidence import choose_groups
from bjp_engine.confidence.many_groups import describe_copies, find_copies
from bjp_engine.confidence.two_groups import unite_groups
from bjp_engine.dataset import Name
from bjp_engine.errors import DataError, clip
from bjp_explorer.groups import words
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views.payloads import edge_pairs

Groups = dict[str, Dataset]
Pair = tuple[int, int]


def column_of(loaded: Loaded, column: int) -> tuple[Dataset, int]:
    """Where a column stands that makes groups: among the variables, or after them those kept so."""
    n = loaded.data.n
    if column < n or loaded.groups is None:
        return loaded.data, column
    return loaded.groups, column - n


def by_states(loaded: Loaded, column: int, states: list[int]) -> Groups:
    """The groups of some states of a column, without columns that are one to one with it.

    Of one state, that and all others.
    """
    data, by, copies = _with_copies(loaded, column)
    chosen = [data.labels[data.index(by)][state] for state in states]
    return choose_groups(data.select([n for n in data.names if n not in copies]), by, chosen)


def describe_left_out(loaded: Loaded, column: int) -> str:
    """Which columns are left out of the groups by a column; empty where none is."""
    _, by, copies = _with_copies(loaded, column)
    return describe_copies(copies, by) if copies else ""


def _with_copies(loaded: Loaded, column: int) -> tuple[Dataset, Name, list[Name]]:
    """The variables and a column that makes groups, its name, and what is one to one with it."""
    data, (of, place) = loaded.data, column_of(loaded, column)
    if of is not data:
        # The variables and this one column.
        data = Dataset.from_codes(
            np.column_stack([data.codes, of.codes[:, place]]),
            (*data.cardinalities, of.cardinalities[place]),
            (*data.names, of.names[place]),
            (*data.labels, of.labels[place]),
            ordered=[name for name, known in zip(data.names, data.ordered, strict=True) if known],
        )
    by = of.names[place]
    return data, by, find_copies(data, data.index(by))


def of_files(loaded: Loaded, other: Loaded) -> Groups:
    """Two files as groups, with the states of both."""
    for one, two in ((loaded, other), (other, loaded)):
        lacking = [name for name in one.data.names if name not in two.data.names]
        if lacking:
            raise DataError(
                f"{clip(two.title)} lacks the variable {clip(lacking[0])} of {clip(one.title)}; "
                "choose a file with the same variables."
            )
    titles = [loaded.title, other.title]
    if titles[0] == titles[1]:
        titles = [words.numbered(title, k) for k, title in enumerate(titles, 1)]
    return dict(zip(titles, unite_groups(loaded.data, other.data), strict=True))


def state_differences(loaded: Loaded, other: Loaded) -> list[str]:
    """The variables of two files that have different states, as they are called."""
    mine, theirs = loaded.data, other.data
    return [
        str(name)
        for name, states in zip(mine.names, mine.labels, strict=True)
        if set(states) != set(theirs.labels[theirs.index(name)])
    ]


def toned_edges(
    graphs: dict[str, nx.Graph[Any]], data: Dataset
) -> tuple[dict[str, list[list[Any]]], dict[Pair, list[str]]]:
    """Each group's edges with a tone by how many have them; and who has each edge."""
    having: dict[Pair, list[str]] = {}
    for name, graph in graphs.items():
        for pair in sorted(edge_pairs(graph, data)):
            having.setdefault(pair, []).append(name)
    tones = {1: "only", len(graphs): "all"}
    edges: dict[str, list[list[Any]]] = {name: [] for name in graphs}
    for (i, j), names in sorted(having.items()):
        for name in names:
            text = words.describe_edge((i, j), names, len(graphs), data)
            edges[name].append([i, j, tones.get(len(names), "some"), None, text])
    return edges, having


def largest_gap(groups: Groups) -> tuple[Any, str, dict[str, float]] | None:
    """The state whose share differs most between groups: its variable, label and shares."""
    first = next(iter(groups.values()))
    best, found = 0.0, None
    for i, (name, labels) in enumerate(zip(first.names, first.labels, strict=True)):
        shares = np.array(
            [
                np.bincount(part.codes[:, i], minlength=len(labels)) / max(1, part.rows)
                for part in groups.values()
            ]
        )
        gaps = np.ptp(shares, axis=0)
        state = int(gaps.argmax())
        if gaps[state] > best:
            best = float(gaps[state])
            found = (name, labels[state], dict(zip(groups, shares[:, state], strict=True)))
    return found
