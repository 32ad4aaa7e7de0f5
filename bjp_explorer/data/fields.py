"""Fields of the forms for steps: columns, and numbers with semicolons between."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import streamlit as st

from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError, clip
from bjp_explorer.data import words
from bjp_explorer.data.reading import Reading

# A list of more columns is slow in a browser; they are then given by their places.
MANY = 1000


def columns(
    label: str,
    names: Sequence[Name],
    reading: Reading,
    key: str,
    chosen: Collection[Name] = (),
) -> Callable[[], tuple[Name, ...]]:
    """A field for some columns.

    The columns in their order; raises OptionError where places are none.
    """
    if len(names) > MANY:
        text = st.text_input(
            words.PLACES.format(label=label),
            placeholder=words.PLACES_EXAMPLE,
            key=f"{key}-places",
            help=words.PLACES_HELP.format(columns=len(names)),
        )
        return lambda: tuple(names[k - 1] for k in places(text, len(names)))
    known = labels_of(names, reading)
    picked = st.multiselect(
        label,
        list(names),
        [name for name in names if name in set(chosen)],
        format_func=known.__getitem__,
        placeholder=words.CHOOSE,
        key=f"{key}-columns",
    )
    return lambda: tuple(name for name in names if name in set(picked))


def labels_of(names: Sequence[Name], reading: Reading) -> dict[Name, str]:
    """Columns as widgets show them."""
    known = reading.labels
    if all(name in known for name in names):
        return {name: known[name] for name in names}
    return dict(zip(names, words.distinct(names), strict=True))


def places(text: str, most: int) -> list[int]:
    """Places such as "1-40, 57". From 1, ascending, each once."""
    found: set[int] = set()
    for part in filter(None, (part.strip() for part in text.split(","))):
        ends = [end.strip() for end in part.split("-")]
        known = len(ends) <= 2 and all(e.isascii() and e.isdecimal() and len(e) < 9 for e in ends)
        low, high = (int(ends[0]), int(ends[-1])) if known else (0, 0)
        if not 1 <= low <= high <= most:
            raise OptionError(words.NO_PLACE.format(text=clip(part), most=most))
        found.update(range(low, high + 1))
    return sorted(found)


def numbers(text: str) -> tuple[float, ...]:
    """Numbers with semicolons between."""
    found = []
    for part in filter(None, (part.strip() for part in text.split(";"))):
        try:
            found.append(float(part.replace(",", ".")))
        except ValueError:
            raise OptionError(words.NO_NUMBER.format(text=clip(part, 30))) from None
    return tuple(found)


def pairs(text: str) -> tuple[tuple[str, str], ...]:
    """Old and new states, a pair "old = new" a line."""
    found = []
    for line in filter(str.strip, text.splitlines()):
        old, mark, new = (part.strip() for part in line.rpartition("="))
        if not (old and mark and new):
            raise OptionError(words.NO_PAIR.format(text=clip(line, 30)))
        found.append((old, new))
    return tuple(found)
