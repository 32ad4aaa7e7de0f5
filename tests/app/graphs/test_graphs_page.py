"""All graphs: ranks, posteriors and tables are the engine's."""

import base64
import json
import math
from functools import cache
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.scores import SCORES
from bjp_engine.search import PUBLISHED
from bjp_explorer.graphs import figures, gallery
from bjp_explorer.shell import sources, visit
from bjp_explorer.views import palette as palettes
from docs.make_palette import contrast
from tests.app.looks import coupled, settled, take, texts

METHODS = tuple(SCORES)
VOTES = "house_votes_84"
HOSTILE = ("<script>alert(1)</script>", '<a href="x">y</a>', "=cmd()")


@cache
def tables():
    return {method: bjp.all_graphs(sources.load("coronary").data, method) for method in METHODS}


@cache
def climbs():
    data = sources.load("coronary").data
    return {method: bjp.learn(data, method, PUBLISHED[method]).graph for method in METHODS}


def test_ranks_and_the_best_graphs_are_the_engines(open_app, switch_page):
    page = settled(open_app("graphs"))
    graphs = [*climbs().values(), sources.load("coronary").published]
    for method, table in tables().items():
        ranks = [int((table.scores >= table.scores[table.number(g)]).sum()) for g in graphs]
        shown = page.table[0].value[f"Rank by {SCORES[method].title}"].tolist()
        assert shown == ["**1** ✓" if rank == 1 else f"{rank:,}" for rank in ranks], method
    for method, table in tables().items():
        page.segmented_control(key="graphs-score").set_value(method).run()
        best, scores = settled(page).dataframe[0].value, np.sort(table.scores)[::-1]
        assert best["score"].tolist() == scores[: len(best)].tolist()
        shares = np.exp(scores - scores[0]) / np.exp(scores - scores[0]).sum()
        assert best["share"].iloc[0] == pytest.approx(shares[0], rel=1e-9)
        assert best["edges"].iloc[0] == table.graph(int(table.ranking[0])).number_of_edges()
        assert f"carry {100 * shares[:10].sum():.3g} %" in texts(page), method
    columns = json.loads(page.dataframe[0].proto.columns)
    assert columns["share"]["type_config"]["max_value"] == 1.0
    page.number_input[0].set_value(123).run()
    switch_page(switch_page(page, "scores"), "graphs")
    assert page.number_input[0].value == 123


def test_of_larger_data_some_variables_are_explored_and_few_have_all_graphs(open_app):
    def about_selection():
        notices = [block.value for block in page.markdown if "are selected" in block.value]
        counted = {each.label: each.value for each in page.metric}["Variables"]
        return page.session_state[visit._TOKEN], counted, notices

    data = sources.load(VOTES).data
    page = settled(open_app("graphs", data=VOTES))
    expected = set()
    for pair in sorted(
        combinations(data.names, 2), key=lambda p: bjp.independence_test(data, *p).log_independent
    ):
        if len(expected | set(pair)) <= 6:
            expected |= set(pair)
    expected = sorted(expected, key=data.index)
    assert list(page.multiselect[0].value) == expected
    chosen = expected[:4]
    settled(page.multiselect[0].set_value(chosen).run())
    page.query_params.clear()  # in a browser the address follows
    settled(page.button(key="graphs-explore").click().run())
    token = f"{VOTES}~{'.'.join(str(data.names.index(name)) for name in chosen)}"
    assert (page.session_state[visit._TOKEN], len(page.multiselect)) == (token, 0)
    assert len(page.dataframe[0].value) == 64

    # The Data page says so, keeps them, and gives all variables back.
    settled(page.switch_page("pages/data.py").run())
    *found, (notice,) = about_selection()
    assert found == [token, "4"]
    assert notice.startswith(f"**Only 4 of {data.n} variables are selected:**")
    page.button(key="data-all").click().run()
    assert about_selection() == (VOTES, str(data.n), [])
    page = settled(open_app("graphs", data=VOTES))
    page.multiselect[0].set_value([]).run()
    assert "one to six" in settled(page).info[0].value
    page = open_app("graphs")
    for names, graphs in ((("a",), 1), (("a", "b"), 2), (HOSTILE, 8)):
        take(page, coupled(names))
        settled(page.run())
        if graphs == 1:
            assert "only one graph" in texts(page)
        else:
            assert f"all {graphs:,} graphs on {len(names)} variables" in texts(page)
            assert len(page.dataframe[0].value) == graphs
    short = gallery.abbreviate(["measure_one_left", "measure_one_right", "measure_two", "X1"])
    assert len(set(short)) == 4
    assert max(map(len, short)) <= 13


def test_some_variables_have_the_marginal_network():
    rng = np.random.default_rng(0)
    for _ in range(30):
        graph = nx.gnp_random_graph(8, 0.3, seed=int(rng.integers(1 << 30)))
        keep = sorted(rng.choice(8, 4, replace=False).tolist())
        found = sources.marginal(graph, keep)
        assert sorted(found) == keep
        for u, v in combinations(keep, 2):
            between = graph.subgraph({u, v} | (set(graph) - set(keep)))
            assert found.has_edge(u, v) == nx.has_path(between, u, v)
    coronary = sources.load("coronary")
    assert sources.subset(coronary, coronary.data.names) is coronary
    part = sources.subset(coronary, coronary.data.names[2::-1])
    assert part.data.names == coronary.data.names[:3]
    assert set(part.published) == set(part.data.names)


def test_panels_and_the_scatter_hold_the_engines_graphs():
    table = tables()["bjp"]
    names, best = table.data.names, {frozenset(edge) for edge in table.graph(table.best).edges}
    for place in (1, 2, 500):
        panel = gallery.panel(table, place, {}, "x")
        key, toned = int(panel["key"]), {"plain": set(), "missing": set(), "extra": set()}
        for i, j, tone in panel["edges"]:
            toned["extra" if tone not in toned else tone].add(frozenset((names[i], names[j])))
        here = {frozenset(edge) for edge in table.graph(key).edges}
        assert [*toned.values()] == [here & best, best - here, here - best]
        assert gallery.place_of(table, key) == place
    share = math.exp(table.scores.max() - table.log_normaliser)
    assert f"posterior {100 * share:.1f} %" in gallery.panel(table, 1, {}, "x")["subtitle"]
    assert gallery.percent(math.log(0.0859)) == "8.6 %"
    assert gallery.percent(-300.0) == "5.15·10⁻¹³¹"


def test_the_scatter_holds_the_best_graphs_and_a_click_shows_one(open_app):
    bjp_table, mpl_table = tables()["bjp"], tables()["mpl"]
    page = settled(open_app("graphs"))
    (shown,) = [chart for chart in page.get("plotly_chart") if "graphs-scatter" in chart.proto.id]
    points, *marks, ring = json.loads(shown.proto.spec)["data"]
    numbers = unpacked(points["customdata"])
    best = np.argsort(-bjp_table.scores, kind="stable")[:2000]
    assert sorted(numbers) == sorted(best)
    for trace in (points, *marks, ring):
        mine = np.atleast_1d(unpacked(trace["customdata"]))
        assert np.array_equal(unpacked(trace["x"]), mpl_table.scores[mine])
        assert np.array_equal(unpacked(trace["y"]), bjp_table.scores[mine])
    edges = [bjp_table.graph(int(k)).number_of_edges() for k in numbers[::97]]
    assert unpacked(points["marker"]["color"])[::97].tolist() == edges
    (mark,) = (mark for mark in marks if "BJP’s climb" in mark["name"])
    assert unpacked(mark["customdata"]) == [bjp_table.number(climbs()["bjp"])]
    assert unpacked(ring["customdata"]) == [bjp_table.best]


def unpacked(values):
    """An array of a figure's JSON."""
    if not isinstance(values, dict):
        return np.array(values)
    return np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"])


def test_figures_write_the_posterior_of_each_edge():
    table, data = tables()["bjp"], sources.load("coronary").data
    shares = table.edge_probabilities
    bars = figures.edge_bars(shares, data, climbs()["bjp"], "bjp", palettes.LIGHT).data
    edges = climbs()["bjp"].number_of_edges()
    assert (len(bars[0].x), len(bars[1].x)) == (edges, 15 - edges)

    def parts(colour):
        return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255

    shares = np.zeros((6, 6))
    shares[np.triu_indices(6, 1)] = np.linspace(0, 1, 15)
    shares += shares.T
    for palette in (palettes.LIGHT, palettes.DARK):
        matrix, written = figures.edge_matrix(shares, data, "mpl", palette).data
        assert len(written.x) == 30
        inks = written.textfont.color
        for x, y, text, ink in zip(written.x, written.y, written.text, inks, strict=True):
            value = shares[y, x]
            assert matrix.text[y][x] == text == figures.share(value)
            ground = parts(palette.paper) * (1 - value) + parts(palette.mpl) * value
            assert contrast(parts(ink), ground) >= 4.5, (palette, value)
