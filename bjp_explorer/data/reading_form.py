"""How a file is read: what was guessed, and the widgets that change it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from bjp_engine.io import ReadOptions
from bjp_explorer.data import visit, words
from bjp_explorer.data.options import Choice, choices, format_of
from bjp_explorer.data.reading import Reading
from bjp_explorer.data.upload import Upload
from bjp_explorer.shell.text import prose

_BESIDE = ("sheet", "member")


def show(upload: Upload, reading: Reading | None) -> None:
    """The choices of a file, each with what was detected."""
    way = visit.way(upload)
    kind = reading.report.format if reading else format_of(upload, way)
    offered = [choice for choice in choices(upload) if kind in choice.formats]
    found = reading.report.chosen if reading else None
    for choice in offered:
        if choice.field in _BESIDE:
            _select(upload, way, choice, found)
    with (
        st.popover(words.HOW_READ, icon=":material/tune:"),
        # Wide enough for the longest value of a choice.
        st.container(key="data-reading", width=400),
    ):
        for choice in offered:
            if choice.field == "header":
                _check(upload, way, choice)
            elif choice.field not in _BESIDE:
                _select(upload, way, choice, found)
    refusal = visit.take_refusal()
    if refusal:
        st.error(prose(refusal), icon=":material/error:")


def show_notes(reading: Reading) -> None:
    """Every guess of the reader."""
    notes = reading.report.notes
    if not notes:
        return
    lines = "\n".join(f"- {prose(note)}" for note in notes)
    with st.expander(words.NOTICED.format(notes=len(notes)), icon=":material/visibility:"):
        st.markdown(lines)


def _select(upload: Upload, way: ReadOptions, choice: Choice, found: ReadOptions | None) -> None:
    """One of several values."""
    key = _key(upload, choice)
    # By their places, because no choice at all is what None would mean to the widget.
    st.session_state[key] = choice.number(getattr(way, choice.field))
    st.selectbox(
        choice.label,
        range(len(choice.values)),
        format_func=lambda number: _words(choice, choice.values[number][0], found),
        key=key,
        on_change=visit.change_way,
        args=(upload, choice, key),
    )


def _check(upload: Upload, way: ReadOptions, choice: Choice) -> None:
    """Yes or no."""
    key = _key(upload, choice)
    st.session_state[key] = getattr(way, choice.field)
    st.checkbox(
        choice.label,
        key=key,
        on_change=visit.change_way,
        args=(upload, choice, key),
    )


def _words(choice: Choice, value: Any, found: ReadOptions | None) -> str:
    """A value in words; what was detected is named."""
    text = choice.words(value)
    if text != words.DETECTED or found is None:
        return text
    what = getattr(found, choice.field)
    # What still says "detected" was looked for column by column, or line by line.
    same = what == choice.usual and type(what) is type(choice.usual)
    return text if same else f"{choice.words(what)} ({text})"


def _key(upload: Upload, choice: Choice) -> str:
    """The key of a choice's widget."""
    return f"data-{choice.field}-{upload.digest}"
