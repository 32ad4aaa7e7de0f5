"""Imputed cells and what is pooled over them: against sums, Rubin's formulas and known truths."""

import itertools
import math
from dataclasses import replace

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t

import bjp_engine as bjp
from bjp_engine.columns import Table
from bjp_engine.errors import Cancelled, DataError, GraphError, OptionError
from bjp_engine.parameters import Imputed, fit_parameters, impute, pool_effects
from bjp_engine.parameters.imputation import rubin_reach, sweep
from bjp_engine.progress import Progress
from bjp_engine.records import FrozenMapping
from tests.engine.calls import reports_of
from tests.engine.parameters.joints import given_others, joint_of, log_cross_ratio, moved
from tests.refusals import assert_refused

TRUTH = nx.cycle_graph(5)
EDGE = nx.Graph([("a", "b")])


def with_holes(share, rows=600, seed=1):
    """A sample of a known network, and the same without some of its cells."""
    data = bjp.sampling.random_model(TRUTH, "log-odds", seed=3).sample(rows, seed=seed)
    frame = pd.DataFrame(np.array(data.codes), columns=list("abcde")).astype(object)
    gone = np.random.default_rng(seed).random(frame.shape) < share
    return bjp.Dataset.from_codes(data.codes, data.cardinalities, list("abcde")), frame.mask(gone)


def test_a_sweep_draws_from_the_conditional_of_the_joint_distribution():
    codes = np.random.default_rng(0).integers(0, (2, 3, 2), (400, 3))
    codes[:, 1] = (codes[:, 0] + codes[:, 1] * (codes[:, 2] + 1)) % 3
    data = bjp.Dataset.from_codes(codes, (2, 3, 2))
    network = fit_parameters(data, nx.complete_graph(3), "likelihood")
    joint = joint_of(network.factors, (2, 3, 2))
    rows, rng = 6000, np.random.default_rng(1)
    for first, last in itertools.product(range(2), range(2)):
        drawn = np.tile([first, 0, last], (rows, 1))
        sweep(network.model, drawn, {1: np.arange(rows)}, rng)
        assert (drawn[:, [0, 2]] == [first, last]).all()
        expected = np.array(given_others(joint, (first, 0, last), 1, 3))
        found = np.bincount(drawn[:, 1], minlength=3) / rows
        # Four standard errors.
        assert (np.abs(found - expected) <= 4 * np.sqrt(expected * (1 - expected) / rows)).all()


def test_known_cells_stay_and_missing_ones_get_known_states():
    _, frame = with_holes(0.3, 200)
    made = impute(frame, 3, seed=5, rounds=2, n_jobs=1)
    known = frame.notna().to_numpy()
    assert (dict(made.missing), made.cells) == (frame.isna().sum().to_dict(), (~known).sum())
    assert made.share == pytest.approx((~known).mean())
    noticed = impute(replace(Table.of(frame), notes=("A note.",)), 2, seed=5, rounds=1, n_jobs=1)
    assert {one.notes for one in noticed.datasets} == {("A note.",)}
    for one in made.datasets:
        assert one.labels == (("0", "1"),) * 5
        assert (one.codes[known] == frame.to_numpy()[known].astype(int)).all()
    # Threads make no difference, and the first tables don't depend on how many follow.
    again = impute(Table.of(frame), 3, seed=5, rounds=2, n_jobs=2)
    fewer = impute(frame, 2, seed=5, rounds=2)
    digests = [[one.digest for one in each.datasets] for each in (made, again, fewer)]
    assert (len(set(digests[0])), digests[1:]) == (3, [digests[0], digests[0][:2]])
    assert impute(frame, 2, seed=6, rounds=2).datasets[0].digest != digests[0][0]


def test_the_pool_is_the_mean_over_the_completed_tables():
    _, frame = with_holes(0.3, 300)
    made = impute(frame, 4, seed=2, rounds=3)
    each = [bjp.edge_probabilities(one).matrix for one in made.datasets]
    pooled = bjp.edge_probabilities(made)
    assert (pooled.kind, pooled.made, pooled.asked, pooled.seed) == ("calibrated", 4, 4, 2)
    upper = np.triu_indices(5, 1)
    spread = np.std(each, axis=0, ddof=1)
    for found, wanted in ((pooled.matrix, np.mean(each, axis=0)), (pooled.error, spread)):
        np.testing.assert_allclose(found[upper], wanted[upper], rtol=0, atol=1e-12)
    assert pooled.of("a", "b").confidence == pooled.matrix[0, 1]
    trace = bjp.learn(made.datasets[0])
    assert_refused(OptionError, "several completed ones", bjp.edge_probabilities, made, trace)


def test_cells_that_are_missing_at_random_do_not_bend_the_margin():
    # Whether b is known depends on a alone; among the known cells its margin is far off.
    rng = np.random.default_rng(4)
    a = rng.integers(0, 2, 4000)
    b = np.where(rng.random(4000) < 0.85, a, 1 - a)
    gone = rng.random(4000) < np.where(a == 1, 0.6, 0.1)
    c = np.where(rng.random(4000) < 0.7, b, 1 - b)
    frame = pd.DataFrame({"a": a, "b": np.where(gone, np.nan, b), "c": c})
    made = impute(frame, 10, seed=1)
    margin = np.mean([(one.codes[:, 1] == 1).mean() for one in made.datasets])
    error = 4 * (0.25 / (4000 * (1 - gone.mean()))) ** 0.5
    assert abs(margin - b.mean()) < error < abs(b[~gone].mean() - b.mean())


def test_imputation_reports_stops_warns_and_refuses():
    _, frame = with_holes(0.2, 60)
    for n_jobs in (1, 2):
        seen = reports_of(impute, frame, 3, rounds=1, n_jobs=n_jobs)
        assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)], n_jobs
    made = impute(frame, 2, rounds=1)
    with pytest.raises(Cancelled):
        bjp.edge_probabilities(made, progress=Progress(cancelled=lambda: True))
    for table, error, about in (
        (frame.assign(x=None), DataError, r"Column 'x' has no known cell.*leave it out"),
        (frame.iloc[:0], DataError, "no rows"),
        (np.zeros((3, 2)), OptionError, "give a DataFrame or a Table"),
    ):
        assert_refused(error, about, impute, table)
    assert_refused(OptionError, "times", impute, frame, 1)
    assert_refused(OptionError, "rounds", impute, frame, rounds=0)
    # Where cells are missing, the error of others names it.
    about = r"or impute them with bjp_engine\.parameters\.impute\."
    for call in (bjp.learn, bjp.edge_probabilities):
        assert_refused(DataError, about, call, frame)


def tables(states=(2, 2), m=3, rows=90):
    """Two variables that depend on each other, and some cells of the second drawn m times."""
    rng = np.random.default_rng(7)
    a = rng.integers(0, states[0], rows)
    b = np.where(rng.random(rows) < 0.6, a % states[1], rng.integers(0, states[1], rows))
    made = []
    for _ in range(m):
        drawn = np.where(np.arange(rows) < rows // 3, rng.integers(0, states[1], rows), b)
        codes = np.column_stack([a, drawn])
        made.append(bjp.Dataset.from_codes(codes, states, ["a", "b"]))
    return Imputed(tuple(made), FrozenMapping({"b": rows // 3}), 0, 1)


def counts_of(data):
    """How often each pair of states occurs, in lexicographic order of the pairs."""
    return np.histogram2d(*data.codes.T, bins=[np.arange(r + 1) for r in data.cardinalities])[0]


def resampled(counts, number, seed):
    """Counts in resamples of the rows, by the seeds that are documented for them."""
    full, made = np.flatnonzero(counts), np.zeros((number, *counts.shape))
    share = counts.ravel()[full] / counts.sum()
    for b, drawn in enumerate(made):
        drawn.flat[full] = np.random.default_rng([seed, b]).multinomial(int(counts.sum()), share)
    return made


def test_log_odds_ratios_are_pooled_by_rubins_rules():
    imputed, own, within = tables(), [], []
    for one in imputed.datasets:
        (row,) = fit_parameters(one, EDGE).effects(0.9).itertuples()
        own.append(row.effect)
        within.append(((row.high - row.low) / 2 / norm.ppf(0.95)) ** 2)
    w, q = sum(within) / 3, sum(own) / 3
    extra = (1 + 1 / 3) * sum((one - q) ** 2 for one in own) / 2
    freedom = 2 * (1 + w / extra) ** 2
    reach = t.ppf(0.95, freedom) * math.sqrt(w + extra)

    options = {"level": 0.9, "resamples": 12, "seed": 5}
    found = pool_effects(imputed, EDGE, **options)
    (row,) = found.itertuples()
    assert (row.effect, row.low, row.high) == pytest.approx((q, q - reach, q + reach), rel=1e-9)
    assert row.kind == "log odds ratio"
    assert {name: found.attrs[name] for name in (*options, "tables")} == options | {"tables": 3}


def test_a_strength_is_the_length_of_the_mean_of_all_cross_ratios():
    imputed, own, w = tables((3, 3)), [], 0.0
    pairs = [*itertools.combinations(range(3), 2)]
    quads = [np.ix_(*both) for both in itertools.product(pairs, pairs)]
    for k, one in enumerate(imputed.datasets):
        counts = counts_of(one)
        own.append([log_cross_ratio(*counts[quad].ravel()) for quad in quads])
        for drawn in resampled(counts, 2, k):
            apart = [moved(counts[quad].ravel(), drawn[quad].ravel()) for quad in quads]
            w += np.mean(np.square(apart)) / 2 / 3
    mean = np.mean(own, axis=0)
    extra = 4 / 3 * np.mean(np.square(own - mean), axis=1).sum() / 2
    reach = t.ppf(0.975, 2 * (1 + w / extra) ** 2) * math.sqrt(w + extra)

    found = pool_effects(imputed, EDGE, resamples=1)
    (row,), length = found.itertuples(), math.sqrt(np.mean(np.square(mean)))
    assert (row.kind, found.attrs["resamples"]) == ("strength", 6)
    assert (row.effect, row.high) == pytest.approx((length, length + reach), rel=1e-9)
    assert row.low == pytest.approx(max(0, length - reach), abs=1e-9)
    each = [
        fit_parameters(one, EDGE).effects(ordered=["a", "b"], resamples=1).iloc[0]
        for one in imputed.datasets
    ]
    (row,) = pool_effects(imputed, EDGE, ordered=["a", "b"]).itertuples()
    assert row.kind == "log odds ratio per step"
    means = [np.mean([one[name] for one in each]) for name in ("effect", "spread")]
    assert [row.effect, row.spread] == pytest.approx(means)


def test_rubins_interval_where_tables_agree_or_nothing_varies():
    reach = rubin_reach(np.array([0.04, 0.0]), np.zeros(2), 4, 0.95)
    assert reach.tolist() == [pytest.approx(norm.ppf(0.975) * 0.2), 0.0]


def test_without_missing_cells_all_is_as_of_the_plain_table():
    (data,) = tables(m=1).datasets
    made = impute(data.to_frame().astype(object))
    assert ([one.digest for one in made.datasets], dict(made.missing)) == ([data.digest], {})
    pooled, plain = bjp.edge_probabilities(made), bjp.edge_probabilities(data)
    assert (pooled.matrix.tobytes(), pooled.error) == (plain.matrix.tobytes(), None)
    found = pool_effects(made, EDGE, resamples=30, seed=2)
    plain = fit_parameters(data, EDGE).effects(resamples=30, seed=2)
    pd.testing.assert_frame_equal(found, plain)
    assert found.attrs == plain.attrs


def test_what_pooling_reports_and_refuses():
    imputed = tables()
    assert len(pool_effects(imputed, nx.empty_graph(["a", "b"]))) == 0
    assert_refused(OptionError, "impute", pool_effects, imputed.datasets[0], EDGE)
    assert_refused(OptionError, "resamples", pool_effects, imputed, EDGE, resamples=0)
    assert_refused(OptionError, "level", pool_effects, imputed, EDGE, level=1.0)
    assert_refused(GraphError, "", pool_effects, imputed, nx.Graph([("a", "z")]))
    seen = reports_of(pool_effects, imputed, EDGE, resamples=6)
    assert seen == [(0, 6), (2, 6), (4, 6), (6, 6)]


@pytest.mark.slow
def test_intervals_cover_the_truth_where_cells_are_missing_at_random():
    odds, covered, repeats = math.log(0.8 * 0.8 / (0.2 * 0.2)), 0, 100
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        a = rng.integers(0, 2, 250)
        b = np.where(rng.random(250) < 0.8, a, 1 - a)
        gone = rng.random(250) < np.where(a == 1, 0.5, 0.1)
        frame = pd.DataFrame({"a": a, "b": np.where(gone, np.nan, b)})
        made = impute(frame, 5, rounds=2, seed=seed)
        found = pool_effects(made, EDGE, resamples=50, seed=seed)
        covered += bool(found["low"][0] <= odds <= found["high"][0])
    # 95 % less three standard errors.
    assert covered >= repeats * (0.95 - 3 * math.sqrt(0.95 * 0.05 / repeats))
