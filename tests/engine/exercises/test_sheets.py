"""Sheets: what determines their questions."""

from collections import Counter
from dataclasses import replace

from bjp_engine.errors import OptionError
from bjp_engine.exercises import Sheet
from tests.refusals import assert_refused

SHEET = Sheet(("blanket", "order", "distance"), (1, 2), number=6, seed=7, per_student=True)
SAME = Sheet(("distance", "blanket"), (1,), number=4, seed=3)


class TestSheet:
    def test_its_title_says_all_that_determines_it(self):
        each = "blanket, order, distance; levels 1, 2; 6 questions; seed 7"
        assert SHEET.title == each
        assert Sheet(number=1).title == "all kinds; levels 1, 2, 3; 1 question; seed 0"
        # The order of kinds and levels says nothing.
        assert Sheet(("order", "blanket"), (2, 1)) == Sheet(("blanket", "order"), (1, 2, 2))

    def test_all_have_the_same_questions_or_each_their_own(self):
        assert SAME.questions() == SAME.questions("Ada") == SAME.questions("Bob")
        ada, bob = SHEET.questions("Ada"), SHEET.questions("Bob")
        assert {replace(one, seed=0) for one in ada}.isdisjoint(replace(q, seed=0) for q in bob)
        assert [(one.kind, one.level) for one in ada] == [(one.kind, one.level) for one in bob]
        assert SHEET.questions("  ada ") == ada
        for unseen in ("Ze\u200bro", "Ze\u00adro", "\u202eZero\u2069", "ZERO\ufeff"):
            assert SHEET.questions(unseen) == SHEET.questions("Zero"), ascii(unseen)
        # A composed letter and two that look like it are one name.
        assert SHEET.questions("Zo\u00eb") == SHEET.questions("ZOE\u0308")

    def test_no_two_questions_are_equal_and_kinds_and_levels_take_turns(self):
        many = Sheet(("posterior", "irregularity"), (2,), number=100, seed=1).questions()
        assert len({replace(one, seed=0) for one in many}) == 100
        questions = Sheet(number=54, seed=5).questions()
        assert {*Counter(one.kind for one in questions).values()} == {6}
        assert [one.level for one in questions] == [1] * 18 + [2] * 18 + [3] * 18

    def test_bad_arguments_are_named(self):
        for make, part in (
            (lambda: Sheet(("chess",)), "kinds='chess' is not known"),
            (lambda: Sheet("order"), "kinds='order' must be a list"),
            (lambda: Sheet(levels=(0,)), "levels=0"),
            (lambda: Sheet(number=0), "number=0 must be a whole number from 1 to 100"),
            (lambda: Sheet(number=101), "number"),
            (lambda: Sheet(seed=-1), "seed"),
            (SHEET.questions, "student is missing"),
            (lambda: SHEET.questions("  "), "student is missing"),
        ):
            assert_refused(OptionError, "^" + part, make)
