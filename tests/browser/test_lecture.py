"""In a lecture: pages on a projector, a list of views by number keys, a QR code, a pointer."""

import io

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests import qr
from tests.browser.visits import PROJECTOR, at_step, eventually, press, rest


def open_ready(page, address):
    """Open an address and wait for its script; on a projector a page has no heading."""
    page.goto(address)
    ready(page)


def ready(page):
    expect(page.locator(".lecture-bar")).to_be_attached()
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
    scrolled = """() => document.querySelector('[data-testid="stMain"]').scrollTop > 300"""
    page.wait_for_function(scrolled)
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()


def test_number_keys_open_a_list(new_page, tmp_path):
    """From a file, with one line that leads out; also two steps of one page, on a projector."""
    views = tmp_path / "views.txt"
    own = ["/step?data=coronary&score=ib&step=4", "/step?data=coronary&step=9"]
    lines = ["# A lecture", *own, "https://example.org/step", "/graphs?data=titanic"]
    views.write_text("\n".join(lines))
    page = new_page(**PROJECTOR, fresh=True)
    open_ready(page, "/method")
    page.get_by_role("button", name="In a lecture").click()
    page.locator(".lecture-panel input[type=file]").set_input_files(views)
    expect(page.locator(".lecture-told")).to_contain_text("Line 4 leads to example.org")
    press(page, "Escape", "v")
    step = page.locator('[data-component="step"]')
    for key, address, at in (
        ("1", own[0], 4),
        ("2", own[1], 9),
        ("3", "/graphs?data=titanic", None),
        ("1", own[0], 4),
    ):
        page.keyboard.press(key)
        page.wait_for_url(lambda url, end=f"{address}&projector=1": url.endswith(end))
        ready(page)
        expect(page.locator(".lecture-place")).to_have_text(f"{key} of 3")
        if at is not None:
            at_step(step, at)
    press(page, "7", "Escape")
    expect(page.get_by_test_id("stHeader")).to_be_visible()
    # The list is there after a reload, and a link to it opens it elsewhere.
    page.reload()
    ready(page)
    page.evaluate("navigator.clipboard.writeText = async text => { window.copied = text }")
    page.get_by_role("button", name="In a lecture").click()
    page.get_by_role("button", name="Copy its link").click()
    expect(page.locator(".lecture-told")).to_have_text("The link to the list was copied.")
    other = new_page(fresh=True)
    open_ready(other, page.evaluate("window.copied"))
    step = other.locator('[data-component="step"]')
    at_step(step, 4)
    other.wait_for_url(lambda url: url.endswith(own[0]))
    other.keyboard.press("2")
    at_step(step, 9)


def test_the_code_is_of_the_address_and_the_pointer_takes_no_click(new_page):
    page = new_page(**PROJECTOR, color_scheme="dark")
    open_ready(page, "/graphs?data=coronary")
    page.keyboard.press("q")
    code = page.locator(".lecture-code")
    expect(code).to_contain_text("Only this computer can open this address.")
    drawn = code.locator("svg").first
    box = drawn.bounding_box()
    assert min(box["width"], box["height"]) > 450
    # Read from the pixels of the screen: dark on light with the dark theme, too.
    side = int(drawn.get_attribute("viewBox").split()[2])
    picture = Image.open(io.BytesIO(drawn.screenshot())).convert("L")
    at = [int((k + 0.5) * picture.width / side) for k in range(side)]
    rows = ["".join("01"[picture.getpixel((x, y)) < 128] for x in at) for y in at]
    assert not any("1" in row for row in rows[:4] + rows[-4:])
    address = qr.read([row[4:-4] for row in rows[4:-4]])
    assert address == code.locator(".lecture-address").inner_text() == page.url
    page.keyboard.press("Escape")
    expect(code).to_be_hidden()
    page.keyboard.press("r")
    pointer = page.locator(".lecture-pointer")
    expect(pointer).to_be_visible()
    at = page.get_by_role("button", name="In a lecture").bounding_box()
    page.mouse.move(at["x"] + 8, at["y"] + 8)
    ring = pointer.bounding_box()
    assert ring["width"] > 45
    assert ring["x"] + ring["width"] / 2 == pytest.approx(at["x"] + 8, abs=2)
    page.mouse.click(at["x"] + 8, at["y"] + 8)
    expect(page.locator(".lecture-panel")).to_be_visible()
    press(page, "Escape", "r")
    expect(pointer).to_have_count(0)
