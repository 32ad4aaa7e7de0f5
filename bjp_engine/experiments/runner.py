"""Running an experiment: one job a dataset, in processes of this machine or on a Dask cluster.

A job's seeds come from its place in the design alone, so neither the order nor the number of
workers, nor what else is run, changes a row. All scores see the same data, and smaller N are the
first rows of the same sample: differences between scores and between sizes are paired.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, wait
from contextlib import contextmanager, nullcontext
from functools import cache
from importlib import metadata
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bjp_engine import networks, sampling
from bjp_engine.cluster import connect
from bjp_engine.counts import table_of
from bjp_engine.dataset import Dataset
from bjp_engine.experiments.description import Experiment, check_experiment
from bjp_engine.experiments.results import Results, Row, begin, part, read_results, write_part
from bjp_engine.metrics import confusion
from bjp_engine.processes import Caller, interpreters
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.search import learn
from bjp_engine.search.many import cores
from bjp_engine.validate import file_path, instance, whole_number

# Seconds between two questions whether to stop.
PATIENCE = 0.2


def run(
    experiment: Experiment,
    path: str | Path,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress = UNWATCHED,
) -> Results:
    """Compute the rows of an experiment that a folder of results still lacks.

    Parameters
    ----------
    path : str or Path
        A folder, which may hold other experiments too.
    executor : concurrent.futures.Executor, optional
        Where the jobs run instead, such as that of `cluster`.
    progress : Progress
        `report` is called with rows done and rows in total, at the beginning and after each job.

    Returns
    -------
    Results
        All rows of this experiment; they depend on it alone, but for `seconds`.

    Examples
    --------
    >>> from bjp_engine.experiments import run
    >>> from bjp_engine.experiments import find_table, resize
    >>> small = resize(find_table("table-4"), networks=["karate"], samples=1)
    >>> results = run(small, "results")  # doctest: +SKIP
    """
    check_progress(progress)
    check_experiment(experiment)
    if executor is not None:
        instance(executor, "executor", Executor, "a concurrent.futures.Executor")
    folder = file_path(path)
    home = begin(folder, experiment)
    left = [job for job in jobs(experiment) if not part(home, *job[1:]).is_file()]
    each = len(experiment.rows) * len(experiment.scores)
    count = experiment.size - each * len(left)
    progress.tick(count, experiment.size)
    many = cores() if workers is None else whole_number(workers, "workers", 1)
    here: Any = interpreters(many) if executor is None else nullcontext(executor.submit)
    alone = (_call_alone,) if executor is None else ()
    with here as submit:
        pending = {submit(*alone, run_job, job): job for job in left}
        while pending:
            progress.tick()
            for future in wait(pending, PATIENCE, FIRST_COMPLETED).done:
                progress.tick()
                write_part(part(home, *pending.pop(future)[1:]), experiment, future.result())
                count += each
                progress.tick(count, experiment.size)
    return read_results(folder).where(experiment=experiment.name)


# --- Jobs -----------------------------------------------------------------------------------------


class Job(NamedTuple):
    """One dataset, from which all its cells are learned."""

    experiment: Experiment
    network: str
    distribution: int
    sample: int


def jobs(experiment: Experiment) -> Iterator[Job]:
    """The jobs, repeat by repeat, so that all means become precise at the same pace."""
    order = sorted(experiment.networks, key=lambda name: -len(networks.load(name)))
    repeats = product(range(experiment.samples), range(experiment.distributions))
    for (sample, distribution), network in product(repeats, order):
        yield Job(experiment, network, distribution, sample)


def run_job(job: Job) -> list[Row]:
    """Sample once, and learn all cells."""
    truth, seed = networks.load(job.network), derive_seed(*job)
    version = metadata.version("bjp-explorer")
    longest = dataset(*job, max(job.experiment.rows))
    made = []
    for rows in sorted(job.experiment.rows):
        data = longest.take(np.arange(rows))
        # All scores share it, so none of them is charged for it.
        table_of(data)
        for learner in job.experiment.scores:
            _load(*learner)
            trace = learn(data, *learner)
            wrong = confusion(truth, trace.graph)
            cell = (job.network, rows, job.distribution, job.sample, *learner)
            found = (wrong.hamming, wrong.fp, wrong.fn, trace.score, trace.seconds)
            made.append(Row(*cell, *found, trace.tests, len(trace.steps), seed, version))
    return made


def dataset(
    experiment: Experiment, network: str, distribution: int, sample: int, rows: int
) -> Dataset:
    """The data that a row of results was learned from.

    Examples
    --------
    >>> from bjp_engine.experiments import dataset
    >>> from bjp_engine.experiments import find_table
    >>> dataset(find_table("table-4"), "karate", 0, 0, 250).codes.shape
    (250, 34)
    """
    check_experiment(experiment)
    place = whole_number(distribution, "distribution"), whole_number(sample, "sample")
    truth, seed = networks.load(network), derive_seed(experiment, network, place[0])
    model = sampling.random_model(truth, experiment.weights, seed, epsilon=experiment.epsilon)
    seed = derive_seed(experiment, network, *place)
    chain = {"burn_in": experiment.burn_in, "sweeps": experiment.sweeps}
    # The paper's chains are taken as they are, whether they agree or not.
    with warnings.catch_warnings(action="ignore"):
        return model.sample(rows, seed, experiment.sampler, **chain)


def derive_seed(experiment: Experiment, network: str, *place: int) -> int:
    """The seed of a distribution, or of a sample; a checksum stands for the network's name."""
    key = (zlib.crc32(network.encode()), *place)
    (state,) = np.random.SeedSequence(experiment.seed, spawn_key=key).generate_state(1, np.uint64)
    # So that a signed column holds it.
    return int(state) >> 1


@cache
def _load(score: str, search: str) -> None:
    """Load compiled code, once a process, so that no search is charged for it."""
    learn(Dataset.from_codes(np.indices((2, 2, 2)).reshape(3, -1).T), score, search)


# --- Workers --------------------------------------------------------------------------------------


def _call_alone(_: Caller, function: Callable[..., Any], *arguments: Any) -> Any:
    """A call with one numerical thread, since others do the same on the other cores."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return function(*arguments)


@contextmanager
def cluster(scheduler: str) -> Iterator[Executor]:
    """The workers of a Dask cluster that is already running, by its address.

    Examples
    --------
    >>> from bjp_engine.experiments import cluster, find_table, run
    >>> with cluster("tcp://host:8786") as executor:  # doctest: +SKIP
    ...     results = run(find_table("table-4"), "results", executor=executor)
    """
    with connect(scheduler) as client:
        # The same job twice is two jobs, and none of them a function of its name.
        executor = client.get_executor(pure=False)
        try:
            yield executor
        finally:
            executor.shutdown(wait=False)
