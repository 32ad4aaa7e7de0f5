"""Pages on a projector: charts and tables grow, a clicker scrolls."""

import pytest
from playwright.sync_api import expect

from tests.browser.visits import eventually, rest


def open_ready(page, address):
    """Open an address and wait for its script; on a projector a page has no heading."""
    page.goto(address)
    ready(page)


def ready(page):
    expect(page.locator(".projector-bar")).to_be_attached()
    rest(page)


def test_a_chart_and_a_table_grow_and_shrink(new_page):
    page = new_page(viewport={"width": 1920, "height": 1080})
    open_ready(page, "/accuracy")
    chart, table = page.locator(".js-plotly-plot").first, page.get_by_test_id("stDataFrame").first
    expect(chart.locator(".main-svg").first).to_be_attached()
    tall = "e => e.querySelector('text').getBoundingClientRect().height"
    letters, rows = chart.evaluate(tall), table.bounding_box()["height"]
    below = """e => e.closest('[data-testid="stElementContainer"]').nextElementSibling
        .getBoundingClientRect().top - e.getBoundingClientRect().bottom"""
    for by in (1.755, 1):
        rest(page)
        page.keyboard.press("v")
        expect(page.locator("html[data-projector]")).to_have_count(int(by > 1))
        root = page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)")
        assert root / 16 == pytest.approx(by, abs=0.01)

        def assert_grown(by=by):
            assert chart.evaluate(tall) == pytest.approx(by * letters, rel=0.1)
            assert table.bounding_box()["height"] == pytest.approx(by * rows, rel=0.1)
            # What stands below a chart isn't covered by it.
            assert chart.evaluate(below) >= 0

        eventually(page, assert_grown)

    # By the address, and scrolled without a click.
    open_ready(page, "/method?projector=1")
    page.keyboard.press("PageDown")
    scrolled = """() => document.querySelector('.st-key-page-text').scrollTop > 300"""
    page.wait_for_function(scrolled)
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
