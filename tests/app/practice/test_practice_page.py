"""The page *Practice* and the files of a sheet: what is asked is what the engine drew."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from bjp_engine.errors import OptionError
from bjp_engine.exercises import KINDS, Exercise, Sheet, make_exercise
from bjp_explorer.practice.printing import print_page
from bjp_explorer.practice.sheet_page import MOST_STUDENTS, class_of, key_of, sheet_page
from tests.app.conftest import OpenApp
from tests.app.looks import address, payload, settled

EACH = Sheet(("order",), (1,), 2, seed=4, per_student=True)


def asked(app: AppTest) -> list[Exercise]:
    """The exercises that the component was given."""
    return [Exercise.from_json(json.dumps(one)) for one in payload(app)["variants"][""]]


def inside(page: str) -> dict[str, Any]:
    """What a page to solve was given."""
    found = re.search(r'<script type="application/json" id="payload">(.*?)</script>', page)
    assert found is not None
    made: dict[str, Any] = json.loads(found[1])
    return made


def test_a_link_names_ten_questions(open_app: OpenApp) -> None:
    app = settled(open_app("practice", kinds="order,flip", levels="2,3", seed="41"))
    expected = Sheet(("order", "flip"), (2, 3), 10, 41).questions()
    assert asked(app) == list(expected)
    assert [make_exercise(one.kind, one.level, one.seed) for one in expected] == list(expected)
    made = address(app)
    assert (made["kinds"], made["levels"], made["seed"]) == ("order,flip", "2,3", "41")
    # No kind and no level are all.
    app = settled(open_app("practice", levels=",", seed="3"))
    assert asked(app) == list(Sheet(number=10, seed=3).questions())
    for bad in ("-1", "x", "1e3", "1000000"):
        app = open_app("practice", seed=bad)
        warning = app.warning[0].value.replace("\\", "")
        assert "must be a whole number from 0 to 999,999" in warning, bad
        assert len(asked(app)) == 10, bad


def test_a_visit_has_questions_of_its_own_until_it_asks_for_others(open_app: OpenApp) -> None:
    app = settled(open_app("practice"))
    first, seed = asked(app), address(app)["seed"]
    assert {one.level for one in first} == {1}
    assert len({one.canonical for one in first}) == 10
    assert asked(settled(app.run())) == first
    app.button(key="practice-more").click()
    assert asked(settled(app.run())) != first
    assert address(app)["seed"] != seed


def test_a_page_to_solve_holds_each_students_questions_and_no_name() -> None:
    students = ["Zoë Ngũgĩ", "ADA  Lovelace", "</script><img onerror=alert(1)>"]
    made = sheet_page(EACH, students, at_end=True, title="</title><b>Week 3")
    held = inside(made)
    for student in students:
        drawn = [json.loads(one.to_json()) for one in EACH.questions(student)]
        assert held["variants"][key_of(class_of(EACH, [student])[0])] == drawn
    assert len(held["variants"]) == 3
    assert held["sheet"] == {"code": EACH.code, "at_end": True}
    assert not [text for text in ("Ngũgĩ", "Lovelace", "onerror", "<b>Week") if text in made]
    assert "&lt;b&gt;Week 3" in made
    # All have the same questions where the sheet says so.
    sheet = Sheet(("blanket",), (1,), 3, 5)
    held = inside(sheet_page(sheet, ["nobody asked"]))
    assert held["variants"] == {"": [json.loads(one.to_json()) for one in sheet.questions()]}
    assert held["kinds"] == {"blanket": KINDS["blanket"].title}
    # A page for thirty students is small.
    sheet = Sheet(number=10, seed=1, per_student=True)
    assert len(sheet_page(sheet, [f"s{k}" for k in range(30)]).encode()) < 1_000_000
    for wrong, why in (
        ([], "name the students"),
        (["  ", "\n"], "name the students"),
        (["Ada", "ada "], "'ada' comes twice"),
        ([f"s{k}" for k in range(MOST_STUDENTS + 1)], f"groups of {MOST_STUDENTS} at most"),
    ):
        with pytest.raises(OptionError, match=why):
            class_of(EACH, wrong)


def test_a_sheet_on_paper() -> None:
    sheet = Sheet(number=18, seed=2)
    bare, solved = print_page(sheet), print_page(sheet, solutions=True, title="Week <3>")
    assert "<script" not in bare + solved
    assert "://" not in re.sub(r'xmlns="[^"]+"', "", bare)
    assert "<h1>Week &lt;3&gt;, with solutions</h1>" in solved
    for one in sheet.questions():
        for text in (one.ask, *one.options, *one.picture.notes):
            assert text in unescape(bare)
            assert text in unescape(solved)
        assert all(line in unescape(solved) for line in one.solution)
        assert not any(line in unescape(bare) for line in one.solution[-1:])
    assert bare.count("<svg") == sum(len(one.picture.graphs) for one in sheet.questions())
    assert bare.count("Answer: ") + bare.count("<ul>") == 18
    # Papers of a class have a name each.
    students = ["Ada & Bo", "Cy"]
    _, *papers = print_page(EACH, students).split('<main class="paper">')
    assert "Name: Ada &amp; Bo" in papers[0]
    for paper, student in zip(papers, students, strict=True):
        # On paper a graph is its lines, so its questions are told apart by those.
        graphs = [graph for one in EACH.questions(student) for graph in one.picture.graphs]
        assert paper.count("<line") == sum(len(graph.edges) for graph in graphs)


def test_a_lecturer_sees_code_and_size(open_app: OpenApp) -> None:
    app = open_app("practice", seed="1")
    app.session_state["practice-sheet"] = True
    app.session_state["practice-sheet-number"] = 3
    app.session_state["practice-sheet-whose"] = "each"
    app = settled(app.run())
    assert "name the students" in app.info[0].value
    app.text_area(key="practice-students").set_value("Ada\nBo")
    app = settled(app.run())
    (code,) = [one.value for one in app.code]
    sheet = Sheet.from_code(code)
    assert (sheet.number, sheet.levels, sheet.per_student) == (3, (1, 2), True)
    size = round(len(sheet_page(sheet, ["Ada", "Bo"]).encode()) / 1000)
    assert any(f"one file of {size} kB, for 2 students." in one.value for one in app.caption)
    labels = {one.proto.label for one in app.get("download_button")}
    assert {"To solve in the browser", "To print", "Moodle XML", "QTI 2.1"} <= labels
