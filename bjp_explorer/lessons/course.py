"""The seven lessons in their order, and what the browser is sent of a step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from bjp_explorer.lessons import (
    bet,
    blanket,
    climb,
    counts,
    edges,
    hub,
    irregular,
)
from bjp_explorer.lessons.model import TEXTS, Lesson, Payload, Picks, Slider, Step, Verdict
from bjp_explorer.shell import caches
from bjp_explorer.shell.phrases import say

LESSONS: tuple[Lesson, ...] = (
    edges.LESSON,
    counts.LESSON,
    blanket.LESSON,
    hub.LESSON,
    bet.LESSON,
    climb.LESSON,
    irregular.LESSON,
)
# Name of the page, what to call the way there, and why to go.
DOORS = (
    ("step", say("closing.step_title"), say("closing.step_text")),
    ("practice", say("closing.practice_title"), say("closing.practice_text")),
    ("network", say("closing.network_title"), say("closing.network_text")),
)
# The lesson and the step of what comes after the last one.
CLOSING = (len(LESSONS), len(LESSONS[-1].steps) + 1)


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a question in this visit."""

    # What was picked last, or shown.
    picks: Picks
    # "open", "tried", "shown" where the answer was asked for, or "solved"; and what it was before.
    state: str
    before: str = "open"

    @property
    def done(self) -> bool:
        """Whether the answer is known."""
        return self.state in ("shown", "solved")

    @property
    def reached(self) -> str:
        """The best that became of it: once solved, solved."""
        return max(self.state, self.before, key=("open", "tried", "shown", "solved").index)


Answers = Mapping[tuple[int, int], Answer]


def has(lesson: object, step: object) -> bool:
    """Whether there is such a step; the closing page is one."""
    # The browser may send anything, and True is no 1 here.
    if type(lesson) is not int or type(step) is not int or not 1 <= lesson <= len(LESSONS):
        return False
    return 1 <= step <= len(LESSONS[lesson - 1].steps) or (lesson, step) == CLOSING


def state_of(number: int, answers: Answers, seen: Iterable[int]) -> str:
    """How far a lesson has come. "solved", "shown" (answered, with help), "begun" or "new"."""
    states = {
        answers[number, k + 1].reached if (number, k + 1) in answers else "open"
        for k in LESSONS[number - 1].questions
    }
    if states <= {"solved", "shown"}:
        return "solved" if states == {"solved"} else "shown"
    return "begun" if number in seen else "new"


def key_of(picks: Picks) -> str:
    """Picks as the browser looks up their scene."""
    flat = chain.from_iterable(p if isinstance(p, tuple) else (p,) for p in picks)
    return ",".join(map(str, flat))


def scenes_of(step: Step) -> dict[str, Payload]:
    """The view as it opens, and what of it differs for everything that can be clicked."""
    opening = step.view(())
    scenes = {key_of(picks): step.view(picks) for picks in step.touch.choices() if picks}
    return {"": opening} | {
        key: {part: shown for part, shown in scene.items() if shown != opening.get(part)}
        for key, scene in scenes.items()
    }


def payload(
    number: int,
    position: int,
    answers: Answers,
    seen: Iterable[int],
    *,
    restored: bool = True,
) -> Payload:
    """One step of a lesson or the closing page, for the view of that name.

    `restored` says whether the browser has sent the answers that it keeps.
    """
    scenes = _scenes_in(number, position)
    made = _payload(number, position, answers, seen) | {
        "words": TEXTS.table("view"),
        "restored": restored,
    }
    return {**TEXTS.put(made), "scenes": scenes}


def _scenes_in(number: int, position: int) -> dict[str, Payload]:
    """The views of a step; the closing page has an empty one."""
    if (number, position) == CLOSING:
        return {"": {}}

    def make() -> dict[str, Payload]:
        step = LESSONS[number - 1].steps[position - 1]
        found: dict[str, Payload] = TEXTS.put(scenes_of(step))
        return found

    return caches.drawn(("lesson", number, position), make)


def _payload(number: int, position: int, answers: Answers, seen: Iterable[int]) -> Payload:
    lesson = LESSONS[number - 1]
    states = [state_of(k, answers, seen) for k in range(1, len(LESSONS) + 1)]
    frame = {
        "id": f"{number}.{position}",
        "lesson": number,
        "step": position,
        "course": [
            {
                "title": each.title,
                "short": each.short,
                "steps": len(each.steps),
                "state": state,
            }
            for each, state in zip(LESSONS, states, strict=True)
        ],
        "steps": [
            {"title": each.title, "asks": each.question is not None, "state": _step_state(found)}
            for each, found in (
                (each, answers.get((number, k))) for k, each in enumerate(lesson.steps, 1)
            )
        ],
    }
    if (number, position) == CLOSING:
        # What the closing page says: its text, the lessons still open, the doors to other pages.
        solved = states.count("solved")
        left = [
            {"lesson": k, "title": lesson.title}
            for k, (lesson, state) in enumerate(zip(LESSONS, states, strict=True), 1)
            if state != "solved"
        ]
        some = say("view.solved_some", solved=solved, lessons=len(LESSONS))
        said = {
            "text": [say("view.recap"), some if left else say("view.solved_all", solved=solved)],
            "open": left,
            "doors": [{"page": page, "title": title, "text": text} for page, title, text in DOORS],
        }
        return {
            **frame,
            "touch": {"kind": "none", "hint": "", "sliders": []},
            "question": None,
            "stars": None,
            "title": say("closing.title"),
            "text": said["text"],
            "closing": {"open": said["open"], "doors": said["doors"]},
        }
    step = lesson.steps[position - 1]
    answer = answers.get((number, position))
    return {
        **frame,
        "title": step.title,
        "text": step.text,
        "touch": touch_of(step),
        "question": None if step.question is None else _question(step, answer),
        "stars": None if step.question or not lesson.stars else lesson.stars(),
        "closing": None,
    }


def _step_state(answer: Answer | None) -> str:
    return "open" if answer is None else answer.reached


def touch_of(step: Step) -> dict[str, Any]:
    """What a step's view answers to."""
    touch = step.touch
    sliders = touch.sliders
    if touch.kind == "frame" and not sliders:
        sliders = (Slider(say("view.slider"), ("",) * len(touch.choices())),)
    return {
        "kind": touch.kind,
        "hint": "" if step.question else step.hint,
        "sliders": [
            {"label": each.label, "values": list(each.values), "start": each.start}
            for each in sliders
        ],
    }


def verdict_of(verdict: Verdict) -> dict[str, Any]:
    """A verdict as the browser gets it."""
    return {
        "correct": verdict.correct,
        "sentence": verdict.sentence,
        "culprit": verdict.culprit,
    }


def _question(step: Step, answer: Answer | None) -> dict[str, Any]:
    """A question, and what was said to it so far; its solution only once it is known."""
    question = step.question
    assert question is not None
    done = answer is not None and answer.done
    state = "open" if answer is None else answer.state
    verdict = question.check(answer.picks) if answer and state != "open" else None
    return {
        "ask": step.ask,
        "kind": question.kind,
        "picks": [] if answer is None else list(answer.picks),
        "state": state,
        "verdict": None if verdict is None else verdict_of(verdict),
        "revealed": question.revealed() if done and question.revealed else None,
    }
