"""Lessons as files, opened from the disk and in a sandbox with the network off: all by keys."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from bjp_explorer.lessons.course import LESSONS
from bjp_explorer.lessons.model import Picks, Question
from bjp_explorer.lessons.site import FILES, lesson_page, write_lessons
from bjp_explorer.lessons.verdicts import candidates
from bjp_explorer.lessons.words import TEXTS
from tests.browser.test_lessons import stands_at
from tests.browser.visits import PHONE, assert_fits

ASKING = [(k, s) for k, each in enumerate(LESSONS, 1) for s in (q + 1 for q in each.questions)]
# What a drawn sign or a bold word is written with.
MARKS = re.compile(r"[*^{}⊥\u0338\s]+")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The addresses of both sites."""
    folders = {language: tmp_path_factory.mktemp(language) for language in TEXTS.names}
    for language, folder in folders.items():
        write_lessons(folder, language)
    return {language: folder.as_uri() for language, folder in folders.items()}


def question_of(lesson: int, step: int) -> Question:
    question = LESSONS[lesson - 1].steps[step - 1].question
    assert question is not None
    return question


def wrong_answer(lesson: int, step: int) -> Picks:
    """Picks that the engine finds wrong, in ascending order."""
    question, choices = question_of(lesson, step), candidates(LESSONS[lesson - 1].steps[step - 1])
    right = question.answer()
    if question.kind == "order":
        return right[1::-1]
    rest = tuple(choice for choice in choices if choice not in right)
    if question.kind == "pair":
        return tuple(sorted((right[0], rest[0])))
    return (rest or choices)[:1]


def pick(page: Page, view: Locator, question: Question, picks: Picks) -> None:
    """Pick by keys alone, from a part that Tab comes to."""
    if question.kind == "cells":
        body = view.locator("svg.body[role=grid]")
        for cell in picks:
            assert isinstance(cell, tuple)
            body.focus()
            moves = {"Home": 1, "PageUp": 1, "ArrowDown": cell[0], "ArrowRight": cell[1]}
            for key, times in moves.items():
                for _ in range(times):
                    page.keyboard.press(key)
            page.keyboard.press("Enter")
        return
    for each in picks:
        cards = question.kind in ("cards", "card")
        place = view.locator(".card .pick").nth(each) if cards else node(view, each)
        place.focus()
        page.keyboard.press("Enter")


def node(view: Locator, k: Any) -> Locator:
    return view.locator(f'[data-node="{k}"]').first


def press(page: Page, view: Locator, name: str) -> None:
    view.get_by_role("button", name=name, exact=True).focus()
    page.keyboard.press("Enter")


def says(view: Locator, head: str, question: Question, picks: Picks, language: str) -> None:
    """Wait for the engine's own sentence."""
    sentence = TEXTS.put(question.check(picks).sentence, language)
    judged = view.locator(".judged")
    expect(judged).to_contain_text(head)
    assert MARKS.sub("", sentence) in MARKS.sub("", judged.text_content() or "")


@pytest.mark.parametrize("language", list(TEXTS.names))
def test_each_question_is_judged_by_keys(
    open_file: Callable[..., Page], site: dict[str, str], language: str
) -> None:
    words = TEXTS.table("view", language)
    page = open_file(f"{site[language]}/index.html")
    for lesson, step in ASKING:
        question = question_of(lesson, step)
        page.goto(f"{site[language]}/{FILES[lesson]}#{step}")
        view = page.locator(".bjp")
        stands_at(view, lesson, step)
        assert view.get_attribute("lang") == language
        wrong = wrong_answer(lesson, step)
        pick(page, view, question, wrong)
        press(page, view, words["check"])
        says(view, words["wrong"], question, wrong, language)
        press(page, view, words["over"])
        pick(page, view, question, question.answer())
        press(page, view, words["check"])
        says(view, words["right"], question, question.answer(), language)
        expect(view).to_have_attribute("data-state", "solved")
    # Answers outlast a file, and the index counts them.
    page.goto(f"{site[language]}/index.html")
    solved = words["solved_all"].format(solved=8)
    expect(page.locator(".words")).to_contain_text(solved)
    page.goto(f"{site[language]}/{FILES[3]}#4")
    expect(page.locator(".judged")).to_contain_text(words["right"])


def test_the_way_leads_from_file_to_file(
    open_file: Callable[..., Page], site: dict[str, str]
) -> None:
    page = open_file(f"{site['en']}/index.html")
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
    page.goto(f"{site['en']}/lesson-8.html#4")
    page.get_by_role("button", name="Finish →").click()
    page.wait_for_url("**/index.html")
    # What is shown isn't solved, and can be tried again.
    page.goto(f"{site['en']}/lesson-1.html#4")
    for name, state in (("Show me", "shown"), ("Try it again", "open")):
        view.get_by_role("button", name=name).click()
        expect(view).to_have_attribute("data-state", state)
    page.reload()
    expect(view).to_have_attribute("data-state", "open")
    # Every step fits a phone.
    page.set_viewport_size(PHONE["viewport"])
    for lesson, each in enumerate(LESSONS, 1):
        for step in range(1, len(each.steps) + 1):
            page.goto(f"{site['es']}/{FILES[lesson]}#{step}")
            stands_at(view, lesson, step)
            assert_fits(page)


def test_one_lesson_in_a_sandbox_is_judged_and_forgets(
    open_file: Callable[..., Page], tmp_path: Path
) -> None:
    around = tmp_path / "around.html"
    frame = html.escape(lesson_page(1), quote=True)
    around.write_text(
        f'<iframe sandbox="allow-scripts" width="1000" height="800" srcdoc="{frame}"></iframe>',
        "utf-8",
    )
    page = open_file(around.as_uri())
    inside = page.frame_locator("iframe")
    view = inside.locator(".bjp")
    stands_at(view, 1, 1)
    expect(view.locator(".course")).to_be_hidden()
    for step in (2, 3, 4):
        view.get_by_role("button", name="Next →").click()
        stands_at(view, 1, step)
    expect(view.get_by_role("button", name=re.compile("Next"))).to_have_count(0)
    question = question_of(1, 4)
    pick(page, view, question, question.answer())
    view.get_by_role("button", name="Check", exact=True).click()
    says(view, "✓ Right", question, question.answer(), "en")
    view.get_by_role("button", name="← Back").click()
    view.get_by_role("button", name=re.compile("^Step 4")).click()
    expect(view).to_have_attribute("data-state", "solved")
