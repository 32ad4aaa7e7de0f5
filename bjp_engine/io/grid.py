"""A rectangle of text cells, column by column, each distinct text held once.

Tables of discrete variables have few distinct cells, so a column is a short list of texts
and a code a row; whatever is decided about a text is decided once.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from bjp_engine.errors import DataError

_BATCH = 4096
# More cells than this don't fit a laptop's memory beside the searches.
MAX_CELLS = 200_000_000

Record = tuple[int, list[str]]


@dataclass(frozen=True, eq=False)
class Texts:
    """One column of text.

    Parameters
    ----------
    values : tuple of str
        The distinct cells in order of appearance.
    codes : ndarray of int32, shape (N,)
        Which of them each row holds.
    """

    values: tuple[str, ...]
    codes: NDArray[np.int32]

    @property
    def blank(self) -> bool:
        """Whether no cell holds anything but spaces."""
        return not any(value.strip() for value in self.values)

    def counts(self) -> NDArray[np.int64]:
        """How often each distinct cell occurs."""
        return np.bincount(self.codes, minlength=len(self.values)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Grid:
    """A whole table of text.

    Parameters
    ----------
    header : tuple of str or None
        The column names as they stand in the file.
    columns : tuple of Texts
        One more than names where the rows bear names of their own.
    lines : ndarray of int64, shape (N,)
        Where each row stands in its file, from 1.
    blank_lines : int
        How many blank lines before a row were left out.
    """

    header: tuple[str, ...] | None
    columns: tuple[Texts, ...]
    lines: NDArray[np.int64]
    blank_lines: int

    @property
    def rows(self) -> int:
        """N."""
        return len(self.lines)


def build_grid(records: Iterable[Record], *, header: bool, where: str) -> Grid:
    """Gather records into columns.

    Parameters
    ----------
    records : iterable of (int, list of str)
        The line and the cells of each record; an empty list is a blank line.
    header : bool
        Whether the first record holds the names.
    where : str
        "Line" or "Row": what the numbers count.

    Returns
    -------
    Grid

    Raises
    ------
    DataError
        If a record has too many or too few cells; the sentence names the line.
    """
    rows = _Rows(iter(records))
    first = next(rows, None)
    names = tuple(first[1]) if header and first is not None else None
    if names is None and first is not None:
        rows.put_back(first)
    width = _Width(names, where)
    vocabularies: list[dict[str, int]] = []
    codes: list[array[int]] = []
    lines = array("q")
    while batch := list(islice(rows, _BATCH)):
        for line, cells in batch:
            width.check(line, len(cells))
        if not codes:
            vocabularies = [{} for _ in batch[0][1]]
            codes = [array("i") for _ in batch[0][1]]
        lines.extend(line for line, _ in batch)
        if len(lines) * len(codes) > MAX_CELLS:
            raise DataError(f"The table has more than {MAX_CELLS:,} cells; leave columns out.")
        for texts, into, column in zip(
            vocabularies, codes, zip(*(cells for _, cells in batch), strict=True), strict=True
        ):
            into.extend(texts.setdefault(cell, len(texts)) for cell in column)
    columns = tuple(
        Texts(tuple(texts), np.frombuffer(into, dtype=np.intc).astype(np.int32))
        for texts, into in zip(vocabularies, codes, strict=True)
    )
    return Grid(names, columns, np.array(lines, dtype=np.int64), rows.blank)


class _Rows(Iterator[Record]):
    """Records without the blank ones, which are counted where a row follows."""

    def __init__(self, records: Iterator[Record]) -> None:
        self._records = records
        # A lone empty cell is a missing value (or name) in a table with one column.
        self._lone_is_blank = False
        self._ahead: Record | None = None
        self.blank = 0

    def __next__(self) -> Record:
        if self._ahead is not None:
            ahead, self._ahead = self._ahead, None
            return ahead
        for pending, (line, cells) in enumerate(self._records):
            if not cells or (self._lone_is_blank and len(cells) == 1 and not cells[0].strip()):
                continue
            self._lone_is_blank = len(cells) > 1
            self.blank += pending
            return line, cells
        raise StopIteration

    def put_back(self, record: Record) -> None:
        """Give a record again."""
        self._ahead = record


class _Width:
    """Every row as wide as the first, and the first as the header (or one wider)."""

    def __init__(self, names: tuple[str, ...] | None, where: str) -> None:
        self._header = None if names is None else len(names)
        self._where = where
        self._first: tuple[int, int] | None = None

    def check(self, line: int, cells: int) -> None:
        """Refuse a row that doesn't fit."""
        if self._first is None:
            self._first = (line, cells)
            # One more cell: row names in front, or a delimiter at the end of each row.
            if self._header is not None and cells not in (self._header, self._header + 1):
                raise self._misfit(line, cells, self._header, "the header")
        elif cells != self._first[1]:
            if self._header is not None and self._first[1] != self._header:
                raise self._misfit(*self._first, self._header, "the header")
            if self._header is not None:
                raise self._misfit(line, cells, self._header, "the header")
            raise self._misfit(
                line, cells, self._first[1], f"{self._where.lower()} {self._first[0]}"
            )

    def _misfit(self, line: int, cells: int, expected: int, other: str) -> DataError:
        """The sentence for a row of another width."""
        count = f"{cells} cell{'s' if cells != 1 else ''}"
        return DataError(
            f"{self._where} {line} has {count} where {other} has {expected}; "
            "quote a cell that holds the delimiter, or complete the line."
        )
