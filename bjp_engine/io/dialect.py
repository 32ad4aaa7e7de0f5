"""How a text table is written: encoding, delimiter, titles and comments above it.

All of it is detected where it isn't given, with a note for each guess that might be wrong. Other
delimiters than these, and other quotation marks than ", have to be given.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

from bjp_engine.errors import DataError, OptionError, clip, plural
from bjp_engine.io.options import AUTO, ReadOptions
from bjp_engine.io.sources import PROGRAMS, Content, find_reader
from bjp_engine.io.text import WHITESPACE, Dialect, cut_cells, read_lines

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
    (b"%PDF", "a PDF document", None),
    (b"\x89PNG", "a picture", None),
    (b"GIF8", "a picture", None),
    (b"\xff\xd8\xff", "a picture", None),
    (b"SQLite format 3", "an SQLite database", None),
    (b"ARROW1", "an Arrow (Feather) table", None),
    (b"BZh", "a bzip2 archive", None),
)
_MARKUP = (
    (re.compile(rb"<(!doctype\s+html|html|head|body|table)\b", re.IGNORECASE), "an HTML page"),
    (re.compile(rb"<\?xml\b"), "an XML document"),
    (re.compile(rb'[\[{]\s*[\[{"]'), "a JSON document"),
)
# Encodings, the letters that each has mostly where it is the right one, how large a share they
# are at least, and between which first bytes the common ones lie.
_KANA, _HAN = "[\u3040-\u30ff]", "[\u3000-\u30ff\u4e00-\u9fff\uff01-\uff5e]"
_SCRIPTS = (
    ("euc_jp", re.compile(_KANA), 0.3, 0xA1, 0xCF),
    ("cp932", re.compile(_KANA), 0.3, 0x81, 0x9F),
    ("cp949", re.compile("[\uac00-\ud7a3]"), 0.9, 0xB0, 0xC8),
    ("gb2312", re.compile(_HAN), 0.8, 0xA1, 0xD7),
    ("big5", re.compile(_HAN), 0.8, 0xA1, 0xC6),
    ("cp932", re.compile(_HAN), 0.8, 0x81, 0x9F),
)
# Encodings of one byte a letter, and the most frequent letters of their languages.
_RUSSIAN, _GREEK = "оеаинтсрвлкм", "αοιετνσηυρπκςάίόέή"
_ALPHABETS = (
    ("cp1251", _RUSSIAN),
    ("koi8-r", _RUSSIAN),
    ("cp1253", _GREEK),
    ("iso8859-7", _GREEK),
)
_UTF8 = ("utf-8", "utf8", "utf-8-sig")
_END_OF_FILE, _BLOCK = b"\x1a", 128
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"))
# Codecs that write names of hosts and strings of programs.
_NO_TABLES = ("idna", "punycode", "undefined", "raw-unicode-escape", "unicode-escape")
_STEP = 1 << 20
_LOOKED_AT = 1 << 14

# What nobody uses inside cells by the way; the first of equals wins.
_DELIMITERS = (",", "\t", ";", "|")
_SAMPLE = 100
# Rows of which half repeat where texts are states.
_MANY = 8
# How many letters of a text are among the most frequent of its language: some 0.7.
_FREQUENT = 0.5
# Of UTF-8 so many letters beyond ASCII are right for each that is none.
_SELDOM = 20
# No table has more lines of titles above its names.
MOST_ABOVE = 10
_COMMENTS = "#%"
# Excel reads the delimiter from such a line above the table.
_SEPARATOR = re.compile(r'"?sep=([^"\r\n])"?\s*', re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?[0-9.,]+(?:[eE][-+]?[0-9]+)?")


def decode(content: Content, wanted: str | None, notes: list[str]) -> tuple[bytes, str]:
    """The text of a file as UTF-8, and its encoding."""
    # DOS ends a text by this byte, and fills the rest of a block with it.
    if _END_OF_FILE in content.data[-_BLOCK:]:
        whole = content.data.rstrip(_END_OF_FILE + b"\r\n\0")
        if _END_OF_FILE in content.data[len(whole) :]:
            content = replace(content, data=whole + b"\n")
    encoding, errors = _find_encoding(content, wanted, notes)
    if encoding.lower() in _UTF8 and errors == "strict":
        return content.data.removeprefix(codecs.BOM_UTF8), encoding
    text = content.data.decode(encoding, errors).removeprefix("\ufeff")
    return text.encode("utf-8", "replace"), encoding


def _find_encoding(content: Content, wanted: str | None, notes: list[str]) -> tuple[str, str]:
    """The encoding of a text file, and what is done about bytes that are not in it.

    It is found by its mark, else UTF-8, else by its letters, else Western European.
    """
    _refuse_foreign(content)
    data = content.data
    if wanted is not None and wanted.lower().replace("_", "-") not in _UTF8:
        return _checked(content, wanted), "strict"
    marked = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)
    if wanted is None and marked not in (None, *_UTF8):
        return _checked(content, str(marked)), "strict"
    if wanted is None and marked is None and b"\0" in data:
        return _find_utf16(content, notes), "strict"
    encoding, at = "utf-8" if marked != "utf-8-sig" else marked, _fault(data, "utf-8")
    if at is None:
        return encoding, "strict"
    if note := _note_replaced(data, at):
        notes.append(note)
        return encoding, "replace"
    if wanted is not None or marked is not None:
        _checked(content, encoding)
    beginning = data[:_LOOKED_AT]
    if len(beginning) - len(beginning.translate(None, _CONTROL)) > len(beginning) // 20:
        raise _binary(content)
    # What calls itself Latin-1 is nearly always its Windows superset.
    western = "cp1252" if _fault(data, "cp1252") is None else "latin-1"
    encoding = _find_other_script(data) or western
    notes.append(
        f"Encoding (detected): {encoding}, since the file is not UTF-8; if letters look wrong, "
        "save it as UTF-8, or give its encoding (encoding=)."
    )
    return encoding, "strict"


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


def _find_other_script(data: bytes) -> str | None:
    """An encoding of another script than Latin, where the letters are evidence."""
    end = data.rfind(b"\n", 0, _LOOKED_AT) + 1 or len(data)
    beginning = data[:end]
    for encoding, common, least, first, last in _SCRIPTS:
        if _fault(data, encoding) is None:
            text = beginning.decode(encoding)
            letters = [letter for letter in text if letter > "\x7f"]
            usual = [c for c in common.findall(text) if first <= c.encode(encoding)[0] <= last]
            if len(usual) >= max(2, least * len(letters)) and _stand_alone(text):
                return encoding
    best, most = None, _FREQUENT
    for encoding, frequent in _ALPHABETS:
        text = beginning.decode(encoding, "replace").lower()
        letters = [letter for letter in text if letter > "\x7f"]
        share = sum(letter in frequent for letter in letters) / max(1, len(letters))
        # Capitals have no accents, and so another reading of them may be as frequent.
        fits = share > most and len({*letters}) > 3 and _stand_alone(text)
        if fits and _fault(data, encoding) is None:
            best, most = encoding, share
    return best


def _stand_alone(text: str) -> bool:
    """Whether few letters of another script stand beside ours, as accents and apostrophes do."""
    beside = re.findall(r"(?<=[A-Za-z])[^\x00-\x7f]|[^\x00-\x7f](?=[A-Za-z])", text)
    return len(beside) * 10 <= len(re.findall(r"[^\x00-\x7f]+", text))


def _find_utf16(content: Content, notes: list[str]) -> str:
    """UTF-16 without a mark: every other byte of Western text is zero."""
    beginning = content.data[: _LOOKED_AT & ~1]
    half = len(beginning) // 2
    for encoding, first, text in (("utf-16-le", "low", 0), ("utf-16-be", "high", 1)):
        few, many = beginning[text::2].count(0), beginning[1 - text :: 2].count(0)
        if many * 2 > half and few * 20 <= half and _fault(content.data, encoding) is None:
            notes.append(
                f"Encoding (detected): UTF-16 with {first} bytes first, without a byte order mark."
            )
            return encoding
    raise _binary(content)


def _binary(content: Content) -> DataError:
    return DataError(f"{content.title} holds binary data; save the table as CSV text.")


def _refuse_foreign(content: Content) -> None:
    """Say what the file is where its first bytes show it."""
    labelled = find_reader(content.data)[0]
    found: list[tuple[str, str | None]] = [(PROGRAMS[labelled], labelled)] if labelled else []
    found += [(kind, known) for magic, kind, known in _FOREIGN if content.data.startswith(magic)]
    start = content.data[:200].removeprefix(codecs.BOM_UTF8).lstrip()
    found += [(kind, None) for pattern, kind in _MARKUP if pattern.match(start)]
    for kind, known in found:
        how = f"give its format (format={known!r})" if known else "save the table as CSV"
        raise DataError(f"{content.title} is {kind}, not a text table; {how}.")


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
            "save it as UTF-8, or give its encoding (encoding=)."
        )
    return encoding


def _fault(data: bytes, encoding: str) -> int | None:
    """Where the first byte is that is no text in an encoding, read piece by piece."""
    if codecs.lookup(encoding).name in _NO_TABLES:
        raise LookupError(encoding)
    if encoding == "utf-8" and data.isascii():
        return None
    decoder, done = codecs.getincrementaldecoder(encoding)(), 0
    with suppress(UnicodeError):  # an odd number of bytes is no fault of the codec
        b"a".decode(encoding)  # refuses codecs that aren't of text
    try:
        for done in range(0, len(data), _STEP):
            decoder.decode(data[done : done + _STEP])
        done = len(data)
        decoder.decode(b"", final=True)
    except UnicodeError as reason:
        return done + int(getattr(reason, "start", 0))
    return None


def find_dialect(data: bytes, options: ReadOptions, notes: list[str]) -> tuple[Dialect, int]:
    """How a table of UTF-8 text is written, and how many lines above it aren't comments."""
    above = 0 if options.skip_lines == AUTO else int(options.skip_lines)
    dialect = Dialect(options.delimiter or ",", options.quote, above=above)
    dialect, skip = _without_lines_above(data, dialect, options, notes)
    if options.delimiter is None and dialect.delimiter == ",":
        dialect = replace(dialect, delimiter=_find_delimiter(data, dialect, options.header))
        if dialect.delimiter == WHITESPACE:
            notes.append("Delimiter (detected): spaces; if that is wrong, give it (delimiter=).")
    if options.skip_lines == AUTO and options.header:
        sample = _sample_records(data, dialect)
        if titles := _count_titles(sample):
            skip = sample[titles][0] - 1
            dialect = replace(dialect, above=skip)
            notes.append(note_titles(titles, sample[0][1]))
    if dialect.quote and f"\\{dialect.quote}" in "".join(_first_lines(data, dialect)):
        dialect = replace(dialect, escape="\\")
        notes.append("A backslash before a quotation mark makes it part of its cell.")
    return dialect, skip


def note_titles(count: int, cells: Sequence[str], where: str = "Line") -> str:
    """The sentence on so many lines above the names that are left out, the first of which holds."""
    text = clip(" ".join(filter(None, dict.fromkeys(map(str.strip, cells)))), 40)
    lines = f"{count} {where.lower()}s" if count > 1 else f"A {where.lower()}"
    return (
        f"{lines} above the names ({text}{' …' * (count > 1)}) "
        f"{'were' if count > 1 else 'was'} left out; if that is wrong, say how many are to be "
        "(skip_lines=)."
    )


def _sample_records(data: bytes, dialect: Dialect) -> list[tuple[int, list[str]]]:
    """The first records that hold anything, with the lines where they begin."""
    sample: list[tuple[int, list[str]]] = []
    line = 1
    with suppress(csv.Error):  # what comes before a cell that is too long is a sample too
        reader = cut_cells(read_lines(data, dialect), dialect, strict=False)
        for cells in islice(reader, dialect.above + _SAMPLE):
            if any(map(str.strip, cells)):
                sample.append((line, cells))
            line = reader.line_num + 1
    return sample


def _count_titles(sample: Sequence[tuple[int, Sequence[str]]]) -> int:
    """How many records above the names are narrower than a table whose rows are even."""
    widths = [len(cells) for _, cells in sample]
    width = max(widths, key=widths.count, default=0)
    titles = widths.index(width) if widths else 0
    even = width > 1 and set(widths[titles:]) == {width} and len(widths) - titles > 1
    if not even or not 0 < titles <= MOST_ABOVE:
        return 0
    rows = [cells for _, cells in sample[titles:]]
    if any(_NUMBER.fullmatch(cell.strip()) for cell in rows[0]):
        return 0
    # Names may be fewer than cells, where rows bear names of their own or commas aren't quoted.
    lone = widths[titles - 1] == 1 < width - 1
    return titles if lone or _are_names(rows[0], rows[1:]) else 0


def _are_names(cells: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a record without a number fills all columns, one of which holds nothing else."""
    if not all(map(str.strip, cells)):
        return False
    columns = zip(*rows, strict=True)
    return any(all(_NUMBER.fullmatch(cell.strip()) for cell in column) for column in columns)


def _without_lines_above(
    data: bytes, dialect: Dialect, options: ReadOptions, notes: list[str]
) -> tuple[Dialect, int]:
    """Look for the line sep=; that Excel reads, and for comments above the table."""
    start = _first_lines(data, dialect)
    found = _SEPARATOR.fullmatch(start[0]) if start and not dialect.above else None
    if found:
        notes.append(f"The first line gives the delimiter {found[1]!r}; it was left out.")
        return replace(dialect, above=1, delimiter=options.delimiter or found[1]), 1
    mark = next((line[0] for line in start if line.strip()), "")
    if not mark or mark not in _COMMENTS:
        return dialect, dialect.above
    above = comments = 0
    before, line = "", ""
    for line in read_lines(data, dialect):
        if line.strip() and line[0] != mark:
            break
        above, comments, before = above + 1, comments + bool(line.strip()), line
    # A line with as many cells as the next may hold the names behind its mark.
    cut = any(before.count(sign) == line.count(sign) > 0 for sign in _DELIMITERS)
    cells = re.split(r"[,\t;|]", line.strip())
    named = not before[1:2].isspace() or any(_NUMBER.fullmatch(cell.strip()) for cell in cells)
    if line != before and above <= _SAMPLE and cut and named:
        notes.append(f"The names stand in line {above}, which begins with {mark!r}.")
        return replace(dialect, above=above - 1), above - 1
    many = "s" * (comments > 1)
    notes.append(f"Comments above the table were left out: {comments:,} line{many}.")
    return replace(dialect, above=above), dialect.above


def _first_lines(data: bytes, dialect: Dialect) -> list[str]:
    return list(islice(read_lines(data, dialect), dialect.above + _SAMPLE))


def _find_delimiter(data: bytes, dialect: Dialect, header: bool) -> str:
    """The delimiter that cuts the first records most evenly, quotes respected."""

    def evenness(delimiter: str, below_titles: bool = False) -> tuple[float, int, Any]:
        records = _sample_records(data, replace(dialect, delimiter=delimiter))
        titles = _count_titles(records) if below_titles else 0
        sample = [cells for _, cells in records[titles:]]
        width = len(sample[0]) if sample else 0
        if width < 2:
            return 0.0, 0, sample
        fitting = {width, width + 1} if header else {width}
        return sum(len(cells) in fitting for cells in sample) / len(sample), width, sample

    found = {mark: evenness(mark)[:2] for mark in _DELIMITERS}
    best = max(_DELIMITERS, key=lambda mark: found[mark])
    if header and found[best][0] <= 0.5:
        below = {mark: evenness(mark, below_titles=True)[:2] for mark in _DELIMITERS}
        other = max(_DELIMITERS, key=lambda mark: below[mark])
        best = other if below[other][0] == 1.0 else best
        found = below
    if found[best][1]:
        return best
    # Spaces may well stand in a cell: they delimit only where every record is cut alike.
    share, width, sample = evenness(WHITESPACE)
    is_table = share == 1.0 and len(sample) > 1 and _is_table(sample, width)
    return WHITESPACE if is_table else ","


def _is_table(sample: Sequence[Sequence[str]], width: int) -> bool:
    """Whether spaces cut a table, and not the texts of a single column."""
    cells = [cell for row in sample[1:] for cell in row]
    numbers = sum(_NUMBER.fullmatch(cell.strip()) is not None for cell in cells)
    widths = {len(row) for row in sample[1:]}
    if numbers * 2 > len(cells) or (len(widths) == 1 and max(width, *widths) > 2):
        return True
    # Of two words in each row, names included, either column repeats its own.
    rows = sample[1:]
    most = len(rows) // 2 if len(rows) >= _MANY else len(rows) - 1
    few = all(len(set(column)) <= most for column in zip(*rows, strict=False))
    return widths == {width} and few
