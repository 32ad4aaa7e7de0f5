"""Every page by its URL: readable in light and dark, on a projector and on a phone."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from bjp_explorer.start import words
from tests.browser.visits import (
    COMPONENTS,
    DATASETS,
    PAGES,
    PHONE,
    PROJECTOR,
    assert_fits,
    at_rest,
    at_step,
    choose,
    eventually,
    follow,
    frames,
    give_file,
    metric,
    open_page,
    open_view,
    option_of,
    press,
    rest,
    sent_by,
    take_keys,
    view_of,
)

READING = Path(__file__).with_name("reading.js").read_text(encoding="utf-8")
DARK = "rgb(18, 23, 28)"
FILE = DATASETS / "titanic.csv"
HIDDEN = ("stSidebar", "stHeader", "stExpandSidebarButton", "stPageLink")
# Texts in sight that are smaller than 20 of 1,080 pixels; what is magnified is measured as drawn.
SMALL = """() => {
    const found = [];
    const walk = root => root.querySelectorAll("*").forEach(e => {
        if (e.shadowRoot) walk(e.shadowRoot);
        const texts = [...e.childNodes].filter(n => n.nodeType === 3);
        const text = texts.map(n => n.data.trim()).join("");
        const box = e.getBoundingClientRect();
        const seen = e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
        // Annotations of formulas are for screen readers, superscripts belong to larger letters.
        if (!text || !seen || box.width < 3) return;
        if (e.closest("math, .katex, sup, sub, .sr")) return;
        const matrix = e.getScreenCTM?.();
        const by = matrix ? Math.hypot(matrix.a, matrix.b) : 1;
        const letters = by * parseFloat(getComputedStyle(e).fontSize) * 1080 / innerHeight;
        if (letters < 19) found.push(`${letters.toFixed(1)}: ${text.slice(0, 40)}`);
    });
    walk(document.querySelector('[data-testid="stMain"]'));
    return found;
}"""


def assert_readable(page: Page) -> None:
    """All text stands out from its ground as WCAG's level AA asks, and has 12 pixels."""
    found = page.evaluate(READING)
    # The widgets of a page come one after another.
    assert found["texts"] > 20
    assert not found["faint"], "\n".join(found["faint"])
    assert not found["small"], "\n".join(found["small"])


def assert_large(page: Page) -> None:
    """On a projector all letters are large, and whatever isn't the page is away."""
    for hidden in HIDDEN:
        for part in page.get_by_test_id(hidden).all():
            expect(part).to_be_hidden()
    assert page.evaluate(SMALL) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_in_light_and_dark_on_a_projector_and_on_a_phone(page: Page, name: str) -> None:
    open_page(page, name)
    if name in COMPONENTS:
        view_of(page, COMPONENTS[name])
    expect(page).to_have_title(f"{PAGES[name]} · BJP Explorer")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("Coronary heart disease")
    # The app's own style sheet comes with a part of Streamlit that is loaded late.
    expect(page.locator(".st-key-link-address")).to_have_css("position", "absolute")
    eventually(page, lambda: assert_readable(page))
    page.emulate_media(color_scheme="dark")
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", DARK)
    frames(page, 6)
    eventually(page, lambda: assert_readable(page))

    # It listens to the key.
    expect(page.locator(".lecture-bar")).to_be_attached()
    leave = page.get_by_role("button", name="Leave the projector view")
    for width, height in ((1920, 1080), (1280, 720)):
        page.set_viewport_size({"width": width, "height": height})
        rest(page)
        page.keyboard.press("v")
        expect(leave).to_be_visible()
        page.wait_for_url("**projector=1*")
        eventually(page, lambda: assert_large(page))
        assert_fits(page)
        page.keyboard.press("Escape")
        expect(leave).to_be_hidden()
        expect(page.get_by_test_id("stHeader")).to_be_visible()
        page.wait_for_url(lambda url: "projector" not in url)

    page.set_viewport_size(PHONE["viewport"])
    frames(page, 6)
    assert_fits(page)


def test_the_start_page_plays_and_leads_on(new_page: Callable[..., Page]) -> None:
    page = new_page(**PROJECTOR)
    view = open_view(page, "start")
    assert_on_the_first_screen(page, view)
    at_step(view, 0)
    expect(view).to_have_attribute("data-playing", "false")
    take_keys(view)
    page.keyboard.press("ArrowRight")
    at_step(view, 1)
    # Words come before the formula, and no sign that only the method explains.
    question, formula = view.locator(".question"), view.locator(".formula")
    expect(question).to_contain_text(re.compile(r"oes .+ depend on .+\?$"))
    expect(formula).to_contain_text("Pr(")
    assert question.bounding_box()["y"] < formula.bounding_box()["y"]
    expect(view.locator("svg.network")).not_to_contain_text("ψ")
    view.get_by_role("button", name="Play", exact=True).click()
    expect(view).not_to_have_attribute("data-step", re.compile("^[01]$"))
    # Nothing of it chooses a dataset, or goes into the address.
    expect(page).to_have_url(re.compile(r"/\?data=coronary$"))
    page.get_by_role("link", name=words.LEARN).click()
    at_rest(page, "lessons")
    page.go_back()
    at_rest(page, "start")
    page.get_by_role("link", name=words.ANALYSE).click()
    at_rest(page, "data")
    expect(page.locator('[data-testid="stFileUploader"]')).to_be_visible()
    expect(page).to_have_url(re.compile(r"/data\?data=coronary&from=file$"))
    page.go_back()
    at_rest(page, "start")
    page.get_by_role("link", name="Titanic").click()
    at_rest(page, "network")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("2,201 rows · 4 variables")

    page = new_page(**PHONE)
    assert_on_the_first_screen(page, open_view(page, "start"))


def assert_on_the_first_screen(page: Page, view: Locator) -> None:
    """The figure, its button and both doors are in sight without scrolling."""
    doors = (page.get_by_role("link", name=each) for each in (words.LEARN, words.ANALYSE))
    play = view.get_by_role("button", name="Play", exact=True)
    for part in (view.locator("svg.network"), play, *doors):
        box = part.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + min(box["height"], 200) <= page.viewport_size["height"]


# Looks at the next message once it stands still: the controls that it covers, and the places.
LOOK_AT_MESSAGE = """() => {
    const old = document.querySelector('[data-testid="stToast"]');
    let last = "";
    window.message = null;
    const look = () => {
        const toast = document.querySelector('[data-testid="stToast"]');
        const box = toast?.getBoundingClientRect();
        const place = box && [box.x, box.y, box.width, box.height].join();
        if (!box || toast === old || place !== last) {
            last = place;
            requestAnimationFrame(look);
            return;
        }
        const covered = [...document.querySelectorAll("button, a, [role=radio], input")]
            .filter(e => !toast.contains(e) && e.checkVisibility())
            .map(e => [e.textContent, e.getBoundingClientRect()])
            .filter(([, r]) => r.width && r.left < box.right && r.right > box.left
                && r.top < box.bottom && r.bottom > box.top)
            .map(([text]) => text);
        const title = document.querySelector("h1").getBoundingClientRect();
        window.message = { covered, right: box.right, below: box.bottom - title.top };
    };
    look();
}"""


def test_a_message_covers_no_button(page: Page) -> None:
    open_page(page, "data")
    page.evaluate(LOOK_AT_MESSAGE)
    page.get_by_test_id("stRadio").get_by_text("Titanic").click()
    found = page.wait_for_function("() => window.message").json_value()
    assert found["covered"] == []
    # Nor does it lie where the tools of other pages are.
    assert found["right"] < 830
    assert found["below"] <= 0
    page.set_viewport_size(PHONE["viewport"])
    page.evaluate(LOOK_AT_MESSAGE)
    page.get_by_text("Supreme Court").first.click()
    assert page.wait_for_function("() => window.message").json_value()["below"] <= 0


def test_networks_that_cannot_be_clicked_send_nothing_to_the_server(page: Page) -> None:
    sent = sent_by(page)
    view = open_view(page, "scores")
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
    view = open_view(page, "step")
    choose(page, "step-score", "IB-score")
    choose(page, "step-graph", "published")
    expect(metric(view, "inferred")).to_be_hidden()
    expect(view.locator("svg.network")).to_have_attribute("aria-label", re.compile("9 edges"))
    take_keys(view)
    press(page, *["ArrowRight"] * 4)
    at_step(view, 4)
    expect(page.get_by_text("The counts behind it")).to_be_visible()
    follow(page, "climb")
    choose(page, "climb-score", "MPL")
    expect(page.get_by_text("ln MPL =")).to_be_visible()
    follow(page, "step")
    at_step(view_of(page, "step"), 4)
    expect(option_of(page, "step-score", "IB-score")).to_be_checked()
    expect(option_of(page, "step-graph", "published")).to_be_checked()
    expect(page.get_by_text("The counts behind it")).to_be_visible()
    follow(page, "climb")
    expect(option_of(page, "climb-score", "MPL")).to_be_checked()


def test_dark_is_chosen_in_the_page_and_stays(new_page: Callable[..., Any]) -> None:
    page = new_page(fresh=True)
    give_file(page, FILE)
    follow(page, "step")
    view = view_of(page, "step")
    take_keys(view)
    page.keyboard.press("End")
    step = int(view.get_attribute("data-steps"))
    at_step(view, step)
    page.wait_for_url(f"**step={step}")
    address = page.url
    page.get_by_test_id("stMainMenuButton").click()
    page.get_by_role("menuitemradio", name="Dark").click()
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", DARK)
    expect(view).to_have_attribute("data-theme", "dark")
    page.keyboard.press("Escape")
    # The visit goes on where it was, with its file.
    at_step(view, step)
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

    def assert_fills() -> None:
        box = chart.bounding_box()
        assert box["x"] + box["width"] <= 1920
        assert box["y"] + box["height"] <= 1080
        assert box["height"] > 800
        assert chart.evaluate(LETTERS) >= 20
        assert page.locator(".chart-header p").evaluate(SIZE) >= 20

    eventually(page, assert_fills)
    expect(page.locator(".chart-header")).to_have_text("Rows per slice in the hub's tests")

    # What the pointer is on is found where it is seen.
    def assert_pointed_at() -> None:
        third = chart.locator(".trace").first.locator(".point").nth(2).bounding_box()
        page.mouse.move(2, 2)
        page.mouse.move(third["x"] + third["width"] / 2, third["y"] + third["height"] / 2)
        frames(page, 10)
        assert chart.locator(".hoverlayer .legendtitletext").all_text_contents() == ["3"]

    eventually(page, assert_pointed_at)
    # A clicker blanks the screen, and the player behind takes no key.
    full = page.locator(":fullscreen")
    page.keyboard.press(".")
    expect(full).to_have_attribute("data-blank", "")
    expect(chart).to_be_hidden()
    step = view.get_attribute("data-step")
    page.keyboard.press("ArrowRight")
    expect(chart).to_be_visible()
    page.keyboard.press("f")
    expect(full).to_have_count(0)
    expect(view).to_have_attribute("data-step", step)

    def assert_back() -> None:
        assert chart.bounding_box() == before

    eventually(page, assert_back)
    # Where charts share a key, each has it on the full screen.
    open_page(page, "reproduce")
    fill_screen(page, page.locator(".js-plotly-plot").first)
    expect(page.locator(".chart-header")).to_contain_text("BJP, the paper’s")
    expect(page.locator(".chart-header")).to_contain_text("target-1")
