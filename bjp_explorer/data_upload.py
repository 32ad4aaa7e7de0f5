"""An uploaded file: read, looked at, and told in two sentences. No widgets here."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from xml.parsers import expat

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bjp_engine.dataset import MISSING_LABEL, Missing, Name
from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.io import TableReport, read_frame
from bjp_engine.io.markup import refuse_doctype
from bjp_explorer import sources
from bjp_explorer.data_words import distinct, listed
from bjp_explorer.sources import Loaded
from bjp_explorer.text import count, plain

_BETWEEN = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
# In this order: a token says which by its place.
DELIMITERS = (",", ";", "\t", "|")
_KINDS = {"parquet": "a Parquet table", "excel": "an Excel sheet", "libra": "a Libra data file"}


@dataclass(frozen=True, eq=False)
class Upload:
    """A file as it came.

    Parameters
    ----------
    name : str
        As the browser sent it; any text.
    content : bytes
    """

    name: str
    content: bytes

    @cached_property
    def digest(self) -> str:
        """Twelve hexadecimal digits that tell one content from another."""
        return hashlib.sha256(self.content).hexdigest()[:12]

    @property
    def token(self) -> str:
        """The token of the dataset made of it in the usual way."""
        return f"file:{self.digest}"

    @property
    def suffix(self) -> str:
        """The extension in lower case, without its dot."""
        return self.name.rpartition(".")[2].lower()

    @cached_property
    def sheets(self) -> tuple[str, ...]:
        """The sheets of an Excel workbook; none for any other file."""
        return sheet_titles(self.content) if self.content.startswith(b"PK\x03\x04") else ()


class Way(NamedTuple):
    """How a file is read; by default everything is found out."""

    sheet: str | None = None
    header: bool = True
    delimiter: str | None = None


@dataclass(frozen=True, eq=False)
class Reading:
    """A file that could be read.

    Parameters
    ----------
    upload : Upload
    way : Way
    frame : pandas.DataFrame
        Every column, missing cells as such.
    report : TableReport
    unusable : dict of column to str
        Columns left out at first, each with the reason.
    absent : ndarray of bool, shape (rows, columns)
        Which cells are missing.
    """

    upload: Upload
    way: Way
    frame: pd.DataFrame
    report: TableReport
    unusable: dict[Name, str]
    absent: NDArray[np.bool_]

    @cached_property
    def labels(self) -> list[str]:
        """The columns' names as widgets show them."""
        return distinct(list(self.frame.columns))

    @property
    def usable(self) -> list[int]:
        """The columns used at first."""
        return [i for i, name in enumerate(self.frame.columns) if name not in self.unusable]

    def missing(self, columns: Sequence[int]) -> tuple[int, int]:
        """Missing cells in some columns, and the rows without any."""
        part = self.absent[:, list(columns)]
        return int(part.sum()), int((~part.any(axis=1)).sum())


class _Named(io.BytesIO):
    """Bytes with the name of the file they came from."""

    def __init__(self, content: bytes, name: str) -> None:
        super().__init__(content)
        self.name = name


def read(upload: Upload, way: Way) -> Reading:
    """Read a file.

    Parameters
    ----------
    upload : Upload
    way : Way

    Returns
    -------
    Reading

    Raises
    ------
    BJPError
        If it can't be read; the sentence says why.
    """
    frame, report = read_frame(
        _Named(upload.content, upload.name),
        sheet=way.sheet,
        header=way.header,
        delimiter=way.delimiter,
    )
    return Reading(
        upload, way, frame, report, sources.unusable(frame), frame.isna().to_numpy(dtype=np.bool_)
    )


def usual_missing(reading: Reading, columns: Sequence[int]) -> Missing:
    """What is done with missing cells at first.

    Parameters
    ----------
    reading : Reading
    columns : sequence of int

    Returns
    -------
    {"drop", "state"}
    """
    return sources.usual_missing(reading.frame.iloc[:, list(columns)])


def made(reading: Reading, columns: Sequence[int], missing: Missing) -> Loaded:
    """The dataset of some of a file's columns.

    Parameters
    ----------
    reading : Reading
    columns : sequence of int
        At least two.
    missing : {"drop", "state"}

    Returns
    -------
    Loaded

    Raises
    ------
    DataError
        If no dataset can be made of them.
    """
    if len(columns) < 2:
        raise DataError(too_few(reading, columns))
    left_out = len(reading.frame.columns) - len(columns)
    loaded = sources.prepared(
        token_of(reading, columns, missing),
        plain(reading.upload.name) or "Your file",
        what_it_is(reading),
        reading.frame.iloc[:, list(columns)],
        missing,
    )
    if not left_out:
        return loaded
    did = f"{count(left_out, 'column')} of {len(reading.frame.columns):,} left out."
    return sources.with_did(loaded, did)


def token_of(reading: Reading, columns: Sequence[int], missing: Missing) -> str:
    """The token of what is made of a file: its digest, and what isn't as usual.

    Parameters
    ----------
    reading : Reading
    columns : sequence of int
    missing : {"drop", "state"}

    Returns
    -------
    str
        `file:DIGEST`, then parts: `s2` the sheet, `h0` no header line, `d1` the delimiter,
        `c0.2` the columns, `drop` or `state`.

    Notes
    -----
    The same file used in the same way has the same token in every visit.
    """
    way, upload = reading.way, reading.upload
    parts = [upload.token]
    if way.sheet in upload.sheets[1:]:
        parts.append(f"s{upload.sheets.index(way.sheet)}")
    if not way.header:
        parts.append("h0")
    if way.delimiter is not None:
        parts.append(f"d{DELIMITERS.index(way.delimiter)}")
    if list(columns) != reading.usable:
        parts.append(f"c{'.'.join(map(str, columns))}")
    if reading.missing(columns)[0] and missing != usual_missing(reading, columns):
        parts.append(missing)
    return ":".join(parts)


def way_of(upload: Upload, token: str) -> Way:
    """How a token says that a file is read.

    Parameters
    ----------
    upload : Upload
    token : str
        As `token_of` makes them.

    Returns
    -------
    Way
    """
    parts = token.split(":")[2:]
    sheet = _place(parts, "s", len(upload.sheets))
    delimiter = _place(parts, "d", len(DELIMITERS))
    if sheet is None and upload.sheets:
        sheet = 0
    return Way(
        None if sheet is None else upload.sheets[sheet],
        "h0" not in parts,
        None if delimiter is None else DELIMITERS[delimiter],
    )


def used_of(reading: Reading, token: str) -> tuple[list[int], Missing]:
    """The columns and the choice about missing cells that a token names.

    Parameters
    ----------
    reading : Reading
    token : str

    Returns
    -------
    columns : list of int
    missing : {"drop", "state"}

    Raises
    ------
    OptionError
        If it names columns that the file doesn't have.
    """
    columns = reading.usable
    for part in token.split(":")[2:]:
        if part.startswith("c"):
            columns = _columns(part[1:], len(reading.frame.columns))
    cells, complete = reading.missing(columns)
    usual: Missing = usual_missing(reading, columns) if cells and len(columns) > 1 else "drop"
    told = {"drop", "state"} & set(token.split(":")[2:])
    if len(told) == 1 and complete:
        usual = "drop" if "drop" in told else "state"
    return columns, usual


def _columns(text: str, most: int) -> list[int]:
    """Positions with dots between, in ascending order."""
    parts = text.split(".")
    known = all(part.isascii() and part.isdecimal() and len(part) < 7 for part in parts)
    found = sorted({int(part) for part in parts}) if known else []
    if not found or found[-1] >= most:
        raise OptionError(
            f"{clip(text)} are no columns of this file; it has {most} columns, counted from 0."
        )
    return found


def _place(parts: Sequence[str], letter: str, most: int) -> int | None:
    """The number after a letter, where it is one of a list's places."""
    for part in parts:
        if part[:1] == letter and part[1:].isdecimal() and len(part) < 6 and int(part[1:]) < most:
            return int(part[1:])
    return None


def what_it_is(reading: Reading) -> str:
    """The first sentence: what kind of file it is, and its size.

    Parameters
    ----------
    reading : Reading

    Returns
    -------
    str
    """
    report = reading.report
    kind = _KINDS.get(report.format)
    if kind is None:
        between = _BETWEEN.get(report.delimiter or ",", f"“{plain(report.delimiter)}”")
        encoding = "UTF-8" if report.encoding == "utf-8-sig" else (report.encoding or "").upper()
        kind = f"a text table with {between} between its cells ({encoding})"
    name = plain(reading.upload.name) or "The file"
    size = f"{count(report.rows, 'row')} and {count(report.columns, 'column')}"
    return f"{name} is {kind}, with {size}."


def what_is_done(reading: Reading, columns: Sequence[int], missing: Missing) -> str:
    """The second sentence: which columns are used, and what becomes of missing cells.

    Parameters
    ----------
    reading : Reading
    columns : sequence of int
    missing : {"drop", "state"}

    Returns
    -------
    str
    """
    total, rows = len(reading.frame.columns), reading.report.rows
    used = "Both columns are used" if total == 2 else f"All {total:,} columns are used"
    if len(columns) < total:
        used = f"{len(columns):,} of its columns {'is' if len(columns) == 1 else 'are'} used"
        used += f", without {_left_out(reading, columns)}"
    cells, complete = reading.missing(columns)
    if not cells:
        return f"{used}; none of their cells is missing."
    what = count(cells, "missing cell")
    if missing == "drop":
        return f"{used}; {count(rows - complete, 'row')} with missing cells ({cells:,}) dropped."
    return f"{used}; {what} kept as a state of their own, “{MISSING_LABEL}”."


def too_few(reading: Reading, columns: Sequence[int]) -> str:
    """The sentence for a choice of fewer than two columns.

    Parameters
    ----------
    reading : Reading
    columns : sequence of int

    Returns
    -------
    str
    """
    none = "None of its columns is" if len(reading.frame.columns) > 1 else "Its one column is not"
    one = f"Only the column “{reading.labels[columns[0]]}” is" if columns else none
    why = _left_out(reading, columns)
    left = f" (left out: {why})" if why else ""
    return f"{one} in use{left}; a network needs at least two variables."


def sheet_titles(content: bytes) -> tuple[str, ...]:
    """The names of a workbook's sheets, without opening the sheets.

    Parameters
    ----------
    content : bytes

    Returns
    -------
    tuple of str
        Empty where it is no workbook; the reader then says so.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        with archive, archive.open("xl/workbook.xml") as file:
            text = file.read(1 << 20)
        refuse_doctype(text)
        return _sheets(text)
    except Exception:  # a damaged archive fails in any way, and the reader says why
        return ()


def _sheets(text: bytes) -> tuple[str, ...]:
    """The `name` of every `sheet` element."""
    found: list[str] = []

    def element(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(":")[2] == "sheet" and attributes.get("name"):
            found.append(attributes["name"])

    parser = expat.ParserCreate()
    parser.StartElementHandler = element
    parser.Parse(text, True)
    return tuple(found)


def _left_out(reading: Reading, columns: Sequence[int]) -> str:
    """The columns not used, gathered by reason."""
    chosen = set(columns)
    by_reason: dict[str, list[str]] = {}
    for i, name in enumerate(reading.frame.columns):
        if i not in chosen:
            reason = reading.unusable.get(name, "left out by you")
            by_reason.setdefault(reason, []).append(reading.labels[i])
    return " and ".join(f"{listed(names)} ({reason})" for reason, names in by_reason.items())
