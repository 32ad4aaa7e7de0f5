"""Exercises as Moodle XML, which its question bank imports.

Questions of one answer are of the type multichoice, sets of nodes or options the same with several
right choices, numbers numerical and orders match. A set of nodes of which several are right is
offered as a choice between whole sets. Pictures are files within the text.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import combinations
from types import MappingProxyType
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from bjp_engine.errors import OptionError, clip, ordinal
from bjp_engine.exercises import (
    KINDS,
    Answer,
    Exercise,
    Form,
    GraphPicture,
    GridPicture,
    Sheet,
    answer_text,
)
from bjp_engine.exercises.sheet import tidy_student
from bjp_explorer.share.page import page
from bjp_explorer.shell.text import plain
from bjp_explorer.views.palette import LIGHT
from bjp_explorer.views.payloads import Payload

_TYPES = {Form.NUMBER: "numerical", Form.ORDER: "match"}


def moodle_xml(categories: Mapping[str, Iterable[Exercise]]) -> str:
    """Exercises by the name of their category."""
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
        for right in exercise.accepted:
            _add_number(question, answer_text(right), exercise.tolerance, 100, "Right.")
        for mistake in exercise.mistakes:
            _add_number(
                question, answer_text(mistake.answer), exercise.tolerance, 0, mistake.reason
            )
    elif exercise.form == Form.ORDER:
        _add_order(question, exercise)
    else:
        _add_choices(question, exercise)


def _add_number(question: Element, text: str, tolerance: float, share: int, why: str) -> None:
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
    if right:
        return "Right."
    if several:
        return "This one is not part of the answer."
    return (
        next((one.reason for one in exercise.mistakes if one.answer == option.answer), "")
        or "This is not the answer."
    )


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
    for field, text in (
        ("correctfeedback", "Right."),
        ("partiallycorrectfeedback", "Partly right."),
        ("incorrectfeedback", "This is not the answer."),
    ):
        _add_text(question, field, f"<p>{text}</p>")


def _add_text(parent: Element, name: str, html: str) -> Element:
    element = SubElement(parent, name, format="html")
    SubElement(element, "text").text = html
    return element


# --- The sheet as files ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SheetFormat:
    """A kind of file."""

    title: str
    # Of the file's name, with its dot.
    ending: str
    mime: str
    # The file's bytes; students may be missing where all have the same questions.
    write: Callable[[Sheet, Sequence[str]], bytes]


def _write_moodle(sheet: Sheet, students: Sequence[str]) -> bytes:
    if not sheet.per_student:
        students = ("",)
    elif not students:
        raise OptionError(
            "Each student has questions of their own on this sheet; name the students."
        )
    parts = {f"{sheet.title} {one}".strip(): sheet.questions(one) for one in students}
    return moodle_xml(parts).encode()


FORMATS: Mapping[str, SheetFormat] = MappingProxyType(
    {
        "html": SheetFormat(
            "To practise in the browser",
            ".html",
            "text/html",
            lambda sheet, _: sheet_page(sheet).encode(),
        ),
        "print": SheetFormat(
            "To print", ".html", "text/html", lambda *given: print_page(*given).encode()
        ),
        "solutions": SheetFormat(
            "To print, with solutions",
            ".html",
            "text/html",
            lambda *given: print_page(*given, solutions=True).encode(),
        ),
        "moodle": SheetFormat("Moodle XML", ".xml", "application/xml", _write_moodle),
    }
)


# --- The sheet as a page --------------------------------------------------------------------------

TITLE = "Practice sheet"
# Where each student has questions of their own; a larger class is several groups.
MOST_STUDENTS = 200
_LONGEST = 100


def run_payload(sheet: Sheet, *, more: bool = True) -> Payload:
    """A run of questions; `more` offers ten others at its end."""
    questions = sheet.questions()
    asked = {one.kind for one in questions}
    kinds = {name: kind.title for name, kind in KINDS.items() if name in asked}
    exercises = [json.loads(one.to_json()) for one in questions]
    return {"id": sheet.title, "kinds": kinds, "exercises": exercises, "more": more}


def sheet_page(sheet: Sheet) -> str:
    """A sheet, the same for all, as a page of its own."""
    if sheet.per_student:
        raise OptionError(
            "A page to practise on has the same questions for all; print the sheet or write it "
            "for Moodle instead."
        )
    payload = run_payload(sheet, more=False)
    return page("practice", payload, title=TITLE, about=sheet.title)


def class_of(sheet: Sheet, students: Iterable[str]) -> list[str]:
    """The students of a sheet, tidy and each once; one without a name where all have the same."""
    if not sheet.per_student:
        return [""]
    found: dict[str, str] = {}
    for student in filter(None, (tidy_student(plain(one, _LONGEST)) for one in students)):
        if student.casefold() in found:
            raise OptionError(f"{clip(student)} comes twice; give each student once.")
        found[student.casefold()] = student
    if not found:
        raise OptionError(
            "Each student has questions of their own on this sheet; name the students."
        )
    if len(found) > MOST_STUDENTS:
        raise OptionError(
            f"There are {len(found)} students; make sheets for groups of {MOST_STUDENTS} at most."
        )
    return list(found.values())


# --- Options --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Option:
    """Something to choose."""

    # A name of letters alone, different for each option of a question.
    key: str
    # What choosing it alone answers.
    answer: tuple[str, ...]
    text: str


def options_of(exercise: Exercise) -> list[Option]:
    """The options of an exercise: its own, all its nodes, or all pairs of them."""
    if exercise.options:
        both = zip(exercise.letters, exercise.options, strict=True)
        return [Option(letter, (letter,), text) for letter, text in both]
    if exercise.form == Form.PAIR:
        pairs = combinations(exercise.nodes, 2)
        return [Option("_".join(pair), pair, " – ".join(pair)) for pair in pairs]
    return [Option(name, (name,), name) for name in exercise.nodes]


def set_options(exercise: Exercise) -> list[Option]:
    """Whole answers as options, where several sets are right: one of them and typical mistakes."""
    answers: list[Answer] = [exercise.answer, *(one.answer for one in exercise.mistakes[:5])]
    sets = sorted(answer for answer in answers if isinstance(answer, tuple))
    return [Option("_".join(one), one, "{" + ", ".join(one) + "}") for one in sets]


# --- The sheet on paper ---------------------------------------------------------------------------

_STYLE = """
:root { color-scheme: light; }
@page { margin: 16mm; }
body { margin: 0 auto; padding: 1.5rem; max-width: 48rem; background: #fff; color: #000;
  font: 11pt/1.4 system-ui, sans-serif; }
h1 { margin: 0; font-size: 16pt; }
h2 { margin: 0 0 0.2rem; font-size: 11pt; }
header { margin-bottom: 1rem; border-bottom: 1.5pt solid #000; }
header p { display: flex; justify-content: space-between; gap: 1rem; margin: 0.4rem 0; }
.question { margin: 0 0 1.4rem; break-inside: avoid; }
.question p, .solution p { margin: 0.2rem 0; }
.pictures { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 0.6rem 2rem; }
.pictures, .answer { margin: 0.4rem 0; }
svg { width: 46mm; height: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { font-weight: 600; text-align: left; }
th, td { padding: 0.15rem 0.55rem; border: 0.7pt solid #000; text-align: right; }
ul { margin: 0.3rem 0; padding: 0; list-style: none; }
.blank { display: inline-block; min-width: 60mm; border-bottom: 0.7pt solid #000; }
.solution { margin-top: 0.4rem; padding-left: 0.7rem; border-left: 2.5pt solid #000; }
.paper + .paper { break-before: page; }
@media screen { .paper + .paper { margin-top: 3rem; } }
@media print { body { padding: 0; max-width: none; } }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def print_page(sheet: Sheet, students: Sequence[str] = (), *, solutions: bool = False) -> str:
    """A sheet for paper; each student gets pages of their own, where questions differ."""
    heading = TITLE + ", with solutions" * solutions
    papers = "".join(
        _paper(sheet, student, heading, solutions) for student in class_of(sheet, students)
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(heading)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>{papers}</body>\n</html>\n"
    )


def _paper(sheet: Sheet, student: str, heading: str, solutions: bool) -> str:
    questions = sheet.questions(student)
    name = escape(student) if student else '<span class="blank"></span>'
    items = "".join(_question(k, one, solutions) for k, one in enumerate(questions, 1))
    return (
        f'<main class="paper"><header><h1>{escape(heading)}</h1>'
        f"<p><span>Name: {name}</span><span>{escape(sheet.title)}</span></p></header>{items}</main>"
    )


def _question(place: int, exercise: Exercise, solved: bool) -> str:
    kind = KINDS[exercise.kind].title
    parts = [
        f'<section class="question"><h2>{place}. {escape(kind)}</h2>',
        f"<p>{escape(exercise.ask)}</p>",
        '<div class="pictures">',
        *(graph_svg(graph) for graph in exercise.picture.graphs),
        *(grid_html(grid) for grid in exercise.picture.grids),
        "</div>",
        *(f"<p>{escape(note)}</p>" for note in exercise.picture.notes),
        *_options(exercise),
    ]
    if solved:
        right = " or ".join(_written(exercise, answer) for answer in exercise.accepted)
        parts += [
            f'<div class="solution"><p><strong>Answer: {escape(right)}</strong></p>',
            f"{solution_html(exercise)}</div>",
        ]
    elif not exercise.options:
        parts.append('<p class="answer">Answer: <span class="blank"></span></p>')
    return "".join([*parts, "</section>"])


def _options(exercise: Exercise) -> Iterator[str]:
    if exercise.options:
        yield "<ul>"
        for letter, text in zip(exercise.letters, exercise.options, strict=True):
            yield f"<li>☐ {letter}&ensp;{escape(text)}</li>"
        yield "</ul>"


def _written(exercise: Exercise, answer: Answer) -> str:
    if isinstance(answer, tuple):
        return (" – " if exercise.form == Form.PAIR else ", ").join(answer)
    return answer_text(float(f"{answer:.4g}")).replace("-", "−")


# --- Pictures -------------------------------------------------------------------------------------

SIZE = 240
_RADIUS, _ABOVE = 15, 20


def graph_svg(graph: GraphPicture) -> str:
    """A graph as an svg element: black on white, marked nodes filled; nothing is fetched."""
    above = _ABOVE if graph.title else 0
    places = {
        name: (SIZE * x, SIZE * y + above)
        for name, (x, y) in zip(graph.names, graph.positions, strict=True)
    }
    lines = [(*places[u], *places[v]) for u, v in graph.edges]
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE + above}" '
            f'width="{SIZE}" height="{SIZE + above}" role="img" '
            f'aria-label="{escape(describe_graph(graph))}" font-family="sans-serif">'
        ),
        f'<rect width="{SIZE}" height="{SIZE + above}" fill="{LIGHT.paper}"/>',
        *(
            [_text(SIZE / 2, 16, graph.title, LIGHT.ink, 'font-size="14" font-weight="600"')]
            if graph.title
            else []
        ),
        *(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{LIGHT.ink}" '
            'stroke-width="2"/>'
            for x1, y1, x2, y2 in lines
        ),
    ]
    for name, (x, y) in places.items():
        marked = name in graph.marked
        parts += [
            (
                f'<circle cx="{x:g}" cy="{y:g}" r="{_RADIUS}" stroke="{LIGHT.ink}" '
                f'stroke-width="2" fill="{LIGHT.ink if marked else LIGHT.paper}"/>'
            ),
            _text(x, y + 5, name, LIGHT.paper if marked else LIGHT.ink, 'font-size="15"'),
        ]
    return "\n".join([*parts, "</svg>"])


def describe_graph(graph: GraphPicture) -> str:
    """A graph in words, for those who don't see it."""
    edges = ", ".join(f"{u} – {v}" for u, v in graph.edges) or "none"
    title = f"{graph.title}: " if graph.title else ""
    return f"{title}nodes {', '.join(graph.names)}; edges {edges}"


def grid_html(grid: GridPicture) -> str:
    """A table as an element of HTML."""
    caption = f"<caption>{escape(grid.title)}</caption>" if grid.title else ""
    head = "".join(f"<th>{escape(one)}</th>" for one in (grid.corner, *grid.columns))
    rows = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
        for name, cells in zip(grid.rows, grid.cells, strict=True)
    )
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def question_html(exercise: Exercise, images: list[str]) -> Iterator[str]:
    """The question and its picture as elements; `images` are the addresses of its graphs."""
    yield f"<p>{escape(exercise.ask)}</p>"
    if images:
        yield (
            "<p>"
            + " ".join(
                f'<img src="{escape(address)}" alt="{escape(describe_graph(graph))}"/>'
                for address, graph in zip(images, exercise.picture.graphs, strict=True)
            )
            + "</p>"
        )
    yield from (grid_html(grid) for grid in exercise.picture.grids)
    yield from (f"<p>{escape(note)}</p>" for note in exercise.picture.notes)


def solution_html(exercise: Exercise) -> str:
    """The worked solution as paragraphs."""
    return "".join(f"<p>{escape(line)}</p>" for line in exercise.solution)


def _text(x: float, y: float, text: str, colour: str, look: str) -> str:
    place = f'x="{x:g}" y="{y:g}" text-anchor="middle"'
    return f'<text {place} fill="{colour}" {look}>{escape(text)}</text>'
