"""Every page by its URL: readable in light and dark, on a projector and on a phone."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import visits
from tests.browser.visits import PHONE, at_step, eventually, frames, open_page, open_view

READING = Path(__file__).with_name("reading.js").read_text(encoding="utf-8")
DARK = "rgb(18, 23, 28)"
FILE = visits.DATASETS / "titanic.csv"
HIDDEN = ("stSidebar", "stHeader", "stExpandSidebarButton", "stPageLink")


def assert_readable(page):
    """All text stands out from its ground as WCAG's level AA asks, and has 12 pixels."""
    found = page.evaluate(READING, 11.95)
    # The widgets of a page come one after another.
    assert found["texts"] > 20
    assert not found["faint"], "\n".join(found["faint"])
    assert not found["small"], "\n".join(found["small"])


def assert_large(page):
    """On a projector all letters are large, and whatever isn't the page is away."""
    for hidden in HIDDEN:
        for part in page.get_by_test_id(hidden).all():
            expect(part).to_be_hidden()
    # 20 of 1,080 pixels, rounded.
    least = 19 * page.viewport_size["height"] / 1080
    assert page.evaluate(READING, least)["small"] == []


@pytest.mark.parametrize("name", visits.PAGES)
def test_a_page_in_light_and_dark_on_a_projector_and_on_a_phone(page, name):
    open_page(page, name)
    if name in visits.COMPONENTS:
        visits.view_of(page, visits.COMPONENTS[name])
    expect(page).to_have_title(f"{visits.PAGES[name]} · BJP Explorer")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("Coronary heart disease")
    # The app's own style sheet comes with a part of Streamlit that is loaded late.
    expect(page.locator(".st-key-link-address")).to_have_css("position", "absolute")
    eventually(page, lambda: assert_readable(page))
    page.emulate_media(color_scheme="dark")
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", DARK)
    frames(page, 6)
    eventually(page, lambda: assert_readable(page))

    # It listens to the key.
    expect(page.locator(".projector-bar")).to_be_attached()
    leave = page.get_by_role("button", name="Leave the projector view")
    for width, height in ((1920, 1080), (1280, 720)):
        page.set_viewport_size({"width": width, "height": height})
        visits.rest(page)
        page.keyboard.press("v")
        expect(leave).to_be_visible()
        page.wait_for_url("**projector=1*")
        eventually(page, lambda: assert_large(page))
        visits.assert_fits(page)
        page.keyboard.press("Escape")
        expect(leave).to_be_hidden()
        expect(page.get_by_test_id("stHeader")).to_be_visible()
        page.wait_for_url(lambda url: "projector" not in url)

    page.set_viewport_size(PHONE["viewport"])
    frames(page, 6)
    visits.assert_fits(page)


def test_a_projected_page_is_scrolled_without_a_click(new_page):
    page = new_page(viewport={"width": 1920, "height": 1080})
    page.goto("/method?projector=1")
    expect(page.locator(".projector-bar")).to_be_attached()
    visits.rest(page)
    page.keyboard.press("PageDown")
    scrolled = """() => document.querySelector('.st-key-page-text').scrollTop > 300"""
    page.wait_for_function(scrolled)
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()


def test_the_start_page_plays_and_leads_on(new_page):
    page = new_page(**visits.PROJECTOR)
    view = open_view(page, "start")
    assert_on_the_first_screen(page, view)
    at_step(view, 0)
    expect(view).to_have_attribute("data-playing", "false")
    visits.take_keys(view)
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
    page = new_page(**PHONE)
    assert_on_the_first_screen(page, open_view(page, "start"))


def assert_on_the_first_screen(page, view):
    """The figure, its button and both doors are in sight without scrolling."""
    doors = (
        page.get_by_role("link", name=each) for each in ("Learn how it works", "Analyse my data")
    )
    play = view.get_by_role("button", name="Play", exact=True)
    for part in (view.locator("svg.network"), play, *doors):
        box = part.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + min(box["height"], 200) <= page.viewport_size["height"]


def test_a_message_stands_above_the_title(page):
    open_page(page, "data")
    for name in ("Titanic", "Supreme Court"):
        page.get_by_test_id("stRadio").get_by_text(name).first.click()
        message = page.get_by_test_id("stToast").filter(has_text=name)
        message.element_handle().wait_for_element_state("stable")
        page.locator("h1").scroll_into_view_if_needed()
        box, title = message.bounding_box(), page.locator("h1").bounding_box()
        assert box["y"] + box["height"] <= title["y"], name
        # Nor does it lie where the tools of other pages are.
        assert box["x"] + box["width"] < 830, name
        page.set_viewport_size(PHONE["viewport"])


def test_pages_keep_their_state_and_dark_is_chosen_in_the_page(new_page):
    page = new_page(fresh=True)
    visits.give_file(page, FILE)
    visits.follow(page, "step")
    view, main = visits.view_of(page, "step"), page.get_by_test_id("stMain")
    visits.choose(page, "step-score", "IB-score")
    expect(visits.metric(view, "inferred")).to_be_hidden()
    visits.take_keys(view)
    page.keyboard.press("End")
    step = int(view.get_attribute("data-steps"))
    at_step(view, step)
    page.wait_for_url(f"**step={step}")
    address, counts = page.url, main.get_by_text("The counts behind it")
    expect(counts).to_be_visible()
    visits.follow(page, "climb")
    # Until the climb is there the page below its heading still moves, and a click may miss.
    expect(page.get_by_text("ln BJP =")).to_be_visible()
    visits.choose(page, "climb-score", "MPL")
    expect(page.get_by_text("ln MPL =")).to_be_visible()
    visits.follow(page, "step")
    at_step(view, step)
    expect(visits.option_of(page, "step-score", "IB-score")).to_be_checked()
    expect(counts).to_be_visible()

    page.get_by_test_id("stMainMenuButton").click()
    page.get_by_role("menuitemradio", name="Dark").click()
    app = page.get_by_test_id("stApp")
    expect(app).to_have_css("background-color", DARK)
    expect(view).to_have_attribute("data-theme", "dark")
    page.keyboard.press("Escape")
    # The visit goes on where it was, with its file.
    at_step(view, step)
    assert page.url == address
    expect(page.get_by_test_id("stSidebar")).to_contain_text(FILE.name)
    # Streamlit itself looks for what was chosen under the path of the page that is reloaded.
    page.reload()
    expect(page.get_by_text("Drop the same file here")).to_be_visible()
    expect(app).to_have_css("background-color", DARK)
