"""`bjp plan`, called in-process, against `plan_rows`."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine import cli

CORONARY = str(Path(__file__).parents[3] / "sample_data" / "datasets" / "coronary.csv")
USUAL = ("--rows", "100,800", "--samples", "3")


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert cli.main(["plan", *argv]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def complaint(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert cli.main(["plan", *argv]) == 2
    return capsys.readouterr().err


def test_of_a_benchmark_network(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "plan.csv"
    said = run(capsys, "target-2", "--strength", "1.5", *USUAL, "--output", str(path))
    plan = bjp.plan_rows(bjp.networks.load("target-2"), (100, 800), strength=1.5, samples=3)
    pd.testing.assert_frame_equal(pd.read_csv(path), plan.to_frame())
    first = plan.to_frame().iloc[0]
    assert f"100\t{first['found']:.1f} ± " in said
    assert f"{plan.edges} edges; bjp by auto, 3 samples, seed 0" in said
    assert "note: " not in said
    assert f"{plan.rows_for(0.8):,} rows" in said


def test_of_what_a_table_shows(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    said = run(capsys, CORONARY, *USUAL, "--output", str(path), "--share", "1")
    data = bjp.read_table(CORONARY)
    network = bjp.fit_parameters(data, bjp.learn(data).graph, "auto")
    plan = bjp.plan_rows(network, (100, 800), samples=3)
    made = json.loads(path.read_text())
    assert made["edges"] == plan.edges
    assert [row["recall"] for row in made["plan"]] == plan.to_frame()["recall"].tolist()
    assert "note: the learned network is taken for the truth" in said
    assert "100 % of the edges are not found with 800 rows on average" in said


def test_of_a_table_that_was_counted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "counted.csv"
    path.write_text("a,b,Freq\nx,u,40\nx,v,3\ny,u,5\ny,v,60\n", encoding="utf-8")
    by_weights = run(capsys, str(path), *USUAL, "--weights", "Freq")
    assert "108 rows, 2 variables" in by_weights
    suggested = run(capsys, str(path), *USUAL, "--prepare", "suggested")
    assert suggested.endswith(by_weights)


def test_of_a_graph_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "graph.csv"
    bjp.io.write_graph(nx.Graph([("a", "b"), ("b", "c")]), path)
    said = run(capsys, str(path), "--graph", "--strength", "2", *USUAL)
    assert "2 edges" in said
    assert "at most 100 rows" in said


@pytest.mark.parametrize(
    ("argv", "about"),
    [
        (("karate",), "give strength"),
        ((CORONARY, "--strength", "1"), "add --graph"),
        ((CORONARY, "--rows", "many"), "--rows 'many' must be whole numbers"),
        ((CORONARY, "--share", "0"), "share=0 needs no rows"),
        ((CORONARY, "--share", "80"), "share=80.0 must be a number from 0 to 1"),
        ((CORONARY, "--output", "plan.txt"), "--output must end in one of .csv, .json"),
    ],
)
def test_what_is_refused(
    capsys: pytest.CaptureFixture[str], argv: tuple[str, ...], about: str
) -> None:
    assert about in complaint(capsys, *argv)


def test_a_share_is_checked_before_anything_is_simulated(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_asked: object, **_named: object) -> None:
        raise AssertionError("It is simulated.")

    monkeypatch.setattr(bjp, "plan_rows", refuse)
    monkeypatch.setattr(bjp, "read_table", refuse)
    assert "share=" in complaint(capsys, "karate", "--strength", "1", "--share", "80")


def test_a_single_sample_has_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("target-2", "--strength", "1.5", "--rows", "100,800")
    said = run(capsys, *given, "--samples", "1")
    plan = bjp.plan_rows(bjp.networks.load("target-2"), (100, 800), strength=1.5, samples=1)
    (found, *_), (false, *_) = plan.found.tolist(), plan.false.tolist()
    assert f"\n100\t{found[0]:.1f}\t{100 * found[0] / plan.edges:.0f} %\t{false[0]:.1f}\t" in said
    assert "nan" not in said
    assert "±" not in said
    assert "±" in run(capsys, *given, "--samples", "2")
