"""`bjp compare`: do groups of rows have the same network? Groups by a column, or two files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bjp_engine.cli.files import (
    ProgressLine,
    check_output,
    compile_first,
    split_names,
)
from bjp_engine.cli.learn import (
    PRIOR_OPTIONS,
    SCORE_OPTIONS,
    add_known_argument,
    add_table_and_score,
    read_known,
)
from bjp_engine.cli.lines import comparison_lines
from bjp_engine.cli.tables import read_data
from bjp_engine.errors import OptionError, printable
from bjp_engine.progress import Progress
from bjp_engine.scores import SCORES
from bjp_engine.search import searches_for

if TYPE_CHECKING:
    from bjp_engine.dataset import Dataset

FORMATS = (".csv", ".json")


def add_compare_arguments(parser: argparse.ArgumentParser) -> None:
    """The tables, the groups, what learns, and the test."""
    add_table_and_score(parser)
    parser.add_argument(
        "other", metavar="FILE2", nargs="?", help="the second group, with the same columns"
    )
    parser.add_argument("--by", metavar="COLUMN", help="its states make the groups of one FILE")
    parser.add_argument(
        "--states",
        metavar="STATE,…",
        help="only these states; with one state, that state and all other rows",
    )
    parser.add_argument(
        "--paired",
        metavar="COLUMN",
        help="whose each row is: labels are permuted within each person",
    )
    searches = "; ".join(f"{method}: {', '.join(searches_for(method))}" for method in SCORES)
    parser.add_argument("--search", help=f"{searches}; the first is the default")
    add_known_argument(parser)
    parser.add_argument("--permutations", type=int, default=1000, help="default 1000")
    parser.add_argument("--seed", type=int, default=0, help="of the permutations, default 0")
    parser.add_argument("--jobs", type=int, default=-1, help="threads, default one for each core")
    parser.add_argument("--output", help="a .csv (the pairs of variables) or .json (everything)")


def run_compare(arguments: argparse.Namespace) -> int:
    """Compare the groups, and say how they differ."""
    import bjp_engine as bjp
    from bjp_engine.io.graphs import encode_csv

    check_output("--output", arguments.output, FORMATS)
    given = {name: getattr(arguments, name) for name in (*SCORE_OPTIONS, *PRIOR_OPTIONS)}
    line = ProgressLine("permutations")
    groups = _groups(arguments)
    given |= read_known(arguments, next(iter(groups.values())))
    compile_first()
    try:
        found = bjp.confidence.compare_all_groups(
            groups,
            arguments.method,
            arguments.search,
            permutations=arguments.permutations,
            seed=arguments.seed,
            paired=arguments.paired,
            n_jobs=arguments.jobs,
            # Threads that a Ctrl-C leaves behind ask whether to stop.
            progress=Progress(line.show, lambda: False),
            **{name: value for name, value in given.items() if value is not None},
        )
    finally:
        line.end()
    print("\n".join(map(printable, comparison_lines(found))))
    if arguments.output is not None:
        is_json = Path(arguments.output).suffix.lower() == ".json"
        text = bjp.io.comparison_json(found) if is_json else bjp.io.comparison_csv(found)
        Path(arguments.output).write_bytes(encode_csv(text))
        print(f"written: {printable(arguments.output)}")
    return 0


def _groups(arguments: argparse.Namespace) -> dict[str, Dataset]:
    """The rows of each group, by its name."""
    from bjp_engine.confidence import choose_groups

    if (arguments.by is None) == (arguments.other is None):
        raise OptionError("Give --by COLUMN for the groups of one file, or a second file.")
    if arguments.by is None:
        if arguments.states is not None:
            raise OptionError("--states needs --by COLUMN; leave it out for two files.")
        return _two_files(arguments)
    (data,) = _read(arguments, arguments.file)
    print(f"{printable(arguments.file)}: {data.rows} rows, {data.n} variables")
    states = []
    if arguments.states is not None:
        states = split_names(arguments.states, data.labels[data.index(arguments.by)])
    return choose_groups(data, arguments.by, states)


def _two_files(arguments: argparse.Namespace) -> dict[str, Dataset]:
    """Each file is a group, which is called by its name."""
    files = (arguments.file, arguments.other)
    names = [Path(file).stem for file in files]
    if names[0] == names[1]:
        names = [f"{name} ({number})" for number, name in enumerate(names, 1)]
    tables = _read(arguments, *files)
    for file, data in zip(files, tables, strict=True):
        print(f"{printable(file)}: {data.rows} rows, {data.n} variables")
    return dict(zip(names, tables, strict=True))


def _read(arguments: argparse.Namespace, *files: str) -> list[Dataset]:
    """The tables, one of them prepared if that is asked for."""
    if files[1:] and (arguments.prepare, arguments.roles) != (None, None):
        raise OptionError(
            "--prepare and --roles take one file, which is cut into bins once for all its groups; "
            "put the rows of both files into one, with a column for --by."
        )
    found = [read_data(file, arguments) for file in files]
    for line in found[0].lines:
        print(line)
    return [one.data for one in found]
