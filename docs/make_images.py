"""Take the pictures of docs/images anew: `python -m docs.make_images [NAME …]`; needs Chromium."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from bjp_engine.cli import main as bjp
from tests.messy import messy

IMAGES = Path(__file__).parent / "images"
WIDTH, HEIGHT = 1360, 960
PHONE = {"width": 390, "height": 844}
# A picture has that many colours at most, which makes it a third as large.
COLOURS = 256
# What every page has once it is there; the component of the projector view is never seen.
SEEN = "[data-component]:visible, [data-testid=stDataFrame]:visible"
CORONARY = Path(__file__).parents[1] / "sample_data" / "datasets" / "coronary.csv"
# What to press on each page before the picture is taken.
PAGES = {
    "start": ["Home", *["ArrowRight"] * 9],
    "data": [],
    "network": [],
    "groups": [],
    "lessons": ["ArrowRight", "ArrowRight"],
    "practice": [],
    "step": ["End", *["ArrowLeft"] * 15],
    "climb": ["Home", *["ArrowRight"] * 7],
    "scores": [],
    "graphs": [],
    "accuracy": [],
    "method": [],
    "projector": ["End", *["ArrowLeft"] * 15],
}
NAMES = (*PAGES, "file", "phone")
# What to click before that: a typical mistake, which takes the blanket of the other end.
CLICKS = {"practice": ['[data-node="0"]', '[data-node="5"]', 'button:text-is("Check")']}
# Where a picture is not of the page of its name.
PATHS = {
    "start": "",
    "groups": "groups?by=0",
    "practice": "practice?kinds=blanket&levels=2&seed=7",
    "projector": "step?projector=1",
}


def main(names: list[str]) -> None:
    """Serve the app, and take every page, or those named, in light and in dark."""
    command = [sys.executable, "-m", "bjp_engine", "app", "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        (address,) = re.findall(r"http://\S+", server.stdout.readline())
        _wait(address)
        with sync_playwright() as play:
            chromium = shutil.which("chromium") or shutil.which("google-chrome")
            arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
            browser = play.chromium.launch(executable_path=chromium, args=arguments)
            for scheme in ("light", "dark"):
                _all(browser, f"{address}/", scheme, names or [*NAMES])
            browser.close()
    finally:
        server.terminate()
        server.wait()


def _all(browser: Browser, address: str, scheme: str, names: list[str]) -> None:
    """The pictures of these names in one scheme of colours."""
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme)
    for name in names:
        page = context.new_page()
        if name == "file":
            _file(page, f"{address}data", scheme)
        elif name == "phone":
            _phone(page, scheme)
        else:
            _take(page, address + PATHS.get(name, name), PAGES[name], name, scheme)
        page.close()


def _take(page: Page, url: str, keys: list[str], name: str, scheme: str) -> None:
    """One page, settled."""
    page.goto(url)
    page.locator(SEEN).first.wait_for(timeout=120_000)
    page.wait_for_timeout(2500)
    for target in CLICKS.get(name, ()):
        page.locator(target).first.click()
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(60)
    page.wait_for_timeout(2500)
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
    _save(page, f"{name}-{scheme}.png")


def _file(page: Page, url: str, scheme: str) -> None:
    """What the page Data tells of a messy file; taller than a screen."""
    page.set_viewport_size({"width": WIDTH, "height": 1720})
    page.goto(url)
    page.locator(".st-key-data-way").get_by_role("radio", name="Your own file").click()
    own = {"name": "messy.csv", "mimeType": "text/csv", "buffer": messy()}
    page.locator('[data-testid="stFileUploader"] input').set_input_files(own)
    page.get_by_text("Health of the file").wait_for(timeout=60_000)
    # The note that names the current dataset goes after some seconds.
    note = page.get_by_text("Dataset: messy.csv")
    note.wait_for(timeout=60_000)
    note.wait_for(state="detached", timeout=60_000)
    page.wait_for_timeout(1000)
    _save(page, f"file-{scheme}.png")


def _phone(page: Page, scheme: str) -> None:
    """A climb as a page of its own, opened from the disk on a phone."""
    page.set_viewport_size(PHONE)
    with tempfile.TemporaryDirectory() as folder:
        shared = Path(folder) / "climb.html"
        asked = ["share", str(CORONARY), "--search", "ibmap-hc", "--step", "4"]
        bjp([*asked, "--title", "Coronary", "--out", str(shared)])
        page.goto(shared.as_uri())
        page.wait_for_selector("[data-component] svg", timeout=60_000)
        page.wait_for_timeout(1500)
        _save(page, f"phone-{scheme}.png")


def _save(page: Page, name: str) -> None:
    """What is seen, as a file with few colours."""
    with Image.open(io.BytesIO(page.screenshot())) as taken:
        few = taken.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        few.save(IMAGES / name, optimize=True)
    print(f"docs/images/{name}")


def _wait(address: str) -> None:
    """Until the server answers."""
    for _ in range(600):
        with suppress(OSError), urlopen(f"{address}/_stcore/health", timeout=5):  # noqa: S310
            return
        time.sleep(0.1)
    raise RuntimeError("The app did not start.")


if __name__ == "__main__":
    main(sys.argv[1:])
