"""Associations of pairs, against contingency tables and regressions by numpy and scipy."""

import numpy as np
import pytest
from scipy.stats import chi2, chi2_contingency, rankdata

import bjp_engine as bjp
from bjp_engine.associations import fit_two_groups, measure_associations

SIZES = [2, 3, 2, 4]
PAIRS = [(i, j) for i in range(4) for j in range(i + 1, 4)]


def data(rows=400, ordered=()):
    rng = np.random.default_rng(5)
    codes = rng.integers(0, SIZES, (rows, 4))
    codes[:, 1] = np.where(rng.random(rows) < 0.4, codes[:, 0] * 2, codes[:, 1])
    codes[:, 2] = np.where(rng.random(rows) < 0.3, codes[:, 3] // 2, codes[:, 2])
    return bjp.Dataset.from_codes(codes, SIZES, list("abcd"), ordered=ordered)


def shortened(statistic, codes, i, j):
    """Anscombe's root of the rows in a cell of rare states, of which so many are expected."""
    outside = [len(codes) - np.bincount(codes[:, k]).max() for k in (i, j)]
    m = outside[0] * outside[1] / len(codes)
    seen = m + np.sqrt(statistic * m)
    return min(statistic, 4 * (np.sqrt(seen + 3 / 8) - np.sqrt(m + 3 / 8)) ** 2)


def schwarz(statistic, freedom, rows=400):
    return (statistic - freedom * np.log(rows)) / 2


def test_pearsons_statistic_and_that_of_the_scores_of_ordered_variables():
    plain, scored = measure_associations(data()), measure_associations(data(ordered=list("bd")))
    codes, statistics, freedoms = data().codes, [], []
    for k, (i, j) in enumerate(PAIRS):
        counts = np.zeros((SIZES[i], SIZES[j]))
        np.add.at(counts, (codes[:, i], codes[:, j]), 1)
        expected = chi2_contingency(counts, correction=False).statistic
        statistics.append(shortened(expected, codes, i, j))
        freedoms.append((SIZES[i] - 1) * (SIZES[j] - 1))
        expected = schwarz(statistics[-1], freedoms[-1])
        assert plain.marginal[k] == pytest.approx(expected), (i, j)
    each = np.array(statistics) / freedoms
    # As if 120 more pairs had no association.
    assert plain.dependence == pytest.approx(np.log((np.minimum(each, 6).sum() + 120) / 126))
    # The scores are as probable as all states, which a cubic of three and four states spans.
    expected = 400 * np.corrcoef(*rankdata(codes[:, [1, 3]], axis=0).T)[0, 1] ** 2
    straight = schwarz(shortened(expected, codes, 1, 3), 1)
    either = np.logaddexp(straight, plain.marginal[4]) - np.log(2)
    assert scored.marginal[4] == pytest.approx(either)
    # Of two rare states a few joint rows agree by chance: 4 rows where half of one is expected.
    rare = np.zeros((200, 2), dtype=int)
    rare[:10, 0] = rare[6:16, 1] = 1
    found = 2 * measure_associations(bjp.Dataset.from_codes(rare)).marginal[0] + np.log(200)
    assert found < 6 < 200 * np.corrcoef(rare.T)[0, 1] ** 2


def test_partial_associations_are_correlations_of_residuals():
    rows, statistics = 4000, []
    of, codes = measure_associations(data(rows)), data(rows).codes
    columns = [np.eye(r)[codes[:, k]][:, 1:] for k, r in enumerate(SIZES)]
    blocks = [one - one.mean(axis=0) for one in columns]
    for i, j in PAIRS:
        others = np.column_stack([blocks[m] for m in range(4) if m not in (i, j)])
        left = [b - others @ np.linalg.lstsq(others, b)[0] for b in (blocks[i], blocks[j])]
        canonical = np.linalg.svd(np.linalg.qr(left[0])[0].T @ np.linalg.qr(left[1])[0])[1]
        statistics.append(shortened((rows - 7) * (canonical**2).sum(), codes, i, j))
    freedoms = [(SIZES[i] - 1) * (SIZES[j] - 1) for i, j in PAIRS]
    high = np.sum(chi2.sf(statistics, freedoms) > 0.5)
    assert of.partial_share == pytest.approx((6 - 2 * high) / 126)
    ratio = np.minimum(np.array(statistics) / freedoms, 6)
    assert of.ratio == pytest.approx(ratio, rel=0.02, abs=0.02)
    expected = fit_two_groups(np.array(statistics), np.array(freedoms, dtype=float), 4)
    assert of.partial == pytest.approx(expected, rel=0.02, abs=0.02)
    few = measure_associations(data(20))
    assert (few.partial.any(), few.ratio.any(), few.partial_share) == (False, False, 0.0)


def test_the_two_groups_of_a_mixture_are_found():
    rng = np.random.default_rng(1)
    for share in (0.05, 0.5):
        second = rng.random(20_000) < share
        statistic = rng.normal(0, np.where(second, 5.0, 1.0)) ** 2
        chance = 1 / (1 + np.exp(-fit_two_groups(statistic, np.ones(20_000), 201)))
        assert chance.mean() == pytest.approx(second.mean(), rel=0.1)
        high = chance > 0.8
        assert second[high].mean() == pytest.approx(chance[high].mean(), abs=0.02)
    none = fit_two_groups(rng.normal(size=1770) ** 2, np.ones(1770), 60)
    assert (1 / (1 + np.exp(-none))).mean() < 0.05
