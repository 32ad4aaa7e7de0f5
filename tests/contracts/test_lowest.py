"""The lowest versions that `pyproject.toml` allows, in an environment of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).with_name("uv")
# What meets each dependency: files, frames, solvers, compiled code, figures, pages.
TRIED = [
    "tests/engine/io",
    "tests/engine/parameters",
    "tests/engine/sampling",
    "tests/engine/scores",
    "tests/engine/test_arrow.py",
    "tests/engine/test_dataset.py",
    "tests/engine/test_estimator.py",
    "tests/app/downloads/test_exports.py",
    "tests/app/downloads/test_exports_figures.py",
    "tests/app/scores",
    "tests/app/step",
]


@pytest.mark.slow
def test_the_lowest_versions_work(tmp_path: Path) -> None:
    """Packages come from the index, so this needs a network, as `make test` does at first."""
    folder = tmp_path / "lowest"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    run([UV, "venv", "--python", sys.executable, folder])
    install = [UV, "pip", "install", "--python", python]
    extras = [word for extra in ("app", "cluster", "pgmpy") for word in ("--extra", extra)]
    tools = ["pytest>=9", "hypothesis>=6.140", "mpmath>=1.3", "packaging>=25"]
    lowest = ["--resolution", "lowest-direct", "--requirements", "pyproject.toml", *extras]
    run([*install, *lowest, *tools])
    run([*install, "--no-deps", "--editable", ROOT])
    cache = str(tmp_path / "compiled")
    options = ["-q", "-p", "no:cacheprovider", "-m", "not slow"]
    # An old package calls new ones by names that they have deprecated since.
    options += ["-W", "ignore::DeprecationWarning"]
    run([python, "-m", "pytest", *options, *TRIED], NUMBA_CACHE_DIR=cache)


def run(command: list[str | Path], **environment: str) -> None:
    """Run it in this checkout; what it printed is the reason where it fails."""
    made = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        check=False,
        capture_output=True,
        text=True,
    )
    assert not made.returncode, f"{command}\n{made.stdout[-8000:]}\n{made.stderr[-4000:]}"
