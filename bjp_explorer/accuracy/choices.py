"""What can be chosen on *How good is it?*: the groups that are looked at, and the methods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pandas as pd

from bjp_explorer.accuracy.data import SUBJECT, Measured
from bjp_explorer.accuracy.words import ALL_KINDS, ALL_SIZES, DISTRIBUTIONS, VIEWS
from bjp_explorer.shell.choices import Field, OneOf, SomeOf
from bjp_explorer.shell.text import count

VIEW = OneOf("view", "accuracy-view", "others", VIEWS)
# Whose probabilities are looked at.
KIND = OneOf(
    "kind",
    "accuracy-kind",
    "",
    {"": ALL_KINDS} | {kind: name for kind, (name, _) in DISTRIBUTIONS.items()},
)


def size(sizes: Iterable[int]) -> OneOf:
    """How many rows the data have whose probabilities are looked at."""
    labels = {0: ALL_SIZES} | {rows: f"{rows:,} rows" for rows in sorted(set(sizes))}
    return OneOf("size", "accuracy-size", 0, labels)


def kinds(measured: Measured) -> SomeOf:
    """The ways in which data were made."""
    there = set(measured.means["distribution"])
    labels = {kind: name for kind, (name, _) in DISTRIBUTIONS.items() if kind in there}
    return SomeOf("made", "accuracy-distributions", list(labels), labels)


def rows(measured: Measured) -> SomeOf:
    """The sizes of the data, ascending."""
    sizes = sorted(int(size) for size in measured.means["rows"].unique())
    return SomeOf("rows", "accuracy-rows", sizes, {size: f"{size:,}" for size in sizes})


def networks(measured: Measured) -> SomeOf:
    """The networks by name; none stands for all."""
    names = sorted(measured.means["network"].unique())
    return SomeOf("networks", "accuracy-networks", [], {name: name for name in names})


def samples(measured: Measured) -> OneOf:
    """The samples of each group that are compared."""
    labels = {text: count(len(text.split()), "sample") for text in measured.seed_sets}
    numbers = {text: str(len(text.split())) for text in labels}
    return OneOf("samples", "accuracy-seeds", measured.seed_sets[0], labels, numbers)


def groups(measured: Measured) -> tuple[SomeOf, SomeOf, SomeOf, OneOf]:
    """The choices of groups."""
    return kinds(measured), rows(measured), networks(measured), samples(measured)


def select_groups(measured: Measured) -> tuple[Measured, tuple[object, ...]]:
    """The groups and a key for them; where nothing of a kind is pressed, all of it counts."""
    *some, one = groups(measured)
    kept = [choice.get() or list(choice.labels) for choice in some]
    return measured.select(one.get(), *kept), (one.get(), *map(tuple, kept))


def methods(measured: Measured, found: Measured) -> SomeOf:
    """The methods that the one that is judged is compared with: other groups have others."""
    there = set(found.means["method"]) - {SUBJECT}
    labels = {name: measured.title(name) for name in measured.methods.index if name in there}
    key = f"accuracy-methods-{'-'.join(name for name in found.usual if name != SUBJECT)}"
    return SomeOf("methods", key, [name for name in labels if name in found.usual], labels)


def fields(measured: Measured, probabilities: pd.DataFrame) -> Iterator[Field]:
    """All choices, the methods after the groups on which they depend."""
    yield VIEW
    yield KIND
    yield size(probabilities["rows"])
    yield from groups(measured)
    yield methods(measured, select_groups(measured)[0])
