"""Experiments that run beside the pages: one for each description, shared by all visits.

The engine's runner waits in a thread and its processes work. A visit that asks for a run that
another has begun joins it; it ends once every visit has cancelled it or is gone. One runs at a
time, because each takes all cores, or as many as the server was given.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st

from bjp_engine import Progress
from bjp_engine.errors import Cancelled
from bjp_engine.experiments import Experiment, Pace, Results, run
from bjp_explorer.jobs import presence
from bjp_explorer.jobs.job import Job
from bjp_explorer.jobs.pool import WORKERS, workers
from bjp_explorer.reproduce.files import tidy

# Seconds between two looks whether another run has ended.
PATIENCE = 0.2
# Seconds that a run has to close its file when the server ends.
CLOSING = 10.0


@dataclass(eq=False)
class Run:
    """One experiment under way."""

    experiment: Experiment
    # Its results file.
    path: Path
    # The thread that waits for it.
    job: Job[Results]
    # Who wants it.
    visits: set[str] = field(default_factory=set)
    # How far it is.
    pace: Pace = field(default_factory=Pace)


class Desk:
    """The runs of a server.

    While a visit's browser is `connected`, its runs go on, also where the page isn't looked at;
    without it they end a minute after the last look. No run keeps a server that is `closing`
    waiting.
    """

    def __init__(
        self,
        connected: Callable[[str], bool],
        closing: Callable[[], bool],
        workers: int | None = None,
    ) -> None:
        """Start empty."""
        self._connected, self._closing, self._workers = connected, closing, workers
        self._lock, self._turn = threading.Lock(), threading.Lock()
        self._runs: dict[Path, Run] = {}

    def start(self, experiment: Experiment, path: Path, visit: str) -> Run:
        """Begin a run, or join it."""
        with self._lock:
            for other in [key for key, each in self._runs.items() if each.job.ended]:
                del self._runs[other]
            found = self._runs.get(path)
            if found is None or found.job.stopping():
                found = self._begun(experiment, path)
            found.visits.add(visit)
            return found

    def running(self, path: Path, visit: str) -> Run | None:
        """A visit's run, until it is cancelled or its end was told."""
        with self._lock:
            found = self._runs.get(path)
            return found if found is not None and visit in found.visits else None

    def leave(self, path: Path, visit: str) -> None:
        """Want a run no more; it stops where nobody else wants it."""
        with self._lock:
            found = self._runs.get(path)
            if found is None:
                return
            found.visits.discard(visit)
            if not any(self._connected(other) for other in found.visits):
                found.job.cancel()

    def close(self) -> None:
        """End all runs, and wait a moment for each to close its file; for when the server ends."""
        with self._lock:
            runs = list(self._runs.values())
        for one in runs:
            one.job.cancel()
        for one in runs:
            one.job.wait(CLOSING)

    def _begun(self, experiment: Experiment, path: Path) -> Run:
        """A new run in its thread."""
        begun: Run

        def work(job: Job[Results]) -> Results:
            def stopping() -> bool:
                # A look, so that the job isn't taken for abandoned.
                if any(self._connected(visit) for visit in tuple(begun.visits)):
                    job.wait(0)
                return self._closing() or job.stopping()

            self._await_turn(stopping)
            try:
                tidy(path)
                progress = Progress(begun.pace.report, stopping)
                return run(experiment, path, workers=self._workers, progress=progress)
            finally:
                self._turn.release()

        begun = Run(experiment, path, Job(experiment.name, work))
        self._runs[path] = begun
        begun.job.launch()
        return begun

    def _await_turn(self, stopping: Callable[[], bool]) -> None:
        """Wait until no other experiment runs."""
        while not self._turn.acquire(timeout=PATIENCE):
            if stopping():
                raise Cancelled("The run was cancelled before its turn came.")


@st.cache_resource(show_spinner=False)
def desk() -> Desk:
    """The experiments that run on this server."""
    asked = os.environ.get(WORKERS)
    return Desk(presence.connected, presence.closing, workers(asked) if asked else None)
