"""All graphs: ranks, posteriors and tables are the engine's."""

from __future__ import annotations

import base64
import json
import math
import time
from collections.abc import Callable
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_engine.scores import SCORES
from bjp_engine.search import PUBLISHED
from bjp_explorer.graphs import figures, gallery
from bjp_explorer.jobs import tasks
from bjp_explorer.shell import sources, subsets, visit
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views import palette as palettes
from tests.app.looks import coupled, take

Opened = Callable[..., AppTest]
METHODS = ("bjp", "ib", "mpl", "near")
HOSTILE = ("<script>alert(1)</script>", '<a href="x">y</a>', "=cmd()")


@pytest.fixture
def opened(open_app: Callable[..., AppTest], switch_page: Callable[..., AppTest]) -> Opened:
    """Open the page on some data, once its tables are made."""

    def open_(token: str = "coronary", loaded: Loaded | None = None, wait: bool = True) -> AppTest:
        page = open_app(data=token)
        if loaded is not None:
            take(page, loaded)
        switch_page(page, "graphs")
        for _ in range(60 if wait else 0):
            if len(page.segmented_control):
                break
            page.run()
        assert not page.exception
        assert not page.error
        return page

    return open_


@pytest.fixture(scope="module")
def coronary() -> Loaded:
    return sources.load("coronary")


@pytest.fixture(scope="module")
def tables(coronary: Loaded) -> dict[str, bjp.search.GraphTable]:
    return {method: bjp.all_graphs(coronary.data, method) for method in METHODS}


def test_ranks_of_learned_and_published_graphs(
    opened: Opened, coronary: Loaded, tables: dict[str, bjp.search.GraphTable]
) -> None:
    shown = opened().table[0].value.set_index("Graph")
    graphs = [bjp.learn(coronary.data, method, PUBLISHED[method]).graph for method in METHODS] + [
        coronary.published
    ]
    assert len(shown) == len(graphs)
    titles = [f"Rank by {SCORES[method].title}" for method in METHODS]
    for (_, row), graph in zip(shown.iterrows(), graphs, strict=True):
        for method, title in zip(METHODS, titles, strict=True):
            scores = tables[method].scores
            rank = int((scores >= scores[tables[method].number(graph)]).sum())
            assert row[title] == ("**1** ✓" if rank == 1 else f"{rank:,}")


@pytest.mark.parametrize("method", METHODS)
def test_the_table_of_the_best_graphs(
    opened: Opened, method: str, tables: dict[str, bjp.search.GraphTable]
) -> None:
    page = opened()
    page.segmented_control(key="graphs-score").set_value(method).run()
    assert not page.exception
    shown = page.dataframe[0].value
    table = tables[method]
    expected = np.sort(table.scores)[::-1][: len(shown)]
    assert shown["score"].to_numpy() == pytest.approx(expected, abs=0)
    weights = np.exp(table.scores - table.scores.max())
    assert shown["share"].iloc[0] == pytest.approx(1 / weights.sum(), rel=1e-9)
    assert shown["edges"].iloc[0] == table.graph(int(table.ranking[0])).number_of_edges()
    words = " ".join(block.value for block in page.markdown)
    best_ten = float(np.sort(weights)[::-1][:10].sum() / weights.sum())
    assert f"carry {100 * best_ten:.3g} %" in words


def test_a_rank_can_be_typed_and_is_kept(
    opened: Opened, tables: dict[str, bjp.search.GraphTable]
) -> None:
    page = opened()
    page.number_input[0].set_value(123).run()
    page.switch_page("pages/scores.py").run()
    page.switch_page("pages/graphs.py").run()
    assert not page.exception
    assert page.number_input[0].value == 123


def test_larger_data_begin_with_the_strongest_dependences(opened: Opened) -> None:
    loaded = sources.load("house_votes_84")
    page = opened("house_votes_84")
    chosen = page.multiselect[0].value
    tests = {
        (x, y): bjp.independence_test(loaded.data, x, y).log_independent
        for x, y in combinations(loaded.data.names, 2)
    }
    expected: set[bjp.dataset.Name] = set()
    for pair in sorted(tests, key=tests.__getitem__):
        if len(expected | set(pair)) <= 6:
            expected |= set(pair)
    assert set(chosen) == expected
    assert list(chosen) == sorted(chosen, key=loaded.data.index)


def test_exploring_chosen_variables_selects_them(opened: Opened) -> None:
    page = opened("house_votes_84")
    chosen = list(page.multiselect[0].value)[:4]
    page.multiselect[0].set_value(chosen).run()
    page.button(key="graphs-explore").click().run()
    assert not page.exception
    columns = sources.load("house_votes_84").data.names
    places = ".".join(str(columns.index(name)) for name in chosen)
    assert page.session_state[visit._TOKEN] == f"house_votes_84~{places}"
    assert len(page.multiselect) == 0
    assert len(page.dataframe[0].value) == 64

    # The Data page says so, keeps them, and gives all variables back.
    page.switch_page("pages/data.py").run()
    assert not page.exception
    assert page.session_state[visit._TOKEN] == f"house_votes_84~{places}"
    assert {each.label: each.value for each in page.metric}["Variables"] == "4"
    (notice,) = [block.value for block in page.markdown if "are selected" in block.value]
    assert notice.startswith(f"**Only 4 of {len(columns)} variables are selected:**")
    page.button(key="data-all").click().run()
    assert page.session_state[visit._TOKEN] == "house_votes_84"
    assert {each.label: each.value for each in page.metric}["Variables"] == str(len(columns))
    assert not [block.value for block in page.markdown if "are selected" in block.value]


def test_no_variable_chosen(opened: Opened) -> None:
    page = opened("house_votes_84")
    page.multiselect[0].set_value([]).run()
    assert not page.exception
    assert "one to six" in page.info[0].value


@pytest.mark.parametrize(("names", "graphs"), [(("a",), 1), (("a", "b"), 2), (HOSTILE, 8)])
def test_few_variables(opened: Opened, names: tuple[str, ...], graphs: int) -> None:
    page = opened(loaded=coupled(names))
    words = " ".join(block.value for block in page.markdown)
    if graphs == 1:
        assert "only one graph" in words
    else:
        assert f"all {graphs:,} graphs on {len(names)} variables" in words
        assert len(page.dataframe[0].value) == graphs


def test_long_scoring_shows_progress_and_can_be_cancelled(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    score = bjp.all_graphs
    blocked = [True]

    def slow(data: bjp.Dataset, method: str, progress: bjp.Progress) -> bjp.search.GraphTable:
        while blocked[0]:
            progress.tick(1, 2)
            time.sleep(0.01)
        return score(data, method, progress=progress)

    monkeypatch.setattr(tasks, "all_graphs", slow)
    loaded = coupled(("a", "b", "c"), seed=12)
    page = opened(loaded=loaded, wait=False)
    assert not page.dataframe
    (cancel,) = [each for each in page.button if each.label == "Cancel"]
    cancel.click().run()
    assert "cancelled" in page.info[0].value
    blocked[0] = False
    (again,) = [each for each in page.button if each.label == "Run it again"]
    again.click().run()
    assert not page.exception
    assert len(page.dataframe[0].value) == 8


def test_marginal_network_by_paths() -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        graph = nx.gnp_random_graph(8, 0.3, seed=int(rng.integers(1 << 30)))
        keep = sorted(rng.choice(8, 4, replace=False).tolist())
        found = subsets.marginal(graph, keep)
        assert sorted(found) == keep
        for u, v in combinations(keep, 2):
            between = graph.subgraph({u, v} | (set(graph) - set(keep)))
            assert found.has_edge(u, v) == nx.has_path(between, u, v)


def test_a_subset_of_everything_is_the_dataset_itself(coronary: Loaded) -> None:
    assert subsets.subset(coronary, coronary.data.names) is coronary
    part = subsets.subset(coronary, coronary.data.names[2::-1])
    assert part.data.names == coronary.data.names[:3]
    assert part.published is not None
    assert set(part.published) == set(part.data.names)


def test_panels_tell_what_differs_from_the_best(tables: dict[str, bjp.search.GraphTable]) -> None:
    table = tables["bjp"]
    best = {frozenset(edge) for edge in table.graph(table.best).edges}
    for place in (1, 2, 500):
        panel = gallery.panel(table, place, {}, "x")
        names = table.data.names
        toned = {frozenset((names[i], names[j])): tone for i, j, tone in panel["edges"]}
        here = {frozenset(edge) for edge in table.graph(int(panel["key"])).edges}
        assert {e for e, tone in toned.items() if tone != "missing"} == here
        assert {e for e, tone in toned.items() if tone == "plain"} == here & best
        assert {e for e, tone in toned.items() if tone == "missing"} == best - here
        assert gallery.place_of(table, int(panel["key"])) == place


def unpacked(text: str, dtype: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype=dtype)


def test_the_scatter_holds_every_graph(
    coronary: Loaded, tables: dict[str, bjp.search.GraphTable]
) -> None:
    learned = {
        method: bjp.learn(coronary.data, method, PUBLISHED[method]).graph for method in METHODS
    }
    found = gallery.specials(coronary, learned)
    numbers = gallery.foremost(tables["bjp"], None)
    cloud = figures.scatter(tables, ("mpl", "bjp"), numbers, found, 7, palettes.LIGHT)
    payload = cloud.payload("one", "graphs")
    (points,) = payload["groups"]
    assert np.array_equal(unpacked(points["x"], "<f8"), tables["mpl"].scores)
    assert np.array_equal(unpacked(points["y"], "<f8"), tables["bjp"].scores)
    assert points["keys"] is None
    best = gallery.foremost(tables["bjp"], 200)
    few = figures.scatter(tables, ("mpl", "bjp"), best, found, 7, palettes.LIGHT).groups[0]
    assert np.array_equal(unpacked(few.payload()["keys"], "<i4"), best)
    edges = [tables["bjp"].graph(int(k)).number_of_edges() for k in numbers[::1111]]
    assert unpacked(points["levels"], "u1")[::1111].tolist() == edges
    assert len(payload["levels"]["colours"]) == 16
    climb = tables["bjp"].number(learned["bjp"])
    (mark,) = (mark for mark in payload["marks"] if "BJP’s climb" in mark["name"])
    assert (mark["x"], mark["y"]) == (tables["mpl"].scores[climb], tables["bjp"].scores[climb])
    ring = payload["ring"]
    assert (ring["x"], ring["y"]) == (tables["mpl"].scores[7], tables["bjp"].scores[7])
    few = gallery.foremost(tables["mpl"], 100)
    worst = tables["mpl"].scores[few].min()
    assert len(few) == 100
    assert np.delete(tables["mpl"].scores, few).max() <= worst


def test_figures_write_the_posterior_of_each_edge(
    coronary: Loaded, tables: dict[str, bjp.search.GraphTable]
) -> None:
    table = tables["bjp"]
    weights = np.exp(table.scores - table.scores.max())
    graphs = [table.number(nx.Graph([edge])) for edge in combinations(coronary.data.names, 2)]
    for bit, (i, j) in zip(graphs, combinations(range(6), 2), strict=True):
        has = np.arange(len(weights)) & bit > 0
        expected = weights[has].sum() / weights.sum()
        assert table.edge_probabilities[i, j] == pytest.approx(expected, rel=1e-9)
    matrix = figures.edge_matrix(table.edge_probabilities, coronary.data, "bjp", palettes.DARK)
    assert matrix.data[0].text[1][2] == figures.share(table.edge_probabilities[1, 2])
    climb = bjp.learn(coronary.data, "bjp", search="ibmap-hc").graph
    bars = figures.edge_bars(table.edge_probabilities, coronary.data, climb, "bjp", palettes.LIGHT)
    assert len(bars.data[0].x) == climb.number_of_edges()
    assert len(bars.data[0].x) + len(bars.data[1].x) == 15


@pytest.mark.parametrize("palette", [palettes.LIGHT, palettes.DARK], ids=["light", "dark"])
def test_the_numbers_of_the_matrix_can_be_read(coronary: Loaded, palette: palettes.Palette) -> None:
    def luminance(colour: np.ndarray) -> float:
        linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    def parts(colour: str) -> np.ndarray:
        return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255

    shares = np.zeros((6, 6))
    pairs = list(combinations(range(6), 2))
    for value, (i, j) in zip(np.linspace(0, 1, len(pairs)), pairs, strict=True):
        shares[i, j] = shares[j, i] = value
    matrix = figures.edge_matrix(shares, coronary.data, "mpl", palette)
    written = matrix.data[1]
    assert len(written.x) == 30
    for x, y, text, ink in zip(
        written.x, written.y, written.text, written.textfont.color, strict=True
    ):
        value = shares[y, x]
        assert text == figures.share(value)
        ground = parts(palette.paper) * (1 - value) + parts(palette.mpl) * value
        light, dark = sorted([luminance(parts(ink)), luminance(ground)], reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_a_posterior_is_a_percentage_and_its_bar_to_scale(
    opened: Opened, tables: dict[str, bjp.search.GraphTable]
) -> None:
    assert gallery.percent(math.log(0.0859)) == "8.6 %"
    assert gallery.percent(-300.0) == "5.15·10⁻¹³¹"
    table = tables["bjp"]
    share = math.exp(table.scores.max() - table.log_normaliser)
    assert f"posterior {100 * share:.1f} %" in gallery.panel(table, 1, {}, "x")["subtitle"]
    # A full bar would be a probability of 1.
    columns = json.loads(opened().dataframe[0].proto.columns)
    assert columns["share"]["type_config"]["max_value"] == 1.0


def test_figures_and_tables_hold_names_as_text() -> None:
    data = coupled(HOSTILE).data
    table = bjp.all_graphs(data, "bjp")
    climb = bjp.learn(data, "bjp", search="ibmap-hc").graph
    drawn = (
        figures.edge_matrix(table.edge_probabilities, data, "bjp", palettes.LIGHT).to_json()
        + figures.edge_bars(table.edge_probabilities, data, climb, "bjp", palettes.LIGHT).to_json()
    )
    assert "<script" not in drawn.replace("\\u003c", "<")
    assert "<a href" not in drawn.replace("\\u003c", "<")
    lists = gallery.top_table(table)["list"]
    assert all(text.startswith("{") for text in lists)


def test_abbreviations_stay_apart() -> None:
    names = ["measure_one_left", "measure_one_right", "measure_two", "X1"]
    short = gallery.abbreviate(names)
    assert len(set(short)) == len(names)
    assert max(map(len, short)) <= 13
