"""The start page: its figure moves, and its doors lead on."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from bjp_explorer.start import words
from tests.browser.visits import at_rest, at_step, open_page, take_keys, view_of

LOW = {"viewport": {"width": 1280, "height": 720}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def test_it_plays_steps_and_leads_on(new_page: Callable[..., Page]) -> None:
    page = new_page(**LOW)
    open_page(page, "start")
    view = view_of(page, "step")
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


@pytest.mark.parametrize("screen", [LOW, PHONE], ids=["low", "phone"])
def test_figure_and_doors_are_on_the_first_screen(
    new_page: Callable[..., Page], screen: dict[str, object]
) -> None:
    page = new_page(**screen)
    open_page(page, "start")
    view = view_of(page, "step")
    height = page.viewport_size["height"]
    doors = (page.get_by_role("link", name=each) for each in (words.LEARN, words.ANALYSE))
    play = view.get_by_role("button", name="Play", exact=True)
    for part in (view.locator("svg.network"), play, *doors):
        box = part.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + min(box["height"], 200) <= height
