"""What was known of pairs, in the files: programs learn with it again, and the report lists it."""

from __future__ import annotations

import json
import runpy
import shlex
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine import cli
from bjp_engine.io import read_graph, read_known
from bjp_engine.scores import KnownEdges
from bjp_explorer.downloads.formats import formats_of
from bjp_explorer.downloads.report import report_html
from bjp_explorer.downloads.report_script import learn_line
from bjp_explorer.downloads.script import script
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Loaded
from tests.app.downloads.results import edges, learned, made

KNOWN = KnownEdges(
    required=[("smoking", "family_history")],
    forbidden=[("mental_work", "physical_work")],
    likely={("smoking", "systolic_pressure"): 0.1},
    apart=[(["physical_work", "systolic_pressure"], ["family_history"])],
)


@pytest.fixture(scope="module")
def coronary() -> Loaded:
    return sources.load("coronary")


def test_a_script_comes_to_the_same_graph_and_numbers(
    coronary: Loaded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data, known = coronary.data, {"known": KNOWN}
    for search in ("auto", "ibmap-hc"):
        result = learned(coronary, search, known=KNOWN)
        for kind, sure in {
            "calibrated": bjp.edge_probabilities(data, **known),
            "exact": bjp.confidence.posterior_edges(data, **known),
            "bootstrap": bjp.confidence.bootstrap(data, "bjp", search, resamples=5, **known),
            "test": bjp.confidence.test_confidence(data, result.graph),
        }.items():
            path = tmp_path / "repeat.py"
            path.write_bytes(script(replace(result, confidence=sure)))
            found = runpy.run_path(str(path), run_name="__main__")
            assert found["KNOWN"] == KNOWN
            assert edges(found["graph"]) == edges(result.graph), (search, kind)
            np.testing.assert_array_equal(found["confidence"].matrix, sure.matrix, str(kind))


def test_names_are_literals() -> None:
    hostile = ('"""\nimport os', "=cmd()", "a\u202eb", "'''")
    rng = np.random.default_rng(0)
    data = bjp.Dataset.from_codes(rng.integers(0, 2, (60, 4)), names=hostile)
    known = KnownEdges([hostile[:2]], apart=[(hostile[1:], hostile[1:])])
    code = script(learned(Loaded("file:a", "a.csv", "", data), "auto", known=known)).decode("ascii")
    found: dict[str, Any] = {"bjp": bjp}
    begin = code.index("KNOWN = ")
    exec(code[begin : code.index("\n)\n", begin) + 3], found)
    assert found["KNOWN"] == known


def test_line_json_and_report_hold_it(
    coronary: Loaded,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = learned(coronary, "auto", known=KNOWN)
    line = learn_line(result)
    assert line is not None
    source = bjp.resources.sample_data("datasets", "coronary.csv")
    (tmp_path / "coronary.csv").write_bytes(source.read_bytes())
    (tmp_path / "known.csv").write_bytes(made(result, "known.csv"))
    monkeypatch.chdir(tmp_path)
    assert cli.main(shlex.split(line)[1:]) == 0
    assert "1 required pair, 3 forbidden, 1 with a probability" in capsys.readouterr().out
    assert edges(read_graph(tmp_path / "graph.json")) == edges(result.graph)
    assert set(read_known(tmp_path / "known.csv").rows()) == set(KNOWN.rows())

    kept = json.loads(made(result, "json"))["known"]
    assert kept["required"] == [["smoking", "family_history"]]
    assert kept["likely"] == [["smoking", "systolic_pressure", 0.1]]
    report = report_html(result, date(2026, 1, 1)).decode()
    for part in (
        "learned by auto with 1 required, 3 forbidden pairs and 1 pair with a prior probability",
        "What was known of pairs",
        "--known known.csv",
        "KNOWN = bjp.scores.KnownEdges(",
    ):
        assert part in report


def test_files_warn_of_known_pairs_that_the_data_contradict(coronary: Loaded) -> None:
    known = KnownEdges(forbidden=[("mental_work", "physical_work")])
    result = learned(coronary, "auto", known=known)
    (warning,) = result.warnings
    assert "mental_work – physical_work is no edge" in warning
    assert json.loads(made(result, "json"))["warnings"] == [warning]
    for text in (report_html(result), script(result)):
        assert b"contradict what was given as known" in text
    # Where nothing was known, no file changes.
    result = learned(coronary, "auto")
    assert "known.csv" not in {one.extension for one in formats_of(result)}
    assert "KNOWN" not in script(result).decode()
    assert " learned by auto ·" in result.about
