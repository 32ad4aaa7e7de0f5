"""Practice in a browser: a run by keys and by touch, and a sheet from the disk to its points."""

import re

import pytest
from playwright.sync_api import expect

from bjp_engine.exercises import KINDS, Form, Sheet, judge, mark_hand_in, read_hand_in
from bjp_explorer.practice.sheet_page import sheet_page
from tests.browser.visits import PHONE, assert_fits, at_place, save, view_of

# Every kind once, and every form of an answer.
SHEET = Sheet(levels=(2,), number=9, seed=11)


def by_keys(target):
    """Choose by the keyboard, as who tabs and moves to it would."""
    target.focus()
    target.press("Enter")


def by_touch(target):
    """Choose by a finger."""
    target.tap()


HANDS = pytest.mark.parametrize(("press", "settings"), [(by_keys, {}), (by_touch, PHONE)])


def give(view, one, answer, press):
    """Answer the question that is seen, in place of what was answered before."""
    if isinstance(answer, float):
        view.locator(".number-field").fill(f"{answer:.6g}".replace(".", ","))
        return
    for chosen in view.locator('[aria-pressed="true"]:not(.cell)').all()[::-1]:
        press(chosen)
    for each in answer:
        if one.options:
            titles = tuple(graph.title for graph in one.picture.graphs)
            choices = view.locator(".pick" if titles == one.options else ".choice")
            press(choices.nth(one.letters.index(each)))
        else:
            press(view.locator(f'[data-node="{one.nodes.index(each)}"]').first)


def said(view):
    """The verdict, without what is drawn in place of letters."""
    return plain(view.locator(".judged").inner_text())


def plain(text):
    return re.sub(r"[⊥\u0338\s]+|(in)?dependent of", "", text)


def begin(page, student):
    page.get_by_label("Your name or number").fill(student)
    page.keyboard.press("Enter")


def button(view, name):
    return view.get_by_role("button", name=name)


def next_button(view):
    return view.locator(".way > .control:last-child")


def handed_in(view):
    """The text to hand in, and what the engine reads in it."""
    text = view.get_by_label("The text to hand in").input_value()
    return text, mark_hand_in(read_hand_in(text))


@HANDS
def test_a_run_with_right_and_wrong_answers(new_page, press, settings):
    page = new_page(**settings)
    page.goto("/practice?levels=1&seed=12")
    view = view_of(page, "practice")
    run = Sheet((), (1,), 10, 12).questions()
    wrong_at_first = {1, 4, 8}
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
        give(view, one, one.answer, press)
        press(button(view, "Check"))
        expect(view).to_have_attribute("data-state", "done")
        assert said(view).startswith("Right")
        assert all(plain(line) in said(view) for line in one.solution)
        press(next_button(view))
    at_place(view, 11)
    expect(view.locator(".summary h3")).to_have_text("7 of 10 right at once")
    weak = view.locator(".kinds li[data-wrong]").evaluate_all("all => all.map(e => e.dataset.kind)")
    assert set(weak) == {run[place].kind for place in wrong_at_first}
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
    expect(view.locator(".summary h3")).to_have_text("0 of 10 right at once")
    # What was not answered is not wrong, whether or not its solution was opened.
    expect(view.locator('.dot[data-mark="wrong"], .kinds li[data-wrong]')).to_have_count(0)
    expect(view.locator(".dot").first).to_have_text("–")
    expect(view.locator(".kinds li")).not_to_have_count(0)
    for kind in view.locator(".kinds li").all():
        expect(kind.locator(".sign")).to_have_text("–")


@HANDS
def test_a_sheet_from_the_disk_to_its_points(open_file, tmp_path, press, settings):
    """Name, answers, hand-in; the engine reads it and finds the same points."""
    questions = SHEET.questions()
    assert {one.form for one in questions} == set(Form)
    at_end = press is by_touch
    file = tmp_path / "sheet.html"
    file.write_text(sheet_page(SHEET, at_end=at_end), encoding="utf-8")
    page = open_file(file.as_uri(), **settings)
    view = page.locator(".bjp")
    begin(page, "  Zoë   Ngũgĩ ")
    answers = []
    for place, one in enumerate(questions):
        at_place(view, place + 1)
        # The third question stays open, every second other one is wrong.
        answer = None if place == 2 else one.answer if place % 2 else one.mistakes[0].answer
        answers.append(answer)
        if answer is not None:
            give(view, one, answer, press)
            if at_end:
                expect(view.locator(".judged")).to_be_hidden()
            else:
                press(button(view, "Check"))
                assert said(view).startswith("Right" if place % 2 else "Notright")
        press(next_button(view))
    expect(view.locator(".summary")).to_contain_text("Not answered: 3.")
    # A closed page loses nothing.
    page.reload()
    at_place(view, SHEET.number + 1)
    press(button(view, "Another name"))
    begin(page, "zoë ngũgĩ")
    at_place(view, SHEET.number + 1)
    press(button(view, "Finish the sheet"))
    text, found = handed_in(view)
    each = tuple(judge(one, a).points for one, a in zip(questions, answers, strict=True))
    assert (found.student, found.sheet, found.each) == ("zoë ngũgĩ", SHEET.code, each)
    assert (found.claimed, found.remarks) == (sum(each), ())
    name, content = save(page, button(view, "Save as a file"))
    assert name == "hand-in-zoe-ngugi.txt"
    assert content.decode() == text
    assert_fits(page)


def test_a_sheet_for_named_students_and_one_in_a_sandbox(open_file, tmp_path):
    file = tmp_path / "sheet.html"
    sheet = Sheet(("irregularity",), (1,), 1, 3, per_student=True)
    file.write_text(sheet_page(sheet, ["Ada Lovelace", "Bo"]), encoding="utf-8")
    page = open_file(file.as_uri())
    view = page.locator(".bjp")
    begin(page, "Mallory")
    expect(page.get_by_role("alert")).to_contain_text("no questions for this name")
    begin(page, "ada  LOVELACE")
    at_place(view, 1)
    (one,) = sheet.questions("Ada Lovelace")
    give(view, one, one.answer, by_keys)
    page.keyboard.press("Enter")
    expect(view).to_have_attribute("data-state", "done")
    page.keyboard.press("Enter")
    by_keys(button(view, "Finish the sheet"))
    _, found = handed_in(view)
    assert (found.student, found.points, found.remarks) == ("ada LOVELACE", 1, ())

    # A course page's frame without storage: answers last as long as the page.
    (tmp_path / "inner.html").write_text(sheet_page(SHEET), encoding="utf-8")
    outer = tmp_path / "course.html"
    outer.write_text('<iframe sandbox="allow-scripts allow-forms" src="inner.html"></iframe>')
    frame = open_file(outer.as_uri()).frame_locator("iframe")
    frame.get_by_label("Your name or number").fill("Ada")
    button(frame, "Begin").click()
    at_place(frame.locator(".bjp"), 1)
