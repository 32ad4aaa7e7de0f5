"""Near blankets: what is tested given what, and where that is what BJP tests."""

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.independence import IndependenceOptions
from bjp_engine.scores import SCORES
from tests import oracles
from tests.strategies import as_graph, noisy_tree, random_sample, samples_with_graph


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
    tested = bjp.confidence.confidence_of_tests(data, graph, "near")
    for term in bjp.score(data, graph, "near").computed:
        value = math.exp(term.value) if term.dependent else -math.expm1(term.value)
        assert tested.of(term.x, term.y).confidence == pytest.approx(value, rel=1e-12)
