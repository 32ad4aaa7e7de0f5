"""Watch the climb: the player over a finished search."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import bjp_engine as bjp
from bjp_engine.search import PUBLISHED
from bjp_explorer.jobs.flips import MOST
from bjp_explorer.shell import sources
from tests.browser.conftest import SlowServer
from tests.browser.visits import (
    ROOT,
    at_rest,
    at_step,
    choose,
    figure,
    frames,
    metric,
    open_page,
    positions,
    running,
    take_keys,
    view_of,
)

DATA = bjp.read_table(ROOT / "sample_data" / "datasets" / "coronary.csv")
CLIMB = bjp.learn(DATA, search="ibmap-hc")
MADE = len(CLIMB.steps)
NETWORK = "net:karate:log-odds:2000:0"
# The IB-score makes a hundred flips on these.
LARGE = "net:adj-noun:log-odds:10000:1"
# Annealing makes some thousand flips on these.
LONG = "net:hub-2:log-odds:200:0"
ONE_DIGIT, TWO_DIGITS = re.compile(r"^\d$"), re.compile(r"^\d\d$")


def drawn(view: Locator) -> set[tuple[int, int]]:
    """The edges of the graph as drawn, without those just removed or missing."""
    edges = view.locator(".edge").evaluate_all("e => e.map(({ dataset }) => ({ ...dataset }))")
    there = [edge for edge in edges if edge["tone"] not in ("removed", "missing")]
    return {tuple(map(int, edge["edge"].split("-"))) for edge in there}


def choose_search(page: Page, title: str) -> None:
    """Choose another search from the list."""
    page.locator(".st-key-climb-search").get_by_role("combobox").click()
    with running(page):
        page.get_by_role("option", name=title).click()


def flips(view: Locator) -> Locator:
    """The rows of the table of flips."""
    return view.locator("table.flips tbody tr")


def test_every_step_shows_the_engines_numbers(page: Page) -> None:
    open_page(page, "climb")
    view = view_of(page, "climb")
    expect(view).to_have_attribute("data-steps", str(MADE + 1))
    take_keys(view)
    page.keyboard.press("Home")
    at_step(view, 0)
    assert drawn(view) == set()
    assert figure(metric(view, "score").inner_text()) == pytest.approx(CLIMB.start_score, abs=5e-3)
    places, edges = positions(view), set()
    for k, step in enumerate(CLIMB.steps, start=1):
        page.keyboard.press("ArrowRight")
        at_step(view, k)
        edges ^= {tuple(sorted(map(DATA.index, step.edge)))}
        assert drawn(view) == edges
        assert figure(metric(view, "score").inner_text()) == pytest.approx(step.score, abs=5e-4)
        cells = view.locator("table.flips [aria-current]").get_by_role("cell").all_inner_texts()
        assert figure(cells[2]) == pytest.approx(step.gain, abs=5e-3)
        lowest = view.locator("table.lowest tbody tr:not([hidden])")
        coming = (*CLIMB.steps, CLIMB.rejected)[k].contributions
        values = [figure(text) for text in lowest.locator("td:last-child").all_inner_texts()]
        assert values == pytest.approx([c.value for c in coming], rel=2e-5, abs=5e-5)
    assert positions(view) == places
    assert edges == {tuple(sorted(map(DATA.index, edge))) for edge in CLIMB.graph.edges}


def test_every_score_is_where_the_axis_has_it(page: Page) -> None:
    open_page(page, "climb")
    view = view_of(page, "climb")
    chart = view.locator(".card.score svg.chart")
    # The first edge is worth more than all others together.
    expect(chart).to_have_attribute("data-scale", "log")
    expect(chart.locator(".scale-note")).to_have_text("logarithmic scale")
    scores = [CLIMB.start_score, *(step.score for step in CLIMB.steps)]
    for scale in ("log", "linear"):
        marks = chart.locator(".grid [data-value]").evaluate_all(
            "gs => gs.map(g => [Number(g.dataset.value), Number(g.firstChild.getAttribute('y1'))])"
        )
        texts = chart.locator(".grid [data-value] text").all_text_contents()
        assert [figure(text) for text in texts] == [value for value, _ in marks]
        line = chart.locator(".line").get_attribute("d")
        heights = [float(point.split(" ")[1]) for point in re.split("[ML]", line)[1:]]
        values = [-math.log10(-v) if scale == "log" else v for v, _ in marks]
        slope, shift = np.polyfit(values, [y for _, y in marks], 1)
        drawn_at = [-math.log10(-v) if scale == "log" else v for v in scores]
        assert heights == pytest.approx([slope * v + shift for v in drawn_at], abs=0.2)
        if scale == "log":
            view.get_by_role("button", name="linear scale").click()
            expect(chart).to_have_attribute("data-scale", "linear")
    expect(chart.locator(".scale-note")).to_have_count(0)


def test_climb_and_duel_fill_the_screen(page: Page) -> None:
    for name, data in (("climb", "coronary"), ("duel", "coronary&beside=score")):
        open_page(page, "climb", data=data)
        view = view_of(page, name)
        size = "e => parseFloat(getComputedStyle(e).fontSize)"
        before = view.locator(".label").first.evaluate(size)
        view.get_by_label("Fill the screen (f)").click()
        expect(view).to_have_attribute("data-filling", "")
        expect(view.locator(".label").first).not_to_have_css("font-size", f"{before:g}px")
        for text in (".label", ".chart .grid text"):
            for letters in view.locator(text).evaluate_all(f"all => all.map({size})"):
                assert letters > 12
        # Graph, chart and player are all to be seen.
        stage = view.locator(".stage").bounding_box()
        assert stage["height"] <= 1000
        page.keyboard.press("f")
        expect(view).not_to_have_attribute("data-filling", "")


def test_at_1280_by_720_graph_chart_and_player_are_in_sight(new_page: Callable[..., Any]) -> None:
    page = new_page(viewport={"width": 1280, "height": 720})
    for name, data in (("climb", "coronary"), ("duel", "coronary&beside=score")):
        open_page(page, "climb", data=data)
        view = view_of(page, name)
        for part in (".card.graph .net", ".chart:visible", ".player"):
            for box in view.locator(part).all():
                place = box.bounding_box()
                assert place["y"] + place["height"] <= 720


def test_the_end_shows_the_refused_proposal_and_the_reason(page: Page) -> None:
    open_page(page, "climb")
    view = view_of(page, "climb")
    take_keys(view)
    page.keyboard.press("End")
    at_step(view, MADE + 1)
    expect(view.locator('[data-metric="stop"]')).to_contain_text(str(CLIMB.stop_reason))
    expect(view.locator(".where")).to_have_text("rejected proposal")
    row = flips(view).last
    expect(row).to_contain_text("rejected")
    expect(row).to_have_attribute("aria-current", "true")
    cells = row.get_by_role("cell").all_inner_texts()
    assert figure(cells[2]) == pytest.approx(CLIMB.rejected.gain, abs=5e-3)
    assert figure(cells[3]) == pytest.approx(CLIMB.rejected.score, abs=5e-4)
    told = page.get_by_text("It was refused, and the climb ended because")
    expect(told).to_contain_text(str(CLIMB.stop_reason))


def test_a_search_without_flips_promises_no_proposal(page: Page) -> None:
    page.goto("/climb?data=coronary&search=exact&score=ib")
    at_rest(page, "climb")
    view = view_of(page, "climb")
    expect(view).to_be_visible()
    expect(view.get_by_text("the first is the next proposal")).to_have_count(0)
    expect(view.get_by_text("next proposal", exact=True)).to_have_count(0)


def test_scrubbing_and_jumping(page: Page) -> None:
    open_page(page, "climb")
    view = view_of(page, "climb")
    view.get_by_label("Step", exact=True).fill("3")
    at_step(view, 3)
    assert len(drawn(view)) == 3
    view.get_by_title("Previous step (←)").click()
    at_step(view, 2)
    view.get_by_title("Next step (→)").click()
    at_step(view, 3)
    flips(view).nth(4).get_by_role("button").click()
    at_step(view, 5)
    view.get_by_title("First step (Home)").click()
    at_step(view, 0)
    expect(view.get_by_title("Previous step (←)")).to_be_disabled()


def test_while_it_plays_no_word_goes_to_the_server(new_page: Callable[..., Any]) -> None:
    page, sent = new_page(), []

    def note(frame: Any) -> None:
        sent.append(frame)

    page.on("websocket", lambda socket: socket.on("framesent", note))
    open_page(page, "climb", data=NETWORK)
    view = view_of(page, "climb")
    steps = int(view.get_attribute("data-steps"))
    assert steps > 60
    assert sent
    view.get_by_label("Speed").select_option("30")
    take_keys(view)
    page.keyboard.press("Home")
    at_step(view, 0)
    sent.clear()
    play = view.get_by_title("Play or pause (space)")
    play.click()
    expect(view).to_have_attribute("data-playing", "true")
    expect(view).not_to_have_attribute("data-step", "0")
    assert not sent
    page.keyboard.press("Space")
    expect(view).to_have_attribute("data-playing", "false")
    paused = view.get_attribute("data-step")
    assert 0 < int(paused) < steps
    frames(page, 12)
    assert view.get_attribute("data-step") == paused
    # Where it rests is told, once, so that the page can be left and found again.
    for _ in range(100):
        if sent:
            break
        frames(page, 6)
    assert any(b"settled" in as_bytes(frame) for frame in sent)
    frames(page, 30)
    sent.clear()
    play.click()
    expect(view).not_to_have_attribute("data-step", paused)
    assert not sent
    at_step(view, steps)
    expect(view).to_have_attribute("data-playing", "false")


def as_bytes(frame: str | bytes) -> bytes:
    """A frame of a web socket, whichever way Playwright hands it over."""
    return frame if isinstance(frame, bytes) else frame.encode()


def test_a_picture_is_saved_by_touch(new_page: Callable[..., Any]) -> None:
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    open_page(page, "climb")
    card = view_of(page, "climb").locator(".card.graph")
    opener = card.get_by_role("button", name="Save this picture")
    opener.tap()
    item = card.get_by_role("button", name="SVG")
    expect(item).to_be_visible()
    with page.expect_download() as saved:
        item.tap()
    assert saved.value.suggested_filename.endswith(".svg")
    expect(item).to_be_hidden()
    # A tap elsewhere closes it, too.
    opener.tap()
    expect(item).to_be_visible()
    card.locator("h3").tap()
    expect(item).to_be_hidden()


def test_against_the_truth(page: Page) -> None:
    open_page(page, "climb", data=NETWORK)
    view = view_of(page, "climb")
    truth = bjp.networks.load("karate", labelled=True)
    data = bjp.sampling.random_model(truth, "log-odds", seed=0).sample(2000, seed=0)
    for score, method in (("BJP", "bjp"), ("MPL", "mpl")):
        choose(page, "climb-score", score)
        expect(page.get_by_text(f"ln {score} =")).to_be_visible()
        climb = bjp.learn(data, method, PUBLISHED[method])
        made = sum(step.phase != "blanket" for step in climb.steps)
        expect(view).to_have_attribute("data-steps", str(made + (climb.rejected is not None)))
        take_keys(view)
        page.keyboard.press("End")
        counts = bjp.metrics.confusion(truth, climb.graph)
        for name in ("tp", "fp", "fn", "hamming"):
            expect(metric(view, name)).to_have_text(str(getattr(counts, name)))


def test_a_walk_marks_its_best_graph(page: Page) -> None:
    open_page(page, "climb")
    view = view_of(page, "climb")
    expect(view.locator(".best")).to_have_attribute("visibility", "hidden")
    choose_search(page, "Tabu search")
    trace = bjp.learn(DATA, search="tabu")
    made, best = len(trace.steps), trace.best_at
    assert 0 < best < made
    expect(view).to_have_attribute("data-steps", str(made))
    expect(view.locator(".where")).to_have_text(f"step 0 of {made}")
    view.get_by_title("Go to the best graph, the result").click()
    at_step(view, best)
    assert drawn(view) == {tuple(sorted(map(DATA.index, edge))) for edge in trace.graph.edges}
    expect(metric(view, "score")).to_have_text(metric(view, "best").inner_text())
    expect(view.locator("table.flips tr[data-best]")).to_have_attribute("aria-current", "true")
    centres = view.locator(".best, .marker").evaluate_all(
        "e => e.map(c => c.getBBox()).map(b => [b.x + b.width / 2, b.y + b.height / 2])"
    )
    assert len(centres) == 2
    assert centres[0] == pytest.approx(centres[1], abs=0.2)
    tried = trace.steps[best - 1].evaluations - trace.steps[best - 2].evaluations
    expect(view.locator(".card.graph .heading")).to_contain_text(f"after {tried} flips tried")
    page.get_by_role("button", name="Watch the paper’s search").click()
    expect(view).to_have_attribute("data-steps", str(MADE + 1))
    expect(view.locator(".best")).to_have_attribute("visibility", "hidden")


def test_a_long_walk_is_shown_in_steps_of_several_flips(page: Page) -> None:
    open_page(page, "climb", data=LONG)
    view = view_of(page, "climb")
    choose(page, "climb-score", "MPL")
    choose_search(page, "Simulated annealing")
    data = sources.load(LONG).data
    trace = bjp.learn(data, "mpl", "annealing")
    assert len(trace.steps) > MOST
    total = f"{len(trace.steps):,}"
    expect(page.get_by_text(f"of {total} flips ·")).to_be_visible()
    expect(view.locator(".card.flips .heading")).to_contain_text(f"of {total} flips")
    assert int(view.get_attribute("data-steps")) <= MOST + 2
    graphs, edges = [], set()
    for step in [None, *trace.steps]:
        edges = edges ^ ({tuple(sorted(map(data.index, step.edge)))} if step else set())
        graphs.append(edges)
    take_keys(view)
    # Forwards, backwards and by leaps: the graph is the one after that many flips.
    for key in ("Home", "ArrowRight", "ArrowRight", "End", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
        at = re.fullmatch(r"step ([\d,]+) of .*", view.locator(".where").inner_text())
        assert drawn(view) == graphs[int(at[1].replace(",", ""))]
    view.get_by_title("Go to the best graph, the result").click()
    expect(view.locator(".where")).to_have_text(f"step {trace.best_at:,} of {total}")
    assert drawn(view) == {tuple(sorted(map(data.index, edge))) for edge in trace.graph.edges}


def test_a_running_climb_is_shown_and_can_be_cancelled(
    slow_server: SlowServer, new_page: Callable[..., Page]
) -> None:
    page = new_page(at=slow_server)
    # The places of the variables come from what BJP learns.
    open_page(page, "climb", data=LARGE)
    expect(page.get_by_text("ln BJP =")).to_be_visible()
    slow_server.slow_down()
    page.goto(f"/climb?data={LARGE}&score=ib")
    view = view_of(page, "climb")
    cancel, end = page.get_by_role("button", name="Cancel"), page.get_by_text("ln IB-score =")
    expect(cancel).to_be_visible()
    expect(view).to_have_attribute("data-steps", TWO_DIGITS)
    expect(view.get_by_title("Follow the run")).to_be_visible()
    cancel.click()
    expect(page.get_by_text("Learning with IB-score was cancelled.")).to_be_visible()
    take_keys(view)
    page.keyboard.press("End")
    expect(view.locator('[data-metric="stop"]')).to_contain_text("cancelled")
    stopped = int(view.get_attribute("data-steps"))

    page.get_by_role("button", name="Run it again").click()
    expect(view.get_by_title("Follow the run")).to_be_visible()
    # It begins anew.
    expect(view).to_have_attribute("data-steps", ONE_DIGIT)
    view.evaluate("view => view.setAttribute('data-met', 'running')")
    slow_server.go_on()
    expect(end).to_be_visible(timeout=120_000)
    # What one has zoomed and stepped to is not lost at the end: it is still the same view.
    expect(view).to_have_attribute("data-met", "running")
    expect(view.locator('[data-metric="stop"]')).to_contain_text(
        str(bjp.search.StopReason.NOT_RAISED)
    )
    assert int(view.get_attribute("data-steps")) > stopped
