"""Dataset: what goes in comes out, in a stable order, or one sentence says what is wrong."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
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

Again = Callable[[Any], bjp.Dataset]


def states(values: object) -> tuple[str, ...]:
    """The labels of one column of values."""
    return bjp.Dataset.from_frame(pd.DataFrame({"column": values})).labels[0]


def pickled(data: bjp.Dataset) -> bjp.Dataset:
    """What arrives in another process."""
    return pickle.loads(pickle.dumps(data))


def decoded(data: bjp.Dataset) -> list[list[str]]:
    """The table as text, cell by cell."""
    return [[data.labels[i][code] for i, code in enumerate(row)] for row in data.codes.tolist()]


class TestFromFrame:
    @pytest.mark.parametrize(
        ("values", "expected"),
        [
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
        ],
    )
    def test_labels_in_natural_order(self, values: list[object], expected: tuple[str, ...]) -> None:
        assert states(values) == expected

    def test_order_of_labels_does_not_depend_on_order_of_rows(self) -> None:
        values = ["item10", "b", "item2", "10", "9", "a"]
        assert states(values) == states(values[::-1]) == states(sorted(values))

    def test_categories_keep_their_order_and_their_unseen_states(self) -> None:
        size = pd.Categorical(["m", "s"], categories=["s", "m", "l", "xl"])
        data = bjp.Dataset.from_frame(pd.DataFrame({"size": size}))
        assert data.labels == (("s", "m", "l", "xl"),)
        assert data.cardinalities == (4,)
        assert data.codes[:, 0].tolist() == [1, 0]

    def test_every_cell_can_be_read_back(self) -> None:
        frame = pd.DataFrame(
            {
                "text": ["b", "a", "c", "a"],
                "number": [10, 9, 9, 11],
                "whole": [1.0, 0.0, 1.0, 2.0],
                "flag": [True, False, False, True],
            }
        )
        data = bjp.Dataset.from_frame(frame)
        assert data.names == ("text", "number", "whole", "flag")
        assert (data.rows, data.n) == (4, 4)
        assert decoded(data) == [
            ["b", "10", "1", "True"],
            ["a", "9", "0", "False"],
            ["c", "9", "1", "False"],
            ["a", "11", "2", "True"],
        ]

    def test_the_index_of_the_frame_does_not_matter(self) -> None:
        frame = pd.DataFrame({"a": ["x", "y", "x"]}, index=[7, 7, -1])
        assert bjp.Dataset.from_frame(frame).codes[:, 0].tolist() == [0, 1, 0]

    def test_names_may_be_numbers(self) -> None:
        frame = pd.DataFrame([[0, 1], [1, 0]], columns=[10, 3])
        data = bjp.Dataset.from_frame(frame)
        assert data.names == (10, 3)
        assert all(type(name) is int for name in data.names)
        assert (data.index(10), data.index(3)) == (0, 1)

    def test_an_exact_name_comes_before_an_index(self) -> None:
        data = bjp.Dataset.from_codes([[0, 1, 2]], names=[2, 0, "1"])
        assert [data.index(key) for key in (2, 0, "1", 1, "2")] == [0, 1, 2, 1, 0]

    @pytest.mark.parametrize("key", ["smoking", 3, -1, "3", "A"])
    def test_an_unknown_variable_is_named(self, key: str | int) -> None:
        data = bjp.Dataset.from_codes([[0, 1, 2]], names=["a", "b", "c"])
        with pytest.raises(DataError, match=str(key)):
            data.index(key)

    def test_many_states(self) -> None:
        labels = states([f"item{i}" for i in np.random.default_rng(0).permutation(300)])
        assert labels == tuple(f"item{i}" for i in range(300))

    def test_rows_may_be_none(self) -> None:
        data = bjp.Dataset.from_frame(pd.DataFrame({"a": [], "b": []}, dtype=str))
        assert (data.rows, data.n, data.names) == (0, 2, ("a", "b"))
        assert bjp.independence_test(data, "a", "b").log_independent == pytest.approx(np.log(0.5))

    def test_no_column_is_refused(self) -> None:
        with pytest.raises(DataError, match="column"):
            bjp.Dataset.from_frame(pd.DataFrame())

    def test_a_name_given_twice_is_refused(self) -> None:
        frame = pd.DataFrame([[0, 1, 2]], columns=["age", "sex", "age"])
        with pytest.raises(DataError, match="age"):
            bjp.Dataset.from_frame(frame)

    @pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", "=1+1", "a\nb", "naïve–名前"])
    def test_text_is_kept_as_it_is(self, hostile: str) -> None:
        data = bjp.Dataset.from_frame(pd.DataFrame({hostile: [hostile, "x"]}))
        assert data.names == (hostile,)
        assert hostile in data.labels[0]

    def test_complex_numbers_are_texts_in_their_order(self) -> None:
        frame = pd.DataFrame({"a": [1 + 2j, 1 + 1j]})
        assert bjp.Dataset.from_frame(frame).labels == (("(1+1j)", "(1+2j)"),)


class TestMissing:
    frame = pd.DataFrame(
        {"age": [1, 2, 1, 2], "sex": ["m", None, None, "f"], "vote": [np.nan, 1.0, 0.0, 1.0]}
    )

    def test_the_error_names_a_column_and_the_count(self) -> None:
        with pytest.raises(DataError) as caught:
            bjp.Dataset.from_frame(self.frame)
        sentence = str(caught.value)
        assert "sex" in sentence
        assert "2 missing" in sentence
        assert "age" not in sentence

    @pytest.mark.parametrize("rows", [frame, [[1.0, np.nan], [0.0, 1.0]]], ids=["frame", "array"])
    def test_who_takes_any_data_names_what_has_the_option(self, rows: object) -> None:
        for call in (bjp.learn, bjp.all_graphs):
            with pytest.raises(DataError, match=r"Dataset\.from_frame\(df, missing='drop'\)"):
                call(rows)  # type: ignore[operator]

    def test_drop_keeps_complete_rows(self) -> None:
        data = bjp.Dataset.from_frame(self.frame, missing="drop")
        assert decoded(data) == [["2", "f", "1"]]

    def test_state_gives_one_more_state_where_needed(self) -> None:
        data = bjp.Dataset.from_frame(self.frame, missing="state")
        assert data.cardinalities == (2, 3, 3)
        assert data.labels[1][:2] == ("f", "m")
        assert data.codes[:, 1].tolist() == [1, 2, 2, 0]
        assert data.codes[:, 2].tolist() == [2, 1, 0, 1]

    def test_state_never_shares_a_label(self) -> None:
        frame = pd.DataFrame({"a": ["(missing)", None, "x"]})
        labels = bjp.Dataset.from_frame(frame, missing="state").labels[0]
        assert len(set(labels)) == 3

    @pytest.mark.parametrize("absent", [None, np.nan, pd.NA, pd.NaT])
    def test_every_kind_of_missing_cell(self, absent: object) -> None:
        frame = pd.DataFrame({"a": pd.Series(["x", absent, "y"], dtype=object)})
        with pytest.raises(DataError, match="a"):
            bjp.Dataset.from_frame(frame)
        assert bjp.Dataset.from_frame(frame, missing="drop").rows == 2

    def test_an_unknown_choice_is_named(self) -> None:
        with pytest.raises(BJPError, match=r"missing.*impute"):
            bjp.Dataset.from_frame(self.frame, missing="impute")  # type: ignore[arg-type]


class TestFromCodes:
    def test_defaults(self) -> None:
        data = bjp.Dataset.from_codes(np.array([[0, 2], [1, 0]]))
        assert data.cardinalities == (2, 3)
        assert data.names == (0, 1)
        assert data.labels == (("0", "1"), ("0", "1", "2"))

    def test_declared_states_need_not_be_seen(self) -> None:
        data = bjp.Dataset.from_codes([[0, 0]], cardinalities=[2, 300], names=["a", "b"])
        assert data.cardinalities == (2, 300)
        assert data.names == ("a", "b")

    @pytest.mark.parametrize(
        "dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.uint64, bool]
    )
    def test_any_integer_type_is_the_same_data(self, dtype: type) -> None:
        codes = np.array([[0, 1, 1], [1, 0, 1]])
        one, other = bjp.Dataset.from_codes(codes), bjp.Dataset.from_codes(codes.astype(dtype))
        assert one.digest == other.digest
        assert (one.codes == other.codes).all()

    @pytest.mark.parametrize("layout", ["C", "F"])
    def test_the_callers_array_stays_the_callers(self, layout: str) -> None:
        codes = np.array([[0, 1], [1, 0]], dtype=np.uint8, order=layout)  # type: ignore[call-overload]
        data = bjp.Dataset.from_codes(codes)
        before = data.digest
        codes[0, 0] = 1
        assert data.codes.tolist() == [[0, 1], [1, 0]]
        assert bjp.Dataset.from_codes(data.codes).digest == before

    @pytest.mark.parametrize("own", [True, False])
    def test_an_array_given_to_the_constructor_stays_the_callers(self, own: bool) -> None:
        codes = np.zeros((3, 2), dtype=np.uint8, order="F")
        given = codes if own else codes[:]
        given.setflags(write=False)
        data = bjp.Dataset(given, (2, 2), (0, 1), (("0", "1"),) * 2)
        codes.setflags(write=True)
        codes[0, 0] = 1
        assert data.codes.tolist() == [[0, 0]] * 3

    def test_an_array_given_away_is_not_copied(self) -> None:
        codes = np.zeros((3, 2), dtype=np.uint8, order="F")
        data = adopt(codes, (2, 2), (0, 1), (("0", "1"),) * 2)
        assert data.codes is codes
        assert not codes.flags.writeable
        with pytest.raises(DataError, match="cardinalities has 1 entries"):
            adopt(codes, (2,), (0, 1), (("0", "1"),) * 2)
        for other in (codes.astype(np.int64), np.zeros((3, 2), dtype=np.uint8)):
            copy = adopt(other, (2, 2), (0, 1), (("0", "1"),) * 2).codes
            assert copy.dtype == np.uint8
            assert copy.flags.f_contiguous

    @pytest.mark.parametrize("layout", ["C", "F"])
    @pytest.mark.parametrize("kind", [np.uint8, np.int32, np.int64, np.float64])
    def test_many_rows_are_cut_into_blocks(self, kind: type, layout: str) -> None:
        codes = np.random.default_rng(0).integers(0, 300, (40_000, 3)).astype(np.uint16)
        codes[:, 1] %= 7
        table = (codes % 256 if kind is np.uint8 else codes).astype(kind, order=layout)
        data = bjp.Dataset.from_codes(table)
        assert (data.codes == table).all()
        assert data.codes.flags.f_contiguous
        assert data.codes.dtype == (np.uint8 if kind is np.uint8 else np.uint16)
        every_second = bjp.Dataset.from_codes(table[::-2, ::-1])
        assert (every_second.codes == table[::-2, ::-1]).all()
        wrong = np.concatenate([table.astype(np.int64), [[0, -1, 0]]])
        with pytest.raises(DataError, match="'1' holds the code -1"):
            bjp.Dataset.from_codes(wrong)
        with pytest.raises(DataError, match=r"'1' holds 0\.5 in row 40001"):
            bjp.Dataset.from_codes(np.where(wrong < 0, 0.5, wrong))

    @pytest.mark.parametrize(
        ("code", "states"), [(255, np.uint8), (256, np.uint16), (65535, np.uint16)]
    )
    def test_the_smallest_type(self, code: int, states: type) -> None:
        assert bjp.Dataset.from_codes([[0, code]]).codes.dtype == states
        assert bjp.Dataset.from_codes([[0, float(code)]]).codes.tolist() == [[0, code]]

    @pytest.mark.parametrize("code", [65536, 2**31, 2**63, 1e5, 1e300])
    def test_a_code_that_is_too_large(self, code: float) -> None:
        with pytest.raises(DataError, match="height"):
            bjp.Dataset.from_codes([[0, code]], names=["age", "height"])
        with pytest.raises(DataError, match="height"):
            bjp.Dataset.from_codes([[0, code]], [1, 2], names=["age", "height"])

    @pytest.mark.parametrize("layout", ["C", "F"])
    def test_memory_is_that_of_the_result(self, layout: str) -> None:
        import tracemalloc

        codes = np.random.default_rng(0).integers(0, 4, (500_000, 4))
        codes = np.asarray(codes, order=layout)  # type: ignore[call-overload]
        tracemalloc.start()
        data = bjp.Dataset.from_codes(codes)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < data.codes.nbytes + (1 << 21)

    @pytest.mark.parametrize(
        ("codes", "cardinalities"),
        [
            ([[0, -1], [0, 1]], None),
            ([[0, -1], [0, 1]], [2, 2]),
            ([[0, 2], [0, 1]], [2, 2]),
            ([[0, 0.5], [0, 1]], None),
            ([[0, np.nan], [0, 1]], None),
            ([[0, np.inf], [0, 1]], None),
            ([[0, 0], [0, 1]], [2, 0]),
            ([[0, 0], [0, 1]], [2, -2]),
        ],
    )
    def test_a_wrong_code_names_its_column(
        self, codes: list[list[float]], cardinalities: list[int] | None
    ) -> None:
        with pytest.raises(DataError, match="height"):
            bjp.Dataset.from_codes(np.array(codes), cardinalities, names=["age", "height"])

    @pytest.mark.parametrize(
        "codes", [[0, 1, 2], 3, [[[0]]], [["a", "b"]], [[None, 1]], np.zeros((3, 0), dtype=int)]
    )
    def test_a_wrong_shape_or_type_is_refused(self, codes: object) -> None:
        with pytest.raises(DataError):
            bjp.Dataset.from_codes(codes)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("what", "value"), [("cardinalities", [2]), ("names", ["a"]), ("labels", [["0", "1"]])]
    )
    def test_a_wrong_length_names_the_argument(self, what: str, value: object) -> None:
        with pytest.raises(DataError, match=what):
            bjp.Dataset.from_codes([[0, 1], [1, 0]], **{what: value})  # type: ignore[arg-type]

    def test_too_few_labels_name_the_column(self) -> None:
        with pytest.raises(DataError, match="height"):
            bjp.Dataset.from_codes(
                [[0, 1], [1, 0]], names=["age", "height"], labels=[["no", "yes"], ["small"]]
            )


class TestIdentity:
    def test_nothing_can_be_written(self) -> None:
        data = bjp.Dataset.from_codes([[0, 1], [1, 0]])
        with pytest.raises(ValueError, match="read-only"):
            data.codes[0, 0] = 1
        with pytest.raises(AttributeError):
            data.names = ("a", "b")  # type: ignore[misc]

    def test_the_digest_tells_a_cell_a_label_a_name_and_a_state(self) -> None:
        def digest(**changed: object) -> str:
            parts: dict[str, object] = {
                "codes": [[0, 1], [1, 0], [1, 1]],
                "cardinalities": [2, 2],
                "names": ["a", "b"],
                "labels": [["no", "yes"], ["no", "yes"]],
            }
            return bjp.Dataset.from_codes(**(parts | changed)).digest  # type: ignore[arg-type]

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
        ]
        assert len(set(variants)) == len(variants)
        assert digest() == variants[0]

    def test_names_and_labels_cannot_run_into_each_other(self) -> None:
        one = bjp.Dataset.from_codes([[0, 0]], names=["a", "b"], labels=[["x,y"], ["z"]])
        two = bjp.Dataset.from_codes([[0, 0]], names=["a", "b"], labels=[["x"], ["y,z"]])
        number = bjp.Dataset.from_codes([[0]], names=[0])
        text = bjp.Dataset.from_codes([[0]], names=["0"])
        assert one.digest != two.digest
        assert number.digest != text.digest

    def test_the_digest_is_the_same_in_another_process(self) -> None:
        program = (
            "import bjp_engine as bjp\n"
            "data = bjp.Dataset.from_codes([[0, 1], [1, 0]], names=['a', 'b'])\n"
            "print(data.digest)"
        )
        run = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        here = bjp.Dataset.from_codes([[0, 1], [1, 0]], names=["a", "b"])
        assert run.stdout.strip() == here.digest

    @given(samples(), st.data())
    def test_one_changed_cell_changes_the_digest(
        self, sample: Sample, choice: st.DataObject
    ) -> None:
        places = [(i, v) for i in range(len(sample.rows)) for v in range(sample.n)]
        places = [(i, v) for i, v in places if sample.cards[v] > 1]
        if not places:
            return
        i, v = choice.draw(st.sampled_from(places))
        rows = [list(row) for row in sample.rows]
        rows[i][v] = (rows[i][v] + 1) % sample.cards[v]
        changed = Sample(tuple(map(tuple, rows)), sample.cards)
        assert changed.data.digest != sample.data.digest

    @given(samples())
    def test_codes_and_states_are_kept(self, sample: Sample) -> None:
        assert tuple(map(tuple, sample.data.codes.tolist())) == sample.rows
        assert sample.data.cardinalities == sample.cards

    @given(samples())
    def test_a_frame_and_back(self, sample: Sample) -> None:
        assert bjp.Dataset.from_frame(sample.data.to_frame()).digest == sample.data.digest


class TestCopies:
    @pytest.mark.parametrize("again", [pickled, copy.copy, copy.deepcopy])
    def test_a_copy_is_as_locked_as_the_original(self, again: Again) -> None:
        data = bjp.Dataset.from_codes([[0, 1], [1, 0], [1, 300]], names=["a", 1])
        digest = data.digest
        other = again(data)
        with pytest.raises(ValueError, match="read-only"):
            other.codes[0, 0] = 1
        assert other.codes.flags.f_contiguous
        assert other.codes.dtype == data.codes.dtype
        assert (other.names, other.labels) == (data.names, data.labels)
        # The digest that came along is that of the cells that came along.
        assert other.digest == digest == again(again(data)).take([0, 1, 2]).digest


class TestMasks:
    hidden = np.ma.array([[0, 5], [1, 0], [1, 1]], mask=[[0, 1], [0, 0], [0, 0]])

    @pytest.mark.parametrize(
        "make",
        [
            bjp.Dataset.from_codes,
            as_dataset,
            lambda table: bjp.Dataset.from_codes(list(table)),
            lambda table: bjp.Dataset(table, (2, 6), ("a", "b"), (("0", "1"), tuple("012345"))),
            lambda table: bjp.Dataset.from_codes([[0], [1], [1]]).take(table[:, 1]),
        ],
    )
    def test_a_mask_that_hides_a_cell_is_refused(self, make: Again) -> None:
        with pytest.raises(DataError, match="mask hides some of its cells"):
            make(self.hidden)

    def test_a_mask_that_hides_nothing_is_none(self) -> None:
        shown = np.ma.array([[0, 5], [1, 0]], mask=False)
        assert bjp.Dataset.from_codes(shown).codes.tolist() == [[0, 5], [1, 0]]
        assert bjp.Dataset.from_codes(self.hidden[1:]).codes.tolist() == [[1, 0], [1, 1]]

    def test_the_masked_cells_of_a_frame_are_missing(self) -> None:
        with pytest.raises(DataError, match="Column 'b' has 1 missing cell"):
            bjp.Dataset.from_frame(pd.DataFrame(self.hidden, columns=["a", "b"]))


class TestAsDataset:
    def test_a_dataset_is_itself(self) -> None:
        data = bjp.Dataset.from_codes([[0, 1], [1, 0]])
        assert as_dataset(data) is data

    @pytest.mark.parametrize(
        "cells",
        [
            [[1, 20], [3, 20], [1, -7]],
            [[0.5, 1.0], [0.25, 2.0]],
            [["b", "a10"], ["a", "a9"]],
            [[True, False], [False, False]],
            [[10**15, 1], [-(10**15), 2]],
            [[2**63 - 1, 1], [2**63 - 2, 2]],
            [[1.0, np.inf], [2.0, 1e300]],
        ],
    )
    def test_an_array_is_what_its_frame_is(self, cells: list[list[object]]) -> None:
        expected = bjp.Dataset.from_frame(pd.DataFrame(np.array(cells)))
        for thing in (np.array(cells), cells):
            made = as_dataset(thing)
            assert made.digest == expected.digest
        assert as_dataset(pd.DataFrame(np.array(cells))).digest == expected.digest

    def test_missing_cells_are_an_error(self) -> None:
        with pytest.raises(DataError, match="Column '1' has 1 missing cell"):
            as_dataset(np.array([[0.0, np.nan], [1.0, 1.0]]))

    @pytest.mark.parametrize(
        ("thing", "sentence"),
        [
            ("votes.csv", "votes is of type str; .*read_table"),
            (None, "votes is of type NoneType; give a DataFrame, an array or a Dataset"),
            (np.arange(3), "votes is not a table: it has 1 axes"),
            ([[0], [1, 2]], "rows of different lengths"),
            (np.empty((3, 0)), "no columns"),
        ],
    )
    def test_anything_else_is_refused_by_the_name_of_its_argument(
        self, thing: object, sentence: str
    ) -> None:
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
        data, ready = bjp.Dataset.from_codes([[0, 1], [1, 0]]), Barrier(8)

        def make() -> object:
            ready.wait()
            return object()

        with ThreadPoolExecutor(8) as pool:
            made = list(pool.map(lambda _: data.derived("same", make), range(8)))
        assert len(set(map(id, made))) == 1
        assert data.derived("same", object) is made[0]

    def test_a_copy_makes_it_anew(self) -> None:
        data = bjp.Dataset.from_codes([[0, 1], [1, 0]])
        kept, digest = data.derived("list", list), data.digest
        for other in (copy.copy(data), pickle.loads(pickle.dumps(data)), data.select([0, 1])):
            assert other.derived("list", list) is not kept
            assert other.digest == digest
        assert data.derived("list", list) is kept


class TestParts:
    data = bjp.Dataset.from_codes(
        [[0, 1, 2], [1, 0, 0]], cardinalities=[2, 3, 4], names=["a", "b", "c"]
    )

    def test_select(self) -> None:
        part = self.data.select(["c", "a"])
        assert part.names == ("c", "a")
        assert part.cardinalities == (4, 2)
        assert part.codes.tolist() == [[2, 0], [0, 1]]

    def test_take_repeats_rows_and_keeps_states(self) -> None:
        part = self.data.take([1, 1, 0])
        assert part.codes.tolist() == [[1, 0, 0], [1, 0, 0], [0, 1, 2]]
        assert part.cardinalities == (2, 3, 4)
        assert self.data.take(np.array([True, False])).codes.tolist() == [[0, 1, 2]]
        assert self.data.take([]).codes.shape == (0, 3)
        assert self.data.take([-1]).codes.tolist() == [[1, 0, 0]]

    @pytest.mark.parametrize("rows", [[2], [-3], [True], [[0, 1]], 0, [0.5], "ab"])
    def test_rows_that_are_none(self, rows: object) -> None:
        with pytest.raises(DataError, match="rows"):
            self.data.take(rows)  # type: ignore[arg-type]

    def test_parts_are_as_small_as_they_can_be(self) -> None:
        wide = bjp.Dataset.from_codes([[0, 299]])
        assert wide.select([0]).codes.dtype == np.uint8
        assert wide.select([1]).codes.dtype == wide.take([0]).codes.dtype == np.uint16
        assert wide.select([1, 0]).codes.flags.f_contiguous

    def test_a_line_about_a_large_table_does_not_read_it(self) -> None:
        data = bjp.Dataset.from_codes(np.zeros((1 << 20, 11), dtype=np.uint8))
        assert repr(data) == "Dataset(1048576 rows, 11 variables)"
        assert data.digest[:12] in repr(data)
        assert self.data.digest[:12] in repr(self.data)


@pytest.mark.parametrize("cells", [[1, True, 0], [True, 1.0], ["a", np.int64(0), False]])
def test_numbers_and_truth_values_are_never_one_state(cells: list[Any]) -> None:
    """In Python 1 == True, so one would vanish in the other."""
    with pytest.raises(DataError, match=r"Column 'x' holds both [01] and (True|False), which"):
        bjp.Dataset.from_frame(pd.DataFrame({"x": pd.Series(cells, dtype=object)}))
    with pytest.raises(DataError, match="count as equal"):
        as_dataset([[1], [True]])
    mixed = as_dataset([[1, True], [2, False]])
    assert mixed.labels == (("1", "2"), ("False", "True"))


@pytest.mark.parametrize(
    ("parts", "about"),
    [
        ({"names": 5}, "names is '5'"),
        ({"labels": 5}, "labels is '5'"),
        ({"labels": [5, 6]}, "An entry of labels is '5'"),
        ({"names": ["\ud800", "b"]}, r"A column's name holds half a character \(in '\\ud800'\)"),
        ({"labels": [["a", "b\udfff"], ["a", "b"]]}, "Column '0' holds half a character"),
    ],
)
def test_parts_of_codes_that_are_none(parts: dict[str, Any], about: str) -> None:
    with pytest.raises(DataError, match=about):
        bjp.Dataset.from_codes([[0, 1], [1, 0]], **parts)


@pytest.mark.parametrize(
    ("labels", "about"),
    [(5, "labels is '5'"), ((("a",),), "labels has 1 entries for 2 columns")],
)
def test_labels_that_fit_no_columns(labels: Any, about: str) -> None:
    with pytest.raises(DataError, match=about):
        bjp.Dataset(np.zeros((1, 2), dtype=np.uint8), (1, 1), ("x", "y"), labels)


def test_half_a_character_in_a_frame() -> None:
    """pandas fails on it without saying where it is."""
    cells = pd.Series(["\ud800", "b"], dtype=object)
    with pytest.raises(DataError, match="Column 'x' holds half a character"):
        bjp.Dataset.from_frame(pd.DataFrame({"x": cells}))


def test_an_order_of_states_is_kept_wherever_rows_and_columns_go() -> None:
    cells = pd.Categorical(["low", "high", "low"], ["low", "high"], ordered=True)
    data = bjp.Dataset.from_frame(pd.DataFrame({"a": cells, "b": ["x", "y", "x"]}))
    assert data.ordered == (True, False)
    for other in (data.take([0, 1]), data.select(["a", "b"]), pickle.loads(pickle.dumps(data))):
        assert other.ordered == data.ordered
    assert data.select(["b", "a"]).ordered == (False, True)
    assert bjp.Dataset.from_frame(data.to_frame()).digest == data.digest
    unordered = bjp.Dataset.from_codes(data.codes, data.cardinalities, data.names, data.labels)
    assert unordered.digest != data.digest
    declared = bjp.Dataset.from_codes(
        data.codes, data.cardinalities, data.names, data.labels, ordered=["a"]
    )
    assert declared.digest == data.digest
    with pytest.raises(DataError, match="ordered"):
        bjp.Dataset(data.codes, data.cardinalities, data.names, data.labels, (True,))


def test_only_truth_values_and_names_declare_an_order() -> None:
    codes, labels = np.zeros((2, 3), dtype=int), (("0", "1"),) * 3
    for odd in (("0", "1", "2"), "012", (1, 0, 2), (True, False, None)):
        with pytest.raises(OptionError, match=r"An entry of ordered=('.*'|1|None) must be true or"):
            bjp.Dataset(codes, (2, 2, 2), tuple("abc"), labels, odd)  # type: ignore[arg-type]
    flags = np.array([True, False, True])
    made = bjp.Dataset(codes, (2, 2, 2), tuple("abc"), labels, flags)  # type: ignore[arg-type]
    assert made.ordered == (True, False, True)
    # A bare text is one name.
    with pytest.raises(DataError, match="There is no variable 'abc'"):
        bjp.Dataset.from_codes(codes, names=list("abc"), ordered="abc")
    assert bjp.Dataset.from_codes(codes, names=list("abc"), ordered="b").ordered[1]


def test_the_state_of_missing_cells_ends_an_order() -> None:
    cells = pd.Categorical(["low", None, "high"], ["low", "high"], ordered=True)
    frame = pd.DataFrame({"a": cells, "b": [1, 2, 1]})
    assert bjp.Dataset.from_frame(frame, missing="state").ordered == (False, False)
    assert bjp.Dataset.from_frame(frame, missing="drop").ordered == (True, False)


def test_repeated_rows_are_those_of_the_long_table() -> None:
    data = bjp.Dataset.from_codes([[0, 1], [1, 0], [1, 1]])
    long = bjp.Dataset.from_codes([[0, 1]] * 2 + [[1, 1]] * 3, (2, 2))
    assert data.repeat([2, 0, 3]).digest == long.digest
    assert data.repeat(np.array([2.0, 0.0, 3.0])).digest == long.digest


@pytest.mark.parametrize(
    ("frequencies", "sentence"),
    [
        ([1, 2], "one per row"),
        ([1, 0.5, 2], "Row 2 has the frequency 0.5"),
        ([1, np.nan, 2], "Row 2 has no frequency"),
        ([1, -1, 2], "Row 2 has the negative frequency -1"),
        (["a", "b", "c"], "whole numbers"),
        ([1, 1 << 40, 1], "more than"),
    ],
)
def test_frequencies_that_are_none_are_refused(frequencies: Any, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        bjp.Dataset.from_codes([[0, 1], [1, 0], [1, 1]]).repeat(frequencies)
