"""`bjp health`: what is wrong with a table, and what could be done about it."""

from __future__ import annotations

import argparse

from bjp_engine.cli.files import add_table_argument, print_notes, reading_options
from bjp_engine.errors import plural, printable


def add_health_arguments(parser: argparse.ArgumentParser) -> None:
    """The table, and what becomes of the report."""
    add_table_argument(parser)
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run_health(arguments: argparse.Namespace) -> int:
    """Print the report, worst first, and the suggested steps."""
    from bjp_engine.health import health, suggest
    from bjp_engine.health.findings import SEVERITIES
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
