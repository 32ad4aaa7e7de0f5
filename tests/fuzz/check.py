"""What must hold whatever a file holds: a table or one sentence, soon and in little memory."""

import resource
import signal
import traceback
import warnings
from dataclasses import fields
from pathlib import Path

from bjp_engine import Dataset
from bjp_engine.errors import BJPError
from bjp_engine.io import child, read_frame
from bjp_engine.io.limits import Limits
from tests.apart import run_here
from tests.awkward.case import Upload

# Of a processor: a busy machine makes nothing a finding.
SECONDS = 8
MEMORY_MB = 400
LIMITS = Limits(seconds=600, file_mb=32, cells=4_000_000, distinct=200_000)
_LONGEST = 700
_APART = child.run


class HangError(BaseException):
    """It took longer than `SECONDS`."""


class BrokenPromiseError(AssertionError):
    """It was read or refused, and something about that is wrong."""


def run(given, *, twice, apart=True):
    """Read one input: "read" or "refused", else a finding.

    `twice` reads it again with what was found out; `apart` reads in processes of their own what a
    user's files are read by so, else this one does, much sooner, and may end.
    """
    child.run = _APART if apart else run_here
    before = _peak()
    signal.signal(signal.SIGPROF, _alarm)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            outcome = _read(given, twice=twice)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    if _peak() - before > MEMORY_MB:
        raise BrokenPromiseError(f"more than {MEMORY_MB} MB of memory")
    return outcome


def _read(given, *, twice):
    """Read it and look at the outcome."""
    options = {"limits": LIMITS, **given.options}
    try:
        frame, report = read_frame(Upload(given.data, given.name), **options)
    except BJPError as error:
        _check_sentence(str(error))
        return "refused"
    _promise(frame.shape == (report.rows, report.columns), "another shape than told")
    _promise(len(frame) > 0 and frame.columns.is_unique, "no rows or names given twice")
    for note in report.notes:
        _check_sentence(note)
    if twice:
        chosen = {f.name: getattr(report.chosen, f.name) for f in fields(report.chosen)}
        again, _ = read_frame(Upload(given.data, given.name), **chosen)
        _promise(again.equals(frame), "another table with what was found out")
    try:
        data = Dataset.from_frame(frame, missing="state")
    except BJPError as error:
        _check_sentence(str(error))
        return "read"
    _promise(data.codes.shape == frame.shape, "another shape as a dataset")
    return "read"


def _promise(kept, what):
    if not kept:
        raise BrokenPromiseError(what)


def _check_sentence(sentence):
    """One sentence on one line, without a trace."""
    _promise(sentence.endswith("."), "a sentence without its point")
    _promise("\n" not in sentence and "Traceback" not in sentence, "more than a line")
    _promise(len(sentence) <= _LONGEST, "a sentence that is too long")


def _alarm(number, frame):
    raise HangError(f"longer than {SECONDS} s")


def _peak():
    """The most memory this process ever had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def place(error):
    """What kind of finding it is: its type and the last places of the engine and beyond."""
    frames = traceback.extract_tb(error.__traceback__)
    spots = [f"{Path(f.filename).stem}:{f.name}" for f in frames]
    told = str(error)[:40] if isinstance(error, BrokenPromiseError) else ""
    return " ".join([type(error).__name__, told, *spots[-2:]])
