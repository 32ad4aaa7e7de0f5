"""Reading tables: from a file to a frame and a report, and on to a Dataset.

source -> bytes -> format -> cells -> columns -> frame, with a sentence for each guess

A Parquet file on disk takes a shorter way, from its batches to codes. What reads one format is
imported where a file of that format is read: pandas, pyarrow and openpyxl take their time.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from bjp_engine.checks import check_missing
from bjp_engine.dataset import Dataset, Missing
from bjp_engine.errors import DataError
from bjp_engine.io.delimited import find_encoding, guess_delimiter, records
from bjp_engine.io.grid import Grid, build_grid
from bjp_engine.io.headings import variables
from bjp_engine.io.options import Format, ReadArguments, ReadOptions
from bjp_engine.io.sources import Content, Source, first_bytes, read_source

if TYPE_CHECKING:
    import pandas as pd

SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".txt": "csv",
    ".dat": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".data": "libra",
}
_PARQUET = b"PAR1"
_PICKLES = (".pickle", ".pkl", ".p", ".joblib", ".npy", ".npz")


@dataclass(frozen=True, slots=True)
class TableReport:
    """What was found out and done while a table was read.

    Parameters
    ----------
    format : {"csv", "tsv", "parquet", "excel", "libra"}
    delimiter, encoding : str or None
        Of a text table.
    rows, columns : int
        Of the frame.
    notes : tuple of str
        A sentence for each guess, each thing left out, and each column that will hardly
        serve as a discrete variable.
    """

    format: Format
    delimiter: str | None
    encoding: str | None
    rows: int
    columns: int
    notes: tuple[str, ...]


def read_table(
    path_or_file: Source, *, missing: Missing = "error", **options: Unpack[ReadArguments]
) -> Dataset:
    r"""Read a file of discrete variables.

    Parameters
    ----------
    path_or_file : str, path, bytes or binary file
        CSV, TSV, Parquet, Excel or Libra `.data`, told by extension.
    missing : {"error", "drop", "state"}
        What to do with missing cells, see `Dataset.from_frame`.
    **options
        The fields of `ReadOptions`.

    Returns
    -------
    Dataset

    Raises
    ------
    DataError
        If the file can't be read or used; the sentence names the column or line.
    OptionError
        If an option isn't known or out of range.

    Examples
    --------
    >>> data = read_table(b"smokes,cough\nyes,no\nno,no\n")
    >>> data.names, data.cardinalities
    (('smokes', 'cough'), (2, 1))

    Notes
    -----
    Files are held in memory and bounded in size, except a Parquet file given by its path: it
    is read in batches and may be as large as its codes fit into memory, at a byte a cell (two
    where a column has more than 256 states).
    """
    return read_dataset(path_or_file, missing=missing, **options)[0]


def read_dataset(
    source: Source, *, missing: Missing = "error", **options: Unpack[ReadArguments]
) -> tuple[Dataset, TableReport]:
    """Read a file of discrete variables, and say what was found out and done.

    Parameters
    ----------
    source : str, path, bytes or binary file
    missing : {"error", "drop", "state"}
        What to do with missing cells, see `Dataset.from_frame`.
    **options
        The fields of `ReadOptions`.

    Returns
    -------
    data : Dataset
    report : TableReport

    Raises
    ------
    DataError, OptionError
        As `read_table`.
    """
    chosen = ReadOptions.of(options)
    check_missing(missing)
    if isinstance(source, (str, os.PathLike)):
        found = _read_batches(Path(os.fsdecode(source)), missing, chosen)
        if found is not None:
            return found
    frame, report = read_frame(source, **options)
    return Dataset.from_frame(frame, missing=missing), report


def _read_batches(
    path: Path, missing: Missing, options: ReadOptions
) -> tuple[Dataset, TableReport] | None:
    """The dataset of a Parquet file on disk, or None where it must be read another way."""
    head = first_bytes(path, len(_PARQUET))
    if head is None or head.data != _PARQUET or (options.format or _format_of(head)) != "parquet":
        return None
    from bjp_engine.io.batches import read_columns
    from bjp_engine.io.coding import empty_rows, to_dataset
    from bjp_engine.io.remarks import Glance, remarks_on

    notes: list[str] = []
    columns = read_columns(path, options, notes)
    if columns is None:
        return None
    rows = len(columns[0].codes)
    glances = [Glance(c.name, c.values.dtype, rows - c.holes, c.values.nunique()) for c in columns]
    notes.extend(remarks_on(glances, rows, empty_rows(columns)))
    report = TableReport("parquet", None, None, rows, len(columns), notes=tuple(notes))
    return to_dataset(columns, missing), report


def read_frame(
    source: Source, **options: Unpack[ReadArguments]
) -> tuple[pd.DataFrame, TableReport]:
    """Read a file as a frame, before anything is decided about missing cells.

    Parameters
    ----------
    source : str, path, bytes or binary file
    **options
        The fields of `ReadOptions`.

    Returns
    -------
    frame : pandas.DataFrame
        N rows; whole numbers, floats, text or categories; missing cells as such.
    report : TableReport

    Raises
    ------
    DataError, OptionError
        As `read_table`.
    """
    chosen = ReadOptions.of(options)
    content = read_source(source)
    kind = chosen.format or _format_of(content)
    if not content.data.strip():
        raise DataError(f"{content.title} is empty; give a table with names and rows.")
    notes: list[str] = []
    delimiter = encoding = None
    if kind == "parquet":
        from bjp_engine.io.parquet import read_parquet

        frame = read_parquet(content, chosen, notes)
    elif kind == "excel":
        from bjp_engine.io.workbook import read_workbook

        grid = read_workbook(content, sheet=chosen.sheet, header=chosen.header, notes=notes)
        frame = _to_frame(content, grid, chosen, notes)
    else:
        encoding = find_encoding(content, chosen.encoding, notes)
        delimiter = "," if kind == "libra" else chosen.delimiter
        if kind == "libra":
            from bjp_engine.io.libra import read_libra

            frame = read_libra(content, encoding, chosen, notes)
        else:
            delimiter = delimiter or guess_delimiter(content, encoding, header=chosen.header)
            frame = _read_text(content, encoding, delimiter, chosen, notes)
    if not len(frame):
        raise DataError(f"{content.title} has no rows; add the data.")
    from bjp_engine.io.remarks import remarks

    notes.extend(remarks(frame))
    return frame, TableReport(kind, delimiter, encoding, *frame.shape, notes=tuple(notes))


def _read_text(
    content: Content, encoding: str, delimiter: str, options: ReadOptions, notes: list[str]
) -> pd.DataFrame:
    """A table of delimited text."""
    lines = records(content, encoding, delimiter)
    return _to_frame(
        content, build_grid(lines, header=options.header, where="Line"), options, notes
    )


def _to_frame(content: Content, grid: Grid, options: ReadOptions, notes: list[str]) -> pd.DataFrame:
    """Type the columns of a grid of text."""
    import pandas as pd

    from bjp_engine.io.cells import MISSING_VALUES, CellNotes, to_series

    if not grid.rows:
        rows = "has a header but no rows" if grid.header else "is empty"
        raise DataError(f"{content.title} {rows}; add the data.")
    if grid.blank_lines:
        notes.append(f"Blank lines between rows were left out: {grid.blank_lines}.")
    columns = variables(grid, options, notes)
    given = options.missing_values
    missing = MISSING_VALUES if given is None else frozenset(text.strip() for text in given)
    done = CellNotes()
    series = [to_series(name, texts, missing, done) for name, texts in columns]
    notes.extend(done.sentences())
    frame = pd.DataFrame(dict(enumerate(series)))
    frame.columns = pd.Index([name for name, _ in columns], dtype=object)
    return frame


def _format_of(content: Content) -> Format:
    """The format by extension, or by the first bytes where there is no extension."""
    suffix = content.suffix
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    if suffix in _PICKLES:
        raise DataError(
            f"{content.title} could run code when it is opened; save the table as CSV or Parquet."
        )
    if suffix:
        raise DataError(
            f"{content.title} ends in {suffix}, which is no table known here; "
            "use .csv, .tsv, .txt, .parquet, .xlsx or Libra's .data, or give its format."
        )
    if content.data.startswith(_PARQUET):
        return "parquet"
    return "excel" if content.data.startswith(b"PK\x03\x04") else "csv"
