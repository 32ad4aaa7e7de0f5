"""Excel workbooks: the values of one sheet as text, as a CSV export would write them."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any

import openpyxl  # type: ignore[import-untyped]
from openpyxl.utils import get_column_letter  # type: ignore[import-untyped]

from bjp_engine.dataset import Name
from bjp_engine.errors import DataError, clip
from bjp_engine.io.grid import MAX_CELLS, Grid, Record, build_grid
from bjp_engine.io.markup import DoctypeError, refuse_doctype
from bjp_engine.io.sources import MAX_BYTES, Content

# What a sheet can have; a file may claim more.
_MAX_ROWS, _MAX_COLUMNS = 1 << 20, 1 << 14
# Floats up to here print as integers without loss.
_EXACT = 1e15


def read_workbook(content: Content, *, sheet: Name | None, header: bool, notes: list[str]) -> Grid:
    """The cells of one sheet.

    Parameters
    ----------
    content : Content
    sheet : str or int or None
        By name, else by index; by default the first.
    header : bool
        Whether the first row that isn't empty holds the names.
    notes : list of str
        Gets which sheet was read where there are several.

    Returns
    -------
    Grid

    Raises
    ------
    DataError
        If it is no workbook, or has no such sheet.
    """
    _check_archive(content)
    try:
        # Stored results instead of formulas; other workbooks are never opened.
        book = openpyxl.load_workbook(
            io.BytesIO(content.data), read_only=True, data_only=True, keep_links=False
        )
        try:
            page = _sheet(book.worksheets, sheet, notes)
            # Some exporters state the size wrongly; the rows themselves are counted.
            page.reset_dimensions()
            rows = list(_rows(page.iter_rows(values_only=True)))
            title = page.title
        finally:
            book.close()
        formulas = _without_result(content, title, rows)
    except DataError:
        raise
    except Exception as reason:  # a damaged workbook fails in any way
        raise _unreadable(content, type(reason).__name__) from None
    _tell_formulas(formulas, rows, header, notes)
    return build_grid(_even(rows), header=header, where="Row")


def _without_result(content: Content, title: str, rows: list[Record]) -> list[tuple[int, int]]:
    """The cells that hold a formula and read as empty, by row and column from 1."""
    with zipfile.ZipFile(io.BytesIO(content.data)) as archive:
        sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
        if not any(b"<f" in archive.read(name) for name in sheets):
            return []
    book = openpyxl.load_workbook(io.BytesIO(content.data), read_only=True, keep_links=False)
    try:
        page = book[title]
        page.reset_dimensions()
        return [
            (number, column)
            for (number, cells), row in zip(rows, page.iter_rows(), strict=False)
            for column, cell in enumerate(row, start=1)
            if cell.data_type == "f" and not "".join(cells[column - 1 : column])
        ]
    finally:
        book.close()


def _tell_formulas(
    formulas: list[tuple[int, int]], rows: list[Record], header: bool, notes: list[str]
) -> None:
    """Formulas without a result leave a column nameless, or cells missing."""
    if not formulas:
        return
    first = next((number for number, cells in rows if any(cells)), None)
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


def _check_archive(content: Content) -> None:
    """Refuse what isn't a workbook, unpacks to too much, or declares XML entities."""
    if content.data.startswith(b"\xd0\xcf\x11\xe0"):
        raise DataError(
            f"{content.title} is an old .xls workbook or has a password; save it as plain .xlsx."
        )
    try:
        with zipfile.ZipFile(io.BytesIO(content.data)) as archive:
            members = archive.infolist()
            if not any(member.filename.startswith("xl/") for member in members):
                raise _unreadable(content, "no sheets inside")
            if sum(member.file_size for member in members) > 2 * MAX_BYTES:
                raise DataError(f"{content.title} unpacks to too much; save the table as CSV.")
            for member in members:
                if member.filename.lower().endswith((".xml", ".rels")):
                    with archive.open(member) as file:
                        refuse_doctype(file.read(1 << 16))
    except DoctypeError:
        raise _unreadable(content, "it declares XML entities") from None
    except DataError:
        raise
    except Exception as reason:  # not an archive, damaged, or packed in a way nobody uses
        raise _unreadable(content, type(reason).__name__) from None


def _unreadable(content: Content, why: str) -> DataError:
    """The sentence for what openpyxl can't read."""
    return DataError(
        f"{content.title} can't be read as an Excel workbook ({why}); "
        "save it again as .xlsx, or as CSV."
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


def _rows(rows: Iterable[tuple[Any, ...]]) -> Iterator[Record]:
    """Rows as text without the empty cells at their right end."""
    for number, row in enumerate(rows, start=1):
        if number > _MAX_ROWS or len(row) > _MAX_COLUMNS:
            raise DataError(f"Row {number} is beyond the size of an Excel sheet; save it as CSV.")
        cells = [cell_text(value) for value in row]
        while cells and not cells[-1]:
            cells.pop()
        yield number, cells


def _even(rows: list[Record]) -> Iterator[Record]:
    """Rows of one width; empty ones stay empty."""
    width = max((len(cells) for _, cells in rows), default=0)
    if width * len(rows) > MAX_CELLS:
        raise DataError(f"The sheet has more than {MAX_CELLS:,} cells; save the table as CSV.")
    for number, cells in rows:
        yield number, cells + [""] * (width - len(cells)) if cells else []


def cell_text(value: object) -> str:
    """A cell's value as text.

    Parameters
    ----------
    value : object
        What openpyxl returns: None, text, number, truth value, date or time.

    Returns
    -------
    str

    Examples
    --------
    >>> cell_text(2.0), cell_text(0.5), cell_text(True), cell_text(None)
    ('2', '0.5', 'TRUE', '')
    """
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
