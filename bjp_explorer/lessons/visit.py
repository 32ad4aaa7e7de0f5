"""Where a visit stands in the lessons: the current step, and the answers given."""

from __future__ import annotations

import json
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
    state_of,
    step_at,
)
from bjp_explorer.lessons.model import Picks, Step
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
    first = next(left, None)
    return (first, 1) if first and answers() else None


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
        place: Any = (event.get("lesson"), event.get("step"))
        if step_at(*place) or place == CLOSING:
            LESSON.put(int(place[0]))
            step_choice().put(int(place[1]))
    elif what == "restore":
        _restore(event.get("answers"))
    elif what == "forget":
        answers().clear()
        opened_lessons().clear()
    elif what == "open":
        if event.get("page") in DOORS:
            st.session_state[_LEAVING] = event["page"]
    elif event.get("id") == "{}.{}".format(*at()):
        _take_answer(what, event.get("picks"))


def _take_answer(what: object, picks: object) -> None:
    """An answer to the current question, or a request to be shown it."""
    here, given = at(), answers()
    step = step_at(*here)
    if step is None or step.question is None:
        return
    answer = given.get(here, Answer())
    if what == "again":
        given[here] = Answer((), "open", answer.reached)
    elif what == "show" and not answer.done:
        given[here] = Answer(step.question.answer(), "shown", answer.reached)
    elif what == "check" and not answer.done and (read := read_picks(step, picks)) is not None:
        state = "solved" if step.question.check(read).correct else "tried"
        given[here] = Answer(read, state, answer.reached)


def _restore(kept: object) -> None:
    """Answers that the browser kept from another visit: each is judged anew."""
    st.session_state[_RESTORED] = True
    for entry in kept[:MOST_PICKS] if isinstance(kept, list) else []:
        if not isinstance(entry, dict):
            continue
        here: Any = (entry.get("lesson"), entry.get("step"))
        step = step_at(*here)
        if step is None or step.question is None or here in answers():
            continue
        picks = read_picks(step, entry.get("picks"))
        if picks is not None and step.question.check(picks).correct:
            state = "shown" if entry.get("state") == "shown" else "solved"
            answers()[here] = Answer(picks, state)


def read_picks(step: Step, picks: object) -> Picks | None:
    """What was clicked, as the question takes it, or None where the view has no such thing."""
    if not isinstance(picks, list) or len(picks) > MOST_PICKS:
        return None
    known = {json.dumps(pick): pick for pick in candidates(step)}
    read = [*dict.fromkeys(known.get(json.dumps(pick)) for pick in picks)]
    if None in read:
        return None
    # Which of a set was picked first makes no difference.
    is_order = step.question is not None and step.question.kind == "order"
    return tuple(read) if is_order else tuple(sorted(read))
