"""Long work beside the page: a thread, its progress, and a Cancel that works at once.

A Streamlit script stops only at its own calls, so work runs in a thread that never calls
Streamlit: short work itself, long work by waiting for a worker process (`pool`). The page looks at
the job a few times a second. A job that nobody looks at any more stops by itself: soon where the
tab is closed, after some minutes where it is open (its browser may let it sleep).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeAlias, TypeVar

import networkx as nx

from bjp_engine import Dataset, Progress
from bjp_engine.errors import Cancelled
from bjp_engine.processes import Caller
from bjp_engine.search import Step
from bjp_explorer.jobs.flips import MOST, Flips

Result = TypeVar("Result")

# Seconds after the last look: of a tab that is closed, and of one that is open.
ABANDONED_AFTER, AWAY_AFTER = 20.0, 600.0
# Seconds between two batches of a worker's messages.
BEAT = 0.1


@dataclass
class Job(Generic[Result]):
    """One piece of work in a thread."""

    # What it does, for the progress bar.
    title: str
    # Runs in the thread; polls `stopping` and may record flips.
    work: Callable[[Job[Result]], Result]
    # What its progress counts, before a search has its start and after.
    counts: tuple[str, str] = ("tests of this step", "tests of this step")
    # The seconds after which it ends by itself.
    limit: float | None = None
    # Whether the visit's tab is open.
    present: Callable[[], bool] = lambda: False
    # The page that asked for it last.
    page: str = ""
    # How many wait before it for a worker; None where it doesn't wait.
    place: int | None = None
    # How many it may use.
    threads: int = 1
    began: float = field(default_factory=time.monotonic)
    flips: Flips = field(default_factory=Flips)
    start: tuple[nx.Graph[Any], float] | None = None
    done: int = 0
    total: int = 0
    told: bool = False
    result: Result | None = None
    error: BaseException | None = None
    _stop: threading.Event = field(default_factory=threading.Event)
    _finished: threading.Event = field(default_factory=threading.Event)
    _looked: float = field(default_factory=time.monotonic)

    def launch(self) -> Job[Result]:
        """Begin in a daemon thread."""
        threading.Thread(target=self._run, name=f"bjp: {self.title}", daemon=True).start()
        return self

    def begin(self, graph: nx.Graph[Any], score: float) -> None:
        """Note where a search begins; what was counted until then is over."""
        self.flips.start_score = score
        self.start, self.told = (graph, score), False

    def progress(self, done: int, total: int) -> None:
        """Note how far the present batch is."""
        self.done, self.total, self.told = done, total, True

    def record(self, step: Step) -> None:
        """Note a proposal."""
        self.flips.record(step)

    def stopping(self) -> bool:
        """Whether to stop: cancelled, or nobody looks any more."""
        away = time.monotonic() - self._looked
        return (
            self._stop.is_set()
            or away > AWAY_AFTER
            or (away > ABANDONED_AFTER and not self.present())
        )

    def enter(self, threads: int) -> None:
        """A worker is free: what it may take counts from now on."""
        self.began, self.threads, self.place = time.monotonic(), threads, None

    def take(self, events: Sequence[tuple[Any, ...]]) -> None:
        """Note what a worker reports, as its `Messenger` does."""
        for name, *values in events:
            getattr(self, name)(*values)

    def cancel(self) -> None:
        """Ask the work to stop."""
        self._stop.set()

    @property
    def cancelled(self) -> bool:
        """Whether it ended, or will end, without its full result."""
        return self._stop.is_set() or isinstance(self.error, Cancelled)

    @property
    def ended(self) -> bool:
        """Whether it has ended; asking is no look."""
        return self._finished.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait and say whether it has ended; who waits looks, which keeps the job alive."""
        self._looked = time.monotonic() + seconds
        return self._finished.wait(seconds)

    @property
    def seconds(self) -> float:
        """Wall-clock time since it began."""
        return time.monotonic() - self.began

    @property
    def share(self) -> float:
        """How much of it is done, as far as it reports, or of the time that it was given."""
        done = self.done / self.total if self.told and self.total else 0.0
        spent = self.seconds / self.limit if self.limit and self.place is None else 0.0
        return min(1.0, max(done, spent))

    @property
    def remaining(self) -> float | None:
        """An estimate of the seconds that the present batch still takes."""
        left = None
        ground = self.done >= self.total * 0.02 or (self.done and self.seconds >= 5)
        if self.told and self.total and ground and self.seconds >= 0.5:
            left = self.seconds / self.done * (self.total - self.done)
        if self.limit is None:
            return left
        rest = max(0.0, self.limit - self.seconds)
        return rest if left is None else min(left, rest)

    def _run(self) -> None:
        try:
            self.result = self.work(self)
        except BaseException as error:
            # Whatever it is belongs to the page that asked; a thread has nobody to raise it to.
            self.error = error
        finally:
            self._finished.set()


class Messenger:
    """The report of a task in a worker: what happens is sent in batches, for `Job.take`."""

    def __init__(self, caller: Caller, threads: int) -> None:
        self.threads, self._caller, self._lock = threads, caller, threading.Lock()
        self._events: list[tuple[Any, ...]] = []
        self._sent, self._flips = 0.0, 0

    def begin(self, graph: nx.Graph[Any], score: float) -> None:
        """Note where a search begins."""
        self._note("begin", graph, score)

    def progress(self, done: int, total: int) -> None:
        """Note how far the present batch is."""
        self._note("progress", done, total)

    def record(self, step: Step) -> None:
        """Note a proposal; refused ones, and the later steps of a long walk, are only counted."""
        self._flips += step.accepted and step.phase != "blanket"
        in_full = step.accepted and self._flips <= MOST
        self._note("record", step if in_full else replace(step, order=(), contributions=()))

    def stopping(self) -> bool:
        """Whether to stop."""
        self._send_in_time()
        return self._caller.stopping()

    def send(self) -> None:
        """Send what has happened."""
        with self._lock:
            self._sent = time.monotonic()
            self._caller(self._events)
            self._events = []

    def _note(self, name: str, *values: Any) -> None:
        with self._lock:
            # Of what is only counted, the last is enough.
            last = self._events[-1] if self._events else ("",)
            if last[0] == name and not (name == "record" and last[1].accepted):
                self._events.pop()
            self._events.append((name, *values))
        self._send_in_time()

    def _send_in_time(self) -> None:
        if time.monotonic() - self._sent > BEAT:
            self.send()


# Where a task reports how far it is, and asks whether to stop.
Report: TypeAlias = Job[Any] | Messenger


@dataclass(frozen=True, eq=False, slots=True)
class Task:
    """A piece of work that any process can do."""

    # A function of a module, so that it can be sent by its name.
    run: Callable[..., Any]
    # Its first argument where it has one, sent once to each process that needs it.
    data: Dataset | None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    # What it takes of a report: any of "progress", "n_jobs", "on_start" and "on_step".
    takes: Sequence[str] = ("progress",)

    def here(self, report: Report) -> Any:
        """Do it in this process."""
        offers = {
            "progress": Progress(report.progress, report.stopping),
            "n_jobs": report.threads,
            "on_start": report.begin,
            "on_step": report.record,
        }
        given = () if self.data is None else (self.data,)
        return self.run(*given, **self.arguments, **{name: offers[name] for name in self.takes})
