"""How much less a pair counts that is barely found where nearly all others are sure."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.search.auto.prior_odds import few_weak, off_the_forest


def odds(*found: float, n: int = 12) -> np.ndarray:
    """ln odds with so many edges found; all other pairs are none."""
    upper = np.full(n * (n - 1) // 2, -5.0)
    upper[: len(found)] = found
    matrix = np.zeros((n, n))
    matrix[np.triu_indices(n, 1)] = upper
    return matrix + matrix.T


def of_none(log_odds: np.ndarray, rows: int) -> float:
    """The correction of a pair that is found by nobody."""
    corrected = few_weak(log_odds, rows)
    assert (corrected == corrected.T).all()
    return float(corrected[-2, -1])


def test_by_the_definition_pair_by_pair() -> None:
    rng = np.random.default_rng(5)
    for rows in (1, 100, 2500, 100_000):
        n = int(rng.integers(3, 9))
        log_odds = odds(*rng.normal(2, 5, n * (n - 1) // 2), n=n)
        forest = line(n)
        few, off_it = few_weak(log_odds, rows), off_the_forest(log_odds, forest)
        pairs = list(combinations(range(n), 2))
        q = min(5 / math.sqrt(rows), 0.5)
        for i, j in pairs:
            others = [(a, b) for a, b in pairs if (a, b) != (i, j) and log_odds[a, b] > 0]
            barely = sum(log_odds[pair] < 6 for pair in others)
            expected = 2 * min(0, math.log((barely + q) / (len(others) + 1) / q))
            assert few[i, j] == few[j, i] == pytest.approx(expected, abs=1e-12)
            off = sum(not forest[pair] for pair in others)
            expected = 0 if forest[i, j] else min(0, math.log((off + 1) / (n / 4 + 1)))
            assert off_it[i, j] == off_it[j, i] == pytest.approx(expected, abs=1e-12)


def test_without_edges_nothing_is_corrected() -> None:
    assert of_none(odds(), 1000) == pytest.approx(0.0, abs=1e-12)
    assert few_weak(np.zeros((1, 1)), 1000).shape == (1, 1)


def test_where_all_are_sure_it_is_what_the_expectation_leaves() -> None:
    # That of one edge among the sixteen and the one, for each of two evidences.
    assert of_none(odds(*[50.0] * 16), 2500) == pytest.approx(2 * math.log(1 / 17))


def test_where_as_many_are_barely_found_as_expected_nothing_is() -> None:
    # A tenth is expected with 2500 rows.
    assert of_none(odds(*[50.0] * 18, 3.0, 3.0), 2500) == pytest.approx(0.0, abs=1e-12)


def test_a_pair_is_no_example_of_itself() -> None:
    found = odds(*[50.0] * 18, 3.0)
    i, j = next(zip(*np.nonzero(found == 3.0), strict=True))
    assert few_weak(found, 2500)[i, j] == pytest.approx(2 * math.log(1 / 19))
    assert of_none(found, 2500) > 2 * math.log(1 / 3)


def test_more_of_them_never_make_it_milder() -> None:
    assert of_none(odds(*[3.0] * 20), 2500) == 0


def test_it_falls_with_each_sure_edge() -> None:
    found = [of_none(odds(*[50.0] * k, n=40), 8000) for k in range(0, 780, 20)]
    assert (np.diff(found) < 0).all()
    assert found[0] == pytest.approx(0.0, abs=1e-12)


def test_rows_matter_through_what_is_expected() -> None:
    found = odds(*[50.0] * 18, 3.0)
    assert of_none(found, 100) < of_none(found, 2500) < 0 == of_none(found, 100_000)
    assert of_none(found, 0) == of_none(found, 1)


def test_places_do_not_matter() -> None:
    found, forest = odds(*[50.0] * 18, 3.0), line(12)
    order = np.ix_(*[np.random.default_rng(0).permutation(12)] * 2)
    assert (few_weak(found[order], 400) == few_weak(found, 400)[order]).all()
    moved = off_the_forest(found[order], forest[order])
    assert (moved == off_the_forest(found, forest)[order]).all()


def line(n: int) -> np.ndarray:
    """The forest in which each variable is joined to the next."""
    forest = np.zeros((n, n), dtype=bool)
    forest[np.arange(n - 1), np.arange(1, n)] = True
    return forest | forest.T


def test_a_forest_alone_speaks_against_all_else() -> None:
    forest = line(12)
    log_odds = np.where(forest, 50.0, -5.0)
    # A quarter as many as there are variables, and one.
    assert off_the_forest(log_odds, forest)[0, 5] == pytest.approx(math.log(1 / 4))
    assert off_the_forest(log_odds, forest)[0, 1] == 0
    log_odds[0, 5] = log_odds[5, 0] = 0.1
    assert off_the_forest(log_odds, forest)[0, 7] == pytest.approx(math.log(2 / 4))
    assert off_the_forest(log_odds, forest)[0, 5] == pytest.approx(math.log(1 / 4))
    assert (off_the_forest(np.full((12, 12), 1.0), forest) == 0).all()


def test_it_is_part_of_the_prior_that_auto_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    network = bjp.networks.load("hub-2")
    data = bjp.sampling.random_model(network, "log-odds", seed=1001).sample(1000, seed=1001)
    chosen = bjp.learn(data, "bjp", "auto").structure.log_odds
    none = {"few_weak": lambda odds, _: np.zeros_like(odds)}
    none["off_the_forest"] = none["few_weak"]
    for name, nothing in none.items():
        monkeypatch.setattr(f"bjp_engine.search.auto.evidence.{name}", nothing)
        milder = bjp.learn(data, "bjp", "auto").structure.log_odds
        assert (chosen <= milder).all()
        assert (chosen < milder).any()
        chosen = milder
