"""What *Practice* shows and lets one choose: a run of questions, and the making of a sheet."""

from __future__ import annotations

import secrets
from functools import lru_cache, partial

import streamlit as st

from bjp_engine.errors import BJPError
from bjp_engine.exercises import KINDS as KNOWN
from bjp_engine.exercises import Sheet
from bjp_explorer.downloads.button import offer
from bjp_explorer.downloads.formats import Format
from bjp_explorer.practice.sheets import FORMATS, MOST_STUDENTS, class_of, run_payload
from bjp_explorer.shell import components
from bjp_explorer.shell.choices import Field, Number, OneOf, SomeOf
from bjp_explorer.shell.text import prose
from bjp_explorer.views.payloads import Payload

_VIEW = "practice-view"
# Questions in a run, and the largest seed.
_RUN, _MOST_SEED = 10, 999_999
_TITLES = {name: kind.title for name, kind in KNOWN.items()}
_LEVELS = {1: "1 easy", 2: "2 medium", 3: "3 hard"}
LEVELS_HELP = "Questions come from every level chosen; from all three where none is."
# None is all.
KINDS = SomeOf("kinds", "practice-kinds", [], _TITLES)
LEVELS = SomeOf("levels", "practice-levels", [1], _LEVELS)
SEED = Number("seed", "practice-seed", None, 0, _MOST_SEED)
FIELDS: tuple[Field, ...] = (KINDS, LEVELS, SEED)
# Of a sheet.
_SHEET_KINDS = SomeOf("", "practice-sheet-kinds", [], _TITLES)
_SHEET_LEVELS = SomeOf("", "practice-sheet-levels", [1, 2], _LEVELS)
_SHEET_NUMBER = Number("", "practice-sheet-number", 10, 1, 40)
_SHEET_SEED = Number("", "practice-sheet-seed", 1, 0, _MOST_SEED)
_WHOSE = OneOf(
    "",
    "practice-sheet-whose",
    "same",
    {"same": "the same for all", "each": "different for each student"},
)
_ICONS = {"html": "edit_note", "print": "print", "solutions": "key", "moodle": "school"}


@lru_cache(maxsize=256)
def _run(sheet: Sheet) -> Payload:
    """Drawn once for all who follow a link."""
    return run_payload(sheet)


def show_run() -> None:
    """The questions, answered in the browser without another run of the page."""
    if SEED.get() is None:
        draw_seed()
    sheet = Sheet(tuple(KINDS.get()), tuple(LEVELS.get()), _RUN, SEED.get())
    components.show("practice", _run(sheet), key=_VIEW, event=_take_event)


def draw_seed() -> None:
    """Questions that nobody has had before."""
    SEED.put(secrets.randbelow(_MOST_SEED + 1))


def _take_event() -> None:
    """Ten more, as the summary of a run offers them: of all kinds, or of those that went wrong."""
    event = st.session_state[_VIEW].get("event")
    if not isinstance(event, dict) or event.get("what") != "more":
        return
    kinds = event.get("kinds")
    if isinstance(kinds, list) and kinds:
        KINDS.put([name for name in KNOWN if name in kinds])
    draw_seed()


def show_sheet() -> None:
    """What a lecturer makes of questions: files."""
    folded = st.expander("Make a sheet for a class", key="practice-sheet", on_change="rerun")
    if not folded.open:
        return
    with folded:
        st.markdown(
            "Students solve the sheet on paper, in a browser, or in Moodle, which marks it. "
            "Anybody can find the answers in the source of the page for a browser: it is to "
            "practise, not to examine."
        )
        sheet, names = _choose()
        try:
            students = tuple(class_of(sheet, names))
        except BJPError as why:
            st.info(prose(str(why)), icon=":material/info:")
            return
        files = [
            Format(
                "html" if name == "html" else f"{name}{form.ending}",
                form.title,
                form.mime,
                _ICONS[name],
                partial(form.write, sheet, students),
                problem="This page has the same questions for all."
                if name == "html" and sheet.per_student
                else "",
            )
            for name, form in FORMATS.items()
        ]
        with st.container(horizontal=True, vertical_alignment="center"):
            offer(files, f"practice-sheet-{sheet.seed}", "practice")
            st.caption(sheet.title, width="stretch")


def _choose() -> tuple[Sheet, tuple[str, ...]]:
    bar = st.container(horizontal=True, vertical_alignment="bottom")
    kinds = _SHEET_KINDS.menu(bar, "Kinds of questions", placeholder="all kinds", width=320)
    levels = _SHEET_LEVELS.buttons(bar, "Levels", help=LEVELS_HELP)
    number = _SHEET_NUMBER.box(bar, "Questions", width=120)
    seed = _SHEET_SEED.box(
        bar,
        "Seed",
        help="The same seed gives the same questions, another one others.",
        width=130,
    )
    each = _WHOSE.buttons(st, "Questions are") == "each"
    text = ""
    if each:
        text = st.text_area(
            "Students, one name or number on each line",
            key="practice-students",
            help=f"At most {MOST_STUDENTS}.",
            persist_state="session",
        )
    sheet = Sheet(tuple(kinds), tuple(levels), number, seed, per_student=each)
    return sheet, tuple(text.splitlines())
