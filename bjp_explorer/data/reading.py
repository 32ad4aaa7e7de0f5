"""A file that could be read: its table, what the reader noticed, and its health.

A large one is read in a process of its own, whose work no other visit waits for: it holds Python's
lock again and again. The process gets the bytes through a pipe, and what it needed besides the
table goes when it ends. As many files are read at once as there may be workers; the others wait.
Small files are read in the job's thread, which is sooner; what a damaged one could end, the engine
reads in a process of its own.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any

import pandas as pd

from bjp_engine.dataset import Name
from bjp_engine.errors import Cancelled
from bjp_engine.health import HealthReport, health, suggest
from bjp_engine.io import Limits, ReadOptions, TableReport, child, read_columns
from bjp_engine.io.limits import Guard
from bjp_engine.preparation import Preparation, Table
from bjp_engine.progress import UNWATCHED, Progress
from bjp_explorer.data.upload import Named, Upload
from bjp_explorer.jobs.pool import WORKERS, workers
from bjp_explorer.shell.text import count, plain, tell_apart

# Bytes from which on a process is worth its start.
LARGE = 4 << 20
# How files begin that may hold more than they take: Parquet, archives and workbooks, gzip, SPSS.
_PACKED = (b"PAR1", b"PK", b"\x1f\x8b", b"$FL")
_LOOK = 0.2

Report = Callable[[str, int, int], None]


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
        return dict(zip(self.names, tell_apart(self.names), strict=True))

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
                "Column": [self.labels[one.name] for one in found],
                **({"Question": titles} if any(titles) else {}),
                "Kind": [one.kind for one in found],
                "Distinct values": [one.states for one in found],
                "Missing": [one.missing for one in found],
                "Most frequent": [100 * one.largest / self.health.rows for one in found],
                "Rare states": [one.rare for one in found],
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
    kind = {
        "parquet": "a Parquet table",
        "excel": "an Excel sheet",
        "spss": "an SPSS file",
        "stata": "a Stata file",
        "sas": "a SAS file",
    }.get(report.format)
    if kind is None:
        named = {",": "commas", ";": "semicolons", "\t": "tabs", "whitespace": "spaces"}
        between = named.get(report.delimiter or ",", f"“{plain(report.delimiter)}”")
        encoding = "UTF-8" if report.encoding == "utf-8-sig" else (report.encoding or "").upper()
        kind = f"a text table delimited by {between} ({encoding})"
    name = plain(reading.upload.name) or "The file"
    size = f"{count(report.rows, 'row')} and {count(report.columns, 'column')}"
    return f"{name} is {kind}, with {size}."


def is_apart(upload: Upload) -> bool:
    """Whether a file is read in its turn, and not at once."""
    return len(upload.content) > LARGE or upload.content.startswith(_PACKED)


def read_in_turn(
    upload: Upload, way: ReadOptions, report: Report, stopping: Callable[[], bool]
) -> Reading:
    """Read a file in its turn, a large one in another process."""
    with _turn(report, stopping):
        if len(upload.content) <= LARGE:
            lines, columns = _progress(lambda message: report(*message), stopping)
            return read(upload, way, lines, columns)
        found = child.run(
            serve,
            upload.name,
            upload.content,
            way,
            guard=Guard(
                Limits.from_environment(),
                plain(upload.name, 60) or "The file",
                Progress(cancelled=stopping),
            ),
            receive=lambda message: report(*message),
        )
    return Reading(upload, way, *found)


def serve(send: child.Send, name: str, content: bytes, way: ReadOptions) -> tuple[Any, ...]:
    """Read a file in the process made for it: its table, the report and its health."""
    lines, columns = _progress(send, None)
    found = read(Upload(name, content), way, lines, columns)
    return found.table, found.report, found.health


def _progress(send: child.Send, stopping: Callable[[], bool] | None) -> tuple[Progress, Progress]:
    """Send how many lines are read, and how many columns are checked."""
    return (
        Progress(lambda done, total: send(("lines", done, total)), stopping),
        Progress(lambda done, total: send(("columns", done, total)), stopping),
    )


@cache
def _turns() -> threading.Semaphore:
    """A turn for each file that may be read at once."""
    return threading.Semaphore(workers(os.environ.get(WORKERS)))


@contextmanager
def _turn(report: Report, stopping: Callable[[], bool]) -> Iterator[None]:
    """Wait until fewer files are read than may be."""
    while not _turns().acquire(timeout=_LOOK):
        if stopping():
            raise Cancelled("The computation was cancelled.")
        report("turn", 0, 1)
    try:
        yield
    finally:
        _turns().release()
