"""Downloads: what is written reads back, and hostile names stay text."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_explorer import exports, layout, sources
from bjp_explorer.sources import Loaded

NAMES = ("<script>alert(1)</script>", '"]</script>', "=cmd()", "{{7*7}}", "Größe", "href", "+1")


@pytest.fixture(scope="module")
def hostile() -> Loaded:
    codes = np.random.default_rng(1).integers(0, 2, (40, len(NAMES)))
    data = bjp.Dataset.from_codes(codes, names=NAMES)
    return Loaded("file:hostile", "</title><script>alert(2)</script>", "", data)


@pytest.fixture(scope="module")
def ring() -> nx.Graph:
    return nx.relabel_nodes(nx.cycle_graph(len(NAMES)), dict(enumerate(NAMES)))


@pytest.fixture(scope="module")
def files(hostile: Loaded, ring: nx.Graph) -> dict[str, bytes]:
    return written(hostile, ring)


def written(loaded: Loaded, graph: nx.Graph) -> dict[str, bytes]:
    trace = bjp.score(loaded.data, graph, "bjp")
    points = layout.positions(loaded.data.names, [graph])
    return {f.extension: f.make() for f in exports.formats(loaded, graph, trace, points)}


def edges(graph: nx.Graph) -> set[frozenset[str]]:
    return {frozenset(map(str, edge)) for edge in graph.edges}


def test_networkx_reads_graphml_and_gml(files: dict[str, bytes], ring: nx.Graph) -> None:
    assert edges(nx.read_graphml(io.BytesIO(files["graphml"]))) == edges(ring)
    assert edges(nx.read_gml(io.BytesIO(files["gml"]))) == edges(ring)
    ET.fromstring(files["graphml"])


def test_no_cell_of_the_edge_list_is_a_formula(files: dict[str, bytes], ring: nx.Graph) -> None:
    rows = list(csv.reader(io.StringIO(files["csv"].decode("utf-8-sig"))))
    assert rows[0] == ["source", "target"]
    assert {frozenset(cell.removeprefix("'") for cell in row) for row in rows[1:]} == edges(ring)
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)
    assert files["csv"].startswith(b"\xef\xbb\xbf")


def test_json_holds_the_graph_and_every_term(
    files: dict[str, bytes], hostile: Loaded, ring: nx.Graph
) -> None:
    content = json.loads(files["json"])
    trace = bjp.score(hostile.data, ring, "bjp")
    assert edges(bjp.read_graph(files["json"], "json")) == edges(ring)
    assert [term["value"] for term in content["terms"]] == [term.value for term in trace.terms]
    assert content["total"] == trace.total


def test_a_searchs_json_holds_its_steps() -> None:
    loaded = sources.load("coronary")
    trace = bjp.learn(loaded.data, "bjp")
    points = layout.positions(loaded.data.names, [trace.graph])
    found = {f.extension: f for f in exports.formats(loaded, trace.graph, trace, points)}
    content = json.loads(found["json"].make())
    assert content["score"] == trace.score
    assert [tuple(step["edge"]) for step in content["steps"]] == [s.edge for s in trace.steps]


def test_the_page_fetches_nothing_and_holds_names_as_text(files: dict[str, bytes]) -> None:
    page = files["html"].decode("utf-8")
    assert not re.search(r"<(?:script|img|iframe)[^>]*\ssrc=|<link\s|<h1", page)
    assert "default-src 'none'" in page
    assert "<title>&lt;/title&gt;&lt;script&gt;alert(2)&lt;/script&gt;</title>" in page
    # The only scripts are pyvis's helper, vis-network and the drawing itself.
    assert page.count("<script") - page.split("<body>")[0].count("<script") == 1
    assert "alert(1)</script>" not in page
    nodes = json.loads(re.search(r"new vis\.DataSet\((\[.*?\])\);", page)[1])
    assert [node["label"] for node in nodes] == list(NAMES)
    assert [node["id"] for node in nodes] == list(range(len(NAMES)))


def test_the_page_keeps_the_positions_of_the_screen(hostile: Loaded, ring: nx.Graph) -> None:
    points = layout.positions(hostile.data.names, [ring])
    page = written(hostile, ring)["html"].decode()
    nodes = json.loads(re.search(r"new vis\.DataSet\((\[.*?\])\);", page)[1])
    drawn = np.array([[node["x"], node["y"]] for node in nodes])
    assert drawn / drawn.max(axis=0) == pytest.approx(points / points.max(axis=0), abs=1e-3)
    assert '"physics": {"enabled": false}' in page


def test_file_names_are_safe() -> None:
    assert exports.file_stem("Coronary heart disease", "bjp") == "coronary-heart-disease-bjp"
    for title in ('../../etc/"passwd', "<script>", "a\r\nSet-Cookie: x", "x" * 500):
        assert re.fullmatch(r"[a-z0-9-]{1,80}", exports.file_stem(title))
    assert exports.file_stem("…") == "network"


def test_a_name_that_xml_cannot_hold_is_told(ring: nx.Graph) -> None:
    data = bjp.Dataset.from_codes([[0, 1], [1, 0]], names=["a\x00b", "c"])
    loaded = Loaded("file:control", "Control", "", data)
    graph = nx.Graph([("a\x00b", "c")])
    trace = bjp.score(data, graph, "bjp")
    points = layout.positions(data.names, [graph])
    found = {f.extension: f for f in exports.formats(loaded, graph, trace, points)}
    with pytest.raises(bjp.GraphError):
        found["graphml"].make()
    assert bjp.read_graph(found["json"].make(), "json").number_of_edges() == 1
