"""Delimited text, read into columns of distinct texts with a code a row.

UTF-8 -> dialect -> first records -> names and where the rows begin (`headings`) -> columns

A regular table is read by pyarrow in blocks. Whatever pyarrow would misread or can't repair goes
through the csv module, record by record: it knows the line of each record, and rows of another
width are trimmed, left out or refused by their line. Other delimiters than `, ; |`, tabs and
spaces, and other quotation marks than ", have to be given.
"""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import Any, TypeAlias

import numpy as np

from bjp_engine.arrays import Ints, signed_dtype
from bjp_engine.columns import Column
from bjp_engine.errors import DataError, plural
from bjp_engine.io.headings import (
    COMMENTS,
    NUMBER,
    Head,
    Record,
    count_titles,
    find_head,
    is_blank,
)
from bjp_engine.io.limits import MEGABYTE, Guard
from bjp_engine.io.options import AUTO, ReadOptions

Lines: TypeAlias = range | Ints

# No record of a table has lines like this; a line is held in memory several times over.
MAX_LINE_MB = 16
WHITESPACE = "whitespace"
# Records that show how a table is written.
SAMPLE = 200
# Bytes read at once: each block costs the different texts of all columns.
BLOCK = 1 << 23
_BATCH = 4096
# What nobody uses inside cells by the way; the first of equals wins.
_DELIMITERS = (",", "\t", ";", "|")
# Rows of which half repeat where texts are states.
_MANY = 8
# Excel reads the delimiter from such a line above the table.
_SEPARATOR = re.compile(r'"?sep=([^"\r\n])"?\s*', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the cells of a text table are written."""

    delimiter: str = ","  # one character, or "whitespace": any number of spaces and tabs
    quote: str | None = '"'
    escape: str | None = None
    above: int = 0  # lines above the table


@dataclass(frozen=True, eq=False)
class Grid:
    """A whole table of text."""

    head: Head
    columns: tuple[Column, ...]  # of text
    lines: Lines  # where each row stands in its file, from 1

    @property
    def rows(self) -> int:
        """N."""
        return len(self.lines)

    def place(self, column: Column, code: int) -> str:
        """Where a cell stands first."""
        return f"{self.head.where} {self.lines[int(np.argmax(column.codes == code))]}"


# --- How a text is written ------------------------------------------------------------------------


def find_dialect(data: bytes, options: ReadOptions, notes: list[str]) -> Dialect:
    """How a table of UTF-8 text is written."""
    above = 0 if options.skip_lines == AUTO else int(options.skip_lines)
    delimiter = options.delimiter
    start = [*islice(_open(data), above, above + SAMPLE)]
    if not above and start and (found := _SEPARATOR.fullmatch(start[0])):
        notes.append(f"The first line gives the delimiter {found[1]!r}; it was left out.")
        above, delimiter = 1, delimiter or found[1]
    escape = "\\" if options.quote and f"\\{options.quote}" in "".join(start) else None
    dialect = Dialect(delimiter or "", options.quote, escape, _skip_comments(data, above, notes))
    if not delimiter:
        dialect = replace(dialect, delimiter=_find_delimiter(data, dialect, options))
        if dialect.delimiter == WHITESPACE:
            notes.append("Delimiter (detected): spaces; if that is wrong, give it (delimiter=).")
    if escape:
        notes.append("A backslash before a quotation mark makes it part of its cell.")
    return dialect


def _skip_comments(data: bytes, above: int, notes: list[str]) -> int:
    """How many lines stand above the table, with its comments; the last may hold the names."""
    lines = islice(_open(data), above, None)
    top = [*takewhile(lambda line: not line.strip() or line[0] in COMMENTS, lines)]
    comments = [line for line in top if line.strip()]
    if not comments:
        return above
    above += len(top)
    line = next(islice(_open(data), above, None), "")
    # A line with as many cells as the next may hold the names behind its mark.
    before = comments[-1]
    cut = any(before.count(sign) == line.count(sign) > 0 for sign in _DELIMITERS)
    cells = re.split(r"[,\t;|]", line.strip())
    named = not before[1:2].isspace() or any(NUMBER.fullmatch(cell.strip()) for cell in cells)
    if cut and named and line != before:
        notes.append(f"The names stand in line {above}, which begins with {before[0]!r}.")
        return above - 1
    notes.append(f"Comments above the table were left out: {plural(len(comments), 'line')}.")
    return above


def _find_delimiter(data: bytes, dialect: Dialect, options: ReadOptions) -> str:
    """The delimiter that cuts the first records most evenly, quotes respected."""

    def cut(delimiter: str) -> tuple[bool, float, int, list[list[str]]]:
        records = _sample(data, replace(dialect, delimiter=delimiter))
        records = [one for one in records if any(map(str.strip, one[1]))]
        detect = options.header_rows != 0 and options.skip_lines == AUTO
        titles = count_titles(records) if detect else 0
        sample = [cells for _, cells in records[titles:]]
        width = len(sample[0]) if sample else 0
        fitting = {width, width + (options.header_rows != 0)}  # rows may bear names of their own
        share = sum(len(cells) in fitting for cells in sample) / max(1, len(sample)) * (width > 1)
        # Lines may look like titles by a mark that is no delimiter.
        return share > 0.5 and not titles, share, width, sample

    found = {mark: cut(mark)[:3] for mark in _DELIMITERS}
    best = max(_DELIMITERS, key=lambda mark: found[mark])
    if found[best][1]:
        return best
    # Spaces may well stand in a cell: they delimit only where every line is cut alike, titles too.
    untitled, share, width, sample = cut(WHITESPACE)
    is_table = untitled and share == 1.0 and len(sample) > 1 and _is_table(sample[1:], width)
    return WHITESPACE if is_table else ","


def _is_table(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether spaces cut a table, and not the texts of a single column."""
    cells = [cell for row in rows for cell in row]
    numbers = sum(NUMBER.fullmatch(cell.strip()) is not None for cell in cells)
    widths = {*map(len, rows)}
    if numbers * 2 > len(cells) or (len(widths) == 1 and max(width, *widths) > 2):
        return True
    # Of two words in each row, names included, either column repeats its own.
    most = len(rows) // 2 if len(rows) >= _MANY else len(rows) - 1
    few = all(len({*column}) <= most for column in zip(*rows, strict=False))
    return widths == {width} and few


# --- Records --------------------------------------------------------------------------------------


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


def _cut_records(data: bytes, dialect: Dialect, *, strict: bool = True) -> Iterator[Record]:
    """The records of a table with the lines where they begin; blank ones are empty."""
    lines: Iterable[str] = islice(_open(data), dialect.above, None)
    delimiter = dialect.delimiter
    if delimiter == WHITESPACE:
        lines, delimiter = (_single_spaces(line, dialect) for line in lines), " "
    reader = csv.reader(
        lines,
        delimiter=delimiter,
        quotechar=dialect.quote,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        escapechar=dialect.escape,
        # After a space, a quotation mark would count as part of the cell.
        skipinitialspace=delimiter not in " \t",
        strict=strict,
    )
    line = dialect.above + 1
    try:
        for cells in reader:
            yield line, cells
            line = dialect.above + reader.line_num + 1
    except csv.Error as reason:
        raise unmatched(line, str(reason)) from None


def _single_spaces(line: str, dialect: Dialect) -> str:
    """A line with one space for each run of them outside quotation marks."""
    text, end = line.rstrip("\r\n"), line[len(line.rstrip("\r\n")) :]
    q = re.escape(dialect.quote or "\0")
    runs = re.compile(rf"({q}[^{q}]*{q})|[ \t]+")
    return runs.sub(lambda found: found[1] or " ", text.strip(" \t")) + end


def _sample(data: bytes, dialect: Dialect) -> list[Record]:
    """The first records that aren't blank."""
    sample: list[Record] = []
    with suppress(DataError):  # what comes before a cell that is too long is a sample, too
        for record in islice(_cut_records(data, dialect, strict=False), 2 * SAMPLE):
            sample += [record] * bool(record[1])
    return sample[:SAMPLE]


def unmatched(line: int, reason: str) -> DataError:
    """The sentence for what the csv module refuses."""
    problem = "has text after a closing quotation mark"
    remedy = "double a quotation mark within a cell, or read the file with another (quote=)"
    if "end of data" in reason or "limit" in reason:
        problem = "opens a quotation mark that is never closed"
    if "limit" in reason:
        problem += f", or has a cell of more than {csv.field_size_limit():,} characters"
        remedy = "or shorten the cell"
    return DataError(f"Line {line} {problem}; close it, {remedy}.")


# --- Columns --------------------------------------------------------------------------------------


def _gather(batches: Iterable[Sequence[Any]], width: int, guard: Guard) -> tuple[Column, ...]:
    """The distinct texts of each column and their places, by batches of dictionaries of Arrow."""
    import pyarrow as pa

    guard.check("columns", width)
    rows = distinct = 0
    columns: list[list[Any]] = [[] for _ in range(width)]
    for batch in batches:
        rows += len(batch[0])
        guard.check("cells", rows * width)
        guard.tick(rows)
        for parts, part in zip(columns, batch, strict=True):
            parts.append(part)
    found = []
    for parts in columns if rows else ():
        whole = pa.chunked_array(parts).unify_dictionaries()
        parts.clear()
        values = whole.chunk(0).dictionary.to_pylist()
        distinct += len(values)
        guard.check("distinct", distinct)
        kind = signed_dtype(len(values))
        codes = [part.indices.to_numpy().astype(kind) for part in whole.chunks]
        found.append(Column(np.array(values, dtype=object), np.concatenate(codes)))
    return tuple(found)


def read_text(
    data: bytes, dialect: Dialect, options: ReadOptions, guard: Guard, notes: list[str]
) -> Grid:
    """The cells of a table of UTF-8 text."""
    guard.lines = data.count(b"\n") + 1
    head = find_head(_sample(data, dialect), options, notes, above=dialect.above)
    grid = _read_plain(data, dialect, head, guard)
    return grid or build_grid(_cut_records(data, dialect), head, guard, notes)


def _read_plain(data: bytes, dialect: Dialect, head: Head, guard: Guard) -> Grid | None:
    """A regular table, read by pyarrow; None where the csv module has to look at it."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    # Whole copies of a large file take a tenth of a second each.
    tail = data[-BLOCK:].rstrip(b"\r\n")
    end = len(data) - min(len(data), BLOCK) + len(tail) if tail else len(data.rstrip(b"\r\n"))
    begin = sum(len(line.encode()) for line in islice(_open(data), max(0, head.first - 1)))
    if not head.first or not _is_regular(data, begin, end, dialect):
        return None
    places = [str(i) for i in range(head.width)]
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
        columns = _gather((batch.columns for batch in batches), head.width, guard)
    except pa.ArrowInvalid:  # a row of another width, or longer than a block
        return None
    rows = columns[0].rows if columns else 0
    if data.count(b"\n", begin, end) + 1 == rows:
        lines = range(head.first, head.first + rows)
    # Blank lines, which pyarrow leaves out, or line ends within cells.
    elif quoted and all(data.find(ends, begin, end) < 0 for ends in (b"\n\n", b"\n\r\n")):
        head, lines = replace(head, where="Row"), range(1, rows + 1)
    else:
        return None
    return Grid(head, columns, lines)


def _is_regular(data: bytes, begin: int, end: int, dialect: Dialect) -> bool:
    """Whether pyarrow cuts the cells as the csv module does.

    Each quotation mark begins or ends a cell, or is doubled; a return alone ends a line of old.
    """
    marks = dialect.delimiter + (dialect.quote or "")
    if dialect.escape or dialect.delimiter == WHITESPACE or not marks.isascii():
        return False
    if data[begin : begin + 1] in (b"", b"\r", b"\n"):
        return False
    if data.count(b"\r", begin, end) != data.count(b"\r\n", begin, end):
        return False
    quote, quotes = (dialect.quote or "").encode(), 0
    if not quote or data.find(quote, begin, end) < 0:
        return True
    cells = np.frombuffer(data, dtype=np.uint8)
    near = np.isin(np.arange(256), [*map(ord, f"{marks}\r\n")])
    for start in range(begin, end, BLOCK):
        places = np.flatnonzero(cells[start : min(start + BLOCK, end)] == ord(quote)) + start
        odd, quotes = quotes % 2, quotes + len(places)
        for beside in (places[odd::2] - 1, places[1 - odd :: 2] + 1):
            if not near[cells.take(beside, mode="clip")].all():
                return False
    return quotes % 2 == 0


def build_grid(records: Iterable[Record], head: Head, guard: Guard, notes: list[str]) -> Grid:
    """Gather the records below a head into columns, all as wide as it says."""
    import pyarrow as pa

    left_out = defaultdict[str, list[int]](list)  # lines by what they are
    rows, lines = _fit_rows(records, head, left_out), array("q")

    def batches() -> Iterator[Sequence[Any]]:
        while batch := list(islice(rows, _BATCH)):
            lines.extend(line for line, _ in batch)
            cells = zip(*(cells for _, cells in batch), strict=True)
            yield [pa.array(texts, pa.string()).dictionary_encode() for texts in cells]

    columns = _gather(batches(), head.width, guard)
    for what, places in left_out.items():
        known = ", ".join(map(str, places[:5])) + ", …" * (len(places) > 5)
        notes.append(f"{what} were left out: {len(places):,} ({head.where.lower()} {known}).")
    return Grid(head, columns, np.frombuffer(lines, dtype=np.int64))


def _fit_rows(
    records: Iterable[Record], head: Head, left_out: dict[str, list[int]]
) -> Iterator[Record]:
    """The rows, each of the width of the table, and what is none."""
    width, below, blank, words = head.width, list[Record](), list[int](), 0
    marks = COMMENTS if head.where == "Line" else ()
    for line, cells in records:
        found = len(cells)
        if line <= head.line:
            continue
        if is_blank(cells, width):
            blank.append(line)
        elif found != width and cells[0].startswith(marks):
            left_out["Comments between rows"].append(line)
        elif found != width and (below or (words and _is_below(line, cells, width, blank, words))):
            below.append((line, cells))
        elif below or found < width or any(map(str.strip, cells[width:])):
            raise _misfit(*(below or [(line, cells)])[0], head)
        else:
            if found > width:
                left_out["Empty cells behind the last column (trailing delimiters)"].append(line)
            if blank:
                left_out["Blank lines"] += blank
                blank = []
            words = max(words, len(cells[0].split()), 1)
            yield line, cells[:width]
    if below:
        left_out[f"{head.where}s of another width below the table"] += [line for line, _ in below]


def _is_below(line: int, cells: list[str], width: int, blank: list[int], words: int) -> bool:
    """Whether a record may be a remark below a table: text after a blank line, or a sentence.

    If it holds the delimiter, it begins with more words than any row. It is none if a row follows.
    """
    text = cells[0].strip()
    if len(cells) > 1:
        return len(text.split()) > words
    if width < 2 or text.replace(".", "").isdecimal():
        return False
    return blank[-1:] == [line - 1] or (width > 2 and " " in text)


def _misfit(line: int, cells: list[str], head: Head) -> DataError:
    """The sentence on a row of another width."""
    found, expected, other = len(cells), head.width, "the header"
    if head.names is None:
        other = f"{head.where.lower()} {head.first}"
    elif head.width != len(head.names):
        line, found, expected = head.first, head.width, len(head.names)
    return DataError(
        f"{head.where} {line} has {plural(found, 'cell')} where {other} has {expected}; quote a "
        "cell that holds the delimiter, complete the line, or leave out a title above the names "
        "(skip_lines=)."
    )
