"""Stability on *Your network*: curve, coefficients and differences are the engine's."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
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
from tests.app.looks import settled, take, texts

Opened = Callable[..., AppTest]
HOSTILE = ("<script>alert(1)</script>", "=cmd()", "**bold** $x$ :red[y]", "<b>a</b>")


@pytest.fixture
def opened(
    open_app: Callable[..., AppTest],
    switch_page: Callable[..., AppTest],
    monkeypatch: pytest.MonkeyPatch,
) -> Opened:
    """Open the page on some data with the part unfolded; few subsets are enough for a test."""
    monkeypatch.setattr(stability, "REPEATS", 20)
    monkeypatch.setattr(stability, "RESAMPLES", 20)

    def open_(loaded: Loaded, *, unfolded: bool = True) -> AppTest:
        page = open_app(data="coronary")
        page.session_state["network-kind"] = "test"
        take(page, loaded)
        page.session_state[f"network-stability {loaded.data.digest}"] = unfolded
        return settled(switch_page(page, "network"))

    return open_


def chained(names: tuple[str, ...], seed: int = 0, rows: int = 200) -> Loaded:
    """Each variable depends on the one before, less and less."""
    model = bjp.sampling.random_model(nx.path_graph(len(names)), "log-odds", epsilon=0.9)
    codes = model.sample(rows, seed=seed).codes
    return Loaded("file:made", "Made up", "", bjp.Dataset.from_codes(codes, names=names))


def tables(page: AppTest, column: str) -> list[pd.DataFrame]:
    return [each.value for each in page.dataframe if column in each.value]


@pytest.mark.slow
def test_the_curve_and_the_differences_are_the_engines(opened: Opened) -> None:
    loaded = chained(("a", "b", "c", "d"), seed=1)
    page = opened(loaded)
    assert not tables(page, "dropped")
    assert stability.describe_check(1.0)[:40] in texts(page)
    page.button(key="network-stability-begin").click().run()
    settled(page)
    curve = drop_cases(loaded.data, search="auto", repeats=20)
    assert curve.describe() in texts(page)
    (shown,) = tables(page, "dropped")
    frame = curve.to_frame()
    np.testing.assert_allclose(shown["dropped"], 100 * frame["dropped"])
    for name in ("rows", "edges", "edges_low", "nodes", "nodes_low", "f1", "hamming"):
        np.testing.assert_array_equal(shown[name], frame[name])
    network = bjp.fit_parameters(loaded.data, curve.graph, "auto")
    found = compare_edges(network, resamples=20)
    (edges,) = tables(page, "stronger")
    assert len(edges) == curve.graph.number_of_edges() == 3
    strengths = {
        f"{row.x} – {row.y}": abs(row.effect) for row in network.effects(resamples=1).itertuples()
    }
    assert edges["strength"].tolist() == pytest.approx(sorted(strengths.values(), reverse=True))
    for row in edges.itertuples():
        assert row.strength == pytest.approx(strengths[row.edge])
        first, second = (
            [" – ".join(pair) for pair in zip(found[f"x{k}"], found[f"y{k}"], strict=True)]
            for k in (1, 2)
        )
        differ = found["differ"].to_numpy()
        assert row.stronger == sum(np.array(first)[differ] == row.edge)
        assert row.weaker == sum(np.array(second)[differ] == row.edge)
    assert f"**{found['differ'].sum()} of 3 pairs of edges differ**" in texts(page)
    # What was found stays when the page runs again.
    assert curve.describe() in texts(settled(page.run()))


def test_folded_it_offers_nothing(opened: Opened) -> None:
    page = opened(chained(("a", "b", "c"), seed=2), unfolded=False)
    assert stability.STABILITY in [each.label for each in page.expander]
    assert not [each for each in page.button if each.key == "network-stability-begin"]


def test_a_cancelled_check_can_be_run_again(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    drop = tasks.drop_cases

    def slow(*given: Any, progress: bjp.Progress, **options: Any) -> bjp.confidence.Stability:
        def report(done: int, total: int) -> None:
            progress.report(done, total)  # type: ignore[misc]
            while done == 5 and not progress.cancelled():  # type: ignore[misc]
                time.sleep(0.01)

        return drop(*given, progress=bjp.Progress(report, progress.cancelled), **options)

    monkeypatch.setattr(tasks, "drop_cases", slow)
    page = opened(chained(("a", "b", "c"), seed=3))
    page.button(key="network-stability-begin").click().run()
    assert page.get("progress")
    (cancel,) = [button for button in page.button if button.label == "Cancel"]
    cancel.click().run()
    settled(page)
    assert f"{stability.CHECKING} was cancelled." in texts(page)
    monkeypatch.setattr(tasks, "drop_cases", drop)
    (again,) = [button for button in page.button if button.label == "Run it again"]
    again.click().run()
    page.button(key="network-stability-begin").click().run()
    assert "CS(cor" in texts(settled(page))


@pytest.mark.slow
def test_names_are_text(opened: Opened) -> None:
    loaded = chained(HOSTILE, seed=4)
    page = opened(loaded)
    page.button(key="network-stability-begin").click().run()
    everything = texts(settled(page))
    assert not re.search(r"(?<!\\)(<script|\*\*bold|:red|\$x)", everything)
    (edges,) = tables(page, "stronger")
    assert not any(cell.startswith("=") for cell in edges["edge"])
    network = bjp.fit_parameters(loaded.data, nx.path_graph(HOSTILE))
    found = compare_edges(network, resamples=5)
    drawn = stability.difference_figure(*stability.matrix_of(found), LIGHT).to_json()
    assert "<b>" not in drawn.encode().decode("unicode_escape").replace("&lt;b&gt;", "")
    lines = table_csv(found).decode().split("\r\n")
    assert any("'=cmd()" in line for line in lines)
    assert not any(re.search(r"(^|,)=", line) for line in lines)


@pytest.mark.parametrize(("edges", "codes"), [(0, [[0, 1], [1, 0], [0, 0], [1, 1]] * 30)])
def test_without_edges_it_says_that_nothing_can_be_measured(
    opened: Opened, edges: int, codes: list[list[int]]
) -> None:
    page = opened(Loaded("file:made", "Made up", "", bjp.Dataset.from_codes(codes)))
    page.button(key="network-stability-begin").click().run()
    told = texts(settled(page))
    assert "cannot be measured" in told
    assert stability.TOO_FEW in told
    assert not page.get("plotly_chart")


def test_the_matrix_holds_every_pair_from_both_sides() -> None:
    loaded = chained(tuple("abcde"), seed=6)
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


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_the_chart_shows_means_and_bands_in_ink(palette: Any) -> None:
    frame = drop_cases(chained(tuple("abcd"), seed=7).data, repeats=20).to_frame()
    drawn = stability.figure(frame, palette)
    by_name = {trace.name: trace for trace in drawn.data if trace.name}
    for name, label in (("edges", stability.EDGES), ("nodes", stability.NODES)):
        np.testing.assert_array_equal(by_name[label].y, frame[name])
        np.testing.assert_allclose(by_name[label].x, 100 * frame["dropped"])
    bands = [trace for trace in drawn.data if trace.fill == "toself"]
    for band, name in zip(bands, ("nodes", "edges"), strict=True):
        wanted = [*frame[f"{name}_high"], *frame[f"{name}_low"][::-1]]
        np.testing.assert_array_equal(band.y, wanted)
    assert {palette.blue, palette.vermilion}.isdisjoint(re.findall("#[0-9a-f]{6}", drawn.to_json()))
    assert not math.isnan(drawn.layout.shapes[0].y0)
    assert drawn.layout.shapes[0].y0 == 0.7
