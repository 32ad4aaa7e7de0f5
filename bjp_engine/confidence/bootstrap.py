"""Bootstrap frequency: how often a pair is an edge of what is learned from resampled rows.

Resample k draws N of the N rows with replacement, with `numpy.random.default_rng([seed, k])`, and
the same search learns from it. A resample holds about 0.63 N different rows, each as often as it
was drawn; to a score the repetitions are evidence like any other, so where a search goes on to a
maximum it may find more edges in resamples than in the data (Steck & Jaakkola 2003).

References
----------
Friedman, Goldszmidt & Wyner (1999), Data analysis with Bayesian networks: a bootstrap approach.
Steck & Jaakkola (2003), Bias-corrected bootstrap and model uncertainty.
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import fields
from typing import Any

import numpy as np

from bjp_engine.arrays import Floats, Ints
from bjp_engine.cluster import Client, check_client
from bjp_engine.confidence.edges import EdgeConfidence
from bjp_engine.dataset import DataLike, Dataset, as_dataset
from bjp_engine.errors import Cancelled, DataError
from bjp_engine.graph import to_adjacency
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import FrozenMapping
from bjp_engine.scores import Score, find_score
from bjp_engine.scores.known import freeze_known
from bjp_engine.search import find_search
from bjp_engine.search.many import learn_each
from bjp_engine.validate import Seed, whole_number, whole_seed


def bootstrap(
    data: DataLike,
    method: str | Score = "bjp",
    search: str | None = None,
    *,
    resamples: int = 200,
    seed: Seed = 0,
    client: Client | None = None,
    progress: Progress = UNWATCHED,
    **options: Any,
) -> EdgeConfidence:
    """How often each pair is an edge of the graphs learned from resampled rows.

    Parameters
    ----------
    client : distributed.Client, optional
        Of a Dask cluster on which the searches run, see `learn_all`.
    progress : Progress
        Gets the number of resamples that were learned from; once it is cancelled, the frequencies
        in these are returned.
    **options
        The score's, the search's and the prior's and what is `known` of pairs, see `learn`; and
        `n_jobs`, how many threads, see `learn_all`.

    Returns
    -------
    EdgeConfidence
        Of kind "bootstrap", the same for any `n_jobs` and with any cluster. The error
        is the standard deviation of the frequency's Beta posterior under Jeffreys's prior, so only
        required or forbidden pairs have the error 0. If it was cancelled, `made` says how
        many resamples count.

    Examples
    --------
    >>> from bjp_engine import Dataset
    >>> from bjp_engine.confidence import bootstrap
    >>> data = Dataset.from_codes([[0, 0], [1, 1], [0, 1]] * 20)
    >>> frequency = bootstrap(data, resamples=50)
    >>> frequency.of(0, 1).confidence, frequency.made, frequency.complete
    (1.0, 50, True)
    """
    check_progress(progress)
    data = as_dataset(data).drop_unused_states().hold(progress)
    whole_number(resamples, "resamples", 1)
    seed = whole_seed(seed)
    options = freeze_known(options)
    if not data.rows:
        raise DataError("The data has no rows to draw resamples from; give it some.")
    began, made = time.perf_counter(), 0
    counts = np.zeros((data.n, data.n), dtype=np.int64)
    chosen = find_search(search, find_score(method))
    if any(one.name == "seed" for one in fields(chosen.options_type)):
        options["seed"] = seed
    drawn = (resample(data, seed, k) for k in range(resamples))
    threads, known = options.pop("n_jobs", -1), options.get("known")
    if client is not None:
        check_client(client)
    how = {"n_jobs": threads, "client": client, "progress": progress.quiet}
    fixed = None if known is None else known.on(data.names).fixed
    running = learn_each(drawn, method, search, **how, **options)
    with closing(running) as traces:
        try:
            for trace in traces:
                counts += to_adjacency(trace.graph, data)
                made, search = made + 1, trace.search
                progress.tick(made, resamples)
        except Cancelled:
            if not made:
                raise
    error = beta_error(counts, made)
    if fixed is not None:
        error[fixed] = 0.0
    return EdgeConfidence(
        "bootstrap",
        data.names,
        counts / made,
        error,
        find_score(method).name,
        search,
        FrozenMapping(options),
        seed,
        resamples,
        made,
        seconds=time.perf_counter() - began,
    )


def resample(data: Dataset, seed: int, k: int) -> Dataset:
    """The k-th bootstrap resample of a dataset."""
    rng = np.random.default_rng([seed, k])
    return data.take(rng.integers(data.rows, size=data.rows))


def beta_error(counts: Ints, of: int) -> Floats:
    """The standard deviation of Beta(k + ½, m - k + ½) for counts k of m."""
    mean = (counts + 0.5) / (of + 1)
    error: Floats = np.sqrt(mean * (1 - mean) / (of + 2))
    np.fill_diagonal(error, 0.0)
    return error


def shuffle_columns(data: DataLike, seed: Seed = 0) -> Dataset:
    """The dataset with the rows of every column in a random order of its own.

    Each variable keeps its states and how often each occurs, and depends on no other. What a search
    finds there, it finds by chance.

    Parameters
    ----------
    seed : int
        0 or more; column i gets the i-th permutation of `numpy.random.default_rng(seed)`.

    Examples
    --------
    >>> from bjp_engine import Dataset
    >>> from bjp_engine.confidence import shuffle_columns
    >>> from bjp_engine import learn
    >>> data = Dataset.from_codes([[0, 0], [1, 1]] * 50)
    >>> [learn(each).graph.number_of_edges() for each in (data, shuffle_columns(data))]
    [1, 0]
    """
    data = as_dataset(data)
    rng = np.random.default_rng(whole_seed(seed))
    codes = np.empty_like(data.codes, order="F")
    for i in range(data.n):
        codes[:, i] = data.codes[rng.permutation(data.rows), i]
    return Dataset(codes, data.cardinalities, data.names, data.labels, data.ordered)
