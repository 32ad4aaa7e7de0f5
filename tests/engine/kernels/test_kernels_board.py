"""The board under flips: always what a board made anew for that graph would be."""

import math
from dataclasses import asdict, replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.independence import IndependenceOptions
from bjp_engine.kernels import climb as kernels
from bjp_engine.scores import SCORES, AssertionScore
from tests import oracles
from tests.strategies import as_graph, noisy_tree, samples_with_graph

KINDS = {method: SCORES[method] for method in ("bjp", "ib", "near")}
KINDS["both-near"] = type("Both", (AssertionScore,), {"both_ends": True, "near_only": True})()


def adjacency_of(edges, n):
    return nx.to_numpy_array(as_graph(edges, n), dtype=np.bool_)


def with_masks(made, most):
    """The same board, counted another way from now on."""
    return made if most is None else replace(made, table=made.table._replace(most_masks=most))


def assert_as_if_new(made, kind, data, options):
    """Everything on the board is what it would be if the graph had been there from the start."""
    board = made.board
    fresh = kind.assertions(data, board.adjacency, options).board
    assert (board.adjacency == board.adjacency.T).all()
    assert (board.degree == fresh.degree).all()
    for x, degree in enumerate(fresh.degree):
        assert (board.neighbours[x, :degree] == fresh.neighbours[x, :degree]).all()
    assert (board.ways == fresh.ways).all()
    summed = computed(fresh)
    assert [board.values[pair] for pair in summed] == [fresh.values[pair] for pair in summed]
    assert (board.local == fresh.local).all()
    assert (board.least == fresh.least).all()
    assert made.score == pytest.approx(float(fresh.total[0]), rel=1e-12, abs=1e-28)
    exact = math.fsum(fresh.values[pair] for pair in summed)
    # Two doubles hold some 31 digits of the greatest term, which is below 1000.
    assert made.score == pytest.approx(exact, rel=1e-15, abs=1e-28)
    # Each is its own trace's, and so is what else is still known.
    known = np.argwhere(~np.isnan(board.values)).tolist() if data.n < 10 else []
    for x, y in known:
        if x != y:
            assert board.values[x, y] == value_of(kind, data, board.adjacency, x, y, options)


def computed(board):
    """The assertions that the score sums, as docs/theory.md §3 says."""
    n, rank = len(board.degree), np.empty(len(board.degree), dtype=int)
    rank[np.lexsort((np.arange(n), board.degree))] = np.arange(n)
    pairs = [(x, y) for x in range(n) for y in range(n) if x != y]
    return [(x, y) for x, y in pairs if board.both or rank[x] < rank[y]]


def value_of(kind, data, adjacency, x, y, options):
    """ln Pr of the assertion on (x, y) given the blanket of x, from its own trace."""
    edges = oracles.edges_of(np.argwhere(adjacency).tolist())
    of_x = oracles.near(edges, x, y) if kind.near_only else oracles.blanket(edges, x) - {y}
    trace = bjp.independence_test(data, x, y, sorted(of_x), **asdict(options))
    return trace.log_dependent if adjacency[x, y] else trace.log_independent


@st.composite
def walks(draw, binary):
    """Data, a graph, and edges to flip; some of them again and again."""
    states = {"states": st.just(2)} if binary else {}
    sample, edges = draw(samples_with_graph(min_variables=3, max_variables=7, **states))
    flips = draw(st.lists(st.sampled_from(oracles.pairs(sample.n)), min_size=1, max_size=12))
    turned = draw(st.lists(st.booleans(), min_size=len(flips), max_size=len(flips)))
    return sample, edges, [p[::-1] if back else p for p, back in zip(flips, turned, strict=True)]


CHOICES = [
    IndependenceOptions(),
    IndependenceOptions(prior=0.9, gamma=0.3),
    IndependenceOptions(slices="observed"),
    IndependenceOptions(prior=1e-300),
    IndependenceOptions(prior=0.9, prior_cells="centred"),
]


def flip_all(made, flips):
    """Flip one edge after another, with no regard to the score."""
    assert made.propose(flips, np.full(len(flips), -np.inf)).kept.all()


def each_kind(sample, edges, options, most=None):
    """The board of a graph for each kind of score."""
    for kind in KINDS.values():
        made = kind.assertions(sample.data, adjacency_of(edges, sample.n), options)
        yield kind, with_masks(made, most)


class TestFlips:
    @given(
        st.booleans().flatmap(walks), st.sampled_from(CHOICES), st.sampled_from([None, 0, 1 << 13])
    )
    def test_lead_to_the_board_of_their_graph(self, walk, options, most):
        sample, edges, flips = walk
        ended = edges
        for pair in flips:
            ended ^= {frozenset(pair)}
        for kind, made in each_kind(sample, edges, options, most):
            flip_all(made, np.array(flips))
            assert (made.adjacency == adjacency_of(ended, sample.n)).all()
            assert_as_if_new(made, kind, sample.data, options)

    @given(walks(binary=False), st.sampled_from(CHOICES))
    def test_a_refused_proposal_leaves_no_trace(self, walk, options):
        sample, edges, _ = walk
        for kind, made in each_kind(sample, edges, options):
            record, end = made.climb(200, 1)
            assert end == kernels.REFUSED
            assert made.score == record.before[-1]
            assert_as_if_new(made, kind, sample.data, options)
            again, end = made.climb(200, 1)
            assert end == kernels.REFUSED
            assert again.pair.tolist() == record.pair[-1:].tolist()

    def test_a_long_walk_and_back(self):
        rng, sample = np.random.default_rng(0), noisy_tree(3, (2, 2, 3, 2) * 5, 300)
        pairs = np.array(oracles.pairs(sample.n))
        flips = pairs[rng.integers(len(pairs), size=300)]
        for kind, made in each_kind(sample, frozenset(), IndependenceOptions()):
            begun, values = made.score, made.board.local.copy()
            for part in np.array_split(flips, 6):
                flip_all(made, part)
                assert_as_if_new(made, kind, sample.data, IndependenceOptions())
            flip_all(made, flips[::-1])
            assert not made.adjacency.any()
            assert (made.board.local == values).all()
            # Six hundred flips of a sum in two doubles, and not a bit is lost.
            assert made.score == begun


def test_a_thorough_climb_ends_where_a_pair_is_never_proposed():
    # Two copies of a column are certainly dependent: nothing disagrees less with their edge.
    x = np.random.default_rng(0).integers(0, 2, size=(40_000, 4))
    data = bjp.Dataset.from_codes(np.column_stack([x, x[:, 0]]))
    for name, kind in KINDS.items():
        start = np.zeros((5, 5), dtype=np.bool_)
        made = kind.assertions(data, start, IndependenceOptions(), goes_on=True)
        record, end = made.climb(2000, 1)
        assert end == kernels.NONE_LEFT, name
        assert len(record.score) < 200, name
        assert made.adjacency[0, 4]
        assert np.isinf(made.board.local[0, 4])


@given(samples_with_graph())
def test_each_test_is_made_once(case):
    sample, edges = case
    for kind, made in each_kind(sample, edges, IndependenceOptions()):
        tests = set()
        for x, y in computed(made.board):
            degrees = made.board.degree[[x, y]]
            given_ = oracles.near(edges, x, y) if kind.near_only else degrees.any()
            # Given nothing, either end will do.
            tests.add((x, y) if given_ else frozenset((x, y)))
        assert made.board.tests[0] == len(tests)
    for _, made in each_kind(sample, frozenset(), IndependenceOptions()):
        assert made.tests == sample.n * (sample.n - 1) // 2
