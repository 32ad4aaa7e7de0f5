"""Exercises against tests/oracles.py, and how answers are read and judged."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

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
    read_answer,
)
from bjp_engine.exercises.records import Mistake
from tests.exercise_answers import ANSWERS, check, check_many, seeing

EVERY = [(kind, level) for kind in KINDS for level in LEVELS]


def test_three_hundred_are_right_never_trivial_and_never_equal() -> None:
    assert set(ANSWERS) == set(KINDS)
    assert check_many(297, seed=11) == 297


@pytest.mark.slow
def test_ten_thousand_are_right_never_trivial_and_never_equal() -> None:
    assert check_many(10_000, seed=7) == 10_000


@pytest.mark.parametrize(("kind", "level"), EVERY)
def test_the_oracle_notices_a_wrong_answer(kind: str, level: int) -> None:
    with seeing() as seen:
        one = make_exercise(kind, level, seed=5)
        check(one, seen)
        wrong = one.mistakes[0].answer
        false = replace(one, answer=wrong, accepted=(wrong,), mistakes=())
        with pytest.raises(AssertionError):
            check(false, seen)
        with pytest.raises(AssertionError):
            check(replace(one, mistakes=(Mistake(one.answer, "No."),)), seen)


@pytest.mark.parametrize(("kind", "level"), EVERY)
def test_the_same_again_also_through_json(kind: str, level: int) -> None:
    one = make_exercise(kind, level, seed=12)
    assert make_exercise(kind, level, seed=12) == one
    assert Exercise.from_json(one.to_json()) == one
    assert json.loads(one.to_json())["answer"] is not None
    assert (one.kind, one.level, one.seed) == (kind, level, 12)
    assert make_exercise(kind, level, seed=13).canonical != one.canonical


def test_a_new_kind_changes_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    from bjp_engine.exercises import kinds

    before = make_exercise("order", 1, 3)
    monkeypatch.setattr(kinds, "KINDS", dict(reversed(list(KINDS.items()))))
    assert make_exercise("order", 1, 3) == before


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_shown_holds_the_answer_in_its_form(kind: str) -> None:
    for level in LEVELS:
        for seed in range(5):
            one = make_exercise(kind, level, seed)
            assert isinstance(one.answer, float) == (one.form == Form.NUMBER)
            for answer in (*one.accepted, *(mistake.answer for mistake in one.mistakes)):
                assert read_answer(one, answer) == answer
                assert read_answer(one, answer_text(answer)) == answer
            for graph in one.picture.graphs:
                assert len(graph.positions) == len(set(graph.positions)) == len(graph.names)
                assert all(0 <= value <= 1 for place in graph.positions for value in place)
            for grid in one.picture.grids:
                assert {len(row) for row in grid.cells} == {len(grid.columns)}
                assert len(grid.cells) == len(grid.rows)


def test_numbers_are_right_within_the_tolerance_and_not_beyond() -> None:
    one = make_exercise("posterior", 2, 0)
    assert isinstance(one.answer, float)
    near, far = one.answer + 0.0099, one.answer + 0.0101
    assert judge(one, near).correct
    assert not judge(one, far).correct
    assert judge(one, f" {near:.6f} ".replace(".", ",")).correct
    assert judge(one, round(one.answer, 2)).correct
    # A number counted in a picture has no tolerance.
    whole = make_exercise("distance", 1, 0)
    assert isinstance(whole.answer, float)
    assert judge(whole, str(int(whole.answer))).correct
    assert not judge(whole, whole.answer + 0.01).correct


def test_sets_have_no_order_and_orders_have_one() -> None:
    nodes = next(
        one
        for one in (make_exercise("blanket", 1, seed) for seed in range(9))
        if isinstance(one.answer, tuple) and len(one.answer) > 1
    )
    assert isinstance(nodes.answer, tuple)
    assert judge(nodes, ", ".join(nodes.answer[::-1]).lower()).correct
    assert judge(nodes, set(nodes.answer)).correct
    order = make_exercise("order", 1, 0)
    assert isinstance(order.answer, tuple)
    assert judge(order, order.answer).correct
    assert not judge(order, order.answer[::-1]).correct


@pytest.mark.parametrize(
    ("kind", "change", "sentence"),
    [
        (
            "blanket",
            {"accepted": (("B", "C"), ("D",)), "given": "A B"},
            "1 node is missing, 1 node",
        ),
        (
            "blanket",
            {"accepted": (("B", "C"), ("D",)), "given": "A B C D"},
            "2 nodes are too many.",
        ),
        ("spared", {"accepted": (("a", "b", "c"),), "given": "a"}, "2 options are missing."),
        ("distance", {"accepted": (5.0,), "given": "6"}, "This is too high."),
        ("distance", {"accepted": (5.0,), "given": "4"}, "This is too low."),
        (
            "order",
            {"accepted": (tuple("BACDE"),), "given": "B A D C E"},
            "The order is right up to A.",
        ),
        ("order", {"accepted": (tuple("BACDE"),), "given": "A B C D E"}, "Another node is first."),
        ("flip", {"accepted": (("A", "B"),), "given": "C D"}, "This is not the answer."),
    ],
)
def test_a_wrong_answer_is_told_how_far_it_is_off(
    kind: str, change: dict[str, Any], sentence: str
) -> None:
    """By hand; of several right sets the nearest counts."""
    accepted, given = change["accepted"], change["given"]
    one = replace(make_exercise(kind), answer=accepted[0], accepted=accepted, mistakes=())
    assert judge(one, given).sentence.startswith(sentence)


@pytest.mark.parametrize(
    ("kind", "answer", "part"),
    [
        ("distance", "five", "give a number"),
        ("distance", "1e999", "give a number"),
        ("distance", "nan", "give a number"),
        ("distance", "1_0", "give a number"),
        ("distance", "9" * 300, "give a number"),
        ("distance", ["5"], "give a number"),
        ("blanket", "Z", "names of nodes"),
        ("blanket", "A A", "names of nodes"),
        ("blanket", 3, "names of nodes"),
        ("order", "A B", "every node once"),
        ("flip", "A B C", "two nodes"),
        ("flip", "A", "two nodes"),
        ("spared", "z", "letters of options"),
        ("score", "a b", "the letter of one option"),
        ("score", [[]], "the letter of one option"),
        ("order", "-", "no answer"),
        ("order", None, "no answer"),
        ("order", "", "no answer"),
    ],
)
def test_what_is_no_answer_is_wrong_and_says_so(kind: str, answer: Any, part: str) -> None:
    verdict = judge(make_exercise(kind), answer)
    assert not verdict.correct
    assert part in verdict.sentence


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("chess",), "kind='chess' is not known; use one of 'blanket'"),
        (("order", 4), "level=4 must be a whole number from 1 to 3"),
        (("order", True), "level"),
        (("order", 1, -1), "seed"),
        (("order", 1, 2**53), "seed"),
    ],
)
def test_bad_arguments_are_named(arguments: tuple[Any, ...], part: str) -> None:
    with pytest.raises(OptionError, match="^" + part):
        make_exercise(*arguments)


@pytest.mark.parametrize("text", ["", "{}", "[]", "3", '{"kind": 1}', "[" * 100_000])
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match="no exercise"):
        Exercise.from_json(text)


def test_a_table_is_the_same_question_however_it_is_turned() -> None:
    one = make_exercise("posterior", 2, 0)
    (grid,) = one.picture.grids
    turned = replace(grid, cells=tuple(zip(*grid.cells[::-1], strict=True)))
    again = replace(one, picture=replace(one.picture, grids=(turned,)))
    assert again.canonical == one.canonical
    other = replace(grid, cells=(("9", "9"), ("9", "8")))
    assert replace(one, picture=replace(one.picture, grids=(other,))).canonical != one.canonical
