"""Moodle XML and QTI: what a learning platform reads is what the engine judges right."""

from __future__ import annotations

import base64
import io
import re
import subprocess
import sys
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

QUESTIONS = Sheet(number=54, seed=3).questions()
EACH = Sheet(("order",), number=2, seed=1, per_student=True)
NASTY = "</p><script>alert(1)</script> & \"'"
QTI = "{http://www.imsglobal.org/xsd/imsqti_v2p1}"
CONTENT = "{http://www.imsglobal.org/xsd/imscp_v1p1}"


@cache
def moodle(exercises: tuple[Exercise, ...] = QUESTIONS) -> list[Element]:
    root = fromstring(moodle_xml({"A sheet": exercises}))
    category, *questions = root
    assert category.get("type") == "category"
    assert category.findtext("category/text") == "$course$/top/A sheet"
    return questions


def html_of(element: Element, name: str) -> str:
    return element.findtext(f"{name}/text") or ""


@pytest.mark.parametrize("place", range(54))
def test_moodle_gives_the_engines_marks(place: int) -> None:
    one, question = QUESTIONS[place], moodle()[place]
    kind = question.get("type")
    assert question.findtext("idnumber") == f"{one.kind}-{one.level}-{one.seed}"
    answers = question.findall("answer")
    texts = [re.sub("<[^>]+>", "", answer.findtext("text") or "") for answer in answers]
    shares = [float(answer.get("fraction", "")) for answer in answers]
    if one.form == Form.NUMBER:
        assert kind == "numerical"
        for text, share, answer in zip(texts, shares, answers, strict=True):
            assert judge(one, text).points == share / 100
            assert float(answer.findtext("tolerance") or "nan") == one.tolerance
        assert shares.count(100) == 1
        return
    if one.form == Form.ORDER:
        assert kind == "match"
        parts = question.findall("subquestion")
        order = [part.findtext("answer/text") for part in parts]
        assert judge(one, order).correct  # type: ignore[arg-type]
        assert parts[0].findtext("text") == "<p>1st</p>"
        return
    assert kind == "multichoice"
    chosen = [text for text, share in zip(texts, shares, strict=True) if share > 0]
    if question.findtext("single") == "true":
        assert sorted(set(shares)) == [0, 100]
        assert len(chosen) == 1
        for text, share in zip(texts, shares, strict=True):
            answer = as_answer(one, text)
            assert judge(one, answer).points == share / 100
    else:
        assert sum(share for share in shares if share > 0) == pytest.approx(100, abs=1e-3)
        assert sum(share for share in shares if share < 0) == pytest.approx(-100, abs=1e-3)
        assert judge(one, as_answer(one, *chosen)).correct


def as_answer(one: Exercise, *texts: str) -> list[str]:
    """Options as an answer of the engine."""
    if one.options:
        return [one.letters[one.options.index(unescape(text))] for text in texts]
    return [name for text in texts for name in re.findall(r"\w", text)]


# The fractions that Moodle's import accepts without a change, for up to eight options.
ACCEPTED = {round(100 / k, 5) for k in range(1, 9)} | {0.0}


def test_moodle_knows_every_fraction() -> None:
    for question in moodle():
        for answer in question.findall("answer"):
            share = answer.get("fraction", "")
            assert any(abs(abs(float(share)) - known) < 1e-4 for known in ACCEPTED), share


def test_pictures_are_files_within_the_text() -> None:
    for one, question in zip(QUESTIONS, moodle(), strict=True):
        files = question.findall("questiontext/file")
        assert len(files) == len(one.picture.graphs)
        html = html_of(question, "questiontext")
        for file, graph in zip(files, one.picture.graphs, strict=True):
            assert f'src="@@PLUGINFILE@@/{file.get("name")}"' in html
            assert file.get("encoding") == "base64"
            assert base64.b64decode(file.text or "").decode() == graph_svg(graph)
        assert "http" not in re.sub("<[^>]*>", "", html)


def test_wrong_answers_have_their_reasons() -> None:
    for one, question in zip(QUESTIONS, moodle(), strict=True):
        said = "".join(element.text or "" for element in question.iter("text"))
        said = unescape(said)
        told = [mistake.reason for mistake in one.mistakes[:5]]
        assert sum(reason in said for reason in told) >= min(len(told), 1)
        assert all(line in said for line in one.solution)


def package(exercises: tuple[Exercise, ...] = QUESTIONS) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(qti_package("A sheet", exercises))) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


PACKAGE = package()


def test_the_manifest_names_every_file_once() -> None:
    manifest = fromstring(PACKAGE["imsmanifest.xml"])
    named = [file.get("href") for file in manifest.iter(f"{CONTENT}file")]
    assert sorted(named) == sorted(set(PACKAGE) - {"imsmanifest.xml"})
    needed = {one.get("identifierref") for one in manifest.iter(f"{CONTENT}dependency")}
    types = {one.get("identifier"): one.get("type") for one in manifest.iter(f"{CONTENT}resource")}
    assert {name for name, of in types.items() if of == "imsqti_item_xmlv2p1"} == needed
    assert types["test"] == "imsqti_test_xmlv2p1"
    items = [
        one.get("href") for one in fromstring(PACKAGE["test.xml"]).iter(f"{QTI}assessmentItemRef")
    ]
    assert items == [f"question-{k:03}.xml" for k in range(1, 55)]


@pytest.mark.parametrize("place", range(1, 55))
def test_an_item_scores_as_the_engine_does(place: int) -> None:
    one, item = QUESTIONS[place - 1], fromstring(PACKAGE[f"question-{place:03}.xml"])
    offered = {choice.get("identifier") for choice in item.iter(f"{QTI}simpleChoice")}
    for answer in (*one.accepted, *(mistake.answer for mistake in one.mistakes)):
        response = as_response(one, answer)
        assert one.form == Form.NUMBER or set(response) <= offered
        outcome = process(item, response)
        verdict = judge(one, answer)
        assert float(outcome.get("SCORE", "0")) == verdict.points
        (told,) = feedback(item, "FEEDBACK", outcome["FEEDBACK"])
        assert told == verdict.sentence
        assert outcome["SOLUTION"] == "shown"
    correct = [value.text for value in item.findall(f".//{QTI}correctResponse/{QTI}value")]
    assert correct == as_response(one, one.answer)
    assert (
        process(item, ["other-answer" if one.form != Form.NUMBER else "-77"])["FEEDBACK"] == "other"
    )
    shown = feedback(item, "SOLUTION", "shown")
    assert shown == list(one.solution)


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


def test_nothing_in_a_text_becomes_markup() -> None:
    nasty = tuple(
        replace(
            one,
            ask=NASTY,
            solution=(NASTY,),
            options=tuple(f"{NASTY}{k}" for k, _ in enumerate(one.options)),
            mistakes=tuple(replace(wrong, reason=NASTY) for wrong in one.mistakes),
            picture=replace(
                one.picture,
                notes=(NASTY,),
                graphs=tuple(replace(graph, title=NASTY) for graph in one.picture.graphs),
                grids=tuple(
                    replace(grid, title=NASTY, corner=NASTY, columns=(NASTY,) * len(grid.columns))
                    for grid in one.picture.grids
                ),
            ),
        )
        for one in QUESTIONS[:20]
    )
    for text in package(nasty).values():
        assert not {"script", "alert"} & set(elements(text))
    for question in moodle(nasty):
        for text in question.iter("text"):
            assert "<script" not in (text.text or "")
        for file in question.iter("file"):
            assert "script" not in set(elements(base64.b64decode(file.text or "").decode()))
    assert fromstring(moodle_xml({NASTY: nasty[:1]})).findtext("question/category/text") == (
        f"$course$/top/{NASTY.replace('/', '//')}"
    )
    for one in nasty:
        for grid in one.picture.grids:
            assert "script" not in set(elements(grid_html(grid)))


def test_a_picture_shows_every_node_and_edge() -> None:
    graph = QUESTIONS[0].picture.graphs[0]
    svg = fromstring(graph_svg(graph))
    kinds = [one.tag.rpartition("}")[2] for one in svg.iter()]
    assert kinds.count("circle") == len(graph.names)
    assert kinds.count("line") == len(graph.edges)
    texts = [one.text for one in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == [*([graph.title] if graph.title else []), *graph.names]
    assert svg.get("aria-label") == describe_graph(graph)
    assert all(f"{u} – {v}" in describe_graph(graph) for u, v in graph.edges)


def test_the_same_sheet_gives_the_same_bytes() -> None:
    for form in ("moodle", "qti"):
        sheet = Sheet(number=3, seed=8)
        assert FORMATS[form].write(sheet, ()) == FORMATS[form].write(sheet, ())


def test_questions_for_each_student() -> None:
    root = fromstring(FORMATS["moodle"].write(EACH, ("Ada", "Bob")))
    names = [one.findtext("category/text") for one in root if one.get("type") == "category"]
    assert names == [f"$course$/top/{EACH.code} {name}" for name in ("Ada", "Bob")]
    seeds = [one.findtext("idnumber") for one in root if one.get("type") == "match"]
    wanted = [f"order-{q.level}-{q.seed}" for name in ("Ada", "Bob") for q in EACH.questions(name)]
    assert seeds == wanted
    assert FORMATS["qti"].write(EACH, ("Ada",)) != FORMATS["qti"].write(EACH, ("Bob",))
    with pytest.raises(OptionError, match="name the students"):
        FORMATS["moodle"].write(EACH, ())
    with pytest.raises(OptionError, match="one student"):
        FORMATS["qti"].write(EACH, ("Ada", "Bob"))


def test_files_are_written_without_streamlit() -> None:
    program = (
        "import sys, bjp_explorer.practice.sheet_formats\n"
        "print([m for m in ('streamlit', 'plotly', 'pyvis', 'matplotlib') if m in sys.modules])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "[]"
