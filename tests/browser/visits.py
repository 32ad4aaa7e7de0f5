"""What the browser tests do on a page. They wait for what the page shows, never for a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

import bjp_engine as bjp
from bjp_explorer.shell import sources

expect.set_options(timeout=120_000)

ROOT = Path(__file__).parents[2]
DATASETS = ROOT / "sample_data" / "datasets"
LARGE = "net:scale-free-4:clique-log-weights:500:0"
PAGES = {
    "start": "Start",
    "data": "Data",
    "network": "Your network",
    "groups": "Groups",
    "lessons": "Lessons",
    "practice": "Practice",
    "step": "Step through the score",
    "climb": "Watch the climb",
    "scores": "Scores side by side",
    "graphs": "All graphs",
    "accuracy": "How good is it?",
    "reproduce": "Reproduce the paper",
    "method": "About the method",
}
# The first page is the one at the root, and has the app's name for its heading.
PATHS = {name: f"/{name}" for name in PAGES} | {"start": "/"}
HEADINGS = PAGES | {"start": "BJP Explorer"}
# The view that a page begins with.
COMPONENTS = {
    "start": "step",
    "network": "networks",
    "groups": "networks",
    "step": "step",
    "climb": "climb",
    "scores": "networks",
    "graphs": "networks",
}
PROJECTOR = {"viewport": {"width": 1280, "height": 720}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
RESTING = '[data-testid="stApp"][data-test-script-state="notRunning"]'
# The lecture panel on every page has a box for a file of its own.
UPLOADER = '[data-testid="stFileUploader"] input[type="file"]'
# Names that would be markup, formulas or programs wherever they weren't taken for text.
HOSTILE = (
    "<script>hacked()</script>",
    "</script><script>hacked()</script>",
    '" onload="hacked()',
    "<svg onload=hacked()>",
    "<img src=hacked onerror=a>",
    "=cmd|' /C hacked'!A0",
    "$\\href{javascript:hacked()}{x}$",
    "javascript:hacked()",
    "a\u202ehacked.exe",
    "</style><img src=//hacked.test/x onerror=hacked()>",
    "[x](//hacked.test)",
    "![a](//hacked.test/a.png)",
    ":material/hacked: :red[hacked]",
    "hacked" * 1700,
    "größe 日本",
)
# Elements, attributes and addresses that could only come from a name that was taken for markup.
INTRUDERS = r"""() => {
  const found = [];
  const active = ({ name, value }) => /^on/.test(name)
    || (/^(xlink:)?(href|src|srcdoc|action)$/.test(name) && /hacked/.test(value));
  const walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      const script = element.localName === "script" && /^\s*hacked/.test(element.textContent);
      if (script || [...element.attributes].some(active)) found.push(element.outerHTML);
      if (element.shadowRoot) walk(element.shadowRoot);
    }
  };
  walk(document);
  return found;
}"""


@cache
def coronary() -> bjp.Dataset:
    """The dataset that pages begin with."""
    return sources.load("coronary").data


@cache
def climb_of(method: str = "bjp", search: str = "ibmap-hc") -> bjp.search.SearchTrace:
    """What a search learns from coronary."""
    return bjp.learn(coronary(), method, search)


@cache
def score_of(method: str = "bjp") -> bjp.scores.ScoreTrace:
    """A score of the graph that the paper's search learns from coronary."""
    return bjp.score(coronary(), climb_of().graph, method)


def open_page(page: Page, name: str, data: str | None = None) -> None:
    """Open a page by its URL, with a dataset's token where one is given."""
    page.goto(PATHS[name] + (f"?data={data}" if data else ""))
    at_rest(page, name)


def open_view(page: Page, name: str, data: str | None = None, view: str | None = None) -> Locator:
    """Open a page with the view that it begins with, or another one."""
    open_page(page, name, data)
    return view_of(page, view or COMPONENTS[name])


def follow(page: Page, name: str) -> None:
    """Go to a page by the sidebar, which some pages fold."""
    unfold = page.get_by_test_id("stExpandSidebarButton")
    if unfold.is_visible():
        unfold.click()
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=PAGES[name]).click()
    at_rest(page, name)


def at_rest(page: Page, name: str) -> None:
    """Wait until a page's script has run to its end."""
    expect(page.get_by_role("heading", name=HEADINGS[name], exact=True, level=1)).to_be_visible()
    rest(page)


def rest(page: Page) -> None:
    """Wait until no script runs."""
    expect(page.locator(RESTING)).to_be_attached()
    expect(page.locator('[data-stale="true"]')).to_have_count(0)


@contextmanager
def running(page: Page) -> Iterator[None]:
    """Wait until the script that is started meanwhile has run, by what the server sends at its end.

    A page rests for a moment after a click, too, until the server has begun to answer it.
    """
    with page.socket.expect_event("framereceived", is_end_of_script, timeout=120_000):
        yield
    frames(page, 2)
    rest(page)


def is_end_of_script(frame: str | bytes) -> bool:
    """Whether a message of the server says that a script has run to its end."""
    assert isinstance(frame, bytes)
    message = ForwardMsg.FromString(frame)
    return (
        message.WhichOneof("type") == "script_finished"
        and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
    )


def view_of(page: Page, name: str) -> Locator:
    """The component of that name, once it is there."""
    found = page.locator(f'[data-component="{name}"]')
    expect(found.first).to_be_visible()
    return found


def take_keys(view: Locator) -> None:
    """Click where nothing happens, so that the keys are the component's."""
    view.locator("h3").first.click()


def press(page: Page, *keys: str) -> None:
    """Press keys one after another."""
    for key in keys:
        page.keyboard.press(key)


def at_step(view: Locator, step: int) -> None:
    """Wait until a component's player stands at a step."""
    expect(view).to_have_attribute("data-step", str(step))


def at_place(view: Locator, place: int | str) -> None:
    """Wait until lessons or questions have come to a place."""
    expect(view).to_have_attribute("data-at", str(place))


def metric(view: Locator, name: str) -> Locator:
    """The value of one of a component's key numbers."""
    return view.locator(f'[data-metric="{name}"] .value')


def click_edge(page: Page, view: Locator, i: int, j: int) -> None:
    """Click an edge at a third of its length, where neither a label nor another edge lies."""
    line = view.locator(f'[data-edge="{i}-{j}"] .hit')
    x, y = line.evaluate(
        """line => {
            line.scrollIntoView({block: "center"});
            const [a, b] = [line.getPointAtLength(0), line.getPointAtLength(line.getTotalLength())];
            const at = new DOMPoint((2 * a.x + b.x) / 3, (2 * a.y + b.y) / 3);
            const {x, y} = at.matrixTransform(line.getScreenCTM());
            return [x, y];
        }"""
    )
    page.mouse.click(x, y)


def option_of(page: Page, key: str, option: str) -> Locator:
    """An option of the segmented control with that key."""
    return page.locator(f".st-key-{key}").get_by_role("radio", name=option, exact=True)


def choose(page: Page, key: str, option: str) -> None:
    """Choose another option of the segmented control with that key."""
    with running(page):
        option_of(page, key, option).click()


def choose_from_list(page: Page, key: str, option: str) -> None:
    """Choose another option of the drop-down list with that key."""
    page.locator(f".st-key-{key}").get_by_role("combobox").click()
    with running(page):
        page.get_by_role("option", name=option).click()


def give_file(page: Page, file: Path) -> None:
    """Give the Data page a file, and wait until it is the page's dataset."""
    page.goto("/data?from=file")
    at_rest(page, "data")
    page.locator(UPLOADER).set_input_files(file)
    expect(page.get_by_test_id("stSidebar")).to_contain_text(file.stem)
    page.wait_for_url("**/data?data=file:*")
    rest(page)


def save(page: Page, button: Locator) -> tuple[str, bytes]:
    """Press a button that downloads a file: its name, and what it holds."""
    with page.expect_download() as coming:
        button.click()
    return coming.value.suggested_filename, Path(coming.value.path()).read_bytes()


def save_as(page: Page, *formats: str) -> dict[str, tuple[str, bytes]]:
    """Download files in several formats from a page's list of them."""
    page.get_by_test_id("stPopoverButton").filter(has_text="Download").first.click()
    return {each: save(page, page.get_by_role("button", name=each, exact=True)) for each in formats}


def sent_by(page: Page) -> list[Any]:
    """What the page sends to the server, from the next page on that is opened in it."""
    sent: list[Any] = []

    def note(frame: Any) -> None:
        sent.append(frame)

    page.on("websocket", lambda socket: socket.on("framesent", note))
    return sent


def eventually(page: Page, check: Callable[[], None]) -> None:
    """Wait until a check passes that is more than a locator can express."""
    end = time.monotonic() + 120
    while True:
        try:
            return check()
        except AssertionError:
            if time.monotonic() > end:
                raise
        page.wait_for_timeout(100)


def assert_fits(page: Page) -> None:
    """Wait until nothing is wider than the window; tables that were drawn are laid out again."""

    def fits() -> None:
        for frame in page.locator('html, [data-testid="stMain"]').all():
            assert frame.evaluate("e => e.scrollWidth - e.clientWidth") <= 0

    eventually(page, fits)


def frames(page: Page, amount: int) -> None:
    """Let the browser draw that many frames."""
    page.evaluate(
        """amount => new Promise(done => {
            const next = left => left ? requestAnimationFrame(() => next(left - 1)) : done();
            next(amount);
        })""",
        amount,
    )


def positions(view: Locator) -> list[Any]:
    """Where the nodes of a network stand."""
    nodes = view.locator("[data-node]")
    return nodes.evaluate_all("nodes => nodes.map(node => node.getAttribute('transform'))")


def edges_of(view: Locator) -> dict[tuple[int, int], set[str]]:
    """The edges as drawn, with their tones."""
    edges = view.locator(".edge").evaluate_all("e => e.map(({ dataset }) => ({ ...dataset }))")
    return {tuple(map(int, e["edge"].split("-"))): set(e["tone"].split()) for e in edges}


def ends_of(graph: Any, data: bjp.Dataset) -> set[tuple[int, int]]:
    """The edges of a graph, each as a pair of columns in ascending order."""
    return {pair_of(edge, data) for edge in graph.edges}


def pair_of(edge: Any, data: bjp.Dataset) -> tuple[int, int]:
    """The two columns of an edge in ascending order."""
    i, j = sorted(map(data.index, edge))
    return i, j


def figure(text: str) -> float:
    """A number as it is written on a page."""
    return float(text.replace("−", "-").replace(",", ""))
