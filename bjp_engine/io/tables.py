"""Reading tables: from a file to a frame and a report, and on to a Dataset.

source -> bytes -> format -> cells -> columns -> frame, with a sentence for each guess
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import pandas as pd

from bjp_engine.dataset import Dataset, Missing
from bjp_engine.errors import DataError
from bjp_engine.io.cells import MISSING_VALUES, CellNotes, to_series
from bjp_engine.io.delimited import find_encoding, guess_delimiter, records
from bjp_engine.io.grid import Grid, build_grid
from bjp_engine.io.headings import variables
from bjp_engine.io.libra import read_libra
from bjp_engine.io.options import Format, ReadArguments, ReadOptions
from bjp_engine.io.parquet import read_parquet
from bjp_engine.io.remarks import remarks
from bjp_engine.io.sources import Content, Source, read_source
from bjp_engine.io.workbook import read_workbook

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
    """
    frame, _ = read_frame(path_or_file, **options)
    return Dataset.from_frame(frame, missing=missing)


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
        frame = read_parquet(content, chosen, notes)
    elif kind == "excel":
        grid = read_workbook(content, sheet=chosen.sheet, header=chosen.header, notes=notes)
        frame = _to_frame(content, grid, chosen, notes)
    else:
        encoding = find_encoding(content, chosen.encoding, notes)
        delimiter = "," if kind == "libra" else chosen.delimiter
        if kind == "libra":
            frame = read_libra(content, encoding, chosen, notes)
        else:
            delimiter = delimiter or guess_delimiter(content, encoding, header=chosen.header)
            frame = _read_text(content, encoding, delimiter, chosen, notes)
    if not len(frame):
        raise DataError(f"{content.title} has no rows; add the data.")
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
    if content.data.startswith(b"PAR1"):
        return "parquet"
    return "excel" if content.data.startswith(b"PK\x03\x04") else "csv"
