"""Weka's ARFF: names and states of the attributes above rows of comma-separated cells.

The rows are read as those of any text table. SciPy's and liac-arff's readers go cell by cell in
Python; SciPy's refuses texts, and states outside ASCII.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bjp_engine.columns import Column, Table, as_values
from bjp_engine.errors import DataError, clip
from bjp_engine.io.headings import check_names, choose
from bjp_engine.io.limits import Guard
from bjp_engine.io.options import ReadOptions
from bjp_engine.io.text import Dialect, Grid, read_text
from bjp_engine.io.values import missing_texts, read_values
from bjp_engine.validate import Name

BEGINNING = re.compile(rb"\s*(?:%[^\n]*\s+)*@relation\s", re.IGNORECASE)
_DATA = re.compile(rb"^[ \t]*@data\b[^\n]*\n?", re.IGNORECASE | re.MULTILINE)
_COMMENT = re.compile(rb"^%[^\n]*", re.MULTILINE)
_ATTRIBUTE = re.compile(
    r"""^[ \t]*@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+)\s*(\{.*\}|\S.*?)\s*$""",
    re.IGNORECASE | re.MULTILINE,
)


def read_arff(
    title: str, data: bytes, options: ReadOptions, guard: Guard, notes: list[str]
) -> tuple[Table, ReadOptions]:
    """The attributes of a file that is decoded to UTF-8; a nominal one has all its states."""
    begin = _DATA.search(data)
    if begin is None:
        raise DataError(f"{title} has no line @data, which precedes the rows of an ARFF file.")
    rows = data[begin.end() :]
    if re.match(rb"\s*(?:%[^\n]*\s+)*\{", rows):
        raise DataError(f"{title} is a sparse ARFF file; write all cells of each row, or use CSV.")
    attributes = _ATTRIBUTE.findall(data[: begin.start()].decode("utf-8", "replace"))
    names = [
        re.sub(r"\\(.)", r"\1", name[1:-1]) if name[:1] in ("'", '"') else name
        for name, _ in attributes
    ]
    check_names(names)
    dialect = Dialect(
        delimiter="," if b"," in rows or b"\t" not in rows else "\t",
        quote='"' if b"'" not in rows else "'",
        escape="\\" if b"\\" in rows else None,
        above=data.count(b"\n", 0, begin.end()),
    )
    bare = replace(options, header_rows=0)
    # A mark alone is a comment to the reader of texts, unless rows have one cell, too.
    data = _COMMENT.sub(b"%" if len(names) > 1 else b"", data)
    grid = read_text(data, dialect, bare, guard, notes)
    if len(grid.columns) != len(names):
        raise DataError(
            f"{title} names {len(names)} attributes, and its rows have {len(grid.columns)} cells; "
            "add what is missing."
        )
    # In ARFF nothing else is missing, and no decimals are in doubt.
    given = ("?",) if options.missing_values is None else options.missing_values
    used = replace(options, missing_values=given, decimal=".")
    kept = choose(names, options)
    table, _ = read_values([(names[i], grid.columns[i]) for i in kept], grid, used, guard, notes)
    nominal: dict[Name, Column] = {
        names[i]: _nominal(names[i], _states(attributes[i][1]), grid.columns[i], grid, used)
        for i in kept
        if attributes[i][1].startswith("{")
    }
    return table.having(nominal), replace(options, delimiter=dialect.delimiter)


def _states(text: str) -> list[str]:
    """The states between braces."""
    quote = '"' if "'" not in text else "'"
    inside = text.strip("{}")
    cut = csv.reader([inside], quotechar=quote, escapechar="\\", skipinitialspace=True)
    return [state.strip() for state in next(cut, [])]


def _nominal(
    name: Name, states: Sequence[str], texts: Column, grid: Grid, options: ReadOptions
) -> Column:
    """A column by its declared states."""
    missing, place = missing_texts(options), {state: k for k, state in enumerate(states)}
    places = np.full(len(texts.values), -1)
    for k, cell in enumerate(map(str.strip, texts.values)):
        if cell in place:
            places[k] = place[cell]
        elif cell not in missing:
            raise DataError(
                f"{grid.place(texts, k)}: {clip(cell)} is not among the states of {clip(name)}; "
                "add it to the attribute, or correct the cell."
            )
    return Column(as_values(place), places[texts.codes], ordered=True, declared=True)
