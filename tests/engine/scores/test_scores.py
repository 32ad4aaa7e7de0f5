"""BJP, IB-score and MPL against docs/theory.md §3: oracles, BDeu, and what their traces promise."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf

import bjp_engine as bjp
from bjp_engine.errors import GraphError, OptionError
from tests import oracles
from tests.oracles import edges_of
from tests.strategies import (
    Sample,
    as_graph,
    permutations,
    random_sample,
    samples_with_graph,
)

METHODS = ("bjp", "ib", "mpl", "near")
Case = tuple[Sample, oracles.Edges]


def close(value: float, truth: mpf, relative: float = 1e-9) -> bool:
    """Nine correct digits of the logarithm itself."""
    return math.isfinite(value) and abs(mpf(value) - truth) <= relative * abs(truth) + 1e-30


def test_the_order_of_the_nodes_in_the_graph_does_not_matter() -> None:
    data = random_sample(1, (2, 3, 2, 4), 50).data
    one, other = nx.Graph([(2, 0), (0, 1)]), nx.Graph()
    other.add_nodes_from([3, 1, 0, 2])
    other.add_edges_from([(1, 0), (0, 2)])
    for method in METHODS:
        left, right = bjp.score(data, one, method), bjp.score(data, other, method)
        assert (left.order, left.total) == (right.order, right.total)


class TestAssertions:
    @pytest.mark.parametrize("method", ["bjp", "ib"])
    @given(samples_with_graph())
    def test_term_by_term(self, method: str, case: Case) -> None:
        sample, edges = case
        trace = bjp.score(sample.data, as_graph(edges, sample.n), method)
        truth = oracles.TERMS[method](sample.rows, sample.cards, edges)
        assert len(trace.terms) == len(truth)
        for term, expected in zip(trace.terms, truth, strict=True):
            assert (term.x, term.y) == (expected.x, expected.y)
            assert term.dependent == expected.dependent
            assert term.computed == expected.computed
            assert frozenset(term.given) == expected.given
            if term.computed:
                assert close(term.value, expected.value)
            else:
                assert term.value == 0.0
        assert close(trace.total, sum((t.value for t in truth), mpf(0)))

    @given(
        samples_with_graph(max_variables=4),
        st.floats(0.01, 0.99),
        st.floats(0.1, 10),
        st.sampled_from(["all", "observed"]),
        st.sampled_from(["equal", "centred"]),
        st.sampled_from(["bjp", "ib", "near"]),
    )
    def test_the_options_of_the_test(
        self, case: Case, prior: float, gamma: float, slices: str, cells: str, method: str
    ) -> None:
        sample, edges = case
        options = {"prior": prior, "gamma": gamma, "slices": slices, "prior_cells": cells}
        trace = bjp.score(sample.data, as_graph(edges, sample.n), method, **options)
        assert close(
            trace.total, oracles.score(sample.rows, sample.cards, edges, method, **options)
        )

    @given(samples_with_graph())
    def test_ib_is_both_directions_and_bjp_one_of_them(self, case: Case) -> None:
        sample, edges = case
        graph, half = as_graph(edges, sample.n), sample.n * (sample.n - 1) // 2
        place = {v: i for i, v in enumerate(oracles.degree_order(edges, sample.n))}
        one, both = (bjp.score(sample.data, graph, method) for method in ("bjp", "ib"))
        computed = [term for term in one.terms if term.computed]
        assert (len(computed), len(one.terms), len(both.terms)) == (half, 2 * half, 2 * half)
        assert all(term.computed == (place[term.x] < place[term.y]) for term in one.terms)
        assert all(term.computed for term in both.terms)
        values = {(term.x, term.y): term.value for term in both.terms}
        assert len(values) == 2 * half
        assert all(values[t.x, t.y] == t.value for t in computed)
        other = math.fsum(values[t.y, t.x] for t in computed)
        assert both.total == pytest.approx(one.total + other, rel=1e-12)
        # Each term is the public test.
        for term in both.terms:
            test = bjp.independence_test(sample.data, term.x, term.y, term.given)
            assert term.value == (test.log_dependent if term.dependent else test.log_independent)

    def test_appendix_b_has_six_computed_and_six_inferred(self) -> None:
        rng = np.random.default_rng(2016)
        hub = rng.integers(2, size=(300, 1))
        leaves = np.where(rng.random((300, 3)) < 0.4, hub, rng.integers(2, size=(300, 3)))
        codes = np.hstack([hub, leaves])
        data = bjp.Dataset.from_codes(codes, names=["X0", "X1", "X2", "X3"])
        trace = bjp.score(data, nx.Graph([("X0", "X1"), ("X0", "X2"), ("X0", "X3")]), "bjp")
        assert trace.order == ("X1", "X2", "X3", "X0")
        computed, inferred = (
            [(t.x, t.y, set(t.given), t.dependent) for t in trace.terms if t.computed is which]
            for which in (True, False)
        )
        assert computed == [
            ("X1", "X2", {"X0"}, False),
            ("X1", "X3", {"X0"}, False),
            ("X1", "X0", set(), True),
            ("X2", "X3", {"X0"}, False),
            ("X2", "X0", set(), True),
            ("X3", "X0", set(), True),
        ]
        assert inferred == [
            ("X2", "X1", {"X0"}, False),
            ("X3", "X1", {"X0"}, False),
            ("X3", "X2", {"X0"}, False),
            ("X0", "X1", {"X2", "X3"}, True),
            ("X0", "X2", {"X1", "X3"}, True),
            ("X0", "X3", {"X1", "X2"}, True),
        ]
        assert all(term.value == 0.0 for term in trace.terms if not term.computed)
        truth = float(
            oracles.score(codes.tolist(), [2] * 4, edges_of([(0, 1), (0, 2), (0, 3)]), "bjp")
        )
        assert trace.total == pytest.approx(truth, rel=1e-9)


class TestMPL:
    @given(samples_with_graph(), st.sampled_from([1.0, 0.1, 2.0, 50.0]))
    def test_node_by_node(self, case: Case, ess: float) -> None:
        sample, edges = case
        trace = bjp.score(sample.data, as_graph(edges, sample.n), "mpl", ess=ess)
        assert sorted(term.x for term in trace.terms) == list(range(sample.n))
        for term in trace.terms:
            members = oracles.blanket(edges, term.x)
            assert frozenset(term.given) == members
            truth = oracles.mpl_local(sample.rows, sample.cards, term.x, members, ess)
            assert close(term.value, truth)
        if ess == 1.0:
            trace = bjp.score(sample.data, as_graph(edges, sample.n), "mpl")
            assert close(trace.total, oracles.score(sample.rows, sample.cards, edges, "mpl"))

    def test_each_local_score_is_bdeu_with_an_equivalent_sample_of_one(self) -> None:
        from pgmpy.structure_score import BDeu

        for cards, rows in (
            ((2, 2, 2, 2), 40),
            ((2, 3, 5, 4), 80),
            ((30, 2, 12, 3, 7), 400),
        ):
            rng, n = np.random.default_rng(rows), len(cards)
            names = [f"v{i}" for i in range(n)]
            table = rng.integers(cards, size=(rows, n))
            table[:, 1] = np.where(rng.random(rows) < 0.7, table[:, 0] % cards[1], table[:, 1])
            data = bjp.Dataset.from_codes(table, cardinalities=cards)
            # pgmpy leaves out a node's own unseen states, so every state occurs here; many
            # configurations of the parents don't.
            assert all(
                len(np.unique(column)) == r for column, r in zip(table.T, cards, strict=True)
            )
            frame = pd.DataFrame(table, columns=names).astype("category")
            bdeu = BDeu(frame, equivalent_sample_size=1)
            stars = nx.empty_graph(n), nx.path_graph(n), nx.star_graph(n - 1), nx.complete_graph(n)
            for graph in stars:
                for term in bjp.score(data, graph, "mpl").terms:
                    parents = tuple(names[v] for v in term.given)
                    expected = float(bdeu.local_score(names[term.x], parents))
                    assert term.value == pytest.approx(expected, rel=1e-10), (cards, term)

    def test_more_parent_configurations_than_any_number(self) -> None:
        # The centre of a star of 1100 has q = 2^1100 configurations: α is no double any more.
        edges = edges_of((0, leaf) for leaf in range(1, 1101))
        for rows in (1, 100):
            table = np.random.default_rng(5).integers(2, size=(rows, 1101))
            table[:, 0] = table[:, 1]
            sample = Sample(tuple(map(tuple, table.tolist())), (2,) * 1101)
            trace = bjp.score(sample.data, as_graph(edges, 1101), "mpl")
            (centre,) = [term for term in trace.terms if term.x == 0]
            truth = oracles.mpl_local(sample.rows, sample.cards, 0, range(1, 1101))
            assert close(centre.value, truth)
            assert math.isfinite(trace.total)


class TestTotals:
    @given(samples_with_graph(), st.sampled_from(METHODS), st.data())
    def test_sums_in_any_order(self, case: Case, method: str, choice: st.DataObject) -> None:
        sample, edges = case
        graph = as_graph(edges, sample.n)
        states = [choice.draw(permutations(r)) for r in sample.cards]
        rows = choice.draw(permutations(len(sample.rows)))
        trace = bjp.score(sample.data, graph, method)
        assert trace.total == math.fsum(term.value for term in trace.terms)
        assert trace.method == method
        assert trace.order == oracles.degree_order(edges, sample.n)
        for changed in (sample.relabelled(states), sample.permuted_rows(rows)):
            after = bjp.score(changed.data, graph, method).total
            assert after == pytest.approx(trace.total, rel=1e-12)

    @given(samples_with_graph(), st.sampled_from(["ib", "mpl"]), st.data())
    def test_variables_in_any_order(self, case: Case, method: str, choice: st.DataObject) -> None:
        # BJP is left out: between nodes of one degree, the index decides whose blanket is used.
        sample, edges = case
        order = choice.draw(permutations(sample.n))
        moved = edges_of((order.index(i), order.index(j)) for i, j in map(tuple, edges))
        before = bjp.score(sample.data, as_graph(edges, sample.n), method).total
        other = sample.permuted_variables(order).data
        after = bjp.score(other, as_graph(moved, sample.n), method).total
        assert after == pytest.approx(before, rel=1e-12)
        # In the empty graph all degrees tie, but no conditioning set can show how a tie is broken.
        empty = as_graph(frozenset(), sample.n)
        before = bjp.score(sample.data, empty).total
        assert bjp.score(other, empty).total == pytest.approx(before, rel=1e-12)

    def test_empty_and_complete_graphs_and_many_states(self) -> None:
        ends = (frozenset(), edges_of(oracles.pairs(5)))
        cases = [(random_sample(seed, (2, 3, 4, 2, 3), 60), ends) for seed in range(3)]
        wide = random_sample(11, (300, 2, 120, 40, 7), 250)
        cases.append((wide, (*ends, edges_of([(0, 1), (1, 2), (2, 3)]))))
        for sample, graphs in cases:
            for method in METHODS:
                for edges in graphs:
                    trace = bjp.score(sample.data, as_graph(edges, 5), method)
                    truth = oracles.score(sample.rows, sample.cards, edges, method)
                    assert close(trace.total, truth), (sample.cards, method, edges)

    def test_without_data_every_assertion_is_one_half(self) -> None:
        data = bjp.Dataset.from_codes(np.zeros((0, 6), dtype=int), cardinalities=[2, 3, 2, 4, 2, 5])
        for edges in (frozenset(), edges_of([(0, 1), (1, 2)]), edges_of(oracles.pairs(6))):
            graph = as_graph(edges, 6)
            for method, halves in (("bjp", 15), ("ib", 30)):
                total = bjp.score(data, graph, method).total
                assert total == pytest.approx(-halves * math.log(2), rel=1e-14)
            assert bjp.score(data, graph, "mpl").total == 0.0

    def test_one_variable(self) -> None:
        sample = Sample(((0,), (1,), (1,)), (2,))
        for method in METHODS:
            trace = bjp.score(sample.data, as_graph(frozenset(), 1), method)
            assert trace.order == (0,)
            truth = float(oracles.score(sample.rows, sample.cards, frozenset(), method))
            assert trace.total == pytest.approx(truth)


def test_a_wrong_graph_or_method_is_refused_in_a_sentence() -> None:
    codes = [[0, 1, 0], [1, 0, 0], [1, 1, 1], [0, 0, 0]]
    data = bjp.Dataset.from_codes(codes, names=["rain", "wet", "sun"])
    assert bjp.score(data, nx.Graph([("wet", "rain")])).order == ("sun", "rain", "wet")
    for graph, word in (
        (nx.Graph([("rain", "snow")]), "snow"),
        (nx.Graph([("rain", 7)]), "7"),
        (nx.Graph([("rain", "rain")]), "rain"),
        (nx.DiGraph([("rain", "wet")]), "undirected"),
        ([("rain", "wet")], "graph"),
        (None, "graph"),
        (nx.Graph([("rain", "wet"), (0, "sun")]), "stand for one variable"),
    ):
        for method in METHODS:
            with pytest.raises(GraphError, match=word):
                bjp.score(data, graph, method)
    with pytest.raises(OptionError, match="bic"):
        bjp.score(data, nx.Graph(), "bic")
