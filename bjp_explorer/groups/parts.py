"""The rows of each group: which column, or which other file, makes them, and of which states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import networkx as nx
import numpy as np

from bjp_engine import Dataset
from bjp_engine.confidence import choose_groups
from bjp_engine.confidence.groups import (
    describe_copies,
    find_group_copies,
    join_columns,
    unite_groups,
)
from bjp_engine.dataset import Name
from bjp_engine.errors import DataError, clip
from bjp_explorer.shell import caches, visit
from bjp_explorer.shell.choices import Field, Number, OneOf, SomeOf, choice_of_search
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import plain, tell_apart, together
from bjp_explorer.views.payloads import edge_pairs, pair_name

Groups = dict[str, Dataset]
# A column with more states makes no groups.
MOST_STATES = 12
PERMUTATIONS = Number("permutations", "groups-permutations", 1000, 19, 10_000)
SEED = Number("seed", "groups-seed", 0, 0, 2**31 - 1)

# --- What can be chosen ---------------------------------------------------------------------------


def by_of(loaded: Loaded) -> OneOf:
    """The choice of a column by its number, or of another uploaded file by its token.

    What was kept as groups on *Data* is meant; else one is asked.
    """
    labels: dict[Any, str] = {}
    for i in _states(loaded):
        data, place = column_of(loaded, i)
        labels[i] = plain(data.names[place], 40)
    first = next((i for i in labels if i >= loaded.data.n), None)
    for each in visit.uploads().values():
        if each.token != loaded.base:
            labels[each.token] = f"this file and {plain(each.title, 40)}"
    texts = dict(zip(labels, tell_apart(labels.values()), strict=True))
    return OneOf("by", f"groups-by {loaded.token}", first, texts)


def states_of(loaded: Loaded, column: int) -> SomeOf:
    """The choice of a column's states, by their numbers: at first the two with most rows."""
    data, place = column_of(loaded, column)
    rows = np.bincount(data.codes[:, place], minlength=data.cardinalities[place])
    found = _states(loaded)[column]
    largest = sorted(sorted(found, key=lambda s: -rows[s])[:2])
    labels = tell_apart((data.labels[place][s] for s in found), 28)
    key = f"groups-states {loaded.token} {column}"
    return SomeOf("states", key, largest, dict(zip(found, labels, strict=True)))


def pair_of(loaded: Loaded, column: int, names: Iterable[tuple[str, str]], usual: int) -> OneOf:
    """The choice of a pair of groups, by its number."""
    labels = tell_apart((f"{plain(a, 40)} and {plain(b, 40)}" for a, b in names), 90)
    states = states_of(loaded, column)
    key = f"{states.key} pair {states.get()}"
    return OneOf("pair", key, usual, dict(enumerate(labels)))


def fields(loaded: Loaded) -> Iterator[Field]:
    """The page's choices."""
    by = by_of(loaded)
    yield by
    yield choice_of_search(loaded, "groups-search")
    column = by.get()
    if isinstance(column, int):
        states = states_of(loaded, column)
        yield states
        several = len(states.get()) * (len(states.get()) - 1) // 2
        if several > 1:
            # Which is the clearest is not known here, so each pair is written.
            yield pair_of(loaded, column, [("", "")] * several, -1)
    yield PERMUTATIONS
    yield SEED


def _states(loaded: Loaded) -> dict[int, list[int]]:
    """The states of each column that can make groups, those kept as groups first."""
    kept = {} if loaded.groups is None else _columns(loaded.groups)
    return {loaded.data.n + i: states for i, states in kept.items()} | _columns(loaded.data)


def _columns(data: Dataset) -> dict[int, list[int]]:
    """The states that occur of each column that can make groups."""

    def find() -> dict[int, list[int]]:
        found = {}
        for i, column in enumerate(data.codes.T):
            states = np.flatnonzero(np.bincount(column)).tolist()
            if 2 <= len(states) <= MOST_STATES:
                found[i] = states
        return found

    return caches.once(("group columns", data.digest), find)


# --- The rows -------------------------------------------------------------------------------------


def column_of(loaded: Loaded, column: int) -> tuple[Dataset, int]:
    """Where a column stands that makes groups: among the variables, or after them those kept so."""
    n = loaded.data.n
    if column < n or loaded.groups is None:
        return loaded.data, column
    return loaded.groups, column - n


def by_states(loaded: Loaded, column: int, states: list[int]) -> tuple[Groups, str]:
    """The groups of some states of a column, and which columns are left out as its copies.

    Of one state, that and all others.
    """
    data, (of, place) = loaded.data, column_of(loaded, column)
    if of is not data:
        data = join_columns(data, of.select([of.names[place]]))
    by: Name = of.names[place]
    copies = find_group_copies(data, data.index(by))
    chosen = [data.labels[data.index(by)][state] for state in states]
    kept = data.select([name for name in data.names if name not in copies])
    return choose_groups(kept, by, chosen), describe_copies(copies, by) if copies else ""


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
        titles = [f"{title} ({k})" for k, title in enumerate(titles, 1)]
    return dict(zip(titles, unite_groups(loaded.data, other.data), strict=True))


def state_differences(loaded: Loaded, other: Loaded) -> list[str]:
    """The variables of two files that have different states, as they are called."""
    mine, theirs = loaded.data, other.data
    return [
        str(name)
        for name, states in zip(mine.names, mine.labels, strict=True)
        if set(states) != set(theirs.labels[theirs.index(name)])
    ]


def having_edges(
    graphs: dict[str, nx.Graph[Any]], data: Dataset
) -> dict[tuple[int, int], list[str]]:
    """Which groups have each edge of any of them."""
    having: dict[tuple[int, int], list[str]] = {}
    for name, graph in graphs.items():
        for pair in sorted(edge_pairs(graph, data)):
            having.setdefault(pair, []).append(name)
    return dict(sorted(having.items()))


def toned_edges(having: dict[tuple[int, int], list[str]], name: str, of: int, data: Dataset) -> Any:
    """The edges of one of so many groups, with a tone by how many have them."""
    tones, edges = {1: "only", of: "all"}, []
    for (i, j), who in having.items():
        if name in who:
            where = (
                "in every group"
                if len(who) == of
                else f"only in {together([plain(one, 40) for one in who])}"
            )
            text = f"{pair_name((i, j), data)}: {where}"
            edges.append([i, j, tones.get(len(who), "some"), None, text])
    return edges


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
