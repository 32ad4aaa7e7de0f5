"""Where a visit stands in the lessons: the step in hand, answers given, the projector, the URL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from bjp_explorer.lesson_course import LESSONS, Answer
from bjp_explorer.lesson_model import Picks, Question

KEY = "lesson-view"
_AT, _ANSWERS, _SEEN, _PROJECTOR = "lesson-at", "lesson-answers", "lesson-seen", "lesson-projector"
_WRITTEN = "lesson-written"
# More was never clicked.
MOST_PICKS = 400


@dataclass(frozen=True, slots=True)
class Asked:
    """What a URL asks for.

    Parameters
    ----------
    lesson, step : int
        From 1.
    projector : bool
    wrong : str
        A sentence about what could not be read; empty where all is well.
    """

    lesson: int
    step: int
    projector: bool
    wrong: str


def read_url(query: dict[str, str]) -> Asked:
    """Read and check `lesson`, `step` and `projector`.

    Parameters
    ----------
    query : dict of str to str

    Returns
    -------
    Asked
        Lesson 1 where the lesson is none, the first step where the step is none.
    """
    wrong = ""
    lesson = _whole(query.get("lesson", "1"), len(LESSONS))
    if lesson is None:
        wrong = f"The link asks for a lesson that is none of 1 to {len(LESSONS)}; this is lesson 1."
        lesson, steps = 1, "1"
    else:
        steps = query.get("step", "1")
    most = len(LESSONS[lesson - 1].steps)
    step = _whole(steps, most)
    if step is None:
        wrong = f"Lesson {lesson} has the steps 1 to {most}; this is step 1."
        step = 1
    shown = query.get("projector", "0")
    if shown not in ("0", "1"):
        wrong = wrong or "In the link, projector is neither 0 nor 1; the projector view is off."
    return Asked(lesson, step, shown == "1", wrong)


def arrive() -> str:
    """Take up what the URL asks for, where it is not what this visit wrote there.

    Returns
    -------
    str
        What is wrong with the link, or nothing.
    """
    query = {k: st.query_params[k] for k in ("lesson", "step", "projector") if k in st.query_params}
    wrong = ""
    if query and query != st.session_state.get(_WRITTEN):
        asked = read_url(query)
        st.session_state[_AT] = (asked.lesson, asked.step)
        st.session_state[_PROJECTOR] = asked.projector
        wrong = asked.wrong
    lesson, step = at()
    seen().add(lesson)
    written = {"lesson": str(lesson), "step": str(step)} | (
        {"projector": "1"} if projector() else {}
    )
    st.session_state[_WRITTEN] = written
    for name in ("lesson", "step", "projector"):
        if name in written:
            if st.query_params.get(name) != written[name]:
                st.query_params[name] = written[name]
        elif name in st.query_params:
            del st.query_params[name]
    return wrong


def at() -> tuple[int, int]:
    """Lesson and step, from 1.

    Returns
    -------
    int, int
    """
    found: tuple[int, int] = st.session_state.setdefault(_AT, (1, 1))
    return found


def answers() -> dict[tuple[int, int], Answer]:
    """What was answered in this visit, by lesson and step.

    Returns
    -------
    dict
    """
    found: dict[tuple[int, int], Answer] = st.session_state.setdefault(_ANSWERS, {})
    return found


def seen() -> set[int]:
    """The lessons that were opened in this visit.

    Returns
    -------
    set of int
    """
    found: set[int] = st.session_state.setdefault(_SEEN, set())
    return found


def projector() -> bool:
    """Whether the page is shown on a projector.

    Returns
    -------
    bool
    """
    return bool(st.session_state.get(_PROJECTOR, False))


def happened() -> None:
    """Take up what was done in the component, before the page is drawn anew."""
    event = st.session_state[KEY].get("event")
    if isinstance(event, dict):
        take_up(event)


def take_up(event: dict[str, Any]) -> None:
    """One event of the component; what can't be understood is passed over.

    Parameters
    ----------
    event : dict
        `what` is "go" (with `lesson` and `step`), "check" (with `id` and `picks`), "show" or
        "again" (with `id`), or "projector" (with `on`).
    """
    what = event.get("what")
    if what == "projector":
        st.session_state[_PROJECTOR] = event.get("on") is True
    elif what == "go":
        asked = read_url({k: str(event.get(k)) for k in ("lesson", "step")})
        if not asked.wrong:
            st.session_state[_AT] = (asked.lesson, asked.step)
    elif event.get("id") == "{}.{}".format(*at()):
        _answered(what, event.get("picks"))


def _answered(what: object, picks: object) -> None:
    """An answer to the question in hand, or a request to be shown it."""
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


def read_picks(question: Question, picks: object) -> Picks | None:
    """What was clicked, as the question takes it.

    Parameters
    ----------
    question : Question
    picks : object
        From the browser: a list of numbers, or of pairs of numbers for cells.

    Returns
    -------
    tuple or None
        None where it is nothing that the view has.
    """
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
    lesson, step = at()
    found = LESSONS[lesson - 1].steps[step - 1]
    return found.view(()) if found.question is question else None


def _most(question: Question, scene: dict[str, Any]) -> int:
    """How many nodes or cards there are."""
    if question.kind in ("cards", "card"):
        return len(scene.get("cards") or scene["networks"])
    return len(scene["networks"][0]["names"])


def _whole(text: str, most: int) -> int | None:
    """A whole number from 1, or None."""
    return int(text) if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= most else None
