"""What *Practice* shows: a run of questions, and the making of a sheet."""

from __future__ import annotations

from functools import lru_cache, partial

import streamlit as st

from bjp_engine.errors import BJPError
from bjp_engine.exercises import Sheet
from bjp_explorer.downloads.button import offer
from bjp_explorer.downloads.formats import Format
from bjp_explorer.practice import choices, words
from bjp_explorer.practice.sheet_formats import FORMATS
from bjp_explorer.practice.sheet_page import class_of, run_payload
from bjp_explorer.shell import components
from bjp_explorer.shell.text import prose
from bjp_explorer.views.payloads import Payload

_ICONS = {
    "html": "edit_note",
    "print": "print",
    "solutions": "key",
    "moodle": "school",
}


@lru_cache(maxsize=256)
def _run(sheet: Sheet) -> Payload:
    """Drawn once for all who follow a link."""
    return run_payload(sheet)


def show_run() -> None:
    """The questions, answered in the browser without another run of the page."""
    components.practice_view(_run(choices.run()), key=choices.VIEW, on_event=choices.take_event)


def show_sheet() -> None:
    """What a lecturer makes of questions: files."""
    folded = st.expander(words.SHEET, key="practice-sheet", on_change="rerun")
    if not folded.open:
        return
    with folded:
        st.markdown(words.SHEET_ABOUT)
        sheet, students = _choose()
        try:
            students = tuple(class_of(sheet, students))
        except BJPError as why:
            st.info(prose(str(why)), icon=":material/info:")
            return
        with st.container(horizontal=True, vertical_alignment="center"):
            offer(_files(sheet, students), f"practice-sheet-{sheet.seed}", "practice")
            st.caption(sheet.title, width="stretch")


def _choose() -> tuple[Sheet, tuple[str, ...]]:
    """The sheet, and its students."""
    bar = st.container(horizontal=True, vertical_alignment="bottom")
    kinds = choices.SHEET_KINDS.menu(bar, words.KINDS, placeholder=words.ALL_KINDS, width=320)
    levels = choices.SHEET_LEVELS.buttons(bar, words.LEVELS, help=words.LEVELS_HELP)
    number = choices.SHEET_NUMBER.box(bar, words.NUMBER, width=120)
    seed = choices.SHEET_SEED.box(bar, words.SEED, help=words.SEED_HELP, width=130)
    each = choices.WHOSE.buttons(st, words.WHOSE) == "each"
    sheet = Sheet(tuple(kinds), tuple(levels), number, seed, per_student=each)
    text = ""
    if each:
        text = st.text_area(
            words.STUDENTS,
            key="practice-students",
            help=words.STUDENTS_HELP,
            persist_state="session",
        )
    return sheet, tuple(text.splitlines())


def _files(sheet: Sheet, students: tuple[str, ...]) -> list[Format]:
    """Every file of a sheet."""
    return [
        Format(
            "html" if name == "html" else f"{name}{form.ending}",
            form.title,
            form.mime,
            _ICONS[name],
            partial(form.write, sheet, students),
            problem=words.SAME_FOR_ALL if name == "html" and sheet.per_student else "",
        )
        for name, form in FORMATS.items()
    ]
