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
from bjp_explorer.data import words
from bjp_explorer.data.upload import Named, Upload
from bjp_explorer.shell.text import count, plain


@dataclass(frozen=True, eq=False)
class Reading:
    """A file that could be read."""

    upload: Upload
    # As it was asked for; `report.chosen` says what was detected.
    way: ReadOptions
    # Every column by its different values, missing cells as such. The cells as they were read are
    # not kept: a million rows of them take much more.
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
        return dict(zip(self.names, words.distinct(self.names), strict=True))

    @cached_property
    def suggestion(self) -> Preparation:
        """The steps that are taken at first."""
        return suggest(self.health)

    @cached_property
    def variables(self) -> pd.DataFrame:
        """What each column is, one a line, in the order of the file."""
        found = self.health.variables
        titles = [plain(self.table.columns[one.name].title, 200) for one in found]
        return pd.DataFrame(
            {
                words.COLUMN: [self.labels[one.name] for one in found],
                **({"Question": titles} if any(titles) else {}),
                words.KIND: [one.kind for one in found],
                words.VALUES: [one.states for one in found],
                words.MISSING_CELLS: [one.missing for one in found],
                words.FREQUENT: [one.largest / self.health.rows for one in found],
                words.RARE: [one.rare for one in found],
                words.SPELLINGS: [one.spellings for one in found],
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
    kind = words.KINDS.get(report.format)
    if kind is None:
        between = words.DELIMITERS.get(report.delimiter or ",", f"“{plain(report.delimiter)}”")
        encoding = "UTF-8" if report.encoding == "utf-8-sig" else (report.encoding or "").upper()
        kind = words.TEXT_TABLE.format(between=between, encoding=encoding)
    name = plain(reading.upload.name) or "The file"
    size = f"{count(report.rows, 'row')} and {count(report.columns, 'column')}"
    return f"{name} is {kind}, with {size}."
