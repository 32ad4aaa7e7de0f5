"""Worker processes for long work: a bounded number of them, and a queue that one can see.

A job's thread takes a ticket and waits for its turn. Who has the fewest tasks running comes first,
then who was served longest ago, then who came first; and no visit holds more than half of the
workers. Workers are started when they are needed, and kept with the datasets used last.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import networkx as nx

from bjp_engine import Dataset
from bjp_engine.errors import Cancelled, OptionError
from bjp_engine.processes import Caller, Interpreter
from bjp_engine.search import Step
from bjp_engine.search.many import cores
from bjp_engine.warmup import warmup
from bjp_explorer.jobs.flips import MOST
from bjp_explorer.jobs.job import Job, News, Report
from bjp_explorer.jobs.tasks import Task

WORKERS = "BJP_WORKERS"
MOST_WORKERS = 256
# Seconds between two questions whether somebody in the queue still wants to wait, between two
# batches of news, and that a task is given to end when it was cancelled.
PATIENCE, BEAT, GRACE = 0.2, 0.1, 2.0
# A worker that holds so many bytes after a task is replaced.
LARGE = 1 << 30
# So that the server's threads, which answer clicks, go first where cores are short.
NICENESS = 10


@dataclass(frozen=True, slots=True)
class Ticket:
    """A place in the queue."""

    # Ascending as they come.
    number: int
    visit: str


def workers(asked: str | None = None) -> int:
    """How many worker processes a server may run.

    By default all cores but one, which is left to the server; 1 at least.
    """
    if not asked:
        return max(1, cores() - 1)
    if not (asked.isascii() and asked.isdigit() and 1 <= int(asked) <= MOST_WORKERS):
        raise OptionError(
            f"The environment variable {WORKERS} must be a whole number from 1 to {MOST_WORKERS}."
        )
    return int(asked)


def prepare(_: Caller) -> None:
    """Make a new worker ready: all kernels loaded, one numerical thread, a lower priority."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
    warmup()
    if sys.platform != "win32":
        os.nice(NICENESS)


class Pool:
    """The worker processes of a server: `size` at most, by default as `workers` says."""

    def __init__(
        self,
        size: int | None = None,
        start: Callable[[], Interpreter] = Interpreter,
        prepare: Callable[[Caller], None] = prepare,
    ) -> None:
        self.size = workers(os.environ.get(WORKERS)) if size is None else size
        self.most_each = max(1, self.size // 2)
        self._start, self._prepare = start, prepare
        self._turns, self._numbers = threading.Condition(), count(1)
        self._idle: list[Interpreter] = []
        self._busy: dict[Ticket, Interpreter | None] = {}
        self._waiting: list[Ticket] = []
        self._served: dict[str, int] = {}

    def run(self, task: Task, job: Job[Any], visit: str) -> Any:
        """Do a task in a worker; the calling thread waits."""
        ticket = Ticket(next(self._numbers), visit)
        worker, threads = self._await_turn(ticket, task, job)
        try:
            if worker is None:
                worker = self._busy[ticket] = self._start()
                worker.run(self._prepare, look=_give_up(worker, job, 0.0))
            job.enter(threads)
            return worker.run(
                _work,
                task.run,
                task.arguments,
                threads,
                look=_give_up(worker, job, GRACE),
                receive=job.take,
                keep=(task.data.digest, task.data),
            )
        finally:
            self._give_back(ticket, worker)

    def close(self) -> None:
        """End all workers; what they do is lost."""
        with self._turns:
            workers = [*self._idle, *filter(None, self._busy.values())]
            self._idle.clear()
        for worker in workers:
            worker.kill()

    @property
    def processes(self) -> list[int]:
        """The ids of the workers that run something."""
        return [worker.pid for worker in list(self._busy.values()) if worker is not None]

    def _await_turn(
        self, ticket: Ticket, task: Task, job: Job[Any]
    ) -> tuple[Interpreter | None, int]:
        """Wait in the queue; an idle worker or none, and how many threads the task may use."""
        with self._turns:
            self._waiting.append(ticket)
            try:
                while not self._may_begin(ticket):
                    job.place = self._queue().index(ticket)
                    self._turns.wait(PATIENCE)
                    if job.stopping():
                        raise Cancelled("The computation was cancelled before its turn came.")
                worker = self._take_idle(task.data.digest)
                self._busy[ticket] = worker
                self._served[ticket.visit] = ticket.number
            finally:
                self._waiting.remove(ticket)
                self._turns.notify_all()
            # Cores that nobody else wants now; where others wait there are none.
            return worker, 1 + (0 if self._waiting else self.size - len(self._busy))

    def _running(self) -> Counter[str]:
        return Counter(ticket.visit for ticket in self._busy)

    def _queue(self) -> list[Ticket]:
        running = self._running()

        def rank(ticket: Ticket) -> tuple[int, int, int]:
            return running[ticket.visit], self._served.get(ticket.visit, 0), ticket.number

        return sorted(self._waiting, key=rank)

    def _may_begin(self, ticket: Ticket) -> bool:
        running = self._running()
        able = (other for other in self._queue() if running[other.visit] < self.most_each)
        return len(self._busy) < self.size and next(able, None) == ticket

    def _take_idle(self, digest: str) -> Interpreter | None:
        """A worker that waits, one that holds the data where there is one."""
        for worker in [each for each in self._idle if not each.alive]:
            self._idle.remove(worker)
            worker.kill()
        if not self._idle:
            return None
        worker = max(self._idle, key=lambda each: each.keeps(digest))
        self._idle.remove(worker)
        return worker

    def _give_back(self, ticket: Ticket, worker: Interpreter | None) -> None:
        """Its turn is over; a worker that has grown large is replaced when one is needed."""
        if worker is not None and (worker.memory > LARGE or not worker.alive):
            worker.kill()
            worker = None
        with self._turns:
            del self._busy[ticket]
            if worker is not None:
                self._idle.append(worker)
            if not self._busy and not self._waiting:
                # Nobody is owed anything.
                self._served.clear()
            self._turns.notify_all()


def _give_up(worker: Interpreter, job: Job[Any], grace: float) -> Callable[[], None]:
    """What looks whether a job is cancelled: its worker is asked to stop, then ended."""
    asked: float | None = None

    def look() -> None:
        nonlocal asked
        if asked is None and job.stopping():
            worker.stop()
            asked = time.monotonic()
        if asked is not None and time.monotonic() - asked >= grace:
            raise Cancelled("The computation was cancelled.")

    return look


def _work(
    caller: Caller, data: Dataset, run: Callable[..., Any], arguments: dict[str, Any], threads: int
) -> Any:
    """Do a task in a worker; what it reported last arrives before its result."""
    report = Messenger(caller, threads)
    try:
        return run(report, data, **arguments)
    finally:
        report.send()


class Messenger(Report):
    """The report of a task in a worker: what happens is sent in batches, for `Job.take`."""

    def __init__(self, caller: Caller, threads: int) -> None:
        self.threads, self._caller, self._lock = threads, caller, threading.Lock()
        self._news, self._sent, self._flips = News(), 0.0, 0

    def begin(self, graph: nx.Graph[Any], score: float) -> None:
        self._note(start=(graph, score), told=None)

    def progress(self, done: int, total: int) -> None:
        self._note(told=(done, total))

    def record(self, step: Step) -> None:
        with self._lock:
            if step.accepted:
                self._flips += step.phase != "blanket"
                # Of a long walk, the later steps are only counted and drawn in frames.
                in_full = self._flips <= MOST
                brief = step if in_full else replace(step, order=(), contributions=())
                self._news.steps.append(brief)
            self._news.tried = step.evaluations

    def stopping(self) -> bool:
        self._note()
        return self._caller.stopping()

    def send(self) -> None:
        """Send what has happened."""
        with self._lock:
            self._sent = time.monotonic()
            self._caller(self._news)
            self._news = News(tried=self._news.tried)

    def _note(self, **news: Any) -> None:
        with self._lock:
            for name, value in news.items():
                setattr(self._news, name, value)
        if time.monotonic() - self._sent > BEAT:
            self.send()
