"""Compiling everything: once, in two processes, and here where they fail."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from bjp_engine.kernels import compiled

# The package's attribute of that name is the function.
module = importlib.import_module("bjp_engine.warmup")


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What is compiled, for an installation on which nothing is yet; nothing really is."""
    lines = list[str]()
    monkeypatch.setattr(compiled, "FOLDER", tmp_path)
    # What is compiled for real must not be taken for an old version.
    monkeypatch.setattr(compiled, "_homes", lambda: [tmp_path])
    monkeypatch.setattr(module, "HALVES", dict.fromkeys(module.HALVES, lambda say: say("here")))
    monkeypatch.setattr(module.os, "cpu_count", lambda: 2)
    return lines


def elsewhere(works: dict[str, bool]):  # type: ignore[no-untyped-def]
    """Processes that say their half, and succeed or not."""

    def run(half: str, say: module.Report) -> bool:  # type: ignore[name-defined]
        say(half)
        return works[half]

    return run


def test_two_processes_compile_and_this_one_loads(
    said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_elsewhere", elsewhere({"tests": True, "others": True}))
    module.warmup(said.append)
    assert said[0].startswith("Compiling the kernels")
    assert sorted(said[1:]) == ["others", "tests"]
    assert compiled.is_complete()


@pytest.mark.parametrize("failing", ["tests", "others"])
def test_what_a_process_leaves_undone_is_compiled_here(
    said: list[str], monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    works = {half: half != failing for half in module.HALVES}
    monkeypatch.setattr(module, "_elsewhere", elsewhere(works))
    module.warmup(said.append)
    assert said[-2:] == ["here", "here"]
    assert compiled.is_complete()


def test_one_core_compiles_here(said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.os, "cpu_count", lambda: 1)
    module.warmup(said.append)
    assert said[1:] == ["here", "here"]


def test_once(said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_elsewhere", elsewhere({"tests": True, "others": True}))
    module.warmup()
    module.warmup(said.append)
    assert said == ["The kernels are compiled"]


@pytest.mark.parametrize(
    ("name", "other"), [("get_host_cpu_name", lambda: "another"), ("_HERE", Path("/moved/kernels"))]
)
def test_anew_on_another_processor_or_path(
    said: list[str], monkeypatch: pytest.MonkeyPatch, name: str, other: object
) -> None:
    monkeypatch.setattr(module, "_elsewhere", elsewhere({"tests": True, "others": True}))
    module.warmup()
    monkeypatch.setattr(compiled, name, other)
    assert not compiled.is_complete()
    module.warmup(said.append)
    assert said[0].startswith("Compiling the kernels")


def test_where_nothing_can_be_kept(said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "FOLDER", None)
    module.warmup(said.append)
    assert said[1:] == ["here", "here"]
    assert not compiled.is_complete()


def test_a_process_that_cannot_compile_says_so() -> None:
    lines = list[str]()
    assert not module._elsewhere("no such half", lines.append)
    assert lines == []


CALLS = """
import numba.core.event as event, numpy as np, networkx as nx
compiled = []
class Listener(event.Listener):
    def on_start(self, happening): compiled.append(happening.data["dispatcher"].__name__)
    def on_end(self, happening): pass
import bjp_engine as bjp
import bjp_engine.warmup
bjp.warmup.warmup()
event.register("numba:compile", Listener())
rng = np.random.default_rng(0)
for states in (2, 4, 300):
    codes = rng.integers(0, states, (600, 6))
    codes[:, 3:] = np.where(rng.random((600, 3)) < 0.6, codes[:, :3], codes[:, 3:])
    data = bjp.Dataset.from_codes(codes, [states] * 6)
    for method in ("bjp", "ib", "mpl"):
        bjp.learn(data, method)
        bjp.learn(data, method, "exhaustive")
        if method != "bjp":
            bjp.learn(data, method, "exact")
        bjp.score(data, nx.cycle_graph(6), method).terms
    bjp.independence_test(data, 0, 3, [1, 2], gamma=0.5)
    bjp.search.learn_all([data, data], n_jobs=2)
bjp.sampling.random_model(nx.cycle_graph(5)).sample(50, seed=1)
graph = nx.gnp_random_graph(12, 0.3, seed=2)
hard = bjp.sampling.random_model(graph, "log-odds", seed=0).sample(100, seed=0)
assert bjp.learn(hard, "ib", "exact").evaluations > 10
print(compiled)
"""


@pytest.mark.slow
def test_then_nothing_is_compiled_any_more() -> None:
    """Whatever Python calls, on whatever data, is kept: nobody's first click waits."""
    told = subprocess.run(
        [sys.executable, "-c", CALLS], capture_output=True, text=True, check=True, timeout=300
    )
    assert told.stdout.strip() == "[]"
