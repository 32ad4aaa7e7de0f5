"""Lessons as files: the verdict on every answer is the engine's, the views are the app's."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import pytest

from bjp_engine.cli import main
from bjp_engine.errors import Cancelled, OptionError
from bjp_engine.progress import Progress
from bjp_explorer.lessons import course
from bjp_explorer.lessons.course import LESSONS
from bjp_explorer.lessons.site import FILES, course_payload, lesson_page, write_lessons
from bjp_explorer.lessons.verdicts import candidates, count_answers, verdict_tree
from bjp_explorer.lessons.words import TEXTS
from bjp_explorer.share.page import page
from tests.app.conftest import ROOT
from tests.app.lessons.test_lessons import ASKING, STEPS, at, english

LARGEST = 400_000  # bytes


def every_answer(kind: str, choices: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """All that can be picked, by itertools."""
    longest = {"pair": 2, "card": 1}.get(kind, len(choices))
    ways = permutations if kind == "order" else combinations
    for size in range(longest + 1):
        yield from ways(choices, size)


def look_up(tree: dict[str, Any], picks: tuple[Any, ...]) -> Any:
    """The verdict on an answer, by the description of the tree and as JSON has it."""
    places = [json.dumps(choice) for choice in tree["candidates"]]
    branch = tree["root"]
    for pick in picks:
        if branch < 0:
            branch = tree["nodes"][-1 - branch][1][str(places.index(json.dumps(pick)))]
    return tree["verdicts"][branch if branch >= 0 else tree["nodes"][-1 - branch][0]]


@cache
def lesson_file(lesson: int, language: str) -> Any:
    """What a lesson's file holds, as the browser reads it."""
    return json.loads(json.dumps(course_payload(lesson, language)))


@pytest.mark.parametrize(("lesson", "step"), ASKING)
def test_every_answer_gets_the_verdict_of_its_check(lesson: int, step: int) -> None:
    question = at(lesson, step).question
    tree = lesson_file(lesson, "en")["steps"][step - 1]["question"]["tree"]
    for picks in every_answer(question.kind, candidates(at(lesson, step))):
        verdict, found = question.check(picks), look_up(tree, picks)
        assert found["correct"] == verdict.correct
        assert found["sentence"] == english(verdict.sentence)
        culprit = verdict.culprit
        assert found["culprit"] == (list(culprit) if isinstance(culprit, tuple) else culprit)
    assert look_up(tree, question.answer())["correct"]
    assert len({json.dumps(verdict) for verdict in tree["verdicts"]}) == len(tree["verdicts"])


def test_how_many_answers_there_are() -> None:
    counted = {}
    for lesson, step in ASKING:
        kind, choices = at(lesson, step).question.kind, candidates(at(lesson, step))
        counted[lesson, step] = sum(1 for _ in every_answer(kind, choices))
        assert count_answers(kind, len(choices)) == counted[lesson, step]
    # Sets of 4 nodes, 4 tables and 15 nodes, orders of 6, sets of 12 cells, of 2 nodes twice,
    # pairs of 6, one of 3 networks; the empty answer is one of each.
    orders = 1 + 6 + 30 + 120 + 360 + 720 + 720
    assert list(counted.values()) == [16, 16, 2**15, orders, 2**12, 4, 4, 1 + 6 + 15, 1 + 3]
    text = (ROOT / "docs" / "app.md").read_text("utf-8")
    assert f"{sum(counted.values()):,} to the" in text


def test_too_many_answers_are_not_judged() -> None:
    assert verdict_tree(at(3, 4), most=2**15 - 1) is None
    assert verdict_tree(at(6, 4), most=4)


@pytest.mark.parametrize(("lesson", "step"), STEPS)
def test_a_file_shows_what_the_app_shows(lesson: int, step: int) -> None:
    here = lesson_file(lesson, "es")["steps"][step - 1]
    there = json.loads(json.dumps(course.payload(lesson, step, {}, (), language="es")))
    for name in ("title", "text", "touch", "scenes"):
        assert here[name] == there[name]
    if there["question"]:
        done = {(lesson, step): course.Answer(at(lesson, step).question.answer(), "shown")}
        payload = course.payload(lesson, step, done, (), language="es")
        solved = json.loads(json.dumps(payload["question"]))
        assert here["question"]["ask"] == solved["ask"]
        assert here["question"]["answer"] == solved["picks"]
        assert here["question"]["revealed"] == solved["revealed"]
    else:
        assert here["question"] is None


def test_a_site_is_an_index_and_a_file_for_each_lesson(tmp_path: Path) -> None:
    reports: list[tuple[int, int]] = []
    progress = Progress(report=lambda done, total: reports.append((done, total)))
    written = write_lessons(tmp_path / "site", "es", progress)
    assert [path.name for path in written] == list(FILES)
    assert sorted(path.name for path in (tmp_path / "site").iterdir()) == sorted(FILES)
    assert reports == [(k, 9) for k in range(10)]
    for path in written:
        text = path.read_text("utf-8")
        assert '<html lang="es">' in text
        assert len(text.encode()) < LARGEST
    assert "Lecciones" in written[0].read_text("utf-8")


def test_a_lesson_by_itself_links_to_no_other() -> None:
    assert "lesson-2.html" not in lesson_page(1)
    assert '"files":null' in lesson_page(1)


def test_a_language_that_is_none_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="language must be one of en, es, not 'fr'"):
        write_lessons(tmp_path / "site", "fr")
    assert not list(tmp_path.iterdir())


def test_what_is_cancelled_keeps_what_is_written(tmp_path: Path) -> None:
    done: list[int] = []
    progress = Progress(lambda k, _: done.append(k), lambda: len(done) >= 2)
    with pytest.raises(Cancelled):
        write_lessons(tmp_path, progress=progress)
    assert [path.name for path in sorted(tmp_path.iterdir())] == list(FILES[: len(done)])


def test_by_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "site"
    assert main(["share", "lessons", "--out", str(out), "--language", "es"]) == 0
    assert capsys.readouterr().out == f"written: {out / 'index.html'} and 8 lessons\n"
    assert (out / "lesson-8.html").read_text("utf-8") == lesson_page_of_site(8)
    assert main(["share", "lessons", "--out", str(out), "--language", "fr"]) == 2
    assert capsys.readouterr().err == "bjp: language must be one of en, es, not 'fr'.\n"
    (tmp_path / "file").touch()
    assert main(["share", "lessons", "--out", str(tmp_path / "file")]) == 2
    assert "file" in capsys.readouterr().err


def lesson_page_of_site(number: int) -> str:
    """A lesson's file as its payload describes it."""
    payload = course_payload(number, "es", FILES)
    title = TEXTS.put(LESSONS[number - 1].title, "es")
    return page("lesson", payload, title=title, language="es", entry="course.js")


def test_files_are_made_without_what_the_app_runs_on() -> None:
    code = """
import sys
for name in ("streamlit", "plotly", "matplotlib", "pyvis"):
    sys.modules[name] = None
from bjp_explorer.lessons.site import lesson_page
assert "Blankets" in lesson_page(3)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)
