"""Watch the climb: the player over one finished search, or over two of them in step."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import bjp_engine as bjp
from bjp_engine.search import PUBLISHED, SearchTrace
from bjp_explorer.jobs.flips import MOST
from bjp_explorer.shell import sources
from tests.browser.visits import (
    PROJECTOR,
    assert_fits,
    at_step,
    choose,
    choose_from_list,
    climb_of,
    coronary,
    edges_of,
    ends_of,
    eventually,
    figure,
    frames,
    metric,
    open_view,
    pair_of,
    positions,
    sent_by,
    take_keys,
    view_of,
)

NETWORK = "net:karate:log-odds:2000:0"
# Annealing makes some thousand flips on these.
LONG = "net:hub-2:log-odds:200:0"
BOTH = ("first", "second")
DUEL = "coronary&beside=score"
Edges = set[tuple[int, int]]


def drawn(view: Locator) -> Edges:
    """The edges of the graph as drawn, without those just removed or missing."""
    return {edge for edge, tones in edges_of(view).items() if not tones & {"removed", "missing"}}


def flips(view: Locator) -> Locator:
    """The rows of the table of flips."""
    return view.locator("table.flips tbody tr")


def graphs_of(trace: SearchTrace, data: bjp.Dataset) -> Iterator[Edges]:
    """The edges at the start and after each of a search's flips."""
    edges = ends_of(trace.start, data)
    yield edges
    for step in trace.steps:
        if step.phase != "blanket":
            edges = edges ^ {pair_of(step.edge, data)}
            yield edges


def test_every_step_shows_the_engines_numbers(page: Page) -> None:
    view, climb = open_view(page, "climb"), climb_of()
    made = len(climb.steps)
    expect(view).to_have_attribute("data-steps", str(made + 1))
    take_keys(view)
    page.keyboard.press("Home")
    at_step(view, 0)
    assert drawn(view) == set()
    assert figure(metric(view, "score").inner_text()) == pytest.approx(climb.start_score, abs=5e-3)
    places, graphs = positions(view), list(graphs_of(climb, coronary()))
    for k, step in enumerate(climb.steps, start=1):
        page.keyboard.press("ArrowRight")
        at_step(view, k)
        assert drawn(view) == graphs[k], k
        assert figure(metric(view, "score").inner_text()) == pytest.approx(step.score, abs=5e-4)
        cells = view.locator("table.flips [aria-current]").get_by_role("cell").all_inner_texts()
        assert figure(cells[2]) == pytest.approx(step.gain, abs=5e-3)
        lowest = view.locator("table.lowest tbody tr:not([hidden]) td:last-child")
        coming = (*climb.steps, climb.rejected)[k].contributions
        values = [figure(text) for text in lowest.all_inner_texts()]
        assert values == pytest.approx([each.value for each in coming], rel=2e-5, abs=5e-5)
    assert positions(view) == places
    assert graphs[-1] == ends_of(climb.graph, coronary())


def test_the_end_shows_the_refused_proposal_and_each_score_is_where_the_axis_has_it(
    page: Page,
) -> None:
    view, climb = open_view(page, "climb"), climb_of()
    take_keys(view)
    page.keyboard.press("End")
    at_step(view, len(climb.steps) + 1)
    expect(view.locator('[data-metric="stop"]')).to_contain_text(str(climb.stop_reason))
    expect(view.locator(".where")).to_have_text("rejected proposal")
    row = flips(view).last
    expect(row).to_contain_text("rejected")
    expect(row).to_have_attribute("aria-current", "true")
    cells = row.get_by_role("cell").all_inner_texts()
    assert figure(cells[2]) == pytest.approx(climb.rejected.gain, abs=5e-3)
    assert figure(cells[3]) == pytest.approx(climb.rejected.score, abs=5e-4)
    refused = page.get_by_text("It was refused, and the climb ended because")
    expect(refused).to_contain_text(str(climb.stop_reason))

    # Scrubbing and jumping.
    view.get_by_label("Step", exact=True).fill("3")
    at_step(view, 3)
    assert drawn(view) == list(graphs_of(climb, coronary()))[3]
    view.get_by_title("Previous step (←)").click()
    at_step(view, 2)
    view.get_by_title("Next step (→)").click()
    at_step(view, 3)
    flips(view).nth(4).get_by_role("button").click()
    at_step(view, 5)
    view.get_by_title("First step (Home)").click()
    at_step(view, 0)
    expect(view.get_by_title("Previous step (←)")).to_be_disabled()

    # Every score is where the axis has it. The first edge is worth more than all others together.
    chart = view.locator(".card.score svg.chart")
    expect(chart.locator(".scale-note")).to_have_text("logarithmic scale")
    assert_scores_lie_on_the_axis(chart, "log")
    view.get_by_role("button", name="linear scale").click()
    assert_scores_lie_on_the_axis(chart, "linear")
    expect(chart.locator(".scale-note")).to_have_count(0)


def assert_scores_lie_on_the_axis(chart: Locator, scale: str) -> None:
    """The line of a climb's scores has the heights that the axis has for them."""
    expect(chart).to_have_attribute("data-scale", scale)
    ticks = chart.locator(".grid [data-value]").evaluate_all(
        "gs => gs.map(g => [Number(g.dataset.value), Number(g.firstChild.getAttribute('y1'))])"
    )
    texts = chart.locator(".grid [data-value] text").all_text_contents()
    assert [figure(text) for text in texts] == [value for value, _ in ticks]

    def place(value: float) -> float:
        return -math.log10(-value) if scale == "log" else value

    slope, shift = np.polyfit([place(value) for value, _ in ticks], [y for _, y in ticks], 1)
    line = re.split("[ML]", chart.locator(".line").get_attribute("d"))[1:]
    heights = [float(point.split(" ")[1]) for point in line]
    scores = [climb_of().start_score, *(step.score for step in climb_of().steps)]
    assert heights == pytest.approx([slope * place(score) + shift for score in scores], abs=0.2)


def test_graph_chart_and_player_on_screens_of_any_size(new_page: Callable[..., Any]) -> None:
    page = new_page(**PROJECTOR)
    size = "all => all.map(e => parseFloat(getComputedStyle(e).fontSize))"
    for name, data in (("climb", "coronary"), ("duel", DUEL)):
        page.set_viewport_size(PROJECTOR["viewport"])
        view = open_view(page, "climb", data, name)
        for part in (".card.graph .net", ".chart:visible", ".player"):
            expect(view.locator(part).first).to_be_visible()
            for box in (each.bounding_box() for each in view.locator(part).all()):
                assert box["y"] + box["height"] <= 720, (name, part)
        page.set_viewport_size({"width": 1280, "height": 1000})
        labels = view.locator(".label")
        before = labels.evaluate_all(size)[0]
        view.get_by_label("Fill the screen (f)").click()
        expect(view).to_have_attribute("data-filling", "")
        expect(labels.first).not_to_have_css("font-size", f"{before:g}px")
        for text in (".label", ".chart .grid text"):
            assert min(view.locator(text).evaluate_all(size)) > 12, (name, text)
        assert view.locator(".stage").bounding_box()["height"] <= 1000
        page.keyboard.press("f")
        expect(view).not_to_have_attribute("data-filling", "")
    # Two are stacked on a narrow screen.
    page.set_viewport_size({"width": 390, "height": 844})

    def assert_stacked() -> None:
        first, second = (side(view, name).bounding_box() for name in BOTH)
        assert second["y"] >= first["y"] + first["height"]
        for box in (first, second):
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 390

    eventually(page, assert_stacked)
    assert_fits(page)


@pytest.mark.parametrize(
    ("data", "component"),
    [(NETWORK, "climb"), (f"{NETWORK}&beside=score&search=hill-climb", "duel")],
    ids=["one", "two"],
)
def test_while_it_plays_nothing_is_sent_to_the_server(
    new_page: Callable[..., Any], data: str, component: str
) -> None:
    page = new_page(fresh=True)
    sent = sent_by(page)
    view = open_view(page, "climb", data, component)
    last = int(view.get_attribute("data-steps"))
    assert last > 60
    assert sent
    view.get_by_label("Speed").select_option("30")
    take_keys(view)
    page.keyboard.press("Home")
    at_step(view, 0)
    frames(page, 30)
    page.clock.install()
    page.clock.pause_at(datetime(2099, 1, 1))
    sent.clear()
    page.keyboard.press("Space")
    page.clock.run_for(1000)
    expect(view).to_have_attribute("data-playing", "true")
    assert int(view.get_attribute("data-step")) == pytest.approx(30, abs=2)
    assert not sent
    page.keyboard.press("Space")
    expect(view).to_have_attribute("data-playing", "false")
    paused = int(view.get_attribute("data-step"))
    page.clock.run_for(200)
    at_step(view, paused)
    assert not sent
    # Where it rests is sent, once, so that the page can be left and found again.
    page.clock.run_for(300)
    page.clock.resume()
    page.wait_for_url(f"**/climb?*step={paused}")
    assert len([frame for frame in sent if b"settled" in frame]) == 1
    page.keyboard.press("Space")
    at_step(view, last)
    expect(view).to_have_attribute("data-playing", "false")
    page.wait_for_url(f"**/climb?*step={last}")


def test_against_the_truth(page: Page) -> None:
    view = open_view(page, "climb", NETWORK)
    truth = bjp.networks.load("karate", labelled=True)
    data = bjp.sampling.random_model(truth, "log-odds", seed=0).sample(2000, seed=0)
    for score, method in (("BJP", "bjp"), ("MPL", "mpl")):
        if method == "mpl":
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
    view = open_view(page, "climb")
    best_dot = view.locator(".best")
    expect(best_dot).to_have_attribute("visibility", "hidden")
    choose_from_list(page, "climb-search", "Tabu search")
    trace = climb_of("bjp", "tabu")
    made, best = len(trace.steps), trace.best_at
    assert 0 < best < made
    expect(view).to_have_attribute("data-steps", str(made))
    expect(view.locator(".where")).to_have_text(f"step 0 of {made}")
    view.get_by_title("Go to the best graph, the result").click()
    at_step(view, best)
    assert drawn(view) == ends_of(trace.graph, coronary())
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
    expect(view).to_have_attribute("data-steps", str(len(climb_of().steps) + 1))
    expect(best_dot).to_have_attribute("visibility", "hidden")

    # A search without flips promises no proposal.
    view = open_view(page, "climb", "coronary&search=exact&score=ib")
    expect(view.get_by_text("the first is the next proposal")).to_have_count(0)
    expect(view.get_by_text("next proposal", exact=True)).to_have_count(0)

    # A long walk is shown in steps of several flips.
    view = open_view(page, "climb", f"{LONG}&score=mpl&search=annealing")
    data = sources.load(LONG).data
    trace = bjp.learn(data, "mpl", "annealing")
    assert len(trace.steps) > MOST
    total = f"{len(trace.steps):,}"
    expect(page.get_by_text(f"of {total} flips ·")).to_be_visible()
    expect(view.locator(".card.flips .heading")).to_contain_text(f"of {total} flips")
    assert int(view.get_attribute("data-steps")) <= MOST + 2
    graphs = list(graphs_of(trace, data))
    take_keys(view)
    # Forwards, backwards and by leaps: the graph is the one after that many flips.
    for key in ("Home", "ArrowRight", "ArrowRight", "End", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
        at = re.fullmatch(r"step ([\d,]+) of .*", view.locator(".where").inner_text())
        assert drawn(view) == graphs[int(at[1].replace(",", ""))], key
    view.get_by_title("Go to the best graph, the result").click()
    expect(view.locator(".where")).to_have_text(f"step {trace.best_at:,} of {total}")
    assert drawn(view) == ends_of(trace.graph, data)


def side(view: Locator, name: str) -> Locator:
    """One of the two climbs."""
    return view.locator(f'[data-side="{name}"]')


def places_of(view: Locator) -> list[list[Any]]:
    """Where the nodes of both climbs stand: in the same places."""
    places = [positions(side(view, name)) for name in BOTH]
    assert places[0] == places[1]
    return places


def assert_compared(view: Locator, ours: Edges, theirs: Edges) -> None:
    """Both graphs, and the tones of what only one of them has."""
    for name, here, there in (("first", ours, theirs), ("second", theirs, ours)):
        tones = edges_of(side(view, name))
        assert {edge for edge, tone in tones.items() if tone & {"both", "only"}} == here
        assert {edge for edge, tone in tones.items() if "both" in tone} == here & there
        assert {edge for edge, tone in tones.items() if "only" in tone} == here - there
        other = {edge for edge, tone in tones.items() if tone & {"missing", "removed"}}
        assert there - here <= other


def test_two_scores_go_in_step_and_the_shorter_waits(page: Page) -> None:
    view = open_view(page, "climb", DUEL, "duel")
    traces = [climb_of(), climb_of("ib")]
    # A refused proposal changes nothing.
    ours, theirs = (
        [
            *graphs_of(trace, coronary()),
            *([ends_of(trace.graph, coronary())] * bool(trace.rejected)),
        ]
        for trace in traces
    )
    assert len(ours) != len(theirs)
    last = max(len(ours), len(theirs)) - 1
    expect(view).to_have_attribute("data-steps", str(last))
    # Different scores have no common axis.
    expect(view).to_have_attribute("data-charts", "2")
    expect(view.locator(".chart:visible")).to_have_count(2)
    places = places_of(view)
    take_keys(view)
    page.keyboard.press("Home")
    for k in range(last + 1):
        at_step(view, k)
        at = [min(k, len(ours) - 1), min(k, len(theirs) - 1)]
        for name, there in zip(BOTH, at, strict=True):
            at_step(side(view, name), there)
        assert_compared(view, ours[at[0]], theirs[at[1]])
        if k == 1:
            # What is added has the colour of the legend, whether both graphs have it or not.
            border = "e => getComputedStyle(e).borderTopColor"
            pink = view.locator(".swatch.line-added").evaluate(border)
            added = view.locator('.edge[data-tone~="added"] .ink').first
            expect(added).to_have_css("stroke", pink)
        page.keyboard.press("ArrowRight")
    assert places_of(view) == places
    # A proposal that was refused is no flip.
    where, made = view.locator(".where"), max(len(trace.steps) for trace in traces)
    expect(where).to_have_text("rejected proposal")
    page.keyboard.press("ArrowLeft")
    expect(where).to_have_text(f"flip {made} of {made}")
    page.keyboard.press("ArrowRight")
    short = "first" if len(ours) < len(theirs) else "second"
    expect(side(view, short).locator(".proposal")).to_contain_text("This climb ends here.")
    for name, trace in zip(BOTH, traces, strict=True):
        value = metric(side(view, name), "score").inner_text()
        assert figure(value) == pytest.approx(trace.score, abs=5e-4)

    # In step by the tests made.
    view = open_view(page, "climb", f"{DUEL}&by=tests", "duel")
    tests = [
        [0, *(s.tests for s in t.steps), *([t.rejected.tests] if t.rejected else [])]
        for t in (climb_of(method, PUBLISHED[method]) for method in ("bjp", "ib"))
    ]
    ticks = sorted(set(tests[0] + tests[1]))
    expect(view).to_have_attribute("data-steps", str(len(ticks) - 1))
    take_keys(view)
    page.keyboard.press("Home")
    for k, tick in enumerate(ticks):
        at_step(view, k)
        expect(where).to_have_text(f"tests {tick} of {ticks[-1]}")
        for name, own in zip(BOTH, tests, strict=True):
            at_step(side(view, name), bisect_right(own, tick) - 1)
        page.keyboard.press("ArrowRight")


def test_the_same_score_has_one_axis(page: Page) -> None:
    data = "net:karate:log-odds:1000:0&beside=search&beside-search=hill-climb"
    view = open_view(page, "climb", data, "duel")
    expect(view).to_have_attribute("data-charts", "1")
    chart = view.locator(".chart:visible")
    expect(chart).to_have_count(1)
    lines = chart.locator(".line[data-dash]")
    expect(lines).to_have_count(2)
    for line, dash, score in zip(lines.all(), ("solid", "dash"), ("bjp", None), strict=True):
        expect(line).to_have_attribute("d", re.compile(r"^M[\d.]+ [\d.]+L"))
        expect(line).to_have_attribute("data-dash", dash)
        assert line.get_attribute("data-score") == score
    take_keys(view)
    page.keyboard.press("End")
    # Where the second stands is marked in another shape than where the first does.
    for shape in ("circle", "square"):
        expect(chart.locator(f'.marker[data-symbol="{shape}"]')).to_be_visible()
    for name in BOTH:
        expect(metric(side(view, name), "hamming")).to_be_visible()
    # A climb with more figures below its graph has the same places in it.
    page.keyboard.press("Home")
    at_step(view, 0)
    places = places_of(view)
    page.keyboard.press("End")
    expect(view).not_to_have_attribute("data-step", "0")
    assert places_of(view) == places
    view.get_by_label("compare with the truth").check()
    tones = set().union(*edges_of(side(view, "first")).values())
    assert tones <= {"tp", "fp", "missing", "added", "removed"}


def test_the_second_climb_is_chosen_on_the_page(page: Page) -> None:
    open_view(page, "climb")
    choose_from_list(page, "climb-beside", "Compare with: another score")
    view = view_of(page, "duel")
    choose(page, "climb-beside-score", "MPL")
    expect(side(view, "second").locator(".of")).to_contain_text("MPL by MPL hill climb")
    expect(view.get_by_role("img", name="Score of the second climb")).to_be_visible()
    expect(page.locator('[data-component="climb"]')).to_have_count(0)
    # Another search is another one from the beginning.
    view = open_view(page, "climb", "coronary&beside=search", "duel")
    first, second = (side(view, name).locator(".of").inner_text() for name in BOTH)
    assert first != second
