"""Where a visit stands in the lessons: the current step, and the answers given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import streamlit as st

from bjp_explorer.lessons.course import (
    CLOSING,
    DOORS,
    LESSONS,
    Answer,
    candidates,
    has,
    sort_picks,
    state_of,
)
from bjp_explorer.lessons.model import (
    Pick,
    Picks,
    Question,
)
from bjp_explorer.shell import links
from bjp_explorer.shell.choices import Field, Number

KEY = "lesson-view"
_ANSWERS, _SEEN = "lesson-answers", "lesson-seen"
_RESTORED, _LEAVING = "lesson-restored", "lesson-leaving"
# More was never clicked.
MOST_PICKS = 400
LESSON = Number("lesson", "lesson-number", 1, 1, len(LESSONS))


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


def reached() -> tuple[int, int] | None:
    """Where one left the lessons, or of a former visit the first lesson that is not solved."""
    if opened_lessons():
        return at()
    left = (k for k in range(1, len(LESSONS) + 1) if state_of(k, answers(), ()) != "solved")
    return (next(left, 1), 1) if answers() else None


def has_restored() -> bool:
    """Whether the browser has sent the answers that it keeps."""
    return bool(st.session_state.get(_RESTORED, False))


def take_leaving() -> str | None:
    """The page that was chosen on the closing page; asked once."""
    page: str | None = st.session_state.pop(_LEAVING, None)
    return page


def take_event(key: str = KEY) -> None:
    """Take up what was done in the component, before the page is drawn anew."""
    event = st.session_state[key].get("event")
    if isinstance(event, dict):
        take_up(event)


def take_up(event: dict[str, Any]) -> None:
    """One event of the component; what can't be understood is passed over."""
    what = event.get("what")
    if what == "go":
        go(event.get("lesson"), event.get("step"))
    elif what == "restore":
        _restore(event.get("answers"))
    elif what == "forget":
        answers().clear()
        opened_lessons().clear()
    elif what == "open":
        if event.get("page") in [page for page, *_ in DOORS]:
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
    answer = given.get(here, Answer((), "open"))
    if what == "again":
        given[here] = Answer((), "open", answer.reached)
    elif what == "show" and not answer.done:
        given[here] = Answer(question.answer(), "shown", answer.reached)
    elif what == "check" and not answer.done:
        read = read_picks(question, picks)
        if read is not None:
            state = "solved" if question.check(read).correct else "tried"
            given[here] = Answer(read, state, answer.reached)


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
        if question.check(picks).correct:
            state = "shown" if entry.get("state") == "shown" else "solved"
            answers()[here] = Answer(picks, state)


def read_picks(question: Question, picks: object) -> Picks | None:
    """What was clicked, as the question takes it, or None where the view has no such thing."""
    if not isinstance(picks, list) or len(picks) > MOST_PICKS:
        return None
    step = next((s for each in LESSONS for s in each.steps if s.question is question), None)
    if step is None:
        return None
    read, known = dict.fromkeys(map(_read_pick, picks)), candidates(step)
    found = tuple(pick for pick in read if pick in known)
    return sort_picks(question.kind, found) if len(found) == len(read) else None


def _read_pick(pick: object) -> Pick | None:
    """One of what was clicked; None for what is none."""
    if isinstance(pick, list) and len(pick) == 2 and all(type(k) is int for k in pick):
        return pick[0], pick[1]
    # True is no 1 here.
    return pick if type(pick) is int else None
