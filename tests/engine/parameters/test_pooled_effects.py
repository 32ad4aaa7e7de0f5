"""Pooled effects against Rubin's formulas on counts, the plain effects, and known truths."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t

import bjp_engine as bjp
from bjp_engine.errors import Cancelled, GraphError, OptionError
from bjp_engine.parameters import Imputed, fit_parameters, impute, pool_effects
from bjp_engine.parameters.pooled_effects import rubin_reach
from bjp_engine.progress import Progress
from bjp_engine.records import FrozenMapping

EDGE = nx.Graph([("a", "b")])
QUARTER = 0.25  # of a row more in each of four cells


def tables(states: tuple[int, int] = (2, 2), m: int = 3, rows: int = 90) -> Imputed:
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


def counts_of(data: bjp.Dataset) -> np.ndarray:
    """How often each pair of states occurs, in lexicographic order of the pairs."""
    found = np.zeros(data.cardinalities)
    np.add.at(found, (data.codes[:, 0], data.codes[:, 1]), 1)
    return found


def resampled(counts: np.ndarray, number: int, seed: int) -> list[np.ndarray]:
    """Counts in resamples of the rows, by the seeds that are documented for them."""
    full = np.flatnonzero(counts)
    made = []
    for b in range(number):
        drawn = np.zeros(counts.size)
        share = counts.ravel()[full] / counts.sum()
        drawn[full] = np.random.default_rng([seed, b]).multinomial(int(counts.sum()), share)
        made.append(drawn.reshape(counts.shape))
    return made


def test_a_log_odds_ratio_is_pooled_by_rubins_rules_on_counts() -> None:
    imputed = tables()

    def ratio(counts: np.ndarray) -> float:
        (n00, n01), (n10, n11) = counts + QUARTER
        return math.log(n00 * n11 / (n01 * n10))

    own = [ratio(counts_of(one)) for one in imputed.datasets]
    within = []
    for k, one in enumerate(imputed.datasets):
        apart = [ratio(c) - own[k] for c in resampled(counts_of(one), 4, 5 * 3 + k)]
        within.append(sum(d * d for d in apart) / 4)
    w, q = sum(within) / 3, sum(own) / 3
    extra = (1 + 1 / 3) * sum((one - q) ** 2 for one in own) / 2
    freedom = 2 * (1 + w / extra) ** 2
    reach = t.ppf(0.95, freedom) * math.sqrt(w + extra)

    options = {"level": 0.9, "resamples": 12, "seed": 5}
    found = pool_effects(imputed, EDGE, "likelihood", **options)  # type: ignore[arg-type]
    assert found["effect"][0] == pytest.approx(q, rel=1e-9)
    assert found["low"][0] == pytest.approx(q - reach, rel=1e-9)
    assert found["high"][0] == pytest.approx(q + reach, rel=1e-9)
    assert found["kind"][0] == "log odds ratio"
    assert {name: found.attrs[name] for name in (*options, "tables")} == options | {"tables": 3}


def test_a_strength_is_the_length_of_the_mean_table() -> None:
    imputed = tables((3, 3))

    def centred(counts: np.ndarray) -> np.ndarray:
        logs = np.log(counts + 1 / 9)
        return logs - logs.mean(0) - logs.mean(1)[:, None] + logs.mean()

    def length(table: np.ndarray) -> float:
        ratios = [
            table[s, u] - table[s, v] - table[r, u] + table[r, v]
            for s in range(3) for r in range(3) for u in range(3) for v in range(3)
            if s != r and u != v
        ]  # fmt: skip
        return math.sqrt(sum(one * one for one in ratios) / len(ratios))

    own = [centred(counts_of(one)) for one in imputed.datasets]
    mean = sum(own) / 3
    w = 0.0
    for k, one in enumerate(imputed.datasets):
        apart = [length(centred(c) - own[k]) for c in resampled(counts_of(one), 2, k)]
        w += sum(d * d for d in apart) / 2 / 3
    extra = 4 / 3 * sum(length(one - mean) ** 2 for one in own) / 2
    reach = t.ppf(0.975, 2 * (1 + w / extra) ** 2) * math.sqrt(w + extra)

    found = pool_effects(imputed, EDGE, "likelihood", resamples=1)
    assert found["kind"][0] == "strength"
    assert found.attrs["resamples"] == 6  # two of each table are the fewest
    assert found["effect"][0] == pytest.approx(length(mean), rel=1e-9)
    assert found["low"][0] == pytest.approx(max(0, length(mean) - reach), abs=1e-9)
    assert found["high"][0] == pytest.approx(length(mean) + reach, rel=1e-9)
    ordered = pool_effects(imputed, EDGE, "likelihood", ordered=["a", "b"])
    each = [
        fit_parameters(one, EDGE, "likelihood").effects(ordered=["a", "b"], resamples=1)
        for one in imputed.datasets
    ]
    assert ordered["kind"][0] == "log odds ratio per step"
    assert ordered["effect"][0] == pytest.approx(np.mean([one["effect"][0] for one in each]))
    assert ordered["spread"][0] == pytest.approx(np.mean([one["spread"][0] for one in each]))


def test_rubins_interval_by_hand() -> None:
    # Rubin's T = 0.04 + 1.25 × 0.02 = 0.065 and ν = 3 (1 + 0.04 / 0.025)² = 20.28.
    reach = rubin_reach(np.array([0.04, 0.04]), np.array([0.02, 0.0]), 4, 0.95)
    assert reach[0] == pytest.approx(t.ppf(0.975, 20.28) * math.sqrt(0.065))
    assert reach[1] == pytest.approx(norm.ppf(0.975) * 0.2)
    assert rubin_reach(np.zeros(1), np.zeros(1), 4, 0.95).tolist() == [0.0]


def test_without_missing_cells_they_are_the_plain_effects() -> None:
    (data,) = tables(m=1).datasets
    made = impute(data.to_frame().astype(object))
    found = pool_effects(made, EDGE, resamples=30, seed=2)
    plain = fit_parameters(data, EDGE, "auto").effects(resamples=30, seed=2)
    pd.testing.assert_frame_equal(found, plain)
    assert found.attrs == plain.attrs


def test_an_empty_graph_has_no_effects() -> None:
    empty = nx.empty_graph(["a", "b"])
    assert len(pool_effects(tables(), empty)) == 0


def test_what_is_out_of_range_is_refused_and_it_reports_and_is_cancelled() -> None:
    imputed = tables()
    with pytest.raises(OptionError, match="impute"):
        pool_effects(imputed.datasets[0], EDGE)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="resamples"):
        pool_effects(imputed, EDGE, resamples=0)
    with pytest.raises(OptionError, match="level"):
        pool_effects(imputed, EDGE, level=1.0)
    with pytest.raises(GraphError):
        pool_effects(imputed, nx.Graph([("a", "z")]))
    seen: list[tuple[int, int]] = []
    pool_effects(imputed, EDGE, resamples=6, progress=Progress(lambda *now: seen.append(now)))
    assert seen == [(0, 6), (2, 6), (4, 6), (6, 6)]
    with pytest.raises(Cancelled):
        pool_effects(imputed, EDGE, progress=Progress(cancelled=lambda: True))


@pytest.mark.slow
def test_intervals_cover_the_truth_where_cells_are_missing_at_random() -> None:
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
