"""Signed effects of ordered variables against log-linear models, regressions and reversals."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.confidence import EdgeConfidence
from bjp_engine.errors import DataError, OptionError
from bjp_engine.parameters import FittedNetwork, fit_parameters
from tests import oracles, strategies
from tests.strategies import Sample

PAIR = nx.Graph([(0, 1)])
FANS = nx.Graph([(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (3, 4)])
PER_STEP = "log odds ratio per step"
NUMBERS = ["effect", "low", "high", "spread"]


def with_cells(counts: np.ndarray) -> bjp.Dataset:
    """Variables with these joint counts."""
    codes = np.repeat(np.indices(counts.shape).reshape(counts.ndim, -1).T, counts.ravel(), axis=0)
    return bjp.Dataset.from_codes(codes, counts.shape)


def reversed_states(data: bjp.Dataset, variable: int) -> bjp.Dataset:
    codes = np.array(data.codes)
    codes[:, variable] = data.cardinalities[variable] - 1 - codes[:, variable]
    return bjp.Dataset.from_codes(codes, data.cardinalities)


# --- The estimate -------------------------------------------------------------------------------


# statsmodels warns that the model fits the counts exactly, as it should.
@pytest.mark.filterwarnings("ignore:Perfect separation")
@pytest.mark.parametrize("shape", [(3, 4), (2, 3), (5, 2), (3, 3)])
@pytest.mark.parametrize("sign", [1, -1])
def test_it_is_the_log_linear_models_linear_by_linear_term(
    shape: tuple[int, int], sign: int
) -> None:
    # Every 2 x 2 table of adjacent states has the odds ratio 2, or 1/2.
    margins = [np.array([2, 1, 3, 1, 2])[:r] for r in shape]
    counts = np.outer(*margins) * 2 ** np.outer(*map(np.arange, shape))
    data = with_cells(counts if sign > 0 else counts[::-1])
    rows, columns = np.indices(shape).reshape(2, -1)
    levels = [rows == s for s in range(1, shape[0])] + [columns == t for t in range(1, shape[1])]
    design = sm.add_constant(np.column_stack([*levels, rows * columns]).astype(float))
    cells = np.bincount(data.codes[:, 0] * shape[1] + data.codes[:, 1], minlength=counts.size)
    fitted = sm.GLM(cells, design, family=sm.families.Poisson()).fit(tol=1e-12)
    network = fit_parameters(data, PAIR, "likelihood", ess=1e-7)
    row = network.effects(ordered=[0, 1], resamples=5).iloc[0]
    assert row["kind"] == PER_STEP
    assert row["effect"] == pytest.approx(fitted.params[-1], abs=1e-6)
    assert row["effect"] == pytest.approx(sign * math.log(2), abs=1e-6)
    assert row["low"] <= row["effect"] <= row["high"]


Orders = dict[int, list[str]]


def slope_by_regression(
    network: FittedNetwork,
    x: int,
    y: int,
    orders: Orders | None = None,
    counted: bjp.Dataset | None = None,
) -> tuple[float, float]:
    """Effect and spread from ln Pr(x | all others) of every row with every state of y."""
    data = network.data
    r, q = data.cardinalities[x], data.cardinalities[y]
    tables = np.empty((data.rows, r, q))
    for t in range(q):
        codes = np.array(data.codes)
        codes[:, y] = t
        moved = bjp.Dataset.from_codes(codes, data.cardinalities, data.names, data.labels)
        tables[:, :, t] = np.log(network.conditional(moved, x))
    # Least squares with a constant for each state, and the product of the states' numbers; each
    # cell counts by its rows, and one more row is spread as under independence.
    counts = np.zeros((r, q))
    rows_of = data if counted is None else counted
    np.add.at(counts, (rows_of.codes[:, x], rows_of.codes[:, y]), 1.0)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum() ** 2
    root = np.sqrt(counts + expected).ravel()
    if (r, q) == (2, 2):
        root[:] = 1  # one log odds ratio, whatever the weights
    elif min(np.count_nonzero(counts.sum(axis=k)) for k in (0, 1)) < 2:
        return 0.0, 0.0  # no pair of states to compare
    rows, columns = np.indices((r, q)).reshape(2, -1)
    states = np.column_stack([rows[:, None] == range(r), columns[:, None] == range(q)])
    for i, codes in ((x, rows), (y, columns)):
        if orders:
            codes[:] = [orders[i].index(str(code)) for code in codes]
    design = np.column_stack([states, rows * columns]).astype(float)
    wanted = tables.reshape(data.rows, -1).T * root[:, None]
    slopes = np.linalg.lstsq(design * root[:, None], wanted, rcond=None)[0][-1]
    return float(slopes.mean()), float(slopes.std())


@given(
    drawn=strategies.samples_with_graph(max_variables=5, max_rows=40, states=st.integers(2, 4)),
    factors=st.sampled_from(["cliques", "edges"]),
)
@settings(max_examples=25)
def test_it_is_the_least_squares_slope_of_every_rows_conditionals(
    drawn: tuple[Sample, oracles.Edges], factors: str
) -> None:
    sample, edges = drawn
    if not sample.rows:
        return
    graph = strategies.as_graph(edges, sample.n)
    network = fit_parameters(sample.data, graph, "likelihood", factors=factors)  # type: ignore[arg-type]
    found = network.effects(ordered=sample.data.names, resamples=1)
    plain = network.effects(resamples=1)
    for row, without in zip(found.itertuples(), plain.itertuples(), strict=True):
        if without.kind == "log odds ratio":
            assert row == without
            continue
        effect, spread = slope_by_regression(network, row.x, row.y)
        assert row.effect == pytest.approx(effect, abs=1e-8)
        assert row.spread == pytest.approx(spread, abs=1e-7)
        assert (row.kind, without.kind) == (PER_STEP, "strength")


@given(
    drawn=strategies.samples_with_graph(max_variables=4, max_rows=40, states=st.integers(2, 4)),
    seed=st.integers(0, 99),
)
@settings(max_examples=25)
def test_a_given_order_of_states_decides_the_steps(
    drawn: tuple[Sample, oracles.Edges], seed: int
) -> None:
    sample, edges = drawn
    if not sample.rows:
        return
    rng = np.random.default_rng(seed)
    network = fit_parameters(sample.data, strategies.as_graph(edges, sample.n), "likelihood")
    orders = {i: rng.permutation(labels).tolist() for i, labels in enumerate(network.labels)}
    found = network.effects(ordered=orders, resamples=1)
    assert found.attrs["ordered"] == {i: tuple(states) for i, states in orders.items()}
    for row in found.itertuples():
        effect, spread = slope_by_regression(network, row.x, row.y, orders)
        assert row.effect == pytest.approx(effect, abs=1e-8)
        assert row.spread == pytest.approx(spread, abs=1e-7)
    # The same as if the codes had been given in this order.
    places = [[orders[i].index(label) for label in network.data.labels[i]] for i in orders]
    codes = np.column_stack(
        [np.array(place)[column] for place, column in zip(places, sample.data.codes.T, strict=True)]
    )
    coded = bjp.Dataset.from_codes(codes, sample.data.cardinalities)
    other = fit_parameters(coded, network.graph, "likelihood")
    other = other.effects(ordered=coded.names, resamples=1)
    np.testing.assert_allclose(other["effect"], found["effect"], atol=1e-8)
    np.testing.assert_allclose(other["spread"], found["spread"], atol=1e-7)


# --- Which edges have a sign --------------------------------------------------------------------


def test_both_ends_must_be_ordered_and_two_states_are() -> None:
    data = strategies.noisy_tree(3, (3, 3, 2, 2, 4), 60).data
    network = fit_parameters(data, nx.Graph([(0, 1), (1, 2), (2, 3), (3, 4)]))
    kinds = network.effects(ordered=[1], resamples=1)["kind"].tolist()
    assert kinds == ["strength", PER_STEP, "log odds ratio", "strength"]
    # Whoever names all of them, in any order, or a single one by itself, means the same.
    for ordered in ([4, 1, 0], (name for name in (0, 1, 4))):
        named = network.effects(ordered=ordered, resamples=1)["kind"].tolist()
        assert named == [PER_STEP, PER_STEP, "log odds ratio", PER_STEP]
    assert network.effects(ordered=1, resamples=1)["kind"].tolist() == kinds  # type: ignore[arg-type]
    constant = fit_parameters(bjp.Dataset.from_codes([[0, 0], [0, 2]], [1, 3]), PAIR)
    row = constant.effects(ordered=[0, 1], resamples=2).iloc[0]
    assert (row["kind"], row["effect"]) == ("strength", pytest.approx(0, abs=1e-12))
    still = fit_parameters(bjp.Dataset.from_codes([[0, 1], [2, 1]], [3, 3]), PAIR)
    row = still.effects(ordered=[0, 1], resamples=2).iloc[0]
    assert (row["kind"], row["effect"]) == (PER_STEP, 0)


@pytest.mark.parametrize("estimate", ["likelihood", "pseudo-likelihood"])
@pytest.mark.parametrize("variable", [0, 1, 2])
def test_the_reverse_order_of_states_turns_the_sign(estimate: str, variable: int) -> None:
    data = strategies.noisy_tree(5, (3, 4, 2, 3, 2), 120).data
    found, other = (
        fit_parameters(each, FANS, estimate).effects(ordered=[0, 1, 3], resamples=20)
        for each in (data, reversed_states(data, variable))
    )
    for row, there in zip(found.itertuples(), other.itertuples(), strict=True):
        # Resamples number the distinct rows by their codes, so intervals differ by chance.
        sign = -1 if variable in (row.x, row.y) else 1
        assert there.effect == pytest.approx(sign * row.effect, abs=2e-3)
        assert there.spread == pytest.approx(row.spread, abs=2e-3)
    assert (found["effect"].abs() > 0.05).any()


@pytest.mark.parametrize("estimate", ["likelihood", "pseudo-likelihood"])
@pytest.mark.parametrize("variable", [0, 1, 2])
def test_a_given_reverse_order_turns_effect_and_interval_exactly(
    estimate: str, variable: int
) -> None:
    data = strategies.noisy_tree(5, (3, 4, 2, 3, 2), 120).data
    network = fit_parameters(data, FANS, estimate)  # type: ignore[arg-type]
    orders = {i: list(labels) for i, labels in enumerate(data.labels)}
    found = network.effects(ordered=data.names, resamples=20)
    pd.testing.assert_frame_equal(network.effects(ordered=orders, resamples=20), found)
    orders[variable].reverse()
    turned = network.effects(ordered=orders, resamples=20)
    ends = found[["x", "y"]].isin([variable]).any(axis=1)
    assert ends.sum() >= 2
    wanted = found.copy()
    wanted.loc[ends, ["effect", "low", "high"]] = -found.loc[ends, ["effect", "high", "low"]].values
    pd.testing.assert_frame_equal(turned[list(wanted)], wanted, rtol=0, atol=0)
    # Two binary variables have the same.
    binary = fit_parameters(strategies.noisy_tree(5, (2, 2), 80).data, PAIR, estimate)  # type: ignore[arg-type]
    plain, other = (
        binary.effects(ordered=given, resamples=9).iloc[0] for given in ((), {1: ["1", "0"]})
    )
    assert (other["effect"], other["low"]) == (-plain["effect"], -plain["high"])


def test_the_order_of_rows_changes_nothing() -> None:
    data = strategies.noisy_tree(5, (3, 4, 2, 3, 2), 120).data
    for estimate in ("likelihood", "pseudo-likelihood"):
        found, other = (
            fit_parameters(each, FANS, estimate).effects(ordered=[0, 1], resamples=20)  # type: ignore[arg-type]
            for each in (data, data.take(np.random.default_rng(0).permutation(120)))
        )
        pd.testing.assert_frame_equal(found, other, rtol=0, atol=1e-9)


def test_its_ends_are_those_of_networks_fitted_to_copied_rows() -> None:
    sample = strategies.noisy_tree(7, (3, 2, 3, 2, 4), 60)
    network = fit_parameters(sample.data, FANS, "likelihood")
    found = network.effects(ordered=sample.data.names, resamples=19, seed=4)
    distinct = sorted(set(sample.rows))
    shares = [sample.rows.count(row) / 60 for row in distinct]
    farthest = np.zeros(len(found))
    for b in range(19):
        times = np.random.default_rng([4, b]).multinomial(60, shares)
        rows = np.repeat(np.array(distinct), times, axis=0)
        again = fit_parameters(bjp.Dataset.from_codes(rows, sample.cards), FANS, "likelihood")
        # Cells count by all rows, in every resample.
        other = [
            slope_by_regression(again, row.x, row.y, counted=sample.data)[0]
            if row.kind == PER_STEP
            else again.effects(resamples=1).query("x == @row.x and y == @row.y")["effect"].item()
            for row in found.itertuples()
        ]
        farthest = np.maximum(farthest, (np.array(other) - found["effect"]).abs())
    assert (found["kind"] == PER_STEP).sum() >= 4
    # Of 19 distances the largest is exceeded by the next with probability 1 in 20.
    np.testing.assert_allclose(found["high"] - found["effect"], farthest, atol=2e-3)
    np.testing.assert_allclose(found["effect"] - found["low"], farthest, atol=2e-3)


def five_point_items(beta: float, rows: int, seed: int) -> bjp.Dataset:
    """A chain of three items, in which each pair of neighbours has uniform association."""
    rng = np.random.default_rng(seed)
    states = np.arange(5) - 2.0
    weights = np.exp(beta * np.outer(states, states) - 0.3 * states**2)
    weights /= weights.sum(axis=1, keepdims=True)
    items = [rng.integers(0, 5, rows)]
    for _ in range(2):
        drawn = rng.random(rows)[:, None]
        items.append((weights[items[-1]].cumsum(axis=1) < drawn).sum(axis=1))
    return bjp.Dataset.from_codes(np.column_stack(items), [5] * 3)


@pytest.mark.parametrize("beta", [0.3, 0.8])
def test_intervals_hold_the_parameter_of_items_on_five_points(beta: float) -> None:
    graph, held, effects = nx.Graph([(0, 1), (1, 2)]), [], []
    for seed in range(25):
        network = fit_parameters(five_point_items(beta, 600, seed), graph, "auto")
        found = network.effects(ordered=[0, 1, 2], resamples=60)
        held += ((found["low"] <= beta) & (beta <= found["high"])).tolist()
        effects += found["effect"].tolist()
    # Of 50 intervals of 95 %, fewer than 43 hold it once in a hundred times.
    assert sum(held) >= 43
    assert np.mean(effects) == pytest.approx(beta, rel=0.1)


def test_names_that_are_no_variables() -> None:
    network = fit_parameters([[0, 1], [1, 0]], PAIR)
    with pytest.raises(DataError, match="ordered names 'z', which is not a variable"):
        network.effects(ordered=["z"])
    with pytest.raises(DataError, match="ordered names the variable '1' twice"):
        network.effects(ordered=[1, "1"])
    with pytest.raises(OptionError, match="must be a list"):
        network.effects(ordered=2.5)  # type: ignore[arg-type]


def test_orders_that_the_data_declare_are_used_unless_others_are_given() -> None:
    rng = np.random.default_rng(8)
    first = rng.integers(3, size=300)
    codes = np.column_stack([first, np.clip(first + rng.integers(-1, 2, size=300), 0, 2)])
    declared = bjp.Dataset.from_codes(codes, (3, 3), ordered=[0, 1])
    plain = bjp.Dataset.from_codes(codes, (3, 3))
    by_data, by_name, none = (
        fit_parameters(data, PAIR).effects(**given, resamples=5)
        for data, given in (
            (declared, {}),
            (plain, {"ordered": [0, 1]}),
            (declared, {"ordered": ()}),
        )
    )
    pd.testing.assert_frame_equal(by_data, by_name)
    assert by_data["kind"][0] == "log odds ratio per step"
    assert none["kind"][0] == "strength"


def test_an_order_that_is_none_of_the_states() -> None:
    frame = pd.DataFrame({"s": ["low", "mid", "high"] * 9, "y": ["0", "1", "1"] * 9})
    network = fit_parameters(frame, nx.Graph([("s", "y")]))
    assert network.labels[0] == ("high", "low", "mid")
    lists = "of 's'; list each of its states once: 'high', 'low', 'mid'"
    for states in (["low", "high"], ["low", "mid", "top"], ["low", "mid", "mid", "high"], []):
        with pytest.raises(DataError, match=lists):
            network.effects(ordered={"s": states})
    for odd in ("low", None, 5, {"low": 1}, {"low", "mid", "high"}):
        with pytest.raises(OptionError, match="for 's'; give the list of its states in order"):
            network.effects(ordered={"s": odd})  # type: ignore[dict-item]
    with pytest.raises(DataError, match="ordered names 'z', which is not a variable"):
        network.effects(ordered={"z": ["low", "mid", "high"]})
    kinds = network.effects(ordered={"s": ["low", "mid", "high"]}, resamples=1)["kind"].tolist()
    assert kinds == [PER_STEP]
    coded = fit_parameters(bjp.Dataset.from_codes([[2, 0], [10, 1], [9, 1]]), PAIR)
    numbers = coded.effects(ordered={0: range(11), 1: np.array([0.0, 1.0])}, resamples=1)
    assert numbers.attrs["ordered"][1] == ("0", "1")


# --- With the probabilities of the pairs ----------------------------------------------------------


def confidence(names: tuple[object, ...]) -> EdgeConfidence:
    values = np.random.default_rng(1).random((len(names),) * 2)
    matrix = np.triu(values, 1)
    return EdgeConfidence("calibrated", names, matrix + matrix.T, None, "bjp")  # type: ignore[arg-type]


def test_a_frame_of_pairs_has_the_effects_of_its_edges() -> None:
    data = strategies.noisy_tree(5, (2, 2, 2, 3, 2), 60).data
    effects = fit_parameters(data, FANS).effects(resamples=5)
    sure = confidence(data.names)
    frame = sure.to_frame(effects=effects)
    pd.testing.assert_frame_equal(frame[["x", "y", "probability"]], sure.to_frame())
    assert list(frame) == ["x", "y", "probability", "effect", "low", "high", "kind"]
    of = {(row.x, row.y): row for row in effects.itertuples()}
    assert len(of) == FANS.number_of_edges()
    for row in frame.itertuples():
        known = of.get((row.x, row.y))
        if known is None:
            assert pd.isna([row.effect, row.low, row.high, row.kind]).all()
        else:
            numbers = (row.effect, row.low, row.high, row.kind)
            assert numbers == (known.effect, known.low, known.high, known.kind)
    assert len(sure.to_frame(0.5, effects=effects)) == len(sure.to_frame(0.5))


def test_a_frame_refuses_effects_of_something_else() -> None:
    data = strategies.noisy_tree(5, (2, 2, 2, 3, 2), 60).data
    effects = fit_parameters(data, FANS).effects(resamples=1)
    with pytest.raises(OptionError, match="effects is not a table of effects"):
        confidence(data.names).to_frame(effects=effects.drop(columns="low"))
    with pytest.raises(DataError, match="There is no variable '3'"):
        confidence(("a", "b")).to_frame(effects=effects[effects["y"] == 3])
