"""Roles of columns: what the steps make of each, and the steps of another role."""

import numpy as np
import pandas as pd
import pytest

from bjp_engine.errors import DataError, OptionError
from bjp_engine.health import health, suggest, with_roles
from bjp_engine.io import ReadOptions
from bjp_engine.preparation import (
    MissingCells,
    add_steps,
    prepare,
    roles_of,
)
from bjp_explorer.data import making
from bjp_explorer.data.reading import read
from bjp_explorer.data.upload import Upload
from bjp_explorer.groups import parts
from tests.refusals import assert_refused


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


@pytest.fixture(scope="module")
def reading(survey):
    return read(Upload("survey.csv", survey.to_csv(index=False).encode()), ReadOptions())


@pytest.fixture(scope="module")
def dropping(reading):
    """What is suggested, but with incomplete rows dropped, which takes less time than imputing."""
    return add_steps(reading.suggestion, [MissingCells("drop")])


def test_any_column_takes_any_role_and_no_other_column_changes(reading, dropping):
    table = reading.table
    before = roles_of(table, reading.suggestion)
    plain = dict.fromkeys(("Q1_1", "Q1_2", "Q1_3", "town", "arm"), "variable")
    assert before == {"id": "leave out", "sleeps": "ordered", "income": "ordered"} | plain
    assert roles_of(table, dropping) == before
    data = making.make(reading, dropping).data
    assert data.labels[data.index("sleeps")] == ("never", "rarely", "sometimes", "often", "always")
    assert dict(zip(data.names, data.ordered, strict=True)) == {
        name: role == "ordered" for name, role in before.items() if role != "leave out"
    }
    for name in ("id", "sleeps", "Q1_1", "income", "town", "arm"):
        for role in ("variable", "ordered", "group", "leave out"):
            case = name, role
            if role == "ordered" and name in ("id", "town"):
                # An order of words that nobody named is asked for.
                refusal, more = "in no order that is known; name its states", (reading.health,)
                assert_refused(DataError, refusal, health, table, roles={name: role})
                assert_refused(DataError, refusal, with_roles, table, dropping, {name: role}, *more)
                continue
            plan = with_roles(table, dropping, {name: role}, reading.health)
            # What is said on the page and what a file of roles says come to the same.
            assert plan == suggest(health(table, roles={name: role})), case
            assert roles_of(table, plan) == before | {name: role}, case
            back = with_roles(table, plan, {name: before[name]}, reading.health)
            assert roles_of(table, back) == before, case
            made = prepare(table, plan)
            assert (name in made.data.names) == (role in ("variable", "ordered")), case
            groups = () if made.groups is None else made.groups.names
            assert (name in groups) == (role == "group"), case
            # Numbers with many values have bins, also where health alone leaves them out.
            assert max(made.data.cardinalities) <= 5 or (name, role) == ("id", "variable"), case
            if role in ("variable", "ordered"):
                assert made.data.ordered[made.data.index(name)] == (role == "ordered"), case


def test_roles_that_mean_nothing_are_refused(reading, dropping):
    more = dropping, {"agee": "ordered"}, reading.health
    assert_refused(OptionError, "there is no column 'agee'", with_roles, reading.table, *more)
    empty = pd.DataFrame({"a": ["x", "y"], "n": [None, None]})
    for table, roles, sentence in (
        (reading.table, ["sleeps"], "roles is of type list; give a dict"),
        (empty, {"n": "ordered"}, "'n': it has no values; leave it out"),
    ):
        assert_refused(OptionError, sentence, health, table, roles=roles)


def test_groups_come_first(survey, reading, dropping):
    plan = with_roles(reading.table, dropping, {"town": "group"}, reading.health)
    loaded = making.make(reading, plan)
    data, by = loaded.data, parts.by_of(loaded)
    assert next(iter(by.labels)) == by.default == data.n
    assert by.labels[data.n] == "town"
    made = parts.by_states(loaded, data.n, [0, 2])[0]
    # Rows with a code for a missing answer are dropped.
    town = survey.loc[survey["Q1_1"] != 9, "town"]
    assert {name: part.digest for name, part in made.items()} == {
        f"town = {letter}": data.take((town == letter).to_numpy()).digest for letter in "AC"
    }
