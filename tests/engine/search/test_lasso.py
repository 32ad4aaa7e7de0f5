"""Regressions on all variables at once: the conditions of an optimum, and who keeps whom."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.errors import Cancelled
from bjp_engine.kernels.penalized import ABOVE, MOST, keep
from bjp_engine.progress import Progress
from bjp_engine.scores.structure import StructurePrior
from bjp_engine.search.auto import lasso
from bjp_engine.search.auto.lasso import MANY_ROWS, kept_by_both, price, share_counted
from tests.strategies import noisy_tree

# Any rows will do.
pytestmark = pytest.mark.filterwarnings("ignore:The Gibbs chains disagree")


@cache
def weak(rows, seed=1000):
    """Rows of a network of hubs and weak edges."""
    model = bjp.sampling.random_model(bjp.networks.load("karate"), "log-odds", seed=1000)
    return model.sample(rows, seed, "gibbs")


def coded(data):
    return np.where(data.codes.T == 1, 1.0, -1.0)


def coefficients(x, deviations):
    kept = np.zeros((len(x), len(x)))
    keep(x, deviations, 0, len(x), kept)
    return kept


def intercept(y, offset):
    """The best intercept for what the others say, by halving."""
    low, high = -60.0, 60.0
    for _ in range(200):
        middle = (low + high) / 2
        p = 1 / (1 + np.exp(-(middle + offset)))
        low, high = (middle, high) if p.sum() < y.sum() else (low, middle)
    return middle


def check_optimum(x, deviations):
    """Each slope is the price where a coefficient is, and no more than it where none is."""
    n, rows = x.shape
    kept, spread = coefficients(x, deviations), x.std(axis=1)
    for j in range(n):
        assert kept[j, j] == 0
        if spread[j] == 0:
            assert not np.append(kept[j], kept[:, j]).any()
            continue
        y = (x[j] + 1) / 2
        linear = kept[j] @ x
        p = 1 / (1 + np.exp(-(linear + intercept(y, linear))))
        slopes = x @ (y - p)
        # One standard deviation of a slope if nothing depends on anything.
        prices = deviations * np.sqrt(rows * y.var()) * spread
        for k in set(range(n)) - {j}:
            if kept[j, k]:
                assert slopes[k] == pytest.approx(np.sign(kept[j, k]) * prices[k], rel=2e-3)
            else:
                assert abs(slopes[k]) <= prices[k] * (1 + 2 * ABOVE) + 1e-9


class TestRegression:
    @given(st.integers(0, 10_000), st.integers(2, 9), st.integers(3, 150), st.floats(0.3, 4))
    def test_is_an_optimum(self, seed, n, rows, deviations):
        check_optimum(coded(noisy_tree(seed, (2,) * n, rows, 0.7).data), deviations)

    def test_is_an_optimum_with_hubs_copies_constants_and_few_rows(self):
        for rows in (250, 999):
            x = coded(weak(rows))
            check_optimum(x, 3.0)
            # A low price lets in many at once.
            assert (coefficients(x, 1.0) != 0).sum(axis=1).max() > 8
            check_optimum(x, 1.0)
        a, b = np.random.default_rng(0).choice([-1.0, 1.0], size=(2, 201))
        check_optimum(np.stack([a, a, -a, b, np.ones(201), -np.ones(201)]), 1.5)
        # More variables than a fifth of the rows, and a rare state.
        check_optimum(np.random.default_rng(1).choice([-1.0, 1.0], size=(60, 12)), 0.8)
        x = np.random.default_rng(2).choice([-1.0, 1.0], size=(4, 400))
        x[0] = np.where(np.arange(400) == 7, 1.0, -1.0)
        check_optimum(x, 1.0)

    def test_who_would_keep_too_many_keeps_none(self):
        rng = np.random.default_rng(0)
        factor = rng.choice([-1.0, 1.0], size=600)
        x = np.where(rng.random((MOST + 8, 600)) < 0.7, factor, -factor)
        assert not coefficients(x, 0.1).any()
        few = x[: MOST // 2]
        assert (coefficients(few, 0.1) != 0).mean() > 0.5
        check_optimum(few, 0.1)


class TestBothEnds:
    def test_both_must_keep_each_other(self, monkeypatch):
        data, seen = weak(250), []
        kept = coefficients(coded(data), price(data.n, 250)) != 0
        found = kept_by_both(data)
        assert (found == (kept & kept.T)).all()
        assert found.any()
        assert (found != (kept | kept.T)).any()
        # Rows, columns and states may change places.
        rng = np.random.default_rng(0)
        order, turned = rng.permutation(data.n), rng.integers(0, 2, size=data.n)
        codes = (data.codes ^ turned)[rng.permutation(250)][:, order]
        other = kept_by_both(bjp.Dataset.from_codes(codes, (2,) * data.n))
        assert (other == found[np.ix_(order, order)]).all()
        # A few at a time are the same.
        monkeypatch.setattr(lasso, "_STRIDE", 1)
        watch = Progress(report=lambda done, total: seen.append(done))
        assert (kept_by_both(data, watch) == found).all()
        assert seen == list(range(data.n))
        with pytest.raises(Cancelled):
            kept_by_both(data, Progress(cancelled=lambda: True))

    def test_many_rows_are_left_to_the_blankets(self):
        assert [share_counted(k * MANY_ROWS // 2) for k in range(6)] == [1, 1, 1, 0.5, 0, 0]
        assert not kept_by_both(weak(2 * MANY_ROWS, 0)).any()
        assert kept_by_both(weak(2 * MANY_ROWS - 1, 0)).any()
        # Such a pair pays no usual prior, and it counts less and less.
        for data, share in ((weak(250), 1), (weak(1500, 0), 0.5)):
            usual = StructurePrior(expected_degree=2.0).odds(data.n)[0, 1]
            together = bjp.learn(data, "bjp", "auto").evidence.together
            both = kept_by_both(data)
            assert ((together > 0) == both).all()
            assert together == pytest.approx(-1.5 * share * usual * both)
        # With few variables there is no prior to be made up for.
        data = noisy_tree(0, (2, 2, 2), 200, 0.4).data
        assert kept_by_both(data).any()
        assert np.isfinite(bjp.learn(data, "bjp", "auto").structure.log_odds).all()

    def test_many_states_are_left_to_the_tables(self):
        data = weak(250)
        codes = np.insert(data.codes, 5, np.arange(250) % 3, axis=1)
        kept = np.arange(data.n + 1) != 5
        found = kept_by_both(bjp.Dataset.from_codes(codes))
        assert not found[5].any()
        # One variable more raises the price by next to nothing.
        assert (found[np.ix_(kept, kept)] != kept_by_both(data)).sum() <= 2
        for rows, n in ((0, 3), (1, 3), (5, 1)):
            tiny = bjp.Dataset.from_codes(np.zeros((rows, n), dtype=int), (2,) * n)
            assert kept_by_both(tiny).tolist() == [[False] * n] * n
        # The largest of so many independent slopes is hardly ever above the price.
        assert price(57, 250) < price(58, 250) < price(58, 251)
        worst = np.abs(np.random.default_rng(0).normal(size=(400, 57))).max(axis=1)
        assert (worst > price(57, 250)).mean() < 0.1
