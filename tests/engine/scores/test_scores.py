"""BJP, IB-score and MPL against docs/theory.md §3: oracles, BDeu, and what their traces promise."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
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
    samples,
    samples_with_graph,
)

METHODS = ("bjp", "ib", "mpl", "near")
Case = tuple[Sample, oracles.Edges]


def close(value: float, truth: mpf, relative: float = 1e-9) -> bool:
    """Nine correct digits of the logarithm itself."""
    return math.isfinite(value) and abs(mpf(value) - truth) <= relative * abs(truth) + 1e-30


class TestOrder:
    @given(samples_with_graph(max_rows=3), st.sampled_from(METHODS))
    def test_ascending_degree_then_ascending_index(self, case: Case, method: str) -> None:
        sample, edges = case
        trace = bjp.score(sample.data, as_graph(edges, sample.n), method)
        assert trace.order == oracles.degree_order(edges, sample.n)

    def test_the_order_is_in_names(self) -> None:
        data = bjp.Dataset.from_codes([[0, 1, 0]], names=["hub", "leaf", "alone"])
        graph = nx.Graph([("leaf", "hub")])
        assert bjp.score(data, graph).order == ("alone", "hub", "leaf")

    def test_the_order_of_the_nodes_in_the_graph_does_not_matter(self) -> None:
        data = random_sample(1, (2, 3, 2, 4), 50).data
        one, other = nx.Graph([(2, 0), (0, 1)]), nx.Graph()
        other.add_nodes_from([3, 1, 0, 2])
        other.add_edges_from([(1, 0), (0, 2)])
        for method in METHODS:
            left, right = bjp.score(data, one, method), bjp.score(data, other, method)
            assert (left.order, left.total) == (right.order, right.total)


class TestAssertions:
    @given(samples_with_graph())
    def test_bjp_term_by_term(self, case: Case) -> None:
        sample, edges = case
        trace = bjp.score(sample.data, as_graph(edges, sample.n), "bjp")
        self.assert_terms(trace, oracles.bjp_terms(sample.rows, sample.cards, edges))

    @given(samples_with_graph())
    def test_ib_term_by_term(self, case: Case) -> None:
        sample, edges = case
        trace = bjp.score(sample.data, as_graph(edges, sample.n), "ib")
        self.assert_terms(trace, oracles.ib_terms(sample.rows, sample.cards, edges))

    @settings(max_examples=25)
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
        truth = oracles.score(sample.rows, sample.cards, edges, method, **options)
        assert close(trace.total, truth)

    @staticmethod
    def assert_terms(trace: bjp.scores.ScoreTrace, truth: list[oracles.OracleTerm]) -> None:
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

    @given(samples_with_graph(max_rows=20))
    def test_how_many_are_computed_and_how_many_inferred(self, case: Case) -> None:
        sample, edges = case
        graph, half = as_graph(edges, sample.n), sample.n * (sample.n - 1) // 2
        place = {v: i for i, v in enumerate(oracles.degree_order(edges, sample.n))}
        bjp_terms = bjp.score(sample.data, graph, "bjp").terms
        assert sum(term.computed for term in bjp_terms) == half
        assert sum(not term.computed for term in bjp_terms) == half
        assert all(term.computed == (place[term.x] < place[term.y]) for term in bjp_terms)
        assert all(term.computed for term in bjp.score(sample.data, graph, "ib").terms)

    @given(samples_with_graph())
    def test_ib_is_both_directions_and_bjp_one_of_them(self, case: Case) -> None:
        sample, edges = case
        graph = as_graph(edges, sample.n)
        ib = {(t.x, t.y): t.value for t in bjp.score(sample.data, graph, "ib").terms}
        one = bjp.score(sample.data, graph, "bjp")
        assert len(ib) == sample.n * (sample.n - 1)
        assert all(ib[t.x, t.y] == t.value for t in one.terms if t.computed)
        other = math.fsum(ib[t.y, t.x] for t in one.terms if t.computed)
        total = bjp.score(sample.data, graph, "ib").total
        assert total == pytest.approx(one.total + other, rel=1e-12)

    @given(samples_with_graph())
    def test_each_term_is_the_public_test(self, case: Case) -> None:
        sample, edges = case
        for term in bjp.score(sample.data, as_graph(edges, sample.n), "ib").terms:
            test = bjp.independence_test(sample.data, term.x, term.y, term.given)
            expected = test.log_dependent if term.dependent else test.log_independent
            assert term.value == expected


class TestMPL:
    @given(samples_with_graph())
    def test_node_by_node(self, case: Case) -> None:
        sample, edges = case
        trace = bjp.score(sample.data, as_graph(edges, sample.n), "mpl")
        assert sorted(term.x for term in trace.terms) == list(range(sample.n))
        for term in trace.terms:
            members = oracles.blanket(edges, term.x)
            assert frozenset(term.given) == members
            assert close(term.value, oracles.mpl_local(sample.rows, sample.cards, term.x, members))
        assert close(trace.total, oracles.score(sample.rows, sample.cards, edges, "mpl"))

    @settings(max_examples=25)
    @given(samples_with_graph(max_variables=4), st.sampled_from([0.1, 2.0, 50.0]))
    def test_another_equivalent_sample(self, case: Case, ess: float) -> None:
        sample, edges = case
        trace = bjp.score(sample.data, as_graph(edges, sample.n), "mpl", ess=ess)
        for term in trace.terms:
            truth = oracles.mpl_local(sample.rows, sample.cards, term.x, term.given, ess)
            assert close(term.value, truth)

    @pytest.mark.parametrize(
        ("cards", "rows"), [((2, 2, 2, 2), 40), ((2, 3, 5, 4), 80), ((30, 2, 12, 3, 7), 400)]
    )
    def test_each_local_score_is_bdeu_with_an_equivalent_sample_of_one(
        self, cards: tuple[int, ...], rows: int
    ) -> None:
        from pgmpy.structure_score import BDeu

        rng = np.random.default_rng(rows)
        names = [f"v{i}" for i in range(len(cards))]
        table = rng.integers(cards, size=(rows, len(cards)))
        table[:, 1] = np.where(rng.random(rows) < 0.7, table[:, 0] % cards[1], table[:, 1])
        data = bjp.Dataset.from_codes(table, cardinalities=cards)
        # pgmpy leaves out a node's own unseen states, so every state occurs here; many
        # configurations of the parents don't.
        assert all(len(np.unique(column)) == r for column, r in zip(table.T, cards, strict=True))
        bdeu = BDeu(pd.DataFrame(table, columns=names).astype("category"), equivalent_sample_size=1)
        for graph in (
            nx.empty_graph(len(cards)),
            nx.path_graph(len(cards)),
            nx.star_graph(len(cards) - 1),
            nx.complete_graph(len(cards)),
        ):
            for term in bjp.score(data, graph, "mpl").terms:
                parents = tuple(names[v] for v in term.given)
                expected = float(bdeu.local_score(names[term.x], parents))
                assert term.value == pytest.approx(expected, rel=1e-10)

    @pytest.mark.parametrize("rows", [1, 100])
    def test_more_parent_configurations_than_any_number(self, rows: int) -> None:
        # The centre of a star of 1100 has q = 2^1100 configurations: α is no double any more.
        rng = np.random.default_rng(5)
        table = rng.integers(2, size=(rows, 1101))
        table[:, 0] = table[:, 1]
        sample = Sample(tuple(map(tuple, table.tolist())), (2,) * 1101)
        edges = edges_of((0, leaf) for leaf in range(1, 1101))
        trace = bjp.score(sample.data, as_graph(edges, 1101), "mpl")
        (centre,) = [term for term in trace.terms if term.x == 0]
        truth = oracles.mpl_local(sample.rows, sample.cards, 0, range(1, 1101))
        assert close(centre.value, truth)
        assert math.isfinite(trace.total)


class TestTotals:
    @given(samples_with_graph(), st.sampled_from(METHODS))
    def test_the_total_is_the_sum_of_the_terms(self, case: Case, method: str) -> None:
        sample, edges = case
        trace = bjp.score(sample.data, as_graph(edges, sample.n), method)
        assert trace.total == math.fsum(term.value for term in trace.terms)
        assert trace.method == method

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("seed", range(3))
    def test_empty_and_complete_graphs(self, method: str, seed: int) -> None:
        sample = random_sample(seed, (2, 3, 4, 2, 3), 60)
        for edges in (frozenset(), edges_of(oracles.pairs(5))):
            trace = bjp.score(sample.data, as_graph(edges, 5), method)
            assert close(trace.total, oracles.score(sample.rows, sample.cards, edges, method))

    @pytest.mark.parametrize("method", METHODS)
    def test_many_states(self, method: str) -> None:
        sample = random_sample(11, (300, 2, 120, 40, 7), 250)
        for edges in (frozenset(), edges_of([(0, 1), (1, 2), (2, 3)]), edges_of(oracles.pairs(5))):
            trace = bjp.score(sample.data, as_graph(edges, 5), method)
            assert close(trace.total, oracles.score(sample.rows, sample.cards, edges, method))

    @pytest.mark.parametrize(("method", "sign"), [("bjp", 15), ("ib", 30)])
    def test_without_data_every_assertion_is_one_half(self, method: str, sign: int) -> None:
        data = bjp.Dataset.from_codes(np.zeros((0, 6), dtype=int), cardinalities=[2, 3, 2, 4, 2, 5])
        for edges in (frozenset(), edges_of([(0, 1), (1, 2)]), edges_of(oracles.pairs(6))):
            trace = bjp.score(data, as_graph(edges, 6), method)
            assert trace.total == pytest.approx(-sign * math.log(2), rel=1e-14)

    def test_without_data_mpl_is_nought(self) -> None:
        data = bjp.Dataset.from_codes(np.zeros((0, 4), dtype=int), cardinalities=[2, 3, 2, 4])
        assert bjp.score(data, nx.path_graph(4), "mpl").total == 0.0

    @pytest.mark.parametrize("method", METHODS)
    def test_one_variable(self, method: str) -> None:
        sample = Sample(((0,), (1,), (1,)), (2,))
        trace = bjp.score(sample.data, as_graph(frozenset(), 1), method)
        assert trace.order == (0,)
        assert trace.total == pytest.approx(
            float(oracles.score(sample.rows, sample.cards, frozenset(), method))
        )

    @given(samples_with_graph(), st.sampled_from(METHODS), st.data())
    def test_rows_and_states_in_any_order(
        self, case: Case, method: str, choice: st.DataObject
    ) -> None:
        sample, edges = case
        graph = as_graph(edges, sample.n)
        states = [choice.draw(permutations(r)) for r in sample.cards]
        rows = choice.draw(permutations(len(sample.rows)))
        before = bjp.score(sample.data, graph, method).total
        for changed in (sample.relabelled(states), sample.permuted_rows(rows)):
            assert bjp.score(changed.data, graph, method).total == pytest.approx(before, rel=1e-12)

    @given(samples_with_graph(), st.sampled_from(["ib", "mpl"]), st.data())
    def test_variables_in_any_order(self, case: Case, method: str, choice: st.DataObject) -> None:
        # BJP is left out: between nodes of one degree, the index decides whose blanket is used.
        sample, edges = case
        order = choice.draw(permutations(sample.n))
        moved = edges_of((order.index(i), order.index(j)) for i, j in map(tuple, edges))
        before = bjp.score(sample.data, as_graph(edges, sample.n), method).total
        after = bjp.score(
            sample.permuted_variables(order).data, as_graph(moved, sample.n), method
        ).total
        assert after == pytest.approx(before, rel=1e-12)

    @given(samples(min_variables=6), st.data())
    def test_bjp_of_the_empty_graph_with_variables_in_any_order(
        self, sample: Sample, choice: st.DataObject
    ) -> None:
        # All degrees tie, but all conditioning sets are empty: no tie-break can show.
        order = choice.draw(permutations(6))
        before = bjp.score(sample.data, as_graph(frozenset(), 6)).total
        after = bjp.score(sample.permuted_variables(order).data, as_graph(frozenset(), 6)).total
        assert after == pytest.approx(before, rel=1e-12)


class TestNames:
    data = bjp.Dataset.from_codes(
        [[0, 1, 0], [1, 0, 0], [1, 1, 1], [0, 0, 0]], names=["rain", "wet", "sun"]
    )

    @pytest.mark.parametrize("method", METHODS)
    def test_names_in_names_out(self, method: str) -> None:
        trace = bjp.score(self.data, nx.Graph([("rain", "wet")]), method)
        assert set(trace.order) == {"rain", "wet", "sun"}
        assert {term.x for term in trace.terms} == {"rain", "wet", "sun"}
        assert {v for term in trace.terms for v in term.given} <= {"rain", "wet", "sun"}
        assert set(trace.graph.nodes) == {"rain", "wet", "sun"}
        assert set(map(frozenset, trace.graph.edges)) == {frozenset(("rain", "wet"))}

    def test_indices_serve_as_well(self) -> None:
        by_name = bjp.score(self.data, nx.Graph([("rain", "wet")]))
        assert bjp.score(self.data, nx.Graph([(0, 1)])).total == by_name.total

    def test_the_callers_graph_stays_the_callers(self) -> None:
        graph = nx.Graph([("rain", "wet")])
        trace = bjp.score(self.data, graph)
        graph.add_edge("wet", "sun")
        assert trace.graph.number_of_edges() == 1
        assert "sun" in trace.graph

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize(
        ("graph", "word"),
        [
            (nx.Graph([("rain", "snow")]), "snow"),
            (nx.Graph([("rain", 7)]), "7"),
            (nx.Graph([("rain", "rain")]), "rain"),
            (nx.DiGraph([("rain", "wet")]), "undirected"),
            ([("rain", "wet")], "graph"),
            (None, "graph"),
        ],
    )
    def test_a_wrong_graph_is_refused_in_a_sentence(
        self, method: str, graph: object, word: str
    ) -> None:
        with pytest.raises(GraphError, match=word):
            bjp.score(self.data, graph, method)  # type: ignore[arg-type]

    def test_two_nodes_for_one_variable_are_refused(self) -> None:
        with pytest.raises(GraphError):
            bjp.score(self.data, nx.Graph([("rain", "wet"), (0, "sun")]))

    def test_an_unknown_method_is_named(self) -> None:
        with pytest.raises(OptionError, match="bic"):
            bjp.score(self.data, nx.Graph(), "bic")
