"""Long work beside the page: a thread, its progress, and a Cancel that works at once.

A Streamlit script stops only at its own calls, so work runs in a thread that never calls
Streamlit: short work itself, long work by waiting for a worker process (`pool`). The page looks at
the job a few times a second. A job that nobody looks at any more stops by itself: soon where the
tab is closed, after some minutes where it is open (its browser may let it sleep).
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import networkx as nx

from bjp_engine import Progress
from bjp_engine.errors import Cancelled
from bjp_engine.search import Step
from bjp_explorer.jobs.flips import Flips

Result = TypeVar("Result")

# Seconds after the last look: of a tab that is closed, and of one that is open.
ABANDONED_AFTER, AWAY_AFTER = 20.0, 600.0


class Report(ABC):
    """Where a task reports how far it is, and asks whether to stop."""

    # How many threads it may use.
    threads: int

    @abstractmethod
    def begin(self, graph: nx.Graph[Any], score: float) -> None:
        """Note where a search begins; what was counted until then is over."""

    @abstractmethod
    def progress(self, done: int, total: int) -> None:
        """Note how far the present batch is."""

    @abstractmethod
    def record(self, step: Step) -> None:
        """Note a proposal."""

    @abstractmethod
    def stopping(self) -> bool:
        """Whether to stop."""

    @property
    def watched(self) -> Progress:
        """The same for a function of the engine."""
        return Progress(self.progress, self.stopping)


@dataclass
class News:
    """What has happened to a task in a worker since its last news."""

    # Where a search begins, and how far the present batch is.
    start: tuple[nx.Graph[Any], float] | None = None
    told: tuple[int, int] | None = None
    # Accepted proposals, and how many were made in all.
    steps: list[Step] = field(default_factory=list)
    tried: int = 0


@dataclass
class Job(Report, Generic[Result]):
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
        self.flips.start_score = score
        self.start, self.told = (graph, score), False

    def progress(self, done: int, total: int) -> None:
        self.done, self.total, self.told = done, total, True

    def record(self, step: Step) -> None:
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

    def take(self, news: News) -> None:
        """Note what a worker reports."""
        if news.start is not None:
            self.begin(*news.start)
        if news.told is not None:
            self.progress(*news.told)
        for step in news.steps:
            self.record(step)
        self.flips.tried = news.tried

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
