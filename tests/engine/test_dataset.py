"""Dataset: what goes in, of frames or Arrow, comes out, or one sentence says what is wrong."""

import copy
import datetime as dt
import pickle
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from itertools import product
from threading import Barrier

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.columns import Table
from bjp_engine.dataset import Dataset, as_dataset
from bjp_engine.errors import BJPError, DataError
from tests.refusals import assert_refused
from tests.strategies import samples

from_codes, from_frame = bjp.Dataset.from_codes, bjp.Dataset.from_frame
refused = partial(assert_refused, DataError)


def column(values):
    return pd.DataFrame({"x": pd.Series(values, dtype=object)})


def through_pickle(data):
    """What arrives in another process."""
    return pickle.loads(pickle.dumps(data))


def decoded(data):
    """The table as text, cell by cell."""
    return [[data.labels[i][code] for i, code in enumerate(row)] for row in data.codes.tolist()]


def test_labels_in_natural_order():
    def states(values):
        return from_frame(pd.DataFrame({"column": values})).labels[0]

    for values, expected in (
        (["yes", "no", "maybe", "no"], "maybe no yes"),
        ([3, 1, 10, 2], "1 2 3 10"),
        ([-1, 10, -10, 0], "-10 -1 0 10"),
        ([2.0, 1.0, 10.0], "1 2 10"),
        ([1.5, 0.25, 10.0], "0.25 1.5 10"),
        ([True, False], "False True"),
        (["item10", "item2", "item1"], "item1 item2 item10"),
        (["10", "9", "100"], "9 10 100"),
        (["<140", ">140", "<3"], "<3 <140 >140"),
        (["v1.10", "v1.9", "v1.9a"], "v1.9 v1.9a v1.10"),
        ([1 + 2j, 1 + 1j], "(1+1j) (1+2j)"),
    ):
        assert states(values) == tuple(expected.split())
    mixed = ["item10", "b", "item2", "10", "9", "a"]
    assert states(mixed) == states(mixed[::-1]) == states(sorted(mixed))
    # Categories keep their order and their unseen states.
    size = pd.Categorical(["m", "s"], categories=["s", "m", "l", "xl"])
    data = from_frame(pd.DataFrame({"size": size}))
    assert (data.labels, data.cardinalities) == ((("s", "m", "l", "xl"),), (4,))
    assert data.codes[:, 0].tolist() == [1, 0]


def test_every_cell_can_be_read_back_whatever_the_index():
    text, number, whole, flag = list("baca"), [10, 9, 9, 11], [1.0, 0.0, 1.0, 2.0], [1, 0, 0, 1]
    columns = {"text": text, "number": number, "whole": whole, "flag": np.array(flag, dtype=bool)}
    rows = "b 10 1 True", "a 9 0 False", "c 9 1 False", "a 11 2 True"
    for index in (None, [7, 7, -1, 0]):
        data = from_frame(pd.DataFrame(columns, index=index))
        assert (data.names, data.rows, data.n) == (("text", "number", "whole", "flag"), 4, 4)
        assert decoded(data) == [row.split() for row in rows]
    for hostile in ("<script>alert(1)</script>", "=1+1", "a\nb", "naïve–名前"):
        data = from_frame(pd.DataFrame({hostile: [hostile, "x"]}))
        assert data.names == (hostile,)
        assert hostile in data.labels[0]


def test_names_may_be_numbers_and_rows_may_be_none():
    data = from_frame(pd.DataFrame([[0, 1], [1, 0]], columns=[10, 3]))
    assert (data.names, {*map(type, data.names)}) == ((10, 3), {int})
    for names, keys in (
        ((10, 3), {10: 0, 3: 1}),
        ((2, 0, "1"), {2: 0, 0: 1, "1": 2, 1: 1, "2": 0}),
    ):
        data = from_codes([[*range(len(names))]], names=names)
        assert {key: data.index(key) for key in keys} == keys
    for key in ("smoking", 3, -1, "3", "A"):
        refused(str(key), from_codes([[0, 1, 2]], names=["a", "b", "c"]).index, key)
    # There may be no rows, but not no columns.
    data = from_frame(pd.DataFrame({"a": [], "b": []}, dtype=str))
    assert (data.rows, data.n, data.names) == (0, 2, ("a", "b"))
    assert bjp.independence_test(data, "a", "b").log_independent == pytest.approx(np.log(0.5))
    refused("column", from_frame, pd.DataFrame())
    refused("age", from_frame, pd.DataFrame([[0, 1, 2]], columns=["age", "sex", "age"]))


def test_cells_that_would_vanish_in_another_or_break_are_refused():
    # In Python 1 == True.
    for cells in ([1, True, 0], [True, 1.0], ["a", np.int64(0), False]):
        refused(r"'x' holds both [01] and (True|False), which", from_frame, column(cells))
    refused("count as equal", as_dataset, [[1], [True]])
    assert as_dataset([[1, True], [2, False]]).labels == (("1", "2"), ("False", "True"))
    # pandas fails on half a character without saying where it is.
    refused("Column 'x' holds half a character", from_frame, column(["\ud800", "b"]))


def test_missing_cells_are_an_error_or_dropped_or_a_state():
    sex, vote = ["m", None, None, "f"], [np.nan, 1.0, 0.0, 1.0]
    frame = pd.DataFrame({"age": [1, 2, 1, 2], "sex": sex, "vote": vote})
    refused(r"^(?!.*age).*sex.*2 missing", from_frame, frame)
    # Functions that take any data name the one that has the option.
    for rows, call in product((frame, [[1.0, np.nan], [0.0, 1.0]]), (bjp.learn, bjp.all_graphs)):
        refused(r"Dataset\.from_frame\(df, missing='drop'\)", call, rows)
    assert_refused(BJPError, "missing.*impute", from_frame, frame, missing="impute")
    assert decoded(from_frame(frame, missing="drop")) == [["2", "f", "1"]]
    data = from_frame(frame, missing="state")
    assert (data.cardinalities, data.labels[1][:2]) == ((2, 3, 3), ("f", "m"))
    assert (data.codes[:, 1].tolist(), data.codes[:, 2].tolist()) == ([1, 2, 2, 0], [2, 1, 0, 1])
    assert len({*from_frame(column(["(missing)", None, "x"]), missing="state").labels[0]}) == 3
    for absent in (None, np.nan, pd.NA, pd.NaT):
        refused("'x'", from_frame, column(["x", absent, "y"]))
        assert from_frame(column(["x", absent, "y"]), missing="drop").rows == 2, absent
    # A mask hides cells, too.
    hidden = np.ma.array([[0, 5], [1, 0], [1, 1]], mask=[[0, 1], [0, 0], [0, 0]])
    for make in (
        from_codes,
        as_dataset,
        lambda table: from_codes(list(table)),
        lambda table: from_codes([[0], [1], [1]]).take(table[:, 1]),
    ):
        refused("mask hides some of its cells", make, hidden)
    frame = pd.DataFrame(hidden, columns=["a", "b"])
    refused("Column 'b' has 1 missing cell", from_frame, frame)
    shown = np.ma.array([[0, 5], [1, 0]], mask=False)
    assert from_codes(shown).codes.tolist() == [[0, 5], [1, 0]]
    assert from_codes(hidden[1:]).codes.tolist() == [[1, 0], [1, 1]]


def test_defaults_declared_states_and_integer_types():
    declared = from_codes([[0, 0]], cardinalities=[2, 300], names=["a", "b"])
    assert (declared.cardinalities, declared.names) == ((2, 300), ("a", "b"))
    data = from_codes([[0, 2], [1, 0]])
    assert (data.cardinalities, data.names) == ((2, 3), (0, 1))
    assert (data.labels, data.codes.tolist()) == ((("0", "1"), ("0", "1", "2")), [[0, 2], [1, 0]])
    assert from_codes(np.array([[False, True]])).digest == from_codes([[0, 1]]).digest
    for code, dtype in ((255, np.uint8), (256, np.uint16), (65535, np.uint16)):
        assert from_codes([[0, code]]).codes.dtype == dtype
        assert from_codes([[0, float(code)]]).codes.tolist() == [[0, code]]


@pytest.mark.parametrize("layout", ["C", "F"])
def test_the_callers_array_stays_the_callers(layout):
    codes = np.array([[0, 1], [1, 0]], dtype=np.uint8, order=layout)
    data = from_codes(codes)
    before = data.digest
    codes[0, 0] = 1
    assert (data.codes.tolist(), from_codes(data.codes).digest) == ([[0, 1], [1, 0]], before)


@pytest.mark.parametrize("layout", ["C", "F"])
def test_many_rows_are_cut_into_blocks_and_memory_is_that_of_the_result(layout):
    codes = np.random.default_rng(0).integers(0, 300, (40_000, 3)).astype(np.uint16)
    codes[:, 1] %= 7
    for kind in (np.uint8, np.int32, np.int64, np.uint64, np.float64):
        table = (codes % 256 if kind is np.uint8 else codes).astype(kind, order=layout)
        data = from_codes(table)
        assert (data.codes == table).all(), kind
        smallest = np.uint8 if kind is np.uint8 else np.uint16
        assert (data.codes.dtype, data.codes.flags.f_contiguous) == (smallest, True), kind
        assert (from_codes(table[::-2, ::-1]).codes == table[::-2, ::-1]).all(), kind
    wrong = np.concatenate([table.astype(np.int64), [[0, -1, 0]]])
    refused("'1' holds the code -1", from_codes, wrong)
    refused(r"'1' holds 0\.5 in row 40001", from_codes, np.where(wrong < 0, 0.5, wrong))
    table = np.random.default_rng(0).integers(0, 4, (500_000, 4)).copy(layout)
    tracemalloc.start()
    data = from_codes(table)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < data.codes.nbytes + (1 << 21)


def test_wrong_codes_and_parts_are_named():
    wrong = [([0, code], None) for code in (-1, 0.5, np.nan, np.inf)]
    wrong += [([0, -1], [2, 2]), ([0, 2], [2, 2]), ([0, 0], [2, 0]), ([0, 0], [2, -2])]
    # Codes that no type of a dataset can hold.
    for code in (65536, 2**31, 2**63, 1e5, 1e300):
        wrong += [([0, code], None), ([0, code], [1, 2])]
    for row, cardinalities in wrong:
        for codes in ([row], np.array([row, [0, 1]])):
            refused("height", from_codes, codes, cardinalities, names=["age", "height"])
    for codes in ([0, 1, 2], 3, [[[0]]], [["a", "b"]], [[None, 1]], np.zeros((3, 0), int)):
        refused("", from_codes, codes)
    for sentence, parts in (
        ("cardinalities", {"cardinalities": [2]}),
        ("names", {"names": ["a"]}),
        ("labels", {"labels": [["0", "1"]]}),
        ("height", {"names": ["age", "height"], "labels": [["no", "yes"], ["small"]]}),
        (r"column's name holds half a character \(in '\\ud800'\)", {"names": ["\ud800", "b"]}),
        ("Column '0' holds half a character", {"labels": [["a", "b\udfff"], ["a", "b"]]}),
    ):
        refused(sentence, from_codes, [[0, 1], [1, 0]], **parts)


def test_nothing_can_be_written_in_a_dataset_or_its_copies_and_threads_share_what_is_made():
    data, ready = from_codes([[0, 1], [1, 0], [1, 300]], names=["a", 1]), Barrier(8)
    with pytest.raises(AttributeError):
        data.names = ("a", "b")

    def make():
        ready.wait()
        return object()

    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(lambda _: data.derived("same", make), range(8)))
    assert made == {data.derived("same", object)}
    digest = data.digest
    copies = through_pickle, copy.copy, copy.deepcopy, lambda same: same.select(["a", 1])
    for again in (lambda same: same, *copies):
        other = again(data)
        with pytest.raises(ValueError, match="read-only"):
            other.codes[0, 0] = 1
        assert (other.codes.dtype, other.codes.flags.f_contiguous) == (data.codes.dtype, True)
        assert (other.names, other.labels) == (data.names, data.labels)
        # The digest that came along is that of the cells that came along; what was made stays.
        assert other.digest == digest == again(again(data)).take([0, 1, 2]).digest
        assert (other.derived("same", object) in made) == (other is data)


def test_the_digest_differs_with_each_cell_label_name_and_state():
    codes, labels = [[0, 1], [1, 0], [1, 1]], [["no", "yes"], ["no", "yes"]]
    parts = {"codes": codes, "cardinalities": [2, 2], "names": ["a", "b"], "labels": labels}
    variants = (
        parts,
        parts | {"codes": [[1, 0], [0, 1], [1, 1]]},
        parts | {"codes": [[0, 1], [1, 0]]},
        parts | {"names": ["a", "c"]},
        parts | {"names": ["b", "a"]},
        parts | {"names": ["a", 1]},
        parts | {"labels": [["no", "yes"], ["no", "Yes"]]},
        parts | {"labels": [["no", "yes"], ["yes", "no"]]},
        parts | {"cardinalities": [2, 3], "labels": [["no", "yes"], ["no", "yes", "?"]]},
        # Names and labels cannot run into each other.
        {"codes": [[0, 0]], "names": ["a", "b"], "labels": [["x,y"], ["z"]]},
        {"codes": [[0, 0]], "names": ["a", "b"], "labels": [["x"], ["y,z"]]},
        {"codes": [[0]], "names": [0]},
        {"codes": [[0]], "names": ["0"]},
    )
    digests = [from_codes(**variant).digest for variant in variants]
    assert (len(set(digests)), from_codes(**parts).digest) == (len(variants), digests[0])
    # It is the same in every process.
    assert from_codes([[0, 1], [1, 0]], names=["a", "b"]).digest[:16] == "fc2e3ff1422c1bf9"
    # A line about a large table does not read it.
    data, small = from_codes(np.zeros((1 << 20, 11), dtype=np.uint8)), from_codes([[0, 1]])
    assert repr(data) == "Dataset(1048576 rows, 11 variables)"
    assert data.digest[:12] in repr(data)
    assert small.digest[:12] in repr(small)


@given(samples(), st.data())
def test_codes_and_states_are_kept_and_one_changed_cell_changes_the_digest(sample, choice):
    data, rows = sample.data, [list(row) for row in sample.rows]
    assert (data.codes.tolist(), data.cardinalities) == (rows, sample.cards)
    assert from_frame(data.to_frame()).digest == data.digest
    places = [(i, v) for i in range(data.rows) for v in range(data.n) if sample.cards[v] > 1]
    if places:
        i, v = choice.draw(st.sampled_from(places))
        rows[i][v] = (rows[i][v] + 1) % sample.cards[v]
        assert from_codes(rows, sample.cards).digest != data.digest


def test_a_dataset_is_itself_an_array_is_what_its_frame_is_and_the_rest_is_refused():
    data = from_codes([[0, 1], [1, 0]])
    assert as_dataset(data) is data
    for cells in (
        [[1, 20], [3, 20], [1, -7]],
        [[0.5, 1.0], [0.25, 2.0]],
        [["b", "a10"], ["a", "a9"]],
        [[True, False], [False, False]],
        [[10**15, 1], [-(10**15), 2]],
        [[2**63 - 1, 1], [2**63 - 2, 2]],
        [[1.0, np.inf], [2.0, 1e300]],
    ):
        frame = pd.DataFrame(np.array(cells))
        for thing in (np.array(cells), cells, frame):
            assert as_dataset(thing).digest == from_frame(frame).digest, cells
    for thing, sentence in (
        ("votes.csv", "votes is of type str; .*read_table"),
        (None, "votes is of type NoneType; give a DataFrame or an array of rows"),
        (np.arange(3), r"votes has the shape \(3,\); give a table of rows and variables"),
        ([[0], [1, 2]], "rows of different lengths"),
        (np.empty((3, 0)), "no columns"),
        (np.array([[0.0, np.nan], [1.0, 1.0]]), "Column '1' has 1 missing cell"),
    ):
        refused(sentence, as_dataset, thing, "votes")


def test_measurements_are_not_learned_from_without_a_word():
    draw = np.random.default_rng(0)
    cells = np.column_stack([draw.integers(0, 2, 50), draw.normal(size=50)])
    # Rounded to a tenth, some rows agree, and it's a measurement all the same.
    for call, table, said in (
        (as_dataset, cells, "Column '1' holds 50 different numbers in 50 rows"),
        (as_dataset, cells.round(1), "Column '1' holds"),
        (bjp.learn, pd.DataFrame(cells, columns=["a", "b"]), "'b'.*BinNumbers"),
        (bjp.BlanketLearner().fit, cells, "Column '1' holds.*each becomes a state"),
        (bjp.parameters.impute, pd.DataFrame(cells), "Column '1' holds"),
    ):
        with pytest.warns(UserWarning, match=said):
            call(table)
    # Halves up to 5.5 are categories; a number a row is no measurement where it is whole, nor in a
    # handful of rows.
    as_dataset(np.arange(48).reshape(-1, 1) % 12 / 2)
    as_dataset(np.column_stack([cells[:, 0], np.arange(50.0)]))
    as_dataset(cells[:19])


def test_columns_and_rows():
    data = from_codes([[0, 1, 2], [1, 0, 0]], cardinalities=[2, 3, 4], names=["a", "b", "c"])
    part = data.select(["c", "a"])
    assert (part.names, part.cardinalities) == (("c", "a"), (4, 2))
    assert part.codes.tolist() == [[2, 0], [0, 1]]
    one, other = data.codes.tolist()
    for rows, expected in (
        ([1, 1, 0], [other, other, one]),
        (np.array([True, False]), [one]),
        ([-1], [other]),
        ([], []),
    ):
        part = data.take(rows)
        assert (part.codes.tolist(), part.cardinalities) == (expected, (2, 3, 4))
    for rows in ([2], [-3], [True], [[0, 1]], 0, [0.5], "ab"):
        refused("rows", data.take, rows)
    # They are as small as they can be.
    wide = from_codes([[0, 299]])
    assert wide.select([0]).codes.dtype == np.uint8
    assert wide.select([1]).codes.dtype == wide.take([0]).codes.dtype == np.uint16
    assert wide.select([1, 0]).codes.flags.f_contiguous


def test_the_order_of_states_is_kept_wherever_rows_and_columns_go():
    cells = pd.Categorical(["low", "high", "low"], ["low", "high"], ordered=True)
    data = from_frame(pd.DataFrame({"a": cells, "b": ["x", "y", "x"]}))
    assert data.ordered == (True, False)
    for other in (data.take([0, 1]), data.select(["a", "b"]), through_pickle(data)):
        assert other.ordered == data.ordered
    assert data.select(["b", "a"]).ordered == (False, True)
    assert from_frame(data.to_frame()).digest == data.digest
    parts = (data.codes, data.cardinalities, data.names, data.labels)
    assert from_codes(*parts).digest != data.digest
    assert from_codes(*parts, ordered=["a"]).digest == data.digest
    refused("ordered", bjp.Dataset, *parts, (True,))
    # The state of missing cells ends it.
    cells = pd.Categorical(["low", None, "high"], ["low", "high"], ordered=True)
    frame = pd.DataFrame({"a": cells, "b": [1, 2, 1]})
    assert from_frame(frame, missing="state").ordered == (False, False)
    assert from_frame(frame, missing="drop").ordered == (True, False)
    # A bare text is one name.
    codes, names = np.zeros((2, 3), dtype=int), tuple("abc")
    refused("There is no variable 'abc'", from_codes, codes, names=names, ordered="abc")
    assert from_codes(codes, names=names, ordered="b").ordered[1]


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
    frame = frame[["text", "whole", "truth"]]
    ours, theirs = (bjp.BlanketLearner().fit(one) for one in (in_pieces(frame), frame))
    assert ours.feature_names_in_.tolist() == list(frame)
    assert (ours.score_samples(in_pieces(frame)) == theirs.score_samples(frame)).all()


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
