"""Permalinks: the address of a screen opens the same screen in another browser."""

import pytest
from playwright.sync_api import expect

from tests.browser import visits
from tests.browser.visits import at_rest, at_step, follow, open_page, open_view

KARATE = "net:karate:log-odds:1000:0"
# What a person sees of the views: steps, words, edges with their marks, places of nodes.
SEEN = """views => views.filter(v => !["link", "projector"].includes(v.dataset.component))
.map(view => ({
    step: view.dataset.step, of: view.dataset.steps, words: view.innerText,
    edges: [...view.querySelectorAll("[data-edge]")].map(e => JSON.stringify(e.dataset)).sort(),
    nodes: [...view.querySelectorAll("[data-node]")].map(n => n.getAttribute("transform")),
}))"""


def screen(page):
    """What is on a page, its address too."""
    return {
        "address": page.url,
        "page": page.get_by_test_id("stMain").inner_text().splitlines(),
        "views": page.locator("[data-component]").evaluate_all(SEEN),
    }


def assert_alike(first, second):
    """Wait until two pages show the same; views and charts may come long after the rest."""

    def alike():
        here, there = screen(first), screen(second)
        assert here["views"]
        for part, seen in here.items():
            assert there[part] == seen, part

    visits.eventually(second, alike)


def settled(page, name, text):
    """Wait until the address says something, and the page rests."""
    page.wait_for_url(f"**/{name}?*{text}*")
    at_rest(page, name)


def go_on(page, view, *keys):
    """Press keys in a view."""
    visits.take_keys(view)
    visits.press(page, *keys)


# A page, its data, the view that takes keys, these keys, and what the address ends up with.
STEPS = ["ArrowRight"] * 12
BY_TESTS = "coronary&beside=score&beside-score=mpl&by=tests"
RANKED = "coronary&score=mpl&rank=2&across=bjp"
LOOKS = (
    ("step", f"{KARATE}&score=ib&graph=true", "step", STEPS, "step=12"),
    ("step", "coronary&graph=edited&edges=0-1,2-5&cell=3-4", "step", [], "step="),
    ("climb", f"{KARATE}&search=tabu&start=mpl-or", "climb", ["Home", *STEPS[:4]], "step=4"),
    ("climb", BY_TESTS, "duel", STEPS[:5], "step=5"),
    ("scores", f"{KARATE}&compare=truth", "networks", [], "compare=truth"),
    ("graphs", RANKED, "networks", [], "rank=2"),
    ("network", "coronary&undecided=1", "networks", [], "undecided=1"),
)


@pytest.mark.parametrize(
    "look", LOOKS, ids=["ib", "edited", "tabu", "duel", "truth", "ranked", "unsure"]
)
def test_an_address_opens_the_same_screen_elsewhere(page, new_page, look):
    name, data, component, keys, text = look
    view = open_view(page, name, data, component)
    if keys:
        go_on(page, view, *keys)
    settled(page, name, text)
    # Settings that only this page has, so that it is in another browser context.
    other = new_page(color_scheme="light")
    other.goto(page.url)
    at_rest(other, name)
    assert_alike(page, other)
    assert not other.get_by_test_id("stAlert").count()


def test_stepping_makes_no_history_and_back_leads_to_the_screen_that_one_left(page):
    view = open_view(page, "step", KARATE)
    go_on(page, view, *STEPS[:5])
    settled(page, "step", "step=5")
    left = page.url
    follow(page, "climb")
    view = visits.view_of(page, "climb")
    length = page.evaluate("history.length")
    visits.take_keys(view)
    for k in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        page.wait_for_url(f"**/climb?*step={k}")
    visits.choose(page, "climb-score", "IB-score")
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
    at_step(visits.view_of(page, "step"), 5)
    assert page.url == left


def test_the_link_is_copied_or_shown(new_page):
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
    visits.rest(page)
