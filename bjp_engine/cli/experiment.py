"""`bjp experiment`: run the paper's tables, or experiments of one's own, and show them."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from bjp_engine.errors import OptionError

if TYPE_CHECKING:
    from bjp_engine.experiments import Experiment, RunProgress

BAR = 24
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
    parser.add_argument("--out", required=True, help="the results file; an unfinished one goes on")
    parser.add_argument("--distributions", type=int, help="a network, default 10")
    parser.add_argument("--samples", type=int, help="a distribution, default 10")
    parser.add_argument("--rows", type=_numbers, metavar="N,…", help="only these of its N")
    parser.add_argument("--networks", type=_names, metavar="NAME,…", help="only these of its own")
    parser.add_argument("--seed", type=int, help="of everything random, default 0")
    parser.add_argument("--workers", type=int, help="processes, default one for each core")
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="run on this Dask cluster, such as tcp://host:8786"
    )


def run_experiments(arguments: argparse.Namespace) -> int:
    """Run what is missing, then print the tables."""
    from bjp_engine.cli.report import table_lines
    from bjp_engine.experiments import cluster, read_results, run
    from bjp_engine.kernels import compiled
    from bjp_engine.warmup import warmup

    asked = [_asked(text, arguments) for text in arguments.experiments]
    if not Path(arguments.out).absolute().parent.is_dir():
        raise OptionError(f"--out: the folder of {arguments.out} doesn't exist; make it first.")
    if not compiled.is_complete():
        warmup(lambda sentence: print(sentence, file=sys.stderr, flush=True))
    scheduler = arguments.scheduler
    with nullcontext() if scheduler is None else cluster(scheduler) as executor:
        for experiment in asked:
            line = _Line(experiment.name, sys.stderr)
            try:
                run(
                    experiment,
                    arguments.out,
                    workers=arguments.workers,
                    executor=executor,
                    on_progress=line.show,
                )
            except KeyboardInterrupt:
                line.end()
                again = shlex.join(["bjp", *sys.argv[1:]])
                print(
                    f"Stopped; what is finished is kept. To go on: {again}",
                    file=sys.stderr,
                )
                return 130
            finally:
                line.end()
    for experiment in asked:
        of_one = read_results(arguments.out).where(experiment=experiment.name)
        print("\n".join(table_lines(of_one)))
    return 0


class _Line:
    """Progress on a terminal, one line that is written over; elsewhere a line now and then."""

    def __init__(self, name: str, stream: TextIO) -> None:
        self._name, self._stream = name, stream
        self._terminal = stream.isatty()
        self._step, self._open = -1, False

    def show(self, progress: RunProgress) -> None:
        """Say how far it is."""
        if self._terminal:
            width = os.get_terminal_size(self._stream.fileno()).columns
            text = f"{self._name}  {self._bar(progress)}  {told(progress)}"
            self._stream.write(f"\r\x1b[K{text[: width - 1]}")
            self._open = True
        else:
            step = STEPS * progress.done // progress.total
            if step > self._step:
                self._step = step
                self._stream.write(f"{self._name}: {told(progress)}\n")
        self._stream.flush()

    def end(self) -> None:
        """Leave the line."""
        if self._open:
            self._stream.write("\n")
            self._open = False

    def _bar(self, progress: RunProgress) -> str:
        """A bar of a fixed width."""
        full = BAR * progress.done // progress.total
        return "█" * full + "░" * (BAR - full)


def told(progress: RunProgress) -> str:
    """How far a run is, in words."""
    text = f"{progress.done} of {progress.total} rows"
    if progress.left is None:
        return text
    text += (
        f", {progress.rate:.0f} rows/s" if progress.rate >= 10 else f", {progress.rate:.1f} rows/s"
    )
    if progress.finished:
        return f"{text}, {_time(progress.seconds)}"
    return f"{text}, {_time(progress.left)} left"


def _time(seconds: float) -> str:
    """A length of time, 1:05 or 2:00:10."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _asked(text: str, arguments: argparse.Namespace) -> Experiment:
    """A table or a file, in the size that was asked for."""
    from bjp_engine.experiments import named, read_experiment, shrunk

    experiment = read_experiment(text) if text.lower().endswith(".toml") else named(text)
    sizes = {
        name: getattr(arguments, name)
        for name in ("networks", "rows", "distributions", "samples", "seed")
    }
    if len(arguments.experiments) > 1 and sizes["networks"] is not None:
        known = [name for name in sizes["networks"] if name in experiment.networks]
        sizes["networks"] = known or sizes["networks"]
    return shrunk(experiment, **sizes)


def _names(text: str) -> list[str]:
    """Names between commas."""
    return [name.strip() for name in text.split(",")]


def _numbers(text: str) -> list[int]:
    """Whole numbers between commas."""
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} must be whole numbers with commas between, such as 250,1000"
        ) from None
