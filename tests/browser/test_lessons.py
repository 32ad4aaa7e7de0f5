"""The lessons: answered in the view by hand, by keys, on a projector, and as files on a disk."""

import html
import json
import math
import re

import networkx as nx
import pytest
from playwright.sync_api import expect

import bjp_engine as bjp
from bjp_explorer.lessons import hub as lesson_hub
from bjp_explorer.lessons.course import FILES, LESSONS, candidates, lesson_page, write_lessons
from bjp_explorer.shell.text import number as number_text
from bjp_explorer.shell.text import probability
from tests.browser import visits
from tests.browser.visits import PHONE, PROJECTOR, at_place, rest

STEPS = [(k, s) for k, each in enumerate(LESSONS, 1) for s in range(1, len(each.steps) + 1)]
# What a drawn sign or a bold word is written with.
MARKS = re.compile(r"[*^{}⊥\u0338\s]+")


def open_step(page, lesson, step, more=""):
    """One step of a lesson by its URL."""
    page.goto(f"/lessons?lesson={lesson}&step={step}{more}")
    view = visits.view_of(page, "lesson")
    stands_at(view, lesson, step)
    rest(page)
    return view


def stands_at(view, lesson, step):
    at_place(view, f"{lesson}.{step}")


def question_of(lesson, step):
    return LESSONS[lesson - 1].steps[step - 1].question


def answer(lesson, step):
    """The engine's answer."""
    return question_of(lesson, step).answer()


def walk(view):
    """Go through all lessons by the button, from the first step."""
    for place in STEPS:
        stands_at(view, *place)
        yield place
        if place != STEPS[-1]:
            button(view, re.compile("^Next")).click()


def button(view, name):
    return view.get_by_role("button", name=name)


def solved(view, lesson):
    """The tab of a lesson that is solved."""
    return button(view, re.compile(f"Lesson {lesson}.*: solved"))


def node(view, k):
    return view.locator(f'[data-node="{k}"]').first


def click_nodes(view, *nodes):
    for k in nodes:
        node(view, k).locator(".ring").click()


def click_cell(page, view, x, y):
    """Click a cell of the matrix where its state is drawn."""
    cell = view.locator(f'.cell[data-x="{x}"][data-y="{y}"] rect')
    cell.scroll_into_view_if_needed()
    box = cell.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def check(view, words):
    """Have an answer judged, and wait for what is said to it."""
    view.get_by_role("button", name="Check", exact=True).click()
    judged(view, words)


def judged(view, words):
    expect(view.locator(".judged")).to_contain_text(words)


def test_cells_nodes_and_cards_are_picked_by_hand(page):
    view = open_step(page, 5, 5)
    cells = answer(5, 5)
    wrong = (cells[0][1], cells[0][0])
    click_cell(page, view, *wrong)
    expect(view.locator(f'[data-pick="{wrong[0]},{wrong[1]}"]')).to_be_visible()
    check(view, "will be computed")
    expect(view.locator('.picked-cell[data-mark="wrong"]')).to_have_count(1)
    # Another try: the wrong cell is taken back, and what was said goes with it.
    click_cell(page, view, *wrong)
    expect(view.locator(".judged")).to_be_hidden()
    for cell in cells:
        click_cell(page, view, *cell)
    check(view, "✓ Right")
    expect(view.locator('.cell[data-state~="inferred"]')).to_have_count(len(cells))
    expect(solved(view, 5)).to_be_visible()
    expect(view.locator(".progress")).to_contain_text("1 of 7 solved")

    view = open_step(page, 4, 4)
    click_nodes(view, *answer(4, 4))
    badge = node(view, answer(4, 4)[0]).locator(".badge")
    expect(badge).to_have_text("1")
    check(view, "✓ Right")
    expect(badge).to_have_text("ψ₀")

    view = open_step(page, 6, 4)
    i, j = sorted(answer(6, 4))
    click_nodes(view, i, j)
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


def test_views_answer_without_the_server(page):
    sent = visits.sent_by(page)
    view = open_step(page, 1, 3)
    said = view.locator(".say")
    for words in ("blocked", "open"):
        click_nodes(view, 2)
        expect(said).to_contain_text(words)
    view = open_step(page, 6, 2)
    visits.frames(page, 30)
    sent.clear()
    for k in range(1, 8):
        button(view, "One more").click()
        expect(said).to_contain_text(f"Flip {k}:")
    assert not sent


def test_the_last_lesson_leads_on_and_arrows_lead_through(page):
    last = len(LESSONS[-1].steps)
    view = open_step(page, 7, last)
    button(view, "Finish →").click()
    stands_at(view, 7, last + 1)
    expect(view.locator(".still-open li")).to_have_count(7)
    page.keyboard.press("ArrowLeft")
    stands_at(view, 7, last)
    page.keyboard.press("ArrowRight")
    stands_at(view, 7, last + 1)
    view.locator('[data-page="step"]').click()
    visits.at_rest(page, "step")
    # Who comes from the lessons predicts.
    expect(visits.view_of(page, "step")).to_have_attribute("data-predicting", "")

    # Tab comes to the button, and what was answered is still there when one comes back.
    view = open_step(page, 3, 4)
    for k in answer(3, 4):
        node(view, k).focus()
        page.keyboard.press("Enter" if k % 2 else "Space")
        expect(node(view, k)).to_have_attribute("aria-pressed", "true")
    for _ in range(60):
        page.keyboard.press("Tab")
        if view.evaluate("e => e.getRootNode().activeElement?.textContent") == "Check":
            break
    page.keyboard.press("Enter")
    judged(view, "✓ Right")
    page.keyboard.press("ArrowRight")
    stands_at(view, 4, 1)
    page.keyboard.press("ArrowLeft")
    stands_at(view, 3, 4)
    judged(view, "✓ Right")


def test_ten_samples_of_a_hub_are_tallied_as_the_engine_judges_them(page):
    """The sliders, ten samples, both scores; every number against the engine's tests."""
    view = open_step(page, 4, 1)
    expect(view.locator(".hub")).to_have_attribute("data-drawn", "1")
    leaves, size, strength = 7, 250, 2.0
    for label, place in (("Leaves", leaves - 1), ("Rows", 1), ("Edges", 2)):
        slider = view.get_by_label(label, exact=True)
        slider.focus()
        visits.press(page, "Home", *["ArrowRight"] * place)
        expect(slider).to_have_js_property("value", str(place))
    hub = view.locator('[data-end="hub"]')
    expect(hub).to_contain_text("64 slices")
    # The figure stays as it is on the next step.
    button(view, "Next →").click()
    stands_at(view, 4, 2)
    expect(hub).to_contain_text("64 slices")
    button(view, "10 samples").click()
    expect(view.locator(".hub")).to_have_attribute("data-drawn", "11")
    samples = [lesson_hub.draw(strength, seed)[:size] for seed in lesson_hub.SEEDS[:11]]
    tests = {"leaf": [], "hub": []}
    for rows in samples:
        data = bjp.Dataset.from_codes(rows[:, [*range(leaves), lesson_hub.LEAVES]])
        tests["leaf"].append(bjp.independence_test(data, 0, leaves))
        tests["hub"].append(bjp.independence_test(data, leaves, 0, range(1, leaves)))
    for end, found in tests.items():
        found_by = [math.exp(test.log_dependent) for test in found]
        counts = {
            "finds": sum(p >= 0.9 for p in found_by),
            "undecided": sum(0.1 < p < 0.9 for p in found_by),
        }
        card = view.locator(f'[data-end="{end}"]')
        for name, number in counts.items():
            expect(card).to_contain_text(f"{name} {number}")
        expect(card).to_contain_text(f"= {probability(found[-1].log_dependent)}")
    empty = 2 ** (leaves - 1) - len(tests["hub"][-1].slices)
    expect(hub).to_contain_text(f"64 slices, {empty} empty")

    button(view, "Next →").click()
    stands_at(view, 4, 3)
    star = nx.Graph((k, leaves) for k in range(leaves))
    for name, score, skipped in (("Both ends", "ib", 0), ("One end", "bjp", 2)):
        switch = button(view, re.compile(f"^{name}:"))
        total = bjp.score(data, star, score).total
        expect(switch).to_contain_text(number_text(total, 4 if abs(total) < 10 else 3))
        switch.click()
        expect(switch).to_have_attribute("aria-pressed", "true")
        expect(view.locator(".measured[data-skipped]")).to_have_count(skipped)
        assert_readable(switch)
    expect(hub).to_have_attribute("data-skipped", "true")
    # A slider moved by the pointer: all the way to the right.
    box = view.get_by_label("Leaves", exact=True).bounding_box()
    page.mouse.click(box["x"] + box["width"] - 4, box["y"] + box["height"] / 2)
    expect(hub).to_contain_text("512 slices")
    button(view, "Back to sample 1").click()
    expect(view.locator(".hub")).to_have_attribute("data-drawn", "1")


def assert_readable(part):
    """Under the pointer, too, a chosen button's letters stand out from its paper."""
    part.hover()
    seen = part.evaluate("e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]")
    letters, paper = ([int(c) for c in re.findall(r"\d+", colour)[:3]] for colour in seen)
    assert abs(sum(letters) - sum(paper)) > 300, seen


def test_what_was_clicked_outranks_what_is_pointed_at(page):
    view = open_step(page, 1, 2)
    drawing = view.locator("svg.network")
    click_nodes(view, 1, 4)
    # The pointer rests on the second.
    expect(node(view, 1)).to_have_attribute("data-picked", "")
    expect(drawing).to_have_attribute("data-lit", "")
    faded = "node => getComputedStyle(node.querySelector('.ring')).strokeOpacity"
    assert node(view, 1).evaluate(faded) == "1"


def test_answers_outlive_the_visit(new_page):
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
    # Once solved, solved: now, and when one comes back.
    expect(solved(there, 1)).to_be_visible()
    other.reload()
    expect(solved(there, 1)).to_be_visible()

    # What the browser kept is judged again.
    page = new_page(fresh=True)
    right = {"picks": list(answer(1, 4)), "state": "solved"}
    wrong = {"picks": [0], "state": "solved"}
    kept = {"1.4": right, "3.4": wrong, "9.9": right, "x": right, "2.1": right}
    for step, answered in kept.items():
        key, value = json.dumps(f"bjp-explorer.lessons.{step}"), json.dumps(json.dumps(answered))
        page.add_init_script(f"localStorage.setItem({key}, {value})")
    view = open_step(page, 1, 1)
    expect(view.locator(".progress")).to_contain_text("1 of 7 solved")
    expect(solved(view, 1)).to_be_visible()
    # A visit that begins elsewhere leads on from there.
    page.goto("/")
    page.get_by_role("link", name="Continue lesson 2").click()
    stands_at(view, 2, 1)
    expect(solved(view, 1)).to_be_visible()


def test_every_step_is_on_one_screen_of_a_projector(new_page):
    page = new_page(**PROJECTOR)
    view = open_step(page, 1, 1, "&projector=1")
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar).to_be_hidden()
    size = "e => parseFloat(getComputedStyle(e.firstChild).fontSize)"
    for _ in walk(view):
        # Title, way on, and the drawing: all in sight without scrolling.
        for part in ("h3", ".way", ".net:visible, .counts, .end:visible, .measured:visible"):
            expect(view.locator(part).first).to_be_in_viewport(ratio=0.6)
        assert view.locator(".words").evaluate(size) >= 19
    expect(page).to_have_url(re.compile("projector=1"))
    page.keyboard.press("Escape")
    expect(sidebar).to_be_visible()
    expect(page).not_to_have_url(re.compile("projector"))
    visits.at_rest(page, "lessons")
    button(view, "Fill the screen").click()
    expect(sidebar).to_be_hidden()


def test_a_low_window_shows_what_matters(new_page):
    """The drawing of lesson 6, the top of each step, and what a press has changed."""
    page = new_page(**PROJECTOR, fresh=True)
    view = open_step(page, 6, 1)
    for part in ("h3", "svg.body", ".way .primary"):
        expect(view.locator(part).first).to_be_in_viewport(ratio=1)
    ends_above_the_bar(view, "svg.body")
    # Tabs bear names.
    expect(view.locator(".lesson-short").nth(5)).to_be_visible()
    main = page.get_by_test_id("stMain")
    to_end = "main => { main.scrollTo(0, 1e6); return main.scrollTop; }"
    assert main.evaluate(to_end) > 100
    for step in (2, 3):
        button(view, "Next →").click()
        stands_at(view, 6, step)
        expect(view.locator("h3")).to_be_in_viewport(ratio=1)
        main.evaluate(to_end)

    for lesson, step, part in ((5, 1, ".say"), (6, 2, ".metric")):
        view = open_step(page, lesson, step)
        for _ in range(2):
            button(view, "One more").click()
        ends_above_the_bar(view, part)
    ends_above_the_bar(open_step(page, 3, 3), ".lesson-table tr")
    view = open_step(page, 2, 4)
    pick = view.locator(".counts-card .pick").nth(0)
    pick.click()
    check(view, "Not yet")
    ends_above_the_bar(view, ".judged strong")
    # What is chosen bears no tick while it is no answer.
    expect(pick).to_have_text("A · 1,841 rows ●")
    view = open_step(page, 5, 5)
    x, y = answer(5, 5)[0]
    click_cell(page, view, y, x)
    # Nothing moves under the pointer, whatever is said of an answer.
    parts = [button(view, "Check"), button(view, "Next lesson →"), view.locator("svg.body")]
    before = [part.bounding_box() for part in parts]
    check(view, "Not yet")
    assert [part.bounding_box() for part in parts] == before
    button(view, "Show me").click()
    judged(view, "The answer")
    assert [part.bounding_box() for part in parts] == before
    ends_above_the_bar(view, ".judged strong")


def ends_above_the_bar(view, part):
    """Wait until the last of some parts is in sight, and not under the bar that leads on."""
    view.page.wait_for_function(
        """([view, part]) => {
            const end = [...view.querySelectorAll(part)].at(-1).getBoundingClientRect().bottom;
            return end > 0 && end <= view.querySelector(".way").getBoundingClientRect().top;
        }""",
        arg=[view.element_handle(), part],
    )


def test_every_step_fits_a_phone(new_page):
    page = new_page(**PHONE, fresh=True)
    view = visits.open_view(page, "lessons", view="lesson")

    def fits(lesson, step):
        excess = page.get_by_test_id("stMain").evaluate("e => e.scrollWidth - e.clientWidth")
        assert excess <= 0, f"{lesson}.{step} is {excess} pixels too wide"
        parts = view.evaluate(
            """e => [...e.querySelectorAll(".card, .words, .reply, .way, .progress")]
                .filter(part => part.checkVisibility())
                .map(part => part.getBoundingClientRect().right)"""
        )
        assert max(parts) <= 390, f"{lesson}.{step} reaches beyond the edge"

    for place in walk(view):
        visits.eventually(page, lambda place=place: fits(*place))

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


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The address of the lessons as files."""
    folder = tmp_path_factory.mktemp("lessons")
    write_lessons(folder)
    return folder.as_uri()


def wrong_answer(lesson, step):
    """Picks that the engine finds wrong, in ascending order."""
    question, choices = question_of(lesson, step), candidates(LESSONS[lesson - 1].steps[step - 1])
    right = question.answer()
    if question.kind == "order":
        return right[1::-1]
    others = tuple(choice for choice in choices if choice not in right)
    if question.kind == "pair":
        return tuple(sorted((right[0], others[0])))
    return (others or choices)[:1]


def pick(page, view, question, picks):
    """Pick by keys alone, from a part that Tab comes to."""
    for each in picks:
        if question.kind == "cells":
            view.locator("svg.body[role=grid]").focus()
            moves = ["ArrowDown"] * each[0] + ["ArrowRight"] * each[1]
            visits.press(page, "Home", "PageUp", *moves, "Enter")
            continue
        cards = question.kind in ("cards", "card")
        place = view.locator(".card .pick").nth(each) if cards else node(view, each)
        place.focus()
        page.keyboard.press("Enter")


def press(page, view, name):
    view.get_by_role("button", name=name, exact=True).focus()
    page.keyboard.press("Enter")


def says(view, head, question, picks):
    """Wait for the engine's own sentence."""
    judged(view, head)
    sentence = question.check(picks).sentence
    assert MARKS.sub("", sentence) in MARKS.sub("", view.locator(".judged").text_content())


def test_each_question_of_the_files_is_judged_by_keys(open_file, site):
    page = open_file(f"{site}/index.html")
    view = page.locator(".bjp")
    for lesson, step in STEPS:
        question = question_of(lesson, step)
        if question is None:
            continue
        page.goto(f"{site}/{FILES[lesson]}#{step}")
        stands_at(view, lesson, step)
        wrong = wrong_answer(lesson, step)
        pick(page, view, question, wrong)
        press(page, view, "Check")
        says(view, "Not yet", question, wrong)
        press(page, view, "Start over")
        pick(page, view, question, question.answer())
        press(page, view, "Check")
        says(view, "✓ Right", question, question.answer())
        expect(view).to_have_attribute("data-state", "solved")
    # Answers outlast a file, and the index counts them.
    page.goto(f"{site}/index.html")
    expect(page.locator(".words")).to_contain_text("You have solved all 7 lessons")
    page.goto(f"{site}/{FILES[3]}#4")
    judged(page, "✓ Right")


def test_the_way_leads_from_file_to_file(open_file, site):
    page = open_file(f"{site}/index.html")
    view = page.locator(".bjp")
    # Each lesson stands there once.
    expect(page.get_by_role("button", name=re.compile("One test|Tests"))).to_have_count(1)
    page.get_by_role("button", name="Lesson 2: One test").click()
    stands_at(view, 2, 1)
    assert page.url.endswith("/lesson-2.html#1")
    page.keyboard.press("ArrowLeft")
    stands_at(view, 1, 4)
    page.keyboard.press("ArrowRight")
    stands_at(view, 2, 1)
    # Back at the very first step, which has none, the keys are on the way on.
    page.goto(f"{site}/lesson-1.html#2")
    press(page, view, "← Back")
    stands_at(view, 1, 1)
    expect(button(view, "Next →")).to_be_focused()
    page.goto(f"{site}/lesson-7.html#4")
    button(page, "Finish →").click()
    page.wait_for_url("**/index.html")
    # What is shown isn't solved, can be tried again, and was shown when one comes back.
    page.goto(f"{site}/lesson-1.html#4")
    for name, state in (("Show me", "shown"), ("Try it again", "open")):
        button(view, name).click()
        expect(view).to_have_attribute("data-state", state)
    page.reload()
    expect(view).to_have_attribute("data-state", "shown")
    page.set_viewport_size(PHONE["viewport"])
    for lesson, step in STEPS:
        page.goto(f"{site}/{FILES[lesson]}#{step}")
        stands_at(view, lesson, step)
        visits.assert_fits(page)


def test_one_lesson_in_a_sandbox_is_judged_and_forgets(open_file, tmp_path):
    around = tmp_path / "around.html"
    frame = html.escape(lesson_page(1), quote=True)
    around.write_text(
        f'<iframe sandbox="allow-scripts" width="1000" height="800" srcdoc="{frame}"></iframe>',
        "utf-8",
    )
    page = open_file(around.as_uri())
    view = page.frame_locator("iframe").locator(".bjp")
    stands_at(view, 1, 1)
    expect(view.locator(".course")).to_be_hidden()
    for step in (2, 3, 4):
        button(view, "Next →").click()
        stands_at(view, 1, step)
    expect(button(view, re.compile("Next"))).to_have_count(0)
    question = question_of(1, 4)
    pick(page, view, question, question.answer())
    view.get_by_role("button", name="Check", exact=True).click()
    says(view, "✓ Right", question, question.answer())
    button(view, "← Back").click()
    button(view, re.compile("^Step 4")).click()
    expect(view).to_have_attribute("data-state", "solved")
