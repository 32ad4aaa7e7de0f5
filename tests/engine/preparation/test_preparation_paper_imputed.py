"""What a paper says of a preparation, and cells imputed after all its steps."""

import re

import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine import preparation as prep
from bjp_engine.errors import Cancelled
from bjp_engine.paper import write_paragraph
from bjp_engine.parameters import impute
from bjp_engine.preparation import STEPS, MissingCells, Preparation, prepare

ONE_OF_EACH = (
    *(
        prep.DropRows((1, 3)),
        prep.FilterRows("a", ("x",)),
        prep.FilterRows("a", ("x",), keep=False),
    ),
    prep.SplitAnswers(("a",), ";"),
    *(
        prep.SetRoles(("a",), "leave out"),
        prep.SetRoles(("a",), "group"),
        prep.MissingCodes((("a", ("9",)),)),
    ),
    *(prep.MultipleChoice(("a", "b")), prep.RecodeStates(("a",), (("x", "y"),))),
    *(prep.SetRoles(("a",), "ordered"), prep.SetRoles(("a",), "variable")),
    *(MissingCells(how) for how in ("drop", "state", "impute")),
    *(prep.BinNumbers(("a",)), prep.BinNumbers(("a",), "cuts", cuts=(1.0,))),
    prep.MergeRare(("a",), below=3),
    *(prep.RepeatRows("n"), prep.TidyText(("a",))),
)


def test_every_step_says_what_was_done_and_is_saved_and_undone():
    assert {step.kind for step in ONE_OF_EACH} == set(STEPS)
    for step in ONE_OF_EACH:
        assert re.match(r"[A-Z].* (was|were|became) .*\.$", step.done), step.done
        assert step.done != step.sentence
        assert step.sentence.endswith(".")
    assert len({step.done for step in ONE_OF_EACH}) == len(ONE_OF_EACH)
    steps = Preparation(ONE_OF_EACH)
    assert Preparation.from_json(steps.to_json()) == steps
    longer = Preparation((*ONE_OF_EACH, prep.TidyText(("z",))))
    assert longer.without(len(longer.steps)) == steps


def test_a_paper_names_what_was_done_and_counts_rows_as_pandas_does():
    frame = pd.DataFrame({"id": range(90), "a": ["x", "y", None] * 30, "b": ["u", "v"] * 45})
    frame["c"] = [1, 2, 3, 9, 9] * 18
    steps = [
        prep.SetRoles(("id",), "leave out"),
        prep.FilterRows("b", ("u",), keep=False),
        prep.MissingCodes((("c", ("9",)),)),
        prep.SetRoles(("c",), "ordered"),
        MissingCells("drop"),
    ]
    made = prepare(frame, steps)
    kept = frame[frame["b"] != "u"]
    complete = kept[(kept["c"] != 9) & kept["a"].notna()]
    gone = len(kept) - len(complete)
    counts = [[*map(int, re.findall(r"\d+", said))] for said in made.for_paper]
    assert counts == [[90, 4], [], [90 - len(kept), 90], [9], [], [gone, len(kept)]]
    for said, part in zip(made.for_paper[1:5], ("'id'", "'u'", "'9' in 'c'", "'c'"), strict=True):
        assert part in said
    methods = write_paragraph(made.data, bjp.learn(made.data), preparation=made)
    assert f"was learned from {len(complete)} rows. {' '.join(made.for_paper)}" in methods
    assert "1 variable has ordered states: c." in methods
    again = write_paragraph(made.data, bjp.learn(made.data), preparation=made.for_paper)
    assert again == methods
    # N counts cases, and nothing done is nothing said.
    frame = pd.DataFrame({"a": list("xxyy"), "b": list("uvuv"), "Freq": [30, 10, 10, 50]})
    said = prepare(frame, [prep.RepeatRows("Freq")]).for_paper
    assert "N counts 100 cases, from 4 rows." in said[1]
    said = prepare(frame, [prep.DropRows((3,))]).for_paper
    assert said[1] == "Row 3 was left out (1 of 4 rows removed)."
    assert prepare(frame).for_paper == ()
    # Ordered variables are named up to thirty.
    names = [f"v{k}" for k in range(33)]
    codes = np.random.default_rng(0).integers(0, 3, (120, 33))
    data = bjp.Dataset.from_codes(codes, [3] * 33, names, ordered=names)
    said = write_paragraph(data, bjp.learn(data, "mpl"))
    assert f"33 variables have ordered states: {', '.join(names[:30])} and 3 more." in said


def holed(rows=80, seed=0):
    """Numbers, texts, and missing cells in both."""
    rng = np.random.default_rng(seed)
    age, town = rng.normal(40, 9, rows).round(1), rng.choice(["A", "B", "C"], rows)
    cells = pd.DataFrame({"age": age, "town": town, "full": rng.integers(0, 2, rows)})
    return cells.mask(rng.random(cells.shape) < [0.2, 0.1, 0.0])


AFTER = (
    MissingCells("impute", seed=3),
    prep.BinNumbers(("age",), "cuts", cuts=(35, 45)),
    prep.RecodeStates(("town",), (("B", "BB"),)),
)


def test_cells_are_imputed_after_the_other_steps():
    table = holed()
    made = prepare(table, AFTER)
    assert len(made.imputed.datasets) == 20
    assert made.data is made.imputed.datasets[0]
    assert dict(made.imputed.missing) == {
        "age": table["age"].isna().sum(),
        "town": table["town"].isna().sum(),
    }
    assert made.data.labels[0] == ("<35", "35–45", "≥45")
    assert made.imputed.seed == 3
    (note,) = made.notes
    assert note.startswith(
        f"{made.imputed.cells} missing cells ({100 * made.imputed.cells / 240:.3g} %) imputed 20 "
        "times under the network (seed 3), "
    )
    # The same as imputing the table that the other steps leave.
    bins = pd.cut(table["age"], [-np.inf, 35, 45, np.inf], right=False, labels=made.data.labels[0])
    other = impute(table.assign(age=bins).replace({"town": {"B": "BB"}}), seed=3)
    codes = [one.codes.tobytes() for one in made.imputed.datasets]
    assert codes == [one.codes.tobytes() for one in other.datasets]
    # Without missing cells nothing is imputed.
    whole = table.dropna()
    made = prepare(whole, AFTER)
    assert made.imputed is None
    assert made.data.digest == prepare(whole, AFTER[1:]).data.digest
    assert prepare(table, [MissingCells("state"), *AFTER]).imputed is None
    asked = iter([False] * 6)
    with pytest.raises(Cancelled):
        prepare(table, AFTER, bjp.Progress(cancelled=lambda: next(asked, True)))


def test_ordered_variables_stay_ordered_and_parts_keep_their_holes():
    states, rng = ["never", "sometimes", "often"], np.random.default_rng(2)
    item = pd.Categorical(rng.choice(states, 60), states, ordered=True)
    answers = pd.DataFrame({"item": item, "town": rng.choice(["A", "B"], 60)})
    answers.loc[::7, "item"] = None
    answers.loc[::9, "town"] = None
    made = impute(answers, 2)
    assert {one.ordered for one in made.datasets} == {(True, False)}
    assert {one.labels[0] for one in made.datasets} == {tuple(states)}
    part = made.select(["town"])
    assert dict(part.missing) == {"town": 7}
    assert [one.names for one in part.datasets] == [("town",)] * 2
