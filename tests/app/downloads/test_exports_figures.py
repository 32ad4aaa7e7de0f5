"""Figures to keep: the same places in every kind of file, names as text, nothing left behind."""

import gc
import io
import re
import sys
import xml.etree.ElementTree as ET
import zlib
from concurrent.futures import ThreadPoolExecutor

import networkx as nx
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

import bjp_engine as bjp
from bjp_explorer.downloads.drawing import drawing_of
from bjp_explorer.downloads.drawing_file import image
from bjp_explorer.downloads.drawing_svg import svg_element, svg_file
from bjp_explorer.views import layout

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
    allowed = {"svg", "rect", "text", "g", "line", "circle", "title"}
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in allowed
        assert not [name for name in element.attrib if name.startswith("on") or "href" in name]
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert "<script>alert(1)</script>" in texts
    assert "日本語 größe" in texts
    assert max(len(text or "") for text in texts) < 200
    assert not any("\u202e" in (element.text or "") for element in root.iter())
    assert b"<script" not in svg_file(hostile)
    assert not re.search(r"\sid=", svg_element(hostile))


def _inflated(stream):
    try:
        # A last byte that looks like the end of a line may have been cut off.
        return zlib.decompressobj().decompress(stream)
    except zlib.error:
        return b""
