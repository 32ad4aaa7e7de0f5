"""The seven lessons in their order, what the browser is sent of a step, and lessons as files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bjp_explorer.lessons import bet, blanket, climb, counts, edges, hub, irregular
from bjp_explorer.lessons.model import TEXTS, Lesson, Payload, Picks, Slider, Step, Verdict, say
from bjp_explorer.share.page import page

LESSONS: tuple[Lesson, ...] = (
    edges.LESSON,
    counts.LESSON,
    blanket.LESSON,
    hub.LESSON,
    bet.LESSON,
    climb.LESSON,
    irregular.LESSON,
)
# The pages to which the closing page leads.
DOORS = ("step", "practice", "network")
# The lesson and the step of what comes after the last one.
CLOSING = (len(LESSONS), len(LESSONS[-1].steps) + 1)


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a question in this visit."""

    # What was picked last, or shown.
    picks: Picks = ()
    # "open", "tried", "shown" where the answer was asked for, or "solved"; and what it was before.
    state: str = "open"
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


def step_at(lesson: object, step: object) -> Step | None:
    """A step, or None where there is none; the closing page is none."""
    # The browser may send anything, and True is no 1 here.
    if type(lesson) is int and type(step) is int and 1 <= lesson <= len(LESSONS):
        steps = LESSONS[lesson - 1].steps
        return steps[step - 1] if 1 <= step <= len(steps) else None
    return None


def state_of(number: int, answers: Answers, seen: Iterable[int]) -> str:
    """How far a lesson has come. "solved", "shown" (answered, with help), "begun" or "new"."""
    asked = LESSONS[number - 1].questions
    states = {answers.get((number, k), Answer()).reached for k in asked}
    if states <= {"solved", "shown"}:
        return "solved" if states == {"solved"} else "shown"
    return "begun" if number in seen else "new"


def _entry(lesson: Lesson) -> Payload:
    """A lesson in the bar of progress."""
    short = say(f"{lesson.key}.short")
    return {"title": lesson.title, "short": short, "steps": len(lesson.steps)}


@cache
def _shown(step: Step) -> Payload:
    """What a step shows, and what its view answers to; made once for all."""
    touch = step.touch
    choices = [pick if isinstance(pick, tuple) else (pick,) for pick in touch.choices()]
    sliders = touch.sliders
    if touch.kind == "frame" and not sliders:
        sliders = (Slider("Go through", ("",) * len(choices)),)
    opening = step.view(())
    scenes = {_key_of(picks): step.view(picks) for picks in choices if picks}
    return {
        "title": step.title,
        "text": step.text,
        "touch": {
            "kind": touch.kind,
            "hint": "" if step.question else say(f"{step.key}.hint"),
            "sliders": [asdict(slider) for slider in sliders],
        },
        # The view as it opens, and what of it differs for everything that can be clicked.
        "scenes": {"": opening}
        | {
            key: {part: shown for part, shown in scene.items() if shown != opening.get(part)}
            for key, scene in scenes.items()
        },
    }


def _key_of(picks: Picks) -> str:
    """Picks as the browser looks up their scene."""
    return ",".join(",".join(map(str, p)) if isinstance(p, tuple) else str(p) for p in picks)


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
    lesson = LESSONS[number - 1]
    given = [answers.get((number, k), Answer()) for k in range(1, len(lesson.steps) + 1)]
    states = [state_of(k, answers, seen) for k in range(1, len(LESSONS) + 1)]
    frame = {
        "id": f"{number}.{position}",
        "lesson": number,
        "step": position,
        "restored": restored,
        "course": [
            _entry(each) | {"state": state} for each, state in zip(LESSONS, states, strict=True)
        ],
        "steps": [
            {"title": each.title, "asks": each.question is not None, "state": answer.reached}
            for each, answer in zip(lesson.steps, given, strict=True)
        ],
        "question": None,
        "stars": None,
        "closing": None,
    }
    if (number, position) == CLOSING:
        return frame | _closing(states)
    step = lesson.steps[position - 1]
    if step.question:
        asked: Payload = {"question": _question(step, given[position - 1])}
    else:
        asked = {"stars": lesson.stars() if lesson.stars else None}
    return frame | _shown(step) | asked


def _closing(states: list[str]) -> Payload:
    """The closing page: its text, the lessons still open, the doors to other pages."""
    left = [
        {"lesson": k, "title": lesson.title}
        for k, (lesson, state) in enumerate(zip(LESSONS, states, strict=True), 1)
        if state != "solved"
    ]
    doors = [
        {"page": page, "title": say(f"closing.{page}_title"), "text": say(f"closing.{page}_text")}
        for page in DOORS
    ]
    return {
        "title": say("closing.title"),
        "text": [say("closing.recap")],
        "touch": {"kind": "none", "hint": "", "sliders": []},
        "scenes": {"": {}},
        "closing": {"open": left, "doors": doors},
    }


def _question(step: Step, answer: Answer) -> Payload:
    """A question, and what was said to it so far; its solution only once it is known."""
    question = step.question
    assert question is not None
    return {
        "ask": step.ask,
        "kind": question.kind,
        "picks": list(answer.picks),
        "state": answer.state,
        "verdict": None if answer.state == "open" else asdict(question.check(answer.picks)),
        "revealed": question.revealed() if answer.done else None,
    }


# --- The site -------------------------------------------------------------------------------------

# The index and each lesson, beside one another.
FILES = ("index.html", *(f"lesson-{number}.html" for number in range(1, len(LESSONS) + 1)))


def write_lessons(folder: str | Path) -> list[Path]:
    """Write all lessons as a site: an index and a file for each, with relative links.

    The folder is made if it is missing; files of the same names are replaced. Returns the files,
    the index first.
    """
    texts = [lesson_page(number, FILES) for number in range(len(FILES))]
    Path(folder).mkdir(parents=True, exist_ok=True)
    written = [Path(folder) / name for name in FILES]
    for path, text in zip(written, texts, strict=True):
        path.write_text(text, "utf-8")
    return written


def lesson_page(number: int, files: tuple[str, ...] | None = None) -> str:
    """One lesson as an HTML file, by itself or with the addresses of all; 0 is the index."""
    said = TEXTS["page"]
    return page(
        "lesson",
        course_payload(number, files),
        title=LESSONS[number - 1].title if number else said["title"],
        about="" if number else said["about"],
        entry="course.js",
    )


def course_payload(number: int, files: tuple[str, ...] | None = None) -> Payload:
    """What a lesson's file holds; 0 is the index."""
    lesson = LESSONS[number - 1] if number else None
    return {
        "lesson": number,
        "course": [_entry(each) | {"asks": list(each.questions)} for each in LESSONS],
        "steps": [
            _shown(step) | {"question": _file_question(step) if step.question else None}
            for step in (lesson.steps if lesson else ())
        ],
        "stars": lesson.stars() if lesson and lesson.stars else None,
        "files": None if files is None else list(files),
    }


def _file_question(step: Step) -> Payload:
    question = step.question
    assert question is not None
    return {
        "ask": step.ask,
        "kind": question.kind,
        "answer": list(question.answer()),
        "tree": verdict_tree(step),
        "revealed": question.revealed(),
    }


# --- Verdicts -------------------------------------------------------------------------------------


def candidates(step: Step) -> Picks:
    """Everything that can be picked to answer a step's question, in ascending order."""
    scene, question = step.view(()), step.question
    assert question is not None
    if question.kind == "cells":
        terms = scene["matrix"]["terms"]
        return tuple(sorted(zip(terms["x"], terms["y"], strict=True)))
    if question.kind in ("cards", "card"):
        return tuple(range(len(scene.get("cards") or scene["networks"])))
    drawing = scene["networks"][0]
    # What is marked already is not asked for.
    fixed = {i for i, _ in drawing["roles"]} if question.kind == "nodes" else ()
    return tuple(k for k in range(len(drawing["names"])) if k not in fixed)


def verdict_tree(step: Step) -> Payload:
    """The verdicts on all answers: `candidates`; `verdicts`, each once; and the `root` of a tree.

    A branch is the position of a verdict where all answers that begin so get the same one. Else it
    is that of the verdict on the answer that ends there, and a branch for each candidate that may
    follow, by its position.
    """
    question, choices = step.question, candidates(step)
    assert question is not None
    kind, n = question.kind, len(choices)
    longest = {"pair": 2, "card": 1}.get(kind, n)
    places: dict[Verdict, int] = {}

    def grow(picked: tuple[int, ...]) -> Any:
        verdict = question.check(tuple(choices[k] for k in picked))
        own = places.setdefault(verdict, len(places))
        first = 0 if kind == "order" or not picked else picked[-1] + 1
        following = [k for k in range(first, n) if k not in picked] if len(picked) < longest else []
        branches = {str(k): grow((*picked, k)) for k in following}
        return own if all(branch == own for branch in branches.values()) else [own, branches]

    root = grow(())
    return {"candidates": list(choices), "verdicts": [*map(asdict, places)], "root": root}
