"""The Chow-Liu tree against sums over rows, and against every spanning tree."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.search import PUBLISHED
from bjp_engine.search.chow_liu import chow_liu_tree, mutual_information
from bjp_engine.search.starts import STARTS
from tests.strategies import Sample, noisy_tree, random_sample, samples_with_test


def information_of(sample: Sample, i: int, j: int) -> float:
    """Σ p(a, b) ln [p(a, b) / (p(a) p(b))], cell by cell."""
    rows = len(sample.rows)
    cells = Counter((row[i], row[j]) for row in sample.rows)
    one, other = Counter(row[i] for row in sample.rows), Counter(row[j] for row in sample.rows)
    return math.fsum(
        c / rows * math.log(c * rows / (one[a] * other[b])) for (a, b), c in cells.items()
    )


def assert_informations(sample: Sample) -> None:
    found = mutual_information(sample.data)
    assert (found == found.T).all()
    assert (np.diagonal(found) == 0).all()
    for i, j in itertools.combinations(range(sample.n), 2):
        assert found[i, j] == pytest.approx(information_of(sample, i, j), abs=1e-11)


@settings(max_examples=50)
@given(samples_with_test(max_rows=60))
def test_information(case: tuple[Sample, int, int, tuple[int, ...]]) -> None:
    if case[0].rows:
        assert_informations(case[0])


@pytest.mark.parametrize("cards", [(2, 1, 3, 8), (9, 2, 300, 2), (40, 1, 50), (2,), (1, 1)])
def test_information_of_any_states(cards: tuple[int, ...]) -> None:
    assert_informations(random_sample(0, cards, 150))


def test_no_rows() -> None:
    data = bjp.Dataset.from_codes(np.empty((0, 3), dtype=np.int64), [2, 2, 2])
    assert not mutual_information(data).any()
    assert not chow_liu_tree(data).any()


def test_a_constant_column_is_joined_to_none() -> None:
    sample = noisy_tree(0, (2, 3, 2), 80)
    constant = Sample(tuple((*row, 0) for row in sample.rows), (*sample.cards, 1))
    tree = chow_liu_tree(constant.data)
    assert not tree[3].any()
    assert (tree[:3, :3] == chow_liu_tree(sample.data)).all()
    assert tree.sum() == 4


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.integers(2, 5))
def test_no_spanning_tree_has_more(seed: int, n: int) -> None:
    sample = noisy_tree(seed, (2, 3, 2, 4, 2)[:n], 60)
    information = mutual_information(sample.data)
    tree = nx.from_numpy_array(chow_liu_tree(sample.data))
    assert nx.is_forest(tree)
    assert all(information[edge] > 0 for edge in tree.edges)
    pairs = list(itertools.combinations(range(n), 2))
    totals = [
        sum(information[edge] for edge in edges)
        for edges in itertools.combinations(pairs, n - 1)
        if nx.is_tree(nx.Graph(edges)) and len(nx.Graph(edges)) == n
    ]
    assert sum(information[edge] for edge in tree.edges) == pytest.approx(max(totals), abs=1e-10)


def test_finds_a_tree_that_the_data_come_from() -> None:
    truth = nx.random_labeled_tree(20, seed=3)
    data = bjp.sampling.random_model(truth, "log-odds", epsilon=1.5).sample(5000, seed=0)
    assert nx.utils.edges_equal(nx.from_numpy_array(chow_liu_tree(data)).edges, truth.edges)


@pytest.mark.parametrize("method", ["bjp", "ib"])
def test_a_climb_starts_from_it(method: str) -> None:
    assert "chow-liu" in STARTS
    sample = noisy_tree(2, (2, 3, 2, 2, 4), 200)
    trace = bjp.learn(sample.data, method, start="chow-liu", search=PUBLISHED[method])
    expected = {frozenset(map(int, edge)) for edge in np.argwhere(chow_liu_tree(sample.data))}
    assert {frozenset(edge) for edge in trace.start.edges} == expected
    given_graph = bjp.learn(sample.data, method, start=trace.start, search=PUBLISHED[method])
    assert set(trace.graph.edges) == set(given_graph.graph.edges)
    assert trace.score == given_graph.score


def test_cancelled() -> None:
    data = random_sample(0, (2,) * 6, 50).data
    with pytest.raises(bjp.errors.Cancelled):
        bjp.learn(
            data,
            start="chow-liu",
            progress=bjp.Progress(cancelled=iter([False] * 3 + [True] * 99).__next__),
            search="ibmap-hc",
        )
