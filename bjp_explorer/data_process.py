"""Large files, and those that could end a process, are read in a process of their own.

Reading text holds Python's lock for most of a minute per hundred megabytes, and every other visit
would wait for it again and again. The process gets the bytes through a pipe, and what it needed
besides the table goes when it ends. As many files are read at once as there may be workers; the
others wait. So is Parquet, and what is packed and may hold it: there are damaged files that end the
process in which pyarrow looks at them. Small texts are read in the job's thread, which is sooner.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from multiprocessing.connection import Connection
from typing import Any

from bjp_engine.errors import Cancelled, DataError
from bjp_engine.io import ReadOptions
from bjp_engine.progress import Progress
from bjp_explorer import data_reading
from bjp_explorer.data_file import Upload
from bjp_explorer.data_reading import Reading
from bjp_explorer.pool import WORKERS, workers

# Bytes from which on a process is worth its start.
LARGE = 4 << 20
# How files begin that are never read here: Parquet, zip archives and workbooks, gzip.
_APART = (b"PAR1", b"PK", b"\x1f\x8b")
_LOOK = 0.2

Told = Callable[[str, int, int], None]


def is_apart(upload: Upload) -> bool:
    """Whether a file is read in a process of its own.

    Parameters
    ----------
    upload : Upload

    Returns
    -------
    bool
    """
    return len(upload.content) > LARGE or upload.content.startswith(_APART)


def read(upload: Upload, way: ReadOptions, told: Told, stopping: Callable[[], bool]) -> Reading:
    """Read a file in another process.

    Parameters
    ----------
    upload : Upload
    way : ReadOptions
    told : callable(what, done, total)
        Called now and then; `what` is "turn" while others are read first, "lines" or "columns".
    stopping : callable() -> bool
        Asked several times a second; once it says True, the process is ended.

    Returns
    -------
    Reading

    Raises
    ------
    BJPError
        As `data_reading.read`; also where the process is ended.
    Cancelled
        If `stopping` says so.
    """
    with _turn(told, stopping):
        answer = _read(upload, way, told, stopping)
    if isinstance(answer, BaseException):
        raise answer
    return Reading(upload, way, *answer)


@cache
def _turns() -> threading.Semaphore:
    """A turn for each file that may be read at once."""
    return threading.Semaphore(workers(os.environ.get(WORKERS)))


@contextmanager
def _turn(told: Told, stopping: Callable[[], bool]) -> Iterator[None]:
    """Wait until fewer files are read than may be."""
    while not _turns().acquire(timeout=_LOOK):
        if stopping():
            raise Cancelled("The computation was cancelled.")
        told("turn", 0, 1)
    try:
        yield
    finally:
        _turns().release()


def _read(upload: Upload, way: ReadOptions, told: Told, stopping: Callable[[], bool]) -> Any:
    """What another process answers: its table and reports, or an error."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there,), name="bjp: reading", daemon=True)
    process.start()
    there.close()
    try:
        here.send((upload.name, way))
        here.send_bytes(upload.content)
        return _awaited(here, told, stopping)
    except (EOFError, OSError):
        raise DataError(
            "The process that read the file was ended: the file is damaged, or there wasn't "
            "memory enough. Save the table anew, or with fewer columns or rows."
        ) from None
    finally:
        here.close()
        process.kill()
        process.join()


def _awaited(pipe: Connection, told: Told, stopping: Callable[[], bool]) -> Any:
    """What the process answers in the end."""
    while True:
        if stopping():
            raise Cancelled("The computation was cancelled.")
        if not pipe.poll(_LOOK):
            continue
        kind, content = pipe.recv()
        if kind == "answer":
            return content
        told(*content)


def _serve(pipe: Connection) -> None:
    """Read the file that comes through a pipe; whoever is at its other end may go any time."""
    name, way = pipe.recv()
    upload = Upload(name, pipe.recv_bytes())

    def watch(what: str) -> Progress:
        # Nothing else is ever sent here, so that something to read means that the pipe is closed.
        return Progress(lambda done, total: pipe.send(("told", (what, done, total))), pipe.poll)

    answer: object
    try:
        found = data_reading.read(upload, way, watch("lines"), watch("columns"))
        answer = (found.table, found.report, found.health)
    except Exception as error:  # whatever it is, the page that asked tells or logs it
        answer = error
    pipe.send(("answer", answer))
