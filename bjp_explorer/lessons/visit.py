"""Where a visit stands in the lessons: the current step, answers given, the projector."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import streamlit as st

from bjp_explorer.lessons import closing
from bjp_explorer.lessons.course import CLOSING, LESSONS, Answer, has
from bjp_explorer.lessons.model import Picks, Question
from bjp_explorer.shell import links
from bjp_explorer.shell.choices import Field, Number, OneOf

KEY = "lesson-view"
_ANSWERS, _SEEN = "lesson-answers", "lesson-seen"
_RESTORED, _LEAVING = "lesson-restored", "lesson-leaving"
# More was never clicked.
MOST_PICKS = 400
LESSON = Number("lesson", "lesson-number", 1, 1, len(LESSONS))
# Larger letters, and nothing but the lesson.
PROJECTOR = OneOf("projector", "lesson-projector", "0", {"0": "off", "1": "on"})


@dataclass(frozen=True)
class _Step(Number):
    def read(self, text: str) -> int | float:
        # The step of a lesson that is none means nothing.
        return 1 if links.told() else super().read(text)


def step_choice() -> Number:
    """The step of the current lesson."""
    lesson = LESSON.get()
    last = CLOSING[1] if lesson == CLOSING[0] else len(LESSONS[lesson - 1].steps)
    return _Step("step", "lesson-step", 1, 1, last)


def fields() -> Iterator[Field]:
    """The page's choices; what steps there are depends on the lesson, which comes first."""
    yield LESSON
    yield step_choice()
    yield PROJECTOR


def at() -> tuple[int, int]:
    """Lesson and step, from 1."""
    return LESSON.get(), step_choice().get()


def answers() -> dict[tuple[int, int], Answer]:
    """What was answered in this visit, by lesson and step."""
    found: dict[tuple[int, int], Answer] = st.session_state.setdefault(_ANSWERS, {})
    return found


def opened_lessons() -> set[int]:
    """The lessons that were opened in this visit."""
    found: set[int] = st.session_state.setdefault(_SEEN, set())
    return found


def has_restored() -> bool:
    """Whether the browser has sent the answers that it keeps."""
    return bool(st.session_state.get(_RESTORED, False))


def take_leaving() -> str | None:
    """The page that was chosen on the closing page; asked once."""
    page: str | None = st.session_state.pop(_LEAVING, None)
    return page


def take_event() -> None:
    """Take up what was done in the component, before the page is drawn anew."""
    event = st.session_state[KEY].get("event")
    if isinstance(event, dict):
        take_up(event)


def take_up(event: dict[str, Any]) -> None:
    """One event of the component; what can't be understood is passed over."""
    what = event.get("what")
    if what == "projector":
        PROJECTOR.put("1" if event.get("on") is True else "0")
    elif what == "go":
        go(event.get("lesson"), event.get("step"))
    elif what == "restore":
        _restore(event.get("answers"))
    elif what == "forget":
        answers().clear()
        opened_lessons().clear()
    elif what == "open":
        if event.get("page") in [page for page, *_ in closing.DOORS]:
            st.session_state[_LEAVING] = event["page"]
    elif event.get("id") == "{}.{}".format(*at()) and at() != CLOSING:
        _take_answer(what, event.get("picks"))


def go(lesson: object, step: object) -> None:
    """Go to a step; where there is none, stay."""
    if has(lesson, step):
        LESSON.put(lesson)
        step_choice().put(step)


def _take_answer(what: object, picks: object) -> None:
    """An answer to the current question, or a request to be shown it."""
    here, given = at(), answers()
    question = LESSONS[here[0] - 1].steps[here[1] - 1].question
    if question is None:
        return
    before = given.get(here)
    if what == "again":
        given.pop(here, None)
    elif what == "show" and not (before and before.done):
        answer = question.answer()
        given[here] = Answer(answer, question.check(answer), "shown")
    elif what == "check" and not (before and before.done):
        read = read_picks(question, picks)
        if read is not None:
            verdict = question.check(read)
            given[here] = Answer(read, verdict, "solved" if verdict.correct else "tried")


def _restore(kept: object) -> None:
    """Answers that the browser kept from another visit: each is judged anew."""
    st.session_state[_RESTORED] = True
    for entry in kept[:MOST_PICKS] if isinstance(kept, list) else []:
        if not isinstance(entry, dict):
            continue
        here: Any = (entry.get("lesson"), entry.get("step"))
        if not has(*here) or here == CLOSING or here in answers():
            continue
        question = LESSONS[here[0] - 1].steps[here[1] - 1].question
        picks = None if question is None else read_picks(question, entry.get("picks"))
        if question is None or picks is None:
            continue
        verdict = question.check(picks)
        if verdict.correct:
            state = "shown" if entry.get("state") == "shown" else "solved"
            answers()[here] = Answer(picks, verdict, state)


def read_picks(question: Question, picks: object) -> Picks | None:
    """What was clicked, as the question takes it, or None where the view has no such thing."""
    if not isinstance(picks, list) or len(picks) > MOST_PICKS:
        return None
    scene = _opening(question)
    if scene is None:
        return None
    if question.kind == "cells":
        terms = scene["matrix"]["terms"]
        known = set(zip(terms["x"], terms["y"], strict=True))
        cells = [tuple(p) for p in picks if isinstance(p, list) and len(p) == 2]
        fits = len(cells) == len(picks) and set(cells) <= known
        return tuple(dict.fromkeys(cells)) if fits else None
    most = _most(question, scene)
    fits = all(isinstance(p, int) and not isinstance(p, bool) and 0 <= p < most for p in picks)
    return tuple(dict.fromkeys(picks)) if fits else None


def _opening(question: Question) -> dict[str, Any] | None:
    """The scene of the step that asks."""
    steps = (step for lesson in LESSONS for step in lesson.steps)
    return next((step.view(()) for step in steps if step.question is question), None)


def _most(question: Question, scene: dict[str, Any]) -> int:
    """How many nodes or cards there are."""
    if question.kind in ("cards", "card"):
        return len(scene.get("cards") or scene["networks"])
    return len(scene["networks"][0]["names"])
