"""Downloads: what is written reads back, and hostile names stay text."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from streamlit import runtime
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

import bjp_engine as bjp
from bjp_engine.io import models
from bjp_engine.preparation import MissingCells, Preparation
from bjp_explorer.downloads import button, drawing, formats
from bjp_explorer.downloads.formats import formats_of
from bjp_explorer.downloads.result import Result
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views import layout

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
    return {f.extension: f.make() for f in formats_of(result_of(loaded, graph))}


def result_of(loaded: Loaded, graph: nx.Graph) -> Result:
    trace = bjp.score(loaded.data, graph, "bjp")
    return Result(loaded, graph, trace, layout.positions(loaded.data.names, [graph]))


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
    assert edges(bjp.io.read_graph(files["json"], "json")) == edges(ring)
    assert [term["value"] for term in content["terms"]] == [term.value for term in trace.terms]
    assert content["total"] == trace.total


def test_a_searchs_json_holds_its_steps() -> None:
    loaded = sources.load("coronary")
    trace = bjp.learn(loaded.data, "bjp", search="ibmap-hc")
    points = layout.positions(loaded.data.names, [trace.graph])
    found = {f.extension: f for f in formats_of(Result(loaded, trace.graph, trace, points))}
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
    assert button.file_stem("Coronary heart disease", "bjp") == "coronary-heart-disease-bjp"
    for title in ('../../etc/"passwd', "<script>", "a\r\nSet-Cookie: x", "x" * 500):
        assert re.fullmatch(r"[a-z0-9-]{1,80}", button.file_stem(title))
    assert button.file_stem("…") == "network"


def test_a_name_that_xml_cannot_hold_is_told(ring: nx.Graph) -> None:
    data = bjp.Dataset.from_codes([[0, 1], [1, 0]], names=["a\x00b", "c"])
    loaded = Loaded("file:control", "Control", "", data)
    graph = nx.Graph([("a\x00b", "c")])
    found = {f.extension: f for f in formats_of(result_of(loaded, graph))}
    assert "can't hold one of the names" in found["graphml"].problem
    assert not found["gml"].problem
    with pytest.raises(bjp.errors.GraphError):
        found["graphml"].make()
    assert bjp.io.read_graph(found["json"].make(), "json").number_of_edges() == 1


def test_every_file_has_a_name_of_its_own_and_a_group(hostile: Loaded, ring: nx.Graph) -> None:
    found = formats_of(result_of(hostile, ring))
    assert len({kind.extension for kind in found}) == len(found) == 13
    assert [kind.group for kind in found] == sorted(
        (kind.group for kind in found), key=["Graph", "Figure", "Report", "For programs"].index
    )
    for kind in found:
        assert kind.about.endswith(".")


def test_nothing_is_made_before_it_is_asked_for(
    hostile: Loaded, ring: nx.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> bytes:
        raise AssertionError("made too early")

    for name in (
        *("graph_bytes", "edge_csv", "trace_json", "drawing_of"),
        *("image", "caches.fit_network"),
    ):
        monkeypatch.setattr(f"{formats.__name__}.{name}", refuse)
    formats_of(result_of(hostile, ring))


def test_preparation_is_offered_where_there_is_one(hostile: Loaded, ring: nx.Graph) -> None:
    steps = Preparation((MissingCells("state"),))
    loaded = replace(hostile, preparation=steps)
    found = {f.extension: f for f in formats_of(result_of(loaded, ring))}
    assert Preparation.from_json(found["preparation.json"].make()) == steps
    assert json.loads(found["json"].make())["preparation"] == json.loads(steps.to_json())


def test_parameters_come_with_few_weights_only() -> None:
    names = [f"v{i}" for i in range(3)]
    small = bjp.Dataset.from_codes([[0, 1, 1], [1, 0, 1]] * 20, names=names)
    large = bjp.Dataset.from_codes([[0, 1, 1], [1, 0, 1]] * 20, [200] * 3, names)
    graph = nx.path_graph(names)
    assert formats.fit_network(result_of(Loaded("file:a", "A", "", small), graph)) is not None
    assert formats.fit_network(result_of(Loaded("file:a", "A", "", large), graph)) is None


def test_tables_that_are_too_large_are_told() -> None:
    data = bjp.Dataset.from_codes([[0, 1], [1, 0]], [1100, 1100], ["a", "b"])
    result = result_of(Loaded("file:a", "A", "", data), nx.Graph([("a", "b")]))
    found = {f.extension: f for f in formats_of(result)}
    assert "too large" in found["mn"].problem
    with pytest.raises(bjp.errors.GraphError):
        found["mn"].make()


def test_the_limits_that_are_documented() -> None:
    told = (Path(__file__).parents[3] / "docs" / "limits.md").read_text(encoding="utf-8")
    for limit, constant in (
        (models.MOST_WEIGHTS, "models.MOST_WEIGHTS"),
        (formats.FEW_WEIGHTS, "export_formats.FEW_WEIGHTS"),
        (formats.FEW_CELLS, "export_formats.FEW_CELLS"),
        (drawing.LONGEST, "drawing.LONGEST"),
    ):
        assert f"| {limit:,} | `{constant}` |".replace(",", " ") in told


@pytest.mark.parametrize("content", [b"\x89PNG", "text"])
def test_a_file_outlasts_the_runs_of_others(
    content: bytes | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = MemoryMediaFileStorage("/media")
    manager = MediaFileManager(store)
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: SimpleNamespace(media_file_mgr=manager))
    visit = SimpleNamespace(session_id="one", pages_manager=SimpleNamespace(main_script_hash=""))
    monkeypatch.setattr(button, "get_script_run_ctx", lambda **_: visit)
    lost, kept = (
        manager.execute_deferred(manager.add_deferred(make, "text/plain", place, name))
        for place, name, make in (
            ("0", "lost.txt", lambda: content),
            ("1", "kept.txt", button.held(lambda: content, "kept.txt", "text/plain")),
        )
    )
    for _ in range(5):
        manager.remove_orphaned_files()
    wanted = content if isinstance(content, bytes) else content.encode()
    assert store.get_file(Path(kept).name).content == wanted
    # Once Streamlit keeps such a file by itself, `held` has nothing left to do.
    with pytest.raises(MediaFileStorageError):
        store.get_file(Path(lost).name)
    manager.clear_session_refs("one")
    for _ in range(2):
        manager.remove_orphaned_files()
    with pytest.raises(MediaFileStorageError):
        store.get_file(Path(kept).name)
