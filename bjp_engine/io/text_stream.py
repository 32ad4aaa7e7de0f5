"""Text tables that are too large to be held: read by pyarrow in pieces, and packed at once.

How the table is written, its names and its first rows are detected in its beginning, as those of
any other table are. The rest must be as regular; where it isn't, `Unread` says why.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from bjp_engine.arrays import signed_dtype
from bjp_engine.errors import DataError, plural
from bjp_engine.io.delimited import name_grid, open_text, shape_of
from bjp_engine.io.headings import NamedTexts
from bjp_engine.io.limits import Guard
from bjp_engine.io.options import ReadOptions
from bjp_engine.io.packing import Packing
from bjp_engine.io.parquet import check_values
from bjp_engine.io.sources import Content
from bjp_engine.io.text import (
    BLOCK,
    Dialect,
    Marks,
    Texts,
    Vocabulary,
    after_lines,
    find_start,
    open_plain,
    read_text,
)
from bjp_engine.validate import Name

# What is looked at before the rest is read.
HEAD = 1 << 22


class Unread(Exception):  # noqa: N818 - the table may still be read as a whole
    """Why a text table can't be read in pieces."""


class _Quoted(Exception):  # noqa: N818 - read again in another way
    """A quotation mark, where the beginning of the file has none."""


@dataclass(frozen=True)
class _Plan:
    """What was detected in the beginning of a file."""

    path: Path
    begin: int  # the byte where the first row begins
    headings: int  # rows of names and texts from there
    dialect: Dialect
    width: int
    columns: Sequence[NamedTexts]
    wanted: Sequence[int]  # where these stand in the file
    blank: Sequence[int]  # where columns stand that have no name, and no cell so far
    options: ReadOptions


def read_pieces(
    path: Path, options: ReadOptions, guard: Guard, notes: list[str], weights: Name | None
) -> tuple[list[NamedTexts], Packing, ReadOptions]:
    """Names and distinct texts of all columns, their rows, and the options that read them."""
    with path.open("rb") as file:
        data = file.read(HEAD)
    quiet = Guard(guard.limits, guard.title, guard.progress.quiet)
    plan, quoted = _plan(path, data, options, quiet, notes)
    try:
        texts, packing = _read(plan, guard, weights, quoted)
    except _Quoted:
        texts, packing = _read(plan, guard, weights, quoted=True)
    return texts, packing, plan.options


def _plan(
    path: Path, data: bytes, options: ReadOptions, guard: Guard, notes: list[str]
) -> tuple[_Plan, bool]:
    """What the beginning of a file shows, and whether cells of it stand in quotation marks."""
    whole = data[: data.rfind(b"\n") + 1]
    if not whole:
        raise Unread("its lines are longer than those of a table")
    text, dialect, used = open_text(Content(whole, path.name, path), options, notes)
    if used.encoding not in ("utf-8", "utf-8-sig"):
        raise Unread("it is not UTF-8 text")
    if not dialect.is_plain:
        raise Unread("its delimiter, quotation marks or comments take a look at each line")
    text = _closed(text, dialect)
    start = find_start(text, dialect, shape_of(used))
    grid = read_text(text, dialect, shape_of(used), guard, notes)
    if start is None or start.width != len(grid.columns):
        raise Unread("its first row has not as many cells as the header")
    columns, grid, used = name_grid(guard.title, grid, used, notes)
    place = {id(texts): k for k, texts in enumerate(grid.columns)}
    wanted = [place.pop(id(texts)) for _, texts in columns]
    blank = [k for k in place.values() if grid.columns[k].is_blank and options.columns is None]
    headings = used.header_rows - 1 if isinstance(used.header_rows, int) and used.header else 0
    mark = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    begin = mark + after_lines(text, start.above)
    plan = _Plan(path, begin, headings, dialect, start.width, columns, wanted, blank, used)
    return plan, bool(dialect.quote) and str(dialect.quote).encode() in text


def _closed(text: bytes, dialect: Dialect) -> bytes:
    """The beginning of a text up to the last line that ends outside of quotation marks."""
    if not dialect.quote or dialect.quote.encode() not in text:
        return text
    cells = np.frombuffer(text, dtype=np.uint8)
    lines = np.flatnonzero(cells == ord("\n"))
    quotes = np.searchsorted(np.flatnonzero(cells == ord(dialect.quote)), lines)
    even = lines[quotes % 2 == 0]
    return text[: even[-1] + 1] if len(even) else b""


def _read(
    plan: _Plan, guard: Guard, weights: Name | None, quoted: bool
) -> tuple[list[NamedTexts], Packing]:
    """Read all rows."""
    import pyarrow as pa

    packing = Packing([name for name, _ in plan.columns], weights)
    places = [*plan.wanted, *plan.blank]
    known = [Vocabulary() for _ in places]
    odd = _OddRows(plan.options)
    with plan.path.open("rb") as file:
        watched = _Watched(file, plan, quoted)
        try:
            source = pa.PythonFile(watched, mode="r")
            reader = open_plain(source, plan.dialect, plan.width, quoted, places, odd.decide)
            for k, batch in enumerate(reader):
                guard.restart()
                guard.progress.tick(watched.position, watched.size)
                _take(batch if k else _without(batch, plan.headings), known, packing)
                guard.check_distinct(sum(map(len, known)))
        except pa.ArrowException as reason:
            watched.check()
            odd.check(plan.path, guard.title)
            if "UTF8" in str(reason):
                raise Unread("it is not UTF-8 text") from None
            raise Unread(f"a row of it is longer than {BLOCK >> 20} MB") from None
        watched.finish()
    for place, texts in zip(plan.blank, known[len(plan.wanted) :], strict=True):
        if any(map(str.strip, texts)):
            raise DataError(
                f"Column {place + 1} of {guard.title} has no name, and a value below rows without "
                "one; give it a name in the header, or name the columns to read (columns=)."
            )
    found = zip(plan.columns, known, strict=False)
    return [(name, texts_of(list(texts), head.title)) for (name, head), texts in found], packing


def texts_of(values: list[str], title: str = "") -> Texts:
    """A column of texts with a row for each of them."""
    return Texts(values, np.arange(len(values)).astype(signed_dtype(len(values))), title)


def _take(batch: Any, known: Sequence[Vocabulary], packing: Packing) -> None:
    """Code a batch."""
    for k, column in enumerate(batch.columns):
        codes = known[k].code(column.dictionary.to_pylist(), column.indices.to_numpy())
        if k < len(packing.lanes):
            packing.lanes[k].take(codes)
            check_values(len(known[k]), packing.lanes[k].name)


def _without(batch: Any, rows: int) -> Any:
    """A batch without its first rows, and without values that only these hold."""
    import pyarrow as pa

    if not rows:
        return batch
    cells = [one.slice(rows).dictionary_decode().dictionary_encode() for one in batch.columns]
    return pa.record_batch(cells, names=batch.schema.names)


class _OddRows:
    """Decides on rows with another number of cells, as they are found by pyarrow's threads."""

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._comments = shape_of(options).comments
        self._first: Any = None

    def decide(self, row: Any) -> str:
        """Leave a row out, or end the reading with it."""
        blank = row.text.rstrip(f"{self._options.delimiter} \t")
        trimmed = row.actual_columns > row.expected_columns and len(blank) < len(row.text)
        if not trimmed:
            if row.text and row.text[0] in self._comments:
                return "skip"
            if self._options.malformed == "skip":
                return "skip"
        self._first = self._first or row
        return "error"

    def check(self, path: Path, title: str) -> None:
        """Say which row ended the reading, if one did."""
        row = self._first
        if row is None:
            return
        text = row.text.encode()
        with path.open("rb") as file:
            lines = (k for k, line in enumerate(file, 1) if line.rstrip(b"\r\n") == text)
            line = next(lines, None)
        where = "A row" if line is None else f"Line {line:,}"
        raise DataError(
            f"{where} of {title} has {plural(row.actual_columns, 'cell')} where the others have "
            f"{row.expected_columns}; quote a cell that holds the delimiter, complete the line, or "
            "leave such lines out (malformed='skip')."
        )


class _Watched:
    """The rows of a file on their way to pyarrow, looked at as they pass."""

    closed = False

    def __init__(self, file: BinaryIO, plan: _Plan, quoted: bool) -> None:
        self.size = os.fstat(file.fileno()).st_size
        self.position = plan.begin
        self._file, self._plan, self._quoted = file, plan, quoted
        self._marks = Marks(plan.dialect)
        self._binary = False
        file.seek(plan.begin)

    def read(self, size: int) -> bytes:
        """The next bytes; none where they show that the file must be read in another way."""
        piece = self._file.read(size)
        self._binary = self._binary or b"\0" in piece
        self._marks.look(piece)
        self.position += len(piece)
        return b"" if self._is_odd() else piece

    def _is_odd(self) -> bool:
        """Whether pyarrow would misread what was seen."""
        unquoted = self._marks.quotes > 0 and not self._quoted
        return self._binary or unquoted or self._marks.fault is not None

    def close(self) -> None:
        """Leave the file to whoever opened it."""

    def check(self) -> None:
        """Refuse what pyarrow would misread."""
        if self._binary:
            raise Unread("it holds binary data")
        if self._marks.fault is not None:
            line = self._line(self._plan.begin + self._marks.fault)
            raise Unread(
                f"quotation marks within cells, or lone returns, stand below line {line:,}"
            )
        if self._marks.quotes and not self._quoted:
            raise _Quoted

    def finish(self) -> None:
        """Look at the end as well."""
        self.check()
        self._marks.finish()
        self.check()

    def _line(self, end: int) -> int:
        """The line in which a byte stands."""
        self._file.seek(0)
        pieces = iter(lambda: self._file.read(min(BLOCK, end - self._file.tell())), b"")
        return 1 + sum(piece.count(b"\n") for piece in pieces)
