"""How probable each pair is an edge: by a graph's tests, by resampled rows, and over all graphs.

docs/theory/support.md says what each is worth. Of a pair's test the confidence is the probability
of dependence. IB-score makes two tests of a pair; both are kept in `ends`, and the pair has their
mean, which treats edges and missing edges alike. Resample k draws N of the N rows with replacement,
with `numpy.random.default_rng([seed, k])`, and the same search learns from it (Friedman, Goldszmidt
& Wyner 1999).
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import fields, replace
from typing import Any

import numpy as np

from bjp_engine.cluster import Client
from bjp_engine.confidence.calibrated import edge_probabilities
from bjp_engine.confidence.edges import EdgeConfidence
from bjp_engine.dataset import DataLike, Dataset, as_dataset
from bjp_engine.errors import Cancelled, DataError, OptionError, clip, listed
from bjp_engine.graph import to_adjacency
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import FrozenMapping
from bjp_engine.scores import SCORES, AssertionScore, Score, ScoreTrace, find_score, score
from bjp_engine.scores.bjp import AssertionTerms
from bjp_engine.scores.prior import NAMES, freeze_known
from bjp_engine.search import find_search
from bjp_engine.search.auto.evidence import begun_with
from bjp_engine.search.driver import pose
from bjp_engine.search.exhaustive import score_all_graphs
from bjp_engine.search.many import learn_all
from bjp_engine.search.trace import SearchTrace
from bjp_engine.validate import Seed, instance, whole_number, whole_seed


def confidence_of_tests(trace: ScoreTrace, **options: Any) -> EdgeConfidence:
    """The posterior of dependence by the test that a score made for each pair of a graph.

    Parameters
    ----------
    trace : ScoreTrace
        The graph's score by BJP, IB-score or near blankets; MPL makes no tests.
    **options
        Those that it was scored with, to be kept.

    Examples
    --------
    >>> import bjp_engine as bjp
    >>> from bjp_engine.confidence import confidence_of_tests
    >>> trace = bjp.score([[0, 0], [0, 0], [1, 1], [1, 1]], [(0, 1)])
    >>> round(37 * confidence_of_tests(trace).of(0, 1).confidence, 9)
    30.0
    """
    instance(trace, "trace", ScoreTrace, "what `score` returns")
    if not isinstance(trace.terms, AssertionTerms):
        testing = [name for name, one in SCORES.items() if isinstance(one, AssertionScore)]
        raise OptionError(
            f"method={clip(trace.method)} makes no tests; use {listed(testing, 8)}, or another "
            "kind of confidence."
        )
    terms, names = trace.terms.columns(), tuple(trace.graph)
    ends, computed = np.zeros((2, len(names), len(names)))
    made = terms.x[terms.computed], terms.y[terms.computed]
    posterior = np.where(terms.dependent, terms.posterior, -np.expm1(terms.value))
    ends[made], computed[made] = posterior[terms.computed], 1
    tests = np.maximum(computed + computed.T, 1)
    return EdgeConfidence(
        "test",
        names,
        (ends + ends.T) / tests,
        None,
        trace.method,
        options=FrozenMapping(options),
        ends=ends,
        computed=computed > 0,
    )


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
    streams = (np.random.default_rng([seed, k]) for k in range(resamples))
    drawn = (data.take(rng.integers(data.rows, size=data.rows)) for rng in streams)
    how = {"n_jobs": options.pop("n_jobs", -1), "client": client, "progress": progress.quiet}
    running = learn_all(drawn, method, search, **how, **options)
    with closing(running) as traces:
        try:
            for trace in traces:
                counts += to_adjacency(trace.graph, data)
                made, search = made + 1, trace.search
                progress.tick(made, resamples)
        except Cancelled:
            if not made:
                raise
    # Of Beta(k + ½, m - k + ½) for k of m.
    mean = (counts + 0.5) / (made + 1)
    error = np.sqrt(mean * (1 - mean) / (made + 2)) * ~np.eye(data.n, dtype=np.bool_)
    known = options.get("known")
    fixed = None if known is None else known.on(data.names).fixed
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


def posterior_edges(
    data: DataLike, method: str | Score = "bjp", *, progress: Progress = UNWATCHED, **options: Any
) -> EdgeConfidence:
    """The posterior probability of each edge, over all graphs on up to seven variables.

    Examples
    --------
    >>> from bjp_engine.confidence import posterior_edges
    >>> data = [[0, 0], [0, 0], [1, 1], [1, 1]]
    >>> round(37 * posterior_edges(data).of(0, 1).confidence, 9)
    30.0
    """
    began = time.perf_counter()
    check_progress(progress)
    given = freeze_known(options)
    problem = pose(as_dataset(data).drop_unused_states(), method, given, progress.quiet)
    found = score_all_graphs(replace(problem, progress=progress)).edge_probabilities
    return EdgeConfidence(
        "exact",
        problem.data.names,
        # Else their sum may lack the last digit.
        found if problem.pairs is None else problem.pairs.settle(found),
        None,
        problem.score.name,
        options=FrozenMapping(given),
        seconds=time.perf_counter() - began,
    )


def confidence_of_kind(
    kind: str,
    data: DataLike,
    trace: SearchTrace,
    search: str | None = None,
    *,
    resamples: int = 200,
    seed: int = 0,
    **options: Any,
) -> EdgeConfidence:
    """One kind of confidence in what a search, as it was asked for, learned with these options."""
    if kind == "calibrated":
        return edge_probabilities(data, known=options.get("known"))
    if kind == "bootstrap":
        return bootstrap(data, trace.method, search, resamples=resamples, seed=seed, **options)
    of_score = {*NAMES, "known", *(one.name for one in fields(trace.options[trace.method]))}
    begun = begun_with(trace.search, {key: options[key] for key in options if key in of_score})
    if kind == "exact":
        return posterior_edges(data, trace.method, **begun)
    begun.pop("known", None)
    return confidence_of_tests(score(data, trace.graph, trace.method, **begun), **begun)
