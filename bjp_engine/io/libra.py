"""Libra's `.data`: comma-separated states without a header, and a `.schema` beside it.

Lowd & Rooshenas (2015), The Libra Toolkit. The schema lists the number of states of each
variable; without one, each has as many as its largest code asks for.
"""

from __future__ import annotations

import re

import numpy as np

from bjp_engine.columns import Column, Table
from bjp_engine.errors import DataError, clip
from bjp_engine.io.headings import choose
from bjp_engine.io.limits import Guard
from bjp_engine.io.options import ReadOptions
from bjp_engine.io.sources import Content, read_source
from bjp_engine.io.text import Dialect, Grid, Shape, read_text
from bjp_engine.validate import MAX_STATES, Name

_CODE = re.compile(r"[0-9]{1,9}")
_MISSING = ("*", "?", "")
_SCHEMA_LIMIT = 1 << 24


def read_libra(
    content: Content, data: bytes, options: ReadOptions, guard: Guard, notes: list[str]
) -> Table:
    """The states of a Libra file, decoded to UTF-8, as categories 0..r-1."""
    missing = _MISSING if options.missing_values is None else options.missing_values
    shape = Shape(header=False)
    grid = read_text(data, Dialect(), shape, guard, notes)
    names = list(range(len(grid.columns)))
    schema = _schema(content, len(names), notes)
    kept = choose(names, options) if names else []
    columns: dict[Name, Column] = {
        i: _states(i, grid, tuple(missing), schema[i] if schema else None) for i in kept
    }
    return Table(grid.rows, columns)


def _schema(content: Content, n: int, notes: list[str]) -> list[int] | None:
    name, data = "The .schema file", content.schema
    if data is None and content.path is not None:
        path = content.path
        stems = dict.fromkeys((path.stem, path.name.split(".")[0]))
        beside = [path.with_name(f"{stem}.schema") for stem in stems if stem]
        found = next((other for other in beside if other.is_file()), None)
        if found is not None:
            name, data = clip(found.name), read_source(found, limit=_SCHEMA_LIMIT).data
    if data is None:
        notes.append("No .schema file: each column has the states up to its largest code.")
        return None
    text = data[:_SCHEMA_LIMIT].decode("utf-8", "replace")
    cells = [cell.strip() for cell in text.strip().strip(",").split(",")]
    if not all(_CODE.fullmatch(cell) and 1 <= int(cell) <= MAX_STATES for cell in cells):
        raise DataError(
            f"{name} must hold the number of states of each column, separated by commas."
        )
    if len(cells) != n:
        raise DataError(
            f"{name} has {len(cells)} numbers of states for {n} columns; give one per column."
        )
    notes.append(f"Numbers of states from {name[0].lower() + name[1:]}.")
    return [int(cell) for cell in cells]


def _states(i: int, grid: Grid, missing: tuple[str, ...], r: int | None) -> Column:
    texts = grid.columns[i]
    codes = np.empty(len(texts.values), dtype=np.int64)
    for k, text in enumerate(value.strip() for value in texts.values):
        known = _CODE.fullmatch(text) is not None
        if not known and text not in missing:
            raise DataError(
                f"{grid.place(texts, k)}: {clip(text)} in column {i} is not a state; Libra's .data "
                "holds whole numbers from 0 (a table of text is read with format='csv', "
                "header=False)."
            )
        codes[k] = int(text) if known else -1
    states = int(codes.max(initial=0)) + 1 if r is None else r
    beyond = np.flatnonzero(codes >= min(states, MAX_STATES))
    if len(beyond):
        raise DataError(
            f"{grid.place(texts, beyond[0])}: column {i} holds {codes[beyond[0]]}, and its states "
            f"go from 0 to {min(states, MAX_STATES) - 1}; correct the cell or the schema."
        )
    return Column(np.arange(states), codes[texts.codes], ordered=True, declared=True)
