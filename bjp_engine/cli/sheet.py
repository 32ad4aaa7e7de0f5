"""`bjp sheet` writes a sheet of exercises."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from bjp_engine.cli.files import check_output, compile_first
from bjp_engine.errors import DataError, OptionError, clip, printable

if TYPE_CHECKING:
    from bjp_engine.exercises import Sheet

FORMATS = ("html", "print", "solutions", "moodle")


def add_sheet_arguments(parser: argparse.ArgumentParser) -> None:
    """What is asked, and what is written."""
    parser.add_argument("--kinds", metavar="KIND,…", help="such as blanket,order; default all")
    parser.add_argument("--levels", metavar="LEVEL,…", help="of 1, 2, 3; default all")
    parser.add_argument("--number", type=int, default=10, help="questions, default 10")
    parser.add_argument("--seed", type=int, default=0, help="default 0")
    parser.add_argument(
        "--each", action="store_true", help="questions of their own for each student"
    )
    parser.add_argument(
        "--students", metavar="FILE", help="with --each: a text file with a name on each line"
    )
    parser.add_argument(
        "--format", choices=FORMATS, default="html", help="of the file, default html"
    )
    parser.add_argument("--out", metavar="FILE", help="the file; default sheet with its ending")


def run_sheet(arguments: argparse.Namespace) -> int:
    """Write a sheet, and print what it asks."""
    sheet = _sheet(arguments)
    # The engine draws nothing: files with pictures come from the package beside it.
    form = import_module("bjp_explorer.practice.sheets").FORMATS[arguments.format]
    out = arguments.out or f"sheet{form.ending}"
    check_output("--out", out, (form.ending,))
    if arguments.students is not None and not sheet.per_student:
        raise OptionError("--students needs --each: this sheet has the same questions for all.")
    students = [] if arguments.students is None else _students(arguments.students)
    compile_first()
    Path(out).write_bytes(form.write(sheet, students))
    print(sheet.title)
    print(f"written: {printable(out)}")
    return 0


def _sheet(arguments: argparse.Namespace) -> Sheet:
    from bjp_engine.exercises import Sheet

    kinds = tuple(filter(None, (arguments.kinds or "").split(",")))
    try:
        levels = tuple(int(part) for part in (arguments.levels or "").split(",") if part)
    except ValueError:
        raise OptionError(
            f"--levels {clip(arguments.levels)} must be numbers with commas, such as 1,2."
        ) from None
    return Sheet(kinds, levels, arguments.number, arguments.seed, per_student=arguments.each)


def _students(path: str) -> list[str]:
    from bjp_engine.io.dialect import decode
    from bjp_engine.io.sources import Content

    file = Path(path)
    try:
        text = decode(Content(file.read_bytes(), file.name), None, [])[0].decode()
    except DataError:
        raise OptionError(
            f"--students {clip(file.name)} is no text; give a text file with a name on each line."
        ) from None
    names = [" ".join(line.split()) for line in text.splitlines()]
    return list(dict.fromkeys(name for name in names if name))
