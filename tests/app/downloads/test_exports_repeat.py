"""Script, notebook and command: they come to the same rows, score and numbers, or stop."""

import ast
import io
import json
import runpy
import shlex
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from datetime import date

import nbformat
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from nbclient import NotebookClient

import bjp_engine as bjp
from bjp_engine import cli
from bjp_engine.io import ReadOptions, read_frame, read_graph, read_known
from bjp_engine.preparation import BinNumbers, MissingCells, RecodeStates, prepare
from bjp_engine.scores import KnownEdges
from bjp_explorer.downloads.formats import formats_of
from bjp_explorer.downloads.report import report_html
from bjp_explorer.downloads.report_script import learn_line
from bjp_explorer.downloads.script import notebook, script
from bjp_explorer.downloads.script_data import data_pieces, file_name
from bjp_explorer.downloads.script_steps import pieces
from bjp_explorer.jobs import tasks
from bjp_explorer.jobs.job import Job
from bjp_explorer.shell import sources, subsets
from bjp_explorer.shell.sources import Loaded
from tests.app.downloads.results import edges, learned, made, scored

HOSTILE = ("'''", '"""\nimport os', "a\u202eb", "\\", "=cmd|' /C calc'!A0", "$\\href{}$", "{x}")

KNOWN = KnownEdges(
    required=[("smoking", "family_history")],
    forbidden=[("mental_work", "physical_work")],
    likely={("smoking", "systolic_pressure"): 0.1},
    apart=[(["physical_work", "systolic_pressure"], ["family_history"])],
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


def test_every_sample_comes_back():
    made = prepare(sources.sample_frame("senate109"), [MissingCells("most_frequent")])
    senate = Loaded("senate109", "Senate", "", made.data, preparation=made.preparation)
    for loaded in (*map(sources.load, sources.samples()), senate):
        found = {"bjp": bjp}
        for _, code in data_pieces(loaded):
            exec(code, found)
        assert found["data"].digest == loaded.data.digest, loaded.title


class TestScript:
    def test_samples_and_networks(self, tmp_path):
        for token in ("supreme_court:drop", "net:target-4:log-odds:500:3", "coronary~0.2.4"):
            base, _, part = token.partition("~")
            loaded = sources.load(base)
            result = learned(subsets.part(loaded, part) if part else loaded)
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
        assert noticed
        assert all(note in said for note in noticed)
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

    def test_options_hidden_edges_and_every_confidence(self, coronary, tmp_path):
        data = coronary.data
        whole = learned(coronary, "tabu", tenure=3, expected_degree=1.5)
        shown = nx.Graph(whole.graph)
        shown.remove_edge(*next(iter(whole.graph.edges)))
        result = replace(whole, graph=shown)
        for sure in (
            bjp.confidence.bootstrap(data, "bjp", resamples=20, seed=4),
            bjp.confidence.posterior_edges(data, expected_degree=2.0),
            bjp.confidence.test_confidence(data, shown),
            bjp.edge_probabilities(data),
        ):
            run(replace(result, confidence=sure), tmp_path)
            table = pd.read_csv(tmp_path / "edges.csv").dropna()
            pairs = {frozenset(pair) for pair in zip(table.source, table.target, strict=True)}
            assert pairs == edges(shown)
            for _, row in table.iterrows():
                # Versions of pandas read the last digit differently.
                wanted = sure.of(row["source"], row["target"]).confidence
                assert row["probability"] == pytest.approx(wanted, rel=1e-12)

    def test_what_chance_finds(self, coronary, tmp_path):
        rng = np.random.default_rng(9)
        few = bjp.Dataset.from_codes(rng.integers(0, 20, (60, 4)))
        for search in ("auto", "ibmap-hc"):
            result = learned(coronary, search)
            found = tasks.shuffled(Job("", tasks.shuffled), result.data, search, 3)
            result = replace(result, shuffled=found)
            assert f"shuffled: {sum(found.edges) / 3} edges, " in run(result, tmp_path)
            assert "With every column shuffled" in report_html(result).decode()
            other = replace(found, edges=(99, *found.edges[1:]))
            with pytest.raises(AssertionError):
                run(replace(result, shuffled=other), tmp_path)
            # Of sparse data, where a shuffled column may lack a state.
            found = tasks.shuffled(Job("", tasks.shuffled), few, search, 2)
            sparse = replace(learned(Loaded("coronary", "", "", few), search), shuffled=found)
            (piece,) = [one.code for one in pieces(sparse) if "shuffle_columns" in one.code]
            exec(piece, {"bjp": bjp, "data": few})

    def test_what_a_clock_ended_is_scored(self, coronary, tmp_path):
        timed = learned(coronary, "restarts", seconds=1e-6, prior_cells="centred")
        assert timed.learned.stop_reason is bjp.search.StopReason.TIME
        assert f"ln score {timed.objective!r}" in run(timed, tmp_path)

    def test_what_was_stopped_with_edges_hidden(self, coronary, tmp_path):
        """The script of a search that can't be repeated has the hidden edges, which were fitted."""
        data, hidden = coronary.data, ("mental_work", "physical_work")
        stopped = bjp.learn(data, "bjp", "auto")
        for reason in (bjp.search.StopReason.CANCELLED, bjp.search.StopReason.TIME):
            trace = replace(stopped, stop_reason=reason)
            shown = nx.Graph(trace.graph)
            shown.remove_edge(*hidden)
            effects = bjp.fit_parameters(data, trace.graph, "auto").effects()
            whole = replace(learned(coronary), trace=trace)
            for sure in (whole.tests(), bjp.edge_probabilities(data), None):
                for graph in (shown, trace.graph):
                    result = replace(
                        whole, graph=graph, effects=effects, confidence=sure, threshold=0.6
                    )
                    assert not result.repeatable
                    said = run(result, tmp_path)
                    assert "mental_work" in said
                    table = pd.read_csv(tmp_path / "edges.csv").dropna(subset=["source", "target"])
                    pairs = {*map(frozenset, table[["source", "target"]].to_numpy())}
                    assert pairs == edges(graph)
                    if sure is not None:
                        for row in table.itertuples():
                            expected = sure.of(row.source, row.target).confidence
                            assert row.probability == pytest.approx(expected, rel=1e-12)
                    assert len(json.loads(notebook(result))["cells"]) > 5

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
        sure = result.tests()
        run(replace(result, confidence=sure), tmp_path)
        table = pd.read_csv(tmp_path / "edges.csv")
        edge = table.iloc[0]
        i, j = (coronary.data.index(edge[end]) for end in table.columns[:2])
        assert edge.probability == pytest.approx(sure.matrix[i, j])
        result = learned(coronary, "tabu", prior_cells="centred")
        assert "prior_cells='centred'" in script(result).decode()
        assert f"ln score {result.objective!r}" in run(result, tmp_path)
        assert "--prior-cells centred" in str(learn_line(result))

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
        known = KnownEdges([HOSTILE[:2]], apart=[(HOSTILE[1:], HOSTILE[1:])])
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


class TestNotebook:
    @pytest.mark.slow
    def test_it_runs_and_compares(self, survey, tmp_path):
        path, loaded = survey
        result = learned(loaded)
        (tmp_path / file_name(loaded)).write_bytes(path.read_bytes())
        book = nbformat.reads(notebook(result).decode(), as_version=4)
        nbformat.validate(book)
        place = {"metadata": {"path": str(tmp_path)}}
        NotebookClient(book, timeout=None, resources=place, kernel_name="python3").execute()
        said = "".join(
            output.get("text", "") for cell in book.cells for output in cell.get("outputs", [])
        )
        assert loaded.data.digest in said
        assert f"ln score + prior {result.objective!r}" in said
        assert edges(read_graph(tmp_path / "edges.csv")) == edges(result.graph)

    def test_it_holds_the_scripts_code_and_no_markup_of_others(self, result):
        book = json.loads(notebook(result))
        code = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]
        assert code == [piece.code for piece in pieces(result)]
        text = script(result).decode()
        assert all(one in text for one in code)
        title = "<script>alert(1)</script> [x](javascript:a)"
        hostile = replace(result, loaded=replace(result.loaded, token="file:a", title=title))
        head = "".join(json.loads(notebook(hostile))["cells"][0]["source"])
        assert "\\<script\\>" in head
        assert "\\[x\\]\\(javascript" in head


def test_a_line_does_the_same_where_one_can_say_it(survey, tmp_path, capsys):
    path, loaded = survey
    plain, steps = tmp_path / "survey.csv", tmp_path / "preparation.json"
    read_frame(path)[0].to_csv(plain, index=False)
    made = prepare(read_frame(plain)[0], loaded.preparation)
    steps.write_text(made.preparation.to_json())
    read = replace(loaded, data=made.data, preparation=made.preparation, reading=None)
    result = learned(read, "tabu", tenure=4)
    places = {path.name: str(path) for path in (plain, steps)}
    words = [places.get(word, word) for word in shlex.split(str(learn_line(result)))[1:]]
    words[-1] = str(tmp_path / "graph.json")
    assert cli.main(words) == 0
    assert f"score: {result.objective!r}" in capsys.readouterr().out

    assert learn_line(learned(sources.load("supreme_court:drop"))) == (
        "bjp learn supreme_court.csv --method bjp --search auto --missing drop --output graph.json"
    )
    coronary = sources.load("coronary")
    for other in (
        learned(sources.load("net:target-4:clique-log-weights:200:0")),
        learned(subsets.part(coronary, "0.2")),
        scored(coronary, nx.Graph()),
        learned(loaded),  # not read as usual
    ):
        assert learn_line(other) is None


def test_with_known_pairs_it_comes_to_the_same_graph_and_numbers(coronary, tmp_path, monkeypatch):
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


def test_line_json_and_report_hold_what_was_known(coronary, tmp_path, monkeypatch, capsys):
    result = learned(coronary, "auto", known=KNOWN)
    line = learn_line(result)
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
        "--known known.csv",
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
    assert "known.csv" not in {one.extension for one in formats_of(result)}
    assert "KNOWN" not in script(result).decode()
    assert " learned by auto ·" in result.about


def _statements(code):
    return [type(node).__name__ for node in ast.walk(ast.parse(code)) if isinstance(node, ast.stmt)]
