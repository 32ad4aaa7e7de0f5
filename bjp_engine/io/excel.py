"""Excel workbooks: the values of one sheet as text, as a CSV export would write them.

openpyxl reads the sheet from top to bottom in a process of its own (`child`), so that neither a
sheet that unpacks to gigabytes nor one of a single endless row ends more than that.
"""

from __future__ import annotations

import datetime as dt
import io
import os
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from bjp_engine.errors import DataError, clip, listed
from bjp_engine.io import child
from bjp_engine.io.archives import check_members
from bjp_engine.io.limits import MEGABYTE, Guard
from bjp_engine.io.options import AUTO, ReadOptions
from bjp_engine.io.sources import Content
from bjp_engine.io.text import Grid, NumberedCells, Shape, build_grid
from bjp_engine.validate import Name, VariableIndex

# What a sheet can have; a file may claim more.
MAX_ROWS, _MAX_COLUMNS = 1 << 20, 1 << 14
# A row is read whole; one with all its columns takes a megabyte or two.
MAX_ROW_MB = 32
_ROW = re.compile(rb"<(?:\w+:)?row\b")
# Floats up to here print as integers without loss.
_EXACT = 1e15


def read_workbook(
    content: Content, options: ReadOptions, guard: Guard, notes: list[str]
) -> tuple[str, Grid]:
    """The title of one sheet, and its cells."""
    title, rows, said = child.run(_send_sheet, content, options, guard, guard=guard)
    notes.extend(said)
    width = max((len(cells) for _, cells in rows), default=0)
    guard.check_cells(len(rows), width)
    even = ((number, cells + [""] * (width - len(cells))) for number, cells in rows)
    grid = build_grid(even, guard, Shape(header=options.header, where="Row"), notes)
    blank = rows[-1][0] - rows[0][0] + 1 - len(rows) if rows else 0
    return title, replace(grid, blank_lines=blank)


def _send_sheet(
    send: child.Send,  # noqa: ARG001 - the result says it all
    content: Content,
    options: ReadOptions,
    guard: Guard,
) -> tuple[str, list[NumberedCells], list[str]]:
    """The title, rows and notes of a sheet, in the process that reads it."""
    notes: list[str] = []
    if content.data.startswith(b"\xd0\xcf\x11\xe0"):
        raise DataError(
            f"{content.title} is an old .xls workbook or has a password; save it as plain .xlsx."
        )
    try:
        formulas = _look_through(content, guard)
        # Stored results instead of formulas; other workbooks are never opened.
        page = _sheet(_pages(content, data_only=True), options.sheet, notes)
        every = _rows(page.iter_rows(values_only=True), guard)
        above = 0 if options.skip_lines == AUTO else int(options.skip_lines)
        rows = [(number, cells) for number, cells in every if number > above]
        title = str(page.title)
        empty: list[tuple[int, int]] = []
        if formulas:
            (page,) = (one for one in _pages(content, data_only=False) if one.title == title)
            found = _without_result(page, dict(rows))
            empty = [place for place in found if place[0] > above]
    except (DataError, MemoryError):
        raise
    except Exception as reason:  # a damaged workbook fails in any way
        raise _unreadable(content, type(reason).__name__) from None
    _note_formulas(empty, rows, options.header, notes)
    return title, rows, notes


def _look_through(content: Content, guard: Guard) -> bool:
    """Whether a sheet holds a formula; refuse what is no workbook or may be read in two ways."""
    check_members(content)
    with zipfile.ZipFile(io.BytesIO(content.data)) as archive:
        parts = archive.infolist()
        if not any(part.filename.startswith("xl/") for part in parts):
            raise _unreadable(content, "no sheets inside")
        guard.check_unpacked(sum(part.file_size for part in parts), len(content.data))
        if len({part.filename for part in parts}) < len(parts):
            raise _unreadable(content, "a part occurs twice")
        formulas = False
        for part in parts:
            if part.filename.lower().endswith((".xml", ".rels")):
                text = archive.read(part)
                if b"<!DOCTYPE" in text.replace(b"\0", b""):  # in UTF-16 too
                    raise _unreadable(content, "it declares XML entities")
                if part.filename.startswith("xl/worksheets/"):
                    formulas |= b"<f" in text
                    if max(map(len, _ROW.split(text))) > MAX_ROW_MB * MEGABYTE:
                        raise _unreadable(content, f"a row is larger than {MAX_ROW_MB} MB")
    return formulas


def _unreadable(content: Content, why: str) -> DataError:
    """The sentence for what openpyxl can't read."""
    return DataError(
        f"{content.title} can't be read as an Excel workbook ({why}); "
        "save it again as .xlsx, or as CSV."
    )


def _pages(content: Content, *, data_only: bool) -> list[Any]:
    """The sheets of a workbook, each to be read from top to bottom."""
    # Expat bounds what entities expand to; defusedxml's parser takes half as long again.
    os.environ["OPENPYXL_DEFUSEDXML"] = "False"
    import openpyxl  # type: ignore[import-untyped]

    # On styles and rules of input, which no cell's value depends on.
    warnings.simplefilter("ignore")
    book = openpyxl.load_workbook(
        io.BytesIO(content.data), read_only=True, data_only=data_only, keep_links=False
    )
    for page in book.worksheets:
        # Some exporters state the size wrongly; the rows themselves are counted.
        page.reset_dimensions()
    return list(book.worksheets)


def _without_result(page: Any, texts: dict[int, list[str]]) -> list[tuple[int, int]]:
    """The cells that hold a formula and read as empty, by row and column from 1."""
    return [
        (number, column)
        for number, row in enumerate(page.iter_rows(), start=1)
        for column, cell in enumerate(row, start=1)
        if cell.data_type == "f" and not "".join(texts.get(number, [])[column - 1 : column])
    ]


def _note_formulas(
    formulas: list[tuple[int, int]], rows: list[NumberedCells], header: bool, notes: list[str]
) -> None:
    """Formulas without a result leave a column nameless, or cells missing."""
    if not formulas:
        return
    from openpyxl.utils import get_column_letter  # type: ignore[import-untyped]

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
            first, *others = titles
            notes.append(f"Read the first sheet, {clip(first, 30)}; others are {listed(others)}.")
        return sheets[0]
    place = VariableIndex(titles).find(wanted)
    if place is None:
        raise DataError(f"There is no sheet {clip(wanted)}; the workbook has {listed(titles, 8)}.")
    return sheets[place]


def _rows(rows: Iterable[tuple[Any, ...]], guard: Guard) -> Iterator[NumberedCells]:
    """Rows that hold anything, as text without the empty cells at their right end."""
    texts: dict[str, str] = {}
    seen = 0
    for number, row in enumerate(rows, start=1):
        if number > MAX_ROWS or len(row) > _MAX_COLUMNS:
            raise DataError(f"Row {number} is beyond the size of an Excel sheet; save it as CSV.")
        seen += len(row)
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
