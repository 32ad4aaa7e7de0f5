"""`bjp plan`, against `plan_rows`, and `bjp share`, against `bjp.share`."""

import re
from functools import cache

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine import cli
from bjp_engine.planning import RowPlan

CORONARY = bjp.resources.sample_data("datasets", "coronary.csv")
ROWS = ("--rows", "100,800", "--samples")
PAPER = ("--search", "ibmap-hc")


@cache
def data():
    return bjp.read_table(CORONARY)


@cache
def learned(method="bjp", search="ibmap-hc"):
    return bjp.learn(data(), method, search)


class TestPlan:
    def test_of_a_benchmark_network(self, command, tmp_path):
        path, asked = tmp_path / "plan.csv", ("plan", "target-2", "--strength", "1.5", *ROWS)
        said = command(*asked, "3", "--output", path)
        network = bjp.networks.load("target-2")
        plan = bjp.plan_rows(network, (100, 800), strength=1.5, samples=3)
        pd.testing.assert_frame_equal(pd.read_csv(path), plan.to_frame())
        assert f"100\t{plan.to_frame()['found'][0]:.1f} ± " in said
        assert f"{plan.edges} edges; bjp by auto, 3 samples, seed 0" in said
        assert "note: " not in said
        assert f"{plan.rows_for(0.8):,} rows" in said
        # A single sample has no error.
        said = command(*asked, "1")
        assert ("nan" in said, "±" in said) == (False, False)

    def test_the_sentence_agrees_with_the_table(self, command, monkeypatch):
        for counts, said in (
            ((9, 5), "are not found with 800 rows on average, though fewer rows found them"),
            ((5, 5), "are not found with 800 rows on average"),
            ((5, 8), "are found with 800 rows or more on average"),
            ((8, 9), "are found with at most 100 rows on average"),
        ):
            found = np.array(counts)[:, None]
            plan = RowPlan((100, 800), 10, found, 0 * found, "bjp", "auto", 0, True)
            monkeypatch.setattr(bjp, "plan_rows", lambda *_, plan=plan, **__: plan)
            lines = command("plan", "target-2", "--strength", "1", *ROWS, "1").splitlines()
            assert f"80 % of the edges {said}" in lines, counts

    def test_of_what_a_table_shows(self, command, tmp_path):
        path = tmp_path / "plan.csv"
        said = command("plan", CORONARY, *ROWS, "3", "--output", path, "--share", "1")
        network = bjp.fit_parameters(data(), bjp.learn(data()).graph, "auto")
        plan = bjp.plan_rows(network, (100, 800), samples=3)
        pd.testing.assert_frame_equal(pd.read_csv(path), plan.to_frame())
        assert "note: the learned network is taken for the truth" in said
        # Of a table that was counted.
        path = tmp_path / "counted.csv"
        path.write_text("a,b,Freq\nx,u,40\nx,v,3\ny,u,5\ny,v,60\n", encoding="utf-8")
        by_weights = command("plan", path, *ROWS, "3", "--weights", "Freq")
        assert "108 rows, 2 variables" in by_weights
        suggested = command("plan", path, *ROWS, "3", "--prepare", "suggested")
        assert suggested.endswith(by_weights)

    def test_of_a_graph_file_and_what_is_refused_and_when(self, command, tmp_path, monkeypatch):
        path = tmp_path / "graph.csv"
        bjp.io.write_graph(nx.Graph([("a", "b"), ("b", "c")]), path)
        said = command("plan", path, "--graph", "--strength", "2", *ROWS, "3")
        assert "2 edges" in said
        assert "at most 100 rows" in said
        for argv, part in (
            (("karate",), "needs a strength"),
            ((CORONARY, "--strength", "1"), "add --graph"),
            ((CORONARY, "--rows", "many"), "--rows 'many' must be whole numbers"),
            ((CORONARY, "--share", "80"), "share=80.0 must be a number from 0 to 1"),
            ((CORONARY, "--output", "plan.json"), "--output must end in .csv"),
        ):
            assert part in command.refuse("plan", *argv, begun=True), argv
        # A share is checked before anything is read or simulated.
        for name in ("plan_rows", "read_table"):
            monkeypatch.setattr(bjp, name, lambda *_, **__: pytest.fail("it has begun"))
        command.refuse("plan", "karate", "--strength", "1", "--share", "80")


class TestShare:
    @pytest.fixture
    def share(self, tmp_path):
        def page(*argv, file=CORONARY):
            """The file that the command writes."""
            out = tmp_path / "page.html"
            assert cli.main(["share", str(file), "--out", str(out), *map(str, argv)]) == 0
            return out.read_text(encoding="utf-8")

        return page

    def test_climbs_duels_scores_and_what_if(self, share, tmp_path):
        trace, graph = learned(), tmp_path / "graph.graphml"
        bjp.io.write_graph(trace.graph, graph)
        tabu = bjp.learn(data(), search="tabu", tenure=3)
        options = ("--search", "tabu", "--option", "tenure=3", "--versus", "bjp:hill-climb")
        scored = bjp.score(data(), trace.graph)
        for argv, shared, more in (
            # A climb is the default.
            ((*PAPER, "--step", "2"), trace, {"step": 2}),
            (("--view", "duel", *PAPER), [trace, learned("ib")], {}),
            (("--view", "duel", *options), [tabu, learned(search="hill-climb")], {}),
            # The score of what is learned or of a graph.
            (("--view", "step", *PAPER), scored, {}),
            (("--view", "whatif", *PAPER), bjp.fit_parameters(data(), trace.graph, "auto"), {}),
        ):
            assert share(*argv) == bjp.share(shared, title="coronary", **more), argv
        found = share("--view", "step", "--graph", graph, "--gamma", "2", "--title", "Heart")
        assert found == bjp.share(bjp.score(data(), trace.graph, gamma=2.0), title="Heart")

    def test_networks_beside_the_truth_and_a_table_whose_cells_were_imputed(self, share, tmp_path):
        truth = tmp_path / "truth.csv"
        bjp.io.write_graph(learned().graph, truth)
        found = share("--view", "networks", "--truth", truth)
        assert re.findall(r'"title":"([^"]+)"', found) == ["BJP", "IB-score", "MPL"]
        assert '"fp"' not in found.partition('"title":"BJP"')[2].partition('"title"')[0]
        by = re.findall(r'"subtitle":"\d+ edges? \\u00b7 ([^"]+)"', found)
        assert by == ["IBMAP-HC", "IBMAP-HC", "MPL hill climb"]
        file, table = tmp_path / "holes.csv", data().to_frame()
        table.loc[::4, "smoking"] = None
        table.to_csv(file, index=False)
        note = "Missing cells were imputed; this page uses the first of 20 completed tables."
        asked = ("--view", "whatif", *PAPER, "--prepare", "suggested")
        assert f'<p dir="auto">{note}</p>' in share(*asked, file=file)

    def test_one_sentence_on_what_does_not_go(self, tmp_path, command, monkeypatch):
        monkeypatch.chdir(tmp_path)
        for argv, part in (
            (("--out", "a.txt"), "--out must end in one of .html, .htm."),
            (("--graph", "g.csv"), "--graph goes with --view step or"),
            (("--versus", "ib"), "--versus goes with --view duel;"),
            (("--view", "duel", "--versus", "x"), "--versus 'x' is no score; use one of bjp,"),
            (("--view", "networks", "--search", "tabu"), "leave --method and --search out"),
            (("--step", "99", *PAPER), "step=99 must be a whole"),
        ):
            assert part in command.refuse("share", CORONARY, "--out", "a.html", *argv)
            assert not list(tmp_path.iterdir()), argv
        said = command.refuse("share", "lessons", "--out", "a", "--view", "step")
        assert "--view goes with a table" in said
        assert not list(tmp_path.iterdir())
