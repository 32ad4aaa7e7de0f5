"""A served app, a headless Chromium, and pages on which nothing may go wrong unseen."""

from __future__ import annotations

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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).parents[2]
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
# Opened by its URL, a page first looks for the server's health below that URL and gets a 404;
# Streamlit documents this way of finding out where it is served.
PROBES = re.compile(
    r"/(data|network|groups|lessons|practice|step|climb|scores|graphs|accuracy|reproduce|method)"
    r"/_stcore/(health|host-config)"
)
PATIENCE = 600.0


def pytest_pycollect_makemodule() -> None:
    """Say in one sentence that Playwright is missing, in place of an error for every module."""
    if importlib.util.find_spec("playwright") is None:
        unavailable("install playwright, as requirements-dev.lock does")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder drives a browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)


@dataclass
class Server:
    """The app, served by a process of its own."""

    url: str
    log: Path
    _read: int = 0

    def complaints(self) -> str:
        """What the log holds since the last look, where it tells of an error; else nothing."""
        text = self.log.read_text(errors="replace")
        fresh, self._read = text[self._read :], len(text)
        return fresh if "Traceback (most recent call last)" in fresh else ""


@contextmanager
def serving(log: Path, **environment: str) -> Iterator[Server]:
    """Serve the app on a free port; the process ends with the block."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"]
    command += [f"--server.port={port}", "--server.fileWatcherType=none"]
    with log.open("wb") as file:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=file,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment},
        )
    url = f"http://127.0.0.1:{port}"
    try:
        await_health(process, url, log)
        yield Server(url, log)
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            pytest.fail("The server did not end when it was told to.")


def await_health(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    """Wait until the server answers."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    pytest.fail(f"The app did not start; its log says:\n{log.read_text(errors='replace')}")


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app that all browser tests share."""
    with serving(tmp_path_factory.mktemp("server") / "log.txt") as running:
        yield running


@dataclass
class SlowServer(Server):
    """One whose searches rest before each step while they are asked to."""

    rest: Path = Path()

    def slow_down(self) -> None:
        """Let no search end before it is cancelled, however slow the machine is."""
        self.rest.write_text("0.5")

    def go_on(self) -> None:
        """Let no step wait any more."""
        self.rest.write_text("0")


@pytest.fixture
def slow_server(tmp_path: Path) -> Iterator[SlowServer]:
    """The app, for searches that are met on their way."""
    # What it imports before the app does is this checkout's, too.
    path = os.pathsep.join((str(Path(__file__).parent / "slowly"), str(ROOT)))
    rest = tmp_path / "rest.txt"
    with serving(tmp_path / "log.txt", PYTHONPATH=path, BJP_REST=str(rest)) as running:
        slow = SlowServer(running.url, running.log, rest=rest)
        slow.go_on()
        yield slow


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
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


def unavailable(what: str) -> NoReturn:
    """Skip, or fail where BJP_REQUIRE_BROWSER says that a browser must be there."""
    sentence = f"The browser tests can't run yet: {what}."
    if os.environ.get("BJP_REQUIRE_BROWSER") == "1":
        pytest.fail(sentence)
    pytest.skip(sentence)


@dataclass
class Watchman:
    """Notes whatever a page does that no page may do."""

    server: Server
    troubles: list[str] = field(default_factory=list)

    def watch(self, page: Any) -> None:
        """Listen to a page."""
        page.on("console", self.console)
        page.on("pageerror", lambda error: self.troubles.append(f"page error: {error}"))
        page.on("crash", lambda _: self.troubles.append("the page crashed"))
        page.on("request", lambda request: self.address(request.url))
        page.on("websocket", lambda socket: self.address(socket.url))
        page.on("dialog", self.dialog)

    def console(self, message: Any) -> None:
        """An error on the console, but for the probes."""
        if message.type != "error":
            return
        place = message.location.get("url", "")
        path = place.removeprefix(self.server.url)
        if not (path != place and PROBES.fullmatch(path)):
            self.troubles.append(f"console: {message.text} ({place})")

    def address(self, url: str) -> None:
        """A request to anywhere else."""
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.hostname != "127.0.0.1":
            self.troubles.append(f"request to {url}")

    def dialog(self, dialog: Any) -> None:
        """A dialog, which the app never opens."""
        self.troubles.append(f"dialog: {dialog.message}")
        dialog.dismiss()


@pytest.fixture(scope="package")
def contexts(browser: Any) -> Iterator[dict[str, Any]]:
    """What pages of the shared server live in, by their settings.

    They hold Streamlit's scripts, which a new one would load and compile for every page. What the
    app keeps in a browser is taken away after each test.
    """
    made: dict[str, Any] = {}
    yield made
    for context in made.values():
        context.close()


@pytest.fixture
def open_file(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open an address without a network; nothing may be asked of one."""
    made, troubles = [], []

    def opened(address: str, **settings: Any) -> Any:
        context = browser.new_context(**settings)
        context.set_offline(True)
        made.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: troubles.append(f"page error: {error}"))
        page.on("console", lambda line: line.type == "error" and troubles.append(line.text))
        page.on("request", lambda asked: note(asked.url))
        page.goto(address)
        return page

    def note(url: str) -> None:
        if not url.startswith(("file:", "data:", "blob:", "about:")):
            troubles.append(f"request to {url}")

    yield opened
    for context in made:
        context.close()
    assert not troubles


@pytest.fixture
def new_page(
    browser: Any, contexts: dict[str, Any], server: Server
) -> Iterator[Callable[..., Any]]:
    """Make a page; in the end, nothing may have gone wrong on any.

    One at another server, or a fresh one, has a browser context of its own.
    """
    watchman, own, used, pages = Watchman(server), [], set(), []

    def make(at: Server = server, *, fresh: bool = False, **options: Any) -> Any:
        watchman.server = at
        settings = {"viewport": {"width": 1280, "height": 1000}, "base_url": at.url, **options}
        key = repr(sorted(settings.items()))
        context = None if fresh else contexts.get(key)
        if context is None:
            context = browser.new_context(**settings)
            if fresh or at is not server:
                own.append(context)
            else:
                contexts[key] = context
        used.add(context)
        pages.append(context.new_page())
        pages[-1].set_default_timeout(120_000)
        watchman.watch(pages[-1])
        return pages[-1]

    yield make
    for page in pages:
        page.close()
    for context in own:
        context.close()
    for context in used.difference(own):
        forget(context, server)
    assert not watchman.troubles, "\n".join(watchman.troubles)
    assert not (told := server.complaints()), told


def forget(context: Any, server: Server) -> None:
    """Take away what the app keeps in a browser, once no page is left that could write again."""
    page = context.new_page()
    store = {"origin": server.url, "storageTypes": "local_storage"}
    context.new_cdp_session(page).send("Storage.clearDataForOrigin", store)
    page.close()


@pytest.fixture
def page(new_page: Callable[..., Any]) -> Any:
    """A page of ordinary size."""
    return new_page()
