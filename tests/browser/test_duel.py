"""Watch the climb, two of them: in step on one timeline, drawn on one layout."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

import bjp_engine as bjp
from bjp_engine.search import PUBLISHED, SearchTrace
from tests.browser.conftest import SlowServer
from tests.browser.visits import (
    RESTING,
    ROOT,
    at_step,
    choose,
    figure,
    frames,
    open_page,
    positions,
    take_keys,
    view_of,
)

DATA = bjp.read_table(ROOT / "sample_data" / "datasets" / "coronary.csv")
KARATE = "net:karate:log-odds:1000:0"
LARGE = "net:adj-noun:log-odds:10000:1"
# A path that draws something.
PATH = re.compile(r"^M[\d.]+ [\d.]+L")
# More steps than one.
SOME = re.compile(r"^([2-9]|\d\d+)$")
Edges = set[tuple[int, int]]


def graphs(trace: SearchTrace, data: bjp.Dataset = DATA) -> list[Edges]:
    """The edges after each of a climb's flips, its refused proposal as one that changes nothing."""
    start = {tuple(sorted(map(data.index, edge))) for edge in trace.start.edges}
    found = [start]
    for step in trace.steps:
        if step.phase != "blanket":
            found.append(found[-1] ^ {tuple(sorted(map(data.index, step.edge)))})
    return [*found, found[-1]] if trace.rejected is not None else found


def side(view: Locator, name: str) -> Locator:
    """One of the two climbs."""
    return view.locator(f'[data-side="{name}"]')


def drawn(place: Locator) -> dict[tuple[int, int], set[str]]:
    """The edges as drawn, with their marks."""
    edges = place.locator(".edge").evaluate_all("e => e.map(({ dataset }) => ({ ...dataset }))")
    return {tuple(map(int, e["edge"].split("-"))): set(e["tone"].split()) for e in edges}


def check(view: Locator, ours: Edges, theirs: Edges) -> None:
    """Both graphs, and the marks of what only one of them has."""
    for name, here, there in (("first", ours, theirs), ("second", theirs, ours)):
        marks = drawn(side(view, name))
        assert {e for e, tones in marks.items() if tones & {"both", "only"}} == here
        assert {e for e, tones in marks.items() if "both" in tones} == here & there
        assert {e for e, tones in marks.items() if "only" in tones} == here - there
        other = {e for e, tones in marks.items() if tones & {"missing", "removed"}}
        assert there - here <= other


def test_two_scores_go_in_step_and_the_shorter_waits(page: Page) -> None:
    open_page(page, "climb", data="coronary&beside=score")
    view = view_of(page, "duel")
    first, second = bjp.learn(DATA, search="ibmap-hc"), bjp.learn(DATA, "ib", search="ibmap-hc")
    ours, theirs = graphs(first), graphs(second)
    assert len(ours) != len(theirs)
    last = max(len(ours), len(theirs)) - 1
    expect(view).to_have_attribute("data-steps", str(last))
    # Different scores have no common axis.
    expect(view).to_have_attribute("data-charts", "2")
    expect(view.locator(".chart:visible")).to_have_count(2)
    places = [positions(side(view, name)) for name in ("first", "second")]
    assert places[0] == places[1]
    take_keys(view)
    page.keyboard.press("Home")
    for k in range(last + 1):
        at_step(view, k)
        at = [min(k, len(ours) - 1), min(k, len(theirs) - 1)]
        for name, there in zip(("first", "second"), at, strict=True):
            assert side(view, name).get_attribute("data-step") == str(there)
        check(view, ours[at[0]], theirs[at[1]])
        if k == 1:
            # What is added has the colour of the legend, whether both graphs have it or not.
            pink = view.locator(".swatch.line-added").evaluate(
                "e => getComputedStyle(e).borderTopColor"
            )
            added = view.locator('.edge[data-tone~="added"] .ink').first
            expect(added).to_have_css("stroke", pink)
        page.keyboard.press("ArrowRight")
    assert [positions(side(view, name)) for name in ("first", "second")] == places
    # A proposal that was refused is no flip.
    where, flips = view.locator(".where"), max(len(first.steps), len(second.steps))
    expect(where).to_have_text("rejected proposal")
    page.keyboard.press("ArrowLeft")
    expect(where).to_have_text(f"flip {flips} of {flips}")
    page.keyboard.press("ArrowRight")
    short = "first" if len(ours) < len(theirs) else "second"
    expect(side(view, short).locator(".proposal")).to_contain_text("This climb ends here.")
    for name, trace in (("first", first), ("second", second)):
        value = side(view, name).locator('[data-metric="score"] .value').inner_text()
        assert figure(value) == pytest.approx(trace.score, abs=5e-4)


def test_the_same_score_has_one_axis(page: Page) -> None:
    open_page(page, "climb", data=f"{KARATE}&beside=search&beside-search=hill-climb")
    view = view_of(page, "duel")
    expect(view).to_have_attribute("data-charts", "1")
    expect(view.locator(".chart:visible")).to_have_count(1)
    lines = view.locator(".chart:visible .line[data-dash]")
    expect(lines).to_have_count(2)
    for k, (dash, score) in enumerate((("solid", "bjp"), ("dash", None))):
        expect(lines.nth(k)).to_have_attribute("d", PATH)
        expect(lines.nth(k)).to_have_attribute("data-dash", dash)
        assert lines.nth(k).get_attribute("data-score") == score
    take_keys(view)
    page.keyboard.press("End")
    # Where the second stands is marked in another shape than where the first does.
    expect(view.locator('.chart:visible .marker[data-symbol="circle"]')).to_be_visible()
    expect(view.locator('.chart:visible .marker[data-symbol="square"]')).to_be_visible()
    for name in ("first", "second"):
        expect(side(view, name).locator('[data-metric="hamming"]')).to_be_visible()
    # A climb with more figures below its graph has the same places in it.
    page.keyboard.press("Home")
    at_step(view, 0)
    places = [positions(side(view, name)) for name in ("first", "second")]
    page.keyboard.press("End")
    assert [positions(side(view, name)) for name in ("first", "second")] == places
    assert places[0] == places[1]
    view.get_by_label("compare with the truth").check()
    tones = set().union(*drawn(side(view, "first")).values())
    assert tones <= {"tp", "fp", "missing", "added", "removed"}


def test_in_step_by_tests_made(page: Page) -> None:
    open_page(page, "climb", data="coronary&beside=score&by=tests")
    view = view_of(page, "duel")
    traces = [bjp.learn(DATA, method, PUBLISHED[method]) for method in ("bjp", "ib")]
    made = [
        [0, *(s.tests for s in t.steps), *([t.rejected.tests] if t.rejected else [])]
        for t in traces
    ]
    ticks = sorted(set(made[0] + made[1]))
    expect(view).to_have_attribute("data-steps", str(len(ticks) - 1))
    take_keys(view)
    page.keyboard.press("Home")
    for k, tests in enumerate(ticks):
        at_step(view, k)
        expect(view.locator(".where")).to_have_text(f"tests {tests} of {ticks[-1]}")
        for name, own in zip(("first", "second"), made, strict=True):
            step = bisect_right(own, tests) - 1
            assert side(view, name).get_attribute("data-step") == str(step)
        page.keyboard.press("ArrowRight")


def test_while_two_play_no_word_goes_to_the_server(new_page: Callable[..., Page]) -> None:
    page, sent = new_page(), []
    page.on("websocket", lambda socket: socket.on("framesent", lambda _: sent.append("frame")))
    open_page(page, "climb", data=f"{KARATE}&beside=paper&search=hill-climb&score=mpl")
    open_page(page, "climb", data=f"{KARATE}&beside=score&search=hill-climb")
    view = view_of(page, "duel")
    last = view.get_attribute("data-steps")
    view.get_by_label("Speed").select_option("30")
    take_keys(view)
    frames(page, 30)
    sent.clear()
    page.keyboard.press("Space")
    expect(view).to_have_attribute("data-playing", "true")
    expect(view).not_to_have_attribute("data-step", "0")
    assert not sent
    at_step(view, int(last))
    expect(view).to_have_attribute("data-playing", "false")
    page.wait_for_url(f"**/climb?*step={last}")
    assert sent


def test_two_running_climbs_are_followed_and_cancelled(
    slow_server: SlowServer, new_page: Callable[..., Page]
) -> None:
    page = new_page(at=slow_server)
    open_page(page, "climb", data=LARGE)
    expect(page.get_by_text("ln BJP =")).to_be_visible()
    slow_server.slow_down()
    page.goto(f"/climb?data={LARGE}&score=ib&beside=search&beside-search=hill-climb&step=2")
    view = view_of(page, "duel")
    cancels = page.get_by_role("button", name="Cancel")
    expect(cancels).to_have_count(2)
    expect(view.get_by_title("Follow the run")).to_be_visible()
    for name in ("first", "second"):
        expect(side(view, name)).to_have_attribute("data-step", SOME)
    reached = int(view.get_attribute("data-steps"))
    expect(view).not_to_have_attribute("data-steps", str(reached))
    assert view.evaluate("({ dataset }) => dataset.step === dataset.steps")
    cancels.last.click()
    expect(cancels).to_have_count(1)
    cancels.first.click()
    expect(cancels).to_have_count(0)
    expect(page.get_by_text("was cancelled.")).to_have_count(2)
    # The link asked for a step of climbs that had to run first.
    at_step(view, 2)
    expect(page.locator(RESTING)).to_be_attached()


def test_on_a_narrow_screen_they_are_stacked(new_page: Callable[..., Page]) -> None:
    page = new_page(viewport={"width": 390, "height": 844})
    open_page(page, "climb", data="coronary&beside=score")
    view = view_of(page, "duel")
    first, second = (side(view, name).bounding_box() for name in ("first", "second"))
    assert second["y"] >= first["y"] + first["height"]
    for box in (first, second):
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_what_is_beside_is_chosen_on_the_page(page: Page) -> None:
    open_page(page, "climb")
    view_of(page, "climb")
    page.locator(".st-key-climb-beside").get_by_role("combobox").click()
    page.get_by_role("option", name="Compare with: another score").click()
    view = view_of(page, "duel")
    choose(page, "climb-beside-score", "MPL")
    expect(side(view, "second").locator(".of")).to_contain_text("MPL by MPL hill climb")
    expect(view.get_by_role("img", name="Score of the second climb")).to_be_visible()
    expect(page.locator('[data-component="climb"]')).to_have_count(0)
    # Another search is another one from the beginning.
    open_page(page, "climb", data="coronary&beside=search")
    first, second = (side(view, name).locator(".of").inner_text() for name in ("first", "second"))
    assert first != second
