"""Preparation: steps against slow oracles, undo, JSON both ways, the same steps on other files."""

from __future__ import annotations

import json
import math
import sys
import tracemalloc
from bisect import bisect_right
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    Step,
    Table,
    TidyText,
    prepare,
)

DATASETS = Path(__file__).parents[3] / "sample_data" / "datasets"
TEXTS = ["yes", "Yes", "YES ", " yes", "no", "No", "maybe", "New  York", "new york", "ß", "SS"]


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    """Tables of texts and numbers with missing cells; the column "full" has none."""
    rows = draw(st.integers(1, 30))
    columns: dict[str, Any] = {
        "full": draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=rows, max_size=rows))
    }
    for name, values in (
        ("text", st.sampled_from([*TEXTS, None])),
        ("whole", st.sampled_from([*range(-2, 6), None])),
        ("measured", st.sampled_from([-1.5, 0.0, 0.25, 3.0, 12.75, None])),
    ):
        cells = draw(st.lists(values, min_size=rows, max_size=rows))
        kind = {"text": "str", "whole": "Int64", "measured": "float64"}[name]
        columns[name] = pd.Series(cells, dtype=kind)
    return pd.DataFrame(columns)


steps = st.lists(
    st.sampled_from(
        [
            MissingCells("state", ("text",)),
            MissingCells("most_frequent", ("full", "whole")),
            MissingCells("drop", ("measured",)),
            TidyText(),
            TidyText(("text",), fold_case=False),
            MergeRare(("text",), below=4),
            MergeRare(share=0.2, into="yes"),
            BinNumbers(("measured",), "cuts", cuts=(0.25, 4)),
            SampleRows("first", 12),
            SampleRows("every", 2),
            SampleRows("random", 9, seed=3),
            OrderStates("full", ("c", "z", "a")),
            DropVariables(("whole",)),
        ]
    ),
    max_size=6,
)
LAST = MissingCells("state")


def without_repeats(asked: list[Step]) -> list[Step]:
    """Each step once: a variable can't be left out, or cut, twice."""
    kept: list[Step] = []
    for step in asked:
        gone = any(isinstance(one, DropVariables) for one in kept)
        if step not in kept and not (gone and "whole" in (getattr(step, "columns", None) or ())):
            kept.append(step)
    return kept


class Oracle:
    """The steps cell by cell, on a list of rows; a missing cell is None, its own state a mark."""

    MARK = object()

    def __init__(self, frame: pd.DataFrame) -> None:
        self.rows = [
            {name: None if pd.isna(cell) else cell for name, cell in row.items()}
            for row in frame.to_dict("records")
        ]

    def cells(self, name: str) -> list[Any]:
        return [row[name] for row in self.rows if row[name] not in (None, self.MARK)]

    def change(self, name: str, how: Any) -> None:
        for row in self.rows:
            if row[name] not in (None, self.MARK):
                row[name] = how(row[name])

    def apply(self, step: Step) -> None:
        getattr(self, step.kind)(step)

    def drop(self, step: DropVariables) -> None:
        for row in self.rows:
            for name in step.columns:
                del row[name]

    def missing(self, step: MissingCells) -> None:
        names = step.columns or tuple(self.rows[0])
        if step.how == "drop":
            self.rows = [row for row in self.rows if None not in [row[n] for n in names]]
            return
        for name in names:
            fill = self.MARK
            if step.how == "most_frequent":
                counts = Counter(map(text, self.cells(name)))
                found = sorted(counts, key=lambda v: (-counts[v], number_first(v)))
                fill = found[0] if found else self.MARK
            for row in self.rows:
                if row[name] is None:
                    row[name] = fill

    def tidy(self, step: TidyText) -> None:
        for name in step.columns or tuple(self.rows[0]):
            if not any(isinstance(cell, str) for cell in self.cells(name)) or name == "whole":
                continue
            self.change(name, lambda cell: " ".join(cell.split()))
            if step.fold_case:
                counts = Counter(self.cells(name))
                usual = {
                    cell: min(
                        (one for one in counts if one.casefold() == cell.casefold()),
                        key=lambda one: (-counts[one], one),
                    )
                    for cell in counts
                }
                self.change(name, usual.__getitem__)

    def merge_rare(self, step: MergeRare) -> None:
        least = max(step.below or 0, math.ceil((step.share or 0) * len(self.rows)))
        for name in step.columns or ("full", "text"):
            counts = Counter(map(text, self.cells(name)))
            rare = {s for s, k in counts.items() if k < least and s != step.into}
            if any(k >= least for k in counts.values()) and len(rare) >= (
                1 if step.into in counts else 2
            ):
                self.change(name, lambda cell, rare=rare: step.into if cell in rare else cell)

    def bins(self, step: BinNumbers) -> None:
        labels = ("<0.25", "0.25–4", "≥4")
        self.change("measured", lambda cell: labels[bisect_right(step.cuts, cell)])

    def sample(self, step: SampleRows) -> None:
        rows = len(self.rows)
        if step.how == "every":
            self.rows = self.rows[:: step.number]
        elif step.how == "first" or step.number >= rows:
            self.rows = self.rows[: step.number]
        else:
            drawn = np.random.default_rng(step.seed).choice(rows, step.number, replace=False)
            self.rows = [self.rows[k] for k in sorted(drawn)]

    def order(self, step: OrderStates) -> None:
        pass

    def table(self) -> list[dict[str, str]]:
        return [
            {n: "(missing)" if c is self.MARK else text(c) for n, c in row.items()}
            for row in self.rows
        ]


def text(cell: Any) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def number_first(label: str) -> tuple[int, float, str]:
    try:
        return (0, float(label), label)
    except ValueError:
        return (1, 0.0, label)


def cells_of(data: bjp.Dataset) -> list[dict[str, str]]:
    return [
        {n: data.labels[i][row[i]] for i, n in enumerate(data.names)} for row in data.codes.tolist()
    ]


@given(frames(), steps)
def test_steps_do_cell_by_cell_what_they_say_in_their_order(
    frame: pd.DataFrame, asked: list[Step]
) -> None:
    chosen = [*without_repeats(asked), LAST]
    before = frame.copy(deep=True)
    oracle = Oracle(frame)
    try:
        made = prepare(frame, chosen)
    except DataError:
        # Only where a step would leave nothing, or has nothing to go by.
        assert frame.isna().any().any()
        pd.testing.assert_frame_equal(frame, before)
        return
    pd.testing.assert_frame_equal(frame, before)
    sizes = [len(oracle.rows)]
    for step in chosen:
        oracle.apply(step)
        sizes.append(len(oracle.rows))
    assert cells_of(made.data) == oracle.table()
    assert [(t.rows_before, t.rows_after) for t in made.trace] == list(zip(sizes, sizes[1:]))  # noqa: B905, RUF007
    assert [t.number for t in made.trace] == list(range(1, len(chosen) + 1))


@given(frames(), steps)
def test_fitted_steps_are_saved_read_and_applied_again(
    frame: pd.DataFrame, asked: list[Step]
) -> None:
    chosen = Preparation((*without_repeats(asked), LAST))
    assert Preparation.from_json(chosen.to_json()) == chosen
    try:
        made = prepare(frame, chosen)
    except DataError:
        return
    saved = made.preparation.to_json()
    read = Preparation.from_json(saved)
    assert read == made.preparation
    assert read.fitted
    again = prepare(frame, read)
    assert again.data.digest == made.data.digest
    assert again.preparation == made.preparation
    assert again.notes == ()


@given(frames(), steps)
def test_undo_restores(frame: pd.DataFrame, asked: list[Step]) -> None:
    chosen = [*without_repeats(asked), LAST]
    try:
        made = prepare(frame, chosen)
        longer = made.preparation.unfitted().adding(SampleRows("first", 1))
        prepare(frame, longer)
    except DataError:
        return
    assert prepare(frame, longer.undone()).data.digest == made.data.digest
    assert longer.without(len(longer.steps)) == longer.undone()


@given(frames())
def test_a_table_that_is_kept_gives_what_the_frame_gives(frame: pd.DataFrame) -> None:
    table = Table.of(frame)
    asked = [TidyText(), MissingCells("state"), MergeRare(below=3)]
    first = prepare(table, asked).data.digest
    assert first == prepare(frame, asked).data.digest == prepare(table, asked).data.digest


def test_without_steps_it_is_the_dataset_of_the_frame() -> None:
    for name in ("coronary", "titanic", "rochdale"):
        frame = read_frame(DATASETS / f"{name}.csv")[0]
        assert prepare(frame).data.digest == bjp.Dataset.from_frame(frame).digest


@pytest.mark.parametrize("name", ["senate109", "house_votes_84", "supreme_court"])
def test_missing_cells_of_real_data(name: str) -> None:
    frame = read_frame(DATASETS / f"{name}.csv")[0]
    own = prepare(frame, [MissingCells("state")])
    assert own.data.digest == bjp.Dataset.from_frame(frame, missing="state").digest
    assert own.trace[0].cells == int(frame.isna().sum().sum())
    filled = prepare(frame, [MissingCells("most_frequent")]).data
    modes = frame.fillna(frame.mode().iloc[0])
    assert filled.digest == bjp.Dataset.from_frame(modes).digest
    if name == "senate109":
        with pytest.raises(DataError, match=r"^Step 1 .*every row has a missing cell"):
            prepare(frame, [MissingCells("drop")])
    else:
        dropped = prepare(frame, [MissingCells("drop")])
        assert dropped.data.digest == bjp.Dataset.from_frame(frame, missing="drop").digest
        assert dropped.trace[0].rows_after == len(frame.dropna())


def test_missing_cells_of_some_variables_only() -> None:
    frame = pd.DataFrame({"a": ["x", None, "x", "y"], "b": [1, 2, None, 2]})
    made = prepare(frame, [MissingCells("state", ("a",)), MissingCells("most_frequent", ("b",))])
    assert made.data.labels == (("x", "y", "(missing)"), ("1", "2"))
    assert made.data.codes.tolist() == [[0, 0], [2, 1], [0, 1], [1, 1]]
    with pytest.raises(DataError, match="1 cell in 1 variable is still missing"):
        prepare(frame, [MissingCells("state", ("a",))])


def test_cells_made_a_state_stay_apart_from_later_bins_and_drops() -> None:
    frame = pd.DataFrame({"age": [5.0, None, 70.0], "b": ["u", "v", None]})
    made = prepare(
        frame,
        [
            MissingCells("state", ("age",)),
            BinNumbers(("age",), "cuts", cuts=(18,)),
            MissingCells("drop"),
        ],
    )
    assert made.data.labels == (("<18", "≥18", "(missing)"), ("u", "v"))
    assert made.data.codes.tolist() == [[0, 0], [2, 1]]


class TestAnotherFile:
    first = pd.DataFrame(
        {"age": [3.0, 30.0, 60.0, 90.0] * 5, "town": ["A", "B", "B", "a"] * 5, "n": range(20)}
    )

    def test_it_is_cut_spelt_and_coded_alike(self) -> None:
        made = prepare(self.first, [DropVariables(("n",)), TidyText(), BinNumbers(("age",))])
        other = pd.DataFrame({"town": ["b", "A"], "new": [1, 2], "age": [29.0, 400.0]})
        again = prepare(other, made.preparation)
        assert again.data.names == made.data.names
        assert again.data.labels == made.data.labels
        assert again.data.codes.tolist() == [[0, 1], [3, 0]]
        assert "1 cell lay outside the range seen first" in again.trace[2].sentence
        assert again.notes == ("1 column that the preparation doesn't know was left out: 'new'.",)
        assert again.preparation == made.preparation

    def test_an_unseen_state_is_placed_last_or_refused(self) -> None:
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

    def test_an_unseen_state_of_a_merged_variable_is_merged(self) -> None:
        frame = pd.DataFrame({"town": ["A"] * 9 + ["B", "C"]})
        made = prepare(frame, [MergeRare(below=3)])
        assert made.data.labels == (("A", "other"),)
        again = prepare(pd.DataFrame({"town": ["Z", "A", "Z", "Z"]}), made.preparation)
        assert again.data.labels == made.data.labels
        assert again.data.codes[:, 0].tolist() == [1, 0, 1, 1]

    def test_missing_cells_get_the_state_that_was_most_frequent_at_first(self) -> None:
        made = prepare(pd.DataFrame({"a": ["x", "x", "y"]}), [MissingCells("most_frequent")])
        again = prepare(pd.DataFrame({"a": ["y", "y", None]}), made.preparation)
        assert again.data.codes[:, 0].tolist() == [1, 1, 0]

    def test_a_variable_that_is_not_there(self) -> None:
        made = prepare(self.first, [BinNumbers(("age",))]).preparation
        with pytest.raises(DataError, match=r"^Step 1 .*there is no column 'age'"):
            prepare(self.first[["town", "n"]], made)
        with pytest.raises(DataError, match="lacks 'town', which the preparation was made with"):
            prepare(self.first[["age", "n"]], made)

    def test_what_is_left_out_need_not_be_there_the_second_time(self) -> None:
        steps = [DropVariables(("n",)), BinNumbers(("age",))]
        with pytest.raises(DataError, match=r"^Step 1 \(leave variables out\): there is no column"):
            prepare(self.first[["age", "town"]], steps)
        made = prepare(self.first, steps).preparation
        again = prepare(self.first[["age", "town"]], made)
        assert again.trace[0].sentence.endswith("1 variable of the step was not there.")


class TestStates:
    def test_order_declares_states(self) -> None:
        frame = pd.DataFrame({"size": ["big", "small", "big"]})
        made = prepare(frame, [OrderStates("size", ("small", "middle", "big"))])
        assert made.data.labels == (("small", "middle", "big"),)
        assert made.data.codes[:, 0].tolist() == [2, 0, 2]

    def test_states_not_named_follow_in_natural_order(self) -> None:
        frame = pd.DataFrame({"k": ["10", "9", "x", "2"]})
        made = prepare(frame, [OrderStates("k", ("x",))])
        assert made.data.labels == (("x", "2", "9", "10"),)

    def test_the_order_of_a_categorical_is_kept(self) -> None:
        size = pd.Categorical(["b", "a", "b"], categories=["b", "c", "a"])
        made = prepare(pd.DataFrame({"size": size}), [TidyText(), SampleRows("first", 1)])
        assert made.data.labels == (("b", "c", "a"),)

    def test_a_variable_of_rare_states_only_is_left_alone(self) -> None:
        frame = pd.DataFrame({"a": list("uvwx") * 3, "b": list("yyyyyyyyyzzz")})
        for step in (MergeRare(below=4), MergeRare(share=0.4), MergeRare(below=4, into="u")):
            made = prepare(frame[["a"]], [step])
            assert made.data.labels == (("u", "v", "w", "x"),)
        assert prepare(frame, [MergeRare(below=5, into="y")]).data.labels[1] == ("y",)

    def test_a_single_rare_state_is_left_alone_unless_it_has_a_place_to_go(self) -> None:
        frame = pd.DataFrame({"a": ["x"] * 5 + ["y"] * 4 + ["z"]})
        assert prepare(frame, [MergeRare(below=3)]).data.labels == (("x", "y", "z"),)
        made = prepare(frame, [MergeRare(below=3, into="y")])
        assert made.data.labels == (("x", "y"),)
        assert made.trace[0].cells == 1

    def test_rename_and_keep(self) -> None:
        frame = pd.DataFrame({"a": ["x", "y"], "b": [1, 2], 3: ["u", "v"]})
        made = prepare(frame, [RenameVariables((("a", "b"), ("b", "a"))), KeepVariables((3, "a"))])
        assert made.data.names == (3, "a")
        assert made.data.labels == (("u", "v"), ("1", "2"))
        with pytest.raises(DataError, match=r"^Step 1 .*named 'b'"):
            prepare(frame, [RenameVariables((("a", "b"),))])


@pytest.mark.parametrize(
    ("number", "row"),
    [
        *((1, "row"), (2, "2nd row"), (3, "3rd row"), (4, "4th row"), (11, "11th row")),
        *((12, "12th row"), (21, "21st row"), (112, "112th row"), (1_001, "1,001st row")),
    ],
)
def test_every_so_many_rows_in_words(number: int, row: str) -> None:
    assert SampleRows("every", number).sentence == f"Use every {row}, beginning with the first."


def document(**step: Any) -> str:
    good = {"step": "sample", "how": "first", "number": 3, "seed": 0}
    return json.dumps({"type": "preparation", "version": 1, "steps": [good, step]})


class TestJson:
    @pytest.mark.parametrize(
        ("step", "sentence"),
        [
            ({"step": "explode"}, "Step 2: step='explode' is not known"),
            ({}, "Step 2: step='None' is not known"),
            ({"step": ["bins"]}, "Step 2: step="),
            ({"step": "bins"}, r"Step 2 \(numbers into bins\): columns .*must be given"),
            ({"step": "bins", "columns": []}, "Step 2 .*: columns is empty"),
            ({"step": "bins", "columns": "age"}, "Step 2 .*: columns='age' must be a list"),
            ({"step": "bins", "columns": ["a", "a"]}, "Step 2 .*: columns names a column twice"),
            ({"step": "bins", "columns": [True]}, "Step 2 .*: columns holds 'True'"),
            ({"step": "bins", "columns": ["a"], "bins": 1}, "Step 2 .*: bins=1 must be a whole"),
            ({"step": "bins", "columns": ["a"], "bins": 2.5}, "Step 2 .*: bins=2.5"),
            ({"step": "bins", "columns": ["a"], "bins": True}, "Step 2 .*: bins=True"),
            ({"step": "bins", "columns": ["a"], "how": "cuts"}, "Step 2 .*: cuts must be given"),
            ({"step": "bins", "columns": ["a"], "cuts": [1]}, "Step 2 .*: cuts must be given"),
            (
                {"step": "bins", "columns": ["a"], "how": "cuts", "cuts": [2, 1]},
                "Step 2 .*: cuts must rise",
            ),
            (
                {"step": "bins", "columns": ["a"], "fitted": [{"column": "a"}]},
                "Step 2 .*: fitted: entry 1: points, labels, low, high must be given",
            ),
            (
                {"step": "bins", "columns": ["a"], "fitted": [{"column": "a", "points": [1, 2],
                 "labels": ["x"], "low": 0, "high": 1}]},
                "Step 2 .*: fitted: entry 1: labels has 1 entries for 2 points",
            ),
            ({"step": "bins", "columns": ["a"], "fitted": 3}, "Step 2 .*: fitted=3 must be a li"),
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
        ],
    )  # fmt: skip
    def test_every_value_is_checked_and_the_step_and_field_named(
        self, step: dict[str, Any], sentence: str
    ) -> None:
        with pytest.raises(OptionError, match=f"^{sentence}"):
            Preparation.from_json(document(**step))

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
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
        ],
    )
    def test_what_is_no_preparation_is_refused_in_a_sentence(
        self, text: str | bytes, sentence: str
    ) -> None:
        with pytest.raises(OptionError, match=sentence):
            Preparation.from_json(text)

    def test_any_text_and_number_makes_the_round_trip(self) -> None:
        steps = (
            KeepVariables(("a", 3)),
            BinNumbers(("a",), "cuts", cuts=(0.1, 1e300)),
            OrderStates("a", ("é", "\u202e", "<b>")),
            MissingCodes((("a", ("99", "k.A.")), (3, ("9",)))),
        )
        saved = Preparation(steps, unseen="error").to_json()
        assert Preparation.from_json(saved) == Preparation(steps, unseen="error")
        assert saved.isascii()


def test_a_list_of_steps_is_asked_for() -> None:
    frame = pd.DataFrame({"a": ["x", "y"]})
    for wrong in (3, "drop", [3]):
        with pytest.raises(OptionError, match="steps"):
            prepare(frame, wrong)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="no rows"):
        prepare(frame.iloc[:0])


def test_it_can_be_cancelled() -> None:
    with pytest.raises(Cancelled):
        prepare(pd.DataFrame({"a": ["x"]}), [], bjp.Progress(cancelled=lambda: True))


def large(rows: int) -> pd.DataFrame:
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


def test_nothing_is_done_row_by_row() -> None:
    def calls(rows: int) -> int:
        made = 0

        def count(_: Any, event: str, __: Any) -> None:
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


def test_memory_is_a_few_times_the_data() -> None:
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
