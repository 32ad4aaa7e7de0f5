"""Tables of other libraries, which hand their columns over as Arrow."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bjp_engine as bjp
from bjp_engine.columns import Table
from bjp_engine.dataset import Dataset, as_dataset
from bjp_engine.errors import DataError
from tests.refusals import assert_refused


class Foreign:
    """A table that shows nothing but the one method that libraries agreed upon."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def in_pieces(frame):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return Foreign(pa.Table.from_batches(table.to_batches(max_chunksize=7), schema=table.schema))


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "text": rng.choice(["no", "yes", "item 10", "item 9", "ä"], 60),
            "whole": rng.integers(-3, 4, 60),
            "far": rng.choice([1, 2**62 + 1, -5], 60),
            "half": rng.choice([0.5, 1.5, -0.0, 0.0], 60),
            "truth": rng.random(60) < 0.5,
            "day": pd.to_datetime(rng.choice(["2020-01-01", "1999-12-31"], 60)),
            "named": pd.Categorical(rng.choice(["low", "high"], 60), ["low", "middle", "high"]),
            "ranked": pd.Categorical(rng.choice(["a", "b"], 60), ["b", "a", "c"], ordered=True),
        }
    )


def same(found, expected):
    for name in ("names", "labels", "ordered", "digest"):
        assert getattr(found, name) == getattr(expected, name)
    assert (found.codes == expected.codes).all()


def test_it_is_the_dataset_of_the_same_frame(frame):
    same(as_dataset(in_pieces(frame)), as_dataset(frame))
    same(Dataset.from_frame(in_pieces(frame)), Dataset.from_frame(frame))
    counted = pd.DataFrame({"a": ["x", "y", "x"], "b": ["u", "v", "v"], "n": [3, 0, 2]})
    found = Dataset.from_frame(in_pieces(counted), weights="n")
    same(found, Dataset.from_frame(counted, weights="n"))
    holes = np.random.default_rng(6).random(frame.shape) < 0.1
    table = frame.astype({"whole": "Int64", "truth": "boolean"}).mask(holes)
    for missing in ("drop", "state"):
        found = Dataset.from_frame(in_pieces(table), missing=missing)
        same(found, Dataset.from_frame(table, missing=missing))
    with pytest.raises(DataError, match="missing"):
        as_dataset(in_pieces(table))


def test_each_call_takes_one(frame):
    frame = frame[["text", "whole", "truth"]]
    table = in_pieces(frame)
    assert bjp.learn(table).score == bjp.learn(frame).score
    ours = bjp.BlanketLearner().fit(table)
    assert ours.feature_names_in_.tolist() == list(frame)
    assert (ours.score_samples(table) == bjp.BlanketLearner().fit(frame).score_samples(frame)).all()


def test_what_is_no_table_of_categories_is_one_sentence():
    for table, words in (
        (pa.table({"a": [[1], [2]]}), "Column 'a' holds list<item: int64>, not one value per cell"),
        (pa.table({"a": [{"b": 1}]}), "Column 'a' holds struct"),
        (pa.table([pa.array([1]), pa.array([2])], ["a", "a"]), "Two columns are named 'a'"),
        (pa.table({" ": [1]}), "Column 1 has no name"),
        (pa.table({}), "The table has no columns"),
    ):
        assert_refused(DataError, words, as_dataset, Foreign(table))


def test_odd_types_keep_their_values():
    table = pa.table(
        {
            "date": pa.array([dt.date(2020, 1, 2), dt.date(1, 1, 1)]),
            "decimal": pa.array([Decimal("1.00"), Decimal("2.00")]),
            "large": pa.array(["b", "a"], pa.large_string()),
            "none": pa.nulls(2),
        }
    )
    held = Table.of(Foreign(table))
    assert [held.columns[name].holes for name in held.names] == [0, 0, 0, 2]
    assert held.columns["date"].labels == ("2020-01-02", "0001-01-01")
    assert held.columns["decimal"].labels == ("1.00", "2.00")
    assert held.columns["large"].labels == ("b", "a")
