"""Script and command: they come to the same rows, score and numbers, or stop."""

import ast
import io
import itertools
import json
import runpy
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from datetime import date

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine.io import ReadOptions, read_frame, read_graph
from bjp_engine.preparation import BinNumbers, MissingCells, RecodeStates, prepare
from bjp_engine.scores import KnownEdges
from bjp_explorer.downloads.report import report_html
from bjp_explorer.downloads.script import file_name, script
from bjp_explorer.jobs import tasks
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Loaded
from tests.app.downloads.results import edges, learned, made, scored

HOSTILE = ("'''", '"""\nimport os', "a\u202eb", "\\", "=cmd|' /C calc'!A0", "$\\href{}$", "{x}")

KNOWN = KnownEdges(
    required=[("smoking", "family_history")],
    forbidden=[
        ("mental_work", "physical_work"),
        ("physical_work", "family_history"),
        ("systolic_pressure", "family_history"),
    ],
    likely={("smoking", "systolic_pressure"): 0.1},
)


def run(result, folder, *arguments, change=("#", "#")):
    """What a script prints, run here in its folder: as a program it is run once, below."""
    path = folder / "repeat.py"
    path.write_text(script(result).decode().replace(*change))
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(said):
        patch.setattr(sys, "argv", [str(path), *arguments])
        patch.chdir(folder)
        runpy.run_path(str(path), run_name="__main__")
    return said.getvalue()


@pytest.fixture(scope="module")
def coronary():
    return sources.load("coronary")


@pytest.fixture(scope="module")
def result(coronary):
    return learned(coronary)


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """A messy file, read and prepared as the Data page does it."""
    random = np.random.default_rng(2)
    town = random.integers(0, 3, 240)
    lines = [
        f"{18 + (7 * k + 20 * t) % 60},5;{'' if k % 11 == 0 else 'ABC'[t]};{'yes' if t else 'no'}"
        for k, t in enumerate(town)
    ]
    path = tmp_path_factory.mktemp("survey") / "survey.csv"
    path.write_text("# made\nage;to'wn;$v$\n" + "\n".join(lines) + "\n", encoding="latin-1")
    frame, report = read_frame(path)
    steps = [
        MissingCells("state"),
        BinNumbers(("age",), bins=3),
        RecodeStates(("$v$",), (("yes", HOSTILE[1]),)),
    ]
    made = prepare(frame, steps)
    return path, Loaded(
        "file:0123456789ab",
        "../../survey.csv",
        "A file.",
        made.data,
        preparation=made.preparation,
        reading=report.chosen,
    )


def test_every_sample_comes_back(tmp_path):
    made = prepare(sources.sample_frame("senate109"), [MissingCells("state")])
    senate = Loaded("senate109", "Senate", "", made.data, preparation=made.preparation)
    for loaded in (*map(sources.load, sources.samples()), senate):
        said = run(scored(loaded, nx.empty_graph(loaded.data.names)), tmp_path)
        assert loaded.data.digest in said, loaded.title


class TestScript:
    def test_samples_and_networks(self, tmp_path):
        for token in ("supreme_court:drop", "net:target-4:log-odds:500:3", "coronary~0.2.4"):
            base, _, part = token.partition("~")
            loaded = sources.load(base)
            result = learned(sources.part(loaded, part) if part else loaded)
            found = run(result, tmp_path)
            assert result.data.digest in found, token
            assert f"ln score + prior {result.objective!r}" in found, token
            assert edges(read_graph(tmp_path / "edges.csv")) == edges(result.graph), token

    def test_a_file_with_its_preparation(self, survey, tmp_path):
        source, loaded = survey
        result = learned(loaded, "auto")
        said = run(result, tmp_path, str(source))
        assert loaded.data.digest in said
        assert edges(read_graph(tmp_path / "edges.csv")) == edges(result.graph)
        # What the reader noticed is printed, and what the steps did.
        noticed = read_frame(source)[1].notes
        # Lines above the table are left out by the script's own option.
        assert all((note in said) != note.startswith("Comments above") for note in noticed)
        assert len(noticed) > 2
        assert "cut into" in said

    def test_another_file_or_score_is_refused(self, survey, result, tmp_path):
        path, loaded = survey
        other = tmp_path / "other.csv"
        other.write_text(path.read_text().replace("yes", "no", 1))
        with pytest.raises(AssertionError, match="These are not the rows of the report"):
            run(learned(loaded), tmp_path, str(other))
        with pytest.raises(AssertionError, match="The score differs"):
            run(result, tmp_path, change=(f"SCORE = {result.objective!r}", "SCORE = -2.37"))
        assert not (tmp_path / "edges.csv").exists()

    def test_options_and_probabilities(self, coronary, tmp_path):
        sure = bjp.edge_probabilities(coronary.data)
        result = replace(learned(coronary, "tabu", tenure=3, expected_degree=1.5), confidence=sure)
        run(result, tmp_path)
        table = pd.read_csv(tmp_path / "edges.csv").dropna(subset=["source", "target"])
        pairs = {frozenset(pair) for pair in zip(table.source, table.target, strict=True)}
        assert pairs == edges(result.graph)
        for _, row in table.iterrows():
            # Versions of pandas read the last digit differently.
            wanted = sure.of(row["source"], row["target"]).confidence
            assert row["probability"] == pytest.approx(wanted, rel=1e-12)
        with pytest.raises(AssertionError, match="The probabilities differ"):
            run(result, tmp_path, change=("SUM = ", "SUM = 1 + "))

    def test_what_chance_finds(self, coronary, tmp_path):
        rng = np.random.default_rng(9)
        few = bjp.Dataset.from_codes(rng.integers(0, 20, (60, 4)))
        for search in ("auto", "ibmap-hc"):
            result = learned(coronary, search)
            found = tasks.shuffle(result.data, search, 3, progress=bjp.Progress())
            result = replace(result, shuffled=found)
            assert f"shuffled: {sum(found.edges) / 3} edges, " in run(result, tmp_path)
            assert "tables with every column shuffled" in report_html(result).decode()
            other = replace(found, edges=(99, *found.edges[1:]))
            with pytest.raises(AssertionError):
                run(replace(result, shuffled=other), tmp_path)
            # Of sparse data, where a shuffled column may lack a state.
            found = tasks.shuffle(few, search, 2, progress=bjp.Progress())
            sparse = replace(learned(Loaded("coronary", "", "", few), search), shuffled=found)
            code = script(sparse).decode()
            begin = code.index("tables = [")
            exec(code[begin : code.index("\n\n", begin)], {"bjp": bjp, "data": few})

    def test_what_a_clock_ended_is_scored(self, coronary, tmp_path):
        timed = learned(coronary, "restarts", seconds=1e-6, prior_cells="centred")
        assert timed.learned.stop_reason is bjp.search.StopReason.TIME
        assert f"ln score {timed.objective!r}" in run(timed, tmp_path)

    def test_graphs_that_were_drawn_and_centred_cells(self, coronary, tmp_path):
        graph = nx.Graph([("smoking", "family_history")])
        graph.add_nodes_from(coronary.data.names)
        for cells in ("equal", "centred"):
            result = scored(coronary, graph, cells)
            assert f"ln score {result.total!r}" in run(result, tmp_path)
            code = script(result).decode()
            assert ("(centred cells)" in code) == (cells == "centred")
            assert ("prior_cells='centred'" in code) == (cells == "centred")
            assert edges(read_graph(tmp_path / "edges.csv")) == edges(graph)
        # A graph that was learned by one test and scored by another.
        found = learned(coronary, "ibmap-hc")
        trace = bjp.score(coronary.data, found.graph, prior_cells="centred")
        result = replace(found, trace=trace, search=found.learned, scored_with="centred")
        assert trace.total != found.total
        assert f"ln score {trace.total!r}" in run(result, tmp_path)

    def test_what_comes_from_a_file_is_a_literal(self):
        codes = np.random.default_rng(0).integers(0, 2, (30, len(HOSTILE)))
        data = bjp.Dataset.from_codes(codes, [2] * len(HOSTILE), HOSTILE)
        titles = ["x\nimport os  #", "'); import os; ('", "\u2028import os", "`a`<script>"]
        usual = _statements(script(scored(Loaded("file:a", "x.csv", "", data), nx.Graph())))
        for title in titles:
            loaded = Loaded("file:a", title, "", data, reading=ReadOptions(sheet=title))
            code = script(scored(loaded, nx.Graph()))
            assert code.isascii()
            assert _statements(code) == usual
            (names,) = (
                node.value
                for node in ast.parse(code).body
                if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "COLUMNS"
            )
            assert tuple(ast.literal_eval(names)) == HOSTILE
        known = KnownEdges([HOSTILE[:2]], itertools.combinations(HOSTILE[1:], 2))
        loaded = Loaded("file:a", "a.csv", "", data)
        code = script(learned(loaded, "auto", known=known)).decode("ascii")
        found, begin = {"bjp": bjp}, code.index("KNOWN = ")
        exec(code[begin : code.index("\n)\n", begin) + 3], found)
        assert found["KNOWN"] == known
        for title, wanted in (
            ("../../etc/passwd", "passwd"),
            ("C:\\x\\y.csv", "y.csv"),
            ("..", "data.csv"),
            ("a.csv", "a.csv"),
        ):
            assert file_name(Loaded("file:a", title, "", data)) == wanted


def test_with_known_pairs_it_comes_to_the_same_graph_and_numbers(coronary, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data, known = coronary.data, {"known": KNOWN}
    for search in ("auto", "ibmap-hc"):
        sure = bjp.edge_probabilities(data, **known)
        result = replace(learned(coronary, search, known=KNOWN), confidence=sure)
        path = tmp_path / "repeat.py"
        path.write_bytes(script(result))
        found = runpy.run_path(str(path), run_name="__main__")
        assert found["KNOWN"] == KNOWN
        assert edges(found["graph"]) == edges(result.graph), search
        np.testing.assert_array_equal(found["confidence"].matrix, sure.matrix)


def test_json_and_report_hold_what_was_known(coronary):
    result = learned(coronary, "auto", known=KNOWN)
    kept = json.loads(made(result, "json"))["known"]
    assert kept["required"] == [["smoking", "family_history"]]
    assert kept["likely"] == [["smoking", "systolic_pressure", 0.1]]
    report = report_html(result, date(2026, 1, 1)).decode()
    for part in (
        "learned by auto with 1 required, 3 forbidden pairs and 1 pair with a prior probability",
        "KNOWN = bjp.scores.KnownEdges(",
    ):
        assert part in report
    known = KnownEdges(forbidden=[("mental_work", "physical_work")])
    result = learned(coronary, "auto", known=known)
    (warning,) = result.warnings
    assert "mental_work – physical_work is no edge" in warning
    assert json.loads(made(result, "json"))["warnings"] == [warning]
    for text in (report_html(result), script(result)):
        assert b"contradict what was given as known" in text
    result = learned(coronary, "auto")
    assert "KNOWN" not in script(result).decode()
    assert " learned by auto ·" in result.about


def _statements(code):
    return [type(node).__name__ for node in ast.walk(ast.parse(code)) if isinstance(node, ast.stmt)]
