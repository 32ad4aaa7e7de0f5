"""What can be chosen on *Groups*: what makes the groups, the search, and the test's settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from bjp_engine import Dataset
from bjp_engine.confidence.many_groups import MOST_GROUPS
from bjp_explorer.groups import words
from bjp_explorer.groups.parts import column_of
from bjp_explorer.shell import caches, visit
from bjp_explorer.shell.choices import Field, Number, OneOf, SomeOf, choice_of_search, tell_apart
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import plain

# A column with more states makes no groups.
MOST_STATES = 12
_MOST_SEED = 2**31 - 1

PERMUTATIONS = Number("permutations", "groups-permutations", 1000, 19, 10_000)
SEED = Number("seed", "groups-seed", 0, 0, _MOST_SEED)


def by_of(loaded: Loaded) -> OneOf:
    """The choice of a column by its number, or of another uploaded file by its token."""
    columns = {i: len(states) for i, states in _states(loaded).items()}
    labels: dict[Any, str] = {i: _name(loaded, i) for i in columns}
    files = {each.token: each for each in visit.uploads().values() if each.token != loaded.base}
    labels |= {token: words.file(each.title) for token, each in files.items()}
    # What was kept as groups is meant; else a column of two states makes one comparison.
    first = next(
        (i for i, r in columns.items() if r == 2 or i >= loaded.data.n), next(iter(labels), None)
    )
    return OneOf("by", f"groups-by {loaded.token}", first, tell_apart(labels))


def states_of(loaded: Loaded, column: int) -> SomeOf:
    """The choice of a column's states, by their numbers: at first as many as can be compared."""
    states, (data, place) = _states(loaded)[column], column_of(loaded, column)
    labels = {s: plain(data.labels[place][s], 28) for s in states}
    key = f"groups-states {loaded.token} {column}"
    return SomeOf("states", key, list(labels)[:MOST_GROUPS], tell_apart(labels))


def pair_of(names: Iterable[tuple[str, str]], usual: int = 0) -> OneOf:
    """The choice of a pair of groups, by its number."""
    labels = {k: words.pair_of_groups(a, b) for k, (a, b) in enumerate(names)}
    return OneOf("pair", f"groups-pair {len(labels)}", usual, labels)


def fields(loaded: Loaded) -> Iterator[Field]:
    """The page's choices."""
    by = by_of(loaded)
    yield by
    yield choice_of_search(loaded, "groups-search")
    column, several = by.get(), 1
    if isinstance(column, int):
        states = states_of(loaded, column)
        yield states
        several = len(states.get()) * (len(states.get()) - 1) // 2
    if several > 1:
        # Which is the clearest is not known here, so each pair is written.
        yield pair_of([("", "")] * several, -1)
    yield PERMUTATIONS
    yield SEED


def _states(loaded: Loaded) -> dict[int, list[int]]:
    """The states of each column that can make groups, those kept as groups first."""
    kept = {} if loaded.groups is None else _columns(loaded.groups)
    return {loaded.data.n + i: states for i, states in kept.items()} | _columns(loaded.data)


def _name(loaded: Loaded, column: int) -> str:
    """What a column is called."""
    data, place = column_of(loaded, column)
    return plain(data.names[place], 40)


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
