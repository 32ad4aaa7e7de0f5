"""Preparation against pandas, the same steps on other files, JSON, and what it costs."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bjp_engine import preparation as prep
from bjp_engine.errors import DataError, OptionError
from bjp_engine.io import read_frame
from bjp_engine.preparation import (
    BinNumbers,
    MergeRare,
    MissingCells,
    MissingCodes,
    Preparation,
    RecodeStates,
    is_done,
    prepare,
    take_back,
)
from tests.engine.cost import calls_of, peak_of
from tests.refusals import assert_refused

DATASETS = Path(__file__).parents[3] / "sample_data" / "datasets"


def test_missing_cells_that_stay_and_states_that_stay_apart():
    frame = read_frame(DATASETS / "senate109.csv")[0]
    with pytest.raises(DataError, match=r"^Step 1 .*every row has a missing cell"):
        prepare(frame, [MissingCells("drop")])
    with pytest.raises(DataError, match="1 cell in 1 variable is still missing"):
        prepare(pd.DataFrame({"a": ["x", "y"], "b": [1, None]}))
    # Cells made a state stay apart from later bins and drops.
    frame = pd.DataFrame({"age": [5.0, None, 70.0], "b": ["u", "v", "u"]})
    cut = BinNumbers(("age",), "cuts", cuts=(18,))
    made = prepare(frame, [MissingCells("state"), cut, MissingCells("drop")])
    assert made.data.labels == (("<18", "≥18", "(missing)"), ("u", "v"))
    assert made.data.codes.tolist() == [[0, 0], [2, 1], [1, 0]]


def test_every_value_of_json_is_checked_and_the_step_and_field_named():
    bins, recode = {"step": "bins", "columns": ["a"]}, {"step": "recode", "columns": ["a"]}
    codes, rows = {"step": "missing_codes"}, {"step": "filter", "column": "a"}
    roles = {"step": "roles", "columns": ["a"], "role": "ordered"}
    pairs = " .*: pairs=.* must be a list of pairs"
    for step, words in (
        *((step, " is .*; use one of ") for step in ({"step": "explode"}, {}, {"step": ["bins"]})),
        ({"step": "bins"}, r" \(bins\) has other fields than columns, how, bins, cuts"),
        (bins | {"columns": []}, " .*: columns is empty"),
        (bins | {"columns": "age"}, " .*: columns='age' must be a list"),
        (bins | {"columns": ["a", "a"]}, " .*: columns names a column twice"),
        (bins | {"columns": [True]}, " .*: columns holds 'True'"),
        (bins | {"bins": 1}, " .*: bins=1 must be a whole"),
        (bins | {"bins": 2.5}, " .*: bins=2.5"),
        (bins | {"bins": True}, " .*: bins=True"),
        (bins | {"how": "cuts"}, " .*: cuts must be given"),
        (bins | {"cuts": [1]}, " .*: cuts must be given"),
        (bins | {"how": "cuts", "cuts": [2, 1]}, " .*: cuts must rise"),
        ({"step": "missing", "how": "guess"}, " .*: how='guess' is not known"),
        ({"step": "missing", "how": "drop", "hw": 1}, " .*has other fields than how, seed"),
        ({"step": "merge_rare", "columns": ["a"]}, " .*has other fields than columns, below"),
        ({"step": "merge_rare", "columns": ["a"], "below": 1}, " .*: below=1 must be a whole"),
        (rows | {"states": []}, " .*: states is empty"),
        (rows | {"states": ["x"], "keep": 1}, " .*: keep=1 must be true"),
        *((recode | {"pairs": wrong}, pairs) for wrong in ([], [["a"]])),
        (recode | {"pairs": [["x", "y"], ["x", "z"]]}, " .*: pairs names"),
        (recode | {"pairs": [["x", " "]]}, " .*: pairs='' must be a text"),
        (codes | {"codes": []}, " .*: codes=.* must be a list of pairs"),
        (codes | {"codes": ["a"]}, " .*: codes='a' must be a list"),
        (codes | {"codes": [["a", []]]}, " .*: codes is empty"),
        (codes | {"codes": [["a", [9]]]}, " .*: codes=.* must be a list of texts"),
        (codes | {"codes": [["a", ["9"]], ["a", ["8"]]]}, " .*: codes names a column twice"),
        (roles | {"states": ["x"]}, " .*: states must name two"),
        ({"step": "rows", "rows": []}, " .*: rows is empty"),
        ({"step": "rows", "rows": [0]}, " .*: rows=0 must be a whole number"),
        ({"step": "split", "columns": ["a"], "separator": ""}, " .*: separator='' must be a text"),
    ):
        good = {"step": "frequencies", "column": "n"}
        text = json.dumps({"type": "preparation", "version": 4, "steps": [good, step]})
        assert_refused(OptionError, f"^Step 2{words}", Preparation.from_json, text)
    # Nor is another text a preparation.
    begin = '{"type": "preparation", "version": '
    for text, words in (
        *(("", "not JSON"), ("{", "not JSON"), ("[" * 100_000, "not JSON"), (b"\xff", "not JSON")),
        *(("[]", 'its "type" must be'), ('{"type": "health"}', 'its "type" must be')),
        (begin + '1, "steps": []}', '"version" 4'),
        (begin + "4}", "steps='None' must be a list"),
        (begin + '4, "steps": 3}', "steps=3 must be a list"),
        (begin + '4, "steps": [3]}', "Step 1 is '3'"),
        (begin + 'NaN, "steps": []}', '"version" 4'),
    ):
        assert_refused(OptionError, words, Preparation.from_json, text)
    # Any text and number makes the round trip.
    steps = (
        BinNumbers(("a",), "cuts", cuts=(0.1, 1e300)),
        prep.SetRoles(("a", 3), "ordered", ("é", "\u202e", "<b>")),
        prep.MissingCodes((("a", ("99", "k.A.")), (3, ("9",)))),
    )
    saved = Preparation(steps).to_json()
    assert Preparation.from_json(saved) == Preparation(steps)
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
    prep.TidyText(tuple(f"t{k}" for k in range(4))),
    MissingCells("state"),
    BinNumbers(tuple(f"n{k}" for k in range(4)), "equal_width", 4),
    BinNumbers(("m0", "m1"), "quantile", 5),
    MergeRare(tuple(f"t{k}" for k in range(4)), below=10_000),
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


def test_what_is_taken_back_are_the_values_that_a_step_names():
    asked = MissingCodes((("age", ("9", "99")),))
    own = Preparation((MissingCodes((("age", ("5",)),)),))
    assert not is_done(own, asked)
    assert take_back(own, [asked]) == own
    both = Preparation((MissingCodes((("age", ("5", "9", "99")),)),))
    assert is_done(both, asked)
    assert take_back(both, [asked]) == own
    recoded = Preparation((RecodeStates(("mood",), (("a", "b"),)),))
    other = RecodeStates(("mood",), (("yes", "no"),))
    assert not is_done(recoded, other)
    assert take_back(recoded, [other]) == recoded
