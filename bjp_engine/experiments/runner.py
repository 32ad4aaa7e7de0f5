"""Running an experiment: what is missing is handed to workers, rows are kept as they come."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, SimpleQueue

from bjp_engine.errors import Cancelled
from bjp_engine.experiments.description import Experiment
from bjp_engine.experiments.jobs import Job, Row, jobs, run_job
from bjp_engine.experiments.pool import processes, starting
from bjp_engine.experiments.store import Store
from bjp_engine.progress import Progress

# Seconds between two questions whether to stop.
PATIENCE = 0.2


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is.

    Parameters
    ----------
    done, total : int
        Rows.
    before : int
        Of those done, the rows that were there when this run began.
    seconds : float
        Since this run began.
    cancelled : bool
        Whether it was stopped before its end.
    """

    done: int
    total: int
    before: int
    seconds: float = 0.0
    cancelled: bool = False

    @property
    def finished(self) -> bool:
        """Whether nothing is missing."""
        return self.done >= self.total

    @property
    def rate(self) -> float:
        """Rows a second, 0 before the first one."""
        return (self.done - self.before) / self.seconds if self.seconds else 0.0

    @property
    def left(self) -> float | None:
        """Seconds until the end, if it goes on like this; None before the first row."""
        return (self.total - self.done) / self.rate if self.rate else None


def run(
    experiment: Experiment,
    path: str | Path,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    on_progress: Callable[[RunProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> RunProgress:
    """Compute what a results file still lacks of an experiment.

    The rows depend on the experiment alone: workers, interruptions and their order change
    nothing but `seconds`.
    """
    with Store(path) as store:
        store.begin(experiment)
        done = store.done(experiment)
        tally = _Tally(experiment, len(done), on_progress)
        left = list(jobs(experiment, done))
        try:
            with processes(workers) if executor is None else nullcontext(executor) as pool:
                for rows in _results(pool, left, cancelled):
                    store.add(experiment, rows)
                    tally.add(len(rows))
        except BrokenExecutor:
            raise ChildProcessError(
                "A worker was killed, perhaps for want of memory; what is finished is kept in "
                f"{path}, and the same command goes on from there."
            ) from None
        except Cancelled:
            return replace(tally.progress, cancelled=True)
    return tally.progress


class _Tally:
    """The progress of a run, told whenever it changes."""

    def __init__(
        self, experiment: Experiment, before: int, tell: Callable[[RunProgress], None] | None
    ) -> None:
        self._began = time.monotonic()
        self._tell = tell
        self.progress = RunProgress(before, experiment.size, before)
        self.add(0)

    def add(self, rows: int) -> None:
        """Count rows that are kept."""
        seconds = time.monotonic() - self._began
        self.progress = replace(self.progress, done=self.progress.done + rows, seconds=seconds)
        if self._tell is not None:
            self._tell(self.progress)


def _results(
    pool: Executor, left: Sequence[Job], cancelled: Callable[[], bool] | None
) -> Iterator[list[Row]]:
    """The rows of each job, as they are finished."""
    finished: SimpleQueue[Future[list[Row]]] = SimpleQueue()
    with starting():
        for job in left:
            pool.submit(run_job, job).add_done_callback(finished.put)
    watch = Progress(cancelled=cancelled)
    for _ in left:
        yield _next(finished, watch).result()


def _next(finished: SimpleQueue[Future[list[Row]]], watch: Progress) -> Future[list[Row]]:
    """Wait for a job, asking now and then whether to stop."""
    while True:
        watch.tick()
        try:
            return finished.get(timeout=PATIENCE)
        except Empty:
            continue
