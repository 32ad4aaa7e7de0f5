"""The folder of compiled code: a new one for every change of any kernel."""

import os
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import numba
import pytest

from bjp_engine.kernels import compiled

SOURCES = Path(compiled.__file__).parent


@pytest.fixture
def copy(tmp_path, monkeypatch):
    here = tmp_path / "kernels"
    shutil.copytree(SOURCES, here, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(compiled, "_HERE", here)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return here


def test_the_digest_is_that_of_the_sources_numba_and_python(copy, monkeypatch):
    assert compiled.FOLDER.name == f"kernels-{compiled._digest()}"
    seen = {compiled._digest()}
    changes = [partial(path.write_bytes, path.read_bytes() + b"\n") for path in copy.glob("*.py")]
    for change in (
        *changes,
        lambda: (copy / "zeta.py").write_text("x = 1\n"),
        (copy / "table.py").unlink,
        lambda: monkeypatch.setattr(numba, "__version__", "0.0"),
        lambda: monkeypatch.setattr(sys, "version", "2.7"),
    ):
        change()
        seen.add(compiled._digest())
    assert len(seen) == len(changes) + 5


def test_the_folder_is_beside_the_kernels_or_where_else_it_can_be(copy, tmp_path, monkeypatch):
    name, home = f"kernels-{compiled._digest()}", copy / "__pycache__"
    of_user = tmp_path / "cache" / "bjp-explorer"
    for place, in_the_way in ((home, home), (of_user, tmp_path / "cache")):
        assert compiled._folder() == place / name
        assert (place / name).is_dir()
        shutil.rmtree(in_the_way)
        in_the_way.write_text("in the way")
    assert compiled._folder() is None
    with monkeypatch.context() as here:
        here.setenv("NUMBA_CACHE_DIR", str(tmp_path / "chosen"))
        assert compiled._folder().parent == tmp_path / "chosen" / "bjp-explorer"

    # A user without a home.
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", Mock(side_effect=RuntimeError))
    assert compiled._homes() == [home]


def test_only_what_was_compiled_from_other_sources_is_forgotten(copy, tmp_path, monkeypatch):
    kept = compiled._folder()
    monkeypatch.setattr(compiled, "FOLDER", kept)
    homes = [copy / "__pycache__", tmp_path / "cache" / "bjp-explorer"]
    old = [home / f"kernels-{'0' * 16}" / "a.nbi" for home in homes]
    others = [kept / "a.nbi", homes[0] / "cells.cpython-311.pyc", homes[1] / "elsewhere" / "a"]
    for path in (*old, *others):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    compiled.forget_old()
    assert not any(path.parent.exists() for path in old)
    assert all(path.exists() for path in others)


def test_one_rule_for_all_compiled_code():
    """Nothing else decorates: what numba would keep by itself it keeps beside one module."""
    for package in ("bjp_engine", "bjp_explorer"):
        for path in (SOURCES.parents[1] / package).rglob("*.py"):
            own = path == SOURCES / "compiled.py"
            assert own == bool(re.search(r"\bn?jit\(|import n?jit", path.read_text())), path


@pytest.mark.slow
def test_where_nothing_can_be_kept_kernels_compile_in_memory(tmp_path):
    """A read-only installation and a user without a home: one sentence, and all works."""
    package = tmp_path / "bjp_engine"
    shutil.copytree(SOURCES.parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in {path.parent for path in package.rglob("*.py")}:
        (folder / "__pycache__").write_text("in the way")
    (tmp_path / "file").write_text("no folder")
    program = (
        "import bjp_engine as bjp, networkx as nx\n"
        "print(bjp.sampling.random_model(nx.path_graph(2)).sample(3, burn_in=0).rows)"
    )
    dropped = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=kept | {"PYTHONPATH": str(tmp_path), "HOME": str(tmp_path / "file" / "nobody")},
    )
    assert done.stdout.strip() == "3", done.stderr
    assert done.stderr.count("set NUMBA_CACHE_DIR to a folder that can be written") == 1


@pytest.mark.slow
def test_a_changed_kernel_is_compiled_anew(copy, tmp_path):
    """Even where only a kernel of another module changes, which numba alone would not see."""
    package = tmp_path / "bjp_engine"
    kernels = shutil.copytree(copy, package / "kernels")
    for folder in (package, kernels):
        (folder / "__init__.py").write_text("")
    kernel = "from bjp_engine.kernels.compiled import kernel\n@kernel\ndef {}():\n    return {}\n"
    use = "from bjp_engine.kernels.other import value\n"
    (kernels / "one.py").write_text(use + kernel.format("double", "2 * value()"))

    def doubled(value):
        (kernels / "other.py").write_text(kernel.format("value", value))
        program = "from bjp_engine.kernels.one import double; print(double())"
        run = [sys.executable, "-c", program]
        path = {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.check_output(run, text=True, cwd=tmp_path, env=os.environ | path).strip()

    assert doubled(1) == "2"
    assert len(list((kernels / "__pycache__").glob("kernels-*/*/*.nbc"))) == 2
    assert doubled(21) == "42"
