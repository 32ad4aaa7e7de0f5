"""The second way in: a file of the reader's own, which only this visit knows.

The file, what was read of it and what was made of it are kept apart from the widgets, because
an uploader is empty again when one comes back to the page.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

import streamlit as st

from bjp_engine import BJPError
from bjp_engine.dataset import Missing
from bjp_explorer import data_upload, state
from bjp_explorer.data_missing import missing_choice
from bjp_explorer.data_upload import Reading, Upload, Way
from bjp_explorer.text import plain, prose

_DELIMITERS = {None: "found out", ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
# The file on the page, the last one that became a dataset, what was read, and what was made.
_UPLOAD, _KEPT, _READING, _MADE = "data-upload", "data-kept", "data-reading", "data-made"
_FILE, _FILE_ID = "data-file", "data-file-id"


def pick() -> str | None:
    """Take in a file and choose what of it is used.

    Returns
    -------
    str or None
        The token of the dataset made of it; None where there is none (yet).
    """
    upload = _upload()
    if upload is None:
        st.markdown(
            "One row for each observation, one column for each variable, and their names in the "
            "first line. A variable may have any number of states, written as text or as numbers. "
            "The file stays in the memory of this app and goes when you close the page."
        )
        return None
    left, right = st.columns([2, 1], gap="medium")
    with right.container(horizontal=True, horizontal_alignment="right"):
        way = _way(upload)
    with left:
        reading = _reading(upload, way)
    return None if reading is None else _chosen(reading, left)


def take(upload: Upload, token: str) -> None:
    """Take a file in hand that a link asked for, used in the way that the link says.

    Parameters
    ----------
    upload : Upload
    token : str
        As `data_upload.token_of` makes them; the usual way where it is of another file.

    Raises
    ------
    BJPError
        If it can't be read, or not be used in that way.
    """
    way = data_upload.way_of(upload, token)
    reading = data_upload.read(upload, way)
    columns, missing = data_upload.used_of(reading, token)
    state.keep_upload(data_upload.made(reading, columns, missing))
    memory, digest = st.session_state, upload.digest
    memory[_UPLOAD] = memory[_KEPT] = upload
    # What the widgets of the page Data will say of it.
    memory[f"data-sheet-{digest}"], memory[f"data-header-{digest}"] = way.sheet, way.header
    memory[f"data-delimiter-{digest}"] = way.delimiter
    which = _which(reading)
    memory[f"data-columns-{which}"], memory[f"data-missing-{which}"] = columns, missing


def _which(reading: Reading) -> str:
    """What the choices about a file's columns are kept under."""
    return f"{reading.upload.digest}-{crc32(repr(reading.way).encode()):08x}"


def _chosen(reading: Reading, told: Any) -> str | None:
    """What of a file is used, said above the choices that decide it."""
    _notes(reading)
    columns, missing = _choices(reading)
    what = data_upload.what_it_is(reading)
    if len(columns) < 2:
        told.warning(prose(f"{what} {data_upload.too_few(reading, columns)}"))
        return None
    told.markdown(prose(f"{what} {data_upload.what_is_done(reading, columns, missing)}"))
    return _made(reading, columns, missing)


def _upload() -> Upload | None:
    """The file on the page: just uploaded, or from before."""
    # Any type, so that the reader can say what to do about one it doesn't know.
    file = st.file_uploader(
        "A table as CSV, TSV, text, Parquet, Excel (.xlsx) or Libra's .data", key=_FILE
    )
    memory = st.session_state
    if file is not None and memory.get(_FILE_ID) != file.file_id:
        memory[_FILE_ID] = file.file_id
        memory[_UPLOAD] = Upload(file.name, file.getvalue())
    upload: Upload | None = memory.get(_UPLOAD)
    if file is None and upload is not None and not _in_use(upload):
        # It never became a dataset, and it has been taken off the page: back to the one before.
        upload = memory[_UPLOAD] = memory.get(_KEPT)
    return upload


def _in_use(upload: Upload) -> bool:
    """Whether a dataset was made of a file."""
    return any(state.same_file(token, upload.token) for token in state.uploads())


def _reading(upload: Upload, way: Way) -> Reading | None:
    """The file as it was read, or one sentence where that can't be done."""
    wanted = (upload.digest, upload.name, way)
    if st.session_state.get(_READING, (None,))[0] != wanted:
        with st.spinner("Reading the file …"):
            st.session_state[_READING] = (wanted, _tried(data_upload.read, upload, way))
    found = st.session_state[_READING][1]
    return _or_sentence(found)


def _way(upload: Upload) -> Way:
    """How the file is to be read, where there is something to choose."""
    if upload.suffix in ("parquet", "pq", "data"):
        return Way()
    sheet, delimiter = None, None
    if len(upload.sheets) > 1:
        sheet = st.selectbox(
            "Sheet",
            upload.sheets,
            format_func=lambda title: f"Sheet: {plain(title)}",
            key=f"data-sheet-{upload.digest}",
            label_visibility="collapsed",
            width=180,
            persist_state="session",
        )
    with st.popover("How it is read", icon=":material/tune:"):
        st.session_state.setdefault(f"data-header-{upload.digest}", True)
        header = st.checkbox(
            "The first line holds the names",
            key=f"data-header-{upload.digest}",
            persist_state="session",
        )
        if not upload.sheets:
            delimiter = st.selectbox(
                "Between the cells",
                list(_DELIMITERS),
                format_func=_DELIMITERS.__getitem__,
                key=f"data-delimiter-{upload.digest}",
                persist_state="session",
            )
    return Way(sheet, header, delimiter)


def _choices(reading: Reading) -> tuple[list[int], Missing]:
    """The columns to use, and what to do with their missing cells."""
    which = _which(reading)
    key = f"data-columns-{which}"
    st.session_state.setdefault(key, reading.usable)
    chosen = st.multiselect(
        "Columns to use",
        range(len(reading.labels)),
        format_func=reading.labels.__getitem__,
        key=key,
        placeholder="Choose at least two",
        persist_state="session",
    )
    columns = sorted(chosen)
    cells, complete = reading.missing(columns)
    if not cells or len(columns) < 2:
        return columns, "drop"
    usual = data_upload.usual_missing(reading, columns)
    rows = reading.report.rows
    return columns, missing_choice(f"data-missing-{which}", rows, complete, cells, usual)


def _notes(reading: Reading) -> None:
    """Every guess of the reader."""
    notes = reading.report.notes
    if not notes:
        return
    lines = "\n".join(f"- {prose(note)}" for note in notes)
    with st.expander(f"What the reader noticed ({len(notes)})", expanded=len(notes) <= 3):
        st.markdown(lines)


def _made(reading: Reading, columns: list[int], missing: Missing) -> str | None:
    """The dataset, made once for each choice and taken in hand."""
    wanted = (reading.upload.digest, reading.way, tuple(columns), missing)
    memory = st.session_state
    token = data_upload.token_of(reading, columns, missing)
    if memory.get(_MADE, (None,))[0] != wanted or token not in state.uploads():
        with st.spinner("Making the dataset …"):
            found = _tried(data_upload.made, reading, columns, missing)
        memory[_MADE] = (wanted, found if isinstance(found, str) else None)
        if not isinstance(found, str):
            state.keep_upload(found)
            memory[_KEPT] = reading.upload
    sentence = memory[_MADE][1]
    if sentence is not None:
        return _or_sentence(sentence)
    return token


def _tried(work: Any, *arguments: Any) -> Any:
    """What some work returns, or the sentence of its error."""
    try:
        return work(*arguments)
    except BJPError as error:
        return str(error)


def _or_sentence(found: Any) -> Any:
    """What was found; a sentence is told and becomes None."""
    if not isinstance(found, str):
        return found
    st.error(prose(found), icon=":material/error:")
    return None
