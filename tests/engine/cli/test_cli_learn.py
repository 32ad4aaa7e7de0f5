"""`bjp learn` and `bjp score`: what they print and write is what the engine computes."""

import json
from unittest.mock import Mock

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine import cli
from bjp_engine.cli.common import GRAPH_FORMATS
from bjp_engine.io import graph_bytes
from bjp_engine.scores import SCORES
from bjp_engine.search import PUBLISHED, searches_for

METHODS = ("bjp", "ib", "mpl", "near")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A file with dependent and independent columns."""
    path = tmp_path_factory.mktemp("learn") / "weather.csv"
    states = ["wet", "dry"]
    rows = [f"{states[k % 2]},{states[(k + (k % 7 == 0)) % 2]},{k % 3}" for k in range(80)]
    path.write_text("\n".join(["rain,street,dice", *rows]) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def data(table):
    return bjp.read_table(table)


class TestLearn:
    def test_a_graph_is_written_and_scores_as_the_engine_says(self, table, data, tmp_path, command):
        for method, suffix in zip(METHODS, (*GRAPH_FORMATS, ".csv"), strict=True):
            output = tmp_path / f"graph{suffix}"
            how = ("--method", method, "--search", PUBLISHED[method])
            said = command("learn", table, *how, "--output", output)
            assert "80 rows, 3 variables" in said
            assert str(output) in said
            scored = command("score", table, "--graph", output, "--method", method)
            assert float(scored) == bjp.learn(data, method, PUBLISHED[method]).score, method
        # JSON holds the whole trace.
        output = tmp_path / "trace.json"
        command("learn", table, "--output", output)
        assert len(json.loads(output.read_bytes())["steps"]) == len(bjp.learn(data).steps)

    def test_every_search(self, table, data, command):
        for method in METHODS:
            for search in searches_for(method):
                trace = bjp.learn(data, method, search)
                said = command("learn", table, "--method", method, "--search", search)
                # Only a search that chooses a prior has one of its own.
                prior = " + prior" if search == "auto" else ""
                for part in (
                    f"{method} by {search}: {trace.graph.number_of_edges()} edge",
                    f" made, {trace.evaluations:,} tried\n",
                    f"\nscore: {trace.score!r} (ln {SCORES[method].title}{prior})\n",
                    *(f"{x} - {y}\n" for x, y in trace.graph.edges),
                ):
                    assert part in said, (method, search)
                equal = "prior: every graph is equally probable" in said
                assert equal == (not prior), (method, search)
        # A walk goes on after its best graph.
        trace = bjp.learn(data, search="tabu")
        assert trace.best_at == 1
        said = command("learn", table, "--search", "tabu")
        assert "tabu: 1 edge in " in said
        assert f"flips: 1 led to this graph, {len(trace.steps)} made, " in said
        # Three variables, half a neighbour each: a quarter of the pairs; ln(1/3) for one edge.
        said = command("learn", table, "--search", "ibmap-hc", "--expected-degree", "0.5")
        assert "prior: each edge has probability 0.25; the prior adds -1.0986\n" in said

    def test_options_reach_the_engine(self, table, data, tmp_path, command):
        start = tmp_path / "start.csv"
        bjp.io.write_graph(nx.Graph([("rain", "dice")]), start)
        begun = bjp.io.read_graph(start)
        of_the_test = {"gamma": 2.0, "slices": "observed", "prior_cells": "centred"}
        for argv, search, options in (
            ("--gamma 2 --slices observed --prior-cells centred", "ibmap-hc", of_the_test),
            (f"--prior 0.3 --start {start}", "ibmap-hc", {"prior": 0.3, "start": begun}),
            ("--option tenure=3 --option patience=7", "tabu", {"tenure": 3, "patience": 7}),
            ("--seed 3 --option strength=2", "restarts", {"seed": 3, "strength": 2}),
            ("--option start=mpl-or", "restarts", {"start": "mpl-or"}),
            ("--evaluations 1", "hill-climb", {"evaluations": 1}),
            ("--seconds 60", "hill-climb", {"seconds": 60.0}),
            ("--expected-degree 0.5", "ibmap-hc", {"expected_degree": 0.5}),
            ("--edge-probability 0.1", "auto", {"edge_probability": 0.1}),
            ("--edge-probability data", "tabu", {"edge_probability": "data"}),
        ):
            trace = bjp.learn(data, "bjp", search, **options)
            said = command("learn", table, "--search", search, *argv.split())
            assert f" made, {trace.evaluations:,} tried\n" in said, argv
            assert f"\nscore: {trace.score!r} (" in said, argv
            assert f" starting graph, and stopped because {trace.stop_reason}\n" in said, argv
        # How far the graph is from its start.
        bjp.io.write_graph(nx.Graph([("rain", "street")]), start)
        for argv, words in (
            (
                f"ibmap-hc --start {start}",
                "it changed none of the pairs of its starting graph, and ",
            ),
            ("ibmap-hc --start empty", "it changed 1 pair of its starting graph, and "),
            ("exhaustive --method mpl", "every graph was scored\n"),
        ):
            said = command("learn", table, "--search", *argv.split())
            assert f"search: {words}" in said, argv

    def test_every_pair_as_the_library_writes_it(self, tmp_path, command):
        path = bjp.resources.sample_data("datasets", "coronary.csv")
        target = tmp_path / "pairs.csv"
        out = command("learn", path, "--pairs", target)
        assert f"written: {target}" in out
        assert "present from 0.9" in out
        data = bjp.read_table(path)
        expected = bjp.io.pair_csv(bjp.edge_probabilities(data), bjp.learn(data).graph)
        assert target.read_text(encoding="utf-8-sig").splitlines() == expected.splitlines()
        wrong = command.refuse("learn", path, "--pairs", tmp_path / "pairs.txt")
        assert "--pairs must end in .csv" in wrong


def test_what_is_known_is_learned_with(table, data, tmp_path, command):
    file, output = tmp_path / "known.csv", tmp_path / "trace.json"
    lines = "x,y,known\nrain,dice,required\nrain,street,forbidden\nstreet,dice,0.2\n"
    file.write_text(lines, encoding="utf-8")
    known = {("rain", "dice"): "required", ("rain", "street"): "forbidden"}
    known["street", "dice"] = 0.2
    asked = ("learn", table, "--known", file)
    for method in METHODS:
        trace = bjp.learn(data, method, known=known)
        said = command(*asked, "--method", method)
        assert "known: 1 required pair, 1 forbidden, 1 with a probability" in said
        assert f"score: {trace.score!r}" in said, method
        assert ("rain - dice" in said, "rain - street" in said) == (True, False), method
        command(*asked, "--method", method, "--output", output)
        kept = json.loads(output.read_bytes())["known"]
        assert kept["required"] == [["rain", "dice"]]
        assert kept["forbidden"] == [["rain", "street"]]
        assert kept["likely"] == [["street", "dice", 0.2]]
    for kind in ("calibrated", "bootstrap", "exact"):
        said = command(*asked, "--confidence", kind, "--resamples", "5")
        assert "rain - dice\t1.0000" in said, kind
    assert "posterior of each test" in command(*asked, "--confidence", "test")
    file.write_text(f"{lines}rain,zz,required\n", encoding="utf-8")
    assert "'known.csv', line 5: There is no variable 'zz'" in command.refuse(*asked)


def test_score_of_every_method_and_prior_and_its_terms(table, data, tmp_path, command):
    graph = tmp_path / "graph.graphml"
    bjp.io.write_graph(nx.path_graph(["rain", "street", "dice"]), graph)
    edges, asked = bjp.io.read_graph(graph), ("score", table, "--graph", graph, "--method")
    for argv, options in (
        ((), {}),
        (("--expected-degree", "0.5"), {"expected_degree": 0.5}),
        (("--edge-probability", "0.2"), {"edge_probability": 0.2}),
    ):
        totals = {m: bjp.score(data, edges, m, **options).total for m in METHODS}
        said = command(*asked, "all", *argv)
        assert said == "".join(f"{method}\t{total!r}\n" for method, total in totals.items())
        assert [float(command(*asked, m, *argv)) for m in METHODS] == [*totals.values()]
    expected = bjp.score(data, edges, "mpl", ess=3.0).total
    assert f"mpl\t{expected!r}\n" in command(*asked, "all", "--ess", "3")
    # A prior that is yet to be estimated.
    assert "learn" in command.refuse(*asked, "bjp", "--edge-probability", "data")
    for method in METHODS:
        total, *lines = command(*asked, method, "--terms").splitlines()
        trace = bjp.score(data, edges, method)
        values, origins, _ = zip(*(line.split("\t") for line in lines), strict=True)
        assert float(total) == trace.total, method
        assert [float(value) for value in values] == [term.value for term in trace.terms]
        assert origins.count("computed") == len(trace.computed), method
        assert origins.count("inferred") == len(trace.inferred), method


class TestConfidence:
    def test_the_edges_with_the_numbers_of_the_engine(self, table, data, tmp_path, command):
        sure, prior = bjp.confidence, {"prior": 0.6, "gamma": 4.0}
        options = prior | {"search": "tabu", "tenure": 2, "evaluations": 9}
        graph = bjp.learn(data, **options).graph
        assert graph.edges
        exact = sure.posterior_edges(data, **prior)
        tested = sure.confidence_of_tests(bjp.score(data, graph, **prior), **prior)
        drawn = sure.bootstrap(data, resamples=20, seed=4, **options)
        output = tmp_path / "trace.json"
        asked = ("learn", table, "--prior", "0.6", "--gamma", "4", "--search", "tabu")
        asked += ("--option", "tenure=2", "--evaluations", "9", "--confidence")
        for argv, words, made in (
            ("calibrated", "calibrated on known networks", bjp.edge_probabilities(data)),
            ("test", "posterior of each test", tested),
            ("exact", "posterior over all graphs", exact),
            ("bootstrap --resamples 20 --seed 4", "in 20 resamples", drawn),
        ):
            out = command(*asked, *argv.split())
            assert words in out
            verdicts = {frozenset(row[:2]): f"\t{row[3]}" for row in made.verdicts().values}
            for x, y in graph.edges:
                verdict = verdicts[frozenset((x, y))] if argv == "calibrated" else ""
                assert f"{x} - {y}\t{made.of(x, y).confidence:.4f}{verdict}\n" in out, argv
            # Of all pairs, to the last bit: options of the search and of the score reach them.
            command(*asked, *argv.split(), "--output", output)
            kept = json.loads(output.read_bytes())["confidence"]["matrix"]
            assert kept == made.matrix.tolist(), argv

    def test_every_file_holds_it(self, table, data, tmp_path, command):
        """And effects, as many as the graph has edges."""
        trace = bjp.learn(data)
        assert trace.graph.edges
        scored = bjp.score(data, trace.graph, prior_cells="centred")
        made = bjp.confidence.confidence_of_tests(scored)
        effects = bjp.fit_parameters(data, trace.graph).effects(resamples=7)
        warnings = bjp.confidence.list_warnings(data, trace, made, effects=effects)
        known = {"effects": effects, "warnings": warnings}
        asked = ("learn", table, "--effects", "--resamples", "7", "--confidence", "test")
        for form in ("graphml", "csv", "json"):
            output = tmp_path / f"graph.{form}"
            command(*asked, "--output", output)
            if form != "json":
                assert output.read_bytes() == graph_bytes(trace.graph, form, made, **known), form
        content = json.loads(output.read_bytes())
        assert (content["type"], content["confidence"]["kind"]) == ("SearchTrace", "test")
        assert content["effects"] == effects.to_dict("records")


def test_every_edge_has_its_effect_and_ordered_states_give_it_a_sign(
    table, data, tmp_path, command
):
    rng, path = np.random.default_rng(3), tmp_path / "ordered.csv"
    x, z = rng.integers(0, (3, 2), (300, 2)).T
    y = np.where(rng.random(300) < 0.8, 2 - x, rng.integers(0, 3, 300))
    pd.DataFrame({"x": x, "how, then": y, "z": z}).to_csv(path, index=False)
    ordered = ("--ordered", 'x, "how, then"'), {"ordered": ["x", "how, then"]}
    for file, of, argv, options in (
        (table, data, ("--seed", "2"), {"seed": 2}),
        (path, bjp.read_table(path), *ordered),
    ):
        out = command("learn", file, "--effects", "--resamples", "9", *argv)
        network = bjp.fit_parameters(of, bjp.learn(of).graph)
        effects = network.effects(resamples=9, **options)
        assert len(effects) > 0
        for row in effects.itertuples():
            numbers = f"{row.effect:.4f} [{row.low:.4f}, {row.high:.4f}] {row.kind}"
            assert f"{row.x} - {row.y}\t{numbers}\n" in out
    assert effects.set_index("x")["effect"]["x"] < 0


def test_options_out_of_place(table, command):
    for options in (
        *("--gamma -1", "--prior 1", "--prior nan", "--ess 2", "--method mpl --prior 0.4"),
        *("--search guesswork", "--search mpl-hc", "--start nowhere", "--start absent.gml"),
        *("--seed 1", "--search restarts --seed -1", "--search guesswork --option tenure=1"),
        *("--search tabu --option tenure", "--search tabu --option tenure=long"),
        *("--search tabu --option tenure=1.5", "--search tabu --option strength=1"),
        *("--search restarts --option strength=weak", "--search restarts --option strength=0"),
        *("--seconds 0", "--evaluations 0", "--expected-degree 0", "--edge-probability 1"),
        *("--edge-probability often", "--edge-probability 0.1 --expected-degree 2"),
    ):
        command.refuse("learn", table, *options.split())
    for options, part in (
        ("--method mpl --confidence test", ""),
        ("--confidence bootstrap --resamples 0", "resamples="),
        ("--confidence bootstrap --seed -1", "seed="),
        ("--effects --resamples 0", "resamples="),
        ("--ordered A", "--ordered needs --effects"),
        ("--effects --ordered nobody", "'nobody'"),
    ):
        assert part in command.refuse("learn", table, *options.split(), begun=True), options


def test_an_output_that_cannot_be_written_is_refused_before_the_work_and_ctrl_c_is_quiet(
    table, tmp_path, command, monkeypatch
):
    monkeypatch.setattr(bjp, "learn", lambda *_, **__: pytest.fail("it has learned"))
    for output in ("graph.txt", "graph", "graph.gml", "no such folder/graph.csv"):
        command.refuse("learn", table, "--output", tmp_path / output)
    monkeypatch.setattr(bjp, "learn", Mock(side_effect=KeyboardInterrupt))
    assert (cli.main(["learn", table]), command.read()) == (130, ("", ""))
