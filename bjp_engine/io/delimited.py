"""Comma, semicolon, tab or bar separated text: encoding, delimiter, records."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.io.grid import Record
from bjp_engine.io.sources import Content

if TYPE_CHECKING:
    import _csv

DELIMITERS = (",", "\t", ";", "|")
_SAMPLE_RECORDS = 100

# The longer mark first: that of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_FOREIGN = (
    (b"PK\x03\x04", "an Excel workbook or another zip archive", "excel"),
    (b"PAR1", "a Parquet table", "parquet"),
    (b"\xd0\xcf\x11\xe0", "an old .xls workbook", None),
    (b"\x1f\x8b", "a gzip archive", None),
    (b"%PDF", "a PDF document", None),
)


def find_encoding(content: Content, wanted: str | None, notes: list[str]) -> str:
    """The encoding of a text file: its mark, else UTF-8, else Western European.

    Parameters
    ----------
    content : Content
    wanted : str or None
        An encoding that the caller is sure of.
    notes : list of str
        Gets a sentence where the encoding was a guess.

    Returns
    -------
    str
        A Python codec that takes a byte order mark away.

    Raises
    ------
    DataError
        If the file isn't text, or not in the encoding wanted.
    OptionError
        If there is no such encoding.
    """
    data = content.data
    _refuse_foreign(content)
    if wanted is not None:
        marked = wanted.lower().replace("_", "-") in ("utf-8", "utf8")
        return _checked(content, "utf-8-sig" if marked else wanted)
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _checked(content, encoding)
    if b"\0" in data:
        raise DataError(f"{content.title} holds binary data; save the table as CSV text.")
    if _decodes(data, "utf-8"):
        return "utf-8"
    # What calls itself Latin-1 is nearly always its Windows superset.
    encoding = "cp1252" if _decodes(data, "cp1252") else "latin-1"
    notes.append(f"The file is not UTF-8; it was read as {encoding}: check accented letters.")
    return encoding


def guess_delimiter(content: Content, encoding: str, *, header: bool) -> str:
    """The delimiter that cuts the first records most evenly, quotes respected.

    Parameters
    ----------
    content : Content
    encoding : str
    header : bool
        Whether the first record holds names, whose number the rows must match.

    Returns
    -------
    str
        One of `DELIMITERS`; a comma for a single column.
    """

    def evenness(delimiter: str) -> tuple[float, int]:
        sample = islice(_reader(content, encoding, delimiter, strict=False), _SAMPLE_RECORDS)
        try:
            widths = [len(cells) for cells in sample if any(map(str.strip, cells))]
        except csv.Error:
            return 0.0, 0
        if not widths or widths[0] < 2:
            return 0.0, 0
        fitting = {widths[0], widths[0] + 1} if header else {widths[0]}
        return sum(width in fitting for width in widths) / len(widths), widths[0]

    best = max(DELIMITERS, key=evenness)  # the first of equals
    return best if evenness(best)[1] else ","


def records(content: Content, encoding: str, delimiter: str) -> Iterator[Record]:
    """The records of a text table.

    Parameters
    ----------
    content : Content
    encoding : str
    delimiter : str

    Yields
    ------
    tuple of int and list of str
        The line on which the record begins, from 1, and its cells.

    Raises
    ------
    DataError
        If quotation marks don't match; the sentence names the line.
    """
    reader = _reader(content, encoding, delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            yield line, cells
            line = reader.line_num + 1
    except csv.Error as reason:
        if "limit" in str(reason) or "end of data" in str(reason):
            problem = "opens a quotation mark that is never closed"
        else:
            problem = "has text after a closing quotation mark"
        raise DataError(
            f"Line {line} {problem}; close it, or double a quotation mark within a cell."
        ) from None


def check_delimiter(delimiter: str | None) -> None:
    """Refuse what can't separate cells.

    Parameters
    ----------
    delimiter : str or None

    Raises
    ------
    OptionError
    """
    if delimiter is not None and (
        not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n\0'
    ):
        raise OptionError(
            f"delimiter={clip(repr(delimiter))} can't separate cells; give one character."
        )


def _reader(content: Content, encoding: str, delimiter: str, *, strict: bool) -> _csv.Reader:
    """A csv reader over the text, decoded as it goes."""
    text = io.TextIOWrapper(io.BytesIO(content.data), encoding=encoding, newline="")
    # After a space, a quotation mark would count as part of the cell.
    skip = delimiter not in " \t"
    return csv.reader(text, delimiter=delimiter, skipinitialspace=skip, strict=strict)


def _refuse_foreign(content: Content) -> None:
    """Say what the file is where its first bytes tell."""
    for magic, kind, known in _FOREIGN:
        if content.data.startswith(magic):
            how = f"give its format (format={known!r})" if known else "save the table as CSV"
            raise DataError(f"{content.title} is {kind}, not a text table; {how}.")


def _checked(content: Content, encoding: str) -> str:
    """The encoding, once the whole file is known to be in it."""
    try:
        content.data.decode(encoding)
    except LookupError:
        raise OptionError(
            f"encoding={clip(encoding)} is not known; use 'utf-8', 'utf-16' or 'latin-1'."
        ) from None
    except UnicodeError as reason:
        start = getattr(reason, "start", 0)
        line = content.data.count(b"\n", 0, start) + 1
        raise DataError(
            f"{content.title} is not {encoding.removesuffix('-sig').upper()} text (line {line}); "
            "save it as UTF-8, or give its encoding."
        ) from None
    return encoding


def _decodes(data: bytes, encoding: str) -> bool:
    """Whether all bytes are text in an encoding."""
    try:
        data.decode(encoding)
    except UnicodeError:
        return False
    return True
