"""Every page by its URL, in a browser that has never been here before."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import serving
from tests.browser.visits import (
    PAGES,
    ROOT,
    at_step,
    choose,
    follow,
    frames,
    give_file,
    metric,
    open_page,
    selected,
    take_keys,
    view_of,
)

COMPONENTS = {
    "start": "step",
    "network": "networks",
    "groups": "networks",
    "step": "step",
    "climb": "climb",
    "scores": "networks",
    "graphs": "networks",
}
READING = Path(__file__).with_name("reading.js").read_text(encoding="utf-8")
DARK = "rgb(18, 23, 28)"
FILE = ROOT / "sample_data" / "datasets" / "titanic.csv"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def shown(page: Page, name: str) -> None:
    """A page with everything it consists of."""
    open_page(page, name)
    if name in COMPONENTS:
        view_of(page, COMPONENTS[name])


def assert_readable(page: Page) -> None:
    """All text stands out from its ground as WCAG's level AA asks, and has 12 pixels."""
    # The app's own style sheet comes with a part of Streamlit that is loaded late.
    expect(page.locator(".st-key-link-address")).to_have_css("position", "absolute")
    for _ in range(100):
        found = page.evaluate(READING)
        # So is what a page consists of: its widgets come one after another.
        if found["texts"] > 20:
            break
        frames(page, 6)
    assert found["texts"] > 20
    assert not found["faint"], "\n".join(found["faint"])
    assert not found["small"], "\n".join(found["small"])


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_by_its_url_and_can_be_read(page: Page, name: str) -> None:
    shown(page, name)
    expect(page).to_have_title(f"{PAGES[name]} · BJP Explorer")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("Coronary heart disease")
    assert_readable(page)
    page.emulate_media(color_scheme="dark")
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", DARK)
    frames(page, 6)
    assert_readable(page)


def test_a_message_covers_no_button(page: Page) -> None:
    open_page(page, "data")
    page.get_by_test_id("stRadio").get_by_text("Titanic").click()
    expect(page.get_by_test_id("stToast")).to_be_visible()
    covered = page.evaluate(
        """() => {
        const toast = document.querySelector('[data-testid="stToast"]').getBoundingClientRect();
        const places = [...document.querySelectorAll("button, a, [role=radio], input")]
          .filter((e) => !e.closest('[data-testid="stToast"]') && e.checkVisibility())
          .map((e) => [e.textContent, e.getBoundingClientRect()]);
        return places.filter(([, r]) => r.width && r.left < toast.right && r.right > toast.left &&
          r.top < toast.bottom && r.bottom > toast.top).map(([text]) => text);
      }"""
    )
    assert covered == []
    # Nor does it lie where the tools of other pages are.
    box = page.get_by_test_id("stToast").bounding_box()
    assert box is not None
    assert box["x"] + box["width"] < 830
    title = page.get_by_role("heading", level=1).bounding_box()
    assert title is not None
    assert box["y"] + box["height"] <= title["y"]
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_text("Supreme Court").first.click()
    # Seen at once: it goes by itself.
    page.wait_for_function(
        """() => {
        const toast = document.querySelector('[data-testid="stToast"]');
        const title = document.querySelector("h1").getBoundingClientRect();
        return toast && toast.getBoundingClientRect().bottom <= title.top;
      }"""
    )


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_phone(new_page: Callable[..., Any], name: str) -> None:
    page = new_page(**PHONE)
    shown(page, name)
    for frame in ("html", '[data-testid="stMain"]'):
        wide, room = page.locator(frame).evaluate("e => [e.scrollWidth, e.clientWidth]")
        assert wide <= room, f"{frame} is {wide - room} pixels too wide"


def test_the_first_visit_of_a_server_may_go_to_any_page(
    new_page: Callable[..., Any], tmp_path: Path
) -> None:
    with serving(tmp_path / "log.txt") as fresh:
        page = new_page(at=fresh)
        open_page(page, "step")
        links = page.get_by_test_id("stSidebarNav").get_by_role("link")
        expect(links).to_have_text(list(PAGES.values()))
        at_step(view_of(page, "step"), 0)
        page.context.close()
        assert not (told := fresh.complaints()), told


def test_networks_that_cannot_be_clicked_say_nothing_to_the_server(
    new_page: Callable[..., Any],
) -> None:
    page, sent = new_page(), []

    def note(frame: Any) -> None:
        sent.append(frame)

    page.on("websocket", lambda socket: socket.on("framesent", note))
    shown(page, "scores")
    view = view_of(page, "networks")
    panels = view.locator("svg.network")
    expect(panels).to_have_count(3)
    # One stop of Tab each, and no node that claims to be a button.
    expect(view.locator('svg.network [tabindex="0"]')).to_have_count(3)
    expect(view.locator('svg.network [role="button"]')).to_have_count(0)
    frames(page, 30)
    sent.clear()
    node = panels.first.locator("[data-node]").first
    node.click()
    node.focus()
    page.keyboard.press("Enter")
    # What is sent is sent at once.
    frames(page, 30)
    assert not sent


def test_pages_keep_their_state(page: Page) -> None:
    open_page(page, "step")
    step = view_of(page, "step")
    choose(page, "step-score", "IB-score")
    choose(page, "step-graph", "published")
    expect(metric(step, "inferred")).to_be_hidden()
    expect(step.locator("svg.network")).to_have_attribute("aria-label", re.compile("9 edges"))
    take_keys(step)
    for k in range(1, 5):
        page.keyboard.press("ArrowRight")
        at_step(step, k)
    expect(page.get_by_text("The counts behind it")).to_be_visible()

    follow(page, "climb")
    choose(page, "climb-score", "MPL")
    expect(page.get_by_text("ln MPL =")).to_be_visible()
    follow(page, "step")
    at_step(view_of(page, "step"), 4)
    assert selected(page, "step-score") == "IB-score"
    assert selected(page, "step-graph") == "published"
    expect(page.get_by_text("The counts behind it")).to_be_visible()
    follow(page, "climb")
    assert selected(page, "climb-score") == "MPL"


def test_dark_is_chosen_in_the_page_and_stays(new_page: Callable[..., Any]) -> None:
    page = new_page(fresh=True)
    open_page(page, "data")
    give_file(page, FILE)
    follow(page, "step")
    view = view_of(page, "step")
    take_keys(view)
    page.keyboard.press("End")
    step = view.get_attribute("data-steps") or ""
    at_step(view, int(step))
    page.wait_for_url(f"**step={step}")
    address = page.url
    page.get_by_test_id("stMainMenuButton").click()
    page.get_by_role("menuitemradio", name="Dark").click()
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", DARK)
    expect(view).to_have_attribute("data-theme", "dark")
    page.keyboard.press("Escape")
    # The visit goes on where it was, with its file.
    at_step(view, int(step))
    assert page.url == address
    expect(page.get_by_test_id("stSidebar")).to_contain_text(FILE.name)
    # Streamlit itself looks for what was chosen under the path of the page that is reloaded.
    page.reload()
    expect(page.get_by_text("Drop the same file here")).to_be_visible()
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", DARK)


# How large a chart's letters are on the screen, the smallest first.
LETTERS = """chart => {
    const by = chart.getBoundingClientRect().width / chart.offsetWidth;
    const sizes = [...chart.querySelectorAll("text")].map(e => getComputedStyle(e).fontSize);
    return by * Math.min(...sizes.map(parseFloat));
}"""
SIZE = "e => parseFloat(getComputedStyle(e).fontSize) * (e.currentCSSZoom ?? 1)"


def fill_screen(page: Page, chart: Locator) -> None:
    """Press the button that stands over a chart."""
    chart.hover()
    chart.locator('[data-title="Fullscreen"]').click()
    expect(page.locator(":fullscreen > .chart-header")).to_be_visible()
    frames(page, 10)


def test_a_chart_fills_the_screen_with_large_letters(new_page: Callable[..., Any]) -> None:
    page = new_page(viewport={"width": 1920, "height": 1080})
    open_page(page, "method")
    chart = page.locator(".st-key-method-star-rows .js-plotly-plot")
    chart.scroll_into_view_if_needed()
    expect(chart.locator(".point").first).to_be_visible()
    view = view_of(page, "step")
    chart.hover()
    assert chart.evaluate(LETTERS) < 20
    before = chart.bounding_box()
    fill_screen(page, chart)
    assert chart.evaluate(LETTERS) >= 20
    box = chart.bounding_box()
    assert box["x"] + box["width"] <= 1920
    assert box["y"] + box["height"] <= 1080
    assert box["height"] > 800
    assert page.locator(".chart-header p").evaluate(SIZE) >= 20
    expect(page.locator(".chart-header")).to_have_text("Rows per slice in the hub's tests")
    # What the pointer is on is found where it is seen.
    third = chart.locator(".trace").first.locator(".point").nth(2).bounding_box()
    page.mouse.move(third["x"] + third["width"] / 2, third["y"] + third["height"] / 2)
    expect(chart.locator(".hoverlayer .legendtitletext")).to_have_text("3")
    # A clicker blanks the screen, and the player behind takes no key.
    full = page.locator(":fullscreen")
    page.keyboard.press(".")
    expect(full).to_have_attribute("data-blank", "")
    expect(chart).to_be_hidden()
    step = view.get_attribute("data-step") or ""
    page.keyboard.press("ArrowRight")
    expect(chart).to_be_visible()
    page.keyboard.press("f")
    expect(full).to_have_count(0)
    expect(view).to_have_attribute("data-step", step)
    frames(page, 10)
    assert chart.bounding_box() == before
    # Where charts share a key, each takes it along.
    open_page(page, "reproduce")
    fill_screen(page, page.locator(".js-plotly-plot").first)
    expect(page.locator(".chart-header")).to_contain_text("BJP, the paper’s")
    expect(page.locator(".chart-header")).to_contain_text("target-1")
