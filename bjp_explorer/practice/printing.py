"""A sheet on paper: HTML that needs no script, black on white, no question cut by a page's end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from bjp_engine.exercises import KINDS, Answer, Exercise, Form, Sheet, answer_text
from bjp_explorer.practice.pictures import graph_svg, grid_html, solution_html
from bjp_explorer.practice.sheet_page import TITLE, class_of
from bjp_explorer.shell.text import plain

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


def print_page(
    sheet: Sheet, students: Sequence[str] = (), *, solutions: bool = False, title: str = ""
) -> str:
    """Write a sheet for paper.

    Parameters
    ----------
    sheet : Sheet
    students : sequence of str
        Each gets pages of their own, where each has questions of their own.
    solutions : bool
        Whether the answer and the worked solution follow each question.
    title : str
        The heading; "Practice sheet" where there is none.

    Returns
    -------
    str

    Raises
    ------
    OptionError
        If students are needed and missing, named twice, or too many.
    """
    heading = plain(title, 200) or TITLE
    if solutions:
        heading += ", with solutions"
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
    """The pages of one student, or of everybody."""
    questions = sheet.questions(student)
    name = escape(student) if student else '<span class="blank"></span>'
    items = "".join(_question(k, one, solutions) for k, one in enumerate(questions, 1))
    return (
        f'<main class="paper"><header><h1>{escape(heading)}</h1>'
        f"<p><span>Name: {name}</span><span>{escape(sheet.title)}</span></p></header>{items}</main>"
    )


def _question(place: int, exercise: Exercise, solved: bool) -> str:
    """One question, and where its answer goes or what it is."""
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
    """What can be ticked."""
    if exercise.options:
        yield "<ul>"
        for letter, text in zip(exercise.letters, exercise.options, strict=True):
            yield f"<li>☐ {letter}&ensp;{escape(text)}</li>"
        yield "</ul>"


def _written(exercise: Exercise, answer: Answer) -> str:
    """An answer for the eye."""
    if isinstance(answer, tuple):
        return (" – " if exercise.form == Form.PAIR else ", ").join(answer)
    return answer_text(float(f"{answer:.4g}")).replace("-", "−")
