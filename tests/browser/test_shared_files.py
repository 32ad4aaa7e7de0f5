"""Views as files, from the disk and in a sandbox, with the network off: all by keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import bjp_engine as bjp
from tests.browser.visits import (
    HOSTILE,
    INTRUDERS,
    assert_fits,
    at_step,
    climb_of,
    coronary,
    press,
    save,
    score_of,
)

VIEWS = ("step", "climb", "duel", "networks", "whatif")
Opened = Callable[..., Page]


@cache
def fitted() -> Any:
    return bjp.fit_parameters(coronary(), climb_of().graph)


@cache
def shared(view: str) -> Any:
    """A page of that view."""
    ours, theirs = climb_of(), climb_of("ib")
    copy = nx.Graph(ours.graph)
    return {
        "step": lambda: bjp.share(score_of()),
        "climb": lambda: bjp.share(ours, truth=theirs.graph),
        "duel": lambda: bjp.share([ours, theirs]),
        "networks": lambda: bjp.share({"one": ours.graph, "two": theirs.graph, "three": copy}),
        "whatif": lambda: bjp.share(fitted()),
    }[view]()


def written(folder: Path, text: str) -> str:
    """The address of a page with that text."""
    path = folder / "page.html"
    path.write_text(text, encoding="utf-8")
    return path.as_uri()


def assert_read_by_keys(page: Page, place: Any, name: str) -> None:
    """Light or dark, steps, and evidence, none of them by the mouse."""
    view = place.locator("main > .bjp")
    expect(view).to_have_attribute("data-component", name)
    place.locator("h1").wait_for()
    page.keyboard.press("Tab")
    expect(place.get_by_role("button", name="Dark or light")).to_be_focused()
    dark = view.get_attribute("data-theme") == "dark"
    page.keyboard.press("Enter")
    expect(view).to_have_attribute("data-theme", "light" if dark else "dark")
    if name in ("step", "climb", "duel"):
        last = int(view.get_attribute("data-steps"))
        at_step(view, 0)
        for key, step in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last)):
            page.keyboard.press(key)
            at_step(view, step)
    if name == "whatif":
        given = {"smoking": "yes", "systolic_pressure": ">140"}
        for variable, state in given.items():
            state_of(view, variable, state).focus()
            page.keyboard.press("Enter")
        assert_probabilities(view, fitted().query(given=given))
        view.get_by_role("button", name="Forget the evidence").focus()
        page.keyboard.press("Enter")
        assert_probabilities(view, fitted().query())


def state_of(view: Locator, variable: str, state: str) -> Locator:
    """The row of one state of a variable."""
    i = fitted().names.index(variable)
    k = fitted().labels[i].index(state)
    return view.locator(f'[data-variable="{i}"] [data-state="{k}"]')


def assert_probabilities(view: Locator, rows: Any) -> None:
    """Every probability is the engine's."""
    for variable, state, probability in rows.itertuples(index=False):
        value = state_of(view, variable, state).locator(".value")
        expect(value).to_have_text(f"{probability:.3f}")


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_at_any_width_in_any_colours_and_in_a_frame(
    open_file: Opened, tmp_path: Path, name: str
) -> None:
    address = written(tmp_path, shared(name))
    for scheme, other in (("light", "dark"), ("dark", "light")):
        page = open_file(address, color_scheme=scheme)
        view = page.locator("main > .bjp")
        expect(view).to_have_attribute("data-theme", scheme)
        for width in (390, 768, 1280, 1920):
            page.set_viewport_size({"width": width, "height": 844})
            assert_fits(page)
            assert width * 0.9 <= view.bounding_box()["width"] <= width
        page.emulate_media(color_scheme=other)
        expect(view).to_have_attribute("data-theme", other)
    assert_read_by_keys(page, page, name)
    # In a notebook, which shows it in a frame.
    page = open_file(written(tmp_path, f"<!doctype html>{shared(name)._repr_html_()}"))
    assert_read_by_keys(page, page.frame_locator("iframe"), name)


def test_shared_pages_show_the_engines_numbers_and_offer_what_needs_no_python(
    open_file: Opened, tmp_path: Path
) -> None:
    page = open_file(written(tmp_path, shared("climb")))
    view = page.locator("main > .bjp")
    for step, made in enumerate(climb_of().steps, 1):
        page.keyboard.press("ArrowRight")
        at_step(view, step)
        assert f"{made.score:.3f}".replace("-", "−") in view.inner_text()
    page.get_by_role("button", name="Save this picture").first.click()
    assert b"<svg" in save(page, page.get_by_role("button", name="SVG").first)[1]

    page.goto(written(tmp_path, shared("step")))
    expect(view.get_by_role("button", name="Edit edges")).to_be_hidden()
    before = view.locator(".edge").count()
    press(page, "ArrowRight", "e", "x")
    at_step(view, 1)
    assert view.locator(".edge").count() == before
    page.keyboard.press("?")
    keys = view.locator(".keys")
    expect(keys).to_be_visible()
    assert "play or pause" in keys.inner_text()
    assert "edit edges" not in keys.inner_text()
    press(page, "Escape", "End")
    at_step(view, len(score_of().terms))
    assert f"{score_of().total:.4f}".replace("-", "−") in view.inner_text()
    page.goto(written(tmp_path, shared("networks")))
    expect(view).to_have_attribute("data-component", "networks")
    expect(page.get_by_role("button", name="Open")).to_have_count(0)


def test_names_stay_text(open_file: Opened, tmp_path: Path) -> None:
    names = [*HOSTILE[:8], "سلام", "ن" * 10_000, "x" * 10_000]
    codes = np.random.default_rng(1).integers(0, 2, (60, len(names)))
    labels = [("<script>hacked()</script>", "</script><img src=x onerror=hacked()>")] * len(names)
    data = bjp.Dataset.from_codes(codes, [2] * len(names), names, labels=labels)
    graph = nx.path_graph(data.names)
    made = {
        "step": bjp.score(data, graph, "mpl"),
        "climb": bjp.learn(data, search="ibmap-hc"),
        "networks": [graph, nx.empty_graph(data.names)],
        "whatif": bjp.fit_parameters(data, graph),
    }
    title, about = HOSTILE[1], "</style><img src=//hacked.test/x onerror=hacked()>"
    for name, what in made.items():
        text = bjp.share(what, title=title, about=about)
        page = open_file(written(tmp_path, text), viewport={"width": 390, "height": 844})
        expect(page.locator("main > .bjp")).to_have_attribute("data-component", name)
        page.keyboard.press("ArrowRight")
        assert page.evaluate(INTRUDERS) == [], name
        # The three scripts of every page; one that a name began would be a fourth.
        assert page.locator("script").count() == 3, name
        expect(page.locator("h1")).to_have_text(title)
        assert_fits(page)
