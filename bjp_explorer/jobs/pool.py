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
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple

from bjp_engine import Dataset
from bjp_engine.errors import Cancelled, OptionError
from bjp_engine.processes import Caller, Interpreter
from bjp_engine.search.many import cores
from bjp_engine.warmup import warmup
from bjp_explorer.jobs.job import Job, Messenger, Task

WORKERS = "BJP_WORKERS"
MOST_WORKERS = 256
# Seconds between two questions whether somebody in the queue still wants to wait, and that a task
# is given to end when it was cancelled.
PATIENCE, GRACE = 0.2, 2.0
# A worker that holds so many bytes after a task is replaced.
LARGE = 1 << 30
# So that the server's threads, which answer clicks, go first where cores are short.
NICENESS = 10


class Ticket(NamedTuple):
    """A place in the queue; numbers ascend as they come."""

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
            keep = None if task.data is None else (task.data.digest, task.data)
            return worker.run(
                _work,
                *([None] if keep is None else []),
                replace(task, data=None),
                threads,
                look=_give_up(worker, job, GRACE),
                receive=job.take,
                keep=keep,
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
                while not self._may_begin(ticket, job):
                    self._turns.wait(PATIENCE)
                    if job.stopping():
                        raise Cancelled("The computation was cancelled before its turn came.")
                worker = self._take_idle("" if task.data is None else task.data.digest)
                self._busy[ticket] = worker
                self._served[ticket.visit] = ticket.number
            finally:
                self._waiting.remove(ticket)
                self._turns.notify_all()
            # Cores that nobody else wants now; where others wait there are none.
            return worker, 1 + (0 if self._waiting else self.size - len(self._busy))

    def _may_begin(self, ticket: Ticket, job: Job[Any]) -> bool:
        """Whether it is a ticket's turn; its job notes how many wait before it."""
        running = Counter(each.visit for each in self._busy)

        def rank(each: Ticket) -> tuple[int, int, int]:
            return running[each.visit], self._served.get(each.visit, 0), each.number

        queue = sorted(self._waiting, key=rank)
        able = (each for each in queue if running[each.visit] < self.most_each)
        may = len(self._busy) < self.size and next(able, None) == ticket
        job.place = None if may else queue.index(ticket)
        return may

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


def _work(caller: Caller, data: Dataset | None, task: Task, threads: int) -> Any:
    """Do a task in a worker; what it reported last arrives before its result."""
    report = Messenger(caller, threads)
    try:
        return replace(task, data=data).here(report)
    finally:
        report.send()
