"""The wheel in environments that hold nothing but what it asks for, and the lowest versions."""

import os
import re
import subprocess
import sys
import time
import venv
import zipfile
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

import pytest

from benchmarks import sizes
from bjp_engine.resources import sample_data
from tests import lowest
from tests.contracts.recipes import ROOT

EVERY = """
import importlib, pkgutil, bjp_engine
for one in pkgutil.walk_packages(bjp_engine.__path__, "bjp_engine."):
    if not one.name.endswith("__main__") and "._app" not in one.name:
        importlib.import_module(one.name)
"""


def examples():
    """The code of the README, and what it prints."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.findall(
        r"^```python\n(.*?)^```\n\n```\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL
    )
    return "".join(code for code, _ in found), "".join(shown for _, shown in found)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    return found


class Environment:
    """A virtual environment with the wheel and the packages that it asks for, as links."""

    def __init__(self, folder, wheel, extras):
        venv.create(folder, symlinks=os.name != "nt")
        (self._python,) = (*folder.glob("bin/python"), *folder.glob("Scripts/python.exe"))
        site = Path(self.run("-c", "import site; print(site.getsitepackages()[0])").stdout.strip())
        with zipfile.ZipFile(wheel) as file:
            file.extractall(site)
        for package in sizes.needed(extras).values():
            for name in {one.parts[0] for one in package.files or ()} - {"..", "__pycache__"}:
                if not (site / name).exists():
                    (site / name).symlink_to(Path(str(package.locate_file(name))))

    def command(self, *arguments):
        """A command line of this environment's Python."""
        return [str(self._python), "-I", "-W", "error", *arguments]

    def run(self, *arguments):
        """What a command prints."""
        return subprocess.run(
            self.command(*arguments), check=False, capture_output=True, text=True, cwd="/"
        )


@pytest.mark.slow
def test_the_engine_and_its_command_need_no_extra(wheel, tmp_path):
    alone = Environment(tmp_path / "alone", wheel, ())
    assert alone.run("-c", "import streamlit").returncode
    ran = alone.run("-c", EVERY)
    assert not ran.returncode, ran.stderr
    code, shown = examples()
    ran = alone.run("-c", code)
    assert ran.stdout == shown, ran.stderr
    ran = alone.run("-m", "bjp_engine", "learn", str(sample_data("datasets", "coronary.csv")))
    assert "coronary.csv: 1,841 rows, 6 variables" in ran.stdout, ran.stderr
    ran = alone.run("-m", "bjp_engine", "app", "--no-browser")
    assert ran.returncode == 2
    assert "pip install 'bjp-explorer[app]'" in ran.stderr
    assert "Traceback" not in ran.stderr


def answers(url):
    """Whether a server is healthy within two minutes."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        with suppress(OSError), urlopen(url, timeout=5) as answer:
            return answer.status == 200
        time.sleep(0.1)
    return False


@pytest.mark.slow
def test_the_app_opens_with_its_extra(wheel, tmp_path):
    made = Environment(tmp_path / "app", wheel, ("app",))
    command = made.command("-m", "bjp_engine", "app", "--no-browser")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd="/") as server:
        try:
            assert server.stdout is not None
            said = next((line for line in server.stdout if "starts at" in line), "")
            (url,) = re.findall(r"http://\S+", said)
            assert answers(f"{url}/_stcore/health")
        finally:
            server.terminate()


@pytest.mark.slow
def test_the_lowest_versions_learn_read_and_draw(tmp_path):
    """Two minutes of what `python -m tests.lowest` does once a release."""
    python = lowest.make_environment(tmp_path / "lowest")
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "lowest" / "compiled")}
    code, shown = examples()
    command = [python, "-W", "ignore::DeprecationWarning", "-c", EVERY + code]
    ran = subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=ROOT, env=environment
    )
    assert ran.stdout == shown, ran.stderr
    tried = ("engine/io/test_io_labelled.py", "app/downloads/test_exports_figures.py")
    ran = lowest.run_tests(python, *(f"tests/{name}" for name in tried), capture_output=True)
    assert not ran.returncode, ran.stdout[-8000:] + ran.stderr[-4000:]
