"""Permalinks: the address of a screen opens the same screen in another browser."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from bjp_explorer.step import edge_text
from tests.browser.visits import (
    DATASETS,
    LARGE,
    UPLOADER,
    at_rest,
    at_step,
    choose,
    edges_of,
    eventually,
    follow,
    give_file,
    open_page,
    open_view,
    press,
    rest,
    take_keys,
    view_of,
)

KARATE = "net:karate:log-odds:1000:0"
FILE, OTHER = DATASETS / "titanic.csv", DATASETS / "coronary.csv"

# What a person sees of the views: steps, words, edges with their marks, places of nodes.
OTHERS = '["link", "lecture"]'
SEEN = f"""views => views.filter(v => !{OTHERS}.includes(v.dataset.component))"""
SEEN += """.map(view => ({
    step: view.dataset.step, of: view.dataset.steps, words: view.innerText,
    edges: [...view.querySelectorAll(".edge")].map(e => [e.dataset.edge, e.dataset.tone]).sort(),
    nodes: [...view.querySelectorAll("[data-node]")].map(n => n.getAttribute("transform")),
}))"""


def screen(page: Page) -> dict[str, Any]:
    """What is on a page, its address too."""
    return {
        "address": page.url,
        "page": page.get_by_test_id("stMain").inner_text().splitlines(),
        "views": page.locator("[data-component]").evaluate_all(SEEN),
    }


def assert_alike(first: Page, second: Page) -> None:
    """Wait until two pages show the same; views and charts may come long after the rest."""

    def alike() -> None:
        here, there = screen(first), screen(second)
        assert here["views"]
        for part, seen in here.items():
            assert there[part] == seen, part

    eventually(second, alike)


def settled(page: Page, name: str, text: str) -> None:
    """Wait until the address says something, and the page rests."""
    page.wait_for_url(f"**/{name}?*{text}*")
    at_rest(page, name)


def go_on(page: Page, view: Locator, *keys: str) -> None:
    """Press keys in a view."""
    take_keys(view)
    press(page, *keys)


# Settings that only these pages have, so that they are in another browser context.
ELSEWHERE = {"color_scheme": "light"}
# A page, its data, the view that takes keys, and what the address ends up with.
LOOKS = {
    "the IB-score of the true graph, at a step": (
        ("step", f"{KARATE}&score=ib&graph=true", "step"),
        (["ArrowRight"] * 12, "step=12"),
    ),
    "a graph edited by hand": (
        ("step", "coronary&graph=edited&edges=0-1,2-5&cell=3-4", "step"),
        ([], "step="),
    ),
    "a tabu search from MPL's graph": (
        ("climb", f"{KARATE}&search=tabu&tenure=7&start=mpl-or", "climb"),
        (["Home", *["ArrowRight"] * 4], "step=4"),
    ),
    "two scores side by side, by tests made": (
        ("climb", "coronary&beside=score&beside-score=mpl&by=tests", "duel"),
        (["ArrowRight"] * 5, "step=5"),
    ),
    "edges compared with the truth": (
        ("scores", f"{KARATE}&compare=truth", "networks"),
        ([], "compare=truth"),
    ),
    "the graphs ranked by another score, the second best of them": (
        ("graphs", "coronary&score=mpl&rank=2&across=bjp&shown=200", "networks"),
        ([], "rank=2"),
    ),
}


@pytest.mark.parametrize("look", LOOKS)
def test_an_address_opens_the_same_screen_elsewhere(
    new_page: Callable[..., Page], look: str
) -> None:
    (name, data, component), (keys, text) = LOOKS[look]
    first = new_page()
    view = open_view(first, name, data, component)
    if keys:
        go_on(first, view, *keys)
    settled(first, name, text)
    assert_opens_elsewhere(first, new_page(**ELSEWHERE))


def test_what_is_chosen_opens_elsewhere(new_page: Callable[..., Page]) -> None:
    """The paper's search with unsure edges hidden."""
    first = new_page()
    open_page(first, "network", f"{KARATE}&threshold=0.29")
    choose(first, "network-search", "The paper’s (IBMAP-HC)")
    first.locator(".st-key-network-threshold").get_by_role("slider").press("ArrowRight")
    settled(first, "network", "threshold=0.3")
    assert_opens_elsewhere(first, new_page(**ELSEWHERE))


def assert_opens_elsewhere(first: Page, second: Page) -> None:
    """A second browser shows the same by the address of the first, and warns of nothing."""
    second.goto(first.url)
    at_rest(second, first.url.partition("?")[0].rpartition("/")[2])
    assert_alike(first, second)
    assert not second.get_by_test_id("stAlert").count()


def test_a_graph_on_128_nodes_fits_a_link(page: Page) -> None:
    pairs = random.Random(0).sample(list(combinations(range(128), 2)), 500)
    text = edge_text.write(pairs, 128)
    view = open_view(page, "step", f"{LARGE}&graph=edited&edges={text}")
    expect(view.locator(".edge")).to_have_count(500)
    assert set(edges_of(view)) == set(pairs)
    page.wait_for_url(f"**/step?data={LARGE}&graph=edited&edges={text}")


def test_stepping_makes_no_history_and_back_leads_to_the_screen_that_one_left(page: Page) -> None:
    view = open_view(page, "step", KARATE)
    go_on(page, view, *["ArrowRight"] * 5)
    settled(page, "step", "step=5")
    left = page.url
    follow(page, "climb")
    view = view_of(page, "climb")
    length = page.evaluate("history.length")
    take_keys(view)
    for k in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        page.wait_for_url(f"**/climb?*step={k}")
    choose(page, "climb-score", "IB-score")
    page.wait_for_url("**/climb?*score=ib*")
    assert page.evaluate("history.length") == length
    page.go_back()
    at_rest(page, "step")
    page.go_forward()
    at_rest(page, "climb")
    page.wait_for_url("**/climb?*score=ib*")
    # Another dataset is gone, too.
    follow(page, "data")
    page.get_by_role("radio", name="Sample datasets").click()
    page.locator(".st-key-data-sample").get_by_text("Titanic").first.click()
    page.wait_for_url("**/data?data=titanic")
    for name in ("climb", "step"):
        page.go_back()
        at_rest(page, name)
    at_step(view_of(page, "step"), 5)
    assert page.url == left


def test_what_cannot_be_used_is_named_and_the_rest_is_used(page: Page) -> None:
    evil = quote("<img src=x onerror=alert(1)>**bold**[a](http://b.c)")
    open_page(page, "climb", f"coronary&score={evil}&search=tabu&tenure=many&patience=9")
    alert = page.get_by_test_id("stAlert")
    expect(alert).to_have_count(2)
    expect(alert.first).to_contain_text("The link’s score='<img src=x onerror=alert(1)>**bold**")
    expect(alert.first).to_contain_text("must be one of bjp, ib, mpl, near; bjp is used instead.")
    assert not alert.locator("img, a, strong").count()
    expect(alert.last).to_contain_text("must be a whole number from 0 to 1,000; 10 is used instead")
    page.wait_for_url("**/climb?data=coronary&search=tabu&patience=9")


def test_a_link_to_a_file_asks_for_it(new_page: Callable[..., Page]) -> None:
    first = new_page()
    give_file(first, FILE)
    follow(first, "step")
    go_on(first, view_of(first, "step"), *["ArrowRight"] * 3)
    settled(first, "step", "step=3")
    second = new_page()
    second.goto(first.url)
    ask = second.get_by_text("Drop the same file here")
    expect(ask).to_be_visible()
    expect(second.locator('[data-component="step"]')).to_have_count(0)
    second.locator(UPLOADER).set_input_files(OTHER)
    different = second.get_by_text("coronary.csv is a different file: its SHA-256 begins with")
    expect(different).to_be_visible()
    expect(second.get_by_role("button", name="Use it anyway")).to_be_visible()
    second.get_by_role("button", name="Remove coronary.csv").click()
    expect(different).to_have_count(0)
    second.locator(UPLOADER).set_input_files(FILE)
    at_step(view_of(second, "step"), 3)
    at_rest(second, "step")
    expect(ask).to_have_count(0)
    assert_alike(first, second)


def test_the_link_is_copied_or_shown(new_page: Callable[..., Page]) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    open_page(page, "step")
    page.wait_for_url("**/step?data=coronary")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url

    # Without a clipboard.
    page = new_page()
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    open_page(page, "climb")
    page.wait_for_url("**/climb?data=coronary")
    page.get_by_role("button", name="Copy link").click()
    box = page.get_by_role("textbox", name="The link; copy it with Ctrl+C")
    expect(box).to_be_focused()
    expect(box).to_have_value(page.url)
    chosen = box.evaluate("box => box.value.slice(box.selectionStart, box.selectionEnd)")
    assert chosen == page.url
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    rest(page)
