"""The server's end of a worker process: start it, hand it a task, follow it, and end it."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from itertools import count
from multiprocessing import get_context
from typing import Any

from bjp_engine import Dataset
from bjp_engine.errors import BJPError, Cancelled
from bjp_engine.experiments.runner import detached_start
from bjp_explorer.jobs import wire, worker
from bjp_explorer.jobs.tasks import Task

# Seconds between two looks at the job, and that a task is given to end when it was cancelled.
BEAT, GRACE = 0.05, 2.0
# Datasets that a worker keeps for further tasks.
MOST_HELD = 2
# A worker that has grown by so many bytes is replaced.
LARGE = 512 << 20
_ONE_AT_A_TIME = threading.Lock()


class WorkerLostError(BJPError):
    """The process that did a task ended before it was done."""


class Link:
    """One worker process; `kernels` loads all compiled ones before its first task."""

    def __init__(self, kernels: bool = True) -> None:
        """Start it; it gets ready by itself."""
        context = get_context("spawn")
        self._pipe, other = context.Pipe()
        # A daemon: it ends with the server. It doesn't hear of Ctrl-C and imports no page.
        self._process = context.Process(target=worker.main, args=(other, kernels), daemon=True)
        with _ONE_AT_A_TIME, detached_start():
            self._process.start()
        other.close()
        # The digests of the datasets that it holds, the last one used last.
        self.held: OrderedDict[str, None] = OrderedDict()
        # `large`: whether it has grown so much that another one should take its place.
        self.large, self._ready, self._numbers = False, False, count(1)
        # Bytes of memory that it held when it was ready.
        self._least = 0
        self._ending = threading.Lock()

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid or 0

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return not self._pipe.closed and self._process.is_alive()

    def run(self, task: Task, job: Any, threads: int) -> Any:
        """Do a task, and tell the job how far it is."""
        try:
            self._await_ready(job)
            self._give(task.data)
            job.enter(threads)
            number = next(self._numbers)
            work = (number, task.run, task.data.digest, task.arguments, threads)
            self._pipe.send_bytes(wire.packed(("task", *work)))
            kind, result, held, *trace = self._follow(number, job)
        except (EOFError, OSError):
            self.kill()
            raise WorkerLostError(
                "The process that computed this ended early, perhaps because memory ran out. "
                "Nothing else is lost; run it again, or with fewer rows."
            ) from None
        self.large = held - self._least > LARGE
        if kind == "failed":
            # What that process would have printed.
            raise result from RuntimeError(f"In a worker process:\n{trace[0]}")
        return result

    def kill(self) -> None:
        """End the process at once; whoever follows it and the pool may both ask for that."""
        with self._ending:
            self._process.kill()
            self._process.join()
            self._pipe.close()

    def _await_ready(self, job: Any) -> None:
        """Wait until a new process has loaded the kernels."""
        while not self._ready:
            if self._pipe.poll(BEAT):
                _, self._least = wire.receive(self._pipe)
                self._ready = True
            elif job.stopping():
                raise Cancelled("The computation was cancelled.")

    def _give(self, data: Dataset) -> None:
        """Send a dataset, unless it is there."""
        if data.digest in self.held:
            self.held.move_to_end(data.digest)
            return
        while len(self.held) >= MOST_HELD:
            oldest, _ = self.held.popitem(last=False)
            self._pipe.send_bytes(wire.packed(("forget", oldest)))
        self._pipe.send_bytes(wire.packed(("data", data.digest)))
        wire.send_data(self._pipe, data)
        self.held[data.digest] = None

    def _follow(self, number: int, job: Any) -> tuple[Any, ...]:
        """Pass on what it tells until it has ended; the last that it tells."""
        asked: float | None = None
        while True:
            if self._pipe.poll(BEAT):
                told: tuple[Any, ...] = wire.receive(self._pipe)
                if told[0] != "news":
                    return told
                job.take(*told[1:])
            if asked is None and job.stopping():
                self._pipe.send_bytes(wire.packed(("cancel", number)))
                asked = time.monotonic()
            elif asked is not None and time.monotonic() - asked > GRACE:
                self.kill()
                raise Cancelled("The computation was cancelled.")
