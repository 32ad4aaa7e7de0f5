"""Effects of edges against cross ratios, regressions, every row's conditionals, and theorems."""

from __future__ import annotations

import itertools
import math

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import bjp_engine as bjp
from bjp_engine.errors import Cancelled, DataError, OptionError
from bjp_engine.parameters import FittedNetwork, fit_parameters
from bjp_engine.progress import Progress
from tests import oracles, strategies
from tests.strategies import Sample

ESTIMATES = ("likelihood", "pseudo-likelihood")
PAIR = nx.Graph([(0, 1)])
TREE = nx.Graph([(0, 1), (1, 2), (1, 3), (3, 4)])
# Two triangles on the edge {0, 1}, and an edge {3, 4} without common neighbours.
FANS = nx.Graph([(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (3, 4)])


def rows_of(counts: list[list[int]]) -> bjp.Dataset:
    """Two variables with these cells."""
    table = np.array(counts)
    cells = np.repeat(np.arange(table.size), table.ravel())
    return bjp.Dataset.from_codes(
        np.column_stack(np.unravel_index(cells, table.shape)), table.shape
    )


def of(found: pd.DataFrame, x: object, y: object) -> pd.Series:
    rows = found[(found["x"].isin([x, y])) & (found["y"].isin([x, y]))]
    assert len(rows) == 1
    return rows.iloc[0]


# --- The estimate -------------------------------------------------------------------------------


@pytest.mark.parametrize("counts", [[[20, 5], [7, 30]], [[4, 11], [9, 2]], [[6, 0], [3, 8]]])
@pytest.mark.parametrize("ess", [1.0, 4.0])
def test_of_two_variables_it_is_the_log_of_the_cross_ratio(
    counts: list[list[int]], ess: float
) -> None:
    (a, b), (c, d) = (np.array(counts) + ess / 4).tolist()
    network = fit_parameters(rows_of(counts), PAIR, "likelihood", ess=ess)
    row = network.effects(resamples=5).iloc[0]
    assert row["effect"] == pytest.approx(math.log(a * d / (b * c)), rel=1e-12)
    assert (row["kind"], row["spread"]) == ("log odds ratio", 0.0)
    assert math.isfinite(row["low"])
    assert row["low"] <= row["effect"] <= row["high"]


def test_with_a_faint_ridge_pseudo_likelihood_has_the_same_cross_ratio() -> None:
    network = fit_parameters(rows_of([[20, 5], [7, 30]]), PAIR, ridge=1e-7)
    wanted = math.log(20 * 30 / (5 * 7))
    assert network.effects(resamples=1)["effect"][0] == pytest.approx(wanted, abs=1e-5)


def from_conditionals(network: FittedNetwork, x: int, y: int) -> tuple[float, float]:
    """Effect and spread from ln Pr(x | all others) of every row with every state of y."""
    data = network.data
    r, q = data.cardinalities[x], data.cardinalities[y]
    tables = np.empty((data.rows, r, q))
    for t in range(q):
        codes = np.array(data.codes)
        codes[:, y] = t
        moved = bjp.Dataset.from_codes(codes, data.cardinalities, data.names, data.labels)
        tables[:, :, t] = np.log(network.conditional(moved, x))
    quadruples = [
        (s, s1, t, t1)
        for s, s1 in itertools.combinations(range(r), 2)
        for t, t1 in itertools.combinations(range(q), 2)
    ]
    # The log odds ratios of all pairs of states, row by row.
    ratios = np.array(
        [
            tables[:, s, t] + tables[:, s1, t1] - tables[:, s, t1] - tables[:, s1, t]
            for s, s1, t, t1 in quadruples
        ]
    ).reshape(len(quadruples), data.rows)
    if not quadruples:
        return 0.0, 0.0
    mean = ratios.mean(axis=1)
    spread = math.sqrt(((ratios - mean[:, None]) ** 2).mean())
    return float(mean[0] if r == q == 2 else np.sqrt((mean**2).mean())), spread


@pytest.mark.parametrize("estimate", ESTIMATES)
@given(
    drawn=strategies.samples_with_graph(max_variables=5, max_rows=40, states=st.integers(1, 3)),
    factors=st.sampled_from(["cliques", "edges"]),
)
@settings(max_examples=25)
def test_it_is_the_mean_of_every_rows_conditional_log_odds_ratios(
    estimate: str, drawn: tuple[Sample, oracles.Edges], factors: str
) -> None:
    sample, edges = drawn
    if not sample.rows:
        return
    graph = strategies.as_graph(edges, sample.n)
    network = fit_parameters(sample.data, graph, estimate, factors=factors)  # type: ignore[arg-type]
    found = network.effects(resamples=1)
    assert [{row.x, row.y} for row in found.itertuples()] == [set(e) for e in network.graph.edges]
    for row in found.itertuples():
        effect, spread = from_conditionals(network, row.x, row.y)
        assert row.effect == pytest.approx(effect, abs=1e-8)
        assert row.spread == pytest.approx(spread, abs=1e-7)
        both = (sample.cards[row.x], sample.cards[row.y]) == (2, 2)
        assert row.kind == ("log odds ratio" if both else "strength")


def test_with_a_factor_for_each_edge_it_is_the_log_linear_models_interaction() -> None:
    model = bjp.sampling.random_model(FANS, "log-odds", epsilon=0.8)
    data = model.sample(500, seed=2, method="exact")
    network = fit_parameters(data, FANS, "likelihood", factors="edges")
    # Poisson regression of the smoothed counts of all joint states.
    states = np.array(list(itertools.product(range(2), repeat=5)))
    counts = np.zeros((2,) * 5)
    np.add.at(counts, tuple(data.codes.T), 1)
    edges = sorted(map(sorted, FANS.edges))
    pairs = np.column_stack([states[:, i] * states[:, j] for i, j in edges])
    design = sm.add_constant(np.column_stack([states, pairs]))
    fitted = sm.GLM(counts.ravel() + 1 / 32, design, family=sm.families.Poisson()).fit(tol=1e-12)
    found = network.effects(resamples=1)
    assert found[["x", "y"]].to_numpy().tolist() == edges
    np.testing.assert_allclose(found["effect"], fitted.params[6:], atol=1e-5)
    assert not found["spread"].any()


def test_a_logistic_regression_finds_the_same_log_odds() -> None:
    model = bjp.sampling.random_model(FANS, "log-odds", epsilon=0.8)
    data = model.sample(20_000, seed=3, method="exact")
    found = fit_parameters(data, FANS, factors="edges").effects(resamples=1)
    for x in range(5):
        around = sorted(FANS[x])
        design = sm.add_constant(data.codes[:, around].astype(float))
        fitted = sm.Logit(data.codes[:, x].astype(float), design).fit(disp=0)
        for y, wanted, error in zip(around, fitted.params[1:], fitted.bse[1:], strict=True):
            # Each uses one end of the pair, the network both.
            assert of(found, x, y)["effect"] == pytest.approx(wanted, abs=2 * error)
            assert of(found, x, y)["effect"] == pytest.approx(0.8, abs=4 * error)


# --- Names, order, independence -----------------------------------------------------------------


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_another_order_of_states_turns_the_sign_and_that_of_columns_nothing(estimate: str) -> None:
    sample = strategies.noisy_tree(5, (2, 2, 2, 3, 2), 80)
    found = fit_parameters(sample.data, FANS, estimate).effects(resamples=20)
    exact = {"rtol": 0, "atol": 2e-3}  # the fits of pseudo-likelihood end within this
    turned = sample.relabelled([[1, 0], [0, 1], [0, 1], [2, 0, 1], [0, 1]])
    other = fit_parameters(turned.data, FANS, estimate).effects(resamples=20)
    order = [3, 1, 4, 0, 2]
    moved = sample.permuted_variables(order)
    place = {old: new for new, old in enumerate(order)}
    same = fit_parameters(moved.data, nx.relabel_nodes(FANS, place), estimate).effects(resamples=20)
    for row in found.itertuples():
        # Resamples number the distinct rows by their codes, so intervals differ by chance.
        numbers = np.array([row.effect, row.spread])
        there = of(same, place[row.x], place[row.y])[["effect", "spread"]]
        np.testing.assert_allclose(there.to_numpy(float), numbers, **exact)
        if 0 in (row.x, row.y) and row.kind == "log odds ratio":
            numbers[0] *= -1
        there = of(other, row.x, row.y)[["effect", "spread"]]
        np.testing.assert_allclose(there.to_numpy(float), numbers, **exact)


def test_the_later_states_go_with_each_other_where_it_is_positive() -> None:
    frame = pd.DataFrame({"rain": ["no", "yes", "no", "yes"] * 10, "wet": ["no", "yes"] * 20})
    network = fit_parameters(frame, nx.Graph([("rain", "wet")]))
    assert network.labels == (("no", "yes"), ("no", "yes"))
    assert network.effects(resamples=5)["effect"][0] > 0
    upside = frame.assign(wet=pd.Categorical(frame["wet"], categories=["yes", "no"]))
    network = fit_parameters(upside, nx.Graph([("rain", "wet")]))
    assert network.effects(resamples=5)["effect"][0] < 0


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_independence_given_the_rest_has_no_strength(estimate: str) -> None:
    # In each slice of z rows and columns are proportional, and differ from slice to slice.
    slices = [np.outer([2, 4, 6], [6, 3]), np.outer([8, 4, 4], [2, 6])]
    cells = np.stack(slices, axis=2)
    codes = np.repeat(np.indices(cells.shape).reshape(3, -1).T, cells.ravel(), axis=0)
    data = bjp.Dataset.from_codes(codes)
    network = fit_parameters(data, nx.complete_graph(3), estimate, ess=1e-7, ridge=1e-7)
    row = of(network.effects(resamples=50), 0, 1)
    assert row["effect"] == pytest.approx(0, abs=1e-4)
    assert row["spread"] == pytest.approx(0, abs=1e-4)
    assert row["low"] == 0 < row["high"]
    # Without the third variable they are dependent.
    marginal = fit_parameters(data.select([0, 1]), PAIR, "likelihood").effects(resamples=1)
    assert marginal["effect"][0] > 0.2


def test_an_effect_that_turns_with_a_third_variable_shows_in_the_spread() -> None:
    x, y = np.random.default_rng(0).integers(0, 2, (2, 400))
    data = bjp.Dataset.from_codes(np.column_stack([x, y, x ^ y]))
    row = fit_parameters(data, nx.complete_graph(3)).effects(resamples=20).iloc[0]
    assert abs(row["effect"]) < 1
    assert row["spread"] > 4


# --- The interval -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimate", "graph"),
    [("pseudo-likelihood", FANS), ("likelihood", FANS), ("likelihood", nx.cycle_graph(5))],
)
def test_its_ends_are_those_of_networks_fitted_to_copied_rows(
    estimate: str, graph: nx.Graph
) -> None:
    sample = strategies.noisy_tree(7, (2, 2, 3, 2, 2), 60)
    network = fit_parameters(sample.data, graph, estimate)
    found = network.effects(0.95, resamples=19, seed=4)
    distinct = sorted(set(sample.rows))
    shares = [sample.rows.count(row) / 60 for row in distinct]
    farthest = np.zeros(len(found))
    for b in range(19):
        times = np.random.default_rng([4, b]).multinomial(60, shares)
        rows = np.repeat(np.array(distinct), times, axis=0)
        again = fit_parameters(bjp.Dataset.from_codes(rows, sample.cards), graph, estimate)
        other = again.effects(resamples=1)["effect"]
        farthest = np.maximum(farthest, (other - found["effect"]).abs())
    signed = found["kind"] == "log odds ratio"
    assert signed.sum() >= 3
    # Of 19 distances the largest is exceeded by the next with probability 1 in 20.
    reach = found["high"] - found["effect"]
    np.testing.assert_allclose(reach[signed], farthest[signed], atol=2e-3)
    # The distance of two tables is at least the difference of their lengths.
    assert (reach[~signed] >= farthest[~signed] - 2e-3).all()
    low = (found["effect"] - reach).where(signed, (found["effect"] - reach).clip(lower=0))
    np.testing.assert_allclose(found["low"], low)


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_of_two_variables_it_is_as_wide_as_theory_has_it(estimate: str) -> None:
    counts = [[200, 150], [100, 250]]
    error = math.sqrt(sum(1 / n for row in counts for n in row))
    for level, normal in ((0.95, 1.96), (0.5, 0.674)):
        network = fit_parameters(rows_of(counts), PAIR, estimate)
        row = network.effects(level, resamples=300).iloc[0]
        assert (row["high"] - row["low"]) / 2 == pytest.approx(normal * error, rel=0.15)


def hits(model: bjp.sampling.MarkovModel, truth: float, rows: int, repetitions: int) -> int:
    """How many intervals of all edges of a tree hold the truth."""
    found = 0
    for seed in range(repetitions):
        data = model.sample(rows, seed=seed, method="exact")
        network = fit_parameters(data, TREE, "likelihood")
        table = network.effects(resamples=99, seed=seed)
        found += int(((table["low"] <= truth) & (truth <= table["high"])).sum())
    return found


@pytest.mark.slow
@pytest.mark.parametrize("truth", [0.0, 1.2])
def test_intervals_of_a_tree_hold_the_true_log_odds_ratio(truth: float) -> None:
    model = bjp.sampling.random_model(TREE, "log-odds", epsilon=truth)
    low, high = binom.ppf([5e-4, 1 - 5e-4], 160, 0.95)
    assert low <= hits(model, truth, 200, 40) <= high


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.0, 1.2])
def test_intervals_of_strengths_hold_the_truth_at_least_as_often(epsilon: float) -> None:
    model = bjp.sampling.random_model(TREE, "log-odds", states=3, epsilon=epsilon)
    # φ = exp(ε/2) on the diagonal: of the nine 2×2 tables three have a log odds ratio of ±ε,
    # those of rows {s, s'} and columns {s, s'}, and six have ±ε/2.
    truth = math.sqrt((3 * epsilon**2 + 6 * (epsilon / 2) ** 2) / 9)
    assert hits(model, truth, 300, 25) >= binom.ppf(5e-4, 100, 0.95)


# --- What it is asked ---------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_numbers() -> None:
    network = fit_parameters(strategies.noisy_tree(1, (2, 3, 2, 2, 2), 60).data, FANS)
    first = network.effects(resamples=10, seed=1)
    pd.testing.assert_frame_equal(first, network.effects(resamples=10, seed=1))
    other = network.effects(resamples=10, seed=2)
    assert (other["effect"] == first["effect"]).all()
    assert (other["high"] != first["high"]).all()
    wide, narrow = (network.effects(level, resamples=40) for level in (0.9, 0.5))
    assert (wide["high"] > narrow["high"]).all()


def test_no_edges_and_variables_with_one_state() -> None:
    data = bjp.Dataset.from_codes([[0, 0], [0, 1]] * 5, [1, 2])
    empty = fit_parameters(data, nx.empty_graph(2)).effects()
    assert list(empty) == ["x", "y", "effect", "low", "high", "spread", "kind"]
    assert empty.empty
    assert empty[["effect", "low", "high"]].dtypes.unique().tolist() == [np.dtype(float)]
    constant = fit_parameters(data, PAIR).effects(resamples=5).iloc[0]
    assert constant[["effect", "low", "high"]].tolist() == pytest.approx([0, 0, 0], abs=1e-12)


def test_arguments_out_of_range() -> None:
    network = fit_parameters([[0, 1], [1, 0]], PAIR)
    for options, about in (
        ({"level": 1}, "level='?1'?"),
        ({"level": 0.0}, "level="),
        ({"resamples": 0}, "resamples="),
        ({"seed": -1}, "seed="),
        ({"progress": print}, "progress is"),
    ):
        with pytest.raises(OptionError, match=about):
            network.effects(**options)  # type: ignore[arg-type]
    data = bjp.Dataset.from_codes(np.zeros((0, 2), dtype=int), [2, 2])
    with pytest.raises(DataError, match="no rows"):
        fit_parameters(data, PAIR).effects()


def test_it_reports_and_can_be_cancelled() -> None:
    network = fit_parameters([[0, 1], [1, 0], [1, 1]], PAIR)
    seen: list[tuple[int, int]] = []
    network.effects(resamples=4, progress=Progress(lambda *now: seen.append(now)))
    assert seen == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
    with pytest.raises(Cancelled):
        network.effects(resamples=4, progress=Progress(cancelled=lambda: True))
