"""Differences between edges: against formulas by hand, and how often equal ones differ."""

import math
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from scipy.stats import binom

import bjp_engine as bjp
from bjp_engine.errors import DataError, OptionError
from bjp_engine.parameters import compare_edges, fit_parameters
from bjp_engine.sampling import Factor, MarkovModel
from tests.engine.calls import reports_of
from tests.engine.parameters.joints import log_cross_ratio, moved
from tests.refusals import assert_refused

PATH = nx.path_graph(4)


def path_of(log_odds):
    """Binary variables in a row, each with this log odds ratio with the next; fair coins."""
    n = len(log_odds) + 1
    tables = [np.array([[x, 0.0], [0.0, x]]) / 2 for x in log_odds]
    factors = [Factor((i, i + 1), table) for i, table in enumerate(tables)]
    return MarkovModel(tuple(range(n)), (2,) * n, tuple(factors))


def test_every_interval_is_that_of_cross_ratios_in_resamples():
    data = path_of([1.5, -0.4, 0.8]).sample(120, seed=2)
    found = compare_edges(fit_parameters(data, PATH), 0.9, resamples=39, seed=7)
    rows, counts = np.unique(data.codes, axis=0, return_counts=True)

    def cells(weights, i):
        """How often each pair of states of variables i and i + 1 occurs."""
        return np.bincount(rows[:, i] * 2 + rows[:, i + 1], weights, 4)

    ratios = [log_cross_ratio(*cells(counts, i)) for i in range(3)]
    own, draws = [abs(ratio) for ratio in ratios], []
    for b in range(39):
        drawn = np.random.default_rng([7, b]).multinomial(120, counts / 120)
        moves = [moved(cells(counts, i), cells(drawn, i)) for i in range(3)]
        draws.append(np.abs(np.add(ratios, moves)))
    ranked = sorted(range(3), key=lambda i: -own[i])
    assert len(found) == 3
    for row, (i, j) in zip(found.itertuples(), combinations(ranked, 2), strict=True):
        assert (row.x1, row.y1, row.x2, row.y2) == (i, i + 1, j, j + 1)
        assert (row.strength1, row.strength2) == pytest.approx((own[i], own[j]), rel=1e-10)
        gap = own[i] - own[j]
        # The 36th of 39 distances: 36 / (39 + 1) = 0.9.
        reach = sorted(abs(draw[i] - draw[j] - gap) for draw in draws)[35]
        assert (row.difference, row.low, row.high) == pytest.approx((gap, gap - reach, gap + reach))
        assert row.differ == (gap > reach)


def test_strengths_are_those_of_effects_for_any_number_of_states():
    graph = nx.cycle_graph(4)
    codes = bjp.sampling.random_model(graph, "log-odds", epsilon=0.7).sample(300, seed=1).codes
    codes = np.column_stack([codes, np.random.default_rng(0).integers(0, 3, 300)])
    graph.add_edges_from([(0, 4), (1, 4)])
    network = fit_parameters(bjp.Dataset.from_codes(codes), graph)
    found, effects = compare_edges(network, resamples=2), network.effects(resamples=1)
    own = {(row.x, row.y): abs(row.effect) for row in effects.itertuples()}
    assert len(found) == math.comb(6, 2)
    for row in found.itertuples():
        wanted = (own[row.x1, row.y1], own[row.x2, row.y2])
        assert (row.strength1, row.strength2) == pytest.approx(wanted, abs=1e-12)
    assert (found["difference"] >= 0).all()
    # A strong edge and a weak one differ.
    found = compare_edges(fit_parameters(path_of([3.0, 0.6, 3.0]).sample(800, seed=4), PATH))
    assert found["differ"].tolist() == [False, True, True]
    assert {*found[["x2", "y2"]].iloc[1:].itertuples(index=False, name=None)} == {(1, 2)}


@pytest.mark.slow
def test_equally_strong_edges_differ_about_as_often_as_the_level_says():
    model, runs, wrong = path_of([1.0, -1.0]), 150, 0
    for seed in range(runs):
        network = fit_parameters(model.sample(200, seed=seed), nx.path_graph(3))
        wrong += bool(compare_edges(network, 0.9, resamples=99, seed=seed)["differ"][0])
    low, high = binom.interval(0.999, runs, 0.1)
    assert low <= wrong <= high


def test_differences_report_stop_and_refuse():
    data = path_of([1.0, 1.0, 1.0]).sample(50, seed=0)
    network = fit_parameters(data, PATH)
    for edges in ({}, {0: [1]}):
        found = compare_edges(fit_parameters(data, edges), resamples=3)
        assert (len(found), [*found][-4:]) == (0, ["difference", "low", "high", "differ"])
    assert reports_of(compare_edges, network, resamples=4) == [(k, 4) for k in range(5)]
    assert_refused(OptionError, "level", compare_edges, network, level=1.0)
    assert_refused(OptionError, "resamples=0", compare_edges, network, resamples=0)
    assert_refused(OptionError, "fit_parameters", compare_edges, PATH)
    assert_refused(DataError, "no row", compare_edges, fit_parameters(data.take([]), PATH))
