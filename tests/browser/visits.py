"""What the browser tests do on a page. They wait for what the page says, never for a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

expect.set_options(timeout=120_000)

ROOT = Path(__file__).parents[2]
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
RESTING = '[data-testid="stApp"][data-test-script-state="notRunning"]'
# The lecture panel on every page has a box for a file of its own.
UPLOADER = '[data-testid="stFileUploader"] input[type="file"]'
# Notes when the script begins to run; what chooses the present option again runs nothing.
WATCH_RUN = """() => {
    const app = document.querySelector('[data-testid="stApp"]');
    window.begun = new Promise(done => new MutationObserver((_, watch) => {
        if (app.dataset.testScriptState === "notRunning") return;
        watch.disconnect();
        done();
    }).observe(app, { attributes: true }));
}"""
AWAIT_RUN = "() => Promise.race([window.begun, new Promise(done => setTimeout(done, 5000))])"


def open_page(page: Page, name: str, data: str | None = None) -> None:
    """Open a page by its URL, with a dataset's token where one is given."""
    page.goto(PATHS[name] + (f"?data={data}" if data else ""))
    at_rest(page, name)


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
    expect(page.locator(RESTING)).to_be_attached()
    expect(page.locator('[data-stale="true"]')).to_have_count(0)


def view_of(page: Page, name: str) -> Locator:
    """The component of that name, once it is there."""
    found = page.locator(f'[data-component="{name}"]')
    expect(found.first).to_be_visible()
    return found


def take_keys(view: Locator) -> None:
    """Click where nothing happens, so that the keys are the component's."""
    view.locator("h3").first.click()


def at_step(view: Locator, step: int) -> None:
    """Wait until a component's player stands at a step."""
    expect(view).to_have_attribute("data-step", str(step))


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


def choose(page: Page, key: str, option: str) -> None:
    """Press one option of the segmented control with that key."""
    with running(page):
        page.locator(f".st-key-{key}").get_by_role("radio", name=option, exact=True).click()


@contextmanager
def running(page: Page) -> Iterator[None]:
    """Wait until the script has run because of what is done meanwhile.

    A page rests for a moment after a click, too, until the server has begun to answer it.
    """
    page.evaluate(WATCH_RUN)
    yield
    page.evaluate(AWAIT_RUN)
    expect(page.locator(RESTING)).to_be_attached()


def selected(page: Page, key: str) -> str:
    """The option of a segmented control that is pressed."""
    return page.locator(f".st-key-{key}").get_by_role("radio", checked=True).inner_text()


def click_until(cell: Locator, shown: Locator) -> None:
    """Click a cell until what it leads to is there: cells slide when the score changes."""
    for _ in range(3):
        cell.click()
        try:
            expect(shown).to_be_visible(timeout=20_000)
        except AssertionError:
            continue
        return
    raise AssertionError(f"{cell} led nowhere")


def give_file(page: Page, file: Path) -> None:
    """Give the Data page a file."""
    page.get_by_role("radio", name="Your own file").click()
    page.locator(UPLOADER).set_input_files(file)
    page.wait_for_url("**/data?data=file:*")


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


def figure(text: str) -> float:
    """A number as it is written on a page."""
    return float(text.replace("−", "-").replace(",", ""))
