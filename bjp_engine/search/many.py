"""Many searches, each on a dataset of its own: bootstrap resamples, repetitions of an experiment.

They run in threads: the kernels release the interpreter's lock, and nothing has to be copied. On a
cluster a thread sends its dataset to a worker, and waits.
Datasets are taken from their iterable as threads become free, so a generator of them never has
more than a few in memory.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from itertools import islice
from typing import TypeVar, Unpack

from bjp_engine.cluster import Client, check_client, run_there, workers_of
from bjp_engine.dataset import DataLike, Dataset
from bjp_engine.errors import Cancelled, DataError, GraphError, OptionError, value_text
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.scores.base import Score
from bjp_engine.search.driver import LearnOptions, Search
from bjp_engine.search.trace import SearchTrace, StopReason
from bjp_engine.validate import is_pandas

# Seconds between two questions whether to stop, while threads are at work.
_PATIENCE = 0.05

Given = TypeVar("Given")
Made = TypeVar("Made")


def learn_all(
    datasets: Iterable[DataLike],
    method: str | Score = "bjp",
    search: str | Search | None = None,
    *,
    n_jobs: int = -1,
    client: Client | None = None,
    progress: Progress = UNWATCHED,
    **options: Unpack[LearnOptions],
) -> Generator[SearchTrace, None, None]:
    """Learn a structure from each of several datasets: trace by trace, in their order.

    The traces are the same for any `n_jobs` and with any cluster. To `close` the generator ends the
    searches that are still running.

    Parameters
    ----------
    datasets : iterable of Dataset, DataFrame or array
        Taken one by one, in the thread that asks for traces: of a generator of resamples only one
        for each thread and one or two that come next are in memory.
    n_jobs : int
        How many threads, 1 or more, and never more than this process may use processor cores;
        -1 for all of these. Searches that take less than some milliseconds they only delay.
    client : distributed.Client, optional
        Of a Dask cluster on which the searches run, as many at a time as it has threads. Those
        of shards (`read_sharded`) run here, since their rows are counted on a cluster anyway.
    progress : Progress
        Its `cancelled` is asked often; once True, everything ends. Nothing is reported.

    Examples
    --------
    >>> from bjp_engine import Dataset
    >>> from bjp_engine.search import learn_all
    >>> data = Dataset.from_codes([[0, 0], [1, 1], [0, 1]] * 20)
    >>> halves = data.take(range(30)), data.take(range(30, 60))
    >>> [trace.graph.has_edge(0, 1) for trace in learn_all(halves)]
    [True, True]
    """
    from bjp_engine.search import learn, searches_for

    check_progress(progress)
    threads = threads_of(n_jobs)
    alone = isinstance(datasets, Dataset) or is_pandas(datasets, "DataFrame")
    if alone or not isinstance(datasets, Iterable):
        raise OptionError(
            f"datasets is of type {type(datasets).__name__}; give a list of Datasets, or another "
            "iterable of them."
        )
    searches_for(method)
    if client is not None:
        check_client(client)

    def learn_one(position: int, data: DataLike, stop: Callable[[], bool] | None) -> SearchTrace:
        """One trace; an error says which dataset it is about."""
        watched = Progress(cancelled=stop).quiet
        try:
            if client is None or (isinstance(data, Dataset) and not data.is_here):
                trace = learn(data, method, search, progress=watched, **options)
            else:
                there = partial(learn, method=method, search=search, **options)
                trace = run_there(client, there, data, watched)
        except (DataError, GraphError) as error:
            raise type(error)(f"datasets[{position}]: {error}") from error
        if trace.stop_reason is StopReason.CANCELLED:
            raise Cancelled("The computation was cancelled.")
        return trace

    if client is not None:
        threads = sum(workers_of(client).values())
    elif threads == 1:
        return (learn_one(k, data, progress.cancelled) for k, data in enumerate(datasets))
    return in_threads(learn_one, datasets, threads, progress.cancelled)


def threads_of(n_jobs: object) -> int:
    """How many threads are asked for, as far as there are cores for them; -1 for all."""
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or (n_jobs < 1 and n_jobs != -1):
        raise OptionError(
            f"n_jobs={value_text(n_jobs)} must be a whole number, 1 or more, or -1 for every core."
        )
    return cores() if n_jobs == -1 else min(n_jobs, cores())


def cores() -> int:
    """How many processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_threads(
    work: Callable[[int, Given, Callable[[], bool] | None], Made],
    items: Iterable[Given],
    threads: int,
    cancelled: Callable[[], bool] | None,
) -> Generator[Made, None, None]:
    """Each result in order, made by several threads that are kept busy."""
    stop, coming = threading.Event(), enumerate(items)
    asked = None if cancelled is None else stop.is_set
    pending: deque[Future[Made]] = deque()
    pool = ThreadPoolExecutor(threads, "learn")
    try:
        while True:
            # One item waits, so that no thread does.
            for number, item in islice(coming, threads + 1 - len(pending)):
                pending.append(pool.submit(work, number, item, asked))
            if not pending:
                return
            if cancelled is not None and cancelled():
                raise Cancelled("The computation was cancelled.")
            wait([pending[0]], None if cancelled is None else _PATIENCE)
            if pending[0].done():
                yield pending.popleft().result()
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)
