"""Where a file comes from, and what it holds: bytes, an archive's one table, text as UTF-8.

Names inside an archive tell the format and nothing else; nothing is written anywhere.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, Literal

from bjp_engine.errors import Cancelled, DataError, OptionError, clip, listed, plural
from bjp_engine.io.limits import MEGABYTE, Guard, variable

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
# How Weka's files begin, below their comments.
ARFF = re.compile(rb"\s*(?:%[^\n]*\s+)*@relation\s", re.IGNORECASE)
_GZIP = b"\x1f\x8b"
# With what an archive that holds nothing begins with.
PACKED = (_GZIP, b"PK\x03\x04", b"PK\x05\x06")
_WORKBOOKS = (".xlsx", ".xlsm")
_ENTRY = b"PK\x01\x02"
# A workbook has some dozen members; each costs the reader of an archive some memory.
MAX_MEMBERS = 10_000
_LITTER = re.compile(r"(^|/)(__MACOSX/|\._|\.DS_Store$|Thumbs\.db$)")
# How files begin that hold no text of a table; some are read as another format.
_FOREIGN: tuple[tuple[bytes, str, str | None], ...] = (
    (rb"PK\x03\x04", "an Excel workbook or another zip archive", "excel"),
    (rb"PAR1", "a Parquet table", "parquet"),
    (rb"\xd0\xcf\x11\xe0", "an old .xls workbook", None),
    (rb"%PDF", "a PDF document", None),
    (rb"\x89PNG|GIF8|\xff\xd8\xff", "a picture", None),
    (rb"SQLite format 3", "an SQLite database", None),
    (rb"ARROW1", "an Arrow (Feather) table", None),
    (rb"BZh", "a bzip2 archive", None),
    (rb"(?i:\s*<(!doctype\s+html|html|head|body|table)\b)", "an HTML page", None),
    (rb"\s*<\?xml\b", "an XML document", None),
    (rb'\s*[\[{]\s*[\[{"]', "a JSON document", None),
)
# The longer mark first: that of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UTF8 = ("utf-8", "utf8", "utf-8-sig")
_END_OF_FILE, _BLOCK = b"\x1a", 128
_STEP, _LOOKED_AT = 1 << 20, 1 << 14
# Of UTF-8 so many letters beyond ASCII are right for each that is none.
_SELDOM = 20
# What Western text has beyond ASCII besides letters. Other scripts have runs of bytes beyond ASCII
# with no letter of ASCII beside them, or of East Asia such bytes before one that are neither.
_QUOTES = dict.fromkeys(map(ord, "“”„‘’…–—"), " ")
_SIGNS = "‚•‹›«»¿¡§°€£©®™±µ·ªº²³\xa0"
_FOREIGN_RUN = re.compile(
    r"(?<![A-Za-z\x80-\uffff])[\x80-\uffff]{2,}+(?![A-Za-z])"
    rf"|[^\x00-\x7fÀ-ÖØ-öø-ÿŠšŒœŽžŸ{_SIGNS}](?=[A-Za-z])"
)
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
        if not path.is_file():
            raise DataError(f"There is no file {title}; check the name and the folder.")
        with path.open("rb") as file:
            data = file.read(len(PARQUET))
            if data != PARQUET:
                # What is too large isn't read whole.
                data += file.read(min(limit, path.stat().st_size))
    except OSError as reason:
        why = reason.strerror or type(reason).__name__
        raise DataError(f"{title} can't be read ({why}); check the name and permissions.") from None
    return Content(data, path.name, path)


def _from_file(file: IO[bytes], limit: int) -> Content:
    name = getattr(file, "name", "")
    # An upload carries the name a browser sent, which may be a path of any system.
    name = re.split(r"[\\/]", name)[-1] if isinstance(name, str) else ""
    title = Content(b"", name).title
    try:
        data = file.getvalue() if hasattr(file, "getvalue") else file.read(limit + 1)
        data = data.encode() if isinstance(data, str) else memoryview(data).tobytes()
    except (AttributeError, OSError, ValueError, TypeError) as reason:
        raise DataError(
            f"{title} can't be read from an object of type {type(file).__name__} "
            f"({type(reason).__name__}); give a path, bytes or a file opened in binary mode."
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


# --- Archives -------------------------------------------------------------------------------------


def unpack(content: Content, guard: Guard, notes: list[str]) -> Content:
    """The one file of an archive; what isn't one, or is a workbook, comes back as it is."""
    inner = None
    if content.data.startswith(_GZIP):
        with readable(content.title, "a gzip archive"):
            name = re.sub(r"\.(gz|gzip)$", "", content.name, flags=re.IGNORECASE)
            inner = Content(_read(gzip.GzipFile(fileobj=io.BytesIO(content.data)), guard), name)
    elif content.data.startswith(PACKED) and content.suffix not in _WORKBOOKS:
        with readable(content.title, "a zip archive without a password"):
            inner = _unzip(content, guard)
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
    from defusedxml.ElementTree import fromstring

    if not data.startswith(PACKED[1]):
        return ()
    with suppress(Exception):  # a damaged file fails in any way
        check_members(Content(data))
        with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open("xl/workbook.xml") as file:
            book = fromstring(file.read(MEGABYTE), forbid_dtd=True)
        return tuple(filter(None, (sheet.get("name") for sheet in book.iterfind(".//{*}sheet"))))
    return ()


def check_members(content: Content) -> None:
    """Refuse an archive with more entries than a reader should hold."""
    if content.data.count(_ENTRY) > MAX_MEMBERS:
        raise DataError(
            f"{content.title} is an archive of more than {MAX_MEMBERS:,} files; "
            "pack the one table alone."
        )


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


# --- Text -----------------------------------------------------------------------------------------


def decode(content: Content, wanted: str | None, notes: list[str]) -> tuple[bytes, str]:
    """The text of a file as UTF-8, and its encoding: given, marked, UTF-8 or Western European."""
    _refuse_foreign(content)
    # DOS ends a text by this byte, and fills the rest of a block with it.
    if _END_OF_FILE in content.data[-_BLOCK:]:
        whole = content.data.rstrip(_END_OF_FILE + b"\r\n\0")
        if _END_OF_FILE in content.data[len(whole) :]:
            content = replace(content, data=whole + b"\n")
    data = content.data
    marked = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)
    encoding = wanted or marked or (_find_utf16(content, notes) if b"\0" in data else "utf-8")
    at, errors = _fault(data, encoding), "strict"
    if at is not None and encoding.lower() in _UTF8 and (note := _note_replaced(data, at)):
        notes.append(note)
        errors = "replace"
    elif at is not None:
        line = data.count(b"\n", 0, at) + 1
        western = encoding == "utf-8" != wanted
        if not western or not _is_western(data, at):
            kind = f"not {encoding.removesuffix('-sig').upper()}"
            raise DataError(
                f"{content.title} is {'neither UTF-8 nor Western European' if western else kind} "
                f"text (line {line}); save it as UTF-8, or give its encoding (encoding=)."
            )
        encoding = "cp1252"
        notes.append(
            "Encoding (detected): cp1252, since the file is not UTF-8; if letters look wrong, "
            "save it as UTF-8, or give its encoding (encoding=)."
        )
    elif encoding.lower() in _UTF8:
        return data.removeprefix(codecs.BOM_UTF8), encoding
    return data.decode(encoding, errors).removeprefix("\ufeff").encode("utf-8", "replace"), encoding


def _refuse_foreign(content: Content) -> None:
    """Say what the file is where its first bytes show it."""
    labelled = find_reader(content.data)[0]
    found: list[tuple[str, str | None]] = [(PROGRAMS[labelled], labelled)] if labelled else []
    start = content.data[:200].removeprefix(codecs.BOM_UTF8)
    found += [(kind, known) for begin, kind, known in _FOREIGN if re.match(begin, start)]
    for kind, known in found:
        how = f"give its format (format={known!r})" if known else "save the table as CSV"
        raise DataError(f"{content.title} is {kind}, not a text table; {how}.")


def _find_utf16(content: Content, notes: list[str]) -> str:
    """UTF-16 without a mark: every other byte of Western text is zero."""
    beginning = content.data[: _LOOKED_AT & ~1]
    half = len(beginning) // 2
    for encoding, first, text in (("utf-16-le", "low", 0), ("utf-16-be", "high", 1)):
        few, many = beginning[text::2].count(0), beginning[1 - text :: 2].count(0)
        if many * 2 > half and few * 20 <= half:
            notes.append(
                f"Encoding (detected): UTF-16 with {first} bytes first, without a byte order mark."
            )
            return encoding
    raise DataError(f"{content.title} holds binary data; save the table as CSV text.")


def _is_western(data: bytes, at: int) -> bool:
    """Whether text from a byte on that is no UTF-8 has accents among plain letters."""
    if _fault(data, "cp1252") is not None:
        return False
    text = data[max(at - 1, 0) : at + _STEP].decode("cp1252").translate(_QUOTES)
    runs, foreign = (
        sum(bool(run.strip(_SIGNS)) for run in found)
        for found in (re.findall(r"[^\x00-\x7f]+", text), _FOREIGN_RUN.findall(text))
    )
    return foreign * 2 <= runs


def _note_replaced(data: bytes, at: int) -> str:
    """The sentence on a few bytes that are no UTF-8, in which many other letters are written."""
    text = data.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    letters = len(text) - wrong - len(text.encode("ascii", "ignore"))
    if wrong * _SELDOM > letters:
        return ""
    line = data.count(b"\n", 0, at) + 1
    return (
        f"{plural(wrong, 'character')} (first in line {line}) can't be read as UTF-8, which the "
        "rest of the file is, and became \ufffd; correct the cells, or save the file as UTF-8."
    )


def _fault(data: bytes, encoding: str) -> int | None:
    """Where the first byte is that is no text in an encoding, read piece by piece."""
    if encoding == "utf-8" and data.isascii():
        return None
    done = 0
    try:
        with suppress(UnicodeError):  # an odd number of bytes is no fault of the codec
            b"a".decode(encoding)  # refuses codecs that aren't of text
        decoder = codecs.getincrementaldecoder(encoding)()
        for done in range(0, len(data) + 1, _STEP):
            decoder.decode(data[done : done + _STEP], done + _STEP > len(data))
    except UnicodeError as reason:
        return done + int(getattr(reason, "start", 0))
    except (LookupError, ValueError):  # a name with a zero byte is no name
        raise OptionError(
            f"encoding={clip(encoding)} is not known; use 'utf-8', 'utf-16' or 'latin-1'."
        ) from None
    return None
