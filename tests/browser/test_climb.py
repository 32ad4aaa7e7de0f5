"""Watch the climb: the player over one finished search, or over two of them in step."""

import math
import re

import numpy as np
import pytest
from playwright.sync_api import expect

import bjp_engine as bjp
from bjp_explorer.shell import sources
from tests.browser import visits
from tests.browser.visits import at_step, climb_of, coronary, ends_of, figure, metric, open_view

NETWORK = "net:karate:log-odds:2000:0"
BOTH = ("first", "second")
DUEL = "coronary&beside=score"


def drawn(view):
    """The edges of the graph as drawn, without those just removed or missing."""
    tones_of = visits.edges_of(view)
    return {edge for edge, tones in tones_of.items() if not tones & {"removed", "missing"}}


def graphs_of(trace, data):
    """The edges at the start and after each of a search's flips."""
    found = [ends_of(trace.start, data)]
    for step in trace.steps:
        if step.phase != "blanket":
            found.append(found[-1] ^ {visits.pair_of(step.edge, data)})
    return found


def test_every_step_shows_the_engines_numbers(page):
    view, climb = open_view(page, "climb"), climb_of()
    made, graphs = len(climb.steps), graphs_of(climb, coronary())
    expect(view).to_have_attribute("data-steps", str(made + 1))
    visits.take_keys(view)
    page.keyboard.press("Home")
    at_step(view, 0)
    assert drawn(view) == set()
    assert figure(metric(view, "score").inner_text()) == pytest.approx(climb.start_score, abs=5e-3)
    places = visits.positions(view)
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
    assert visits.positions(view) == places
    assert graphs[-1] == ends_of(climb.graph, coronary())

    # The end shows the proposal that was refused.
    page.keyboard.press("End")
    at_step(view, made + 1)
    expect(view.locator('[data-metric="stop"]')).to_contain_text(str(climb.stop_reason))
    expect(view.locator(".where")).to_have_text("rejected proposal")
    rows = view.locator("table.flips tbody tr")
    expect(rows.last).to_contain_text("rejected")
    expect(rows.last).to_have_attribute("aria-current", "true")
    cells = rows.last.get_by_role("cell").all_inner_texts()
    assert figure(cells[2]) == pytest.approx(climb.rejected.gain, abs=5e-3)
    assert figure(cells[3]) == pytest.approx(climb.rejected.score, abs=5e-4)

    # Scrubbing and jumping.
    for act, step in (
        (lambda: view.get_by_label("Step", exact=True).fill("3"), 3),
        (view.get_by_title("Previous step (←)").click, 2),
        (view.get_by_title("Next step (→)").click, 3),
        (rows.nth(4).get_by_role("button").click, 5),
        (view.get_by_title("First step (Home)").click, 0),
    ):
        act()
        at_step(view, step)
        assert drawn(view) == graphs[step], step
    expect(view.get_by_title("Previous step (←)")).to_be_disabled()

    # Every score is where the axis has it. The first edge is worth more than all others together.
    chart = view.locator(".card.score svg.chart")
    assert_scores_lie_on_the_axis(chart, "log")
    view.get_by_role("button", name="linear scale").click()
    assert_scores_lie_on_the_axis(chart, "linear")


def assert_scores_lie_on_the_axis(chart, scale):
    """The line of a climb's scores has the heights that the axis has for them."""
    expect(chart).to_have_attribute("data-scale", scale)
    expect(chart.locator(".scale-note")).to_have_count(int(scale == "log"))
    ticks = chart.locator(".grid [data-value]").evaluate_all(
        "gs => gs.map(g => [Number(g.dataset.value), Number(g.firstChild.getAttribute('y1'))])"
    )
    texts = chart.locator(".grid [data-value] text").all_text_contents()
    assert [figure(text) for text in texts] == [value for value, _ in ticks]

    def place(value):
        return -math.log10(-value) if scale == "log" else value

    slope, shift = np.polyfit([place(value) for value, _ in ticks], [y for _, y in ticks], 1)
    line = re.split("[ML]", chart.locator(".line").get_attribute("d"))[1:]
    heights = [float(point.split(" ")[1]) for point in line]
    scores = [climb_of().start_score, *(step.score for step in climb_of().steps)]
    assert heights == pytest.approx([slope * place(score) + shift for score in scores], abs=0.2)


def test_graph_chart_and_player_on_screens_of_any_size(new_page):
    page = new_page(**visits.PROJECTOR)
    for name, data in (("climb", "coronary"), ("duel", DUEL)):
        page.set_viewport_size(visits.PROJECTOR["viewport"])
        view = open_view(page, "climb", data, name)
        for part in (".card.graph .net", ".chart:visible", ".player"):
            expect(view.locator(part).first).to_be_visible()
            for box in (each.bounding_box() for each in view.locator(part).all()):
                assert box["y"] + box["height"] <= 720, (name, part)
    # Two are stacked on a narrow screen.
    page.set_viewport_size({"width": 390, "height": 844})

    def assert_stacked():
        first, second = (side(view, name).bounding_box() for name in BOTH)
        assert second["y"] >= first["y"] + first["height"]
        for box in (first, second):
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 390

    visits.eventually(page, assert_stacked)
    visits.assert_fits(page)


def test_a_walk_marks_its_best_graph(page):
    view = open_view(page, "climb")
    best_dot = view.locator(".best")
    expect(best_dot).to_have_attribute("visibility", "hidden")
    visits.choose_from_list(page, "climb-search", "Tabu search")
    trace = climb_of("bjp", "tabu")
    made, best = len(trace.steps), trace.best_at
    assert 0 < best < made
    expect(view).to_have_attribute("data-steps", str(made))
    to_best = view.get_by_title("Go to the best graph, the result")
    to_best.click()
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


def side(view, name):
    """One of the two climbs."""
    return view.locator(f'[data-side="{name}"]')


def places_of(view):
    """Where the nodes of both climbs stand: in the same places."""
    places = [visits.positions(side(view, name)) for name in BOTH]
    assert places[0] == places[1]
    return places


def assert_compared(view, ours, theirs):
    """Both graphs, and the tones of what only one of them has."""
    for name, here, there in (("first", ours, theirs), ("second", theirs, ours)):
        tones = visits.edges_of(side(view, name))
        assert {edge for edge, tone in tones.items() if tone & {"both", "only"}} == here
        assert {edge for edge, tone in tones.items() if "both" in tone} == here & there
        assert {edge for edge, tone in tones.items() if "only" in tone} == here - there
        other = {edge for edge, tone in tones.items() if tone & {"missing", "removed"}}
        assert there - here <= other


def test_two_scores_go_in_step_and_the_shorter_waits(page):
    view = open_view(page, "climb", DUEL, "duel")
    traces = [climb_of(), climb_of("ib")]
    ours, theirs = (graphs_of(trace, coronary()) for trace in traces)
    for graphs, trace in zip((ours, theirs), traces, strict=True):
        # A refused proposal changes nothing.
        graphs.extend(graphs[-1:] * bool(trace.rejected))
    assert len(ours) != len(theirs)
    last = max(len(ours), len(theirs)) - 1
    expect(view).to_have_attribute("data-steps", str(last))
    # Different scores have no common axis.
    expect(view.locator(".chart:visible")).to_have_count(2)
    places = places_of(view)
    visits.take_keys(view)
    page.keyboard.press("Home")
    for k in range(last + 1):
        at_step(view, k)
        at = [min(k, len(ours) - 1), min(k, len(theirs) - 1)]
        for name, there in zip(BOTH, at, strict=True):
            at_step(side(view, name), there)
        assert_compared(view, ours[at[0]], theirs[at[1]])
        if k == 1:
            # What is added has the colour of the legend, whether both graphs have it or not.
            stroke = "e => getComputedStyle(e).stroke"
            pink = view.locator('.legend [data-tone="added"] .ink').evaluate(stroke)
            added = view.locator('[data-edge][data-tone~="added"] .ink').first
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


def test_the_same_score_has_one_axis(page):
    view = open_view(page, "climb", f"{NETWORK}&beside=search&beside-search=hill-climb", "duel")
    chart = view.locator(".chart:visible")
    expect(chart).to_have_count(1)
    lines = chart.locator(".line[data-dash]")
    expect(lines).to_have_count(2)
    for line, dash in zip(lines.all(), ("solid", "dash"), strict=True):
        expect(line).to_have_attribute("d", re.compile(r"^M[\d.]+ [\d.]+L"))
        expect(line).to_have_attribute("data-dash", dash)
    visits.take_keys(view)
    page.keyboard.press("End")
    # Where the second stands is marked in another shape than where the first does.
    for shape in ("circle", "square"):
        expect(chart.locator(f'.marker[data-symbol="{shape}"]')).to_be_visible()
    loaded = sources.load(NETWORK)
    for name, search in zip(BOTH, ("ibmap-hc", "hill-climb"), strict=True):
        found = bjp.learn(loaded.data, "bjp", search).graph
        counts = bjp.metrics.confusion(loaded.truth, found)
        for number in ("tp", "fp", "fn", "hamming"):
            shown = metric(side(view, name), number)
            expect(shown).to_have_text(str(getattr(counts, number)))
    # A climb with more figures below its graph has the same places in it.
    page.keyboard.press("Home")
    at_step(view, 0)
    places = places_of(view)
    page.keyboard.press("End")
    expect(view).not_to_have_attribute("data-step", "0")
    assert places_of(view) == places
    view.get_by_label("compare with the truth").check()
    tones = set().union(*visits.edges_of(side(view, "first")).values())
    assert tones <= {"tp", "fp", "missing", "added", "removed"}
