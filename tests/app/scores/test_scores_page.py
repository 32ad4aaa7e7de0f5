"""Scores side by side: the tables and sentences are what the engine computes."""

import re
import time
from functools import cache
from itertools import combinations
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine.search import PUBLISHED
from bjp_explorer.jobs import results
from bjp_explorer.scores import comparison
from bjp_explorer.scores import halves as comparison_halves
from bjp_explorer.shell import sources, visit
from bjp_explorer.shell.text import names_list, number, plain
from bjp_explorer.shell.visit import Edits
from bjp_explorer.views import words
from bjp_explorer.views.palette import LIGHT
from tests.app.looks import coupled, line, rested, settled, take, texts, until, views

METHODS = ("bjp", "ib", "mpl")
TITLES = {"bjp": "BJP", "ib": "IB-score", "mpl": "MPL"}
CORONARY, KARATE = "coronary", "net:karate:log-odds:1000:0"


def by_column(page, place):
    table = page.table[place].value
    return table.set_index(table.columns[0])


def put(page, control, value):
    settled(page.segmented_control(key=f"scores-{control}").set_value(value).run())


@cache
def learned(token):
    data = sources.load(token).data
    return {method: bjp.learn(data, method, PUBLISHED[method]) for method in METHODS}


@cache
def graphs(token):
    loaded = sources.load(token)
    found = {f"{TITLES[m]}’s graph": trace.graph for m, trace in learned(token).items()}
    known = {"the true network": loaded.truth, "the published graph": loaded.published}
    return found | {name: graph for name, graph in known.items() if graph is not None}


@cache
def totals(token, name):
    data, graph = sources.load(token).data, graphs(token)[name]
    return {method: bjp.score(data, graph, method).total for method in METHODS}


@pytest.mark.parametrize("token", [CORONARY, KARATE])
def test_every_number_is_the_engines(open_app, token):
    loaded, traces = sources.load(token), learned(token)
    page = settled(open_app("scores", data=token))
    data, costs_of = loaded.data, by_column(page, 0)
    for method, trace in traces.items():
        column = costs_of[TITLES[method]]
        want = {"Edges": str(trace.graph.number_of_edges()), "ln score": number(trace.score, 4)}
        if loaded.truth is not None:
            result = bjp.metrics.confusion(loaded.truth, trace.graph)
            want |= {"Hamming distance": str(result.hamming), "False positives": str(result.fp)}
            want |= {"Missing (false negatives)": str(result.fn)}
            want |= {"Precision": number(result.precision), "Recall": number(result.recall)}
            want["F1"] = number(result.f1)
        assert {name: column[name] for name in want} == want
        assert column["Tests made"].split()[0] == f"{trace.tests:,}"
        assert str(sum(step.phase != "blanket" for step in trace.steps)) in column["Steps"]
    edges = [{frozenset(edge) for edge in trace.graph.edges} for trace in traces.values()]
    shared, some = len(set.intersection(*edges)), len(set.union(*edges))
    assert f"All scores agree on {shared} of {some} edges." in texts(page)
    assert f"BJP made {traces['bjp'].tests:,} tests" in texts(page)

    shown = by_column(page, 1)
    assert list(shown.index) == list(graphs(token))
    for method in METHODS:
        column = [totals(token, name)[method] for name in graphs(token)]
        ticks = {total: number(total, 4) for total in column}
        ticks[max(column)] = f"**{number(max(column), 4)}** ✓"
        assert shown[f"ln {TITLES[method]}"].tolist() == [ticks[total] for total in column], method

    pairs, labels = data.n * (data.n - 1) // 2, [f"{title}’s" for title in TITLES.values()]
    labels += ["published graph" if loaded.truth is None else "true network"]
    assert list(page.segmented_control(key="scores-one-graph").options) == labels
    for label, (name, graph) in zip(labels, graphs(token).items(), strict=True):
        put(page, "one-graph", label)
        counted = [int(metric.value.replace(",", "")) for metric in page.metric]
        assert counted == [pairs, 2 * pairs, data.n]
        told = " ".join(block.value for block in page.caption)
        for method, total in totals(token, name).items():
            assert f"ln {TITLES[method]} = {number(total, 4)}" in told, (name, method)
        halves = bjp.scores.spared_tests(bjp.score(data, graph, "ib"))
        assert comparison_halves.finding(halves) in [block.value for block in page.markdown]
        (frame,) = [each.value.reset_index(drop=True) for each in page.dataframe]
        expected = comparison_halves.table(halves, graph).reset_index(drop=True)
        pd.testing.assert_frame_equal(frame, expected, check_dtype=False)


def test_disputed_edges_and_a_fourth_score(open_app):
    page, data = settled(open_app("scores")), sources.load(CORONARY).data
    edges = ("smoking", "systolic_pressure"), ("mental_work", "lipoprotein_ratio")
    shown = by_column(page, 2)
    assert list(shown.index) == [" – ".join(edge).replace("_", r"\_") for edge in edges]
    for place, edge in enumerate(edges):
        for method, trace in learned(CORONARY).items():
            graph = nx.Graph(trace.graph)
            had = graph.has_edge(*edge)
            (graph.remove_edge if had else graph.add_edge)(*edge)
            change = bjp.score(data, graph, method).total - trace.score
            verdict = "**edge** · removing it" if had else "no edge · adding it"
            assert shown.iloc[place][TITLES[method]] == f"{verdict}: {number(change, 2)}"
    assert shown["BJP"].iloc[1].startswith("no edge · adding it: −")
    assert shown["Published graph"].iloc[1] == "**edge**"

    # How many scores agree on an edge is its tone.
    (panels,) = [view["panels"] for view in views(page) if "panels" in view]
    for i, j, tone in (edge for panel in panels for edge in panel["edges"]):
        agree = [t.graph.has_edge(data.names[i], data.names[j]) for t in learned(CORONARY).values()]
        assert {"only": 1, "some": 2, "all": 3}[tone] == sum(agree)
    # Comparing with the published graph changes no number, but the tones of the edges.
    before, published = [table.value for table in page.table], sources.load(CORONARY).published
    put(page, "compare", "the published graph")
    for one, two in zip(before, page.table, strict=True):
        pd.testing.assert_frame_equal(one, two.value)
    tones = {(True, True): "tp", (True, False): "fp", (False, True): "missing"}
    (panels,) = [view["panels"] for view in views(page) if "panels" in view]
    for panel, trace in zip(panels, learned(CORONARY).values(), strict=False):
        expected = {}
        for i, j in combinations(range(data.n), 2):
            pair = data.names[i], data.names[j]
            tone = tones.get((trace.graph.has_edge(*pair), published.has_edge(*pair)))
            expected |= {(i, j): tone} if tone else {}
        assert {(i, j): tone for i, j, tone in panel["edges"]} == expected

    assert list(by_column(page, 0).columns) == list(TITLES.values())
    put(page, "shown", "all")
    trace = bjp.learn(data, "near", PUBLISHED["near"])
    tests, score = f"{trace.tests:,}", number(trace.score, 4)
    found = by_column(page, 0).loc[["Tests made", "ln score"], "Near blankets"]
    assert found.tolist() == [tests, score]
    assert score in by_column(page, 1).loc["Near blankets’ graph", "ln Near blankets"]
    assert f"Near blankets made {tests} tests" in texts(page)
    assert page.metric[3].label == "Near blankets: tests, n(n − 1)/2"
    # The three scores have been compared before: their table must not stand in for this one.
    for cell in by_column(page, 2)[[*TITLES.values(), "Near blankets"]].to_numpy().ravel():
        assert re.fullmatch(r"(no edge · adding|\*\*edge\*\* · removing) it: [+−][\d.]+", cell)


def test_long_names_hide_no_pair_and_more_scores_fit():
    names = ["x" * 50 + end for end in "abc"]
    data = bjp.Dataset.from_codes(np.eye(3, dtype=int), (2, 2, 2), names=names)
    found = (*METHODS, "near", "of a package"), (nx.Graph([names[:2]]), nx.Graph([names[::2]])) * 3
    traces = {m: SimpleNamespace(graph=g, tests=2) for m, g in zip(*found, strict=False)}
    with pytest.MonkeyPatch.context() as patch:
        for module in (comparison, words):
            more = {"of a package": SimpleNamespace(title="Another")}
            patch.setattr(module, "SCORES", {**bjp.scores.SCORES, **more})
        said = comparison.finding(traces, {}, data)
        table = comparison.differences(traces, data, {}, {})
    assert "All scores agree on 0 of 2 edges." in said
    assert "Near blankets made 2 tests and Another made 2 local scores." in said
    assert (len(table), table.index.is_unique) == (2, True)


def test_the_results_wait_for_a_prediction(open_app):
    edges = {m: trace.graph.number_of_edges() for m, trace in learned(CORONARY).items()}
    assert len(set(edges.values())) == 3  # so that one score has the most
    best = max(edges, key=lambda method: edges[method])
    found = ", ".join(f"{TITLES[m]} {k}" for m, k in edges.items())
    text = f"{TITLES[best]} finds the most edges: {found}"
    for answer in (*METHODS, ""):
        app = settled(open_app("scores"))
        app.toggle(key="scores-predict").set_value(True).run()
        assert not app.table
        assert not views(app)
        settled(app.button(key=f"scores-predict-{answer}").click().run())
        (said,) = [block.value for block in app.markdown if f"{text}." in block.value]
        assert said.startswith("**✓" if answer == best else "**✗" if answer else text), answer
        assert len(app.table) >= 2
        app.toggle(key="scores-predict").set_value(False).run()
        assert text not in texts(app)


def test_few_variables_and_few_scores(open_app):
    page = open_app("scores")
    for names in (("a",), ("a", "b")):
        take(page, coupled(names))
        settled(page.run())
        assert by_column(page, 0).loc["Edges", "BJP"] == str(len(names) - 1)
        assert len(page.metric) == (0 if names == ("a",) else 3)


def test_a_long_search_shows_progress_and_can_be_cancelled(open_app, monkeypatch):
    learn = results.learn

    def endless(data, method, *args, **options):
        while method == "ib":
            if options["progress"].cancelled():
                raise bjp.errors.Cancelled("cancelled")
            time.sleep(0.01)
        return learn(data, method, *args, **options)

    monkeypatch.setattr(results, "learn", endless)
    page = open_app("scores")
    take(page, coupled(("a", "b", "c"), seed=11))
    until(lambda: "Then: MPL." in [caption.value for caption in page.run().caption])
    assert list(by_column(page, 0).columns) == ["BJP"]
    rested(page.button(key="scores-cancel").click().run())
    assert not page.exception
    assert list(by_column(page, 0).columns) == ["BJP", "MPL"]
    assert "cancelled" in page.info[0].value


@pytest.mark.parametrize("token", [CORONARY, "titanic", KARATE])
def test_the_table_and_the_figure_are_the_terms_that_bjp_infers(token):
    loaded = sources.load(token)
    data, graph = loaded.data, loaded.truth or learned(token)["bjp"].graph
    ours, theirs = bjp.score(data, graph), bjp.score(data, graph, "ib")
    halves = bjp.scores.spared_tests(theirs)
    of_pair = {(t.x, t.y): t for t in theirs.terms}
    frame = comparison_halves.table(halves, theirs.graph)
    lines = {(row["x"], row["y"]): row for _, row in frame.iterrows()}
    assert len(lines) == len(ours.inferred)
    for term in ours.inferred:
        row = lines[plain(term.x), plain(term.y)]
        there, made = of_pair[term.x, term.y], of_pair[term.y, term.x]
        shown = row[["Pr", "|Pr − ½|", "|Z|", "given", "asserted", "|Z| made", "Pr made"]]
        p, sign = np.exp(there.value), "⊥̸" if there.dependent else "⊥"
        want = [p, abs(p - 0.5), len(there.given), names_list(there.given), sign]
        assert shown.tolist() == [*want, len(made.given), np.exp(made.value)]
        slices = np.prod([data.cardinalities[data.index(z)] for z in there.given])
        assert row["rows per slice"] == pytest.approx(data.rows / slices)
    assert frame["|Z|"].is_monotonic_decreasing

    groups = comparison_halves.chart(halves, LIGHT).data
    halved = (halves.computed, halves.computed, halves.inferred, halves.inferred)
    for group, half in zip(groups, halved, strict=True):
        sign = "⊥̸" if group.name.startswith("⊥̸") else "⊥"
        mine = half.dependent == (sign == "⊥̸")
        pairs = zip(half.x[mine], half.y[mine], strict=True)
        assert list(group.text) == [f"{data.names[x]} {sign} {data.names[y]}" for x, y in pairs]
        assert group.y.tolist() == half.posterior[mine].tolist()
        assert np.rint(group.x).tolist() == half.given[mine].tolist()
        assert group.marker.color == (LIGHT.vermilion if sign == "⊥̸" else LIGHT.blue)
    assert [group.marker.symbol for group in groups] == ["circle"] * 2 + ["diamond-open"] * 2

    if token == KARATE:
        told = comparison_halves.finding(halves)
        spared = [of_pair[term.x, term.y] for term in ours.inferred]
        near = sum(abs(np.exp(t.value) - 0.5) < 0.1 for t in spared)
        mean = number(float(np.mean([len(t.given) for t in spared])), 2)
        lost = ours.total - theirs.total
        lost, before, after = (number(x, 4) for x in (lost, ours.total, theirs.total))
        assert f"and {near} of the inferred ones" in told
        assert f"given {mean} variables on average." in told
        assert f"lower ln IB-score by {lost}, from {before} to {after}." in told
        assert "condition on 2,044 more variables" in told


def test_a_graph_that_is_opened_keeps_its_origin(open_app):
    for name, choice, origin in (
        ("BJP’s", "learned", "learned by the paper’s search (IBMAP-HC)"),
        ("published graph", "published", "published"),
        ("MPL’s", "edited", "learned with MPL"),
    ):
        page = settled(open_app("scores"))
        page.segmented_control(key="scores-one-graph").set_value(name).run()
        settled(page.button(key="scores-one-step").click().run())
        assert page.segmented_control(key="step-graph").value == choice
        assert re.search(rf"\d edges? {re.escape(origin)} ·", line(page))


def test_a_graph_that_was_edited_has_all_scores(open_app):
    data, edges = sources.load(CORONARY).data, [("smoking", "family_history")]
    page = settled(open_app("scores"))
    page.session_state[visit._EDITED] = {data.digest: Edits(data, edges)}
    page.run()
    page.segmented_control(key="scores-one-graph").set_value("edited by you").run()
    for method in METHODS:
        total = bjp.score(data, nx.Graph(edges), method).total
        assert f"ln {TITLES[method]} = {number(total, 4)}" in texts(page), method
