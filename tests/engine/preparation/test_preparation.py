"""Preparation against pandas, the same steps on other files, JSON, and what it costs."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bjp_engine import preparation as prep
from bjp_engine.errors import DataError, OptionError
from bjp_engine.io import read_frame
from bjp_engine.preparation import BinNumbers, MergeRare, MissingCells, Preparation, prepare
from tests.engine.cost import calls_of, peak_of

DATASETS = Path(__file__).parents[3] / "sample_data" / "datasets"


def test_missing_cells_that_stay_and_states_that_stay_apart():
    frame = read_frame(DATASETS / "senate109.csv")[0]
    with pytest.raises(DataError, match=r"^Step 1 .*every row has a missing cell"):
        prepare(frame, [MissingCells("drop")])
    with pytest.raises(DataError, match="1 cell in 1 variable is still missing"):
        prepare(pd.DataFrame({"a": ["x", None], "b": [1, None]}), [MissingCells("state", ("a",))])
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
        made = prepare(
            self.first, [prep.DropVariables(("n",)), prep.TidyText(), BinNumbers(("age",))]
        )
        other = pd.DataFrame({"town": ["b", "A"], "new": [1, 2], "age": [29.0, 400.0]})
        again = prepare(other, made.preparation)
        assert again.data.names == made.data.names
        assert again.data.labels == made.data.labels
        assert again.data.codes.tolist() == [[0, 1], [3, 0]]
        assert "1 cell lay outside the range seen first" in again.trace[2].sentence
        assert again.notes == ("1 column that the preparation doesn't know was left out: 'new'.",)
        assert again.preparation == made.preparation

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
        steps = [prep.DropVariables(("n",)), BinNumbers(("age",))]
        with pytest.raises(DataError, match=r"^Step 1 \(leave variables out\): there is no column"):
            prepare(self.first[["age", "town"]], steps)
        made = prepare(self.first, steps).preparation
        again = prepare(self.first[["age", "town"]], made)
        assert again.trace[0].sentence.endswith("1 variable of the step was not there.")


def test_every_value_of_json_is_checked_and_the_step_and_field_named():
    bins = {"step": "bins", "columns": ["a"]}
    cut = {"column": "a", "points": [1, 2], "labels": ["x"], "low": 0, "high": 1}
    for step, words in (
        ({"step": "explode"}, ": step='explode' is not known"),
        ({}, ": step='None' is not known"),
        ({"step": ["bins"]}, ": step="),
        ({"step": "bins"}, r" \(numbers into bins\): columns .*must be given"),
        ({**bins, "columns": []}, " .*: columns is empty"),
        ({**bins, "columns": "age"}, " .*: columns='age' must be a list"),
        ({**bins, "columns": ["a", "a"]}, " .*: columns names a column twice"),
        ({**bins, "columns": [True]}, " .*: columns holds 'True'"),
        ({**bins, "bins": 1}, " .*: bins=1 must be a whole"),
        ({**bins, "bins": 2.5}, " .*: bins=2.5"),
        ({**bins, "bins": True}, " .*: bins=True"),
        ({**bins, "how": "cuts"}, " .*: cuts must be given"),
        ({**bins, "cuts": [1]}, " .*: cuts must be given"),
        ({**bins, "how": "cuts", "cuts": [2, 1]}, " .*: cuts must rise"),
        ({**bins, "fitted": [{"column": "a"}]}, " .*: fitted: entry 1: points, labels, low, h"),
        ({**bins, "fitted": [cut]}, " .*: fitted: entry 1: labels has 1 entries for 2 points"),
        ({**bins, "fitted": 3}, " .*: fitted=3 must be a li"),
        ({"step": "missing", "how": "guess"}, " .*: how='guess' is not known"),
        ({"step": "missing", "how": "drop", "hw": 1}, " .*: there is no field 'hw'"),
        ({"step": "merge_rare"}, " .*: below or share must be given"),
        ({"step": "merge_rare", "share": 2}, " .*: share=2 must be a number strictly"),
        ({"step": "merge_rare", "below": 2, "into": ""}, " .*: into="),
        ({"step": "tidy", "fold_case": "yes"}, " .*: fold_case='yes' must be true or"),
        ({"step": "recode", "columns": ["a"], "pairs": [["a"]]}, " .*: pairs holds"),
        ({"step": "drop", "columns": ["a"], "absent": 1}, " .*: absent=1"),
    ):
        good = {"step": "frequencies", "column": "n"}
        text = json.dumps({"type": "preparation", "version": 1, "steps": [good, step]})
        with pytest.raises(OptionError, match=f"^Step 2{words}"):
            Preparation.from_json(text)
    # Nor is another text a preparation.
    begin = '{"type": "preparation", "version": '
    for text, words in (
        *(("", "not JSON"), ("{", "not JSON"), ("[" * 100_000, "not JSON"), (b"\xff", "not JSON")),
        ("[]", 'its "type" must be'),
        ('{"type": "health"}', 'its "type" must be'),
        (begin + '2, "steps": []}', "version '2'"),
        (begin + "1}", "has no steps; give a list"),
        (begin + '1, "steps": 3}', "steps=3 must be a list"),
        (begin + '1, "steps": [3]}', "Step 1 of the steps is '3'"),
        (begin + '1, "steps": [], "more": 1}', "no field 'more'"),
        (begin + '1, "steps": [], "unseen": 1}', "unseen=1"),
        (begin + '1, "steps": [], "states": [{}]}', "entry 1"),
        (begin + 'NaN, "steps": []}', "NaN"),
    ):
        with pytest.raises(OptionError, match=words):
            Preparation.from_json(text)
    # Any text and number makes the round trip.
    steps = (
        BinNumbers(("a",), "cuts", cuts=(0.1, 1e300)),
        prep.OrderedAnswers(("a", 3), ("é", "\u202e", "<b>")),
        prep.MissingCodes((("a", ("99", "k.A.")), (3, ("9",)))),
    )
    saved = Preparation(steps, unseen="error").to_json()
    assert Preparation.from_json(saved) == Preparation(steps, unseen="error")
    assert saved.isascii()


def large(rows):
    """Whole numbers, measurements with holes, texts."""
    rng = np.random.default_rng(0)
    columns = {f"n{k}": rng.integers(0, 400, rows) for k in range(4)}
    for k in range(2):
        measured = rng.integers(0, 300, rows) / 7
        columns[f"m{k}"] = np.where(rng.random(rows) < 0.1, np.nan, measured)
    for k in range(4):
        columns[f"t{k}"] = pd.Series(rng.choice(["a", "b", "c ", "C"], rows), dtype="str")
    return pd.DataFrame(columns)


ALL = [
    prep.TidyText(),
    MissingCells("state"),
    BinNumbers(tuple(f"n{k}" for k in range(4)), "equal_width", 4),
    BinNumbers(("m0", "m1"), "quantile", 5),
    MergeRare(share=0.05),
]


def test_nothing_is_done_row_by_row_and_memory_is_a_few_times_the_data():
    def calls(rows):
        return calls_of(prepare, large(rows), ALL)

    calls(1000)  # what is imported at first
    assert calls(40_000) - calls(20_000) < 2_000
    frame = large(200_000)
    made, peak = peak_of(prepare, frame, ALL)
    assert made.data.rows == 200_000
    assert peak < 2 * int(frame.memory_usage(deep=True).sum())
