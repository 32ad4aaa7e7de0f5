"""What BJP is spared: halves against the terms one by one, and the two identities."""

from __future__ import annotations

import math
from collections.abc import Iterator

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.errors import GraphError, OptionError
from bjp_engine.scores import TermColumns
from tests.strategies import random_sample


def made(number: int, n: int, edges: int) -> tuple[bjp.Dataset, nx.Graph]:
    """Data with mixed cardinalities and a random graph on them."""
    rng = np.random.default_rng(number)
    cards = tuple(rng.integers(1, 5, size=n).tolist())
    graph = nx.gnm_random_graph(n, edges, seed=number)
    return random_sample(number, cards, 60).data, graph


def scored(data: bjp.Dataset, graph: nx.Graph, **options: object) -> bjp.scores.SparedTests:
    traces = (bjp.score(data, graph, method, **options) for method in ("bjp", "ib"))
    return bjp.scores.spared_tests(*traces)


def lines(half: TermColumns) -> Iterator[tuple[int, int, bool, int, float]]:
    columns = (half.x, half.y, half.dependent, half.given, half.value)
    return zip(*(column.tolist() for column in columns), strict=True)


cases = st.tuples(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(0, 28))


@given(cases)
def test_the_halves_are_the_terms(case: tuple[int, int, int]) -> None:
    data, graph = made(*case)
    halves = scored(data, graph)
    ours, theirs = (bjp.score(data, graph, method) for method in ("bjp", "ib"))
    for computed, half in ((True, halves.computed), (False, halves.inferred)):
        kept = [
            other
            for mine, other in zip(ours.terms, theirs.terms, strict=True)
            if mine.computed == computed
        ]
        assert list(lines(half)) == [(t.x, t.y, t.dependent, len(t.given), t.value) for t in kept]
        sizes = [math.prod(data.cardinalities[z] for z in t.given) for t in kept]
        assert half.log_configurations == pytest.approx([math.log(k) for k in sizes], abs=1e-12)
        assert halves.rows_a_slice(half) == pytest.approx([60 / k for k in sizes])
        posteriors = [math.exp(t.value) for t in kept]
        assert half.posterior == pytest.approx(posteriors)
        assert half.distance == pytest.approx([abs(p - 0.5) for p in posteriors])
        assert half.undecided(0.2) == sum(abs(p - 0.5) < 0.2 for p in half.posterior)
        assert half.mean_given * len(half) == pytest.approx(sum(len(t.given) for t in kept))
    pairs = data.n * (data.n - 1) // 2
    assert len(halves.computed) == len(halves.inferred) == pairs
    # Each pair once in either half, from opposite ends.
    one, other = (list(zip(h.x, h.y, strict=True)) for h in (halves.computed, halves.inferred))
    assert sorted(one) == sorted((y, x) for x, y in other)


@given(cases)
def test_ib_is_bjp_and_the_spared_tests(case: tuple[int, int, int]) -> None:
    data, graph = made(*case)
    for options in ({}, {"expected_degree": 1.5} if data.n > 1 else {}):
        halves = scored(data, graph, **options)
        both = [*halves.computed.value.tolist(), *halves.inferred.value.tolist()]
        prior = 0.0 if not options else bjp.score(data, graph, **options).log_prior
        assert halves.log_prior == prior
        assert halves.log_ib == pytest.approx(math.fsum([*both, prior]), rel=1e-14)
        assert halves.log_bjp == pytest.approx(halves.computed.total + prior, rel=1e-13)
        assert halves.log_ib == pytest.approx(halves.log_bjp + halves.inferred.total, rel=1e-13)
        assert halves.log_ib <= halves.log_bjp
    # The sizes differ by the total irregularity.
    assert halves.irregularity == bjp.metrics.total_irregularity(graph)
    sums = [int(half.given.sum()) for half in (halves.inferred, halves.computed)]
    assert sums[0] - sums[1] == halves.irregularity


def test_the_hub_of_appendix_b() -> None:
    graph = bjp.networks.load("appendix-b")
    data = bjp.sampling.random_model(graph, seed=0).sample(200, seed=0, method="exact")
    halves = scored(data, graph)
    assert halves.computed.given.tolist() == [1, 1, 0, 1, 0, 0]
    assert halves.inferred.given.tolist() == [1, 1, 1, 2, 2, 2]
    assert halves.names == data.names


def test_traces_that_do_not_belong_together_are_refused() -> None:
    data, graph = made(4, 4, 3)
    ours, theirs, mpl = (bjp.score(data, graph, method) for method in ("bjp", "ib", "mpl"))
    for pair in ((theirs, theirs), (ours, ours), (mpl, theirs), (ours, mpl)):
        with pytest.raises(OptionError, match="trace is of method="):
            bjp.scores.spared_tests(*pair)
    for other in (
        bjp.score(data, nx.path_graph(4), "ib"),
        bjp.score(data, nx.empty_graph(4), "ib"),
        bjp.score(made(4, 5, 3)[0], graph, "ib"),
    ):
        with pytest.raises(GraphError, match="different graphs"):
            bjp.scores.spared_tests(ours, other)
    # Two graphs of the same degrees, so of the same order.
    path, twin = nx.path_graph(4), nx.Graph([(0, 2), (2, 1), (1, 3)])
    with pytest.raises(GraphError, match="different graphs"):
        bjp.scores.spared_tests(bjp.score(data, path), bjp.score(data, twin, "ib"))
    for other in (
        bjp.score(data.take(range(30)), graph, "ib"),
        bjp.score(data, graph, "ib", gamma=0.5),
        bjp.score(data, graph, "ib", edge_probability=0.1),
    ):
        with pytest.raises(OptionError, match="same data and options"):
            bjp.scores.spared_tests(ours, other)
    with pytest.raises(ValueError, match="read-only"):
        bjp.scores.spared_tests(ours, theirs).inferred.value[0] = 0.0
