"""What *Practice* shows: a run of questions, and the making of a sheet."""

from __future__ import annotations

from functools import lru_cache, partial

import streamlit as st

from bjp_engine.errors import BJPError
from bjp_engine.exercises import Sheet
from bjp_explorer.downloads.button import file_stem, offer
from bjp_explorer.downloads.formats import Format
from bjp_explorer.practice import choices, words
from bjp_explorer.practice.sheet_formats import FORMATS
from bjp_explorer.practice.sheet_page import class_of, run_payload, sheet_page
from bjp_explorer.shell import components
from bjp_explorer.shell.text import prose
from bjp_explorer.views.payloads import Payload

_ICONS = {
    "html": "edit_note",
    "print": "print",
    "solutions": "key",
    "moodle": "school",
    "qti": "inventory_2",
}


@lru_cache(maxsize=256)
def _run(sheet: Sheet) -> Payload:
    """Drawn once for all who follow a link."""
    return run_payload(sheet)


def show_run() -> None:
    """The questions, answered in the browser without another run of the page."""
    components.practice_view(_run(choices.run()), key=choices.VIEW, on_event=choices.take_event)


def show_sheet() -> None:
    """What a lecturer makes of questions: a code, and files."""
    folded = st.expander(words.SHEET, key="practice-sheet", on_change="rerun")
    if not folded.open:
        return
    with folded:
        st.markdown(words.SHEET_ABOUT)
        sheet, students, at_end = _choose()
        try:
            students = tuple(class_of(sheet, students))
            size = len(_page(sheet, students, at_end))
        except BJPError as why:
            st.info(prose(str(why)), icon=":material/info:")
            return
        st.caption(words.CODE)
        st.code(sheet.code, language=None)
        with st.container(horizontal=True, vertical_alignment="center"):
            offer(_files(sheet, students, at_end), file_stem(sheet.code), "practice")
            st.caption(f"{words.size(size, len(students))} {words.ANSWERS_INSIDE}", width="stretch")


def _choose() -> tuple[Sheet, tuple[str, ...], bool]:
    """The sheet, its students, and whether verdicts wait until its end."""
    bar = st.container(horizontal=True, vertical_alignment="bottom")
    kinds = choices.SHEET_KINDS.menu(bar, words.KINDS, placeholder=words.ALL_KINDS, width=320)
    levels = choices.SHEET_LEVELS.buttons(bar, words.LEVELS, help=words.LEVELS_HELP)
    number = choices.SHEET_NUMBER.box(bar, words.NUMBER, width=120)
    seed = choices.SHEET_SEED.box(bar, words.SEED, help=words.SEED_HELP, width=130)
    bar = st.container(horizontal=True, vertical_alignment="bottom")
    each = choices.WHOSE.buttons(bar, words.WHOSE) == "each"
    at_end = choices.WHEN.buttons(bar, words.WHEN) == "end"
    sheet = Sheet(tuple(kinds), tuple(levels), number, seed, per_student=each)
    text = ""
    if each:
        text = st.text_area(
            words.STUDENTS,
            key="practice-students",
            help=words.STUDENTS_HELP,
            persist_state="session",
        )
    return sheet, tuple(text.splitlines()), at_end


@lru_cache(maxsize=8)
def _page(sheet: Sheet, students: tuple[str, ...], at_end: bool) -> bytes:
    """The page to solve, which is made once to be measured and saved."""
    return sheet_page(sheet, students, at_end=at_end).encode()


def _files(sheet: Sheet, students: tuple[str, ...], at_end: bool) -> list[Format]:
    """Every file of a sheet."""
    found = []
    for name, icon in _ICONS.items():
        form = FORMATS[name]
        make = partial(form.write, sheet, students)
        # What is saved is what was measured.
        found.append(
            Format(
                "html" if name == "html" else f"{name}{form.ending}",
                form.title,
                form.mime,
                icon,
                partial(_page, sheet, students, at_end) if name == "html" else make,
                problem=words.ONE_AT_A_TIME if name == "qti" and len(students) > 1 else "",
            )
        )
    return found
