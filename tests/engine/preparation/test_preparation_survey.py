"""What the oracle doesn't show of a survey's steps: order of states, another file, refusals."""

import numpy as np
import pandas as pd

from bjp_engine import preparation as prep
from bjp_engine.columns import Column, Table
from bjp_engine.errors import DataError
from bjp_engine.health import health, with_roles
from bjp_engine.preparation import MissingCells, SetRoles, prepare
from tests.engine.preparation.oracle import cells_of
from tests.refusals import assert_refused

SCALE = ("never", "rarely", "often", "always")
DROP = MissingCells("drop")


def one(cells, *steps):
    """A table of the single column "a" after some steps."""
    return prepare(pd.DataFrame({"a": cells}), steps)


def coded(code):
    return prep.MissingCodes((("a", (code,)),))


def cut(point):
    return prep.BinNumbers(("a",), "cuts", cuts=(point,))


def recoded(*pairs):
    return prep.RecodeStates(("a",), tuple(tuple(pair.split()) for pair in pairs))


def test_what_becomes_of_the_states_of_a_column():
    """The labels in their order, whether they are ordered, and the row of each cell."""
    order, scale = SetRoles(("a",), "ordered"), [1, 2, 3, 4, 5]
    low_high = pd.Categorical(["lo", "hi"], ["lo", "hi"], ordered=True)
    declared = pd.Categorical([1, 2, 99], categories=[2, 1, 99], ordered=True)
    for cells, steps, labels, ordered, codes in (
        # Without its code a column's numbers can be cut, also those with decimal commas.
        (["20", "k.A.", "31"], [coded("k.A."), cut(30), DROP], ("<30", "≥30"), True, [0, 1]),
        (["170,3", "k.A.", "9"], [coded("k.A."), cut(30), DROP], ("<30", "≥30"), True, [1, 0]),
        # What may divide thousands stays.
        (["1,250", "k.A.", "9"], [coded("k.A."), DROP], ("9", "1,250"), False, [1, 0]),
        # Declared states lose the code.
        (declared, [coded("99"), DROP], ("2", "1"), True, [1, 0]),
        # Texts that a line left behind are gone with it.
        (["3", "12", "all", "3"], [prep.DropRows((3,))], ("3", "12"), False, [0, 1, 0]),
        # Numbers keep the order they have, words that of a list, with those that were not seen.
        ([3, 1, 10, 1], [order], ("1", "3", "10"), True, [1, 0, 2, 0]),
        (["often", "never"], [SetRoles(("a",), "ordered", SCALE)], SCALE, True, [2, 0]),
        (low_high, [SetRoles(("a",), "variable")], ("lo", "hi"), False, [0, 1]),
        # Recoded states have the place of the first that became them; numbers stand by size.
        ([3, 1, 2], [order, recoded("1 low", "2 low", "3 up")], ("low", "up"), True, [1, 0, 0]),
        ([1, 2, 10], [recoded("10 0")], ("0", "1", "2"), False, [1, 2, 0]),
        ([1, 2, 10], [recoded("10 0"), cut(2)], ("<2", "≥2"), True, [0, 1, 0]),
    ):
        data = one(cells, *steps).data
        assert (data.labels, data.ordered) == ((labels,), (ordered,)), (steps, cells)
        assert data.codes[:, 0].tolist() == codes, (steps, cells)
    # Beside 900, 1.500 may be one and a half as well as many, whatever else there is.
    cells = [*map(str, range(900, 920)), "1.500", "k.A."]
    assert "1.500" in one(cells, coded("k.A."), DROP).data.labels[0]
    # An order is lost where states that are no neighbours meet.
    for pairs, ordered in (
        (("1 5", "2 4", "4 2", "5 1"), True),
        (("1 2",), True),
        (("1 ends", "5 ends"), False),
        (("3 9",), False),
    ):
        assert one(scale, order, recoded(*pairs)).data.ordered == (ordered,), pairs
    assert "No column holds 'z'" in one(["x", "y"], recoded("z y")).trace[0]


def test_what_no_step_can_do_is_refused():
    for columns, step, words in (
        ({"a": ["often", "k.A."]}, SetRoles(("a",), "ordered", SCALE), "'a' holds 'k.A.', which"),
        ({"a": ["x", "y"]}, prep.FilterRows("a", ("z",)), "no row .* column 'a' holds 'x', 'y'"),
        *(
            ({"a": list("xyx"), "n": cells}, prep.RepeatRows("n"), words)
            for cells, words in (
                ([1, None, 2], "Row 2 has no frequency; give 0"),
                ([1, 2, 0.5], "Row 3 has the frequency 0.5; give whole numbers"),
                ([1, -2, 1], "Row 2 has the negative frequency -2"),
                (["1", "b", "2"], "Column 'n' holds the text '1'; a frequency is a whole number"),
                ([0, 0, 0], "The weight of every row is zero"),
            )
        ),
        ({"a": list("xyxy")}, prep.DropRows((5,)), "the table has 4 rows"),
        ({"a": list("xyxy")}, prep.DropRows((1, 2, 3, 4)), "name some of them"),
        ({"n": [1]}, prep.RepeatRows("n"), "no column but the frequencies"),
        ({"q": ["u", "v"]}, prep.MultipleChoice(("q",)), "'q' holds 2 different values; a choice"),
        ({"a": ["u", "v"]}, SetRoles(("wave",), "group"), "there is no column 'wave'"),
    ):
        refusal = rf"^Step 1 \([a-z ]+\): .*{words}"
        assert_refused(DataError, refusal, prepare, pd.DataFrame(columns), [step])
    made = one(["x", "y"], prep.FilterRows("a", ("z", "x")))
    assert "No row holds 'z'" in made.trace[0]


def test_only_one_column_says_how_often_a_row_counts():
    table = Table.of(pd.DataFrame({"a": ["x", "y"], "n_of_them": [3, 1], "more": [1, 2]}))
    plan = prep.Preparation()
    for column, other in (("n_of_them", "more"), ("more", "n_of_them")):
        plan = with_roles(table, plan, {column: "frequency"}, health(table))
        found = prep.roles_of(table, plan)
        assert (found[column], found[other]) == ("frequency", "variable")
    plan = with_roles(table, plan, {"n_of_them": "leave out"}, health(table))
    made = prepare(table, plan).data
    assert (made.names, made.to_frame()["a"].tolist()) == (("a",), ["x", "y", "y"])


def test_choices_are_yes_or_no():
    made = prepare(pd.DataFrame({"q1": ["x", None]}), [prep.MultipleChoice(("q1",))])
    assert made.trace == ("1 variable made yes or no.",)
    assert made.data.labels == (("no", "yes"),)
    # Where a word denies, who said nothing did not say yes.
    denied = pd.DataFrame({"q1": ["No", None], "q2": [None, "x"]})
    made = prepare(denied, [prep.MultipleChoice(("q1", "q2")), DROP])
    assert (made.data.labels[0], made.data.codes.tolist()) == (("no", "yes"), [[0, 0]])


def test_groups_are_no_variables_and_have_the_same_rows():
    frame = pd.DataFrame({"wave": ["1", "2", None, "2"], "a": list("xyxy"), "age": [20, 40, 60, 9]})
    wave = SetRoles(("wave",), "group")
    for last, waves in (
        (prep.FilterRows("age", ("9",), keep=False), ["1", "2", "(missing)"]),
        # A row without a group lacks no variable.
        (DROP, ["1", "2", "(missing)", "2"]),
    ):
        made = prepare(frame, [wave, last])
        assert made.data.names == ("a", "age")
        assert made.data.rows == len(waves)
        assert [row["wave"] for row in cells_of(made.groups)] == waves
    assert prepare(frame[["a", "age"]]).groups is None
    every = SetRoles(("wave", "a", "age"), "group")
    assert_refused(DataError, "no variable would be left", prepare, frame, [every])
    # Numbers can be cut before or after.
    two = (SetRoles(("age",), "group"), prep.BinNumbers(("age",), "cuts", cuts=(30,)))
    for steps in (two, two[::-1]):
        assert prepare(frame.dropna(), steps).groups.labels == (("<30", "≥30"),)


def test_the_question_of_a_column_stays_with_it():
    columns = {
        "a": Column(np.array([1, 2, 9]), np.array([0, 1, 2]), title="How often?"),
        "q": Column(np.array([1]), np.array([0, -1, 0]), title="Tea"),
    }
    steps = [prep.MissingCodes((("a", ("9",)),)), prep.RecodeStates(("a",), (("1", "2"),))]
    table = Table(3, columns)
    for step in (*steps, SetRoles(("a",), "ordered"), prep.MultipleChoice(("q",))):
        table = step.apply(table).table
    assert [one.title for one in table.columns.values()] == ["How often?", "Tea"]
