"""Compiling everything: once, in two processes, and nothing afterwards."""

import importlib
import subprocess
import sys
import threading
from pathlib import Path

from bjp_engine.kernels import compiled

# The package's attribute of that name is the function.
module = importlib.import_module("bjp_engine.warmup")


def test_each_half_is_compiled_elsewhere_or_here_and_once(monkeypatch, tmp_path):
    # What is compiled for real must not be taken for an old version.
    monkeypatch.setattr(compiled, "_homes", lambda: [tmp_path])
    lines, here = [], []

    def say(sentence):
        lines.append(sentence)
        # What other processes say is passed on by a thread.
        here.extend([sentence] * (threading.current_thread() is threading.main_thread()))

    for name, program, cores, kept in (
        ("two processes", sys.executable, 2, True),
        ("a half that fails", "/bin/false", 2, True),
        ("one core", sys.executable, 1, True),
        ("nowhere to keep it", sys.executable, 2, False),
    ):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.setattr(compiled, "FOLDER", folder if kept else None)
        monkeypatch.setattr(sys, "executable", program)
        monkeypatch.setattr(module.os, "cpu_count", lambda cores=cores: cores)
        lines.clear()
        here.clear()
        assert not compiled.is_complete(), name
        module.warmup(say)
        assert lines[0].startswith("Compiling the kernels"), name
        assert {"Compiling BJP and IB-score", "Compiling MPL"} <= {*lines}, name
        assert (len(here) == 1) == (name == "two processes")
        assert compiled.is_complete() == kept, name
    monkeypatch.setattr(compiled, "FOLDER", tmp_path / "one core")
    lines.clear()
    module.warmup(lines.append)
    assert lines == ["The kernels are compiled"]
    # Anew on another processor or path.
    for name, other in (("get_host_cpu_name", lambda: "another"), ("_HERE", Path("/moved"))):
        with monkeypatch.context() as moved:
            moved.setattr(compiled, name, other)
            assert not compiled.is_complete(), name
    assert compiled.is_complete()


CALLS = """
import numba.core.event as event, numpy as np, networkx as nx
compiled = []
class Listener(event.Listener):
    def on_start(self, happening): compiled.append(happening.data["dispatcher"].__name__)
    def on_end(self, happening): pass
import bjp_engine as bjp
import bjp_engine.warmup
lines = []
bjp.warmup.warmup(lines.append)
assert lines, lines
bjp.warmup.warmup(lines.append)
assert lines[-1] == "The kernels are compiled", lines
event.register("numba:compile", Listener())
rng = np.random.default_rng(0)
for states in (2, 4, 300):
    codes = rng.integers(0, states, (600, 6))
    codes[:, 3:] = np.where(rng.random((600, 3)) < 0.6, codes[:, :3], codes[:, 3:])
    data = bjp.Dataset.from_codes(codes, [states] * 6)
    for method in ("bjp", "ib", "mpl"):
        bjp.learn(data, method)
        bjp.learn(data, method, "exhaustive")
        bjp.score(data, nx.cycle_graph(6), method).terms
    bjp.independence_test(data, 0, 3, [1, 2], gamma=0.5)
    assert len([*bjp.search.learn_all([data, data], n_jobs=2)]) == 2
bjp.sampling.random_model(nx.cycle_graph(5)).sample(50, 1, "gibbs")
print(compiled)
"""


def test_then_nothing_is_compiled_any_more():
    """Whatever Python calls, on whatever data, is kept: nobody's first click waits."""
    run = subprocess.run([sys.executable, "-c", CALLS], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "[]"
