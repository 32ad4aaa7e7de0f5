"""Delimited text, read into columns of distinct texts with a code a row.

A regular file is read by pyarrow in blocks. Whatever pyarrow would misread or can't repair goes
through the csv module, record by record: it knows the line of each record, and rows of another
width are trimmed, left out or refused by their line.
"""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, TypeAlias

import numpy as np

from bjp_engine.arrays import Ints, signed_dtype
from bjp_engine.columns import Column
from bjp_engine.errors import DataError, plural
from bjp_engine.io.limits import MEGABYTE, Guard

NumberedCells = tuple[int, list[str]]
Lines: TypeAlias = range | Ints

# No record of a table has lines like this; a line is held in memory several times over.
MAX_LINE_MB = 16
WHITESPACE = "whitespace"
# Bytes read at once: each block costs the different texts of all columns.
BLOCK = 1 << 23
_BATCH = 4096


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the cells of a text table are written."""

    delimiter: str = ","  # one character, or "whitespace": any number of spaces and tabs
    quote: str | None = '"'
    escape: str | None = None
    above: int = 0  # lines above the table

    @property
    def is_plain(self) -> bool:
        """Whether pyarrow reads such a table."""
        marks = self.delimiter + (self.quote or "")
        return self.escape is None and self.delimiter != WHITESPACE and marks.isascii()


@dataclass(frozen=True, eq=False)
class Grid:
    """A whole table of text."""

    header: tuple[str, ...] | None
    columns: tuple[
        Column, ...
    ]  # of text; one more than names where the rows bear names of their own
    lines: Lines  # where each row stands in its file, from 1
    blank_lines: int = 0  # before a row
    where: str = "Line"
    named_in: int = 0  # the line of the header

    @property
    def rows(self) -> int:
        """N."""
        return len(self.lines)

    def place(self, column: Column, code: int) -> str:
        """Where a cell stands first."""
        return f"{self.where} {self.lines[int(np.argmax(column.codes == code))]}"


class _Columns:
    """The rows of a table on their way: of each column the distinct texts, batch by batch."""

    def __init__(self, width: int, guard: Guard) -> None:
        guard.check("columns", width)
        self._guard = guard
        self._parts: list[list[Any]] = [[] for _ in range(width)]
        self.rows = 0

    def add(self, columns: Iterable[Any], rows: int) -> None:
        """Add some rows, each column as a dictionary of Arrow."""
        self.rows += rows
        self._guard.check("cells", self.rows * len(self._parts))
        for parts, column in zip(self._parts, columns, strict=True):
            parts.append(column)

    def whole(self) -> Iterator[Column]:
        """The whole columns."""
        import pyarrow as pa

        distinct = 0
        for parts in self._parts:
            whole = pa.chunked_array(parts).unify_dictionaries()
            parts.clear()
            values = whole.chunk(0).dictionary.to_pylist()
            distinct += len(values)
            self._guard.check("distinct", distinct)
            kind = signed_dtype(len(values))
            codes = [part.indices.to_numpy().astype(kind) for part in whole.chunks]
            yield Column(np.array(values, dtype=object), np.concatenate(codes))


def read_text(
    data: bytes, dialect: Dialect, guard: Guard, notes: list[str], *, header: bool
) -> Grid:
    """The cells of a table of UTF-8 text."""
    guard.lines = data.count(b"\n") + 1
    grid = _read_plain(data, dialect, guard, header=header) if dialect.is_plain else None
    if grid is None:
        grid = build_grid(_cut_records(data, dialect), guard, notes, header=header)
    return grid


def _read_plain(data: bytes, dialect: Dialect, guard: Guard, *, header: bool) -> Grid | None:
    """A regular table, read by pyarrow; None where the csv module has to look at it."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    # Whole copies of a large file take a tenth of a second each.
    tail = data[-BLOCK:].rstrip(b"\r\n")
    end = len(data) - min(len(data), BLOCK) + len(tail) if tail else len(data.rstrip(b"\r\n"))
    if not _is_regular(data, _after_lines(data, dialect.above), end, dialect):
        return None
    first: list[NumberedCells] = []
    with suppress(DataError):  # a cell that is too long for the csv module
        first = list(islice(_cut_records(data, dialect), 1 + header))
    if len(first) <= header or len(first[0][1]) != len(first[-1][1]):
        return None
    names = tuple(first[0][1]) if header else None
    above, width = first[-1][0] - 1, len(first[-1][1])
    begin = _after_lines(data, above)
    columns, places = _Columns(width, guard), [str(i) for i in range(width)]
    kind = pa.dictionary(pa.int32(), pa.string())
    quoted = dialect.quote is not None and data.find(dialect.quote.encode(), begin) >= 0
    try:
        batches = arrow.open_csv(
            pa.BufferReader(pa.py_buffer(memoryview(data)[begin:end])),
            arrow.ReadOptions(column_names=places, block_size=BLOCK),
            arrow.ParseOptions(
                delimiter=dialect.delimiter,
                quote_char=dialect.quote or False,
                newlines_in_values=quoted,
            ),
            arrow.ConvertOptions(
                column_types=dict.fromkeys(places, kind),
                strings_can_be_null=False,
                check_utf8=False,
            ),
        )
        for batch in batches:
            columns.add(batch.columns, batch.num_rows)
            guard.tick(columns.rows)
    except pa.ArrowInvalid:  # a row of another width, or longer than a block
        return None
    if guard.lines - data.count(b"\n", 0, begin) - data.count(b"\n", end) == columns.rows:
        lines, where = range(above + 1, above + 1 + columns.rows), "Line"
    # Blank lines, which pyarrow leaves out, or line ends within cells.
    elif quoted and all(data.find(ends, begin, end) < 0 for ends in (b"\n\n", b"\n\r\n")):
        lines, where = range(1, columns.rows + 1), "Row"
    else:
        return None
    return Grid(names, tuple(columns.whole()), lines, where=where, named_in=first[0][0])


def _after_lines(data: bytes, lines: int) -> int:
    """Where the first byte after some lines stands."""
    return sum(len(line.encode()) for line in islice(_open(data), lines))


def _is_regular(data: bytes, begin: int, end: int, dialect: Dialect) -> bool:
    """Whether pyarrow cuts the cells as the csv module does.

    Each quotation mark begins or ends a cell, or is doubled; a return alone ends a line of old.
    """
    if data[begin : begin + 1] in (b"", b"\r", b"\n"):
        return False
    if data.count(b"\r", begin, end) != data.count(b"\r\n", begin, end):
        return False
    quote, quotes = (dialect.quote or "").encode(), 0
    if not quote or data.find(quote, begin, end) < 0:
        return True
    cells = np.frombuffer(data, dtype=np.uint8)
    near = np.isin(np.arange(256), [*map(ord, f"{dialect.delimiter}{dialect.quote}\r\n")])
    for start in range(begin, end, BLOCK):
        places = np.flatnonzero(cells[start : min(start + BLOCK, end)] == ord(quote)) + start
        odd, quotes = quotes % 2, quotes + len(places)
        for beside in (places[odd::2] - 1, places[1 - odd :: 2] + 1):
            if not near[cells.take(beside, mode="clip")].all():
                return False
    return quotes % 2 == 0


def check_lines(data: bytes, title: str) -> None:
    """Refuse a file with a line that no table has, before it is held as text."""
    step = MAX_LINE_MB * MEGABYTE
    for start in range(0, len(data) - step, step):
        if data.find(b"\n", start, start + step) < 0 and data.find(b"\r", start, start + step) < 0:
            line = data.count(b"\n", 0, start) + 1
            raise DataError(
                f"Line {line} of {title} is longer than {MAX_LINE_MB} "
                "MB, which no table's is; write each row on a line of its own."
            )


def _open(data: bytes) -> io.TextIOWrapper:
    """The lines of a text, whatever ends them."""
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")


def read_lines(data: bytes, dialect: Dialect) -> Iterator[str]:
    """The lines of a table; what is above it comes as blank lines, so that numbers stay."""
    for number, line in enumerate(_open(data), start=1):
        if number <= dialect.above:
            yield "\n"
        else:
            yield _single_spaces(line, dialect) if dialect.delimiter == WHITESPACE else line


def _single_spaces(line: str, dialect: Dialect) -> str:
    """A line with one space for each run of them outside quotation marks."""
    text, end = line.rstrip("\r\n"), line[len(line.rstrip("\r\n")) :]
    q = re.escape(dialect.quote or "\0")
    runs = re.compile(rf"({q}[^{q}]*{q})|[ \t]+")
    return runs.sub(lambda found: found[1] or " ", text.strip(" \t")) + end


def cut_cells(lines: Iterable[str], dialect: Dialect, *, strict: bool) -> Any:
    """A reader of the cells of each record."""
    delimiter = " " if dialect.delimiter == WHITESPACE else dialect.delimiter
    return csv.reader(
        lines,
        delimiter=delimiter,
        quotechar=dialect.quote,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        escapechar=dialect.escape,
        # After a space, a quotation mark would count as part of the cell.
        skipinitialspace=delimiter not in " \t",
        strict=strict,
    )


def _cut_records(data: bytes, dialect: Dialect) -> Iterator[NumberedCells]:
    """The records of a table with the lines where they begin; blank ones are empty."""
    line = 1
    reader = cut_cells(read_lines(data, dialect), dialect, strict=True)
    try:
        for cells in reader:
            if cells or line > dialect.above:
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as reason:
        raise unmatched(line, str(reason)) from None


def unmatched(line: int, reason: str) -> DataError:
    """The sentence for what the csv module refuses."""
    problem = "has text after a closing quotation mark"
    if "end of data" in reason:
        problem = "opens a quotation mark that is never closed"
    if "limit" in reason:
        return DataError(
            f"Line {line} opens a quotation mark that is never closed, or has a cell of more than "
            f"{csv.field_size_limit():,} characters; close it, or shorten the cell."
        )
    return DataError(
        f"Line {line} {problem}; close it, double a quotation mark within a cell, or read the "
        "file with another quotation mark (quote=)."
    )


def build_grid(
    records: Iterable[NumberedCells],
    guard: Guard,
    notes: list[str],
    *,
    header: bool,
    where: str = "Line",
) -> Grid:
    """Gather records into columns: all as wide as the first, and the first as the header."""
    import pyarrow as pa

    fitted = _Fitted(records, where, header=header)
    rows, lines = iter(fitted), array("q")
    columns: _Columns | None = None
    while batch := list(islice(rows, _BATCH)):
        columns = columns or _Columns(fitted.width, guard)
        lines.extend(line for line, _ in batch)
        guard.tick(lines[-1])
        cells = zip(*(cells for _, cells in batch), strict=True)
        columns.add(
            (pa.array(texts, pa.string()).dictionary_encode() for texts in cells), len(batch)
        )
    for what, places in fitted.left_out.items():
        known = ", ".join(map(str, places[:5])) + ", …" * (len(places) > 5)
        notes.append(f"{what} were left out: {len(places):,} ({where.lower()} {known}).")
    return Grid(
        fitted.header,
        tuple(columns.whole()) if columns else (),
        np.frombuffer(lines, dtype=np.int64),
        blank_lines=fitted.blank,
        where=where,
        named_in=fitted.named_in,
    )


class _Fitted:
    """Records without blank ones and comments, each as wide as the first row and the header."""

    def __init__(self, records: Iterable[NumberedCells], where: str, *, header: bool) -> None:
        self.header: tuple[str, ...] | None = None
        self.width = self.named_in = self.blank = self._last_blank = 0
        self.left_out = defaultdict[str, list[int]](list)  # lines by what they are
        self._where = where
        rows = self._without_blanks(records)
        if header and (first := next(rows, None)):
            self.named_in, self.header = first[0], tuple(first[1])
            self.width = len(self.header)
        ahead = list(islice(rows, 1))
        self._first = ahead[0] if ahead else (0, [])
        self.width = self.width or len(self._first[1])
        ahead += islice(rows, _BATCH)
        self._rows = chain(ahead, rows)
        if self.header is not None and ahead:
            self._measure(self.header, ahead)

    def __iter__(self) -> Iterator[NumberedCells]:
        below: list[NumberedCells] = []
        for line, cells in self._rows:
            if below and len(cells) >= self.width:
                raise self._misfit(*below[0])
            if len(cells) == self.width:
                yield line, cells
            elif len(cells) > self.width and not any(map(str.strip, cells[self.width :])):
                self.left_out["Empty cells behind the last column (trailing delimiters)"] += [line]
                yield line, cells[: self.width]
            elif below or self._is_below(line, cells):
                below.append((line, cells))
            else:
                raise self._misfit(line, cells)
        if below:
            self.left_out[f"Narrower {self._where.lower()}s below the table"] += [
                line for line, _ in below
            ]

    def _without_blanks(self, records: Iterable[NumberedCells]) -> Iterator[NumberedCells]:
        """Records that hold anything but a comment; blank ones count where a row follows."""
        # A lone empty cell is a missing value (or name) in a table with one column.
        lone_is_blank, blank = False, 0
        marks = ("#", "%") if self._where == "Line" else ()
        for line, cells in records:
            if not cells or (lone_is_blank and len(cells) == 1 and not cells[0].strip()):
                blank, self._last_blank = blank + 1, line
            elif self.width and len(cells) != self.width and cells[0].startswith(marks):
                self.left_out["Comments between rows"].append(line)
            else:
                lone_is_blank = len(cells) > 1
                self.blank, blank = self.blank + blank, 0
                yield line, cells

    def _is_below(self, line: int, cells: list[str]) -> bool:
        """Whether a record may be a remark below a table: text after a blank line, or a sentence.

        It is one unless a row follows.
        """
        text = " ".join(cells).strip()
        if len(cells) > 1 or self.width < 2 or text.replace(".", "").isdecimal():
            return False
        return self._last_blank == line - 1 or (self.width > 2 and " " in text)

    def _measure(self, header: tuple[str, ...], ahead: list[NumberedCells]) -> None:
        """How wide the rows are, by the header and the first of them."""
        wide = len(self._first[1])
        # Names of nothing at the right edge.
        while len(header) > wide and not header[-1].strip():
            header = header[:-1]
        # One more cell: row names in front, or a delimiter at the end of each row.
        more = len(header) + 1
        named = wide == more and any(row[-1].strip() for _, row in ahead if len(row) == more)
        self.header, self.width = header, more if named else len(header)

    def _misfit(self, line: int, cells: list[str]) -> DataError:
        found, expected, other = len(cells), self.width, "the header"
        if self.header is None:
            other = f"{self._where.lower()} {self._first[0]}"
        elif self.width != len(self.header):
            line, found, expected = self._first[0], len(self._first[1]), len(self.header)
        return DataError(
            f"{self._where} {line} has {plural(found, 'cell')} where {other} has {expected}; quote "
            "a cell that holds the delimiter, complete the line, or leave out a title above the "
            "names (skip_lines=)."
        )
