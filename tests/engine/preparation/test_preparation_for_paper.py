"""What a paper says of a preparation: each step in the past tense, with rows counted by pandas."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine.paper import write_paragraph
from bjp_engine.preparation import (
    STEPS,
    BinNumbers,
    DropVariables,
    FilterRows,
    KeepVariables,
    MergeRare,
    MissingCells,
    MissingCodes,
    MultipleChoice,
    OrderedAnswers,
    OrderStates,
    Preparation,
    RecodeStates,
    RenameVariables,
    RepeatRows,
    ReverseOrder,
    SampleRows,
    SetGroups,
    Step,
    TidyText,
    UnorderedAnswers,
    prepare,
)

ONE_OF_EACH: tuple[Step, ...] = (
    *(FilterRows("a", ("x",)), FilterRows("a", ("x",), keep=False), RepeatRows("n")),
    *(SampleRows("random", 3), SampleRows("first", 3), SampleRows("every", 3)),
    *(KeepVariables(("a", "b")), DropVariables(("a",)), RenameVariables((("a", "b"),))),
    *(SetGroups(("a",)), MultipleChoice(("a", "b")), MissingCodes((("a", ("9",)),))),
    *(RecodeStates(("a",), (("x", "y"),)), ReverseOrder(("a",)), OrderedAnswers(("a",))),
    *(UnorderedAnswers(("a",)), TidyText(), MissingCells("drop"), MissingCells("state")),
    *(MissingCells("most_frequent"), MissingCells("impute"), BinNumbers(("a",))),
    *(BinNumbers(("a",), "cuts", cuts=(1.0,)), BinNumbers(("a",), "whole")),
    *(MergeRare(below=3), OrderStates("a", ("x",))),
)


def test_every_step_says_what_was_done() -> None:
    assert {step.kind for step in ONE_OF_EACH} == set(STEPS)
    for step in ONE_OF_EACH:
        assert re.match(r"[A-Z].* (was|were|became) .*\.$", step.done), step.done
        assert step.done != step.sentence
        assert step.sentence.endswith(".")
    said = [step.done for step in ONE_OF_EACH]
    assert len(set(said)) == len(said)


def test_every_step_makes_the_round_trip_through_json() -> None:
    steps = Preparation(ONE_OF_EACH)
    assert Preparation.from_json(steps.to_json()) == steps


@pytest.mark.parametrize("forgotten", ["_said", "apply", "nothing"])
def test_a_step_that_forgets_one_of_them_cannot_be_made(forgotten: str) -> None:
    parts: dict[str, Any] = {
        "_said": lambda _self: ("Do.", "It was done."),
        "apply": lambda _self, table: table,
    }
    parts.pop(forgotten, None)
    part: Any = type("Part", (Step,), {"__module__": __name__, "kind": "part", **parts})
    if forgotten == "nothing":
        assert part().for_paper(2, 2) == "It was done."
        return
    with pytest.raises(TypeError, match=forgotten):
        part()


def test_rows_that_were_removed_are_those_that_pandas_counts() -> None:
    frame = pd.DataFrame({"id": range(90), "a": ["x", "y", None] * 30, "b": ["u", "v"] * 45})
    frame["c"] = [1, 2, 3, 9, 9] * 18
    steps = [
        DropVariables(("id",)),
        FilterRows("b", ("u",), keep=False),
        MissingCodes((("c", ("9",)),)),
        OrderedAnswers(("c",)),
        MissingCells("drop"),
    ]
    made = prepare(frame, steps)
    kept = frame[frame["b"] != "u"]
    complete = kept[(kept["c"] != 9) & kept["a"].notna()]
    gone = len(kept) - len(complete)
    assert made.for_paper == (
        "The table had 90 rows and 4 columns.",
        "The column 'id' was left out.",
        f"Rows in which 'b' is 'u' were left out ({90 - len(kept)} of 90 rows removed).",
        "Cells with '9' in 'c' were treated as missing.",
        "The states of 'c' were declared as ordered.",
        f"Rows with a missing cell were left out ({gone} of {len(kept)} rows removed).",
    )
    methods = write_paragraph(made.data, bjp.learn(made.data), preparation=made)
    assert f"was learned from {len(complete)} rows. {' '.join(made.for_paper)}" in methods
    assert "1 variable has ordered states: c." in methods
    again = write_paragraph(made.data, bjp.learn(made.data), preparation=made.for_paper)
    assert again == methods


def test_counted_rows_say_what_n_counts() -> None:
    frame = pd.DataFrame({"a": list("xxyy"), "b": list("uvuv"), "Freq": [30, 10, 10, 50]})
    made = prepare(frame, [RepeatRows("Freq")])
    assert made.for_paper == (
        "The table had 4 rows and 3 columns.",
        "Each row was counted as often as the column 'Freq' says: N counts 100 cases, from 4 rows.",
    )


def test_nothing_done_says_nothing() -> None:
    frame = pd.DataFrame({"a": list("xxyy"), "b": list("uvuv")})
    assert prepare(frame).for_paper == ()


def test_ordered_variables_are_named_up_to_thirty() -> None:
    codes = np.random.default_rng(0).integers(0, 3, (120, 33))
    names = [f"v{k}" for k in range(33)]
    data = bjp.Dataset.from_codes(codes, [3] * 33, names, ordered=names)
    said = write_paragraph(data, bjp.learn(data, "mpl"))
    assert f"33 variables have ordered states: {', '.join(names[:30])} and 3 more." in said
