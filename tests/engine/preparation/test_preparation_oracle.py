"""Any steps on any table against an oracle that goes cell by cell."""

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from bjp_engine import preparation as prep
from bjp_engine.errors import DataError
from bjp_engine.preparation import MissingCells, prepare
from tests.engine.preparation.oracle import Oracle, cells_of

SCALE = ("never", "rarely", "often", "always")
SPELT = ("yes", "Yes", "YES ", " yes", "no", "No", "New  York", "new york", "ß", "SS")
CELLS = {
    "full": ("str", ("a", "b", "c")),
    "text": ("str", ("other", *SPELT, "maybe", None)),
    "whole": ("Int64", (*range(-2, 6), None)),
    "measured": ("float64", (-1.5, 0.0, 0.25, 3.0, 12.75, None)),
    "item": ("Int64", (1, 2, 3, 5, 9, None)),
    "word": ("str", (*SCALE, "k.A.", None)),
    "q1": ("str", ("tea", None)),
    "several": ("str", ("tea", "milk, tea", "milk,rum", None)),
    "q2": ("Int64", (1, None)),
    "town": ("str", ("A", "B", None)),
    "Freq": ("int64", (0, 1, 2, 5)),
}
STEPS = (
    MissingCells("drop"),
    prep.TidyText(("text", "full")),
    prep.MergeRare(("text",), below=4),
    prep.MergeRare(("full", "text"), below=7),
    prep.BinNumbers(("measured",), "cuts", cuts=(0.25, 4)),
    prep.SetRoles(("whole",), "leave out"),
    prep.RecodeStates(("word",), (("rarely", "sometimes"), ("often", "sometimes"))),
    prep.RecodeStates(("item", "word"), (("1", "one"), ("5", "2"), ("always", "5"))),
    prep.SplitAnswers(("several",), ","),
    prep.FilterRows("town", ("A",)),
    prep.FilterRows("word", ("never", "always"), keep=False),
    prep.RepeatRows("Freq"),
    prep.MultipleChoice(("q1", "q2")),
    prep.SetRoles(("town",), "group"),
    prep.SetRoles(("item", "word"), "variable"),
)
CODES = prep.MissingCodes((("item", ("9",)), ("word", ("k.A.",))))
NOTHING_LEFT = (
    *("no row would be left", "dropping rows leaves", "frequency 0", "no value"),
    "every row has a missing cell",
)


@st.composite
def tables(draw):
    """Texts, numbers, items, words, choices of one question, frequencies; some cells missing."""
    rows = draw(st.integers(1, 30))
    names = draw(st.sampled_from([tuple(CELLS)[:4], tuple(CELLS)[4:], tuple(CELLS)]))
    return pd.DataFrame(
        {
            name: pd.Series(
                draw(st.lists(st.sampled_from(cells), min_size=rows, max_size=rows)), dtype=kind
            )
            for name, (kind, cells) in CELLS.items()
            if name in names
        }
    )


def names_of(step):
    return {getattr(step, "column", "full"), *getattr(step, "columns", ())}


@settings(max_examples=100)
@given(tables(), st.lists(st.sampled_from(STEPS), unique=True, max_size=6), st.data())
def test_steps_do_cell_by_cell_what_they_say_in_their_order(frame, asked, data):
    before = frame.copy(deep=True)
    steps = [step for step in asked if names_of(step) <= {*frame, "full"}]
    if "item" in frame:
        steps.insert(0, CODES)
    elif data.draw(st.booleans()):
        steps.insert(data.draw(st.integers(0, len(steps))), MissingCells("state"))
    steps.append(MissingCells("state"))
    try:
        made = prepare(frame, steps)
    except DataError as reason:
        if not any(part in str(reason) for part in NOTHING_LEFT):
            raise
        return
    pd.testing.assert_frame_equal(frame, before)
    oracle = Oracle(frame)
    for step in steps:
        oracle.apply(step)
    assert cells_of(made.data) == oracle.table(groups=False)
    groups = [{}] * len(oracle.rows) if made.groups is None else cells_of(made.groups)
    assert groups == oracle.table(groups=True)
    assert len(made.trace) == len(steps)
    # A table that is kept gives what the frame gives, again and again.
    table = prep.Table.of(frame)
    for _ in range(2):
        assert prepare(table, steps).data.digest == made.data.digest
