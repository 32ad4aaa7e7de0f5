"""Roles of columns: what the steps make of each, and the steps of another role."""

import numpy as np
import pandas as pd
import pytest

from bjp_engine.io import ReadOptions
from bjp_engine.preparation import FilterRows, KeepVariables, MissingCells, Preparation, prepare
from bjp_explorer.data import making, roles, words
from bjp_explorer.data import plan as plans
from bjp_explorer.data.reading import read
from bjp_explorer.data.upload import Upload
from bjp_explorer.downloads.script_data import data_pieces
from bjp_explorer.groups import choices, parts
from tests.app.data.uploads import choose, click, error, field, in_hand, kinds, ready, upload


@pytest.fixture(scope="module")
def survey():
    """Answers in words and numbers with codes, numbers to be cut, an identifier and two groups."""
    rng, rows = np.random.default_rng(5), 300
    mood = rng.integers(0, 5, rows)
    scale = ["never", "rarely", "sometimes", "often", "always"]
    frame = {"id": [f"p{k}" for k in range(rows)]}
    frame["sleeps"] = [scale[k] for k in mood]
    for k in range(1, 4):
        frame[f"Q1_{k}"] = np.clip(mood + rng.integers(-1, 2, rows), 0, 4) + 1
    frame["Q1_1"] = np.where(rng.random(rows) < 0.05, 9, frame["Q1_1"])
    frame["income"] = np.round(rng.lognormal(7, 1, rows), 2)
    frame["town"] = rng.choice(["A", "B", "C"], rows)
    frame["arm"] = rng.choice(["drug", "placebo"], rows)
    return pd.DataFrame(frame)


def reading_of(frame):
    return read(Upload("survey.csv", frame.to_csv(index=False).encode()), ReadOptions())


@pytest.fixture(scope="module")
def reading(survey):
    return reading_of(survey)


@pytest.fixture(scope="module")
def dropping(reading):
    """What is suggested, but with incomplete rows dropped, which takes less time than imputing."""
    return plans.add(reading.suggestion, [MissingCells("drop")], reading.names)


def test_any_column_takes_any_role_and_no_other_column_changes(reading, dropping):
    before = roles.roles_of(reading, reading.suggestion)
    ordered = dict.fromkeys(("sleeps", "Q1_1", "Q1_2", "Q1_3", "income"), "ordered")
    assert before == {"id": "out", **ordered, "town": "answer", "arm": "answer"}
    assert roles.roles_of(reading, dropping) == before
    data = making.make(reading, reading.suggestion).data
    assert data.labels[data.index("sleeps")] == ("never", "rarely", "sometimes", "often", "always")
    assert dict(zip(data.names, data.ordered, strict=True)) == {
        name: role == "ordered" for name, role in before.items() if role != "out"
    }
    for name in ("id", "sleeps", "Q1_1", "income", "town", "arm"):
        for role in ("answer", "ordered", "group", "out"):
            plan, case = roles.with_role(reading, dropping, name, role), (name, role)
            assert roles.roles_of(reading, plan) == before | {name: role}, case
            back = roles.with_role(reading, plan, name, before[name])
            assert roles.roles_of(reading, back) == before, case
            made = prepare(reading.table, plan)
            assert (name in made.data.names) == (role in ("answer", "ordered")), case
            groups = () if made.groups is None else made.groups.names
            assert (name in groups) == (role == "group"), case
            if role in ("answer", "ordered"):
                assert made.data.ordered[made.data.index(name)] == (role == "ordered"), case
    # Of kept variables one more is kept.
    plan = Preparation((KeepVariables(("sleeps", "Q1_2")),))
    found = prepare(reading.table, roles.with_role(reading, plan, "town", "answer"))
    assert found.data.names == ("sleeps", "Q1_2", "town")


def test_a_column_of_frequencies_gives_the_long_table():
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


def test_groups_come_first_and_a_script_makes_them_again(survey, reading, dropping, tmp_path):
    loaded = making.make(reading, roles.with_role(reading, dropping, "town", "group"))
    data, by = loaded.data, choices.by_of(loaded)
    assert next(iter(by.labels)) == by.default == data.n
    assert by.labels[data.n] == "town"
    made = parts.by_states(loaded, data.n, [0, 2])
    # Rows with a code for a missing answer are dropped.
    town = survey.loc[survey["Q1_1"] != 9, "town"]
    assert {name: part.digest for name, part in made.items()} == {
        f"town = {letter}": data.take((town == letter).to_numpy()).digest for letter in "AC"
    }
    plan = roles.with_role(reading, dropping, "town", "group")
    plan = roles.with_role(reading, plan, "Q1_2", "answer")
    plan = Preparation((FilterRows("arm", ("drug",)), *plan.steps))
    loaded = making.make(reading, plan)
    path = tmp_path / "survey.csv"
    path.write_bytes(reading.upload.content)
    code = "\n".join(code for _, code in data_pieces(loaded, arguments=False))
    names = {}
    exec("import bjp_engine as bjp\n" + code.replace("'survey.csv'", repr(str(path))), names)
    assert names["data"].digest == loaded.data.digest


def test_the_table_changes_roles_and_the_forms_add_steps(app, survey):
    upload(app, "survey.csv", survey.to_csv(index=False).encode())
    (table,) = (each.value for each in app.dataframe if words.ROLE in each.value)
    shown = dict(zip(table[words.COLUMN], table[words.ROLE], strict=True))
    assert shown["sleeps"] == words.ROLES["ordered"]
    choose(app, "Add a step", words.FORMS["filter"])
    field(app.selectbox, words.ONE_VARIABLE).set_value("arm")
    app.text_area[0].set_value("drug")
    click(app, words.ADD)
    choose(app, "Add a step", words.FORMS["reverse"])
    app.multiselect[0].set_value(["sleeps"])
    click(app, words.ADD)
    assert kinds(app)[0] == "filter"
    made = in_hand(app).data
    # Codes for a missing answer are imputed, and no row is dropped.
    kept = survey.loc[survey["arm"] == "drug", "sleeps"].value_counts()
    assert made.rows == kept.sum() < len(survey)
    at = made.index("sleeps")
    counts = np.bincount(made.codes[:, at], minlength=5)
    assert counts.tolist() == [kept[label] for label in reversed(made.labels[at])]
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(1, 6, (200, 3)), columns=["trust1", "trust2", "trust3"])
    frame["trust1"] = rng.integers(1, 4, 200)
    upload(app, "survey.csv", frame.to_csv(index=False).encode())
    before = in_hand(app).data
    for typed, labels, ends in (("", "345", 6), ("0; 5", "234", 5), ("1;3;5", "", 0)):
        choose(app, "Add a step", words.FORMS["reverse"])
        app.multiselect[0].set_value(["trust1"])
        field(app.text_input, words.ENDS).set_value(typed)
        click(app, words.ADD)
        made = in_hand(app).data
        if not labels:
            assert "must be two numbers" in error(app)
            assert made.digest == before.digest
            continue
        assert made.labels[0] == tuple(labels)
        turned = [ends - int(before.labels[0][code]) for code in before.codes[:, 0]]
        assert [int(labels[code]) for code in made.codes[:, 0]] == turned
        ready(app.button(key="data-undo").click())
        assert in_hand(app).data.digest == before.digest
