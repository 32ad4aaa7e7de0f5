"""How many rows? on *Your network*: the numbers are those of `plan_rows`."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_explorer.network import how_many_rows
from bjp_explorer.shell import origins, sources
from bjp_explorer.shell.edits import Edits
from bjp_explorer.views.palette import DARK, LIGHT
from tests.app.looks import settled, texts


@pytest.fixture
def opened(
    open_app: Callable[..., AppTest],
    switch_page: Callable[..., AppTest],
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., AppTest]:
    """Open the page on some data with the part unfolded; few samples are enough for a test."""
    monkeypatch.setattr(how_many_rows, "SAMPLES", 3)
    monkeypatch.setattr(how_many_rows, "_TIMES", (0.25, 1))

    def open_(token: str) -> AppTest:
        page = open_app(data=token)
        page.session_state["network-kind"] = "test"
        data = sources.load(token).data
        page.session_state[f"network-rows {data.digest}"] = True
        return settled(switch_page(page, "network"))

    return open_


def test_the_forecast_of_the_learned_network(opened: Callable[..., AppTest]) -> None:
    page = opened("coronary")
    assert how_many_rows.BEGIN in [each.label for each in page.button]
    page.button(key="network-rows-begin").click().run()
    settled(page)
    loaded = sources.load("coronary")
    data, search = loaded.data, origins.usual_search(loaded)
    network = bjp.fit_parameters(data, bjp.learn(data, search=search).graph, "auto")
    plan = bjp.plan_rows(network, (460, 1841), samples=3, search=search)
    said = texts(page)
    assert plan.describe(1841) in said
    assert how_many_rows.describe_enough(plan) in said
    assert how_many_rows.LEARNED in said
    (shown,) = [each.value for each in page.dataframe if "false_share" in each.value]
    frame = plan.to_frame()
    np.testing.assert_allclose(shown["recall"], 100 * frame["recall"])
    np.testing.assert_allclose(shown["false"], frame["false"])


def test_the_forecast_of_the_true_network(opened: Callable[..., AppTest]) -> None:
    token = "net:target-2:log-odds:400:3"
    page = opened(token)
    page.button(key="network-rows-begin").click().run()
    settled(page)
    model = bjp.sampling.random_model(
        bjp.networks.load("target-2", labelled=True), "log-odds", seed=3
    )
    search = origins.usual_search(sources.load(token))
    plan = bjp.plan_rows(model, (100, 400), samples=3, search=search)
    assert plan.describe(400) in texts(page)
    assert how_many_rows.TRUE in texts(page)


def test_the_numbers_of_rows_hold_the_present_one() -> None:
    assert how_many_rows.numbers_of_rows(1841) == (230, 460, 920, 1841, 3682, 7364)
    assert how_many_rows.numbers_of_rows(8) == (8, 20, 32)
    assert how_many_rows.numbers_of_rows(10**6)[-2:] == (200_000, 10**6)


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_the_chart_has_the_means_and_their_errors(palette: object) -> None:
    plan = bjp.plan_rows(bjp.networks.load("target-2"), (50, 400), strength=1.0, samples=3)
    frame = plan.to_frame()
    drawn = how_many_rows.figure(frame, 400, palette)  # type: ignore[arg-type]
    lines = {one.name: one for one in drawn.data if one.name}
    np.testing.assert_allclose(lines[how_many_rows.FOUND].y, 100 * frame["recall"])
    np.testing.assert_allclose(lines[how_many_rows.FALSE].y, 100 * frame["false_share"])
    band = drawn.data[0]
    np.testing.assert_allclose(
        band.y[:2], np.minimum(100, 100 * (frame["recall"] + 2 * frame["recall_error"]))
    )
    assert drawn.layout.shapes[0].x0 == 400


def test_the_forecast_of_a_graph_drawn_by_hand(opened: Callable[..., AppTest]) -> None:
    page = opened("coronary")
    loaded = sources.load("coronary")
    page.session_state[f"network-plan-of {loaded.token}"] = "edited"
    settled(page.run())
    assert how_many_rows.NO_EDGE.format("graph drawn by hand") in texts(page)
    assert not [each for each in page.button if each.label == how_many_rows.BEGIN]
    graph = nx.path_graph(loaded.data.names[:4])
    graph.add_nodes_from(loaded.data.names)
    page.session_state["visit-edited"] = {loaded.data.digest: Edits(loaded.data, graph.edges)}
    page.session_state[f"network-plan-strength {loaded.token}"] = 2.0
    settled(page.run())
    page.button(key="network-rows-begin").click().run()
    settled(page)
    search = origins.usual_search(loaded)
    plan = bjp.plan_rows(graph, (460, 1841), strength=2.0, samples=3, search=search)
    assert plan.edges == 3
    assert plan.describe(1841) in texts(page)
    assert how_many_rows.EDITED in texts(page)


def test_which_network_and_its_strength_stand_in_the_url() -> None:
    (choice,) = how_many_rows.fields(sources.load("net:target-2:log-odds:40:3"))
    assert (choice.name, choice.default) == ("plan", "true")
    assert choice.read("learned") == choice.write("learned") == "learned"
    (choice,) = how_many_rows.fields(sources.load("coronary"))
    assert choice.default == "learned"
    assert [*choice.labels] == ["learned", "edited"]  # type: ignore[attr-defined]
