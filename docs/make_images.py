"""Take the screenshots of docs/images anew: `python -m docs.make_images` (needs Chromium)."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from bjp_engine.cli.launch import HOST, app_folder, command, free_port
from tests.messy import messy

IMAGES = Path(__file__).parent / "images"
WIDTH, HEIGHT = 1360, 960
# What to press on each page before the picture is taken.
PAGES = {
    "start": ["Home", *["ArrowRight"] * 9],
    "data": [],
    "network": [],
    "groups": [],
    "lessons": ["ArrowRight", "ArrowRight"],
    "step": ["End", *["ArrowLeft"] * 15],
    "climb": ["Home", *["ArrowRight"] * 7],
    "scores": [],
    "graphs": [],
    "reproduce": [],
    "method": [],
}


def main() -> None:
    """Serve the app, and take every page in light and in dark."""
    port = free_port(8700)
    server = subprocess.Popen(command(app_folder(), port), cwd=app_folder())
    try:
        _wait(port)
        with sync_playwright() as play:
            chromium = shutil.which("chromium") or shutil.which("google-chrome")
            arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
            browser = play.chromium.launch(executable_path=chromium, args=arguments)
            for scheme in ("light", "dark"):
                context = browser.new_context(
                    viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme
                )
                for name, keys in PAGES.items():
                    # The start page has no URL of its own.
                    path = "" if name == "start" else name
                    _take(context.new_page(), f"http://{HOST}:{port}/{path}", keys, name, scheme)
                _file(context.new_page(), f"http://{HOST}:{port}/data", scheme)
            browser.close()
    finally:
        server.terminate()
        server.wait()


def _take(page: Page, url: str, keys: list[str], name: str, scheme: str) -> None:
    """One page, settled."""
    page.goto(url)
    page.wait_for_selector("h1", timeout=120_000)
    page.wait_for_selector("[data-component], [data-testid=stDataFrame]", timeout=120_000)
    page.wait_for_timeout(2500)
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(60)
    page.wait_for_timeout(2500)
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
    page.screenshot(path=IMAGES / f"{name}-{scheme}.png")
    page.close()
    print(f"docs/images/{name}-{scheme}.png")


def _file(page: Page, url: str, scheme: str) -> None:
    """What the page Data tells of a messy file; taller than a screen."""
    page.set_viewport_size({"width": WIDTH, "height": 1720})
    page.goto(url)
    page.locator(".st-key-data-way").get_by_role("radio", name="Your own file").click()
    own = {"name": "messy.csv", "mimeType": "text/csv", "buffer": messy()}
    page.locator('[data-testid="stFileUploader"] input').set_input_files(own)
    page.get_by_text("Health of the file").wait_for(timeout=60_000)
    # The note that says what is now in hand goes by itself.
    page.wait_for_timeout(6000)
    page.screenshot(path=IMAGES / f"file-{scheme}.png")
    page.close()
    print(f"docs/images/file-{scheme}.png")


def _wait(port: int) -> None:
    """Until the server answers."""
    for _ in range(600):
        connection = HTTPConnection(HOST, port, timeout=5)
        try:
            connection.request("GET", "/_stcore/health")
            if connection.getresponse().status == 200:
                return
        except (OSError, HTTPException):
            pass
        finally:
            connection.close()
        time.sleep(0.1)
    raise RuntimeError("The app did not start.")


if __name__ == "__main__":
    main()
