"""The corpus of awkward files: each is read as expected, or refused with a sentence."""

from __future__ import annotations

import io
import time
from typing import Any

import pytest

from bjp_engine import Dataset
from bjp_engine.errors import BJPError, OptionError
from bjp_engine.io import child, read_frame, read_table, text
from bjp_engine.io.limits import Limits
from tests.apart import run_here
from tests.awkward import CASES, Case

SECONDS = 30
SMALL = {"small": Limits(unpacked_mb=1), "few cells": Limits(cells=1_000_000)}


class Upload(io.BytesIO):
    """What a browser hands over: bytes with a name."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name


def options_of(case: Case) -> dict[str, Any]:
    """The options, with limits in place of their names."""
    return {key: SMALL[v] if key == "limits" else v for key, v in case.options.items()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_outcome(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    if not case.refused:
        monkeypatch.setattr(child, "run", run_here)
    data = case.data
    # Of this process alone, so no other one on the machine counts.
    began = time.process_time()
    if case.refused:
        with pytest.raises(BJPError) as caught:
            read_frame(Upload(data, case.file), **options_of(case))
        sentence = str(caught.value)
        assert case.says in sentence
        assert "\n" not in sentence
        assert sentence.endswith(".")
        assert len(sentence) < 500
    else:
        frame, report = read_frame(Upload(data, case.file), **options_of(case))
        assert frame.columns.tolist() == list(case.names)
        assert len(frame) == case.rows == report.rows
        assert case.says in "\n".join(report.notes)
        found = Dataset.from_frame(frame, missing="state")
        for name, labels in case.labels.items():
            states = found.labels[found.names.index(name)]
            assert tuple(s for s in states if s != "(missing)") == tuple(labels)
    assert time.process_time() - began < SECONDS


@pytest.mark.parametrize(
    "case", [case for case in CASES if not case.refused], ids=lambda case: case.name
)
def test_what_was_found_out_reads_the_file_again(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`report.chosen` says all that was guessed: given back, it changes nothing."""
    monkeypatch.setattr(child, "run", run_here)
    frame, report = read_frame(Upload(case.data, case.file), **options_of(case))
    chosen = report.chosen
    given = {name: getattr(chosen, name) for name in type(chosen).__dataclass_fields__}
    again, second = read_frame(Upload(case.data, case.file), **given)
    assert again.equals(frame)
    assert second.chosen == chosen


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if not case.refused and case.file.endswith((".csv", ".tsv", ".data"))],
    ids=lambda case: case.name,
)
def test_both_readers_of_text_agree(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """What pyarrow reads, the csv module reads alike."""
    frame, report = read_frame(Upload(case.data, case.file), **options_of(case))
    monkeypatch.setattr(text, "_read_plain", lambda *_: None)
    again, second = read_frame(Upload(case.data, case.file), **options_of(case))
    assert again.equals(frame)
    assert second.chosen == report.chosen


@pytest.mark.parametrize("name", ["v{}", "v"])
def test_a_wide_table_costs_no_millisecond_a_column(name: str) -> None:
    """20,000 columns and 5 rows took 35 s of a processor, and as many equal names 20 s more."""
    wide = [",".join(name.format(i) for i in range(20_000))]
    wide += [",".join(str(i * j % 3) for i in range(20_000)) for j in range(5)]
    data = "\n".join(wide).encode()
    began = time.process_time()
    assert read_table(data).n == 20_000
    assert time.process_time() - began < 12


def test_the_corpus_is_large_and_its_names_are_distinct() -> None:
    assert len(CASES) >= 80
    assert len({case.name for case in CASES}) == len(CASES)


class TestLimits:
    def test_they_come_from_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BJP_MAX_COLUMNS", "1")
        with pytest.raises(BJPError, match=r"2 columns, more than 1 .*BJP_MAX_COLUMNS"):
            read_frame(b"a,b\n1,2\n")
        assert read_frame(b"a,b\n1,2\n", limits=Limits())[1].columns == 2

    @pytest.mark.parametrize("value", ["0", "-1", "x", "1e3", "9" * 40])
    def test_what_is_no_limit(self, value: str) -> None:
        with pytest.raises(OptionError, match="BJP_MAX_SECONDS"):
            Limits.from_environment({"BJP_MAX_SECONDS": value})

    @pytest.mark.parametrize(
        ("limits", "data", "part"),
        [
            (Limits(cells=3), b"a,b\n1,2\n3,4\n", "BJP_MAX_CELLS"),
            (Limits(distinct=3), b"a,b\n1,2\n3,4\n", "BJP_MAX_DISTINCT"),
            (Limits(file_mb=1), b"a\n" + b"1\n" * (1 << 20), "BJP_MAX_FILE_MB"),
        ],
    )
    def test_each_names_itself(self, limits: Limits, data: bytes, part: str) -> None:
        with pytest.raises(BJPError, match=part):
            read_frame(data, limits=limits)

    def test_the_clock(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from bjp_engine.io import limits

        now = iter(range(0, 10**9, 1000))
        monkeypatch.setattr(limits.time, "monotonic", lambda: next(now))
        with pytest.raises(BJPError, match=r"300 seconds \(the limit BJP_MAX_SECONDS\)"):
            read_frame(b"a,b\n1,2\n")
