"""Exercises against tests/oracles.py."""

import json
from dataclasses import replace
from itertools import product

import pytest

from bjp_engine.errors import OptionError
from bjp_engine.exercises import (
    KINDS,
    LEVELS,
    Form,
    answer_text,
    make_exercise,
)
from bjp_engine.exercises.records import Mistake
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
        assert json.loads(one.to_json())["answer"] is not None
        assert replace(make_exercise(kind, level, seed=13), seed=12) != one
        with monkeypatch.context() as patch:
            # Another kind changes none of the others.
            patch.setattr("bjp_engine.exercises.KINDS", dict(reversed(list(KINDS.items()))))
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
            written = answer_text(answer).split()
            known = {*one.letters} if one.options else {*one.nodes}
            if one.form == Form.NUMBER:
                assert float(written[0]) == pytest.approx(answer, rel=5e-4), what
                continue
            assert tuple(written) == answer, what
            assert known.issuperset(written), what
            # Sets stand in the order of columns.
            assert one.form == Form.ORDER or written == sorted(written), what
        for graph in one.graphs:
            assert len(graph.positions) == len(set(graph.positions)) == len(graph.names), what
            assert all(0 <= value <= 1 for place in graph.positions for value in place), what
        for grid in one.grids:
            assert {len(row) for row in grid.cells} == {len(grid.columns)}, what
            assert len(grid.cells) == len(grid.rows), what


def test_bad_arguments_are_named():
    for arguments, part in (
        (("chess",), "kind='chess' is not known; use one of 'blanket'"),
        (("order", 4), "level=4 must be a whole number from 1 to 3"),
        (("order", True), "level"),
        (("order", 1, -1), "seed"),
        (("order", 1, 2**53), "seed"),
    ):
        assert_refused(OptionError, "^" + part, make_exercise, *arguments)
