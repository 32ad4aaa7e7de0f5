"""Long work beside the page: a thread, its progress, and a Cancel that works at once.

A Streamlit script stops only at its own calls, so a search runs in a thread that never calls
Streamlit. The page looks at the job a few times a second; a job that nobody has looked at for
a minute (a closed tab) stops by itself.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import networkx as nx

from bjp_engine import Cancelled, SearchTrace, Step, Watch

Result = TypeVar("Result")

ABANDONED_AFTER = 60.0


@dataclass
class Job(Generic[Result]):
    """One piece of work in a thread.

    Parameters
    ----------
    title : str
        What it does, for the progress bar.
    work : callable(Job) -> Result
        Runs in the thread; polls `watch` and may `record` steps.
    """

    title: str
    work: Callable[[Job[Result]], Result]
    began: float = field(default_factory=time.monotonic)
    steps: list[Step] = field(default_factory=list)
    start: tuple[nx.Graph[Any], float] | None = None
    done: int = 0
    total: int = 0
    result: Result | None = None
    error: BaseException | None = None
    _stop: threading.Event = field(default_factory=threading.Event)
    _finished: threading.Event = field(default_factory=threading.Event)
    _looked: float = field(default_factory=time.monotonic)

    def launch(self) -> Job[Result]:
        """Begin in a daemon thread."""
        threading.Thread(target=self._run, name=f"bjp: {self.title}", daemon=True).start()
        return self

    @property
    def watch(self) -> Watch:
        """What the engine reports to and asks."""
        return Watch(self.progress, self.stopping)

    def progress(self, done: int, total: int) -> None:
        """Note how far the present batch is."""
        self.done, self.total = done, total

    def stopping(self) -> bool:
        """Whether to stop: cancelled, or nobody looks any more."""
        return self._stop.is_set() or time.monotonic() - self._looked > ABANDONED_AFTER

    def cancel(self) -> None:
        """Ask the work to stop."""
        self._stop.set()

    @property
    def cancelled(self) -> bool:
        """Whether it ended, or will end, without its full result."""
        return self._stop.is_set() or isinstance(self.error, Cancelled)

    def wait(self, seconds: float) -> bool:
        """Wait a moment for the end; a look that keeps the job alive.

        Parameters
        ----------
        seconds : float

        Returns
        -------
        bool
            Whether it has ended.
        """
        self._looked = time.monotonic()
        return self._finished.wait(seconds)

    @property
    def seconds(self) -> float:
        """Wall-clock time since it began."""
        return time.monotonic() - self.began

    @property
    def remaining(self) -> float | None:
        """An estimate of the seconds that the present batch still takes."""
        if not self.total or self.done < self.total * 0.02 or self.seconds < 0.5:
            return None
        return self.seconds / self.done * (self.total - self.done)

    def _run(self) -> None:
        """The thread: keep the result, or what went wrong."""
        try:
            self.result = self.work(self)
        except BaseException as error:
            # Whatever it is belongs to the page that asked; a thread has nobody to raise it to.
            self.error = error
        finally:
            self._finished.set()


def search_work(
    run: Callable[..., SearchTrace],
) -> Callable[[Job[SearchTrace]], SearchTrace]:
    """Work that runs a search and records its steps as they happen.

    Parameters
    ----------
    run : callable(on_start=, on_step=, on_progress=, cancelled=) -> SearchTrace
        `bjp_engine.learn` with everything else filled in.

    Returns
    -------
    callable(Job) -> SearchTrace
    """

    def work(job: Job[SearchTrace]) -> SearchTrace:
        def began(graph: nx.Graph[Any], score: float) -> None:
            job.start = (graph, score)

        return run(
            on_start=began,
            on_step=job.steps.append,
            on_progress=job.progress,
            cancelled=job.stopping,
        )

    return work
