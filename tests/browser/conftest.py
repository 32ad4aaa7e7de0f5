"""A served app, a headless Chromium, and pages on which nothing may go wrong unseen."""

import importlib.util
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
# Opened by its URL, a page first looks for the server's health below that URL and gets a 404;
# Streamlit documents this way of detecting where it is served.
PROBES = re.compile(r"/[a-z]+/_stcore/(health|host-config)")
PATIENCE = 600.0


def pytest_pycollect_makemodule():
    """Say in one sentence that Playwright is missing, in place of an error for every module."""
    if importlib.util.find_spec("playwright") is None:
        unavailable("install playwright, as requirements-dev.lock does")


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)


def unavailable(what):
    """Skip, or fail where BJP_REQUIRE_BROWSER says that a browser must be there."""
    sentence = f"The browser tests can't run yet: {what}."
    if os.environ.get("BJP_REQUIRE_BROWSER") == "1":
        pytest.fail(sentence)
    pytest.skip(sentence)


@dataclass
class Server:
    """The app, served by a process of its own."""

    url: str
    log: Path
    _read: int = 0

    def errors(self):
        """What the log holds since the last look if there is a traceback in it, else nothing."""
        text = self.log.read_text(errors="replace")
        fresh, self._read = text[self._read :], len(text)
        return fresh if "Traceback (most recent call last)" in fresh else ""


@contextmanager
def serve(folder, **environment):
    """Serve the app on a free port; the process ends with the block."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"]
    command += [f"--server.port={port}", "--server.fileWatcherType=none"]
    server = Server(f"http://127.0.0.1:{port}", folder / "log.txt")
    with server.log.open("wb") as file:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT, env=os.environ | environment
        )
    try:
        await_health(process, server)
        yield server
        assert not (errors := server.errors()), errors
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            pytest.fail("The server did not end when it was asked to.")


def await_health(process, server):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=60) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    pytest.fail(f"The app did not start; its log says:\n{server.log.read_text(errors='replace')}")


# One of each for all tests of a worker, whatever other folders it visits in between.
@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The app that browser tests share."""
    with serve(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium."""
    program = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if program is None:
        unavailable("install Debian's package chromium, or Google Chrome")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Playwright itself adds --no-sandbox, without which Chromium refuses to run as root.
        running = playwright.chromium.launch(executable_path=program)
        yield running
        running.close()


@pytest.fixture(scope="session")
def contexts(browser):
    """What pages of the shared server live in, by their settings.

    They hold Streamlit's scripts, which a new one would load and compile for every page. What the
    app keeps in a browser is taken away after each test.
    """
    made = {}
    yield made
    for context in made.values():
        context.close()


def watch(page, home, troubles):
    """Note whatever a page does that no page may do; it may ask only `home` for anything."""

    def console(message):
        place = message.location.get("url", "")
        probe = place.startswith(home) and PROBES.fullmatch(place.removeprefix(home))
        if message.type == "error" and not probe:
            troubles.append(f"console: {message.text} ({place})")

    def request(url):
        url = url.replace("ws:", "http:")
        # Hostile names lead to "hacked" wherever they are followed.
        if url.startswith(home) and "hacked" not in url:
            return
        if not url.startswith(("data:", "blob:", "about:")):
            troubles.append(f"request to {url}")

    def websocket(socket):
        request(socket.url)
        # For `visits.running`, which waits for messages of the server.
        page.socket = socket

    def dialog(opened):
        troubles.append(f"dialog: {opened.message}")
        opened.dismiss()

    page.set_default_timeout(120_000)
    page.on("console", console)
    page.on("pageerror", lambda error: troubles.append(f"page error: {error}"))
    page.on("crash", lambda _: troubles.append("the page crashed"))
    page.on("request", lambda asked: request(asked.url))
    page.on("websocket", websocket)
    page.on("dialog", dialog)


@pytest.fixture
def open_file(browser):
    """Open an address without a network; nothing may be asked of one."""
    made, troubles = [], []

    def opened(address, **settings):
        context = browser.new_context(offline=True, **settings)
        made.append(context)
        page = context.new_page()
        watch(page, "file:", troubles)
        page.goto(address)
        return page

    yield opened
    for context in made:
        context.close()
    assert not troubles


@pytest.fixture
def new_page(browser, contexts, server):
    """Make a page; in the end, nothing may have gone wrong on any.

    One at another server, or a fresh one, has a browser context of its own.
    """
    troubles, own, used, pages = [], [], set(), []

    def make(at=server, *, fresh=False, **options):
        settings = {"viewport": {"width": 1280, "height": 1000}, "base_url": at.url, **options}
        if fresh or at is not server:
            context = browser.new_context(**settings)
            own.append(context)
        else:
            key = repr(sorted(settings.items()))
            context = contexts.get(key) or browser.new_context(**settings)
            contexts[key] = context
            used.add(context)
        pages.append(context.new_page())
        watch(pages[-1], at.url, troubles)
        return pages[-1]

    yield make
    for page in pages:
        page.close()
    for context in own:
        context.close()
    # What the app keeps in a browser goes once no page is left that could write again.
    for context in used:
        page = context.new_page()
        store = {"origin": server.url, "storageTypes": "local_storage"}
        context.new_cdp_session(page).send("Storage.clearDataForOrigin", store)
        page.close()
    assert not troubles, "\n".join(troubles)
    assert not (errors := server.errors()), errors


@pytest.fixture
def page(new_page):
    """A page of ordinary size."""
    return new_page()
