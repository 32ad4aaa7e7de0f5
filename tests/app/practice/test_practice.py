"""Practice: what is asked is what the engine drew, and files give the engine's marks."""

import base64
import io
import json
import re
import zipfile
from dataclasses import replace
from functools import cache
from html import unescape

import pytest
from defusedxml.ElementTree import fromstring

from bjp_engine.errors import OptionError
from bjp_engine.exercises import KINDS, Exercise, Form, Sheet, judge, make_exercise
from bjp_explorer.practice.moodle import moodle_xml
from bjp_explorer.practice.pictures import describe_graph, graph_svg, grid_html
from bjp_explorer.practice.printing import print_page
from bjp_explorer.practice.qti import qti_package
from bjp_explorer.practice.sheet_formats import FORMATS
from bjp_explorer.practice.sheet_page import MOST_STUDENTS, class_of, key_of, sheet_page
from tests.app.looks import address, payload, settled
from tests.refusals import assert_refused

EACH = Sheet(("order",), (1,), 2, seed=4, per_student=True)
NASTY = "</p><script>alert(1)</script> & \"'"
QTI = "{http://www.imsglobal.org/xsd/imsqti_v2p1}"
CONTENT = "{http://www.imsglobal.org/xsd/imscp_v1p1}"
# The fractions that Moodle's import accepts without a change, for up to eight options.
ACCEPTED = {round(100 / k, 5) for k in range(1, 9)} | {0.0}


def asked(app):
    return [Exercise.from_json(json.dumps(one)) for one in payload(app)["variants"][""]]


def inside(page):
    found = re.search(r'<script type="application/json" id="payload">(.*?)</script>', page)
    return json.loads(found[1])


def test_a_link_names_ten_questions_and_a_visit_has_its_own(open_app):
    link = {"kinds": "order,flip", "levels": "2,3", "seed": "41"}
    app = settled(open_app("practice", **link))
    expected = list(Sheet(("order", "flip"), (2, 3), 10, 41).questions())
    again = [make_exercise(one.kind, one.level, one.seed) for one in expected]
    assert asked(app) == again == expected
    assert address(app).items() >= link.items()
    app = settled(open_app("practice", levels=",", seed="3"))
    assert asked(app) == list(Sheet(number=10, seed=3).questions())
    for bad in ("-1", "x", "1e3", "1000000"):
        app = open_app("practice", seed=bad)
        warning = app.warning[0].value.replace("\\", "")
        assert "must be a whole number from 0 to 999,999" in warning, bad
        assert len(asked(app)) == 10, bad
    app = settled(open_app("practice"))
    first, seed = asked(app), address(app)["seed"]
    assert ({one.level for one in first}, len({one.canonical for one in first})) == ({1}, 10)
    assert asked(settled(app.run())) == first
    app.button(key="practice-more").click()
    assert asked(settled(app.run())) != first
    assert address(app)["seed"] != seed


def test_a_page_to_solve_holds_each_students_questions_and_no_name():
    students = ["Zoë Ngũgĩ", "ADA  Lovelace", "</script><img onerror=alert(1)>"]
    made = sheet_page(EACH, students, at_end=True, title="</title><b>Week 3")
    held = inside(made)
    for student in students:
        drawn = [json.loads(one.to_json()) for one in EACH.questions(student)]
        assert held["variants"][key_of(class_of(EACH, [student])[0])] == drawn
    assert (len(held["variants"]), held["sheet"]) == (3, {"code": EACH.code, "at_end": True})
    assert not [text for text in ("Ngũgĩ", "Lovelace", "onerror", "<b>Week") if text in made]
    assert "&lt;b&gt;Week 3" in made
    # All have the same questions where the sheet says so.
    sheet = Sheet(("blanket",), (1,), 3, 5)
    held = inside(sheet_page(sheet, ["nobody asked"]))
    assert held["variants"] == {"": [json.loads(one.to_json()) for one in sheet.questions()]}
    assert held["kinds"] == {"blanket": KINDS["blanket"].title}
    sheet = Sheet(number=10, seed=1, per_student=True)
    assert len(sheet_page(sheet, [f"s{k}" for k in range(30)]).encode()) < 1_000_000
    for wrong, why in (
        ([], "name the students"),
        (["  ", "\n"], "name the students"),
        (["Ada", "ada "], "'ada' comes twice"),
        ([f"s{k}" for k in range(MOST_STUDENTS + 1)], f"groups of {MOST_STUDENTS} at most"),
    ):
        assert_refused(OptionError, why, class_of, EACH, wrong)


def test_a_sheet_on_paper():
    sheet = Sheet(number=18, seed=2)
    bare, solved = print_page(sheet), print_page(sheet, solutions=True, title="Week <3>")
    assert "<script" not in bare + solved
    assert "://" not in re.sub(r'xmlns="[^"]+"', "", bare)
    assert "<h1>Week &lt;3&gt;, with solutions</h1>" in solved
    for one in sheet.questions():
        texts = (one.ask, *one.options, *one.picture.notes)
        assert all(text in unescape(bare) for text in texts)
        assert all(text in unescape(solved) for text in (*texts, *one.solution))
        assert one.solution[-1] not in unescape(bare)
    assert bare.count("<svg") == sum(len(one.picture.graphs) for one in sheet.questions())
    assert bare.count("Answer: ") + bare.count("<ul>") == 18
    students = ["Ada & Bo", "Cy"]
    _, *papers = print_page(EACH, students).split('<main class="paper">')
    assert "Name: Ada &amp; Bo" in papers[0]
    for paper, student in zip(papers, students, strict=True):
        # On paper a graph is its lines, so its questions are told apart by those.
        graphs = [graph for one in EACH.questions(student) for graph in one.picture.graphs]
        assert paper.count("<line") == sum(len(graph.edges) for graph in graphs)


def test_a_lecturer_sees_code_and_size(open_app):
    app = open_app("practice", seed="1")
    for name, value in (("", True), ("-number", 3), ("-whose", "each")):
        app.session_state[f"practice-sheet{name}"] = value
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


@cache
def questions():
    return Sheet(number=54, seed=3).questions()


def moodle(exercises):
    category, *found = fromstring(moodle_xml({"A sheet": exercises}))
    named = category.get("type"), category.findtext("category/text")
    assert named == ("category", "$course$/top/A sheet")
    return found


def package(exercises):
    with zipfile.ZipFile(io.BytesIO(qti_package("A sheet", exercises))) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_moodle_gives_the_engines_marks():
    for one, question in zip(questions(), moodle(questions()), strict=True):
        assert question.findtext("idnumber") == f"{one.kind}-{one.level}-{one.seed}"
        check_marks(one, question)
        for answer in question.findall("answer"):
            share = abs(float(answer.get("fraction", "")))
            assert min(abs(share - known) for known in ACCEPTED) < 1e-4
        files = question.findall("questiontext/file")
        html = question.findtext("questiontext/text")
        for file, graph in zip(files, one.picture.graphs, strict=True):
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
        assert all(judge(one, text).points == share / 100 for text, share in marked)
        tolerances = {float(answer.findtext("tolerance")) for answer in answers}
        assert (tolerances, shares.count(100)) == ({one.tolerance}, 1)
    elif one.form == Form.ORDER:
        parts = question.findall("subquestion")
        assert judge(one, [part.findtext("answer/text") for part in parts]).correct
        assert (kind, parts[0].findtext("text")) == ("match", "<p>1st</p>")
    elif question.findtext("single") == "true":
        assert (kind, sorted(shares)[-2:], {*shares}) == ("multichoice", [0, 100], {0, 100})
        for text, share in marked:
            assert judge(one, as_answer(one, text)).points == share / 100
    else:
        assert kind == "multichoice"
        for sign in (1, -1):
            total = sum(share for share in shares if share * sign > 0)
            assert total == pytest.approx(sign * 100, abs=1e-3)
        chosen = [text for text, share in marked if share > 0]
        assert judge(one, as_answer(one, *chosen)).correct


def as_answer(one, *texts):
    if one.options:
        return [one.letters[one.options.index(unescape(text))] for text in texts]
    return [name for text in texts for name in re.findall(r"\w", text)]


def test_an_item_of_qti_scores_as_the_engine_does():
    files = package(questions())
    manifest = fromstring(files["imsmanifest.xml"])
    named = [file.get("href") for file in manifest.iter(f"{CONTENT}file")]
    assert sorted(named) == sorted(set(files) - {"imsmanifest.xml"})
    needed = {one.get("identifierref") for one in manifest.iter(f"{CONTENT}dependency")}
    types = {one.get("identifier"): one.get("type") for one in manifest.iter(f"{CONTENT}resource")}
    assert {name for name, of in types.items() if of == "imsqti_item_xmlv2p1"} == needed
    assert types["test"] == "imsqti_test_xmlv2p1"
    parts = fromstring(files["test.xml"]).iter(f"{QTI}assessmentItemRef")
    items = [f"question-{k:03}.xml" for k in range(1, 55)]
    assert [one.get("href") for one in parts] == items
    for one, name in zip(questions(), items, strict=True):
        item = fromstring(files[name])
        offered = {choice.get("identifier") for choice in item.iter(f"{QTI}simpleChoice")}
        for answer in (*one.accepted, *(mistake.answer for mistake in one.mistakes)):
            response = as_response(one, answer)
            assert one.form == Form.NUMBER or set(response) <= offered
            outcome, verdict = process(item, response), judge(one, answer)
            found = float(outcome.get("SCORE", "0")), outcome["SOLUTION"]
            assert found == (verdict.points, "shown")
            assert feedback(item, "FEEDBACK", outcome["FEEDBACK"]) == [verdict.sentence]
        correct = [value.text for value in item.findall(f".//{QTI}correctResponse/{QTI}value")]
        assert correct == as_response(one, one.answer)
        other = "-77" if one.form == Form.NUMBER else "other-answer"
        assert process(item, [other])["FEEDBACK"] == "other"
        assert feedback(item, "SOLUTION", "shown") == list(one.solution)


def as_response(one, answer):
    if isinstance(answer, float):
        return [f"{answer:.15g}"]
    return ["_".join(answer)] if one.form == Form.PAIR else list(answer)


def feedback(item, outcome, value):
    place = f"{QTI}modalFeedback[@outcomeIdentifier='{outcome}'][@identifier='{value}']/*"
    return ["".join(paragraph.itertext()) for paragraph in item.findall(place)]


def process(item, response):
    """Response processing as the standard has it, as far as items use it."""
    outcome = {}
    (declared,) = item.findall(f"{QTI}responseDeclaration")
    (rules,) = item.findall(f"{QTI}responseProcessing")
    for rule in rules:
        if rule.tag == f"{QTI}setOutcomeValue":
            outcome[rule.get("identifier", "")] = rule[0].text or ""
            continue
        for branch in rule:
            test, *then = branch if branch.tag != f"{QTI}responseElse" else [None, *branch]
            if test is None or holds(test, response, declared.get("cardinality", "")):
                for one in then:
                    outcome[one.get("identifier", "")] = one[0].text or ""
                break
    return outcome


def holds(test, response, cardinality):
    if test.tag == f"{QTI}or":
        return any(holds(one, response, cardinality) for one in test)
    assert test[0].get("identifier") == "RESPONSE"
    values = [one.text or "" for one in test.iter(f"{QTI}baseValue")]
    if test.tag == f"{QTI}equal":
        room = float(test.get("tolerance", "0"))
        assert (test.get("toleranceMode") == "exact") == (room == 0)
        return abs(float(response[0]) - float(values[0])) <= room
    assert test.tag == f"{QTI}match"
    container = test[1].tag.removeprefix(QTI)
    assert container == {"single": "baseValue"}.get(cardinality, cardinality)
    return sorted(response) == sorted(values) if container == "multiple" else response == values


def elements(text):
    return (one.tag.rpartition("}")[2] for one in fromstring(text).iter())


def made_nasty(one):
    """An exercise all of whose texts would like to be markup."""

    def nasty_grid(grid):
        return replace(grid, title=NASTY, corner=NASTY, columns=(NASTY,) * len(grid.columns))

    graphs = tuple(replace(graph, title=NASTY) for graph in one.picture.graphs)
    grids = tuple(map(nasty_grid, one.picture.grids))
    picture = replace(one.picture, notes=(NASTY,), graphs=graphs, grids=grids)
    options = tuple(f"{NASTY}{k}" for k, _ in enumerate(one.options))
    wrong = tuple(replace(mistake, reason=NASTY) for mistake in one.mistakes)
    texts = {"ask": NASTY, "solution": (NASTY,), "options": options}
    return replace(one, mistakes=wrong, picture=picture, **texts)


def test_nothing_in_a_text_becomes_markup_and_all_of_a_graph_is_drawn():
    nasty = tuple(made_nasty(one) for one in questions()[:20])
    for text in package(nasty).values():
        assert not {"script", "alert"} & set(elements(text))
    for question in moodle(nasty):
        assert not any("<script" in (text.text or "") for text in question.iter("text"))
        for file in question.iter("file"):
            assert "script" not in set(elements(base64.b64decode(file.text or "").decode()))
    named = fromstring(moodle_xml({NASTY: nasty[:1]})).findtext("question/category/text")
    assert named == f"$course$/top/{NASTY.replace('/', '//')}"
    grids = [grid for one in nasty for grid in one.picture.grids]
    assert grids
    assert not any("script" in set(elements(grid_html(grid))) for grid in grids)
    graph = questions()[0].picture.graphs[0]
    svg = fromstring(graph_svg(graph))
    kinds = [one.tag.rpartition("}")[2] for one in svg.iter()]
    assert (kinds.count("circle"), kinds.count("line")) == (len(graph.names), len(graph.edges))
    texts = [one.text for one in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == [*([graph.title] if graph.title else []), *graph.names]
    assert svg.get("aria-label") == describe_graph(graph)
    assert all(f"{u} – {v}" in describe_graph(graph) for u, v in graph.edges)


def test_the_same_sheet_gives_the_same_bytes_and_each_student_their_own():
    each = Sheet(("order",), number=2, seed=1, per_student=True)
    write_moodle, write_qti = FORMATS["moodle"].write, FORMATS["qti"].write
    for write in (write_moodle, write_qti):
        first, again = (write(Sheet(number=3, seed=8), ()) for _ in range(2))
        assert first == again
    root = fromstring(write_moodle(each, ("Ada", "Bob")))
    names = [one.findtext("category/text") for one in root if one.get("type") == "category"]
    assert names == [f"$course$/top/{each.code} {name}" for name in ("Ada", "Bob")]
    seeds = [one.findtext("idnumber") for one in root if one.get("type") == "match"]
    wanted = [f"order-{q.level}-{q.seed}" for name in ("Ada", "Bob") for q in each.questions(name)]
    assert seeds == wanted
    assert write_qti(each, ("Ada",)) != write_qti(each, ("Bob",))
    assert_refused(OptionError, "name the students", write_moodle, each, ())
    assert_refused(OptionError, "one student", write_qti, each, ("Ada", "Bob"))
