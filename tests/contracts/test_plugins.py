"""A package that registers a score and a search, as CONTRIBUTING.md shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
CORONARY = ROOT / "sample_data/datasets/coronary.csv"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The document's package, as an installer would lay it out."""
    code = "\n".join(re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL))
    code = re.sub(r"^print\(.*\n", "", code, flags=re.MULTILINE)
    (tmp_path / "my_package.py").write_text(code)
    points = tomllib.loads("".join(re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)))
    groups = points["project"]["entry-points"]
    groups["bjp_engine.scores"] |= {
        "absent": "my_package:Absent",
        "other": "my_package:EarlierEnd",
        "bjp": "my_package:Bic",
    }
    lines = []
    for group, names in groups.items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in names.items())]
    folder = tmp_path / "my_package-1.dist-info"
    folder.mkdir()
    (folder / "entry_points.txt").write_text("\n".join(lines))
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1\n")
    return tmp_path


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command, where the package is installed."""
    path = os.pathsep.join([str(folder), str(ROOT)])
    return subprocess.run(
        [sys.executable, "-m", "bjp_engine", *words],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_its_names_are_taken(installed: Path) -> None:
    found = run(installed, "learn", str(CORONARY), "--method", "bic", "--search", "round-by-round")
    assert not found.returncode, found.stderr
    assert "bic by round-by-round" in found.stdout
    assert "ln BIC" in found.stdout


def test_a_built_in_goes_first(installed: Path) -> None:
    found = run(installed, "learn", str(CORONARY), "--method", "bjp", "--search", "ibmap-hc")
    assert "(ln BJP)" in found.stdout


def test_its_options_are_numbers_and_its_search_is_listed(installed: Path) -> None:
    learn = ("learn", str(CORONARY), "--method", "bic", "--search", "round-by-round")
    usual, heavy = run(installed, *learn), run(installed, *learn, "--option", "weight=50")
    assert not heavy.returncode, heavy.stderr
    assert heavy.stdout != usual.stdout
    # Help is wrapped, also behind hyphens.
    said = "".join(run(installed, "learn", "--help").stdout.split())
    assert "ofotherpackages:round-by-round" in said
    assert "{bjp,ib,mpl,near,absent,bic,other}" in said


def test_its_score_has_no_view(installed: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.html"
    found = run(installed, "share", str(CORONARY), "--method", "bic", "--out", str(out))
    assert found.returncode == 2
    assert "--method bic is of another package and has no view; use one of bjp, " in found.stderr
    assert not out.exists()


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("absent", "'absent' can't be loaded from 'my_package:Absent' (AttributeError: "),
        ("other", "'my_package:EarlierEnd' is registered as 'other', but its name is "),
    ],
)
def test_what_is_registered_wrongly_is_one_sentence(
    installed: Path, name: str, sentence: str
) -> None:
    found = run(installed, "learn", str(CORONARY), "--method", name)
    assert found.returncode == 2
    assert sentence in found.stderr
    assert "Traceback" not in found.stderr


def test_unknown_names_are_told_with_all_that_there_are(installed: Path) -> None:
    code = "import bjp_engine as bjp\nbjp.learn([[0, 1], [1, 0]], 'bicc')"
    path = os.pathsep.join([str(installed), str(ROOT)])
    found = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "'near', 'absent', 'bic', 'bjp', 'other'" in found.stderr
