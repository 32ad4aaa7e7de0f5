"""`bjp share` and `bjp sheet`: a result, the lessons or exercises as files to hand out."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bjp_engine.cli import common
from bjp_engine.cli.tables import read_data
from bjp_engine.errors import DataError, OptionError, clip, plural, printable
from bjp_engine.scores import SCORES
from bjp_engine.search import PUBLISHED, searches_for

if TYPE_CHECKING:
    from bjp_engine.dataset import Dataset
    from bjp_engine.search import SearchTrace

SHARE = {
    "--out! str": "the .html file; for `bjp share lessons`, a folder",
    "--view [step|climb|duel|networks|whatif]": "a score step by step, a climb (the default), two "
    "climbs, the networks of three scores, or a fitted network that answers what if",
    "--title str": "the heading, by default the file's name",
    "--step int": "the step at which it is opened, default 0",
    "--graph str": "for step and whatif: a graph file in place of learning",
    "--truth str": "a graph file: the true network, to compare with",
    "--versus METHOD[:SEARCH]": "for duel: the other climb, by default of ib with the same search",
}
# In place of a table.
LESSONS = "lessons"
# Which arguments belong to some views only.
_ONLY = {
    "graph": ("step", "whatif"),
    "versus": ("duel",),
    "step": ("step", "climb", "duel"),
    "truth": ("climb", "duel", "networks"),
}


def run_share(arguments: argparse.Namespace) -> int:
    """Write the page, or the pages of the lessons."""
    if arguments.file == LESSONS:
        return _share_lessons(arguments)
    if arguments.method not in SCORES:
        known = ", ".join(SCORES)
        raise OptionError(
            f"--method {arguments.method} is of another package and has no view; use one of "
            f"{known}."
        )
    view = arguments.view or "climb"
    for name, views in _ONLY.items():
        if getattr(arguments, name) is not None and view not in views:
            raise OptionError(f"--{name} goes with --view {' or '.join(views)}; leave it out.")
    if view == "networks" and (arguments.search or arguments.method != "bjp"):
        raise OptionError(
            "--view networks learns with bjp, ib and mpl, each by its published search; leave "
            "--method and --search out."
        )
    common.check_output("--out", arguments.out, (".html", ".htm"))
    truth = None if arguments.truth is None else common.read_graph_file(arguments.truth)
    found = read_data(arguments.file, arguments, note=True, seed=arguments.seed)
    common.compile_first()
    if view in ("climb", "duel"):
        # The default search makes no flips.
        arguments.search = arguments.search or PUBLISHED[arguments.method]
    what = _result(view, arguments, found.data)
    title = arguments.title or Path(arguments.file).stem
    pooled = import_module("bjp_explorer.views.words")
    how = {"step": arguments.step, "truth": truth, "note": pooled.first_completed(found.imputed)}
    records = import_module("bjp_explorer.share.records")
    records.write(what, arguments.out, title=title, about=None, given=None, **how)
    print(f"written: {printable(arguments.out)}")
    return 0


def _share_lessons(arguments: argparse.Namespace) -> int:
    for name in ("view", "title", "step", "graph", "truth", "versus"):
        if getattr(arguments, name) is not None:
            raise OptionError(f"--{name} goes with a table; leave it out for the lessons.")
    site = import_module("bjp_explorer.lessons.course")
    common.compile_first()
    index, *lessons = site.write_lessons(arguments.out)
    print(f"written: {printable(index)} and {plural(len(lessons), 'lesson')}")
    return 0


def _result(view: str, arguments: argparse.Namespace, data: Dataset) -> Any:
    """What a view shows."""
    import bjp_engine as bjp

    def learn(method: str | None = None, search: str | None = None) -> SearchTrace:
        """The search that was asked for, or another with as many of its options as it has."""
        options = common.search_options(arguments, method, search)
        options |= common.read_known(arguments, data)
        return bjp.learn(data, method or arguments.method, search or arguments.search, **options)

    given = None if arguments.graph is None else common.read_graph_file(arguments.graph)
    if view == "step":
        if given is not None:
            return bjp.score(data, given, arguments.method, **common.score_options(arguments))
        trace = learn()
        return bjp.score(data, trace.graph, trace.method, **trace.given)
    if view == "whatif":
        # As the page fits it.
        return bjp.fit_parameters(data, learn().graph if given is None else given, "auto")
    if view == "networks":
        return {SCORES[one].title: learn(one, PUBLISHED[one]) for one in ("bjp", "ib", "mpl")}
    if view == "climb":
        return learn()
    method, _, search = (arguments.versus or "ib").partition(":")
    if method not in SCORES:
        known = ", ".join(SCORES)
        raise OptionError(f"--versus {clip(method)} is no score; use one of {known}.")
    # The other score's own search, where it is another climb by that alone.
    same = arguments.search if arguments.search in searches_for(method) else PUBLISHED[method]
    return [learn(), learn(method, search or same)]


SHEET = {
    "--kinds KIND,…": "such as blanket,order; default all",
    "--levels LEVEL,…": "of 1, 2, 3; default all",
    "--number 10": "questions, default 10",
    "--seed 0": "default 0",
    "--each": "questions of their own for each student",
    "--students FILE": "with --each: a text file with a name on each line",
    "--format html|print|solutions|moodle": "of the file, default html",
    "--out FILE": "the file; default sheet, or sheet-FORMAT",
}


def run_sheet(arguments: argparse.Namespace) -> int:
    """Write a sheet, and print what it asks."""
    from bjp_engine.exercises import Sheet

    sheet = Sheet(
        tuple(filter(None, (arguments.kinds or "").split(","))),
        tuple(common.read_numbers("--levels", arguments.levels) or ()),
        *(arguments.number, arguments.seed),
        per_student=arguments.each,
    )
    # The engine draws nothing: files with pictures come from the package beside it.
    form = import_module("bjp_explorer.practice.sheets").FORMATS[arguments.format]
    kind = "" if arguments.format == "html" else f"-{arguments.format}"
    out = arguments.out or f"sheet{kind}{form.ending}"
    common.check_output("--out", out, (form.ending,))
    if arguments.students is not None and not sheet.per_student:
        raise OptionError("--students needs --each: this sheet has the same questions for all.")
    students = [] if arguments.students is None else _students(arguments.students)
    common.compile_first()
    made = form.write(sheet, students)
    print(sheet.title)
    common.write_text(out, made)
    return 0


def _students(path: str) -> list[str]:
    from bjp_engine.io.sources import Content, decode

    file = Path(path)
    try:
        text = decode(Content(file.read_bytes(), file.name), None, [])[0].decode()
    except DataError:
        raise OptionError(
            f"--students {clip(file.name)} is no text; give a text file with a name on each line."
        ) from None
    names = [" ".join(line.split()) for line in text.splitlines()]
    return list(dict.fromkeys(name for name in names if name))
