"""Scores side by side: the tables and sentences are what the engine computes."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_engine.search import PUBLISHED
from bjp_explorer.jobs import costs, results, tasks
from bjp_explorer.scores import comparison, halves_figure, words
from bjp_explorer.scores import halves as comparison_halves
from bjp_explorer.shell import sources, visit
from bjp_explorer.shell.edits import Edits
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import names_list, number, plain
from bjp_explorer.views import payloads
from bjp_explorer.views.palette import LIGHT
from tests.app.looks import coupled, line, settled, take, views

Opened = Callable[..., AppTest]
METHODS = ("bjp", "ib", "mpl")
TITLES = {"bjp": "BJP", "ib": "IB-score", "mpl": "MPL"}
KARATE = "net:karate:log-odds:1000:0"
HOSTILE = ("<script>alert(1)</script>", '"]</script>', "=cmd()", "**bold** $x$ :red[y]")


@pytest.fixture
def opened(open_app: Callable[..., AppTest], switch_page: Callable[..., AppTest]) -> Opened:
    """Open the page on some data, once its searches have ended."""

    def open_(token: str = "coronary", loaded: Loaded | None = None, wait: bool = True) -> AppTest:
        page = open_app(data=token)
        if loaded is not None:
            take(page, loaded)
        switch_page(page, "scores")
        for _ in range(60 if wait else 0):
            if len(page.table) >= 2:
                break
            page.run()
        assert not page.exception
        assert not page.error
        return page

    return open_


def by_column(table: pd.DataFrame) -> pd.DataFrame:
    """A table with its first column as index."""
    return table.set_index(table.columns[0])


@pytest.fixture(scope="module")
def learned() -> dict[str, bjp.search.SearchTrace]:
    data = sources.load(KARATE).data
    return {method: bjp.learn(data, method, PUBLISHED[method]) for method in METHODS}


@pytest.mark.parametrize("token", ["coronary", KARATE])
def test_the_table_of_costs_repeats_the_traces(opened: Opened, token: str) -> None:
    loaded = sources.load(token)
    shown = by_column(opened(token).table[0].value)
    for method in METHODS:
        trace = bjp.learn(loaded.data, method, PUBLISHED[method])
        column = shown[TITLES[method]]
        assert column["Edges"] == str(trace.graph.number_of_edges())
        assert column["ln score"] == number(trace.score, 4)
        assert column["Tests made"].split()[0] == f"{trace.tests:,}"
        assert str(sum(step.phase != "blanket" for step in trace.steps)) in column["Steps"]
        if loaded.truth is not None:
            result = bjp.metrics.confusion(loaded.truth, trace.graph)
            assert column["Hamming distance"] == str(result.hamming)
            assert column["False positives"] == str(result.fp)
            assert column["Missing (false negatives)"] == str(result.fn)
            assert column["Precision"] == number(result.precision)
            assert column["Recall"] == number(result.recall)
            assert column["F1"] == number(result.f1)


@pytest.mark.parametrize("answer", [*METHODS, ""])
def test_the_results_wait_for_a_prediction(opened: Opened, answer: str) -> None:
    app = opened()
    data = sources.load("coronary").data
    edges = {m: bjp.learn(data, m, PUBLISHED[m]).graph.number_of_edges() for m in METHODS}
    assert len(set(edges.values())) == 3  # so that one score has the most
    app.toggle(key="scores-predict").set_value(True).run()
    assert not app.table
    assert not views(app)
    settled(app.button(key=f"scores-predict-{answer}").click().run())
    best = max(edges, key=lambda method: edges[method])
    text = f"{TITLES[best]} finds the most edges: " + ", ".join(
        f"{TITLES[m]} {k}" for m, k in edges.items()
    )
    (said,) = [block.value for block in app.markdown if f"{text}." in block.value]
    assert said.startswith("**✓" if answer == best else "**✗" if answer else text)
    assert len(app.table) >= 2
    # Once it is off, nothing of it is left.
    app.toggle(key="scores-predict").set_value(False).run()
    assert text not in " ".join(block.value for block in app.markdown)


def test_scores_with_as_many_edges_are_all_right() -> None:
    graphs = {"bjp": nx.path_graph(4), "ib": nx.path_graph(3), "mpl": nx.star_graph(3)}
    traces: Any = {method: SimpleNamespace(graph=graph) for method, graph in graphs.items()}
    right, text = words.most_edges(traces)
    assert right == {"bjp": True, "ib": False, "mpl": True}
    assert text == "BJP and MPL find the most edges: BJP 3, IB-score 2, MPL 3."


def test_every_graph_under_every_score(opened: Opened) -> None:
    loaded = sources.load("coronary")
    shown = by_column(opened().table[1].value)
    graphs = {
        TITLES[m] + "’s graph": bjp.learn(loaded.data, m, PUBLISHED[m]).graph for m in METHODS
    }
    graphs["the published graph"] = loaded.published
    assert list(shown.index) == list(graphs)
    for method in METHODS:
        column = shown[f"ln {TITLES[method]}"]
        totals = {name: bjp.score(loaded.data, g, method).total for name, g in graphs.items()}
        best = max(totals.values())
        for name, total in totals.items():
            text = number(total, 4)
            assert column[name] == (f"**{text}** ✓" if total == best else text)


def test_disputed_edges_carry_each_scores_verdict(opened: Opened) -> None:
    shown = by_column(opened().table[2].value)
    assert list(shown.index) == [
        r"smoking – systolic\_pressure",
        r"mental\_work – lipoprotein\_ratio",
    ]
    row = shown.loc[shown.index[1]]
    assert row["BJP"].startswith("no edge · adding it: −")
    assert row["IB-score"].startswith("**edge** · removing it: −")
    assert row["Published graph"] == "**edge**"


def test_effects_of_flips_are_differences_of_scores() -> None:
    data = sources.load("coronary").data
    traces = {method: bjp.learn(data, method, PUBLISHED[method]) for method in METHODS}
    for (method, (i, j)), change in comparison.flip_effects(traces, data, [(1, 4)]).items():
        graph = nx.Graph(traces[method].graph)
        edge = data.names[i], data.names[j]
        (graph.remove_edge if graph.has_edge(*edge) else graph.add_edge)(*edge)
        after = bjp.score(data, graph, method).total
        assert change == pytest.approx(after - traces[method].score, abs=1e-9)


def test_sentences_count_what_the_traces_hold(
    opened: Opened, learned: dict[str, bjp.search.SearchTrace]
) -> None:
    loaded = sources.load(KARATE)
    edges = [{frozenset(edge) for edge in trace.graph.edges} for trace in learned.values()]
    shared, some = set.intersection(*edges), set.union(*edges)
    sentence = words.agreement_sentence(learned, loaded.data)
    assert sentence == f"All three agree on {len(shared)} of {len(some)} edges."
    assert f"BJP made {learned['bjp'].tests:,} tests" in words.cost_sentence(learned)
    assert sentence in " ".join(block.value for block in opened(KARATE).markdown)


def test_near_blankets_can_be_shown_as_a_fourth(opened: Opened) -> None:
    page = opened()
    assert list(by_column(page.table[0].value).columns) == list(TITLES.values())
    page.segmented_control(key="scores-shown").set_value("all").run()
    for _ in range(60):
        if len(page.table) >= 3 and len(page.table[0].value.columns) == 5:
            break
        page.run()
    assert not page.exception
    costs, scores = (by_column(page.table[k].value) for k in (0, 1))
    data = sources.load("coronary").data
    trace = bjp.learn(data, "near", PUBLISHED["near"])
    assert costs.loc["Tests made", "Near blankets"] == f"{trace.tests:,}"
    assert costs.loc["ln score", "Near blankets"] == number(trace.score, 4)
    cell = scores.loc["Near blankets’ graph", "ln Near blankets"]
    assert number(trace.score, 4) in cell
    text = " ".join(block.value for block in page.markdown)
    assert "All four agree on " in text
    assert f"near blankets {trace.tests:,};" in text
    assert page.metric[3].label == "Near blankets: tests, n(n − 1)/2"
    # The three scores have been compared before: their table must not stand in for this one.
    disputed = by_column(page.table[2].value)[list((TITLES | {"near": "Near blankets"}).values())]
    for cell in disputed.to_numpy().ravel():
        assert re.fullmatch(r"(no edge · adding|\*\*edge\*\* · removing) it: [+−][\d.]+", cell)


def test_tones_tell_how_many_scores_agree(learned: dict[str, bjp.search.SearchTrace]) -> None:
    data = sources.load(KARATE).data
    tones = {"only": 1, "some": 2, "all": 3}
    found = comparison.by_agreement(learned, data, METHODS)
    for i, j, tone in (edge for edges in found.values() for edge in edges):
        has = sum(t.graph.has_edge(data.names[i], data.names[j]) for t in learned.values())
        assert tones[tone] == has
    partial = comparison.by_agreement({"bjp": learned["bjp"]}, data, METHODS)
    assert {tone for *_, tone in partial["bjp"]} == {"plain"}


def test_tones_against_the_truth(learned: dict[str, bjp.search.SearchTrace]) -> None:
    loaded = sources.load(KARATE)
    assert loaded.truth is not None
    edges = payloads.edges_against(learned["mpl"].graph, loaded.truth, loaded.data)
    tones = {(i, j): tone for i, j, tone in edges}
    for i, j in combinations(range(loaded.data.n), 2):
        pair = loaded.data.names[i], loaded.data.names[j]
        true, has = loaded.truth.has_edge(*pair), learned["mpl"].graph.has_edge(*pair)
        expected = {(True, True): "tp", (False, True): "fp", (True, False): "missing"}
        assert tones.get((i, j)) == expected.get((true, has))


def test_comparing_with_the_published_graph_changes_no_number(opened: Opened) -> None:
    page = opened()
    before = [table.value for table in page.table]
    page.segmented_control(key="scores-compare").set_value("the published graph").run()
    assert not page.exception
    for one, two in zip(before, page.table, strict=True):
        pd.testing.assert_frame_equal(one, two.value)


@pytest.mark.parametrize("names", [("a",), ("a", "b")])
def test_one_and_two_variables(opened: Opened, names: tuple[str, ...]) -> None:
    page = opened(loaded=coupled(names))
    assert by_column(page.table[0].value).loc["Edges", "BJP"] == str(len(names) - 1)


def test_a_long_search_shows_progress_and_can_be_cancelled(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn = tasks.learn

    def slow(data: bjp.Dataset, method: str, *args: Any, **options: Any) -> bjp.search.SearchTrace:
        while method == "ib":
            if options["progress"].cancelled():
                raise bjp.errors.Cancelled("cancelled")
            time.sleep(0.01)
        return learn(data, method, *args, **options)

    monkeypatch.setattr(tasks, "learn", slow)
    loaded = coupled(("a", "b", "c"), seed=11)
    page = opened(loaded=loaded, wait=False)
    assert list(by_column(page.table[0].value).columns) == ["BJP"]
    assert "Then: MPL." in [caption.value for caption in page.caption]
    page.button(key="scores-cancel").click().run()
    assert not page.exception
    assert list(by_column(page.table[0].value).columns) == ["BJP", "MPL"]
    assert "cancelled" in page.info[0].value


def test_names_are_text_in_tables(opened: Opened) -> None:
    loaded = coupled(HOSTILE, rows=12, seed=3)
    page = opened(loaded=loaded)
    traces = {method: bjp.learn(loaded.data, method, PUBLISHED[method]) for method in METHODS}
    pairs = comparison.list_disputed(traces, loaded.data)
    table = comparison.differences(traces, loaded.data, [], {})
    assert len(table) == len(pairs)
    everything = [str(cell) for t in page.table for row in t.value.to_numpy() for cell in row]
    everything += [str(name) for name in table.index]
    assert not any("<script" in text or ":red[" in text or "$x" in text for text in everything)


class TestOneGraph:
    @staticmethod
    def halves(data: bjp.Dataset, graph: nx.Graph[Any]) -> bjp.scores.SparedTests:
        return bjp.scores.spared_tests(bjp.score(data, graph), bjp.score(data, graph, "ib"))

    @pytest.mark.parametrize("token", ["coronary", KARATE])
    def test_every_graph_shows_the_engines_numbers(self, opened: Opened, token: str) -> None:
        loaded, page = sources.load(token), opened(token)
        data = loaded.data
        graphs = {f"{TITLES[m]}’s": bjp.learn(data, m, PUBLISHED[m]).graph for m in METHODS}
        graphs |= {"true network": loaded.truth} if loaded.truth is not None else {}
        graphs |= {"published graph": loaded.published} if loaded.published is not None else {}
        assert list(page.segmented_control(key="scores-one-graph").options) == list(graphs)
        pairs = data.n * (data.n - 1) // 2
        for name, graph in graphs.items():
            page.segmented_control(key="scores-one-graph").set_value(name).run()
            assert not page.exception
            counted = [int(metric.value.replace(",", "")) for metric in page.metric]
            assert counted == [pairs, 2 * pairs, data.n]
            told = " ".join(block.value for block in page.caption)
            for method in METHODS:
                total = bjp.score(data, graph, method).total
                assert f"ln {TITLES[method]} = {number(total, 4)}" in told
            halves = self.halves(data, graph)
            assert words.halves_sentence(halves) in [block.value for block in page.markdown]
            (frame,) = [d.value for d in page.dataframe]
            pd.testing.assert_frame_equal(
                frame.reset_index(drop=True),
                comparison_halves.table(halves, graph).reset_index(drop=True),
                check_dtype=False,
            )

    @pytest.mark.parametrize("token", ["coronary", "titanic", KARATE])
    def test_the_table_is_the_terms_that_bjp_infers(self, token: str) -> None:
        loaded = sources.load(token)
        data, graph = loaded.data, loaded.truth or bjp.learn(loaded.data, search="ibmap-hc").graph
        ours, theirs = bjp.score(data, graph), bjp.score(data, graph, "ib")
        of_pair = {(t.x, t.y): t for t in theirs.terms}
        frame = comparison_halves.table(self.halves(data, graph), theirs.graph)
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
        lost, (ln_bjp, ln_ib) = ours.total - theirs.total, (ours.total, theirs.total)
        assert f"lower ln IB-score by {number(lost, 4)}, from {number(ln_bjp, 4)}" in told
        assert f"to {number(ln_ib, 4)}." in told
        assert "condition on 2,044 more variables" in told

    def test_the_figure_has_a_mark_for_every_assertion(self) -> None:
        loaded = sources.load(KARATE)
        assert loaded.truth is not None
        halves = self.halves(loaded.data, loaded.truth)
        groups = halves_figure.cloud(halves).groups
        halved = (halves.computed, halves.computed, halves.inferred, halves.inferred)
        for group, half in zip(groups, halved, strict=True):
            dependent = group.name.startswith("⊥̸")
            mine = half.dependent == dependent
            assert group.y.tolist() == half.posterior[mine].tolist()
            assert np.rint(group.x).tolist() == half.given[mine].tolist()
            for text, x, y in zip(group.texts, half.x[mine], half.y[mine], strict=True):
                names = [str(loaded.data.names[k]) for k in (x, y)]
                assert text.split(" ") == [names[0], "⊥̸" if dependent else "⊥", names[1]]
            assert group.colour == (LIGHT.vermilion if dependent else LIGHT.blue)
        assert [group.symbol for group in groups] == ["circle"] * 2 + ["diamond-open"] * 2

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

    def test_the_graph_edited_by_hand_and_a_single_variable(self, opened: Opened) -> None:
        page = opened(loaded=coupled(("a",)))
        assert not page.metric
        page = opened()
        data = sources.load("coronary").data
        edits = Edits(data, [("smoking", "family_history")])
        page.session_state[visit._EDITED] = {data.digest: edits}
        page.run()
        page.segmented_control(key="scores-one-graph").set_value("edited by you").run()
        data = sources.load("coronary").data
        graph = nx.Graph([("smoking", "family_history")])
        total = bjp.score(data, graph).total
        assert f"ln BJP = {number(total, 4)}" in " ".join(block.value for block in page.caption)

    def test_a_dense_graph_is_scored_as_a_job(
        self, opened: Opened, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        data, free = sources.load("coronary").data, threading.Event()

        def wait_and_score(*asked: Any) -> bjp.scores.ScoreTrace:
            assert free.wait(600)
            return bjp.score(*asked)

        page = opened()
        monkeypatch.setattr(costs, "QUICK", 0.0)
        monkeypatch.setattr(results, "work_of", lambda task, _seconds: task.here)
        monkeypatch.setattr(results, "PATIENCE", 0.05)
        monkeypatch.setattr(tasks, "score", wait_and_score)
        everything = list(combinations(data.names, 2))
        page.session_state[visit._EDITED] = {data.digest: Edits(data, everything)}
        page.run()
        page.segmented_control(key="scores-one-graph").set_value("edited by you").run()
        (bar,) = page.get("progress")
        assert "Scoring the graph with BJP" in bar.proto.text
        assert not page.metric
        free.set()
        end = time.monotonic() + 600
        while page.get("progress") and time.monotonic() < end:
            page.run()
        assert not page.exception
        told = " ".join(block.value for block in page.caption)
        for method in METHODS:
            total = bjp.score(data, nx.Graph(everything), method).total
            assert f"ln {TITLES[method]} = {number(total, 4)}" in told
