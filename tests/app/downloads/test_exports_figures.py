"""Figures to keep, and effects in every file: places, names, hues and numbers."""

import gc
import io
import json
import re
import sys
import xml.etree.ElementTree as ET
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from PIL import Image

import bjp_engine as bjp
from bjp_explorer.downloads.drawing import drawing_of
from bjp_explorer.downloads.drawing_file import image
from bjp_explorer.downloads.drawing_svg import svg_element, svg_file
from bjp_explorer.downloads.script import script
from bjp_explorer.shell import sources
from bjp_explorer.shell.text import number
from bjp_explorer.views import layout
from bjp_explorer.views.effects import effects_of, widths
from bjp_explorer.views.palette import LIGHT
from tests.app.downloads.results import learned, made

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    "<script>alert(1)</script>",
    '" onload="alert(2)',
    "$\\href{javascript:alert(3)}{x}$",
    "$\\frac{1}$",
    "]]>&lt;<!--",
    "a\u202egnp.exe",
    "\x00\x1b[31m",
    "日本語 größe",
    "n" * 10_000,
)


def drawn(names, sure=True):
    codes = np.random.default_rng(1).integers(0, 2, (50, len(names)))
    data = bjp.Dataset.from_codes(codes, [2] * len(names), names)
    graph = nx.relabel_nodes(nx.cycle_graph(len(names)), dict(enumerate(names)))
    points = layout.positions(names, [graph])
    confidence = bjp.confidence.test_confidence(data, graph) if sure else None
    return drawing_of(data, graph, points, names[0], names[1], confidence)


def drawn_shape(graph, name, points=None):
    """A graph of independent variables with names of a pattern."""
    n = len(graph)
    names = tuple(name.format(k) for k in range(n))
    data = bjp.Dataset.from_codes(np.zeros((2, n), dtype=int), [2] * n, names)
    named = nx.relabel_nodes(graph, dict(enumerate(names)))
    return drawing_of(data, named, layout.circle(n) if points is None else points, "t", "a")


@pytest.fixture(scope="module")
def plain():
    return drawn(tuple(f"variable {k}" for k in range(8)))


@pytest.fixture(scope="module")
def hostile():
    return drawn(HOSTILE)


def test_nodes_names_and_edges_are_drawn_as_on_the_screen():
    points = np.random.default_rng(0).random((60, 2))
    drawing = drawn_shape(nx.path_graph(60), "v{}", points)
    places = np.array([[dot.x, dot.y] for dot in drawing.dots])
    for axis in (0, 1):
        scale, shift = np.polyfit(points[:, axis], places[:, axis], 1)
        assert scale > 0
        assert places[:, axis] == pytest.approx(scale * points[:, axis] + shift, abs=0.02)
    assert places.min() >= 0
    assert places[:, 0].max() <= drawing.width
    assert places[:, 1].max() <= drawing.height
    drawing = drawn_shape(nx.cycle_graph(12), "variable {}")
    for dot in drawing.dots:
        x, y = dot.place
        half = 0.26 * drawing.text_size * len(dot.label)
        for line in drawing.lines:
            x1, y1, x2, y2 = line.ends
            for share in np.linspace(0, 1, 400):
                at = x1 + share * (x2 - x1), y1 + share * (y2 - y1)
                inside = abs(at[0] - x) < half and y - 0.7 * drawing.text_size < at[1] < y
                assert not inside, (dot.label, line.text)
    drawing = drawn_shape(nx.star_graph(11), "a name of many letters {:02d}")
    for dot in drawing.dots:
        half = 0.25 * drawing.text_size * len(dot.label)
        assert half <= dot.place[0] <= drawing.width - half
    rows = np.random.default_rng(0).integers(0, 2, (400, 4))
    rows[:, 1] = rows[:, 0]
    data = bjp.Dataset.from_codes(rows, [2] * 4, ["a", "b", "c", "d"])
    graph = nx.Graph([("a", "b"), ("c", "d")])
    sure = bjp.confidence.test_confidence(data, graph)
    strong, weak = drawing_of(data, graph, layout.circle(4), "t", "a", sure).lines
    assert sure.of("a", "b").confidence > 0.9
    assert sure.of("c", "d").confidence < 0.2
    assert strong.width > 3 * weak.width
    assert strong.opacity > weak.opacity
    assert "0." in weak.text


def test_png_has_the_dots_of_the_svg_and_many_threads_draw_the_same(plain, hostile):
    picture = Image.open(io.BytesIO(image(plain, "png"))).convert("L")
    pixels = np.asarray(picture)
    sharp = picture.width / plain.width
    assert picture.size == (round(plain.width * sharp), round(plain.height * sharp))
    for circle in ET.fromstring(svg_file(plain)).iter(f"{SVG}circle"):
        x, y, r = (float(circle.attrib[key]) * sharp for key in ("cx", "cy", "r"))
        # White within, ink on the ring to the left and to the right at some height.
        assert pixels[round(y), round(x)] > 240
        row = pixels[round(y - 0.4 * r)]
        reach = round(r * (1 - 0.16) ** 0.5)
        for side in (-reach, reach):
            assert row[round(x) + side - 4 : round(x) + side + 5].min() < 120
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    alone = [image(plain, "png"), image(hostile, "png"), image(plain, "pdf")]
    asked = [(plain, "png"), (hostile, "png"), (plain, "pdf")] * 2
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda each: image(*each), asked))
    assert (found, dict(mpl.rcParams)) == (alone * 2, before)
    assert "matplotlib.pyplot" not in sys.modules
    gc.collect()
    # The type, not isinstance: that would ask a weak proxy for an object that may be gone.
    assert not [one for one in gc.get_objects() if issubclass(type(one), Figure)]


def test_names_are_text_in_every_kind_of_file(hostile):
    found = image(hostile, "pdf")
    assert found.startswith(b"%PDF-")
    assert b"/JavaScript" not in found
    assert b"/URI" not in found
    assert not re.search(rb"/Type /Annot\b|/Subtype /Link", found)
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", found, re.DOTALL)
    content = b"".join(_inflated(stream) for stream in streams)
    assert b"BT" in content
    # matplotlib draws a formula in fonts of its own.
    assert b"Cmr10" not in found
    assert b"STIX" not in found
    # As mathtext the second would be an error, and the first one letter wide.
    one, other = (drawn((name, "b", "c")) for name in ("$x$", "$\\frac{1}$"))
    assert image(one, "png") != image(drawn(("x", "b", "c")), "png")
    assert image(other, "png").startswith(b"\x89PNG")
    root = ET.fromstring(svg_file(hostile))
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert "日本語 größe" in texts
    assert max(len(text or "") for text in texts) < 200
    assert not any("\u202e" in (element.text or "") for element in root.iter())
    assert not re.search(r"\sid=", svg_element(hostile))


def _inflated(stream):
    try:
        # A last byte that looks like the end of a line may have been cut off.
        return zlib.decompressobj().decompress(stream)
    except zlib.error:
        return b""


HUES = {sign: getattr(LIGHT, sign) for sign in ("positive", "negative", "unsigned")}


@pytest.fixture(scope="module")
def titanic():
    """Titanic: effects of both signs, and strengths of a variable of four states."""
    found = learned(sources.load("titanic"), "auto")
    with pytest.warns(UserWarning, match="no finite estimate"):
        effects = bjp.fit_parameters(found.data, found.graph, "auto").effects()
    assert set(effects["kind"]) == {"log odds ratio", "strength"}
    sure = bjp.edge_probabilities(found.data)
    return replace(found, confidence=sure, effects=effects)


def test_files_hold_the_engines_numbers_or_say_nothing_of_effects(titanic):
    names = {"low": "effect_low", "high": "effect_high", "spread": "effect_spread"}
    table = titanic.effects.rename(columns=names | {"kind": "effect_kind"})
    columns = ["effect", *names.values(), "effect_kind"]
    known = {frozenset((row["x"], row["y"])): row for row in table.to_dict("records")}

    def near(row):
        """Some versions of pandas read the last digit of a CSV differently."""
        return [x if isinstance(x := row[name], str) else round(x, 12) for name in columns]

    def check(found, kind):
        assert set(found) == set(known), kind
        for pair, row in found.items():
            assert near(row) == near(known[pair]), kind

    graph = nx.read_graphml(io.BytesIO(made(titanic, "graphml")))
    check({frozenset((u, v)): bears for u, v, bears in graph.edges(data=True)}, "graphml")
    rows = pd.read_csv(io.BytesIO(made(titanic, "csv"))).to_dict("records")
    check({frozenset((row["source"], row["target"])): row for row in rows}, "csv")
    assert json.loads(made(titanic, "json"))["effects"] == titanic.effects.to_dict("records")

    pairs = pd.read_csv(io.BytesIO(made(titanic, "pairs.csv")))
    verdicts = {
        frozenset((row.x, row.y)): row.verdict for row in titanic.confidence.verdicts().itertuples()
    }
    assert (len(pairs), set(pairs["present_from"])) == (len(verdicts), {0.9})
    assert set(pairs["absent_up_to"]) == {0.1}
    columns = ["effect", "effect_low", "effect_high", "effect_kind"]
    for row in pairs.to_dict("records"):
        pair = frozenset((row["x"], row["y"]))
        assert row["verdict"] == verdicts[pair]
        if pair in known:
            assert near(row) == near(known[pair])
        else:
            assert pd.isna([row[name] for name in columns]).all()
    plain = replace(titanic, effects=None)
    for extension in ("graphml", "csv", "pairs.csv", "json", "svg", "html", "report.html"):
        assert b"effect" not in made(plain, extension).lower(), extension


def test_the_report_has_each_edge_with_effect_interval_and_definition(titanic):
    html = made(titanic, "report.html").decode()
    assert "(present from 0.9, absent up to 0.1)" in html
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", html)]
    plain = {tuple(re.sub("<.*?>", "", cell) for cell in row[:4]) for row in rows}
    for row in titanic.effects.itertuples():
        interval = f"[{number(row.low, 2)}, {number(row.high, 2)}]"
        assert (row.x, row.y, number(row.effect, 2), interval) in plain
    sexes = next(row for row in rows if row and "Sex" in row[0] and "Survived" in row[1])
    assert "Male – No" in sexes


def test_lines_have_the_hue_dash_and_width_of_their_effect(titanic):
    root = ET.fromstring(made(titanic, "svg"))
    titled = {line.findtext(f"{SVG}title", ""): line for line in root.iter(f"{SVG}line")}
    lines = {title.partition(":")[0]: (title, line) for title, line in titled.items()}
    html = made(titanic, "html").decode()
    found = re.search(r"edges = new vis\.DataSet\((\[.*?\])\);", html)
    assert found
    drawn = {tuple(sorted((e["from"], e["to"]))): e for e in json.loads(found[1])}
    effects, data = titanic.of_edges(), titanic.data
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
    assert made(titanic, "pdf").startswith(b"%PDF")
    # PNG: a solid line, and one of which about two fifths are gaps.
    codes = np.repeat([[0, 0, 0, 1], [1, 1, 1, 0], [0, 1, 1, 1], [1, 0, 0, 0]], [40, 40, 9, 9], 0)
    data = bjp.Dataset.from_codes(codes, names=["a", "b", "c", "d"])
    graph = nx.Graph([("a", "b"), ("c", "d")])
    points = np.array([[0, 0.1], [1, 0.1], [0, 0.9], [1, 0.9]])
    effects = effects_of(bjp.fit_parameters(data, graph, "auto").effects(resamples=5), data)
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


@pytest.mark.filterwarnings("ignore:Some states of")
def test_the_script_estimates_them_again_or_stops(titanic, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    effects = bjp.fit_parameters(titanic.data, titanic.graph, "auto").effects(ordered=["Class"])
    assert "log odds ratio per step" in set(effects["kind"])
    code = script(replace(titanic, effects=effects)).decode()
    exec(code, {"__name__": "__main__"})
    assert "log odds ratio per step" in capsys.readouterr().out
    known = {frozenset((row.x, row.y)): row.effect for row in effects.itertuples()}
    for row in pd.read_csv("edges.csv").to_dict("records"):
        expected = known[frozenset((row["source"], row["target"]))]
        assert row["effect"] == pytest.approx(expected, rel=1e-9)
    with pytest.raises(AssertionError, match="The effects differ"):
        exec(code.replace("LARGEST = ", "LARGEST = 1 + "), {"__name__": "__main__"})
