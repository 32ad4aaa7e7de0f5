"""From a file to a dataset: frequencies, `--prepare`, and a note on what health suggests."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bjp_engine.cli.common import (
    IMPUTE,
    SUGGESTED,
    ProgressLine,
    add_options,
    is_prepared,
    print_notes,
    reading_options,
)
from bjp_engine.cluster import Client
from bjp_engine.errors import OptionError, clip, plural, printable
from bjp_engine.progress import Progress
from bjp_engine.validate import MOST_CELLS, Name

if TYPE_CHECKING:
    from bjp_engine.columns import Table
    from bjp_engine.dataset import Dataset
    from bjp_engine.parameters import Imputed
    from bjp_engine.preparation import Preparation, Step

# Steps in a note of one line.
_MOST_STEPS = 4


class ReadData(NamedTuple):
    """A dataset, how it was prepared, the completed tables, and sentences for a paper."""

    data: Dataset
    preparation: Preparation | None = None
    imputed: Imputed | None = None
    for_paper: tuple[str, ...] = ()


def read_data(
    file: str,
    arguments: argparse.Namespace,
    *,
    note: bool = False,
    pooled: bool = False,
    seed: int | None = None,
) -> ReadData:
    """A table as the arguments ask, and what was done; a note says what health suggests instead."""
    from bjp_engine.dataset import Dataset
    from bjp_engine.io import read_columns
    from bjp_engine.preparation import MissingCells, RepeatRows, prepare
    from bjp_engine.preparation.preparation import describe_size

    missing, weights = arguments.missing, arguments.weights
    table = read_columns(file, **reading_options(arguments.read))[0]
    print_notes(table.notes)
    if not is_prepared(arguments) and missing != IMPUTE:
        before, columns, rows = table.rows, len(table.names), table.rows
        if weights is not None:
            rows = int(table.weighted(weights)[1].sum())
        # Health looks at rows, which are not written out where frequencies are too large.
        said = _note(file, table, arguments) if note and rows * columns <= MOST_CELLS else None
        data = Dataset.from_table(table, missing=missing, weights=weights, release=True)
        done = [describe_size(before, columns)]
        if weights is not None:
            done.append(RepeatRows(weights).for_paper(before, rows))
        if missing != "error":
            done.append(MissingCells(missing).for_paper(rows, data.rows))
        if said is not None:
            print(said, file=sys.stderr)
        return ReadData(data, for_paper=tuple(done) if done[1:] else ())
    preparation = _asked(table, arguments)
    if seed is not None:
        seeded = (
            replace(one, seed=seed) if isinstance(one, MissingCells) else one
            for one in preparation.steps
        )
        preparation = replace(preparation, steps=tuple(seeded))
    made = prepare(table, preparation)
    did = zip(preparation.sentences, made.trace, strict=True)
    lines = [f"{number}. {' '.join(said)}" for number, said in enumerate(did, 1)]
    # What is said of the first table is not so of the pooled ones.
    hidden = made.imputed.sentence if pooled and made.imputed is not None else None
    for line in (*lines, *made.notes) if is_prepared(arguments) else ():
        if hidden is None or hidden not in line:
            print(printable(line))
    return ReadData(made.data, made.preparation, made.imputed, made.for_paper)


def read_on_cluster(
    pattern: str, arguments: argparse.Namespace, client: Client, line: ProgressLine
) -> ReadData:
    """The rows of several files as the workers of a cluster hold them."""
    from bjp_engine.sharded import read_sharded

    given = [name for name in ("prepare", "roles") if getattr(arguments, name) is not None]
    given += ["missing impute"] * (arguments.missing == IMPUTE)
    if given:
        raise OptionError(
            f"--{given[0]} looks at single rows, which stay on the cluster with --scheduler; leave "
            "one of them out, or prepare the files first."
        )
    how = {"missing": arguments.missing, "weights": arguments.weights}
    how |= reading_options(arguments.read)
    return ReadData(
        read_sharded(pattern, client=client, progress=Progress(report=line.show), **how)
    )


def _asked(table: Table, arguments: argparse.Namespace) -> Preparation:
    from bjp_engine.preparation import MissingCells, Preparation, RepeatRows, with_roles

    missing, weights = arguments.missing, arguments.weights
    steps: tuple[Step, ...] = ()
    if is_prepared(arguments):
        named = {getattr(arguments, name, None) for name in ("by", "paired")}
        # What was asked for takes the place of what is suggested.
        steps = tuple(
            step
            for step in _keeping(_suggested(table, weights).steps, named)
            if missing == "error" or not isinstance(step, MissingCells)
        )
    preparation = Preparation(steps)
    if arguments.roles is not None:
        preparation = with_roles(table, preparation, _roles(arguments.roles))
    if weights is not None:
        preparation = replace(preparation, steps=(RepeatRows(weights), *preparation.steps))
    return preparation if missing == "error" else preparation.adding(MissingCells(missing))


def _roles(path: str) -> dict[Name, str]:
    """The roles of a file."""
    try:
        found = json.loads(Path(path).read_bytes())
    except ValueError as reason:
        raise OptionError(f"--roles {clip(path)} is not JSON: {reason}.") from None
    if not isinstance(found, dict):
        raise OptionError(f"--roles {clip(path)} must hold an object of columns and their roles.")
    return {name: str(role) for name, role in found.items()}


def _keeping(steps: Iterable[Step], asked: Container[object]) -> Iterator[Step]:
    """The steps, none of which leaves out a column that an argument names."""
    for step in steps:
        left = tuple(name for name in step.leaves_out if str(name) not in asked)
        if left or not step.leaves_out:
            yield step if left == step.leaves_out else step.on_columns(left)


def _note(file: str, table: Table, arguments: argparse.Namespace) -> str | None:
    """One line on what health suggests for a table that is taken as it is."""
    if not table.rows:
        return None
    steps = [
        step.sentence
        for step in _suggested(table, arguments.weights).steps
        if step.kind != "missing" or arguments.missing == "error"
    ]
    if not steps:
        return None
    shown = [sentence[0].lower() + sentence[1:-1] for sentence in steps[:_MOST_STEPS]]
    more = len(steps) - len(shown)
    said = "; ".join(shown) + (f"; and {more} more" if more else "")
    return printable(f"note: bjp health {file} suggests: {said} (--prepare {SUGGESTED}).")


def _suggested(table: Table, weights: str | None) -> Preparation:
    from bjp_engine.health import health, suggest

    return suggest(health(table if weights is None else table.repeated(weights)))


def add_health_arguments(parser: argparse.ArgumentParser) -> None:
    """The table, and what becomes of the report."""
    add_options(parser, "file", "--read")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run_health(arguments: argparse.Namespace) -> int:
    """Print the report, worst first, and the suggested steps."""
    from bjp_engine.health import health, suggest
    from bjp_engine.health.profile import SEVERITIES
    from bjp_engine.io import read_columns

    table, reading = read_columns(arguments.file, **reading_options(arguments.read))
    print_notes(reading.notes)
    report = health(table)
    steps = suggest(report)
    if arguments.json:
        print(report.to_json())
        return 0
    size = f"{plural(reading.rows, 'row')}, {plural(reading.columns, 'column')}"
    lines = [f"{arguments.file}: {size}"]
    lines += (
        f"{SEVERITIES[one.severity]:<16} {one.title}: {one.sentence}" for one in report.findings
    )
    if steps.steps:
        numbered = (f"  {number}. {text}" for number, text in enumerate(steps.sentences, 1))
        lines += ["suggested:", *numbered]
    else:
        usable = all(one.severity == "note" for one in report.findings)
        as_it_is = "; the table can be used as it is" if usable else ""
        lines.append(f"suggested: nothing{as_it_is}")
    print("\n".join(map(printable, lines)))
    return 0
