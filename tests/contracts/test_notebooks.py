"""The notebooks run as they are, and their stored outputs are those of the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


def printed(notebook: Any) -> list[str]:
    """What its cells print."""
    outputs = [one for cell in notebook.cells for one in cell.get("outputs", [])]
    return [one["text"] for one in outputs if one["output_type"] == "stream"]


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs_and_prints_what_is_stored(name: str) -> None:
    path = FOLDER / f"{name}.ipynb"
    stored = nbformat.read(path, 4)
    fresh = nbformat.read(path, 4)
    nbclient.NotebookClient(fresh, timeout=300, resources={"metadata": {"path": "."}}).execute()
    assert printed(stored)
    assert printed(fresh) == printed(stored)


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_small_and_names_no_place(name: str) -> None:
    text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    assert len(text) < 300_000
    assert "/tmp/" not in text
    assert "Traceback" not in text
