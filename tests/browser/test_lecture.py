"""In a lecture: every page on a projector, a list of views by number keys, a QR code."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests import qr
from tests.browser.visits import PATHS, RESTING, at_step

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
OVER = "e => e.scrollWidth - e.clientWidth"


def ready(page: Page) -> None:
    """Wait until the page's script has run; on a projector a page has no heading."""
    expect(page.locator(".lecture-bar")).to_be_attached()
    expect(page.locator(RESTING)).to_be_attached()
    expect(page.locator('[data-stale="true"]')).to_have_count(0)


@pytest.mark.parametrize("size", [(1920, 1080), (1280, 720)])
def test_every_page_on_a_projector(new_page: Callable[..., Any], size: tuple[int, int]) -> None:
    page = new_page(viewport={"width": size[0], "height": size[1]})
    for name, path in PATHS.items():
        page.goto(f"{path}?projector=1")
        ready(page)
        leave = page.get_by_role("button", name="Leave the projector view")
        expect(leave).to_be_visible()
        for hidden in HIDDEN:
            for part in page.get_by_test_id(hidden).all():
                expect(part).to_be_hidden()
        assert "projector=1" in page.url
        assert page.evaluate(SMALL) == [], name
        # A table that was drawn before is laid out once more.
        for _ in range(50):
            if (over := page.get_by_test_id("stMain").evaluate(OVER)) <= 0:
                break
            page.wait_for_timeout(100)
        assert over <= 0, name
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    expect(leave).to_be_hidden()
    assert "projector" not in page.url


def test_a_chart_and_a_table_grow_and_shrink(new_page: Callable[..., Any]) -> None:
    page = new_page(viewport={"width": 1920, "height": 1080})
    page.goto("/accuracy")
    ready(page)
    chart, table = page.locator(".js-plotly-plot").first, page.get_by_test_id("stDataFrame").first
    expect(chart.locator(".main-svg").first).to_be_attached()
    tall = "e => e.querySelector('text').getBoundingClientRect().height"
    before, rows = chart.evaluate(tall), table.bounding_box()["height"]
    page.keyboard.press("v")
    expect(page.locator("html[data-projector]")).to_be_attached()
    by = page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize) / 16")
    assert by == pytest.approx(1.755, abs=0.01)
    page.wait_for_timeout(500)
    assert chart.evaluate(tall) == pytest.approx(by * before, rel=0.1)
    assert table.bounding_box()["height"] == pytest.approx(by * rows, rel=0.1)
    # What stands below a chart isn't covered by it.
    below = """e => {
        const place = e.closest('[data-testid="stElementContainer"]');
        return place.nextElementSibling.getBoundingClientRect().top
            - e.getBoundingClientRect().bottom;
    }"""
    assert chart.evaluate(below) >= 0
    page.keyboard.press("v")
    page.wait_for_timeout(500)
    assert chart.evaluate(tall) == pytest.approx(before, rel=0.1)
    assert table.bounding_box()["height"] == pytest.approx(rows, rel=0.1)


def test_number_keys_open_a_list(new_page: Callable[..., Any], tmp_path: Path) -> None:
    """From a file, with one line that leads out; also two steps of one page, on a projector."""
    views = tmp_path / "views.txt"
    lines = "# A lecture\n/step?data=coronary&score=ib&step=4\n/step?data=coronary&step=9\n"
    views.write_text(f"{lines}https://example.org/step\n/graphs?data=titanic\n")
    page = new_page(viewport={"width": 1280, "height": 720}, fresh=True)
    page.goto("/method")
    ready(page)
    page.get_by_role("button", name="In a lecture").click()
    page.locator(".lecture-panel input[type=file]").set_input_files(views)
    expect(page.locator(".lecture-told")).to_have_text(
        "Line 4 leads to example.org, and a list holds pages of this app only."
    )
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    step = page.locator('[data-component="step"]')
    for key, rest, shown in (
        ("1", "/step?data=coronary&score=ib&step=4", 4),
        ("2", "/step?data=coronary&step=9", 9),
        ("3", "/graphs?data=titanic", None),
        ("1", "/step?data=coronary&score=ib&step=4", 4),
    ):
        page.keyboard.press(key)
        page.wait_for_url(lambda url, rest=rest: url.endswith(f"{rest}&projector=1"))
        ready(page)
        expect(page.locator(".lecture-place")).to_have_text(f"{key} of 3")
        if shown is not None:
            at_step(step, shown)
    page.keyboard.press("7")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stHeader")).to_be_visible()
    # The list is there after a reload, and a link to it opens it elsewhere.
    page.reload()
    ready(page)
    page.evaluate("navigator.clipboard.writeText = async text => { window.copied = text }")
    page.get_by_role("button", name="In a lecture").click()
    page.get_by_role("button", name="Copy its link").click()
    expect(page.locator(".lecture-told")).to_have_text("The link to the list was copied.")
    link = page.evaluate("window.copied")
    other = new_page(fresh=True)
    other.goto(link)
    ready(other)
    at_step(other.locator('[data-component="step"]'), 4)
    other.wait_for_url(lambda url: url.endswith("/step?data=coronary&score=ib&step=4"))
    other.keyboard.press("2")
    at_step(other.locator('[data-component="step"]'), 9)


def test_the_code_is_of_the_address_and_the_pointer_takes_no_click(
    new_page: Callable[..., Any],
) -> None:
    page = new_page(viewport={"width": 1280, "height": 720}, color_scheme="dark")
    page.goto("/graphs?data=coronary")
    ready(page)
    page.keyboard.press("q")
    code = page.locator(".lecture-code")
    expect(code).to_contain_text("Only this computer can open this address.")
    drawn = code.locator("svg").first
    box = drawn.bounding_box()
    assert min(box["width"], box["height"]) > 450
    # Read from the pixels of the screen: dark on light with the dark theme, too.
    side = int(drawn.get_attribute("viewBox").split()[2])
    picture = Image.open(io.BytesIO(drawn.screenshot())).convert("L")
    by = picture.width / side
    rows = [
        "".join(
            "1" if picture.getpixel((int((x + 0.5) * by), int((y + 0.5) * by))) < 128 else "0"
            for x in range(side)
        )
        for y in range(side)
    ]
    assert not any("1" in row for row in rows[:4] + rows[-4:])
    address = qr.read([row[4:-4] for row in rows[4:-4]])
    assert address == code.locator(".lecture-address").inner_text() == page.url
    page.keyboard.press("Escape")
    expect(code).to_be_hidden()
    page.keyboard.press("r")
    pointer = page.locator(".lecture-pointer")
    expect(pointer).to_be_visible()
    button = page.get_by_role("button", name="In a lecture")
    at = button.bounding_box()
    page.mouse.move(at["x"] + 8, at["y"] + 8)
    ring = pointer.bounding_box()
    assert ring["width"] > 45
    assert ring["x"] + ring["width"] / 2 == pytest.approx(at["x"] + 8, abs=2)
    page.mouse.click(at["x"] + 8, at["y"] + 8)
    expect(page.locator(".lecture-panel")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    expect(pointer).to_have_count(0)


def test_page_down_scrolls_a_projector_without_a_click(new_page: Callable[..., Any]) -> None:
    page = new_page(viewport={"width": 1280, "height": 720})
    page.goto(f"{PATHS['method']}?projector=1")
    ready(page)
    page.keyboard.press("PageDown")
    page.wait_for_function("document.querySelector('[data-testid=\"stMain\"]').scrollTop > 300")
