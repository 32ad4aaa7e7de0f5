"""Practice: what is asked is what the engine drew, and files give the engine's marks."""

import base64
import json
import re
from dataclasses import replace
from functools import cache
from html import unescape

import pytest
from defusedxml.ElementTree import fromstring

from bjp_engine.errors import OptionError
from bjp_engine.exercises import KINDS, Form, Sheet, make_exercise
from bjp_explorer.practice.sheets import (
    FORMATS,
    MOST_STUDENTS,
    class_of,
    describe_graph,
    graph_svg,
    grid_html,
    moodle_xml,
    print_page,
    sheet_page,
)
from tests.app.looks import address, payload, settled
from tests.refusals import assert_refused

EACH = Sheet(("order",), (1,), 2, seed=4, per_student=True)
NASTY = "</p><script>alert(1)</script> & \"'"
# The fractions that Moodle's import accepts without a change, for up to eight options.
ACCEPTED = {round(100 / k, 5) for k in range(1, 9)} | {0.0}


def asked(app):
    return payload(app)["exercises"]


def inside(page):
    found = re.search(r'<script type="application/json" id="payload">(.*?)</script>', page)
    return json.loads(found[1])


def test_a_link_names_ten_questions_and_a_visit_has_its_own(open_app):
    link = {"kinds": "order,flip", "levels": "2,3", "seed": "41"}
    app = settled(open_app("practice", **link))
    expected = list(Sheet(("order", "flip"), (2, 3), 10, 41).questions())
    assert [make_exercise(one.kind, one.level, one.seed) for one in expected] == expected
    assert asked(app) == [json.loads(one.to_json()) for one in expected]
    assert address(app).items() >= link.items()
    app = settled(open_app("practice", levels=",", seed="3"))
    drawn = Sheet(number=10, seed=3).questions()
    assert asked(app) == [json.loads(one.to_json()) for one in drawn]
    for bad in ("-1", "x", "1e3", "1000000"):
        app = open_app("practice", seed=bad)
        warning = app.warning[0].value.replace("\\", "")
        assert "must be a whole number from 0 to 999,999" in warning, bad
        assert len(asked(app)) == 10, bad
    app = settled(open_app("practice"))
    first, seed = asked(app), address(app)["seed"]
    assert {one["level"] for one in first} == {1}
    again = {replace(make_exercise(one["kind"], 1, one["seed"]), seed=0) for one in first}
    assert len(again) == 10
    assert asked(settled(app.run())) == first
    app.button(key="practice-more").click()
    assert asked(settled(app.run())) != first
    assert address(app)["seed"] != seed


def test_a_page_to_practise_on_and_a_class():
    sheet = Sheet(("blanket",), (1,), 3, 5)
    made = sheet_page(sheet)
    held = inside(made)
    assert held["exercises"] == [json.loads(one.to_json()) for one in sheet.questions()]
    assert (held["kinds"], held["more"]) == ({"blanket": KINDS["blanket"].title}, False)
    assert_refused(OptionError, "the same questions for all", sheet_page, EACH)
    assert class_of(sheet, ["nobody asked"]) == [""]
    assert class_of(EACH, ["Zoë", " ADA  Lovelace", ""]) == ["Zoë", "ADA Lovelace"]
    for wrong, why in (
        ([], "name the students"),
        (["  ", "\n"], "name the students"),
        (["Ada", "ada "], "'ada' comes twice"),
        ([f"s{k}" for k in range(MOST_STUDENTS + 1)], f"groups of {MOST_STUDENTS} at most"),
    ):
        assert_refused(OptionError, why, class_of, EACH, wrong)


def test_a_sheet_on_paper():
    sheet = Sheet(number=18, seed=2)
    bare, solved = print_page(sheet), print_page(sheet, solutions=True)
    assert "<script" not in bare + solved
    assert "://" not in re.sub(r'xmlns="[^"]+"', "", bare)
    assert "<h1>Practice sheet, with solutions</h1>" in solved
    for one in sheet.questions():
        texts = (one.ask, *one.options, *one.notes)
        assert all(text in unescape(bare) for text in texts)
        assert all(text in unescape(solved) for text in (*texts, *one.solution))
        assert one.solution[-1] not in unescape(bare)
    assert bare.count("<svg") == sum(len(one.graphs) for one in sheet.questions())
    assert bare.count("Answer: ") + bare.count("<ul>") == 18
    students = ["Ada & Bo", "Cy"]
    _, *papers = print_page(EACH, students).split('<main class="paper">')
    assert "Name: Ada &amp; Bo" in papers[0]
    for paper, student in zip(papers, students, strict=True):
        # On paper a graph is its lines, so its questions are told apart by those.
        graphs = [graph for one in EACH.questions(student) for graph in one.graphs]
        assert paper.count("<line") == sum(len(graph.edges) for graph in graphs)


def test_a_lecturer_chooses_a_sheet_and_its_files(open_app):
    app = open_app("practice", seed="1")
    for name, value in (("", True), ("-number", 3), ("-whose", "each")):
        app.session_state[f"practice-sheet{name}"] = value
    app = settled(app.run())
    assert "name the students" in app.info[0].value
    app.text_area(key="practice-students").set_value("Ada\nBo")
    app = settled(app.run())
    title = Sheet(levels=(1, 2), number=3, seed=1, per_student=True).title
    assert title in [one.value for one in app.caption]
    labels = {one.proto.label for one in app.get("download_button")}
    assert {"To print", "To print, with solutions", "Moodle XML"} <= labels


@cache
def questions():
    return Sheet(number=54, seed=3).questions()


def moodle(exercises):
    category, *found = fromstring(moodle_xml({"A sheet": exercises}))
    named = category.get("type"), category.findtext("category/text")
    assert named == ("category", "$course$/top/A sheet")
    return found


def test_moodle_gives_the_engines_marks():
    for one, question in zip(questions(), moodle(questions()), strict=True):
        assert question.findtext("idnumber") == f"{one.kind}-{one.level}-{one.seed}"
        check_marks(one, question)
        for answer in question.findall("answer"):
            share = abs(float(answer.get("fraction", "")))
            assert min(abs(share - known) for known in ACCEPTED) < 1e-4
        files = question.findall("questiontext/file")
        html = question.findtext("questiontext/text")
        for file, graph in zip(files, one.graphs, strict=True):
            assert f'src="@@PLUGINFILE@@/{file.get("name")}"' in html
            encoded = "base64", base64.b64encode(graph_svg(graph).encode()).decode()
            assert (file.get("encoding"), "".join(file.text.split())) == encoded
        assert "http" not in re.sub("<[^>]*>", "", html)
        said = unescape("".join(element.text or "" for element in question.iter("text")))
        reasons = [mistake.reason for mistake in one.mistakes[:5]]
        assert not reasons or any(reason in said for reason in reasons)
        assert all(line in said for line in one.solution)


def check_marks(one, question):
    kind, answers = question.get("type"), question.findall("answer")
    texts = [re.sub("<[^>]+>", "", answer.findtext("text")) for answer in answers]
    shares = [float(answer.get("fraction", "")) for answer in answers]
    marked = list(zip(texts, shares, strict=True))
    if one.form == Form.NUMBER:
        assert kind == "numerical"
        for text, share in marked:
            near = abs(float(text) - one.answer) <= one.tolerance + 1e-9
            assert share == 100 * near, text
        tolerances = {float(answer.findtext("tolerance")) for answer in answers}
        assert (tolerances, shares.count(100)) == ({one.tolerance}, 1)
    elif one.form == Form.ORDER:
        parts = question.findall("subquestion")
        assert tuple(part.findtext("answer/text") for part in parts) in one.accepted
        assert (kind, parts[0].findtext("text")) == ("match", "<p>1st</p>")
    elif question.findtext("single") == "true":
        assert (kind, sorted(shares)[-2:], {*shares}) == ("multichoice", [0, 100], {0, 100})
        for text, share in marked:
            assert share == 100 * (as_answer(one, text) in one.accepted), text
    else:
        assert kind == "multichoice"
        for sign in (1, -1):
            total = sum(share for share in shares if share * sign > 0)
            assert total == pytest.approx(sign * 100, abs=1e-3)
        chosen = [text for text, share in marked if share > 0]
        assert as_answer(one, *chosen) in one.accepted


def as_answer(one, *texts):
    if one.options:
        return tuple(sorted(one.letters[one.options.index(unescape(text))] for text in texts))
    return tuple(sorted(name for text in texts for name in re.findall(r"\w", text)))


def elements(text):
    return (one.tag.rpartition("}")[2] for one in fromstring(text).iter())


def made_nasty(one):
    """An exercise all of whose texts would like to be markup."""

    def nasty_grid(grid):
        return replace(grid, title=NASTY, columns=(NASTY,) * len(grid.columns))

    graphs = tuple(replace(graph, title=NASTY) for graph in one.graphs)
    grids = tuple(map(nasty_grid, one.grids))
    shown = {"graphs": graphs, "grids": grids, "notes": (NASTY,)}
    options = tuple(f"{NASTY}{k}" for k, _ in enumerate(one.options))
    wrong = tuple(replace(mistake, reason=NASTY) for mistake in one.mistakes)
    texts = {"ask": NASTY, "solution": (NASTY,), "options": options}
    return replace(one, mistakes=wrong, **shown, **texts)


def test_nothing_in_a_text_becomes_markup_and_all_of_a_graph_is_drawn():
    nasty = tuple(made_nasty(one) for one in questions()[:20])
    for question in moodle(nasty):
        assert not any("<script" in (text.text or "") for text in question.iter("text"))
        for file in question.iter("file"):
            assert "script" not in set(elements(base64.b64decode(file.text or "").decode()))
    named = fromstring(moodle_xml({NASTY: nasty[:1]})).findtext("question/category/text")
    assert named == f"$course$/top/{NASTY.replace('/', '//')}"
    grids = [grid for one in nasty for grid in one.grids]
    assert grids
    assert not any("script" in set(elements(grid_html(grid))) for grid in grids)
    graph = questions()[0].graphs[0]
    svg = fromstring(graph_svg(graph))
    kinds = [one.tag.rpartition("}")[2] for one in svg.iter()]
    assert (kinds.count("circle"), kinds.count("line")) == (len(graph.names), len(graph.edges))
    texts = [one.text for one in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == [*([graph.title] if graph.title else []), *graph.names]
    assert svg.get("aria-label") == describe_graph(graph)
    assert all(f"{u} – {v}" in describe_graph(graph) for u, v in graph.edges)


def test_the_same_sheet_gives_the_same_bytes_and_each_student_their_own():
    each = Sheet(("order",), number=2, seed=1, per_student=True)
    write = FORMATS["moodle"].write
    first, again = (write(Sheet(number=3, seed=8), ()) for _ in range(2))
    assert first == again
    root = fromstring(write(each, ("Ada", "Bob")))
    names = [one.findtext("category/text") for one in root if one.get("type") == "category"]
    assert names == [f"$course$/top/{each.title} {name}" for name in ("Ada", "Bob")]
    seeds = [one.findtext("idnumber") for one in root if one.get("type") == "match"]
    wanted = [f"order-{q.level}-{q.seed}" for name in ("Ada", "Bob") for q in each.questions(name)]
    assert seeds == wanted
    assert_refused(OptionError, "name the students", write, each, ())
