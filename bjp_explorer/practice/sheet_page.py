"""A run of exercises for the browser, and a sheet as one HTML file to practise on.

All that a verdict needs is in the file, worked out by the engine: the browser looks answers up, and
draws no exercise.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from bjp_engine.errors import OptionError, clip
from bjp_engine.exercises import KINDS, Exercise, Sheet
from bjp_engine.exercises.sheet import tidy_student
from bjp_explorer.share.page import page
from bjp_explorer.shell.text import plain
from bjp_explorer.views.payloads import Payload

TITLE = "Practice sheet"
# Where each student has questions of their own; a larger class is several groups.
MOST_STUDENTS = 200
_LONGEST = 100


def run_payload(sheet: Sheet, *, more: bool = True) -> Payload:
    """A run of questions; `more` offers ten others at its end."""
    questions = sheet.questions()
    asked = {one.kind for one in questions}
    kinds = {name: kind.title for name, kind in KINDS.items() if name in asked}
    exercises = [_plain(one) for one in questions]
    return {"id": sheet.title, "kinds": kinds, "exercises": exercises, "more": more}


def sheet_page(sheet: Sheet, *, title: str = "") -> str:
    """A sheet, the same for all, as a page of its own; "Practice sheet" where it has no title."""
    if sheet.per_student:
        raise OptionError(
            "A page to practise on has the same questions for all; print the sheet or write it "
            "for Moodle instead."
        )
    payload = run_payload(sheet, more=False)
    return page("practice", payload, title=title or TITLE, about=sheet.title)


def class_of(sheet: Sheet, students: Iterable[str]) -> list[str]:
    """The students of a sheet, tidy and each once; one without a name where all have the same."""
    if not sheet.per_student:
        return [""]
    found: dict[str, str] = {}
    for student in filter(None, (tidy_student(plain(one, _LONGEST)) for one in students)):
        if student.casefold() in found:
            raise OptionError(f"{clip(student)} comes twice; give each student once.")
        found[student.casefold()] = student
    if not found:
        raise OptionError(
            "Each student has questions of their own on this sheet; name the students."
        )
    if len(found) > MOST_STUDENTS:
        raise OptionError(
            f"There are {len(found)} students; make sheets for groups of {MOST_STUDENTS} at most."
        )
    return list(found.values())


def _plain(exercise: Exercise) -> Payload:
    """An exercise as JSON has it."""
    return dict[str, Any](json.loads(exercise.to_json()))
