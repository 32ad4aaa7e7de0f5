"""All graphs: the look-up tables against scoring each graph on its own (docs/theory.md §4)."""

import math
import tracemalloc
from functools import partial
from itertools import product
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.errors import BJPError, Cancelled, DataError, OptionError
from bjp_engine.search import PUBLISHED
from tests import oracles
from tests.refusals import assert_refused
from tests.strategies import Sample, as_graph, edges_in, noisy_tree, random_sample, samples

CORONARY = Path(__file__).parents[3] / "sample_data" / "datasets" / "coronary.csv"
METHODS = ("bjp", "ib", "mpl", "near")
SIX = random_sample(1, (2,) * 6, 200)
SEVEN = random_sample(11, (2,) * 7, 300)
NO_ROWS = Sample((), (2, 3, 2, 4, 2, 300))
OPTIONS = {
    "bjp": {"prior": 0.8, "slices": "observed"},
    "ib": {"gamma": 2.0},
    "near": {"prior_cells": "centred", "expected_degree": 1},
    "mpl": {"ess": 9},
}


def graph_of(number, n):
    """Bit p of a graph's number is its p-th pair in lexicographic order."""
    return oracles.edges_of(p for bit, p in enumerate(oracles.pairs(n)) if number >> bit & 1)


def assert_all(sample, method, **options):
    """Scores, shares, probabilities of edges and the best graph are the oracle's."""
    n = sample.n
    score = partial(oracles.score, sample.rows, sample.cards, method=method, **options)
    truth = {edges: score(edges) for edges in oracles.all_graphs(n)}
    table = bjp.all_graphs(sample.data, method, **options)
    assert len(table.scores) == len(truth)
    total = sum(oracles.mp.exp(value) for value in truth.values())
    for number, value in enumerate(table.scores):
        exact = truth[graph_of(number, n)]
        share = float(exact - oracles.mp.log(total))
        assert value == pytest.approx(float(exact), rel=1e-9, abs=1e-30)
        assert value - table.log_normaliser == pytest.approx(share, rel=1e-9, abs=1e-12)
        assert table.number(as_graph(graph_of(number, n), n)) == number
    for i, j in oracles.pairs(n):
        edge = frozenset((i, j))
        expected = sum(oracles.mp.exp(v) for e, v in truth.items() if edge in e) / total
        assert table.edge_probabilities[i, j] == pytest.approx(float(expected), rel=1e-9)
        assert table.edge_probabilities[j, i] == table.edge_probabilities[i, j]
    trace = bjp.learn(sample.data, method, "exhaustive", **options)
    assert trace.score == pytest.approx(float(max(truth.values())), rel=1e-9, abs=1e-30)
    assert float(truth[edges_in(trace.graph)]) == pytest.approx(trace.score, rel=1e-9)


@given(samples(max_variables=3), st.sampled_from(METHODS))
def test_every_graph_on_up_to_three_variables(sample, method):
    assert_all(sample, method)


@pytest.mark.parametrize("method", METHODS)
def test_every_graph_on_four_variables(method):
    assert_all(random_sample(0, (2, 3, 4, 2), 50), method)
    assert_all(random_sample(5, (2, 3, 2, 2), 40), method)
    if method in ("bjp", "ib"):
        assert_all(noisy_tree(5, (2, 3, 2, 2), 120), method, prior=0.8, prior_cells="centred")


def assert_looked_up(table, sample, method, numbers, **options):
    """Scores of these graphs by their numbers, and their numbers and graphs."""
    assert table.scores.shape == (2 ** len(oracles.pairs(sample.n)),)
    for number in map(int, numbers):
        graph = as_graph(graph_of(number, sample.n), sample.n)
        direct = bjp.score(sample.data, graph, method, **options).total
        assert table.scores[number] == pytest.approx(direct, rel=1e-9, abs=1e-12), method
        assert table.number(graph) == number
        assert edges_in(table.graph(number)) == edges_in(graph)


class TestSixVariables:
    @pytest.mark.parametrize("method", METHODS)
    def test_look_up_equals_score(self, method):
        declared = random_sample(2, (2, 5, 3, 40, 2, 4), 120, declared=(2, 5, 4, 40, 3, 4))
        numbers = np.random.default_rng(3).integers(32_768, size=197)
        for sample in (SIX, declared, NO_ROWS):
            table = bjp.all_graphs(sample.data, method)
            assert_looked_up(table, sample, method, (0, 32_767, table.best, *numbers))
        options = OPTIONS[method]
        table = bjp.all_graphs(SIX.data, method, **options)
        assert_looked_up(table, SIX, method, (0, 77, 12_345, 32_767), **options)

    @pytest.mark.parametrize("method", METHODS)
    def test_the_best_graph(self, method):
        data = SIX.data
        table = bjp.all_graphs(data, method)
        # No more tests than these are made.
        assert table.tests == (192 if method == "mpl" else 240)
        trace = bjp.learn(data, method, "exhaustive")
        assert table.best == int(np.argmax(table.scores))
        assert edges_in(trace.graph) == edges_in(table.graph(table.best))
        assert trace.score >= bjp.learn(data, method, PUBLISHED[method]).score
        # Real data: the hill climb's graph is one of them, at the score that the table gives it.
        coronary = bjp.Dataset.from_frame(pd.read_csv(CORONARY))
        table = bjp.all_graphs(coronary, method)
        climb = bjp.learn(coronary, method, PUBLISHED[method])
        assert table.scores[table.number(climb.graph)] == pytest.approx(climb.score, rel=1e-12)
        assert table.scores.max() >= climb.score - 1e-12 * abs(climb.score)
        # Equal scores go by number.
        table = bjp.all_graphs(NO_ROWS.data, "mpl")
        assert (set(table.scores.tolist()), table.best) == ({0.0}, 0)
        assert table.ranking.tolist() == list(range(32_768))
        assert not table.ranking.flags.writeable


class TestSevenVariables:
    @pytest.mark.slow
    @pytest.mark.parametrize("method", METHODS)
    def test_look_up_equals_the_sum_of_every_term(self, method):
        # Each term is made by a test or local score of its own, with odds and without.
        for sample in (SEVEN, random_sample(12, (2, 4, 3, 2, 5, 2, 3), 60)):
            rng = np.random.default_rng(4)
            odds = rng.normal(size=(7, 7))
            odds += odds.T.copy()
            plain = bjp.all_graphs(sample.data, method)
            weighed = bjp.all_graphs(sample.data, method, log_odds=odds)
            assert plain.scores.shape == (2_097_152,)
            # The ends of blocks, and graphs from everywhere.
            ends = (0, 32_767, 32_768, 2_097_151, plain.best)
            for number in (*ends, *map(int, rng.integers(2_097_152, size=30))):
                edges = graph_of(number, 7)
                expected = slow_sum(sample, edges, method)
                assert plain.scores[number] == pytest.approx(expected, rel=1e-9, abs=1e-12)
                expected += sum(odds[min(edge), max(edge)] for edge in edges)
                assert weighed.scores[number] == pytest.approx(expected, rel=1e-9, abs=1e-9)
                assert plain.number(as_graph(edges, 7)) == number
                assert edges_in(plain.graph(number)) == edges_in(as_graph(edges, 7))

    def test_ranks_edge_probabilities_and_memory(self):
        tracemalloc.start()
        try:
            table = bjp.all_graphs(SEVEN.data)
            # The index is made block by block: one of all graphs takes far more.
            assert tracemalloc.get_traced_memory()[1] < 40_000_000
        finally:
            tracemalloc.stop()
        ordered = table.scores[table.ranking]
        assert (np.diff(ordered) <= 1e-12 * np.abs(ordered[1:])).all()
        assert sorted(table.ranking[:1000]) == sorted(np.argsort(-table.scores)[:1000])
        assert table.rank(table.graph(table.best)) == 1
        weights = np.exp(table.scores - table.scores.max())
        numbers = np.arange(len(weights))
        for p, (i, j) in enumerate(oracles.pairs(7)):
            share = weights[numbers >> p & 1 == 1].sum() / weights.sum()
            assert table.edge_probabilities[i, j] == pytest.approx(share, rel=1e-9)
        # Between blocks it may be cancelled.
        seen = []
        watching = bjp.Progress(lambda *now: seen.append(now), lambda: len(seen) > 140)
        with pytest.raises(Cancelled):
            bjp.all_graphs(SEVEN.data, "bjp", progress=watching)
        assert 0 < seen[-1][0] < seen[-1][1] == 2_097_152
        with pytest.raises(Cancelled):
            bjp.learn(SIX.data, "bjp", "exhaustive", progress=bjp.Progress(cancelled=lambda: True))


def slow_sum(sample, edges, method):
    """A graph's score from single tests and local scores, each asked for by name."""
    n, data = sample.n, sample.data
    blankets = [sorted(oracles.blanket(edges, x)) for x in range(n)]
    if method == "mpl":
        return math.fsum(bjp.scores.local_trace(data, x, blankets[x]).value for x in range(n))
    terms = []
    for x, y in oracles.pairs(n):
        ends = [(x, y), (y, x)]
        if method != "ib":
            # From the end with the smaller blanket, of equal ones the first.
            ends = [min(ends, key=lambda end: (len(blankets[end[0]]), end[0]))]
        for a, b in ends:
            given_ = [z for z in blankets[a] if z != b]
            if method == "near":
                given_ = sorted(oracles.near(edges, a, b))
            test = bjp.independence_test(data, a, b, given_)
            terms.append(test.log_dependent if b in blankets[a] else test.log_independent)
    return math.fsum(terms)


class TestTable:
    def test_ranks_names_and_small_tables(self):
        sample = random_sample(5, (2, 3, 2, 2), 40)
        table = bjp.all_graphs(sample.data)
        assert list(table.scores[table.ranking]) == sorted(table.scores, reverse=True)
        for place, number in enumerate(table.ranking[:5], start=1):
            ties = int((table.scores == table.scores[number]).sum())
            assert place <= table.rank(table.graph(int(number))) < place + ties
        with pytest.raises(ValueError, match="read-only"):
            table.scores[0] = 0.0
        named = bjp.Dataset.from_codes(np.array(sample.rows), sample.cards, [*"dbca"])
        named = bjp.all_graphs(named)
        assert (named.scores == table.scores).all()
        assert list(named.graph(1).edges) == [("d", "b")]
        assert named.number(nx.Graph([("c", "a")])) == 1 << 5
        alone = bjp.all_graphs(bjp.Dataset.from_codes([[0], [1]]))
        assert alone.scores.tolist() == [0.0]
        both = bjp.all_graphs(bjp.Dataset.from_codes([[0, 0], [0, 0], [1, 1], [1, 1]]))
        assert both.scores == pytest.approx([math.log(7 / 37), math.log(30 / 37)])

    def test_what_is_refused(self):
        eight = bjp.Dataset.from_codes(np.zeros((3, 8), dtype=int), cardinalities=[2] * 8)
        assert_refused(DataError, r"8 variables.* at most 7", bjp.all_graphs, eight)
        assert_refused(DataError, r"8 variables.* at most 7", bjp.learn, eight, "bjp", "exhaustive")
        data = random_sample(1, (2, 2, 2), 5).data
        assert_refused(OptionError, "bic", bjp.all_graphs, data, "bic")
        assert_refused(OptionError, "start", bjp.learn, data, "bjp", "exhaustive", start="empty")
        for number in (-1, 8):
            assert_refused((BJPError, IndexError), "", bjp.all_graphs(data).graph, number)


def test_every_search_with_centred_prior_cells_scores_as_the_oracle():
    options = {"prior": 0.8, "prior_cells": "centred"}
    mixed, binary = noisy_tree(3, (2, 3, 2, 4, 2), 150), noisy_tree(4, (2,) * 5, 400)
    # `auto` adds a prior of its own.
    searches = [(m, s) for m in ("bjp", "ib") for s in bjp.search.searches_for(m) if s != "auto"]
    assert len(searches) > 10
    for (method, search), sample in product(searches, (mixed, binary)):
        trace = bjp.learn(sample.data, method, search, **options)
        edges = edges_in(trace.graph)
        truth = oracles.score(sample.rows, sample.cards, edges, method, **options)
        assert trace.score == pytest.approx(float(truth), rel=1e-9), (method, search)
        assert trace.score != bjp.score(sample.data, trace.graph, method, prior=0.8).score
    # Independent columns of many states have hardly an edge.
    edges = {"equal": 0, "centred": 0}
    for cells, seed in product(edges, range(1000, 1004)):
        data = noisy_tree(seed, (20,) * 8, 400, keep=0.0).data
        trace = bjp.learn(data, "bjp", "hill-climb", prior=0.9, prior_cells=cells)
        edges[cells] += trace.graph.number_of_edges()
    assert edges["centred"] <= 1
    assert edges["equal"] > 20
