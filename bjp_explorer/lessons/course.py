"""The seven lessons in their order, and what the browser is sent of a step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from math import comb, perm
from pathlib import Path
from typing import Any

from bjp_engine.progress import Progress
from bjp_explorer.lessons import (
    bet,
    blanket,
    climb,
    counts,
    edges,
    hub,
    irregular,
)
from bjp_explorer.lessons.model import (
    TEXTS,
    AnswerKind,
    Lesson,
    Payload,
    Pick,
    Picks,
    Question,
    Slider,
    Step,
    Verdict,
)
from bjp_explorer.share.page import page
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
    made = _payload(number, position, answers, seen) | {"restored": restored}
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
        left = [
            {"lesson": k, "title": lesson.title}
            for k, (lesson, state) in enumerate(zip(LESSONS, states, strict=True), 1)
            if state != "solved"
        ]
        doors = [{"page": page, "title": title, "text": text} for page, title, text in DOORS]
        return {
            **frame,
            "touch": {"kind": "none", "hint": "", "sliders": []},
            "question": None,
            "stars": None,
            "title": say("closing.title"),
            "text": [say("closing.recap")],
            "closing": {"open": left, "doors": doors},
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
        sliders = (Slider("Go through", ("",) * len(touch.choices())),)
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


# --- The site -------------------------------------------------------------------------------------

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
        "steps": [_file_step(step) for step in LESSONS[number - 1].steps] if number else [],
        "stars": stars() if stars else None,
        "files": None if files is None else list(files),
    }
    payload: Payload = TEXTS.put(made)
    return payload


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


def _file_step(step: Step) -> dict[str, Any]:
    return {
        "title": step.title,
        "text": step.text,
        "touch": touch_of(step),
        "scenes": scenes_of(step),
        "question": _file_question(step),
    }


def _file_question(step: Step) -> dict[str, Any] | None:
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


# --- Verdicts -------------------------------------------------------------------------------------

# A question with more answers is not judged without the engine.
MOST_ANSWERS = 100_000
# How many picks an answer has at most, where that is not all of them.
_LONGEST: dict[AnswerKind, int] = {"pair": 2, "card": 1}


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


def sort_picks(kind: AnswerKind, picks: Picks) -> Picks:
    """An answer as it is judged: which of a set was picked first makes no difference."""
    return picks if kind == "order" else tuple(sorted(picks))


def count_answers(kind: AnswerKind, n: int) -> int:
    """How many answers a question has with so many candidates, the empty one included."""
    ways = perm if kind == "order" else comb
    return sum(ways(n, k) for k in range(_LONGEST.get(kind, n) + 1))


def verdict_tree(step: Step, most: int = MOST_ANSWERS) -> Payload | None:
    """The verdicts on all answers; None where there are too many to ask about.

    `candidates`; `verdicts`, each once; `nodes`, each with the verdict on the answer that ends
    there and a branch for each candidate that may follow, by its position; `root`. A branch is the
    position of a verdict if all that follows gets the same one, else −1 − that of a node.
    """
    question, choices = step.question, candidates(step)
    assert question is not None
    if count_answers(question.kind, len(choices)) > most:
        return None
    tree = _Tree(question, choices)
    root = tree.grow(())
    return {
        "candidates": list(choices),
        "verdicts": list(tree.verdicts.values()),
        "nodes": [[own, dict(branches)] for own, branches in tree.nodes],
        "root": root,
    }


@dataclass
class _Tree:
    """What was found so far; the position of each is its place in the dictionary."""

    question: Question
    choices: tuple[Pick, ...]
    verdicts: dict[Any, Verdict] = field(default_factory=dict)
    places: dict[Any, int] = field(default_factory=dict)
    nodes: dict[tuple[int, tuple[tuple[int, int], ...]], int] = field(default_factory=dict)

    def grow(self, picked: tuple[int, ...]) -> int:
        """The branch of all answers that begin so; picks by their positions."""
        own = self._judge(tuple(self.choices[k] for k in picked))
        branches = tuple((k, self.grow((*picked, k))) for k in self._following(picked))
        if all(branch == own for _, branch in branches):
            return own
        return -1 - self.nodes.setdefault((own, branches), len(self.nodes))

    def _following(self, picked: tuple[int, ...]) -> list[int]:
        n, kind = len(self.choices), self.question.kind
        if len(picked) >= _LONGEST.get(kind, n):
            return []
        if kind == "order":
            return [k for k in range(n) if k not in picked]
        return list(range(picked[-1] + 1 if picked else 0, n))

    def _judge(self, picks: Picks) -> int:
        verdict = self.question.check(picks)
        # A sentence is told by its parts: phrases hold dictionaries, which have no hash.
        key = repr(verdict)
        self.verdicts.setdefault(key, verdict)
        return self.places.setdefault(key, len(self.places))
