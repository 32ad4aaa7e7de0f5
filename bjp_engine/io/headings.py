"""Which columns of a file are variables: names, row names, and columns of nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bjp_engine.dataset import Name
from bjp_engine.errors import DataError, clip
from bjp_engine.io.grid import Grid, Texts
from bjp_engine.io.options import ReadOptions

Column = tuple[Name, Texts]


def variables(grid: Grid, options: ReadOptions, notes: list[str]) -> list[Column]:
    """The columns of a grid that are variables, with their names.

    Parameters
    ----------
    grid : Grid
    options : ReadOptions
    notes : list of str
        Gets a sentence for each thing left out.

    Returns
    -------
    list of tuple of (str or int) and Texts

    Raises
    ------
    DataError
        If a name is empty or given twice, or a column asked for isn't there.
    """
    if grid.header is None:
        columns = _without_trailing(list(enumerate(grid.columns)), notes)
    else:
        columns = _without_empty(_named(grid, notes), notes)
        columns = _without_index(columns, options, notes)
        check_names([name for name, _ in columns])
    kept = choose([name for name, _ in columns], options)
    return [columns[i] for i in kept]


def check_names(names: Sequence[Name]) -> None:
    """Refuse names that are empty or not distinct.

    Parameters
    ----------
    names : sequence of str or int

    Raises
    ------
    DataError
        The sentence names the column.
    """
    # A table without its header shows values where names should be.
    values = sum(_is_value(name) for name in names) * 2 > len(names)
    hint = (
        " If the first line is data, read the table without a header line (header=False)."
        if values
        else ""
    )
    first: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        text = str(name)
        if not text.strip():
            raise DataError(f"Column {position} has no name; give it one in the header.{hint}")
        if text in first:
            raise DataError(
                f"Columns {first[text]} and {position} are both named {clip(text)}; "
                f"rename one of them.{hint}"
            )
        first[text] = position


def choose(names: Sequence[Name], options: ReadOptions) -> list[int]:
    """Where the columns to be read stand.

    Parameters
    ----------
    names : sequence of str or int
        All variables of the file.
    options : ReadOptions
        Its `columns` and an explicit `index_column`.

    Returns
    -------
    list of int

    Raises
    ------
    DataError
        If a column isn't there, is asked for twice, or none is left.
    """
    kept = list(range(len(names)))
    if options.index_column not in (None, "auto"):
        kept.remove(_find(names, options.index_column, "index_column"))
    if options.columns is not None:
        wanted = [_find(names, name, "columns") for name in options.columns]
        for position in wanted:
            if wanted.count(position) > 1:
                raise DataError(f"columns has {clip(names[position])} twice; name it once.")
        kept = wanted
    if not kept:
        raise DataError("The file has no column besides its row names; it needs one variable.")
    return kept


def _find(names: Sequence[Name], wanted: Name | None, option: str) -> int:
    """A column by its name, else by its index."""
    if wanted in names:
        return names.index(wanted)
    if isinstance(wanted, int) and 0 <= wanted < len(names):
        return wanted
    texts = [str(name) for name in names]
    if str(wanted) in texts:
        return texts.index(str(wanted))
    known = ", ".join(clip(name, 30) for name in names[:8]) + (", …" if len(names) > 8 else "")
    raise DataError(f"{option}: there is no column {clip(wanted)}; the file has {known}.")


def _named(grid: Grid, notes: list[str]) -> list[Column]:
    """Columns under their names; row names in front and delimiters behind get none."""
    header = [name.strip() for name in grid.header or ()]
    if len(grid.columns) == len(header) + 1:
        last = grid.columns[-1]
        distinct = len(grid.columns[0].values) == grid.rows
        if last.blank:
            header = [*header, ""]
        elif distinct:
            notes.append("The first column has no name and names the rows; it was left out.")
            return list(zip(header, grid.columns[1:], strict=True))
        else:
            line = grid.lines[0]
            raise DataError(
                f"Line {line} has {len(header) + 1} cells where the header has {len(header)}; "
                "name every column, or quote cells that hold the delimiter."
            )
    return list(zip(header, grid.columns, strict=True))


def _without_empty(columns: list[Column], notes: list[str]) -> list[Column]:
    """Without the columns that have neither a name nor a value."""
    kept = [(name, texts) for name, texts in columns if name or not texts.blank]
    if gone := len(columns) - len(kept):
        notes.append(
            f"Columns with neither a name nor a value (trailing delimiters) were left out: {gone}."
        )
    return kept


def _without_trailing(columns: list[Column], notes: list[str]) -> list[Column]:
    """A table without names: without the empty columns at its right edge."""
    kept = list(columns)
    while len(kept) > 1 and kept[-1][1].blank:
        kept.pop()
    if gone := len(columns) - len(kept):
        notes.append(f"Columns without a value at the right edge were left out: {gone}.")
    return kept


def _without_index(columns: list[Column], options: ReadOptions, notes: list[str]) -> list[Column]:
    """Without an unnamed first column that only counts the rows."""
    if options.index_column != "auto" or not columns:
        return columns
    name, texts = columns[0]
    # pandas writes a name of its own where a table with an unnamed index is saved again.
    if name not in ("", "Unnamed: 0") or not _counts_rows(texts):
        return columns
    notes.append("The first column has no name and counts the rows; it was left out.")
    return columns[1:]


def _counts_rows(texts: Texts) -> bool:
    """Whether the cells read 0..N-1 or 1..N from top to bottom."""
    n = len(texts.codes)
    if len(texts.values) != n or not (texts.codes == np.arange(n)).all():
        return False
    first = texts.values[0].strip()
    if first not in ("0", "1"):
        return False
    return all(value.strip() == str(i) for i, value in enumerate(texts.values, int(first)))


def _is_value(name: Name) -> bool:
    """Whether a heading looks like a cell: a number or nothing."""
    text = str(name).strip()
    try:
        float(text or "0")
    except ValueError:
        return False
    return True
