"""Watch the climb: the steps, scores and reasons on the page are the search's."""

from dataclasses import fields
from functools import cache

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.graph import degree_order, to_adjacency
from bjp_engine.search import PUBLISHED, SEARCHES
from bjp_explorer.climb import run
from bjp_explorer.climb.choices import climbing
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import markdown, plain
from tests.app.looks import coupled, figures, line, payload, settled, take
from tests.strategies import noisy_tree

NETWORK = "net:target-5:clique-log-weights:1000:2"
TITLES = {"bjp": "BJP", "ib": "IB-score", "mpl": "MPL", "near": "Near blankets"}
# Names that Markdown would take for something else, as they stand in a sentence.
HOSTILE = {"_a_": r"\_a\_", "<b>": r"\<b\>", "$c$": r"\$c\$", "[d](e)": r"\[d\]\(e\)", "f": "f"}


@cache
def dataset(name):
    if name != "file":
        return sources.load(name)
    rows = noisy_tree(0, (2, 11, 5, 3, 7), 600).rows
    data = bjp.Dataset.from_codes(np.array(rows), names=tuple(HOSTILE))
    return Loaded("file:0123456789ef", "Many states", "", data)


@cache
def learned(name, method="bjp", search="", **options):
    return bjp.learn(dataset(name).data, method, search or PUBLISHED[method], **options)


@pytest.fixture
def opened(open_app, switch_page):

    def open_(where="coronary", **query):
        loaded = where if isinstance(where, Loaded) else dataset(where)
        if loaded.token == where:
            return settled(open_app("climb", data=where, **query))
        app = open_app("start")
        take(app, loaded)
        return settled(switch_page(app, "climb", data=loaded.token, **query))

    return open_


def select(app, control, value):
    box = app.segmented_control if control == "score" else app.selectbox
    settled(box(key=f"climb-{control}").set_value(value).run())


def keys(widgets):
    return [widget.key for widget in widgets]


def edges_of(graph, data):
    return {frozenset(map(data.index, edge)) for edge in graph.edges}


def compare_climb(app, trace, loaded):
    """The component's climb and the page's lines with the engine's, to the last digit."""
    data, at, shown = loaded.data, loaded.data.index, payload(app)
    # Blankets are chosen before the flips of a graph.
    flips = [step for step in trace.steps if step.phase != "blanket"]
    assert (shown["running"], shown["stop"]) == (False, str(trace.stop_reason))
    assert (shown["rejected"] is None) == (trace.rejected is None)
    pairs = [*zip(shown["steps"], flips, strict=True)]
    for found, step in [*pairs, *([(shown["rejected"], trace.rejected)] if trace.rejected else [])]:
        for name in ("added", "accepted", "phase", "gain", "score"):
            assert found[name] == getattr(step, name)
        assert found["edge"] == sorted(map(at, step.edge))
        assert found["order"] == [*map(at, step.order)]
        lowest = [[*map(at, c.edge), c.adjacent, c.value] for c in step.contributions]
        assert found["lowest"] == lowest
    begin = shown["start"]
    assert begin["score"] == trace.start_score
    assert begin["order"] == degree_order(to_adjacency(trace.start, data)).tolist()
    result = {*map(frozenset, begin["edges"])}
    assert result == edges_of(trace.start, data)
    for step in shown["steps"][: shown["best"]]:
        result ^= {frozenset(step["edge"])}
    assert result == edges_of(trace.graph, data)
    assert (shown["truth"] is None) == (loaded.truth is None)
    if loaded.truth is not None:
        assert {*map(frozenset, shown["truth"])} == edges_of(loaded.truth, data)

    told, _, of = line(app).rpartition(" · ")
    name, numbers = told.split(" = ", 1)
    assert (name, of) == (f"**{shown['score_name']}", markdown(loaded.title))
    assert name.startswith(f"**ln {TITLES[trace.method]}")
    assert ("prior" in told) == (not trace.structure.uniform)
    score, edges, *middle = figures(numbers)
    assert (score, edges) == (approx(trace.score), trace.graph.number_of_edges())
    if shown["best"] == len(flips):
        made, tests, _seconds, *distance = middle
        known = [] if loaded.truth is None else [bjp.metrics.hamming(loaded.truth, trace.graph)]
        assert (made, tests, distance) == (len(flips), trace.tests, known)
    ending = end_of(app, trace.search)
    assert str(trace.stop_reason) in ending
    if trace.rejected is not None and "change the score by" in ending:
        assert ("adding" if trace.rejected.added else "removing") in ending
        gain = figures(ending.split("change the score by")[1])[0]
        assert gain == pytest.approx(trace.rejected.gain, abs=5.1e-5)


def approx(value):
    return pytest.approx(value, abs=5.1e-4)


def end_of(app, search):
    return app.main.caption[-2 if search == "mpl-hc" else -1].value


@pytest.mark.parametrize("name", ["coronary", NETWORK, "file"])
def test_the_papers_searches_are_the_engines(opened, name):
    for method, start in (
        *(("bjp", start) for start in ("empty", "mpl-and", "mpl-or", "chow-liu")),
        *(("ib", "mpl"), ("ib", "empty"), ("mpl", None)),
    ):
        options = {} if start is None else {"start": start}
        trace = learned(name, method, **options)
        app = opened(name, score=method, search=PUBLISHED[method], **options)
        assert trace.rejected is None or "change the score by" in app.main.caption[-1].value
        compare_climb(app, trace, dataset(name))
        if name == "file" and (method, start) == ("bjp", "empty"):
            assert all(HOSTILE[n] in app.main.caption[-1].value for n in trace.rejected.edge)
    # The last of them, MPL's, has a first phase.
    chosen = [step for step in trace.steps if step.phase == "blanket"]
    table = app.dataframe[0].value
    shown = table[["variable", "neighbour", "gain", "local score"]].to_numpy().tolist()
    assert shown == [[*map(plain, step.edge), step.gain, step.score] for step in chosen]
    # Replayed, the changes give the blankets whose common edges the second phase starts from.
    blankets = {plain(variable): set() for variable in trace.graph}
    for variable, change, neighbour in table[["variable", "change", "neighbour"]].to_numpy():
        blankets[variable] ^= {neighbour}
        assert (change == "adds") == (neighbour in blankets[variable])
    both = {frozenset((u, v)) for u, found in blankets.items() for v in found if u in blankets[v]}
    assert both == {frozenset(map(plain, edge)) for edge in trace.start.edges}


@pytest.mark.parametrize("name", ["coronary", NETWORK])
@pytest.mark.parametrize("method", TITLES)
def test_every_search_of_every_score(opened, name, method):
    loaded, paper = dataset(name), PUBLISHED[method]
    for search in climbing(method):
        trace = learned(name, method, search)
        app = opened(name, score=method, search=search)
        box = app.selectbox(key="climb-search")
        assert box.value == search
        assert "exhaustive" not in box.options
        compare_climb(app, trace, loaded)
        shown, ending = payload(app), end_of(app, search)
        assert shown["made"] == len(shown["steps"])
        tried = [step["tried"] for step in [*shown["steps"], shown["rejected"]] if step]
        assert min(tried, default=1) >= 1
        if search != "mpl-hc":
            assert sum(tried) <= trace.evaluations
            # Blankets come before the flips; without them the trace counts the same steps.
            assert shown["best"] == trace.best_at
        if search == "hill-climb":
            done = [step.evaluations for step in trace.steps]
            assert np.cumsum([step["tried"] for step in shown["steps"]]).tolist() == done
            assert sum(tried) == trace.evaluations
            if name == "coronary":
                assert f"The last {trace.evaluations - done[-1]} proposals were refused" in ending
                assert f"The search tried {trace.evaluations} flips in total" in ending
        assert ("The result is" in ending) == (shown["best"] < shown["made"])
        assert ("climb-paper" in keys(app.button)) == (search != paper)
        if search != paper:
            compare_with_paper(app, trace, learned(name, method), loaded)
        check_numbers(app, search)


def compare_with_paper(app, trace, paper, of):
    """The difference from the paper's search, in edges, scores and distances from the truth."""
    ours, theirs = (edges_of(each.graph, of.data) for each in (trace, paper))
    (said,) = [b.value for b in app.markdown if b.value.startswith("**Compared with the")]
    if ours == theirs:
        assert said.endswith("the same graph")
        return
    expected = [len(edges) for edges in (ours - theirs, theirs - ours) if edges]
    expected += [bjp.score(of.data, each.graph, trace.method).total for each in (trace, paper)]
    if of.truth is not None:
        expected += [bjp.metrics.hamming(of.truth, each.graph) for each in (trace, paper)]
    assert figures(said.split("):")[1]) == approx(expected)


def check_numbers(app, search):
    """A search's numbers start as the engine's, which takes both ends of what can be entered."""
    options = SEARCHES[search].options_type
    known = {f.name: f.default for f in fields(options)}
    for number in app.number_input:
        _climb, of, *name = number.key.split("-")
        if of == search:
            usual = known["-".join(name)]
            assert number.value == usual
            for end in (number.min, number.max):
                options(**{name[0]: type(usual)(end)})


def test_choices_lead_from_climb_to_climb(opened):
    app = opened()
    first = payload(app)
    select(app, "start", "mpl-or")
    second = payload(app)
    assert second["id"] != first["id"]
    assert second["layout_id"] == first["layout_id"]
    assert second["start"]["edges"]
    select(app, "score", "mpl")
    assert "climb-start" not in keys(app.selectbox)
    assert payload(app)["method"] == "mpl"
    select(app, "score", "bjp")
    assert app.selectbox(key="climb-start").value == "mpl-or"
    assert payload(app)["steps"] == second["steps"]

    for control, value, search in (
        *(("search", "tabu", "tabu"), ("score", "mpl", "tabu")),
        *(("search", "mpl-hc", "mpl-hc"), ("score", "ib", "ibmap-hc")),
    ):
        select(app, control, value)
        assert app.selectbox(key="climb-search").value == search


def test_all_data_begin_with_the_papers_search_however_few_their_variables(opened):
    for data, by_auto in (("coronary", False), ("file", True)):
        app = opened(data)
        assert app.selectbox(key="climb-search").value == "ibmap-hc"
        assert payload(app)["steps"][-1]["score"] == learned(data).score
        assert any("makes no flips" in each.value for each in app.main.caption) == by_auto
    # An old link to auto's climb.
    app = opened(search="auto")
    assert "can’t be used" in app.warning[0].value
    assert app.selectbox(key="climb-search").value == "ibmap-hc"
    for variables in (1, 2):
        loaded = coupled(("a", "b")[:variables])
        app = opened(loaded)
        for search in climbing("bjp"):
            select(app, "search", search)
            trace = bjp.learn(loaded.data, "bjp", search)
            assert len(payload(app)["steps"]) == len(trace.steps), (variables, search)
            assert search != "ibmap-hc" or len(trace.steps) == variables - 1
            assert str(trace.stop_reason) in app.main.caption[-1].value, (variables, search)


def test_priors_and_what_a_search_does(opened):
    app = opened()
    for method, title in TITLES.items():
        select(app, "score", method)
        for kind, options, said in (
            ("degree", {"expected_degree": 0.5}, "The prior probability of each edge is 0.1000"),
            ("data", {"edge_probability": "data"}, "estimated from the data"),
        ):
            select(app, "prior", kind)
            if kind == "degree":
                settled(app.number_input(key="climb-degree").set_value(0.5).run())
            trace = learned("coronary", method, **options)
            assert line(app).startswith(f"**ln {title} + prior = ")
            (prior,) = [each.value for each in app.main.caption if "this prior" in each.value]
            assert said in prior
            share, *_, total = figures(prior)
            assert [figures(line(app))[0], total] == approx([trace.score, trace.log_prior])
            expected = trace.structure.probability(dataset("coronary").data.n)
            assert share == pytest.approx(expected, abs=5.1e-5)


def test_what_is_predicted_is_not_said_around_the_climbs(opened):
    for query, predicts in (({}, False), ({"predict": "1"}, True)):
        app, both = opened(**query), opened(beside="score", **query)
        assert payload(app)["predict"] == payload(both)["predict"] == predicts
        first, text = (
            "\n".join(block.value for block in (*page.main.markdown, *page.main.caption))
            for page in (app, both)
        )
        assert ("The last proposal" in first) == (not predicts)
        # BJP finds 5 edges, IB-score 6.
        assert ("5 edges" in text, "6 edges" in text) == (not predicts,) * 2
        assert ("Predict which climb finds more edges" in text) == predicts
        assert (" edges " in text.replace("Predict which climb finds more edges", "")) != predicts


def test_of_a_large_difference_the_line_names_a_few():
    data = dataset("coronary").data
    none, every = nx.empty_graph(data.names), nx.complete_graph(data.names)
    for most, more in ((3, " and 12 more)"), (15, ")")):
        text = run.difference_between(none, every, data, most)
        assert text.startswith("0 edges in both graphs · 15 edges only in the second (")
        assert text.count(" – ") == most
        assert text.endswith(more)
        assert ("more" in text) == (most == 3)
