"""From a file to a dataset: frequencies, `--prepare`, and a note on what health suggests."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bjp_engine.cli import common
from bjp_engine.cli.common import IMPUTE, SUGGESTED, ProgressLine, is_prepared
from bjp_engine.cluster import Client
from bjp_engine.errors import OptionError, clip, plural, printable
from bjp_engine.progress import Progress
from bjp_engine.validate import Name

if TYPE_CHECKING:
    from bjp_engine.columns import Table
    from bjp_engine.dataset import Dataset
    from bjp_engine.preparation import Preparation, Prepared

# Steps in a note of one line.
_MOST_STEPS = 4


def read_data(
    file: str,
    arguments: argparse.Namespace,
    *,
    note: bool = False,
    pooled: bool = False,
    seed: int | None = None,
) -> Prepared:
    """A table as the arguments ask, and what was done; a note says what health suggests instead."""
    from bjp_engine.io import read_columns
    from bjp_engine.preparation import prepare

    table = read_columns(file, **common.reading_options(arguments.read))[0]
    common.print_notes(table.notes)
    if not is_prepared(arguments) and arguments.missing != IMPUTE:
        return _as_it_is(file, table, arguments, note=note)
    made = prepare(table, _preparation(table, arguments, seed))
    did = zip(made.preparation.sentences, made.trace, strict=True)
    lines = [f"{number}. {' '.join(said)}" for number, said in enumerate(did, 1)]
    # What is said of the first table is not so of the pooled ones.
    hidden = made.imputed.sentence if pooled and made.imputed is not None else None
    for line in (*lines, *made.notes) if is_prepared(arguments) else ():
        if hidden is None or hidden not in line:
            print(printable(line))
    return made


def _as_it_is(file: str, table: Table, arguments: argparse.Namespace, *, note: bool) -> Prepared:
    """A table without steps; frequencies are written out, and missing cells are not imputed."""
    from bjp_engine.dataset import Dataset
    from bjp_engine.preparation import MissingCells, Prepared, RepeatRows
    from bjp_engine.preparation.preparation import describe_size

    missing, weights = arguments.missing, arguments.weights
    size, done = describe_size(table.rows, len(table.names)), []
    suggested = _note(file, table, arguments) if note else None
    data, rows = Dataset.from_frame(table, missing=missing, weights=weights), table.rows
    if weights is not None:
        rows = int(table.frequencies(weights).sum())
        done.append(RepeatRows(weights).for_paper(table.rows, rows))
    if missing != "error":
        done.append(MissingCells(missing).for_paper(rows, data.rows))
    if suggested is not None:
        print(suggested, file=sys.stderr)
    return Prepared(data, for_paper=(size, *done) if done else ())


def read_on_cluster(
    pattern: str, arguments: argparse.Namespace, client: Client, line: ProgressLine
) -> Dataset:
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
    how |= common.reading_options(arguments.read)
    return read_sharded(pattern, client=client, progress=Progress(report=line.show), **how)


def _preparation(table: Table, arguments: argparse.Namespace, seed: int | None) -> Preparation:
    """The steps: those suggested, but for what was asked for instead."""
    from bjp_engine.preparation import MissingCells, Preparation, RepeatRows, add_steps

    missing, weights = arguments.missing, arguments.weights
    if is_prepared(arguments):
        plan = _suggested(table, _roles(table, arguments))
    else:
        plan = Preparation(() if weights is None else (RepeatRows(weights),))
    if missing != "error":
        plan = add_steps(plan, [MissingCells(missing)])
    if seed is not None:
        found = (replace(s, seed=seed) if isinstance(s, MissingCells) else s for s in plan.steps)
        plan = Preparation(tuple(found))
    return plan


def _roles(table: Table, arguments: argparse.Namespace) -> dict[Name, Any]:
    """The roles of a file, and of the columns of frequencies and groups that arguments name."""
    from bjp_engine.confidence.groups import MOST_GROUPS

    path, found = arguments.roles, {}
    if path is not None:
        try:
            found = json.loads(Path(path).read_bytes())
        except ValueError as reason:
            raise OptionError(f"--roles {clip(path)} is not JSON: {reason}.") from None
    if not isinstance(found, dict):
        raise OptionError(f"--roles {clip(path)} must hold an object of columns and their roles.")
    if arguments.weights is not None:
        table.frequencies(arguments.weights)
        found[arguments.weights] = "frequency"
    for argument in ("by", "paired"):
        name = getattr(arguments, argument, None)
        for column in (one for other, one in table.columns.items() if str(other) == name):
            # Numbers that are too many for groups are cut into bins.
            many = argument == "by" and column.numeric and len(column.values) > MOST_GROUPS
            found.setdefault(name, "ordered" if many else "group")
    return found


def _note(file: str, table: Table, arguments: argparse.Namespace) -> str | None:
    """One line on what health suggests for a table that is taken as it is."""
    if not table.rows:
        return None
    steps = [
        step.sentence
        for step in _suggested(table, _roles(table, arguments)).steps
        if not (step.kind == "missing" and arguments.missing != "error")
        and not (step.kind == "frequencies" and arguments.weights is not None)
    ]
    if not steps:
        return None
    shown = [sentence[0].lower() + sentence[1:-1] for sentence in steps[:_MOST_STEPS]]
    more = len(steps) - len(shown)
    said = "; ".join(shown) + (f"; and {more} more" if more else "")
    return printable(f"note: bjp health {file} suggests: {said} (--prepare {SUGGESTED}).")


def _suggested(table: Table, roles: Mapping[Name, Any]) -> Preparation:
    """The suggested steps; what must be resolved and no step can is a warning."""
    from bjp_engine.health import health, suggest

    report = health(table, roles=roles)
    for one in report.findings:
        if one.severity == "stop" and not one.steps:
            print(f"warning: {printable(one.sentence)}", file=sys.stderr)
    return suggest(report)


HEALTH = {"--json": "print the report as JSON"}


def run_health(arguments: argparse.Namespace) -> int:
    """Print the report, worst first, and the suggested steps."""
    from bjp_engine.health import health, suggest
    from bjp_engine.health.profile import SEVERITIES
    from bjp_engine.io import read_columns

    table, reading = read_columns(arguments.file, **common.reading_options(arguments.read))
    common.print_notes(reading.notes)
    report = health(table)
    if arguments.json:
        print(report.to_json())
        return 0
    rows, columns = plural(reading.rows, "row"), plural(reading.columns, "column")
    print(printable(f"{arguments.file}: {rows}, {columns}"))
    for one in report.findings:
        print(printable(f"{SEVERITIES[one.severity]:<16} {one.title}: {one.sentence}"))
    steps = suggest(report).sentences
    usable = not steps and all(one.severity == "note" for one in report.findings)
    nothing = "" if steps else " nothing"
    print(f"suggested:{nothing}{'; the table can be used as it is' * usable}")
    for number, text in enumerate(steps, 1):
        print(printable(f"  {number}. {text}"))
    return 0
