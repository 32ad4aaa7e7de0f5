"""Worker processes for long work: a bounded number of them, and a queue that one can see.

A job's thread takes a ticket and waits for its turn. Who has the fewest tasks running comes first,
then who was served longest ago, then who came first; and no visit holds more than half of the
workers. Workers are started when they are needed, and kept.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol

from bjp_engine.errors import Cancelled, OptionError
from bjp_engine.search.many import cores
from bjp_explorer.jobs.flips import Part
from bjp_explorer.jobs.tasks import Report, Task
from bjp_explorer.jobs.worker_link import Link

WORKERS = "BJP_WORKERS"
MOST_WORKERS = 256
# Seconds between two questions whether somebody in the queue still wants to wait.
PATIENCE = 0.2


class Asking(Report, Protocol):
    """What the pool needs of a job."""

    place: int | None

    def enter(self, threads: int) -> None:
        """Its turn has come."""

    def take(self, start: Any, told: Any, part: Part) -> None:
        """Note what a worker tells."""


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


class Pool:
    """The worker processes of a server: `size` at most, by default as `workers` says."""

    def __init__(self, size: int | None = None, start: Callable[[], Link] = Link) -> None:
        """Start none yet."""
        self.size = workers(os.environ.get(WORKERS)) if size is None else size
        self.most_each = max(1, self.size // 2)
        self._start, self._turns, self._numbers = start, threading.Condition(), count(1)
        self._idle: list[Link] = []
        self._busy: dict[Ticket, Link | None] = {}
        self._waiting: list[Ticket] = []
        self._served: dict[str, int] = {}

    def run(self, task: Task, job: Asking, visit: str) -> Any:
        """Do a task in a worker; the calling thread waits."""
        ticket = Ticket(next(self._numbers), visit)
        link, threads = self._await_turn(ticket, task, job)
        try:
            if link is None:
                link = self._start()
                self._busy[ticket] = link
            return link.run(task, job, threads)
        finally:
            self._give_back(ticket, link)

    def close(self) -> None:
        """End all workers; what they do is lost."""
        with self._turns:
            links = [*self._idle, *filter(None, self._busy.values())]
            self._idle.clear()
        for link in links:
            link.kill()

    @property
    def processes(self) -> list[int]:
        """The ids of the workers that run something."""
        return [link.pid for link in list(self._busy.values()) if link is not None]

    def _await_turn(self, ticket: Ticket, task: Task, job: Asking) -> tuple[Link | None, int]:
        """Wait in the queue; an idle worker or none, and how many threads the task may use."""
        with self._turns:
            self._waiting.append(ticket)
            try:
                while not self._may_begin(ticket):
                    job.place = self._queue().index(ticket)
                    self._turns.wait(PATIENCE)
                    if job.stopping():
                        raise Cancelled("The computation was cancelled before its turn came.")
                link = self._take_idle(task.data.digest)
                self._busy[ticket] = link
                self._served[ticket.visit] = ticket.number
            finally:
                self._waiting.remove(ticket)
                self._turns.notify_all()
            # Cores that nobody else wants now; where others wait there are none.
            return link, 1 + (0 if self._waiting else self.size - len(self._busy))

    def _running(self) -> Counter[str]:
        """How many tasks of each visit are running."""
        return Counter(ticket.visit for ticket in self._busy)

    def _queue(self) -> list[Ticket]:
        """Who waits, the next one first."""
        running = self._running()

        def rank(ticket: Ticket) -> tuple[int, int, int]:
            return running[ticket.visit], self._served.get(ticket.visit, 0), ticket.number

        return sorted(self._waiting, key=rank)

    def _may_begin(self, ticket: Ticket) -> bool:
        """Whether a worker is free for it and for nobody before it."""
        running = self._running()
        able = (other for other in self._queue() if running[other.visit] < self.most_each)
        return len(self._busy) < self.size and next(able, None) == ticket

    def _take_idle(self, digest: str) -> Link | None:
        """A worker that waits, one that holds the data where there is one."""
        for link in [each for each in self._idle if not each.alive]:
            self._idle.remove(link)
            link.kill()
        holding = [link for link in self._idle if digest in link.held]
        able = holding or self._idle
        if not able:
            return None
        link = able[-1]
        self._idle.remove(link)
        return link

    def _give_back(self, ticket: Ticket, link: Link | None) -> None:
        """Its turn is over; a worker that has grown large is replaced when one is needed."""
        if link is not None and (link.large or not link.alive):
            link.kill()
            link = None
        with self._turns:
            del self._busy[ticket]
            if link is not None:
                self._idle.append(link)
            if not self._busy and not self._waiting:
                # Nobody is owed anything.
                self._served.clear()
            self._turns.notify_all()
