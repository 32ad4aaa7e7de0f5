"""Moodle XML and QTI: what a learning platform reads is what the engine judges right."""

from __future__ import annotations

import base64
import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from html import unescape
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from defusedxml.ElementTree import fromstring

from bjp_engine.errors import OptionError
from bjp_engine.exercises import Exercise, Form, Sheet, judge
from bjp_explorer.practice.moodle import moodle_xml
from bjp_explorer.practice.pictures import describe_graph, graph_svg, grid_html
from bjp_explorer.practice.qti import qti_package
from bjp_explorer.practice.sheet_formats import FORMATS

NASTY = "</p><script>alert(1)</script> & \"'"
QTI = "{http://www.imsglobal.org/xsd/imsqti_v2p1}"
CONTENT = "{http://www.imsglobal.org/xsd/imscp_v1p1}"
# The fractions that Moodle's import accepts without a change, for up to eight options.
ACCEPTED = {round(100 / k, 5) for k in range(1, 9)} | {0.0}


@cache
def questions() -> tuple[Exercise, ...]:
    return Sheet(number=54, seed=3).questions()


def moodle(exercises: tuple[Exercise, ...]) -> list[Element]:
    category, *found = fromstring(moodle_xml({"A sheet": exercises}))
    assert category.get("type") == "category"
    assert category.findtext("category/text") == "$course$/top/A sheet"
    return found


def package(exercises: tuple[Exercise, ...]) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(qti_package("A sheet", exercises))) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_moodle_gives_the_engines_marks() -> None:
    for one, question in zip(questions(), moodle(questions()), strict=True):
        assert question.findtext("idnumber") == f"{one.kind}-{one.level}-{one.seed}"
        check_marks(one, question)
        for answer in question.findall("answer"):
            share = abs(float(answer.get("fraction", "")))
            assert min(abs(share - known) for known in ACCEPTED) < 1e-4
        # Pictures are files within the text.
        files = question.findall("questiontext/file")
        html = question.findtext("questiontext/text") or ""
        for file, graph in zip(files, one.picture.graphs, strict=True):
            assert f'src="@@PLUGINFILE@@/{file.get("name")}"' in html
            assert file.get("encoding") == "base64"
            assert base64.b64decode(file.text or "").decode() == graph_svg(graph)
        assert "http" not in re.sub("<[^>]*>", "", html)
        # Wrong answers have their reasons.
        said = unescape("".join(element.text or "" for element in question.iter("text")))
        reasons = [mistake.reason for mistake in one.mistakes[:5]]
        assert not reasons or any(reason in said for reason in reasons)
        assert all(line in said for line in one.solution)


def check_marks(one: Exercise, question: Element) -> None:
    """The marks of each answer that Moodle offers."""
    kind, answers = question.get("type"), question.findall("answer")
    texts = [re.sub("<[^>]+>", "", answer.findtext("text") or "") for answer in answers]
    shares = [float(answer.get("fraction", "")) for answer in answers]
    marked = list(zip(texts, shares, strict=True))
    if one.form == Form.NUMBER:
        assert kind == "numerical"
        assert all(judge(one, text).points == share / 100 for text, share in marked)
        tolerances = {float(answer.findtext("tolerance") or "nan") for answer in answers}
        assert tolerances == {one.tolerance}
        assert shares.count(100) == 1
    elif one.form == Form.ORDER:
        assert kind == "match"
        parts = question.findall("subquestion")
        order: Any = [part.findtext("answer/text") for part in parts]
        assert judge(one, order).correct
        assert parts[0].findtext("text") == "<p>1st</p>"
    elif question.findtext("single") == "true":
        assert kind == "multichoice"
        assert sorted(shares)[-2:] == [0, 100]
        assert {*shares} == {0, 100}
        for text, share in marked:
            assert judge(one, as_answer(one, text)).points == share / 100
    else:
        assert kind == "multichoice"
        for sign in (1, -1):
            total = sum(share for share in shares if share * sign > 0)
            assert total == pytest.approx(sign * 100, abs=1e-3)
        chosen = [text for text, share in marked if share > 0]
        assert judge(one, as_answer(one, *chosen)).correct


def as_answer(one: Exercise, *texts: str) -> list[str]:
    """Options as an answer of the engine."""
    if one.options:
        return [one.letters[one.options.index(unescape(text))] for text in texts]
    return [name for text in texts for name in re.findall(r"\w", text)]


def test_an_item_of_qti_scores_as_the_engine_does() -> None:
    files = package(questions())
    manifest = fromstring(files["imsmanifest.xml"])
    named = [file.get("href") for file in manifest.iter(f"{CONTENT}file")]
    assert sorted(named) == sorted(set(files) - {"imsmanifest.xml"})
    needed = {one.get("identifierref") for one in manifest.iter(f"{CONTENT}dependency")}
    types = {one.get("identifier"): one.get("type") for one in manifest.iter(f"{CONTENT}resource")}
    assert {name for name, of in types.items() if of == "imsqti_item_xmlv2p1"} == needed
    assert types["test"] == "imsqti_test_xmlv2p1"
    parts = fromstring(files["test.xml"]).iter(f"{QTI}assessmentItemRef")
    items = [one.get("href") for one in parts]
    assert items == [f"question-{k:03}.xml" for k in range(1, 55)]
    for one, name in zip(questions(), items, strict=True):
        item = fromstring(files[str(name)])
        offered = {choice.get("identifier") for choice in item.iter(f"{QTI}simpleChoice")}
        for answer in (*one.accepted, *(mistake.answer for mistake in one.mistakes)):
            response = as_response(one, answer)
            assert one.form == Form.NUMBER or set(response) <= offered
            outcome, verdict = process(item, response), judge(one, answer)
            assert float(outcome.get("SCORE", "0")) == verdict.points
            assert feedback(item, "FEEDBACK", outcome["FEEDBACK"]) == [verdict.sentence]
            assert outcome["SOLUTION"] == "shown"
        correct = [value.text for value in item.findall(f".//{QTI}correctResponse/{QTI}value")]
        assert correct == as_response(one, one.answer)
        other = "-77" if one.form == Form.NUMBER else "other-answer"
        assert process(item, [other])["FEEDBACK"] == "other"
        assert feedback(item, "SOLUTION", "shown") == list(one.solution)


def as_response(one: Exercise, answer: Any) -> list[str]:
    if isinstance(answer, float):
        return [f"{answer:.15g}"]
    return ["_".join(answer)] if one.form == Form.PAIR else list(answer)


def feedback(item: Element, outcome: str, value: str) -> list[str]:
    return [
        "".join(paragraph.itertext())
        for shown in item.findall(f"{QTI}modalFeedback")
        if (shown.get("outcomeIdentifier"), shown.get("identifier")) == (outcome, value)
        for paragraph in shown
    ]


def process(item: Element, response: list[str]) -> dict[str, str]:
    """Response processing as the standard has it, as far as items use it."""
    outcome: dict[str, str] = {}
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


def holds(test: Element, response: list[str], cardinality: str) -> bool:
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


def elements(text: str) -> Iterator[str]:
    return (one.tag.rpartition("}")[2] for one in fromstring(text).iter())


def made_nasty(one: Exercise) -> Exercise:
    """An exercise all of whose texts would like to be markup."""
    picture = one.picture
    grids = [
        replace(grid, title=NASTY, corner=NASTY, columns=(NASTY,) * len(grid.columns))
        for grid in picture.grids
    ]
    graphs = [replace(graph, title=NASTY) for graph in picture.graphs]
    return replace(
        one,
        ask=NASTY,
        solution=(NASTY,),
        options=tuple(f"{NASTY}{k}" for k, _ in enumerate(one.options)),
        mistakes=tuple(replace(wrong, reason=NASTY) for wrong in one.mistakes),
        picture=replace(picture, notes=(NASTY,), graphs=tuple(graphs), grids=tuple(grids)),
    )


def test_nothing_in_a_text_becomes_markup() -> None:
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


def test_a_picture_shows_every_node_and_edge() -> None:
    graph = questions()[0].picture.graphs[0]
    svg = fromstring(graph_svg(graph))
    kinds = [one.tag.rpartition("}")[2] for one in svg.iter()]
    assert kinds.count("circle") == len(graph.names)
    assert kinds.count("line") == len(graph.edges)
    texts = [one.text for one in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == [*([graph.title] if graph.title else []), *graph.names]
    assert svg.get("aria-label") == describe_graph(graph)
    assert all(f"{u} – {v}" in describe_graph(graph) for u, v in graph.edges)


def test_the_same_sheet_gives_the_same_bytes_and_each_student_their_own() -> None:
    each = Sheet(("order",), number=2, seed=1, per_student=True)
    sheet, write_moodle, write_qti = (
        Sheet(number=3, seed=8),
        FORMATS["moodle"].write,
        FORMATS["qti"].write,
    )
    for write in (write_moodle, write_qti):
        assert write(sheet, ()) == write(sheet, ())
    root = fromstring(write_moodle(each, ("Ada", "Bob")))
    names = [one.findtext("category/text") for one in root if one.get("type") == "category"]
    assert names == [f"$course$/top/{each.code} {name}" for name in ("Ada", "Bob")]
    seeds = [one.findtext("idnumber") for one in root if one.get("type") == "match"]
    wanted = [f"order-{q.level}-{q.seed}" for name in ("Ada", "Bob") for q in each.questions(name)]
    assert seeds == wanted
    assert write_qti(each, ("Ada",)) != write_qti(each, ("Bob",))
    with pytest.raises(OptionError, match="name the students"):
        write_moodle(each, ())
    with pytest.raises(OptionError, match="one student"):
        write_qti(each, ("Ada", "Bob"))
