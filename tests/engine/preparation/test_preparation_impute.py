"""Cells that a preparation imputes: after all steps, in every completed table alike."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bjp_engine.errors import Cancelled, OptionError
from bjp_engine.parameters import impute
from bjp_engine.preparation import BinNumbers, MissingCells, Preparation, RenameVariables, prepare
from bjp_engine.progress import Progress


def frame(rows: int = 80, seed: int = 0) -> pd.DataFrame:
    """Numbers, texts, and missing cells in both."""
    rng = np.random.default_rng(seed)
    age, town = rng.normal(40, 9, rows).round(1), rng.choice(["A", "B", "C"], rows)
    cells = pd.DataFrame({"age": age, "town": town, "full": rng.integers(0, 2, rows)})
    return cells.mask(rng.random(cells.shape) < [0.2, 0.1, 0.0])


STEPS = (
    MissingCells("impute", seed=3),
    BinNumbers(("age",), "cuts", cuts=(35, 45)),
    RenameVariables((("town", "place"),)),
)


def test_cells_are_imputed_after_the_other_steps() -> None:
    table = frame()
    made = prepare(table, STEPS)
    assert made.imputed is not None
    assert len(made.imputed.datasets) == 20
    assert made.data is made.imputed.datasets[0]
    assert dict(made.imputed.missing) == {
        "age": table["age"].isna().sum(),
        "place": table["town"].isna().sum(),
    }
    assert made.data.labels[0] == ("<35", "35–45", "≥45")
    assert made.imputed.seed == 3
    (note,) = made.notes
    assert note == (
        f"{made.imputed.cells} missing cells ({100 * made.imputed.cells / 240:.3g} %) imputed 20 "
        "times under the network (seed 3), assumed to be missing at random given the other "
        "answers. The dataset is the first completed table."
    )
    # The same as imputing the table that the other steps leave.
    bins = pd.cut(table["age"], [-np.inf, 35, 45, np.inf], right=False, labels=made.data.labels[0])
    other = impute(table.assign(age=bins).rename(columns={"town": "place"}), seed=3)
    codes = [one.codes.tobytes() for one in made.imputed.datasets]
    assert codes == [one.codes.tobytes() for one in other.datasets]


def test_another_table_gets_its_own_cells_imputed_and_the_same_states() -> None:
    first = prepare(frame(), STEPS)
    steps = Preparation.from_json(first.preparation.to_json())
    assert steps == first.preparation
    other = frame(60, seed=1)
    other.loc[other["town"] == "A", "town"] = "C"
    made = prepare(other, steps)
    assert made.data.rows == 60
    assert made.imputed is not None
    assert {one.labels for one in made.imputed.datasets} == {first.data.labels}
    known = other["town"].notna().to_numpy()
    for one in made.imputed.datasets:
        states = np.array(one.labels[1])[one.codes[:, 1]]
        assert (states[known] == other["town"][known]).all()


def test_without_missing_cells_nothing_is_imputed() -> None:
    whole = frame().dropna()
    made = prepare(whole, STEPS)
    assert made.imputed is None
    assert made.data.digest == prepare(whole, STEPS[1:]).data.digest
    own = prepare(frame(), [MissingCells("state"), *STEPS])
    assert own.imputed is None


def test_single_columns_are_refused_and_it_can_be_cancelled() -> None:
    with pytest.raises(OptionError, match="given all others"):
        MissingCells("impute", ("age",))
    asked = iter([False] * 6)
    with pytest.raises(Cancelled):
        prepare(frame(), STEPS, Progress(cancelled=lambda: next(asked, True)))


def test_ordered_variables_stay_ordered_and_parts_keep_their_holes() -> None:
    steps = ["never", "sometimes", "often"]
    cells = np.random.default_rng(2).choice(steps, 60)
    answers = pd.DataFrame(
        {
            "item": pd.Categorical(cells, steps, ordered=True),
            "town": np.random.default_rng(3).choice(["A", "B"], 60),
        }
    )
    answers.loc[::7, "item"] = None
    answers.loc[::9, "town"] = None
    made = impute(answers, 2)
    assert {one.ordered for one in made.datasets} == {(True, False)}
    assert {one.labels[0] for one in made.datasets} == {tuple(steps)}
    part = made.select(["town"])
    assert dict(part.missing) == {"town": 7}
    assert [one.names for one in part.datasets] == [("town",)] * 2
