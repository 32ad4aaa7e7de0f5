"""How a text table is written: delimiter, quotation marks, comments; found out where not given."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from bjp_engine.io.delimited import Dialect, Lines, cut
from bjp_engine.io.options import ReadOptions
from bjp_engine.io.sources import Content

# What nobody uses inside cells by the way; the first of equals wins.
DELIMITERS = (",", "\t", ";", "|")
# What may well stand in a cell: taken only where every record is cut alike.
_RARER = ("\x1f", "^", "~", ":", "whitespace")
_NAMES = {"\x1f": "unit separators", "whitespace": "spaces"}
_SAMPLE = 100
# Whatever stands in front of the delimiter in such a line above the table.
_COMMENTS = "#%"
_SEPARATOR = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?[0-9.,]+(?:[eE][-+]?[0-9]+)?")


def find_dialect(
    content: Content, encoding: str, options: ReadOptions, notes: list[str]
) -> Dialect:
    """How a table is written, as far as the caller left that open."""
    told = Dialect(
        delimiter=options.delimiter or ",",
        quote='"' if options.quote == "auto" else options.quote,
        escape=None if options.escape == "auto" else options.escape,
        comment=None if options.comment == "auto" else options.comment,
        skip=options.skip_lines,
    )
    told = _with_first_lines(content, encoding, told, options, notes)
    if options.delimiter is None and told.delimiter == ",":
        told = replace(told, delimiter=_delimiter(content, encoding, told, options))
        if told.delimiter in _RARER:
            name = _NAMES.get(told.delimiter, repr(told.delimiter))
            notes.append(f"Cells are separated by {name}; if they aren't, give the delimiter.")
    return _with_quotes(content, encoding, told, options, notes)


def _with_first_lines(
    content: Content, encoding: str, told: Dialect, options: ReadOptions, notes: list[str]
) -> Dialect:
    """Look for the line sep=; that Excel reads, and for comments above the table."""
    with Lines(content, encoding, told) as lines:
        start = list(islice(lines, _SAMPLE))
    found = _SEPARATOR.fullmatch(start[0]) if start and not told.skip else None
    if found and found[1] not in '"\r\n':
        notes.append(f"The first line gives the delimiter {found[1]!r}; it was left out.")
        given = options.delimiter or found[1]
        return replace(told, skip=1, delimiter=given)
    body = [line for line in start if line.strip()]
    if options.comment != "auto" or not body or body[0][0] not in _COMMENTS:
        return told
    mark = body[0][0]
    table = next((i for i, line in enumerate(start) if line.strip() and line[0] != mark), 0)
    if table and _is_header(start[table - 1], start[table]):
        notes.append(f"The names stand in line {table}, which begins with {mark!r}.")
        return replace(told, skip=table - 1)
    return replace(told, comment=f"auto{mark}")


def _is_header(line: str, following: str) -> bool:
    """Whether a line that begins like a comment holds the names of a table."""
    cuts = [line.count(mark) for mark in DELIMITERS if line.count(mark) == following.count(mark)]
    if not any(cuts):
        return False
    cells = re.split(r"[,\t;|]", following.strip())
    numbers = any(_NUMBER.fullmatch(cell.strip()) for cell in cells)
    return numbers or not line[1:2].isspace()


def _records(content: Content, encoding: str, told: Dialect) -> list[list[str]]:
    """The first records that hold anything."""
    sample: list[list[str]] = []
    with Lines(content, encoding, told) as lines, suppress(csv.Error):
        # What comes before a cell that is too long is a sample too.
        sample.extend(islice(cut(lines, told, strict=False), _SAMPLE))
    return [cells for cells in sample if any(map(str.strip, cells))]


def _delimiter(content: Content, encoding: str, told: Dialect, options: ReadOptions) -> str:
    """The delimiter that cuts the first records most evenly, quotes respected."""

    def evenness(delimiter: str) -> tuple[float, int, list[list[str]]]:
        sample = _records(content, encoding, replace(told, delimiter=delimiter))
        if not sample or len(sample[0]) < 2:
            return 0.0, 0, sample
        width = len(sample[0])
        fitting = {width, width + 1} if options.header else {width}
        return sum(len(cells) in fitting for cells in sample) / len(sample), width, sample

    found = {mark: evenness(mark)[:2] for mark in DELIMITERS}
    best = max(DELIMITERS, key=lambda mark: found[mark])
    if found[best][1]:
        return best
    for mark in _RARER:
        share, width, sample = evenness(mark)
        if share == 1.0 and len(sample) > 1 and _is_table(sample, width):
            return mark
    return ","


def _is_table(sample: Sequence[Sequence[str]], width: int) -> bool:
    """Whether a rare mark cuts a table, and not the texts of a single column."""
    cells = [cell for row in sample[1:] for cell in row]
    numbers = sum(_NUMBER.fullmatch(cell.strip()) is not None for cell in cells)
    widths = {len(row) for row in sample[1:]}
    return numbers * 2 > len(cells) or (len(widths) == 1 and max(width, *widths) > 2)


def _with_quotes(
    content: Content, encoding: str, told: Dialect, options: ReadOptions, notes: list[str]
) -> Dialect:
    """Single quotation marks, and backslashes before quotation marks."""
    if told.delimiter == "whitespace":
        return told
    with Lines(content, encoding, told) as lines:
        start = "".join(islice(lines, _SAMPLE))
    if options.escape == "auto" and told.quote and f"\\{told.quote}" in start:
        told = replace(told, escape="\\")
        notes.append("A backslash before a quotation mark makes it part of its cell.")
    if options.quote != "auto" or '"' in start or "'" not in start:
        return told
    mark = re.escape(told.delimiter)
    quoted = re.compile(rf"(?:^|{mark})[ ]*'(?:[^'\r\n]|'')*'[ ]*(?={mark}|$)", re.MULTILINE)
    # An apostrophe within a word leaves an odd one out.
    marks = sum(found[0].count("'") for found in quoted.finditer(start))
    if marks == start.count("'") and marks >= 2 * len(start.splitlines()) - 2:
        notes.append("Single quotation marks around cells were taken off.")
        return replace(told, quote="'")
    return told
