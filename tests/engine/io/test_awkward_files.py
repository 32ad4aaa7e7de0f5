"""The corpus of awkward files: each is read as expected, or refused with a sentence."""

import re
import time
from dataclasses import fields

import pytest

from bjp_engine import Dataset
from bjp_engine.errors import BJPError, OptionError
from bjp_engine.io import child, limits, read_frame, read_table, text
from bjp_engine.io.limits import Limits
from tests.apart import run_here
from tests.awkward import CASES
from tests.awkward.case import Upload
from tests.engine.cost import calls_of
from tests.refusals import assert_refused

SMALL = {"small": Limits(file_mb=1), "few cells": Limits(cells=1_000_000)}
TEXTS = (".csv", ".tsv", ".data")
# It takes seconds to make.
SLOW = "1.1 GB of blanks in a workbook"
# Of this process alone, so no other one on the machine counts: what never ends ends here.
SECONDS = 30


def read(case, data, **options):
    """The table, its limits given by their names."""
    options = options or {k: SMALL[v] if k == "limits" else v for k, v in case.options.items()}
    return read_frame(Upload(data, case.file), **options)


def check_refusal(case, data):
    """One short sentence says why."""
    sentence = rf"^(?=.*{re.escape(case.says)}).{{,500}}\.$"
    assert_refused(BJPError, sentence, lambda: read(case, data))


def check_table(case, frame, report):
    """It has the columns, rows, notes and states that are expected."""
    assert frame.columns.tolist() == list(case.names)
    assert len(frame) == case.rows == report.rows
    assert case.says in "\n".join(report.notes)
    # No row is taken for names.
    assert report.chosen.header_rows in (0, 1, "auto")
    found = Dataset.from_frame(frame, missing="state")
    for name, labels in case.labels.items():
        states = found.labels[found.names.index(name)]
        assert tuple(s for s in states if s != "(missing)") == tuple(labels)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(one, id=one.name, marks=[pytest.mark.slow] if one.name == SLOW else [])
        for one in CASES
    ],
)
def test_outcome(case, monkeypatch):
    monkeypatch.setattr(child, "run", run_here)
    data = case.data
    began = time.process_time()
    if case.refused:
        check_refusal(case, data)
        assert time.process_time() - began < SECONDS
        return
    frame, report = read(case, data)
    assert time.process_time() - began < SECONDS
    check_table(case, frame, report)
    # What was detected is all that was guessed: given back, it changes nothing.
    given = {one.name: getattr(report.chosen, one.name) for one in fields(report.chosen)}
    again = [read(case, data, **given)]
    if case.file.endswith(TEXTS):
        # What pyarrow reads, the csv module reads alike.
        monkeypatch.setattr(text, "_read_plain", lambda *_, **__: None)
        again.append(read(case, data))
    for table, second in again:
        assert table.equals(frame)
        assert second.chosen == report.chosen


@pytest.mark.slow
def test_another_process_refuses_them_alike(monkeypatch):
    real, begun = child.run, []

    def run(*arguments, **more):
        begun.append(case.name)
        return real(*arguments, **more)

    monkeypatch.setattr(child, "run", run)
    for case in [one for one in CASES if one.refused and not one.file.endswith(TEXTS)][::4]:
        check_refusal(case, case.data)
    assert len(set(begun)) > 10


@pytest.mark.parametrize("name", ["v{}", "v"])
def test_a_column_costs_as_much_in_a_wide_table(name):
    """20,000 columns and 5 rows took 35 s once, and as many equal names 20 s more."""

    def calls(columns):
        wide = [",".join(name.format(i) for i in range(columns))]
        wide += [",".join(str(i * j % 3) for i in range(columns)) for j in range(5)]
        return calls_of(read_table, "\n".join(wide).encode())

    calls(10)  # what is imported at first
    few, more = calls(500), calls(1000)
    assert more - few < min(2.2 * (few - calls(10)), 500 * 400)


def test_limits_come_from_the_environment_and_name_themselves(monkeypatch):
    monkeypatch.setenv("BJP_MAX_COLUMNS", "1")
    assert_refused(BJPError, r"more columns than 1 .*BJP_MAX_COLUMNS", read_frame, b"a,b\n1,2\n")
    assert read_frame(b"a,b\n1,2\n", limits=Limits())[1].columns == 2
    monkeypatch.delenv("BJP_MAX_COLUMNS")
    for value in ("0", "-1", "x", "1e3", "9" * 40):
        with pytest.raises(OptionError, match="BJP_MAX_SECONDS"):
            Limits.from_environment({"BJP_MAX_SECONDS": value})
    for few, data, name in (
        (Limits(cells=3), b"a,b\n1,2\n3,4\n", "BJP_MAX_CELLS"),
        (Limits(distinct=3), b"a,b\n1,2\n3,4\n", "BJP_MAX_DISTINCT"),
        (Limits(file_mb=1), b"a\n" + b"1\n" * (1 << 20), "BJP_MAX_FILE_MB"),
    ):
        assert_refused(BJPError, name, read_frame, data, limits=few)
    now = iter(range(0, 10**9, 1000))
    monkeypatch.setattr(limits.time, "monotonic", lambda: next(now))
    with pytest.raises(BJPError, match=r"300 s \(the limit BJP_MAX_SECONDS\)"):
        read_frame(b"a,b\n1,2\n")
