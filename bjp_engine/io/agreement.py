"""Which states the codes of files become that were each coded in its order of appearance.

Names, labels and orders are those that one table of all rows would have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Bools, Ints, signed_dtype
from bjp_engine.columns import Column, as_values
from bjp_engine.errors import DataError, clip, listed
from bjp_engine.io.limits import Guard, Limits
from bjp_engine.io.options import ReadOptions
from bjp_engine.io.text import Grid, Texts
from bjp_engine.io.values import missing_texts, read_values
from bjp_engine.validate import (
    Missing,
    Name,
    check_total,
    missing_sentence,
    nothing_left_sentence,
)


@dataclass(frozen=True, eq=False)
class Coding:
    """What the codes of one column stand for, in their order of appearance.

    Parameters
    ----------
    cells : Column or Texts
        A row for each code: a value, or a missing cell; texts where it isn't decided yet what they
        are.
    counts : ndarray of int, shape (k,)
        How many rows have each code; 0 where all of them were left out.
    kind : str
        The type of the values, where those of another file must have the same.
    """

    cells: Column | Texts
    counts: Ints
    kind: str = ""

    def gone(self, options: ReadOptions) -> Bools:
        """Which codes are those of missing cells, shape (k,)."""
        if isinstance(self.cells, Column):
            return self.cells.codes < 0
        missing = missing_texts(options)
        return np.array([text.strip() in missing for text in self.cells.values], dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class Head:
    """What is known of the rows of one file without a look at them; small, and picklable.

    Parameters
    ----------
    title : str
        How sentences call the file.
    names : tuple of str or int
    codings : tuple of Coding
    rows, read : int
        How many rows there are, and were before those with missing cells were left out.
    holes : tuple of int
        How many cells are missing in each column of the rows that were read.
    options : ReadOptions
    weights : str or int, optional
        The column that said how often each row was counted.
    """

    title: str
    names: tuple[Name, ...]
    codings: tuple[Coding, ...]
    rows: int
    read: int
    holes: tuple[int, ...]
    options: ReadOptions
    weights: Name | None = None


@dataclass(frozen=True, eq=False)
class Agreement:
    """The variables that several files have in common.

    Parameters
    ----------
    rows : int
    names, cardinalities, labels, ordered : tuple
        As of a `Dataset`.
    places : tuple of tuple of ndarray
        For each file and column the final code of each of its own.
    """

    rows: int
    names: tuple[Name, ...]
    cardinalities: tuple[int, ...]
    labels: tuple[tuple[str, ...], ...]
    ordered: tuple[bool, ...]
    places: tuple[tuple[NDArray[np.intp], ...], ...]


def agree(heads: Sequence[Head], missing: Missing = "error") -> Agreement:
    """Find the states of all files together, as `Dataset.from_table` finds those of one table."""
    first = heads[0]
    for other in heads[1:]:
        _check_alike(first, other)
    rows, names = sum(head.rows for head in heads), first.names
    _check_rows(heads, missing)
    columns = _decided(heads)
    found = []
    places: list[list[NDArray[np.intp]]] = [[] for _ in heads]
    for i, name in enumerate(names):
        column = unite([one[i] for one in columns], name)
        seen = column.take(np.concatenate([head.codings[i].counts > 0 for head in heads]))
        labels, table = seen.states(name)
        found.append((labels, seen.ordinal and not seen.holes))
        ends = np.cumsum([len(head.codings[i].counts) for head in heads])[:-1]
        for own, part in zip(places, np.split(table[column.codes], ends), strict=True):
            own.append(part)
    return Agreement(
        rows,
        names,
        tuple(len(labels) for labels, _ in found),
        tuple(labels for labels, _ in found),
        tuple(ordered for _, ordered in found),
        tuple(map(tuple, places)),
    )


def _check_rows(heads: Sequence[Head], missing: Missing) -> None:
    """Refuse missing cells and tables without a row."""
    read, names, weights = sum(head.read for head in heads), heads[0].names, heads[0].weights
    if weights is not None and not read:
        raise DataError(f"Every row has the frequency 0 in column {clip(weights)}.")
    check_total(read)
    holes = np.sum([head.holes for head in heads], axis=0)
    if missing == "error" and holes.any():
        most = max(heads, key=lambda head: head.holes[np.argmax(holes)])
        most_in = most.title if len(heads) > 1 else None
        raise DataError(missing_sentence(holes, names, most_in=most_in))
    if missing == "drop" and not any(head.rows for head in heads):
        raise DataError(nothing_left_sentence(holes, read, names))


def _check_alike(first: Head, other: Head) -> None:
    """Refuse a file with other columns than the first, or with values of another type."""
    if other.names != first.names:
        lacks = [name for name in first.names if name not in other.names]
        more = [name for name in other.names if name not in first.names]
        if not lacks and not more:
            raise DataError(
                f"{other.title} has the columns of {first.title} in another order; name those to "
                "read, in one order, with columns=."
            )
        parts = [f"without {listed(lacks)}"] * bool(lacks) + [f"with {listed(more)}"] * bool(more)
        what = " and ".join(parts)
        raise DataError(
            f"{other.title} has other columns than {first.title} ({what}); give all files the same "
            "columns, or name those to read with columns=."
        )
    for name, mine, theirs in zip(first.names, first.codings, other.codings, strict=True):
        if mine.kind != theirs.kind and mine.kind and theirs.kind:
            raise DataError(
                f"Column {clip(name)} holds {theirs.kind} in {other.title} and {mine.kind} in "
                f"{first.title}; write both files with the same type."
            )
        if isinstance(mine.cells, Texts) != isinstance(theirs.cells, Texts):
            raise DataError(
                f"{other.title} and {first.title} are of different formats; give files of one."
            )


def _decided(heads: Sequence[Head]) -> list[list[Column]]:
    """For each file its columns, by values that are the same in all files where they are texts."""
    options, found = heads[0].options, [[one.cells for one in head.codings] for head in heads]
    texts = [
        list(dict.fromkeys(text for cells in held for text in cells.values))
        for held in zip(*found, strict=True)
        if all(isinstance(cells, Texts) for cells in held)
    ]
    if len(texts) < len(heads[0].names):
        return found  # type: ignore[return-value]
    decided = read_texts(heads[0].names, texts, options)
    places = [{text: k for k, text in enumerate(values)} for values in texts]
    return [
        [
            column.take(np.array([place[text] for text in cells.values], dtype=np.intp))
            for column, place, cells in zip(decided, places, held, strict=True)
        ]
        for held in found
    ]


def read_texts(
    names: Sequence[Name], texts: Sequence[list[str]], options: ReadOptions
) -> list[Column]:
    """The values of columns of texts, each with a row for each text."""
    columns = [
        (name, Texts(values, np.arange(len(values)).astype(signed_dtype(len(values)))))
        for name, values in zip(names, texts, strict=True)
    ]
    nowhere = Grid(None, (), range(max(map(len, texts))))
    guard = Guard(options.limits or Limits.from_environment())
    return list(read_values(columns, nowhere, options, guard, [])[0].columns.values())


def unite(columns: Sequence[Column], name: Name) -> Column:
    """Columns below one another, by the values of all of them."""
    first = columns[0]
    if all(one.values is first.values or len(columns) == 1 for one in columns):
        codes = np.concatenate([one.codes for one in columns])
        return Column(first.values, codes, first.ordered, first.declared, ordinal=first.ordinal)
    filled = [one for one in columns if len(one.values)] or [first]
    dtypes = {one.values.dtype for one in filled}
    dtype: Any = np.result_type(*dtypes)
    if len(dtypes) > 1 and (dtype.kind not in "iu" or any(one.kind == "b" for one in dtypes)):
        dtype = np.dtype(object)  # what numpy would round
    listed_values = [one.values.tolist() for one in columns]
    declared = any(one.declared for one in filled)
    if dtype.kind == "O" and not declared:
        # What counts as equal and isn't, True and 1, is found among all of them.
        Column.of(as_values(value for values in listed_values for value in values), name)
    known: dict[Any, int] = {}
    tables = [[known.setdefault(value, len(known)) for value in values] for values in listed_values]
    values = as_values(known) if dtype.kind == "O" else np.array(list(known), dtype=dtype)
    codes = np.concatenate(
        [np.array([*table, -1])[one.codes] for table, one in zip(tables, columns, strict=True)]
    )
    ordinal = all(one.ordinal for one in filled)
    ordinal = ordinal and all(a < b for table in tables for a, b in pairwise(table))
    return Column(values, codes, declared, declared, ordinal=ordinal)
