"""The posterior of each pair's computed test, against tests made one by one."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.confidence import confidence_of_trace
from bjp_engine.errors import GraphError, OptionError
from tests import oracles
from tests.strategies import Sample, as_graph, random_sample, samples_with_graph


def dependence(data: bjp.Dataset, edges: oracles.Edges, x: int, y: int) -> float:
    """Pr(x and y are dependent) given the blanket of x."""
    blanket = {v for edge in edges if x in edge for v in edge} - {x, y}
    return math.exp(bjp.independence_test(data, x, y, sorted(blanket)).log_dependent)


def degree(edges: oracles.Edges, x: int) -> int:
    return sum(x in edge for edge in edges)


class TestValues:
    @settings(max_examples=40)
    @given(samples_with_graph(max_variables=5))
    def test_bjp_has_that_of_the_end_with_fewer_neighbours(
        self, both: tuple[Sample, oracles.Edges]
    ) -> None:
        sample, edges = both
        found = bjp.confidence.test_confidence(sample.data, as_graph(edges, sample.n))
        for x, y in oracles.pairs(sample.n):
            first, other = (x, y) if degree(edges, x) <= degree(edges, y) else (y, x)
            expected = dependence(sample.data, edges, first, other)
            assert found.of(x, y).confidence == pytest.approx(expected, rel=1e-9, abs=1e-12)
            assert found.ends is not None
            assert found.computed is not None
            assert found.ends[first, other] == found.matrix[x, y]
            assert found.computed[first, other]
            assert not found.computed[other, first]

    @settings(max_examples=40)
    @given(samples_with_graph(max_variables=5))
    def test_ib_has_the_mean_of_both_ends(self, both: tuple[Sample, oracles.Edges]) -> None:
        sample, edges = both
        found = bjp.confidence.test_confidence(sample.data, as_graph(edges, sample.n), "ib")
        for x, y in oracles.pairs(sample.n):
            ends = [dependence(sample.data, edges, *pair) for pair in ((x, y), (y, x))]
            assert found.of(x, y).confidence == pytest.approx(sum(ends) / 2, rel=1e-9, abs=1e-12)
            assert found.ends is not None
            assert [found.ends[x, y], found.ends[y, x]] == pytest.approx(ends, rel=1e-9, abs=1e-12)

    @pytest.mark.parametrize("method", ["bjp", "ib"])
    def test_it_is_what_the_trace_says(self, method: str) -> None:
        sample = random_sample(4, (2, 3, 2, 4), 60)
        graph = as_graph(oracles.edges_of([(0, 1), (1, 2)]), 4)
        trace = bjp.score(sample.data, graph, method, prior=0.8)
        found = bjp.confidence.test_confidence(sample.data, graph, method, prior=0.8)
        for term in trace.computed:
            said = math.exp(term.value)
            assert found.ends is not None
            value = found.ends[term.x, term.y]
            assert (value if term.dependent else 1 - value) == pytest.approx(said, rel=1e-9)
        assert (confidence_of_trace(trace).matrix == found.matrix).all()
        assert dict(found.options) == {"prior": 0.8}

    def test_without_data_half(self) -> None:
        empty = bjp.Dataset.from_codes(np.zeros((0, 3), dtype=int), cardinalities=(2, 2, 3))
        found = bjp.confidence.test_confidence(empty, nx.Graph([(0, 1)]))
        assert found.matrix[np.triu_indices(3, 1)].tolist() == [0.5] * 3
        assert found.error is None
        assert found.kind == "test"

    def test_variables_renumbered(self) -> None:
        sample, order = random_sample(9, (2, 2, 3, 2), 40), [2, 0, 3, 1]
        edges = oracles.edges_of([(0, 1), (1, 2), (1, 3)])
        moved = oracles.edges_of(tuple(order.index(v) for v in edge) for edge in edges)
        before = bjp.confidence.test_confidence(sample.data, as_graph(edges, 4), "ib").matrix
        after = bjp.confidence.test_confidence(
            sample.permuted_variables(order).data, as_graph(moved, 4), "ib"
        ).matrix
        assert after == pytest.approx(before[np.ix_(order, order)], rel=1e-12)


class TestRefusals:
    data = random_sample(1, (2, 2), 10).data

    def test_mpl_makes_no_tests(self) -> None:
        with pytest.raises(OptionError, match="makes no tests"):
            bjp.confidence.test_confidence(self.data, nx.Graph(), "mpl")
        with pytest.raises(OptionError, match="makes no tests"):
            confidence_of_trace(bjp.score(self.data, nx.Graph(), "mpl"))

    def test_what_score_refuses(self) -> None:
        with pytest.raises(OptionError, match="method"):
            bjp.confidence.test_confidence(self.data, nx.Graph(), "xyz")
        with pytest.raises(OptionError, match="resamples"):
            bjp.confidence.test_confidence(self.data, nx.Graph(), resamples=3)
        with pytest.raises(GraphError):
            bjp.confidence.test_confidence(self.data, nx.Graph([(0, 5)]))


@given(st.integers(0, 3))
def test_a_constant_says_nothing(seed: int) -> None:
    data = random_sample(seed, (2, 1, 2), 30).data
    found = bjp.confidence.test_confidence(data, nx.Graph([(0, 1)]))
    assert found.of(0, 1).confidence == found.of(1, 2).confidence == 0.5
