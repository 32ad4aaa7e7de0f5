"""The board under flips: always what a board made anew for that graph would be."""

import math
from dataclasses import fields, replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.counters.tally import columns
from bjp_engine.counts import table_of
from bjp_engine.independence import TestOptions
from bjp_engine.kernels import climb as kernels
from bjp_engine.kernels.board import Rule
from bjp_engine.kernels.tests import MOST_GIVEN, SCRATCH
from bjp_engine.scores import SCORES, AssertionScore
from bjp_engine.scores.board import Assertions
from bjp_engine.search import PUBLISHED
from tests import oracles
from tests.kernels import small_assertion
from tests.strategies import as_graph, noisy_tree, random_sample, samples_with_graph

KINDS = {method: SCORES[method] for method in ("bjp", "ib", "near")}
KINDS["both-near"] = type("Both", (AssertionScore,), {"both_ends": True, "near_only": True})()


def adjacency_of(edges, n):
    made = np.zeros((n, n), dtype=np.bool_)
    for i, j in map(tuple, edges):
        made[i, j] = made[j, i] = True
    return made


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
    # What else is still known is right, too.
    for x, y in np.argwhere(~np.isnan(board.values)).tolist():
        if (x, y) not in summed and x != y and data.n < 10:
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
    given_ = sorted(of_x)
    trace = bjp.independence_test(
        data, int(x), int(y), given_, **{f.name: getattr(options, f.name) for f in fields(options)}
    )
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
    TestOptions(),
    TestOptions(prior=0.9, gamma=0.3),
    TestOptions(slices="observed"),
    TestOptions(prior=1e-300),
    TestOptions(prior=0.9, prior_cells="centred"),
]


def flip(graph, x, y):
    graph.remove_edge(x, y) if graph.has_edge(x, y) else graph.add_edge(x, y)


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
        for kind, made in each_kind(sample, frozenset(), TestOptions()):
            begun, values = made.score, made.board.local.copy()
            for part in np.array_split(flips, 6):
                flip_all(made, part)
                assert_as_if_new(made, kind, sample.data, TestOptions())
            flip_all(made, flips[::-1])
            assert not made.adjacency.any()
            assert (made.board.local == values).all()
            # Six hundred flips of a sum in two doubles, and not a bit is lost.
            assert made.score == begun

    def test_to_the_complete_graph_on_many(self):
        sample = noisy_tree(5, (2,) * 14, 200)
        for kind, made in each_kind(sample, frozenset(), TestOptions()):
            flip_all(made, np.array(oracles.pairs(14)))
            assert made.adjacency.sum() == 14 * 13
            assert_as_if_new(made, kind, sample.data, TestOptions())


def test_a_thorough_climb_ends_where_a_pair_is_never_proposed():
    # Two copies of a column are certainly dependent: nothing disagrees less with their edge.
    x = np.random.default_rng(0).integers(0, 2, size=(40_000, 4))
    data = bjp.Dataset.from_codes(np.column_stack([x, x[:, 0]]))
    rule = Rule(by_gain=True, goes_on=True, thorough=True, limit=np.inf)
    for name, kind in KINDS.items():
        start = np.zeros((5, 5), dtype=np.bool_)
        made = kind.assertions(data, start, TestOptions(), rule=rule)
        record, end = made.climb(2000, 1)
        assert end == kernels.NONE_LEFT, name
        assert len(record.score) < 200, name
        assert made.adjacency[0, 4]
        assert np.isinf(made.board.local[0, 4])


@given(samples_with_graph())
def test_each_test_is_made_once(case):
    sample, edges = case
    for kind, made in each_kind(sample, edges, TestOptions()):
        board = made.board
        # Given nothing, either end will do.
        alone = {
            frozenset(pair)
            if not (
                oracles.near(edges, *pair) if kind.near_only else board.degree[list(pair)].any()
            )
            else pair
            for pair in computed(board)
        }
        assert board.tests[0] == len(alone)
    for _, made in each_kind(sample, frozenset(), TestOptions()):
        assert made.tests == sample.n * (sample.n - 1) // 2


class TestSmall:
    @given(
        samples_with_graph(states=st.just(2), max_variables=7, max_rows=300),
        st.sampled_from([TestOptions(), TestOptions(0.01), TestOptions(0.99)]),
    )
    def test_equals_the_traced_test(self, case, options):
        sample, edges = case
        table, evidence = table_of(sample.data), options.evidence(sample.data)
        adjacency, scratch = adjacency_of(edges, sample.n), np.full(SCRATCH, -7)
        for x in range(sample.n):
            blanket = columns(np.flatnonzero(adjacency[x]).tolist())
            for y in range(sample.n):
                if x == y:
                    continue
                found = small_assertion(table, evidence, x, blanket, y, scratch)
                given_ = len(blanket) - adjacency[x, y]
                served = given_ <= MOST_GIVEN and set(sample.cards) == {2}
                if served:
                    assert found == value_of(SCORES["bjp"], sample.data, adjacency, x, y, options)
                elif given_ > MOST_GIVEN:
                    assert math.isnan(found)

    def test_leaves_the_others(self):
        for cards, options in (
            ((3, 2, 2), TestOptions()),
            ((2, 3, 2), TestOptions()),
            ((2, 2, 3), TestOptions()),
            ((2, 1, 2), TestOptions()),
            ((2, 2, 2), TestOptions(gamma=2.0)),
            ((2, 2, 2), TestOptions(slices="observed")),
            ((2, 2, 2), TestOptions(prior=1e-300)),
        ):
            sample = random_sample(0, cards, 20)
            table, evidence = table_of(sample.data), options.evidence(sample.data)
            scratch = np.zeros(SCRATCH, dtype=np.int64)
            found = small_assertion(table, evidence, 0, columns([2]), 1, scratch)
            assert math.isnan(found), (cards, options)


class TestClimb:
    @pytest.mark.parametrize("method", ["bjp", "ib", "near"])
    def test_ends_with_the_score_of_its_graph(self, method):
        for seed, cards, rows in (
            (0, (2,) * 30, 500),
            (1, (3, 2, 4) * 6, 400),
            (2, (2, 9, 3, 1, 2, 300), 200),
        ):
            data = noisy_tree(seed, cards, rows).data
            trace = bjp.learn(data, method, PUBLISHED[method])
            assert len(trace.steps) >= 3
            assert bjp.score(data, trace.graph, method).total == trace.score
            graph = nx.empty_graph(data.n)
            for step in trace.steps:
                flip(graph, *step.edge)
                assert bjp.score(data, graph, method).total == step.score

    @given(samples_with_graph(min_variables=3), st.sampled_from(["bjp", "ib", "near"]))
    def test_from_any_start(self, case, method):
        sample, edges = case
        start = as_graph(edges, sample.n)
        trace = bjp.learn(sample.data, method, start=start, search=PUBLISHED[method])
        assert bjp.score(sample.data, start, method).total == trace.start_score
        assert bjp.score(sample.data, trace.graph, method).total == trace.score
        if trace.rejected is not None:
            after = trace.graph.copy()
            flip(after, *trace.rejected.edge)
            assert bjp.score(sample.data, after, method).total == trace.rejected.score

    def test_lowest_are_the_lowest(self):
        data = noisy_tree(6, (2, 3, 2, 2, 2, 4), 150).data
        trace = bjp.learn(data, "ib", contributions=100, search="ibmap-hc")
        graph = nx.empty_graph(data.n)
        for step in trace.proposals:
            adjacency = nx.to_numpy_array(graph, dtype=bool)
            made = Assertions.of(data, adjacency, True, TestOptions())
            upper = made.board.local[np.triu_indices(data.n, 1)]
            assert [c.value for c in step.contributions] == pytest.approx(sorted(upper), rel=1e-12)
            assert len({c.edge for c in step.contributions}) == len(upper)
            for c in step.contributions:
                assert c.value == made.board.local[c.edge]
                assert c.adjacent == graph.has_edge(*c.edge)
            if step.accepted:
                flip(graph, *step.edge)
