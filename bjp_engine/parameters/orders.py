"""The order of a variable's states, and who gives one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import TypeAlias

from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import DataError, OptionError, clip, listed
from bjp_engine.labels import label_of
from bjp_engine.parameters.inference import read_names

# By the places of variables: their states from the first to the last.
Orders: TypeAlias = Mapping[int, tuple[str, ...]]


def orders_of(data: Dataset, given: object) -> Orders:
    """The states of each ordered variable; by default those of variables declared so."""
    if given is None:
        given = [name for name, one in zip(data.names, data.ordered, strict=True) if one]
    places = read_names(data.names, given, "ordered")
    if not isinstance(given, Mapping):
        return {i: data.labels[i] for i in places}
    used = data.drop_unused_states().labels
    return {
        i: _read_order(data.names[i], used[i], states)
        for i, states in zip(places, given.values(), strict=True)
    }


def _read_order(name: Name, labels: tuple[str, ...], given: object) -> tuple[str, ...]:
    """At least the states that occur, each once."""
    if isinstance(given, (str, Mapping, Set)) or not isinstance(given, Iterable):
        raise OptionError(
            f"ordered holds {clip(given)} for {clip(name)}; give the list of its states in order."
        )
    states = tuple(map(label_of, given))
    if len(set(states)) < len(states) or not set(labels) <= set(states):
        raise DataError(
            f"ordered lists the states {listed(states, 8, labels)} of {clip(name)}; list each of "
            f"its states once: {listed(labels, 8, states)}."
        )
    return states
