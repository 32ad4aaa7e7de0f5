"""Lessons as files: each a page of its own with all its steps, and the verdict on every answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bjp_engine.progress import Progress
from bjp_explorer.lessons.course import (
    LESSONS,
    scenes_of,
    touch_of,
    verdict_of,
)
from bjp_explorer.lessons.model import TEXTS, Payload, Step
from bjp_explorer.lessons.verdicts import verdict_tree
from bjp_explorer.share.page import page

# The index and each lesson, beside one another.
FILES = ("index.html", *(f"lesson-{number}.html" for number in range(1, len(LESSONS) + 1)))


def lesson_page(number: int) -> str:
    """One lesson as an HTML file by itself, without the others."""
    return _page(number, None)


def write_lessons(folder: str | Path, progress: Progress | None = None) -> list[Path]:
    """Write all lessons as a site: an index and a file for each, with relative links.

    Parameters
    ----------
    folder : str or Path
        Made if it is missing; files of the same names are replaced.
    progress : Progress, optional
        Reports files; cancelled before the end, it leaves those that are written.

    Returns
    -------
    list of Path
        The files, the index first.
    """
    watch, place = progress or Progress(), Path(folder)
    index = _page(0, FILES)
    place.mkdir(parents=True, exist_ok=True)
    written = []
    for number, name in enumerate(FILES):
        watch.tick(number, len(FILES))
        text = _page(number, FILES) if number else index
        (place / name).write_text(text, "utf-8")
        written.append(place / name)
    watch.finish(len(FILES))
    return written


def course_payload(number: int, files: tuple[str, ...] | None = None) -> Payload:
    """What a lesson's file holds; 0 is the index."""
    stars = LESSONS[number - 1].stars if number else None
    made = {
        "lesson": number,
        "course": [
            {
                "title": lesson.title,
                "short": lesson.short,
                "steps": len(lesson.steps),
                "asks": [k + 1 for k in lesson.questions],
            }
            for lesson in LESSONS
        ],
        "steps": [_step(step) for step in LESSONS[number - 1].steps] if number else [],
        "stars": stars() if stars else None,
        "files": None if files is None else list(files),
    }
    payload: Payload = TEXTS.put(made)
    return {**payload, "words": TEXTS.table("view")}


def _page(number: int, files: tuple[str, ...] | None) -> str:
    said = TEXTS.table("page")
    title = LESSONS[number - 1].title if number else said["title"]
    return page(
        "lesson",
        course_payload(number, files),
        title=TEXTS.put(title),
        about="" if number else said["about"],
        entry="course.js",
    )


def _step(step: Step) -> dict[str, Any]:
    """A step with everything that can be seen in it."""
    return {
        "title": step.title,
        "text": step.text,
        "touch": touch_of(step),
        "scenes": scenes_of(step),
        "question": _question(step),
    }


def _question(step: Step) -> dict[str, Any] | None:
    """A question with its answer, and the verdict on every other one."""
    question, tree = step.question, None
    if question is None:
        return None
    if found := verdict_tree(step):
        tree = found | {"verdicts": [verdict_of(verdict) for verdict in found["verdicts"]]}
    return {
        "ask": step.ask,
        "kind": question.kind,
        "answer": list(question.answer()),
        "tree": tree,
        "revealed": question.revealed() if question.revealed else None,
    }
