"""What *How good is it?* keeps in its URL: the groups that are looked at, and the methods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bjp_explorer.accuracy import words
from bjp_explorer.accuracy.data import SUBJECT, Measured
from bjp_explorer.shell import links
from bjp_explorer.shell.links import Field

KINDS, ROWS, NETWORKS, SEEDS = (
    "accuracy-distributions",
    "accuracy-rows",
    "accuracy-networks",
    "accuracy-seeds",
)


def kinds(measured: Measured) -> list[str]:
    """The ways in which data were made."""
    there = set(measured.means["distribution"])
    return [kind for kind in words.DISTRIBUTIONS if kind in there]


def rows(measured: Measured) -> list[int]:
    """The sizes of the data, ascending."""
    return sorted(int(size) for size in measured.means["rows"].unique())


def networks(measured: Measured) -> list[str]:
    """The networks, by name."""
    return sorted(measured.means["network"].unique())


def others(measured: Measured, found: Measured) -> list[str]:
    """The methods that there are results of, without the one that is judged."""
    there = set(found.means["method"])
    return [name for name in measured.methods.index if name in there and name != SUBJECT]


def usual(found: Measured) -> list[str]:
    """The methods that are compared at first."""
    return [name for name in found.usual if name != SUBJECT]


def methods_key(found: Measured) -> str:
    """Where the choice of methods is kept: other groups have other methods."""
    return f"accuracy-methods-{'-'.join(usual(found))}"


def groups(measured: Measured) -> Iterator[Field]:
    """The choice of groups."""
    yield links.several("made", KINDS, kinds(measured), kinds(measured))
    yield links.several("rows", ROWS, rows(measured), rows(measured))
    yield links.several("networks", NETWORKS, networks(measured), [])
    numbers = {text: str(len(text.split())) for text in measured.compared}
    yield links.choice("samples", SEEDS, measured.compared, measured.compared[0], numbers)


def chosen(
    measured: Measured,
    made: Sequence[str],
    sizes: Sequence[int],
    places: Sequence[str],
    seeds: str,
) -> tuple[Measured, tuple[object, ...]]:
    """Some groups and a key for them; where nothing of a kind is pressed, all of it counts."""
    kept = (made or kinds(measured), sizes or rows(measured), places or networks(measured))
    return measured.chosen(seeds, *map(list, kept)), (seeds, *map(tuple, kept))


def fields(measured: Measured) -> Iterator[Field]:
    """All choices, the methods after the groups on which they depend."""
    yield from groups(measured)
    made, sizes, places, seeds = (field.get() for field in groups(measured))
    yield methods(measured, chosen(measured, made, sizes, places, seeds)[0])


def methods(measured: Measured, found: Measured) -> Field:
    """The choice of methods."""
    return links.several("methods", methods_key(found), others(measured, found), usual(found))
