"""Roles of columns: what the steps make of each, and the steps of another role."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from bjp_engine.errors import OptionError
from bjp_engine.io import ReadOptions
from bjp_engine.preparation import FilterRows, KeepVariables, MissingCells, Preparation, prepare
from bjp_explorer.data import fields, making, roles, words
from bjp_explorer.data import plan as plans
from bjp_explorer.data.reading import Reading, read
from bjp_explorer.data.upload import Upload
from bjp_explorer.downloads.script_data import data_pieces
from bjp_explorer.groups import choices, parts
from tests.app.data.uploads import click, in_hand, upload


def survey(rows: int = 300) -> pd.DataFrame:
    """Answers in words and numbers with codes, numbers to be cut, an identifier and two groups."""
    rng = np.random.default_rng(5)
    mood = rng.integers(0, 5, rows)
    scale = ["never", "rarely", "sometimes", "often", "always"]
    frame: dict[str, Any] = {"id": [f"p{k}" for k in range(rows)]}
    frame["sleeps"] = [scale[k] for k in mood]
    for k in range(1, 4):
        frame[f"Q1_{k}"] = np.clip(mood + rng.integers(-1, 2, rows), 0, 4) + 1
    frame["Q1_1"] = np.where(rng.random(rows) < 0.05, 9, frame["Q1_1"])
    frame["income"] = np.round(rng.lognormal(7, 1, rows), 2)
    frame["town"] = rng.choice(["A", "B", "C"], rows)
    frame["arm"] = rng.choice(["drug", "placebo"], rows)
    return pd.DataFrame(frame)


def reading_of(frame: pd.DataFrame) -> Reading:
    """The frame as an uploaded file."""
    return read(Upload("survey.csv", frame.to_csv(index=False).encode()), ReadOptions())


def dropping(reading: Reading) -> Preparation:
    """What is suggested, but with incomplete rows dropped, which takes less time than imputing."""
    return plans.add(reading.suggestion, [MissingCells("drop")], reading.names)


def test_roles_are_those_of_the_suggested_steps() -> None:
    reading = reading_of(survey())
    found = roles.roles_of(reading, reading.suggestion)
    assert found["id"] == "out"
    assert (
        {found[f"Q1_{k}"] for k in (1, 2, 3)} == {found["sleeps"], found["income"]} == {"ordered"}
    )
    assert found["town"] == "answer"
    data = making.make(reading, reading.suggestion).data
    # What is shown is what the dataset has.
    for name, ordered in zip(data.names, data.ordered, strict=True):
        assert ordered == (found[name] == "ordered"), name
    at = data.index("sleeps")
    assert data.labels[at] == ("never", "rarely", "sometimes", "often", "always")


@pytest.mark.parametrize("name", ["id", "sleeps", "Q1_1", "income", "town", "arm"])
@pytest.mark.parametrize("role", ["answer", "ordered", "group", "out"])
def test_any_column_takes_any_role_and_no_other_column_changes(name: str, role: str) -> None:
    reading = reading_of(survey())
    before = roles.roles_of(reading, dropping(reading))
    plan = roles.with_role(reading, dropping(reading), name, role)
    assert roles.roles_of(reading, plan) == before | {name: role}
    # And back.
    back = roles.with_role(reading, plan, name, before[name])
    assert roles.roles_of(reading, back) == before
    made = prepare(reading.table, plan)
    assert (name in made.data.names) == (role in ("answer", "ordered"))
    assert (made.groups is not None and name in made.groups.names) == (role == "group")
    if role in ("answer", "ordered"):
        assert made.data.ordered[made.data.index(name)] == (role == "ordered")


def test_a_column_of_frequencies_gives_the_long_table() -> None:
    long = pd.DataFrame({"a": list("xyxyxyxx"), "b": list("pqppqqpp")})
    short = long.value_counts().rename("n_of_them").reset_index()
    short["more"] = 1 + np.arange(len(short))
    reading = reading_of(short)
    plan = roles.with_role(reading, Preparation(), "n_of_them", "frequency")
    plan = roles.with_role(reading, plan, "more", "out")
    made = prepare(reading.table, plan).data
    assert sorted(map(tuple, made.to_frame().astype(str).to_numpy())) == sorted(
        map(tuple, long.to_numpy())
    )
    # Only one column says how often a row counts.
    other = roles.with_role(reading, plan, "more", "frequency")
    found = roles.roles_of(reading, other)
    assert (found["more"], found["n_of_them"]) == ("frequency", "answer")


def test_of_kept_variables_one_more_is_kept() -> None:
    reading = reading_of(survey())
    plan = Preparation((KeepVariables(("sleeps", "Q1_2")),))
    found = prepare(reading.table, roles.with_role(reading, plan, "town", "answer"))
    assert found.data.names == ("sleeps", "Q1_2", "town")


def test_columns_kept_as_groups_come_first_on_groups() -> None:
    reading = reading_of(survey())
    plan = roles.with_role(reading, dropping(reading), "town", "group")
    loaded = making.make(reading, plan)
    data = loaded.data
    by = choices.by_of(loaded)
    assert next(iter(by.labels)) == by.default == data.n
    assert by.labels[data.n] == "town"
    made = parts.by_states(loaded, data.n, [0, 2])
    frame = survey()
    # Rows with a code for a missing answer are dropped.
    town = frame.loc[frame["Q1_1"] != 9, "town"]
    assert list(made) == ["town = A", "town = C"]
    for name, letter in (("town = A", "A"), ("town = C", "C")):
        assert made[name].digest == data.take((town == letter).to_numpy()).digest


@pytest.mark.parametrize("text", ["a", "= b", "a =", "a - b"])
def test_pairs_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(OptionError, match="is no pair"):
        fields.pairs(f"x = y\n{text}")
    assert fields.pairs("x = y\n\n a<=b = c ") == (("x", "y"), ("a<=b", "c"))


def test_a_script_gives_the_dataset_again(tmp_path: Any) -> None:
    reading = reading_of(survey())
    plan = roles.with_role(reading, dropping(reading), "town", "group")
    plan = roles.with_role(reading, plan, "Q1_2", "answer")
    plan = Preparation((FilterRows("arm", ("drug",)), *plan.steps))
    loaded = making.make(reading, plan)
    path = tmp_path / "survey.csv"
    path.write_bytes(reading.upload.content)
    code = "\n".join(code for _, code in data_pieces(loaded, arguments=False))
    names: dict[str, Any] = {}
    exec("import bjp_engine as bjp\n" + code.replace("'survey.csv'", repr(str(path))), names)
    assert names["data"].digest == loaded.data.digest


def test_the_table_changes_roles_and_the_forms_add_steps(app: AppTest) -> None:
    upload(app, "survey.csv", survey().to_csv(index=False).encode())
    (table,) = (each.value for each in app.dataframe if words.ROLE in each.value)
    assert (
        dict(zip(table[words.COLUMN], table[words.ROLE], strict=True))["sleeps"]
        == (words.ROLES["ordered"])
    )
    rows = in_hand(app).data.rows

    def choose(kind: str) -> None:
        (widget,) = (each for each in app.selectbox if each.label.startswith("Add a step"))
        widget.set_value(kind)
        app.run()

    choose("filter")
    (name,) = (each for each in app.selectbox if each.label == words.ONE_VARIABLE)
    name.set_value("arm")
    app.text_area[0].set_value("drug")
    click(app, words.ADD)
    assert in_hand(app).data.rows < rows
    choose("reverse")
    app.multiselect[0].set_value(["sleeps"])
    click(app, words.ADD)
    made = in_hand(app)
    assert made.preparation is not None
    assert made.preparation.steps[0].kind == "filter"
    drug = survey()[survey()["arm"] == "drug"]
    column = made.data.codes[:, made.data.index("sleeps")]
    counts = np.bincount(column, minlength=5)
    # Codes for a missing answer are imputed, and no row is dropped.
    kept = drug["sleeps"].value_counts()
    labels = made.data.labels[made.data.index("sleeps")]
    assert counts.tolist() == [kept[label] for label in reversed(labels)]


@pytest.mark.parametrize(
    ("typed", "labels"), [("", ("3", "4", "5")), ("0; 5", ("2", "3", "4")), ("1;3;5", None)]
)
def test_a_form_reverses_by_the_ends_of_the_battery(
    app: AppTest, typed: str, labels: tuple[str, ...] | None
) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(1, 6, (200, 3)), columns=["trust1", "trust2", "trust3"])
    frame["trust1"] = rng.integers(1, 4, 200)
    upload(app, "survey.csv", frame.to_csv(index=False).encode())
    before = in_hand(app).data
    (widget,) = (each for each in app.selectbox if each.label.startswith("Add a step"))
    widget.set_value("reverse").run()
    app.multiselect[0].set_value(["trust1"])
    (ends,) = (each for each in app.text_input if each.label == words.ENDS)
    ends.set_value(typed)
    click(app, words.ADD)
    made = in_hand(app).data
    if labels is None:
        assert "must be two numbers" in app.error[0].value
        assert made.digest == before.digest
        return
    assert made.labels[0] == labels
    high = 5 if typed else 6
    turned = [high - int(before.labels[0][code]) for code in before.codes[:, 0]]
    assert [int(labels[code]) for code in made.codes[:, 0]] == turned
