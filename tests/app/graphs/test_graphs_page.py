"""All graphs: ranks, posteriors and tables are the engine's."""

from __future__ import annotations

import base64
import json
import math
import threading
from collections.abc import Callable
from functools import cache
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_engine.scores import SCORES
from bjp_engine.search import PUBLISHED, GraphTable
from bjp_explorer.graphs import figures, gallery
from bjp_explorer.jobs import tasks
from bjp_explorer.shell import sources, subsets, visit
from bjp_explorer.views import palette as palettes
from tests.app.conftest import OpenApp
from tests.app.looks import coupled, rested, settled, take, texts

METHODS = tuple(SCORES)
VOTES = "house_votes_84"
HOSTILE = ("<script>alert(1)</script>", '<a href="x">y</a>', "=cmd()")


@cache
def tables() -> dict[str, GraphTable]:
    """Every graph of coronary under every score."""
    return {method: bjp.all_graphs(sources.load("coronary").data, method) for method in METHODS}


@cache
def climbs() -> dict[str, nx.Graph[bjp.dataset.Name]]:
    data = sources.load("coronary").data
    return {method: bjp.learn(data, method, PUBLISHED[method]).graph for method in METHODS}


def test_ranks_and_the_best_graphs_are_the_engines(
    open_app: OpenApp, switch_page: Callable[..., AppTest]
) -> None:
    page = settled(open_app("graphs"))
    shown = page.table[0].value.set_index("Graph")
    graphs = [*climbs().values(), sources.load("coronary").published]
    for (_, row), graph in zip(shown.iterrows(), graphs, strict=True):
        for method in METHODS:
            scores = tables()[method].scores
            rank = int((scores >= scores[tables()[method].number(graph)]).sum())
            text = "**1** ✓" if rank == 1 else f"{rank:,}"
            assert row[f"Rank by {SCORES[method].title}"] == text, method
    for method, table in tables().items():
        page.segmented_control(key="graphs-score").set_value(method).run()
        best = settled(page).dataframe[0].value
        expected = np.sort(table.scores)[::-1][: len(best)]
        assert best["score"].to_numpy() == pytest.approx(expected, abs=0)
        weights = np.exp(table.scores - table.scores.max())
        assert best["share"].iloc[0] == pytest.approx(1 / weights.sum(), rel=1e-9)
        assert best["edges"].iloc[0] == table.graph(int(table.ranking[0])).number_of_edges()
        best_ten = float(np.sort(weights)[::-1][:10].sum() / weights.sum())
        assert f"carry {100 * best_ten:.3g} %" in texts(page), method
    # A full bar would be a probability of 1.
    columns = json.loads(page.dataframe[0].proto.columns)
    assert columns["share"]["type_config"]["max_value"] == 1.0
    # A rank can be typed and is kept.
    page.number_input[0].set_value(123).run()
    switch_page(switch_page(page, "scores"), "graphs")
    assert page.number_input[0].value == 123


def test_of_larger_data_some_variables_are_explored(open_app: OpenApp) -> None:
    data = sources.load(VOTES).data
    page = settled(open_app("graphs", data=VOTES))
    tests = {
        (x, y): bjp.independence_test(data, x, y).log_independent
        for x, y in combinations(data.names, 2)
    }
    expected: set[bjp.dataset.Name] = set()
    for pair in sorted(tests, key=tests.__getitem__):
        if len(expected | set(pair)) <= 6:
            expected |= set(pair)
    assert list(page.multiselect[0].value) == sorted(expected, key=data.index)
    chosen = sorted(expected, key=data.index)[:4]
    settled(page.multiselect[0].set_value(chosen).run())
    page.query_params.clear()  # in a browser the address follows
    settled(page.button(key="graphs-explore").click().run())
    places = ".".join(str(data.names.index(name)) for name in chosen)
    assert page.session_state[visit._TOKEN] == f"{VOTES}~{places}"
    assert len(page.multiselect) == 0
    assert len(page.dataframe[0].value) == 64

    # The Data page says so, keeps them, and gives all variables back.
    settled(page.switch_page("pages/data.py").run())
    assert page.session_state[visit._TOKEN] == f"{VOTES}~{places}"
    assert {each.label: each.value for each in page.metric}["Variables"] == "4"
    (notice,) = [block.value for block in page.markdown if "are selected" in block.value]
    assert notice.startswith(f"**Only 4 of {data.n} variables are selected:**")
    page.button(key="data-all").click().run()
    assert page.session_state[visit._TOKEN] == VOTES
    assert {each.label: each.value for each in page.metric}["Variables"] == str(data.n)
    assert not [block.value for block in page.markdown if "are selected" in block.value]
    page = settled(open_app("graphs", data=VOTES))
    page.multiselect[0].set_value([]).run()
    assert "one to six" in settled(page).info[0].value


def test_few_variables(open_app: OpenApp) -> None:
    page = open_app("graphs")
    for names, graphs in ((("a",), 1), (("a", "b"), 2), (HOSTILE, 8)):
        take(page, coupled(names))
        settled(page.run())
        if graphs == 1:
            assert "only one graph" in texts(page)
        else:
            assert f"all {graphs:,} graphs on {len(names)} variables" in texts(page)
            assert len(page.dataframe[0].value) == graphs


def test_long_scoring_shows_progress_and_can_be_cancelled(
    open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    score, free = bjp.all_graphs, threading.Event()

    def wait_and_score(data: bjp.Dataset, method: str, progress: bjp.Progress) -> GraphTable:
        while not free.wait(0.01):
            progress.tick(1, 2)
        return score(data, method, progress=progress)

    page = open_app("graphs")
    monkeypatch.setattr(tasks, "all_graphs", wait_and_score)
    take(page, coupled(("a", "b", "c"), seed=12))
    page.run()
    assert not page.dataframe
    (cancel,) = [each for each in page.button if each.label == "Cancel"]
    rested(cancel.click().run())
    assert "cancelled" in page.info[0].value
    free.set()
    (again,) = [each for each in page.button if each.label == "Run it again"]
    settled(again.click().run())
    assert len(page.dataframe[0].value) == 8


def test_some_variables_have_the_marginal_network() -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        graph = nx.gnp_random_graph(8, 0.3, seed=int(rng.integers(1 << 30)))
        keep = sorted(rng.choice(8, 4, replace=False).tolist())
        found = subsets.marginal(graph, keep)
        assert sorted(found) == keep
        for u, v in combinations(keep, 2):
            between = graph.subgraph({u, v} | (set(graph) - set(keep)))
            assert found.has_edge(u, v) == nx.has_path(between, u, v)
    coronary = sources.load("coronary")
    assert subsets.subset(coronary, coronary.data.names) is coronary
    part = subsets.subset(coronary, coronary.data.names[2::-1])
    assert part.data.names == coronary.data.names[:3]
    assert part.published is not None
    assert set(part.published) == set(part.data.names)


def test_panels_tell_what_differs_from_the_best() -> None:
    table = tables()["bjp"]
    names, best = table.data.names, {frozenset(edge) for edge in table.graph(table.best).edges}
    for place in (1, 2, 500):
        panel = gallery.panel(table, place, {}, "x")
        toned = {frozenset((names[i], names[j])): tone for i, j, tone in panel["edges"]}
        here = {frozenset(edge) for edge in table.graph(int(panel["key"])).edges}
        assert {e for e, tone in toned.items() if tone != "missing"} == here
        assert {e for e, tone in toned.items() if tone == "plain"} == here & best
        assert {e for e, tone in toned.items() if tone == "missing"} == best - here
        assert gallery.place_of(table, int(panel["key"])) == place
    share = math.exp(table.scores.max() - table.log_normaliser)
    assert f"posterior {100 * share:.1f} %" in gallery.panel(table, 1, {}, "x")["subtitle"]
    assert gallery.percent(math.log(0.0859)) == "8.6 %"
    assert gallery.percent(-300.0) == "5.15·10⁻¹³¹"


def unpacked(text: str, dtype: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype=dtype)


def test_the_scatter_holds_every_graph() -> None:
    bjp_table, mpl_table = tables()["bjp"], tables()["mpl"]
    across, up = mpl_table.scores, bjp_table.scores
    found, numbers = (
        gallery.specials(sources.load("coronary"), climbs()),
        gallery.foremost(bjp_table, None),
    )
    cloud = figures.scatter(tables(), ("mpl", "bjp"), numbers, found, 7, palettes.LIGHT)
    payload = cloud.payload("one", "graphs")
    (points,) = payload["groups"]
    assert np.array_equal(unpacked(points["x"], "<f8"), across)
    assert np.array_equal(unpacked(points["y"], "<f8"), up)
    assert points["keys"] is None
    edges = [bjp_table.graph(int(k)).number_of_edges() for k in numbers[::1111]]
    assert unpacked(points["levels"], "u1")[::1111].tolist() == edges
    assert len(payload["levels"]["colours"]) == 16
    climb, ring = bjp_table.number(climbs()["bjp"]), payload["ring"]
    (mark,) = (mark for mark in payload["marks"] if "BJP’s climb" in mark["name"])
    assert (mark["x"], mark["y"]) == (across[climb], up[climb])
    assert (ring["x"], ring["y"]) == (across[7], up[7])
    # Of many graphs only the foremost.
    best = gallery.foremost(bjp_table, 200)
    few = figures.scatter(tables(), ("mpl", "bjp"), best, found, 7, palettes.LIGHT).groups[0]
    assert np.array_equal(unpacked(few.payload()["keys"], "<i4"), best)
    foremost = gallery.foremost(mpl_table, 100)
    assert len(foremost) == 100
    assert np.delete(across, foremost).max() <= across[foremost].min()


def test_figures_write_the_posterior_of_each_edge() -> None:
    table, data = tables()["bjp"], sources.load("coronary").data
    weights = np.exp(table.scores - table.scores.max())
    pairs = list(combinations(range(6), 2))
    for i, j in pairs:
        bit = table.number(nx.Graph([(data.names[i], data.names[j])]))
        has = np.arange(len(weights)) & bit > 0
        expected = weights[has].sum() / weights.sum()
        assert table.edge_probabilities[i, j] == pytest.approx(expected, rel=1e-9)
    bars = figures.edge_bars(
        table.edge_probabilities, data, climbs()["bjp"], "bjp", palettes.LIGHT
    ).data
    assert len(bars[0].x) == climbs()["bjp"].number_of_edges()
    assert len(bars[0].x) + len(bars[1].x) == 15

    # The numbers of the matrix, and that they can be read.
    def luminance(colour: np.ndarray) -> float:
        linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    def parts(colour: str) -> np.ndarray:
        return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255

    shares = np.zeros((6, 6))
    for value, (i, j) in zip(np.linspace(0, 1, len(pairs)), pairs, strict=True):
        shares[i, j] = shares[j, i] = value
    for palette in (palettes.LIGHT, palettes.DARK):
        matrix, written = figures.edge_matrix(shares, data, "mpl", palette).data
        assert len(written.x) == 30
        for x, y, text, ink in zip(
            written.x, written.y, written.text, written.textfont.color, strict=True
        ):
            value = shares[y, x]
            assert matrix.text[y][x] == text == figures.share(value)
            ground = parts(palette.paper) * (1 - value) + parts(palette.mpl) * value
            light, dark = sorted([luminance(parts(ink)), luminance(ground)], reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (palette, value)


def test_figures_and_tables_hold_names_as_text() -> None:
    data = coupled(HOSTILE).data
    table = bjp.all_graphs(data, "bjp")
    climb = bjp.learn(data, "bjp", search="ibmap-hc").graph
    shares, palette = table.edge_probabilities, palettes.LIGHT
    drawn = figures.edge_matrix(shares, data, "bjp", palette).to_json()
    drawn += figures.edge_bars(shares, data, climb, "bjp", palette).to_json()
    assert "<script" not in drawn.replace("\\u003c", "<")
    assert "<a href" not in drawn.replace("\\u003c", "<")
    assert all(text.startswith("{") for text in gallery.top_table(table)["list"])
    names = ["measure_one_left", "measure_one_right", "measure_two", "X1"]
    short = gallery.abbreviate(names)
    assert len(set(short)) == len(names)
    assert max(map(len, short)) <= 13
