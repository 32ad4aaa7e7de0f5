"""`bjp compare`: do groups of rows have the same network? Groups by a column, or two files."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from bjp_engine.cli.common import (
    SCORE,
    ProgressLine,
    add_options,
    check_output,
    compile_first,
    is_prepared,
    name_flags,
    read_known,
    score_options,
    split_names,
    write_text,
)
from bjp_engine.cli.lines import comparison_lines
from bjp_engine.cli.tables import read_data
from bjp_engine.errors import OptionError, printable
from bjp_engine.progress import Progress

if TYPE_CHECKING:
    from bjp_engine.dataset import Dataset


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The tables, the groups, what learns, and the test."""
    add_options(parser, *SCORE)
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
    add_options(parser, "--search", "--known")
    parser.add_argument("--permutations", type=int, default=1000, help="default 1000")
    parser.add_argument("--seed", type=int, default=0, help="of the permutations, default 0")
    parser.add_argument("--jobs", type=int, default=-1, help="threads, default one for each core")
    parser.add_argument("--output", help="a .csv of the pairs of variables")


def run(arguments: argparse.Namespace) -> int:
    """Compare the groups, and say how they differ."""
    import bjp_engine as bjp
    from bjp_engine.io.graphs import encode_csv

    check_output("--output", arguments.output, (".csv",))
    line = ProgressLine("permutations")
    groups = _groups(arguments)
    given = score_options(arguments) | read_known(arguments, next(iter(groups.values())))
    compile_first()
    try:
        with warnings.catch_warnings(record=True) as noted:
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
                **given,
            )
    finally:
        line.end()
    text = name_flags("\n".join(map(printable, comparison_lines(found))))
    print(text)
    for one in noted:
        # What the sentences on the groups say, too, is no note of its own.
        if name_flags(printable(str(one.message))) not in text:
            warnings.warn(one.message, stacklevel=2)
    if arguments.output is not None:
        write_text(arguments.output, encode_csv(bjp.io.comparison_csv(found)))
    return 0


def _groups(arguments: argparse.Namespace) -> dict[str, Dataset]:
    """The rows of each group, by its name: states of a column, or files."""
    from bjp_engine.confidence import choose_groups

    if (arguments.by is None) == (arguments.other is None):
        raise OptionError("Give --by COLUMN for the groups of one file, or a second file.")
    if arguments.other is not None and arguments.states is not None:
        raise OptionError("--states needs --by COLUMN; leave it out for two files.")
    if arguments.other is not None and is_prepared(arguments):
        raise OptionError(
            "--prepare and --roles take one file, which is cut into bins once for all its groups; "
            "put the rows of both files into one, with a column for --by."
        )
    files = [arguments.file, *([] if arguments.other is None else [arguments.other])]
    tables = [read_data(file, arguments).data for file in files]
    for file, data in zip(files, tables, strict=True):
        print(f"{printable(file)}: {data.rows} rows, {data.n} variables")
    if arguments.by is not None:
        (data,) = tables
        labels = data.labels[data.index(arguments.by)]
        return choose_groups(data, arguments.by, split_names(arguments.states, labels) or ())
    names = [Path(file).stem for file in files]
    if names[0] == names[1]:
        names = [f"{name} ({number})" for number, name in enumerate(names, 1)]
    return dict(zip(names, tables, strict=True))
