"""`bjp health` and `bjp learn` on an SPSS file, and on a table with a line of questions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from bjp_engine import cli
from bjp_engine.io import child
from tests.apart import run_here


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "run", run_here)


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert cli.main(argv) == 0
    return capsys.readouterr().out


def answers() -> pd.DataFrame:
    """Two questions that agree, and one that has nothing to do with them."""
    rng = np.random.default_rng(0)
    first = rng.integers(1, 3, 200).astype(float)
    second = np.where(rng.random(200) < 0.9, first, 3 - first)
    return pd.DataFrame({"Q1": first, "Q2": second, "Q3": rng.integers(1, 3, 200).astype(float)})


def test_an_spss_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "t.sav")
    labels = {name: {1: "yes", 2: "no"} for name in ("Q1", "Q2", "Q3")}
    pyreadstat.write_sav(answers(), path, variable_value_labels=labels)
    assert "200" in run(capsys, "health", path)
    assert "Q1" in run(capsys, "learn", path)
    # Under another name it is known by its format only.
    other = Path(path).rename(tmp_path / "t.xyz")
    assert cli.main(["health", str(other)]) == 2
    assert ".sav" in capsys.readouterr().err
    assert "200" in run(capsys, "health", str(other), "--read", "format=spss")


def test_a_line_of_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, frame = tmp_path / "t.csv", answers().astype(int)
    lines = frame.to_csv(index=False).splitlines()
    questions = "Do you like tea?,Do you like coffee?,Do you like rain?"
    path.write_text("\n".join([lines[0], questions, *lines[1:]]), encoding="utf-8")
    assert "200" in run(capsys, "health", str(path))
    assert "201" in run(capsys, "health", str(path), "--read", "header_rows=1")
    assert "200" in run(capsys, "health", str(path), "--read", "header_rows=2")
    assert cli.main(["health", str(path), "--read", "header_rows=none"]) == 2
    assert "header_rows" in capsys.readouterr().err


def test_the_paragraph_counts_the_rows_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, steps = tmp_path / "t.csv", str(tmp_path / "steps.json")
    frame = answers().astype(int).astype(object)
    frame.loc[frame.index % 10 == 0, "Q3"] = None
    frame["Freq"] = [1 + k % 3 for k in range(200)]
    frame.to_csv(path, index=False)
    long = frame.loc[frame.index.repeat(frame["Freq"].astype(int))]
    complete = len(long.dropna())
    done = (
        f"was learned from {complete:,} rows. The table had 200 rows and 4 columns. Each row was "
        f"counted as often as the column 'Freq' says: N counts {len(long)} cases, from 200 rows. "
        f"Rows with a missing cell were left out ({len(long) - complete} of {len(long)} rows "
        "removed). Graphs were"
    )
    given = ("learn", str(path), "--weights", "Freq", "--missing", "drop", "--paper")
    assert done in run(capsys, *given)
    Path(steps).write_text('{"type": "preparation", "version": 1, "steps": []}', encoding="utf-8")
    assert done in run(capsys, *given, "--prepare", steps)
