"""Lessons as files: the verdict on every answer is the engine's, the views are the app's."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
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


def reader(tree: dict[str, Any]) -> Callable[[tuple[Any, ...]], Any]:
    """How to look the verdict on an answer up, by the description of the tree."""
    places = {json.dumps(choice): str(k) for k, choice in enumerate(tree["candidates"])}
    place_of = cache(lambda pick: places[json.dumps(pick)])

    def look_up(picks: tuple[Any, ...]) -> Any:
        branch = tree["root"]
        for pick in picks:
            if branch < 0:
                branch = tree["nodes"][-1 - branch][1][place_of(pick)]
        return tree["verdicts"][branch if branch >= 0 else tree["nodes"][-1 - branch][0]]

    return look_up


@cache
def lesson_file(lesson: int, language: str) -> Any:
    """What a lesson's file holds, as the browser reads it."""
    return json.loads(json.dumps(course_payload(lesson, language)))


def test_every_answer_gets_the_verdict_of_its_check() -> None:
    counted = []
    for lesson, step in ASKING:
        question, choices = at(lesson, step).question, candidates(at(lesson, step))
        tree = lesson_file(lesson, "en")["steps"][step - 1]["question"]["tree"]
        look_up = reader(tree)
        counted.append(0)
        for picks in every_answer(question.kind, choices):
            verdict, found = question.check(picks), look_up(picks)
            assert found["correct"] == verdict.correct
            assert found["sentence"] == english(verdict.sentence)
            culprit = verdict.culprit
            assert found["culprit"] == (list(culprit) if isinstance(culprit, tuple) else culprit)
            counted[-1] += 1
        assert count_answers(question.kind, len(choices)) == counted[-1]
        assert look_up(question.answer())["correct"]
        assert len({json.dumps(verdict) for verdict in tree["verdicts"]}) == len(tree["verdicts"])
    # Sets of 4 nodes, 4 tables and 15 nodes, orders of 6, sets of 12 cells, of 2 nodes twice,
    # pairs of 6, one of 3 networks; the empty answer is one of each.
    orders = 1 + 6 + 30 + 120 + 360 + 720 + 720
    assert counted == [16, 16, 2**15, orders, 2**12, 4, 4, 1 + 6 + 15, 1 + 3]
    assert f"{sum(counted):,} to the" in (ROOT / "docs" / "app.md").read_text("utf-8")
    # Too many answers are not judged.
    assert verdict_tree(at(3, 4), most=2**15 - 1) is None
    assert verdict_tree(at(6, 4), most=4)


def test_a_file_shows_what_the_app_shows() -> None:
    for lesson, step in STEPS:
        here = lesson_file(lesson, "es")["steps"][step - 1]
        there = json.loads(json.dumps(course.payload(lesson, step, {}, (), language="es")))
        for name in ("title", "text", "touch", "scenes"):
            assert here[name] == there[name], (lesson, step)
        if not there["question"]:
            assert here["question"] is None
            continue
        done = {(lesson, step): course.Answer(at(lesson, step).question.answer(), "shown")}
        payload = course.payload(lesson, step, done, (), language="es")
        solved = json.loads(json.dumps(payload["question"]))
        for name, of in (("ask", "ask"), ("answer", "picks"), ("revealed", "revealed")):
            assert here["question"][name] == solved[of], (lesson, step)


def test_a_site_is_an_index_and_a_file_for_each_lesson(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, reports = tmp_path / "site", []
    written = write_lessons(out, "es", Progress(report=lambda *now: reports.append(now)))
    assert [path.name for path in written] == list(FILES)
    assert sorted(path.name for path in out.iterdir()) == sorted(FILES)
    assert reports == [(k, 9) for k in range(10)]
    texts = [path.read_text("utf-8") for path in written]
    for text in texts:
        assert '<html lang="es">' in text
        assert len(text.encode()) < LARGEST
    assert "Lecciones" in texts[0]
    payload, title = course_payload(8, "es", FILES), TEXTS.put(LESSONS[7].title, "es")
    last = page("lesson", payload, title=title, language="es", entry="course.js")
    assert (out / "lesson-8.html").read_text("utf-8") == last
    # A lesson alone links to no other.
    assert "lesson-2.html" not in lesson_page(1)
    assert '"files":null' in lesson_page(1)

    # The command writes the same.
    command, again = ["share", "lessons", "--out"], tmp_path / "again"
    assert main([*command, str(again), "--language", "es"]) == 0
    assert capsys.readouterr().out == f"written: {again / 'index.html'} and 8 lessons\n"
    assert [(again / name).read_text("utf-8") for name in FILES] == texts
    assert main([*command, str(again), "--language", "fr"]) == 2
    assert capsys.readouterr().err == "bjp: language must be one of en, es, not 'fr'.\n"
    (tmp_path / "file").touch()
    assert main([*command, str(tmp_path / "file")]) == 2
    assert "file" in capsys.readouterr().err


def test_what_fails_writes_nothing_and_what_is_cancelled_keeps_what_is_written(
    tmp_path: Path,
) -> None:
    with pytest.raises(OptionError, match="language must be one of en, es, not 'fr'"):
        write_lessons(tmp_path / "site", "fr")
    assert not list(tmp_path.iterdir())
    done: list[int] = []
    progress = Progress(lambda k, _: done.append(k), lambda: len(done) >= 2)
    with pytest.raises(Cancelled):
        write_lessons(tmp_path, progress=progress)
    assert [path.name for path in sorted(tmp_path.iterdir())] == list(FILES[: len(done)])


def test_files_of_lessons_and_sheets_are_made_without_what_the_app_runs_on() -> None:
    code = """
import sys
for name in ("streamlit", "plotly", "matplotlib", "pyvis"):
    sys.modules[name] = None
from bjp_engine.exercises import Sheet
from bjp_explorer.lessons.site import lesson_page
from bjp_explorer.practice.sheet_formats import FORMATS
assert "Blankets" in lesson_page(3)
assert all(form.write(Sheet(number=1), ()) for form in FORMATS.values())
"""
    subprocess.run([sys.executable, "-c", code], check=True)
