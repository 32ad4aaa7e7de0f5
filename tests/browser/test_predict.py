"""Predict, then see: results are asked for, and shown with or without an answer."""

from __future__ import annotations

import math
import re

from playwright.sync_api import Locator, Page, expect

import bjp_engine as bjp
from tests.browser.visits import (
    at_rest,
    at_step,
    climb_of,
    coronary,
    open_view,
    pair_of,
    press,
    score_of,
    take_keys,
)


def panel(view: Locator) -> Locator:
    """Where a component asks."""
    return view.get_by_role("group", name="Predict", exact=True)


def expect_tally(view: Locator, text: str) -> None:
    """Wait for how many predictions were right."""
    expect(panel(view).locator(".predicted")).to_have_text(f"{text} right")


def test_a_score_is_predicted_by_keys_alone(page: Page) -> None:
    view = open_view(page, "step", "coronary&predict=1")
    # What is asked can be read nowhere.
    expect(view.locator(".arc")).to_have_attribute("data-tone", "proposed")
    cell, tooltip = view.locator(".cell").nth(7), view.locator(".tooltip")
    cell.hover()
    expect(tooltip).to_have_text("not yet reached")
    expect(view.locator(".arc")).to_have_attribute("data-tone", "proposed")
    asked = panel(view)
    expect(asked).to_contain_text("Is this assertion computed or inferred?")
    first = score_of().terms[0]
    press(page, "a", "Enter")
    # The first test of ψ is computed; its probability is asked for next, before it is shown.
    expect(asked.locator("[data-right]")).to_contain_text("✓ Right. Computed: ")
    expect(asked).to_contain_text("How probable do the data make this?")
    at_step(view, 0)
    value = math.exp(
        bjp.independence_test(coronary(), first.x, first.y, first.given).log_independent
    )
    slider = asked.get_by_role("slider", name="Probability")
    expect(slider).to_be_focused()
    expect(asked.get_by_role("button", name="Predict", exact=True)).to_be_disabled()
    press(page, "Home", "Enter")
    at_step(view, 1)
    outcome = asked.locator("[data-right]")
    assert value > 0.5
    expect(outcome).to_have_attribute("data-right", "false")
    expect(outcome).to_contain_text(f"The test gives {value:.4f}; you predicted 0.00")
    expect_tally(view, "1 of 2")
    # Seen without an answer, it does not count; nor does what one looks at again.
    expect(asked).to_contain_text("Is this assertion computed or inferred?")
    page.keyboard.press("ArrowRight")
    at_step(view, 2)
    expect_tally(view, "1 of 2")
    press(page, "ArrowLeft", "ArrowLeft")
    at_step(view, 0)
    expect(asked.get_by_role("button")).to_have_count(0)
    # Playing pauses where something is asked, and goes on when it is pressed again.
    page.keyboard.press(" ")
    at_step(view, 1)
    expect(view).to_have_attribute("data-playing", "false")
    asked.get_by_role("button", name="Show").click()
    at_step(view, 2)
    # It is a choice of the link, and leaves it with a key.
    take_keys(view)
    press(page, "Home", "p")
    expect(asked).to_be_hidden()
    page.wait_for_url(lambda url: "predict" not in url)
    cell.hover()
    expect(tooltip).to_contain_text(re.compile("Pr =|inferred as 1"))
    page.keyboard.press("p")
    page.wait_for_url(lambda url: "predict=1" in url)


def test_a_flip_is_predicted_by_its_two_nodes(page: Page) -> None:
    view, climb = open_view(page, "climb", "coronary&predict=1"), climb_of()
    expect(panel(view)).to_contain_text("Which pair does the search flip next?")
    expect(view.locator("table.flips tbody tr:visible")).to_have_count(0)
    expect(view.locator(".arc")).to_have_count(0)
    # The queue in column order, without its values.
    queue = climb.steps[0].contributions
    pairs = sorted(pair_of(each.edge, coronary()) for each in queue)
    names = [" – ".join(coronary().names[i] for i in pair) for pair in pairs]
    rows = view.locator("table.lowest tbody tr:not([hidden])")
    expect(rows.locator("td:first-child")).to_have_text(names)
    expect(rows.locator("td:last-child")).to_have_text(["—"] * len(pairs))

    nodes = view.locator("[data-node]")
    wrong = pair_of(queue[1].edge, coronary())
    for i in wrong:
        nodes.nth(i).click()
    at_step(view, 1)
    outcome = panel(view).locator("[data-right]")
    expect(outcome).to_have_attribute("data-right", "false")
    expect(outcome).to_contain_text(f"(ln BJP +{climb.steps[0].gain:.2f})")
    expect(outcome).to_contain_text("is number 2 in the queue")
    expect(view.locator("table.flips tbody tr:visible")).to_have_count(1)
    # By keys: to the graph, and from node to node.
    page.keyboard.press("a")
    right = pair_of(climb.steps[1].edge, coronary())
    for i in right:
        for _ in range(coronary().n):
            if nodes.nth(i).evaluate("node => node.getRootNode().activeElement === node"):
                break
            page.keyboard.press("PageDown")
        page.keyboard.press("Enter")
    at_step(view, 2)
    expect(outcome).to_have_attribute("data-right", "true")
    expect_tally(view, "1 of 2")
    # Once it is off, nodes are only looked at.
    page.keyboard.press("p")
    expect(nodes.first).to_have_attribute("role", "img")
    expect(rows.first.locator("td:last-child")).not_to_have_text("—")


def test_of_two_climbs_the_answer_comes_at_the_end(page: Page) -> None:
    view = open_view(page, "climb", "coronary&beside=score&predict=1", "duel")
    edges = [climb_of(method).graph.number_of_edges() for method in ("bjp", "ib")]
    assert edges[0] < edges[1]
    line = page.locator(".st-key-climb-head")
    expect(line).to_contain_text("Predict which climb finds more edges")
    panel(view).get_by_role("button", name="IB-score by").click()
    expect(panel(view).locator("[data-right]")).to_have_attribute("data-right", "true")
    expect(view).to_have_attribute("data-step", view.get_attribute("data-steps") or "")
    expect(panel(view)).to_contain_text(
        re.compile(rf"BJP by .*: {edges[0]} edges\. IB-score by .*: {edges[1]} edges, 1 more\.")
    )
    expect_tally(view, "1 of 1")
    take_keys(view)
    page.keyboard.press("p")
    expect(line).not_to_contain_text("Predict which")
    at_rest(page, "climb")
