"""A worker process: does one task after another, and tells of it in batches over its pipe.

The main thread works. Another one reads what the server sends: tasks, datasets, a cancel; several
times a second it tells what has happened. Once the server's end of the pipe is closed, however
that came about, the process ends at once, be it in a compiled loop.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

import networkx as nx

from bjp_engine import Dataset
from bjp_engine.warmup import warmup
from bjp_explorer.jobs import wire
from bjp_explorer.jobs.flips import Flips, Part

# Seconds between two batches of news.
BEAT = 0.1
# So that the server's threads, which answer clicks, go first where cores are short.
NICENESS = 10
_STATM = "/proc/self/statm"


class Reporter:
    """The end of a report that works, until its news is fetched."""

    def __init__(self, threads: int) -> None:
        """Nothing has happened yet."""
        self.flips, self.threads = Flips(), threads
        self._lock, self._stop = threading.Lock(), threading.Event()
        self._start: tuple[nx.Graph[Any], float] | None = None
        self._told: tuple[int, int] | None = None
        self._sent = Part()

    def begin(self, graph: nx.Graph[Any], score: float) -> None:
        """Note where a search begins; what was counted until then is over."""
        with self._lock:
            self._start, self._told = (graph, score), None

    def progress(self, done: int, total: int) -> None:
        """Note how far the present batch is."""
        with self._lock:
            self._told = (done, total)

    def stopping(self) -> bool:
        """Whether the server has asked to stop."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Let the task stop when it next asks."""
        self._stop.set()

    def news(self) -> tuple[Any, ...]:
        """What has happened since it was asked last: start, progress and flips.

        As `Job.take` takes them.
        """
        with self._lock:
            start, told = self._start, self._told
            self._start = self._told = None
        part = self.flips.since(self._sent)
        self._sent = part
        return start, told, part


class Worker:
    """The process's own end of the pipe."""

    def __init__(self, pipe: Connection) -> None:
        """Nothing to do yet."""
        self._pipe, self._sending = pipe, threading.Lock()
        self._data: dict[str, Dataset] = {}
        self._tasks: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
        # The number of the current task, and where it reports.
        self._present: tuple[int, Reporter] | None = None

    def serve(self) -> None:
        """Work until the server is gone."""
        threading.Thread(target=self._listen, daemon=True).start()
        with self._sending:
            self._pipe.send_bytes(wire.packed(("ready", memory())))
        while True:
            self._work(*self._tasks.get())

    def _work(self, run: Any, data: Dataset, arguments: dict[str, Any], report: Reporter) -> None:
        """Do a task; its result or what went wrong is the last that is told of it."""
        try:
            last = wire.packed(("done", run(report, data, **arguments), memory()))
        except BaseException as error:
            # Whatever it is belongs to the page that asked.
            last = _failure(error)
        with self._sending:
            self._present = None
            self._pipe.send_bytes(wire.packed(("news", *report.news())))
            self._pipe.send_bytes(last)

    def _listen(self) -> None:
        """The thread that reads; it ends the process with the pipe."""
        try:
            while True:
                if self._pipe.poll(BEAT if self._present else None):
                    self._heed(*wire.receive(self._pipe))
                else:
                    self._tell()
        except (EOFError, OSError):
            # What the main thread does, perhaps in compiled code, has nobody to go to.
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)

    def _tell(self) -> None:
        """Send what has happened; nothing of a task that has just told its last."""
        with self._sending:
            if self._present is not None:
                self._pipe.send_bytes(wire.packed(("news", *self._present[1].news())))

    def _heed(self, kind: str, *message: Any) -> None:
        """Do what the server asks."""
        if kind == "task":
            number, run, digest, arguments, threads = message
            report = Reporter(threads)
            self._present = (number, report)
            self._tasks.put((run, self._data[digest], arguments, report))
        elif kind == "data":
            self._data[message[0]] = wire.receive_data(self._pipe)
        elif kind == "forget":
            self._data.pop(message[0], None)
        elif kind == "cancel":
            present = self._present
            if present is not None and present[0] == message[0]:
                present[1].stop()


def _failure(error: BaseException) -> bytes:
    """An error with its trace as text; one that can't be sent is told in words."""
    trace = "".join(traceback.format_exception(error))
    with suppress(Exception):
        return wire.packed(("failed", error, memory(), trace))
    told = RuntimeError(f"{type(error).__name__}: {error}")
    return wire.packed(("failed", told, memory(), trace))


def memory() -> int:
    """How many bytes of memory this process holds. 0 where the system doesn't tell."""
    try:
        with open(_STATM, encoding="ascii") as file:  # noqa: PTH123 - no file, and read often
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0


def main(pipe: Connection, kernels: bool = True) -> None:
    """Run a worker until the server is gone."""
    from threadpoolctl import threadpool_limits

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threadpool_limits(1)
    if kernels:
        warmup()
    if sys.platform != "win32":
        os.nice(NICENESS)
    with suppress(OSError):
        Worker(pipe).serve()
