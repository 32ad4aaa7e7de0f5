"""A run of exercises for the browser, and a sheet as one HTML file that is solved in it.

All that a verdict needs is in the file, worked out by the engine: the browser looks answers up, and
draws no exercise.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
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


def run_payload(sheet: Sheet) -> Payload:
    """A run that nobody hands in."""
    return _payload(sheet.code, {"": sheet.questions()})


def sheet_page(
    sheet: Sheet, students: Sequence[str] = (), *, at_end: bool = False, title: str = ""
) -> str:
    """Write a sheet as a page of its own.

    Parameters
    ----------
    sheet : Sheet
    students : sequence of str
        Needed, and only looked at, where each student has questions of their own.
    at_end : bool
        Whether verdicts and solutions wait until the sheet is finished.
    title : str
        The heading; "Practice sheet" where there is none.

    Returns
    -------
    str
        The file. It holds no student's name.

    Raises
    ------
    OptionError
        If students are needed and missing, named twice, or too many.
    """
    variants = {key_of(one): sheet.questions(one) for one in class_of(sheet, students) if one}
    payload = _payload(sheet.code, variants or {"": sheet.questions()})
    payload["sheet"] = {"code": sheet.code, "at_end": at_end}
    return page("practice", payload, title=title or TITLE, about=sheet.code)


def class_of(sheet: Sheet, students: Iterable[str]) -> list[str]:
    """The students of a sheet, tidy and each once; one without a name where all have the same."""
    if not sheet.per_student:
        return [""]
    found: dict[str, str] = {}
    for student in filter(None, (tidy_student(plain(one, _LONGEST)) for one in students)):
        if key_of(student) in found:
            raise OptionError(f"{clip(student)} comes twice; give each student once.")
        found[key_of(student)] = student
    if not found:
        raise OptionError(
            "Each student has questions of their own on this sheet; name the students."
        )
    if len(found) > MOST_STUDENTS:
        raise OptionError(
            f"There are {len(found)} students; make sheets for groups of {MOST_STUDENTS} at most."
        )
    return list(found.values())


def key_of(student: str) -> str:
    """What a file knows of a student, as `studentKey` of frontend/logic/practice.js."""
    return f"{zlib.crc32(student.lower().encode()):08x}"


def _payload(identity: str, variants: dict[str, tuple[Exercise, ...]]) -> Payload:
    """Exercises as the frontend takes them."""
    exercises = {key: [_plain(one) for one in every] for key, every in variants.items()}
    asked = {one["kind"] for every in exercises.values() for one in every}
    kinds = {name: kind.title for name, kind in KINDS.items() if name in asked}
    return {"id": identity, "kinds": kinds, "variants": exercises, "sheet": None}


def _plain(exercise: Exercise) -> Payload:
    """An exercise as JSON has it."""
    return dict[str, Any](json.loads(exercise.to_json()))
