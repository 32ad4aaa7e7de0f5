"""Large files are read in a process of their own, whose work no other visit waits for.

Reading and looking at a large table holds Python's lock again and again. The process gets the bytes
through a pipe, and what it needed besides the table goes when it ends. As many files are read at
once as there may be workers; the others wait. Small files are read in the job's thread, which is
sooner; what a damaged one could end, the engine reads in a process of its own.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from bjp_engine.errors import Cancelled
from bjp_engine.io import Limits, ReadOptions, child
from bjp_engine.io.limits import Guard
from bjp_engine.progress import Progress
from bjp_explorer.data import reading
from bjp_explorer.data.reading import Reading
from bjp_explorer.data.upload import Upload
from bjp_explorer.jobs.pool import WORKERS, workers
from bjp_explorer.shell.text import plain

# Bytes from which on a process is worth its start.
LARGE = 4 << 20
# How files begin that may hold more than they take: Parquet, archives and workbooks, gzip, SPSS.
_PACKED = (b"PAR1", b"PK", b"\x1f\x8b", b"$FL")
_LOOK = 0.2

Report = Callable[[str, int, int], None]


def is_apart(upload: Upload) -> bool:
    """Whether a file is read in its turn, and not at once."""
    return len(upload.content) > LARGE or upload.content.startswith(_PACKED)


def read(upload: Upload, way: ReadOptions, report: Report, stopping: Callable[[], bool]) -> Reading:
    """Read a file in its turn, a large one in another process."""
    with _turn(report, stopping):
        if len(upload.content) <= LARGE:
            lines, columns = _progress(lambda message: report(*message), stopping)
            return reading.read(upload, way, lines, columns)
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
    found = reading.read(Upload(name, content), way, lines, columns)
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
