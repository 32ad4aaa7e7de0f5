"""Step through the score, with the hands of a person."""

import math
import re

import networkx as nx
import pytest
from playwright.sync_api import expect

import bjp_engine as bjp
from bjp_explorer.shell.text import count
from tests.browser import visits


def current(view):
    """The cell that is highlighted, as a pair of columns."""
    cell = view.locator('.cell[data-state~="current"]')
    expect(cell).to_have_count(1)
    return int(cell.get_attribute("data-x")), int(cell.get_attribute("data-y"))


def columns(term):
    """The same of one of the engine's terms."""
    return visits.coronary().index(term.x), visits.coronary().index(term.y)


def shown_score(view):
    """The score at the present step."""
    return visits.figure(visits.metric(view, "score").inner_text())


def assert_score(page, graph):
    """Wait for the page's own line about that score of a graph with as many edges."""
    edges = count(graph.number_of_edges(), "edge")
    line = page.get_by_test_id("stMain").locator("p", has_text=f"· {edges} ")
    expect(line).to_contain_text("ln BJP = ")
    shown = visits.figure(line.inner_text().split("= ")[1].split()[0])
    assert shown == pytest.approx(bjp.score(visits.coronary(), graph).total, abs=5e-4)


def test_each_key_makes_a_test_whose_counts_are_shown(page):
    view, score = visits.open_view(page, "step"), visits.score_of()
    expect(view).to_have_attribute("data-steps", str(len(score.terms)))
    side = float(view.locator("svg.body").get_attribute("width"))
    ring = view.locator(".current-ring .ring")
    values, cell = [], view.locator('.cell[data-state~="current"]')
    for k, term in enumerate(score.terms, start=1):
        page.keyboard.press("ArrowRight")
        visits.at_step(view, k)
        assert current(view) == columns(term)
        values.append(term.value)
        assert shown_score(view) == pytest.approx(math.fsum(values), abs=5e-5)
        made = sum(term.computed for term in score.terms[:k])
        assert view.locator('[data-count="bjp"]').inner_text() == f"{made} / 15", k
        assert view.locator('[data-count="ib"]').inner_text() == f"{k} / 30", k
        # The ring is whole at the rim, too; half of its line is outside of it.
        names = ("x", "y", "width", "height")
        x, y, width, height = (float(ring.get_attribute(name)) for name in names)
        assert min(x, y) >= 1.5, k
        assert max(x + width, y + height) <= side - 1.4, k
        if k == 6:
            assert not term.computed
            expect(cell).to_have_attribute("data-state", "inferred current")
            decided = "Why 1? Already tested from family_history"
            expect(view.locator(".why")).to_contain_text(decided)
            expect(page.get_by_text("so its blanket is given when")).to_be_visible()
    assert shown_score(view) == pytest.approx(score.total, abs=5e-5)
    page.keyboard.press("ArrowLeft")
    visits.at_step(view, len(score.terms) - 1)
    assert current(view) == columns(score.terms[-2])
    page.keyboard.press("Home")
    visits.at_step(view, 0)
    expect(cell).to_have_count(0)

    # Reloaded while it plays, it is where it was.
    visits.press(page, " ")
    expect(view).to_have_attribute("data-step", re.compile("[3-9]"))
    page.reload()
    view = visits.view_of(page, "step")
    assert int(view.get_attribute("data-step")) >= 3
    visits.press(page, "Home")
    visits.at_step(view, 0)

    # A cell that is clicked opens its test, with its counts.
    x, y = visits.coronary().index("physical_work"), visits.coronary().index("smoking")
    view.locator(f'.cell[data-x="{x}"][data-y="{y}"]').click()
    place = [columns(term) for term in score.terms].index((x, y))
    visits.at_step(view, place + 1)
    term = score.terms[place]
    test = bjp.independence_test(visits.coronary(), term.x, term.y, term.given)
    expect(page.locator(".bjp-slice h4")).to_have_count(len(test.slices))
    whole = view.locator(".formula .result")
    assert float(whole.get_attribute("data-value")) == test.log_dependent


def test_another_test_scores_the_same_step_and_has_its_place(page):
    view = visits.open_view(page, "step")
    visits.take_keys(view)
    visits.press(page, *["ArrowRight"] * 3)
    visits.at_step(view, 3)
    section = page.locator(".bjp-slice")
    expect(section).to_have_count(1)
    tall = view.bounding_box()["height"]
    visits.choose_from_list(page, "step-test", "Centred cells")
    visits.at_step(view, 3)
    term = bjp.score(visits.coronary(), visits.climb_of().graph, prior_cells="centred").terms[2]
    assert current(view) == columns(term)
    value = re.compile(rf"^{re.escape(str(term.value))}")
    expect(view.locator(".formula .result")).to_have_attribute("data-value", value)
    expect(section).to_contain_text("(κ = 8)")
    expect(page.locator(".katex-display").first).to_be_visible()
    assert view.bounding_box()["height"] == tall

    # The result stays beside the title, and no part of the formula is cut off on a phone.
    visits.take_keys(view)
    visits.press(page, *["ArrowRight"] * 5)
    page.wait_for_url("**step=8")
    expect(page.locator(".st-key-step-head").get_by_text("centred cells")).to_be_visible()
    page.wait_for_function(
        """() => {
            const [title, result] = ["h1", "p"].map(e =>
                document.querySelector(`.st-key-step-head ${e}`)?.getBoundingClientRect());
            return title && result && result.left > title.right
                && result.bottom <= title.bottom + 8;
        }"""
    )
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(".katex-display").first).to_be_visible()
    page.wait_for_function(
        """() => [...document.querySelectorAll(".katex-display")].every(formula =>
            [...formula.querySelectorAll(".base")].every(base =>
                base.getBoundingClientRect().right <= formula.getBoundingClientRect().right + 1))"""
    )


def test_edges_are_edited_by_clicking_and_undone(page):
    view = visits.open_view(page, "step")
    places, edit = visits.positions(view), view.locator('[data-action="edit"]')
    undo = page.get_by_role("button", name="Undo")
    edit.click()
    new, old = ("mental_work", "family_history"), ("physical_work", "smoking")
    added, removed = (visits.pair_of(pair, visits.coronary()) for pair in (new, old))
    for node in added:
        view.locator(f'[data-node="{node}"]').click()
    graph = nx.Graph(visits.climb_of().graph)
    graph.add_edge(*new)
    assert_score(page, graph)
    expect(view.locator(f'[data-edge="{added[0]}-{added[1]}"]')).to_be_attached()
    expect(edit).to_have_attribute("aria-pressed", "true")
    graph.remove_edge(*old)
    visits.click_edge(page, view, *removed)
    assert_score(page, graph)
    gone = view.locator(f'[data-edge="{removed[0]}-{removed[1]}"]')
    expect(gone).to_have_count(0)
    page.keyboard.press("End")
    visits.at_step(view, 30)
    assert shown_score(view) == pytest.approx(bjp.score(visits.coronary(), graph).total, abs=5e-4)
    assert visits.positions(view) == places
    undo.click()
    expect(gone).to_be_attached()
    graph.add_edge(*old)
    assert_score(page, graph)


def test_local_scores_of_another_graph(page):
    view = visits.open_view(page, "step")
    visits.choose(page, "step-graph", "published")
    published = bjp.io.read_graph(visits.DATASETS / "coronary.published.csv")
    visits.choose(page, "step-score", "MPL")
    expect(view).to_have_attribute("data-steps", "6")
    visits.take_keys(view)
    page.keyboard.press("End")
    visits.at_step(view, 6)
    local = bjp.score(visits.coronary(), published, "mpl")
    rows = view.locator('.locals [data-state^="computed"]')
    expect(rows).to_have_count(6)
    shown = [visits.figure(text) for text in rows.locator(".value").all_inner_texts()]
    assert shown == pytest.approx([term.value for term in local.terms], abs=5e-4)
    assert shown_score(view) == pytest.approx(local.total, abs=5e-3)
