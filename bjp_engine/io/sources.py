"""Where bytes come from: a path, an upload, or bytes themselves."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from bjp_engine.errors import Cancelled, DataError, clip
from bjp_engine.io.limits import MEGABYTE, variable

Source = str | os.PathLike[str] | bytes | IO[bytes]

Labelled = Literal["spss", "stata", "sas"]
# What a sentence calls a file of each.
PROGRAMS: dict[Labelled, str] = {
    "spss": "an SPSS file",
    "stata": "a Stata file",
    "sas": "a SAS file",
}

# Old Stata files begin with their version, the order of their bytes, and 1.
_OLD_STATA = tuple(
    bytes([version, order, 1]) for version in (104, 105, 108, *range(110, 116)) for order in (1, 2)
)
_SAS = bytes(12) + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00"
_READERS: tuple[tuple[tuple[bytes, ...], Labelled, str], ...] = (
    ((b"$FL2@(#)", b"$FL3@(#)"), "spss", "read_sav"),
    ((b"<stata_dta>", *_OLD_STATA), "stata", "read_dta"),
    ((_SAS,), "sas", "read_sas7bdat"),
    ((b"HEADER RECORD*******LIB",), "sas", "read_xport"),
)
# A portable file says what it is in several alphabets.
_PORTABLE, _WITHIN = b"SPSS PORT FILE", 500
# What is read where no limit is given, and with what Parquet files begin.
_LIMIT, PARQUET = 512 * MEGABYTE, b"PAR1"
_SPLIT = (
    f" (the limit {variable('file_mb')}); save it as Parquet, or cut it into several files for "
    "bjp_engine.read_sharded"
)


@dataclass(frozen=True)
class Content:
    """The bytes of one file and what is known of where they came from."""

    data: bytes  # of a Parquet file on disk only the first, since it is read in batches
    name: str = ""  # without folders; empty where there is none
    path: Path | None = None  # on disk

    @property
    def suffix(self) -> str:
        """The extension in lower case, with its dot."""
        return Path(self.name).suffix.lower()

    @property
    def title(self) -> str:
        """How a sentence calls the file."""
        return clip(self.name) if self.name else "The file"


def read_source(source: Source, *, limit: int = _LIMIT, remedy: str = _SPLIT) -> Content:
    """Read everything a source holds; the sentences name the file and not its folders."""
    if isinstance(source, bytes):
        content = Content(source)
    elif isinstance(source, (str, os.PathLike)):
        content = _from_path(Path(os.fsdecode(source)), limit)
    else:
        content = _from_file(source, limit)
    if len(content.data) > limit:
        raise DataError(f"{content.title} is larger than {limit // MEGABYTE} MB{remedy}.")
    return content


def _from_path(path: Path, limit: int) -> Content:
    title = clip(path.name or path)
    try:
        if path.is_dir():
            raise DataError(f"{title} is a folder; name a file in it.")
        if not path.exists():
            raise DataError(f"There is no file {title}; check the name and the folder.")
        if not path.is_file():
            raise DataError(f"{title} is not a regular file; give a file on disk.")
        with path.open("rb") as file:
            data = file.read(len(PARQUET))
            if data != PARQUET:
                # What is too large isn't read whole.
                data += file.read(min(limit, path.stat().st_size))
    except OSError as reason:
        why = reason.strerror or type(reason).__name__
        raise DataError(f"{title} can't be read ({why}); check the name and permissions.") from None
    except ValueError as reason:
        if isinstance(reason, DataError):
            raise
        raise DataError(f"{title} is not a file name; check it for odd characters.") from None
    return Content(data, path.name, path)


def _from_file(file: IO[bytes], limit: int) -> Content:
    name = getattr(file, "name", "")
    # An upload carries the name a browser sent, which may be a path of any system.
    name = re.split(r"[\\/]", name)[-1] if isinstance(name, str) else ""
    title = Content(b"", name).title
    whole, read = getattr(file, "getvalue", None), getattr(file, "read", None)
    if not callable(whole) and not callable(read):
        raise DataError(
            f"An object of type {type(file).__name__} is not a file; give a path, bytes or a file "
            "opened in binary mode."
        )
    if getattr(file, "closed", False) is True:
        raise DataError(f"{title} is closed; open it again.")
    try:
        data = whole() if callable(whole) else read(limit + 1)  # type: ignore[misc]
        data = data.encode() if isinstance(data, str) else memoryview(data).tobytes()
    except (OSError, ValueError, TypeError) as reason:
        raise DataError(
            f"{title} can't be read ({type(reason).__name__}); open it in binary mode."
        ) from None
    return Content(data, name)


def find_reader(data: bytes) -> tuple[Labelled | None, str]:
    """The format of a file, and the function of pyreadstat that reads it; None and "" of others."""
    for heads, kind, reader in _READERS:
        if data.startswith(heads):
            return kind, reader
    return ("spss", "read_por") if _PORTABLE in data[:_WITHIN] else (None, "")


@contextmanager
def readable(title: str, kind: str) -> Iterator[None]:
    """Whatever a damaged file raises in its library, as one sentence."""
    try:
        yield
    except (DataError, Cancelled, MemoryError):
        raise
    except Exception as reason:  # a damaged file fails in any way
        if "allocate" in str(reason):
            raise MemoryError from None
        raise unreadable(title, kind, type(reason).__name__) from None


def unreadable(title: str, kind: str, why: str) -> DataError:
    """The sentence for a file that can't be read as what it is called."""
    encoding = " give its encoding (encoding=)," * (kind in PROGRAMS.values())
    return DataError(
        f"{title} can't be read as {kind} ({why}); save it again,{encoding} or export it as CSV."
    )
