"""Scores side by side: the tables and sentences are what the engine computes."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from functools import cache
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_engine.search import PUBLISHED, SearchTrace
from bjp_explorer.jobs import costs, results, tasks
from bjp_explorer.scores import comparison, halves_figure, words
from bjp_explorer.scores import halves as comparison_halves
from bjp_explorer.shell import sources, visit
from bjp_explorer.shell.edits import Edits
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import names_list, number, plain
from bjp_explorer.views import payloads
from bjp_explorer.views.palette import LIGHT
from tests.app.conftest import OpenApp
from tests.app.looks import coupled, line, rested, settled, take, texts, views

Opened = Callable[..., AppTest]
METHODS = ("bjp", "ib", "mpl")
TITLES = {"bjp": "BJP", "ib": "IB-score", "mpl": "MPL"}
CORONARY, KARATE = "coronary", "net:karate:log-odds:1000:0"
PAIR = ("mental_work", "lipoprotein_ratio")
HOSTILE = ("<script>alert(1)</script>", '"]</script>', "=cmd()", "**bold** $x$ :red[y]")


@pytest.fixture
def opened(open_app: OpenApp) -> Opened:
    """Open the page on some data, once its searches have ended."""

    def open_(token: str = CORONARY, loaded: Loaded | None = None) -> AppTest:
        page = open_app("scores", data=token)
        if loaded is not None:
            take(page, loaded)
            page.run()
        return settled(page)

    return open_


def by_column(page: AppTest, place: int) -> pd.DataFrame:
    """A table of the page with its first column as index."""
    table = page.table[place].value
    return table.set_index(table.columns[0])


@cache
def learned(token: str) -> dict[str, SearchTrace]:
    data = sources.load(token).data
    return {method: bjp.learn(data, method, PUBLISHED[method]) for method in METHODS}


@cache
def totals(token: str) -> dict[str, dict[str, float]]:
    """The engine's score of each graph that the page names, by graph and score."""
    loaded = sources.load(token)
    graphs = {f"{TITLES[m]}’s graph": trace.graph for m, trace in learned(token).items()}
    known = {"the true network": loaded.truth, "the published graph": loaded.published}
    graphs |= {name: graph for name, graph in known.items() if graph is not None}
    return {
        name: {m: bjp.score(loaded.data, graph, m).total for m in METHODS}
        for name, graph in graphs.items()
    }


def halves_of(data: bjp.Dataset, graph: nx.Graph[Any]) -> bjp.scores.SparedTests:
    return bjp.scores.spared_tests(bjp.score(data, graph), bjp.score(data, graph, "ib"))


@pytest.mark.parametrize("token", [CORONARY, KARATE])
def test_every_number_is_the_engines(opened: Opened, token: str) -> None:
    loaded, page, traces = sources.load(token), opened(token), learned(token)
    data, costs_of = loaded.data, by_column(page, 0)
    for method, trace in traces.items():
        column = costs_of[TITLES[method]]
        assert column["Edges"] == str(trace.graph.number_of_edges())
        assert column["ln score"] == number(trace.score, 4)
        assert column["Tests made"].split()[0] == f"{trace.tests:,}"
        assert str(sum(step.phase != "blanket" for step in trace.steps)) in column["Steps"]
        if loaded.truth is not None:
            result = bjp.metrics.confusion(loaded.truth, trace.graph)
            assert column["Hamming distance"] == str(result.hamming)
            assert column["False positives"] == str(result.fp)
            assert column["Missing (false negatives)"] == str(result.fn)
            for share in ("precision", "recall", "f1"):
                assert column[share.capitalize()] == number(getattr(result, share))
    edges = [{frozenset(edge) for edge in trace.graph.edges} for trace in traces.values()]
    shared, some = len(set.intersection(*edges)), len(set.union(*edges))
    assert f"All three agree on {shared} of {some} edges." in texts(page)
    assert f"BJP made {traces['bjp'].tests:,} tests" in texts(page)

    # Every graph under every score, the best of each ticked.
    shown = by_column(page, 1)
    assert list(shown.index) == list(totals(token))
    for method in METHODS:
        column = {name: of[method] for name, of in totals(token).items()}
        for name, total in column.items():
            text, best = number(total, 4), total == max(column.values())
            ticked = f"**{text}** ✓" if best else text
            assert shown.loc[name, f"ln {TITLES[method]}"] == ticked, (name, method)

    # One graph under every score: its tests by their halves.
    names = [name.removeprefix("the ").removesuffix(" graph") for name in totals(token)]
    names = [f"{name} graph" if name == "published" else name for name in names]
    assert list(page.segmented_control(key="scores-one-graph").options) == names
    graphs = [trace.graph for trace in traces.values()]
    graphs += [each for each in (loaded.truth, loaded.published) if each is not None]
    pairs = data.n * (data.n - 1) // 2
    for name, graph, of in zip(names, graphs, totals(token).values(), strict=True):
        settled(page.segmented_control(key="scores-one-graph").set_value(name).run())
        counted = [int(metric.value.replace(",", "")) for metric in page.metric]
        assert counted == [pairs, 2 * pairs, data.n]
        told = " ".join(block.value for block in page.caption)
        for method in METHODS:
            assert f"ln {TITLES[method]} = {number(of[method], 4)}" in told, (name, method)
        halves = halves_of(data, graph)
        assert words.halves_sentence(halves) in [block.value for block in page.markdown]
        (frame,) = [each.value.reset_index(drop=True) for each in page.dataframe]
        expected = comparison_halves.table(halves, graph).reset_index(drop=True)
        pd.testing.assert_frame_equal(frame, expected, check_dtype=False)


def test_disputed_edges_and_a_fourth_score(opened: Opened) -> None:
    page = opened()
    shown = by_column(page, 2)
    assert list(shown.index) == [
        r"smoking – systolic\_pressure",
        r"mental\_work – lipoprotein\_ratio",
    ]
    data = sources.load(CORONARY).data
    for place, edge in enumerate((("smoking", "systolic_pressure"), PAIR)):
        for method, trace in learned(CORONARY).items():
            graph = nx.Graph(trace.graph)
            had = graph.has_edge(*edge)
            (graph.remove_edge if had else graph.add_edge)(*edge)
            change = bjp.score(data, graph, method).total - trace.score
            verdict = "**edge** · removing it" if had else "no edge · adding it"
            assert shown.iloc[place][TITLES[method]] == f"{verdict}: {number(change, 2)}"
    assert shown["BJP"].iloc[1].startswith("no edge · adding it: −")
    assert shown["Published graph"].iloc[1] == "**edge**"

    # Comparing with the published graph changes no number.
    before = [table.value for table in page.table]
    choice = page.segmented_control(key="scores-compare")
    settled(choice.set_value("the published graph").run())
    for one, two in zip(before, page.table, strict=True):
        pd.testing.assert_frame_equal(one, two.value)

    # Near blankets.
    assert list(by_column(page, 0).columns) == list(TITLES.values())
    settled(page.segmented_control(key="scores-shown").set_value("all").run())
    trace = bjp.learn(sources.load(CORONARY).data, "near", PUBLISHED["near"])
    assert by_column(page, 0).loc["Tests made", "Near blankets"] == f"{trace.tests:,}"
    assert by_column(page, 0).loc["ln score", "Near blankets"] == number(trace.score, 4)
    cell = by_column(page, 1).loc["Near blankets’ graph", "ln Near blankets"]
    assert number(trace.score, 4) in cell
    assert "All four agree on " in texts(page)
    assert f"near blankets {trace.tests:,};" in texts(page)
    assert page.metric[3].label == "Near blankets: tests, n(n − 1)/2"
    # The three scores have been compared before: their table must not stand in for this one.
    for cell in by_column(page, 2)[[*TITLES.values(), "Near blankets"]].to_numpy().ravel():
        assert re.fullmatch(r"(no edge · adding|\*\*edge\*\* · removing) it: [+−][\d.]+", cell)


def test_the_results_wait_for_a_prediction(opened: Opened) -> None:
    edges = {m: trace.graph.number_of_edges() for m, trace in learned(CORONARY).items()}
    assert len(set(edges.values())) == 3  # so that one score has the most
    best = max(edges, key=lambda method: edges[method])
    found = ", ".join(f"{TITLES[m]} {k}" for m, k in edges.items())
    text = f"{TITLES[best]} finds the most edges: {found}"
    for answer in (*METHODS, ""):
        app = opened()
        app.toggle(key="scores-predict").set_value(True).run()
        assert not app.table
        assert not views(app)
        settled(app.button(key=f"scores-predict-{answer}").click().run())
        (said,) = [block.value for block in app.markdown if f"{text}." in block.value]
        assert said.startswith("**✓" if answer == best else "**✗" if answer else text), answer
        assert len(app.table) >= 2
        # Once it is off, nothing of it is left.
        app.toggle(key="scores-predict").set_value(False).run()
        assert text not in texts(app)


def test_scores_with_as_many_edges_are_all_right() -> None:
    graphs = {"bjp": nx.path_graph(4), "ib": nx.path_graph(3), "mpl": nx.star_graph(3)}
    traces: Any = {method: SimpleNamespace(graph=graph) for method, graph in graphs.items()}
    right, text = words.most_edges(traces)
    assert right == {"bjp": True, "ib": False, "mpl": True}
    assert text == "BJP and MPL find the most edges: BJP 3, IB-score 2, MPL 3."


def test_tones_of_edges_by_the_scores_that_agree_and_by_the_truth() -> None:
    loaded, traces = sources.load(KARATE), learned(KARATE)
    assert loaded.truth is not None
    names, tones = loaded.data.names, {"only": 1, "some": 2, "all": 3}
    found = comparison.by_agreement(traces, loaded.data, METHODS)
    for i, j, tone in (edge for edges in found.values() for edge in edges):
        has = sum(trace.graph.has_edge(names[i], names[j]) for trace in traces.values())
        assert tones[tone] == has
    partial = comparison.by_agreement({"bjp": traces["bjp"]}, loaded.data, METHODS)
    assert {tone for *_, tone in partial["bjp"]} == {"plain"}

    graph = traces["mpl"].graph
    edges = payloads.edges_against(graph, loaded.truth, loaded.data)
    against = {(i, j): tone for i, j, tone in edges}
    expected = {(True, True): "tp", (False, True): "fp", (True, False): "missing"}
    for i, j in combinations(range(loaded.data.n), 2):
        pair = names[i], names[j]
        case = loaded.truth.has_edge(*pair), graph.has_edge(*pair)
        assert against.get((i, j)) == expected.get(case), pair


def test_few_variables_and_names_as_text(opened: Opened) -> None:
    for names in (("a",), ("a", "b")):
        page = opened(loaded=coupled(names))
        assert by_column(page, 0).loc["Edges", "BJP"] == str(len(names) - 1)
        assert len(page.metric) == (0 if names == ("a",) else 3)
    loaded = coupled(HOSTILE, rows=12, seed=3)
    page = opened(loaded=loaded)
    traces = {method: bjp.learn(loaded.data, method, PUBLISHED[method]) for method in METHODS}
    table = comparison.differences(traces, loaded.data, [], {})
    assert len(table) == len(comparison.list_disputed(traces, loaded.data))
    everything = [str(cell) for t in page.table for row in t.value.to_numpy() for cell in row]
    everything += [str(name) for name in table.index]
    assert not any("<script" in text or ":red[" in text or "$x" in text for text in everything)


def until(page: AppTest, done: Callable[[], bool]) -> None:
    """Let the page run until something is so."""
    end = time.monotonic() + 600
    while not done() and time.monotonic() < end:
        page.run()
    assert done()


def test_a_long_search_shows_progress_and_can_be_cancelled(
    open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn = tasks.learn

    def endless(data: bjp.Dataset, method: str, *args: Any, **options: Any) -> SearchTrace:
        while method == "ib":
            if options["progress"].cancelled():
                raise bjp.errors.Cancelled("cancelled")
            time.sleep(0.01)
        return learn(data, method, *args, **options)

    monkeypatch.setattr(tasks, "learn", endless)
    page = open_app("scores")
    take(page, coupled(("a", "b", "c"), seed=11))
    page.run()
    until(page, lambda: "Then: MPL." in [caption.value for caption in page.caption])
    assert list(by_column(page, 0).columns) == ["BJP"]
    rested(page.button(key="scores-cancel").click().run())
    assert not page.exception
    assert list(by_column(page, 0).columns) == ["BJP", "MPL"]
    assert "cancelled" in page.info[0].value


class TestOneGraph:
    @pytest.mark.parametrize("token", [CORONARY, "titanic", KARATE])
    def test_the_table_and_the_figure_are_the_terms_that_bjp_infers(self, token: str) -> None:
        loaded = sources.load(token)
        data, graph = loaded.data, loaded.truth or bjp.learn(loaded.data, search="ibmap-hc").graph
        ours, theirs = bjp.score(data, graph), bjp.score(data, graph, "ib")
        halves = bjp.scores.spared_tests(ours, theirs)
        of_pair = {(t.x, t.y): t for t in theirs.terms}
        frame = comparison_halves.table(halves, theirs.graph)
        lines = {(row["x"], row["y"]): row for _, row in frame.iterrows()}
        assert len(lines) == len(ours.inferred)
        for term in ours.inferred:
            row = lines[plain(term.x), plain(term.y)]
            there, made = of_pair[term.x, term.y], of_pair[term.y, term.x]
            assert row["Pr"] == np.exp(there.value)
            assert row["|Pr − ½|"] == abs(np.exp(there.value) - 0.5)
            assert row["|Z|"] == len(there.given)
            assert row["given"] == names_list(there.given)
            assert row["asserted"] == ("⊥̸" if there.dependent else "⊥")
            assert (row["|Z| made"], row["Pr made"]) == (len(made.given), np.exp(made.value))
            slices = np.prod([data.cardinalities[data.index(z)] for z in there.given])
            assert row["rows per slice"] == pytest.approx(data.rows / slices)
        assert frame["|Z|"].is_monotonic_decreasing

        groups = halves_figure.cloud(halves).groups
        halved = (halves.computed, halves.computed, halves.inferred, halves.inferred)
        for group, half in zip(groups, halved, strict=True):
            dependent = group.name.startswith("⊥̸")
            mine = half.dependent == dependent
            assert group.y.tolist() == half.posterior[mine].tolist()
            assert np.rint(group.x).tolist() == half.given[mine].tolist()
            for text, x, y in zip(group.texts, half.x[mine], half.y[mine], strict=True):
                sign = "⊥̸" if dependent else "⊥"
                assert text == f"{data.names[x]} {sign} {data.names[y]}"
            assert group.colour == (LIGHT.vermilion if dependent else LIGHT.blue)
        assert [group.symbol for group in groups] == ["circle"] * 2 + ["diamond-open"] * 2

    def test_the_sentence_counts(self) -> None:
        loaded = sources.load(KARATE)
        assert loaded.truth is not None
        ours, theirs = (bjp.score(loaded.data, loaded.truth, m) for m in ("bjp", "ib"))
        told = words.halves_sentence(bjp.scores.spared_tests(ours, theirs))
        spared = [t for t, mine in zip(theirs.terms, ours.terms, strict=True) if not mine.computed]
        near = sum(abs(np.exp(t.value) - 0.5) < 0.1 for t in spared)
        assert f"and {near} of the inferred ones" in told
        mean = np.mean([len(t.given) for t in spared])
        assert f"given {number(float(mean), 2)} variables on average." in told
        lost, ends = number(ours.total - theirs.total, 4), (ours.total, theirs.total)
        before, after = (number(total, 4) for total in ends)
        assert f"lower ln IB-score by {lost}, from {before} to {after}." in told
        assert "condition on 2,044 more variables" in told

    def test_a_graph_that_is_opened_keeps_its_origin(self, opened: Opened) -> None:
        for name, choice, origin in (
            ("BJP’s", "learned", "learned by the paper’s search (IBMAP-HC)"),
            ("published graph", "published", "published"),
            ("MPL’s", "edited", "learned with MPL"),
        ):
            page = opened()
            page.segmented_control(key="scores-one-graph").set_value(name).run()
            settled(page.button(key="scores-one-step").click().run())
            assert page.segmented_control(key="step-graph").value == choice
            assert re.search(rf"\d edges? {re.escape(origin)} ·", line(page))

    def test_an_edited_graph_and_a_dense_one_that_is_scored_as_a_job(
        self, opened: Opened, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        data, free, page = sources.load(CORONARY).data, threading.Event(), opened()

        def check(edges: list[tuple[Any, Any]]) -> None:
            for method in METHODS:
                total = bjp.score(data, nx.Graph(edges), method).total
                assert f"ln {TITLES[method]} = {number(total, 4)}" in texts(page), method

        def put(edges: list[tuple[Any, Any]]) -> None:
            page.session_state[visit._EDITED] = {data.digest: Edits(data, edges)}
            page.run()

        def wait_and_score(*asked: Any) -> bjp.scores.ScoreTrace:
            assert free.wait(600)
            return bjp.score(*asked)

        put([("smoking", "family_history")])
        page.segmented_control(key="scores-one-graph").set_value("edited by you").run()
        check([("smoking", "family_history")])
        monkeypatch.setattr(costs, "QUICK", 0.0)
        monkeypatch.setattr(results, "work_of", lambda task, _seconds: task.here)
        monkeypatch.setattr(results, "PATIENCE", 0.05)
        monkeypatch.setattr(tasks, "score", wait_and_score)
        everything = list(combinations(data.names, 2))
        put(everything)
        (bar,) = page.get("progress")
        assert "Scoring the graph with BJP" in bar.proto.text
        assert not page.metric
        free.set()
        settled(page)
        check(everything)
