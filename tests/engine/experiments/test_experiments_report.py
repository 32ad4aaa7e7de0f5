"""Reports of experiments: in the terminal, as a page, as tables."""

import csv
import html
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bjp_engine import cli
from bjp_engine.errors import DataError
from bjp_engine.experiments import (
    claims,
    find_table,
    read_results,
    report_html,
    resize,
    run,
    summaries,
    write_compact,
    write_summary,
)
from tests.refusals import assert_refused

SIZE = "--networks karate,target-5 --rows 250,500 --samples 1"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    made = tmp_path_factory.mktemp("report") / "results"
    for name, network in (("table-4", "karate"), ("table-1", "target-5")):
        size = {"networks": [network], "rows": [250, 500], "samples": 1}
        experiment = resize(find_table(name), distributions=2, **size)
        assert len(run(experiment, made, workers=1)) == 12
    return made


@pytest.fixture(scope="module")
def results(path):
    return read_results(path)


class TestResults:
    def test_where_takes_the_rows_that_are_meant_and_none_can_be_written_to(self, results):
        before, hamming = results.to_frame(), results["hamming"]
        hamming[0] += 1
        frame = results.to_frame()
        frame.loc[0, "hamming"] += 1
        with pytest.raises(TypeError):
            results.experiments["table-4"] = None
        pd.testing.assert_frame_equal(results.to_frame(), before)
        some = results.where(network="karate", score="bjp", rows=500)
        assert len(some) == 2
        assert set(some["search"]) == {"ibmap-hc"}
        assert len(results.where(network="nowhere")) == 0

    def test_the_compact_form_holds_all_of_it_and_what_is_none_is_refused(self, results, tmp_path):
        write_compact(results, tmp_path / "r.parquet")
        again = read_results(tmp_path / "r.parquet")
        assert dict(again.experiments) == dict(results.experiments)
        frames = [one.to_frame() for one in (again, results)]
        pd.testing.assert_frame_equal(*[one.drop(columns="seconds") for one in frames])
        assert np.allclose(again["seconds"], results["seconds"], rtol=1e-6)
        (tmp_path / "text.parquet").write_text("no", encoding="utf-8")
        pq.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
        for name in ("text", "other", "none"):
            assert_refused(DataError, name, read_results, tmp_path / f"{name}.parquet")
        assert_refused(DataError, "parquet", write_compact, results, tmp_path / "r.csv")


def run_bjp(capsys, *argv):
    assert cli.main(argv) == 0
    return capsys.readouterr()


def test_the_terminal_has_a_line_for_each_size(capsys, path, results, tmp_path):
    report = run_bjp(capsys, "report", str(path)).out
    (summary,) = summaries(results.where(network="karate", rows=500, score="ib")).itertuples()
    text = f"{summary.mean:.1f} ± {summary.error:.1f} (44.0, {summary.mean - 44:+.1f})"
    lines = report.splitlines()
    (line,) = [line for line in lines if line.startswith("500 ") and text in line]
    assert line.count("±") == 3
    for claim in claims(results).itertuples():
        (line,) = [line for line in report.splitlines() if claim.sentence in line]
        assert f" {claim.estimate:.3g} " in line
    assert "target-5" in report
    # An experiment ends with its table.
    argv = f"experiment table-4 table-1 {SIZE} --distributions 2 --workers 1 --out".split()
    printed, told = run_bjp(capsys, *argv, str(tmp_path / "r"))
    table = report.partition("\nThe paper's claims")[0].splitlines()
    assert {line for line in table if re.match(r"\d+  ", line)} <= {*printed.splitlines()}
    assert "table-4: 12 of 12 rows" in told
    assert told.count("table-1") > 0


def test_what_cannot_be_run_is_one_sentence(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for argv, said in (
        ("table-9 --out r", "table-9"),
        ("none.toml --out r", "none.toml"),
        ("table-4 --out r --networks hub-1", "hub-1"),
        ("table-4 --out r --rows 100", "100"),
        ("table-4 --out r --samples 0", "samples"),
        ("table-4 --out nowhere/r", "nowhere"),
        ("table-4 --out r --scheduler tcp", "scheduler"),
    ):
        assert cli.main(("experiment", *argv.split())) == 2, argv
        out, err = capsys.readouterr()
        assert out == "", argv
        assert re.fullmatch(rf"bjp: .*{said}.*\n", err), argv
        assert not list(tmp_path.iterdir()), argv


def test_the_page_stands_alone_and_its_numbers_are_the_results(results, tmp_path):
    report_html(results, tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    for asking in ("<script", "<link", "<img", "src=", "href=", "url(", "@import", "://"):
        assert asking not in text
    found, claimed = ([*of(results).itertuples()] for of in (summaries, claims))
    shown = [html.unescape(cell) for cell in re.findall("<td>(.*?)</td>", text)]
    assert shown[: 5 * len(claimed) : 5] == [claim.verdict for claim in claimed]
    assert all(f"<th>{html.escape(claim.sentence, quote=False)}" in text for claim in claimed)
    cells = shown[5 * len(claimed) :]
    assert len(cells) == len(found)
    for one, cell in zip(found, cells, strict=True):
        digits = 2 if one.measure == "success" else 1
        assert f"({one.printed:.{digits}f}, {one.difference:+.{digits}f})" in cell
        assert ("*" in cell, f"{one.seconds:.2g} s" in cell) == (not one.agrees, True)


def test_the_table_is_a_line_for_each_summary(results, tmp_path):
    write_summary(results, tmp_path / "r.csv")
    with (tmp_path / "r.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    for line, one in zip(lines, summaries(results).itertuples(), strict=True):
        for name in ("network", "rows", "hamming", "printed", "difference", "agrees"):
            assert line[name] == str(getattr(one, name)), name
        assert (line["printed_seconds"] == "") == (one.experiment == "table-1")
