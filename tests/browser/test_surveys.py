"""Surveys as they come, from a file to verdicts in a browser, checked by the library."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

import bjp_engine as bjp
from bjp_engine.health import health, suggest
from bjp_engine.io import read_columns
from bjp_engine.preparation import prepare
from bjp_engine.resources import sample_data
from tests.browser.visits import follow, open_page


def write_titanic(path: Path) -> bjp.Dataset:
    """The table of 32 lines, one a combination of states; the dataset is that of its persons."""
    frame = pd.read_csv(sample_data("datasets", "titanic.csv"), dtype=str)
    counts = frame.value_counts()
    lines = [*product(*(sorted(frame[name].unique()) for name in frame))]
    table = pd.DataFrame(lines, columns=frame.columns)
    table["Freq"] = [int(counts.get(line, 0)) for line in lines]
    table.to_csv(path, index=False)
    assert len(table) == 32
    return bjp.Dataset.from_frame(frame)


def write_export(path: Path) -> bjp.Dataset:
    """Items with the code 9, ages with 99, weights with decimal commas, and an identifier."""
    rng = np.random.default_rng(3)
    rows = 600
    mood = rng.integers(1, 6, rows)
    table = {f"Q1_{k}": np.clip(mood + rng.integers(-1, 2, rows), 1, 5) for k in range(1, 5)}
    missing = {name: rng.random(rows) < 0.02 for name in table}
    kilos = np.round(60 + 3 * mood + rng.normal(0, 9, rows), 1)
    age = rng.integers(18, 80, rows)
    aged = rng.random(rows) < 0.02
    written = pd.DataFrame({"id": 1000 + np.arange(rows)})
    true = pd.DataFrame(index=range(rows))
    for name, answers in table.items():
        written[name] = np.where(missing[name], 9, answers)
        true[name] = pd.Series(answers, dtype="Int64").mask(missing[name])
    written["kilos"] = [str(each).replace(".", ",") for each in kilos]
    written["age"] = np.where(aged, 99, age)
    true["kilos"] = kilos
    true["age"] = pd.Series(age, dtype="Int64").mask(aged)
    written.to_csv(path, sep=";", index=False)
    # The same answers with empty cells, decimal points and no identifier.
    clean = path.with_name("clean.csv")
    true.to_csv(clean, index=False)
    read = read_columns(clean)[0]
    steps = suggest(health(read))
    assert [step.kind for step in steps.steps] == ["ordered", "missing", "bins"]
    return prepare(read, steps).data


@pytest.mark.parametrize("write", [write_titanic, write_export], ids=["frequencies", "codes"])
def test_from_a_survey_to_verdicts(
    page: Page, tmp_path: Path, write: Callable[[Path], bjp.Dataset]
) -> None:
    path = tmp_path / "survey.csv"
    data = write(path)
    open_page(page, "data")
    page.goto("/data?from=file")
    page.locator('[data-testid="stFileUploader"] input').set_input_files(path)
    # The report speaks of rows before the dataset is there.
    expect(page.get_by_test_id("stSidebar")).to_contain_text(
        f"{data.rows:,} rows · {data.n} variables"
    )
    expect(page.get_by_text("What each column is")).to_be_visible()
    follow(page, "network")
    counted = bjp.edge_probabilities(data).verdicts()["verdict"].value_counts()
    pairs = data.n * (data.n - 1) // 2
    expect(page.get_by_text(f"{counted['present']} of {pairs} pairs are present")).to_be_visible()
