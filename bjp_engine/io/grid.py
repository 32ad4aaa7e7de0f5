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

from bjp_engine.io.limits import Guard
from bjp_engine.io.widths import Record, Shape, Width

_BATCH = 4096


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
    where : str
        "Line" or "Row": what the numbers count.
    """

    header: tuple[str, ...] | None
    columns: tuple[Texts, ...]
    lines: NDArray[np.int64]
    blank_lines: int
    where: str = "Line"

    @property
    def rows(self) -> int:
        """N."""
        return len(self.lines)


def build_grid(
    records: Iterable[Record],
    guard: Guard,
    shape: Shape,
    notes: list[str],
) -> Grid:
    """Gather records into columns."""
    rows = _Rows(iter(records))
    first = next(rows, None)
    names = tuple(first[1]) if shape.header and first is not None else None
    if names is None and first is not None:
        rows.put_back(first)
    width = Width(names, shape)
    vocabularies: list[dict[str, int]] = []
    codes: list[array[int]] = []
    lines = array("q")
    while found := list(islice(rows, _BATCH)):
        guard.tick(found[-1][0])
        batch = width.fitted(found)
        if not batch:
            continue
        if not codes:
            guard.check_columns(width.cells)
            vocabularies = [{} for _ in range(width.cells)]
            codes = [array("i") for _ in range(width.cells)]
        lines.extend(line for line, _ in batch)
        guard.check_cells(len(lines), len(codes))
        for texts, into, column in zip(
            vocabularies, codes, zip(*(cells for _, cells in batch), strict=True), strict=True
        ):
            into.extend(texts.setdefault(cell, len(texts)) for cell in column)
        guard.check_distinct(sum(map(len, vocabularies)))
    notes.extend(width.sentences())
    columns = tuple(
        Texts(tuple(texts), np.frombuffer(into, dtype=np.intc).astype(np.int32))
        for texts, into in zip(vocabularies, codes, strict=True)
    )
    return Grid(width.names, columns, np.array(lines, dtype=np.int64), rows.blank, shape.where)


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
