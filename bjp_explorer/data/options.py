"""How an uploaded file may be read: what a reader can choose, and how a token says it.

Each choice is a field of `ReadOptions` with the values that the page offers. In a token a value
other than the usual one is the choice's letter and the value's place: `d1`, a semicolon.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from bjp_engine.errors import OptionError, clip
from bjp_engine.io import ReadOptions
from bjp_engine.io.options import AUTO
from bjp_engine.io.tables import SUFFIXES
from bjp_engine.io.values import MISSING_VALUES
from bjp_explorer.data.upload import Upload
from bjp_explorer.data.words import CHOICES, DETECTED
from bjp_explorer.shell.text import plain

_TEXT = ("csv", "tsv")
_SHEETS = (*_TEXT, "excel")
_LINES = (*_TEXT, "libra")
_LABELLED = ("spss", "stata", "sas")
_ALL = (*_TEXT, "excel", "parquet", "libra", *_LABELLED)
_PART = re.compile(r"([a-z])(\d{1,4})")


@dataclass(frozen=True)
class Choice:
    """One thing that may be chosen."""

    # Of `ReadOptions`.
    field: str
    # In a token.
    letter: str
    # Each value with its words; the usual one first.
    values: tuple[tuple[Any, str], ...]
    # The formats that it is for.
    formats: tuple[str, ...] = _TEXT
    # What the second value is numbered in a token; the usual one needs no mention.
    first: int = 0

    @property
    def label(self) -> str:
        """What the page calls it."""
        return CHOICES[self.field]

    @property
    def usual(self) -> Any:
        """The value at first."""
        return self.values[0][0]

    def words(self, value: object) -> str:
        """A value in words."""
        number = self.number(value)
        return plain(value, 30) if number is None else self.values[number][1]

    def number(self, value: object) -> int | None:
        """The place of a value among the choice's own; None where it is none of them."""
        # 0 and False are equal, and so are 1 and True.
        found = (
            number
            for number, (each, _) in enumerate(self.values)
            if each == value and type(each) is type(value)
        )
        return next(found, None)

    def place(self, value: object) -> int | None:
        """The place of a value in a token; None where it is the usual one."""
        number = self.number(value)
        return self.first + number - 1 if number else None


_USUAL_MISSING = tuple(sorted(MISSING_VALUES))
_FIXED = (
    Choice(
        "format",
        "f",
        (
            (None, DETECTED),
            ("csv", "a text table"),
            ("tsv", "a text table with tabs"),
            ("excel", "an Excel workbook"),
            ("parquet", "a Parquet table"),
            ("libra", "a Libra data file"),
            ("spss", "an SPSS file"),
            ("stata", "a Stata file"),
            ("sas", "a SAS file"),
            ("arff", "an ARFF file"),
        ),
        _ALL,
    ),
    Choice(
        "delimiter",
        "d",
        (
            (None, DETECTED),
            (",", "comma"),
            (";", "semicolon"),
            ("\t", "tab"),
            ("|", "bar"),
            ("whitespace", "any spaces"),
            (":", "colon"),
            ("^", "caret"),
            ("~", "tilde"),
        ),
    ),
    Choice(
        "quote",
        "q",
        (
            (AUTO, DETECTED),
            ('"', 'quotation marks "'),
            ("'", "apostrophes '"),
            (None, "nothing"),
        ),
    ),
    Choice(
        "encoding",
        "e",
        (
            (None, DETECTED),
            ("utf-8", "UTF-8"),
            ("utf-16", "UTF-16"),
            ("cp1252", "Western European (Windows-1252)"),
            ("latin-1", "Western European (Latin-1)"),
            ("cp1250", "Central European (Windows-1250)"),
            ("cp1251", "Cyrillic (Windows-1251)"),
            ("mac-roman", "Western European (Mac)"),
            ("shift_jis", "Japanese (Shift JIS)"),
            ("gb18030", "Chinese (GB 18030)"),
        ),
        (*_LINES, *_LABELLED),
    ),
    Choice(
        "decimal",
        "n",
        ((AUTO, DETECTED), (".", "a point"), (",", "a comma")),
        _SHEETS,
    ),
    Choice(
        "thousands",
        "t",
        (
            (AUTO, DETECTED),
            (None, "nothing"),
            (",", "a comma"),
            (".", "a point"),
            (" ", "a space"),
            ("'", "an apostrophe"),
            ("\u00a0", "a no-break space"),
            ("\u202f", "a narrow no-break space"),
        ),
        _SHEETS,
    ),
    Choice(
        "comment",
        "k",
        ((AUTO, DETECTED), (None, "no comments"), ("#", "#"), ("%", "%"), ("//", "//")),
    ),
    Choice(
        "skip_lines",
        "l",
        ((AUTO, DETECTED), *((k, str(k)) for k in range(1, 31)), (0, "none")),
        _SHEETS,
    ),
    Choice(
        "index_column",
        "i",
        ((AUTO, DETECTED), (None, "none"), (0, "in the first column")),
        (*_SHEETS, "parquet"),
    ),
    Choice(
        "missing_values",
        "y",
        (
            (None, "empty, ?, NA, NULL and the like"),
            (("",), "only empty ones"),
            ((*_USUAL_MISSING, "-"), "the usual ones and -"),
            ((*_USUAL_MISSING, "."), "the usual ones and ."),
            ((*_USUAL_MISSING, "None", "none"), "the usual ones and None"),
            ((*_USUAL_MISSING, "-1"), "the usual ones and -1"),
            ((*_USUAL_MISSING, "-9", "-99", "-999"), "the usual ones and -9, -99, -999"),
            ((*_USUAL_MISSING, "9", "99", "999"), "the usual ones and 9, 99, 999"),
        ),
        _ALL,
    ),
    Choice(
        "malformed",
        "x",
        (("error", "refuse the file"), ("skip", "leave these rows out")),
        _LINES,
    ),
    Choice(
        "header_rows",
        "r",
        ((AUTO, DETECTED), (1, "1"), (2, "2"), (3, "3"), (4, "4")),
        _SHEETS,
    ),
    Choice(
        "header",
        "h",
        ((True, "yes"), (False, "no")),
        _SHEETS,
    ),
)


def choices(upload: Upload) -> tuple[Choice, ...]:
    """What may be chosen of a file.

    The sheet of a workbook and the member of an archive first, where it has several.
    """
    found = []
    if len(upload.sheets) > 1:
        titles = ((None, DETECTED), *((one, plain(one)) for one in upload.sheets))
        found.append(Choice("sheet", "s", titles, _ALL))
    if len(upload.members) > 1:
        names = sorted(upload.members, key=lambda name: not _is_table(name))
        titles = tuple((name, plain(name)) for name in names)
        found.append(Choice("member", "m", titles, _ALL, first=1))
    return (*found, *_FIXED)


def usual_way(upload: Upload) -> ReadOptions:
    """How a file is read at first.

    Everything is detected, but for the file of an archive: the first that is a table.
    """
    return ReadOptions(**{choice.field: choice.usual for choice in choices(upload)})


def format_of(upload: Upload, way: ReadOptions) -> str:
    """The format of a file before it is read, as its name says."""
    if way.format is not None:
        return way.format
    name = (way.member or upload.name).lower().removesuffix(".gz")
    kind = SUFFIXES.get(f".{name.rpartition('.')[2]}", "csv")
    return "excel" if upload.sheets else kind


def parts_of(upload: Upload, way: ReadOptions) -> list[str]:
    """What a token says of a way that isn't the usual one."""
    placed = [
        (choice.letter, choice.place(getattr(way, choice.field))) for choice in choices(upload)
    ]
    return [f"{letter}{place}" for letter, place in placed if place is not None]


def way_of(upload: Upload, parts: Sequence[str]) -> tuple[ReadOptions, list[str]]:
    """The way that the parts of a token name, and the parts that name something else."""
    letters = {choice.letter: choice for choice in choices(upload)}
    # A link to the sheet of a file with one sheet is a mistake, not another kind of part.
    known = {*letters, "s", "m"}
    way, rest = usual_way(upload), []
    for part in parts:
        found = _PART.fullmatch(part)
        if found is None or found[1] not in known:
            rest.append(part)
            continue
        choice = letters.get(found[1])
        place = int(found[2]) + 1 - (choice.first if choice else 0)
        if choice is None or not 1 <= place < len(choice.values):
            raise OptionError(f"The link reads the file by {clip(part)}, which it doesn't have.")
        way = replace(way, **{choice.field: choice.values[place][0]})
    return way, rest


def _is_table(name: str) -> bool:
    """Whether a file's name is that of a table."""
    return f".{name.lower().rpartition('.')[2]}" in SUFFIXES
