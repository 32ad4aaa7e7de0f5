"""Where a visit stands in the lessons: the current step, and the answers given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import comb, perm
from pathlib import Path
from typing import Any

import streamlit as st

from bjp_engine.progress import Progress
from bjp_explorer.lessons.course import (
    CLOSING,
    DOORS,
    LESSONS,
    Answer,
    has,
    scenes_of,
    touch_of,
    verdict_of,
)
from bjp_explorer.lessons.model import (
    TEXTS,
    AnswerKind,
    Payload,
    Pick,
    Picks,
    Question,
    Step,
    Verdict,
)
from bjp_explorer.share.page import page
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
    """The lesson and the step at which one left, or None before any was opened."""
    return at() if opened_lessons() else None


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
    return {
        "title": step.title,
        "text": step.text,
        "touch": touch_of(step),
        "scenes": scenes_of(step),
        "question": _question(step),
    }


def _question(step: Step) -> dict[str, Any] | None:
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
