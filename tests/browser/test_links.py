"""Permalinks: the address of a screen opens the same screen in another browser."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from bjp_explorer.step import edge_text
from tests.browser.visits import (
    RESTING,
    ROOT,
    UPLOADER,
    at_rest,
    at_step,
    choose,
    follow,
    give_file,
    open_page,
    take_keys,
    view_of,
)

KARATE = "net:karate:log-odds:1000:0"
LARGE = "net:scale-free-4:clique-log-weights:500:0"
FILE = ROOT / "sample_data" / "datasets" / "titanic.csv"
OTHER = ROOT / "sample_data" / "datasets" / "coronary.csv"

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
    for _ in range(600):
        here, there = screen(first), screen(second)
        if here["views"] and here == there:
            break
        second.wait_for_timeout(100)
    assert here["views"]
    for part, seen in here.items():
        assert there[part] == seen


def settled(page: Page, name: str, text: str) -> None:
    """Wait until the address says something, and the page rests."""
    page.wait_for_url(f"**/{name}?*{text}*")
    at_rest(page, name)


def keys(page: Page, component: str, *pressed: str) -> None:
    """Press keys in a component."""
    take_keys(view_of(page, component))
    for key in pressed:
        page.keyboard.press(key)


def step(page: Page) -> None:
    """The IB-score of the true graph, at a step."""
    open_page(page, "step", data=KARATE)
    choose(page, "step-score", "IB-score")
    choose(page, "step-graph", "true")
    # What the choice has changed is told to whom made it; a link says where one is.
    view_of(page, "step").get_by_role("button", name="Close").click()
    keys(page, "step", *["ArrowRight"] * 12)
    settled(page, "step", "step=12")


def edited(page: Page) -> None:
    """A graph edited by hand, as a link says it."""
    open_page(page, "step", data="coronary&graph=edited&edges=0-1,2-5&cell=3-4")
    settled(page, "step", "step=")


def climb(page: Page) -> None:
    """A tabu search from MPL's graph."""
    open_page(page, "climb", data=f"{KARATE}&search=tabu&tenure=7&start=mpl-or")
    expect(page.get_by_text("ln BJP =")).to_be_visible()
    keys(page, "climb", "Home", *["ArrowRight"] * 4)
    settled(page, "climb", "step=4")


def duel(page: Page) -> None:
    """Two scores side by side, by tests made."""
    open_page(page, "climb", data="coronary&beside=score&beside-score=mpl&by=tests")
    keys(page, "duel", *["ArrowRight"] * 5)
    settled(page, "climb", "step=5")


def scores(page: Page) -> None:
    """Edges compared with the truth."""
    open_page(page, "scores", data=KARATE)
    choose(page, "scores-compare", "the true network")
    settled(page, "scores", "compare=truth")


def network(page: Page) -> None:
    """The paper's search with unsure edges hidden."""
    open_page(page, "network", data=f"{KARATE}&threshold=0.29")
    choose(page, "network-search", "The paper’s (IBMAP-HC)")
    page.locator(".st-key-network-threshold").get_by_role("slider").press("ArrowRight")
    settled(page, "network", "threshold=0.3")


def graphs(page: Page) -> None:
    """The graphs ranked by another score, the second best of them."""
    open_page(page, "graphs", data="coronary&score=mpl&rank=2&across=bjp&shown=200")
    settled(page, "graphs", "rank=2")


@pytest.mark.parametrize("look", [step, edited, climb, duel, scores, network, graphs])
def test_an_address_opens_the_same_screen_elsewhere(
    new_page: Callable[..., Page], look: Callable[[Page], None]
) -> None:
    first = new_page()
    look(first)
    second = new_page(fresh=True)
    second.goto(first.url)
    at_rest(second, first.url.partition("?")[0].rpartition("/")[2])
    assert_alike(first, second)
    assert not second.get_by_test_id("stAlert").count()


def test_a_graph_on_128_nodes_fits_a_link(page: Page) -> None:
    pairs = random.Random(0).sample(list(combinations(range(128), 2)), 500)
    text = edge_text.write(pairs, 128)
    open_page(page, "step", data=f"{LARGE}&graph=edited&edges={text}")
    view = view_of(page, "step")
    expect(view.locator(".edge")).to_have_count(500)
    there = view.locator(".edge").evaluate_all("e => e.map(({ dataset }) => dataset.edge)")
    assert {tuple(map(int, edge.split("-"))) for edge in there} == {tuple(p) for p in pairs}
    page.wait_for_url(f"**/step?data={LARGE}&graph=edited&edges={text}")


def test_stepping_makes_no_history(page: Page) -> None:
    open_page(page, "step")
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


def test_back_leads_to_the_screen_that_one_left(page: Page) -> None:
    open_page(page, "step", data=KARATE)
    keys(page, "step", *["ArrowRight"] * 5)
    settled(page, "step", "step=5")
    left = page.url
    follow(page, "data")
    page.get_by_role("radio", name="Sample datasets").click()
    page.locator(".st-key-data-sample").get_by_text("Titanic").first.click()
    page.wait_for_url("**/data?data=titanic")
    page.go_back()
    at_rest(page, "step")
    at_step(view_of(page, "step"), 5)
    assert page.url == left


def test_what_can_not_be_used_is_told_and_the_rest_holds(page: Page) -> None:
    evil = quote("<img src=x onerror=alert(1)>**bold**[a](http://b.c)")
    open_page(page, "climb", data=f"coronary&score={evil}&search=tabu&tenure=many&patience=9")
    told = page.get_by_test_id("stAlert")
    expect(told).to_have_count(2)
    expect(told.first).to_contain_text("The link’s score='<img src=x onerror=alert(1)>**bold**")
    expect(told.first).to_contain_text("must be one of bjp, ib, mpl, near; bjp is used instead.")
    assert not told.locator("img, a, strong").count()
    expect(told.last).to_contain_text("must be a whole number from 0 to 1,000; 10 is used instead")
    page.wait_for_url("**/climb?data=coronary&search=tabu&patience=9")


def test_a_link_to_a_file_asks_for_it(new_page: Callable[..., Page]) -> None:
    first = new_page()
    open_page(first, "data")
    give_file(first, FILE)
    follow(first, "step")
    keys(first, "step", *["ArrowRight"] * 3)
    settled(first, "step", "step=3")

    second = new_page()
    second.goto(first.url)
    ask = second.get_by_text("Drop the same file here")
    expect(ask).to_be_visible()
    expect(second.locator('[data-component="step"]')).to_have_count(0)
    second.locator(UPLOADER).set_input_files(OTHER)
    expect(second.get_by_text("coronary.csv is a different file")).to_be_visible()
    expect(second.get_by_role("button", name="Use it anyway")).to_be_visible()
    second.get_by_role("button", name="Remove coronary.csv").click()
    expect(second.get_by_text("coronary.csv is a different file")).to_have_count(0)
    second.locator(UPLOADER).set_input_files(FILE)
    at_step(view_of(second, "step"), 3)
    at_rest(second, "step")
    expect(ask).to_have_count(0)
    assert_alike(first, second)


def test_another_file_can_be_taken_or_none(new_page: Callable[..., Page]) -> None:
    for press, shown in (
        ("Use it anyway", "coronary.csv"),
        ("Continue with Coronary heart disease", "Coronary heart disease"),
    ):
        page = new_page()
        page.goto("/step?data=file:0123456789ab&score=ib")
        page.locator(UPLOADER).set_input_files(OTHER)
        expect(page.get_by_text("its SHA-256 begins with")).to_be_visible()
        page.get_by_role("button", name=press).click()
        view_of(page, "step")
        expect(page.get_by_test_id("stSidebar").get_by_text(shown)).to_be_visible()
        page.wait_for_url("**/step?data=*&score=ib")


def test_the_link_is_copied(new_page: Callable[..., Page]) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    open_page(page, "step")
    page.wait_for_url("**/step?data=coronary")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_without_a_clipboard_the_link_is_shown(page: Page) -> None:
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
    expect(page.locator(RESTING)).to_be_attached()
