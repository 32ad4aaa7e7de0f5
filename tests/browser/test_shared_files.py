"""Views as files, from the disk and in a sandbox, with the network off: all by keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import bjp_engine as bjp
from bjp_engine.shared import Page as Shared
from tests.browser.test_exports import HOSTILE, INTRUDERS
from tests.browser.visits import ROOT

DATA = bjp.read_table(ROOT / "sample_data" / "datasets" / "coronary.csv")
CLIMB = bjp.learn(DATA, search="ibmap-hc")
OTHER = bjp.learn(DATA, "ib", search="ibmap-hc")
SCORE = bjp.score(DATA, CLIMB.graph)
FITTED = bjp.fit_parameters(DATA, CLIMB.graph)
# Of each view, a page.
PAGES = {
    "step": bjp.share(SCORE),
    "climb": bjp.share(CLIMB, truth=OTHER.graph),
    "duel": bjp.share([CLIMB, OTHER]),
    "networks": bjp.share({"one": CLIMB.graph, "two": OTHER.graph, "three": nx.Graph(CLIMB.graph)}),
    "whatif": bjp.share(FITTED),
}
WIDTHS = (390, 768, 1280, 1920)
# Whether nothing is wider than the window, once the view has taken its place in it.
FITS = """async () => {
  const page = document.documentElement;
  for (let frame = 0; frame < 600; frame++) {
    if (page.scrollWidth <= page.clientWidth) return true;
    await new Promise(requestAnimationFrame);
  }
  return false;
}"""
Opened = Callable[..., Page]


@pytest.fixture
def open_shared(open_file: Opened, tmp_path: Path) -> Callable[..., tuple[Page, Any]]:
    """A page by itself, or in a notebook's frame, with what stands in it."""

    def opened(shared: Shared, *, framed: bool = False, **settings: Any) -> tuple[Page, Any]:
        path = tmp_path / "page.html"
        text = f"<!doctype html>{shared._repr_html_()}" if framed else shared
        path.write_text(text, encoding="utf-8")
        page = open_file(path.as_uri(), **settings)
        inside = page.frame_locator("iframe") if framed else page
        return page, inside

    return opened


@pytest.mark.parametrize("framed", [False, True])
@pytest.mark.parametrize("name", list(PAGES))
def test_by_keys_alone(open_shared: Callable[..., Any], name: str, framed: bool) -> None:
    page, inside = open_shared(PAGES[name], framed=framed)
    view = inside.locator("main > .bjp")
    expect(view).to_have_attribute("data-component", name)
    heading = inside.locator("h1")
    heading.wait_for()
    page.keyboard.press("Tab")
    expect(inside.get_by_role("button", name="Dark or light")).to_be_focused()
    dark = view.get_attribute("data-theme") == "dark"
    page.keyboard.press("Enter")
    expect(view).to_have_attribute("data-theme", "light" if dark else "dark")
    if name in ("step", "climb", "duel"):
        last = int(view.get_attribute("data-steps") or 0)
        expect(view).to_have_attribute("data-step", "0")
        for key, step in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last)):
            page.keyboard.press(key)
            expect(view).to_have_attribute("data-step", str(step))
    if name == "whatif":
        ask(page, view)


def ask(page: Page, view: Locator) -> None:
    """Make two states known by keys, and compare every probability with the engine's."""
    given = {"smoking": "yes", "systolic_pressure": ">140"}
    for variable, state in given.items():
        i = FITTED.names.index(variable)
        k = FITTED.labels[i].index(state)
        view.locator(f'[data-variable="{i}"] [data-state="{k}"]').focus()
        page.keyboard.press("Enter")
    rows = FITTED.query(given=given)
    for variable, state, probability in rows.itertuples(index=False):
        i = FITTED.names.index(variable)
        k = FITTED.labels[i].index(state)
        shown = view.locator(f'[data-variable="{i}"] [data-state="{k}"] .value')
        expect(shown).to_have_text(f"{probability:.3f}")
    view.get_by_role("button", name="Forget the evidence").focus()
    page.keyboard.press("Enter")
    for variable, state, probability in FITTED.query().itertuples(index=False):
        i = FITTED.names.index(variable)
        k = FITTED.labels[i].index(state)
        shown = view.locator(f'[data-variable="{i}"] [data-state="{k}"] .value')
        expect(shown).to_have_text(f"{probability:.3f}")


def test_shows_the_engines_numbers(open_shared: Callable[..., Any]) -> None:
    page, _ = open_shared(PAGES["climb"])
    view = page.locator("main > .bjp")
    for step, made in enumerate(CLIMB.steps, 1):
        page.keyboard.press("ArrowRight")
        expect(view).to_have_attribute("data-step", str(step))
        assert f"{made.score:.3f}".replace("-", "−") in view.inner_text()
    page, _ = open_shared(PAGES["step"])
    view = page.locator("main > .bjp")
    page.keyboard.press("End")
    expect(view).to_have_attribute("data-step", str(len(SCORE.terms)))
    assert f"{SCORE.total:.4f}".replace("-", "−") in view.inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", list(PAGES))
def test_follows_the_readers_colours_at_any_width(
    open_shared: Callable[..., Any], name: str, scheme: str
) -> None:
    page, _ = open_shared(PAGES[name], color_scheme=scheme)
    view = page.locator("main > .bjp")
    expect(view).to_have_attribute("data-theme", scheme)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate(FITS), width
        box = view.bounding_box()
        assert box is not None
        assert width * 0.9 <= box["width"] <= width
    page.emulate_media(color_scheme="light" if scheme == "dark" else "dark")
    expect(view).to_have_attribute("data-theme", "light" if scheme == "dark" else "dark")


def test_nothing_that_only_python_answers_is_offered(open_shared: Callable[..., Any]) -> None:
    page, _ = open_shared(PAGES["step"])
    view = page.locator("main > .bjp")
    expect(view.get_by_role("button", name="Edit edges")).to_be_hidden()
    before = view.locator(".edge").count()
    page.keyboard.press("ArrowRight")
    for key in ("e", "x"):
        page.keyboard.press(key)
    expect(view).to_have_attribute("data-step", "1")
    assert view.locator(".edge").count() == before
    page.keyboard.press("?")
    keys = view.locator(".keys")
    expect(keys).to_be_visible()
    assert "edit edges" not in keys.inner_text()
    assert "play or pause" in keys.inner_text()
    page, _ = open_shared(PAGES["networks"])
    expect(page.get_by_role("button", name="Open")).to_have_count(0)


def test_saves_a_picture(open_shared: Callable[..., Any]) -> None:
    page, _ = open_shared(PAGES["climb"])
    page.get_by_role("button", name="Save this picture").first.click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="SVG").first.click()
    assert "<svg" in Path(saved.value.path()).read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["step", "climb", "networks", "whatif"])
def test_names_stay_text(open_shared: Callable[..., Any], kind: str) -> None:
    names = [*HOSTILE[:8], "سلام", "ن" * 10_000, "x" * 10_000]
    codes = np.random.default_rng(1).integers(0, 2, (60, len(names)))
    labels = [("<script>hacked()</script>", "</script><img src=x onerror=hacked()>")] * len(names)
    data = bjp.Dataset.from_codes(codes, [2] * len(names), names, labels=labels)
    graph = nx.path_graph(data.names)
    made = {
        "step": lambda: bjp.score(data, graph, "mpl"),
        "climb": lambda: bjp.learn(data, search="ibmap-hc"),
        "networks": lambda: [graph, nx.empty_graph(data.names)],
        "whatif": lambda: bjp.fit_parameters(data, graph),
    }[kind]()
    shared = bjp.share(made, title=HOSTILE[1], about=HOSTILE[8])
    page, _ = open_shared(shared, viewport={"width": 390, "height": 844})
    expect(page.locator("main > .bjp")).to_have_attribute("data-component", kind)
    page.keyboard.press("ArrowRight")
    # The three scripts of every page; one that a name began would be a fourth.
    assert page.evaluate(INTRUDERS) == []
    assert page.locator("script").count() == 3
    expect(page.locator("h1")).to_have_text(HOSTILE[1])
    assert page.evaluate(FITS)
