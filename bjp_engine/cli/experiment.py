"""`bjp experiment` and `bjp report`: the paper's tables, or experiments of one's own."""

from __future__ import annotations

import argparse
import shlex
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from bjp_engine.cli.common import (
    ProgressLine,
    check_output,
    compile_first,
    read_numbers,
    split_names,
)
from bjp_engine.errors import printable

if TYPE_CHECKING:
    from bjp_engine.experiments import Experiment


def add_experiment_arguments(parser: argparse.ArgumentParser) -> None:
    """What to run, how much of it, and where."""
    parser.add_argument(
        "experiments",
        nargs="+",
        metavar="EXPERIMENT",
        help="table-1 to table-4 of the paper, or a .toml file with an experiment of your own",
    )
    parser.add_argument(
        "--out", required=True, help="the folder of results; an unfinished one is continued"
    )
    parser.add_argument("--distributions", type=int, help="distributions per network, default 10")
    parser.add_argument("--samples", type=int, help="samples per distribution, default 10")
    parser.add_argument("--rows", metavar="N,…", help="only these numbers of rows")
    parser.add_argument("--networks", metavar="NAME,…", help="only these networks")
    parser.add_argument("--seed", type=int, help="seed of all random draws, default 0")
    parser.add_argument("--workers", type=int, help="processes, default one for each core")
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="run on this Dask cluster, such as tcp://host:8786"
    )


def run_experiments(arguments: argparse.Namespace) -> int:
    """Run what is missing, then print the tables."""
    from bjp_engine.experiments import cluster, run
    from bjp_engine.experiments.report import report_lines
    from bjp_engine.progress import Progress

    experiments = [_experiment(text, arguments) for text in arguments.experiments]
    check_output("--out", arguments.out)
    compile_first()
    scheduler, where = arguments.scheduler, {"workers": arguments.workers}
    found = []
    with nullcontext() if scheduler is None else cluster(scheduler) as executor:
        for experiment in experiments:
            line = ProgressLine("rows", f"{experiment.name}: ", long=True)
            progress = Progress(report=line.show)
            try:
                results = run(
                    experiment, arguments.out, **where, executor=executor, progress=progress
                )
            except KeyboardInterrupt:
                line.end()
                again = shlex.join(["bjp", *sys.argv[1:]])
                print(f"Stopped; finished rows are kept. To continue: {again}", file=sys.stderr)
                return 130
            finally:
                line.end()
            found.append(results)
    for results in found:
        print("\n".join(report_lines(results)))
    return 0


def _experiment(text: str, arguments: argparse.Namespace) -> Experiment:
    """A table or a file, in the size that the arguments give."""
    from bjp_engine.experiments import find_table, read_experiment, resize

    experiment = read_experiment(text) if text.lower().endswith(".toml") else find_table(text)
    sizes: dict[str, Any] = {
        **{name: getattr(arguments, name) for name in ("distributions", "samples", "seed")},
        "networks": split_names(arguments.networks),
        "rows": read_numbers("--rows", arguments.rows),
    }
    if len(arguments.experiments) > 1 and sizes["networks"] is not None:
        known = [name for name in sizes["networks"] if name in experiment.networks]
        sizes["networks"] = known or sizes["networks"]
    return resize(experiment, **sizes)


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """The results and the files to write."""
    parser.add_argument("results", metavar="RESULTS", help="what `bjp experiment` wrote")
    parser.add_argument("--html", metavar="FILE", help="claims and tables as a page, in one file")
    parser.add_argument("--csv", metavar="FILE", help="means, errors and the paper's figures")
    parser.add_argument(
        "--compact", metavar="FILE", help="all rows as one small .parquet file, which it reads, too"
    )


def run_report(arguments: argparse.Namespace) -> int:
    """Write the files; without one, print tables and claims."""
    from bjp_engine.experiments import read_results, report_html, write_compact, write_summary
    from bjp_engine.experiments.report import claim_lines, report_lines

    results = read_results(arguments.results)
    writers = (
        (arguments.html, report_html),
        (arguments.csv, write_summary),
        (arguments.compact, write_compact),
    )
    for path, write in writers:
        if path is not None:
            write(results, path)
            print(f"written: {printable(path)}")
    if not any(path for path, _ in writers):
        print("\n".join([*report_lines(results), *claim_lines(results)]))
    return 0
