"""Predict, then see: results are asked for, and shown with or without an answer."""

import math
import re

from playwright.sync_api import expect

import bjp_engine as bjp
from tests.browser import visits


def panel(view):
    """Where a component asks."""
    return view.get_by_role("group", name="Predict", exact=True)


def expect_tally(view, text):
    """Wait for how many predictions were right."""
    expect(panel(view).locator(".predicted")).to_have_text(f"{text} right")


def test_a_score_is_predicted_by_keys_alone(page):
    view = visits.open_view(page, "step", "coronary&predict=1")
    # What is asked can be read nowhere.
    cell, tooltip = view.locator(".cell").nth(7), view.locator(".tooltip")
    cell.hover()
    expect(tooltip).to_have_text("not yet reached")
    expect(view.locator(".arc")).to_have_attribute("data-tone", "proposed")
    asked = panel(view)
    outcome, kind_asked = asked.locator("[data-right]"), "Is this assertion computed or inferred?"
    expect(asked).to_contain_text(kind_asked)
    first = visits.score_of().terms[0]
    visits.press(page, "a", "Enter")
    # The sentence is about the pair that the figure marks, and does not give it away.
    expect(view.locator(".formula")).to_contain_text(f"Pr( {first.x} ")
    expect(view.locator(".formula .result")).to_have_text("?")
    # The first test of ψ is computed; its probability is asked for next, before it is shown.
    expect(outcome).to_contain_text("✓ Right. Computed: ")
    expect(asked).to_contain_text("How probable do the data make this?")
    visits.at_step(view, 0)
    test = bjp.independence_test(visits.coronary(), first.x, first.y, first.given)
    value = math.exp(test.log_independent)
    expect(asked.get_by_role("slider", name="Probability")).to_be_focused()
    expect(asked.get_by_role("button", name="Predict", exact=True)).to_be_disabled()
    visits.press(page, "Home", "Enter")
    visits.at_step(view, 1)
    assert value > 0.5
    expect(outcome).to_have_attribute("data-right", "false")
    expect(outcome).to_contain_text(f"The test gives {value:.4f}; you predicted 0.00")
    expect_tally(view, "1 of 2")
    # Seen without an answer, it does not count; nor does what one looks at again.
    expect(asked).to_contain_text(kind_asked)
    page.keyboard.press("ArrowRight")
    visits.at_step(view, 2)
    expect_tally(view, "1 of 2")
    visits.press(page, "ArrowLeft", "ArrowLeft")
    visits.at_step(view, 0)
    expect(asked.get_by_role("button")).to_have_count(0)
    # Playing pauses where something is asked, and goes on when it is pressed again.
    page.keyboard.press(" ")
    visits.at_step(view, 1)
    expect(view).to_have_attribute("data-playing", "false")
    asked.get_by_role("button", name="Show").click()
    visits.at_step(view, 2)
    # It is a choice of the link, and leaves it with a key.
    visits.take_keys(view)
    visits.press(page, "Home", "p")
    expect(asked).to_be_hidden()
    page.wait_for_url(lambda url: "predict" not in url)
    cell.hover()
    expect(tooltip).to_contain_text(re.compile("Pr =|inferred as 1"))
    page.keyboard.press("p")
    page.wait_for_url(lambda url: "predict=1" in url)


def test_a_flip_is_predicted_by_its_two_nodes(page):
    view, climb = visits.open_view(page, "climb", "coronary&predict=1"), visits.climb_of()
    expect(panel(view)).to_contain_text("Which pair does the search flip next?")
    flips = view.locator("table.flips tbody tr:visible")
    expect(flips).to_have_count(0)
    expect(view.locator(".arc")).to_have_count(0)
    expect(view.locator(".hint")).to_contain_text("to predict it")
    # The queue in column order, without its values.
    queue = climb.steps[0].contributions
    pairs = sorted(visits.pair_of(each.edge, visits.coronary()) for each in queue)
    names = [" – ".join(visits.coronary().names[i] for i in pair) for pair in pairs]
    rows = view.locator("table.lowest tbody tr:not([hidden])")
    expect(rows.locator("td:first-child")).to_have_text(names)
    expect(rows.locator("td:last-child")).to_have_text(["—"] * len(pairs))

    nodes = view.locator("[data-node]")
    for i in visits.pair_of(queue[1].edge, visits.coronary()):
        nodes.nth(i).click()
    visits.at_step(view, 1)
    outcome = panel(view).locator("[data-right]")
    expect(outcome).to_have_attribute("data-right", "false")
    expect(outcome).to_contain_text(f"(ln BJP +{climb.steps[0].gain:.2f})")
    expect(outcome).to_contain_text("is number 2 in the queue")
    expect(flips).to_have_count(1)
    # By keys: to the graph, and from node to node.
    page.keyboard.press("a")
    for i in visits.pair_of(climb.steps[1].edge, visits.coronary()):
        for _ in range(visits.coronary().n):
            if nodes.nth(i).evaluate("node => node.getRootNode().activeElement === node"):
                break
            page.keyboard.press("PageDown")
        page.keyboard.press("Enter")
    visits.at_step(view, 2)
    expect(outcome).to_have_attribute("data-right", "true")
    expect_tally(view, "1 of 2")
    # Once it is off, nodes are only looked at.
    page.keyboard.press("p")
    expect(nodes.first).to_have_attribute("role", "img")
    expect(rows.first.locator("td:last-child")).not_to_have_text("—")


def test_of_two_climbs_the_answer_comes_at_the_end(page):
    view = visits.open_view(page, "climb", "coronary&beside=score&predict=1", "duel")
    edges = [visits.climb_of(method).graph.number_of_edges() for method in ("bjp", "ib")]
    assert edges[0] < edges[1]
    line = page.locator(".st-key-climb-head")
    expect(line).to_contain_text("Predict which climb finds more edges")
    # Neither the curves nor the steps give the answer away.
    visits.take_keys(view)
    page.keyboard.press("ArrowRight")
    visits.at_step(view, 1)
    expect(view.locator(".where")).to_have_text("flip 1")
    for curve in view.locator(".chart:visible .line[data-dash][d^=M]").all():
        assert curve.get_attribute("d").count("L") == 1
    panel(view).get_by_role("button", name="IB-score by").click()
    expect(panel(view).locator("[data-right]")).to_have_attribute("data-right", "true")
    visits.at_step(view, view.get_attribute("data-steps"))
    found = rf"BJP by .*: {edges[0]} edges\. IB-score by .*: {edges[1]} edges, 1 more\."
    expect(panel(view)).to_contain_text(re.compile(found))
    expect_tally(view, "1 of 1")
    expect(view.locator(".where")).to_have_text("rejected proposal")
    # The page says it, too, from now on.
    expect(line).to_contain_text("1 edge only in the second")
    page.keyboard.press("Home")
    visits.at_step(view, 0)
    visits.rest(page)
    expect(line).not_to_contain_text("Predict which")
