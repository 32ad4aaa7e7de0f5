"""Effects in every file: the engine's numbers, and lines drawn by sign as on the page."""

import io
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from PIL import Image

import bjp_engine as bjp
from bjp_explorer.downloads.drawing import drawing_of
from bjp_explorer.downloads.drawing_file import image
from bjp_explorer.downloads.script import script
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import number
from bjp_explorer.views.effects import effects_of, widths
from bjp_explorer.views.palette import LIGHT
from bjp_explorer.views.verdicts import Thresholds
from tests.app.downloads.results import learned, made, result_of

SVG = "{http://www.w3.org/2000/svg}"
# No child is of the crew.
pytestmark = pytest.mark.filterwarnings("ignore:Some states of (Class|Age)")
HUES = {sign: getattr(LIGHT, sign) for sign in ("positive", "negative", "unsigned")}


@pytest.fixture(scope="module")
def result():
    """Titanic: effects of both signs, and strengths of a variable of four states."""
    found = learned(sources.load("titanic"), "auto")
    effects = bjp.fit_parameters(found.data, found.graph).effects()
    assert set(effects["kind"]) == {"log odds ratio", "strength"}
    sure = bjp.edge_probabilities(found.data)
    return replace(found, confidence=sure, effects=effects, verdicts=Thresholds(0.95, 0.2))


def test_files_hold_the_engines_numbers_or_say_nothing_of_effects(result):
    names = {"low": "effect_low", "high": "effect_high", "spread": "effect_spread"}
    table = result.effects.rename(columns=names | {"kind": "effect_kind"})
    columns = ["effect", *names.values(), "effect_kind"]
    known = {frozenset((row["x"], row["y"])): row for row in table.to_dict("records")}

    def check(found, kind):
        assert set(found) == set(known), kind
        for pair, row in found.items():
            assert [row[name] for name in columns] == [known[pair][name] for name in columns], kind

    for kind, read in (("graphml", nx.read_graphml), ("gml", nx.read_gml)):
        graph = read(io.BytesIO(made(result, kind)))
        check({frozenset((u, v)): bears for u, v, bears in graph.edges(data=True)}, kind)
    rows = pd.read_csv(io.BytesIO(made(result, "csv"))).to_dict("records")
    check({frozenset((row["source"], row["target"])): row for row in rows}, "csv")
    assert json.loads(made(result, "json"))["effects"] == result.effects.to_dict("records")

    pairs = pd.read_csv(io.BytesIO(made(result, "pairs.csv")))
    verdicts = {
        frozenset((row.x, row.y)): row.verdict
        for row in result.confidence.verdicts(0.95, 0.2).itertuples()
    }
    assert (len(pairs), set(pairs["present_from"])) == (len(verdicts), {0.95})
    assert set(pairs["absent_up_to"]) == {0.2}
    columns = ["effect", "effect_low", "effect_high", "effect_kind"]
    for row in pairs.to_dict("records"):
        pair = frozenset((row["x"], row["y"]))
        assert row["verdict"] == verdicts[pair]
        if pair in known:
            assert [row[name] for name in columns] == [known[pair][name] for name in columns]
        else:
            assert pd.isna([row[name] for name in columns]).all()
    plain = replace(result, effects=None)
    for extension in ("graphml", "gml", "csv", "pairs.csv", "json", "svg", "html", "report.html"):
        assert b"effect" not in made(plain, extension).lower(), extension


def test_the_report_has_each_edge_with_effect_interval_and_definition(result):
    html = made(result, "report.html").decode()
    assert "(present from 0.95, absent up to 0.2)" in html
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", html)]
    plain = {tuple(re.sub("<.*?>", "", cell) for cell in row[:4]) for row in rows}
    for row in result.effects.itertuples():
        interval = f"[{number(row.low, 2)}, {number(row.high, 2)}]"
        assert (row.x, row.y, number(row.effect, 2), interval) in plain
    sexes = next(row for row in rows if row and "Sex" in row[0] and "Survived" in row[1])
    assert "Male – No" in sexes


def test_lines_have_the_hue_dash_and_width_of_their_effect(result):
    root = ET.fromstring(made(result, "svg"))
    titled = {line.findtext(f"{SVG}title", ""): line for line in root.iter(f"{SVG}line")}
    lines = {title.partition(":")[0]: (title, line) for title, line in titled.items()}
    html = made(result, "html").decode()
    found = re.search(r"edges = new vis\.DataSet\((\[.*?\])\);", html)
    assert found
    drawn = {tuple(sorted((e["from"], e["to"]))): e for e in json.loads(found[1])}
    effects, data = result.of_edges(), result.data
    wide = widths(effects)
    assert len(lines) == len(drawn) == len(effects)
    assert {each.sign for each in effects.values()} == set(HUES)
    for pair, effect in effects.items():
        title, line = lines[" – ".join(data.names[i] for i in pair)]
        assert line.get("stroke") == HUES[effect.sign]
        assert (line.get("stroke-dasharray") is not None) == (effect.sign == "negative")
        assert float(line.get("stroke-width", 0)) == pytest.approx(7 * wide[pair], abs=0.01)
        assert effect.text in title
        edge = drawn[pair]
        assert edge["color"]["color"] == HUES[effect.sign]
        assert bool(edge["dashes"]) == (effect.sign == "negative")
        assert effect.text in edge["title"]
    foot = [t.text or "" for t in root.iter(f"{SVG}text") if t.get("font-size") == "13"]
    note = " ".join(foot)
    for kind in {each.kind for each in effects.values()}:
        sizes = {pair: abs(each.effect) for pair, each in effects.items() if each.kind == kind}
        assert wide[max(sizes, key=sizes.__getitem__)] == 1
        assert f"{kind} {min(sizes.values()):.2f} to {max(sizes.values()):.2f}" in note
    assert "Green: positive (later states go together)" in note
    # No wider than the drawing, at a bit more than half an em a letter.
    assert all(len(line) * 13 * 0.55 < float(root.get("width", 0)) for line in foot)
    assert made(result, "pdf").startswith(b"%PDF")
    # PNG: a solid line, and one of which about two fifths are gaps.
    codes = np.repeat([[0, 0, 0, 1], [1, 1, 1, 0], [0, 1, 1, 1], [1, 0, 0, 0]], [40, 40, 9, 9], 0)
    data = bjp.Dataset.from_codes(codes, names=["a", "b", "c", "d"])
    graph = nx.Graph([("a", "b"), ("c", "d")])
    points = np.array([[0, 0.1], [1, 0.1], [0, 0.9], [1, 0.9]])
    effects = effects_of(bjp.fit_parameters(data, graph).effects(resamples=5), data)
    assert [effects[pair].sign for pair in ((0, 1), (2, 3))] == ["positive", "negative"]
    drawing = drawing_of(data, graph, points, "t", "a", None, effects)
    picture = np.asarray(Image.open(io.BytesIO(image(drawing, "png"))).convert("RGB")).astype(int)
    for line, sign in zip(drawing.lines, ("positive", "negative"), strict=True):
        x1, y, x2, _ = (round(2 * value) for value in line.ends)
        strip = picture[y, x1 + 30 : x2 - 30]
        hue = [int(HUES[sign][k : k + 2], 16) for k in (1, 3, 5)]
        blend = np.array(hue) * line.opacity + 255 * (1 - line.opacity)
        coloured = (np.abs(strip - blend) < 12).all(axis=1).mean()
        if sign == "positive":
            assert coloured > 0.99
        else:
            assert 0.5 < coloured < 0.7
            assert (strip > 250).all(axis=1).mean() > 0.3


def test_the_script_estimates_them_again_or_stops(result, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    effects = bjp.fit_parameters(result.data, result.graph).effects(ordered=["Class"])
    assert "log odds ratio per step" in set(effects["kind"])
    code = script(replace(result, effects=effects)).decode()
    exec(code, {"__name__": "__main__"})
    assert "log odds ratio per step" in capsys.readouterr().out
    known = {frozenset((row.x, row.y)): row.effect for row in effects.itertuples()}
    for row in pd.read_csv("edges.csv").to_dict("records"):
        expected = known[frozenset((row["source"], row["target"]))]
        assert row["effect"] == pytest.approx(expected, rel=1e-9)
    with pytest.raises(AssertionError, match="The effects differ"):
        exec(code.replace("LARGEST = ", "LARGEST = 1 + "), {"__name__": "__main__"})


def test_hostile_states_stay_text_in_every_file():
    labels = [("<script>alert(1)</script>", "=cmd()"), ("no", '"><img src=x>')]
    codes = np.random.default_rng(2).integers(0, 2, (80, 2))
    codes[:60, 1] = codes[:60, 0]
    data = bjp.Dataset.from_codes(codes, [2, 2], ["a", "b"], labels)
    graph = nx.Graph([("a", "b")])
    effects = bjp.fit_parameters(data, graph).effects(resamples=5)
    loaded = Loaded("file:h", "H", "", data)
    hostile = result_of(loaded, graph, bjp.score(data, graph, "bjp"), effects=effects)
    for extension in ("svg", "html", "report.html"):
        text = made(hostile, extension).decode()
        assert "<script>alert(1)" not in text
        assert "<img src=x>" not in text
