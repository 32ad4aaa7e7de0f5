"""What was known of pairs, in the files: programs learn with it again, and the report lists it."""

from __future__ import annotations

import json
import runpy
import shlex
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine import cli
from bjp_engine.io import read_graph, read_known
from bjp_engine.scores import KnownEdges
from bjp_explorer.downloads.formats import formats_of
from bjp_explorer.downloads.report import report_html
from bjp_explorer.downloads.report_script import learn_line
from bjp_explorer.downloads.result import Result
from bjp_explorer.downloads.script import script
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views import layout

KNOWN = KnownEdges(
    required=[("smoking", "family_history")],
    forbidden=[("mental_work", "physical_work")],
    likely={("smoking", "systolic_pressure"): 0.1},
    apart=[(["physical_work", "systolic_pressure"], ["family_history"])],
)


def learned(loaded: Loaded, known: KnownEdges, search: str = "auto", **more: Any) -> Result:
    trace = bjp.learn(loaded.data, "bjp", search, known=known)
    points = layout.positions(loaded.data.names, [trace.graph])
    return Result(loaded, trace.graph, trace, points, options={"known": known}, **more)


def edges(graph: nx.Graph[Any]) -> set[frozenset[object]]:
    return {frozenset(edge) for edge in graph.edges}


def files(result: Result) -> dict[str, bytes]:
    wanted = ("known.csv", "json")
    return {kind.extension: kind.make() for kind in formats_of(result) if kind.extension in wanted}


class TestScript:
    @pytest.mark.parametrize("search", ["auto", "ibmap-hc"])
    @pytest.mark.parametrize("kind", ["calibrated", "exact", "bootstrap", "test"])
    def test_it_comes_to_the_same_graph_and_numbers(
        self, search: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        loaded, known = sources.load("coronary"), {"known": KNOWN}
        graph = bjp.learn(loaded.data, "bjp", search, **known).graph
        sure = {
            "calibrated": lambda: bjp.edge_probabilities(loaded.data, **known),
            "exact": lambda: bjp.confidence.posterior_edges(loaded.data, **known),
            "bootstrap": lambda: bjp.confidence.bootstrap(
                loaded.data, "bjp", search, resamples=5, **known
            ),
            "test": lambda: bjp.confidence.test_confidence(loaded.data, graph),
        }[kind]()
        result = learned(loaded, KNOWN, search, confidence=sure)
        path = tmp_path / "repeat.py"
        path.write_bytes(script(result))
        monkeypatch.chdir(tmp_path)
        made = runpy.run_path(str(path), run_name="__main__")
        assert made["KNOWN"] == KNOWN
        assert edges(made["graph"]) == edges(result.graph) == edges(graph)
        np.testing.assert_array_equal(made["confidence"].matrix, sure.matrix)

    def test_names_are_literals(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        hostile = ('"""\nimport os', "=cmd()", "a\u202eb", "'''")
        rng = np.random.default_rng(0)
        data = bjp.Dataset.from_codes(rng.integers(0, 2, (60, 4)), names=hostile)
        known = KnownEdges([hostile[:2]], apart=[(hostile[1:], hostile[1:])])
        code = script(learned(Loaded("file:a", "a.csv", "", data), known)).decode("ascii")
        found: dict[str, Any] = {"bjp": bjp}
        begin = code.index("KNOWN = ")
        exec(code[begin : code.index("\n)\n", begin) + 3], found)
        assert found["KNOWN"] == known


def test_the_line_and_the_file_do_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    result = learned(sources.load("coronary"), KNOWN)
    line = learn_line(result)
    assert line is not None
    source = bjp.resources.sample_data("datasets", "coronary.csv")
    (tmp_path / "coronary.csv").write_bytes(Path(str(source)).read_bytes())
    (tmp_path / "known.csv").write_bytes(files(result)["known.csv"])
    monkeypatch.chdir(tmp_path)
    assert cli.main(shlex.split(line)[1:]) == 0
    assert "1 required pair, 3 forbidden, 1 with a probability" in capsys.readouterr().out
    assert edges(read_graph(tmp_path / "graph.json")) == edges(result.graph)
    assert set(read_known(tmp_path / "known.csv").rows()) == set(KNOWN.rows())


def test_json_and_report_list_it() -> None:
    from datetime import date

    result = learned(sources.load("coronary"), KNOWN)
    kept = json.loads(files(result)["json"])["known"]
    assert kept["required"] == [["smoking", "family_history"]]
    assert kept["likely"] == [["smoking", "systolic_pressure", 0.1]]
    report = report_html(result, date(2026, 1, 1)).decode()
    assert (
        "learned by auto with 1 required, 3 forbidden pairs and 1 pair with a prior probability"
        in report
    )
    assert "What was known of pairs" in report
    assert "--known known.csv" in report
    assert "KNOWN = bjp.scores.KnownEdges(" in report


def test_nothing_known_changes_no_file() -> None:
    loaded = sources.load("coronary")
    trace = bjp.learn(loaded.data, "bjp", "auto")
    points = layout.positions(loaded.data.names, [trace.graph])
    result = Result(loaded, trace.graph, trace, points)
    assert "known.csv" not in files(result)
    assert "KNOWN" not in script(result).decode()
    assert " learned by auto ·" in result.about


def test_files_warn_of_known_pairs_that_the_data_contradict() -> None:
    result = learned(
        sources.load("coronary"), KnownEdges(forbidden=[("mental_work", "physical_work")])
    )
    (warning,) = result.warnings
    assert "mental_work – physical_work is no edge" in warning
    assert json.loads(files(result)["json"])["warnings"] == [warning]
    for text in (report_html(result), script(result)):
        assert b"contradict what was given as known" in text
