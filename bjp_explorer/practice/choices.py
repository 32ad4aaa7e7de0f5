"""What can be chosen on *Practice*: kinds, levels and seed, and what a sheet is made of."""

from __future__ import annotations

import secrets

import streamlit as st

from bjp_engine.exercises import KINDS as KNOWN
from bjp_engine.exercises import LEVELS as ALL_LEVELS
from bjp_engine.exercises import Sheet
from bjp_explorer.practice import words
from bjp_explorer.shell.choices import Field, Number, OneOf, SomeOf

VIEW = "practice-view"
# Questions in a run.
RUN = 10
_MOST_SEED, _MOST_QUESTIONS = 999_999, 40
_TITLES = {name: kind.title for name, kind in KNOWN.items()}
_LEVELS = {level: words.LEVEL_NAMES[level] for level in ALL_LEVELS}

# None is all.
KINDS = SomeOf("kinds", "practice-kinds", [], _TITLES)
LEVELS = SomeOf("levels", "practice-levels", [1], _LEVELS)
SEED = Number("seed", "practice-seed", None, 0, _MOST_SEED)
FIELDS: tuple[Field, ...] = (KINDS, LEVELS, SEED)

# Of a sheet.
SHEET_KINDS = SomeOf("", "practice-sheet-kinds", [], _TITLES)
SHEET_LEVELS = SomeOf("", "practice-sheet-levels", [1, 2], _LEVELS)
SHEET_NUMBER = Number("", "practice-sheet-number", 10, 1, _MOST_QUESTIONS)
SHEET_SEED = Number("", "practice-sheet-seed", 1, 0, _MOST_SEED)
WHOSE = OneOf("", "practice-sheet-whose", "same", words.WHOSE_NAMES)


def run() -> Sheet:
    """The questions of the run; the first visit draws a seed."""
    if SEED.get() is None:
        draw_seed()
    return Sheet(tuple(KINDS.get()), tuple(LEVELS.get()), RUN, SEED.get())


def draw_seed() -> None:
    """Questions that nobody has had before."""
    SEED.put(secrets.randbelow(_MOST_SEED + 1))


def take_event() -> None:
    """Ten more, as the summary of a run offers them: of all kinds, or of those that went wrong."""
    event = st.session_state[VIEW].get("event")
    if not isinstance(event, dict) or event.get("what") != "more":
        return
    kinds = event.get("kinds")
    if isinstance(kinds, list) and kinds:
        KINDS.put([name for name in KNOWN if name in kinds])
    draw_seed()
