"""`bjp share`: a result, or the lessons, as pages of their own."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bjp_engine.cli.files import check_output, compile_first, read_graph_file
from bjp_engine.cli.learn import (
    add_search_arguments,
    add_table_and_score,
    data_of,
    read_known,
    read_start,
    score_options,
    search_options,
)
from bjp_engine.cli.tables import read_data
from bjp_engine.errors import DataError, OptionError, clip, plural, printable
from bjp_engine.scores import SCORES
from bjp_engine.search import PUBLISHED, searches_for

if TYPE_CHECKING:
    from bjp_engine.dataset import Dataset
    from bjp_engine.exercises import Sheet
    from bjp_engine.search import SearchTrace

# In place of a table.
LESSONS = "lessons"
# Which arguments belong to some views only.
_ONLY = {
    "graph": ("step", "whatif"),
    "versus": ("duel",),
    "step": ("step", "climb", "duel"),
    "truth": ("climb", "duel", "networks"),
}
_COMPARED = ("bjp", "ib", "mpl")


def add_share_arguments(parser: argparse.ArgumentParser) -> None:
    """The table, the view, the score and the search."""
    parser.add_argument(
        "--out", required=True, help="the .html file; for `bjp share lessons`, a folder"
    )
    parser.add_argument(
        "--view",
        choices=("step", "climb", "duel", "networks", "whatif"),
        help="a score step by step, a climb (the default), two climbs, the networks of three "
        "scores, or a fitted network that answers what if",
    )
    parser.add_argument("--title", help="the heading, by default the file's name")
    parser.add_argument("--step", type=int, help="the step at which it is opened, default 0")
    parser.add_argument("--graph", help="for step and whatif: a graph file in place of learning")
    parser.add_argument("--truth", help="a graph file: the true network, to compare with")
    parser.add_argument(
        "--versus",
        metavar="METHOD[:SEARCH]",
        help="for duel: the other climb, by default of ib with the same search",
    )
    add_table_and_score(parser)
    add_search_arguments(parser)


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
    check_output("--out", arguments.out, (".html", ".htm"))
    truth = None if arguments.truth is None else read_graph_file(arguments.truth)
    found = read_data(arguments.file, arguments, note=True, seed=arguments.seed)
    data = data_of(found)
    compile_first()
    what = _MAKERS[view](arguments, data)
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
    compile_first()
    index, *lessons = site.write_lessons(arguments.out)
    print(f"written: {printable(index)} and {plural(len(lessons), 'lesson')}")
    return 0


def _learn(
    arguments: argparse.Namespace, data: Dataset, method: str = "", search: str | None = None
) -> SearchTrace:
    """The search that was asked for, or another with as many of its options as it has."""
    import bjp_engine as bjp

    own = argparse.Namespace(**vars(arguments))
    options = score_options(own, own.method)
    if method:
        options = score_options(argparse.Namespace(**vars(own) | {"method": "all"}), method)
        # Options are those of the search that they were given for.
        option = own.option if search == own.search else []
        own = argparse.Namespace(**vars(own) | {"method": method, "search": search})
        own.option = option
    options |= read_start(own) | read_known(own, data) | search_options(own)
    return bjp.learn(data, own.method, own.search, **options)


def _score(arguments: argparse.Namespace, data: Dataset) -> Any:
    import bjp_engine as bjp

    if arguments.graph is None:
        trace = _learn(arguments, data)
        return bjp.score(data, trace.graph, trace.method, **trace.given)
    options = score_options(arguments, arguments.method)
    return bjp.score(data, read_graph_file(arguments.graph), arguments.method, **options)


def _climb(arguments: argparse.Namespace, data: Dataset) -> SearchTrace:
    """The published search where none is named: the default one makes no flips."""
    search = arguments.search or PUBLISHED[arguments.method]
    return _learn(argparse.Namespace(**vars(arguments) | {"search": search}), data)


def _climbs(arguments: argparse.Namespace, data: Dataset) -> list[SearchTrace]:
    method, _, search = (arguments.versus or "ib").partition(":")
    if method not in SCORES:
        known = ", ".join(SCORES)
        raise OptionError(f"--versus {clip(method)} is no score; use one of {known}.")
    # The other score's own search, where it is another climb by that alone.
    other = (
        search
        or (arguments.search if arguments.search in searches_for(method) else None)
        or PUBLISHED[method]
    )
    return [_climb(arguments, data), _learn(arguments, data, method, other)]


def _networks(arguments: argparse.Namespace, data: Dataset) -> dict[str, SearchTrace]:
    return {
        SCORES[method].title: _learn(arguments, data, method, PUBLISHED[method])
        for method in _COMPARED
    }


def _network(arguments: argparse.Namespace, data: Dataset) -> Any:
    import bjp_engine as bjp

    given = arguments.graph
    graph = _learn(arguments, data).graph if given is None else read_graph_file(given)
    # As the page fits it.
    return bjp.fit_parameters(data, graph, "auto")


_MAKERS = {
    "step": _score,
    "climb": _climb,
    "duel": _climbs,
    "networks": _networks,
    "whatif": _network,
}


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
    parser.add_argument("--out", metavar="FILE", help="the file; default sheet, or sheet-FORMAT")


def run_sheet(arguments: argparse.Namespace) -> int:
    """Write a sheet, and print what it asks."""
    sheet = _sheet(arguments)
    # The engine draws nothing: files with pictures come from the package beside it.
    form = import_module("bjp_explorer.practice.sheets").FORMATS[arguments.format]
    kind = "" if arguments.format == "html" else f"-{arguments.format}"
    out = arguments.out or f"sheet{kind}{form.ending}"
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
