"""SPSS, Stata and SAS files: what pyreadstat writes comes back as it was written.

SAS's own sas7bdat can't be written by pyreadstat; only its first bytes are tested.
"""

import datetime as dt

import numpy as np
import pyreadstat
import pytest

from bjp_engine.dataset import Dataset
from bjp_engine.errors import DataError
from bjp_engine.health import health
from bjp_engine.io import child, declared, read_columns, read_table
from bjp_engine.io.limits import Limits
from bjp_engine.io.sources import find_reader
from tests.apart import run_here
from tests.awkward.case import Upload
from tests.awkward.labelled import stored
from tests.refusals import assert_refused


@pytest.fixture(autouse=True)
def _here(monkeypatch):
    monkeypatch.setattr(child, "run", run_here)


def cells(column):
    """The cells, None where they are missing."""
    return [None if code < 0 else column.values.tolist()[code] for code in column.codes]


def sav(frame, **how):
    return read_columns(stored(pyreadstat.write_sav, frame, **how))


SURVEY = {
    "q1": [1.0, 2.0, 99.0, None, 5.0, 2.0],
    "income": [1200.5, -3.0, 900.0, -1.0, 0.0, 10.0],
    "sex": ["m", "f", "x", "", "f", "m"],
    "weight": [0.5, 1.25, 1.0, 1.0, 2.0, 3.0],
}


def test_labels_missing_codes_levels_and_questions():
    table, report = sav(
        SURVEY,
        column_labels=["How satisfied  are you?", "Net income", "Sex", None],
        variable_value_labels={
            "q1": {1: "not at all", 2: "a little", 3: "fairly", 5: "very", 99: "refused"},
            "sex": {"m": "male", "f": "female", "x": "no answer"},
        },
        missing_ranges={"q1": [99], "income": [{"lo": -9, "hi": -1}], "sex": ["x"]},
        variable_measure={"q1": "ordinal", "sex": "nominal", "weight": "scale"},
    )
    q1, income, sex, weight = table.columns.values()
    assert cells(q1) == ["not at all", "a little", None, None, "very", "a little"]
    # A label that no row holds is a state; that of a missing code is none.
    assert q1.states("q1")[0][:4] == ("not at all", "a little", "fairly", "very")
    assert (q1.ordinal, q1.declared, q1.ordered) == (True, True, True)
    assert q1.title == "How satisfied are you?"
    assert cells(income) == [1200.5, None, 900.0, None, 0.0, 10.0]
    assert not income.declared
    assert cells(sex) == ["male", "female", None, None, "female", "male"]
    # By the codes f and m, not by the labels.
    assert sex.values.tolist() == ["female", "male"]
    assert not sex.ordinal
    assert cells(weight) == SURVEY["weight"]
    assert weight.title == ""
    assert report.format == "spss"
    notes = " ".join(report.notes)
    assert "Ordered, as the file says: column 'q1'." in notes
    assert "'99 refused' 1×" in notes
    assert "'-3' 1×" in notes
    assert Dataset.from_frame(table, missing="drop").rows == 3
    aside, _ = sav(
        {"hours": [*np.arange(20.0), 888.0]},
        variable_value_labels={"hours": {888: "Don't know"}},
        variable_measure={"hours": "scale"},
    )
    assert aside.columns["hours"].numeric
    assert aside.columns["hours"].aliases == {"888": "Don't know"}


def test_the_order_reaches_the_dataset(tmp_path):
    (tmp_path / "t.sav").write_bytes(
        stored(
            pyreadstat.write_sav,
            {"a": [2.0, 1.0, 3.0], "b": [1.0, 2.0, 1.0]},
            variable_value_labels={"a": {1: "low", 2: "mid", 3: "high"}},
            variable_measure={"a": "ordinal", "b": "nominal"},
        )
    )
    data = read_table(tmp_path / "t.sav")
    assert data.labels == (("low", "mid", "high"), ("1", "2"))
    assert data.ordered == (True, False)
    # Of numbers without labels, and not of texts: the alphabet is no order.
    measure = {"variable_measure": {"a": "ordinal"}}
    numbers = sav({"a": [10.0, 2.0]}, **measure)[0].columns["a"]
    assert (numbers.ordinal, numbers.states("a")[0]) == (True, ("2", "10"))
    assert not sav({"a": ["low", "high"]}, **measure)[0].columns["a"].ordinal


def test_a_value_without_a_label_keeps_its_number():
    answers = {"a": [1.0, 2.0, 5.0, 3.5]}
    labels = {"variable_value_labels": {"a": {1: "never", 5: "always"}}}
    for measure in ("nominal", "ordinal", "unknown"):
        table, _ = sav(answers, variable_measure={"a": measure}, **labels)
        assert table.columns["a"].values.tolist() == ["never", "2", "3.5", "always"]
    table, report = sav(answers, variable_measure={"a": "scale"}, **labels)
    assert cells(table.columns["a"]) == [1.0, 2.0, 5.0, 3.5]
    assert "few of them have a label" in report.notes[0]
    labels = {"variable_value_labels": {"a": {1: "2", 7: "2 (1)"}}}
    table, _ = sav({"a": [1.0, 2.0]}, **labels)
    assert len(set(table.columns["a"].values)) == 3
    # A few labels among many numbers are left aside.
    years = {"age": np.arange(20.0)}
    labels = {"variable_value_labels": {"age": {0: "newborn"}}}
    table, _ = sav(years, **labels)
    assert cells(table.columns["age"]) == years["age"].tolist()
    table, _ = sav(years, variable_measure={"age": "nominal"}, **labels)
    assert table.columns["age"].values[0] == "newborn"
    # Numbers without labels name something where the file says so.
    for measure, kind in (("nominal", "category"), ("scale", "whole number")):
        many = {"place": np.arange(600.0) % 15 + 11}
        found = health(sav(many, variable_measure={"place": measure})[0])
        assert found.variables[0].kind == kind


def test_dates_are_texts_as_in_a_workbook():
    day, moment = dt.date(2020, 1, 2), dt.datetime(2020, 1, 2, 3, 4)
    table, _ = sav({"d": [day, None], "t": [moment, moment]})
    assert cells(table.columns["d"]) == ["2020-01-02", None]
    assert cells(table.columns["t"]) == ["2020-01-02 03:04:00"] * 2
    # Beyond the calendar they stay numbers.
    table, report = sav({"d": [1e18, 2e18]}, variable_format={"d": "DATETIME20"})
    assert cells(table.columns["d"]) == [1e18, 2e18]
    assert "calendar" in report.notes[0]


def test_columns_and_missing_values_are_chosen_and_many_are_read_in_parts(monkeypatch):
    # Missing values are codes or labels.
    labels = {"b": {1: "yes", 3: "no", 8: "k.A."}}
    frame = {"a": [1.0, 2.0, 9.0], "b": [1.0, 8.0, 3.0]}
    data = stored(pyreadstat.write_sav, frame, variable_value_labels=labels)
    table, _ = read_columns(data, missing_values=["9", "k.A."])
    assert cells(table.columns["a"]) == [1, 2, None]
    assert table.columns["b"].values.tolist() == ["yes", "no"]
    frame = {f"v{i}": [float(i), 1.0] for i in range(7)}
    data = stored(pyreadstat.write_sav, frame)
    for _ in range(2):
        table, _ = read_columns(data)
        assert {n: cells(c) for n, c in table.columns.items()} == frame
        monkeypatch.setattr(declared, "CELLS", 5)
    assert read_columns(data, columns=["v3", "v1"])[0].names == ("v3", "v1")
    assert_refused(DataError, "no variable 'x'", read_columns, data, columns=["x"])


def test_portable_and_western_files():
    frame, titles = {"A": [1.0, 2.0, None], "B": ["x", "", "y"]}, ["How?", "Why?"]
    data = stored(pyreadstat.write_por, frame, column_labels=titles)
    table, report = read_columns(Upload(data, "t.por"))
    assert [cells(c) for c in table.columns.values()] == [[1, 2, None], ["x", None, "y"]]
    assert [c.title for c in table.columns.values()] == titles
    assert report.format == "spss"
    # The file doesn't say its encoding.
    data = stored(pyreadstat.write_sav, {"a": [1.0]}, column_labels=["Größe ist."])
    western = data.replace("Größe ist.".encode(), "Größe ist.  ".encode("cp1252"))
    table, report = read_columns(western)
    assert table.columns["a"].title == "Größe ist."
    assert report.chosen.encoding == "windows-1252"
    with pytest.raises(DataError, match=r"can't be read as an SPSS file .*encoding="):
        read_columns(data, encoding="nonsense")


def test_labels_letters_and_questions_of_stata():
    data = stored(
        pyreadstat.write_dta,
        {"a": [1.0, 2.0, "a", None], "s": ["x", "", "y", "x"], "d": [dt.date(2020, 1, 2)] * 4},
        missing_user_values={"a": ["a", "b"]},
        variable_value_labels={"a": {1: "yes", 2: "no", 3: "maybe", "a": "refused"}},
        column_labels={"a": "Do you?"},
    )
    table, report = read_columns(data)
    a, s, d = table.columns.values()
    assert cells(a) == ["yes", "no", None, None]
    assert a.values.tolist() == ["yes", "no", "maybe"]
    assert (a.ordinal, a.title) == (False, "Do you?")
    assert cells(s) == ["x", None, "y", "x"]
    assert cells(d) == ["2020-01-02"] * 4
    assert "'.a refused' 1×" in report.notes[0]
    for version in (8, 10, 12, 13, 14, 15):
        data = stored(pyreadstat.write_dta, {"a": [1.0, 2.0]}, version=version)
        table, report = read_columns(data)
        assert (report.format, cells(table.columns["a"])) == ("stata", [1, 2]), version


def test_transport_files_of_sas():
    frame = {"a": [1.0, 2.5, None], "s": ["x", "", "y"]}
    for version in (5, 8):
        how = {"column_labels": ["How?", None], "file_format_version": version}
        table, report = read_columns(stored(pyreadstat.write_xport, frame, **how))
        a, s = table.columns.values()
        assert (cells(a), cells(s)) == ([1.0, 2.5, None], ["x", None, "y"]), version
        assert (a.title, report.format) == ("How?", "sas")
    # Special missing values are missing: 2.0 in the floats of old mainframes becomes SAS's .A
    two, special = b"\x41\x20" + bytes(6), b"A" + bytes(7)
    data = stored(pyreadstat.write_xport, {"a": [1.0, 2.0, 3.0]})
    assert data.count(two) == 1
    table, _ = read_columns(Upload(data.replace(two, special), "t.xpt"))
    assert cells(table.columns["a"]) == [1, None, 3]
    head = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011")
    assert find_reader(head) == ("sas", "read_sas7bdat")
    with pytest.raises(DataError, match=r"'t\.sas7bdat' can't be read as a SAS file"):
        read_columns(Upload(head + bytes(5000), "t.sas7bdat"))


def test_limits_are_one_sentence():
    for name, write in (("t.sav", pyreadstat.write_sav), ("t.por", pyreadstat.write_por)):
        data = stored(write, {"A": np.arange(50.0), "B": np.arange(50.0)})
        for limit, words in (
            ({"cells": 99}, "more cells than 99"),
            ({"columns": 1}, "more columns than 1"),
            ({"distinct": 60}, "more different cells than 60"),
        ):
            with pytest.raises(DataError, match=words):
                read_columns(Upload(data, name), limits=Limits(**limit))
