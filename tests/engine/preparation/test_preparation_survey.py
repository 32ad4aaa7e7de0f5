"""What the oracle doesn't show of a survey's steps: order of states, another file, refusals."""

import numpy as np
import pandas as pd
import pytest

from bjp_engine import preparation as prep
from bjp_engine.columns import Column, Table
from bjp_engine.errors import DataError
from bjp_engine.preparation import MissingCells, OrderedAnswers, prepare
from tests.engine.preparation.oracle import cells_of

SCALE = ("never", "rarely", "often", "always")
DROP = MissingCells("drop")


def one(cells, *steps):
    """A table of the single column "a" after some steps."""
    return prepare(pd.DataFrame({"a": cells}), steps)


def test_what_is_left_of_a_column_without_its_codes():
    frame = pd.DataFrame(
        {
            "age": ["20", "k.A.", "31", "80"],
            "size": ["170,3", "k.A.", "165", "181,25"],
            "money": ["1,250", "k.A.", "2,500", "9"],
        }
    )
    steps = [
        prep.MissingCodes(tuple((name, ("k.A.",)) for name in frame)),
        prep.BinNumbers(("age",), "cuts", cuts=(30,)),
        prep.BinNumbers(("size",), "cuts", cuts=(170,)),
        DROP,
    ]
    made = prepare(frame, steps)
    # Numbers can be cut, also with decimal commas; those that may divide thousands stay.
    assert made.data.labels == (("<30", "≥30"), ("<170", "≥170"), ("9", "1,250", "2,500"))
    assert made.data.codes.tolist() == [[0, 1, 1], [1, 0, 2], [1, 1, 0]]
    assert made.trace[0].sentence == "3 cells in 3 variables made missing."
    # Beside 900, 1.500 may be one and a half as well as many, whatever else there is.
    cells = [*map(str, range(900, 920)), "1.500", "k.A."]
    assert "1.500" in one(cells, prep.MissingCodes((("a", ("k.A.",)),)), DROP).data.labels[0]
    # Declared states lose the code.
    cells = pd.Categorical([1, 2, 99], categories=[2, 1, 99], ordered=True)
    made = one(cells, prep.MissingCodes((("a", ("99",)),)), DROP)
    assert (made.data.labels, made.data.ordered) == ((("2", "1"),), (True,))


def test_numbers_keep_the_order_they_have_and_words_that_of_a_list():
    made = one([3, 1, 10, 1], OrderedAnswers(("a",)))
    assert (made.data.ordered, made.data.labels[0]) == ((True,), ("1", "3", "10"))
    # Words that were not seen are declared.
    frame = pd.DataFrame({"a": ["often", "never"], "b": ["always", "never"]})
    made = prepare(frame, [OrderedAnswers(("a", "b"), SCALE)])
    assert (made.data.ordered, made.data.labels) == ((True, True), (SCALE, SCALE))
    assert made.data.codes.tolist() == [[2, 3], [0, 0]]
    with pytest.raises(DataError, match=r"^Step 1 .*column 'a' holds 'k.A.', which the order"):
        one(["often", "k.A."], OrderedAnswers(("a",), SCALE))
    cells = pd.Categorical(["lo", "hi"], ["lo", "hi"], ordered=True)
    made = one(cells, prep.UnorderedAnswers(("a",)))
    assert (made.data.labels, made.data.ordered) == ((("lo", "hi"),), (False,))


def test_recoded_states_have_the_place_of_the_first_that_became_them():
    pairs = (("1", "low"), ("2", "low"), ("3", "some"), ("4", "high"))
    made = one([1, 2, 3, 4], OrderedAnswers(("a",)), prep.RecodeStates(("a",), pairs))
    assert made.data.labels == (("low", "some", "high"),)
    # Numbers stand by size and stay numbers.
    steps = [prep.RecodeStates(("a",), (("10", "0"),)), prep.BinNumbers(("a",), "cuts", cuts=(1,))]
    assert one([1, 2, 10], steps[0]).data.labels == (("0", "1", "2"),)
    assert one([1, 2, 10], *steps).data.codes[:, 0].tolist() == [1, 1, 0]
    made = one(["x", "y"], prep.RecodeStates(("a",), (("z", "y"),)))
    assert made.trace[0].sentence == "0 cells recoded in 1 variable. No column holds 'z'."
    # An order is lost where states that are no neighbours meet.
    for pairs, ordered in (
        ((("1", "5"), ("2", "4"), ("4", "2"), ("5", "1")), True),
        ((("1", "2"),), True),
        ((("1", "ends"), ("5", "ends")), False),
        ((("3", "9"),), False),
    ):
        made = one([1, 2, 3, 4, 5], OrderedAnswers(("a",)), prep.RecodeStates(("a",), pairs))
        assert made.data.ordered == (ordered,), pairs


def test_rows_that_are_filtered_or_repeated():
    with pytest.raises(DataError, match="no row would be left; column 'a' holds 'x', 'y'"):
        one(["x", "y"], prep.FilterRows("a", ("z",)))
    made = one(["x", "y"], prep.FilterRows("a", ("z", "x")))
    assert made.trace[0].sentence == "1 row of 2 kept. No row holds 'z'."
    for cells, words in (
        ([1, None, 2], "Row 2 has no frequency in column 'n'"),
        ([1, 2, 0.5], "Row 3 has the frequency 0.5; give whole numbers"),
        ([1, -2, 1], "Row 2 has the negative frequency -2"),
        (["1", "b", "2"], "Column 'n' holds the text '1'; a frequency is a whole number"),
        ([0, 0, 0], "Every row has the frequency 0 in column 'n'"),
    ):
        frame = pd.DataFrame({"a": list("xyx"), "n": cells})
        with pytest.raises(DataError, match=rf"^Step 1 \(frequencies\): {words}"):
            prepare(frame, [prep.RepeatRows("n")])
    with pytest.raises(DataError, match="no column but the frequencies"):
        one([1], prep.RepeatRows("a"))


def test_a_column_of_frequencies_gives_the_long_table():
    long = pd.DataFrame({"a": list("xyxyxyxx"), "b": list("pqppqqpp")})
    short = long.value_counts().rename("n_of_them").reset_index()
    short["more"] = 1 + np.arange(len(short))
    table = Table.of(short)
    plan = prep.with_roles(
        table, prep.Preparation(), {"n_of_them": "frequency", "more": "leave out"}
    )
    made = prepare(table, plan).data
    assert sorted(map(tuple, made.to_frame().astype(str).to_numpy())) == sorted(
        map(tuple, long.to_numpy())
    )
    # Only one column says how often a row counts.
    found = prep.roles_of(table, prep.with_roles(table, plan, {"more": "frequency"}))
    assert (found["more"], found["n_of_them"]) == ("frequency", "variable")


def test_choices_have_one_value():
    frame = pd.DataFrame({"q1": ["x", None], "q2": ["u", "v"]})
    with pytest.raises(DataError, match="column 'q2' holds 2 different values; a choice holds one"):
        prepare(frame, [prep.MultipleChoice(("q1", "q2"))])
    made = prepare(frame[["q1"]], [prep.MultipleChoice(("q1",))])
    assert made.data.labels == (("no", "yes"),)
    # Where a word denies, who said nothing did not say yes.
    denied = pd.DataFrame({"q1": ["No", None], "q2": [None, "x"]})
    made = prepare(denied, [prep.MultipleChoice(("q1", "q2")), DROP])
    assert (made.data.labels[0], made.data.codes.tolist()) == (("no", "yes"), [[0, 0]])


def test_groups_are_no_variables_and_have_the_same_rows():
    frame = pd.DataFrame({"wave": ["1", "2", None, "2"], "a": list("xyxy"), "age": [20, 40, 60, 9]})
    wave = prep.SetGroups(("wave",))
    for last, waves in (
        (prep.FilterRows("age", ("9",), keep=False), ["1", "2", "(missing)"]),
        # Rows without a group are dropped with others.
        (DROP, ["1", "2", "2"]),
    ):
        made = prepare(frame, [wave, last])
        assert made.data.names == ("a", "age")
        assert made.data.rows == 3
        assert [row["wave"] for row in cells_of(made.groups)] == waves
    assert prepare(frame[["a", "age"]]).groups is None
    with pytest.raises(DataError, match="no variable would be left"):
        prepare(frame, [prep.SetGroups(("wave", "a", "age"))])
    # Numbers can be cut before or after.
    two = (prep.SetGroups(("age",)), prep.BinNumbers(("age",), "cuts", cuts=(30,)))
    for steps in (two, two[::-1]):
        assert prepare(frame.dropna(), steps).groups.labels == (("<30", "≥30"),)
    with pytest.raises(DataError, match="there is no column 'wave'"):
        prepare(frame[["a", "age"]], [wave])


def test_the_question_of_a_column_stays_with_it():
    columns = {
        "a": Column(np.array([1, 2, 9]), np.array([0, 1, 2]), title="How often?"),
        "q": Column(np.array([1]), np.array([0, -1, 0]), title="Tea"),
    }
    steps = [prep.MissingCodes((("a", ("9",)),)), prep.RecodeStates(("a",), (("1", "2"),))]
    table = Table(3, columns)
    for step in (*steps, OrderedAnswers(("a",)), prep.MultipleChoice(("q",))):
        table = step.apply(table).table
    assert [one.title for one in table.columns.values()] == ["How often?", "Tea"]
