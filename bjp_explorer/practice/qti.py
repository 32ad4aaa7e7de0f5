"""Exercises as a package of QTI 2.1: a zip of items, their pictures, a test and a manifest.

An answer counts as a whole. Typical mistakes and the worked solution are modal feedback.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from html import escape

from bjp_engine.exercises import KINDS, Answer, Exercise, Form, answer_text
from bjp_explorer.practice.options import options_of
from bjp_explorer.practice.pictures import graph_svg, question_html, solution_html

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_SCHEMAS = (
    f'xmlns="{_QTI}" xmlns:xsi="{_XSI}" '
    f'xsi:schemaLocation="{_QTI} http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd"'
)
_CARDINALITY = {
    Form.NODES: "multiple",
    Form.SEVERAL: "multiple",
    Form.ORDER: "ordered",
    Form.ONE: "single",
    Form.PAIR: "single",
    Form.NUMBER: "single",
}
# The earliest date that a zip can hold: the same exercises give the same bytes.
_DATE = (1980, 1, 1, 0, 0, 0)


def qti_package(title: str, exercises: Sequence[Exercise]) -> bytes:
    """A zip that learning platforms import.

    Parameters
    ----------
    title : str
        The test's name.
    exercises : sequence of Exercise
    """
    files: dict[str, str] = {}
    for place, exercise in enumerate(exercises, 1):
        images = []
        for k, graph in enumerate(exercise.picture.graphs, 1):
            name = f"images/{place:03}-{k}.svg"
            files[name] = f"{_HEAD}{graph_svg(graph)}\n"
            images.append(name)
        files[_item(place)] = item_xml(place, exercise, images)
    files["test.xml"] = _test_xml(title, len(exercises))
    files = {"imsmanifest.xml": _manifest_xml(files)} | files
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), text, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def item_xml(place: int, exercise: Exercise, images: list[str]) -> str:
    """One item; `images` are the addresses of its graphs."""
    number = exercise.form == Form.NUMBER
    kind = KINDS[exercise.kind].title
    base = "float" if number else "identifier"
    values = "".join(f"<value>{value}</value>" for value in _values(exercise, exercise.answer))
    reasons = [("right", "Right."), *_mistakes(exercise), ("other", "This is not the answer.")]
    return "\n".join(
        [
            (
                f'{_HEAD}<assessmentItem {_SCHEMAS} identifier="question-{place:03}" '
                f'title="{escape(f"{place}. {kind}, level {exercise.level}")}" '
                'adaptive="false" timeDependent="false" xml:lang="en">'
            ),
            (
                '<responseDeclaration identifier="RESPONSE" '
                f'cardinality="{_CARDINALITY[exercise.form]}" baseType="{base}">'
                f"<correctResponse>{values}</correctResponse></responseDeclaration>"
            ),
            _declare("SCORE", "float", 0),
            _declare("MAXSCORE", "float", 1),
            _declare("FEEDBACK", "identifier"),
            _declare("SOLUTION", "identifier"),
            "<itemBody>",
            *question_html(exercise, images),
            _interaction(exercise),
            "</itemBody>",
            _processing(exercise),
            *(_show("FEEDBACK", key, f"<p>{escape(reason)}</p>") for key, reason in reasons),
            _show("SOLUTION", "shown", solution_html(exercise)),
            "</assessmentItem>\n",
        ]
    )


def _interaction(exercise: Exercise) -> str:
    """How the item is answered."""
    if exercise.form == Form.NUMBER:
        return '<p><textEntryInteraction responseIdentifier="RESPONSE" expectedLength="10"/></p>'
    order = exercise.form == Form.ORDER
    # Names and numbered graphs stay in their order; longer options change places.
    shuffle = str(order or exercise.form == Form.SEVERAL).lower()
    choices = "".join(
        f'<simpleChoice identifier="{option.key}">{escape(option.text)}</simpleChoice>'
        for option in options_of(exercise)
    )
    if order:
        return (
            f'<orderInteraction responseIdentifier="RESPONSE" shuffle="{shuffle}">{choices}'
            "</orderInteraction>"
        )
    most = 0 if _CARDINALITY[exercise.form] == "multiple" else 1
    return (
        f'<choiceInteraction responseIdentifier="RESPONSE" shuffle="{shuffle}" '
        f'maxChoices="{most}">{choices}</choiceInteraction>'
    )


def _processing(exercise: Exercise) -> str:
    """A point for a right answer, and the reason for a typical mistake."""
    right = "".join(_is(exercise, answer) for answer in exercise.accepted)
    right = f"<or>{right}</or>" if len(exercise.accepted) > 1 else right
    branches = "".join(
        f"<responseElseIf>{_is(exercise, mistake.answer)}{_set('FEEDBACK', key)}</responseElseIf>"
        for (key, _), mistake in zip(_mistakes(exercise), exercise.mistakes, strict=True)
    )
    return (
        f"<responseProcessing>{_set('SOLUTION', 'shown')}<responseCondition>"
        f'<responseIf>{right}<setOutcomeValue identifier="SCORE"><baseValue baseType="float">1'
        f"</baseValue></setOutcomeValue>{_set('FEEDBACK', 'right')}</responseIf>{branches}"
        f"<responseElse>{_set('FEEDBACK', 'other')}</responseElse>"
        "</responseCondition></responseProcessing>"
    )


def _is(exercise: Exercise, answer: Answer) -> str:
    """Whether the response is an answer."""
    response = '<variable identifier="RESPONSE"/>'
    values = _values(exercise, answer)
    if exercise.form == Form.NUMBER:
        mode = (
            f'toleranceMode="absolute" tolerance="{exercise.tolerance:g}"'
            if exercise.tolerance
            else 'toleranceMode="exact"'
        )
        return (
            f'<equal {mode}>{response}<baseValue baseType="float">{values[0]}</baseValue></equal>'
        )
    parts = "".join(f'<baseValue baseType="identifier">{value}</baseValue>' for value in values)
    container = {"multiple": "multiple", "ordered": "ordered"}.get(_CARDINALITY[exercise.form])
    return (
        f"<match>{response}{f'<{container}>{parts}</{container}>' if container else parts}</match>"
    )


def _values(exercise: Exercise, answer: Answer) -> list[str]:
    """An answer as the values of a response."""
    if not isinstance(answer, tuple):
        return [answer_text(answer)]
    return ["_".join(answer)] if exercise.form == Form.PAIR else list(answer)


def _mistakes(exercise: Exercise) -> list[tuple[str, str]]:
    """An identifier for each mistake, with its reason."""
    return [(f"mistake-{k}", one.reason) for k, one in enumerate(exercise.mistakes, 1)]


def _declare(outcome: str, base: str, value: int | None = None) -> str:
    """An outcome, with its value before an answer."""
    default = "" if value is None else f"<defaultValue><value>{value}</value></defaultValue>"
    return (
        f'<outcomeDeclaration identifier="{outcome}" cardinality="single" baseType="{base}">'
        f"{default}</outcomeDeclaration>"
    )


def _show(outcome: str, value: str, html: str) -> str:
    """What is shown once an outcome has a value."""
    return (
        f'<modalFeedback outcomeIdentifier="{outcome}" identifier="{value}" showHide="show">'
        f"{html}</modalFeedback>"
    )


def _set(outcome: str, value: str) -> str:
    """Set what is shown."""
    return (
        f'<setOutcomeValue identifier="{outcome}"><baseValue baseType="identifier">{value}'
        "</baseValue></setOutcomeValue>"
    )


def _item(place: int) -> str:
    """The name of an item's file."""
    return f"question-{place:03}.xml"


def _test_xml(title: str, number: int) -> str:
    """The items in a row."""
    items = "".join(
        f'<assessmentItemRef identifier="item-{place:03}" href="{_item(place)}"/>'
        for place in range(1, number + 1)
    )
    return (
        f'{_HEAD}<assessmentTest {_SCHEMAS} identifier="sheet" title="{escape(title)}">'
        '<testPart identifier="part" navigationMode="nonlinear" submissionMode="individual">'
        '<assessmentSection identifier="section" title="Questions" visible="true">'
        f"{items}</assessmentSection></testPart></assessmentTest>\n"
    )


def _manifest_xml(files: dict[str, str]) -> str:
    """What the package holds."""
    content = "http://www.imsglobal.org/xsd/imscp_v1p1"
    items = [name for name in files if name.startswith("question-")]
    resources = []
    for name in items:
        place = name.removeprefix("question-").removesuffix(".xml")
        images = [image for image in files if image.startswith(f"images/{place}-")]
        inside = "".join(f'<file href="{one}"/>' for one in (name, *images))
        resources.append(
            f'<resource identifier="resource-{place}" type="imsqti_item_xmlv2p1" '
            f'href="{name}">{inside}</resource>'
        )
    needs = "".join(f'<dependency identifierref="resource-{name[9:-4]}"/>' for name in items)
    return (
        f'{_HEAD}<manifest xmlns="{content}" xmlns:xsi="{_XSI}" xsi:schemaLocation="{content} '
        'http://www.imsglobal.org/xsd/qti/qtiv2p1/qtiv2p1_imscpv1p2_v1p0.xsd" '
        'identifier="bjp-sheet"><metadata><schema>QTIv2.1 Package</schema>'
        "<schemaversion>1.0.0</schemaversion></metadata><organizations/><resources>"
        '<resource identifier="test" type="imsqti_test_xmlv2p1" href="test.xml">'
        f'<file href="test.xml"/>{needs}</resource>{"".join(resources)}</resources></manifest>\n'
    )
