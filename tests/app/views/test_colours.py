"""Colour means one thing: ⊥ is blue and ⊥̸ vermilion; a score has one hue and marker everywhere."""

import json
import re

import networkx as nx
import pytest

import bjp_engine as bjp
from bjp_engine.scores import PAPERS, SCORES
from bjp_engine.search import PUBLISHED
from bjp_explorer.accuracy import calibration, limit, packages, paper
from bjp_explorer.graphs import figures, gallery
from bjp_explorer.scores import halves as spared
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views import palette as palettes
from bjp_explorer.views.palette import DARK, LIGHT, LOOKS

TITLES = {SCORES[method].title: method for method in LOOKS}
HEX = re.compile(r"#[0-9a-f]{6}\b", re.IGNORECASE)
# The figures whose points are independences and dependences.
OF_ASSERTIONS = ("halves",)


def all_figures(palette):
    """Every figure of every page that shows a score or an assertion, as lists of traces."""
    data = sources.load("coronary").data
    learned = bjp.learn(data, "bjp", PUBLISHED["bjp"]).graph
    halves = bjp.scores.spared_tests(bjp.score(data, learned, "ib"))
    few = data.select(data.names[:4])
    tables = {m: bjp.all_graphs(few, m) for m in LOOKS}
    climbs = {m: nx.Graph([(few.names[k], few.names[k - 1])]) for k, m in enumerate(LOOKS)}
    specials = gallery.specials(Loaded("few", "few", "", few), climbs)
    measured = packages.read()
    methods = [m for m in measured.usual if m in measured.usual[:4] or measured.score(m)]
    standings = measured.standings(methods)
    charts = {
        "graphs": figures.scatter(tables, ("mpl", "bjp"), "bjp", specials, 0, palette),
        "halves": spared.chart(halves, palette),
        "strips": packages.strips(measured, standings, palette),
        "seconds": packages.times(measured, standings, palette),
        "diagram": calibration.diagram(calibration.read(), palette),
        "limit": limit.chart(limit.read(), palette),
    }
    for method, table in tables.items():
        shares = table.edge_probabilities
        charts[f"matrix of {method}"] = figures.edge_matrix(shares, few, method, palette)
        bars = figures.edge_bars(shares, few, climbs[method], method, palette)
        charts[f"bars of {method}"] = bars
    for name in ("table-1", "table-4"):
        charts[name] = paper.chart(paper.read()[name], palette)
    # A chart's traces, without plotly's template.
    return {name: json.loads(chart.to_json())["data"] for name, chart in charts.items()}


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_every_figure_draws_a_score_in_its_own_hue(palette, monkeypatch):
    monkeypatch.setattr(palettes, "current", lambda: palette)
    found = all_figures(palette)
    others = {getattr(palette, m) for m in LOOKS}
    for where, trace in ((where, trace) for where, traces in found.items() for trace in traces):
        used, name = set(HEX.findall(json.dumps(trace).lower())), str(trace.get("name", ""))
        assert where in OF_ASSERTIONS or not used & {palette.blue, palette.vermilion}, (where, name)
        mine = next((m for title, m in TITLES.items() if name.startswith(title)), None)
        if mine is None:
            continue
        assert not used or used & others == {palette.score(mine)}, (where, name)
        marker = trace.get("marker", {}).get("symbol", trace.get("symbol", ""))
        assert marker.removesuffix("-open") in ("", LOOKS[mine].symbol), (where, name)
    named = {t["name"] for traces in found.values() for t in traces if "name" in t}
    for title, method in TITLES.items():
        # The paper's tables have the paper's scores alone.
        least = 3 if method in PAPERS else 1
        assert sum(name.startswith(title) for name in named) >= least
        for kind in ("matrix", "bars"):
            text = json.dumps(found[f"{kind} of {method}"]).lower()
            assert {m for m in LOOKS if palette.score(m) in text} == {method}
    # Each method of the engine has the hue of its score; the packages have none.
    strips = found["strips"][0]
    assert {*strips["marker"]["color"]} == {palette.ink, *map(palette.score, PAPERS)}
