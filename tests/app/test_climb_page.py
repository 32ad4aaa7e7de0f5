"""Watch the climb: the steps, scores and reasons on the page are the search's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_engine.graph import degree_order, to_adjacency
from bjp_explorer import sources, state
from bjp_explorer.sources import Loaded
from bjp_explorer.text import shown
from tests.app.looks import figures, line, payload, settled

Opened = Callable[..., AppTest]
NETWORK = "net:target-5:clique-log-weights:1000:2"
TITLES = {"bjp": "BJP", "ib": "IB-score", "mpl": "MPL"}
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

    def open_(name: str = "coronary", method: str = "bjp", start: str | None = "empty") -> AppTest:
        loaded = DATASETS[name]
        app = open_app("method")
        app.session_state[state._UPLOADS] = {loaded.token: loaded} if name == "file" else {}
        app.session_state[state._TOKEN] = loaded.token
        app.session_state["climb-score"] = method
        if start is not None:
            app.session_state["climb-start"] = start
        return settled(run(app.switch_page("pages/climb.py")))

    return open_


def learned(name: str, method: str, start: str | None) -> bjp.SearchTrace:
    """The same climb by the engine."""
    options = {} if start is None else {"start": start}
    return bjp.learn(DATASETS[name].data, method, **options)


def flips(trace: bjp.SearchTrace) -> list[bjp.Step]:
    """The flips of a graph; blankets are chosen before."""
    return [step for step in trace.steps if step.phase != "blanket"]


def compare_step(shown: dict[str, Any], step: bjp.Step, data: bjp.Dataset) -> None:
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
    told = line(app)
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
    assert table["variable"].tolist() == [shown(step.edge[0]) for step in chosen]
    assert table["neighbour"].tolist() == [shown(step.edge[1]) for step in chosen]
    assert table["gain"].tolist() == [step.gain for step in chosen]
    assert table["local score"].tolist() == [step.score for step in chosen]
    # Replayed, the changes give the blankets whose common edges the second phase starts from.
    blankets: dict[str, set[str]] = {shown(variable): set() for variable in trace.graph}
    for variable, change, neighbour in table[["variable", "change", "neighbour"]].to_numpy():
        blankets[variable] ^= {neighbour}
        assert (change == "takes in") == (neighbour in blankets[variable])
    both = {frozenset((u, v)) for u, found in blankets.items() for v in found if u in blankets[v]}
    assert both == {frozenset(map(shown, edge)) for edge in trace.start.edges}


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
    assert not app.selectbox
    assert payload(app)["method"] == "mpl"
    settled(app.segmented_control(key="climb-score").set_value("bjp").run())
    assert app.selectbox(key="climb-start").value == "mpl-or"
    assert payload(app)["steps"] == second["steps"]


@pytest.mark.parametrize("variables", [1, 2])
def test_data_with_hardly_a_pair(
    open_app: Callable[..., AppTest], switch_page: Callable[..., AppTest], variables: int
) -> None:
    codes = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])[:, :variables]
    data = bjp.Dataset.from_codes(codes, names=("a", "b")[:variables])
    loaded = Loaded("file:0123456789ab", "Small", "", data)
    app = open_app("method")
    app.session_state[state._UPLOADS] = {loaded.token: loaded}
    app.session_state[state._TOKEN] = loaded.token
    settled(switch_page(app, "climb"))
    trace = bjp.learn(data)
    assert len(payload(app)["steps"]) == len(trace.steps) == variables - 1
    assert str(trace.stop_reason) in app.main.caption[-1].value
