"""Preparation: steps against slow oracles, undo, JSON both ways, the same steps on other files."""

import json
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine.errors import Cancelled, DataError, OptionError
from bjp_engine.io import read_frame
from bjp_engine.preparation import (
    BinNumbers,
    DropVariables,
    KeepVariables,
    MergeRare,
    MissingCells,
    MissingCodes,
    OrderStates,
    Preparation,
    RenameVariables,
    SampleRows,
    TidyText,
    prepare,
)

DATASETS = Path(__file__).parents[3] / "sample_data" / "datasets"


def test_without_steps_it_is_the_dataset_of_the_frame():
    for name in ("coronary", "titanic", "rochdale"):
        frame = read_frame(DATASETS / f"{name}.csv")[0]
        assert prepare(frame).data.digest == bjp.Dataset.from_frame(frame).digest


def test_missing_cells_of_real_data():
    for name in ("senate109", "house_votes_84", "supreme_court"):
        frame = read_frame(DATASETS / f"{name}.csv")[0]
        own = prepare(frame, [MissingCells("state")])
        assert own.data.digest == bjp.Dataset.from_frame(frame, missing="state").digest, name
        assert own.trace[0].cells == int(frame.isna().sum().sum())
        filled = prepare(frame, [MissingCells("most_frequent")]).data
        modes = frame.fillna(frame.mode().iloc[0])
        assert filled.digest == bjp.Dataset.from_frame(modes).digest, name
        if name == "senate109":
            with pytest.raises(DataError, match=r"^Step 1 .*every row has a missing cell"):
                prepare(frame, [MissingCells("drop")])
        else:
            dropped = prepare(frame, [MissingCells("drop")])
            whole = bjp.Dataset.from_frame(frame, missing="drop")
            assert dropped.data.digest == whole.digest, name
            complete = len(frame.dropna())
            assert dropped.trace[0].rows_after == complete
            assert f"{complete:,} remain" in dropped.trace[0].sentence


def test_missing_cells_of_some_variables_only():
    frame = pd.DataFrame({"a": ["x", None, "x", "y"], "b": [1, 2, None, 2]})
    made = prepare(frame, [MissingCells("state", ("a",)), MissingCells("most_frequent", ("b",))])
    assert made.data.labels == (("x", "y", "(missing)"), ("1", "2"))
    assert made.data.codes.tolist() == [[0, 0], [2, 1], [0, 1], [1, 1]]
    with pytest.raises(DataError, match="1 cell in 1 variable is still missing"):
        prepare(frame, [MissingCells("state", ("a",))])

    # Cells made a state stay apart from later bins and drops.
    frame = pd.DataFrame({"age": [5.0, None, 70.0], "b": ["u", "v", None]})
    cut = BinNumbers(("age",), "cuts", cuts=(18,))
    made = prepare(frame, [MissingCells("state", ("age",)), cut, MissingCells("drop")])
    assert made.data.labels == (("<18", "≥18", "(missing)"), ("u", "v"))
    assert made.data.codes.tolist() == [[0, 0], [2, 1]]


class TestAnotherFile:
    first = pd.DataFrame(
        {"age": [3.0, 30.0, 60.0, 90.0] * 5, "town": ["A", "B", "B", "a"] * 5, "n": range(20)}
    )

    def test_it_is_cut_spelt_and_coded_alike(self):
        made = prepare(self.first, [DropVariables(("n",)), TidyText(), BinNumbers(("age",))])
        other = pd.DataFrame({"town": ["b", "A"], "new": [1, 2], "age": [29.0, 400.0]})
        again = prepare(other, made.preparation)
        assert again.data.names == made.data.names
        assert again.data.labels == made.data.labels
        assert again.data.codes.tolist() == [[0, 1], [3, 0]]
        assert "1 cell lay outside the range seen first" in again.trace[2].sentence
        assert again.notes == ("1 column that the preparation doesn't know was left out: 'new'.",)
        assert again.preparation == made.preparation
        # An unseen state is placed last or refused.
        made = prepare(self.first[["town"]]).preparation
        other = pd.DataFrame({"town": ["0", "A"]})
        again = prepare(other, made)
        assert again.data.labels == ((*made.states[0].labels, "0"),)
        assert again.notes == (
            "Column 'town' holds 1 state not seen before ('0'), placed after the known ones.",
        )
        strict = Preparation(made.steps, "error", made.states)
        with pytest.raises(DataError, match="'town' holds '0', which the preparation hasn't seen"):
            prepare(other, strict)

    def test_rare_and_most_frequent_states_are_those_of_the_first(self):
        frame = pd.DataFrame({"town": ["A"] * 9 + ["B", "C"]})
        made = prepare(frame, [MergeRare(below=3)])
        assert made.data.labels == (("A", "other"),)
        again = prepare(pd.DataFrame({"town": ["Z", "A", "Z", "Z"]}), made.preparation)
        assert again.data.labels == made.data.labels
        assert again.data.codes[:, 0].tolist() == [1, 0, 1, 1]
        made = prepare(pd.DataFrame({"a": ["x", "x", "y"]}), [MissingCells("most_frequent")])
        again = prepare(pd.DataFrame({"a": ["y", "y", None]}), made.preparation)
        assert again.data.codes[:, 0].tolist() == [1, 1, 0]

    def test_a_variable_that_is_not_there(self):
        made = prepare(self.first, [BinNumbers(("age",))]).preparation
        with pytest.raises(DataError, match=r"^Step 1 .*there is no column 'age'"):
            prepare(self.first[["town", "n"]], made)
        with pytest.raises(DataError, match="lacks 'town', which the preparation was made with"):
            prepare(self.first[["age", "n"]], made)
        # What is left out need not be there the second time.
        steps = [DropVariables(("n",)), BinNumbers(("age",))]
        with pytest.raises(DataError, match=r"^Step 1 \(leave variables out\): there is no column"):
            prepare(self.first[["age", "town"]], steps)
        made = prepare(self.first, steps).preparation
        again = prepare(self.first[["age", "town"]], made)
        assert again.trace[0].sentence.endswith("1 variable of the step was not there.")


class TestStates:
    def test_order(self):
        frame = pd.DataFrame({"size": ["big", "small", "big"]})
        made = prepare(frame, [OrderStates("size", ("small", "middle", "big"))])
        assert made.data.labels == (("small", "middle", "big"),)
        assert made.data.codes[:, 0].tolist() == [2, 0, 2]
        # States not named follow in natural order; that of a categorical is kept.
        frame = pd.DataFrame({"k": ["10", "9", "x", "2"]})
        made = prepare(frame, [OrderStates("k", ("x",))])
        assert made.data.labels == (("x", "2", "9", "10"),)
        size = pd.Categorical(["b", "a", "b"], categories=["b", "c", "a"])
        made = prepare(pd.DataFrame({"size": size}), [TidyText(), SampleRows("first", 1)])
        assert made.data.labels == (("b", "c", "a"),)

    def test_a_variable_of_rare_states_only_is_left_alone(self):
        frame = pd.DataFrame({"a": list("uvwx") * 3, "b": list("yyyyyyyyyzzz")})
        for step in (MergeRare(below=4), MergeRare(share=0.4), MergeRare(below=4, into="u")):
            made = prepare(frame[["a"]], [step])
            assert made.data.labels == (("u", "v", "w", "x"),)
        assert prepare(frame, [MergeRare(below=5, into="y")]).data.labels[1] == ("y",)

        # As is a single rare state, unless it has a place to go.
        frame = pd.DataFrame({"a": ["x"] * 5 + ["y"] * 4 + ["z"]})
        assert prepare(frame, [MergeRare(below=3)]).data.labels == (("x", "y", "z"),)
        made = prepare(frame, [MergeRare(below=3, into="y")])
        assert made.data.labels == (("x", "y"),)
        assert made.trace[0].cells == 1
        # Variables are renamed and kept.
        frame = pd.DataFrame({"a": ["x", "y"], "b": [1, 2], 3: ["u", "v"]})
        made = prepare(frame, [RenameVariables((("a", "b"), ("b", "a"))), KeepVariables((3, "a"))])
        assert made.data.names == (3, "a")
        assert made.data.labels == (("u", "v"), ("1", "2"))
        with pytest.raises(DataError, match=r"^Step 1 .*named 'b'"):
            prepare(frame, [RenameVariables((("a", "b"),))])


def test_every_so_many_rows_in_words():
    for number, row in (
        *((1, "row"), (2, "2nd row"), (3, "3rd row"), (4, "4th row"), (11, "11th row")),
        *((12, "12th row"), (21, "21st row"), (112, "112th row"), (1_001, "1,001st row")),
    ):
        sentence = SampleRows("every", number).sentence
        assert sentence == f"Use every {row}, beginning with the first."


def document(**step):
    good = {"step": "sample", "how": "first", "number": 3, "seed": 0}
    return json.dumps({"type": "preparation", "version": 1, "steps": [good, step]})


class TestJson:
    def test_every_value_is_checked_and_the_step_and_field_named(self):
        bins = {"step": "bins", "columns": ["a"]}
        good = {"column": "a", "points": [1, 2], "labels": ["x"], "low": 0, "high": 1}
        for step, words in (
            ({"step": "explode"}, "Step 2: step='explode' is not known"),
            ({}, "Step 2: step='None' is not known"),
            ({"step": ["bins"]}, "Step 2: step="),
            ({"step": "bins"}, r"Step 2 \(numbers into bins\): columns .*must be given"),
            ({"step": "bins", "columns": []}, "Step 2 .*: columns is empty"),
            ({"step": "bins", "columns": "age"}, "Step 2 .*: columns='age' must be a list"),
            ({"step": "bins", "columns": ["a", "a"]}, "Step 2 .*: columns names a column twice"),
            ({"step": "bins", "columns": [True]}, "Step 2 .*: columns holds 'True'"),
            ({**bins, "bins": 1}, "Step 2 .*: bins=1 must be a whole"),
            ({**bins, "bins": 2.5}, "Step 2 .*: bins=2.5"),
            ({**bins, "bins": True}, "Step 2 .*: bins=True"),
            ({**bins, "how": "cuts"}, "Step 2 .*: cuts must be given"),
            ({**bins, "cuts": [1]}, "Step 2 .*: cuts must be given"),
            ({**bins, "how": "cuts", "cuts": [2, 1]}, "Step 2 .*: cuts must rise"),
            (
                {**bins, "fitted": [{"column": "a"}]},
                "Step 2 .*: fitted: entry 1: points, labels, low, high must be given",
            ),
            (
                {**bins, "fitted": [good]},
                "Step 2 .*: fitted: entry 1: labels has 1 entries for 2 points",
            ),
            ({**bins, "fitted": 3}, "Step 2 .*: fitted=3 must be a li"),
            ({"step": "missing", "how": "guess"}, "Step 2 .*: how='guess' is not known"),
            ({"step": "missing", "how": "drop", "hw": 1}, "Step 2 .*: there is no field 'hw'"),
            ({"step": "merge_rare"}, "Step 2 .*: below or share must be given"),
            ({"step": "merge_rare", "share": 2}, "Step 2 .*: share=2 must be a number strictly"),
            ({"step": "merge_rare", "below": 2, "into": ""}, "Step 2 .*: into="),
            ({"step": "tidy", "fold_case": "yes"}, "Step 2 .*: fold_case='yes' must be true or"),
            ({"step": "sample", "how": "first", "number": 0}, "Step 2 .*: number=0"),
            ({"step": "order", "column": "a", "states": ["x", "x"]}, "Step 2 .*: states names a"),
            ({"step": "rename", "names": [["a"]]}, "Step 2 .*: names holds"),
            ({"step": "drop", "columns": ["a"], "absent": 1}, "Step 2 .*: absent=1"),
        ):
            with pytest.raises(OptionError, match=f"^{words}"):
                Preparation.from_json(document(**step))
        # Nor is another text a preparation.
        for text, words in (
            ("", "not JSON"),
            ("{", "not JSON"),
            ("[" * 100_000, "not JSON"),
            ("[]", 'its "type" must be'),
            ('{"type": "health"}', 'its "type" must be'),
            ('{"type": "preparation", "version": 2, "steps": []}', "version '2'"),
            ('{"type": "preparation", "version": 1}', "has no steps; give a list"),
            ('{"type": "preparation", "version": 1, "steps": 3}', "steps=3 must be a list"),
            ('{"type": "preparation", "version": 1, "steps": [3]}', "Step 1 of the steps is '3'"),
            ('{"type": "preparation", "version": 1, "steps": [], "more": 1}', "no field 'more'"),
            ('{"type": "preparation", "version": 1, "steps": [], "unseen": 1}', "unseen=1"),
            ('{"type": "preparation", "version": 1, "steps": [], "states": [{}]}', "entry 1"),
            ('{"type": "preparation", "version": NaN, "steps": []}', "NaN"),
            (b"\xff\xfe", "not JSON"),
        ):
            with pytest.raises(OptionError, match=words):
                Preparation.from_json(text)

    def test_any_text_and_number_makes_the_round_trip(self):
        steps = (
            KeepVariables(("a", 3)),
            BinNumbers(("a",), "cuts", cuts=(0.1, 1e300)),
            OrderStates("a", ("é", "\u202e", "<b>")),
            MissingCodes((("a", ("99", "k.A.")), (3, ("9",)))),
        )
        saved = Preparation(steps, unseen="error").to_json()
        assert Preparation.from_json(saved) == Preparation(steps, unseen="error")
        assert saved.isascii()


def test_a_list_of_steps_is_asked_for_and_it_can_be_cancelled():
    frame = pd.DataFrame({"a": ["x", "y"]})
    for wrong in (3, "drop", [3]):
        with pytest.raises(OptionError, match="steps"):
            prepare(frame, wrong)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="no rows"):
        prepare(frame.iloc[:0])
    with pytest.raises(Cancelled):
        prepare(frame, [], bjp.Progress(cancelled=lambda: True))


def large(rows):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            **{f"n{k}": rng.integers(0, 400, rows) for k in range(4)},
            **{f"m{k}": np.where(rng.random(rows) < 0.1, np.nan, rng.integers(0, 300, rows) / 7)
               for k in range(2)},
            **{f"t{k}": pd.Series(np.array(["a", "b", "c ", "C"])[rng.integers(0, 4, rows)],
                                  dtype="str") for k in range(4)},
        }
    )  # fmt: skip


ALL = [
    TidyText(),
    MissingCells("state"),
    BinNumbers(tuple(f"n{k}" for k in range(4)), "kmeans", 4),
    BinNumbers(("m0", "m1"), "quantile", 5),
    MergeRare(share=0.05),
]


def test_nothing_is_done_row_by_row():
    def calls(rows):
        made = 0

        def count(_, event, __):
            nonlocal made
            made += event in ("call", "c_call")

        frame = large(rows)
        sys.setprofile(count)
        try:
            prepare(frame, ALL)
        finally:
            sys.setprofile(None)
        return made

    calls(1000)  # what is imported at first
    assert calls(40_000) - calls(20_000) < 2_000


def test_memory_is_a_few_times_the_data():
    frame = large(200_000)
    prepare(large(1000), ALL)
    tracemalloc.start()
    try:
        made = prepare(frame, ALL)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert made.data.rows == 200_000
    assert peak < 2 * int(frame.memory_usage(deep=True).sum())
