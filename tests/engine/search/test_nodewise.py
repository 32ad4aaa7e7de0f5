"""Blankets one by one: the regression against an explicit design, the table against MPL."""

import itertools
import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import bjp_engine as bjp
from bjp_engine.counts import local_prior, table_of
from bjp_engine.errors import Cancelled
from bjp_engine.kernels.lattice import FAINT
from bjp_engine.kernels.regression import MOST, regress
from bjp_engine.kernels.rowwise import MOST as ROOM
from bjp_engine.kernels.rowwise import extend_blanket
from bjp_engine.kernels.tabled import tabled
from bjp_engine.progress import Progress
from bjp_engine.scores.prior import filled, log_odds_of
from bjp_engine.search.auto.nodewise import (
    estimated_probability,
    interacting_pairs,
    nodewise,
)
from tests.strategies import noisy_tree, random_sample


def binary(seed, n, rows):
    return noisy_tree(seed, (2,) * n, rows).data


def regressed(data, odds):
    """Blankets, promises and evidence by regressions."""
    n = data.n
    made = np.zeros((n, n), dtype=np.bool_), np.zeros((n, n)), np.zeros(n)
    for j in range(n):
        made[2][j] = regress(table_of(data), odds[j].copy(), 1.0, j, made[0][j], made[1][j])
    return made


def tables(data, odds):
    """Blankets, promises and evidence by tables."""
    n, helpers = data.n, interacting_pairs(data, table_of(data), Progress())
    made = np.zeros((n, n), dtype=np.bool_), np.zeros((n, n)), np.zeros(n)
    for j in range(n):
        # A row for each state but the first.
        prior, row = local_prior(data, data.cardinalities[j] - 1.0), odds[j].copy()
        made[2][j] = tabled(table_of(data), prior, row, helpers[j], j, made[0][j], made[1][j])
    return made


def log_evidence(data, j, columns):
    """Laplace's approximation, row by row, for columns that are products of variables."""
    coded = 1.0 - 2.0 * data.codes
    design = np.stack([coded[:, list(c)].prod(axis=1) for c in [(), *columns]], axis=1)
    sign = 2.0 * data.codes[:, j] - 1.0
    weight = np.r_[0.25, np.full(len(columns), 1.0)]

    def loss(beta):
        margin = sign * (design @ beta)
        slope = -sign / (1 + np.exp(margin))
        value = np.logaddexp(0, -margin).sum() + 0.5 * (weight * beta**2).sum()
        return value, design.T @ slope + weight * beta

    best = minimize(loss, np.zeros(design.shape[1]), jac=True, method="BFGS", tol=1e-8)
    p = 1 / (1 + np.exp(-(design @ best.x)))
    curvature = (design * (p * (1 - p))[:, None]).T @ design + np.diag(weight)
    determinant = np.linalg.slogdet(curvature)[1] - np.log(weight).sum()
    return -float(best.fun) - 0.5 * float(determinant)


def every_model(data, j, members, odds):
    """The evidence of each model with these members: every choice of products."""
    pairs, ones = list(itertools.combinations(members, 2)), [(m,) for m in members]
    counts = range(len(pairs) + 1)
    chosen = [c for count in counts for c in itertools.combinations(pairs, count)]
    fixed = odds * len(members)
    return [log_evidence(data, j, [*ones, *c]) - math.log(4) * len(c) + fixed for c in chosen]


class TestRegression:
    def test_its_evidence_is_that_of_a_model(self):
        # One of the models on its members, and no worse than the one without products.
        odds, small = log_odds_of(0.4), 0
        for seed, j in itertools.product(range(6), range(5)):
            data = binary(seed, 5, 150)
            found, _, evidence = regressed(data, filled(5, 0.4))
            members = np.flatnonzero(found[j]).tolist()
            if len(members) <= 3:
                small += 1
                models = every_model(data, j, members, odds)
                assert min(abs(value - evidence[j]) for value in models) < 2e-3
                assert evidence[j] >= max(models[0], log_evidence(data, j, [])) - 0.5
        assert small > 20

    def test_what_a_single_candidate_promises(self):
        # With no member the score statistic of a candidate is that of the 2 × 2 table.
        odds, checked = filled(4, 1e-100), 0
        for seed in range(6):
            data = random_sample(seed, (2, 2, 2, 2), 400).data
            found, promise, _ = regressed(data, odds)
            assert not found.any()
            for j, i in itertools.permutations(range(4), 2):
                y, x = data.codes[:, j], 1.0 - 2.0 * data.codes[:, i]
                p = y.mean()
                if not 0.1 < p < 0.9:
                    continue  # the prior of the intercept counts
                checked += 1
                spread = data.rows * p * (1 - p)
                information = spread + 1 - (spread * x.mean()) ** 2 / (spread + FAINT)
                expected = ((y - p) @ x) ** 2 / (2 * information) - 0.5 * math.log(information)
                gain = promise[j, i] - odds[j, i]
                assert gain == pytest.approx(expected, rel=5e-3, abs=5e-3)
        assert checked > 36

    def test_a_blanket_that_is_full_says_so(self):
        rng = np.random.default_rng(0)
        hub = rng.integers(0, 2, size=3000)
        leaves = np.where(rng.random((3000, 14)) < 0.8, hub[:, None], 1 - hub[:, None])
        data = bjp.Dataset.from_codes(np.column_stack([hub, leaves]))
        found = regressed(data, filled(data.n, 0.2))[0]
        assert (found[0].sum(), (found[1:].sum(axis=1) < MOST).all()) == (MOST, True)
        # Without products the hub has room for all leaves.
        assert nodewise(data, filled(data.n, 0.2)).found[0].sum() == 14
        assert set(bjp.learn(data, "bjp", "auto").graph.edges) >= {(0, i) for i in range(1, 15)}
        # States that are separated.
        x = np.arange(200) % 2
        data = bjp.Dataset.from_codes(np.column_stack([x, x, 1 - x]))
        found, promise, evidence = regressed(data, filled(3, 0.4))
        assert found.any(axis=1).all()
        assert np.isfinite([*promise, evidence]).all()


def extend(data, start, pi, promise):
    """The blanket of the first variable, row by row."""
    inside, promise = np.isin(np.arange(data.n), start), promise.copy()
    odds = filled(data.n, pi)[0].copy()
    reached = extend_blanket(data.codes.T, 0, odds, 1.0, inside, promise)
    return np.flatnonzero(inside).tolist(), promise, reached


class TestRowByRow:
    def test_against_an_explicit_design(self):
        odds = filled(12, 0.2)[0]
        for seed in range(4):
            data = noisy_tree(seed, (2,) * 12, 1500 + 300 * seed, 0.3).data
            members, promise, reached = extend(data, [], 0.2, np.full(12, 1.0))
            assert 0 < len(members) < 11

            def total(chosen, data=data):
                return log_evidence(data, 0, [(m,) for m in chosen]) + odds[chosen].sum()

            assert reached == pytest.approx(total(members), abs=2e-3)
            # What is promised is one step of Newton's method: nearer, the less there is to gain.
            for k in range(1, 12):
                gain = total(sorted({*members, k})) - total(sorted({*members} - {k}))
                assert promise[k] == pytest.approx(gain, abs=0.1 + 0.1 * abs(gain - odds[k])), k
                assert (gain > 0) == (k in members), k

    def test_a_hub_finds_all_its_leaves(self):
        # More rows than a block, and no multiple of it.
        model = bjp.sampling.random_model(nx.star_graph(13), "log-odds", seed=3)
        hub = model.sample(2500, seed=1)
        for start in ([], [1, 2, 3], list(range(1, 9))):
            members, _, _ = extend(hub, start, 2 / 13, np.full(14, 1.0))
            assert members == list(range(1, 14))
        # It stays where nothing is promised.
        members, same, reached = extend(hub, [1, 2], 0.2, np.full(14, -0.1))
        assert members == [1, 2]
        assert (same[1:] == -0.1).all()
        assert reached == -np.inf
        # There is room for so many.
        model = bjp.sampling.random_model(nx.star_graph(ROOM + 4), "log-odds", seed=3)
        data = model.sample(8000, seed=1)
        members, promise, _ = extend(data, [], 0.1, np.full(data.n, 1.0))
        assert len(members) == ROOM
        assert (np.delete(promise, [0, *members]) > 0).any()


class TestTable:
    @given(st.integers(0, 10_000), st.floats(0.05, 0.95))
    def test_no_single_change_helps(self, seed, pi):
        data = noisy_tree(seed, (2, 3, 2, 4, 2, 2), 120).data
        found, promise, evidence = tables(data, filled(6, pi))
        for j in range(6):

            def local(members, j=j):
                score = bjp.scores.local_trace(
                    data, j, sorted(members), ess=data.cardinalities[j] - 1
                )
                return score.value + log_odds_of(pi) * len(members)

            members = set(np.flatnonzero(found[j]).tolist())
            assert evidence[j] == pytest.approx(local(members), rel=1e-10, abs=1e-8)
            for i in set(range(6)) - {j}:
                gain = local(members | {i}) - local(members - {i})
                assert promise[j, i] == pytest.approx(gain, rel=1e-6, abs=1e-6)
                assert gain >= -1e-6 if i in members else gain <= 1e-6

    def test_triples_that_interact_are_found_by_bartletts_statistic(self):
        rng = np.random.default_rng(0)
        codes = rng.integers(0, (2, 2, 3, 2, 2), (900, 5))
        codes[:, 3] = codes[:, 0] ^ codes[:, 1] ^ (rng.random(900) < 0.2)
        codes[:, 4] = np.where(rng.random(900) < 0.4, codes[:, 0] * (codes[:, 2] == 1), codes[:, 4])
        data = bjp.Dataset.from_codes(codes)
        strongest = {}
        for triple in itertools.combinations(range(5), 3):
            for states in itertools.product(*(range(1, data.cardinalities[v]) for v in triple)):
                inside = [codes[:, v] == s for v, s in zip(triple, states, strict=True)]
                counts = [
                    np.logical_and.reduce([a == b for a, b in zip(inside, cell, strict=True)]).sum()
                    for cell in itertools.product((False, True), repeat=3)
                ]
                signs = [(-1) ** sum(c) for c in itertools.product((0, 1), repeat=3)]
                contrast = np.dot(signs, np.log(np.add(counts, 0.5)))
                found = contrast**2 / np.sum(1 / np.add(counts, 0.5))
                strongest[triple] = max(found, strongest.get(triple, 0.0))
        # Six planes make twenty triples.
        clear = {t: v for t, v in strongest.items() if v > 2 * math.log(20)}
        assert (0, 1, 3) in clear
        assert len(clear) < len(strongest)
        helpers = interacting_pairs(data, table_of(data), Progress())
        for j in range(5):
            mine = sorted((v, t) for t, v in clear.items() if j in t)[::-1]
            expected = [tuple(v for v in t if v != j) for _, t in mine]
            assert [tuple(p) for p in helpers[j].tolist() if p[0] >= 0] == expected, j

    def test_two_that_help_only_together(self):
        rng = np.random.default_rng(0)
        # y is x0 ≠ x1; where it isn't, it is noise, or x0 is a little informative alone.
        for columns, rows, choose in ((4, 800, tables), (5, 1500, regressed)):
            x = rng.integers(0, 2, size=(rows, columns))
            other = rng.integers(0, 2, size=rows) if choose is tables else x[:, 0]
            y = np.where(rng.random(rows) < 0.87, x[:, 0] ^ x[:, 1], other)
            data = bjp.Dataset.from_codes(np.column_stack([x, y]))
            found = choose(data, filled(columns + 1, 0.3))[0]
            assert np.flatnonzero(found[columns]).tolist() == [0, 1]


class TestNodewise:
    def test_the_better_model_is_chosen(self):
        data, odds = binary(2, 8, 500), filled(8, 0.3)
        alone, by_table, by_regression = (f(data, odds) for f in (nodewise, tables, regressed))
        for j in range(8):
            better = max(by_table, by_regression, key=lambda made, j=j: made[2][j])
            assert alone.regressed[j].any() == (better is by_regression)
            assert (alone.found[j] == better[0][j]).all()
            assert (alone.promise[j] == better[1][j]).all()
        # Only binary variables are regressed whatever else there is.
        mixed = np.insert(data.codes, 3, np.random.default_rng(0).integers(0, 3, 500), axis=1)
        chosen = nodewise(bjp.Dataset.from_codes(mixed), filled(9, 0.3))
        here = np.ix_(np.arange(9) != 3, np.arange(9) != 3)
        assert alone.regressed.any()
        assert (chosen.regressed[here] == alone.regressed).all()
        assert not (chosen.regressed[3] | chosen.regressed[:, 3]).any()
        promise = alone.promise[alone.regressed]
        assert chosen.promise[here][alone.regressed] == pytest.approx(promise, rel=1e-12)

    def test_the_surer_end_is_believed_and_what_tables_have_against_an_edge_counts_little(self):
        many = noisy_tree(4, (9, 8, 7, 9, 8), 400, 0.1).data
        for data in (binary(2, 8, 500), many):
            prior = filled(data.n, 0.3)
            chosen = nodewise(data, prior)
            surer = np.maximum(chosen.promise, chosen.promise.T)
            regressed = chosen.regressed | chosen.regressed.T
            by_tables = ~(
                regressed | chosen.found | chosen.found.T | np.eye(data.n, dtype=np.bool_)
            )
            # With many states a table of two is larger than what the pair could tell.
            assert regressed.any() == (data is not many)
            assert (surer < prior - 20)[by_tables].any() == (data is many)
            expected = np.where(by_tables, np.maximum(surer, prior - 2), surer)
            pairs = ~np.eye(data.n, dtype=np.bool_)
            assert (chosen.log_odds(prior)[pairs] == expected[pairs]).all()

    def test_the_estimated_prior_follows_the_truth(self):
        for degree in (1, 2, 4):
            graph = nx.random_regular_graph(degree, 20, seed=1)
            model = bjp.sampling.random_model(graph, "log-odds", seed=0)
            found = estimated_probability(model.sample(8000, seed=0))
            assert found == pytest.approx(degree / 19, rel=0.35)
        data = binary(1, 8, 300)
        trace = bjp.learn(data, edge_probability="data", search="ibmap-hc")
        assert trace.structure.edge_probability == estimated_probability(data)
        assert bjp.score(data, trace.graph, **trace.given).total == trace.score


def test_it_asks_again_and_again_and_stops():
    wide, odds = binary(7, 300, 100), filled(300, 0.01)
    reported, asked, after = [], set(), 1000

    def cancelled():
        asked.add(len(reported))
        return len(reported) >= after

    watch = Progress(report=lambda done, _: reported.append(done), cancelled=cancelled)
    nodewise(wide, odds, watch)
    # At most a tenth of the variables is worked out without a question.
    assert np.diff([*reported, 600]).max() <= 30
    assert asked >= set(range(len(reported)))
    reported.clear()
    after = 8
    with pytest.raises(Cancelled):
        nodewise(wide, odds, watch)
    assert len(reported) == after
