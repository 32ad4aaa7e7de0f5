"""Figures to keep, and effects in every file: places, names, hues and numbers."""

import io
import json
import re
import sys
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import matplotlib as mpl
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from PIL import Image

import bjp_engine as bjp
from bjp_explorer.downloads.drawing import _write, draw, notes_of, picture
from bjp_explorer.downloads.script import script
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import number
from bjp_explorer.views.effects import widths
from bjp_explorer.views.palette import LIGHT
from bjp_explorer.views.payloads import edge_indices
from tests.app.downloads.results import learned, made, result_of

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


def drawn(names, **more):
    """A ring of variables, as a result."""
    codes = np.random.default_rng(1).integers(0, 2, (50, len(names)))
    data = bjp.Dataset.from_codes(codes, [2] * len(names), names)
    graph = nx.relabel_nodes(nx.cycle_graph(len(names)), dict(enumerate(names)))
    loaded = Loaded("file:a", str(names[0]), "", data)
    return result_of(loaded, graph, bjp.score(data, graph), **more)


def lines_of(figure):
    """The ends of each line of a figure, by its edges' order."""
    (lines,) = figure.axes[0].collections[:1]
    return lines


def test_pictures_have_nodes_where_the_screen_has_them_and_names_as_text():
    plain, hostile = drawn(tuple(f"variable {k}" for k in range(8))), drawn(HOSTILE)
    many = drawn(tuple(range(60)))
    for result in (plain, many):
        figure, _ = draw(result)
        places = np.asarray(figure.axes[0].collections[1].get_offsets())
        for axis in (0, 1):
            scale, shift = np.polyfit(result.points[:, axis], places[:, axis], 1)
            assert scale > 0
            assert places[:, axis] == pytest.approx(scale * result.points[:, axis] + shift)
        width, height = figure.get_size_inches() * 100
        assert places.min() >= 0
        assert (places < [width, height]).all()
        pairs = edge_indices(result.graph, result.data)
        for segment, (i, j) in zip(lines_of(figure).get_segments(), pairs, strict=True):
            assert np.allclose(segment, places[[i, j]])
    # PNG: white within each dot, ink on its ring.
    pixels = np.asarray(Image.open(io.BytesIO(picture(plain, "png"))).convert("L"))
    figure, _ = draw(plain)
    for x, y in 2 * np.asarray(figure.axes[0].collections[1].get_offsets()):
        assert pixels[round(y), round(x)] > 240
        row = pixels[round(y - 7.2)]
        for side in (-16.5, 16.5):
            assert row[round(x + side) - 4 : round(x + side) + 5].min() < 120
    # SVG: names are text, and long ones are cut.
    root = ET.fromstring(picture(hostile, "svg"))
    texts = ["".join(one.itertext()) for one in root.iter(f"{SVG}text")]
    assert {"日本語 größe", HOSTILE[0], HOSTILE[3]} <= set(texts)
    assert max(map(len, texts)) < 200
    assert not any("\u202e" in text for text in texts)
    # As a formula the second would be an error, and the first one letter wide.
    one, other = (drawn((name, "b", "c")) for name in ("$x$", "$\\frac{1}$"))
    assert picture(one, "png") != picture(drawn(("x", "b", "c")), "png")
    assert picture(other, "png").startswith(b"\x89PNG")
    # Many threads draw the same, and nothing is left behind.
    before = dict(mpl.rcParams)
    asked = [(plain, "png"), (hostile, "png"), (plain, "svg")]
    alone = [picture(*each) for each in asked]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda each: picture(*each), asked * 2))
    assert (found, dict(mpl.rcParams)) == (alone * 2, before)
    assert "matplotlib.pyplot" not in sys.modules


def test_long_names_hide_no_node_and_no_other_name_and_are_whole():
    rng = np.random.default_rng(0)
    words = [
        "difficulty",
        "concentrating",
        "MAGNITUDE",
        "flashbacks",
        "hypervigilance",
        "wwwm",
        "im",
    ]
    for n in (1, 6, 10, 17, 30, 60):
        names = tuple(f"{'_'.join(rng.choice(words, 2))}_{k}" for k in range(n))
        data = bjp.Dataset.from_codes(rng.integers(0, 2, (20, n)), [2] * n, names)
        for dense in (0.0, 3.0 / n):
            graph = nx.relabel_nodes(nx.gnp_random_graph(n, dense, seed=1), dict(enumerate(names)))
            result = result_of(Loaded("file:a", "Long", "", data), graph, bjp.score(data, graph))
            figure, texts = draw(result)
            _write(figure, texts)
            axes, paper = figure.axes[0], figure.bbox
            # As the font has them, with y upwards.
            boxes = {t.get_text(): t.get_window_extent() for t in axes.texts}
            dots = axes.transData.transform(axes.collections[1].get_offsets())
            assert set(names) < set(boxes), n
            for one, box in boxes.items():
                assert box.x0 >= 0 <= box.y0, (n, one)
                assert box.x1 <= paper.width, (n, one)
                assert box.y1 <= paper.height, (n, one)
                hidden = [other for other, b in boxes.items() if other != one and box.overlaps(b)]
                assert not hidden, (n, one)
                assert not any(box.contains(*dot) for dot in dots), (n, one)


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
    assert json.loads(made(titanic, "json"))["effects"] == titanic.effects.to_dict("records")

    pairs = pd.read_csv(io.BytesIO(made(titanic, "csv")))
    verdicts = {
        frozenset((row.x, row.y)): row.verdict for row in titanic.confidence.verdicts().itertuples()
    }
    assert len(pairs) == len(verdicts)
    rows = {frozenset((row.x, row.y)): row for row in titanic.effects.itertuples()}
    assert any(row.doubt for row in rows.values())
    assert any(row.among for row in rows.values())
    columns = ["effect", "effect_low", "effect_high", "effect_kind"]
    for row in pairs.to_dict("records"):
        pair = frozenset((row["x"], row["y"]))
        assert row["verdict"] == verdicts[pair]
        assert (row["edge"] == "yes") == (pair in rows)
        for name in ("among", "doubt"):
            wanted = getattr(rows[pair], name) if pair in rows else ""
            assert ("" if pd.isna(row[f"effect_{name}"]) else row[f"effect_{name}"]) == wanted
        if pair in known:
            assert near(row) == near(known[pair])
        else:
            assert pd.isna([row[name] for name in columns]).all()
    plain = replace(titanic, effects=None)
    for extension in ("graphml", "csv", "json", "svg", "html", "report.html"):
        assert b"effect" not in made(plain, extension).lower(), extension


def test_the_report_has_each_edge_with_effect_interval_and_definition(titanic):
    html = made(titanic, "report.html").decode()
    assert "(present from 0.9, absent up to 0.1)" in html
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", html)]
    plain = {tuple(re.sub("<.*?>", "", cell) for cell in row[:6]) for row in rows}
    verdicts = titanic.confidence.verdicts().set_index(["x", "y"])
    for row in titanic.effects.itertuples():
        interval = f"[{number(row.low, 2)}, {number(row.high, 2)}]"
        p, verdict = verdicts.loc[(row.x, row.y), ["probability", "verdict"]]
        wanted = (row.x, row.y, number(p, 4), verdict, number(row.effect, 2), interval)
        assert wanted in plain
    sexes = next(row for row in rows if row and "Sex" in row[0] and "Survived" in row[1])
    assert "Male – No" in sexes


def test_lines_have_the_hue_dash_and_width_of_their_effect(titanic):
    data, effects = titanic.data, titanic.of_edges()
    wide, verdicts = widths(effects), titanic.confidence.verdicts().set_index(["x", "y"])["verdict"]
    for undecided in (False, True):
        result = replace(titanic, undecided=undecided)
        found = re.search(r"edges = new vis\.DataSet\((\[.*?\])\);", made(result, "html").decode())
        drawn = {tuple(sorted((e["from"], e["to"]))): e for e in json.loads(found[1])}
        lines = lines_of(draw(result)[0])
        names = {pair: tuple(data.names[k] for k in pair) for pair in effects}
        shown = [
            pair for pair in sorted(effects) if undecided or verdicts[names[pair]] == "present"
        ]
        assert sorted(drawn) == shown
        assert len(lines.get_segments()) == len(shown)
        for k, pair in enumerate(shown):
            effect, is_clear = effects[pair], verdicts[names[pair]] == "present"
            hue = HUES[effect.sign] if is_clear else LIGHT.muted
            dashed = effect.sign == "negative" or not is_clear
            assert mpl.colors.to_hex(lines.get_edgecolor()[k]) == hue
            assert (lines.get_linestyle()[k][1] is not None) == dashed
            width = max(0.8, 7 * wide[pair])
            assert lines.get_linewidth()[k] == pytest.approx(0.72 * width)
            edge = drawn[pair]
            assert edge["color"] == hue
            assert bool(edge["dashes"]) == dashed
            assert effect.text in edge["title"]
        note = " ".join(notes_of(result))
        for kind in {each.kind for each in effects.values()}:
            sizes = [abs(each.effect) for each in effects.values() if each.kind == kind]
            assert f"{kind} {min(sizes):.2f} to {max(sizes):.2f}" in note
        assert "Green: positive (later states go together)" in note
        hidden = len(effects) - len(shown)
        assert (f"{hidden} edges of the graph are not present" in note) == bool(hidden)


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
