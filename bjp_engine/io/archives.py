"""A table packed by gzip or zip: one file of it, unpacked in memory within the limits.

Names inside an archive tell the format and nothing else; nothing is written anywhere.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from dataclasses import replace
from pathlib import PurePosixPath

from bjp_engine.errors import DataError, clip
from bjp_engine.io.limits import MEGABYTE, Guard
from bjp_engine.io.sources import Content

GZIP, ZIP, EMPTY_ZIP = b"\x1f\x8b", b"PK\x03\x04", b"PK\x05\x06"
_WORKBOOKS = (".xlsx", ".xlsm")
_ENTRY = b"PK\x01\x02"
# A workbook has some dozen members; each costs the reader of an archive some memory.
MAX_MEMBERS = 10_000
_STEP = 1 << 16
_LITTER = re.compile(r"(^|/)(__MACOSX/|\._|\.DS_Store$|Thumbs\.db$)")
_OTHER = (
    (b"7z\xbc\xaf\x27\x1c", 0, "a 7z archive"),
    (b"\xfd7zXZ\x00", 0, "an xz archive"),
    (b"BZh", 0, "a bzip2 archive"),
    (b"Rar!", 0, "a rar archive"),
    (b"\x28\xb5\x2f\xfd", 0, "a zstd archive"),
    (b"ustar", 257, "a tar archive"),
)


def opened(content: Content, guard: Guard, member: str | None, notes: list[str]) -> Content:
    """The one file of an archive; what isn't one comes back as it is."""
    _refuse_other(content, "gzip or zip")
    if content.data.startswith(GZIP):
        inner = _gunzip(content, guard)
    elif content.data.startswith((ZIP, EMPTY_ZIP)) and content.suffix not in _WORKBOOKS:
        found = _unzip(content, guard, member)
        if found is None:
            return content
        inner = found
    else:
        return content
    name = clip(inner.name) if inner.name else "The table"
    archive = f" from {content.title}" if content.name else ""
    notes.append(f"{name} was unpacked{archive}.")
    _refuse_other(inner, None)
    packed = inner.data.startswith((GZIP, EMPTY_ZIP))
    if packed or (inner.data.startswith(ZIP) and not is_workbook(inner.data)):
        raise _nested(content)
    return inner


def is_workbook(data: bytes) -> bool:
    """Whether a zip archive is an Excel workbook, as far as its beginning and end tell."""
    # The directory of members is at the end, their own headers begin the file.
    return any(b"xl/" in part for part in (data[-MEGABYTE:], data[:4096]))


def members(data: bytes) -> tuple[str, ...]:
    """The files of a zip archive that may be its table."""
    if not data.startswith(ZIP) or is_workbook(data):
        return ()
    try:
        check_members(Content(data))
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [entry.filename for entry in _files(archive)]
    except Exception:  # a damaged archive fails in any way, and its reader says why
        return ()
    return tuple(name for name in names if not name.lower().endswith(".schema"))


def _files(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The files that a person put into an archive."""
    entries = archive.infolist()
    return [one for one in entries if not one.is_dir() and not _LITTER.search(one.filename)]


def _refuse_other(content: Content, known: str | None) -> None:
    """Say which archive it is that can't be read."""
    for magic, at, kind in _OTHER:
        if content.data[at : at + len(magic)] == magic:
            if known is None:
                raise DataError(
                    f"{content.title} is {kind} within an archive; unpack it and give the table."
                )
            raise DataError(
                f"{content.title} is {kind}; unpack it, or pack the one table by {known}."
            )


def _nested(content: Content) -> DataError:
    """The sentence for an archive in an archive."""
    return DataError(
        f"{content.title} holds another archive; unpack both and give the table itself."
    )


def _gunzip(content: Content, guard: Guard) -> Content:
    """All members of a gzip file, one after another."""
    view, at, out = memoryview(content.data), 0, io.BytesIO()
    try:
        while at < len(view):
            if out.tell() and not any(view[at : at + 512]):
                break  # padding, as tapes have it
            at = _member(view, at, out, guard)
    except zlib.error:
        raise _damaged(content, "gzip") from None
    if at > len(view):
        raise _damaged(content, "gzip")
    name = re.sub(r"\.(gz|gzip)$", "", content.name, flags=re.IGNORECASE)
    name = re.sub(r"\.tgz$", ".tar", name, flags=re.IGNORECASE)
    return Content(out.getvalue(), name)


def _member(view: memoryview, at: int, out: io.BytesIO, guard: Guard) -> int:
    """Unpack one member that begins somewhere, and return where it ends."""
    packer = zlib.decompressobj(wbits=31)
    while not packer.eof:
        guard.tick()
        piece = packer.unconsumed_tail
        if not piece:
            piece = view[at : at + _STEP].tobytes()
            at += len(piece)
        unpacked = packer.decompress(piece, MEGABYTE)
        if not piece and not unpacked:
            return len(view) + 1
        out.write(unpacked)
        guard.check_unpacked(out.tell(), len(view))
    return at - len(packer.unused_data)


def check_members(content: Content) -> None:
    """Refuse an archive with more entries than a reader should hold."""
    if content.data.count(_ENTRY) > MAX_MEMBERS:
        raise DataError(
            f"{content.title} is an archive of more than {MAX_MEMBERS:,} files; "
            "pack the one table alone."
        )


def _unzip(content: Content, guard: Guard, member: str | None) -> Content | None:
    """The one file of a zip archive, or None where it is a workbook or no archive."""
    check_members(content)
    try:
        with zipfile.ZipFile(io.BytesIO(content.data)) as archive:
            files = _files(archive)
            if any(entry.filename.startswith("xl/") for entry in files):
                return None
            table, schema = _choose(content, files, member)
            data = _extract(content, archive, table, guard)
            beside = None if schema is None else _extract(content, archive, schema, guard)
    except DataError:
        raise
    except Exception:  # a damaged archive fails in any way
        if content.suffix not in ("", ".zip"):
            return None
        raise _damaged(content, "zip") from None
    return replace(Content(data, _base(table)), schema=beside)


def _base(entry: zipfile.ZipInfo) -> str:
    """The last part of a name, whatever system wrote it."""
    return PurePosixPath(entry.filename.replace("\\", "/")).name


def _choose(
    content: Content, files: list[zipfile.ZipInfo], member: str | None
) -> tuple[zipfile.ZipInfo, zipfile.ZipInfo | None]:
    """The table, and the schema of a Libra file beside it."""
    schemas = [entry for entry in files if entry.filename.lower().endswith(".schema")]
    tables = [entry for entry in files if entry not in schemas]
    if member is not None:
        tables = [entry for entry in tables if member in (entry.filename, _base(entry))]
        if not tables:
            known = ", ".join(clip(_base(entry), 30) for entry in files[:5])
            raise DataError(
                f"{content.title} holds no file {clip(member)}; it has {known or 'no file'}."
            )
    if not tables:
        raise DataError(f"{content.title} is an archive without a file; pack the one table.")
    if len(tables) > 1:
        known = ", ".join(clip(_base(entry), 30) for entry in tables[:5])
        more = ", …" if len(tables) > 5 else ""
        raise DataError(
            f"{content.title} holds {len(tables)} files ({known}{more}); "
            "pack one table alone, or name the file (member=)."
        )
    libra = _base(tables[0]).lower().endswith(".data")
    return tables[0], schemas[0] if libra and len(schemas) == 1 else None


def _extract(
    content: Content, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, guard: Guard
) -> bytes:
    """One member, unpacked piece by piece."""
    if entry.flag_bits & 1:
        raise DataError(f"{content.title} has a password; unpack it and give the table.")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise DataError(
            f"{content.title} is packed by a method other than deflate; pack it again as usual zip."
        )
    guard.check_unpacked(entry.file_size, len(content.data))
    out = io.BytesIO()
    with archive.open(entry) as file:
        while piece := file.read(_STEP):
            guard.tick()
            out.write(piece)
            guard.check_unpacked(out.tell(), len(content.data))
    return out.getvalue()


def _damaged(content: Content, kind: str) -> DataError:
    """The sentence for what can't be unpacked."""
    return DataError(f"{content.title} is a damaged {kind} archive; pack the table again.")
