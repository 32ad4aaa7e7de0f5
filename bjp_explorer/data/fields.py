"""Fields of the forms for steps: columns, and numbers with semicolons between."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import streamlit as st

from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError, clip
from bjp_explorer.data.reading import Reading
from bjp_explorer.data.words import distinct

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

    Parameters
    ----------
    label : str
    names : sequence of str or int
        Those to choose from.
    reading : Reading
    key : str
        What the widget's own key begins with.
    chosen : collection of str or int
        Those chosen at first.

    Returns
    -------
    callable() -> tuple of str or int
        The columns in their order; raises OptionError where places are none.
    """
    if len(names) > MANY:
        text = st.text_input(
            f"{label}, by their places",
            placeholder="1-40, 57",
            key=f"{key}-places",
            help=f"There are {len(names):,}, counted from 1.",
        )
        return lambda: tuple(names[k - 1] for k in places(text, len(names)))
    known = labels_of(names, reading)
    picked = st.multiselect(
        label,
        list(names),
        [name for name in names if name in set(chosen)],
        format_func=known.__getitem__,
        placeholder="Choose",
        key=f"{key}-columns",
    )
    return lambda: tuple(name for name in names if name in set(picked))


def labels_of(names: Sequence[Name], reading: Reading) -> dict[Name, str]:
    """Columns as widgets show them.

    Parameters
    ----------
    names : sequence of str or int
        Perhaps with names that a step gave.
    reading : Reading

    Returns
    -------
    dict of str or int to str
    """
    known = reading.labels
    if all(name in known for name in names):
        return {name: known[name] for name in names}
    return dict(zip(names, distinct(names), strict=True))


def places(text: str, most: int) -> list[int]:
    """Places such as "1-40, 57".

    Parameters
    ----------
    text : str
    most : int

    Returns
    -------
    list of int
        From 1, ascending, each once.

    Raises
    ------
    OptionError
        If they are none.

    Examples
    --------
    >>> places("2-4, 7", 9)
    [2, 3, 4, 7]
    """
    found: set[int] = set()
    for part in filter(None, (part.strip() for part in text.split(","))):
        ends = [end.strip() for end in part.split("-")]
        known = len(ends) <= 2 and all(e.isascii() and e.isdecimal() and len(e) < 9 for e in ends)
        low, high = (int(ends[0]), int(ends[-1])) if known else (0, 0)
        if not 1 <= low <= high <= most:
            raise OptionError(f"{clip(part)} is no place from 1 to {most:,}; write 1-40, 57.")
        found.update(range(low, high + 1))
    return sorted(found)


def numbers(text: str) -> tuple[float, ...]:
    """Numbers with semicolons between.

    Parameters
    ----------
    text : str

    Returns
    -------
    tuple of float

    Raises
    ------
    OptionError
        If one is no number.

    Examples
    --------
    >>> numbers("18; 65,5")
    (18.0, 65.5)
    """
    found = []
    for part in filter(None, (part.strip() for part in text.split(";"))):
        try:
            found.append(float(part.replace(",", ".")))
        except ValueError:
            raise OptionError(
                f"{clip(part, 30)} is no number; write cut points such as 18; 65."
            ) from None
    return tuple(found)
