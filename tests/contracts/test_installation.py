"""The wheel in environments that hold nothing but what it asks for, with extras and without."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from benchmarks import sizes
from bjp_engine.resources import sample_data

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```\n\n```\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
EVERY = """
import importlib, pkgutil, bjp_engine
for one in pkgutil.walk_packages(bjp_engine.__path__, "bjp_engine."):
    if not one.name.endswith("__main__") and "._app" not in one.name:
        importlib.import_module(one.name)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    return found


class Environment:
    """A virtual environment with the wheel and the packages that it asks for, as links."""

    def __init__(self, folder: Path, wheel: Path, extras: tuple[str, ...]) -> None:
        venv.create(folder, symlinks=os.name != "nt")
        (self._python,) = (*folder.glob("bin/python"), *folder.glob("Scripts/python.exe"))
        site = Path(self.run("-c", "import site; print(site.getsitepackages()[0])").stdout.strip())
        with zipfile.ZipFile(wheel) as file:
            file.extractall(site)
        for package in sizes.needed(extras).values():
            for name in {one.parts[0] for one in package.files or ()} - {"..", "__pycache__"}:
                if not (site / name).exists():
                    (site / name).symlink_to(Path(str(package.locate_file(name))))

    def command(self, *arguments: str) -> list[str]:
        """A command line of this environment's Python."""
        return [str(self._python), "-I", "-W", "error", *arguments]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """What a command prints."""
        return subprocess.run(
            self.command(*arguments), check=False, capture_output=True, text=True, cwd="/"
        )


@pytest.mark.slow
def test_the_engine_and_its_command_need_no_extra(wheel: Path, tmp_path: Path) -> None:
    alone = Environment(tmp_path / "alone", wheel, ())
    assert alone.run("-c", "import streamlit").returncode
    ran = alone.run("-c", EVERY)
    assert not ran.returncode, ran.stderr
    ran = alone.run("-c", "".join(code for code, _ in EXAMPLES))
    assert ran.stdout == "".join(shown for _, shown in EXAMPLES), ran.stderr
    ran = alone.run("-m", "bjp_engine", "learn", str(sample_data("datasets", "coronary.csv")))
    assert "coronary.csv: 1841 rows, 6 variables" in ran.stdout, ran.stderr
    ran = alone.run("-m", "bjp_engine", "app", "--no-browser")
    assert ran.returncode == 2
    assert "pip install 'bjp-explorer[app]'" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.slow
def test_the_app_opens_with_its_extra(wheel: Path, tmp_path: Path) -> None:
    made = Environment(tmp_path / "app", wheel, ("app",))
    command = made.command("-m", "bjp_engine", "app", "--no-browser")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd="/") as server:
        try:
            assert server.stdout is not None
            said = next((line for line in server.stdout if "is open at" in line), None)
        finally:
            server.terminate()
    assert said


def test_the_wheel_asks_for_what_is_declared() -> None:
    core, app = sizes.needed(), sizes.needed(["app"])
    assert {"numba", "numpy", "pandas", "networkx"} <= core.keys() < app.keys()
    assert app.keys() >= {"streamlit", "plotly", "pyvis", "matplotlib", "pillow"}
    assert not core.keys() & {"streamlit", "plotly", "pyvis", "matplotlib", "pytest"}
