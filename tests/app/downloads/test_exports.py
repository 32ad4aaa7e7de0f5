"""Downloads: what is written reads back, and hostile names stay text."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import partial
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
from bjp_engine.preparation import MissingCells, Preparation
from bjp_explorer.downloads import button
from bjp_explorer.downloads.formats import formats_of
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Loaded
from tests.app.downloads.results import edges, learned, made, result_of

NAMES = ("<script>alert(1)</script>", '"]</script>', "=cmd()", "{{7*7}}", "Größe", "href", "+1")


def scored(title, data, graph):
    loaded = Loaded("file:a", title, "", data)
    return result_of(loaded, graph, bjp.score(data, graph, "bjp"))


@pytest.fixture(scope="module")
def hostile():
    codes = np.random.default_rng(1).integers(0, 2, (40, len(NAMES)))
    ring = nx.relabel_nodes(nx.cycle_graph(len(NAMES)), dict(enumerate(NAMES)))
    data = bjp.Dataset.from_codes(codes, names=NAMES)
    return scored("</title><script>alert(2)</script>", data, ring)


def test_every_file_of_a_graph_reads_back(hostile):
    ring = edges(hostile.graph)
    graphml = made(hostile, "graphml")
    ET.fromstring(graphml)
    assert edges(nx.read_graphml(io.BytesIO(graphml))) == ring
    content = made(hostile, "json")
    assert edges(bjp.io.read_graph(content, "json")) == ring
    trace = bjp.score(hostile.data, hostile.graph, "bjp")
    values = [term["value"] for term in json.loads(content)["terms"]]
    assert values == [term.value for term in trace.terms]
    assert json.loads(content)["total"] == trace.total
    content = made(hostile, "csv")
    assert content.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    assert rows[0] == ["source", "target"]
    assert {frozenset(cell.removeprefix("'") for cell in row) for row in rows[1:]} == ring
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)
    result = learned(sources.load("coronary"), "ibmap-hc")
    content = json.loads(made(result, "json"))
    assert content["score"] == result.learned.score
    steps = [tuple(step["edge"]) for step in content["steps"]]
    assert steps == [step.edge for step in result.learned.steps]


def test_the_page_draws_nodes_where_the_screen_does(hostile):
    page = made(hostile, "html").decode("utf-8")
    nodes = json.loads(re.search(r"new vis\.DataSet\((\[.*?\])\);", page)[1])
    assert [node["label"] for node in nodes] == list(NAMES)
    assert [node["id"] for node in nodes] == list(range(len(NAMES)))
    drawn = np.array([[node["x"], node["y"]] for node in nodes])
    points = hostile.points
    assert drawn / drawn.max(axis=0) == pytest.approx(points / points.max(axis=0), abs=1e-3)
    assert '"physics": {"enabled": false}' in page


def test_each_file_has_a_safe_name(hostile):
    assert button.file_stem("Coronary heart disease", "bjp") == "coronary-heart-disease-bjp"
    for title in ('../../etc/"passwd', "<script>", "a\r\nSet-Cookie: x", "x" * 500):
        assert re.fullmatch(r"[a-z0-9-]{1,80}", button.file_stem(title)), title
    assert button.file_stem("…") == "network"
    found = [*formats_of(hostile)]
    assert len({kind.extension for kind in found}) == len(found)


def test_files_are_offered_where_they_can_be_made(hostile):
    data = bjp.Dataset.from_codes([[0, 1], [1, 0]], names=["a\x00b", "c"])
    control = scored("Control", data, nx.Graph([("a\x00b", "c")]))
    found = {one.extension: one for one in formats_of(control)}
    assert "can't hold one of the names" in found["graphml"].problem
    with pytest.raises(bjp.errors.GraphError):
        found["graphml"].make()
    assert not found["csv"].problem
    assert bjp.io.read_graph(made(control, "json"), "json").number_of_edges() == 1
    steps = Preparation((MissingCells("state"),))
    result = replace(hostile, loaded=replace(hostile.loaded, preparation=steps))
    assert json.loads(made(result, "json"))["preparation"] == json.loads(steps.to_json())


def test_a_file_outlasts_the_runs_of_others(monkeypatch):
    store = MemoryMediaFileStorage("/media")
    manager = MediaFileManager(store)
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: SimpleNamespace(media_file_mgr=manager))
    visit = SimpleNamespace(session_id="one", pages_manager=SimpleNamespace(main_script_hash=""))
    monkeypatch.setattr(button, "get_script_run_ctx", lambda **_: visit)
    for content in (b"\x89PNG", "text"):
        make = partial(str if isinstance(content, str) else bytes, content)
        lost, kept = (
            manager.execute_deferred(manager.add_deferred(each, "text/plain", name, name))
            for name, each in (
                ("lost.txt", make),
                ("kept.txt", button.held(make, "kept.txt", "text/plain")),
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
