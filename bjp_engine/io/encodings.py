"""In which encoding a text table is written, and what else a file may be than text."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from functools import partial
from io import BytesIO

from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.io.sources import Content

# The longer mark first: that of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_FOREIGN = (
    (b"PK\x03\x04", "an Excel workbook or another zip archive", "excel"),
    (b"PAR1", "a Parquet table", "parquet"),
    (b"\xd0\xcf\x11\xe0", "an old .xls workbook", None),
    (b"\x1f\x8b", "a gzip archive", None),
    (b"%PDF", "a PDF document", None),
    (b"{\\rtf", "an RTF document", None),
    (b"\x89PNG", "a picture", None),
    (b"GIF8", "a picture", None),
    (b"\xff\xd8\xff", "a picture", None),
    (b"SQLite format 3", "an SQLite database", None),
    (b"\x89HDF", "an HDF5 file", None),
    (b"ARROW1", "an Arrow (Feather) table", None),
    (b"$FL2", "an SPSS file", None),
    (b"RDX", "an R workspace", None),
    (b"\x7fELF", "a program", None),
    (b"MZ\x90", "a program", None),
)
_MARKUP = (
    (re.compile(rb"<(!doctype\s+html|html)\b", re.IGNORECASE), "an HTML page"),
    (re.compile(rb"<\?xml\b"), "an XML document"),
    (re.compile(rb'[\[{]\s*[\[{"]'), "a JSON document"),
    (re.compile(rb"@relation\s", re.IGNORECASE), "an ARFF file"),
)
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"))
# Codecs that write names of hosts and strings of programs.
_NO_TABLES = ("idna", "punycode", "undefined", "raw-unicode-escape", "unicode-escape")
_STEP = 1 << 20
_LOOKED_AT = 1 << 14


def find_encoding(content: Content, wanted: str | None, notes: list[str]) -> str:
    """The encoding of a text file: its mark, else UTF-8, else Western European."""
    _refuse_foreign(content)
    if wanted is not None:
        utf8 = wanted.lower().replace("_", "-") in ("utf-8", "utf8")
        marked = content.data.startswith(codecs.BOM_UTF8)
        plain = "utf-8-sig" if marked else "utf-8"
        return _checked(content, plain if utf8 else wanted)
    for mark, encoding in _MARKS:
        if content.data.startswith(mark):
            return _checked(content, encoding)
    if b"\0" in content.data:
        return _without_mark(content, notes)
    if _fault(content.data, "utf-8") is None:
        return "utf-8"
    beginning = content.data[:_LOOKED_AT]
    if len(beginning) - len(beginning.translate(None, _CONTROL)) > len(beginning) // 20:
        raise _binary(content)
    # What calls itself Latin-1 is nearly always its Windows superset.
    encoding = "cp1252" if _fault(content.data, "cp1252") is None else "latin-1"
    notes.append(f"The file is not UTF-8; it was read as {encoding}: check accented letters.")
    return encoding


def _without_mark(content: Content, notes: list[str]) -> str:
    """UTF-16 without a mark: every other byte of Western text is zero."""
    beginning = content.data[: _LOOKED_AT & ~1]
    zeros = [beginning[start::2].count(0) for start in (0, 1)]
    half = len(beginning) // 2
    for encoding, few, many, first in (
        ("utf-16-le", zeros[0], zeros[1], "low"),
        ("utf-16-be", zeros[1], zeros[0], "high"),
    ):
        fits = many * 2 > half and few * 20 <= half
        if fits and _fault(content.data, encoding) is None:
            notes.append(
                f"The file has no byte order mark; it was read as UTF-16, {first} bytes first."
            )
            return encoding
    raise _binary(content)


def _binary(content: Content) -> DataError:
    """The sentence for what is no text."""
    return DataError(f"{content.title} holds binary data; save the table as CSV text.")


def _refuse_foreign(content: Content) -> None:
    """Say what the file is where its first bytes tell."""
    for magic, kind, known in _FOREIGN:
        if content.data.startswith(magic):
            how = f"give its format (format={known!r})" if known else "save the table as CSV"
            raise DataError(f"{content.title} is {kind}, not a text table; {how}.")
    start = content.data[:200].removeprefix(codecs.BOM_UTF8).lstrip()
    for pattern, kind in _MARKUP:
        if pattern.match(start):
            raise DataError(f"{content.title} is {kind}, not a table; save the table as CSV.")


def _checked(content: Content, encoding: str) -> str:
    """The encoding, once the whole file is known to be in it."""
    try:
        at = _fault(content.data, encoding)
    except (LookupError, ValueError):  # a name with a zero byte is no name
        raise OptionError(
            f"encoding={clip(encoding)} is not known; use 'utf-8', 'utf-16' or 'latin-1'."
        ) from None
    if at is not None:
        line = content.data.count(b"\n", 0, at) + 1
        raise DataError(
            f"{content.title} is not {encoding.removesuffix('-sig').upper()} text (line {line}); "
            "save it as UTF-8, or give its encoding."
        )
    return encoding


def _fault(data: bytes, encoding: str) -> int | None:
    """Where the first byte is that is no text in an encoding, read piece by piece."""
    if codecs.lookup(encoding).name in _NO_TABLES:
        raise LookupError(encoding)
    decoder = codecs.getincrementaldecoder(encoding)()
    file, done = BytesIO(data), 0
    with suppress(UnicodeError):  # an odd number of bytes is no fault of the codec
        b"a".decode(encoding)  # refuses codecs that aren't of text
    try:
        for piece in iter(partial(file.read, _STEP), b""):
            decoder.decode(piece)
            done += len(piece)
        decoder.decode(b"", final=True)
    except UnicodeError as reason:
        return done + int(getattr(reason, "start", 0))
    return None
