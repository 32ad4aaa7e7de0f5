"""Dataset: what goes in comes out, in a stable order, or one sentence says what is wrong."""

from __future__ import annotations

import copy
import pickle
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.dataset import adopt, as_dataset
from bjp_engine.errors import BJPError, DataError, OptionError
from tests.strategies import Sample, samples

from_codes, from_frame = bjp.Dataset.from_codes, bjp.Dataset.from_frame
LABELS = (("0", "1"),) * 2


def states(values: object) -> tuple[str, ...]:
    """The labels of one column of values."""
    return from_frame(pd.DataFrame({"column": values})).labels[0]


def through_pickle(data: Any) -> Any:
    """What arrives in another process."""
    return pickle.loads(pickle.dumps(data))


def decoded(data: bjp.Dataset) -> list[list[str]]:
    """The table as text, cell by cell."""
    return [[data.labels[i][code] for i, code in enumerate(row)] for row in data.codes.tolist()]


class TestFromFrame:
    def test_labels_in_natural_order(self) -> None:
        for values, expected in (
            (["yes", "no", "maybe", "no"], ("maybe", "no", "yes")),
            ([3, 1, 10, 2], ("1", "2", "3", "10")),
            ([-1, 10, -10, 0], ("-10", "-1", "0", "10")),
            ([2.0, 1.0, 10.0], ("1", "2", "10")),
            ([1.5, 0.25, 10.0], ("0.25", "1.5", "10")),
            ([True, False], ("False", "True")),
            (["item10", "item2", "item1"], ("item1", "item2", "item10")),
            (["10", "9", "100"], ("9", "10", "100")),
            (["<140", ">140", "<3"], ("<3", "<140", ">140")),
            (["v1.10", "v1.9", "v1.9a"], ("v1.9", "v1.9a", "v1.10")),
            ([1 + 2j, 1 + 1j], ("(1+1j)", "(1+2j)")),
        ):
            assert states(values) == expected
        mixed = ["item10", "b", "item2", "10", "9", "a"]
        assert states(mixed) == states(mixed[::-1]) == states(sorted(mixed))
        many = [f"item{i}" for i in np.random.default_rng(0).permutation(300)]
        assert states(many) == tuple(f"item{i}" for i in range(300))

    def test_categories_keep_their_order_and_their_unseen_states(self) -> None:
        size = pd.Categorical(["m", "s"], categories=["s", "m", "l", "xl"])
        data = from_frame(pd.DataFrame({"size": size}))
        assert data.labels == (("s", "m", "l", "xl"),)
        assert data.cardinalities == (4,)
        assert data.codes[:, 0].tolist() == [1, 0]

    def test_every_cell_can_be_read_back_whatever_the_index(self) -> None:
        columns = {
            "text": ["b", "a", "c", "a"],
            "number": [10, 9, 9, 11],
            "whole": [1.0, 0.0, 1.0, 2.0],
            "flag": [True, False, False, True],
        }
        for index in (None, [7, 7, -1, 0]):
            data = from_frame(pd.DataFrame(columns, index=index))
            assert data.names == ("text", "number", "whole", "flag")
            assert (data.rows, data.n) == (4, 4)
            assert decoded(data) == [
                ["b", "10", "1", "True"],
                ["a", "9", "0", "False"],
                ["c", "9", "1", "False"],
                ["a", "11", "2", "True"],
            ]

    def test_names_may_be_numbers_and_come_before_an_index(self) -> None:
        data = from_frame(pd.DataFrame([[0, 1], [1, 0]], columns=[10, 3]))
        assert data.names == (10, 3)
        assert all(type(name) is int for name in data.names)
        assert (data.index(10), data.index(3)) == (0, 1)
        data = from_codes([[0, 1, 2]], names=[2, 0, "1"])
        assert [data.index(key) for key in (2, 0, "1", 1, "2")] == [0, 1, 2, 1, 0]
        data = from_codes([[0, 1, 2]], names=["a", "b", "c"])
        for key in ("smoking", 3, -1, "3", "A"):
            with pytest.raises(DataError, match=str(key)):
                data.index(key)

    def test_rows_may_be_none_but_not_columns(self) -> None:
        data = from_frame(pd.DataFrame({"a": [], "b": []}, dtype=str))
        assert (data.rows, data.n, data.names) == (0, 2, ("a", "b"))
        assert bjp.independence_test(data, "a", "b").log_independent == pytest.approx(np.log(0.5))
        with pytest.raises(DataError, match="column"):
            from_frame(pd.DataFrame())
        with pytest.raises(DataError, match="age"):
            from_frame(pd.DataFrame([[0, 1, 2]], columns=["age", "sex", "age"]))

    def test_text_is_kept_as_it_is(self) -> None:
        for hostile in ("<script>alert(1)</script>", "=1+1", "a\nb", "naïve–名前"):
            data = from_frame(pd.DataFrame({hostile: [hostile, "x"]}))
            assert data.names == (hostile,)
            assert hostile in data.labels[0]

    def test_numbers_and_truth_values_are_never_one_state(self) -> None:
        # In Python 1 == True, so one would vanish in the other.
        for cells in ([1, True, 0], [True, 1.0], ["a", np.int64(0), False]):
            frame = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
            with pytest.raises(DataError, match=r"'x' holds both [01] and (True|False), which"):
                from_frame(frame)
        with pytest.raises(DataError, match="count as equal"):
            as_dataset([[1], [True]])
        assert as_dataset([[1, True], [2, False]]).labels == (("1", "2"), ("False", "True"))

    def test_half_a_character(self) -> None:
        # pandas fails on it without saying where it is.
        cells = pd.Series(["\ud800", "b"], dtype=object)
        with pytest.raises(DataError, match="Column 'x' holds half a character"):
            from_frame(pd.DataFrame({"x": cells}))


class TestMissing:
    @pytest.fixture
    def frame(self) -> pd.DataFrame:
        vote = [np.nan, 1.0, 0.0, 1.0]
        return pd.DataFrame({"age": [1, 2, 1, 2], "sex": ["m", None, None, "f"], "vote": vote})

    def test_is_an_error_that_names_a_column_and_the_count(self, frame: pd.DataFrame) -> None:
        with pytest.raises(DataError) as caught:
            from_frame(frame)
        sentence = str(caught.value)
        assert "sex" in sentence
        assert "2 missing" in sentence
        assert "age" not in sentence
        # Functions that take any data name the one that has the option.
        for rows in (frame, [[1.0, np.nan], [0.0, 1.0]]):
            for call in (bjp.learn, bjp.all_graphs):
                with pytest.raises(DataError, match=r"Dataset\.from_frame\(df, missing='drop'\)"):
                    call(rows)
        with pytest.raises(BJPError, match=r"missing.*impute"):
            from_frame(frame, missing="impute")

    def test_drop_and_state(self, frame: pd.DataFrame) -> None:
        assert decoded(from_frame(frame, missing="drop")) == [["2", "f", "1"]]
        data = from_frame(frame, missing="state")
        assert data.cardinalities == (2, 3, 3)
        assert data.labels[1][:2] == ("f", "m")
        assert data.codes[:, 1].tolist() == [1, 2, 2, 0]
        assert data.codes[:, 2].tolist() == [2, 1, 0, 1]
        taken = pd.DataFrame({"a": ["(missing)", None, "x"]})
        assert len(set(from_frame(taken, missing="state").labels[0])) == 3

    def test_every_kind_of_missing_cell(self) -> None:
        for absent in (None, np.nan, pd.NA, pd.NaT):
            frame = pd.DataFrame({"a": pd.Series(["x", absent, "y"], dtype=object)})
            with pytest.raises(DataError, match="a"):
                from_frame(frame)
            assert from_frame(frame, missing="drop").rows == 2, absent

    def test_hidden_cells_of_a_mask(self) -> None:
        hidden = np.ma.array([[0, 5], [1, 0], [1, 1]], mask=[[0, 1], [0, 0], [0, 0]])
        for make in (
            from_codes,
            as_dataset,
            lambda table: from_codes(list(table)),
            lambda table: bjp.Dataset(table, (2, 6), ("a", "b"), (("0", "1"), tuple("012345"))),
            lambda table: from_codes([[0], [1], [1]]).take(table[:, 1]),
        ):
            with pytest.raises(DataError, match="mask hides some of its cells"):
                make(hidden)
        with pytest.raises(DataError, match="Column 'b' has 1 missing cell"):
            from_frame(pd.DataFrame(hidden, columns=["a", "b"]))
        shown = np.ma.array([[0, 5], [1, 0]], mask=False)
        assert from_codes(shown).codes.tolist() == [[0, 5], [1, 0]]
        assert from_codes(hidden[1:]).codes.tolist() == [[1, 0], [1, 1]]


class TestFromCodes:
    def test_defaults_and_declared_states(self) -> None:
        data = from_codes(np.array([[0, 2], [1, 0]]))
        assert data.cardinalities == (2, 3)
        assert data.names == (0, 1)
        assert data.labels == (("0", "1"), ("0", "1", "2"))
        declared = from_codes([[0, 0]], cardinalities=[2, 300], names=["a", "b"])
        assert declared.cardinalities == (2, 300)
        assert declared.names == ("a", "b")

    def test_any_integer_type_is_the_same_data(self) -> None:
        codes = np.array([[0, 1, 1], [1, 0, 1]])
        for dtype in ("i1", "u1", "i2", "u2", "i4", "i8", "u8", "?"):
            other = from_codes(codes.astype(dtype))
            assert other.digest == from_codes(codes).digest, dtype
            assert (other.codes == codes).all()
        for code, dtype in ((255, np.uint8), (256, np.uint16), (65535, np.uint16)):
            assert from_codes([[0, code]]).codes.dtype == dtype
            assert from_codes([[0, float(code)]]).codes.tolist() == [[0, code]]

    @pytest.mark.parametrize("layout", ["C", "F"])
    def test_the_callers_array_stays_the_callers(self, layout: Any) -> None:
        codes = np.array([[0, 1], [1, 0]], dtype=np.uint8, order=layout)
        data = from_codes(codes)
        before = data.digest
        codes[0, 0] = 1
        assert data.codes.tolist() == [[0, 1], [1, 0]]
        assert from_codes(data.codes).digest == before
        for own in (True, False):
            codes = np.zeros((3, 2), dtype=np.uint8, order=layout)
            passed = codes if own else codes[:]
            passed.setflags(write=False)
            data = bjp.Dataset(passed, (2, 2), (0, 1), LABELS)
            codes.setflags(write=True)
            codes[0, 0] = 1
            assert data.codes.tolist() == [[0, 0]] * 3

    def test_an_array_given_away_is_not_copied(self) -> None:
        codes = np.zeros((3, 2), dtype=np.uint8, order="F")
        data = adopt(codes, (2, 2), (0, 1), LABELS)
        assert data.codes is codes
        assert not codes.flags.writeable
        with pytest.raises(DataError, match="cardinalities has 1 entries"):
            adopt(codes, (2,), (0, 1), LABELS)
        for other in (codes.astype(np.int64), np.zeros((3, 2), dtype=np.uint8)):
            copied = adopt(other, (2, 2), (0, 1), LABELS).codes
            assert copied.dtype == np.uint8
            assert copied.flags.f_contiguous

    @pytest.mark.parametrize("layout", ["C", "F"])
    @pytest.mark.parametrize("kind", [np.uint8, np.int32, np.int64, np.float64])
    def test_many_rows_are_cut_into_blocks(self, kind: type, layout: Any) -> None:
        codes = np.random.default_rng(0).integers(0, 300, (40_000, 3)).astype(np.uint16)
        codes[:, 1] %= 7
        table = (codes % 256 if kind is np.uint8 else codes).astype(kind, order=layout)
        data = from_codes(table)
        assert (data.codes == table).all()
        assert data.codes.flags.f_contiguous
        assert data.codes.dtype == (np.uint8 if kind is np.uint8 else np.uint16)
        assert (from_codes(table[::-2, ::-1]).codes == table[::-2, ::-1]).all()
        wrong = np.concatenate([table.astype(np.int64), [[0, -1, 0]]])
        with pytest.raises(DataError, match="'1' holds the code -1"):
            from_codes(wrong)
        with pytest.raises(DataError, match=r"'1' holds 0\.5 in row 40001"):
            from_codes(np.where(wrong < 0, 0.5, wrong))

    def test_memory_is_that_of_the_result(self) -> None:
        codes = np.random.default_rng(0).integers(0, 4, (500_000, 4))
        for table in (codes, np.asfortranarray(codes)):
            tracemalloc.start()
            data = from_codes(table)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert peak < data.codes.nbytes + (1 << 21)

    def test_a_wrong_code_names_its_column(self) -> None:
        wrong: list[tuple[list[float], list[int] | None]] = [
            *(([0, code], None) for code in (-1, 0.5, np.nan, np.inf)),
            ([0, -1], [2, 2]),
            ([0, 2], [2, 2]),
            ([0, 0], [2, 0]),
            ([0, 0], [2, -2]),
        ]
        # Codes that no type of a dataset can hold.
        for code in (65536, 2**31, 2**63, 1e5, 1e300):
            wrong += [([0, code], None), ([0, code], [1, 2])]
        for row, cardinalities in wrong:
            with pytest.raises(DataError, match="height"):
                from_codes([row], cardinalities, names=["age", "height"])
            with pytest.raises(DataError, match="height"):
                from_codes(np.array([row, [0, 1]]), cardinalities, names=["age", "height"])

    def test_a_wrong_shape_type_or_length_is_refused(self) -> None:
        for codes in ([0, 1, 2], 3, [[[0]]], [["a", "b"]], [[None, 1]], np.zeros((3, 0), int)):
            with pytest.raises(DataError):
                from_codes(codes)
        for parts, sentence in (
            ({"cardinalities": [2]}, "cardinalities"),
            ({"names": ["a"]}, "names"),
            ({"labels": [["0", "1"]]}, "labels"),
            ({"names": ["age", "height"], "labels": [["no", "yes"], ["small"]]}, "height"),
            ({"names": 5}, "names is '5'"),
            ({"labels": 5}, "labels is '5'"),
            ({"labels": [5, 6]}, "An entry of labels is '5'"),
            ({"names": ["\ud800", "b"]}, r"column's name holds half a character \(in '\\ud800'\)"),
            ({"labels": [["a", "b\udfff"], ["a", "b"]]}, "Column '0' holds half a character"),
        ):
            with pytest.raises(DataError, match=sentence):
                from_codes([[0, 1], [1, 0]], **parts)
        for labels, sentence in (
            (5, "labels is '5'"),
            ((("a",),), "labels has 1 entries for 2 columns"),
        ):
            with pytest.raises(DataError, match=sentence):
                bjp.Dataset(np.zeros((1, 2), dtype=np.uint8), (1, 1), ("x", "y"), labels)


class TestIdentity:
    def test_nothing_can_be_written_in_a_dataset_or_its_copies(self) -> None:
        data = from_codes([[0, 1], [1, 0], [1, 300]], names=["a", 1])
        with pytest.raises(AttributeError):
            data.names = ("a", "b")
        digest = data.digest
        for again in (lambda same: same, through_pickle, copy.copy, copy.deepcopy):
            other = again(data)
            with pytest.raises(ValueError, match="read-only"):
                other.codes[0, 0] = 1
            assert other.codes.flags.f_contiguous
            assert other.codes.dtype == data.codes.dtype
            assert (other.names, other.labels) == (data.names, data.labels)
            # The digest that came along is that of the cells that came along.
            assert other.digest == digest == again(again(data)).take([0, 1, 2]).digest

    def test_the_digest_differs_with_each_cell_label_name_and_state(self) -> None:
        def digest(**changed: object) -> str:
            parts: dict[str, object] = {
                "codes": [[0, 1], [1, 0], [1, 1]],
                "cardinalities": [2, 2],
                "names": ["a", "b"],
                "labels": [["no", "yes"], ["no", "yes"]],
            }
            return from_codes(**(parts | changed)).digest

        variants = [
            digest(),
            digest(codes=[[0, 1], [1, 0], [1, 0]]),
            digest(codes=[[1, 0], [0, 1], [1, 1]]),
            digest(codes=[[0, 1], [1, 0]]),
            digest(names=["a", "c"]),
            digest(names=["b", "a"]),
            digest(names=["a", 1]),
            digest(labels=[["no", "yes"], ["no", "Yes"]]),
            digest(labels=[["no", "yes"], ["yes", "no"]]),
            digest(cardinalities=[2, 3], labels=[["no", "yes"], ["no", "yes", "?"]]),
            # Names and labels cannot run into each other.
            from_codes([[0, 0]], names=["a", "b"], labels=[["x,y"], ["z"]]).digest,
            from_codes([[0, 0]], names=["a", "b"], labels=[["x"], ["y,z"]]).digest,
            from_codes([[0]], names=[0]).digest,
            from_codes([[0]], names=["0"]).digest,
        ]
        assert len(set(variants)) == len(variants)
        assert digest() == variants[0]

    def test_the_digest_is_the_same_in_every_process(self) -> None:
        data = from_codes([[0, 1], [1, 0]], names=["a", "b"])
        assert data.digest[:16] == "fc2e3ff1422c1bf9"

    @given(samples(), st.data())
    def test_codes_and_states_are_kept(self, sample: Sample, choice: st.DataObject) -> None:
        data = sample.data
        assert tuple(map(tuple, data.codes.tolist())) == sample.rows
        assert data.cardinalities == sample.cards
        assert from_frame(data.to_frame()).digest == data.digest
        places = [(i, v) for i in range(data.rows) for v in range(data.n) if sample.cards[v] > 1]
        if places:
            # One changed cell changes the digest.
            i, v = choice.draw(st.sampled_from(places))
            rows = [list(row) for row in sample.rows]
            rows[i][v] = (rows[i][v] + 1) % sample.cards[v]
            changed = Sample(tuple(map(tuple, rows)), sample.cards)
            assert changed.data.digest != data.digest

    def test_a_line_about_a_large_table_does_not_read_it(self) -> None:
        data = from_codes(np.zeros((1 << 20, 11), dtype=np.uint8))
        assert repr(data) == "Dataset(1048576 rows, 11 variables)"
        assert data.digest[:12] in repr(data)
        small = from_codes([[0, 1]])
        assert small.digest[:12] in repr(small)


class TestAsDataset:
    def test_a_dataset_is_itself_and_an_array_is_what_its_frame_is(self) -> None:
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

    def test_anything_else_is_refused_by_the_name_of_its_argument(self) -> None:
        for thing, sentence in (
            ("votes.csv", "votes is of type str; .*read_table"),
            (None, "votes is of type NoneType; give a DataFrame, an array or a Dataset"),
            (np.arange(3), "votes is not a table: it has 1 axes"),
            ([[0], [1, 2]], "rows of different lengths"),
            (np.empty((3, 0)), "no columns"),
            (np.array([[0.0, np.nan], [1.0, 1.0]]), "Column '1' has 1 missing cell"),
        ):
            with pytest.raises(DataError, match=sentence):
                as_dataset(thing, "votes")

    def test_measurements_are_not_learned_from_without_a_word(self) -> None:
        draw = np.random.default_rng(0)
        cells = np.column_stack([draw.integers(0, 2, 50), draw.normal(size=50)])
        with pytest.warns(UserWarning, match="Column '1' holds 50 different numbers in 50 rows"):
            as_dataset(cells)
        with pytest.warns(UserWarning, match="'b'.*BinNumbers"):
            bjp.learn(pd.DataFrame({"a": cells[:, 0], "b": cells[:, 1]}))
        # Rounded to a tenth, some rows agree, and it's a measurement all the same.
        rounded = np.column_stack([cells[:, 0], cells[:, 1].round(1)])
        assert 12 < len(set(rounded[:, 1])) < 50
        with pytest.warns(UserWarning, match="Column '1' holds"):
            as_dataset(rounded)
        # Halves up to 5.5 are categories.
        as_dataset(np.arange(48).reshape(-1, 1) % 12 / 2)
        # A number a row is no measurement where it is whole; nor in a handful of rows.
        as_dataset(np.column_stack([cells[:, 0], np.arange(50.0)]))
        as_dataset(cells[:19])


class TestDerived:
    def test_threads_share_what_one_of_them_made(self) -> None:
        data, ready = from_codes([[0, 1], [1, 0]]), Barrier(8)

        def make() -> object:
            ready.wait()
            return object()

        with ThreadPoolExecutor(8) as pool:
            made = list(pool.map(lambda _: data.derived("same", make), range(8)))
        assert len(set(map(id, made))) == 1
        assert data.derived("same", object) is made[0]

    def test_a_copy_computes_it_again(self) -> None:
        data = from_codes([[0, 1], [1, 0]])
        first, digest = data.derived("list", list), data.digest
        for other in (copy.copy(data), through_pickle(data), data.select([0, 1])):
            assert other.derived("list", list) is not first
            assert other.digest == digest
        assert data.derived("list", list) is first


class TestParts:
    @pytest.fixture
    def data(self) -> bjp.Dataset:
        return from_codes([[0, 1, 2], [1, 0, 0]], cardinalities=[2, 3, 4], names=["a", "b", "c"])

    def test_columns_and_rows(self, data: bjp.Dataset) -> None:
        part = data.select(["c", "a"])
        assert part.names == ("c", "a")
        assert part.cardinalities == (4, 2)
        assert part.codes.tolist() == [[2, 0], [0, 1]]
        part = data.take([1, 1, 0])
        assert part.codes.tolist() == [[1, 0, 0], [1, 0, 0], [0, 1, 2]]
        assert part.cardinalities == (2, 3, 4)
        assert data.take(np.array([True, False])).codes.tolist() == [[0, 1, 2]]
        assert data.take([]).codes.shape == (0, 3)
        assert data.take([-1]).codes.tolist() == [[1, 0, 0]]
        for rows in ([2], [-3], [True], [[0, 1]], 0, [0.5], "ab"):
            with pytest.raises(DataError, match="rows"):
                data.take(rows)

    def test_parts_are_as_small_as_they_can_be(self) -> None:
        wide = from_codes([[0, 299]])
        assert wide.select([0]).codes.dtype == np.uint8
        assert wide.select([1]).codes.dtype == wide.take([0]).codes.dtype == np.uint16
        assert wide.select([1, 0]).codes.flags.f_contiguous

    def test_repeated_rows_are_those_of_the_long_table(self) -> None:
        data = from_codes([[0, 1], [1, 0], [1, 1]])
        long = from_codes([[0, 1]] * 2 + [[1, 1]] * 3, (2, 2))
        assert data.repeat([2, 0, 3]).digest == long.digest
        assert data.repeat(np.array([2.0, 0.0, 3.0])).digest == long.digest
        for frequencies, sentence in (
            ([1, 2], "one per row"),
            ([1, 0.5, 2], "Row 2 has the frequency 0.5"),
            ([1, np.nan, 2], "Row 2 has no frequency"),
            ([1, -1, 2], "Row 2 has the negative frequency -1"),
            (["a", "b", "c"], "whole numbers"),
            ([1, 1 << 40, 1], "more than"),
        ):
            with pytest.raises(DataError, match=sentence):
                data.repeat(frequencies)


class TestOrderedStates:
    def test_the_order_is_kept_wherever_rows_and_columns_go(self) -> None:
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
        with pytest.raises(DataError, match="ordered"):
            bjp.Dataset(*parts, (True,))

    def test_only_truth_values_and_names_declare_it(self) -> None:
        codes, names = np.zeros((2, 3), dtype=int), tuple("abc")
        parts: Any = (codes, (2, 2, 2), names, (("0", "1"),) * 3)
        for odd in (("0", "1", "2"), "012", (1, 0, 2), (True, False, None)):
            with pytest.raises(OptionError, match=r"An entry of ordered=('.*'|1|None) must be tr"):
                bjp.Dataset(*parts, odd)
        assert bjp.Dataset(*parts, np.array([True, False, True])).ordered == (True, False, True)
        # A bare text is one name.
        with pytest.raises(DataError, match="There is no variable 'abc'"):
            from_codes(codes, names=names, ordered="abc")
        assert from_codes(codes, names=names, ordered="b").ordered[1]

    def test_the_state_of_missing_cells_ends_it(self) -> None:
        cells = pd.Categorical(["low", None, "high"], ["low", "high"], ordered=True)
        frame = pd.DataFrame({"a": cells, "b": [1, 2, 1]})
        assert from_frame(frame, missing="state").ordered == (False, False)
        assert from_frame(frame, missing="drop").ordered == (True, False)
