"""A file that could be read: its table, what the reader noticed, and its health."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import pandas as pd

from bjp_engine.dataset import Name
from bjp_engine.health import HealthReport, health, suggest
from bjp_engine.io import ReadOptions, TableReport, read_columns
from bjp_engine.preparation import Preparation, Table
from bjp_engine.progress import UNWATCHED, Progress
from bjp_explorer.data.upload import Named, Upload
from bjp_explorer.data.words import distinct
from bjp_explorer.shell.text import count, plain

_BETWEEN = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", "whitespace": "spaces"}
_KINDS = {"parquet": "a Parquet table", "excel": "an Excel sheet", "libra": "a Libra data file"}


@dataclass(frozen=True, eq=False)
class Reading:
    """A file that could be read.

    Parameters
    ----------
    way : ReadOptions
        As it was asked for; `report.chosen` says what was detected.
    table : Table
        Every column by its different values, missing cells as such. The cells as they were read
        are not kept: a million rows of them take much more.
    """

    upload: Upload
    way: ReadOptions
    table: Table
    report: TableReport
    health: HealthReport

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns."""
        return self.table.names

    @cached_property
    def labels(self) -> dict[Name, str]:
        """The columns' names as widgets show them."""
        return dict(zip(self.names, distinct(self.names), strict=True))

    @cached_property
    def suggested(self) -> Preparation:
        """The steps that are taken at first."""
        return suggest(self.health)

    @cached_property
    def variables(self) -> pd.DataFrame:
        """What each column is, one a line, worst told by the findings."""
        looked = self.health.variables
        return pd.DataFrame(
            {
                "Column": [self.labels[one.name] for one in looked],
                "Kind": [one.kind for one in looked],
                "Distinct values": [one.states for one in looked],
                "Missing": [one.missing for one in looked],
                "Most frequent": [one.largest / self.health.rows for one in looked],
                "Rare states": [one.rare for one in looked],
                "Several spellings": [one.spellings for one in looked],
            }
        )


def read(
    upload: Upload, way: ReadOptions, watch: Progress = UNWATCHED, looking: Progress | None = None
) -> Reading:
    """Read a file and look at its health."""
    options = {field.name: getattr(way, field.name) for field in fields(way)}
    table, report = read_columns(Named(upload), watch, **options)
    return Reading(upload, way, table, report, health(table, looking or watch))


def what_it_is(reading: Reading) -> str:
    """The first sentence: what kind of file it is, and its size."""
    report = reading.report
    kind = _KINDS.get(report.format)
    if kind is None:
        between = _BETWEEN.get(report.delimiter or ",", f"“{plain(report.delimiter)}”")
        encoding = "UTF-8" if report.encoding == "utf-8-sig" else (report.encoding or "").upper()
        kind = f"a text table delimited by {between} ({encoding})"
    name = plain(reading.upload.name) or "The file"
    size = f"{count(report.rows, 'row')} and {count(report.columns, 'column')}"
    return f"{name} is {kind}, with {size}."
