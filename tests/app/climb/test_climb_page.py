"""Watch the climb: the steps, scores and reasons on the page are the search's."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from typing import Any

import networkx as nx
import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_engine.graph import degree_order, to_adjacency
from bjp_engine.search import PUBLISHED, SEARCHES, SearchTrace
from bjp_explorer.climb import choices, words
from bjp_explorer.climb.choices import climbing
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import markdown, plain
from tests.app.conftest import OpenApp
from tests.app.looks import figures, line, payload, settled, take

Opened = Callable[..., AppTest]
NETWORK = "net:target-5:clique-log-weights:1000:2"
TITLES = {"bjp": "BJP", "ib": "IB-score", "mpl": "MPL", "near": "Near blankets"}
# Names that Markdown would take for something else, as they stand in a sentence.
HOSTILE = {"_a_": r"\_a\_", "<b>": r"\<b\>", "$c$": r"\$c\$", "[d](e)": r"\[d\]\(e\)", "f": "f"}


@cache
def dataset(name: str) -> Loaded:
    """A dataset by its token, or a file of five variables with 2 to 11 states."""
    if name != "file":
        return sources.load(name)
    random = np.random.default_rng(11)
    columns = [random.integers(2, size=600)]
    for states in (11, 5, 3, 7):
        noise = random.integers(states, size=600)
        columns.append(np.where(random.random(600) < 0.6, columns[-1] % states, noise))
    data = bjp.Dataset.from_codes(np.column_stack(columns), names=tuple(HOSTILE))
    return Loaded("file:0123456789ef", "Many states", "", data)


def tiny(variables: int) -> Loaded:
    """Data with hardly a pair."""
    codes = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])[:, :variables]
    data = bjp.Dataset.from_codes(codes, names=("a", "b")[:variables])
    return Loaded(f"file:0123456789a{variables}", "Small", "", data)


@cache
def learned(name: str, method: str = "bjp", search: str = "", **options: Any) -> SearchTrace:
    """The same climb by the engine."""
    return bjp.learn(dataset(name).data, method, search or PUBLISHED[method], **options)


@pytest.fixture
def opened(open_app: OpenApp, switch_page: Callable[..., AppTest]) -> Opened:
    """Open the page on some data, once its climb has ended."""

    def open_(where: str | Loaded = "coronary", **query: str) -> AppTest:
        loaded = where if isinstance(where, Loaded) else dataset(where)
        if loaded.token == where:
            return settled(open_app("climb", data=where, **query))
        app = open_app("start")
        take(app, loaded)
        return settled(switch_page(app, "climb", data=loaded.token, **query))

    return open_


def edges_of(graph: nx.Graph[Any], data: bjp.Dataset) -> set[frozenset[int]]:
    return {frozenset(map(data.index, edge)) for edge in graph.edges}


def compare_climb(app: AppTest, trace: SearchTrace, loaded: Loaded) -> None:
    """The component's climb and the page's lines with the engine's, to the last digit."""
    data, shown = loaded.data, payload(app)
    # Blankets are chosen before the flips of a graph.
    flips = [step for step in trace.steps if step.phase != "blanket"]
    assert shown["running"] is False
    assert shown["stop"] == str(trace.stop_reason)
    assert (shown["rejected"] is None) == (trace.rejected is None)
    pairs = [*zip(shown["steps"], flips, strict=True)]
    for found, step in [*pairs, *([(shown["rejected"], trace.rejected)] if trace.rejected else [])]:
        assert found["edge"] == sorted(map(data.index, step.edge))
        for name in ("added", "accepted", "phase", "gain", "score"):
            assert found[name] == getattr(step, name)
        assert found["order"] == [data.index(name) for name in step.order]
        lowest = [[*map(data.index, c.edge), c.adjacent, c.value] for c in step.contributions]
        assert found["lowest"] == lowest
    # A search that makes no flips shows its graph.
    begin, start = shown["start"], trace.start if flips or trace.search != "exact" else trace.graph
    assert begin["score"] == (trace.start_score if start is trace.start else trace.score)
    assert begin["order"] == degree_order(to_adjacency(start, data)).tolist()
    result = {frozenset(pair) for pair in begin["edges"]}
    assert result == edges_of(start, data)
    for step in shown["steps"][: shown["best"]]:
        result ^= {frozenset(step["edge"])}
    assert result == edges_of(trace.graph, data)
    truth = None if shown["truth"] is None else {frozenset(pair) for pair in shown["truth"]}
    assert truth == (None if loaded.truth is None else edges_of(loaded.truth, data))

    told, _, of = line(app).rpartition(" · ")
    assert of == markdown(loaded.title)
    assert told.startswith(f"**{shown['score_name']} = ")
    assert told.startswith(f"**ln {TITLES[trace.method]}")
    assert ("prior" in told) == (not trace.structure.uniform)
    score, edges, *middle = figures(told.split("= ", 1)[1])
    assert score == pytest.approx(trace.score, abs=5.1e-4)
    assert edges == trace.graph.number_of_edges()
    if shown["best"] == len(flips):
        made, tests, _seconds, *distance = middle
        assert (made, tests) == (len(flips), trace.tests)
        assert distance == (
            [] if loaded.truth is None else [bjp.metrics.hamming(loaded.truth, trace.graph)]
        )
    ending = app.main.caption[-2 if trace.search == "mpl-hc" else -1].value
    assert str(trace.stop_reason) in ending
    if trace.rejected is not None and "change the score by" in ending:
        assert ("adding" if trace.rejected.added else "removing") in ending
        gain = figures(ending.split("change the score by")[1])[0]
        assert gain == pytest.approx(trace.rejected.gain, abs=5.1e-5)


@pytest.mark.parametrize("name", ["coronary", NETWORK, "file"])
def test_the_papers_searches_are_the_engines(opened: Opened, name: str) -> None:
    for method, start in (
        *(("bjp", start) for start in ("empty", "mpl-and", "mpl-or", "chow-liu")),
        *(("ib", "mpl"), ("ib", "empty"), ("mpl", None)),
    ):
        search, options = PUBLISHED[method], {} if start is None else {"start": start}
        trace = learned(name, method, **options)
        app = opened(name, score=method, search=search, **options)
        assert trace.rejected is None or "change the score by" in app.main.caption[-1].value
        compare_climb(app, trace, dataset(name))
        if name == "file" and (method, start) == ("bjp", "empty"):
            assert trace.rejected is not None
            assert all(HOSTILE[n] in app.main.caption[-1].value for n in trace.rejected.edge)
    # The last of them, MPL's, has a first phase.
    chosen = [step for step in trace.steps if step.phase == "blanket"]
    table = app.dataframe[0].value
    assert table["variable"].tolist() == [plain(step.edge[0]) for step in chosen]
    assert table["neighbour"].tolist() == [plain(step.edge[1]) for step in chosen]
    assert table["gain"].tolist() == [step.gain for step in chosen]
    assert table["local score"].tolist() == [step.score for step in chosen]
    # Replayed, the changes give the blankets whose common edges the second phase starts from.
    blankets: dict[str, set[str]] = {plain(variable): set() for variable in trace.graph}
    for variable, change, neighbour in table[["variable", "change", "neighbour"]].to_numpy():
        blankets[variable] ^= {neighbour}
        assert (change == "adds") == (neighbour in blankets[variable])
    both = {frozenset((u, v)) for u, found in blankets.items() for v in found if u in blankets[v]}
    assert both == {frozenset(map(plain, edge)) for edge in trace.start.edges}


@pytest.mark.parametrize("name", ["coronary", NETWORK])
@pytest.mark.parametrize("method", TITLES)
def test_every_search_of_every_score(opened: Opened, name: str, method: str) -> None:
    loaded = dataset(name)
    for search in climbing(method):
        trace = learned(name, method, search)
        app = opened(name, score=method, search=search)
        box = app.selectbox(key="climb-search")
        assert "exhaustive" not in box.options
        assert box.value == search
        compare_climb(app, trace, loaded)
        shown, ending = payload(app), app.main.caption[-2 if search == "mpl-hc" else -1].value
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
        is_paper = search == PUBLISHED[method]
        assert ("climb-paper" in [button.key for button in app.button]) != is_paper
        if not is_paper:
            compare_with_paper(app, trace, learned(name, method), loaded)
        check_numbers(app, search)


def compare_with_paper(app: AppTest, trace: SearchTrace, paper: SearchTrace, of: Loaded) -> None:
    """The difference from the paper's search, in edges, scores and distances from the truth."""
    ours, theirs = (edges_of(each.graph, of.data) for each in (trace, paper))
    (said,) = [each.value for each in app.markdown if each.value.startswith("**Compared with the")]
    if ours == theirs:
        assert said.endswith("the same graph")
        return
    expected: list[float] = [len(edges) for edges in (ours - theirs, theirs - ours) if edges]
    expected += [bjp.score(of.data, each.graph, trace.method).total for each in (trace, paper)]
    if of.truth is not None:
        expected += [bjp.metrics.hamming(of.truth, each.graph) for each in (trace, paper)]
    assert figures(said.split("):")[1]) == pytest.approx(expected, abs=5.1e-4)


def check_numbers(app: AppTest, search: str) -> None:
    """A search's numbers start as the engine's, which takes both ends of what can be entered."""
    known = {f.name: f.default for f in fields(SEARCHES[search].options_type)}
    for number in app.number_input:
        _climb, of, *name = number.key.split("-")
        if of == search:
            usual = known["-".join(name)]
            assert number.value == usual
            for end in (number.min, number.max):
                SEARCHES[search].options_type(**{name[0]: type(usual)(end)})
    if "hot" in known:
        slider = app.select_slider(key="climb-temperature")
        assert slider.value == (known["cold"], known["hot"])


def test_choices_lead_from_climb_to_climb(opened: Opened) -> None:
    app = opened()
    first = payload(app)
    settled(app.selectbox(key="climb-start").select("mpl-or").run())
    second = payload(app)
    assert second["id"] != first["id"]
    assert second["layout_id"] == first["layout_id"]
    assert second["start"]["edges"]
    settled(app.segmented_control(key="climb-score").set_value("mpl").run())
    # The search of MPL has a start of its own.
    assert "climb-start" not in [box.key for box in app.selectbox]
    assert payload(app)["method"] == "mpl"
    settled(app.segmented_control(key="climb-score").set_value("bjp").run())
    assert app.selectbox(key="climb-start").value == "mpl-or"
    assert payload(app)["steps"] == second["steps"]

    # With much time it is another job, and the same climb.
    without = line(app)
    app.number_input(key="climb-seconds").set_value(3600.0)
    settled(app.run())
    assert line(app).split(" in ")[0] == without.split(" in ")[0]
    assert "climb-paper" in [button.key for button in app.button]

    # A search stays where it serves the score.
    settled(app.selectbox(key="climb-search").select("tabu").run())
    settled(app.segmented_control(key="climb-score").set_value("mpl").run())
    assert app.selectbox(key="climb-search").value == "tabu"
    settled(app.selectbox(key="climb-search").select("mpl-hc").run())
    settled(app.segmented_control(key="climb-score").set_value("ib").run())
    assert app.selectbox(key="climb-search").value == "ibmap-hc"


def test_data_with_hardly_a_pair(opened: Opened) -> None:
    for variables in (1, 2):
        loaded = tiny(variables)
        app = opened(loaded)
        for search in climbing("bjp"):
            settled(app.selectbox(key="climb-search-own").select(search).run())
            trace = bjp.learn(loaded.data, "bjp", search)
            assert len(payload(app)["steps"]) == len(trace.steps), (variables, search)
            assert search != "ibmap-hc" or len(trace.steps) == variables - 1
            assert str(trace.stop_reason) in app.main.caption[-1].value, (variables, search)


def test_ones_own_data_begin_with_auto_and_the_built_in_with_the_papers(opened: Opened) -> None:
    assert opened().selectbox(key="climb-search").value == "ibmap-hc"
    app, trace = opened("file"), learned("file", "bjp", "auto")
    assert app.selectbox(key="climb-search-own").value == "auto"
    assert figures(line(app))[0] == pytest.approx(trace.score, abs=5.1e-4)
    (prior,) = [each.value for each in app.main.caption if "composite objective" in each.value]
    assert figures(prior)[0] == pytest.approx(trace.log_prior, abs=5.1e-4)
    settled(app.button(key="climb-paper").click().run())
    assert payload(app)["steps"][-1]["score"] == learned("file").score
    assert "climb-paper" not in [button.key for button in app.button]


def test_options_are_the_engines(opened: Opened) -> None:
    for method, search, options in (
        ("bjp", "tabu", {"tenure": 2, "patience": 9}),
        ("bjp", "restarts", {"restarts": 2, "strength": 3, "seed": 5}),
        ("ib", "annealing", {"sweeps": 20, "seed": 4, "cold": 0.5, "hot": 2.0}),
    ):
        app = opened(score=method, search=search)
        before = payload(app)["id"]
        for name in options.keys() - {"cold", "hot"}:
            assert app.number_input(key=f"climb-{search}-{name}").value != options[name]
            app.number_input(key=f"climb-{search}-{name}").set_value(options[name])
        if "hot" in options:
            app.select_slider(key="climb-temperature").set_range(options["cold"], options["hot"])
        settled(app.run())
        trace = learned("coronary", method, search, **options)
        scores = [step["score"] for step in payload(app)["steps"]]
        assert scores == [step.score for step in trace.steps], search
        assert payload(app)["id"] != before, search


def test_priors(opened: Opened) -> None:
    app = opened()
    for method, title in TITLES.items():
        settled(app.segmented_control(key="climb-score").set_value(method).run())
        for kind, options, said in (
            ("degree", {"expected_degree": 0.5}, "The prior probability of each edge is 0.1000"),
            ("data", {"edge_probability": "data"}, "estimated from the data"),
        ):
            settled(app.selectbox(key="climb-prior").select(kind).run())
            if kind == "degree":
                settled(app.number_input(key="climb-degree").set_value(0.5).run())
            trace = learned("coronary", method, **options)
            assert figures(line(app))[0] == pytest.approx(trace.score, abs=5.1e-4)
            assert line(app).startswith(f"**ln {title} + prior = ")
            (prior,) = [each.value for each in app.main.caption if "this prior" in each.value]
            assert said in prior
            assert figures(prior)[-1] == pytest.approx(trace.log_prior, abs=5.1e-4)
            share = trace.structure.probability(dataset("coronary").data.n)
            assert figures(prior)[0] == pytest.approx(share, abs=5.1e-5)
    # A running search is named before it has a trace.
    assert choices.Choice("bjp", "auto", {}).has_prior
    assert not choices.Choice("bjp", "ibmap-hc", {}).has_prior


def test_what_is_predicted_is_not_said_around_the_climbs(opened: Opened) -> None:
    def said(**query: str) -> tuple[bool, str]:
        app = opened(**query)
        blocks = (*app.main.markdown, *app.main.caption)
        return payload(app)["predict"], "\n".join(block.value for block in blocks)

    for query, predicts in (({}, False), ({"predict": "1"}, True)):
        on, text = said(**query)
        assert (on, "The last proposal" in text) == (predicts, not predicts)
        # BJP finds 5 edges, IB-score 6.
        on, text = said(beside="score", **query)
        assert on == predicts
        assert ("5 edges" in text, "6 edges" in text) == (not predicts,) * 2
        assert (words.PREDICTING in text) == predicts
        assert (" edges " in text.replace(words.PREDICTING, "")) != predicts


def test_what_a_search_does_is_said() -> None:
    assert {search for method in TITLES for search in climbing(method)} <= set(words.ABOUT)
    # One without a sentence here says it by its docstring.
    first = (inspect.getdoc(type(SEARCHES["exhaustive"])) or "").splitlines()[0]
    assert words.about("exhaustive") == first
