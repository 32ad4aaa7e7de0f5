"""The forest of the greatest evidence, against all forests and the tests of pairs by themselves."""

from __future__ import annotations

import itertools
import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine import independence_test
from bjp_engine.errors import Cancelled
from bjp_engine.progress import Progress
from bjp_engine.search.auto.forest import forest_odds, heaviest_forest, marginal_evidence
from tests.strategies import noisy_tree

PRIOR = -1.5


def symmetric(weights: np.ndarray) -> np.ndarray:
    upper = np.triu(weights, 1)
    return upper + upper.T


def forests(weights: np.ndarray) -> list[frozenset[tuple[int, int]]]:
    """Those of the greatest total weight, of all sets of pairs of positive weight."""
    pairs = [(i, j) for i, j in itertools.combinations(range(len(weights)), 2) if weights[i, j] > 0]
    found: list[frozenset[tuple[int, int]]] = []
    most = 0.0
    for size in range(len(weights)):
        for chosen in itertools.combinations(pairs, size):
            total = sum(weights[pair] for pair in chosen)
            if total >= most and (not chosen or nx.is_forest(nx.Graph(chosen))):
                found = [*(found if total == most else []), frozenset(chosen)]
                most = total
    return found


def pairs_of(adjacency: np.ndarray) -> set[tuple[int, int]]:
    assert (adjacency == adjacency.T).all()
    return {(int(i), int(j)) for i, j in np.argwhere(np.triu(adjacency))}


class TestForest:
    @settings(max_examples=60, deadline=None)
    @given(st.integers(0, 100_000), st.integers(1, 5))
    def test_of_all_forests_none_weighs_more(self, seed: int, n: int) -> None:
        weights = symmetric(np.random.default_rng(seed).normal(0.3, 1.0, (n, n)))
        (heaviest,) = forests(weights)
        assert pairs_of(heaviest_forest(weights)) == heaviest

    @settings(max_examples=60, deadline=None)
    @given(st.integers(0, 100_000), st.integers(2, 5))
    def test_where_several_weigh_as_much_it_has_what_they_share(self, seed: int, n: int) -> None:
        weights = symmetric(np.random.default_rng(seed).integers(-1, 3, (n, n)).astype(float))
        found, heaviest = pairs_of(heaviest_forest(weights)), forests(weights)
        shared = frozenset.intersection(*heaviest)
        assert found <= shared
        # What is missing is in a cycle with what they differ by.
        together = nx.Graph(set().union(*heaviest))
        assert found == {tuple(sorted(pair)) for pair in nx.bridges(together)}

    def test_it_is_large_enough_for_a_line_of_many(self) -> None:
        n = 300
        line = np.full((n, n), -1.0)
        for k in range(n - 1):
            line[k, k + 1] = line[k + 1, k] = 1.0 + k % 7
        order = np.random.default_rng(0).permutation(n)
        found = heaviest_forest(line[np.ix_(order, order)])
        assert (found == (line[np.ix_(order, order)] > 0)).all()


class TestEvidence:
    @pytest.mark.parametrize("gamma", [0.5, 1.0, 3.0])
    @pytest.mark.parametrize("seed", range(3))
    def test_is_that_of_the_centred_test(self, seed: int, gamma: float) -> None:
        data = noisy_tree(seed, (2, 3, 2, 4), 60).data
        found = marginal_evidence(data, gamma=gamma)
        for x, y in itertools.combinations(range(4), 2):
            (of_pair,) = independence_test(data, x, y, gamma=gamma, prior_cells="centred").slices
            odds = np.mean(np.exp(of_pair.log_odds))
            assert found[x, y] == pytest.approx(math.log(odds), abs=1e-9)
            assert found[y, x] == found[x, y]
        assert (found.diagonal() == -np.inf).all()

    def test_of_copies_is_finite_and_great(self) -> None:
        coin = np.random.default_rng(0).integers(2, size=5000)
        found = marginal_evidence(bjp.Dataset.from_codes(np.stack([coin, coin], axis=1)))
        assert 3000 < found[0, 1] < 5000


class TestOdds:
    DATA = noisy_tree(3, (2,) * 7, 400, 0.8).data

    def odds(self, data: bjp.Dataset) -> np.ndarray:
        return forest_odds(data, np.full((data.n, data.n), PRIOR))

    def test_are_evidence_and_prior_on_the_forest(self) -> None:
        found = self.odds(self.DATA)
        there = np.isfinite(found)
        assert nx.is_forest(nx.from_numpy_array(there))
        assert 3 <= there.sum() / 2 <= 6
        expected = marginal_evidence(self.DATA) + 0.8 * PRIOR
        assert found[there] == pytest.approx(expected[there], abs=1e-8)
        assert (found[there] > 0).all()
        assert (found[~there] == -np.inf).all()

    def test_find_the_network_that_is_a_forest(self) -> None:
        network = bjp.networks.load("hub-3")
        model = bjp.sampling.random_model(network, "log-odds", seed=1000)
        data = model.sample(1000, seed=1000)
        found = np.isfinite(forest_odds(data, np.full((data.n, data.n), -3.4)))
        assert (found == bjp.graph.to_adjacency(network, data)).all()

    def test_do_not_depend_on_places(self) -> None:
        order = np.random.default_rng(1).permutation(7)
        moved = bjp.Dataset.from_codes(self.DATA.codes[:, order])
        assert (self.odds(moved) == self.odds(self.DATA)[np.ix_(order, order)]).all()

    def test_of_copies_say_nothing(self) -> None:
        rng = np.random.default_rng(2)
        coin, other = rng.integers(2, size=(2, 300))
        near = np.where(rng.random(300) < 0.9, coin, 1 - coin)
        data = bjp.Dataset.from_codes(np.stack([coin, coin, near, other], axis=1))
        assert not np.isfinite(self.odds(data)).any()

    def test_only_of_binary_variables(self) -> None:
        rng = np.random.default_rng(3)
        coin, die = rng.integers(2, size=200), rng.integers(3, size=200)
        codes = np.stack([coin, coin, die, die], axis=1)
        found = np.isfinite(self.odds(bjp.Dataset.from_codes(codes)))
        assert pairs_of(found) == {(0, 1)}

    def test_two_that_depend_on_one_of_many_states_are_no_neighbours(self) -> None:
        rng = np.random.default_rng(4)
        die = rng.integers(4, size=2000)
        ends = [np.where(rng.random(2000) < 0.9, die >= k, rng.random(2000) < 0.5) for k in (1, 2)]
        whole = bjp.Dataset.from_codes(np.stack([die, *ends], axis=1).astype(int))
        assert np.isfinite(self.odds(whole.select([1, 2]))).any()
        assert not np.isfinite(self.odds(whole)).any()

    @pytest.mark.parametrize("others", [(), (1,), (3,)], ids=str)
    def test_other_columns_do_not_matter(self, others: tuple[int, ...]) -> None:
        rng = np.random.default_rng(5)
        columns = [rng.integers(r, size=400) for r in others]
        codes = np.column_stack([self.DATA.codes, *columns])
        data = bjp.Dataset.from_codes(codes, (2,) * 7 + others)
        assert (self.odds(data)[:7, :7] == self.odds(self.DATA)).all()

    def test_a_constant_has_no_edge_whatever_the_prior(self) -> None:
        coin = np.random.default_rng(3).integers(2, size=200)
        codes = np.stack([coin, np.zeros_like(coin)], axis=1)
        data = bjp.Dataset.from_codes(codes, cardinalities=(2, 2))
        assert not np.isfinite(forest_odds(data, np.full((2, 2), 5.0))).any()

    @pytest.mark.parametrize("shape", [(0, 3), (5, 1)])
    def test_of_hardly_anything(self, shape: tuple[int, int]) -> None:
        data = bjp.Dataset.from_codes(np.zeros(shape, dtype=int), cardinalities=(2,) * shape[1])
        assert not np.isfinite(self.odds(data)).any()

    def test_can_be_cancelled(self) -> None:
        with pytest.raises(Cancelled):
            forest_odds(self.DATA, np.zeros((7, 7)), Progress(cancelled=lambda: True))
