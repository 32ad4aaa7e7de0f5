"""From the bytes of a text table to named columns of distinct texts."""

from __future__ import annotations

from dataclasses import replace

from bjp_engine.io.dialect import decode, find_dialect
from bjp_engine.io.header_rows import join_headings
from bjp_engine.io.headings import NamedTexts, name_columns
from bjp_engine.io.limits import Guard, NoRowsError
from bjp_engine.io.options import AUTO, ReadOptions
from bjp_engine.io.sources import Content
from bjp_engine.io.text import Dialect, Grid, Shape, check_lines, read_text


def read_grid(
    content: Content, options: ReadOptions, guard: Guard, notes: list[str]
) -> tuple[Grid, ReadOptions]:
    """The cells of a table of delimited text, and the options that read them."""
    data, dialect, used = open_text(content, options, notes)
    return read_text(data, dialect, shape_of(used), guard, notes), used


def open_text(
    content: Content, options: ReadOptions, notes: list[str]
) -> tuple[bytes, Dialect, ReadOptions]:
    """A table of text as UTF-8, how it is written, and the options that say so."""
    data, encoding = decode(content, options.encoding, notes)
    check_lines(data, content.title)
    dialect, skip = find_dialect(data, options, notes)
    used = replace(
        options,
        encoding=encoding,
        delimiter=dialect.delimiter,
        quote=dialect.quote,
        escape=dialect.escape,
        skip_lines=skip or options.skip_lines,
    )
    return data, dialect, used


def shape_of(options: ReadOptions) -> Shape:
    """What options say of a table before its rows."""
    return Shape(
        options.header,
        comments="#%" if options.comment == AUTO else "",
        skip=options.malformed == "skip",
    )


def name_grid(
    title: str, grid: Grid, options: ReadOptions, notes: list[str]
) -> tuple[list[NamedTexts], Grid, ReadOptions]:
    """The columns of a grid under their names, without the lines that hold these."""
    grid, options = join_headings(grid, options, notes)
    if not grid.rows:
        rows = "has a header but no rows" if grid.header else "is empty"
        raise NoRowsError(f"{title} {rows}; add the data.")
    if grid.blank_lines:
        notes.append(f"Blank lines between rows were left out: {grid.blank_lines:,}.")
    return name_columns(grid, options, notes), grid, options
