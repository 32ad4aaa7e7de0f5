"""Summaries beside the paper's figures as CSV."""

from __future__ import annotations

import csv
import math
from dataclasses import astuple, fields
from pathlib import Path

from bjp_engine.experiments.agreement import agreement
from bjp_engine.experiments.results import Results
from bjp_engine.experiments.summary import Summary, summaries
from bjp_engine.io.spreadsheet import disarmed

HEADING = (
    *(field.name for field in fields(Summary)),
    "printed",
    "printed_spread",
    "printed_seconds",
    "difference",
    "difference_error",
    "agrees",
)


def write_summary(results: Results, path: str | Path) -> None:
    """Write a line for each network, N and score."""
    compared = {one.summary.key: one for one in agreement(results)}
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADING)
        for summary in summaries(results):
            line = list(astuple(summary))
            one = compared.get(summary.key)
            if one is not None:
                figure = one.printed
                line += [figure.value, figure.spread, figure.seconds]
                line += [one.difference, one.error, one.agrees]
            line += [None] * (len(HEADING) - len(line))
            writer.writerow([_plain(value) for value in line])


def _plain(value: object) -> object:
    """A value as a cell; what is no number leaves it empty, and no text is a formula."""
    if isinstance(value, str):
        return disarmed(value)
    return "" if isinstance(value, float) and math.isnan(value) else value
