"""The lessons in a browser: questions answered in the view, by hand, by keys, on a projector."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from bjp_explorer.lessons.course import LESSONS
from bjp_explorer.lessons.site import lesson_page
from tests.browser.visits import RESTING, at_rest, open_page, view_of

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def open_step(page: Page, lesson: int, step: int, more: str = "") -> Locator:
    """One step of a lesson by its URL."""
    page.goto(f"/lessons?lesson={lesson}&step={step}{more}")
    view = view_of(page, "lesson")
    stands_at(view, lesson, step)
    expect(page.locator(RESTING)).to_be_attached()
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
            view.get_by_role("button", name=re.compile("^Next")).click()


def click_node(view: Locator, node: int) -> None:
    view.locator(f'[data-node="{node}"] .ring').first.click()


def click_cell(page: Page, view: Locator, x: int, y: int) -> None:
    """Click a cell of the matrix where its state is drawn."""
    cell = view.locator(f'.cell[data-x="{x}"][data-y="{y}"] rect')
    cell.scroll_into_view_if_needed()
    box = cell.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def check(view: Locator) -> None:
    view.get_by_role("button", name="Check", exact=True).click()


def judged(view: Locator, words: str | re.Pattern[str]) -> None:
    """Wait for what is said to an answer."""
    expect(view.locator(".judged")).to_contain_text(words)


def test_cells_are_picked_judged_and_corrected(page: Page) -> None:
    view = open_step(page, 5, 4)
    cells = answer(5, 4)
    wrong = (cells[0][1], cells[0][0])
    click_cell(page, view, *wrong)
    expect(view.locator(f'[data-pick="{wrong[0]},{wrong[1]}"]')).to_be_visible()
    check(view)
    judged(view, "will be computed")
    expect(view.locator('.picked-cell[data-mark="wrong"]')).to_have_count(1)
    # Another try: the wrong cell is taken back, and what was said goes with it.
    click_cell(page, view, *wrong)
    expect(view.locator(".judged")).to_be_hidden()
    for cell in cells[:-1]:
        click_cell(page, view, *cell)
    check(view)
    judged(view, "has none yet")
    click_cell(page, view, *cells[-1])
    check(view)
    judged(view, "✓ Right")
    expect(view).to_have_attribute("data-state", "solved")
    expect(view.locator('.cell[data-state~="inferred"]')).to_have_count(len(cells))
    expect(view.get_by_role("button", name=re.compile("Lesson 5.*: solved"))).to_be_visible()
    expect(view.locator(".progress")).to_contain_text("1 of 8 solved")


def test_an_order_and_a_flip_are_picked(page: Page) -> None:
    view = open_step(page, 4, 4)
    for node in answer(4, 4):
        click_node(view, node)
    first = view.locator(f'[data-node="{answer(4, 4)[0]}"]')
    expect(first.locator(".badge")).to_have_text("1")
    check(view)
    judged(view, "✓ Right")
    expect(first.locator(".badge")).to_have_text("ψ₀")

    view = open_step(page, 7, 4)
    i, j = answer(7, 4)
    other = next(k for k in range(6) if k not in (i, j))
    click_node(view, i)
    click_node(view, other)
    check(view)
    judged(view, "not the lowest")
    click_node(view, other)
    click_node(view, j)
    check(view)
    judged(view, "removes the edge")


def test_a_drawing_keeps_its_stop_of_tab_once_an_answer_is_checked(page: Page) -> None:
    view = open_step(page, 7, 4)
    drawing = view.locator("svg.network").first
    i, j = sorted(answer(7, 4))
    edge = drawing.locator(f'[data-edge="{i}-{j}"]')
    drawing.locator('[data-node="0"]').focus()
    # The arrows come to an edge, and stay there.
    for _ in range(20):
        page.keyboard.press("PageDown")
        if edge.get_attribute("tabindex") == "0":
            break
    page.keyboard.press("Enter")
    check(view)
    judged(view, "removes the edge")
    assert edge.get_attribute("tabindex") is None
    assert drawing.locator('[tabindex="0"]').count() == 1


def test_show_me_is_no_solution(page: Page) -> None:
    view = open_step(page, 1, 4)
    view.get_by_role("button", name="Show me").click()
    judged(view, "The answer")
    expect(view.get_by_role("button", name=re.compile("Lesson 1.*with help"))).to_be_visible()
    view.get_by_role("button", name="Try it again").click()
    expect(view).to_have_attribute("data-state", "open")
    for node in answer(1, 4):
        click_node(view, node)
    check(view)
    judged(view, "✓ Right")
    expect(view.get_by_role("button", name=re.compile("Lesson 1.*: solved"))).to_be_visible()


def test_cards_are_picked(page: Page) -> None:
    view = open_step(page, 2, 5)
    for k in answer(2, 5):
        view.locator(".counts-card .pick").nth(k).click()
    check(view)
    judged(view, "✓ Right")
    view = open_step(page, 8, 4)
    view.locator(".net-card .pick").nth(0).click()
    check(view)
    judged(view, "another saves more")
    view.locator(".net-card .pick").nth(answer(8, 4)[0]).click()
    expect(view.locator(".net-card[data-picked]")).to_have_count(1)
    check(view)
    judged(view, "✓ Right")


def test_views_answer_without_the_server(page: Page) -> None:
    view = open_step(page, 1, 3)
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda _: sent.append("frame")))
    expect(view.locator(".say")).to_contain_text("open")
    click_node(view, 2)
    expect(view.locator(".say")).to_contain_text("blocked")
    click_node(view, 2)
    expect(view.locator(".say")).to_contain_text("open")
    view = open_step(page, 6, 2)
    before = len(sent)
    for k in range(1, 13):
        view.get_by_role("button", name="One more").click()
        expect(view.locator(".say")).to_contain_text(f"{k} of 12")
    expect(view.locator(".metric .value").first).to_have_text("6")
    assert len(sent) == before


def test_by_keys_alone(page: Page) -> None:
    view = open_step(page, 3, 3)
    page.keyboard.press("ArrowRight")
    stands_at(view, 3, 4)
    for node in answer(3, 4):
        view.locator(f'[data-node="{node}"]').focus()
        page.keyboard.press("Enter" if node % 2 else "Space")
        expect(view.locator(f'[data-node="{node}"]')).to_have_attribute("aria-pressed", "true")
    for _ in range(60):
        page.keyboard.press("Tab")
        if view.evaluate("e => e.getRootNode().activeElement?.textContent") == "Check":
            break
    page.keyboard.press("Enter")
    judged(view, "✓ Right")
    page.keyboard.press("ArrowRight")
    stands_at(view, 4, 1)
    expect(page).to_have_url(re.compile("lesson=4$"))
    page.keyboard.press("ArrowLeft")
    stands_at(view, 3, 4)
    judged(view, "✓ Right")


def test_cells_by_keys(page: Page) -> None:
    view = open_step(page, 5, 4)
    body = view.locator("svg.body")
    body.focus()
    # The arrows move within the matrix, not through the lesson.
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    stands_at(view, 5, 4)
    expect(view.locator(".picked-cell")).to_have_count(2)
    expect(view.locator('[data-pick="0,1"]')).to_have_count(1)
    expect(view.locator('[data-pick="0,2"]')).to_have_count(1)


def test_the_projector_by_url_and_by_key(page: Page) -> None:
    view = open_step(page, 6, 2, "&projector=1")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(page.get_by_test_id("stHeader")).to_be_hidden()
    large = view.locator(".words").evaluate(
        "e => parseFloat(getComputedStyle(e.firstChild).fontSize)"
    )
    assert large >= 19
    page.keyboard.press("ArrowRight")
    stands_at(view, 6, 3)
    expect(page).to_have_url(re.compile("projector=1"))
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    expect(page).not_to_have_url(re.compile("projector"))
    at_rest(page, "lessons")
    view.get_by_role("button", name="Fill the screen").click()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()


def test_answers_outlive_the_visit(new_page: Callable[..., Any]) -> None:
    page = new_page(fresh=True)
    view = open_step(page, 1, 4)
    for node in answer(1, 4):
        click_node(view, node)
    check(view)
    judged(view, "✓ Right")
    page.reload()
    solved = re.compile("Lesson 1.*: solved")
    expect(view.get_by_role("button", name=solved)).to_be_visible(timeout=10_000)
    judged(view, "✓ Right")
    # In another tab, too, until one tries again.
    other = page.context.new_page()
    there = open_step(other, 2, 1)
    expect(there.get_by_role("button", name=solved)).to_be_visible()
    there.get_by_role("button", name=solved).click()
    stands_at(there, 1, 1)
    there.get_by_role("button", name=re.compile("Step 4")).click()
    judged(there, "✓ Right")
    there.get_by_role("button", name="Try it again").click()
    expect(there).to_have_attribute("data-state", "open")
    other.reload()
    stands_at(there, 1, 4)
    expect(other.locator(RESTING)).to_be_attached()
    expect(there).to_have_attribute("data-state", "open")


def test_what_the_browser_kept_is_judged_anew(new_page: Callable[..., Any]) -> None:
    page = new_page(fresh=True)
    right = {"picks": list(answer(1, 4)), "state": "solved"}
    wrong = {"picks": [0], "state": "solved"}
    kept = json.dumps({"1.4": right, "3.4": wrong, "9.9": right, "x": right, "2.1": right})
    page.add_init_script(f"localStorage.setItem('bjp-explorer.lessons', {json.dumps(kept)})")
    view = open_step(page, 1, 1)
    expect(view.locator(".progress")).to_contain_text("1 of 8 solved")
    expect(view.get_by_role("button", name=re.compile("Lesson 1.*: solved"))).to_be_visible()


def test_the_last_lesson_leads_on(page: Page) -> None:
    last = len(LESSONS[-1].steps)
    view = open_step(page, 8, last)
    view.get_by_role("button", name="Finish →").click()
    stands_at(view, 8, last + 1)
    expect(view.locator("h3")).to_have_text("The end of the lessons")
    expect(page).to_have_url(re.compile(f"lesson=8&step={last + 1}$"))
    expect(view.locator(".still-open li")).to_have_count(8)
    page.keyboard.press("ArrowLeft")
    stands_at(view, 8, last)
    page.keyboard.press("ArrowRight")
    stands_at(view, 8, last + 1)
    view.locator('[data-page="step"]').click()
    at_rest(page, "step")
    view_of(page, "step")


def test_what_was_clicked_outranks_what_is_pointed_at(page: Page) -> None:
    view = open_step(page, 1, 2)
    click_node(view, 1)
    click_node(view, 4)
    # The pointer rests on the second.
    first = view.locator('[data-node="1"]')
    expect(first).to_have_attribute("data-picked", "")
    expect(view.locator("svg.network")).to_have_attribute("data-lit", "")
    faded = "node => getComputedStyle(node.querySelector('.ring')).strokeOpacity"
    assert first.evaluate(faded) == "1"

    view = open_step(page, 4, 2)
    leaf = 3
    click_node(view, leaf)
    tested = view.locator('[data-tone="tested"]').first
    expect(tested).to_have_attribute("data-near", "")
    stroke = "edge => getComputedStyle(edge.querySelector('.ink')).stroke"
    page.mouse.move(2, 2)
    expect(view.locator("svg.network")).not_to_have_attribute("data-lit", "")
    plain = tested.evaluate(stroke)
    view.locator(f'[data-node="{leaf}"] .ring').hover()
    expect(view.locator("svg.network")).to_have_attribute("data-lit", "")
    assert tested.evaluate(stroke) == plain


def test_a_low_window_shows_lesson_7_and_each_step_begins_at_its_top(
    new_page: Callable[..., Any],
) -> None:
    page = new_page(viewport={"width": 1280, "height": 720})
    view = open_step(page, 7, 1)
    for part in ("h3", "svg.body", ".way .primary"):
        expect(view.locator(part).first).to_be_in_viewport(ratio=1)
    matrix, way = (view.locator(part).bounding_box() for part in ("svg.body", ".way"))
    assert matrix
    assert way
    assert matrix["y"] + matrix["height"] <= way["y"]
    # Tabs bear names.
    expect(view.locator(".lesson-short").nth(6)).to_be_visible()
    page.locator('[data-testid="stMain"]').evaluate("main => main.scrollTo(0, 1e6)")
    assert page.locator('[data-testid="stMain"]').evaluate("main => main.scrollTop") > 100
    for step in (2, 3):
        view.get_by_role("button", name="Next →").click()
        stands_at(view, 7, step)
        expect(view.locator("h3")).to_be_in_viewport(ratio=1)
        page.locator('[data-testid="stMain"]').evaluate("main => main.scrollTo(0, 1e6)")


LOW = {"viewport": {"width": 1280, "height": 720}}


def ends_above_the_bar(view: Locator, part: str) -> None:
    """Wait until the last of some parts is in sight, and not under the bar that leads on."""
    view.page.wait_for_function(
        """([view, part]) => {
            const end = [...view.querySelectorAll(part)].at(-1).getBoundingClientRect().bottom;
            return end > 0 && end <= view.querySelector(".way").getBoundingClientRect().top;
        }""",
        arg=[view.element_handle(), part],
        timeout=5000,
    )


def test_a_low_window_shows_what_a_press_has_changed(new_page: Callable[..., Any]) -> None:
    page = new_page(**LOW, fresh=True)
    for lesson, part in ((5, ".say"), (7, ".metric")):
        view = open_step(page, lesson, 2)
        for _ in range(2):
            view.get_by_role("button", name="One more").click()
        ends_above_the_bar(view, part)
    ends_above_the_bar(open_step(page, 3, 3), ".lesson-table tr")
    view = open_step(page, 2, 5)
    view.locator(".counts-card .pick").nth(1).click()
    check(view)
    judged(view, "Not yet")
    ends_above_the_bar(view, ".actions")
    # What is chosen bears no tick while it is no answer.
    expect(view.locator(".counts-card .pick").nth(1)).to_have_text("B · 1,841 rows ●")
    view = open_step(page, 5, 4)
    first = answer(5, 4)[0]
    click_cell(page, view, first[1], first[0])
    check(view)
    judged(view, "Not yet")
    ends_above_the_bar(view, ".actions")


@pytest.mark.parametrize("window", [LOW, PHONE], ids=["low", "phone"])
def test_degrees_can_be_counted_and_columns_bear_whole_names(
    new_page: Callable[..., Any], window: dict[str, Any]
) -> None:
    page = new_page(**window)
    view = open_step(page, 8, 4)
    for k in range(3):
        near = (
            view.locator(".net-card")
            .nth(k)
            .evaluate(
                """card => {
                    const all = [...card.querySelectorAll(".ring")];
                    const boxes = all.map(ring => ring.getBoundingClientRect());
                    const apart = (a, b) => Math.hypot(a.x - b.x, a.y - b.y) / a.width;
                    return Math.min(
                        ...boxes.flatMap((a, i) => boxes.slice(0, i).map(b => apart(a, b))));
                }"""
            )
        )
        assert near > 1.5, k
    view = open_step(page, 7, 4)
    room = view.locator("svg.columns").evaluate(
        """svg => svg.getBoundingClientRect().right
            - svg.querySelector(".name:nth-child(6) text").getBoundingClientRect().right"""
    )
    assert room >= 0


def test_another_language_keeps_the_step_and_what_was_answered(page: Page) -> None:
    view = open_step(page, 6, 5)
    check(view)
    judged(view, "✓ Right" if answer(6, 5) == () else "✗ Not yet")
    page.get_by_role("combobox", name="Language").click()
    page.get_by_role("option", name="Español").click()
    expect(view).to_have_attribute("lang", "es")
    stands_at(view, 6, 5)
    judged(view, "conjunto condicionante")
    expect(page.get_by_role("heading", name="Lecciones")).to_be_visible()
    expect(page).to_have_url(re.compile(r"lang=es"))
    # What is drawn has its words, too, and still answers to keys.
    expect(view.get_by_role("button", name="Ampliar").first).to_be_attached()
    view.get_by_role("button", name="← Anterior").click()
    stands_at(view, 6, 4)


def test_the_present_lesson_is_saved_as_a_page(page: Page, tmp_path: Path) -> None:
    open_step(page, 3, 2, "&lang=es")
    with page.expect_download() as saving:
        page.get_by_role("button", name="Compartir como página").click()
    path = tmp_path / saving.value.suggested_filename
    saving.value.save_as(path)
    assert path.name == "lesson-3-es.html"
    assert path.read_text("utf-8") == lesson_page(3, "es")


def test_every_step_fits_a_phone(new_page: Callable[..., Any]) -> None:
    page = new_page(**PHONE)
    open_page(page, "lessons")
    view = view_of(page, "lesson")
    for lesson, step in walk(view):
        wide, room = page.locator('[data-testid="stMain"]').evaluate(
            "e => [e.scrollWidth, e.clientWidth]"
        )
        assert wide <= room, f"{lesson}.{step} is {wide - room} pixels too wide"
        parts = view.evaluate(
            """e => [...e.querySelectorAll(".card, .words, .reply, .way, .progress")]
                .filter(part => part.checkVisibility())
                .map(part => part.getBoundingClientRect().right)"""
        )
        assert max(parts) <= 390, f"{lesson}.{step} reaches beyond the edge"


def test_on_a_phone_the_verdict_comes_into_sight(new_page: Callable[..., Any]) -> None:
    page = new_page(**PHONE, fresh=True)
    view = open_step(page, 1, 4)
    click_node(view, answer(1, 4)[0])
    view.get_by_role("button", name="Check").scroll_into_view_if_needed()
    check(view)
    verdict = view.locator(".judged")
    expect(verdict).to_be_visible()
    expect(verdict).to_be_in_viewport(ratio=0.95)
    # The steps stand in one line, and none is cut off.
    tops = view.locator(".dots li").evaluate_all(
        "items => items.map(item => item.getBoundingClientRect().top)"
    )
    assert max(tops) - min(tops) < 1


def test_on_a_phone_bullets_stand_at_the_first_line(new_page: Callable[..., Any]) -> None:
    page = new_page(**PHONE, fresh=True)
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


def test_every_step_is_on_one_screen_of_a_projector(new_page: Callable[..., Any]) -> None:
    page = new_page(viewport={"width": 1280, "height": 720})
    view = open_step(page, 1, 1, "&projector=1")
    for _ in walk(view):
        # Title, way on, and the drawing: all in sight without scrolling.
        for part in ("h3", ".way", ".net, .counts"):
            expect(view.locator(part).first).to_be_in_viewport(ratio=0.6)
