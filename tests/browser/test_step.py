"""Step through the score, with the hands of a person."""

from __future__ import annotations

import math
import re
from typing import Any

import networkx as nx
import pytest
from playwright.sync_api import Locator, Page, expect

import bjp_engine as bjp
from bjp_explorer.shell.text import count
from tests.browser.visits import (
    ROOT,
    at_step,
    choose,
    click_edge,
    figure,
    metric,
    open_page,
    positions,
    running,
    take_keys,
    view_of,
)

DATA = bjp.read_table(ROOT / "sample_data" / "datasets" / "coronary.csv")
LEARNED = bjp.learn(DATA, search="ibmap-hc").graph
SCORE = bjp.score(DATA, LEARNED)


@pytest.fixture
def view(page: Page) -> Locator:
    """The component, just opened on coronary."""
    open_page(page, "step")
    return view_of(page, "step")


def current(view: Locator) -> tuple[int, int]:
    """The cell that is highlighted, as a pair of columns."""
    cell = view.locator('.cell[data-state~="current"]')
    expect(cell).to_have_count(1)
    return int(cell.get_attribute("data-x")), int(cell.get_attribute("data-y"))


def pair(term: Any) -> tuple[int, int]:
    """The same of one of the engine's terms."""
    return DATA.index(term.x), DATA.index(term.y)


def cell_of(view: Locator, x: str, y: str) -> Locator:
    """The cell of an assertion."""
    return view.locator(f'.cell[data-x="{DATA.index(x)}"][data-y="{DATA.index(y)}"]')


def test_arrow_keys_make_one_test_after_another(page: Page, view: Locator) -> None:
    expect(view).to_have_attribute("data-steps", str(len(SCORE.terms)))
    so_far = 0.0
    for k, term in enumerate(SCORE.terms[:6], start=1):
        page.keyboard.press("ArrowRight")
        at_step(view, k)
        assert current(view) == pair(term)
        so_far = math.fsum((so_far, term.value))
        assert figure(metric(view, "score").inner_text()) == pytest.approx(so_far, abs=5e-5)
    assert not SCORE.terms[5].computed
    expect(view.locator('.cell[data-state~="current"]')).to_have_attribute(
        "data-state", "inferred current"
    )
    decided = "Why 1? Test 1 decided this pair from family_history"
    expect(view.locator(".why")).to_contain_text(decided)
    expect(page.get_by_text("No test was made here")).to_be_visible()
    expect(page.get_by_text("already decided this pair from its other end")).to_be_visible()

    page.keyboard.press("ArrowLeft")
    at_step(view, 5)
    assert current(view) == pair(SCORE.terms[4])
    page.keyboard.press("End")
    at_step(view, len(SCORE.terms))
    assert figure(metric(view, "score").inner_text()) == pytest.approx(SCORE.total, abs=5e-5)
    page.keyboard.press("Home")
    at_step(view, 0)
    expect(view.locator('.cell[data-state~="current"]')).to_have_count(0)


def test_the_counts_behind_a_cell(page: Page, view: Locator) -> None:
    cell_of(view, "physical_work", "smoking").click()
    place = [pair(term) for term in SCORE.terms].index(
        (DATA.index("physical_work"), DATA.index("smoking"))
    )
    at_step(view, place + 1)
    term = SCORE.terms[place]
    assert (term.given, term.dependent) == (("mental_work",), True)
    test = bjp.independence_test(DATA, term.x, term.y, term.given)
    sections = page.locator(".bjp-slice")
    expect(sections).to_have_count(len(test.slices))
    for section, part in zip(sections.all(), test.slices, strict=True):
        assert f"{part.rows:,} rows" in section.locator("h4").inner_text()
        counts = section.locator("tbody tr").evaluate_all(
            # Below each count stands the expected one.
            "rows => rows.map(row => [...row.querySelectorAll('td')]"
            ".map(td => td.firstChild.textContent))"
        )
        expected = [[*row, sum(row)] for row in part.counts.tolist()]
        expected.append([sum(column) for column in zip(*expected, strict=True)])
        assert [[int(figure(text)) for text in row] for row in counts] == expected
        told = section.inner_text().replace("\xa0", " ")
        for name, value in (("ln g", part.log_g), ("ln h", part.log_h)):
            assert figure(told.split(f"{name} = ")[1].split()[0]) == pytest.approx(value, abs=5e-3)
        here = figure(section.locator("strong").inner_text())
        assert here == pytest.approx(math.exp(part.log_independent), abs=5e-5)
    whole = view.locator(".formula .result")
    assert float(whole.get_attribute("data-value")) == test.log_dependent
    assert figure(whole.inner_text()) == pytest.approx(math.exp(test.log_dependent), abs=5e-5)


def test_another_test_scores_the_same_step(page: Page, view: Locator) -> None:
    take_keys(view)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    at_step(view, 3)
    expect(page.locator(".bjp-slice")).to_have_count(1)
    tall = view.bounding_box()["height"]
    page.locator(".st-key-step-test").get_by_role("combobox").click()
    with running(page):
        page.get_by_role("option", name="Centred cells").click()
    at_step(view, 3)
    term = bjp.score(DATA, LEARNED, prior_cells="centred").terms[2]
    assert current(view) == pair(term)
    whole = view.locator(".formula .result")
    expect(whole).to_have_attribute("data-value", re.compile(rf"^{re.escape(str(term.value))}"))
    (part,) = bjp.independence_test(DATA, term.x, term.y, prior_cells="centred").slices
    expect(page.locator(".bjp-slice")).to_contain_text("(κ = 8)")
    told = page.locator(".bjp-slice").inner_text().replace("\xa0", " ")
    assert figure(told.split("ln odds: ")[1].split()[0]) == pytest.approx(
        part.log_odds[0], abs=5e-3
    )
    expect(page.locator(".katex-display")).to_be_visible()
    assert view.bounding_box()["height"] == tall


def test_what_centred_cells_add_has_its_place(page: Page) -> None:
    """The result stays beside the title, and no part of the formula is cut off."""
    open_page(page, "step", "coronary&test=centred&step=8")
    head = page.locator(".st-key-step-head")
    expect(head.get_by_text("centred cells")).to_be_visible()
    # The row is laid out anew as its parts arrive.
    page.wait_for_function(
        "() => { const [title, result] = ['h1', 'p'].map("
        "e => document.querySelector(`.st-key-step-head ${e}`)?.getBoundingClientRect());"
        " return title && result && result.left > title.right"
        " && result.bottom <= title.bottom + 8 }"
    )
    page.set_viewport_size({"width": 390, "height": 844})
    formula = page.locator(".katex-display").first
    expect(formula).to_be_visible()
    page.wait_for_function(
        "[...document.querySelectorAll('.katex-display')].every(e =>"
        " [...e.querySelectorAll('.base')].every(b => b.getBoundingClientRect().right"
        " <= e.getBoundingClientRect().right + 1))"
    )


def score_told(page: Page, edges: int, title: str = "BJP") -> float:
    """The score in the page's own line, once the line is about that score of as many edges."""
    line = page.get_by_test_id("stMain").locator("p", has_text=f"· {count(edges, 'edge')} ")
    expect(line).to_contain_text(f"ln {title} = ")
    return figure(line.inner_text().split("= ")[1].split()[0])


def test_edges_are_added_and_removed_by_clicking(page: Page, view: Locator) -> None:
    places = positions(view)
    view.locator('[data-action="edit"]').click()
    new = ("mental_work", "family_history")
    i, j = sorted(map(DATA.index, new))
    view.locator(f'[data-node="{i}"]').click()
    view.locator(f'[data-node="{j}"]').click()
    more = nx.Graph(LEARNED)
    more.add_edge(*new)
    assert score_told(page, 6) == pytest.approx(bjp.score(DATA, more).total, abs=5e-4)
    expect(view.locator(f'[data-edge="{i}-{j}"]')).to_be_attached()
    expect(view.locator('[data-action="edit"]')).to_have_attribute("aria-pressed", "true")
    assert positions(view) == places

    old = ("physical_work", "smoking")
    more.remove_edge(*old)
    a, b = sorted(map(DATA.index, old))
    click_edge(page, view, a, b)
    assert score_told(page, 5) == pytest.approx(bjp.score(DATA, more).total, abs=5e-4)
    expect(view.locator(f'[data-edge="{a}-{b}"]')).to_have_count(0)
    page.keyboard.press("End")
    at_step(view, 30)
    shown = figure(metric(view, "score").inner_text())
    assert shown == pytest.approx(bjp.score(DATA, more).total, abs=5e-4)
    assert positions(view) == places

    page.get_by_role("button", name="Undo").click()
    expect(view.locator(f'[data-edge="{a}-{b}"]')).to_be_attached()
    more.add_edge(*old)
    assert score_told(page, 6) == pytest.approx(bjp.score(DATA, more).total, abs=5e-4)


def test_one_goes_on_editing_from_nothing_and_back(page: Page, view: Locator) -> None:
    choose(page, "step-graph", "other")
    expect(page.get_by_text("No other graph yet")).to_be_visible()
    edit = view.locator('[data-action="edit"]')
    edit.click()
    for amount, (i, j) in enumerate([(0, 2), (1, 3)], start=1):
        view.locator(f'[data-node="{i}"]').click()
        view.locator(f'[data-node="{j}"]').click()
        expect(view.locator(f'[data-edge="{i}-{j}"]')).to_be_attached()
        score_told(page, amount)
        expect(edit).to_have_attribute("aria-pressed", "true")
    for left in (1, 0):
        page.get_by_role("button", name="Undo").click()
        score_told(page, left)
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


def test_the_same_graph_by_ib_and_mpl(page: Page, view: Locator) -> None:
    choose(page, "step-graph", "published")
    published = bjp.io.read_graph(ROOT / "sample_data" / "datasets" / "coronary.published.csv")
    choose(page, "step-score", "IB-score")
    total = bjp.score(DATA, published, "ib").total
    assert score_told(page, 9, "IB-score") == pytest.approx(total, abs=5e-4)
    expect(metric(view, "inferred")).to_be_hidden()
    expect(view.locator("svg.network")).to_have_attribute("aria-label", re.compile("9 edges"))
    take_keys(view)
    page.keyboard.press("End")
    at_step(view, 30)
    expect(view.locator('.cell[data-state^="computed"]')).to_have_count(30)
    assert figure(metric(view, "score").inner_text()) == pytest.approx(total, abs=5e-4)

    choose(page, "step-score", "MPL")
    expect(view).to_have_attribute("data-steps", "6")
    take_keys(view)
    page.keyboard.press("End")
    at_step(view, 6)
    local = bjp.score(DATA, published, "mpl")
    rows = view.locator('.locals [data-state^="computed"]')
    expect(rows).to_have_count(6)
    shown = [figure(text) for text in rows.locator(".value").all_inner_texts()]
    assert shown == pytest.approx([term.value for term in local.terms], abs=5e-4)
    assert figure(metric(view, "score").inner_text()) == pytest.approx(local.total, abs=5e-3)
