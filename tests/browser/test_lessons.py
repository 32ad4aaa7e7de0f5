"""The lessons in a browser: questions answered in the view, by hand, by keys, on a projector."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from playwright.sync_api import Locator, Page, expect

from bjp_explorer.lessons.course import LESSONS
from bjp_explorer.lessons.site import lesson_page
from tests.browser.visits import (
    PHONE,
    PROJECTOR,
    at_rest,
    eventually,
    frames,
    open_view,
    press,
    rest,
    save,
    sent_by,
    view_of,
)


def open_step(page: Page, lesson: int, step: int, more: str = "") -> Locator:
    """One step of a lesson by its URL."""
    page.goto(f"/lessons?lesson={lesson}&step={step}{more}")
    view = view_of(page, "lesson")
    stands_at(view, lesson, step)
    rest(page)
    return view


def stands_at(view: Locator, lesson: int, step: int) -> None:
    """Wait until the component shows a step."""
    expect(view).to_have_attribute("data-at", f"{lesson}.{step}")


def answer(lesson: int, step: int) -> Any:
    """The engine's answer."""
    question = LESSONS[lesson - 1].steps[step - 1].question
    assert question is not None
    return question.answer()


def walk(view: Locator) -> Iterator[tuple[int, int]]:
    """Go through all lessons by the button, from the first step."""
    steps = [(k, s) for k, each in enumerate(LESSONS, 1) for s in range(1, len(each.steps) + 1)]
    for lesson, step in steps:
        stands_at(view, lesson, step)
        yield lesson, step
        if (lesson, step) != steps[-1]:
            button(view, re.compile("^Next")).click()


def button(view: Locator, name: str | re.Pattern[str]) -> Locator:
    return view.get_by_role("button", name=name)


def solved(view: Locator, lesson: int) -> Locator:
    """The tab of a lesson that is solved."""
    return button(view, re.compile(f"Lesson {lesson}.*: solved"))


def click_nodes(view: Locator, *nodes: int) -> None:
    for node in nodes:
        view.locator(f'[data-node="{node}"] .ring').first.click()


def click_cell(page: Page, view: Locator, x: int, y: int) -> None:
    """Click a cell of the matrix where its state is drawn."""
    cell = view.locator(f'.cell[data-x="{x}"][data-y="{y}"] rect')
    cell.scroll_into_view_if_needed()
    box = cell.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def check(view: Locator, words: str) -> None:
    """Have an answer judged, and wait for what is said to it."""
    view.get_by_role("button", name="Check", exact=True).click()
    judged(view, words)


def judged(view: Locator, words: str) -> None:
    expect(view.locator(".judged")).to_contain_text(words)


def test_cells_are_picked_judged_and_corrected(page: Page) -> None:
    view = open_step(page, 5, 4)
    cells = answer(5, 4)
    wrong = (cells[0][1], cells[0][0])
    click_cell(page, view, *wrong)
    expect(view.locator(f'[data-pick="{wrong[0]},{wrong[1]}"]')).to_be_visible()
    check(view, "will be computed")
    expect(view.locator('.picked-cell[data-mark="wrong"]')).to_have_count(1)
    # Another try: the wrong cell is taken back, and what was said goes with it.
    click_cell(page, view, *wrong)
    expect(view.locator(".judged")).to_be_hidden()
    for cell in cells[:-1]:
        click_cell(page, view, *cell)
    check(view, "has none yet")
    click_cell(page, view, *cells[-1])
    check(view, "✓ Right")
    expect(view).to_have_attribute("data-state", "solved")
    expect(view.locator('.cell[data-state~="inferred"]')).to_have_count(len(cells))
    expect(solved(view, 5)).to_be_visible()
    expect(view.locator(".progress")).to_contain_text("1 of 8 solved")


def test_nodes_and_cards_are_picked(page: Page) -> None:
    view = open_step(page, 4, 4)
    click_nodes(view, *answer(4, 4))
    badge = view.locator(f'[data-node="{answer(4, 4)[0]}"] .badge')
    expect(badge).to_have_text("1")
    check(view, "✓ Right")
    expect(badge).to_have_text("ψ₀")

    view = open_step(page, 7, 4)
    i, j = sorted(answer(7, 4))
    other = next(k for k in range(6) if k not in (i, j))
    click_nodes(view, i, other)
    check(view, "not the lowest")
    click_nodes(view, other, j)
    # A drawing keeps its stop of Tab: the arrows come to an edge, which is no stop once it goes.
    drawing = view.locator("svg.network").first
    edge = drawing.locator(f'[data-edge="{i}-{j}"]')
    drawing.locator('[data-node="0"]').focus()
    for _ in range(20):
        page.keyboard.press("PageDown")
        if edge.get_attribute("tabindex") == "0":
            break
    expect(edge).to_have_attribute("tabindex", "0")
    check(view, "removes the edge")
    assert edge.get_attribute("tabindex") is None
    assert drawing.locator('[tabindex="0"]').count() == 1

    # What is shown is no solution.
    view = open_step(page, 1, 4)
    button(view, "Show me").click()
    judged(view, "The answer")
    expect(button(view, re.compile("Lesson 1.*with help"))).to_be_visible()
    button(view, "Try it again").click()
    expect(view).to_have_attribute("data-state", "open")
    click_nodes(view, *answer(1, 4))
    check(view, "✓ Right")
    expect(solved(view, 1)).to_be_visible()

    view = open_step(page, 2, 5)
    for k in answer(2, 5):
        view.locator(".counts-card .pick").nth(k).click()
    check(view, "✓ Right")
    view = open_step(page, 8, 4)
    picks = view.locator(".net-card .pick")
    picks.nth(0).click()
    check(view, "another saves more")
    picks.nth(answer(8, 4)[0]).click()
    expect(view.locator(".net-card[data-picked]")).to_have_count(1)
    check(view, "✓ Right")


def test_views_answer_without_the_server(page: Page) -> None:
    sent = sent_by(page)
    view = open_step(page, 1, 3)
    said = view.locator(".say")
    for words in ("blocked", "open"):
        click_nodes(view, 2)
        expect(said).to_contain_text(words)
    view = open_step(page, 6, 2)
    frames(page, 30)
    sent.clear()
    for k in range(1, 13):
        button(view, "One more").click()
        expect(said).to_contain_text(f"{k} of 12")
    expect(view.locator(".metric .value").first).to_have_text("6")
    assert not sent


def test_the_last_lesson_leads_on(page: Page) -> None:
    last = len(LESSONS[-1].steps)
    view = open_step(page, 8, last)
    button(view, "Finish →").click()
    stands_at(view, 8, last + 1)
    expect(view.locator("h3")).to_have_text("The end of the lessons")
    page.wait_for_url(f"**lesson=8&step={last + 1}")
    expect(view.locator(".still-open li")).to_have_count(8)
    page.keyboard.press("ArrowLeft")
    stands_at(view, 8, last)
    page.keyboard.press("ArrowRight")
    stands_at(view, 8, last + 1)
    view.locator('[data-page="step"]').click()
    at_rest(page, "step")
    view_of(page, "step")


def test_by_keys_alone(page: Page) -> None:
    # The arrows move within a matrix, not through the lesson.
    view = open_step(page, 5, 4)
    view.locator("svg.body").focus()
    press(page, "ArrowRight", "Space", "ArrowRight", "Enter")
    stands_at(view, 5, 4)
    expect(view.locator(".picked-cell")).to_have_count(2)
    for pick in ("0,1", "0,2"):
        expect(view.locator(f'[data-pick="{pick}"]')).to_have_count(1)

    view = open_step(page, 3, 3)
    page.keyboard.press("ArrowRight")
    stands_at(view, 3, 4)
    for node in answer(3, 4):
        place = view.locator(f'[data-node="{node}"]')
        place.focus()
        page.keyboard.press("Enter" if node % 2 else "Space")
        expect(place).to_have_attribute("aria-pressed", "true")
    for _ in range(60):
        page.keyboard.press("Tab")
        if view.evaluate("e => e.getRootNode().activeElement?.textContent") == "Check":
            break
    page.keyboard.press("Enter")
    judged(view, "✓ Right")
    page.keyboard.press("ArrowRight")
    stands_at(view, 4, 1)
    page.wait_for_url("**lesson=4")
    page.keyboard.press("ArrowLeft")
    stands_at(view, 3, 4)
    judged(view, "✓ Right")


def test_what_was_clicked_outranks_what_is_pointed_at(page: Page) -> None:
    view = open_step(page, 1, 2)
    drawing = view.locator("svg.network")
    click_nodes(view, 1, 4)
    # The pointer rests on the second.
    first = view.locator('[data-node="1"]')
    expect(first).to_have_attribute("data-picked", "")
    expect(drawing).to_have_attribute("data-lit", "")
    faded = "node => getComputedStyle(node.querySelector('.ring')).strokeOpacity"
    assert first.evaluate(faded) == "1"

    view = open_step(page, 4, 2)
    click_nodes(view, 3)
    tested = view.locator('[data-tone="tested"]').first
    expect(tested).to_have_attribute("data-near", "")
    stroke = "edge => getComputedStyle(edge.querySelector('.ink')).stroke"
    page.mouse.move(2, 2)
    expect(drawing).not_to_have_attribute("data-lit", "")
    plain = tested.evaluate(stroke)
    view.locator('[data-node="3"] .ring').hover()
    expect(drawing).to_have_attribute("data-lit", "")
    assert tested.evaluate(stroke) == plain


def test_every_step_is_on_one_screen_of_a_projector(new_page: Callable[..., Any]) -> None:
    page = new_page(**PROJECTOR)
    view = open_step(page, 1, 1, "&projector=1")
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar).to_be_hidden()
    expect(page.get_by_test_id("stHeader")).to_be_hidden()
    size = "e => parseFloat(getComputedStyle(e.firstChild).fontSize)"
    for _ in walk(view):
        # Title, way on, and the drawing: all in sight without scrolling.
        for part in ("h3", ".way", ".net, .counts"):
            expect(view.locator(part).first).to_be_in_viewport(ratio=0.6)
        assert view.locator(".words").evaluate(size) >= 19
    page.keyboard.press("ArrowLeft")
    stands_at(view, 8, len(LESSONS[-1].steps) - 1)
    expect(page).to_have_url(re.compile("projector=1"))
    page.keyboard.press("Escape")
    expect(sidebar).to_be_visible()
    expect(page).not_to_have_url(re.compile("projector"))
    at_rest(page, "lessons")
    button(view, "Fill the screen").click()
    expect(sidebar).to_be_hidden()


def test_answers_outlive_the_visit(new_page: Callable[..., Any]) -> None:
    page = new_page(fresh=True)
    view = open_step(page, 1, 4)
    click_nodes(view, *answer(1, 4))
    check(view, "✓ Right")
    page.reload()
    expect(solved(view, 1)).to_be_visible()
    judged(view, "✓ Right")
    # In another tab, too, until one tries again.
    other = page.context.new_page()
    there = open_step(other, 2, 1)
    solved(there, 1).click()
    stands_at(there, 1, 1)
    button(there, re.compile("Step 4")).click()
    judged(there, "✓ Right")
    button(there, "Try it again").click()
    expect(there).to_have_attribute("data-state", "open")
    other.reload()
    stands_at(there, 1, 4)
    rest(other)
    expect(there).to_have_attribute("data-state", "open")

    # What the browser kept is judged again.
    page = new_page(fresh=True)
    right = {"picks": list(answer(1, 4)), "state": "solved"}
    wrong = {"picks": [0], "state": "solved"}
    kept = json.dumps({"1.4": right, "3.4": wrong, "9.9": right, "x": right, "2.1": right})
    page.add_init_script(f"localStorage.setItem('bjp-explorer.lessons', {json.dumps(kept)})")
    view = open_step(page, 1, 1)
    expect(view.locator(".progress")).to_contain_text("1 of 8 solved")
    expect(solved(view, 1)).to_be_visible()


def test_a_low_window_shows_what_matters(new_page: Callable[..., Any]) -> None:
    """The drawing of lesson 7, the top of each step, and what a press has changed."""
    page = new_page(**PROJECTOR, fresh=True)
    view = open_step(page, 7, 1)
    for part in ("h3", "svg.body", ".way .primary"):
        expect(view.locator(part).first).to_be_in_viewport(ratio=1)
    ends_above_the_bar(view, "svg.body")
    # Tabs bear names.
    expect(view.locator(".lesson-short").nth(6)).to_be_visible()
    main = page.get_by_test_id("stMain")
    to_end = "main => { main.scrollTo(0, 1e6); return main.scrollTop; }"
    assert main.evaluate(to_end) > 100
    for step in (2, 3):
        button(view, "Next →").click()
        stands_at(view, 7, step)
        expect(view.locator("h3")).to_be_in_viewport(ratio=1)
        main.evaluate(to_end)

    for lesson, part in ((5, ".say"), (7, ".metric")):
        view = open_step(page, lesson, 2)
        for _ in range(2):
            button(view, "One more").click()
        ends_above_the_bar(view, part)
    ends_above_the_bar(open_step(page, 3, 3), ".lesson-table tr")
    view = open_step(page, 2, 5)
    pick = view.locator(".counts-card .pick").nth(1)
    pick.click()
    check(view, "Not yet")
    ends_above_the_bar(view, ".actions")
    # What is chosen bears no tick while it is no answer.
    expect(pick).to_have_text("B · 1,841 rows ●")
    view = open_step(page, 5, 4)
    x, y = answer(5, 4)[0]
    click_cell(page, view, y, x)
    check(view, "Not yet")
    ends_above_the_bar(view, ".actions")
    assert_large_drawings(page)


def ends_above_the_bar(view: Locator, part: str) -> None:
    """Wait until the last of some parts is in sight, and not under the bar that leads on."""
    view.page.wait_for_function(
        """([view, part]) => {
            const end = [...view.querySelectorAll(part)].at(-1).getBoundingClientRect().bottom;
            return end > 0 && end <= view.querySelector(".way").getBoundingClientRect().top;
        }""",
        arg=[view.element_handle(), part],
    )


def assert_large_drawings(page: Page) -> None:
    """Degrees can be counted, and columns bear whole names."""
    view = open_step(page, 8, 4)
    expect(view.locator(".net-card")).to_have_count(3)
    for card in view.locator(".net-card").all():
        near = card.evaluate(
            """card => {
                const boxes = [...card.querySelectorAll(".ring")]
                    .map(ring => ring.getBoundingClientRect());
                const apart = (a, b) => Math.hypot(a.x - b.x, a.y - b.y) / a.width;
                return Math.min(...boxes.flatMap((a, i) => boxes.slice(0, i)
                    .map(b => apart(a, b))));
            }"""
        )
        assert near > 1.5
    beyond = """svg => svg.querySelector(".name:nth-child(6) text").getBoundingClientRect().right
        - svg.getBoundingClientRect().right"""
    assert open_step(page, 7, 4).locator("svg.columns").evaluate(beyond) <= 0


def test_every_step_fits_a_phone(new_page: Callable[..., Any]) -> None:
    page = new_page(**PHONE, fresh=True)
    view = open_view(page, "lessons", view="lesson")

    def fits(lesson: int, step: int) -> None:
        excess = page.get_by_test_id("stMain").evaluate("e => e.scrollWidth - e.clientWidth")
        assert excess <= 0, f"{lesson}.{step} is {excess} pixels too wide"
        parts = view.evaluate(
            """e => [...e.querySelectorAll(".card, .words, .reply, .way, .progress")]
                .filter(part => part.checkVisibility())
                .map(part => part.getBoundingClientRect().right)"""
        )
        assert max(parts) <= 390, f"{lesson}.{step} reaches beyond the edge"

    for place in walk(view):
        eventually(page, lambda place=place: fits(*place))
    assert_large_drawings(page)

    # The verdict comes into sight. The steps are in one line, and none is cut off.
    view = open_step(page, 1, 4)
    click_nodes(view, answer(1, 4)[0])
    button(view, "Check").scroll_into_view_if_needed()
    button(view, "Check").click()
    expect(view.locator(".judged")).to_be_in_viewport(ratio=0.95)
    tops = view.locator(".dots li").evaluate_all(
        "items => items.map(item => item.getBoundingClientRect().top)"
    )
    assert max(tops) - min(tops) < 1
    # Bullets are at the first line.
    view = open_step(page, 8, len(LESSONS[7].steps) + 1)
    above = view.locator(".still-open li").evaluate_all(
        """items => items.map(item => {
            const letter = document.createElement("span");
            letter.textContent = "x";
            letter.style.cssText = "display:inline-block;width:0";
            item.prepend(letter);
            const by = letter.getBoundingClientRect().top
                - letter.nextSibling.getBoundingClientRect().top;
            letter.remove();
            return Math.abs(by);
        })"""
    )
    assert len(above) == 8
    assert max(above) < 10


def test_another_language_keeps_the_step_and_what_was_answered(page: Page) -> None:
    view = open_step(page, 6, 5)
    check(view, "✓ Right" if answer(6, 5) == () else "✗ Not yet")
    page.get_by_role("combobox", name="Language").click()
    page.get_by_role("option", name="Español").click()
    expect(view).to_have_attribute("lang", "es")
    stands_at(view, 6, 5)
    judged(view, "conjunto condicionante")
    expect(page.get_by_role("heading", name="Lecciones")).to_be_visible()
    expect(page).to_have_url(re.compile(r"lang=es"))
    # What is drawn has its words, too.
    expect(button(view, "Ampliar").first).to_be_attached()
    button(view, "← Anterior").click()
    stands_at(view, 6, 4)
    rest(page)
    name, content = save(page, page.get_by_role("button", name="Compartir como página"))
    assert name == "lesson-6-es.html"
    assert content.decode() == lesson_page(6, "es")
