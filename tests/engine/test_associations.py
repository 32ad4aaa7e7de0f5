"""Associations of pairs, against contingency tables and regressions by numpy and scipy."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chi2_contingency, rankdata

import bjp_engine as bjp
from bjp_engine.associations import (
    add_products,
    design_columns,
    fit_two_groups,
    interacting_scores,
    measure_associations,
)
from bjp_engine.progress import UNWATCHED

SIZES = [2, 3, 2, 4]
PAIRS = list(combinations(range(4), 2))
UPPER = np.triu_indices(4, 1)


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
    for i, j in PAIRS:
        counts = np.zeros((SIZES[i], SIZES[j]))
        np.add.at(counts, (codes[:, i], codes[:, j]), 1)
        expected = chi2_contingency(counts, correction=False).statistic
        statistics.append(shortened(expected, codes, i, j))
        freedoms.append((SIZES[i] - 1) * (SIZES[j] - 1))
        expected = schwarz(statistics[-1], freedoms[-1])
        assert plain.marginal[i, j] == pytest.approx(expected), (i, j)
    each = np.array(statistics) / freedoms
    assert plain.ratio[UPPER] == pytest.approx(np.minimum(each, 6))
    # The scores are as probable as all states, which a cubic of three and four states spans.
    expected = 400 * np.corrcoef(*rankdata(codes[:, [1, 3]], axis=0).T)[0, 1] ** 2
    straight = schwarz(shortened(expected, codes, 1, 3), 1)
    either = np.logaddexp(straight, plain.marginal[1, 3]) - np.log(2)
    assert scored.marginal[1, 3] == pytest.approx(either)
    # Of two rare states a few joint rows agree by chance: 4 rows where half of one is expected.
    rare = np.zeros((200, 2), dtype=int)
    rare[:10, 0] = rare[6:16, 1] = 1
    found = 2 * measure_associations(bjp.Dataset.from_codes(rare)).marginal[0, 1] + np.log(200)
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
    ratio = np.minimum(np.array(statistics) / freedoms, 6)
    assert of.partial_ratio[UPPER] == pytest.approx(ratio, rel=0.02, abs=0.02)
    expected = fit_two_groups(np.array(statistics), np.array(freedoms, dtype=float), 4)
    assert of.partial[UPPER] == pytest.approx(expected, rel=0.02, abs=0.02)
    few = measure_associations(data(20))
    assert not few.partial.any()
    assert not few.partial_ratio.any()


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


def test_interactions_are_found_and_their_products_are_columns():
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 4, (500, 6))
    codes[:, 1] = np.where(rng.random(500) < 0.4, codes[:, 0], codes[:, 1])
    # The last but one goes with a product; the last is no score.
    codes[:, 4] = np.clip(
        (codes[:, 0] - 1.5) * (codes[:, 2] - 1.5) + rng.normal(size=500) + 2, 0, 3
    )
    table = bjp.Dataset.from_codes(codes, [4] * 6, ordered=range(5))
    design = design_columns(table, UNWATCHED)
    scores = rankdata(codes, axis=0)
    scores = (scores - scores.mean(axis=0)) / scores.std(axis=0)
    expected = set()
    for c in range(5):
        for a, b in combinations(set(range(5)) - {c}, 2):
            given = np.column_stack([np.ones(500), scores[:, [a, b]]])
            both = np.column_stack([scores[:, c], scores[:, a] * scores[:, b]])
            left = both - given @ np.linalg.lstsq(given, both)[0]
            # So strong that chance makes less than one of all triples so.
            if 500 * np.corrcoef(left.T)[0, 1] ** 2 > 2 * np.log(5 * 4 * 3 / 2):
                expected.add((c, a, b))
    triples = interacting_scores(table, design)
    assert set(map(tuple, triples.tolist())) == expected
    assert (4, 0, 2) in expected
    wide = add_products(table, design, triples)
    products = np.column_stack([scores[:, a] * scores[:, b] for _, a, b in triples])
    known = np.corrcoef(scores[:, :5].T, products.T)
    at, old = [*design.first[:5], *wide.first[6:]], len(design.covariance)
    # The first column of an ordered variable is its score, which may be turned round.
    turned = np.array([np.sign(design.coded[j][-1, 0]) for j in range(5)])
    turned = np.concatenate([turned, turned[triples[:, 1]] * turned[triples[:, 2]]])
    assert wide.covariance[np.ix_(at, at)] == pytest.approx(known * np.outer(turned, turned))
    assert (wide.covariance[:old, :old] == design.covariance).all()
