"""The forest of the greatest evidence and the Chow-Liu tree, against all forests and trees."""

import itertools
import math
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine import independence_test
from bjp_engine.errors import Cancelled
from bjp_engine.progress import Progress
from bjp_engine.search.auto.forest import forest_odds, heaviest_forest, marginal_evidence
from bjp_engine.search.chow_liu import chow_liu_tree, mutual_information
from bjp_engine.search.starts import STARTS
from tests.strategies import edges_in, noisy_tree, random_sample, samples_with_test

PRIOR = -1.5


def symmetric(weights):
    upper = np.triu(weights, 1)
    return upper + upper.T


def forests(weights):
    """Those of the greatest total weight, of all sets of pairs of positive weight."""
    pairs = [(i, j) for i, j in itertools.combinations(range(len(weights)), 2) if weights[i, j] > 0]
    found, most = [], 0.0
    for size in range(len(weights)):
        for chosen in itertools.combinations(pairs, size):
            total = sum(weights[pair] for pair in chosen)
            if total >= most and (not chosen or nx.is_forest(nx.Graph(chosen))):
                found = [*(found if total == most else []), frozenset(chosen)]
                most = total
    return found


def pairs_of(adjacency):
    assert (adjacency == adjacency.T).all()
    return {(int(i), int(j)) for i, j in np.argwhere(np.triu(adjacency))}


@given(st.integers(0, 100_000), st.integers(1, 5))
def test_of_all_forests_none_weighs_more_and_of_several_it_has_what_they_share(seed, n):
    rng = np.random.default_rng(seed)
    weights = symmetric(rng.normal(0.3, 1.0, (n, n)))
    (heaviest,) = forests(weights)
    assert pairs_of(heaviest_forest(weights)) == heaviest
    weights = symmetric(rng.integers(-1, 3, (n, n)).astype(float))
    found, heaviest = pairs_of(heaviest_forest(weights)), forests(weights)
    assert found <= frozenset.intersection(*heaviest)
    # What is missing is in a cycle with what they differ by.
    together = nx.Graph(set().union(*heaviest))
    assert found == {tuple(sorted(pair)) for pair in nx.bridges(together)}
    # A line of many.
    order = rng.permutation(100)
    line = symmetric(np.diag(1.0 + np.arange(99) % 7, 1))[np.ix_(order, order)]
    assert (heaviest_forest(np.where(line > 0, line, -1.0)) == (line > 0)).all()


def test_evidence_is_that_of_the_centred_test_and_of_copies_finite_and_great():
    for seed, gamma in itertools.product(range(3), (0.5, 1.0, 3.0)):
        data = noisy_tree(seed, (2, 3, 2, 4), 60).data
        found = marginal_evidence(data, gamma=gamma)
        for x, y in itertools.combinations(range(4), 2):
            test = independence_test(data, x, y, gamma=gamma, prior_cells="centred")
            odds = np.mean(np.exp(test.slices[0].log_odds))
            assert found[x, y] == found[y, x] == pytest.approx(math.log(odds), abs=1e-9)
        assert (found.diagonal() == -np.inf).all()
    coin = np.random.default_rng(0).integers(2, size=5000)
    found = marginal_evidence(bjp.Dataset.from_codes(np.stack([coin, coin], axis=1)))
    assert 3000 < found[0, 1] < 5000


def odds(data):
    return forest_odds(data, np.full((data.n, data.n), PRIOR))


def test_odds_are_evidence_and_prior_on_the_forest():
    data = noisy_tree(3, (2,) * 7, 400, 0.8).data
    found = odds(data)
    there = np.isfinite(found)
    assert nx.is_forest(nx.from_numpy_array(there))
    assert 3 <= there.sum() / 2 <= 6
    expected = marginal_evidence(data) + 0.8 * PRIOR
    assert found[there] == pytest.approx(expected[there], abs=1e-8)
    assert (found > 0)[there].all()
    assert (found == -np.inf)[~there].all()
    # They do not depend on other columns.
    for others in ((), (1,), (3,)):
        columns = [np.random.default_rng(5).integers(r, size=400) for r in others]
        wider = np.column_stack([data.codes, *columns])
        wider = bjp.Dataset.from_codes(wider, (2,) * 7 + others)
        assert (odds(wider)[:7, :7] == found).all(), others
    with pytest.raises(Cancelled):
        forest_odds(data, np.zeros((7, 7)), Progress(cancelled=lambda: True))
    # They find the network that is a forest.
    network = bjp.networks.load("hub-3")
    data = bjp.sampling.random_model(network, "log-odds", seed=1000).sample(1000, seed=1000)
    found = np.isfinite(forest_odds(data, np.full((data.n, data.n), -3.4)))
    assert (found == bjp.graph.to_adjacency(network, data)).all()


def test_copies_and_constants_and_those_of_many_states_have_no_edge():
    rng = np.random.default_rng(2)
    coin, other = rng.integers(2, size=(2, 300))
    near = np.where(rng.random(300) < 0.9, coin, 1 - coin)
    die = rng.integers(3, size=300)
    for name, columns, cards, expected in (
        ("copies", [coin, coin, near, other], (2,) * 4, set()),
        ("a constant", [coin, 0 * coin], (2, 2), set()),
        ("no rows", np.zeros((3, 0), dtype=int), (2,) * 3, set()),
        ("one variable", np.zeros((1, 5), dtype=int), (2,), set()),
        ("only binary variables", [coin, coin, die, die], (2, 2, 3, 3), {(0, 1)}),
    ):
        data = bjp.Dataset.from_codes(np.stack(columns, axis=1), cards)
        assert pairs_of(np.isfinite(odds(data))) == expected, name
    # Two that depend on one of many states are no neighbours.
    rng = np.random.default_rng(4)
    die = rng.integers(4, size=2000)
    ends = [np.where(rng.random(2000) < 0.9, die >= k, rng.random(2000) < 0.5) for k in (1, 2)]
    whole = bjp.Dataset.from_codes(np.stack([die, *ends], axis=1).astype(int))
    assert np.isfinite(odds(whole.select([1, 2]))).any()
    assert not np.isfinite(odds(whole)).any()


def assert_informations(sample):
    """Σ p(a, b) ln [p(a, b) / (p(a) p(b))], cell by cell."""
    found, rows = mutual_information(sample.data), len(sample.rows)
    assert (found == found.T).all()
    assert (np.diagonal(found) == 0).all()
    for i, j in itertools.combinations(range(sample.n), 2):
        cells = Counter((row[i], row[j]) for row in sample.rows)
        one, other = (Counter(row[k] for row in sample.rows) for k in (i, j))
        terms = [(c / rows, c * rows / (one[a] * other[b])) for (a, b), c in cells.items()]
        expected = math.fsum(share * math.log(ratio) for share, ratio in terms)
        assert found[i, j] == pytest.approx(expected, abs=1e-11)


class TestChowLiu:
    @given(samples_with_test(max_rows=60).filter(lambda case: case[0].rows))
    def test_information(self, case):
        assert_informations(case[0])

    def test_information_of_many_states_and_of_none(self):
        for cards in ((9, 2, 300, 2), (40, 1, 50), (2,), (1, 1)):
            assert_informations(random_sample(0, cards, 150))
        data = bjp.Dataset.from_codes(np.empty((0, 3), dtype=np.int64), [2, 2, 2])
        assert not mutual_information(data).any()
        assert not chow_liu_tree(data).any()
        # A constant column is joined to none.
        data = noisy_tree(0, (2, 3, 2), 80).data
        tree = chow_liu_tree(bjp.Dataset.from_codes(np.insert(data.codes, 3, 0, axis=1)))
        assert (tree[:3, :3] == chow_liu_tree(data)).all()
        assert (tree.sum(), tree[3].any()) == (4, False)

    @given(st.integers(0, 1000), st.integers(2, 5))
    def test_no_spanning_tree_has_more(self, seed, n):
        data = noisy_tree(seed, (2, 3, 2, 4, 2)[:n], 60).data
        information, tree = mutual_information(data), nx.from_numpy_array(chow_liu_tree(data))
        assert nx.is_forest(tree)
        assert all(information[edge] > 0 for edge in tree.edges)
        best = nx.maximum_spanning_tree(nx.from_numpy_array(information))
        totals = [sum(information[edge] for edge in one.edges) for one in (tree, best)]
        assert totals[0] == pytest.approx(totals[1], abs=1e-10)

    def test_finds_a_tree_that_the_data_come_from_and_a_climb_starts_from_it(self):
        truth = nx.random_labeled_tree(20, seed=3)
        data = bjp.sampling.random_model(truth, "log-odds", epsilon=1.5).sample(5000, seed=0)
        assert nx.utils.edges_equal(nx.from_numpy_array(chow_liu_tree(data)).edges, truth.edges)
        assert "chow-liu" in STARTS
        data = noisy_tree(2, (2, 3, 2, 2, 4), 200).data
        expected = edges_in(nx.from_numpy_array(chow_liu_tree(data)))
        for method in ("bjp", "ib"):
            trace = bjp.learn(data, method, start="chow-liu", search="ibmap-hc")
            assert edges_in(trace.start) == expected
            from_graph = bjp.learn(data, method, start=trace.start, search="ibmap-hc")
            assert trace.score == from_graph.score
        watch = Progress(cancelled=iter([False] * 3 + [True] * 99).__next__)
        with pytest.raises(Cancelled):
            bjp.learn(data, start="chow-liu", progress=watch, search="ibmap-hc")
