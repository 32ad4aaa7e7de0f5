"""A table of frequencies is the dataset of the long table."""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

import bjp_engine as bjp
from bjp_engine.errors import DataError, OptionError
from bjp_engine.health import health, suggest
from bjp_engine.preparation import RepeatRows, prepare
from tests.refusals import assert_refused

SAMPLE = Path(__file__).parents[2] / "sample_data" / "datasets" / "titanic.csv"
# R's `Titanic`: survived no, then yes; child, adult; male, female; 1st, 2nd, 3rd, crew.
COUNTS = [
    *(0, 0, 35, 0, 0, 0, 17, 0, 118, 154, 387, 670, 4, 13, 89, 3),
    *(5, 11, 13, 0, 1, 13, 14, 0, 57, 14, 75, 192, 140, 80, 76, 20),
]


def counted():
    lines = product(("No", "Yes"), ("Child", "Adult"), ("Male", "Female"), ("1", "2", "3", "Crew"))
    frame = pd.DataFrame(list(lines), columns=["Survived", "Age", "Sex", "Class"])
    return frame.assign(Freq=COUNTS)


def test_it_is_the_same_dataset(tmp_path):
    frame, path = counted(), tmp_path / "titanic.csv"
    long = frame.loc[frame.index.repeat(frame["Freq"])].drop(columns="Freq")
    whole = bjp.Dataset.from_frame(long)
    # The persons are those of the sample.
    assert sum(COUNTS) == whole.rows == 2201
    ours, theirs = (
        np.sort(np.unique(data.codes, axis=0, return_counts=True)[1]).tolist()
        for data in (whole, bjp.read_table(SAMPLE))
    )
    assert ours == theirs
    # A dataset of the same digest gives the same numbers.
    frame.to_csv(path, index=False)
    for way, data in {
        "a frame": bjp.Dataset.from_frame(frame, weights="Freq"),
        "a step": prepare(frame, [RepeatRows("Freq")]).data,
        "what health suggests": prepare(frame, suggest(health(frame))).data,
        "a file": bjp.read_table(path, weights="Freq"),
    }.items():
        assert data.digest == whole.digest, way


def test_missing_cells_are_told_of_once_and_dropped_with_their_line():
    frame = pd.DataFrame({"a": ["x", None, "y"], "b": ["u", "v", "v"], "n": [2, 3, 4]})
    assert bjp.Dataset.from_frame(frame, weights="n", missing="drop").rows == 6
    own = bjp.Dataset.from_frame(frame, weights="n", missing="state")
    assert own.codes[:, 0].tolist() == [0, 0, 2, 2, 2, 1, 1, 1, 1]
    # Where none may be missing, one is told of once, and of lines that count.
    said = "Column 'a' has 1 missing cell"
    assert_refused(DataError, said, bjp.Dataset.from_frame, frame, weights="n")
    assert bjp.Dataset.from_frame(frame.assign(n=[2, 0, 4]), weights="n").rows == 6


def test_what_is_no_frequency_is_refused(tmp_path):
    frame = pd.DataFrame({"a": list("xyx"), "b": list("uuv")})
    numbers = pd.Series([3, 1, 2], dtype=object)
    learner, weighed = bjp.BlanketLearner(), bjp.Dataset.from_frame
    # Numbers in a column of objects are frequencies.
    assert weighed(frame.assign(w=numbers), weights="w").rows == 6
    for cells, words in (
        ([1, 2.5, 2], "Row 2 has the frequency 2.5; give whole numbers. If these are survey"),
        ([1, np.inf, 2], "Row 2 has an infinite frequency; give a whole number"),
        *(([1, absent, 2], "Row 2 has no frequency") for absent in (np.nan, None, pd.NA)),
        ([1, -2, 2], "Row 2 has the negative frequency -2"),
    ):
        odd = pd.Series(cells, dtype=object)
        assert_refused(DataError, f"^{words}", weighed, frame.assign(w=odd), weights="w")
        assert_refused(DataError, f"^{words}", learner.fit, frame, sample_weight=odd)
    for cells, words in (
        (["a", "b", "c"], "Column 'w' holds the text 'a'; a frequency is a whole number"),
        ([0, 0, 0], "The weight of every row is zero"),
        ([1, 1, 10**12], "The frequencies add up to"),
    ):
        assert_refused(DataError, words, weighed, frame.assign(w=cells), weights="w")
    # What are no numbers are no frequencies.
    text = (["many", "few"], ["1", "2"], [b"1", b"2"], pd.Series([1, "2"], dtype=object))
    for odd in (*text, [1 + 2j, 1], np.array(["2020", "2021"], "datetime64[Y]")):
        said = "The frequencies aren't numbers"
        assert_refused(DataError, said, learner.fit, frame[:2], sample_weight=odd)
    # They are the name of a column.
    assert_refused(DataError, "there is no column 'v'", weighed, frame, weights="v")
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    for odd in (np.ones(3), [1, 2, 3], frame["a"]):
        assert_refused(OptionError, "^weights is of type", weighed, frame, weights=odd)
        assert_refused(OptionError, "^weights is of type", bjp.read_table, path, weights=odd)
