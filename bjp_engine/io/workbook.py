"""Excel workbooks: the values of one sheet as text, as a CSV export would write them."""

from __future__ import annotations

import datetime as dt
import io
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import openpyxl  # type: ignore[import-untyped]
from openpyxl.utils import get_column_letter  # type: ignore[import-untyped]

from bjp_engine.dataset import Name
from bjp_engine.errors import DataError, clip
from bjp_engine.io.limits import Guard
from bjp_engine.io.options import ReadOptions
from bjp_engine.io.package import MAX_ROWS, check_package, unreadable
from bjp_engine.io.sources import Content
from bjp_engine.io.text import Grid, Record, Shape, build_grid

# What a sheet can have; a file may claim more.
_MAX_COLUMNS = 1 << 14
# Floats up to here print as integers without loss.
_EXACT = 1e15


def read_workbook(
    content: Content, options: ReadOptions, guard: Guard, notes: list[str]
) -> tuple[str, Grid]:
    """The cells of one sheet."""
    formulas = check_package(content, guard)
    try:
        # Stored results instead of formulas; other workbooks are never opened.
        with _book(content, guard, data_only=True) as book:
            page = _sheet(book.worksheets, options.sheet, notes)
            # Some exporters state the size wrongly; the rows themselves are counted.
            page.reset_dimensions()
            rows = list(_rows(page.iter_rows(values_only=True), guard))
            title = str(page.title)
        empty = _without_result(content, title, rows, guard) if formulas else []
    except DataError:
        raise
    except Exception as reason:  # a damaged workbook fails in any way
        raise unreadable(content, type(reason).__name__) from None
    _tell_formulas(empty, rows, options.header, notes)
    shape = Shape(header=options.header, where="Row")
    grid = build_grid(_even(rows, guard), guard, shape, notes)
    blank = rows[-1][0] - rows[0][0] + 1 - len(rows) if rows else 0
    return title, replace(grid, blank_lines=blank)


class _Timed(io.BytesIO):
    """Bytes of which each reading looks at the clock: what unpacks them can be ended."""

    def __init__(self, data: bytes, guard: Guard) -> None:
        super().__init__(data)
        self._guard = guard

    def read(self, size: int | None = -1) -> bytes:
        """Read, if there is time left."""
        self._guard.tick()
        return super().read(size)


@contextmanager
def _book(content: Content, guard: Guard, *, data_only: bool) -> Iterator[Any]:
    """The workbook, opened for reading from top to bottom."""
    with warnings.catch_warnings():
        # On styles and rules of input, which no cell's value depends on.
        warnings.simplefilter("ignore")
        book = openpyxl.load_workbook(
            _Timed(content.data, guard), read_only=True, data_only=data_only, keep_links=False
        )
        try:
            yield book
        finally:
            book.close()


def _without_result(
    content: Content, title: str, rows: list[Record], guard: Guard
) -> list[tuple[int, int]]:
    """The cells that hold a formula and read as empty, by row and column from 1."""
    with _book(content, guard, data_only=False) as book:
        page = book[title]
        page.reset_dimensions()
        texts = dict(rows)
        return [
            (number, column)
            for number, row in enumerate(page.iter_rows(), start=1)
            for column, cell in enumerate(row, start=1)
            if cell.data_type == "f" and not "".join(texts.get(number, [])[column - 1 : column])
        ]


def _tell_formulas(
    formulas: list[tuple[int, int]], rows: list[Record], header: bool, notes: list[str]
) -> None:
    """Formulas without a result leave a column nameless, or cells missing."""
    if not formulas:
        return
    first = rows[0][0] if rows else None
    remedy = "open the workbook in a spreadsheet program and save it there"
    for number, column in formulas:
        if header and number == first:
            raise DataError(
                f"Cell {get_column_letter(column)}{number} should name a column but holds a "
                f"formula without a stored result; write the name as text, or {remedy}."
            )
    number, column = formulas[0]
    one = len(formulas) == 1
    notes.append(
        f"{len(formulas):,} cell{' holds a formula' if one else 's hold formulas'} whose result is "
        f"empty or was not stored (first {get_column_letter(column)}{number}) and so "
        f"count{'s' if one else ''} as missing; if there should be a result, {remedy}."
    )


def _sheet(sheets: list[Any], wanted: Name | None, notes: list[str]) -> Any:
    """The sheet asked for."""
    titles = [sheet.title for sheet in sheets]
    if not sheets:
        raise DataError("The workbook has no sheet with cells.")
    if wanted is None:
        if len(titles) > 1:
            others = ", ".join(clip(title, 30) for title in titles[1:5])
            notes.append(f"Read the first sheet, {clip(titles[0], 30)}; others are {others}.")
        return sheets[0]
    if wanted in titles:
        return sheets[titles.index(str(wanted))]
    if isinstance(wanted, int) and 0 <= wanted < len(sheets):
        return sheets[wanted]
    known = ", ".join(clip(title, 30) for title in titles[:8])
    raise DataError(f"There is no sheet {clip(wanted)}; the workbook has {known}.")


def _rows(rows: Iterable[tuple[Any, ...]], guard: Guard) -> Iterator[Record]:
    """Rows that hold anything, as text without the empty cells at their right end."""
    texts: dict[str, str] = {}
    seen = 0
    for number, row in enumerate(rows, start=1):
        if number > MAX_ROWS or len(row) > _MAX_COLUMNS:
            raise DataError(f"Row {number} is beyond the size of an Excel sheet; save it as CSV.")
        seen += len(row)
        if not number % 256:
            guard.tick()
            guard.check_cells(seen, 1)
            guard.check_distinct(len(texts))
        if row.count(None) == len(row):
            continue
        cells = [cell_text(value) for value in row]
        while cells and not cells[-1]:
            cells.pop()
        # Each text is held once, however many cells have it.
        if cells:
            yield number, [texts.setdefault(cell, cell) for cell in cells]


def _even(rows: list[Record], guard: Guard) -> Iterator[Record]:
    """Rows of one width."""
    width = max((len(cells) for _, cells in rows), default=0)
    guard.check_cells(len(rows), width)
    for number, cells in rows:
        yield number, cells + [""] * (width - len(cells))


def cell_text(value: object) -> str:
    """A cell's value as text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < _EXACT else repr(value)
    if isinstance(value, dt.datetime):
        midnight = value.time() == dt.time()
        return value.date().isoformat() if midnight else value.isoformat(sep=" ")
    return str(value)
