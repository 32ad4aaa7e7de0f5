"""Watch the climb: the steps, scores and reasons on the page are the search's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_engine.graph import degree_order, to_adjacency
from bjp_engine.scores import SCORES
from bjp_engine.search import PUBLISHED, SEARCHES
from bjp_explorer.climb import choices, words
from bjp_explorer.climb.choices import climbing
from bjp_explorer.shell import sources, visit
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import markdown, plain
from tests.app.looks import figures, line, payload, settled, take

Opened = Callable[..., AppTest]
NETWORK = "net:target-5:clique-log-weights:1000:2"
TITLES = {"bjp": "BJP", "ib": "IB-score", "mpl": "MPL", "near": "Near blankets"}
CLIMBS = [
    ("bjp", "empty"),
    ("bjp", "mpl-and"),
    ("bjp", "mpl-or"),
    ("bjp", "chow-liu"),
    ("ib", "mpl"),
    ("ib", "empty"),
    ("mpl", None),
]


def many_states() -> Loaded:
    """Five variables with 2 to 11 states, each following the one before."""
    random = np.random.default_rng(11)
    columns = [random.integers(2, size=600)]
    for states in (11, 5, 3, 7):
        noise = random.integers(states, size=600)
        columns.append(np.where(random.random(600) < 0.6, columns[-1] % states, noise))
    names = ("_a_", "<b>", "$c$", "[d](e)", "f")
    data = bjp.Dataset.from_codes(np.column_stack(columns), names=names)
    return Loaded("file:0123456789ef", "Many states", "", data)


DATASETS = {
    "coronary": sources.load("coronary"),
    NETWORK: sources.load(NETWORK),
    "file": many_states(),
}


@pytest.fixture
def opened(open_app: Callable[..., AppTest], run: Callable[[Any], AppTest]) -> Opened:
    """Open the page on one of the datasets, once its climb has ended."""

    def open_(
        name: str = "coronary",
        method: str = "bjp",
        start: str | None = "empty",
        search: str | None = None,
    ) -> AppTest:
        loaded = DATASETS[name]
        app = open_app("start")
        app.session_state[visit._UPLOADS] = {loaded.token: loaded} if name == "file" else {}
        app.session_state[visit._TOKEN] = loaded.token
        app.session_state["climb-score"] = method
        key = "climb-search-own" if name == "file" else "climb-search"
        app.session_state[key] = search or PUBLISHED[method]
        if start is not None:
            app.session_state["climb-start"] = start
        return settled(run(app.switch_page("pages/climb.py")))

    return open_


def learned(name: str, method: str, start: str | None) -> bjp.search.SearchTrace:
    """The same climb by the engine."""
    options = {} if start is None else {"start": start}
    return bjp.learn(DATASETS[name].data, method, PUBLISHED[method], **options)


def flips(trace: bjp.search.SearchTrace) -> list[bjp.search.Step]:
    """The flips of a graph; blankets are chosen before."""
    return [step for step in trace.steps if step.phase != "blanket"]


def compare_step(shown: dict[str, Any], step: bjp.search.Step, data: bjp.Dataset) -> None:
    """One proposal, to the last digit."""
    assert shown["edge"] == sorted(map(data.index, step.edge))
    for name in ("added", "accepted", "phase", "gain", "score"):
        assert shown[name] == getattr(step, name)
    assert shown["order"] == [data.index(name) for name in step.order]
    assert shown["lowest"] == [
        [*map(data.index, c.edge), c.adjacent, c.value] for c in step.contributions
    ]


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize(("method", "start"), CLIMBS)
def test_the_component_is_given_the_engines_climb(
    opened: Opened, name: str, method: str, start: str | None
) -> None:
    data, trace = DATASETS[name].data, learned(name, method, start)
    shown = payload(opened(name, method, start))
    assert shown["running"] is False
    assert shown["stop"] == str(trace.stop_reason)
    assert len(shown["steps"]) == len(flips(trace))
    for found, step in zip(shown["steps"], flips(trace), strict=True):
        compare_step(found, step, data)
    assert (shown["rejected"] is None) == (trace.rejected is None)
    if trace.rejected is not None:
        compare_step(shown["rejected"], trace.rejected, data)
    begin = shown["start"]
    assert begin["score"] == trace.start_score
    assert begin["order"] == degree_order(to_adjacency(trace.start, data)).tolist()
    assert {frozenset(pair) for pair in begin["edges"]} == {
        frozenset(map(data.index, edge)) for edge in trace.start.edges
    }


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize(("method", "start"), CLIMBS)
def test_the_page_tells_how_it_went(
    opened: Opened, name: str, method: str, start: str | None
) -> None:
    loaded, trace = DATASETS[name], learned(name, method, start)
    app = opened(name, method, start)
    told, _, of = line(app).rpartition(" · ")
    assert of == markdown(loaded.title)
    assert told.startswith(f"**ln {TITLES[method]} = ")
    score, edges, made, tests, _seconds, *distance = figures(told.split("= ", 1)[1])
    assert score == pytest.approx(trace.score, abs=5.1e-4)
    assert (edges, made) == (trace.graph.number_of_edges(), len(flips(trace)))
    assert tests == trace.tests
    if loaded.truth is None:
        assert not distance
    else:
        assert distance == [bjp.metrics.hamming(loaded.truth, trace.graph)]
    ending = app.main.caption[-2 if method == "mpl" else -1].value
    assert str(trace.stop_reason) in ending
    if trace.rejected is None:
        return
    assert ("adding" if trace.rejected.added else "removing") in ending
    gain = figures(ending.split("change the score by")[1])[0]
    assert gain == pytest.approx(trace.rejected.gain, abs=5.1e-5)


@pytest.mark.parametrize("name", DATASETS)
def test_the_first_phase_of_mpl_is_told(opened: Opened, name: str) -> None:
    trace = learned(name, "mpl", None)
    app = opened(name, "mpl", None)
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


def test_names_in_the_ending_are_no_markup(opened: Opened) -> None:
    ends = {"_a_": r"\_a\_", "<b>": r"\<b\>", "$c$": r"\$c\$", "[d](e)": r"\[d\]\(e\)", "f": "f"}
    told = opened("file", "bjp", "empty").main.caption[-1].value
    step = learned("file", "bjp", "empty").rejected
    assert step is not None
    for name in step.edge:
        assert ends[name] in told


def test_the_truth_is_the_networks(opened: Opened) -> None:
    loaded = DATASETS[NETWORK]
    shown = payload(opened(NETWORK))["truth"]
    assert {frozenset(pair) for pair in shown} == {
        frozenset(map(loaded.data.index, edge)) for edge in loaded.truth.edges
    }
    assert payload(opened("coronary"))["truth"] is None


def test_another_start_is_another_climb(opened: Opened) -> None:
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


@pytest.mark.parametrize("search", climbing("bjp"))
@pytest.mark.parametrize("variables", [1, 2])
def test_data_with_hardly_a_pair(
    open_app: Callable[..., AppTest],
    switch_page: Callable[..., AppTest],
    variables: int,
    search: str,
) -> None:
    codes = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])[:, :variables]
    data = bjp.Dataset.from_codes(codes, names=("a", "b")[:variables])
    loaded = Loaded("file:0123456789ab", "Small", "", data)
    app = open_app("start")
    take(app, loaded)
    app.session_state["climb-search-own"] = search
    settled(switch_page(app, "climb"))
    trace = bjp.learn(data, "bjp", search)
    assert len(payload(app)["steps"]) == len(trace.steps)
    if search == "ibmap-hc":
        assert len(trace.steps) == variables - 1
    assert str(trace.stop_reason) in app.main.caption[-1].value


SEARCHED = [(method, search) for method in SCORES for search in climbing(method)]


@pytest.mark.parametrize(("method", "search"), SEARCHED)
@pytest.mark.parametrize("name", ["coronary", NETWORK])
def test_every_search_of_every_score(opened: Opened, name: str, method: str, search: str) -> None:
    loaded, trace = DATASETS[name], bjp.learn(DATASETS[name].data, method, search)
    app = opened(name, method, None, search)
    box = app.selectbox(key="climb-search")
    assert "exhaustive" not in box.options
    assert box.value == search
    shown = payload(app)
    made = flips(trace)
    assert len(shown["steps"]) == shown["made"] == len(made)
    for found, step in zip(shown["steps"], made, strict=True):
        compare_step(found, step, loaded.data)
    tried = [step["tried"] for step in [*shown["steps"], shown["rejected"]] if step]
    assert min(tried, default=1) >= 1
    if search != "mpl-hc":
        assert sum(tried) <= trace.evaluations
        # Blankets come before the flips; without them the trace counts the same steps.
        assert shown["best"] == trace.best_at
    result = {frozenset(pair) for pair in shown["start"]["edges"]}
    for step in shown["steps"][: shown["best"]]:
        result ^= {frozenset(step["edge"])}
    assert result == {frozenset(map(loaded.data.index, edge)) for edge in trace.graph.edges}
    told = line(app)
    assert told.startswith(f"**{shown['score_name']} = ")
    assert ("prior" in told) == (not trace.structure.uniform)
    assert figures(told.split("= ", 1)[1])[0] == pytest.approx(trace.score, abs=5.1e-4)
    ending = app.main.caption[-2 if search == "mpl-hc" else -1].value
    assert str(trace.stop_reason) in ending
    assert ("The result is" in ending) == (shown["best"] < shown["made"])
    assert ("climb-paper" in [button.key for button in app.button]) == (search != PUBLISHED[method])


def test_what_is_tried_before_a_step_adds_up(opened: Opened) -> None:
    trace = bjp.learn(DATASETS["coronary"].data, "bjp", "hill-climb")
    app = opened("coronary", "bjp", "empty", "hill-climb")
    shown = payload(app)
    tried = [step["tried"] for step in shown["steps"]]
    assert [sum(tried[: k + 1]) for k in range(len(tried))] == [
        step.evaluations for step in trace.steps
    ]
    assert sum(tried) + shown["rejected"]["tried"] == trace.evaluations
    refused = trace.evaluations - trace.steps[-1].evaluations
    assert f"The last {refused} proposals were refused" in app.main.caption[-1].value
    assert f"The search tried {trace.evaluations} flips in total" in app.main.caption[-1].value


def test_ones_own_data_begin_with_auto_and_the_built_in_with_the_papers(
    open_app: Callable[..., AppTest], switch_page: Callable[..., AppTest]
) -> None:
    app = open_app("climb", data="coronary")
    assert settled(app).selectbox(key="climb-search").value == "ibmap-hc"
    loaded = DATASETS["file"]
    app = open_app("start")
    take(app, loaded)
    settled(switch_page(app, "climb"))
    assert app.selectbox(key="climb-search-own").value == "auto"
    trace = bjp.learn(loaded.data, "bjp", "auto")
    assert figures(line(app))[0] == pytest.approx(trace.score, abs=5.1e-4)
    (prior,) = [each.value for each in app.main.caption if "composite objective" in each.value]
    assert figures(prior)[0] == pytest.approx(trace.log_prior, abs=5.1e-4)
    settled(app.button(key="climb-paper").click().run())
    paper = bjp.learn(loaded.data, search="ibmap-hc")
    assert payload(app)["steps"][-1]["score"] == paper.score
    assert "climb-paper" not in [button.key for button in app.button]


def test_a_search_stays_where_it_serves_the_score(opened: Opened) -> None:
    app = opened("coronary", "bjp", "empty", "tabu")
    settled(app.segmented_control(key="climb-score").set_value("mpl").run())
    assert app.selectbox(key="climb-search").value == "tabu"
    settled(app.selectbox(key="climb-search").select("mpl-hc").run())
    settled(app.segmented_control(key="climb-score").set_value("ib").run())
    assert app.selectbox(key="climb-search").value == "ibmap-hc"


@pytest.mark.parametrize(
    ("search", "key", "options"),
    [
        ("tabu", {"climb-tabu-tenure": 2, "climb-tabu-patience": 9}, {"tenure": 2, "patience": 9}),
        (
            "restarts",
            {"climb-restarts-restarts": 2, "climb-restarts-strength": 3, "climb-restarts-seed": 5},
            {"restarts": 2, "strength": 3, "seed": 5},
        ),
        (
            "annealing",
            {"climb-annealing-sweeps": 20, "climb-annealing-seed": 4},
            {"sweeps": 20, "seed": 4},
        ),
    ],
)
def test_options_are_the_engines(
    opened: Opened, search: str, key: dict[str, int], options: dict[str, int]
) -> None:
    app = opened("coronary", "bjp", "empty", search)
    before = payload(app)["id"]
    for name, value in key.items():
        assert app.number_input(key=name).value != value
        app.number_input(key=name).set_value(value)
    settled(app.run())
    data = DATASETS["coronary"].data
    trace = bjp.learn(data, "bjp", search, **options)
    assert [step["score"] for step in payload(app)["steps"]] == [s.score for s in trace.steps]
    assert payload(app)["id"] != before


@pytest.mark.slow
def test_numbers_start_as_the_engines_and_cannot_be_bad(opened: Opened) -> None:
    for method, search in SEARCHED:
        known = {f.name: f.default for f in fields(SEARCHES[search].options_type)}
        app = opened("coronary", method, None, search)
        for number in app.number_input:
            _climb, of, *name = number.key.split("-")
            if of != search:
                continue
            assert number.value == known["-".join(name)]
            # Both ends of what can be entered are options that the engine takes.
            for end in (number.min, number.max):
                kind = type(known[name[0]])
                SEARCHES[search].options_type(**{name[0]: kind(end)})
        if "hot" in known:
            slider = app.select_slider(key="climb-temperature")
            assert slider.value == (known["cold"], known["hot"])


def test_temperatures(opened: Opened) -> None:
    app = opened("coronary", "ib", "empty", "annealing")
    settled(app.select_slider(key="climb-temperature").set_range(0.5, 2.0).run())
    trace = bjp.learn(DATASETS["coronary"].data, "ib", "annealing", cold=0.5, hot=2.0)
    assert [step["score"] for step in payload(app)["steps"]] == [s.score for s in trace.steps]


@pytest.mark.parametrize("method", SCORES)
def test_priors(opened: Opened, method: str) -> None:
    data = DATASETS["coronary"].data
    app = opened("coronary", method)
    settled(app.selectbox(key="climb-prior").select("degree").run())
    app.number_input(key="climb-degree").set_value(0.5)
    for options, said in (
        ({"expected_degree": 0.5}, "The prior probability of each edge is 0.1000"),
        ({"edge_probability": "data"}, "estimated from the data"),
    ):
        settled(app.run())
        trace = bjp.learn(data, method, PUBLISHED[method], **options)
        assert figures(line(app))[0] == pytest.approx(trace.score, abs=5.1e-4)
        assert line(app).startswith(f"**ln {TITLES[method]} + prior = ")
        (prior,) = [each.value for each in app.main.caption if "this prior" in each.value]
        assert said in prior
        assert figures(prior)[-1] == pytest.approx(trace.log_prior, abs=5.1e-4)
        assert figures(prior)[0] == pytest.approx(trace.structure.probability(data.n), abs=5.1e-5)
        app.selectbox(key="climb-prior").select("data")


def test_a_running_auto_is_named_with_its_prior() -> None:
    assert choices.Choice("bjp", "auto", {}).has_prior
    assert not choices.Choice("bjp", "ibmap-hc", {}).has_prior


def test_a_time_budget(opened: Opened) -> None:
    app = opened("coronary")
    without = line(app)
    app.number_input(key="climb-seconds").set_value(3600.0)
    settled(app.run())
    # It makes another job, and as long as it is not used up, no difference.
    assert line(app).split(" in ")[0] == without.split(" in ")[0]
    assert "climb-paper" in [button.key for button in app.button]


@pytest.mark.parametrize("name", ["coronary", NETWORK])
@pytest.mark.parametrize(("method", "search"), [("bjp", "auto"), ("ib", "auto"), ("mpl", "tabu")])
def test_beside_the_papers_search(opened: Opened, name: str, method: str, search: str) -> None:
    loaded = DATASETS[name]
    trace, paper = (
        bjp.learn(loaded.data, method, search),
        bjp.learn(loaded.data, method, PUBLISHED[method]),
    )
    ours, theirs = (set(map(frozenset, each.graph.edges)) for each in (trace, paper))
    app = opened(name, method, None, search)
    (said,) = [
        each.value for each in app.markdown if each.value.startswith("**Compared with the paper")
    ]
    if ours == theirs:
        assert said.endswith("the same graph")
        return
    changes = [len(edges) for edges in (ours - theirs, theirs - ours) if edges]
    scores = [bjp.score(loaded.data, each.graph, method).total for each in (trace, paper)]
    expected = [*changes, *scores]
    if loaded.truth is not None:
        expected += [bjp.metrics.hamming(loaded.truth, each.graph) for each in (trace, paper)]
    assert figures(said.split("):")[1]) == pytest.approx(expected, abs=5.1e-4)


def test_what_is_predicted_is_not_said_around_the_climbs(
    open_app: Callable[..., AppTest],
) -> None:
    def said(**query: str) -> tuple[bool, str]:
        app = settled(open_app("climb", data="coronary", **query))
        blocks = (*app.main.markdown, *app.main.caption)
        return payload(app)["predict"], "\n".join(block.value for block in blocks)

    rejected = "The last proposal"
    assert (said()[0], rejected in said()[1]) == (False, True)
    assert (said(predict="1")[0], rejected in said(predict="1")[1]) == (True, False)
    # BJP finds 5 edges, IB-score 6.
    on, text = said(beside="score")
    assert not on
    assert "5 edges" in text
    assert "6 edges" in text
    on, text = said(beside="score", predict="1")
    assert on
    assert words.PREDICTING in text
    assert " edges " not in text.replace(words.PREDICTING, "")


def test_a_search_that_tells_no_flips_shows_its_graph(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices, "_ELSEWHERE", set())
    data = DATASETS["coronary"].data
    trace = bjp.learn(data, "bjp", "exhaustive")
    app = opened("coronary", "bjp", None, "exhaustive")
    shown = payload(app)
    assert shown["steps"] == []
    assert shown["start"]["score"] == trace.score
    assert {frozenset(pair) for pair in shown["start"]["edges"]} == {
        frozenset(map(data.index, edge)) for edge in trace.graph.edges
    }
    assert str(trace.stop_reason) in app.main.caption[-1].value


def test_what_a_search_does_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    class Newcomer:
        """Do something new.

        And more.
        """

    assert {search for _, search in SEARCHED} <= set(words.ABOUT)
    monkeypatch.setattr(words, "SEARCHES", {"new": Newcomer()})
    assert words.about("new") == "Do something new."
