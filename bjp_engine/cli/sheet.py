"""`bjp sheet` writes a sheet of exercises, and `bjp marks` marks what is handed in."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from bjp_engine.cli.files import check_output, compile_first
from bjp_engine.errors import DataError, OptionError, clip, plural, printable

if TYPE_CHECKING:
    from bjp_engine.exercises import MarkedFile, Sheet

FORMATS = ("html", "html-at-end", "print", "solutions", "moodle", "qti")


def add_sheet_arguments(parser: argparse.ArgumentParser) -> None:
    """What is asked, and what is written."""
    parser.add_argument("--kinds", metavar="KIND,…", help="such as blanket,order; default all")
    parser.add_argument("--levels", metavar="LEVEL,…", help="of 1, 2, 3; default all")
    parser.add_argument("--number", type=int, help="questions, default 10")
    parser.add_argument("--seed", type=int, help="default 0")
    parser.add_argument(
        "--each", action="store_true", help="questions of their own for each student"
    )
    parser.add_argument("--code", help="the code of a sheet, in place of the options above")
    parser.add_argument(
        "--students", metavar="FILE", help="with --each: a text file with a name on each line"
    )
    parser.add_argument(
        "--format", choices=FORMATS, help="of the file; without one, only the code is printed"
    )
    parser.add_argument("--out", metavar="FILE", help="the file; default sheet with its ending")


def run_sheet(arguments: argparse.Namespace) -> int:
    """Print the code of a sheet, and write it."""
    sheet = _sheet(arguments)
    if arguments.format is None:
        print(sheet.code)
        if arguments.out is not None:
            raise OptionError(f"--out needs --format; use one of {', '.join(FORMATS)}.")
        return 0
    # The engine draws nothing: files with pictures come from the package beside it.
    known = import_module("bjp_explorer.practice.sheet_formats").FORMATS
    if arguments.format not in known:
        raise OptionError(f"--format {arguments.format} is not known; use {', '.join(known)}.")
    form = known[arguments.format]
    out = arguments.out or f"sheet{form.ending}"
    check_output("--out", out, (form.ending,))
    if arguments.students is not None and not sheet.per_student:
        raise OptionError("--students needs --each: this sheet has the same questions for all.")
    students = [] if arguments.students is None else _students(arguments.students)
    compile_first()
    Path(out).write_bytes(form.write(sheet, students))
    print(sheet.code)
    print(f"written: {printable(out)}")
    return 0


def add_marks_arguments(parser: argparse.ArgumentParser) -> None:
    """The folder, and the file with its marks."""
    parser.add_argument("folder", metavar="FOLDER", help="with a .txt file for each hand-in")
    parser.add_argument("--sheet", metavar="CODE", help="what was to be handed in; default: most")
    parser.add_argument(
        "--students", metavar="FILE", help="a text file with the name of a student on each line"
    )
    parser.add_argument("--out", metavar="FILE", help="a .csv file; default: print the table")


def run_marks(arguments: argparse.Namespace) -> int:
    """Mark a folder."""
    from bjp_engine.exercises import Sheet, mark_folder, marks_csv
    from bjp_engine.io.pairs import encode_csv

    check_output("--out", arguments.out, (".csv",))
    sheet = None if arguments.sheet is None else Sheet.from_code(arguments.sheet)
    compile_first()
    students = [] if arguments.students is None else _students(arguments.students)
    files = mark_folder(arguments.folder, sheet, students=students)
    if arguments.out is None:
        print("\n".join(map(printable, marks_csv(files).splitlines())))
        return 0
    Path(arguments.out).write_bytes(encode_csv(marks_csv(files)))
    print(_summary(files))
    print(f"written: {printable(arguments.out)}")
    return 0


def _sheet(arguments: argparse.Namespace) -> Sheet:
    from bjp_engine.exercises import Sheet

    if arguments.code is not None:
        for name in ("kinds", "levels", "number", "seed", "each"):
            if getattr(arguments, name):
                raise OptionError(f"Leave --{name} out: the code holds it already.")
        return Sheet.from_code(arguments.code)
    kinds = tuple(filter(None, (arguments.kinds or "").split(",")))
    try:
        levels = tuple(int(part) for part in (arguments.levels or "").split(",") if part)
    except ValueError:
        raise OptionError(
            f"--levels {clip(arguments.levels)} must be numbers with commas, such as 1,2."
        ) from None
    number = 10 if arguments.number is None else arguments.number
    return Sheet(kinds, levels, number, arguments.seed or 0, per_student=arguments.each)


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


def _summary(files: list[MarkedFile]) -> str:
    """How many hand-ins there are, those with remarks, and of whom there is none."""
    handed = [one for one in files if one.file]
    read = [one for one in handed if one.marks]
    others = f"; {plural(len(handed) - len(read), 'file')} not read" if handed != read else ""
    odd = [
        f"{printable(one.file)}: {printable(' '.join(one.remarks))}"
        for one in handed
        if one.remarks
    ]
    missing = [printable(one.student) for one in files if not one.file]
    last = [f"nothing handed in by {len(missing)}: {', '.join(missing)}"] if missing else []
    remarked = sum(bool(one.remarks) for one in read)
    first = f"{plural(len(read), 'hand-in')}, {remarked} with remarks{others}"
    return "\n".join([first, *odd, *last])
