"""From a file to a dataset: frequencies, `--prepare`, and a note on what health suggests."""

from __future__ import annotations

import argparse
import json
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bjp_engine.cli.files import (
    ProgressLine,
    add_table_argument,
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

SUGGESTED = "suggested"
# Steps in a note of one line.
_MOST_STEPS = 4


def add_prepare_arguments(parser: argparse.ArgumentParser, missing: Sequence[str] = ()) -> None:
    """What becomes of missing cells, frequencies, and the steps by which a table is prepared."""
    parser.add_argument(
        "--missing",
        choices=("error", "drop", "state", *missing),
        default="error",
        help="what to do with missing cells"
        + "; impute fills them in 20 times and pools the probabilities" * bool(missing),
    )
    parser.add_argument(
        "--weights", metavar="COLUMN", help="a column that says how often each row was counted"
    )
    parser.add_argument(
        "--prepare",
        choices=(SUGGESTED,),
        help="take the steps that `bjp health` suggests",
    )
    parser.add_argument(
        "--roles",
        metavar="FILE",
        help='a .json file of what columns are, such as {"age": "ordered", "id": "leave '
        'out"}: variable, ordered, group, frequency, identifier or leave out; all else is prepared '
        "as suggested",
    )


class ReadData(NamedTuple):
    """A dataset, how it was prepared, what each step did, and what health suggests instead."""

    data: Dataset
    preparation: Preparation | None = None
    lines: tuple[str, ...] = ()
    note: str | None = None
    imputed: Imputed | None = None
    for_paper: tuple[str, ...] = ()


def read_data(
    file: str, arguments: argparse.Namespace, *, note: bool = False, seed: int | None = None
) -> ReadData:
    """A table as the arguments ask; where no steps are given, a note says what health suggests."""
    from bjp_engine.dataset import Dataset
    from bjp_engine.io import read_columns
    from bjp_engine.preparation import MissingCells, RepeatRows, prepare
    from bjp_engine.preparation.prepared import describe_size

    missing, weights, options = arguments.missing, arguments.weights, reading_options(arguments)
    table = read_columns(file, **options)[0]
    print_notes(table.notes)
    if not _is_prepared(arguments):
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
        return ReadData(data, note=said, for_paper=tuple(done) if done[1:] else ())
    preparation = _asked(table, arguments)
    if seed is not None:
        seeded = (
            replace(one, seed=seed) if isinstance(one, MissingCells) else one
            for one in preparation.steps
        )
        preparation = replace(preparation, steps=tuple(seeded))
    made = prepare(table, preparation)
    lines = [f"{one.number}. {one.step.sentence} {one.sentence}" for one in made.trace]
    shown = tuple(map(printable, (*lines, *made.notes)))
    return ReadData(
        made.data, made.preparation, shown, imputed=made.imputed, for_paper=made.for_paper
    )


def _is_prepared(arguments: argparse.Namespace) -> bool:
    """Whether steps are asked for, not only what becomes of missing cells."""
    return (arguments.prepare, arguments.roles) != (None, None) or arguments.missing == "impute"


def read_on_cluster(
    pattern: str, arguments: argparse.Namespace, client: Client, line: ProgressLine
) -> ReadData:
    """The rows of several files as the workers of a cluster hold them."""
    from bjp_engine.sharded import read_sharded

    if _is_prepared(arguments):
        given = (name for name in ("prepare", "roles") if getattr(arguments, name) is not None)
        name = f"--{next(given, 'missing impute')}"
        raise OptionError(
            f"{name} looks at single rows, which stay on the cluster with --scheduler; leave one "
            "of them out, or prepare the files first."
        )
    how = {"missing": arguments.missing, "weights": arguments.weights}
    options = reading_options(arguments)
    progress = Progress(report=line.show)
    return ReadData(read_sharded(pattern, client=client, progress=progress, **how, **options))


def _asked(table: Table, arguments: argparse.Namespace) -> Preparation:
    from bjp_engine.preparation import MissingCells, Preparation, RepeatRows, with_roles

    missing, weights = arguments.missing, arguments.weights
    preparation = Preparation()
    if (arguments.prepare, arguments.roles) != (None, None):
        preparation = _suggested(table, weights)
        asked = {getattr(arguments, name, None) for name in ("by", "paired")}
        preparation = replace(preparation, steps=tuple(_keeping(preparation.steps, asked)))
        if missing != "error":
            # What was asked for takes the place of what is suggested.
            steps = (one for one in preparation.steps if not isinstance(one, MissingCells))
            preparation = replace(preparation, steps=tuple(steps))
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
    from bjp_engine.preparation import DropVariables

    for step in steps:
        columns = step.columns if isinstance(step, DropVariables) else ()
        left = tuple(name for name in columns if str(name) not in asked)
        if left or not columns:
            yield step if left == columns else step.on_columns(left)


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
    add_table_argument(parser)
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run_health(arguments: argparse.Namespace) -> int:
    """Print the report, worst first, and the suggested steps."""
    from bjp_engine.health import health, suggest
    from bjp_engine.health.profile import SEVERITIES
    from bjp_engine.io import read_columns

    table, reading = read_columns(arguments.file, **reading_options(arguments))
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
