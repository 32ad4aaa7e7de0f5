"""Excel workbooks: the values of one sheet as text, as a CSV export would write them.

openpyxl reads the sheet from top to bottom.
"""

from __future__ import annotations

import datetime as dt
import io
import os
import re
import warnings
import zipfile
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Any

from bjp_engine.errors import DataError, clip, listed, plural
from bjp_engine.io.headings import Record, find_head
from bjp_engine.io.limits import MEGABYTE, Guard
from bjp_engine.io.options import AUTO, ReadOptions
from bjp_engine.io.sources import Content, are_workbook, check_members, readable, unreadable
from bjp_engine.io.text import SAMPLE, Grid, build_grid
from bjp_engine.validate import Name, VariableIndex

# What a sheet can have; a file may claim more.
MAX_ROWS, _MAX_COLUMNS = 1 << 20, 1 << 14
# A row is read whole; one with all its columns takes a megabyte or two.
MAX_ROW_MB = 32
_KIND = "an Excel workbook"
# Of merged cells, and of formulas.
_MARKS = re.compile(rb"mergeCell\b|<f")
_ROW = re.compile(rb"<(?:\w+:)?row\b")
# What the strict variant of the format calls its own, and what openpyxl knows.
_STRICT = b"http://purl.oclc.org/ooxml/"
_OPEN = b"http://schemas.openxmlformats.org/"
_NAMESPACES = (
    (_STRICT + b"spreadsheetml/main", _OPEN + b"spreadsheetml/2006/main"),
    (_STRICT + b"officeDocument/", _OPEN + b"officeDocument/2006/"),
)
# Rows and columns of a sheet that are looked at where there are several sheets.
_LOOKED_AT = 200
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:e[+-][0-9]+)?")
# Floats up to here print as integers without loss.
_EXACT = 1e15


def read_workbook(
    content: Content, options: ReadOptions, guard: Guard, notes: list[str]
) -> tuple[str, Grid]:
    """The title of one sheet, and its cells."""
    if content.data.startswith(b"\xd0\xcf\x11\xe0"):
        raise DataError(
            f"{content.title} is an old .xls workbook or has a password; save it as plain .xlsx."
        )
    above = 0 if options.skip_lines == AUTO else int(options.skip_lines)
    with readable(content.title, _KIND):
        content, marks = _look_through(content, guard)
        # Where cells are merged, only a sheet that is held as a whole knows which.
        merged = b"mergeCell" in marks
        content, pages = _open(content, notes, read_only=not merged)
        page = _sheet(pages, options.sheet, notes)
        every = _rows(page.iter_rows(values_only=True), guard)
        rows = [(number, cells) for number, cells in every if number > above]
        if merged:
            _fill_merged(rows, page.merged_cells.ranges, notes)
        if b"<f" in marks:
            # Stored results instead of formulas; other workbooks are never opened.
            (other,) = (one for one in _pages(content, data_only=False) if one.title == page.title)
            below = other.iter_rows(min_row=above + 1)
            _note_formulas(chain.from_iterable(below), dict(rows), notes)
    width = max((len(cells) for _, cells in rows), default=0)
    guard.check("cells", len(rows) * width)
    even = [(number, cells + [""] * (width - len(cells))) for number, cells in rows]
    head = find_head(even[:SAMPLE], options, notes, above=above, where="Row")
    if blank := rows[-1][0] - rows[0][0] + 1 - len(rows) if rows else 0:
        notes.append(f"Blank lines were left out: {blank:,}.")
    return str(page.title), build_grid(even, head, guard, notes)


def _look_through(content: Content, guard: Guard) -> tuple[Content, bytes]:
    """A workbook as openpyxl takes it, and which marks its sheets hold.

    Refuse what is no workbook or may be read in two ways.
    """
    check_members(content)
    with zipfile.ZipFile(io.BytesIO(content.data)) as archive:
        parts = archive.infolist()
        if not are_workbook(part.filename for part in parts):
            raise unreadable(content.title, _KIND, "no sheets inside")
        guard.check("file_mb", sum(part.file_size for part in parts) / MEGABYTE)
        if len({part.filename for part in parts}) < len(parts):
            raise unreadable(content.title, _KIND, "a part occurs twice")
        marks, odd = b"", any("\\" in part.filename for part in parts)
        for part in parts:
            if part.filename.lower().endswith((".xml", ".rels")):
                text = archive.read(part)
                odd |= _STRICT in text
                if b"<!DOCTYPE" in text.replace(b"\0", b""):  # in UTF-16 too
                    raise unreadable(content.title, _KIND, "it declares XML entities")
                if part.filename.replace("\\", "/").startswith("xl/worksheets/"):
                    marks += b"".join({*_MARKS.findall(text)})
                    if max(map(len, _ROW.split(text))) > MAX_ROW_MB * MEGABYTE:
                        raise unreadable(
                            content.title, _KIND, f"a row is larger than {MAX_ROW_MB} MB"
                        )
    return (_rewritten(content, ()) if odd else content), marks


def _rewritten(content: Content, without: tuple[str, ...]) -> Content:
    """A workbook without some parts, all others named and spelled as most programs do."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content.data)) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new,
    ):
        for part in old.infolist():
            name, text = part.filename.replace("\\", "/"), old.read(part)
            for strict, usual in _NAMESPACES if name.endswith((".xml", ".rels")) else ():
                text = text.replace(strict, usual)
            if not name.startswith(without or "\0"):
                new.writestr(name, text)
    return replace(content, data=out.getvalue())


def _open(content: Content, notes: list[str], *, read_only: bool) -> tuple[Content, list[Any]]:
    """The sheets of a workbook, and the workbook that they are of; without styles if need be."""
    try:
        return content, _pages(content, read_only=read_only)
    except MemoryError:
        raise
    except Exception:  # openpyxl fails in many ways on styles and properties of other programs
        bare = _rewritten(content, ("xl/styles", "docProps/"))
        pages = _pages(bare, read_only=read_only)
    notes.append("The styles of the workbook can't be read, so dates are numbers of days.")
    return bare, pages


def _fill_merged(rows: list[Record], ranges: Iterable[Any], notes: list[str]) -> None:
    """Give each cell of merged ones the text that the first of them holds."""
    numbers = [number for number, _ in rows]
    width = max((len(cells) for _, cells in rows), default=0)
    filled, left = 0, len(rows) * width
    for cells in ranges:
        first, last = bisect_left(numbers, cells.min_row), bisect_right(numbers, cells.max_row)
        if first == last or numbers[first] != cells.min_row:
            continue
        begin, end = cells.min_col - 1, min(cells.max_col, width)
        text = "".join(rows[first][1][begin : begin + 1])
        left -= (last - first) * max(0, end - begin)
        if left < 0:
            raise DataError("Merged cells overlap each other; save the workbook again.")
        for _, held in rows[first:last] if text else ():
            held.extend([""] * (end - len(held)))
            filled += held[begin:end].count("")
            held[begin:end] = [text] * (end - begin)
    if filled:
        notes.append(
            f"Merged cells: the text of the first was written into {plural(filled, 'cell')}."
        )


def _pages(content: Content, *, data_only: bool = True, read_only: bool = True) -> list[Any]:
    """The sheets of a workbook, each to be read from top to bottom."""
    # Expat bounds what entities expand to; defusedxml's parser takes half as long again.
    os.environ["OPENPYXL_DEFUSEDXML"] = "False"
    import openpyxl  # type: ignore[import-untyped]

    # On styles and rules of input, which no cell's value depends on.
    warnings.simplefilter("ignore")
    book = openpyxl.load_workbook(
        io.BytesIO(content.data), read_only=read_only, data_only=data_only, keep_links=False
    )
    for page in book.worksheets if read_only else ():
        # Some exporters state the size wrongly; the rows themselves are counted.
        page.reset_dimensions()
    return list(book.worksheets)


def _note_formulas(cells: Iterable[Any], texts: dict[int, list[str]], notes: list[str]) -> None:
    """Formulas without a result leave a column nameless, or cells missing."""
    empty = [
        cell.coordinate
        for cell in cells
        if cell.data_type == "f"
        and not "".join(texts.get(cell.row, [])[cell.column - 1 : cell.column])
    ]
    if empty:
        notes.append(
            f"Formulas without a stored result count as missing: {len(empty):,} (first "
            f"{empty[0]}); if there should be results, save the workbook in a spreadsheet program."
        )


def _sheet(sheets: list[Any], wanted: Name | None, notes: list[str]) -> Any:
    """The sheet asked for; by default the first that is a table like the best of them."""
    titles = [sheet.title for sheet in sheets]
    if wanted is not None and sheets:
        place = VariableIndex(titles).find(wanted)
        if place is None:
            raise DataError(
                f"There is no sheet {clip(wanted)}; the workbook has {listed(titles, 8)}."
            )
        return sheets[place]
    if not sheets:
        raise DataError("The workbook has no sheet with cells.")
    if len(sheets) == 1:
        return sheets[0]
    hidden = [sheet for sheet in sheets if sheet.sheet_state != "visible"]
    shown = [sheet for sheet in sheets if sheet not in hidden]
    sizes = [*map(_table_size, shown)]
    # A hidden sheet counts where no other is a table.
    if max(sizes, default=0) < 1:
        shown, sizes = [*shown, *hidden], [*sizes, *map(_table_size, hidden)]
    found = next(one for one, size in zip(shown, sizes, strict=True) if size * 3 >= max(sizes))
    which, why = "sheet", ", which is most like a table" * (found is not sheets[0])
    if found in hidden:
        which, why = "hidden sheet", ", since no other is a table"
    parts = (("others", [one for one in sheets if one not in hidden]), ("hidden", hidden))
    left = [(what, [one.title for one in some if one is not found]) for what, some in parts]
    more = "".join(f"; {what}: {listed(titles)}" for what, titles in left if titles)
    notes.append(f"Read the {which} {clip(found.title, 30)}{why}{more}.")
    return found


def _table_size(sheet: Any) -> float:
    """How much of a table the top of a sheet is: cells of columns that are numbers or repeat texts.

    They count as often as there are such columns, since lists of variables have many rows. Rows
    without such columns count next to nothing.
    """
    every = sheet.iter_rows(max_row=_LOOKED_AT, max_col=_LOOKED_AT, values_only=True)
    rows = [[cell_text(value) for value in row] for row in every]
    filled = [len(row) - row.count("") for row in rows]
    header = filled.index(max(filled)) if rows else 0
    kept = columns = 0
    for column in zip_longest(*rows[header + 1 :], fillvalue=""):
        cells = [*filter(None, column)]
        numbers = sum(_NUMBER.fullmatch(cell) is not None for cell in cells)
        if len(cells) > 1 and (numbers * 10 >= len(cells) * 9 or len({*cells}) * 2 <= len(cells)):
            kept, columns = kept + len(cells), columns + 1
    return float(kept * columns) if columns > 1 else 0.1 * any(filled[header + 1 :])


def _rows(rows: Iterable[tuple[Any, ...]], guard: Guard) -> Iterator[Record]:
    """Rows that hold anything, as text without the empty cells at their right end."""
    texts: dict[str, str] = {}
    seen = 0
    for number, row in enumerate(rows, start=1):
        if number > MAX_ROWS or len(row) > _MAX_COLUMNS:
            raise DataError(f"Row {number} is beyond the size of an Excel sheet; save it as CSV.")
        seen += len(row)
        guard.check("cells", seen)
        guard.check("distinct", len(texts))
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
