"""Exercises against tests/oracles.py, and how answers are read and judged."""

import json
from dataclasses import replace
from itertools import product

import pytest

from bjp_engine.errors import OptionError
from bjp_engine.exercises import (
    KINDS,
    LEVELS,
    Exercise,
    Form,
    answer_text,
    judge,
    make_exercise,
)
from bjp_engine.exercises.records import Mistake, read_answer
from tests.exercise_answers import ANSWERS, check, check_many, seeing
from tests.refusals import assert_refused


@pytest.mark.parametrize(
    ("many", "seed"), [(297, 11), pytest.param(1000, 7, marks=pytest.mark.slow)]
)
def test_all_are_right_never_trivial_and_never_equal(many, seed):
    assert set(ANSWERS) == set(KINDS)
    assert check_many(many, seed=seed) == many


@pytest.mark.parametrize("kind", KINDS)
def test_an_exercise_is_repeated_and_checked_in_full(kind, monkeypatch):
    for level in LEVELS:
        one = make_exercise(kind, level, seed=12)
        assert (one.kind, one.level, one.seed) == (kind, level, 12)
        assert Exercise.from_json(one.to_json()) == one
        assert json.loads(one.to_json())["answer"] is not None
        assert make_exercise(kind, level, seed=13).canonical != one.canonical
        with monkeypatch.context() as patch:
            # Another kind changes none of the others.
            patch.setattr("bjp_engine.exercises.sheet.KINDS", dict(reversed(list(KINDS.items()))))
            assert make_exercise(kind, level, seed=12) == one
        # The oracle notices a wrong answer, and a right one among the mistakes.
        with seeing() as seen:
            one = make_exercise(kind, level, seed=5)
            check(one, seen)
            wrong = one.mistakes[0].answer
            for false in (
                replace(one, answer=wrong, accepted=(wrong,), mistakes=()),
                replace(one, mistakes=(Mistake(one.answer, "No."),)),
            ):
                with pytest.raises(AssertionError):
                    check(false, seen)


def test_what_is_shown_holds_the_answer_in_its_form():
    for kind, level, seed in product(KINDS, LEVELS, range(5)):
        one = make_exercise(kind, level, seed)
        what = kind, level, seed
        assert isinstance(one.answer, float) == (one.form == Form.NUMBER), what
        for answer in (*one.accepted, *(mistake.answer for mistake in one.mistakes)):
            assert read_answer(one, answer) == answer, what
            assert read_answer(one, answer_text(answer)) == answer, what
        for graph in one.picture.graphs:
            assert len(graph.positions) == len(set(graph.positions)) == len(graph.names), what
            assert all(0 <= value <= 1 for place in graph.positions for value in place), what
        for grid in one.picture.grids:
            assert {len(row) for row in grid.cells} == {len(grid.columns)}, what
            assert len(grid.cells) == len(grid.rows), what


def test_numbers_sets_and_orders_are_judged_each_by_its_rule():
    one, whole = make_exercise("posterior", 2, 0), make_exercise("distance", 1, 0)
    order, nodes = make_exercise("order", 1, 0), make_exercise("blanket", 1, 0)
    nodes = replace(nodes, answer=("A", "C"), accepted=(("A", "C"),), mistakes=())
    near, far = one.answer + 0.0099, one.answer + 0.0101
    for exercise, right, wrong in (
        (one, [near, f" {near:.6f} ".replace(".", ","), round(one.answer, 2)], [far]),
        # A number counted in a picture has no tolerance.
        (whole, [str(int(whole.answer))], [whole.answer + 0.01]),
        (nodes, ["c, a", {"A", "C"}], ["a"]),
        (order, [order.answer], [order.answer[::-1]]),
    ):
        for answer in right:
            assert judge(exercise, answer).correct, answer
        for answer in wrong:
            assert not judge(exercise, answer).correct, answer


def test_a_wrong_answer_is_told_how_far_it_is_off():
    """By hand; of several right sets the nearest counts."""
    sets, row = (("B", "C"), ("D",)), (tuple("BACDE"),)
    for kind, accepted, given, sentence in (
        ("blanket", sets, "A B", "1 node is missing, 1 node"),
        ("blanket", sets, "A B C D", "2 nodes are too many."),
        ("spared", (("a", "b", "c"),), "a", "2 options are missing."),
        ("distance", (5.0,), "6", "This is too high."),
        ("distance", (5.0,), "4", "This is too low."),
        ("order", row, "B A D C E", "The order is right up to A."),
        ("order", row, "A B C D E", "Another node is first."),
        ("flip", (("A", "B"),), "C D", "This is not the answer."),
    ):
        one = replace(make_exercise(kind), answer=accepted[0], accepted=accepted, mistakes=())
        assert judge(one, given).sentence.startswith(sentence), (kind, given)


def test_what_is_no_answer_is_wrong_and_says_so():
    answers = {
        "distance": {"give a number": ("five", "1e999", "nan", "1_0", "9" * 300, ["5"])},
        "blanket": {"names of nodes": ("Z", "A A", 3)},
        "order": {"every node once": ("A B",), "no answer": ("-", None, "")},
        "flip": {"two nodes": ("A B C", "A")},
        "spared": {"letters of options": ("z",)},
        "score": {"the letter of one option": ("a b", [[]])},
    }
    for kind, parts in answers.items():
        for part, given in parts.items():
            for answer in given:
                verdict = judge(make_exercise(kind), answer)
                assert not verdict.correct, (kind, answer)
                assert part in verdict.sentence, (kind, answer)


def test_bad_arguments_and_other_json_are_named():
    for arguments, part in (
        (("chess",), "kind='chess' is not known; use one of 'blanket'"),
        (("order", 4), "level=4 must be a whole number from 1 to 3"),
        (("order", True), "level"),
        (("order", 1, -1), "seed"),
        (("order", 1, 2**53), "seed"),
    ):
        assert_refused(OptionError, "^" + part, make_exercise, *arguments)
    for text in ("", "{}", "[]", "3", '{"kind": 1}', "[" * 100_000):
        assert_refused(OptionError, "no exercise", Exercise.from_json, text)


def test_a_table_is_the_same_question_however_it_is_turned():
    one = make_exercise("posterior", 2, 0)
    (grid,) = one.picture.grids
    turned = replace(grid, cells=tuple(zip(*grid.cells[::-1], strict=True)))
    again = replace(one, picture=replace(one.picture, grids=(turned,)))
    assert again.canonical == one.canonical
    other = replace(grid, cells=(("9", "9"), ("9", "8")))
    assert replace(one, picture=replace(one.picture, grids=(other,))).canonical != one.canonical
