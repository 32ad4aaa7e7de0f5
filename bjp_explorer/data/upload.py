"""A file as it came, uploaded or from the server's folder, and how it is read.

In a token a value other than the usual one is the choice's letter and the value's place: `d2`, a
semicolon.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from bjp_engine.errors import OptionError, clip
from bjp_engine.io import ReadOptions
from bjp_engine.io.limits import MEGABYTE, Limits
from bjp_engine.io.options import AUTO
from bjp_engine.io.sources import list_sheets
from bjp_engine.io.tables import SUFFIXES
from bjp_engine.io.values import MISSING_VALUES
from bjp_explorer.shell.text import plain, prose

# The environment variable that names the folder.
FOLDER = "BJP_DATA_DIR"
# What a visit remembers: how each file is read, by content, and why that can't be done.
_WAYS, _REFUSED = "data-ways", "data-refused"
_TEXT = ("csv", "tsv")
_SHEETS = (*_TEXT, "excel")
_PART = re.compile(r"([a-z])(\d{1,4})")
_DETECTED = "detected"
_READ = "How it is read"
# What a sentence of the reader says to give.
_OPTION = re.compile(r"(\w+)=")
_HINT = re.compile(r"\(\w+=[^()]*\)")


@dataclass(frozen=True, eq=False)
class Upload:
    """A file as it came."""

    # As the browser sent it; any text.
    name: str
    content: bytes

    @cached_property
    def digest(self) -> str:
        """Twelve hexadecimal digits that differ where contents do."""
        return hashlib.sha256(self.content).hexdigest()[:12]

    @property
    def token(self) -> str:
        """The token of the dataset made of it in the usual way."""
        return f"file:{self.digest}"

    @cached_property
    def sheets(self) -> tuple[str, ...]:
        """The sheets of an Excel workbook; none for any other file."""
        return list_sheets(self.content)


class Named(io.BytesIO):
    """Bytes with the name of the file they came from."""

    def __init__(self, upload: Upload) -> None:
        super().__init__(upload.content)
        self.name = upload.name


# --- Files of a folder on the server --------------------------------------------------------------


def server_files() -> list[str]:
    """The tables in the folder; none where none is named."""
    return [path.name for path in _files()]


def take_from_server(name: str) -> Upload | str:
    """A table of the folder as if it had been uploaded, or a sentence."""
    limits = Limits.from_environment()
    try:
        path = next((path for path in _files() if path.name == name), None)
        if path is None:
            raise FileNotFoundError(name)
        if path.stat().st_size > limits.file_mb * MEGABYTE:
            return (
                f"{clip(name)} is larger than {limits.file_mb:,} MB, the limit of a table here; "
                "use `bjp learn` on the command line."
            )
        return Upload(name, path.read_bytes())
    except OSError as reason:
        why = type(reason).__name__
        return (
            f"{clip(name)} can't be read ({why}); ask the administrator whether it can be opened."
        )


def _files() -> list[Path]:
    """The files in the folder that can be read as tables, by name."""
    folder = Path(os.environ.get(FOLDER) or os.devnull)
    try:
        # A link may lead to any file of the machine.
        found = [path for path in folder.iterdir() if path.resolve().parent == folder.resolve()]
    except OSError:
        return []
    return [path for path in sorted(found) if path.suffix.lower() in SUFFIXES and path.is_file()]


# --- How a file is read ---------------------------------------------------------------------------


class Choice(NamedTuple):
    """One option of `ReadOptions`: its letter in a token, and its values in words, usual first."""

    option: str
    letter: str
    label: str
    values: Mapping[Any, str]
    formats: tuple[str, ...] = ()

    def place(self, way: ReadOptions) -> int:
        """The place of the value that a way has; 0 where it is the usual one."""
        value, values = getattr(way, self.option), [*self.values]
        return values.index(value) if value in values else 0

    def chosen(self, way: ReadOptions, place: int) -> ReadOptions:
        """A way with another value."""
        return replace(way, **{self.option: [*self.values][place]})


_USUAL_MISSING = tuple(sorted(MISSING_VALUES))
_DELIMITERS = {
    None: _DETECTED,
    ",": "comma",
    ";": "semicolon",
    "\t": "tab",
    "|": "bar",
    "whitespace": "any spaces",
}
_DECIMALS = {AUTO: _DETECTED, ".": "a point", ",": "a comma"}
_MISSING = {
    None: "empty, ?, NA, NULL and the like",
    ("",): "only empty ones",
    (*_USUAL_MISSING, "-"): "the usual ones and -",
    (*_USUAL_MISSING, "None", "none"): "the usual ones and None",
    (*_USUAL_MISSING, "-9", "-99", "-999"): "the usual ones and -9, -99, -999",
    (*_USUAL_MISSING, "9", "99", "999"): "the usual ones and 9, 99, 999",
}
_HEADERS = {AUTO: _DETECTED, 1: "1", 2: "2", 3: "3", 4: "4", 0: "none"}
_FIXED = (
    Choice("delimiter", "d", "Delimiter", _DELIMITERS, _TEXT),
    Choice("decimal", "n", "Decimal separator", _DECIMALS, _SHEETS),
    Choice("missing_values", "y", "Cells that count as missing", _MISSING),
    Choice("header_rows", "h", "Header lines", _HEADERS, _SHEETS),
)


def choices(upload: Upload) -> tuple[Choice, ...]:
    """What may be chosen of a file: the sheet first, where it has several."""
    names: dict[Any, str] = {None: _DETECTED, **{one: plain(one) for one in upload.sheets}}
    return (*[Choice("sheet", "s", "Sheet", names)] * (len(names) > 2), *_FIXED)


def parts_of(upload: Upload, way: ReadOptions) -> list[str]:
    """What a token says of a way that isn't the usual one."""
    placed = [(choice.letter, choice.place(way)) for choice in choices(upload)]
    return [f"{letter}{place}" for letter, place in placed if place]


def way_of(upload: Upload, parts: Sequence[str]) -> tuple[ReadOptions, list[str]]:
    """The way that the parts of a token name, and the parts that name something else."""
    letters = {choice.letter: choice for choice in choices(upload)}
    way, rest = ReadOptions(), []
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


def show_choices(upload: Upload, kind: str, found: ReadOptions | None) -> None:
    """The choices of a file of some kind, each with what was detected."""
    offered = [one for one in choices(upload) if not one.formats or kind in one.formats]
    for choice in offered:
        if choice.letter == "s":
            _select(upload, choice, found)
    with (
        st.popover(_READ, icon=":material/tune:"),
        # Wide enough for the longest value of a choice.
        st.container(key="data-reading", width=400),
    ):
        for choice in offered:
            if choice.letter != "s":
                _select(upload, choice, found)
    if refusal := st.session_state.pop(_REFUSED, None):
        st.error(prose(refusal), icon=":material/error:")


def name_choices(sentence: str) -> str:
    """A sentence of the reader with this page's choices in place of the library's options."""

    def name(found: re.Match[str]) -> str:
        options = set(_OPTION.findall(found[0]))
        labels = [f"“{one.label}”" for one in _FIXED if one.option in options]
        return f"({', '.join(labels)} in “{_READ}”)" if labels else f"{found[0][:-1]} in Python)"

    return _HINT.sub(name, sentence)


def kind_of(upload: Upload) -> str:
    """The format of a file before it is read, as its name says."""
    name = upload.name.lower().removesuffix(".gz")
    kind = SUFFIXES.get(f".{name.rpartition('.')[2]}", "csv")
    return "excel" if upload.sheets else kind


def way(upload: Upload) -> ReadOptions:
    """How the visit reads a file."""
    return st.session_state.get(_WAYS, {}).get(upload.digest) or ReadOptions()


def _select(upload: Upload, choice: Choice, found: ReadOptions | None) -> None:
    key = f"data-{choice.letter}-{upload.digest}"
    st.session_state[key] = choice.place(way(upload))
    # What still says "detected" was looked for column by column, or line by line.
    detected = 0 if found is None else choice.place(found)
    texts = [*choice.values.values()]
    if texts[0] == _DETECTED and detected:
        texts[0] = f"{texts[detected]} ({_DETECTED})"

    def change() -> None:
        try:
            read_by(upload, choice.chosen(way(upload), st.session_state[key]))
        except OptionError as error:
            st.session_state[_REFUSED] = str(error)

    st.selectbox(
        choice.label, range(len(texts)), format_func=texts.__getitem__, key=key, on_change=change
    )


def read_by(upload: Upload, options: ReadOptions) -> None:
    """Read a file in another way."""
    st.session_state.setdefault(_WAYS, {})[upload.digest] = options
