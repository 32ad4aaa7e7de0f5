"""Any steps on any table against an oracle that goes cell by cell; saved, read and undone."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bjp_engine import preparation as prep
from bjp_engine.errors import DataError
from bjp_engine.preparation import MissingCells, Preparation, prepare
from tests.engine.preparation.oracle import Oracle, cells_of

TEXTS = [
    "other",
    "yes",
    "Yes",
    "YES ",
    " yes",
    "no",
    "No",
    "maybe",
    "New  York",
    "new york",
    "ß",
    "SS",
]


@st.composite
def frames(draw):
    """Tables of texts and numbers with missing cells; the column "full" has none."""
    rows = draw(st.integers(1, 30))
    columns = {
        "full": draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=rows, max_size=rows))
    }
    for name, values in (
        ("text", st.sampled_from([*TEXTS, None])),
        ("whole", st.sampled_from([*range(-2, 6), None])),
        ("measured", st.sampled_from([-1.5, 0.0, 0.25, 3.0, 12.75, None])),
    ):
        cells = draw(st.lists(values, min_size=rows, max_size=rows))
        kind = {"text": "str", "whole": "Int64", "measured": "float64"}[name]
        columns[name] = pd.Series(cells, dtype=kind)
    return pd.DataFrame(columns)


FRAME_STEPS = (
    MissingCells("state"),
    MissingCells("drop"),
    prep.TidyText(("text", "full")),
    prep.MergeRare(("text",), below=4),
    prep.MergeRare(("full", "text"), below=7),
    prep.BinNumbers(("measured",), "cuts", cuts=(0.25, 4)),
    prep.SetRoles(("whole",), "leave out"),
)


def without_repeats(asked):
    """Each step once: a variable can't be left out, or cut, twice."""
    kept = []
    for step in asked:
        gone = any(isinstance(one, prep.SetRoles) for one in kept)
        if step not in kept and not (gone and "whole" in (getattr(step, "columns", None) or ())):
            kept.append(step)
    return kept


SCALE = ("never", "rarely", "often", "always")


@st.composite
def surveys(draw):
    """Tables of items, words, choices of one question and frequencies."""
    rows = draw(st.integers(1, 25))

    def cells(values):
        return draw(st.lists(st.sampled_from(values), min_size=rows, max_size=rows))

    return pd.DataFrame(
        {
            "item": pd.Series(cells([1, 2, 3, 5, 9, None]), dtype="Int64"),
            "word": pd.Series(cells([*SCALE, "k.A.", None]), dtype="str"),
            "q1": pd.Series(cells(["tea", None]), dtype="str"),
            "several": pd.Series(cells(["tea", "milk, tea", "milk,rum", None]), dtype="str"),
            "q2": pd.Series(cells([1, None]), dtype="Int64"),
            "town": pd.Series(cells(["A", "B", None]), dtype="str"),
            "Freq": pd.Series(cells([0, 1, 2, 5]), dtype="int64"),
        }
    )


CODES = prep.MissingCodes((("item", ("9",)), ("word", ("k.A.",))))
SURVEY_STEPS = (
    prep.RecodeStates(("word",), (("rarely", "sometimes"), ("often", "sometimes"))),
    prep.RecodeStates(("item", "word"), (("1", "one"), ("5", "2"), ("always", "5"))),
    prep.SplitAnswers(("several",), ","),
    prep.FilterRows("town", ("A",)),
    prep.FilterRows("word", ("never", "always"), keep=False),
    prep.RepeatRows("Freq"),
    prep.MultipleChoice(("q1", "q2")),
    MissingCells("drop"),
    prep.SetRoles(("town",), "group"),
    prep.SetRoles(("item", "word"), "variable"),
)


def kind_of(step):
    return step.kind, getattr(step, "role", None)


LAST = MissingCells("state")
NOTHING_LEFT = (
    *("no row would be left", "dropping rows leaves", "frequency 0", "no value"),
    "every row has a missing cell",
)
CASES = {
    "plain": st.tuples(
        frames(), st.lists(st.sampled_from(FRAME_STEPS), max_size=6).map(without_repeats)
    ),
    "survey": st.tuples(
        surveys(),
        st.lists(st.sampled_from(SURVEY_STEPS), unique_by=kind_of, max_size=6).map(
            lambda steps: [CODES, *steps]
        ),
    ),
}
any_kind = pytest.mark.parametrize("kind", CASES)


def prepared(frame, steps):
    """What becomes of a table, unless nothing would be left or there is nothing to go by."""
    before = frame.copy(deep=True)
    try:
        return prepare(frame, steps)
    except DataError as reason:
        if not any(part in str(reason) for part in NOTHING_LEFT):
            raise
        return None
    finally:
        pd.testing.assert_frame_equal(frame, before)


@any_kind
@given(data=st.data())
def test_steps_do_cell_by_cell_what_they_say_in_their_order(kind, data):
    frame, asked = data.draw(CASES[kind])
    steps = [*asked, LAST]
    made = prepared(frame, steps)
    if made is None:
        return
    oracle = Oracle(frame)
    for step in steps:
        oracle.apply(step)
    assert cells_of(made.data) == oracle.table(groups=False)
    groups = [{}] * len(oracle.rows) if made.groups is None else cells_of(made.groups)
    assert groups == oracle.table(groups=True)
    assert len(made.trace) == len(steps)


@any_kind
@given(data=st.data())
def test_steps_are_saved_read_and_undone(kind, data):
    steps = Preparation((*data.draw(CASES[kind])[1], LAST))
    assert Preparation.from_json(steps.to_json()) == steps
    longer = steps.adding(prep.MergeRare(("a",), below=2))
    assert longer.without(len(longer.steps)) == steps


@given(frames())
def test_a_table_that_is_kept_gives_what_the_frame_gives(frame):
    table = prep.Table.of(frame)
    asked = [prep.TidyText(("text",)), MissingCells("state"), prep.MergeRare(("text",), below=3)]
    first = prepare(table, asked).data.digest
    assert first == prepare(frame, asked).data.digest == prepare(table, asked).data.digest
