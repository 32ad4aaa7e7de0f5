"""Lessons as files: the same texts, numbers, views and verdicts as in the app."""

import json
from functools import cache
from itertools import combinations, permutations
from operator import itemgetter

from bjp_engine.cli import main
from bjp_explorer.lessons import course
from bjp_explorer.lessons.course import (
    FILES,
    LESSONS,
    candidates,
    course_payload,
    lesson_page,
    write_lessons,
)
from bjp_explorer.share.page import page
from tests.app.conftest import ROOT
from tests.app.lessons.test_lessons import ASKING, STEPS, at, compare_verdict, right_answers


def every_answer(kind, choices):
    longest = {"pair": 2, "card": 1}.get(kind, len(choices))
    ways = permutations if kind == "order" else combinations
    for size in range(longest + 1):
        yield from ways(choices, size)


def reader(tree):
    """How to look the verdict on an answer up, by the description of the tree."""
    places = {json.dumps(choice): str(k) for k, choice in enumerate(tree["candidates"])}
    place_of = cache(lambda pick: places[json.dumps(pick)])

    def look_up(picks):
        branch = tree["root"]
        for pick in picks:
            if isinstance(branch, list):
                branch = branch[1][place_of(pick)]
        return tree["verdicts"][branch[0] if isinstance(branch, list) else branch]

    return look_up


@cache
def lesson_file(lesson):
    return json.loads(json.dumps(course_payload(lesson)))


def test_every_answer_gets_the_right_verdict_in_the_app_and_in_its_file():
    counted = []
    for (lesson, step), right in zip(ASKING, right_answers(), strict=True):
        question, choices = at(lesson, step).question, candidates(at(lesson, step))
        tree = lesson_file(lesson)["steps"][step - 1]["question"]["tree"]
        look_up = reader(tree)
        counted.append(0)
        for picks in every_answer(question.kind, choices):
            verdict = question.check(picks)
            compare_verdict(lesson, picks, right, verdict)
            culprit = list(verdict.culprit) if type(verdict.culprit) is tuple else verdict.culprit
            expected = verdict.correct, verdict.sentence, culprit
            assert itemgetter("correct", "sentence", "culprit")(look_up(picks)) == expected
            counted[-1] += 1
        assert question.answer() == right
        assert len({json.dumps(verdict) for verdict in tree["verdicts"]}) == len(tree["verdicts"])
    # Sets of 4 nodes, 4 tables and 15 nodes, orders of 6, sets of 12 cells, pairs of 6, one of 3
    # networks; the empty answer is one of each.
    orders = 1 + 6 + 30 + 120 + 360 + 720 + 720
    assert counted == [16, 16, 2**15, orders, 2**12, 1 + 6 + 15, 1 + 3]
    assert f"{sum(counted):,} to the" in (ROOT / "docs" / "app.md").read_text("utf-8")


def test_a_file_shows_what_the_app_shows():
    for lesson, step in STEPS:
        here = lesson_file(lesson)["steps"][step - 1]
        asks = at(lesson, step).question
        done = {(lesson, step): course.Answer(asks.answer(), "shown")} if asks else {}
        there = json.loads(json.dumps(course.payload(lesson, step, done, ())))
        for name in ("title", "text", "touch", "scenes"):
            assert here[name] == there[name], (lesson, step)
        assert there["stars"] == (None if asks else lesson_file(lesson)["stars"]), (lesson, step)
        assert bool(asks) == bool(here["question"]), (lesson, step)
        for name, of in (("ask", "ask"), ("answer", "picks"), ("revealed", "revealed")):
            if asks:
                assert here["question"][name] == there["question"][of], (lesson, step)


def test_a_site_is_an_index_and_a_file_for_each_lesson(tmp_path, capsys):
    out = tmp_path / "site"
    written = write_lessons(out)
    assert [path.name for path in written] == list(FILES)
    assert sorted(path.name for path in out.iterdir()) == sorted(FILES)
    texts = [path.read_text("utf-8") for path in written]
    for number, text in enumerate(texts):
        # Lesson 4 has its samples with it.
        most = 700_000 if number == 4 else 400_000
        assert ('<html lang="en">' in text, len(text.encode()) < most) == (True, True), number
    assert "Lessons" in texts[0]
    payload, title = course_payload(7, FILES), LESSONS[6].title
    last = page("lesson", payload, title=title, entry="course.js")
    assert (out / "lesson-7.html").read_text("utf-8") == last
    assert "lesson-2.html" not in lesson_page(1)
    assert '"files":null' in lesson_page(1)

    # The command writes the same.
    command, again = ["share", "lessons", "--out"], tmp_path / "again"
    assert main([*command, str(again)]) == 0
    assert capsys.readouterr().out == f"written: {again / 'index.html'} and 7 lessons\n"
    assert [(again / name).read_text("utf-8") for name in FILES] == texts
    (tmp_path / "file").touch()
    assert main([*command, str(tmp_path / "file")]) == 2
    assert "file" in capsys.readouterr().err
