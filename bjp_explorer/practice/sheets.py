"""Sheets of exercises as files: a page to practise on, pages to print, and Moodle XML.

In Moodle's question bank, questions of one answer are of the type multichoice, sets of nodes or
options the same with several right choices, numbers numerical and orders match. A set of nodes of
which several are right is offered as a choice between whole sets. Pictures are files within the
text.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import combinations
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from bjp_engine.errors import OptionError, clip
from bjp_engine.exercises import (
    KINDS,
    Answer,
    Exercise,
    Form,
    GraphPicture,
    GridPicture,
    Sheet,
    answer_text,
    tidy_student,
)
from bjp_explorer.share.page import page
from bjp_explorer.shell.text import plain
from bjp_explorer.views.palette import LIGHT
from bjp_explorer.views.payloads import Payload

TITLE = "Practice sheet"
# Where each student has questions of their own; a larger class is several groups.
MOST_STUDENTS = 200
_LONGEST = 100


@dataclass(frozen=True, slots=True)
class SheetFormat:
    """A kind of file."""

    title: str
    # Of the file's name, with its dot.
    ending: str
    mime: str
    # The file's bytes; students may be missing where all have the same questions.
    write: Callable[[Sheet, Sequence[str]], bytes]


FORMATS: Mapping[str, SheetFormat] = {
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
    "moodle": SheetFormat(
        "Moodle XML",
        ".xml",
        "application/xml",
        lambda sheet, students: moodle_xml(
            {
                f"{sheet.title} {one}".strip(): sheet.questions(one)
                for one in class_of(sheet, students)
            }
        ).encode(),
    ),
}


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


# --- To practise ----------------------------------------------------------------------------------


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


# --- Moodle ---------------------------------------------------------------------------------------


def moodle_xml(categories: Mapping[str, Iterable[Exercise]]) -> str:
    """Exercises by the name of their category."""
    quiz = Element("quiz")
    for name, exercises in categories.items():
        category = SubElement(quiz, "question", type="category")
        # A slash would begin a category within it; two are one that is meant.
        _add(category, "category", f"$course$/top/{name.replace('/', '//')}")
        for place, exercise in enumerate(exercises, 1):
            _add_question(quiz, place, exercise)
    indent(quiz)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(quiz, encoding="unicode")}\n'


def _add(parent: Element, name: str, text: str, **attributes: str) -> Element:
    """An element whose text is an element of its own."""
    element = SubElement(parent, name, attributes)
    SubElement(element, "text").text = text
    return element


def _add_html(parent: Element, name: str, html: str) -> Element:
    return _add(parent, name, html, format="html")


def _add_question(quiz: Element, place: int, exercise: Exercise) -> None:
    form, graphs = exercise.form, exercise.graphs
    kind = {Form.NUMBER: "numerical", Form.ORDER: "match"}.get(form, "multichoice")
    question = SubElement(quiz, "question", type=kind)
    _add(question, "name", f"{place:03} {KINDS[exercise.kind].title}, level {exercise.level}")
    files = {f"graph-{k}.svg": graph for k, graph in enumerate(graphs, 1)}
    images = " ".join(
        f'<img src="@@PLUGINFILE@@/{file}" alt="{escape(describe_graph(graph))}"/>'
        for file, graph in files.items()
    )
    html = [_paragraphs([exercise.ask]), f"<p>{images}</p>" if images else ""]
    html += [*map(grid_html, exercise.grids), _paragraphs(exercise.notes)]
    text = _add_html(question, "questiontext", "".join(html))
    for file, graph in files.items():
        element = SubElement(text, "file", name=file, path="/", encoding="base64")
        element.text = base64.b64encode(graph_svg(graph).encode()).decode()
    feedback = list(exercise.solution)
    # Typical mistakes, where no option shows them.
    if form in (Form.NODES, Form.ORDER, Form.SEVERAL):
        feedback += [f"{_written(exercise, m.answer)}: {m.reason}" for m in exercise.mistakes[:5]]
    _add_html(question, "generalfeedback", _paragraphs(feedback))
    for field, value in (("defaultgrade", "1"), ("penalty", "0.3333333"), ("hidden", "0")):
        SubElement(question, field).text = value
    SubElement(question, "idnumber").text = f"{exercise.kind}-{exercise.level}-{exercise.seed}"
    if form == Form.NUMBER:
        marked = [(right, "100", "Right.") for right in exercise.accepted]
        marked += [(mistake.answer, "0", mistake.reason) for mistake in exercise.mistakes]
        for number, share, why in marked:
            answer = _add_answer(question, f"{number:.15g}", share, why, "moodle_auto_format")
            SubElement(answer, "tolerance").text = f"{exercise.tolerance:g}"
    elif form == Form.ORDER:
        SubElement(question, "shuffleanswers").text = "true"
        _add_overall(question)
        for rank, node in enumerate(_names(exercise.answer), 1):
            _add(_add_html(question, "subquestion", f"<p>{_ordinal(rank)}</p>"), "answer", node)
    else:
        _add_choices(question, exercise)


def _ordinal(number: int) -> str:
    """A place in a row: 1st, 2nd, 3rd, 4th, 11th, 22nd."""
    teen = 10 <= number % 100 < 20
    return f"{number:,}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _names(answer: Answer) -> tuple[str, ...]:
    return answer if isinstance(answer, tuple) else ()


def _options_of(exercise: Exercise) -> dict[Answer, str]:
    """What can be chosen, by what choosing it alone answers: options, pairs of nodes, or nodes."""
    if exercise.options:
        both = zip(exercise.letters, exercise.options, strict=True)
        return {(letter,): text for letter, text in both}
    if exercise.form == Form.PAIR:
        return {pair: " – ".join(pair) for pair in combinations(exercise.nodes, 2)}
    return {(name,): name for name in exercise.nodes}


def _add_choices(question: Element, exercise: Exercise) -> None:
    """One option of several, or several."""
    options, right = _options_of(exercise), set(exercise.accepted)
    # Where several sets of nodes are right, one of them and typical mistakes as whole sets.
    sets = exercise.form == Form.NODES and len(exercise.accepted) > 1
    several = exercise.form in (Form.NODES, Form.SEVERAL) and not sets
    if sets:
        answers = [exercise.answer, *(one.answer for one in exercise.mistakes[:5])]
        options = {one: "{" + ", ".join(one) + "}" for one in sorted(map(_names, answers))}
    elif several:
        right = {(name,) for name in _names(exercise.answer)}
    SubElement(question, "single").text = str(not several).lower()
    # Names and numbered graphs stay in their order; longer options change places.
    shuffled = sets or exercise.form == Form.SEVERAL
    SubElement(question, "shuffleanswers").text = str(shuffled).lower()
    SubElement(question, "answernumbering").text = "none" if not exercise.options else "abc"
    _add_overall(question)
    # All options chosen, or all but the right ones, are worth nothing.
    count = len(right & options.keys())
    lose = -100 / (len(options) - count) if several else 0.0
    reasons = {one.answer: one.reason for one in exercise.mistakes}
    other = "This one is not part of the answer." if several else "This is not the answer."
    for answer, text in options.items():
        share, why = lose, other if several else reasons.get(answer) or other
        if answer in right:
            share, why = (100 / count if several else 100.0), "Right."
        _add_answer(question, f"<p>{escape(text)}</p>", f"{share:.7g}", why, "html")


def _add_answer(question: Element, text: str, share: str, why: str, form: str) -> Element:
    """An answer with what it is worth and why."""
    answer = _add(question, "answer", text, fraction=share, format=form)
    _add_html(answer, "feedback", f"<p>{escape(why)}</p>")
    return answer


def _add_overall(question: Element) -> None:
    for field, text in (
        ("correctfeedback", "Right."),
        ("partiallycorrectfeedback", "Partly right."),
        ("incorrectfeedback", "This is not the answer."),
    ):
        _add_html(question, field, f"<p>{text}</p>")


# --- On paper -------------------------------------------------------------------------------------

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
_BLANK = '<span class="blank"></span>'
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def print_page(sheet: Sheet, students: Sequence[str] = (), *, solutions: bool = False) -> str:
    """A sheet for paper; each student gets pages of their own, where questions differ."""
    heading = TITLE + ", with solutions" * solutions
    papers = "".join(
        f'<main class="paper"><header><h1>{escape(heading)}</h1>'
        f"<p><span>Name: {escape(student) or _BLANK}</span>"
        f"<span>{escape(sheet.title)}</span></p></header>"
        + "".join(_question(k, one, solutions) for k, one in enumerate(sheet.questions(student), 1))
        + "</main>"
        for student in class_of(sheet, students)
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(heading)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>{papers}</body>\n</html>\n"
    )


def _question(place: int, exercise: Exercise, solved: bool) -> str:
    graphs = "".join(map(graph_svg, exercise.graphs))
    options = "".join(
        f"<li>☐ {letter}&ensp;{escape(text)}</li>"
        for letter, text in zip(exercise.letters, exercise.options, strict=True)
    )
    grids = "".join(map(grid_html, exercise.grids))
    parts = [
        f'<section class="question"><h2>{place}. {escape(KINDS[exercise.kind].title)}</h2>',
        f'{_paragraphs([exercise.ask])}<div class="pictures">{graphs}{grids}</div>',
        _paragraphs(exercise.notes),
        f"<ul>{options}</ul>" if options else "",
    ]
    if solved:
        right = " or ".join(_written(exercise, answer) for answer in exercise.accepted)
        parts += [
            f'<div class="solution"><p><strong>Answer: {escape(right)}</strong></p>',
            f"{_paragraphs(exercise.solution)}</div>",
        ]
    elif not options:
        parts.append(f'<p class="answer">Answer: {_BLANK}</p>')
    return "".join([*parts, "</section>"])


def _written(exercise: Exercise, answer: Answer) -> str:
    if isinstance(answer, tuple):
        return (" – " if exercise.form == Form.PAIR else ", ").join(answer)
    return answer_text(answer).replace("-", "−")


def _paragraphs(texts: Iterable[str]) -> str:
    return "".join(f"<p>{escape(text)}</p>" for text in texts)


# --- Pictures -------------------------------------------------------------------------------------

SIZE = 240
_RADIUS, _ABOVE = 15, 20


def graph_svg(graph: GraphPicture) -> str:
    """A graph as an svg element: black on white, marked nodes filled; nothing is fetched."""
    above = _ABOVE if graph.title else 0
    height, ink, paper = SIZE + above, LIGHT.ink, LIGHT.paper
    places = {
        name: (SIZE * x, SIZE * y + above)
        for name, (x, y) in zip(graph.names, graph.positions, strict=True)
    }
    size = f'width="{SIZE}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {height}" {size} role="img"',
        f'aria-label="{escape(describe_graph(graph))}" font-family="sans-serif">',
        f'<rect {size} fill="{paper}"/>',
    ]
    if graph.title:
        parts.append(_text(SIZE / 2, 16, graph.title, ink, 'font-size="14" font-weight="600"'))
    for edge in graph.edges:
        (x1, y1), (x2, y2) = (places[name] for name in edge)
        ends = f'x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
        parts.append(f'<line {ends} stroke="{ink}" stroke-width="2"/>')
    for name, (x, y) in places.items():
        fill, colour = (ink, paper) if name in graph.marked else (paper, ink)
        circle = f'cx="{x:g}" cy="{y:g}" r="{_RADIUS}" stroke="{ink}" stroke-width="2"'
        parts.append(f'<circle {circle} fill="{fill}"/>')
        parts.append(_text(x, y + 5, name, colour, 'font-size="15"'))
    return "\n".join([*parts, "</svg>"])


def describe_graph(graph: GraphPicture) -> str:
    """A graph in words, for those who don't see it."""
    edges = ", ".join(f"{u} – {v}" for u, v in graph.edges) or "none"
    title = f"{graph.title}: " if graph.title else ""
    return f"{title}nodes {', '.join(graph.names)}; edges {edges}"


def grid_html(grid: GridPicture) -> str:
    """A table as an element of HTML."""
    caption = f"<caption>{escape(grid.title)}</caption>" if grid.title else ""
    head = "<th></th>" + "".join(f"<th>{escape(one)}</th>" for one in grid.columns)
    rows = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
        for name, cells in zip(grid.rows, grid.cells, strict=True)
    )
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _text(x: float, y: float, text: str, colour: str, look: str) -> str:
    place = f'x="{x:g}" y="{y:g}" text-anchor="middle"'
    return f'<text {place} fill="{colour}" {look}>{escape(text)}</text>'
