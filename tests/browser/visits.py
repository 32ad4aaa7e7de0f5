"""What the browser tests do on a page. They wait for what the page shows, never for a time."""

import time
from contextlib import contextmanager
from functools import cache
from itertools import chain
from pathlib import Path

from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

import bjp_engine as bjp
from bjp_explorer.app import words
from bjp_explorer.shell import sources

expect.set_options(timeout=120_000)

DATASETS = Path(__file__).parents[2] / "sample_data" / "datasets"
LARGE = "net:scale-free-4:clique-log-weights:500:0"
PAGES = dict(chain.from_iterable(section.items() for section in words.PAGES.values()))
# The view that a page begins with.
COMPONENTS = {"start": "step", "step": "step", "climb": "climb"}
COMPONENTS |= dict.fromkeys(("network", "groups", "scores", "graphs"), "networks")
PROJECTOR = {"viewport": {"width": 1280, "height": 720}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
UPLOADER = '[data-testid="stFileUploader"] input[type="file"]'


@cache
def coronary():
    """The dataset that pages begin with."""
    return sources.load("coronary").data


@cache
def climb_of(method="bjp", search="ibmap-hc"):
    """What a search learns from coronary."""
    return bjp.learn(coronary(), method, search)


@cache
def score_of(method="bjp"):
    """A score of the graph that the paper's search learns from coronary."""
    return bjp.score(coronary(), climb_of().graph, method)


def open_page(page, name, data=None):
    """Open a page by its URL, with a dataset's token where one is given.

    *Groups*, which asks for a column, is given the first one.
    """
    query = [f"data={data}"] if data else []
    if name == "groups" and "by=" not in (data or ""):
        query.append("by=0")
    page.goto("/" + name.replace("start", "") + ("?" + "&".join(query) if query else ""))
    at_rest(page, name)


def open_view(page, name, data=None, view=None):
    """Open a page with the view that it begins with, or another one."""
    open_page(page, name, data)
    return view_of(page, view or COMPONENTS[name])


def follow(page, name):
    """Go to a page by the sidebar, which some pages fold."""
    unfold = page.get_by_test_id("stExpandSidebarButton")
    if unfold.is_visible():
        unfold.click()
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=PAGES[name]).click()
    at_rest(page, name)


def at_rest(page, name):
    """Wait until a page's script has run to its end."""
    heading = "BJP Explorer" if name == "start" else PAGES[name]
    expect(page.get_by_role("heading", name=heading, exact=True, level=1)).to_be_visible()
    rest(page)


def rest(page):
    resting = page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]')
    expect(resting).to_be_attached()
    expect(page.locator('[data-stale="true"]')).to_have_count(0)


@contextmanager
def running(page):
    """Wait until the script that is started meanwhile has run, by what the server sends at its end.

    A page rests for a moment after a click, too, until the server has begun to answer it.
    """
    with page.socket.expect_event("framereceived", is_end_of_script, timeout=120_000):
        yield
    frames(page, 2)
    rest(page)


def is_end_of_script(frame):
    message = ForwardMsg.FromString(frame)
    return (
        message.WhichOneof("type") == "script_finished"
        and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
    )


def view_of(page, name):
    """The component of that name, once it is there."""
    found = page.locator(f'[data-component="{name}"]')
    expect(found.first).to_be_visible()
    return found


def take_keys(view):
    """Click where nothing happens, so that the keys are the component's."""
    view.locator("h3").first.click()


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def at_step(view, step):
    """Wait until a component's player stands at a step."""
    expect(view).to_have_attribute("data-step", str(step))


def at_place(view, place):
    """Wait until lessons or questions have come to a place."""
    expect(view).to_have_attribute("data-at", str(place))


def metric(view, name):
    return view.locator(f'[data-metric="{name}"] .value')


def click_edge(page, view, i, j):
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


def option_of(page, key, option):
    return page.locator(f".st-key-{key}").get_by_role("radio", name=option, exact=True)


def choose(page, key, option):
    """Choose another option of the segmented control with that key."""
    with running(page):
        option_of(page, key, option).click()


def choose_from_list(page, key, option):
    """Choose another option of the drop-down list with that key."""
    page.locator(f".st-key-{key}").get_by_role("combobox").click()
    with running(page):
        page.get_by_role("option", name=option).click()


def give_file(page, file):
    """Give the Data page a file, and wait until it is the page's dataset."""
    page.goto("/data?from=file")
    at_rest(page, "data")
    page.locator(UPLOADER).set_input_files(file)
    expect(page.get_by_test_id("stSidebar")).to_contain_text(file.stem)
    page.wait_for_url("**/data?data=file:*")
    rest(page)


def save(page, button):
    """Press a button that downloads a file: its name, and what it holds."""
    with page.expect_download() as coming:
        button.click()
    return coming.value.suggested_filename, Path(coming.value.path()).read_bytes()


def save_as(page, *formats):
    """Download files in several formats from a page's list of them."""
    page.get_by_test_id("stPopoverButton").filter(has_text="Download").first.click()
    return {each: save(page, page.get_by_role("button", name=each, exact=True)) for each in formats}


def sent_by(page):
    """What the page sends to the server, from the next page on that is opened in it."""
    sent = []

    def note(frame):
        sent.append(frame)

    page.on("websocket", lambda socket: socket.on("framesent", note))
    return sent


def eventually(page, check):
    """Wait until a check passes that is more than a locator can express."""
    end = time.monotonic() + 120
    while True:
        try:
            return check()
        except AssertionError:
            if time.monotonic() > end:
                raise
        page.wait_for_timeout(100)


def assert_fits(page):
    """Wait until nothing is wider than the window; tables that were drawn are laid out again."""

    def fits():
        for scrolled in page.locator('html, [data-testid="stMain"]').all():
            assert scrolled.evaluate("e => e.scrollWidth - e.clientWidth") <= 0

    eventually(page, fits)


def frames(page, amount):
    page.evaluate(
        """amount => new Promise(done => {
            const next = left => left ? requestAnimationFrame(() => next(left - 1)) : done();
            next(amount);
        })""",
        amount,
    )


def positions(view):
    """Where the nodes of a network stand."""
    nodes = view.locator("[data-node]")
    return nodes.evaluate_all("nodes => nodes.map(node => node.getAttribute('transform'))")


def edges_of(view):
    """The edges as drawn, with their tones."""
    edges = view.locator("[data-edge]").evaluate_all(
        "e => e.map(({ dataset }) => ({ ...dataset }))"
    )
    return {tuple(map(int, e["edge"].split("-"))): set(e["tone"].split()) for e in edges}


def ends_of(graph, data):
    """The edges of a graph, each as a pair of columns in ascending order."""
    return {pair_of(edge, data) for edge in graph.edges}


def pair_of(edge, data):
    """The two columns of an edge in ascending order."""
    return tuple(sorted(map(data.index, edge)))


def figure(text):
    """A number as it is written on a page."""
    return float(text.replace("−", "-").replace(",", ""))
