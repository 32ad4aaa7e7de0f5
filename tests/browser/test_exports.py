"""Files of a hostile result opened in Chromium: no dialog, no request, no script of a name."""

from __future__ import annotations

import io
import json
import re
import runpy
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from playwright.sync_api import Page, expect

import bjp_engine as bjp
from bjp_engine.preparation import MissingCells, Preparation
from bjp_explorer.downloads.formats import formats_of
from bjp_explorer.downloads.result import Result
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views import layout
from tests.browser.visits import open_page

HOSTILE = (
    "<script>hacked()</script>",
    "</script><script>hacked()</script>",
    '" onload="hacked()',
    "<svg onload=hacked()>",
    "=cmd|' /C hacked'!A0",
    "$\\href{javascript:hacked()}{x}$",
    "javascript:hacked()",
    "a\u202ehacked.exe",
    "</style><img src=//hacked.test/x onerror=hacked()>",
    "[x](//hacked.test)",
    "hacked" * 1700,
    "größe 日本",
)
# What no file has but one that took a name for markup.
INTRUDERS = r"""() => [...document.querySelectorAll("*")].filter((element) =>
  (element.localName === "script" && /^\s*hacked/.test(element.textContent))
  || ["img", "iframe", "object", "embed"].includes(element.localName)
  || [...element.attributes].some(({ name, value }) => /^on/.test(name)
    || (/^(xlink:)?(href|src|action)$/.test(name) && /hacked|javascript/.test(value)))
).map((element) => element.outerHTML.slice(0, 200))"""


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
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
        "</title><script>hacked()</script>",
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
def test_names_are_inert(kind: str, files: dict[str, bytes], browser: Any, tmp_path: Path) -> None:
    path = tmp_path / f"file.{kind}"
    path.write_bytes(files[kind])
    page, seen = browser.new_page(), []
    page.on("request", lambda request: seen.append(request.url))
    page.on("console", lambda message: seen.append(message.text))
    page.on("pageerror", lambda error: seen.append(str(error)))
    page.on("dialog", lambda dialog: seen.append(dialog.message))
    page.goto(path.as_uri())
    if kind == "html":
        page.wait_for_function(f"network.body.nodeIndices.length === {len(HOSTILE)}")
        assert page.locator("canvas").count() == 1
    else:
        expect(page.locator("svg text", has_text="<script>hacked()").first).to_be_attached()
        assert page.locator("script").count() == 0
    assert page.evaluate(INTRUDERS) == []
    # The report names every variable somewhere, and an event on each element starts nothing.
    page.evaluate(
        "() => document.querySelectorAll('*').forEach((element) => {"
        " for (const name of ['load', 'error', 'click', 'mouseover'])"
        " element.dispatchEvent(new Event(name)); })"
    )
    page.close()
    # Had a name run, hacked() would have been an error.
    assert seen == [path.as_uri()]


def test_a_report_forbids_scripts_even_if_one_got_in(
    files: dict[str, bytes], browser: Any, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    tail = b"<script>document.title = 'ran'</script><img src='https://hacked.test/x'>"
    path.write_bytes(files["report.html"] + tail)
    page, requests, title = browser.new_page(), [], "</title><script>hacked()</script>"
    page.on("requestfinished", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    assert page.title() == title
    page.close()
    assert requests == [path.as_uri()]


@pytest.mark.parametrize("width", [1100, 390])
def test_a_report_fits_its_page(
    width: int, files: dict[str, bytes], browser: Any, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    path.write_bytes(files["report.html"])
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(path.as_uri())
    # Wide tables scroll by themselves; the page doesn't.
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_every_file_is_downloaded(page: Page, tmp_path: Path) -> None:
    open_page(page, "network", data="coronary&search=auto")
    page.get_by_test_id("stPopoverButton").filter(has_text="Download").click()
    data = bjp.read_table(Path(bjp.__file__).parents[1] / "sample_data/datasets/coronary.csv")
    trace = bjp.learn(data, "bjp", "auto")
    names: set[str] = set()
    for label, check in (
        ("GraphML", lambda raw: nx.read_graphml(io.BytesIO(raw)).number_of_edges()),
        ("PNG", lambda raw: raw.startswith(b"\x89PNG")),
        ("PDF", lambda raw: raw.startswith(b"%PDF")),
        ("SVG", lambda raw: b"<svg" in raw),
        ("Report (HTML)", lambda raw: data.digest.encode() in raw),
        ("Notebook", lambda raw: json.loads(raw)["nbformat"] == 4),
        ("Python script", lambda raw: repr(trace.score).encode() in raw),
        ("JSON", lambda raw: json.loads(raw)["score"] == trace.score),
        ("Libra (.mn)", lambda raw: raw.startswith(b"2,2,2,2,2,2\nMN {")),
        ("pgmpy (.py)", lambda raw: b"DiscreteMarkovNetwork" in raw),
    ):
        with page.expect_download() as coming:
            page.get_by_role("button", name=label, exact=True).click()
        assert check(Path(coming.value.path()).read_bytes()), label
        names.add(coming.value.suggested_filename)
    assert len(names) == 10
    assert all(
        re.fullmatch(r"coronary-heart-disease-auto-calibrated(\.[a-z]+)+", name) for name in names
    )


@pytest.mark.parametrize(
    ("name", "data", "parts"),
    [
        ("climb", "coronary&search=tabu&tenure=7&patience=9", ["'tabu'", "tenure=7", "patience=9"]),
        ("step", "coronary&score=ib", ["bjp.learn(data, 'ib'", "bjp.score(data, graph, 'ib')"]),
        ("step", "coronary&graph=edited&edges=0-1,2-5", ["EDGES = [(0, 1), (2, 5)]"]),
        ("step", "coronary&test=centred", ["bjp.score(data, graph, 'bjp', prior_cells='centred')"]),
        ("scores", "supreme_court:state", ["missing='state'", "bjp.learn(data, 'bjp'"]),
    ],
)
def test_the_script_of_a_page_comes_to_what_the_page_shows(
    name: str, data: str, parts: list[str], page: Page, tmp_path: Path
) -> None:
    open_page(page, name, data=data)
    page.get_by_test_id("stPopoverButton").filter(has_text="Download").first.click()
    with page.expect_download() as coming:
        page.get_by_role("button", name="Python script", exact=True).click()
    code = Path(coming.value.path()).read_text()
    for part in parts:
        assert part in code
    path = tmp_path / "repeat.py"
    path.write_text(code)
    # It compares rows and score by itself.
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        runpy.run_path(str(path))
    assert (tmp_path / "edges.csv").is_file()
