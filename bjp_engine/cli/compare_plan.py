"""`bjp compare` and `bjp plan`: whether groups differ, and how many rows are enough."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bjp_engine.cli import common
from bjp_engine.cli.common import PREPARE, SCORE, ProgressLine, add_options
from bjp_engine.cli.lines import comparison_lines, plan_lines
from bjp_engine.cli.tables import read_data
from bjp_engine.errors import OptionError, printable
from bjp_engine.progress import Progress

if TYPE_CHECKING:
    import networkx as nx

    from bjp_engine.dataset import Dataset
    from bjp_engine.parameters import FittedNetwork
    from bjp_engine.preparation import Prepared

GRAPHS = (".graphml", ".gml", ".json")


def compare_arguments(parser: argparse.ArgumentParser) -> None:
    """The tables, the groups, what learns, and the test."""
    add_options(parser, *SCORE)
    add = parser.add_argument
    add("other", metavar="FILE2", nargs="?", help="the second group, with the same columns")
    add("--by", metavar="COLUMN", help="its states make the groups of one FILE")
    only = "only these states; with one state, that state and all other rows"
    add("--states", metavar="STATE,…", help=only)
    whose = "whose each row is: labels are permuted within each person"
    add("--paired", metavar="COLUMN", help=whose)
    add_options(parser, "--search", "--known")
    add("--permutations", type=int, default=1000, help="default 1000")
    add("--seed", type=int, default=0, help="of the permutations, default 0")
    add("--jobs", type=int, default=-1, help="threads, default one for each core")
    add("--output", help="a .csv of the pairs of variables")


def run_compare(arguments: argparse.Namespace) -> int:
    """Compare the groups, and say how they differ."""
    import bjp_engine as bjp
    from bjp_engine.io.graphs import encode_csv

    common.check_output("--output", arguments.output, (".csv",))
    groups = _groups(arguments)
    known = common.read_known(arguments, next(iter(groups.values())))
    common.compile_first()
    with ProgressLine("permutations") as line, warnings.catch_warnings(record=True) as noted:
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
            **common.score_options(arguments),
            **known,
        )
    text = common.name_flags("\n".join(map(printable, comparison_lines(found))))
    print(text)
    for one in noted:
        # What the sentences on the groups say, too, is no note of its own.
        if common.name_flags(printable(str(one.message))) not in text:
            warnings.warn(one.message, stacklevel=2)
    if arguments.output is not None:
        common.write_text(arguments.output, encode_csv(bjp.io.comparison_csv(found)))
    return 0


def _groups(arguments: argparse.Namespace) -> dict[str, Dataset]:
    """The rows of each group, by its name: states of a column, or files."""
    from bjp_engine.confidence import choose_groups

    by, other = arguments.by, arguments.other
    if (by is None) == (other is None):
        raise OptionError("Give --by COLUMN for the groups of one file, or a second file.")
    if other is not None and arguments.states is not None:
        raise OptionError("--states needs --by COLUMN; leave it out for two files.")
    if other is not None and common.is_prepared(arguments):
        raise OptionError(
            "--prepare and --roles take one file, which is cut into bins once for all its groups; "
            "put the rows of both files into one, with a column for --by."
        )
    files = [arguments.file] if other is None else [arguments.file, other]
    found = [read_data(file, arguments) for file in files]
    tables = [_with_groups(one, {str(by), str(arguments.paired)}) for one in found]
    for file, data in zip(files, tables, strict=True):
        print(f"{printable(file)}: {data.rows} rows, {data.n} variables")
    if other is None:
        (data,) = tables
        states = common.split_names(arguments.states, data.labels[data.index(by)])
        return choose_groups(data, by, states or ())
    names = [Path(file).stem for file in files]
    if names[0] == names[1]:
        names = [f"{name} ({number})" for number, name in enumerate(names, 1)]
    return dict(zip(names, tables, strict=True))


def _with_groups(found: Prepared, named: set[str]) -> Dataset:
    """The variables, and the columns kept as groups that an argument names."""
    from bjp_engine.confidence.groups import join_columns

    kept = [name for name in getattr(found.groups, "names", ()) if str(name) in named]
    return (
        join_columns(found.data, found.groups.select(kept)) if found.groups and kept else found.data
    )


def plan_arguments(parser: argparse.ArgumentParser) -> None:
    """The network, the numbers of rows, and what is written."""
    add_options(parser, "file", "--read", *PREPARE)
    parser.epilog = (
        "FILE may also be the name of a benchmark network (see bjp networks), or a graph file "
        f"({', '.join(GRAPHS)}; with --graph a .csv, too): both need --strength."
    )
    add = parser.add_argument
    add("--graph", action="store_true", help="FILE is a graph, not a table")
    odds = "of a graph: the log odds ratio of each edge, such as 1"
    add("--strength", type=float, help=odds)
    add("--rows", metavar="N,…", help="numbers of rows, such as 100,250,500")
    add("--method", default="bjp", help="default bjp")
    add("--search", help="see bjp learn --help")
    add("--samples", type=int, default=20, help="default 20")
    add("--seed", type=int, default=0, help="default 0")
    add("--share", type=float, default=0.8, help="of edges to be found, 0.8")
    add("--output", help="a .csv file with the table")


def run_plan(arguments: argparse.Namespace) -> int:
    """Simulate, and print the table."""
    import bjp_engine as bjp
    from bjp_engine.planning import ROWS, check_share

    common.check_output("--output", arguments.output, (".csv",))
    check_share(arguments.share)
    rows = common.read_numbers("--rows", arguments.rows) or ROWS
    common.compile_first()
    network, learned = _network(arguments)
    names = ("strength", "method", "search", "samples", "seed")
    plan = bjp.plan_rows(network, rows, **{name: getattr(arguments, name) for name in names})
    print(f"{printable(arguments.file)}: ", end="")
    print("\n".join(plan_lines(plan, arguments.share, learned=learned)))
    if arguments.output is not None:
        table = plan.to_frame().to_csv(index=False, lineterminator="\n")
        common.write_text(arguments.output, table)
    return 0


def _network(arguments: argparse.Namespace) -> tuple[FittedNetwork | nx.Graph[Any], bool]:
    """What is taken for the truth, and whether it was learned from a table."""
    import bjp_engine as bjp

    file = arguments.file
    if file in bjp.networks.names():
        return bjp.networks.load(file), False
    if arguments.graph or Path(file).suffix.lower() in GRAPHS:
        return common.read_graph_file(file), False
    if arguments.strength is not None:
        raise OptionError(
            "--strength is for a graph, and FILE is read as a table; leave it out, or add --graph."
        )
    data = read_data(file, arguments, note=True).data
    print(f"{data.rows:,} rows, {data.n:,} variables")
    trace = bjp.learn(data, arguments.method, arguments.search)
    return bjp.fit_parameters(data, trace.graph, "auto"), True
