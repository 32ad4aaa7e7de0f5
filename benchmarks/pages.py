"""How long pages take to appear, and to answer what needs the server, in a headless Chromium.

A page is *cold* where it is the first that a new server shows: the modules are imported and the
compiled kernels loaded for it. Every visit has an empty browser cache. An interaction is timed
from the click or the key to the frame in which the page shows the answer and the server rests.
The 250 ms for which a player waits before it reports where it stands are its own and come off.
"""

from __future__ import annotations

import math
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import marked

ROOT = Path(__file__).parents[1]
PAGES = (
    *("data", "network", "groups", "lessons", "practice", "step"),
    *("climb", "scores", "graphs", "accuracy", "method"),
)
# Seconds: until a page is there, until it answers, and what a player waits before it reports.
PAINT, ANSWER, SETTLE = 3.0, 0.3, 0.25
COLD, WARM, REPEATS = 2, 6, 10
# Seconds after which a server will never answer, on whatever machine.
START = 300.0
# The largest of the networks with at most 64 nodes; every repeat takes a sample not seen before.
NETWORK = "net:hub-3:clique-log-weights:1000:{}"
# What waits for a condition is a text that the browser evaluates, which the app's policy forbids.
CONTEXT: dict[str, Any] = {"viewport": {"width": 1280, "height": 1000}, "bypass_csp": True}
# Pages of Streamlit alone, to compare with: what follows a title, and what shows that it is drawn.
BARE = {
    "Streamlit: a title": ("", "h1"),
    "Streamlit: a table": ("st.dataframe({'a': [1, 2]})", "canvas"),
    "Streamlit: a Plotly chart": ("st.plotly_chart({'data': [{'y': [1, 2]}]})", ".plot-container"),
}
# Notes in the page when a button or a key was last pressed.
PRESSED = """for (const kind of ["pointerup", "keydown"])
  addEventListener(kind, () => { window.pressed = performance.now(); }, true);"""
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")

RESTS = "document.querySelector('[data-test-script-state=\"notRunning\"]') !== null"
STALE = "!document.querySelector('[data-stale=\"true\"]')"
SHOWS = "document.querySelector('[data-testid=\"stMain\"]')?.innerText.includes"
# Components stand in shadow roots.
DEEP = (
    "(found => [...document.querySelectorAll('*')].some(e => e.shadowRoot?.querySelector(found)))"
)


@dataclass(frozen=True)
class Interaction:
    """Something that a person does and the server answers.

    Parameters
    ----------
    name : str
    path : str
        Of the page, with the sample's number left open.
    act : callable(page, k)
        The k-th time.
    done : callable(k) -> str
        A condition in JavaScript.
    waits : float
        Seconds that the browser waits of its own accord.
    before : callable(page), optional
        What needs no server and isn't timed: to open a list.
    """

    name: str
    path: str
    act: Callable[[Any, int], None]
    done: Callable[[int], str]
    waits: float = 0.0
    before: Callable[[Any], None] = lambda _: None


def radio(key: str, *options: str) -> Callable[[Any, int], None]:
    """Press the options of a segmented control in turn."""

    def press(page: Any, k: int) -> None:
        name = options[k % len(options)]
        page.locator(f".st-key-{key}").get_by_role("radio", name=name, exact=True).click()

    return press


def opened(key: str) -> Callable[[Any], None]:
    """Open a list."""

    def press(page: Any) -> None:
        page.locator(f".st-key-{key}").get_by_role("combobox").click()
        page.get_by_role("option").first.wait_for()

    return press


def option(title: str) -> Callable[[Any, int], None]:
    """Choose an option of the open list."""
    return lambda page, _: page.get_by_role("option", name=title).click()


def shows(*texts: str) -> Callable[[int], str]:
    """That one of some texts is on the page, in turn."""
    return lambda k: f"{SHOWS}({texts[k % len(texts)]!r})"


def next_step(page: Any, k: int) -> None:
    """One step on, with the player in focus."""
    if k == 0:
        page.locator('[data-component="step"] h3').first.click()
    page.keyboard.press("ArrowRight")


def toggle(page: Any, k: int) -> None:
    """Join two variables, or part them, in the editor."""
    view = page.locator('[data-component="step"]')
    if k == 0:
        view.get_by_role("button", name="Edit edges").click()
    for node in (2, 5):
        view.locator(f'[data-node="{node}"] .ring').click(force=True)


def turn(page: Any, k: int) -> None:
    """To the second step of a lesson, and back."""
    name = ("Next", "Back")[k % 2]
    page.locator(".way").get_by_role("button", name=name).click()


def undecided(page: Any, _: int) -> None:
    """Show the undecided pairs, or hide them again."""
    page.get_by_text("Show undecided pairs").click()


def evidence(page: Any, k: int) -> None:
    """Choose a state of another variable."""
    page.get_by_role("combobox", name="What is known of some variables").focus()
    page.keyboard.type(f"X{k + 2} =")
    page.get_by_role("option").first.wait_for()
    page.keyboard.press("Enter")


def sample(page: Any, k: int) -> None:
    """Choose another of the sample datasets."""
    name = ("Titanic", "Coronary")[k % 2]
    page.locator(".st-key-data-sample").get_by_text(name).first.click()


INTERACTIONS = (
    Interaction(
        "a settled step, to the counts behind it",
        "/step?graph=true&data=" + NETWORK,
        next_step,
        lambda k: f"location.search.includes('step={k + 1}') && {SHOWS}('The counts behind it')",
        SETTLE,
    ),
    Interaction(
        "another score of the graph",
        "/step?graph=true&data=" + NETWORK,
        radio("step-score", "IB-score", "MPL", "BJP"),
        shows("ln IB-score =", "ln MPL =", "ln BJP ="),
    ),
    Interaction(
        "another graph",
        "/step?data=" + NETWORK,
        radio("step-graph", "true", "empty"),
        lambda k: (
            f"location.search.includes('graph={('true', 'empty')[k % 2]}') && "
            f"{SHOWS}('{('of the true network', '0 edges')[k % 2]}')"
        ),
    ),
    Interaction(
        "an edge added or removed",
        "/step?graph=edited&data=" + NETWORK,
        toggle,
        lambda k: f"{SHOWS}({('1 edge edited', '0 edges edited')[k % 2]!r})",
    ),
    Interaction(
        "another step of a lesson",
        "/lessons?lesson=4",
        turn,
        lambda k: f"location.search.includes('step=2') === {('true', 'false')[k % 2]}",
    ),
    Interaction(
        "another table of the paper",
        "/accuracy?view=paper&table=2",
        radio("accuracy-paper", "3 · Scale-free", "2 · Hubs"),
        shows("Table 3:", "Table 2:"),
    ),
    Interaction(
        "another dataset",
        "/data?data=coronary",
        sample,
        lambda k: f"location.search === '?data={('titanic', 'coronary')[k % 2]}'",
    ),
    Interaction(
        "another search, learned afresh",
        "/climb?data=" + NETWORK,
        option("Hill climb, every pair"),
        lambda _: f"location.search.includes('search=hill-climb') && {SHOWS}('ln BJP =')",
        before=opened("climb-search"),
    ),
    Interaction(
        "another score compared with the climb, learned afresh",
        "/climb?data=" + NETWORK,
        option("Compare with: another score"),
        lambda _: f'{DEEP}(\'[data-component="duel"][data-charts="2"]\')',
        before=opened("climb-beside"),
    ),
    Interaction(
        "undecided pairs shown or hidden",
        "/network?data=" + NETWORK,
        undecided,
        lambda k: f"location.search.includes('undecided=1') === {('true', 'false')[k % 2]}",
    ),
    Interaction(
        "another piece of evidence in What if, 34 variables",
        "/network?given=0.1&data=net:karate:clique-log-weights:1000:{}",
        evidence,
        lambda k: (
            f"new URLSearchParams(location.search).get('given').split(',').length === {k + 2} && "
            f"{SHOWS}('this evidence')"
        ),
    ),
    Interaction(
        "edges compared with the truth",
        "/scores?data=" + NETWORK,
        radio("scores-compare", "the true network", "each other"),
        lambda k: f"location.search.includes('compare=truth') === {('true', 'false')[k % 2]}",
    ),
    Interaction(
        "all graphs ranked by another score",
        "/graphs?data=coronary",
        radio("graphs-score", "IB-score", "MPL", "BJP"),
        shows("IB-score’s hill climb", "MPL’s hill climb", "BJP’s hill climb"),
    ),
)
# Where a repeat must be on a sample that nobody has learned from.
ANEW = ("another search, learned afresh", "another score compared with the climb, learned afresh")


@contextmanager
def serving(script: str | Path = "app.py") -> Iterator[str]:
    """A new server of the app, or of another script; its URL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.headless=true"]
    command += [f"--server.port={port}", "--server.fileWatcherType=none"]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
        try:
            url = f"http://127.0.0.1:{port}"
            await_health(f"{url}/_stcore/health", process)
            yield url
        finally:
            process.terminate()
            process.wait(20)


def await_health(url: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until the server answers."""
    end = time.monotonic() + START
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - our own server
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise RuntimeError("The app did not start.")


def first_paint(
    browser: Any, url: str, name: str, drawn: str = "location.search"
) -> tuple[float, float]:
    """Seconds until a page's title is there, and until all of it is and the server rests."""
    context = browser.new_context(**CONTEXT)
    page = context.new_page()
    began = time.perf_counter()
    page.goto(f"{url}/{name}", wait_until="commit")
    page.wait_for_selector('[data-testid="stMain"] h1', timeout=60_000)
    painted = time.perf_counter() - began
    page.wait_for_function(f"{RESTS} && {STALE} && {drawn}", timeout=60_000)
    whole = time.perf_counter() - began
    context.close()
    return painted, whole


def bare_paints(browser: Any, script: str, drawn: str) -> list[tuple[float, float]]:
    """`first_paint` of a page of Streamlit alone, warm."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "bare.py")
        place.write_text(f"import streamlit as st\nst.title('Bare')\n{script}\n")
        with serving(place) as url:
            there = f"document.querySelector('{drawn}')"
            return [first_paint(browser, url, "", there) for _ in range(WARM + 1)][1:]


def answers(browser: Any, url: str, what: Interaction) -> list[tuple[float, float]]:
    """Of each repeat, seconds from the last press to the answer, and the server's part of them.

    The server's is the time from the first message sent to it until the last that came back.
    """
    taken, page, messages = [], None, list[float]()
    for k in range(REPEATS):
        anew = what.name in ANEW
        if page is None or anew:
            if page is not None:
                page.context.close()
            context = browser.new_context(**CONTEXT)
            context.add_init_script(PRESSED)
            page = context.new_page()
            wire = context.new_cdp_session(page)
            for event in ("Network.webSocketFrameSent", "Network.webSocketFrameReceived"):
                wire.on(event, lambda told: messages.append(told["timestamp"]))
            wire.send("Network.enable")
            page.goto(url + what.path.format(k + 1 if anew else 0))
            page.wait_for_function(f"{RESTS} && {STALE}", timeout=60_000)
            page.wait_for_timeout(1500)
        turn = 0 if anew else k
        what.before(page)
        messages.clear()
        what.act(page, turn)
        met = f"({what.done(turn)}) && {RESTS} && {STALE} && performance.now() - window.pressed"
        whole = page.wait_for_function(met, timeout=30_000).json_value() / 1000
        taken.append((whole - what.waits, max(messages) - min(messages)))
        page.wait_for_timeout(400)
    page.context.close()
    return taken


def p95(values: Sequence[float]) -> float:
    """The smallest value that 95 % don't exceed."""
    return sorted(values)[math.ceil(0.95 * len(values)) - 1]


def row(name: str, pairs: Sequence[tuple[float, float]]) -> str:
    """An interaction's line of the table."""
    values, server = zip(*pairs, strict=True)
    median, most = statistics.median(values), p95(values)
    met = "yes" if most <= ANSWER else ("median" if median <= ANSWER else "NO")
    figures = (median, most, statistics.median(server))
    return f"| {name} | {' | '.join(f'{value * 1000:.0f}' for value in figures)} | {met} |"


def measure(browser: Any) -> str:
    """Both tables, as Markdown."""
    cold: dict[str, list[tuple[float, float]]] = {name: [] for name in PAGES}
    for name in PAGES:
        for _ in range(COLD):
            with serving() as url:
                cold[name].append(first_paint(browser, url, name))
        print(f"{name}, cold: {cold[name][-1][1]:.2f} s", flush=True)
    with serving() as url:
        for name in PAGES:
            first_paint(browser, url, name)
        warm = {n: [first_paint(browser, url, n) for _ in range(WARM)] for n in PAGES}
        acted = {}
        for what in INTERACTIONS:
            acted[what.name] = answers(browser, url, what)
            print(row(what.name, acted[what.name]), flush=True)
    about = (
        "Seconds until a page shows its title, and until it is complete and the server idle, with "
        f"coronary (goal {PAINT:g} s). Warm: median and 95th percentile of {WARM} visits with an "
        f"empty browser cache; cold: median of {COLD} new servers."
    )
    lines = [
        about,
        "",
        "| page | title, warm | p95 | all, warm | p95 | title, cold | all, cold | goal met |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in PAGES:
        figures = []
        for part in (0, 1):
            values = [pair[part] for pair in warm[name]]
            figures += [statistics.median(values), p95(values)]
        figures += [statistics.median(pair[part] for pair in cold[name]) for part in (0, 1)]
        met = "yes" if max(figures) <= PAINT else ("warm" if max(figures[:4]) <= PAINT else "NO")
        lines.append(f"| {name} | {' | '.join(f'{v:.2f}' for v in figures)} | {met} |")
    for name, (script, drawn) in BARE.items():
        pairs = bare_paints(browser, script, drawn)
        parts = [figure(v) for v in zip(*pairs, strict=True) for figure in (statistics.median, p95)]
        lines.append(f"| {name} | {' | '.join(f'{v:.2f}' for v in parts)} | | | |")
    about = (
        f"Milliseconds from a press until the page shows the answer (goal {ANSWER * 1000:.0f} ms), "
        "with a sample of 64 variables on the pages that accept one: median and 95th percentile of "
        f"{REPEATS}, and the median of the server's part."
    )
    lines += [
        "",
        about,
        "",
        "| interaction | median | p95 | server | goal met |",
        "|---|---|---|---|---|",
    ]
    lines += [row(name, pairs) for name, pairs in acted.items()]
    return "\n".join(lines)


def main() -> int:
    """Measure, print and write the tables; 2 where there is no browser."""
    program = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if program is None:
        print("There is no Chromium; install Debian's package chromium, or Google Chrome.")
        return 2
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        text = measure(browser)
        browser.close()
    print(text)
    marked.write("performance.md", "pages", text)
    return 0
