"""All graphs: the look-up tables against scoring each graph on its own (docs/theory.md §4)."""

import math
from functools import partial

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.errors import BJPError, Cancelled, DataError, OptionError
from tests import oracles
from tests.engine.cost import peak_of
from tests.refusals import assert_refused
from tests.strategies import Sample, as_graph, edges_in, random_sample, samples

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


def assert_all(sample, method, **options):
    """Scores, shares, probabilities of edges and the best graph are the oracle's."""
    n = sample.n
    score = partial(oracles.score, sample.rows, sample.cards, method=method, **options)
    table = bjp.all_graphs(sample.data, method, **options)
    truth = {edges: score(edges) for edges in oracles.all_graphs(n)}
    total = sum(oracles.mp.exp(value) for value in truth.values())
    assert len(table.scores) == len(truth)
    # Bit p of a graph's number is its p-th pair in lexicographic order, as it is in the oracle.
    for number, (edges, exact) in enumerate(truth.items()):
        value, share = table.scores[number], float(exact - oracles.mp.log(total))
        assert value == pytest.approx(float(exact), rel=1e-9, abs=1e-30)
        assert value - table.log_normaliser == pytest.approx(share, rel=1e-9, abs=1e-12)
        assert table.number(as_graph(edges, n)) == number
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


def assert_looked_up(sample, method, numbers, **options):
    """Scores of these graphs by their numbers, and their numbers and graphs."""
    table = bjp.all_graphs(sample.data, method, **options)
    assert table.scores.shape == (2 ** len(oracles.pairs(sample.n)),)
    for number in (*map(int, numbers), table.best):
        # Bit p of a graph's number is its p-th pair in lexicographic order.
        pairs = [p for bit, p in enumerate(oracles.pairs(sample.n)) if number >> bit & 1]
        graph = as_graph(oracles.edges_of(pairs), sample.n)
        direct = bjp.score(sample.data, graph, method, **options).total
        assert table.scores[number] == pytest.approx(direct, rel=1e-9, abs=1e-9), method
        assert table.number(graph) == number
        assert edges_in(table.graph(number)) == edges_in(graph)
    return table


@pytest.mark.parametrize("method", METHODS)
def test_look_up_equals_score(method):
    declared = random_sample(2, (2, 5, 3, 40, 2, 4), 120, declared=(2, 5, 4, 40, 3, 4))
    numbers = np.random.default_rng(3).integers(32_768, size=97)
    for sample in (declared, NO_ROWS):
        assert_looked_up(sample, method, (0, 32_767, *numbers))
    assert_looked_up(SIX, method, (0, 77, 12_345, 32_767), **OPTIONS[method])
    table = assert_looked_up(SIX, method, (0, 32_767, *numbers))
    # No more tests than these are made.
    assert table.tests == (192 if method == "mpl" else 240)
    assert table.best == int(np.argmax(table.scores))
    best = bjp.learn(SIX.data, method, "exhaustive").graph
    assert edges_in(best) == edges_in(table.graph(table.best))


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_look_up_of_seven_variables(method):
    for sample in (SEVEN, random_sample(12, (2, 4, 3, 2, 5, 2, 3), 60)):
        rng = np.random.default_rng(4)
        odds = rng.normal(size=(7, 7))
        odds += odds.T.copy()
        # The ends of blocks, and graphs from everywhere.
        numbers = (0, 32_767, 32_768, 2_097_151, *rng.integers(2_097_152, size=30))
        assert_looked_up(sample, method, numbers)
        assert_looked_up(sample, method, numbers, log_odds=odds)


def test_ranks_edge_probabilities_and_memory_of_seven_variables():
    table, peak = peak_of(bjp.all_graphs, SEVEN.data)
    # The index is made block by block: one of all graphs takes far more.
    assert peak < 40_000_000
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


def test_ranks_names_and_small_tables():
    sample = random_sample(5, (2, 3, 2, 2), 40)
    table = bjp.all_graphs(sample.data)
    for place, number in enumerate(table.ranking[:5], start=1):
        ties = int((table.scores == table.scores[number]).sum())
        assert place <= table.rank(table.graph(int(number))) < place + ties
    assert not table.scores.flags.writeable
    named = bjp.all_graphs(bjp.Dataset.from_codes(sample.rows, sample.cards, [*"dbca"]))
    assert (named.scores == table.scores).all()
    assert list(named.graph(1).edges) == [("d", "b")]
    assert named.number(nx.Graph([("c", "a")])) == 1 << 5
    # Equal scores go by number.
    equal = bjp.all_graphs(NO_ROWS.data, "mpl")
    assert (set(equal.scores.tolist()), equal.best) == ({0.0}, 0)
    assert equal.ranking.tolist() == list(range(32_768))
    assert bjp.all_graphs(np.array([[0], [1]])).scores.tolist() == [0.0]
    both = bjp.all_graphs(np.array([[0, 0], [0, 0], [1, 1], [1, 1]]))
    assert both.scores == pytest.approx([math.log(7 / 37), math.log(30 / 37)])


def test_what_is_refused():
    eight, data = np.zeros((3, 8), dtype=int), random_sample(1, (2, 2, 2), 5).data
    for error, about, call, *argv in (
        (DataError, r"8 variables.* at most 7", bjp.all_graphs, eight),
        (DataError, r"8 variables.* at most 7", bjp.learn, eight, "bjp", "exhaustive"),
        (OptionError, "bic", bjp.all_graphs, data, "bic"),
        *(((BJPError, IndexError), "", bjp.all_graphs(data).graph, number) for number in (-1, 8)),
    ):
        assert_refused(error, about, call, *argv)
    assert_refused(OptionError, "start", bjp.learn, data, "bjp", "exhaustive", start="empty")
