"""Script and notebook: run in a process of their own, they come to the same rows and score."""

from __future__ import annotations

import ast
import io
import json
import runpy
import shlex
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from nbclient import NotebookClient

import bjp_engine as bjp
from bjp_engine import cli
from bjp_engine.io import ReadOptions, read_frame, read_graph
from bjp_engine.preparation import BinNumbers, MissingCells, RenameVariables, prepare
from bjp_explorer.downloads.report import report_html
from bjp_explorer.downloads.report_script import learn_line
from bjp_explorer.downloads.result import Result
from bjp_explorer.downloads.script import notebook, script
from bjp_explorer.downloads.script_data import data_pieces, file_name
from bjp_explorer.downloads.script_steps import pieces
from bjp_explorer.jobs import tasks
from bjp_explorer.jobs.job import Job
from bjp_explorer.shell import sources, subsets
from bjp_explorer.shell.caches import Cells
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views import layout

HOSTILE = ("'''", '"""\nimport os', "a\u202eb", "\\", "=cmd|' /C calc'!A0", "$\\href{}$", "{x}")


def learned(loaded: Loaded, search: str | None = None, **options: Any) -> Result:
    trace = bjp.learn(loaded.data, "bjp", search, **options)
    points = layout.positions(loaded.data.names, [trace.graph])
    return Result(loaded, trace.graph, trace, points, options=options)


def scored(loaded: Loaded, graph: nx.Graph, cells: Cells = "equal") -> Result:
    trace = bjp.score(loaded.data, graph, "ib", prior_cells=cells)
    points = layout.positions(loaded.data.names, [graph])
    return Result(loaded, graph, trace, points, scored_with=cells)


def run(result: Result, folder: Path, *arguments: str) -> str:
    """What a script prints, run here: as a program it is run once, below."""
    path = folder / "repeat.py"
    path.write_bytes(script(result))
    return printed(path, *arguments)


def printed(path: Path, *arguments: str) -> str:
    """What a program prints, run in its own folder."""
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(said):
        patch.setattr(sys, "argv", [str(path), *arguments])
        patch.chdir(path.parent)
        runpy.run_path(str(path), run_name="__main__")
    return said.getvalue()


def edges(graph: nx.Graph) -> set[frozenset[object]]:
    return {frozenset(edge) for edge in graph.edges}


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Loaded]:
    """A messy file, read and prepared as the Data page does it."""
    random = np.random.default_rng(2)
    town = random.integers(0, 3, 240)
    lines = [
        f"{18 + (7 * k + 20 * t) % 60},5;{'' if k % 11 == 0 else 'ABC'[t]};{'yes' if t else 'no'}"
        for k, t in enumerate(town)
    ]
    path = tmp_path_factory.mktemp("survey") / "survey.csv"
    path.write_text("# made\nage;to'wn;$v$\n" + "\n".join(lines) + "\n", encoding="latin-1")
    frame, report = read_frame(path, comment="#")
    steps = [
        MissingCells("state"),
        BinNumbers(("age",), bins=3),
        RenameVariables((("$v$", HOSTILE[1]),)),
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


@pytest.mark.parametrize("name", list(sources.samples()))
def test_every_sample_comes_back(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = sources.load(name)
    found: dict[str, Any] = {"bjp": bjp}
    for _, code in data_pieces(loaded):
        exec(code, found)
    assert found["data"].digest == loaded.data.digest


def test_a_sample_that_was_prepared_comes_back() -> None:
    made = prepare(sources.sample_frame("senate109"), [MissingCells("most_frequent")])
    loaded = Loaded("senate109", "Senate", "", made.data, preparation=made.preparation)
    found: dict[str, Any] = {"bjp": bjp}
    for _, code in data_pieces(loaded):
        exec(code, found)
    assert found["data"].digest == made.data.digest


class TestScript:
    @pytest.mark.parametrize(
        "token",
        [
            "coronary",
            "supreme_court:drop",
            "net:target-4:log-odds:500:3",
            "coronary~0.2.4",
        ],
    )
    def test_samples_and_networks(self, token: str, tmp_path: Path) -> None:
        base, _, part = token.partition("~")
        loaded = sources.load(base)
        loaded = subsets.part(loaded, part) if part else loaded
        result = learned(loaded)
        found = run(result, tmp_path)
        assert loaded.data.digest in found
        assert f"ln score + prior {result.objective!r}" in found
        again = read_graph(tmp_path / "edges.csv")
        assert edges(again) == edges(nx.relabel_nodes(result.graph, str))

    @pytest.mark.slow
    def test_a_file_with_its_preparation_in_a_process_of_its_own(
        self, survey: tuple[Path, Loaded], tmp_path: Path
    ) -> None:
        source, loaded = survey
        result = learned(loaded, "auto")
        path = tmp_path / "repeat.py"
        path.write_bytes(script(result))
        command = [sys.executable, path, source]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ended.stderr == ""
        assert ended.returncode == 0
        assert loaded.data.digest in ended.stdout
        assert edges(read_graph(tmp_path / "edges.csv")) == edges(result.graph)
        # Nothing is advised that a step then does.
        advice = "group a measurement into a few bins"
        assert advice in "\n".join(read_frame(source, comment="#")[1].notes)
        assert "cut into" in ended.stdout
        assert advice not in ended.stdout

    def test_another_file_is_refused(self, survey: tuple[Path, Loaded], tmp_path: Path) -> None:
        path, loaded = survey
        other = tmp_path / "other.csv"
        other.write_text(path.read_text().replace("yes", "no", 1))
        with pytest.raises(AssertionError, match="These are not the rows of the report"):
            run(learned(loaded), tmp_path, str(other))
        assert not (tmp_path / "edges.csv").exists()

    def test_another_score_is_refused(self, tmp_path: Path) -> None:
        result = learned(sources.load("coronary"))
        code = script(result).decode().replace(f"SCORE = {result.objective!r}", "SCORE = -2.37")
        path = tmp_path / "repeat.py"
        path.write_text(code)
        with pytest.raises(AssertionError, match="The score differs"):
            printed(path)

    def test_options_hidden_edges_and_confidence(self, tmp_path: Path) -> None:
        loaded = sources.load("coronary")
        whole = learned(loaded, "tabu", tenure=3, expected_degree=1.5)
        sure = bjp.confidence.bootstrap(loaded.data, "bjp", resamples=20, seed=4)
        shown = nx.Graph(whole.graph)
        shown.remove_edge(*next(iter(whole.graph.edges)))
        result = replace(whole, graph=shown, confidence=sure)
        run(result, tmp_path)
        table = pd.read_csv(tmp_path / "edges.csv").dropna()
        assert {frozenset(pair) for pair in zip(table.source, table.target, strict=True)} == edges(
            shown
        )
        for _, row in table.iterrows():
            assert row["probability"] == sure.of(row["source"], row["target"]).confidence

    @pytest.mark.parametrize("kind", ["exact", "test", "calibrated"])
    def test_other_confidences(self, kind: str, tmp_path: Path) -> None:
        result = learned(sources.load("coronary"))
        data = result.data
        sure = {
            "exact": lambda: bjp.confidence.posterior_edges(data, how="exact", expected_degree=2.0),
            "test": lambda: bjp.confidence.test_confidence(data, result.graph),
            "calibrated": lambda: bjp.edge_probabilities(data),
        }[kind]()
        run(replace(result, confidence=sure), tmp_path)
        table = pd.read_csv(tmp_path / "edges.csv").dropna()
        for _, row in table.iterrows():
            assert row["probability"] == sure.of(row["source"], row["target"]).confidence

    @pytest.mark.parametrize("search", ["auto", "ibmap-hc"])
    def test_what_chance_finds(self, search: str, tmp_path: Path) -> None:
        result = learned(sources.load("coronary"), search)
        found = tasks.shuffled(Job("", tasks.shuffled), result.data, search, 3)
        result = replace(result, shuffled=found)
        assert f"shuffled: {sum(found.edges) / 3} edges, " in run(result, tmp_path)
        assert "With every column shuffled" in report_html(result).decode()
        rng = np.random.default_rng(9)
        few = bjp.Dataset.from_codes(rng.integers(0, 20, (60, 4)))
        few_found = tasks.shuffled(Job("", tasks.shuffled), few, search, 2)
        (piece,) = [
            one.code
            for one in pieces(
                replace(learned(Loaded("coronary", "", "", few), search), shuffled=few_found)
            )
            if "shuffle_columns" in one.code
        ]
        exec(piece, {"bjp": bjp, "data": few})
        other = replace(found, edges=(99, *found.edges[1:]))
        with pytest.raises(AssertionError):
            run(replace(result, shuffled=other), tmp_path)

    def test_chains_that_a_clock_ended(self, tmp_path: Path) -> None:
        result = learned(sources.load("coronary"))
        sure = bjp.confidence.posterior_edges(
            result.data, how="mcmc", seed=3, seconds=0.5, draws=10**7
        )
        assert str(sure.ended).startswith("the time")
        run(replace(result, confidence=sure), tmp_path)
        code = (tmp_path / "repeat.py").read_text()
        assert f"how='mcmc', seed=3, seconds={max(1, round(sure.seconds))})" in code
        words = " ".join(code.replace("#", "").split())
        assert "The draws were stopped by a time limit" in words
        table = pd.read_csv(tmp_path / "edges.csv")
        assert set(table.probability_kind.dropna()) == {"mcmc"}

    @pytest.mark.parametrize("cells", ["equal", "centred"])
    def test_a_graph_that_was_drawn(self, cells: Cells, tmp_path: Path) -> None:
        loaded = sources.load("coronary")
        graph = nx.Graph([("smoking", "family_history")])
        graph.add_nodes_from(loaded.data.names)
        result = scored(loaded, graph, cells)
        found = run(result, tmp_path)
        assert f"ln score {result.total!r}" in found
        code = script(result).decode()
        assert (
            ("(centred cells)" in code) == ("prior_cells='centred'" in code) == (cells != "equal")
        )
        assert edges(read_graph(tmp_path / "edges.csv")) == edges(graph)

    def test_a_learned_graph_scored_by_another_test(self, tmp_path: Path) -> None:
        loaded = sources.load("coronary")
        found = learned(loaded, "ibmap-hc")
        trace = bjp.score(loaded.data, found.graph, prior_cells="centred")
        result = replace(found, trace=trace, search=found.learned, scored_with="centred")
        assert trace.total != found.total
        run(result, tmp_path)
        sure = result.tests()
        run(replace(result, confidence=sure), tmp_path)
        table = pd.read_csv(tmp_path / "edges.csv")
        edge = table.iloc[0]
        i, j = (loaded.data.index(edge[end]) for end in table.columns[:2])
        assert edge.probability == pytest.approx(sure.matrix[i, j])

    def test_a_search_with_centred_cells(self, tmp_path: Path) -> None:
        loaded = sources.load("coronary")
        result = learned(loaded, "tabu", prior_cells="centred")
        assert "(centred cells)" in result.about
        assert "prior_cells='centred'" in script(result).decode()
        assert f"ln score {result.objective!r}" in run(result, tmp_path)
        line = learn_line(result)
        assert line is not None
        assert "--prior-cells centred" in line
        timed = learned(loaded, "annealing", seconds=1e-6, prior_cells="centred")
        assert f"ln score {timed.objective!r}" in run(timed, tmp_path)

    def test_a_search_that_a_clock_ended_is_scored(self, tmp_path: Path) -> None:
        loaded = sources.load("coronary")
        trace = bjp.learn(loaded.data, "bjp", "annealing", seconds=1e-6)
        assert trace.stop_reason is bjp.search.StopReason.TIME
        points = layout.positions(loaded.data.names, [trace.graph])
        result = Result(loaded, trace.graph, trace, points, options={"seconds": 1e-6})
        assert "ln score" in run(result, tmp_path)

    def test_what_comes_from_a_file_is_a_literal(self) -> None:
        codes = np.random.default_rng(0).integers(0, 2, (30, len(HOSTILE)))
        data = bjp.Dataset.from_codes(codes, [2] * len(HOSTILE), HOSTILE)
        titles = ["x\nimport os  #", "'); import os; ('", "\u2028import os", "`a`<script>"]
        usual = _statements(script(scored(Loaded("file:a", "x.csv", "", data), nx.Graph())))
        for title in titles:
            loaded = Loaded("file:a", title, "", data, reading=ReadOptions(sheet=title))
            code = script(scored(loaded, nx.Graph()))
            assert code.isascii()
            assert _statements(code) == usual
            names = ast.literal_eval(_value(code, "COLUMNS"))
            assert tuple(names) == HOSTILE

    def test_a_file_keeps_its_name_without_folders(self) -> None:
        data = sources.load("coronary").data
        for title, wanted in [
            ("../../etc/passwd", "passwd"),
            ("C:\\x\\y.csv", "y.csv"),
            ("..", "data.csv"),
            ("a.csv", "a.csv"),
        ]:
            assert file_name(Loaded("file:a", title, "", data)) == wanted


class TestNotebook:
    @pytest.mark.slow
    def test_it_runs_and_compares(self, survey: tuple[Path, Loaded], tmp_path: Path) -> None:
        path, loaded = survey
        result = learned(loaded)
        (tmp_path / file_name(loaded)).write_bytes(path.read_bytes())
        book = nbformat.reads(notebook(result).decode(), as_version=4)
        nbformat.validate(book)
        place = {"metadata": {"path": str(tmp_path)}}
        NotebookClient(book, timeout=240, resources=place, kernel_name="python3").execute()
        said = "".join(
            output.get("text", "") for cell in book.cells for output in cell.get("outputs", [])
        )
        assert loaded.data.digest in said
        assert f"ln score + prior {result.objective!r}" in said
        assert edges(read_graph(tmp_path / "edges.csv")) == edges(result.graph)

    def test_it_holds_the_same_code_as_the_script(self) -> None:
        result = learned(sources.load("coronary"))
        book = json.loads(notebook(result))
        code = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]
        assert code == [piece.code for piece in pieces(result)]
        text = script(result).decode()
        assert all(one in text for one in code)

    def test_a_hostile_title_is_no_markup(self) -> None:
        data = sources.load("coronary").data
        loaded = Loaded("file:a", "<script>alert(1)</script> [x](javascript:a)", "", data)
        head = "".join(json.loads(notebook(learned(loaded)))["cells"][0]["source"])
        assert "\\<script\\>" in head
        assert "\\[x\\]\\(javascript" in head


class TestCommand:
    def test_the_line_does_the_same(
        self, survey: tuple[Path, Loaded], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path, loaded = survey
        # Read as usual, a line can say it.
        plain = tmp_path / "survey.csv"
        read_frame(path)[0].to_csv(plain, index=False)
        assert loaded.preparation is not None
        frame = read_frame(plain)[0]
        made = prepare(frame, loaded.preparation)
        (tmp_path / "preparation.json").write_text(made.preparation.to_json())
        told = replace(loaded, data=made.data, preparation=made.preparation, reading=None)
        result = learned(told, "tabu", tenure=4)
        line = learn_line(result)
        assert line is not None
        words = shlex.split(line)[1:]
        places = {"survey.csv": str(plain), "preparation.json": str(tmp_path / "preparation.json")}
        words = [places.get(word, word) for word in words]
        words[-1] = str(tmp_path / "graph.json")
        assert cli.main(words) == 0
        assert f"score: {result.objective!r}" in capsys.readouterr().out

    def test_a_sample(self) -> None:
        line = learn_line(learned(sources.load("supreme_court:drop")))
        assert line == (
            "bjp learn supreme_court.csv --method bjp --search auto --missing drop "
            "--output graph.json"
        )

    def test_where_no_line_can_say_it(self, survey: tuple[Path, Loaded]) -> None:
        drawn = learned(sources.load("net:target-4:clique-log-weights:200:0"))
        part = learned(subsets.part(sources.load("coronary"), "0.2"))
        assert learn_line(drawn) is None
        assert learn_line(part) is None
        assert learn_line(scored(sources.load("coronary"), nx.Graph())) is None
        assert learn_line(learned(survey[1])) is None


def _statements(code: bytes) -> list[str]:
    """The kinds of a program's statements."""
    return [type(node).__name__ for node in ast.walk(ast.parse(code)) if isinstance(node, ast.stmt)]


def _value(code: bytes, name: str) -> ast.expr:
    """What a program sets a name to."""
    for node in ast.parse(code).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return node.value
    raise AssertionError(name)
