"""How much less a pair counts that is barely found where nearly all others are sure."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.search.auto.prior_odds import correction, off_the_forest


def odds(*found: float, n: int = 12) -> np.ndarray:
    """ln odds with so many edges found; all other pairs are none."""
    upper = np.full(n * (n - 1) // 2, -5.0)
    upper[: len(found)] = found
    matrix = np.zeros((n, n))
    matrix[np.triu_indices(n, 1)] = upper
    return matrix + matrix.T


def test_without_edges_nothing_is_corrected() -> None:
    assert correction(odds(), 1000) == pytest.approx(0.0, abs=1e-12)
    assert correction(np.zeros((1, 1)), 1000) == pytest.approx(0.0, abs=1e-12)


def test_where_all_are_sure_it_is_what_the_expectation_leaves() -> None:
    # That of one edge among the sixteen and the one.
    assert correction(odds(*[50.0] * 16), 2500) == pytest.approx(math.log(1 / 17))


def test_where_as_many_are_barely_found_as_expected_nothing_is() -> None:
    # A tenth is expected with 2500 rows.
    assert correction(odds(*[50.0] * 18, 3.0, 3.0), 2500) == pytest.approx(0.0)


def test_more_of_them_never_make_it_milder() -> None:
    assert correction(odds(*[3.0] * 20), 2500) == 0


def test_it_falls_with_each_sure_edge_and_ends() -> None:
    found = [correction(odds(*[50.0] * k, n=40), 8000) for k in range(0, 780, 20)]
    assert (np.diff(found) <= 0).all()
    assert found[0] == pytest.approx(0.0, abs=1e-12)
    assert found[-1] == -5


def test_rows_matter_through_what_is_expected() -> None:
    found = odds(*[50.0] * 18, 3.0)
    assert correction(found, 100) < correction(found, 2500) < 0 == correction(found, 100_000)
    assert correction(found, 0) == correction(found, 1)


def test_places_do_not_matter() -> None:
    found = odds(*[50.0] * 18, 3.0)
    order = np.random.default_rng(0).permutation(len(found))
    assert correction(found[np.ix_(order, order)], 400) == correction(found, 400)


def line(n: int) -> np.ndarray:
    """The forest in which each variable is joined to the next."""
    forest = np.zeros((n, n), dtype=bool)
    forest[np.arange(n - 1), np.arange(1, n)] = True
    return forest | forest.T


def test_a_forest_alone_speaks_against_all_else() -> None:
    forest = line(12)
    log_odds = np.where(forest, 50.0, -5.0)
    # A quarter as many as there are variables, and one.
    assert off_the_forest(log_odds, forest) == pytest.approx(math.log(1 / 4))
    log_odds[0, 5] = log_odds[5, 0] = 0.1
    assert off_the_forest(log_odds, forest) == pytest.approx(math.log(2 / 4))
    assert off_the_forest(np.full((12, 12), 1.0), forest) == 0
    assert off_the_forest(np.full((2000, 2000), -1.0), line(2000)) == -5


def test_without_a_forest_it_says_nothing() -> None:
    assert off_the_forest(np.full((12, 12), -5.0), np.zeros((12, 12), dtype=bool)) == 0


def test_it_is_part_of_the_prior_that_auto_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    network = bjp.networks.load("hub-2")
    data = bjp.sampling.random_model(network, "log-odds", seed=1001).sample(1000, seed=1001)
    chosen = bjp.learn(data, "bjp", "auto").structure.log_odds
    monkeypatch.setattr("bjp_engine.search.auto.evidence.correction", lambda *_: 0.0)
    milder = bjp.learn(data, "bjp", "auto").structure.log_odds
    monkeypatch.setattr("bjp_engine.search.auto.evidence.off_the_forest", lambda *_: 0.0)
    without = bjp.learn(data, "bjp", "auto").structure.log_odds
    assert (chosen <= milder).all()
    assert (milder <= without).all()
    assert (chosen < milder).any()
    assert (milder < without).any()
