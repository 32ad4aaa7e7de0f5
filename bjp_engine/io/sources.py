"""Where bytes come from: a path, an upload, or bytes themselves."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from bjp_engine.errors import BJPError, DataError, clip
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
# What is read where no limit is given.
_LIMIT = 512 * MEGABYTE


@dataclass(frozen=True)
class Content:
    """The bytes of one file and what is known of where they came from."""

    data: bytes
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


def read_source(
    source: Source, *, limit: int = _LIMIT, error: type[BJPError] = DataError
) -> Content:
    """Read everything a source holds."""
    if isinstance(source, bytes):
        content = Content(source)
    elif isinstance(source, (str, os.PathLike)):
        path = Path(os.fsdecode(source))
        if check_file(path, error) > limit:
            raise error(_too_large(clip(path.name or path), limit, error))
        with _readable(path, error):
            content = Content(path.read_bytes(), path.name, path)
    else:
        content = _from_file(source, limit, error)
    if len(content.data) > limit:
        raise error(_too_large(content.title, limit, error))
    return content


def first_bytes(path: Path, size: int) -> Content | None:
    """The beginning of a regular file, by which to tell what it is."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            return Content(file.read(size), path.name, path)
    except (OSError, ValueError):
        return None


def check_file(path: Path, error: type[BJPError] = DataError) -> int:
    """The size of a regular file; the sentences name the file and not its folders."""
    title = clip(path.name or path)
    with _readable(path, error):
        if path.is_dir():
            raise error(f"{title} is a folder; name a file in it.")
        if not path.exists():
            raise error(f"There is no file {title}; check the name and the folder.")
        if not path.is_file():
            raise error(f"{title} is not a regular file; give a file on disk.")
        return path.stat().st_size


@contextmanager
def _readable(path: Path, error: type[BJPError]) -> Iterator[None]:
    title = clip(path.name or path)
    try:
        yield
    except OSError as reason:
        why = reason.strerror or type(reason).__name__
        raise error(f"{title} can't be read ({why}); check the name and permissions.") from None
    except ValueError as reason:
        if isinstance(reason, BJPError):
            raise
        raise error(f"{title} is not a file name; check it for odd characters.") from None


def _from_file(file: IO[bytes], limit: int, error: type[BJPError]) -> Content:
    name = getattr(file, "name", "")
    # An upload carries the name a browser sent, which may be a path of any system.
    name = re.split(r"[\\/]", name)[-1] if isinstance(name, str) else ""
    whole = getattr(file, "getvalue", None)
    read = getattr(file, "read", None)
    if not callable(whole) and not callable(read):
        raise error(
            f"An object of type {type(file).__name__} is not a file; give a path, bytes or a file "
            "opened in binary mode."
        )
    if getattr(file, "closed", False) is True:
        raise error(f"{Content(b'', name).title} is closed; open it again.")
    try:
        data = whole() if callable(whole) else read(limit + 1)  # type: ignore[misc]
        data = data.encode() if isinstance(data, str) else memoryview(data).tobytes()
    except (OSError, ValueError, TypeError) as reason:
        raise error(
            f"{Content(b'', name).title} can't be read ({type(reason).__name__}); "
            "open it in binary mode."
        ) from None
    return Content(data, name)


def _too_large(title: str, limit: int, error: type[BJPError]) -> str:
    size = f"{title} is larger than {limit // MEGABYTE} MB"
    if error is not DataError:
        return f"{size}; leave nodes out."
    return (
        f"{size} (the limit {variable('file_mb')}); save it as Parquet, or cut it into several "
        "files for bjp_engine.read_sharded."
    )


def find_reader(data: bytes) -> tuple[Labelled | None, str]:
    """The format of a file, and the function of pyreadstat that reads it; None and "" of others."""
    for heads, kind, reader in _READERS:
        if data.startswith(heads):
            return kind, reader
    return ("spss", "read_por") if _PORTABLE in data[:_WITHIN] else (None, "")
