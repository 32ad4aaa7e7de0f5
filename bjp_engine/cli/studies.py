"""Whether groups differ, how many rows are enough, and the paper's tables.

`bjp compare`, `bjp plan`, `bjp experiment` and `bjp report`.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import warnings
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bjp_engine.cli import common
from bjp_engine.cli.common import METHOD, ProgressLine
from bjp_engine.cli.lines import comparison_lines, plan_lines
from bjp_engine.cli.tables import read_data
from bjp_engine.errors import OptionError, plural, printable
from bjp_engine.progress import Progress
from bjp_engine.validate import probability

if TYPE_CHECKING:
    import networkx as nx

    from bjp_engine.dataset import Dataset
    from bjp_engine.experiments import Experiment
    from bjp_engine.parameters import FittedNetwork
    from bjp_engine.preparation import Prepared

GRAPHS = (".graphml", ".gml", ".json")
COMPARE = {
    "other [FILE2]": "the second group, with the same columns",
    "--by COLUMN": "its states make the groups of one FILE",
    "--states STATE,…": "only these states; with one state, that state and all other rows",
    "--paired COLUMN": "whose each row is: labels are permuted within each person",
    "--permutations 1000": "default 1000",
    "--seed 0": "of the permutations, default 0",
    "--jobs -1": "threads, default one for each core",
    "--output str": "a .csv of the pairs of variables",
}
PLAN = {
    "file FILE": "a table, the name of a benchmark network (see bjp networks), or a graph file "
    f"({', '.join(GRAPHS)}; with --graph a .csv, too): the last two need --strength",
    "--graph": "FILE is a graph, not a table",
    "--strength float": "of a graph: the log odds ratio of each edge, such as 1",
    "--rows N,…": "numbers of rows, such as 100,250,500",
    **METHOD,
    "--search str": "see bjp learn --help",
    "--samples 20": "default 20",
    "--seed 0": "default 0",
    "--share 0.8": "of edges to be found, 0.8",
    "--output str": "a .csv file with the table",
}
EXPERIMENT = {
    "experiments EXPERIMENT+": "table-1 to table-4 of the paper, or a .toml file with an "
    "experiment of your own",
    "--out! str": "the folder of results; an unfinished one is continued",
    "--distributions int": "distributions per network, default 10",
    "--samples int": "samples per distribution, default 10",
    "--rows N,…": "only these numbers of rows",
    "--networks NAME,…": "only these networks",
    "--seed int": "seed of all random draws, default 0",
    "--workers int": "processes, default one for each core",
    "--scheduler ADDRESS": "run on this Dask cluster, such as tcp://host:8786",
}
REPORT = {
    "results RESULTS": "what `bjp experiment` wrote",
    "--html FILE": "claims and tables as a page, in one file",
    "--csv FILE": "means, errors and the paper's figures",
    "--compact FILE": "all rows as one small .parquet file, which it reads, too",
}


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
            **common.given_of(arguments, "method", "search", "permutations", "seed", "paired"),
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
        print(f"{printable(file)}: {plural(data.rows, 'row')}, {plural(data.n, 'variable')}")
    if other is None:
        states = common.split_names(arguments.states, tables[0].labels[tables[0].index(by)])
        return choose_groups(tables[0], by, states or ())
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


def run_plan(arguments: argparse.Namespace) -> int:
    """Simulate, and print the table."""
    import bjp_engine as bjp
    from bjp_engine.planning import ROWS

    common.check_output("--output", arguments.output, (".csv",))
    probability(arguments.share, "share")
    rows = common.read_numbers("--rows", arguments.rows) or ROWS
    common.compile_first()
    network, learned = _network(arguments)
    how = common.given_of(arguments, "strength", "method", "search", "samples", "seed")
    plan = bjp.plan_rows(network, rows, **how)
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
    print(f"{plural(data.rows, 'row')}, {plural(data.n, 'variable')}")
    trace = bjp.learn(data, arguments.method, arguments.search)
    return bjp.fit_parameters(data, trace.graph, "auto"), True


def run_experiments(arguments: argparse.Namespace) -> int:
    """Run what is missing, then print the tables."""
    from bjp_engine.experiments import cluster, run
    from bjp_engine.experiments.report import report_lines

    experiments = [_experiment(text, arguments) for text in arguments.experiments]
    common.check_output("--out", arguments.out)
    common.compile_first()
    scheduler, found = arguments.scheduler, []
    try:
        with nullcontext() if scheduler is None else cluster(scheduler) as executor:
            begin = partial(run, workers=arguments.workers, executor=executor)
            for one in experiments:
                with ProgressLine("rows", f"{one.name}: ", long=True) as line:
                    found.append(begin(one, arguments.out, progress=Progress(report=line.show)))
    except KeyboardInterrupt:
        again = shlex.join(["bjp", *sys.argv[1:]])
        print(f"Stopped; finished rows are kept. To continue: {again}", file=sys.stderr)
        return 130
    for results in found:
        print("\n".join(report_lines(results)))
    return 0


def _experiment(text: str, arguments: argparse.Namespace) -> Experiment:
    """A table or a file, in the size that the arguments give."""
    from bjp_engine.experiments import find_table, read_experiment, resize

    experiment = read_experiment(text) if text.lower().endswith(".toml") else find_table(text)
    networks = common.split_names(arguments.networks)
    if len(arguments.experiments) > 1 and networks is not None:
        networks = [name for name in networks if name in experiment.networks] or networks
    rows = common.read_numbers("--rows", arguments.rows)
    sizes = common.given_of(arguments, "distributions", "samples", "seed")
    return resize(experiment, networks=networks, rows=rows, **sizes)


def run_report(arguments: argparse.Namespace) -> int:
    """Write the files; without one, print tables and claims."""
    from bjp_engine.experiments import read_results, report_html, write_compact, write_summary
    from bjp_engine.experiments.report import claim_lines, report_lines

    writers = {"html": report_html, "csv": write_summary, "compact": write_compact}
    paths = {name: path for name in writers if (path := getattr(arguments, name)) is not None}
    for name, path in paths.items():
        common.check_output(f"--{name}", path)
    results = read_results(arguments.results)
    for name, path in paths.items():
        writers[name](results, path)
        print(f"written: {printable(path)}")
    if not paths:
        print("\n".join([*report_lines(results), *claim_lines(results)]))
    return 0
