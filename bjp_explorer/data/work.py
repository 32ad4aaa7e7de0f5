"""The long work of the page Data: reading a file and preparing it, as jobs that show progress.

What a job has made is handed over once: a finished job is remembered for a while, and would else
hold a table that nobody needs any more. Other pages say in one line that a file is being read.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, TypeVar
from zlib import crc32

import streamlit as st

from bjp_engine.errors import BJPError, Cancelled
from bjp_engine.io import ReadOptions
from bjp_engine.preparation import Preparation
from bjp_engine.progress import Progress
from bjp_explorer.data import making
from bjp_explorer.data import reading as data_reading
from bjp_explorer.data.reading import Reading
from bjp_explorer.data.upload import Upload
from bjp_explorer.jobs import results
from bjp_explorer.jobs.job import Job
from bjp_explorer.shell import visit
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import markdown, plain

_PENDING = "data-pending"

Thing = TypeVar("Thing")

_READING, _MADE = "data-reading", "data-made"
_TIMES = "data-times"
_TITLES = {"turn": "Waiting for another file to be read", "columns": "Checking the columns"}


class Handed(Generic[Thing]):
    """Something that is given away once."""

    def __init__(self, thing: Thing) -> None:
        """Hold it."""
        self._things = [thing]

    def take(self) -> Thing:
        """Give it away."""
        return self._things.pop()


def reading(upload: Upload, way: ReadOptions) -> Reading | str | None:
    """The file as it was read.

    A sentence where it can't be read; None while it is being read, and the page shows how far that
    is.
    """
    title = f"Reading {markdown(plain(upload.name, 40)) or 'the file'}"
    wanted = (upload.digest, upload.name, way)
    return _work(_READING, wanted, title, "lines", partial(_read, Handed((upload, way))))


def make(found: Reading, plan: Preparation) -> Loaded | str | None:
    """The dataset that steps make of a file."""
    wanted = (found.upload.digest, found.upload.name, found.way, plan)
    work = partial(_make, Handed((found, plan)))
    return _work(_MADE, wanted, "Preparing the data", "steps", work)


def _read(given: Handed[tuple[Upload, ReadOptions]], job: Job[Any]) -> Handed[Reading]:
    upload, way = given.take()
    title = job.title

    def report(what: str, done: int, total: int) -> None:
        job.title = _TITLES.get(what, title)
        job.counts = (what, what)
        job.progress(done, total)

    if data_reading.is_apart(upload):
        return Handed(data_reading.read_in_turn(upload, way, report, job.stopping))
    lines, columns = (
        Progress(partial(report, what), job.stopping) for what in ("lines", "columns")
    )
    return Handed(data_reading.read(upload, way, lines, columns))


def _make(given: Handed[tuple[Reading, Preparation]], job: Job[Any]) -> Handed[Loaded]:
    found, plan = given.take()
    calls = itertools.count()

    def report(done: int, total: int) -> None:
        # After a report of each step come those of the completed tables.
        if next(calls) == len(plan.steps):
            job.title, job.counts = "Imputing missing cells", ("completed tables",) * 2
        job.progress(done, total)

    return Handed(making.make(found, plan, Progress(report, job.stopping)))


def _work(
    slot: str,
    wanted: tuple[Any, ...],
    title: str,
    counts: str,
    work: Callable[[Job[Handed[Thing]]], Handed[Thing]],
) -> Thing | str | None:
    """What some work gives, made once for what is wanted."""
    memory = st.session_state
    last: tuple[tuple[Any, ...] | None, Thing | str | None] = memory.get(slot, (None, None))
    if last[0] == wanted:
        return last[1]
    times = memory.setdefault(_TIMES, {})
    key = (slot, f"{crc32(repr(wanted).encode()):08x}", times.get(slot, 0))
    job = results.job_for(key, title, work, counts=(counts, counts))
    if not job.wait(results.PATIENCE):
        # Which dataset stays selected meanwhile.
        st.session_state[_PENDING] = (job, visit.current().token)
        results.follow(job, key)
        return None
    st.session_state.pop(_PENDING, None)
    error = job.error
    if error is not None and not isinstance(error, BJPError):
        if isinstance(error, Cancelled):
            st.info(f"{job.title} was cancelled.", icon=":material/cancel:")
        else:
            results.tell(error)
        results.again(key)
        return None
    # What was wanted before may be wanted again, and its job has given away what it made.
    times[slot] = times.get(slot, 0) + 1
    found = str(error) if job.result is None else job.result.take()
    memory[slot] = (wanted, found)
    return found


def is_reading() -> bool:
    """Whether a file is being read, or was and has not been used yet."""
    job, token = st.session_state.get(_PENDING, (None, ""))
    return job is not None and not job.cancelled and token == visit.current().token


def show_pending(loaded: Loaded) -> None:
    """Say on any page but Data that a file is being read there."""
    if visit.page() != "data" and is_reading():
        st.info(
            "*Data* is reading your file, and uses it when you open that page. Until then the "
            f"dataset is {markdown(loaded.title)}.",
            icon=":material/hourglass_top:",
        )
