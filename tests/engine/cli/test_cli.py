"""The `bjp` command, called in-process on small files, and how the app is started."""

import importlib
import json
import re
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine import cli
from bjp_engine.cli import launch
from bjp_engine.cli.learn import GRAPH_FORMATS
from bjp_engine.kernels import compiled
from bjp_engine.scores import SCORES
from bjp_engine.search import PUBLISHED, searches_for

METHODS = ("bjp", "ib", "mpl", "near")


@pytest.fixture
def table(tmp_path: Path) -> str:
    """A file with dependent and independent columns."""
    path = tmp_path / "weather.csv"
    rows = [f"{a},{a if k % 5 else 'dry'},{k % 3}" for k, a in enumerate(["wet", "dry"] * 40)]
    path.write_text("\n".join(["rain,street,dice", *rows]) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def gaps(tmp_path: Path) -> str:
    """A file with one missing cell."""
    path = tmp_path / "gaps.csv"
    path.write_text("a,b\n1,0\n0,\n1,1\n", encoding="utf-8")
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """The output of a command that succeeds."""
    assert cli.main(argv) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def complaint(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """The sentence of a command that fails."""
    assert cli.main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("bjp: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


class TestLearn:
    @pytest.mark.parametrize(("method", "suffix"), list(zip(METHODS, GRAPH_FORMATS, strict=True)))
    def test_writes_a_graph_that_scores_as_the_engine_says(
        self,
        method: str,
        suffix: str,
        table: str,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        search = PUBLISHED[method]
        trace = bjp.learn(bjp.read_table(table), method, search)
        output = str(tmp_path / f"graph{suffix}")
        learned = ("learn", table, "--method", method, "--search", search)
        said = run(capsys, *learned, "--output", output)
        assert "80 rows, 3 variables" in said
        assert f"score: {trace.score!r}" in said
        assert output in said
        scored = run(capsys, "score", table, "--graph", output, "--method", method)
        assert float(scored) == trace.score

    def test_json_holds_the_whole_trace(
        self, table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        output = tmp_path / "trace.json"
        run(capsys, "learn", table, "--output", str(output))
        trace = bjp.learn(bjp.read_table(table))
        assert len(json.loads(output.read_text(encoding="utf-8"))["steps"]) == len(trace.steps)

    def test_without_output_the_edges_are_printed(
        self, table: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert "rain - street\n" in run(capsys, "learn", table)

    def test_options_reach_the_engine(
        self, table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        start = tmp_path / "start.csv"
        bjp.io.write_graph(nx.Graph([("rain", "dice")]), start)
        said = run(
            capsys, "learn", table, "--search", "ibmap-hc", "--start", str(start),
            *("--prior", "0.3", "--gamma", "2", "--slices", "observed"),
            *("--prior-cells", "centred"),
        )  # fmt: skip
        trace = bjp.learn(
            bjp.read_table(table),
            search="ibmap-hc",
            start=bjp.io.read_graph(start),
            prior=0.3,
            gamma=2.0,
            slices="observed",
            prior_cells="centred",
        )
        assert f"score: {trace.score!r} (ln BJP)\n" in said

    @pytest.mark.parametrize("method", METHODS)
    def test_every_search(
        self, method: str, table: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        data = bjp.read_table(table)
        for search in searches_for(method):
            trace = bjp.learn(data, method, search)
            said = run(capsys, "learn", table, "--method", method, "--search", search)
            assert f"{method} by {search}: {trace.graph.number_of_edges()} edge" in said
            assert f" made, {trace.evaluations:,} tried\n" in said
            prior = " + prior" if search == "auto" else ""
            title = SCORES[method].title
            assert f"\nscore: {trace.score!r} (ln {title}{prior})\n" in said
            # Only a search that chooses a prior has one of its own.
            assert ("prior: every graph is equally probable" in said) == (search != "auto")

    @pytest.mark.parametrize(
        ("argv", "search", "options"),
        [
            (["--option", "tenure=3", "--option", "patience=7"], "tabu",
             {"tenure": 3, "patience": 7}),
            (["--seed", "3", "--option", "strength=2"], "restarts", {"seed": 3, "strength": 2}),
            (["--option", "hot=2.5", "--option", "seed=9"], "annealing", {"hot": 2.5, "seed": 9}),
            (["--option", "start=mpl-or"], "steepest", {"start": "mpl-or"}),
            (["--evaluations", "1"], "hill-climb", {"evaluations": 1}),
            (["--seconds", "60"], "hill-climb", {"seconds": 60.0}),
            (["--expected-degree", "0.5"], "ibmap-hc", {"expected_degree": 0.5}),
            (["--edge-probability", "0.1"], "auto", {"edge_probability": 0.1}),
            (["--edge-probability", "data"], "tabu", {"edge_probability": "data"}),
        ],
    )  # fmt: skip
    def test_options_of_a_search(
        self,
        argv: list[str],
        search: str,
        options: dict[str, Any],
        table: str,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        trace = bjp.learn(bjp.read_table(table), "bjp", search, **options)
        said = run(capsys, "learn", table, "--search", search, *argv)
        assert f" made, {trace.evaluations:,} tried\n" in said
        assert f"\nscore: {trace.score!r} (" in said
        assert f" starting graph, and stopped because {trace.stop_reason}\n" in said

    def test_the_prior_is_told(self, table: str, capsys: pytest.CaptureFixture[str]) -> None:
        # Three variables, half a neighbour each: a quarter of the pairs; ln(1/3) for one edge.
        said = run(capsys, "learn", table, "--search", "ibmap-hc", "--expected-degree", "0.5")
        assert "prior: each edge has probability 0.25; the prior adds -1.0986\n" in said
        assert "rain - street\n" in said

    def test_a_walk_that_goes_on_after_its_best_graph(
        self, table: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        trace = bjp.learn(bjp.read_table(table), search="tabu")
        assert trace.best_at == 1
        said = run(capsys, "learn", table, "--search", "tabu")
        assert "tabu: 1 edge in " in said
        assert f"flips: 1 led to this graph, {len(trace.steps)} made, " in said

    def test_how_far_the_graph_is_from_its_start(
        self, table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        start = tmp_path / "start.csv"
        found = bjp.learn(bjp.read_table(table), search="ibmap-hc").graph
        bjp.io.write_graph(found, start)
        given = ("learn", table, "--search", "ibmap-hc", "--start")
        assert "search: it changed none of the pairs of its starting graph, and " in run(
            capsys, *given, str(start)
        )
        assert [*found.edges] == [("rain", "street")]
        assert "search: it changed 1 pair of its starting graph, and " in run(
            capsys, *given, "empty"
        )
        exact = run(capsys, "learn", table, "--method", "mpl", "--search", "exact")
        assert "search: it is proven that no graph scores higher\n" in exact

    @pytest.mark.parametrize(("missing", "rows"), [("drop", 2), ("state", 3)])
    def test_missing_cells(
        self, missing: str, rows: int, gaps: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert f"{rows} rows" in run(capsys, "learn", gaps, "--missing", missing)


class TestKnown:
    KNOWN = "x,y,known\nrain,dice,required\nrain,street,forbidden\nstreet,dice,0.2\n"

    @pytest.fixture
    def known(self, tmp_path: Path) -> str:
        path = tmp_path / "known.csv"
        path.write_text(self.KNOWN, encoding="utf-8")
        return str(path)

    @pytest.mark.parametrize("method", METHODS)
    def test_learns_with_it(
        self,
        method: str,
        table: str,
        known: str,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        said = run(capsys, "learn", table, "--method", method, "--known", known)
        trace = bjp.learn(
            bjp.read_table(table),
            method,
            known={
                ("rain", "dice"): "required",
                ("rain", "street"): "forbidden",
                ("street", "dice"): 0.2,
            },
        )
        assert "known: 1 required pair, 1 forbidden, 1 with a probability" in said
        assert f"score: {trace.score!r}" in said
        assert "rain - dice" in said
        assert "rain - street" not in said
        output = tmp_path / "trace.json"
        run(capsys, "learn", table, "--method", method, "--known", known, "--output", str(output))
        kept = json.loads(output.read_text(encoding="utf-8"))["known"]
        assert (kept["required"], kept["forbidden"]) == ([["rain", "dice"]], [["rain", "street"]])
        assert kept["likely"] == [["street", "dice", 0.2]]

    @pytest.mark.parametrize("kind", ["calibrated", "bootstrap", "exact", "mcmc"])
    def test_confidence(
        self, kind: str, table: str, known: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        extra = ("--confidence", kind, "--resamples", "5")
        said = run(capsys, "learn", table, "--known", known, *extra)
        assert "rain - dice\t1.0000" in said

    def test_tests_are_those_of_the_graph(
        self, table: str, known: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        said = run(capsys, "learn", table, "--known", known, "--confidence", "test")
        assert "posterior of each test" in said

    def test_a_line_that_cannot_be_used(
        self, table: str, known: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        Path(known).write_text(f"{self.KNOWN}rain,zz,required\n", encoding="utf-8")
        said = complaint(capsys, "learn", table, "--known", known)
        assert "Line 5 of 'known.csv': There is no variable 'zz'" in said


class TestScore:
    @pytest.fixture
    def graph(self, tmp_path: Path) -> str:
        """Two edges as a file."""
        path = tmp_path / "graph.graphml"
        bjp.io.write_graph(nx.path_graph(["rain", "street", "dice"]), path)
        return str(path)

    def test_all_methods(self, table: str, graph: str, capsys: pytest.CaptureFixture[str]) -> None:
        said = run(capsys, "score", table, "--graph", graph, "--method", "all", "--ess", "3")
        data, edges = bjp.read_table(table), bjp.io.read_graph(graph)
        expected = {m: bjp.score(data, edges, m).total for m in ("bjp", "ib")}
        expected["mpl"] = bjp.score(data, edges, "mpl", ess=3.0).total
        expected["near"] = bjp.score(data, edges, "near").total
        assert said == "".join(f"{method}\t{total!r}\n" for method, total in expected.items())

    def test_prior_over_structures(
        self, table: str, graph: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        data, edges = bjp.read_table(table), bjp.io.read_graph(graph)
        for name, value in (("expected_degree", 0.5), ("edge_probability", 0.2)):
            option = "--" + name.replace("_", "-")
            for method in METHODS:
                said = run(
                    capsys, "score", table, "--graph", graph, "--method", method, option, str(value)
                )
                assert float(said) == bjp.score(data, edges, method, **{name: value}).total
            said = run(capsys, "score", table, "--graph", graph, "--method", "all", option, "0.3")
            expected = [bjp.score(data, edges, m, **{name: 0.3}).total for m in METHODS]
            assert [float(line.split("\t")[1]) for line in said.splitlines()] == expected

    def test_a_prior_that_is_yet_to_be_estimated(
        self, table: str, graph: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        argv = ("score", table, "--graph", graph, "--edge-probability", "data")
        assert "learn" in complaint(capsys, *argv)

    @pytest.mark.parametrize("method", METHODS)
    def test_terms_are_those_of_the_trace(
        self, method: str, table: str, graph: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        said = run(capsys, "score", table, "--graph", graph, "--method", method, "--terms")
        total, *lines = said.splitlines()
        trace = bjp.score(bjp.read_table(table), bjp.io.read_graph(graph), method)
        values, origins, _ = zip(*(line.split("\t") for line in lines), strict=True)
        assert float(total) == trace.total
        assert [float(value) for value in values] == [term.value for term in trace.terms]
        assert origins.count("computed") == len(trace.computed)
        assert origins.count("inferred") == len(trace.inferred)


class TestErrors:
    def test_a_file_that_is_not_there(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "absent.csv" in complaint(capsys, "learn", "absent.csv")

    def test_a_folder_in_place_of_a_file(
        self, tmp_path: Path, table: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        complaint(capsys, "learn", str(tmp_path))
        complaint(capsys, "score", table, "--graph", str(tmp_path))

    @pytest.mark.parametrize(
        ("text", "flag", "value"),
        [
            ("Poll\na,b,c\n0,1,1\n1,1,0\n", "skip_lines=1", "skip_lines=1"),
            ("0,1,0\n1,1,0\n0,0,1\n", "header=False", "header=false"),
            ("a,b\n0,1\n1\n1,0\n", "malformed=skip", "malformed=skip"),
        ],
    )
    def test_a_file_is_read_as_the_sentence_says(
        self, text: str, flag: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "t.csv"
        path.write_text(text, encoding="utf-8")
        assert f"(--read {flag})" in complaint(capsys, "health", str(path))
        assert "rows" in run(capsys, "health", str(path), "--read", value)

    def test_how_a_file_is_read(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "t.csv"
        path.write_text("a!b\n0!1\n", encoding="utf-8")
        chosen = ("--read", "delimiter=!", "--read", "columns=b")
        assert "1 row, 1 column" in run(capsys, "health", str(path), *chosen)
        for wrong in ("delimiter", "delimeter=!", "skip_lines=-1", "limits=9"):
            assert "--read" in complaint(capsys, "health", str(path), "--read", wrong)

    def test_missing_cells_are_refused_by_default(
        self, gaps: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert "'b'" in complaint(capsys, "learn", gaps)

    @pytest.mark.parametrize(
        "options",
        [
            ("--gamma", "-1"),
            ("--prior", "1"),
            ("--prior", "nan"),
            ("--ess", "2"),
            ("--method", "mpl", "--prior", "0.4"),
            ("--search", "guesswork"),
            ("--search", "mpl-hc"),
            ("--start", "nowhere"),
            ("--start", "absent.gml"),
            ("--seed", "1"),
            ("--search", "restarts", "--seed", "-1"),
            ("--search", "tabu", "--option", "tenure"),
            ("--search", "tabu", "--option", "tenure=long"),
            ("--search", "tabu", "--option", "tenure=1.5"),
            ("--search", "tabu", "--option", "hot=1"),
            ("--search", "annealing", "--option", "hot=warm"),
            ("--search", "annealing", "--option", "hot=0.01"),
            ("--search", "guesswork", "--option", "tenure=1"),
            ("--seconds", "0"),
            ("--evaluations", "0"),
            ("--expected-degree", "0"),
            ("--edge-probability", "1"),
            ("--edge-probability", "often"),
            ("--edge-probability", "0.1", "--expected-degree", "2"),
        ],
    )
    def test_options_out_of_place(
        self, options: tuple[str, ...], table: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        complaint(capsys, "learn", table, *options)

    @pytest.mark.parametrize("output", ["graph.txt", "graph", "no such folder/graph.gml"])
    def test_an_output_that_cannot_be_written_is_refused_before_the_work(
        self,
        output: str,
        table: str,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(bjp, "learn", lambda *_, **__: pytest.fail("it has learned"))
        complaint(capsys, "learn", table, "--output", str(tmp_path / output))

    def test_a_graph_on_other_variables(
        self, table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "graph.csv"
        bjp.io.write_graph(nx.Graph([("rain", "snow")]), path)
        assert "snow" in complaint(capsys, "score", table, "--graph", str(path))

    @pytest.mark.parametrize("argv", [["dance"], ["score", "x.csv"], ["learn"]])
    def test_arguments_that_are_not_known(
        self, argv: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(SystemExit) as ending:
            cli.main(argv)
        assert ending.value.code == 2
        assert "usage: bjp" in capsys.readouterr().err

    def test_without_a_command_the_commands_are_listed(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert cli.main([]) == 2
        told = capsys.readouterr()
        assert not told.out
        assert all(name in told.err for name in cli.COMMANDS)

    def test_ctrl_c_is_quiet(
        self, table: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupt(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(bjp, "learn", interrupt)
        assert cli.main(["learn", table]) == 130
        assert capsys.readouterr() == ("", "")

    def test_names_cannot_steer_the_terminal(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "hostile.csv"
        path.write_text("\x1b[31mred,b\n" + "0,0\n1,1\n" * 20, encoding="utf-8")
        cli.main(["learn", str(path)])
        cli.main(["score", str(path), "--graph", str(tmp_path / "\x1b[2J.csv")])
        assert "\x1b" not in "".join(capsys.readouterr())


class TestOthers:
    def test_version(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as ending:
            cli.main(["--version"])
        assert ending.value.code == 0
        assert capsys.readouterr().out == f"bjp {bjp.__version__}\n"

    def test_networks(self, capsys: pytest.CaptureFixture[str]) -> None:
        lines = run(capsys, "networks").splitlines()
        assert [line.split("\t")[0] for line in lines] == list(bjp.networks.names())
        assert "karate\t34 nodes\t78 edges" in lines

    def test_kernels_are_compiled_before_a_search_is_timed(
        self, table: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        done: list[str] = []

        def compile_all(say: Callable[[str], None]) -> None:
            done.append("compiled")
            say("Compiling the kernels")

        def learn(*given: Any, **options: Any) -> Any:
            done.append("learned")
            return real(*given, **options)

        real = bjp.learn
        monkeypatch.setattr(bjp, "learn", learn)
        monkeypatch.setattr(importlib.import_module("bjp_engine.warmup"), "warmup", compile_all)
        for complete, wanted in ((True, ["learned"]), (False, ["compiled", "learned"])):
            done.clear()
            monkeypatch.setattr(compiled, "is_complete", lambda complete=complete: complete)
            assert cli.main(("learn", table)) == 0
            assert done == wanted
            assert capsys.readouterr().err == ("" if complete else "Compiling the kernels\n")

    def test_warmup_says_what_it_compiles(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(capsys, "warmup").startswith(("Compiling ", "The kernels are compiled"))


class TestApp:
    @pytest.fixture
    def taken(self) -> Iterator[int]:
        """A port at which somebody listens."""
        with socket.socket() as server:
            server.bind((launch.HOST, 0))
            server.listen()
            yield server.getsockname()[1]

    def test_a_taken_port_is_passed_over(self, taken: int) -> None:
        port = launch.free_port(taken)
        assert taken < port <= taken + launch.PORTS_TRIED

    def test_a_free_port_is_taken_as_it_is(self) -> None:
        with socket.socket() as server:
            server.bind((launch.HOST, 0))
            port = server.getsockname()[1]
        assert launch.free_port(port) == port

    @pytest.mark.parametrize("port", ["0", "-1", "65536", "99999999999"])
    def test_a_port_that_cannot_be(self, port: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert "65535" in complaint(capsys, "app", "--port", port)

    def test_the_app_is_found_from_anywhere(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        folder = launch.app_folder()
        assert (folder / "app.py").is_file()
        assert (folder / ".streamlit" / "config.toml").is_file()

    def test_it_listens_to_this_machine_only(self, tmp_path: Path) -> None:
        command = launch.command(tmp_path, 8600)
        assert command[:4] == [sys.executable, "-m", "streamlit", "run"]
        assert "--server.address=127.0.0.1" in command
        assert "--server.port=8600" in command
        assert "--browser.gatherUsageStats=false" in command

    def test_a_server_that_does_not_start_hands_on_its_code(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        program = [sys.executable, "-c", "raise SystemExit(7)"]
        monkeypatch.setattr(launch, "command", lambda *_: program)
        assert launch.serve(launch.FIRST_PORT, browser=False) == 7
        assert "is open" not in capsys.readouterr().out


class TestConfidence:
    @pytest.mark.parametrize(
        ("kind", "options", "said"),
        [
            ("calibrated", {}, "calibrated on known networks"),
            ("test", {}, "posterior of each test"),
            ("exact", {}, "posterior over all graphs"),
            ("bootstrap", {"--resamples": "20", "--seed": "4"}, "in 20 resamples"),
            ("mcmc", {"--seed": "4"}, "4 Markov chains of 2000 draws, which agree (R-hat 1.00"),
        ],
    )
    def test_the_edges_with_the_numbers_of_the_engine(
        self,
        kind: str,
        options: dict[str, str],
        said: str,
        table: str,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        data = bjp.read_table(table)
        graph = bjp.learn(data, prior=0.6).graph
        made = {
            "calibrated": lambda: bjp.edge_probabilities(data),
            "test": lambda: bjp.confidence.test_confidence(data, graph, prior=0.6),
            "bootstrap": lambda: bjp.confidence.bootstrap(data, resamples=20, seed=4, prior=0.6),
            "mcmc": lambda: bjp.confidence.posterior_edges(data, how="mcmc", seed=4, prior=0.6),
            "exact": lambda: bjp.confidence.posterior_edges(data, how="exact", prior=0.6),
        }[kind]()
        more = [part for pair in options.items() for part in pair]
        out = run(capsys, "learn", table, "--prior", "0.6", "--confidence", kind, *more)
        assert said in out
        assert graph.edges
        verdicts = {frozenset(row[:2]): f"\t{row[3]}" for row in made.verdicts().values}
        for x, y in graph.edges:
            verdict = verdicts[frozenset((x, y))] if kind == "calibrated" else ""
            assert f"{x} - {y}\t{made.of(x, y).confidence:.4f}{verdict}\n" in out

    @pytest.mark.parametrize(
        ("rows", "seed", "verdicts"),
        [
            (200, 3, {"present", "undecided"}),
            (200, 11, {"undecided", "absent"}),
            (90, 10, {"not judged"}),
        ],
    )
    def test_each_edge_has_the_verdict_on_its_probability(
        self,
        rows: int,
        seed: int,
        verdicts: set[str],
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        noise = np.random.default_rng(seed).integers(2, size=(rows, 10))
        path = tmp_path / "noise.csv"
        path.write_text("\n".join(",".join(map(str, row)) for row in ["abcdefghij", *noise]))
        out = run(capsys, "learn", str(path), "--search", "ibmap-hc", "--confidence", "calibrated")
        found = [line.split("\t")[1:] for line in out.splitlines() if " - " in line]
        assert {verdict for _, verdict in found} == verdicts
        for number, verdict in found if rows >= 100 else ():
            assert (verdict == "present") == (float(number) >= 0.9)
            assert (verdict == "absent") == (float(number) <= 0.1)

    @pytest.mark.parametrize("suffix", GRAPH_FORMATS)
    def test_every_file_holds_it(
        self, suffix: str, table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        output = tmp_path / f"graph{suffix}"
        run(capsys, "learn", table, "--confidence", "test", "--output", str(output))
        graph = bjp.learn(bjp.read_table(table)).graph
        made = bjp.confidence.test_confidence(bjp.read_table(table), graph, prior_cells="centred")
        content = output.read_text(encoding="utf-8")
        for x, y in graph.edges:
            assert repr(made.of(x, y).confidence) in content
        assert set(map(frozenset, bjp.io.read_graph(output).edges)) == set(
            map(frozenset, graph.edges)
        )

    def test_the_trace_holds_all_of_it(
        self, table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        output = tmp_path / "trace.json"
        more = ("--confidence", "bootstrap", "--resamples", "7", "--output", str(output))
        run(capsys, "learn", table, *more)
        told = json.loads(output.read_text(encoding="utf-8"))
        assert told["type"] == "SearchTrace"
        assert (told["confidence"]["kind"], told["confidence"]["made"]) == ("bootstrap", 7)
        expected = bjp.confidence.bootstrap(bjp.read_table(table), resamples=7)
        assert told["confidence"]["matrix"] == expected.matrix.tolist()

    def test_what_does_not_fit(self, table: str, capsys: pytest.CaptureFixture[str]) -> None:
        for wrong in (
            ["--method", "mpl", "--confidence", "test"],
            ["--confidence", "bootstrap", "--resamples", "0"],
            ["--confidence", "mcmc", "--seed", "-1"],
        ):
            assert cli.main(["learn", table, *wrong]) == 2
            assert "bjp: " in capsys.readouterr().err


class TestEffects:
    def test_every_edge_has_a_line(self, table: str, capsys: pytest.CaptureFixture[str]) -> None:
        more = ("--effects", "--resamples", "9", "--seed", "2", "--parameters", "likelihood")
        out = run(capsys, "learn", table, *more)
        data = bjp.read_table(table)
        network = bjp.fit_parameters(data, bjp.learn(data).graph, "likelihood")
        assert network.graph.edges
        for row in network.effects(resamples=9, seed=2).itertuples():
            numbers = f"{row.effect:.4f} [{row.low:.4f}, {row.high:.4f}] {row.kind}"
            assert f"{row.x} - {row.y}\t{numbers}\n" in out

    def test_ordered_states_give_a_sign(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        rng = np.random.default_rng(3)
        x = rng.integers(0, 3, 300)
        y = np.where(rng.random(300) < 0.8, 2 - x, rng.integers(0, 3, 300))
        frame = pd.DataFrame({"x": x, "how, then": y, "z": rng.integers(0, 2, 300)})
        path = tmp_path / "ordered.csv"
        frame.to_csv(path, index=False)
        more = ("--effects", "--resamples", "9", "--ordered", 'x, "how, then"')
        out = run(capsys, "learn", str(path), *more)
        data = bjp.read_table(path)
        network = bjp.fit_parameters(data, bjp.learn(data).graph, "auto")
        table = network.effects(ordered=["x", "how, then"], resamples=9)
        (row,) = table[table["x"] == "x"].itertuples()
        assert row.effect < 0
        numbers = f"{row.effect:.4f} [{row.low:.4f}, {row.high:.4f}] {row.kind}"
        assert f"x - how, then\t{numbers}\n" in out

    @pytest.mark.parametrize("suffix", GRAPH_FORMATS)
    def test_every_file_holds_them(
        self, suffix: str, table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        output = tmp_path / f"graph{suffix}"
        run(capsys, "learn", table, "--effects", "--resamples", "9", "--output", str(output))
        data = bjp.read_table(table)
        network = bjp.fit_parameters(data, bjp.learn(data).graph, "auto")
        content = output.read_text(encoding="utf-8")
        for row in network.effects(resamples=9).itertuples():
            assert {repr(row.effect), repr(row.low), row.kind} <= set(
                re.findall(r"-?[0-9][-+.e0-9]*|log odds ratio|strength", content)
            )

    def test_what_does_not_fit(self, table: str, capsys: pytest.CaptureFixture[str]) -> None:
        for wrong, about in (
            (["--effects", "--output", "model.mn"], "--effects can't be written to .mn"),
            (["--parameters", "likelihood"], "--parameters needs an --output of .mn or .py"),
            (["--effects", "--resamples", "0"], "resamples="),
            (["--ordered", "A"], "--ordered needs --effects"),
            (["--effects", "--ordered", "nobody"], "'nobody'"),
        ):
            assert cli.main(["learn", table, *wrong]) == 2
            assert about in capsys.readouterr().err
