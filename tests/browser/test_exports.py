"""Files that the app writes: downloaded whole, opened in Chromium, run as programs."""

from __future__ import annotations

import io
import json
import re
import runpy
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import networkx as nx
import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import bjp_engine as bjp
from bjp_engine.preparation import MissingCells, Preparation
from bjp_explorer.downloads.formats import formats_of
from bjp_explorer.downloads.result import Result
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views import layout
from tests.browser.visits import (
    HOSTILE,
    INTRUDERS,
    climb_of,
    coronary,
    open_page,
    open_view,
    save,
    save_as,
)

TITLE = "</title><script>hacked()</script>"


@pytest.fixture(scope="module")
def hostile_files() -> dict[str, bytes]:
    """Every file of a result whose names, labels, title and steps are hostile."""
    n = len(HOSTILE)
    codes = np.random.default_rng(1).integers(0, 2, (80, n))
    labels = [("<script>hacked()</script>", '" onclick="hacked()')] * n
    data = bjp.Dataset.from_codes(codes, [2] * n, HOSTILE, labels=labels)
    graph = nx.Graph()
    graph.add_nodes_from(HOSTILE)
    graph.add_edges_from(pairwise(HOSTILE))
    loaded = Loaded(
        "file:hostile",
        TITLE,
        "<script>hacked()</script>",
        data,
        did=("<script>hacked()</script>",),
        preparation=Preparation((MissingCells("state"),)),
    )
    sure = bjp.confidence.test_confidence(data, graph)
    points = layout.positions(HOSTILE, [graph])
    result = Result(loaded, graph, bjp.score(data, graph), points, sure)
    return {kind.extension: kind.make() for kind in formats_of(result)}


@pytest.mark.parametrize("kind", ["report.html", "html", "svg"])
def test_names_in_a_file_are_inert(
    kind: str, hostile_files: dict[str, bytes], open_file: Callable[..., Page], tmp_path: Path
) -> None:
    path = tmp_path / f"file.{kind}"
    path.write_bytes(hostile_files[kind])
    page, seen = open_file(path.as_uri()), list[str]()
    page.on("request", lambda request: seen.append(request.url))
    page.on("console", lambda message: seen.append(message.text))
    page.reload()
    if kind == "html":
        page.wait_for_function(f"() => network.body.nodeIndices.length === {len(HOSTILE)}")
        assert page.locator("canvas").count() == 1
    else:
        expect(page.locator("svg text", has_text="<script>hacked()").first).to_be_attached()
        assert page.locator("script").count() == 0
    assert page.evaluate(INTRUDERS) == []
    embedded = "e => ['img', 'iframe', 'object', 'embed'].includes(e.localName)"
    assert page.evaluate(f"[...document.querySelectorAll('*')].filter({embedded}).length") == 0
    # An event on each element starts nothing. Had a name run, hacked() would have been an error.
    page.evaluate(
        """() => document.querySelectorAll("*").forEach((element) => {
            for (const name of ["load", "error", "click", "mouseover"])
                element.dispatchEvent(new Event(name));
        })"""
    )
    assert seen == [path.as_uri()]


def test_a_report_fits_its_page_and_forbids_scripts(
    hostile_files: dict[str, bytes], browser: Any, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    tail = b"<script>document.title = 'ran'</script><img src='https://hacked.test/x'>"
    path.write_bytes(hostile_files["report.html"] + tail)
    # Not `open_file`, on which nothing may be refused.
    page, requests = browser.new_page(), list[str]()
    page.on("requestfinished", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    assert page.title() == TITLE
    assert requests == [path.as_uri()]
    # Wide tables scroll in their frames; the page doesn't.
    for width in (1100, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
    page.close()


def test_every_file_is_downloaded(page: Page) -> None:
    open_page(page, "network", "coronary&search=auto")
    trace = climb_of("bjp", "auto")
    digest = coronary().digest.encode()
    checks: dict[str, Callable[[bytes], bool]] = {
        "GraphML": lambda raw: nx.read_graphml(io.BytesIO(raw)).number_of_edges() > 0,
        "PNG": lambda raw: raw.startswith(b"\x89PNG"),
        "PDF": lambda raw: raw.startswith(b"%PDF"),
        "SVG": lambda raw: b"<svg" in raw,
        "Report (HTML)": lambda raw: digest in raw,
        "Notebook": lambda raw: json.loads(raw)["nbformat"] == 4,
        "Python script": lambda raw: repr(trace.score).encode() in raw,
        "JSON": lambda raw: json.loads(raw)["score"] == trace.score,
        "Libra (.mn)": lambda raw: raw.startswith(b"2,2,2,2,2,2\nMN {"),
        "pgmpy (.py)": lambda raw: b"DiscreteMarkovNetwork" in raw,
    }
    files = save_as(page, *checks)
    for label, (name, content) in files.items():
        assert checks[label](content), label
        assert re.fullmatch(r"coronary-heart-disease-auto-calibrated(\.[a-z]+)+", name), label
    assert len({name for name, _ in files.values()}) == len(checks)


def test_pictures_of_cards_are_saved(page: Page) -> None:
    view = open_view(page, "step")

    def picture(card: str, kind: str) -> bytes:
        place: Locator = view.locator(f".card.{card}")
        place.get_by_label("Save this picture").click()
        name, content = save(page, place.locator(f'[data-export="{kind}"]'))
        assert name.endswith(f".{kind}")
        return content

    root = ET.fromstring(picture("graph", "svg"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    # A name may stand on two lines, broken after an underscore.
    texts = {"".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"smoking", "mental_work", "family_history"} <= texts
    assert not [each for each in root.iter() if each.tag.endswith(("script", "foreignObject"))]
    png = picture("matrix", "png")
    assert png.startswith(b"\x89PNG")
    assert len(png) > 10_000


SCRIPTS = {
    ("climb", "coronary&search=tabu&tenure=7&patience=9"): ["'tabu'", "tenure=7", "patience=9"],
    ("step", "coronary&score=ib"): ["bjp.learn(data, 'ib'", "bjp.score(data, graph, 'ib')"],
    ("step", "coronary&graph=edited&edges=0-1,2-5"): ["EDGES = [(0, 1), (2, 5)]"],
    ("step", "coronary&test=centred"): ["bjp.score(data, graph, 'bjp', prior_cells='centred')"],
    ("scores", "supreme_court:state"): ["missing='state'", "bjp.learn(data, 'bjp'"],
}


def test_the_script_of_a_page_comes_to_what_the_page_shows(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, ((name, data), parts) in enumerate(SCRIPTS.items()):
        open_page(page, name, data)
        ((_, content),) = save_as(page, "Python script").values()
        for part in parts:
            assert part in content.decode(), (name, data)
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "repeat.py").write_bytes(content)
        monkeypatch.chdir(folder)
        # It compares rows and score, and stops where they differ.
        runpy.run_path("repeat.py")
        assert (folder / "edges.csv").is_file(), (name, data)
