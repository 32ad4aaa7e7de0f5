"""The board: each test once, and a climb by flips that ends. Its numbers stand in
`search/test_search_walks.py`."""

import networkx as nx
import numpy as np
from hypothesis import given

import bjp_engine as bjp
from bjp_engine.independence import IndependenceOptions
from bjp_engine.scores import SCORES, AssertionScore
from tests import oracles
from tests.strategies import as_graph, samples_with_graph

BOTH_NEAR = {"name": "both-near", "title": "Both", "both_ends": True, "near_only": True}
KINDS = [*map(SCORES.get, ("bjp", "ib", "near")), type("B", (AssertionScore,), BOTH_NEAR)()]


def test_a_thorough_climb_ends_where_a_pair_is_never_proposed():
    # Two copies of a column are certainly dependent: nothing disagrees less with their edge.
    x = np.random.default_rng(0).integers(0, 2, size=(40_000, 4))
    for method in ("bjp", "ib", "near"):
        trace = bjp.learn(np.column_stack([x, x[:, 0]]), method, "hill-climb")
        assert trace.stop_reason is bjp.search.StopReason.NO_FLIP, method
        assert len(trace.proposals) < 200, method
        assert trace.graph.has_edge(0, 4), method


@given(samples_with_graph())
def test_each_test_is_made_once(case):
    sample, edges = case
    for kind in KINDS:
        tests = set()
        for term in bjp.score(sample.data, as_graph(edges, sample.n), kind).terms:
            if term.computed:
                apart = (
                    oracles.near(edges, term.x, term.y)
                    if kind.near_only
                    else len(oracles.blanket(edges, term.x) | oracles.blanket(edges, term.y))
                )
                # Given nothing, either end will do.
                tests.add((term.x, term.y) if apart else frozenset((term.x, term.y)))
        adjacency = nx.to_numpy_array(as_graph(edges, sample.n), dtype=np.bool_)
        made = kind.assertions(sample.data, adjacency, IndependenceOptions())
        assert made.tests == len(tests), kind.name
