"""Stability on *Your network*: curve, coefficients and differences are the engine's."""

from __future__ import annotations

import json
import re
import time
from functools import partial
from typing import Any

import networkx as nx
import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_engine.confidence import drop_cases
from bjp_engine.parameters import compare_edges
from bjp_explorer.downloads.formats import table_csv
from bjp_explorer.jobs import tasks
from bjp_explorer.network import stability
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views.palette import DARK, LIGHT
from tests.app.looks import settled, texts
from tests.app.network.pages import HOSTILE, has_table, open_network, press, table, upload

# Fewer shares of the rows than by default.
drop = partial(drop_cases, dropped=(0.25, 0.5), repeats=20)


@pytest.fixture(autouse=True)
def _few_subsets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stability, "REPEATS", 20)
    monkeypatch.setattr(stability, "RESAMPLES", 20)
    monkeypatch.setattr(tasks, "drop_cases", drop)


def open_part(loaded: Loaded) -> AppTest:
    """Open the page with the part unfolded."""
    unfolded = {f"network-stability {loaded.data.digest}": True}
    return open_network(loaded, unfolded, search="auto", confidence="test", edges="probability")


def chain(names: tuple[str, ...], seed: int = 0) -> Loaded:
    """Each variable depends on the one before, less and less."""
    model = bjp.sampling.random_model(nx.path_graph(len(names)), "log-odds", epsilon=0.9)
    return upload(model.sample(200, seed=seed).codes, names)


def test_a_check_is_cancelled_repeated_and_shows_the_engines_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def held(*given: Any, progress: bjp.Progress, **options: Any) -> bjp.confidence.Stability:
        def report(done: int, total: int) -> None:
            progress.report(done, total)  # type: ignore[misc]
            while done == 5 and not progress.cancelled():  # type: ignore[misc]
                time.sleep(0.01)

        return drop(*given, progress=bjp.Progress(report, progress.cancelled), **options)

    loaded = chain(("a", "b", "c", "d"), seed=1)
    page = open_part(loaded)
    assert not has_table(page, "dropped")
    assert stability.describe_check(1.0)[:40] in texts(page)
    with monkeypatch.context() as patched:
        patched.setattr(tasks, "drop_cases", held)
        page.button(key="network-stability-begin").click().run()
        assert page.get("progress")
        settled(press(page, "Cancel"))
    assert f"{stability.CHECKING} was cancelled." in texts(page)
    press(page, "Run it again")
    settled(page.button(key="network-stability-begin").click().run())
    curve = drop(loaded.data, search="auto")
    assert "CS(cor" in curve.describe()
    assert curve.describe() in texts(page)
    shown, frame = table(page, "dropped"), curve.to_frame()
    np.testing.assert_allclose(shown["dropped"], 100 * frame["dropped"])
    for name in ("rows", "edges", "edges_low", "nodes", "nodes_low", "f1", "hamming"):
        np.testing.assert_array_equal(shown[name], frame[name])
    network = bjp.fit_parameters(loaded.data, curve.graph, "auto")
    found, edges = compare_edges(network, resamples=20), table(page, "stronger")
    assert len(edges) == curve.graph.number_of_edges() == 3
    strengths = {
        f"{row.x} – {row.y}": abs(row.effect) for row in network.effects(resamples=1).itertuples()
    }
    assert edges["strength"].tolist() == pytest.approx(sorted(strengths.values(), reverse=True))
    differ = found[found["differ"]]
    ends = {k: (differ[f"x{k}"] + " – " + differ[f"y{k}"]).tolist() for k in (1, 2)}
    for row in edges.itertuples():
        assert row.strength == pytest.approx(strengths[row.edge])
        assert (row.stronger, row.weaker) == tuple(of.count(row.edge) for of in ends.values())
    assert f"**{len(differ)} of 3 pairs of edges differ**" in texts(page)
    # What was found stays when the page runs again.
    assert curve.describe() in texts(settled(page.run()))


def test_folded_it_offers_nothing() -> None:
    loaded = chain(("a", "b", "c"), seed=2)
    page = open_network(loaded, search="auto", confidence="test", edges="probability")
    assert stability.STABILITY in [each.label for each in page.expander]
    assert not [each for each in page.button if each.key == "network-stability-begin"]


def test_hostile_names_stay_text_in_figures_and_files() -> None:
    names = (*HOSTILE, "<b>a</b>")
    network = bjp.fit_parameters(chain(names, seed=4).data, nx.path_graph(names))
    found = compare_edges(network, resamples=5)
    figure = stability.difference_figure(*stability.matrix_of(found), LIGHT).to_json()
    assert not re.search("<b>|<script", figure.encode().decode("unicode_escape"))
    lines = table_csv(found).decode().split("\r\n")
    assert any("'=cmd()" in line for line in lines)
    assert not any(re.search(r"(^|,)=", line) for line in lines)


def test_without_edges_it_says_that_nothing_can_be_measured() -> None:
    page = open_part(upload([[0, 1], [1, 0], [0, 0], [1, 1]] * 30))
    settled(page.button(key="network-stability-begin").click().run())
    assert "cannot be measured" in texts(page)
    assert stability.TOO_FEW in texts(page)
    assert not page.get("plotly_chart")


def test_the_matrix_holds_every_pair_from_both_sides() -> None:
    loaded = chain(tuple("abcde"), seed=6)
    found = compare_edges(bjp.fit_parameters(loaded.data, nx.path_graph("abcde")), resamples=9)
    edges, gaps = stability.matrix_of(found)
    place = {(x, y): k for k, (x, y) in enumerate(zip(edges["x"], edges["y"], strict=True))}
    assert len(place) == 4
    for row in found.itertuples():
        i, j = place[row.x1, row.y1], place[row.x2, row.y2]
        assert gaps[i, j].tolist() == [row.difference, row.low, row.high]
        assert gaps[j, i].tolist() == [-row.difference, -row.high, -row.low]
        assert edges["strength"][i] - edges["strength"][j] == pytest.approx(row.difference)
    assert np.isnan(gaps[np.eye(4, dtype=bool)]).all()
    (heat,) = json.loads(stability.difference_figure(edges, gaps, DARK).to_json())["data"]
    assert heat["type"] == "heatmap"


def test_the_chart_shows_means_and_bands_in_ink() -> None:
    frame = drop(chain(tuple("abcd"), seed=7).data).to_frame()
    for palette in (LIGHT, DARK):
        drawn = stability.figure(frame, palette)
        by_name = {trace.name: trace for trace in drawn.data if trace.name}
        for name, label in (("edges", stability.EDGES), ("nodes", stability.NODES)):
            np.testing.assert_array_equal(by_name[label].y, frame[name])
            np.testing.assert_allclose(by_name[label].x, 100 * frame["dropped"])
        bands = [trace for trace in drawn.data if trace.fill == "toself"]
        for band, name in zip(bands, ("nodes", "edges"), strict=True):
            wanted = [*frame[f"{name}_high"], *frame[f"{name}_low"][::-1]]
            np.testing.assert_array_equal(band.y, wanted)
        colours = re.findall("#[0-9a-f]{6}", drawn.to_json())
        assert {palette.blue, palette.vermilion}.isdisjoint(colours)
        assert drawn.layout.shapes[0].y0 == 0.7
