"""`bjp experiment` and `bjp report`: the paper's tables, or experiments of one's own."""

from __future__ import annotations

import argparse
import shlex
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from bjp_engine.cli import common
from bjp_engine.cli.common import ProgressLine
from bjp_engine.errors import printable
from bjp_engine.progress import Progress

if TYPE_CHECKING:
    from bjp_engine.experiments import Experiment


def experiment_arguments(parser: argparse.ArgumentParser) -> None:
    """What to run, how much of it, and where."""
    add = parser.add_argument
    what = "table-1 to table-4 of the paper, or a .toml file with an experiment of your own"
    add("experiments", nargs="+", metavar="EXPERIMENT", help=what)
    where = "the folder of results; an unfinished one is continued"
    add("--out", required=True, help=where)
    add("--distributions", type=int, help="distributions per network, default 10")
    add("--samples", type=int, help="samples per distribution, default 10")
    add("--rows", metavar="N,…", help="only these numbers of rows")
    add("--networks", metavar="NAME,…", help="only these networks")
    add("--seed", type=int, help="seed of all random draws, default 0")
    add("--workers", type=int, help="processes, default one for each core")
    cluster = "run on this Dask cluster, such as tcp://host:8786"
    add("--scheduler", metavar="ADDRESS", help=cluster)


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
            for one in experiments:
                with ProgressLine("rows", f"{one.name}: ", long=True) as line:
                    watch, where = Progress(report=line.show), {"workers": arguments.workers}
                    found.append(
                        run(one, arguments.out, **where, executor=executor, progress=watch)
                    )
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
    sizes: dict[str, Any] = {
        **{name: getattr(arguments, name) for name in ("distributions", "samples", "seed")},
        "networks": common.split_names(arguments.networks),
        "rows": common.read_numbers("--rows", arguments.rows),
    }
    if len(arguments.experiments) > 1 and sizes["networks"] is not None:
        known = [name for name in sizes["networks"] if name in experiment.networks]
        sizes["networks"] = known or sizes["networks"]
    return resize(experiment, **sizes)


def report_arguments(parser: argparse.ArgumentParser) -> None:
    """The results and the files to write."""
    add = parser.add_argument
    add("results", metavar="RESULTS", help="what `bjp experiment` wrote")
    add("--html", metavar="FILE", help="claims and tables as a page, in one file")
    add("--csv", metavar="FILE", help="means, errors and the paper's figures")
    compact = "all rows as one small .parquet file, which it reads, too"
    add("--compact", metavar="FILE", help=compact)


def run_report(arguments: argparse.Namespace) -> int:
    """Write the files; without one, print tables and claims."""
    from bjp_engine.experiments import read_results, report_html, write_compact, write_summary
    from bjp_engine.experiments.report import claim_lines, report_lines

    results = read_results(arguments.results)
    writers = {"html": report_html, "csv": write_summary, "compact": write_compact}
    paths = {name: path for name in writers if (path := getattr(arguments, name)) is not None}
    for name, path in paths.items():
        writers[name](results, path)
        print(f"written: {printable(path)}")
    if not paths:
        print("\n".join([*report_lines(results), *claim_lines(results)]))
    return 0
