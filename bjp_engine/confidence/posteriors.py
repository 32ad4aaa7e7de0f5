"""How clear the tests behind a graph are: the posterior of each pair's computed test.

A score made of assertions says of every pair that it is dependent, given a blanket, or
independent. The probability of dependence by that test is the pair's confidence: of an edge it is
the posterior of what is asserted, of a missing edge one minus that.

BJP computes one test a pair, by the blanket of the end that comes first in ψ. IB-score computes
two, which condition on different sets; both are kept in `ends`, and the pair has their mean. The
mean treats edges and missing edges alike: the smaller of the two would understate edges and, of
missing ones, name the end that denies most.

A test's posterior holds if the blanket is right. It does not know of other graphs.

`posterior_edges` asks all graphs instead, weighted by their score, where they can be counted.
"""

from __future__ import annotations

import time
from dataclasses import fields, replace
from typing import Any

import networkx as nx
import numpy as np

from bjp_engine.confidence.bootstrap import bootstrap
from bjp_engine.confidence.calibrated import edge_probabilities
from bjp_engine.confidence.edges import EdgeConfidence
from bjp_engine.dataset import DataLike, as_dataset
from bjp_engine.errors import OptionError, clip, listed
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import FrozenMapping
from bjp_engine.scores import SCORES, AssertionScore, Score, ScoreTrace, score
from bjp_engine.scores.assertions import AssertionTerms
from bjp_engine.scores.known import freeze_known
from bjp_engine.scores.structure import NAMES
from bjp_engine.search.auto.evidence import begun_with
from bjp_engine.search.driver import pose
from bjp_engine.search.exhaustive import score_all_graphs
from bjp_engine.search.trace import SearchTrace
from bjp_engine.validate import instance


def confidence_of_tests(
    data: DataLike, graph: nx.Graph[Any], method: str = "bjp", **options: Any
) -> EdgeConfidence:
    """The posterior of dependence by the test that a score computes for each pair of a graph.

    Parameters
    ----------
    method : {"bjp", "ib", "near"}
        MPL makes no tests.

    Examples
    --------
    >>> import networkx as nx
    >>> from bjp_engine.confidence import confidence_of_tests
    >>> data = [[0, 0], [0, 0], [1, 1], [1, 1]]
    >>> round(37 * confidence_of_tests(data, nx.Graph([(0, 1)])).of(0, 1).confidence, 9)
    30.0
    """
    began = time.perf_counter()
    found = confidence_of_trace(score(data, graph, method, **options), **options)
    return replace(found, seconds=time.perf_counter() - began)


def confidence_of_trace(trace: ScoreTrace, **options: Any) -> EdgeConfidence:
    """The posterior of each pair's test, for a graph that is already scored."""
    instance(trace, "trace", ScoreTrace, "what `score` returns")
    if not isinstance(trace.terms, AssertionTerms):
        testing = [name for name, one in SCORES.items() if isinstance(one, AssertionScore)]
        raise OptionError(
            f"method={clip(trace.method)} makes no tests; use {listed(testing, 8)}, or another "
            "kind of confidence."
        )
    terms = trace.terms.columns()
    names = tuple(trace.graph)
    ends = np.zeros((len(names), len(names)))
    computed = np.zeros(ends.shape, dtype=np.bool_)
    made = terms.computed
    posterior = np.where(terms.dependent, np.exp(terms.value), -np.expm1(terms.value))[made]
    ends[terms.x[made], terms.y[made]] = posterior
    computed[terms.x[made], terms.y[made]] = True
    tests = np.maximum(computed.astype(np.int64) + computed.T, 1)
    return EdgeConfidence(
        "test",
        names,
        (ends + ends.T) / tests,
        None,
        trace.method,
        options=FrozenMapping(options),
        ends=ends,
        computed=computed,
    )


def posterior_edges(
    data: DataLike, method: str | Score = "bjp", *, progress: Progress = UNWATCHED, **options: Any
) -> EdgeConfidence:
    """The posterior probability of each edge, over all graphs (docs/theory.md §12).

    Parameters
    ----------
    data : Dataset, DataFrame or array
        N rows of n ≤ 7 variables.

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
    return confidence_of_tests(data, trace.graph, trace.method, **begun)
