"""Practice in a browser: a run by keys and by touch, and a sheet from the disk."""

import re

import pytest
from playwright.sync_api import Locator, expect

from bjp_engine.exercises import KINDS, Form, Sheet
from bjp_explorer.practice.sheets import sheet_page
from tests.browser.visits import PHONE, assert_fits, at_place, view_of

# Every kind once, and every form of an answer.
SHEET = Sheet(levels=(2,), number=9, seed=11)


def by_keys(target):
    """Choose by the keyboard, as who tabs and moves to it would."""
    target.focus()
    target.press("Enter")


HANDS = pytest.mark.parametrize(("press", "settings"), [(by_keys, {}), (Locator.tap, PHONE)])


def give(view, one, answer, press):
    """Answer the question that is seen, in place of what was answered before."""
    if isinstance(answer, float):
        view.locator(".number-field").fill(f"{answer:.6g}".replace(".", ","))
        return
    for chosen in view.locator('[aria-pressed="true"]:not(.cell)').all()[::-1]:
        press(chosen)
    for each in answer:
        if one.options:
            titles = tuple(graph.title for graph in one.graphs)
            choices = view.locator(".pick" if titles == one.options else ".choice")
            press(choices.nth(one.letters.index(each)))
        else:
            press(view.locator(f'[data-node="{one.nodes.index(each)}"]').first)


def said(view):
    """The verdict, without what is drawn in place of letters."""
    return plain(view.locator(".judged").inner_text())


def plain(text):
    return re.sub(r"[⊥\u0338\s]+|(in)?dependent of", "", text)


def button(view, name):
    return view.get_by_role("button", name=name)


def next_button(view):
    return view.locator(".way > .control:last-child")


@HANDS
def test_a_run_with_right_and_wrong_answers(new_page, press, settings):
    page = new_page(**settings)
    page.goto("/practice?levels=1&seed=12")
    view = view_of(page, "practice")
    run = Sheet((), (1,), 10, 12).questions()
    wrong_at_first, unsolved = {1, 4, 8}, 4
    for place, one in enumerate(run):
        at_place(view, place + 1)
        expect(view.locator(".speech h3")).to_have_text(KINDS[one.kind].title)
        if place in wrong_at_first:
            mistake = one.mistakes[0]
            give(view, one, mistake.answer, press)
            press(button(view, "Check"))
            expect(view).to_have_attribute("data-state", "tried")
            assert plain(mistake.reason) in said(view)
            assert plain(one.solution[0]) not in said(view)
        if place == unsolved:
            press(button(view, "Show the solution"))
        else:
            give(view, one, one.answer, press)
            press(button(view, "Check"))
            assert said(view).startswith("Right")
        expect(view).to_have_attribute("data-state", "done")
        second = place in wrong_at_first and place != unsolved
        mark = "second try" if second else "wrong" if place == unsolved else "right"
        expect(view.locator(".dot").nth(place)).to_have_attribute("data-mark", mark)
        assert ("second try" in view.locator(".speech .where-in").text_content()) == second
        assert all(plain(line) in said(view) for line in one.solution)
        press(next_button(view))
    at_place(view, 11)
    expect(view.locator(".summary h3")).to_have_text("9 of 10 solved, 2 of them at a later try")
    weak = view.locator(".kinds li[data-wrong]").evaluate_all("all => all.map(e => e.dataset.kind)")
    assert weak == [run[unsolved].kind]
    press(view.locator('[data-action="weak"]'))
    at_place(view, 1)
    expect(page).to_have_url(re.compile(r"kinds="))
    assert_fits(page)


def test_the_solution_without_an_answer_gives_no_point(page):
    page.goto("/practice?levels=1&seed=12")
    view = view_of(page, "practice")
    at_place(view, 1)
    button(view, "Show the solution").click()
    expect(view).to_have_attribute("data-state", "done")
    page.keyboard.press("ArrowRight")
    at_place(view, 2)
    for _ in range(9):
        next_button(view).click()
    expect(view.locator(".summary h3")).to_have_text("0 of 10 solved")
    # What was not answered is not wrong, whether or not its solution was opened.
    expect(view.locator('.dot[data-mark="wrong"], .kinds li[data-wrong]')).to_have_count(0)
    expect(view.locator(".dot").first).to_have_text("–")
    expect(view.locator(".kinds li")).not_to_have_count(0)
    for kind in view.locator(".kinds li").all():
        expect(kind.locator(".sign")).to_have_text("–")


def test_a_sheet_from_the_disk_in_a_sandbox(open_file, tmp_path):
    """Every form of an answer in a file, in a course page's frame without storage."""
    questions = SHEET.questions()
    assert {one.form for one in questions} == set(Form)
    (tmp_path / "inner.html").write_text(sheet_page(SHEET), encoding="utf-8")
    outer = tmp_path / "course.html"
    outer.write_text(
        '<iframe sandbox="allow-scripts" src="inner.html" width="900" height="1200"></iframe>'
    )
    view = open_file(outer.as_uri()).frame_locator("iframe").locator(".bjp")
    for place, one in enumerate(questions):
        at_place(view, place + 1)
        give(view, one, one.answer if place % 2 else one.mistakes[0].answer, by_keys)
        by_keys(button(view, "Check"))
        expect(view).to_have_attribute("data-state", "done" if place % 2 else "tried")
        assert said(view).startswith("Right" if place % 2 else "Notright")
        by_keys(next_button(view))
    expect(view.locator(".summary h3")).to_have_text("4 of 9 solved")
    expect(view.locator('[data-action="more"]')).to_have_count(0)
