"""The board under flips: always what a board made anew for that graph would be."""

from dataclasses import asdict, replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.independence import IndependenceOptions
from bjp_engine.scores import SCORES, AssertionScore
from tests import oracles
from tests.strategies import as_graph, noisy_tree, samples_with_graph

BOTH_NEAR = {"name": "both-near", "title": "Both", "both_ends": True, "near_only": True}
KINDS = [*map(SCORES.get, ("bjp", "ib", "near")), type("B", (AssertionScore,), BOTH_NEAR)()]
CHOICES = [
    IndependenceOptions(),
    IndependenceOptions(prior=0.9, gamma=0.3),
    IndependenceOptions(slices="observed"),
    IndependenceOptions(prior=1e-300),
    IndependenceOptions(prior=0.9, prior_cells="centred"),
]


def board_of(kind, sample, edges=frozenset(), options=CHOICES[0], **more):
    adjacency = nx.to_numpy_array(as_graph(edges, sample.n), dtype=np.bool_)
    return kind.assertions(sample.data, adjacency, options, **more)


def flip_all(made, flips):
    """Flip one edge after another, with no regard to the score."""
    assert made.propose(np.array(flips), np.full(len(flips), -np.inf)).kept.all()


def assert_as_if_new(made, kind, sample, options=CHOICES[0]):
    """Every number is that of the trace of the graph; the score to all digits of its largest."""
    board, graph = made.board, nx.from_numpy_array(made.adjacency)
    trace = bjp.score(sample.data, graph, kind, **asdict(options))
    assert made.score == pytest.approx(trace.total, rel=1e-15, abs=1e-28), kind.name
    local = np.zeros((sample.n, sample.n))
    for term in trace.terms:
        if term.computed:
            assert board.values[term.x, term.y] == term.value, kind.name
            local[term.x, term.y] += term.value
    local = np.where(np.tri(sample.n, dtype=bool), np.inf, local + local.T)
    assert (board.local == local).all(), kind.name
    assert (board.least == local.min(axis=1)).all(), kind.name


@st.composite
def walks(draw):
    """Data, a graph, and edges to flip; some of them again and again."""
    states = {"states": st.just(2)} if draw(st.booleans()) else {}
    sample, edges = draw(samples_with_graph(min_variables=3, max_variables=7, **states))
    pairs = st.sampled_from(oracles.pairs(sample.n)).flatmap(st.permutations)
    return sample, edges, draw(st.lists(pairs, min_size=1, max_size=12))


@given(walks(), st.sampled_from(CHOICES), st.sampled_from([None, 0, 1 << 13]))
def test_flips_lead_to_the_board_of_their_graph(walk, options, most_masks):
    sample, edges, flips = walk
    for kind in KINDS:
        made, ended = board_of(kind, sample, edges, options), edges
        if most_masks is not None:
            made = replace(made, table=made.table._replace(most_masks=most_masks))
        flip_all(made, flips)
        for pair in flips:
            ended ^= {frozenset(pair)}
        assert (made.adjacency == nx.to_numpy_array(as_graph(ended, sample.n))).all()
        assert_as_if_new(made, kind, sample, options)


def test_a_long_walk_and_back():
    rng, sample = np.random.default_rng(0), noisy_tree(3, (2, 2, 3, 2) * 5, 300)
    pairs = np.array(oracles.pairs(sample.n))
    flips = pairs[rng.integers(len(pairs), size=300)]
    for kind in KINDS:
        made = board_of(kind, sample)
        begun, values = made.score, made.board.local.copy()
        for part in np.array_split(flips, 6):
            flip_all(made, part)
            assert_as_if_new(made, kind, sample)
        flip_all(made, flips[::-1])
        assert not made.adjacency.any()
        assert (made.board.local == values).all()
        # Six hundred flips of a sum in two doubles, and not a bit is lost.
        assert made.score == begun


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
        assert board_of(kind, sample, edges).tests == len(tests), kind.name
