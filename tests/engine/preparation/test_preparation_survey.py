"""The steps of a survey against cell-by-cell oracles: codes, recoding, order, rows, groups."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.columns import Column, Table
from bjp_engine.errors import DataError, OptionError
from bjp_engine.preparation import (
    BinNumbers,
    FilterRows,
    MissingCells,
    MissingCodes,
    MultipleChoice,
    OrderedAnswers,
    OrderStates,
    Preparation,
    Prepared,
    RecodeStates,
    RepeatRows,
    ReverseOrder,
    SampleRows,
    SetGroups,
    Step,
    UnorderedAnswers,
    prepare,
)

SCALE = ("never", "rarely", "often", "always")


@st.composite
def surveys(draw: st.DrawFn) -> pd.DataFrame:
    """Tables of items, words, choices of one question and frequencies."""
    rows = draw(st.integers(1, 25))

    def cells(values: list[Any]) -> list[Any]:
        return draw(st.lists(st.sampled_from(values), min_size=rows, max_size=rows))

    return pd.DataFrame(
        {
            "item": pd.Series(cells([1, 2, 3, 5, 9, None]), dtype="Int64"),
            "word": pd.Series(cells([*SCALE, "k.A.", None]), dtype="str"),
            "q1": pd.Series(cells(["tea", None]), dtype="str"),
            "q2": pd.Series(cells([1, None]), dtype="Int64"),
            "town": pd.Series(cells(["A", "B", None]), dtype="str"),
            "Freq": pd.Series(cells([0, 1, 2, 5]), dtype="int64"),
        }
    )


CODES = MissingCodes((("item", ("9",)), ("word", ("k.A.",))))
steps = st.lists(
    st.sampled_from(
        [
            RecodeStates(("word",), (("rarely", "sometimes"), ("often", "sometimes"))),
            RecodeStates(("item", "word"), (("1", "one"), ("5", "2"), ("always", "5"))),
            ReverseOrder(("item",)),
            FilterRows("town", ("A",)),
            FilterRows("word", ("never", "always"), keep=False),
            RepeatRows("Freq"),
            MultipleChoice(("q1", "q2")),
            MultipleChoice(("q1", "q2"), skipped="missing"),
            MissingCells("drop", ("town",)),
            SetGroups(("town",)),
            UnorderedAnswers(("item", "word")),
        ]
    ),
    unique_by=lambda step: step.kind,
    max_size=6,
)


def text(cell: Any) -> str:
    """A cell as its state is called."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


class Oracle:
    """The steps cell by cell, on a list of rows of texts; a missing cell is None."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.groups: set[str] = set()
        self.rows = [
            {name: None if pd.isna(cell) else text(cell) for name, cell in row.items()}
            for row in frame.to_dict("records")
        ]

    def apply(self, step: Any) -> None:
        getattr(self, f"do_{step.kind}")(step)

    def do_missing_codes(self, step: MissingCodes) -> None:
        for row in self.rows:
            for name, codes in step.codes:
                row[name] = None if row[name] in codes else row[name]

    def do_recode(self, step: RecodeStates) -> None:
        for row in self.rows:
            for name in step.columns:
                row[name] = dict(step.pairs).get(row[name], row[name])

    def do_reverse(self, step: ReverseOrder) -> None:
        for name in step.columns:
            seen = [int(row[name]) for row in self.rows if row[name] is not None]
            for row in self.rows:
                if row[name] is not None:
                    row[name] = str(min(seen) + max(seen) - int(row[name]))

    def do_filter(self, step: FilterRows) -> None:
        self.rows = [row for row in self.rows if (row[step.column] in step.states) == step.keep]

    def do_frequencies(self, step: RepeatRows) -> None:
        long = []
        for row in self.rows:
            long += [dict(row) for _ in range(int(row[step.column]))]
        for row in long:
            del row[step.column]
        self.rows = long

    def do_multiple_choice(self, step: MultipleChoice) -> None:
        for row in self.rows:
            none = all(row[name] is None for name in step.columns)
            for name in step.columns:
                row[name] = "no" if row[name] is None else "yes"
                if none and step.skipped == "missing":
                    row[name] = None

    def do_missing(self, step: MissingCells) -> None:
        self.rows = [row for row in self.rows if all(row[n] is not None for n in step.columns)]

    def do_groups(self, step: SetGroups) -> None:
        self.groups |= set(step.columns)

    def do_unordered(self, step: UnorderedAnswers) -> None:
        pass

    def table(self, *, groups: bool) -> list[dict[str, str]]:
        return [
            {n: "(missing)" if c is None else c for n, c in row.items()
             if (n in self.groups) is groups}
            for row in self.rows
        ]  # fmt: skip


def cells_of(data: bjp.Dataset) -> list[dict[str, str]]:
    """The cells of a dataset as texts."""
    names = list(map(str, data.names))
    return [
        {name: data.labels[i][row[i]] for i, name in enumerate(names)}
        for row in data.codes.tolist()
    ]


NOTHING_LEFT = (
    *("no row would be left", "dropping rows leaves", "frequency 0", "no value"),
    "have no order",
)


def prepared(frame: pd.DataFrame, asked: list[Step]) -> Prepared | None:
    """What becomes of a table, unless nothing would be left or there is nothing to go by."""
    try:
        return prepare(frame, asked)
    except DataError as reason:
        if not any(part in str(reason) for part in NOTHING_LEFT):
            raise
        return None


@given(surveys(), steps)
def test_steps_do_cell_by_cell_what_they_say_in_their_order(
    frame: pd.DataFrame, asked: list[Step]
) -> None:
    chosen = [CODES, *asked, MissingCells("state")]
    before = frame.copy(deep=True)
    made = prepared(frame, chosen)
    pd.testing.assert_frame_equal(frame, before)
    if made is None:
        return
    oracle = Oracle(frame)
    sizes = [len(oracle.rows)]
    for step in chosen[:-1]:
        oracle.apply(step)
        sizes.append(len(oracle.rows))
    assert cells_of(made.data) == oracle.table(groups=False)
    assert [one.rows_after for one in made.trace[:-1]] == sizes[1:]
    groups = [{}] * sizes[-1] if made.groups is None else cells_of(made.groups)
    assert groups == oracle.table(groups=True)


@given(surveys(), steps)
def test_steps_are_saved_read_and_applied_again(frame: pd.DataFrame, asked: list[Step]) -> None:
    chosen = Preparation((CODES, *asked, MissingCells("state")))
    assert Preparation.from_json(chosen.to_json()) == chosen
    made = prepared(frame, list(chosen.steps))
    if made is None:
        return
    read = Preparation.from_json(made.preparation.to_json())
    assert read == made.preparation
    again = prepare(frame, read)
    assert again.data.digest == made.data.digest
    assert again.preparation == made.preparation
    assert (again.groups and again.groups.digest) == (made.groups and made.groups.digest)


class TestMissingCodes:
    def test_a_code_of_one_column_is_a_value_of_another(self) -> None:
        frame = pd.DataFrame({"item": [1, 9, 2], "income": [9, 8, 9]})
        made = prepare(frame, [MissingCodes((("item", ("9",)),)), MissingCells("state")])
        assert made.data.labels == (("1", "2", "(missing)"), ("8", "9"))
        assert made.trace[0].cells == 1

    def test_what_is_left_of_a_column_of_numbers_can_be_cut(self) -> None:
        frame = pd.DataFrame({"age": ["20", "k.A.", "31", "80"], "x": list("abab")})
        steps = [
            MissingCodes((("age", ("k.A.",)),)),
            BinNumbers(("age",), "cuts", cuts=(30,)),
            MissingCells("drop"),
        ]
        made = prepare(frame, steps)
        assert made.data.labels[0] == ("<30", "≥30")
        assert made.data.codes[:, 0].tolist() == [0, 1, 1]

    def test_decimal_commas_are_read_once_the_code_is_gone(self) -> None:
        frame = pd.DataFrame(
            {"size": ["170,3", "k.A.", "165", "181,25"], "money": ["1,250", "k.A.", "2,500", "9"]}
        )
        codes = MissingCodes((("size", ("k.A.",)), ("money", ("k.A.",))))
        made = prepare(frame, [codes, BinNumbers(("size",), "cuts", cuts=(170,)), DROP])
        assert made.data.labels[0] == ("<170", "≥170")
        assert made.data.codes[:, 0].tolist() == [1, 0, 1]
        # Commas that may divide thousands are left alone.
        assert made.data.labels[1] == ("9", "1,250", "2,500")

    def test_declared_states_lose_the_code(self) -> None:
        cells = pd.Categorical([1, 2, 99], categories=[2, 1, 99], ordered=True)
        made = prepare(pd.DataFrame({"a": cells}), [CODE_99, MissingCells("drop")])
        assert made.data.labels == (("2", "1"),)
        assert made.data.ordered == (True,)


DROP = MissingCells("drop")
CODE_99 = MissingCodes((("a", ("99",)),))


class TestOrderedAnswers:
    def test_numbers_keep_the_order_they_have(self) -> None:
        frame = pd.DataFrame({"a": [3, 1, 10, 1], "b": list("xyxy")})
        made = prepare(frame, [OrderedAnswers(("a",))])
        assert made.data.ordered == (True, False)
        assert made.data.labels[0] == ("1", "3", "10")
        assert prepare(frame, made.preparation).data.digest == made.data.digest
        assert prepare(frame.iloc[:1], made.preparation).data.ordered == (True, False)

    def test_words_stand_as_listed_and_those_not_seen_are_declared(self) -> None:
        frame = pd.DataFrame({"a": ["often", "never"], "b": ["always", "never"]})
        made = prepare(frame, [OrderedAnswers(("a", "b"), SCALE)])
        assert made.data.labels == (SCALE, SCALE)
        assert made.data.codes.tolist() == [[2, 3], [0, 0]]
        assert made.data.ordered == (True, True)

    def test_a_state_that_the_order_does_not_name_is_refused(self) -> None:
        frame = pd.DataFrame({"a": ["often", "k.A."]})
        with pytest.raises(DataError, match=r"^Step 1 .*column 'a' holds 'k.A.', which the order"):
            prepare(frame, [OrderedAnswers(("a",), SCALE)])

    def test_a_state_that_only_another_file_holds_is_its_own_or_refused(self) -> None:
        made = prepare(pd.DataFrame({"a": ["often", "never"]}), [OrderedAnswers(("a",), SCALE)])
        other = pd.DataFrame({"a": ["k.A.", "always", "never"]})
        again = prepare(other, Preparation.from_json(made.preparation.to_json()))
        assert again.data.labels == ((*SCALE, "k.A."),)
        assert again.data.codes[:, 0].tolist() == [4, 3, 0]
        assert again.data.ordered == (False,)
        (note,) = again.notes
        assert note == (
            "Column 'a' holds 1 state not seen before ('k.A.'), placed after the known ones, so "
            "its states have no order any more; recode or merge them first to keep it."
        )
        with pytest.raises(DataError, match=r"'k\.A\.', which the preparation hasn't seen"):
            prepare(other, replace(made.preparation, unseen="error"))
        with pytest.raises(DataError, match="which the order doesn't name"):
            prepare(other, made.preparation.unfitted())

    @pytest.mark.parametrize(
        ("first", "order", "other", "labels"),
        [
            ([1, 2, 5], None, [3, 9, 0, 2], ("0", "1", "2", "3", "5", "9")),
            ([1, 2, 5], ("5", "2", "1"), [3, 5], ("5", "3", "2", "1")),
            ([0.5, 2.5], None, [1.5, 10.0], ("0.5", "1.5", "2.5", "10")),
        ],
    )
    def test_a_number_of_another_file_has_the_place_of_its_size(
        self, first: list[Any], order: Any, other: list[Any], labels: tuple[str, ...]
    ) -> None:
        made = prepare(pd.DataFrame({"a": first}), [OrderedAnswers(("a",), order)])
        again = prepare(pd.DataFrame({"a": other}), made.preparation)
        assert again.data.labels == (labels,)
        assert cells_of(again.data) == [{"a": text(cell)} for cell in other]
        assert again.data.ordered == (True,)
        (note,) = again.notes
        assert note.endswith("placed by size; the order stays, and larger numbers have other codes "
                             "than before.")  # fmt: skip
        # Without an order, known codes stay.
        plain = prepare(pd.DataFrame({"a": first})).preparation
        fresh = [label for label in map(text, other) if label not in plain.states[0].labels]
        again = prepare(pd.DataFrame({"a": other}), plain)
        assert again.data.labels[0] == (*plain.states[0].labels, *sorted(fresh, key=float))

    def test_the_way_back(self) -> None:
        cells = pd.Categorical(["lo", "hi"], ["lo", "hi"], ordered=True)
        made = prepare(pd.DataFrame({"a": cells}), [UnorderedAnswers(("a",))])
        assert made.data.ordered == (False,)
        assert made.data.labels == (("lo", "hi"),)


class TestRecodeStates:
    def test_states_have_the_place_of_the_first_that_became_them(self) -> None:
        frame = pd.DataFrame({"a": [1, 2, 3, 4]})
        made = prepare(
            frame,
            [
                OrderedAnswers(("a",)),
                RecodeStates(("a",), (("1", "low"), ("2", "low"), ("3", "some"), ("4", "high"))),
            ],
        )
        assert made.data.labels == (("low", "some", "high"),)
        assert made.data.codes[:, 0].tolist() == [0, 0, 1, 2]
        assert made.data.ordered == (True,)

    def test_numbers_stand_by_size_and_stay_numbers(self) -> None:
        frame = pd.DataFrame({"a": [1, 2, 10]})
        steps = [RecodeStates(("a",), (("10", "0"),)), BinNumbers(("a",), "cuts", cuts=(1,))]
        assert prepare(frame, steps[:1]).data.labels == (("0", "1", "2"),)
        assert prepare(frame, steps).data.codes[:, 0].tolist() == [1, 1, 0]

    @pytest.mark.parametrize(
        ("pairs", "ordered"),
        [
            ((("1", "5"), ("2", "4"), ("4", "2"), ("5", "1")), True),
            ((("1", "2"),), True),
            ((("1", "ends"), ("5", "ends")), False),
            ((("3", "9"),), False),
        ],
    )
    def test_an_order_is_lost_where_states_that_are_no_neighbours_meet(
        self, pairs: tuple[tuple[str, str], ...], ordered: bool
    ) -> None:
        frame = pd.DataFrame({"a": [1, 2, 3, 4, 5]})
        made = prepare(frame, [OrderedAnswers(("a",)), RecodeStates(("a",), pairs)])
        assert made.data.ordered == (ordered,)

    def test_a_state_that_no_column_holds_is_said(self) -> None:
        made = prepare(pd.DataFrame({"a": ["x", "y"]}), [RecodeStates(("a",), (("z", "y"),))])
        assert made.trace[0].sentence == "0 cells recoded in 1 variable. No column holds 'z'."


class TestReverseOrder:
    def test_another_file_is_reversed_by_the_ends_of_the_first(self) -> None:
        made = prepare(pd.DataFrame({"a": [1, 2, 5]}), [ReverseOrder(("a",))])
        assert made.data.labels == (("1", "4", "5"),)
        again = prepare(pd.DataFrame({"a": [1, 2]}), made.preparation)
        assert cells_of(again.data) == [{"a": "5"}, {"a": "4"}]

    def test_a_word_becomes_its_mirror_image_and_the_order_stays(self) -> None:
        frame = pd.DataFrame({"a": ["never", "often", "rarely"]})
        steps = [OrderedAnswers(("a",), SCALE), ReverseOrder(("a",))]
        made = prepare(frame, steps)
        assert made.data.labels == (SCALE,)
        assert made.data.ordered == (True,)
        assert cells_of(made.data) == [{"a": "always"}, {"a": "rarely"}, {"a": "often"}]
        once_more = [*steps, ReverseOrder(("a",))]
        assert prepare(frame, once_more).data.digest == prepare(frame, steps[:1]).data.digest

    def test_an_answer_that_nobody_gave_is_an_end(self) -> None:
        frame = pd.DataFrame({"a": [1, 2, 4], "b": [5, 1, 3]})
        made = prepare(frame, [ReverseOrder(("a", "b"), ends=(1, 5))])
        assert cells_of(made.data) == [{"a": "5", "b": "1"}, {"a": "4", "b": "5"},
                                       {"a": "2", "b": "3"}]  # fmt: skip
        assert made.preparation.sentences == (
            "Reverse the answers in 'a', 'b': 1 becomes 5, and so on.",
        )
        again = prepare(frame.iloc[:1], Preparation.from_json(made.preparation.to_json()))
        assert cells_of(again.data) == [{"a": "5", "b": "1"}]

    def test_a_number_beyond_the_ends_is_refused(self) -> None:
        with pytest.raises(DataError, match="'a' holds 9, which is not between the ends 1 and 5;"):
            prepare(pd.DataFrame({"a": [1, 9]}), [ReverseOrder(("a",), ends=(1, 5))])
        cells = pd.Categorical(["lo", "hi"], ["lo", "hi"], ordered=True)
        with pytest.raises(DataError, match="column 'a' holds states, not numbers; reverse it wit"):
            prepare(pd.DataFrame({"a": cells}), [ReverseOrder(("a",), ends=(1, 5))])

    @pytest.mark.parametrize("kind", ["float64", "float32"])
    def test_decimals_stay_as_many(self, kind: str) -> None:
        tenths = list(range(10, 51))
        frame = pd.DataFrame({"a": np.array([k / 10 for k in tenths], dtype=kind)})
        made = prepare(frame, [ReverseOrder(("a",))])
        assert [row["a"] for row in cells_of(made.data)] == [text((60 - k) / 10) for k in tenths]
        made = prepare(pd.DataFrame({"a": [1, 2]}), [ReverseOrder(("a",), ends=(0.5, 3))])
        assert made.data.labels == (("1.5", "2.5"),)

    def test_words_without_an_order_are_refused(self) -> None:
        with pytest.raises(DataError, match="column 'a' have no order; declare their order"):
            prepare(pd.DataFrame({"a": ["x", "y"]}), [ReverseOrder(("a",))])

    def test_texts_where_the_first_file_had_numbers_are_refused(self) -> None:
        made = prepare(pd.DataFrame({"a": [1, 2]}), [ReverseOrder(("a",))]).preparation
        with pytest.raises(DataError, match="column 'a' holds 'x', which is not a number"):
            prepare(pd.DataFrame({"a": ["x", "y"]}), made)


class TestRows:
    def test_a_filter_that_leaves_nothing_is_refused(self) -> None:
        frame = pd.DataFrame({"a": ["x", "y"], "b": [1, 2]})
        with pytest.raises(DataError, match="no row would be left; column 'a' holds 'x', 'y'"):
            prepare(frame, [FilterRows("a", ("z",))])
        made = prepare(frame, [FilterRows("a", ("z", "x"))])
        assert made.trace[0].sentence == "1 row of 2 kept. No row holds 'z'."

    @pytest.mark.parametrize(
        ("cells", "sentence"),
        [
            ([1, None, 2], "Row 2 has no frequency in column 'n'"),
            ([1, 2, 0.5], "Row 3 has the frequency 0.5; give whole numbers"),
            ([1, -2, 1], "Row 2 has the negative frequency -2"),
            (["1", "b", "2"], "Column 'n' holds the text '1'; a frequency is a whole number"),
            ([0, 0, 0], "Every row has the frequency 0 in column 'n'"),
        ],
    )
    def test_frequencies_that_are_none_are_refused(self, cells: list[Any], sentence: str) -> None:
        frame = pd.DataFrame({"a": list("xyx"), "n": cells})
        with pytest.raises(DataError, match=rf"^Step 1 \(rows by frequency\): {sentence}"):
            prepare(frame, [RepeatRows("n")])

    def test_frequencies_need_a_variable_and_their_column(self) -> None:
        with pytest.raises(DataError, match="no column but the frequencies"):
            prepare(pd.DataFrame({"n": [1]}), [RepeatRows("n")])
        made = prepare(pd.DataFrame({"n": [1, 2], "a": ["x", "y"]}), [RepeatRows("n")])
        with pytest.raises(DataError, match="there is no column 'n'"):
            prepare(pd.DataFrame({"a": ["x", "y"]}), made.preparation)


def test_choices_of_one_value_only() -> None:
    frame = pd.DataFrame({"q1": ["x", None], "q2": ["u", "v"]})
    with pytest.raises(DataError, match="column 'q2' holds 2 different values; a choice holds one"):
        prepare(frame, [MultipleChoice(("q1", "q2"))])
    made = prepare(frame[["q1"]], [MultipleChoice(("q1",))])
    assert made.data.labels == (("no", "yes"),)
    again = prepare(pd.DataFrame({"q1": pd.Series([None, None], dtype="str")}), made.preparation)
    assert again.data.labels == (("no", "yes"),)
    assert again.data.codes.tolist() == [[0], [0]]


def test_a_choice_with_another_value_in_another_file() -> None:
    frame = pd.DataFrame({"q1": ["tea", None, None], "q2": pd.Series([None] * 3, dtype="str")})
    made = prepare(frame, [MultipleChoice(("q1", "q2"), skipped="missing"), DROP])
    again = Preparation.from_json(made.preparation.to_json())
    # One value is what was ticked, whatever it is called.
    other = pd.DataFrame({"q1": ["Tea", None], "q2": ["x", "x"]})
    assert prepare(other, again).data.codes.tolist() == [[1, 1], [0, 1]]
    # Of several, the one of the first file is.
    other = pd.DataFrame({"q1": ["maybe", "tea", "no", None], "q2": ["x"] * 4})
    found = prepare(other, again)
    assert [row["q1"] for row in cells_of(found.data)] == ["maybe", "yes", "no", "no"]
    assert found.data.labels[0] == ("no", "yes", "maybe")
    assert "('maybe'), placed after the known ones." in found.notes[0]
    with pytest.raises(DataError, match="'maybe', which the preparation hasn't seen"):
        prepare(other, replace(again, unseen="error"))


class TestGroups:
    frame = pd.DataFrame({"wave": ["1", "2", None, "2"], "a": list("xyxy"), "b": list("uuvv")})

    def test_they_are_no_variables_and_have_the_same_rows(self) -> None:
        made = prepare(self.frame, [SetGroups(("wave",)), SampleRows("first", 3)])
        assert made.data.names == ("a", "b")
        assert made.groups is not None
        assert cells_of(made.groups) == [{"wave": "1"}, {"wave": "2"}, {"wave": "(missing)"}]
        assert prepare(self.frame[["a", "b"]]).groups is None

    def test_rows_without_a_group_are_dropped_with_others(self) -> None:
        made = prepare(self.frame, [SetGroups(("wave",)), MissingCells("drop")])
        assert made.groups is not None
        assert [row["wave"] for row in cells_of(made.groups)] == ["1", "2", "2"]
        assert made.data.rows == 3

    def test_numbers_can_be_cut_before_or_after(self) -> None:
        frame = pd.DataFrame({"age": [20, 40, 60], "a": list("xyx")})
        cut = BinNumbers(("age",), "cuts", cuts=(30,))
        one = prepare(frame, [SetGroups(("age",)), cut])
        two = prepare(frame, [cut, SetGroups(("age",))])
        assert one.groups is not None
        assert two.groups is not None
        assert one.groups.labels == two.groups.labels == (("<30", "≥30"),)

    def test_another_file_needs_its_groups(self) -> None:
        made = prepare(self.frame, [SetGroups(("wave",))])
        again = prepare(self.frame.iloc[::-1], made.preparation)
        assert again.groups is not None
        assert [row["wave"] for row in cells_of(again.groups)] == ["2", "(missing)", "2", "1"]
        with pytest.raises(DataError, match="there is no column 'wave'"):
            prepare(self.frame[["a", "b"]], made.preparation)

    def test_a_variable_must_be_left(self) -> None:
        with pytest.raises(DataError, match="no variable would be left"):
            prepare(self.frame, [SetGroups(("wave", "a", "b"))])


def test_the_question_of_a_column_stays_with_it() -> None:
    columns = {
        "a": Column(np.array([1, 2, 9]), np.array([0, 1, 2]), title="How often?"),
        "q": Column(np.array([1]), np.array([0, -1, 0]), title="Tea"),
    }
    steps = [MissingCodes((("a", ("9",)),)), RecodeStates(("a",), (("1", "2"),))]
    table = Table(3, columns)
    for step in (*steps, ReverseOrder(("a",)), OrderedAnswers(("a",)), MultipleChoice(("q",))):
        table = step.fit(table).apply(table).table
    assert [one.title for one in table.columns.values()] == ["How often?", "Tea"]


@pytest.mark.parametrize(
    ("kind", "fields", "sentence"),
    [
        (MissingCodes, {"codes": ()}, "codes is empty"),
        (MissingCodes, {"codes": (("a", ()),)}, "codes has no text for 'a'"),
        (MissingCodes, {"codes": (("a", ("9",)), ("a", ("8",)))}, "codes names a column twice"),
        (MissingCodes, {"codes": ("a",)}, "codes='a' must be a list"),
        (MissingCodes, {"codes": (("a", (9,)),)}, "codes must be a list of texts"),
        (RecodeStates, {"columns": ("a",), "pairs": ()}, "pairs is empty"),
        (RecodeStates, {"columns": ("a",), "pairs": (("x",),)}, "pairs holds"),
        (RecodeStates, {"columns": ("a",), "pairs": (("x", "y"), ("x", "z"))}, "pairs names"),
        (RecodeStates, {"columns": ("a",), "pairs": (("x", " "),)}, "pairs='' must be a text"),
        (OrderedAnswers, {"columns": ("a",), "states": ("x",)}, "states must name two states"),
        (FilterRows, {"column": "a", "states": ()}, "states is empty"),
        (FilterRows, {"column": "a", "states": ("x",), "keep": 1}, "keep=1 must be true"),
        (MultipleChoice, {"columns": ("a",), "skipped": "yes"}, "skipped='yes' is not known"),
        (ReverseOrder, {"columns": ("a",), "ends": (5, 1)}, "ends=.* must be two numbers, the low"),
        (ReverseOrder, {"columns": ("a",), "ends": (1,)}, "ends=.* must be two numbers"),
        (ReverseOrder, {"columns": ("a",), "ends": (1, math.inf)}, "ends=.* must be two numbers"),
        (OrderStates, {"column": "a", "states": ()}, "states is empty"),
    ],
)
def test_fields_are_checked(kind: type[Any], fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError, match=f"^{sentence}"):
        kind(**fields)
