"""The files that a sheet can be written as; the page and `bjp sheet` offer the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from bjp_engine.errors import OptionError
from bjp_engine.exercises import Sheet
from bjp_explorer.practice.moodle import moodle_xml
from bjp_explorer.practice.printing import print_page
from bjp_explorer.practice.sheet_page import sheet_page


@dataclass(frozen=True, slots=True)
class SheetFormat:
    """A kind of file.

    Parameters
    ----------
    title : str
        On the screen.
    ending : str
        Of the file's name, with its dot.
    mime : str
        Its media type.
    write : callable(sheet, students)
        The file's bytes; `students` may be empty where all have the same questions.
    """

    title: str
    ending: str
    mime: str
    write: Callable[[Sheet, Sequence[str]], bytes]


def _write_moodle(sheet: Sheet, students: Sequence[str]) -> bytes:
    """A category for the sheet, or one for each student."""
    if not sheet.per_student:
        students = ("",)
    elif not students:
        raise OptionError(
            "Each student has questions of their own on this sheet; name the students."
        )
    parts = {f"{sheet.title} {one}".strip(): sheet.questions(one) for one in students}
    return moodle_xml(parts).encode()


def _write_page(sheet: Sheet, _: Sequence[str]) -> bytes:
    """A page to practise on, the same for all."""
    return sheet_page(sheet).encode()


def _write_print(sheet: Sheet, students: Sequence[str]) -> bytes:
    """A page for paper."""
    return print_page(sheet, students).encode()


def _write_solutions(sheet: Sheet, students: Sequence[str]) -> bytes:
    """The same with solutions."""
    return print_page(sheet, students, solutions=True).encode()


FORMATS: Mapping[str, SheetFormat] = MappingProxyType(
    {
        "html": SheetFormat("To practise in the browser", ".html", "text/html", _write_page),
        "print": SheetFormat("To print", ".html", "text/html", _write_print),
        "solutions": SheetFormat(
            "To print, with solutions", ".html", "text/html", _write_solutions
        ),
        "moodle": SheetFormat("Moodle XML", ".xml", "application/xml", _write_moodle),
    }
)
