"""All graphs in a browser: the cloud of points says what the engine says, at any zoom."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from playwright.sync_api import Locator, Page, expect

import bjp_engine as bjp
from bjp_explorer.graphs import gallery
from bjp_explorer.shell import sources
from tests.browser.visits import RESTING, choose, figure, frames, open_page, view_of

LINKED = "coronary&shown=200"
TOLD = re.compile(r"ln BJP (\S+) · ln MPL (\S+) · (\d+) edges?")


def middle(mark: Locator) -> tuple[float, float]:
    """Where a mark stands on the screen."""
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def ticks(view: Locator) -> list[str]:
    """What stands at the axes."""
    return view.locator(".grid g text").all_inner_texts() or view.locator(
        ".grid g text"
    ).evaluate_all("texts => texts.map(text => text.textContent)")


def painted(view: Locator) -> int:
    """How many pixels of the canvas hold a point."""
    count: int = view.locator("canvas").evaluate(
        """canvas => {
            const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            let found = 0;
            for (let k = 3; k < data.length; k += 4) found += data[k] > 0;
            return found;
        }"""
    )
    return count


def test_a_point_tells_its_graph_and_opens_it(page: Page) -> None:
    data = sources.load("coronary").data
    tables = {method: bjp.all_graphs(data, method) for method in ("bjp", "mpl")}
    open_page(page, "graphs", LINKED)
    view = view_of(page, "points")
    x, y = middle(view.locator('[data-name*="MPL’s climb"]'))
    page.mouse.move(x, y)
    expect(view.locator(".tooltip")).to_have_text(TOLD)
    said = TOLD.search(view.locator(".tooltip").inner_text())
    assert said is not None
    near = [
        np.abs(tables[method].scores - figure(said[k])) < 5.1e-5
        for k, method in enumerate(("bjp", "mpl"), 1)
    ]
    (number,) = np.flatnonzero(near[0] & near[1])
    assert tables["bjp"].graph(int(number)).number_of_edges() == int(said[3])
    page.mouse.click(x, y)
    place = gallery.place_of(tables["bjp"], int(number))
    rank = page.locator('[data-testid="stNumberInput"] input')
    expect(rank).to_have_value(str(place))
    expect(view.locator(".ring")).to_have_attribute("visibility", "visible")


def test_one_looks_closer_by_dragging_and_back(page: Page) -> None:
    open_page(page, "graphs", LINKED)
    view = view_of(page, "points")
    view.scroll_into_view_if_needed()
    whole, before = ticks(view), painted(view)
    assert before > 200
    box = view.locator(".over").bounding_box()
    assert box is not None
    corner = box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.1
    page.mouse.move(*corner)
    page.mouse.down()
    page.mouse.move(corner[0] + 90, corner[1] + 120, steps=4)
    expect(view.locator(".box")).to_have_attribute("visibility", "visible")
    page.mouse.up()
    frames(page, 2)
    assert ticks(view) != whole
    # A rerun with the same axes leaves the part that one looks at.
    close = ticks(view)
    page.locator('[data-testid="stNumberInput"] button').last.click()
    expect(page.locator(RESTING)).to_be_attached()
    assert ticks(view) == close
    view.get_by_role("button", name="Show all").click()
    frames(page, 2)
    assert (ticks(view), painted(view)) == (whole, before)
    choose(page, "graphs-shown", "All")
    expect(view.locator(".over")).to_have_attribute("aria-label", re.compile("32768 graphs"))
    assert painted(view) > before


def test_the_cloud_is_saved_as_it_is_seen(page: Page, tmp_path: Path) -> None:
    open_page(page, "graphs", LINKED)
    view = view_of(page, "points")
    view.get_by_role("button", name="Save this picture").click()
    with page.expect_download() as saving:
        view.locator('[data-export="svg"]').click()
    path = tmp_path / "points.svg"
    saving.value.save_as(path)
    assert saving.value.suggested_filename.endswith("points.svg")
    text = path.read_text(encoding="utf-8")
    # Each circle is two arcs; the marks and the picture's own circles come on top.
    assert text.count("a4 4 0 1 0") >= 2 * 200
    assert "ln MPL" in text
    assert "<script" not in text
