"""A table packed by gzip or zip: its one file, unpacked in memory.

Names inside an archive tell the format and nothing else; nothing is written anywhere.
"""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import PurePosixPath
from typing import IO

from bjp_engine.errors import DataError, clip, listed, plural
from bjp_engine.io import child
from bjp_engine.io.limits import MEGABYTE, Guard, Limits
from bjp_engine.io.sources import Content

_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
# With what an archive that holds nothing begins with.
PACKED = (_GZIP, _ZIP, b"PK\x05\x06")
_WORKBOOKS = (".xlsx", ".xlsm")
_ENTRY = b"PK\x01\x02"
# A workbook has some dozen members; each costs the reader of an archive some memory.
MAX_MEMBERS = 10_000
_LITTER = re.compile(r"(^|/)(__MACOSX/|\._|\.DS_Store$|Thumbs\.db$)")


def unpack(content: Content, guard: Guard, notes: list[str]) -> Content:
    """The one file of an archive; what isn't one, or is a workbook, comes back as it is."""
    kind = "gzip" if content.data.startswith(_GZIP) else "zip"
    if not content.data.startswith(PACKED) or (kind == "zip" and content.suffix in _WORKBOOKS):
        return content
    try:
        inner = _gunzip(content, guard) if kind == "gzip" else _unzip(content, guard)
    except (DataError, MemoryError):
        raise
    except Exception:  # a damaged archive fails in any way
        raise DataError(
            f"{content.title} is a damaged {kind} archive, or has a password; pack the table again."
        ) from None
    if inner is None:
        return content
    if inner.data.startswith(PACKED) and inner.suffix not in _WORKBOOKS:
        raise DataError(
            f"{content.title} holds another archive; unpack both and give the table itself."
        )
    name = clip(inner.name) if inner.name else "The table"
    notes.append(f"{name} was unpacked{f' from {content.title}' if content.name else ''}.")
    return inner


def list_sheets(data: bytes) -> tuple[str, ...]:
    """The sheets of a workbook; none of any other file, or a damaged one, whose reader says why."""
    if data.startswith(_ZIP):
        with suppress(DataError):
            guard = Guard(Limits.from_environment())
            found: tuple[str, ...] = child.run(_send_sheets, data, guard=guard)
            return found
    return ()


def _send_sheets(send: child.Send, data: bytes) -> tuple[str, ...]:  # noqa: ARG001 - the result says it
    from defusedxml.ElementTree import fromstring

    try:
        check_members(Content(data))
        with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open("xl/workbook.xml") as file:
            book = fromstring(file.read(MEGABYTE), forbid_dtd=True)
        titles = (sheet.get("name") for sheet in book.iterfind(".//{*}sheet"))
        return tuple(filter(None, titles))
    except Exception:  # a damaged archive fails in any way
        return ()


def check_members(content: Content) -> None:
    """Refuse an archive with more entries than a reader should hold."""
    if content.data.count(_ENTRY) > MAX_MEMBERS:
        raise DataError(
            f"{content.title} is an archive of more than {MAX_MEMBERS:,} files; "
            "pack the one table alone."
        )


def _gunzip(content: Content, guard: Guard) -> Content:
    with gzip.GzipFile(fileobj=io.BytesIO(content.data)) as file:
        data = _read(file, guard)
    return Content(data, re.sub(r"\.(gz|gzip)$", "", content.name, flags=re.IGNORECASE))


def _unzip(content: Content, guard: Guard) -> Content | None:
    """The one file of a zip archive, or None where it is a workbook."""
    check_members(content)
    with zipfile.ZipFile(io.BytesIO(content.data)) as archive:
        if are_workbook(archive.namelist()):
            return None
        entries = [
            x for x in archive.infolist() if not x.is_dir() and not _LITTER.search(x.filename)
        ]
        if len(entries) != 1:
            names = [entry.filename for entry in entries]
            which = f" ({listed(names, 5)})" * bool(names)
            raise DataError(
                f"{content.title} holds {plural(len(names), 'file')}{which}; unpack it, and give "
                "the one table."
            )
        guard.check("file_mb", entries[0].file_size / MEGABYTE)
        with archive.open(entries[0]) as file:
            name = PurePosixPath(entries[0].filename.replace("\\", "/")).name
            return Content(_read(file, guard), name)


def are_workbook(names: Iterable[str]) -> bool:
    """Whether the files of an archive are those of an Excel workbook."""
    return any(name.replace("\\", "/").startswith("xl/") for name in names)


def _read(file: IO[bytes] | gzip.GzipFile, guard: Guard) -> bytes:
    """All that a file unpacks to, unless that is too much."""
    out = io.BytesIO()
    while piece := file.read(MEGABYTE):
        out.write(piece)
        guard.check("file_mb", out.tell() / MEGABYTE)
    return out.getvalue()
