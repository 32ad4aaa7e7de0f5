"""`bjp health`: what a table is, what is wrong with it, and what could be done; and `--prepare`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bjp_engine.errors import OptionError

if TYPE_CHECKING:
    from bjp_engine.dataset import Dataset
    from bjp_engine.health import HealthReport
    from bjp_engine.preparation import Preparation


def add_health_arguments(parser: argparse.ArgumentParser) -> None:
    """The table, and what becomes of the report."""
    parser.add_argument("file", metavar="FILE", help="CSV, TSV, Parquet, Excel or Libra .data")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument(
        "--suggest", metavar="STEPS", help="write the suggested steps to a .json file"
    )


def add_prepare_argument(parser: argparse.ArgumentParser) -> None:
    """The steps by which a table is prepared."""
    parser.add_argument(
        "--prepare", metavar="STEPS", help="a .json file of steps, as `bjp health --suggest` writes"
    )


def run_health(arguments: argparse.Namespace) -> int:
    """Print the report, worst first, and write the suggested steps."""
    from bjp_engine.health import health, suggest
    from bjp_engine.io import read_frame

    if arguments.suggest is not None:
        _check_steps_file(arguments.suggest)
    frame, reading = read_frame(arguments.file)
    report = health(frame)
    steps = suggest(report)
    if arguments.suggest is not None:
        Path(arguments.suggest).write_text(steps.to_json() + "\n", encoding="utf-8")
    if arguments.json:
        print(report.to_json())
        return 0
    print(f"{_plain(arguments.file)}: {reading.rows:,} rows, {reading.columns:,} columns")
    print("\n".join(map(_plain, (*_finding_lines(report), *_step_lines(steps)))))
    if arguments.suggest is not None:
        print(f"written: {_plain(arguments.suggest)}")
    return 0


def prepared(file: str, steps: str, missing: str) -> tuple[Dataset, Preparation, tuple[str, ...]]:
    """A table prepared by the steps of a file."""
    from bjp_engine.io import read_frame
    from bjp_engine.preparation import MissingCells, Preparation, prepare

    preparation = Preparation.from_json(Path(steps).read_bytes())
    if missing != "error":
        preparation = preparation.adding(MissingCells(missing))
    made = prepare(read_frame(file)[0], preparation)
    lines = [f"{one.number}. {one.step.sentence} {one.sentence}" for one in made.trace]
    return made.data, made.preparation, tuple(map(_plain, (*lines, *made.notes)))


def _check_steps_file(path: str) -> None:
    """Refuse before the work what could not be written after it."""
    if Path(path).suffix.lower() != ".json":
        raise OptionError("--suggest must end in .json.")
    if not Path(path).absolute().parent.is_dir():
        raise OptionError(f"--suggest: the folder of {path} doesn't exist; make it first.")


def _finding_lines(report: HealthReport) -> Iterator[str]:
    """A line for each finding."""
    for finding in report.findings:
        yield f"{finding.severity:<8} {finding.title}: {finding.sentence}"


def _step_lines(steps: Preparation) -> Iterator[str]:
    """A line for each suggested step."""
    if not steps.steps:
        yield "suggested: nothing; the table can be used as it is"
        return
    yield "suggested:"
    for number, sentence in enumerate(steps.sentences, 1):
        yield f"  {number}. {sentence}"


def _plain(text: object) -> str:
    """Text from a file as it may be shown: one line, no control characters."""
    return "".join(c if c.isprintable() else " " for c in str(text))
