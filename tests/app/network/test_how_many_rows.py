"""How many rows? on *Your network*: the numbers are those of `plan_rows`."""

from __future__ import annotations

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
from tests.app.network.pages import learn, open_network, press, table


@pytest.fixture(autouse=True)
def _few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(how_many_rows, "SAMPLES", 3)
    monkeypatch.setattr(how_many_rows, "_TIMES", (0.25, 1))


def open_part(token: str) -> AppTest:
    """Open the page with the part unfolded."""
    unfolded = {f"network-rows {sources.load(token).data.digest}": True}
    return open_network(token, unfolded, confidence="test", edges="probability")


def test_the_forecast_of_the_learned_network_and_of_one_drawn_by_hand() -> None:
    page = settled(press(open_part("coronary"), how_many_rows.BEGIN))
    loaded = sources.load("coronary")
    search = origins.usual_search(loaded)
    network = bjp.fit_parameters(loaded.data, learn("coronary", search).graph, "auto")
    plan = bjp.plan_rows(network, (460, 1841), samples=3, search=search)
    said = texts(page)
    assert plan.describe(1841) in said
    assert how_many_rows.describe_enough(plan) in said
    assert how_many_rows.LEARNED in said
    shown, frame = table(page, "false_share"), plan.to_frame()
    np.testing.assert_allclose(shown["recall"], 100 * frame["recall"])
    np.testing.assert_allclose(shown["false"], frame["false"])
    # No graph is drawn by hand yet; then one is, with edges of a strength.
    page.session_state[f"network-plan-of {loaded.token}"] = "edited"
    settled(page.run())
    assert how_many_rows.NO_EDGE.format("graph drawn by hand") in texts(page)
    assert not [each for each in page.button if each.label == how_many_rows.BEGIN]
    graph = nx.path_graph(loaded.data.names[:4])
    graph.add_nodes_from(loaded.data.names)
    page.session_state["visit-edited"] = {loaded.data.digest: Edits(loaded.data, graph.edges)}
    page.session_state[f"network-plan-strength {loaded.token}"] = 2.0
    page = settled(press(settled(page.run()), how_many_rows.BEGIN))
    plan = bjp.plan_rows(graph, (460, 1841), strength=2.0, samples=3, search=search)
    assert plan.edges == 3
    assert plan.describe(1841) in texts(page)
    assert how_many_rows.EDITED in texts(page)


def test_the_forecast_of_the_true_network() -> None:
    token = "net:target-2:log-odds:400:3"
    page = settled(press(open_part(token), how_many_rows.BEGIN))
    model = bjp.sampling.random_model(
        bjp.networks.load("target-2", labelled=True), "log-odds", seed=3
    )
    search = origins.usual_search(sources.load(token))
    plan = bjp.plan_rows(model, (100, 400), samples=3, search=search)
    assert plan.describe(400) in texts(page)
    assert how_many_rows.TRUE in texts(page)


def test_the_numbers_of_rows_hold_the_present_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert how_many_rows.numbers_of_rows(1841) == (230, 460, 920, 1841, 3682, 7364)
    assert how_many_rows.numbers_of_rows(8) == (8, 20, 32)
    assert how_many_rows.numbers_of_rows(10**6)[-2:] == (200_000, 10**6)


def test_the_chart_has_the_means_and_their_errors() -> None:
    plan = bjp.plan_rows(bjp.networks.load("target-2"), (50, 400), strength=1.0, samples=3)
    frame = plan.to_frame()
    for palette in (LIGHT, DARK):
        drawn = how_many_rows.figure(frame, 400, palette)
        lines = {one.name: one for one in drawn.data if one.name}
        np.testing.assert_allclose(lines[how_many_rows.FOUND].y, 100 * frame["recall"])
        np.testing.assert_allclose(lines[how_many_rows.FALSE].y, 100 * frame["false_share"])
        np.testing.assert_allclose(
            drawn.data[0].y[:2],
            np.minimum(100, 100 * (frame["recall"] + 2 * frame["recall_error"])),
        )
        assert drawn.layout.shapes[0].x0 == 400


def test_which_network_stands_in_the_url() -> None:
    (choice,) = how_many_rows.fields(sources.load("net:target-2:log-odds:40:3"))
    assert (choice.name, choice.default) == ("plan", "true")
    assert choice.read("learned") == choice.write("learned") == "learned"
    (choice,) = how_many_rows.fields(sources.load("coronary"))
    assert choice.default == "learned"
    assert [*choice.labels] == ["learned", "edited"]  # type: ignore[attr-defined]
