"""Reading tables: from a file to coded columns and a report, and on to a Dataset.

source -> bytes -> format -> distinct texts and codes -> values -> Table, with a note for each guess

A text is read here; all other files, and packed texts, by another interpreter (`child`), which
sends the finished columns. What reads one format is imported where a file of that format is read:
pandas, pyarrow and openpyxl take their time.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Unpack, get_args

from bjp_engine.columns import Column, Table
from bjp_engine.errors import DataError, NoRowsError
from bjp_engine.io import child
from bjp_engine.io.limits import MEGABYTE, Guard, Limits
from bjp_engine.io.options import AUTO, Format, ReadArguments, ReadOptions
from bjp_engine.io.sources import (
    ARFF,
    PACKED,
    PARQUET,
    PROGRAMS,
    Content,
    Source,
    decode,
    find_reader,
    read_source,
    unpack,
)
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import record
from bjp_engine.validate import Name, choice

if TYPE_CHECKING:
    import pandas as pd

    from bjp_engine.dataset import Dataset, Missing
    from bjp_engine.io.text import Grid

# Names in order, rows, the options that read them, notes.
_Outcome = tuple[Sequence[Name], int, ReadOptions, list[str]]
_ENDINGS: dict[Format, str] = {
    "csv": ".csv .txt .dat .data",
    "tsv": ".tsv .tab",
    "parquet": ".parquet .pq",
    "excel": ".xlsx .xlsm",
    "spss": ".sav .zsav .por",
    "stata": ".dta",
    "sas": ".sas7bdat .xpt",
    "arff": ".arff",
}
SUFFIXES = {suffix: kind for kind, endings in _ENDINGS.items() for suffix in endings.split()}
# What a damaged file could end or bloat.
_APART = ("parquet", "excel", *PROGRAMS)
_HEAD = 1 << 16
_log = logging.getLogger(__name__)
_PICKLES = (".pickle", ".pkl", ".p", ".joblib", ".npy", ".npz")


@record
@dataclass(frozen=True, slots=True)
class TableReport:
    """What was detected and done while a table was read.

    Attributes
    ----------
    delimiter, encoding : str or None
        Of a text table.
    notes : tuple of str
        A sentence for each guess and each thing left out; the table has them, too.
    chosen : ReadOptions
        The options that read the file in the same way: what was given, and what was detected
        where nothing was.
    """

    format: Format
    delimiter: str | None
    encoding: str | None
    rows: int
    columns: int
    notes: tuple[str, ...]
    chosen: ReadOptions = field(default_factory=ReadOptions, compare=False)


def read_table(
    path_or_file: Source,
    *,
    missing: Missing = "error",
    weights: Name | None = None,
    **options: Unpack[ReadArguments],
) -> Dataset:
    r"""Read a file of discrete variables.

    Parameters
    ----------
    path_or_file : str, path, bytes or binary file
        CSV, TSV, Parquet, Excel, SPSS, Stata, SAS or ARFF, known by its extension, or a gzip or zip
        archive of one.
    missing, weights
        See `Dataset.from_frame`.
    **options
        The fields of `ReadOptions`.

    Examples
    --------
    >>> from bjp_engine import read_table
    >>> data = read_table(b"smokes,cough\nyes,no\nno,no\n")
    >>> data.names, data.cardinalities
    (('smokes', 'cough'), (2, 1))

    Notes
    -----
    Files are held in memory and bounded in size (`Limits`), except a Parquet file given by its
    path, which is read in batches. A dataset has a byte a cell, or two, and up to 2³⁰ cells;
    `read_sharded` takes more rows from several files, on a cluster or this machine alone.
    """
    # What only reads has no use for it, and it takes longer than most files.
    from bjp_engine.dataset import Dataset, Missing

    choice(missing, "missing", get_args(Missing))
    table, _ = read_columns(path_or_file, **options)
    return Dataset.from_frame(table, missing=missing, weights=weights)


def read_frame(
    source: Source, progress: Progress = UNWATCHED, **options: Unpack[ReadArguments]
) -> tuple[pd.DataFrame, TableReport]:
    """Read a file as a frame: as `read_columns`, with the cells in place of codes."""
    table, report = read_columns(source, progress, **options)
    return table.to_frame(), report


def read_columns(
    source: Source, progress: Progress = UNWATCHED, **options: Unpack[ReadArguments]
) -> tuple[Table, TableReport]:
    r"""Read a file as a table of coded columns, before anything is decided about missing cells.

    Files and options are those of `read_table`; the report says what was detected and done.
    `progress` reports how far the reading is, and can cancel it.

    Examples
    --------
    >>> from bjp_engine.io import read_columns
    >>> table, report = read_columns(b"a;b\n1,5;x\n2,25;y\n")
    >>> report.delimiter, report.notes
    (';', ("Decimal separator: comma; in column 'a'.",))
    """
    check_progress(progress)
    chosen = ReadOptions.of(options)
    limits = chosen.limits or Limits.from_environment()
    content = read_source(source, limit=limits.file_mb * MEGABYTE)
    guard = Guard(limits, content.title, progress)
    columns: dict[Name, Column] = {}

    def receive(message: tuple[Any, Any]) -> None:
        if isinstance(message[1], Column):
            columns[message[0]] = message[1]
        elif progress.report is not None:
            progress.report(*message)

    if content.data.startswith(PACKED) or (chosen.format or format_of(content)) in _APART:
        found = child.run(_read_apart, content, chosen, limits, guard=guard, receive=receive)
    else:
        found = _read(receive, content, chosen, guard)
    names, rows, used, notes = found
    for note in notes:
        _log.info("%s: %s", content.title, note)
    table = Table(rows, {name: columns[name] for name in names}, notes=tuple(notes))
    text = used.format in ("csv", "tsv", "arff")
    delimiter, encoding = (used.delimiter, used.encoding) if text else (None, None)
    return table, TableReport(used.format, delimiter, encoding, rows, len(names), table.notes, used)


def _read_apart(
    send: child.Send, content: Content, options: ReadOptions, limits: Limits
) -> _Outcome:
    """Read a file in the process made for it, which reports how far it is."""
    watched = Progress(lambda done, total: send((done, total)))
    return _read(send, content, options, Guard(limits, content.title, watched))


def _read(send: child.Send, content: Content, options: ReadOptions, guard: Guard) -> _Outcome:
    """Read a file, and send its columns; then their names in order, rows, options and notes."""
    notes: list[str] = []
    content = unpack(content, guard, notes)
    used = replace(options, format=options.format or format_of(content))
    if not content.data or content.data.isspace():
        raise NoRowsError(f"{content.title} is empty; give a table with names and rows.")
    if used.format == "parquet":
        from bjp_engine.io.declared import read_parquet

        whole = content.path if content.data == PARQUET else None
        names, rows = read_parquet(whole or content.data, used, guard, notes, send)
        return names, rows, used, notes
    if used.format in PROGRAMS:
        from bjp_engine.io.declared import read_labelled

        table, used = read_labelled(content, used, guard, notes)
    elif used.format == "excel":
        from bjp_engine.io.excel import read_workbook

        sheet, grid = read_workbook(content, used, guard, notes)
        table, used = _decide(content, grid, replace(used, sheet=sheet), guard, notes)
    else:
        table, used = _read_text(content, used, guard, notes)
    if not table.rows:
        raise NoRowsError(f"{content.title} has no rows; add the data.")
    for name, column in table.columns.items():
        send((name, column))
    return table.names, table.rows, used, notes


def _read_text(
    content: Content, options: ReadOptions, guard: Guard, notes: list[str]
) -> tuple[Table, ReadOptions]:
    """A table of delimited text, or Weka's attributes."""
    from bjp_engine.io.text import check_lines, find_dialect, read_text

    if options.format in ("csv", "tsv") and ARFF.match(content.data[:_HEAD]):
        options = replace(options, format="arff")
    data, encoding = decode(content, options.encoding, notes)
    check_lines(data, content.title)
    options = replace(options, encoding=encoding)
    if options.format == "arff":
        from bjp_engine.io.declared import read_arff

        return read_arff(content.title, data, options, guard, notes)
    # What UCI and Libra call tables without names.
    if content.suffix == ".data" and options.header_rows == AUTO:
        options = replace(options, header_rows=0)
        notes.append(
            "Columns are named by place, since .data files have no line of names; if the first "
            "line has names, say so (header_rows=1)."
        )
    dialect = find_dialect(data, options, notes)
    grid = read_text(data, dialect, options, guard, notes)
    return _decide(content, grid, replace(options, delimiter=dialect.delimiter), guard, notes)


def _decide(
    content: Content, grid: Grid, options: ReadOptions, guard: Guard, notes: list[str]
) -> tuple[Table, ReadOptions]:
    """Name the columns of a grid of text, and decide what their cells are."""
    from bjp_engine.io.headings import name_columns
    from bjp_engine.io.values import read_values

    head = grid.head
    if not grid.rows:
        rows = "has a header but no rows" if head.names else "is empty"
        raise NoRowsError(f"{content.title} {rows}; add the data.")
    options = replace(options, skip_lines=head.skipped, header_rows=head.lines)
    return read_values(name_columns(grid, options, notes), grid, options, guard, notes)


def format_of(content: Content) -> Format:
    """The format by extension, or by the first bytes where there is no extension."""
    suffix = content.suffix
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    if suffix in _PICKLES:
        raise DataError(
            f"{content.title} could run code when it is opened; save the table as CSV or Parquet."
        )
    if suffix and suffix not in (".gz", ".gzip", ".zip"):
        raise DataError(
            f"{content.title} ends in {suffix}, which is not a known table format; use one of "
            f"{' '.join(SUFFIXES)}, plain or packed as .gz or .zip, or give its format (format=)."
        )
    if content.data.startswith(PARQUET):
        return "parquet"
    if content.data.startswith(PACKED):
        return "excel"
    return find_reader(content.data)[0] or "csv"
