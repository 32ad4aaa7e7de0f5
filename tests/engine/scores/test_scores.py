"""The scores against docs/theory.md §3: oracles, BDeu, and what their traces promise."""

import math
import pickle

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mpf

import bjp_engine as bjp
from bjp_engine.errors import OptionError
from bjp_engine.independence import IndependenceOptions
from bjp_engine.scores import SCORES, KnownEdges, StructurePrior
from bjp_engine.search import PUBLISHED
from tests import oracles
from tests.oracles import edges_of
from tests.refusals import assert_refused
from tests.strategies import Sample, as_graph, noisy_tree, random_sample, samples_with_graph

METHODS = ("bjp", "ib", "mpl", "near")


def close(value, truth, relative=1e-9):
    """Nine correct digits of the logarithm itself."""
    return math.isfinite(value) and abs(mpf(value) - truth) <= relative * abs(truth) + 1e-30


class TestAssertions:
    @pytest.mark.parametrize("method", oracles.TERMS)
    @given(samples_with_graph())
    def test_term_by_term(self, method, case):
        sample, edges = case
        trace = bjp.score(sample.data, as_graph(edges, sample.n), method)
        truth = oracles.TERMS[method](sample.rows, sample.cards, edges)
        assert len(trace.terms) == len(truth)
        for term, expected in zip(trace.terms, truth, strict=True):
            assert (term.x, term.y, term.dependent) == (expected.x, expected.y, expected.dependent)
            assert (term.computed, frozenset(term.given)) == (expected.computed, expected.given)
            assert close(term.value, expected.value) if term.computed else term.value == 0.0
            if term.computed:
                test = bjp.independence_test(sample.data, term.x, term.y, term.given)
                assert term.value == (
                    test.log_dependent if term.dependent else test.log_independent
                )
        assert close(trace.total, sum((t.value for t in truth), mpf(0)))

    @given(
        samples_with_graph(max_variables=4),
        st.floats(0.01, 0.99),
        st.floats(0.1, 10),
        st.sampled_from(["all", "observed"]),
        st.sampled_from(["equal", "centred"]),
        st.sampled_from(["bjp", "ib", "near"]),
    )
    def test_the_options_of_the_test(self, case, prior, gamma, slices, cells, method):
        sample, edges = case
        options = {"prior": prior, "gamma": gamma, "slices": slices, "prior_cells": cells}
        trace = bjp.score(sample.data, as_graph(edges, sample.n), method, **options)
        truth = oracles.score(sample.rows, sample.cards, edges, method, **options)
        assert close(trace.total, truth)


class TestMPL:
    @given(samples_with_graph(), st.sampled_from([1.0, 0.1, 2.0, 50.0]))
    def test_node_by_node(self, case, ess):
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

    def test_each_local_score_is_bdeu_with_an_equivalent_sample_of_one(self):
        from pgmpy.structure_score import BDeu

        for cards, rows in (((2, 2, 2, 2), 40), ((2, 3, 5, 4), 80), ((30, 2, 12, 3, 7), 400)):
            rng, n = np.random.default_rng(rows), len(cards)
            names = [f"v{i}" for i in range(n)]
            table = rng.integers(cards, size=(rows, n))
            table[:, 1] = np.where(rng.random(rows) < 0.7, table[:, 0] % cards[1], table[:, 1])
            data = bjp.Dataset.from_codes(table, cardinalities=cards)
            # pgmpy leaves out a node's own unseen states, so every state occurs here; many
            # configurations of the parents don't.
            assert [len(np.unique(column)) for column in table.T] == list(cards)
            frame = pd.DataFrame(table, columns=names).astype("category")
            bdeu = BDeu(frame, equivalent_sample_size=1)
            stars = nx.empty_graph(n), nx.path_graph(n), nx.star_graph(n - 1), nx.complete_graph(n)
            for graph in stars:
                for term in bjp.score(data, graph, "mpl").terms:
                    parents = tuple(names[v] for v in term.given)
                    expected = float(bdeu.local_score(names[term.x], parents))
                    assert term.value == pytest.approx(expected, rel=1e-10), (cards, term)


@given(samples_with_graph(), st.sampled_from(METHODS))
def test_the_order_of_nodes_in_the_graph_does_not_matter(case, method):
    sample, edges = case
    trace = bjp.score(sample.data, as_graph(edges, sample.n), method)
    turned = nx.Graph()
    turned.add_nodes_from(reversed(range(sample.n)))
    turned.add_edges_from(sorted(edge, reverse=True) for edge in edges)
    other = bjp.score(sample.data, turned, method)
    assert (other.order, other.total) == (trace.order, trace.total)
    assert trace.order == oracles.degree_order(edges, sample.n)


def test_complete_graphs_many_states_and_one_variable():
    complete = edges_of(oracles.pairs(5))
    for sample, edges in (
        *((random_sample(seed, (2, 3, 4, 2, 3), 60), complete) for seed in range(2)),
        (random_sample(11, (300, 2, 120, 40, 7), 250), complete),
        (Sample(((0,), (1,), (1,)), (2,)), frozenset()),
        (Sample((), (2, 3, 2, 4, 5)), complete),
    ):
        for method in METHODS:
            total = bjp.score(sample.data, as_graph(edges, sample.n), method).total
            truth = oracles.score(sample.rows, sample.cards, edges, method)
            assert close(total, truth), (sample.cards, method)


# --- Near blankets: what is tested given what, and where that is what BJP tests -------------------


@given(samples_with_graph(min_variables=3), st.data())
def test_sets_separate_and_of_a_forest_they_have_one_member_at_most(case, choice):
    sample, edges = case
    graph = as_graph(edges, sample.n)
    trace = bjp.score(sample.data, graph, "near")
    for term in trace.terms:
        rest = graph.copy()
        rest.remove_nodes_from(term.given)
        if term.dependent:
            rest.remove_edge(term.x, term.y)
        assert not nx.has_path(rest, term.x, term.y)
        # None is given in vain: each reaches y in what is left without x.
        without = graph.copy()
        without.remove_node(term.x)
        assert all(nx.has_path(without, z, term.y) for z in term.given)
    columns = trace.terms.columns()
    assert columns.given.tolist() == [len(term.given) for term in trace.terms]
    sizes = [math.fsum(math.log(sample.cards[z]) for z in term.given) for term in trace.terms]
    assert columns.log_configurations == pytest.approx(sizes, abs=1e-12)
    parents = [choice.draw(st.integers(-1, v - 1)) for v in range(sample.n)]
    forest = oracles.edges_of((p, v) for v, p in enumerate(parents) if p >= 0)
    trace = bjp.score(sample.data, as_graph(forest, sample.n), "near")
    assert all(len(term.given) <= (not term.dependent) for term in trace.terms)


@given(samples_with_graph(min_variables=3))
def test_as_bjp_where_nothing_separates_the_neighbours(case):
    sample, edges = case
    graph = as_graph(edges, sample.n)
    parts = [graph.subgraph(set(graph) - {x}) for x in graph]
    # Isolated variables reach nothing, and condition on nothing either way.
    assume(all(map(nx.is_connected, parts)))
    near, whole = (bjp.score(sample.data, graph, method) for method in ("near", "bjp"))
    assert (list(near.terms), near.total) == (list(whole.terms), whole.total)


def test_as_bjp_on_a_star():
    # Appendix B. The leaves of a star have one neighbour each; the hub's other leaves don't
    # lead to a leaf.
    data = random_sample(4, (2, 3, 2, 2), 100).data
    near, whole = (bjp.score(data, nx.star_graph(3), method) for method in ("near", "bjp"))
    assert near.computed == whole.computed
    assert {term.given for term in near.inferred if term.x == 0} == {()}


def test_what_keeps_its_set_is_not_tested_again():
    # An edge between two parts of three: other variables' sets stay, within a part or not.
    sample = random_sample(7, (2,) * 6, 100)
    start = nx.to_numpy_array(nx.Graph([(0, 1), (1, 2), (3, 4), (4, 5)]), dtype=bool)
    board = SCORES["near"].assertions(sample.data, start, IndependenceOptions())
    made = board.tests
    board.propose(np.array([[2, 5]]), np.array([-np.inf]))
    # {2, 5} itself, and of the nine pairs between the parts the other eight.
    assert board.tests == made + 9


def test_confidence_is_that_of_its_own_tests():
    data = noisy_tree(11, (2, 3, 2, 2, 4), 250).data
    graph = bjp.learn(data, "near").graph
    tested = bjp.confidence.confidence_of_tests(bjp.score(data, graph, "near"))
    for term in bjp.score(data, graph, "near").computed:
        value = math.exp(term.value) if term.dependent else -math.expm1(term.value)
        assert tested.of(term.x, term.y).confidence == pytest.approx(value, rel=1e-12)


# --- The prior over structures, and the record of known pairs: what they add, what they refuse ----

GRAPH = nx.path_graph(5)


@pytest.fixture(scope="module")
def data():
    return noisy_tree(1, (2, 3, 2, 2, 2), 300).data


@pytest.mark.parametrize("method", SCORES)
def test_each_edge_adds_its_log_odds_and_a_search_counts_it(data, method):
    plain = bjp.score(data, GRAPH, method)
    assert plain.log_prior == 0.0
    odds = np.arange(25.0).reshape(5, 5)
    odds += odds.T
    # A half is the paper's.
    for prior, added in (
        ({"log_odds": np.zeros((5, 5))}, 0.0),
        *(({"edge_probability": p}, 4 * math.log(p / (1 - p))) for p in (0.5, 0.01, 0.3, 0.9)),
        ({"expected_degree": 1}, 4 * math.log(0.25 / 0.75)),
        ({"log_odds": odds}, sum(odds[i, i + 1] for i in range(4))),
    ):
        trace = bjp.score(data, GRAPH, method, **prior)
        assert trace.log_prior == pytest.approx(added, rel=1e-12), prior
        assert trace.total == pytest.approx(plain.total + added, rel=1e-12), prior
    priors = [{"edge_probability": p} for p in (1e-12, 1 - 1e-12)]
    few, many = (bjp.learn(data, method, PUBLISHED[method], **prior) for prior in priors)
    assert few.graph.number_of_edges() < many.graph.number_of_edges()
    for trace, prior in zip((few, many), priors, strict=True):
        again = bjp.score(data, trace.graph, method, **prior)
        assert (trace.score, trace.log_prior) == (again.total, again.log_prior)


def test_no_prior(data):
    for prior, named in (
        *(({"edge_probability": p}, "edge_probability") for p in (0, 1.0, math.nan)),
        ({"edge_probability": "dta"}, "must be a number, or 'data'"),
        *(({"expected_degree": degree}, "expected_degree") for degree in (0, math.inf)),
        *(({"log_odds": odds}, "log_odds") for odds in ([1, 2], "ab")),
        ({"log_odds": [[0, 1], [2, 0]]}, "symmetric"),
        ({"log_odds": np.full((5, 5), np.inf)}, "finite"),
        ({"log_odds": np.zeros((4, 4))}, r"\(5, 5\)"),
        ({"edge_probability": 0.1, "expected_degree": 2}, "one of them"),
    ):
        assert_refused(OptionError, named, bjp.learn, data, **prior)
        assert_refused(OptionError, named, bjp.score, data, GRAPH, **prior)
    # An estimate needs a search.
    assert_refused(OptionError, "learn", bjp.score, data, GRAPH, edge_probability="data")
    # A given matrix stays as it was.
    odds = np.ones((5, 5))
    prior = StructurePrior(log_odds=odds)
    odds[0, 1] = odds[1, 0] = 7.0
    assert prior.odds(5)[0, 1] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        prior.odds(5)[0, 1] = 2.0


def test_known_pairs_are_a_value():
    forbidden = [("d", "e"), ("d", "a"), ("e", "d")]
    known = KnownEdges([("a", "b")], forbidden, {("a", "c"): 0.3})
    again = pickle.loads(pickle.dumps(known))
    assert (again, hash(again)) == (known, hash(known))
    apart = (("d", "e", "forbidden"), ("d", "a", "forbidden"))
    assert again.rows() == (("a", "b", "required"), *apart, ("a", "c", 0.3))
    required = KnownEdges([("b", 0)]).on(("a", "b", "c")).required
    assert required.tolist() == [[False, True, False], [True, False, False], [False] * 3]
