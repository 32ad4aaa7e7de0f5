"""Exercises as Moodle XML, which its question bank imports.

Questions of one answer are of the type multichoice, sets of nodes or options the same with several
right choices, numbers numerical and orders match. A set of nodes of which several are right is
offered as a choice between whole sets. Pictures are files within the text.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from html import escape
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from bjp_engine.errors import ordinal
from bjp_engine.exercises import KINDS, Exercise, Form, answer_text
from bjp_explorer.practice.options import Option, options_of, reason_of, set_options
from bjp_explorer.practice.pictures import graph_svg, question_html, solution_html

_TYPES = {Form.NUMBER: "numerical", Form.ORDER: "match"}


def moodle_xml(categories: Mapping[str, Iterable[Exercise]]) -> str:
    """Categories of questions.

    Parameters
    ----------
    categories : mapping of str to iterable of Exercise
        Exercises by the name of their category.
    """
    quiz = Element("quiz")
    for name, exercises in categories.items():
        category = SubElement(quiz, "question", type="category")
        # A slash would begin a category within it; two are one that is meant.
        path = f"$course$/top/{name.replace('/', '//')}"
        SubElement(SubElement(category, "category"), "text").text = path
        for place, exercise in enumerate(exercises, 1):
            _add_question(quiz, place, exercise)
    indent(quiz)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(quiz, encoding="unicode")}\n'


def _add_question(quiz: Element, place: int, exercise: Exercise) -> None:
    """One question."""
    question = SubElement(quiz, "question", type=_TYPES.get(exercise.form, "multichoice"))
    kind = KINDS[exercise.kind].title
    name = f"{place:03} {kind}, level {exercise.level}"
    SubElement(SubElement(question, "name"), "text").text = name
    files = [f"graph-{k}.svg" for k in range(1, len(exercise.picture.graphs) + 1)]
    text = _add_text(
        question,
        "questiontext",
        "".join(question_html(exercise, [f"@@PLUGINFILE@@/{file}" for file in files])),
    )
    for file, graph in zip(files, exercise.picture.graphs, strict=True):
        svg = graph_svg(graph).encode()
        element = SubElement(text, "file", name=file, path="/", encoding="base64")
        element.text = base64.b64encode(svg).decode()
    _add_text(question, "generalfeedback", _feedback(exercise))
    for field, value in (("defaultgrade", "1"), ("penalty", "0.3333333"), ("hidden", "0")):
        SubElement(question, field).text = value
    SubElement(question, "idnumber").text = f"{exercise.kind}-{exercise.level}-{exercise.seed}"
    if exercise.form == Form.NUMBER:
        _add_numbers(question, exercise)
    elif exercise.form == Form.ORDER:
        _add_order(question, exercise)
    else:
        _add_choices(question, exercise)


def _add_numbers(question: Element, exercise: Exercise) -> None:
    """The right number and the wrong ones; Moodle takes the first that fits."""
    for right in exercise.accepted:
        _add_number(question, answer_text(right), exercise.tolerance, 100, "Right.")
    for mistake in exercise.mistakes:
        _add_number(question, answer_text(mistake.answer), exercise.tolerance, 0, mistake.reason)


def _add_number(question: Element, text: str, tolerance: float, share: int, why: str) -> None:
    """One number."""
    answer = _add_answer(question, text, f"{share}", why, "moodle_auto_format")
    SubElement(answer, "tolerance").text = f"{tolerance:g}"


def _add_order(question: Element, exercise: Exercise) -> None:
    """A node for each place."""
    SubElement(question, "shuffleanswers").text = "true"
    _add_overall(question)
    for place, node in enumerate(exercise.answer if isinstance(exercise.answer, tuple) else (), 1):
        part = _add_text(question, "subquestion", f"<p>{ordinal(place)}</p>")
        SubElement(SubElement(part, "answer"), "text").text = node


def _add_choices(question: Element, exercise: Exercise) -> None:
    """One option of several, or several."""
    sets = exercise.form == Form.NODES and len(exercise.accepted) > 1
    options = set_options(exercise) if sets else options_of(exercise)
    several = exercise.form in (Form.NODES, Form.SEVERAL) and not sets
    if several:
        chosen = set(exercise.answer if isinstance(exercise.answer, tuple) else ())
        right = [option for option in options if option.key in chosen]
    else:
        right = [option for option in options if option.answer in exercise.accepted]
    SubElement(question, "single").text = str(not several).lower()
    # Names and numbered graphs stay in their order; longer options change places.
    shuffled = sets or exercise.form == Form.SEVERAL
    SubElement(question, "shuffleanswers").text = str(shuffled).lower()
    SubElement(question, "answernumbering").text = "none" if not exercise.options else "abc"
    _add_overall(question)
    for option in options:
        # All options chosen, or all but the right ones, are worth nothing.
        gain = 100 / len(right) if option in right else -100 / (len(options) - len(right))
        share = gain if several else 100.0 if option in right else 0.0
        _add_answer(
            question,
            f"<p>{escape(option.text)}</p>",
            f"{share:.7g}",
            _why(exercise, option, several=several, right=option in right),
            "html",
        )


def _why(exercise: Exercise, option: Option, *, several: bool, right: bool) -> str:
    """What a student reads who has chosen an option."""
    if right:
        return "Right."
    if several:
        return "This one is not part of the answer."
    return reason_of(exercise, option.answer) or "This is not the answer."


def _feedback(exercise: Exercise) -> str:
    """The worked solution, and typical mistakes where no option shows them."""
    text = solution_html(exercise)
    if exercise.form not in (Form.NODES, Form.ORDER, Form.SEVERAL):
        return text
    return text + "".join(
        f"<p>{escape(answer_text(one.answer))}: {escape(one.reason)}</p>"
        for one in exercise.mistakes[:5]
    )


def _add_answer(question: Element, text: str, share: str, why: str, form: str) -> Element:
    """An answer with what it is worth and why."""
    answer = SubElement(question, "answer", fraction=share, format=form)
    SubElement(answer, "text").text = text
    _add_text(answer, "feedback", f"<p>{escape(why)}</p>")
    return answer


def _add_overall(question: Element) -> None:
    """Feedback on the whole answer, which Moodle asks of these types."""
    for field, text in (
        ("correctfeedback", "Right."),
        ("partiallycorrectfeedback", "Partly right."),
        ("incorrectfeedback", "This is not the answer."),
    ):
        _add_text(question, field, f"<p>{text}</p>")


def _add_text(parent: Element, name: str, html: str) -> Element:
    """An element of formatted text."""
    element = SubElement(parent, name, format="html")
    SubElement(element, "text").text = html
    return element
