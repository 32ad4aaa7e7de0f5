"""`bjp learn --missing impute`, called in-process: its numbers are the engine's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine import cli
from bjp_engine.parameters import impute, pool_effects
from bjp_engine.preparation import KeepVariables, Preparation


@pytest.fixture
def survey(tmp_path: Path) -> str:
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 120)
    b = np.where(rng.random(120) < 0.9, a, 1 - a)
    frame = pd.DataFrame({"a": a, "b": b, "c": rng.integers(0, 2, 120)}).astype("Int64")
    path = tmp_path / "survey.csv"
    frame.mask(rng.random(frame.shape) < 0.1).to_csv(path, index=False)
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert cli.main(argv) == 0
    return capsys.readouterr().out


def test_the_pooled_probabilities_are_printed(
    survey: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pd.read_csv(survey).astype("Int64")
    pooled = bjp.edge_probabilities(impute(frame, seed=2))
    lines = run(capsys, "learn", survey, "--missing", "impute", "--seed", "2").splitlines()
    cells = int(frame.isna().sum().sum())
    assert lines[0].endswith("survey.csv: 120 rows, 3 variables")
    assert f"{cells} cells ({100 * cells / 360:.3g} %) imputed 20 times" in lines[1]
    assert "missing at random" in lines[1]
    edge = pooled.of("a", "b")
    assert edge.confidence >= 0.5
    assert f"a - b\t{edge.confidence:.4f}\t± {edge.error:.4f}\tpresent" in lines
    assert len(lines) == 4 + pooled.graph(0.5).number_of_edges()


def test_steps_come_before_and_a_graph_is_written(
    survey: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps, output = tmp_path / "steps.json", tmp_path / "net.graphml"
    steps.write_text(Preparation((KeepVariables(("a", "b")),)).to_json(), encoding="utf-8")
    argv = ("learn", survey, "--missing", "impute", "--prepare", str(steps))
    said = run(capsys, *argv, "--output", str(output))
    assert "2. Impute missing cells 20 times under the network" in said
    assert [*bjp.io.read_graph(output).edges] == [("a", "b")]


def test_what_is_asked_for_takes_the_place_of_what_is_suggested(
    survey: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = run(capsys, "learn", survey, "--missing", "impute", "--prepare", "suggested")
    assert "imputed 20 times" in said
    assert "±" in said


def test_without_missing_cells_it_says_so(
    survey: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = tmp_path / "whole.csv"
    pd.read_csv(survey).dropna().to_csv(whole, index=False)
    said = run(capsys, "learn", str(whole), "--missing", "impute")
    assert "no cell is missing" in said
    assert "±" not in said


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--search", "auto"), "--search can't be given with --missing impute"),
        (("--parameters", "auto"), "--parameters needs"),
        (("--method", "mpl"), "--method can't be given"),
        (("--confidence", "bootstrap"), "--confidence can't be given"),
        (("--expected-degree", "2"), "--expected-degree can't be given"),
        (("--output", "net.json"), "--output can't be .json"),
    ],
)
def test_what_needs_one_table_is_refused(
    survey: str, more: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(("learn", survey, "--missing", "impute", *more)) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.slow
def test_suggested_steps_pool_where_no_option_needs_one_table(
    survey: str, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pd.read_csv(survey).astype("Int64")
    edge = bjp.edge_probabilities(impute(frame, seed=4)).of("a", "b")
    argv = ("learn", survey, "--prepare", "suggested", "--seed", "4")
    said = run(capsys, *argv)
    assert f"a - b\t{edge.confidence:.4f}\t± {edge.error:.4f}\tpresent" in said
    assert "first completed table" not in said
    assert cli.main((*argv[:-2], "--method", "mpl")) == 0
    out, err = capsys.readouterr()
    assert "The dataset is the first completed table." in out
    assert "note: --method needs one table" in err
    first = bjp.learn(impute(frame).datasets[0], "mpl")
    assert f"score: {first.score!r}" in out
    assert cli.main(("learn", survey, "--missing", "drop")) == 0
    dropped = bjp.learn(frame.dropna())
    assert f"score: {dropped.score!r}" in capsys.readouterr().out


@pytest.mark.slow
def test_effects_are_pooled_and_a_paper_says_how(
    survey: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = impute(pd.read_csv(survey).astype("Int64"), seed=2)
    pooled = bjp.edge_probabilities(made)
    effects = pool_effects(made, pooled.graph(0.5), "likelihood", resamples=40, seed=2)
    (row,) = effects[(effects["x"] == "a") & (effects["y"] == "b")].itertuples()
    argv = ("learn", survey, "--missing", "impute", "--seed", "2", "--resamples", "40")
    argv = (*argv, "--effects", "--parameters", "likelihood", "--paper")
    said = run(capsys, *argv)
    assert f"\t{row.effect:.4f} [{row.low:.4f}, {row.high:.4f}] log odds ratio\n" in said
    assert f"{made.cells} missing cells ({100 * made.share:.3g} % of all) were imputed 20" in said
    assert "The learned graph has the pairs with a mean probability of 0.5 or more." in said
    assert "a mean over 20 completed tables" in said
    assert "pooled over 20 completed tables by Rubin's rules (Rubin, 1987), with variances" in said
    assert "from 40 bootstrap resamples in all (seed 2)" in said
    assert "D. B. Rubin: Multiple Imputation for Nonresponse in Surveys. Wiley, 1987." in said
    assert f"learned graph has {pooled.graph(0.5).number_of_edges()} of 3 possible" in said
    output = tmp_path / "edges.csv"
    run(capsys, *argv, "--output", str(output))
    table = pd.read_csv(output).set_index(["source", "target"])
    assert table.loc[("a", "b"), "effect_low"] == pytest.approx(row.low)
