"""Delimited text: its lines, cut into the cells of records."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Self

from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.io.limits import MEGABYTE
from bjp_engine.io.sources import Content
from bjp_engine.io.widths import Record

# No record of a table has lines like this; a line is held in memory several times over.
MAX_LINE_MB = 16
_WHITESPACE = "whitespace"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the cells of a text table are written.

    Parameters
    ----------
    delimiter : str
        One character, or "whitespace": any number of spaces and tabs.
    quote, escape : str or None
        Around cells that hold the delimiter; before a quotation mark that is one.
    comment : str or None
        Lines that begin so are left out; with "auto" in front only those above the table.
    skip : int
        Lines above the table.
    """

    delimiter: str = ","
    quote: str | None = '"'
    escape: str | None = None
    comment: str | None = None
    skip: int = 0

    @property
    def plain(self) -> bool:
        """Whether lines can go to the reader of cells as they are."""
        return not self.skip and self.comment is None and self.delimiter != _WHITESPACE


class Lines:
    """The lines of a text table; what is left out comes as a blank line, so that numbers stay."""

    def __init__(self, content: Content, encoding: str, dialect: Dialect) -> None:
        """Open the text, without a mark that the encoding leaves in place."""
        data = io.BytesIO(content.data)
        if encoding.lower().replace("_", "-").startswith("utf-16-"):
            data.seek(2 * content.data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)))
        self._text = io.TextIOWrapper(data, encoding=encoding, newline="")
        self._dialect = dialect
        self.comments: set[int] = set()

    def __enter__(self) -> Self:
        """Nothing to do."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the text."""
        self._text.close()

    def __iter__(self) -> Iterator[str]:
        """The lines one by one."""
        return iter(self._text) if self._dialect.plain else self._changed()

    def _changed(self) -> Iterator[str]:
        """Lines with comments and what is skipped made blank, and spaces made one."""
        dialect, above = self._dialect, True
        mark = (dialect.comment or "").removeprefix("auto") or None
        only_above = (dialect.comment or "").startswith("auto")
        for number, line in enumerate(self._text, start=1):
            comment = mark and (above or not only_above) and line.startswith(mark)
            if number <= dialect.skip or comment:
                self.comments.add(number)
                yield "\n"
            else:
                above = above and not line.strip()
                yield _single_spaces(line, dialect) if dialect.delimiter == _WHITESPACE else line


def _single_spaces(line: str, dialect: Dialect) -> str:
    """A line with one space for each run of them outside quotation marks."""
    text, end = line.rstrip("\r\n"), line[len(line.rstrip("\r\n")) :]
    if dialect.quote and dialect.quote in text:
        q = re.escape(dialect.quote)
        pattern = re.compile(f"({q}[^{q}]*{q})|[ \t]+")
        return pattern.sub(lambda found: found[1] or " ", text.strip(" \t")) + end
    return " ".join(text.split()) + end


def cut(lines: Iterable[str], dialect: Dialect, *, strict: bool) -> Any:
    """A reader of the cells of each record."""
    delimiter = " " if dialect.delimiter == _WHITESPACE else dialect.delimiter
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


def check_lines(content: Content) -> None:
    """Refuse a file with a line that no table has, before it is held as text."""
    data, step = content.data, MAX_LINE_MB * MEGABYTE
    for start in range(0, len(data) - step, step):
        if data.find(b"\n", start, start + step) < 0 and data.find(b"\r", start, start + step) < 0:
            line = data.count(b"\n", 0, start) + 1
            raise DataError(
                f"Line {line} of {content.title} is longer than {MAX_LINE_MB} MB, which no table's "
                "is; write each row on a line of its own."
            )


def records(
    content: Content, encoding: str, dialect: Dialect, notes: list[str]
) -> Iterator[Record]:
    """The records of a text table."""
    line = 1
    with Lines(content, encoding, dialect) as lines:
        reader = cut(lines, dialect, strict=True)
        left_out = lines.comments
        try:
            for cells in reader:
                if cells or line not in left_out:
                    yield line, cells
                line = reader.line_num + 1
        except csv.Error as reason:
            raise _unmatched(line, reason) from None
    comments = sum(number > dialect.skip for number in left_out)
    if comments:
        where = " above the table" if (dialect.comment or "").startswith("auto") else ""
        notes.append(f"Comments{where} were left out: {comments} line{'s' * (comments > 1)}.")


def _unmatched(line: int, reason: csv.Error) -> DataError:
    """The sentence for quotation marks that don't match."""
    if "limit" in str(reason):
        return DataError(
            f"Line {line} opens a quotation mark that is never closed, or has a cell of more than "
            f"{csv.field_size_limit():,} characters; close it, or shorten the cell."
        )
    if "end of data" in str(reason):
        problem = "opens a quotation mark that is never closed"
    else:
        problem = "has text after a closing quotation mark"
    return DataError(
        f"Line {line} {problem}; close it, double a quotation mark within a cell, or read the "
        "file with another quotation mark (quote=)."
    )


def check_delimiter(delimiter: str | None) -> None:
    """Refuse what can't separate cells."""
    if delimiter in (None, _WHITESPACE):
        return
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n\0':
        raise OptionError(
            f"delimiter={clip(repr(delimiter))} can't separate cells; give one character or "
            "'whitespace'."
        )
