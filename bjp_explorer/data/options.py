"""How an uploaded file is read: what may be chosen, its widgets, and how a token says it.

In a token a value other than the usual one is the choice's letter and the value's place: `d2`, a
semicolon.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from bjp_engine.errors import OptionError, clip
from bjp_engine.io import ReadOptions
from bjp_engine.io.options import AUTO
from bjp_engine.io.tables import SUFFIXES
from bjp_engine.io.values import MISSING_VALUES
from bjp_explorer.data import visit
from bjp_explorer.data.upload import Upload
from bjp_explorer.shell.text import plain, prose

_TEXT = ("csv", "tsv")
_SHEETS = (*_TEXT, "excel")
_PART = re.compile(r"([a-z])(\d{1,4})")
_DETECTED = "detected"
_READ = "How it is read"
# What a sentence of the reader says to give.
_OPTION = re.compile(r"(\w+)=")
_HINT = re.compile(r"\(\w+=[^()]*\)")


@dataclass(frozen=True)
class Choice:
    """One thing that may be chosen: values of `ReadOptions` with their words, the usual first."""

    letter: str
    label: str
    values: tuple[tuple[Mapping[str, Any], str], ...]
    formats: tuple[str, ...] = ()

    def place(self, way: ReadOptions) -> int:
        """The place of the value that a way has; 0 where it is the usual one."""
        for k, (options, _) in enumerate(self.values[1:], 1):
            # 0 and False are equal, and so are 1 and True.
            if all(repr(getattr(way, name)) == repr(value) for name, value in options.items()):
                return k
        return 0

    def chosen(self, way: ReadOptions, place: int) -> ReadOptions:
        """A way with another value."""
        return replace(way, **{**self.values[0][0], **self.values[place][0]})


def _of(field: str, letter: str, label: str, values: Mapping[Any, str], *formats: str) -> Choice:
    return Choice(letter, label, tuple(({field: v}, text) for v, text in values.items()), formats)


_USUAL_MISSING = tuple(sorted(MISSING_VALUES))
_FIXED = (
    _of(
        "delimiter",
        "d",
        "Delimiter",
        {
            None: _DETECTED,
            ",": "comma",
            ";": "semicolon",
            "\t": "tab",
            "|": "bar",
            "whitespace": "any spaces",
        },
        *_TEXT,
    ),
    _of(
        "decimal",
        "n",
        "Decimal separator",
        {AUTO: _DETECTED, ".": "a point", ",": "a comma"},
        *_SHEETS,
    ),
    _of(
        "missing_values",
        "y",
        "Cells that count as missing",
        {
            None: "empty, ?, NA, NULL and the like",
            ("",): "only empty ones",
            (*_USUAL_MISSING, "-"): "the usual ones and -",
            (*_USUAL_MISSING, "None", "none"): "the usual ones and None",
            (*_USUAL_MISSING, "-9", "-99", "-999"): "the usual ones and -9, -99, -999",
            (*_USUAL_MISSING, "9", "99", "999"): "the usual ones and 9, 99, 999",
        },
    ),
    Choice(
        "h",
        "Header lines",
        (
            ({"header": True, "header_rows": AUTO}, _DETECTED),
            *(({"header_rows": k}, str(k)) for k in range(1, 5)),
            ({"header": False}, "none"),
        ),
        _SHEETS,
    ),
)


def choices(upload: Upload) -> tuple[Choice, ...]:
    """What may be chosen of a file: the sheet or member first, where it has several."""
    found = []
    if len(upload.sheets) > 1:
        names: dict[Any, str] = {None: _DETECTED, **{one: plain(one) for one in upload.sheets}}
        found.append(_of("sheet", "s", "Sheet", names))
    if len(upload.members) > 1:
        tables = tuple(SUFFIXES)
        members = sorted(upload.members, key=lambda name: not name.lower().endswith(tables))
        found.append(_of("member", "m", "File in the archive", {m: plain(m) for m in members}))
    return (*found, *_FIXED)


def usual_way(upload: Upload) -> ReadOptions:
    """How a file is read at first: all is detected, but for the first table of an archive."""
    options = [choice.values[0][0] for choice in choices(upload)]
    return ReadOptions(**{name: value for one in options for name, value in one.items()})


def parts_of(upload: Upload, way: ReadOptions) -> list[str]:
    """What a token says of a way that isn't the usual one."""
    placed = [(choice.letter, choice.place(way)) for choice in choices(upload)]
    return [f"{letter}{place}" for letter, place in placed if place]


def way_of(upload: Upload, parts: Sequence[str]) -> tuple[ReadOptions, list[str]]:
    """The way that the parts of a token name, and the parts that name something else."""
    letters = {choice.letter: choice for choice in choices(upload)}
    way, rest = usual_way(upload), []
    for part in parts:
        found = _PART.fullmatch(part)
        if found is None:
            rest.append(part)
            continue
        choice = letters.get(found[1])
        if choice is None or not 1 <= int(found[2]) < len(choice.values):
            raise OptionError(f"The link reads the file by {clip(part)}, which it doesn't have.")
        way = choice.chosen(way, int(found[2]))
    return way, rest


def show(upload: Upload, kind: str, found: ReadOptions | None) -> None:
    """The choices of a file of some kind, each with what was detected."""
    offered = [one for one in choices(upload) if not one.formats or kind in one.formats]
    for choice in offered:
        if choice.letter in "sm":
            _select(upload, choice, found)
    with (
        st.popover(_READ, icon=":material/tune:"),
        # Wide enough for the longest value of a choice.
        st.container(key="data-reading", width=400),
    ):
        for choice in offered:
            if choice.letter not in "sm":
                _select(upload, choice, found)
    if refusal := visit.take_refusal():
        st.error(prose(refusal), icon=":material/error:")


def name_choices(sentence: str) -> str:
    """A sentence of the reader with this page's choices in place of the library's options."""

    def name(found: re.Match[str]) -> str:
        options = set(_OPTION.findall(found[0]))
        labels = [f"“{one.label}”" for one in _FIXED if options & {*one.values[0][0]}]
        return f"({', '.join(labels)} in “{_READ}”)" if labels else f"{found[0][:-1]} in Python)"

    return _HINT.sub(name, sentence)


def kind_of(upload: Upload) -> str:
    """The format of a file before it is read, as its name says."""
    name = upload.name.lower().removesuffix(".gz")
    kind = SUFFIXES.get(f".{name.rpartition('.')[2]}", "csv")
    return "excel" if upload.sheets else kind


def way(upload: Upload) -> ReadOptions:
    """How the visit reads a file."""
    return visit.way(upload) or usual_way(upload)


def _select(upload: Upload, choice: Choice, found: ReadOptions | None) -> None:
    """One of several values."""
    key = f"data-{choice.letter}-{upload.digest}"
    st.session_state[key] = choice.place(way(upload))
    # What still says "detected" was looked for column by column, or line by line.
    detected = 0 if found is None else choice.place(found)
    texts = [text for _, text in choice.values]
    if texts[0] == _DETECTED and detected:
        texts[0] = f"{texts[detected]} ({_DETECTED})"

    def change() -> None:
        try:
            visit.read_by(upload, choice.chosen(way(upload), st.session_state[key]))
        except OptionError as error:
            visit.refuse(str(error))

    st.selectbox(
        choice.label, range(len(texts)), format_func=texts.__getitem__, key=key, on_change=change
    )
