"""Practice: new questions each time, answered in the picture, and sheets of them for a class."""

from __future__ import annotations

import secrets
from functools import partial

import streamlit as st

from bjp_engine.errors import BJPError
from bjp_engine.exercises import KINDS as KNOWN
from bjp_engine.exercises import Sheet
from bjp_explorer.app import frame
from bjp_explorer.downloads.button import offer
from bjp_explorer.downloads.formats import Format
from bjp_explorer.practice.sheets import FORMATS, MOST_STUDENTS, class_of, run_payload
from bjp_explorer.shell import caches, components, links
from bjp_explorer.shell.choices import Number, OneOf, SomeOf
from bjp_explorer.shell.text import prose

VIEW = "practice-view"
# The largest seed.
MOST_SEED = 999_999
TITLES = {name: kind.title for name, kind in KNOWN.items()}
LEVELS_OF = {1: "1 easy", 2: "2 medium", 3: "3 hard"}
LEVELS_HELP = "Questions come from every level chosen; from all three where none is."
# Of ten questions; no kinds are all.
KINDS = SomeOf("kinds", "practice-kinds", [], TITLES)
LEVELS = SomeOf("levels", "practice-levels", [1], LEVELS_OF)
SEED = Number("seed", "practice-seed", None, 0, MOST_SEED)
# Of a sheet.
SHEET_KINDS = SomeOf("", "practice-sheet-kinds", [], TITLES)
SHEET_LEVELS = SomeOf("", "practice-sheet-levels", [1, 2], LEVELS_OF)
SHEET_NUMBER = Number("", "practice-sheet-number", 10, 1, 40)
SHEET_SEED = Number("", "practice-sheet-seed", 1, 0, MOST_SEED)
WHOSE = OneOf(
    "",
    "practice-sheet-whose",
    "same",
    {"same": "the same for all", "each": "different for each student"},
)
ICONS = {"html": "edit_note", "print": "print", "solutions": "key", "moodle": "school"}


def draw_seed() -> None:
    """Questions that nobody has had before."""
    SEED.put(secrets.randbelow(MOST_SEED + 1))


def take_event() -> None:
    """Ten more, as the summary of a run offers them: of all kinds, or of those that went wrong."""
    event = st.session_state[VIEW].get("event")
    if not isinstance(event, dict) or event.get("what") != "more":
        return
    kinds = event.get("kinds")
    if isinstance(kinds, list) and kinds:
        KINDS.put([name for name in KNOWN if name in kinds])
    draw_seed()


def show_sheet() -> None:
    """What a lecturer makes of questions: files."""
    st.markdown(
        "Students solve the sheet on paper, in a browser, or in Moodle, which marks it. "
        "Anybody can find the answers in the source of the page for a browser: it is to "
        "practise, not to examine."
    )
    bar = st.container(horizontal=True, vertical_alignment="bottom")
    kinds = SHEET_KINDS.menu(bar, "Kinds of questions", placeholder="all kinds", width=320)
    levels = SHEET_LEVELS.buttons(bar, "Levels", help=LEVELS_HELP)
    number = SHEET_NUMBER.box(bar, "Questions", width=120)
    about = "The same seed gives the same questions, another one others."
    seed = SHEET_SEED.box(bar, "Seed", help=about, width=130)
    each, names = WHOSE.buttons(st, "Questions are") == "each", ""
    if each:
        names = st.text_area(
            "Students, one name or number on each line",
            key="practice-students",
            help=f"At most {MOST_STUDENTS}.",
            persist_state="session",
        )
    sheet = Sheet(tuple(kinds), tuple(levels), number, seed, per_student=each)
    try:
        students = class_of(sheet, names.splitlines())
    except BJPError as why:
        st.info(prose(str(why)), icon=":material/info:")
        return
    files = [
        Format(
            "html" if name == "html" else f"{name}{form.ending}",
            form.title,
            form.mime,
            ICONS[name],
            partial(form.write, sheet, students),
            problem="This page has the same questions for all." if name == "html" and each else "",
        )
        for name, form in FORMATS.items()
    ]
    with st.container(horizontal=True, vertical_alignment="center"):
        offer(files, f"practice-sheet-{sheet.seed}", "practice")
        st.caption(sheet.title, width="stretch")


links.read((KINDS, LEVELS, SEED))
bar = st.container(horizontal=True, vertical_alignment="center", key="practice-head")
frame.heading(
    "Ten new questions at a time, answered in the picture. Typical mistakes are explained, and "
    "every question has a worked solution.",
    bar,
)
KINDS.menu(
    bar, "Kinds of questions", placeholder="all kinds", width=210, label_visibility="collapsed"
)
LEVELS.buttons(bar, "Levels", help=LEVELS_HELP)
bar.button(
    "Another ten",
    key="practice-more",
    help="Ten new questions. The address names them, so a link gives others the same ten.",
    on_click=draw_seed,
)
links.copy_button(bar)
if SEED.get() is None:
    draw_seed()
# Answered in the browser without another run of the page; drawn once for all who follow a link.
run = Sheet(tuple(KINDS.get()), tuple(LEVELS.get()), 10, SEED.get())
questions = caches.drawn(("practice", run), lambda: run_payload(run))
components.show("practice", questions, key=VIEW, event=take_event)
folded = st.expander("Make a sheet for a class", key="practice-sheet", on_change="rerun")
if folded.open:
    with folded:
        show_sheet()
links.keep((KINDS, LEVELS, SEED))
