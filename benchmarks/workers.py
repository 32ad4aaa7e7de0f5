"""What a worker process costs beside a thread: to start, to send data to, and for each task."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bjp_engine import Dataset, learn
from bjp_engine.warmup import warmup
from bjp_explorer.jobs.job import Job, Task
from bjp_explorer.jobs.pool import Pool
from bjp_explorer.shell import sources

REPEATS = 15
_PATIENCE = 300.0


def timed(work: Callable[[Job[Any]], Any]) -> float:
    """Milliseconds until a job has ended."""
    began = time.perf_counter()
    job = Job("Measured", work).launch()
    assert job.wait(_PATIENCE)
    assert job.error is None, job.error
    return 1000 * (time.perf_counter() - began)


def large() -> Dataset:
    """A million rows of thirty variables."""
    return Dataset.from_codes(np.random.default_rng(0).integers(0, 3, size=(1_000_000, 30)))


def main() -> int:
    """Print the times."""
    warmup()
    pool = Pool(1)
    samples = {
        "coronary, 6 variables": sources.load("coronary").data,
        "64 variables, 1 000 rows": sources.load("net:hub-3:clique-log-weights:1000:1").data,
        "30 variables, 1 000 000 rows": large(),
    }
    for k, (name, data) in enumerate(samples.items()):
        task = Task(learn, data, takes=("progress", "on_start", "on_step"))
        _ = data.digest

        def far(job: Job[Any], task: Task = task) -> Any:
            return pool.run(task, job, "")

        first = timed(far)
        thread, worker = (
            statistics.median(timed(work) for _ in range(REPEATS)) for work in (task.here, far)
        )
        what = "with its start" if k == 0 else "with the data sent"
        print(
            f"{name}: {thread:.1f} ms in a thread, {worker:.1f} ms in a worker, "
            f"{first:.0f} ms the first time, {what}",
            flush=True,
        )
    pool.close()
    return 0
