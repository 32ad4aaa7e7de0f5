"""Differences between edges against refits by hand, planted differences, and their coverage."""

from __future__ import annotations

import math
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from scipy.stats import binom

import bjp_engine as bjp
from bjp_engine.errors import Cancelled, DataError, OptionError
from bjp_engine.parameters import compare_edges, fit_parameters
from bjp_engine.progress import Progress
from bjp_engine.sampling import Factor, MarkovModel

PATH = nx.path_graph(4)


def path_of(log_odds: list[float]) -> MarkovModel:
    """Binary variables in a row, each with this log odds ratio with the next; fair coins."""
    n = len(log_odds) + 1
    tables = [np.array([[x, 0.0], [0.0, x]]) / 2 for x in log_odds]
    factors = [Factor((i, i + 1), table) for i, table in enumerate(tables)]
    return MarkovModel(tuple(range(n)), (2,) * n, tuple(factors))


def log_cross_ratio(codes: np.ndarray, weights: np.ndarray, i: int) -> float:
    """Of variables i and i + 1, a quarter row added to each cell."""
    cells = np.full((2, 2), 0.25)
    np.add.at(cells, (codes[:, i], codes[:, i + 1]), weights)
    return math.log(cells[0, 0] * cells[1, 1] / (cells[0, 1] * cells[1, 0]))


def test_every_interval_is_that_of_cross_ratios_in_resamples() -> None:
    data = path_of([1.5, -0.4, 0.8]).sample(120, seed=2)
    network = fit_parameters(data, PATH, "likelihood")
    found = compare_edges(network, 0.9, resamples=39, seed=7)
    rows, counts = np.unique(data.codes, axis=0, return_counts=True)
    draws = []
    for b in range(39):
        weights = np.random.default_rng([7, b]).multinomial(120, counts / 120)
        draws.append([abs(log_cross_ratio(rows, weights, i)) for i in range(3)])
    own = [abs(log_cross_ratio(rows, counts, i)) for i in range(3)]
    ranked = sorted(range(3), key=lambda i: -own[i])
    assert len(found) == 3
    for row, (i, j) in zip(found.itertuples(), combinations(ranked, 2), strict=True):
        assert (row.x1, row.y1, row.x2, row.y2) == (i, i + 1, j, j + 1)
        assert row.strength1 == pytest.approx(own[i], rel=1e-10)
        assert row.strength2 == pytest.approx(own[j], rel=1e-10)
        gap = own[i] - own[j]
        # The 36th of 39 distances: 36 / (39 + 1) = 0.9.
        reach = sorted(abs(draw[i] - draw[j] - gap) for draw in draws)[35]
        assert (row.difference, row.low, row.high) == pytest.approx((gap, gap - reach, gap + reach))
        assert row.differ == (gap > reach)


def test_strengths_are_those_of_effects_for_any_number_of_states() -> None:
    model = bjp.sampling.random_model(nx.cycle_graph(4), "log-odds", epsilon=0.7)
    codes = np.column_stack(
        [model.sample(300, seed=1).codes, np.random.default_rng(0).integers(0, 3, 300)]
    )
    graph = nx.cycle_graph(4)
    graph.add_edges_from([(0, 4), (1, 4)])
    network = fit_parameters(bjp.Dataset.from_codes(codes), graph)
    found, effects = compare_edges(network, resamples=2), network.effects(resamples=1)
    own = {(row.x, row.y): abs(row.effect) for row in effects.itertuples()}
    assert len(found) == math.comb(6, 2)
    for row in found.itertuples():
        assert row.strength1 == pytest.approx(own[row.x1, row.y1], abs=1e-12)
        assert row.strength2 == pytest.approx(own[row.x2, row.y2], abs=1e-12)
    assert (found["difference"] >= 0).all()


def test_a_strong_edge_and_a_weak_one_differ() -> None:
    data = path_of([3.0, 0.6, 3.0]).sample(800, seed=4)
    found = compare_edges(fit_parameters(data, PATH))
    assert found["differ"].tolist() == [False, True, True]
    assert {*found[["x2", "y2"]].iloc[1:].itertuples(index=False, name=None)} == {(1, 2)}


@pytest.mark.slow
def test_equally_strong_edges_differ_about_as_often_as_the_level_says() -> None:
    model, runs, wrong = path_of([1.0, -1.0]), 150, 0
    for seed in range(runs):
        network = fit_parameters(model.sample(200, seed=seed), nx.path_graph(3), "likelihood")
        wrong += bool(compare_edges(network, 0.9, resamples=99, seed=seed)["differ"][0])
    low, high = binom.interval(0.999, runs, 0.1)
    assert low <= wrong <= high


def test_few_edges_give_few_pairs() -> None:
    data = path_of([1.0, 1.0, 1.0]).sample(50, seed=0)
    for edges in ([], [(0, 1)]):
        graph = nx.empty_graph(4)
        graph.add_edges_from(edges)
        found = compare_edges(fit_parameters(data, graph), resamples=3)
        assert found.empty
        assert [*found][-4:] == ["difference", "low", "high", "differ"]


def test_it_reports_stops_and_refuses() -> None:
    data = path_of([1.0, 1.0, 1.0]).sample(50, seed=0)
    network = fit_parameters(data, PATH)
    seen: list[tuple[int, int]] = []
    compare_edges(network, resamples=4, progress=Progress(lambda *at: seen.append(at)))
    assert seen == [(k, 4) for k in range(5)]
    with pytest.raises(Cancelled):
        compare_edges(network, progress=Progress(cancelled=lambda: True))
    for wrong, text in (({"level": 1.0}, "level"), ({"resamples": 0}, "resamples=0")):
        with pytest.raises(OptionError, match=text):
            compare_edges(network, **wrong)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="fit_parameters"):
        compare_edges(PATH)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="no rows"):
        compare_edges(fit_parameters(data.take([]), PATH))
