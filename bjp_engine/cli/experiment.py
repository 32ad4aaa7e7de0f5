"""`bjp experiment` and `bjp report`: the paper's tables, or experiments of one's own."""

from __future__ import annotations

import argparse
import math
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING

from bjp_engine.cli.files import check_output, compile_first
from bjp_engine.errors import printable

if TYPE_CHECKING:
    from bjp_engine.experiments import Experiment, Pace, Results, Summary

# Characters of a bar, and of a column.
BAR, WIDTH = 24, 34
# Where nothing can be overwritten, a line for each tenth is enough.
STEPS = 10


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
    parser.add_argument("--rows", type=_numbers, metavar="N,…", help="only these numbers of rows")
    parser.add_argument("--networks", type=_names, metavar="NAME,…", help="only these networks")
    parser.add_argument("--seed", type=int, help="seed of all random draws, default 0")
    parser.add_argument("--workers", type=int, help="processes, default one for each core")
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="run on this Dask cluster, such as tcp://host:8786"
    )


def run_experiments(arguments: argparse.Namespace) -> int:
    """Run what is missing, then print the tables."""
    from bjp_engine.experiments import cluster, run
    from bjp_engine.progress import Progress

    experiments = [_experiment(text, arguments) for text in arguments.experiments]
    check_output("--out", arguments.out)
    compile_first()
    scheduler, where = arguments.scheduler, {"workers": arguments.workers}
    found = []
    with nullcontext() if scheduler is None else cluster(scheduler) as executor:
        for experiment in experiments:
            line = _Line(experiment.name)
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
        print("\n".join(table_lines(results)))
    return 0


class _Line:
    """Progress on a terminal, one line that is written over; elsewhere a line now and then."""

    def __init__(self, name: str) -> None:
        from bjp_engine.experiments import Pace

        self._name, self._stream, self._pace = name, sys.stderr, Pace()
        self._step, self._open = -1, False

    def show(self, done: int, total: int) -> None:
        self._pace.report(done, total)
        if self._stream.isatty():
            full = BAR * done // total
            width = os.get_terminal_size(self._stream.fileno()).columns
            bar = "█" * full + "░" * (BAR - full)
            text = f"{self._name}  {bar}  {describe(self._pace)}"
            self._stream.write(f"\r\x1b[K{text[: width - 1]}")
            self._open = True
        elif STEPS * done // total > self._step:
            self._step = STEPS * done // total
            self._stream.write(f"{self._name}: {describe(self._pace)}\n")
        self._stream.flush()

    def end(self) -> None:
        if self._open:
            self._stream.write("\n")
            self._open = False


def describe(pace: Pace) -> str:
    """How far a run is, in words."""
    text = f"{pace.done} of {pace.total} rows"
    if pace.left is None:
        return text
    text += f", {pace.rate:.{0 if pace.rate >= 10 else 1}f} rows/s"
    if pace.done >= pace.total:
        return f"{text}, {_clock(pace.seconds)}"
    return f"{text}, {_clock(pace.left)} left"


def _clock(seconds: float) -> str:
    """A length of time, 1:05 or 2:00:10."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _experiment(text: str, arguments: argparse.Namespace) -> Experiment:
    """A table or a file, in the size that the arguments give."""
    from bjp_engine.experiments import find_table, read_experiment, resize

    experiment = read_experiment(text) if text.lower().endswith(".toml") else find_table(text)
    sizes = {
        name: getattr(arguments, name)
        for name in ("networks", "rows", "distributions", "samples", "seed")
    }
    if len(arguments.experiments) > 1 and sizes["networks"] is not None:
        known = [name for name in sizes["networks"] if name in experiment.networks]
        sizes["networks"] = known or sizes["networks"]
    return resize(experiment, **sizes)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _numbers(text: str) -> list[int]:
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} must be whole numbers with commas between, such as 250,1000"
        ) from None


# --- What a results file says ---------------------------------------------------------------------


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """The results and the files to write."""
    parser.add_argument("results", metavar="RESULTS", help="what `bjp experiment` wrote")
    parser.add_argument("--html", metavar="FILE", help="a page with figures, in one file")
    parser.add_argument("--csv", metavar="FILE", help="means, errors and the paper's figures")
    parser.add_argument(
        "--compact", metavar="FILE", help="all rows as one small .parquet file, which it reads, too"
    )


def run_report(arguments: argparse.Namespace) -> int:
    """Write the files; without one, print tables and claims."""
    from bjp_engine.experiments import read_results, report_html, write_compact, write_summary

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
        print("\n".join([*table_lines(results), *claim_lines(results)]))
    return 0


def table_lines(results: Results) -> Iterator[str]:
    """A table for each network: ours ± standard error, the paper's, the difference."""
    from bjp_engine.experiments import summaries
    from bjp_engine.experiments.summary import by_network, gaps, share

    found = summaries(results)
    for block in by_network(found):
        success = block.cells[0].measure == "success"
        measure = "rate of success" if success else "Hamming distance"
        yield (
            f"{block.experiment}, {block.network}: mean {measure} ± standard error "
            "(the paper's, difference)"
        )
        heading = "".join(f"  {score + ' ' + search:<{WIDTH}}" for score, search in block.learners)
        yield f"{'N':>6}{heading}".rstrip()
        for rows, line in block.lines():
            texts = (f"  {_cell(one):<{WIDTH}}" for one in line)
            yield f"{rows:>6}{''.join(texts)}".rstrip()
        yield ""
    compared = [one for one in found if one.printed is not None]
    if compared:
        agrees = sum(one.agrees is True for one in compared)
        yield (
            f"{agrees} of {len(compared)} figures agree with the paper's "
            f"({share(compared):.0%}); the others are marked *."
        )
        for network, gap in gaps(compared).items():
            yield f"  {network}: {gap:.3g} apart on average"


def claim_lines(results: Results) -> Iterator[str]:
    """The paper's claims, one a line."""
    from bjp_engine.experiments import claims

    found = claims(results)
    if found:
        yield ""
        yield "The paper's claims (by how much BJP does better, 95 % confidence interval)"
    for claim in found:
        estimate = f"{claim.estimate:.3g} [{claim.low:.3g} to {claim.high:.3g}] {claim.unit}"
        yield f"  {claim.verdict:<8} {claim.sentence}: {estimate}"


def _cell(one: Summary | None) -> str:
    """Ours, and the paper's where it prints one."""
    if one is None:
        return "–"
    text = f"{one.mean:.{one.digits}f}"
    if not math.isnan(one.error):
        text += f" ± {one.error:.{one.digits}f}"
    if one.printed is None:
        return text
    mark = "" if one.agrees else " *"
    return f"{text} ({one.printed:.{one.digits}f}, {one.difference:+.{one.digits}f}){mark}"
