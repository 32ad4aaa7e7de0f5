"""Effects of edges, ordered or not: against regressions, every row's conditionals, and theorems."""

import itertools
import math

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import bjp_engine as bjp
from bjp_engine.confidence import EdgeConfidence
from bjp_engine.errors import DataError, OptionError
from bjp_engine.parameters import fit_parameters
from tests import strategies
from tests.engine.calls import reports_of
from tests.refusals import assert_refused
from tests.strategies import Sample

ESTIMATES = ("likelihood", "pseudo-likelihood")
PAIR = nx.Graph([(0, 1)])
TREE = nx.Graph([(0, 1), (1, 2), (1, 3), (3, 4)])
# Two triangles on the edge {0, 1}, and an edge {3, 4} without common neighbours.
FANS = nx.Graph([(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (3, 4)])
PLAIN, PER_STEP, STRENGTH = "log odds ratio", "log odds ratio per step", "strength"


def with_cells(counts):
    """Variables with these joint counts."""
    table = np.array(counts)
    codes = np.repeat(np.indices(table.shape).reshape(table.ndim, -1).T, table.ravel(), axis=0)
    return bjp.Dataset.from_codes(codes, table.shape)


def of(found, x, y):
    (row,) = found[found["x"].isin([x, y]) & found["y"].isin([x, y])].itertuples()
    return row


def kinds(found):
    return found["kind"].tolist()


def tables_of(network, x, y):
    """ln Pr(x | all others) of every row, with every state of y."""
    data = network.data
    tables = np.empty((data.rows, data.cardinalities[x], data.cardinalities[y]))
    for t in range(data.cardinalities[y]):
        codes = np.array(data.codes)
        codes[:, y] = t
        moved = bjp.Dataset.from_codes(codes, data.cardinalities, data.names, data.labels)
        tables[:, :, t] = np.log(network.conditional(moved, x))
    return tables


def strength_by_hand(network, x, y):
    """Effect and spread: the log odds ratios of all pairs of states, row by row."""
    tables = tables_of(network, x, y)
    _, r, q = tables.shape
    ratios = [
        tables[:, s, t] + tables[:, s1, t1] - tables[:, s, t1] - tables[:, s1, t]
        for s, s1 in itertools.combinations(range(r), 2)
        for t, t1 in itertools.combinations(range(q), 2)
    ]
    if not ratios:
        return 0.0, 0.0
    mean = np.mean(ratios, axis=1)
    spread = math.sqrt(np.mean((ratios - mean[:, None]) ** 2))
    return float(mean[0] if r == q == 2 else np.sqrt((mean**2).mean())), spread


def slope_by_hand(network, x, y, orders=None, counted=None):
    """Effect and spread: the product's coefficient by least squares, row by row."""
    tables, data = tables_of(network, x, y), counted or network.data
    _, r, q = tables.shape
    # A constant for each state, and the product of the states' numbers; each cell counts by its
    # rows, and one more row is spread as under independence.
    counts = np.zeros((r, q))
    np.add.at(counts, (data.codes[:, x], data.codes[:, y]), 1.0)
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
    wanted = tables.reshape(len(tables), -1).T * root[:, None]
    slopes = np.linalg.lstsq(design * root[:, None], wanted, rcond=None)[0][-1]
    return float(slopes.mean()), float(slopes.std())


@given(
    strategies.samples_with_graph(max_variables=5, max_rows=40, states=st.integers(1, 4)),
    st.sampled_from(ESTIMATES),
    st.sampled_from(["cliques", "edges"]),
    st.integers(0, 99),
)
def test_it_is_the_mean_over_every_rows_conditionals(drawn, estimate, factors, seed):
    sample, edges = drawn
    if not sample.rows:
        sample = Sample(((0,) * sample.n,), sample.cards)
    graph = strategies.as_graph(edges, sample.n)
    network = fit_parameters(sample.data, graph, estimate, factors=factors)
    rng = np.random.default_rng(seed)
    orders = {i: rng.permutation(one).tolist() for i, one in enumerate(network.labels)}
    plain, by_codes, by_order = (
        network.effects(ordered=ordered, resamples=1) for ordered in ((), sample.data.names, orders)
    )
    assert by_order.attrs["ordered"] == {i: tuple(states) for i, states in orders.items()}
    assert [{row.x, row.y} for row in plain.itertuples()] == [set(e) for e in network.graph.edges]

    def check(row, effect, spread):
        assert row.effect == pytest.approx(effect, abs=1e-8)
        assert row.spread == pytest.approx(spread, abs=1e-7)

    rows = (one.itertuples() for one in (plain, by_codes, by_order))
    for row, slope, turned in zip(*rows, strict=True):
        states = sample.cards[row.x], sample.cards[row.y]
        check(row, *strength_by_hand(network, row.x, row.y))
        assert row.kind == (PLAIN if states == (2, 2) else STRENGTH)
        assert slope.kind == (row.kind if states == (2, 2) or 1 in states else PER_STEP)
        if slope.kind == PER_STEP:
            check(slope, *slope_by_hand(network, row.x, row.y))
            check(turned, *slope_by_hand(network, row.x, row.y, orders))
        else:
            assert slope == row
    if estimate == "likelihood":
        # The same as if the codes had been given in this order.
        places = [[orders[i].index(label) for label in network.data.labels[i]] for i in orders]
        moved = sample.relabelled(places).data
        other = fit_parameters(moved, network.graph, estimate, factors=factors)
        again = other.effects(ordered=moved.names, resamples=1)
        np.testing.assert_allclose(again["effect"], by_order["effect"], atol=1e-7)
        np.testing.assert_allclose(again["spread"], by_order["spread"], atol=1e-6)


def test_of_two_variables_it_is_the_log_of_the_cross_ratio():
    tables = ([[20, 5], [7, 30]], [[4, 11], [9, 2]], [[6, 0], [3, 8]])
    for counts, ess in itertools.product(tables, (1.0, 4.0)):
        (a, b), (c, d) = (np.array(counts) + ess / 4).tolist()
        network = fit_parameters(with_cells(counts), PAIR, "likelihood", ess=ess)
        row = network.effects(resamples=5).iloc[0]
        assert row["effect"] == pytest.approx(math.log(a * d / (b * c)), rel=1e-12), counts
        assert (row["kind"], row["spread"]) == (PLAIN, 0.0)
        assert math.isfinite(row["low"])
        assert row["low"] <= row["effect"] <= row["high"]
    # With a faint ridge pseudo-likelihood has the same.
    network = fit_parameters(with_cells([[20, 5], [7, 30]]), PAIR, ridge=1e-7)
    wanted = math.log(20 * 30 / (5 * 7))
    assert network.effects(resamples=1)["effect"][0] == pytest.approx(wanted, abs=1e-5)


# statsmodels warns that the model fits the counts exactly, as it should.
@pytest.mark.filterwarnings("ignore:Perfect separation")
def test_of_ordered_ones_it_is_the_log_linear_models_linear_by_linear_term():
    for shape, sign in itertools.product([(3, 4), (2, 3), (5, 2), (3, 3)], (1, -1)):
        # Every 2 x 2 table of adjacent states has the odds ratio 2, or 1/2.
        margins = [np.array([2, 1, 3, 1, 2])[:r] for r in shape]
        counts = np.outer(*margins) * 2 ** np.outer(*map(np.arange, shape))
        counts = counts if sign > 0 else counts[::-1]
        rows, columns = np.indices(shape).reshape(2, -1)
        levels = [rows == s for s in range(1, shape[0])]
        levels += [columns == t for t in range(1, shape[1])]
        design = sm.add_constant(np.column_stack([*levels, rows * columns]).astype(float))
        fitted = sm.GLM(counts.ravel(), design, family=sm.families.Poisson()).fit(tol=1e-12)
        network = fit_parameters(with_cells(counts), PAIR, "likelihood", ess=1e-7)
        row = network.effects(ordered=[0, 1], resamples=5).iloc[0]
        assert row["kind"] == PER_STEP
        assert row["effect"] == pytest.approx(fitted.params[-1], abs=1e-6), (shape, sign)
        assert row["effect"] == pytest.approx(sign * math.log(2), abs=1e-6), (shape, sign)
        assert row["low"] <= row["effect"] <= row["high"]


def test_with_a_factor_for_each_edge_it_is_the_log_linear_models_interaction():
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


def test_a_logistic_regression_finds_the_same_log_odds():
    model = bjp.sampling.random_model(FANS, "log-odds", epsilon=0.8)
    data = model.sample(20_000, seed=3, method="exact")
    found = fit_parameters(data, FANS, factors="edges").effects(resamples=1)
    for x in range(5):
        around = sorted(FANS[x])
        design = sm.add_constant(data.codes[:, around].astype(float))
        fitted = sm.Logit(data.codes[:, x].astype(float), design).fit(disp=0)
        for y, wanted, error in zip(around, fitted.params[1:], fitted.bse[1:], strict=True):
            # Each uses one end of the pair, the network both.
            assert of(found, x, y).effect == pytest.approx(wanted, abs=2 * error)
            assert of(found, x, y).effect == pytest.approx(0.8, abs=4 * error)


def test_independence_given_the_rest_and_dependence_that_turns():
    # In each slice of z rows and columns are proportional, and differ from slice to slice.
    slices = [np.outer([2, 4, 6], [6, 3]), np.outer([8, 4, 4], [2, 6])]
    data = with_cells(np.stack(slices, axis=2))
    for estimate in ESTIMATES:
        network = fit_parameters(data, nx.complete_graph(3), estimate, ess=1e-7, ridge=1e-7)
        row = of(network.effects(resamples=50), 0, 1)
        assert (row.effect, row.spread) == pytest.approx((0, 0), abs=1e-4), estimate
        assert row.low == 0 < row.high, estimate
    # Without the third variable they are dependent.
    marginal = fit_parameters(data.select([0, 1]), PAIR, "likelihood").effects(resamples=1)
    assert marginal["effect"][0] > 0.2
    # An effect that turns with a third variable shows in the spread.
    x, y = np.random.default_rng(0).integers(0, 2, (2, 400))
    data = bjp.Dataset.from_codes(np.column_stack([x, y, x ^ y]))
    row = fit_parameters(data, nx.complete_graph(3)).effects(resamples=20).iloc[0]
    assert abs(row["effect"]) < 1
    assert row["spread"] > 4


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_the_reverse_order_of_states_turns_the_sign_and_that_of_columns_and_rows_nothing(estimate):
    sample, ordered = strategies.noisy_tree(5, (3, 4, 2, 3, 2), 120), [0, 1, 3]

    def effects(data, graph=FANS, named=ordered):
        return fit_parameters(data, graph, estimate).effects(ordered=named, resamples=20)

    # Resamples number the distinct rows by their codes, so intervals differ by chance; the fits of
    # pseudo-likelihood end within 2e-3.
    near = {"abs": 2e-3}
    order = [3, 1, 4, 0, 2]
    place = {old: new for new, old in enumerate(order)}
    moved = sample.permuted_variables(order).data
    found, plain = effects(sample.data), effects(sample.data, named=())
    assert (found["effect"].abs() > 0.05).any()
    for one, named in ((found, ordered), (plain, ())):
        again = effects(moved, nx.relabel_nodes(FANS, place), [place[i] for i in named])
        for row in one.itertuples():
            there = of(again, place[row.x], place[row.y])
            assert (there.effect, there.spread) == pytest.approx((row.effect, row.spread), **near)
    for variable in (0, 1, 2):
        names = [list(range(r)) for r in sample.cards]
        names[variable].reverse()
        turned = sample.relabelled(names).data
        for one, again in ((found, effects(turned)), (plain, effects(turned, named=()))):
            for row, there in zip(one.itertuples(), again.itertuples(), strict=True):
                sign = -1 if variable in (row.x, row.y) and row.kind != STRENGTH else 1
                wanted = (sign * row.effect, row.spread)
                assert (there.effect, there.spread) == pytest.approx(wanted, **near)
    other = effects(sample.data.take(np.random.default_rng(0).permutation(120)))
    pd.testing.assert_frame_equal(found, other, rtol=0, atol=1e-9)


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_a_given_reverse_order_turns_effect_and_interval_exactly(estimate):
    data = strategies.noisy_tree(5, (3, 4, 2, 3, 2), 120).data
    network = fit_parameters(data, FANS, estimate)
    usual = {i: list(labels) for i, labels in enumerate(data.labels)}
    found = network.effects(ordered=data.names, resamples=20)
    pd.testing.assert_frame_equal(network.effects(ordered=usual, resamples=20), found)
    for variable in (0, 1, 2):
        orders = usual | {variable: usual[variable][::-1]}
        turned = network.effects(ordered=orders, resamples=20)
        ends = found[["x", "y"]].isin([variable]).any(axis=1)
        assert ends.sum() >= 2
        wanted = found.copy()
        flipped = -found.loc[ends, ["effect", "high", "low"]].values
        wanted.loc[ends, ["effect", "low", "high"]] = flipped
        pd.testing.assert_frame_equal(turned[list(wanted)], wanted, rtol=0, atol=0)
    # Two binary variables have the same.
    binary = fit_parameters(strategies.noisy_tree(5, (2, 2), 80).data, PAIR, estimate)
    plain, other = (
        binary.effects(ordered=given, resamples=9).iloc[0] for given in ((), {1: ["1", "0"]})
    )
    assert (other["effect"], other["low"]) == (-plain["effect"], -plain["high"])


def test_the_later_states_go_with_each_other_where_it_is_positive():
    frame = pd.DataFrame({"rain": ["no", "yes", "no", "yes"] * 10, "wet": ["no", "yes"] * 20})
    upside = frame.assign(wet=pd.Categorical(frame["wet"], categories=["yes", "no"]))
    for rows, sign in ((frame, 1), (upside, -1)):
        network = fit_parameters(rows, nx.Graph([("rain", "wet")]))
        assert network.labels[1] == ("no", "yes")[::sign]
        assert network.effects(resamples=5)["effect"][0] * sign > 0


def test_both_ends_must_be_ordered_and_two_states_are():
    data = strategies.noisy_tree(3, (3, 3, 2, 2, 4), 60).data
    network = fit_parameters(data, nx.Graph([(0, 1), (1, 2), (2, 3), (3, 4)]))
    # Whoever names all of them, in any order, or a single one by itself, means the same.
    for some in ([1], 1):
        found = network.effects(ordered=some, resamples=1)
        assert kinds(found) == [STRENGTH, PER_STEP, PLAIN, STRENGTH]
    for some in ([4, 1, 0], iter([0, 1, 4])):
        found = network.effects(ordered=some, resamples=1)
        assert kinds(found) == [PER_STEP, PER_STEP, PLAIN, PER_STEP]
    for codes, states, kind in (
        ([[0, 0], [0, 2]], [1, 3], STRENGTH),
        ([[0, 1], [2, 1]], [3, 3], PER_STEP),
    ):
        constant = fit_parameters(bjp.Dataset.from_codes(codes, states), PAIR)
        row = constant.effects(ordered=[0, 1], resamples=2).iloc[0]
        assert (row["kind"], row["effect"]) == (kind, pytest.approx(0, abs=1e-12))


def test_orders_that_the_data_declare_are_used_unless_others_are_given():
    rng = np.random.default_rng(8)
    first = rng.integers(3, size=300)
    codes = np.column_stack([first, np.clip(first + rng.integers(-1, 2, size=300), 0, 2)])
    plain, declared = (
        fit_parameters(bjp.Dataset.from_codes(codes, (3, 3), ordered=ordered), PAIR)
        for ordered in ([], [0, 1])
    )
    by_data = declared.effects(resamples=5)
    pd.testing.assert_frame_equal(by_data, plain.effects(ordered=[0, 1], resamples=5))
    none = declared.effects(ordered=(), resamples=5)
    assert (kinds(by_data), kinds(none)) == ([PER_STEP], [STRENGTH])


@pytest.mark.parametrize(
    ("estimate", "graph", "ordered"),
    [
        *((estimate, FANS, False) for estimate in ESTIMATES),
        *(("likelihood", nx.cycle_graph(5), False), ("likelihood", FANS, True)),
    ],
)
def test_its_ends_are_those_of_networks_fitted_to_copied_rows(estimate, graph, ordered):
    sample = strategies.noisy_tree(7, (3, 2, 3, 2, 4) if ordered else (2, 2, 3, 2, 2), 60)
    network = fit_parameters(sample.data, graph, estimate)
    names = sample.data.names if ordered else ()
    found = network.effects(0.95, ordered=names, resamples=19, seed=4)
    distinct = sorted(set(sample.rows))
    shares = [sample.rows.count(row) / 60 for row in distinct]
    farthest = np.zeros(len(found))
    for b in range(19):
        times = np.random.default_rng([4, b]).multinomial(60, shares)
        rows = np.repeat(np.array(distinct), times, axis=0)
        again = fit_parameters(bjp.Dataset.from_codes(rows, sample.cards), graph, estimate)
        # Cells count by all rows, in every resample.
        other = [
            slope_by_hand(again, row.x, row.y, counted=sample.data)[0]
            if row.kind == PER_STEP
            else strength_by_hand(again, row.x, row.y)[0]
            for row in found.itertuples()
        ]
        farthest = np.maximum(farthest, (np.array(other) - found["effect"]).abs())
    signed = found["kind"] != STRENGTH
    assert signed.sum() >= 3
    # Of 19 distances the largest is exceeded by the next with probability 1 in 20.
    reach = found["high"] - found["effect"]
    np.testing.assert_allclose(reach[signed], farthest[signed], atol=2e-3)
    # The distance of two tables is at least the difference of their lengths.
    assert (reach[~signed] >= farthest[~signed] - 2e-3).all()
    low = (found["effect"] - reach).where(signed, (found["effect"] - reach).clip(lower=0))
    np.testing.assert_allclose(found["low"], low)


def test_of_two_variables_it_is_as_wide_as_theory_has_it():
    counts = [[200, 150], [100, 250]]
    error = math.sqrt(sum(1 / n for row in counts for n in row))
    for estimate in ESTIMATES:
        network = fit_parameters(with_cells(counts), PAIR, estimate)
        for level, normal in ((0.95, 1.96), (0.5, 0.674)):
            row = network.effects(level, resamples=300).iloc[0]
            assert (row["high"] - row["low"]) / 2 == pytest.approx(normal * error, rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.0, 1.2])
def test_intervals_of_a_tree_hold_the_truth_as_often_as_they_say(epsilon):
    def hits(truth, states, rows, repetitions):
        model = bjp.sampling.random_model(TREE, "log-odds", states=states, epsilon=epsilon)
        found = 0
        for seed in range(repetitions):
            data = model.sample(rows, seed=seed, method="exact")
            network = fit_parameters(data, TREE, "likelihood")
            table = network.effects(resamples=99, seed=seed)
            found += int(((table["low"] <= truth) & (truth <= table["high"])).sum())
        return found

    low, high = binom.ppf([5e-4, 1 - 5e-4], 160, 0.95)
    assert low <= hits(epsilon, 2, 200, 40) <= high
    # φ = exp(ε/2) on the diagonal: of the nine 2×2 tables three have a log odds ratio of ±ε,
    # those of rows {s, s'} and columns {s, s'}, and six have ±ε/2.
    truth = math.sqrt((3 * epsilon**2 + 6 * (epsilon / 2) ** 2) / 9)
    assert hits(truth, 3, 300, 25) >= binom.ppf(5e-4, 100, 0.95)


def test_intervals_hold_the_parameter_of_items_on_five_points():
    # A chain of three items, in which each pair of neighbours has uniform association.
    graph, states = nx.Graph([(0, 1), (1, 2)]), np.arange(5) - 2.0
    for beta in (0.3, 0.8):
        held, effects = [], []
        weights = np.exp(beta * np.outer(states, states) - 0.3 * states**2)
        weights /= weights.sum(axis=1, keepdims=True)
        for seed in range(25):
            rng = np.random.default_rng(seed)
            items = [rng.integers(0, 5, 600)]
            for _ in range(2):
                drawn = rng.random(600)[:, None]
                items.append((weights[items[-1]].cumsum(axis=1) < drawn).sum(axis=1))
            data = bjp.Dataset.from_codes(np.column_stack(items), [5] * 3)
            network = fit_parameters(data, graph, "auto")
            found = network.effects(ordered=[0, 1, 2], resamples=60)
            held += ((found["low"] <= beta) & (beta <= found["high"])).tolist()
            effects += found["effect"].tolist()
        # Of 50 intervals of 95 %, fewer than 43 hold it once in a hundred times.
        assert sum(held) >= 43, beta
        assert np.mean(effects) == pytest.approx(beta, rel=0.1)


def test_the_same_seed_gives_the_same_numbers_and_the_level_the_width():
    network = fit_parameters(strategies.noisy_tree(1, (2, 3, 2, 2, 2), 60).data, FANS)
    first = network.effects(resamples=10, seed=1)
    pd.testing.assert_frame_equal(first, network.effects(resamples=10, seed=1))
    other = network.effects(resamples=10, seed=2)
    assert (other["effect"] == first["effect"]).all()
    assert (other["high"] != first["high"]).all()
    wide, narrow = (network.effects(level, resamples=40) for level in (0.9, 0.5))
    assert (wide["high"] > narrow["high"]).all()


def test_no_edges_and_variables_with_one_state():
    data = bjp.Dataset.from_codes([[0, 0], [0, 1]] * 5, [1, 2])
    empty = fit_parameters(data, nx.empty_graph(2)).effects()
    assert list(empty) == ["x", "y", "effect", "low", "high", "spread", "kind"]
    assert (len(empty), {*empty.dtypes[["effect", "low", "high"]]}) == (0, {np.dtype(float)})
    constant = fit_parameters(data, PAIR).effects(resamples=5).iloc[0]
    assert constant[["effect", "low", "high"]].tolist() == pytest.approx([0, 0, 0], abs=1e-12)


def test_it_reports_can_be_cancelled_and_refuses_what_is_out_of_range():
    network = fit_parameters([[0, 1], [1, 0], [1, 1]], PAIR)
    assert reports_of(network.effects, resamples=4) == [(done, 4) for done in range(5)]
    for error, about, options in (
        *((OptionError, f"level='?{level}'?", {"level": level}) for level in (1, 0.0)),
        *((OptionError, f"{name}=", {name: k}) for name, k in (("resamples", 0), ("seed", -1))),
        (OptionError, "progress is", {"progress": print}),
        (OptionError, "must be a list", {"ordered": 2.5}),
        (DataError, "ordered names 'z', which is not a variable", {"ordered": ["z"]}),
        (DataError, "ordered names the variable '1' twice", {"ordered": [1, "1"]}),
    ):
        assert_refused(error, about, network.effects, **options)
    data = bjp.Dataset.from_codes(np.zeros((0, 2), dtype=int), [2, 2])
    assert_refused(DataError, "no rows", fit_parameters(data, PAIR).effects)


def test_an_order_that_is_none_of_the_states():
    frame = pd.DataFrame({"s": ["low", "mid", "high"] * 9, "y": ["0", "1", "1"] * 9})
    network = fit_parameters(frame, nx.Graph([("s", "y")]))
    assert network.labels[0] == ("high", "low", "mid")
    lists = "of 's'; list each of its states once: 'high', 'low', 'mid'"
    for states in (["low", "high"], ["low", "mid", "top"], ["low", "mid", "mid", "high"], []):
        assert_refused(DataError, lists, network.effects, ordered={"s": states})
    for odd in ("low", None, 5, {"low": 1}, {"low", "mid", "high"}):
        about = "for 's'; give the list of its states in order"
        assert_refused(OptionError, about, network.effects, ordered={"s": odd})
    order = ["low", "mid", "high"]
    about = "ordered names 'z', which is not a variable"
    assert_refused(DataError, about, network.effects, ordered={"z": order})
    assert kinds(network.effects(ordered={"s": order}, resamples=1)) == [PER_STEP]
    coded = fit_parameters(bjp.Dataset.from_codes([[2, 0], [10, 1], [9, 1]]), PAIR)
    numbers = coded.effects(ordered={0: range(11), 1: np.array([0.0, 1.0])}, resamples=1)
    assert numbers.attrs["ordered"][1] == ("0", "1")


def test_a_frame_of_pairs_has_the_effects_of_its_edges():
    def confidence(names):
        matrix = np.triu(np.random.default_rng(1).random((len(names),) * 2), 1)
        return EdgeConfidence("calibrated", names, matrix + matrix.T, None, "bjp")

    data = strategies.noisy_tree(5, (2, 2, 2, 3, 2), 60).data
    effects, sure = fit_parameters(data, FANS).effects(resamples=5), confidence(data.names)
    frame, columns = sure.to_frame(effects=effects), ["x", "y", "effect", "low", "high", "kind"]
    assert list(frame) == ["x", "y", "probability", "effect", "low", "high", "kind"]
    wanted = sure.to_frame().merge(effects[columns], how="left", on=["x", "y"])
    pd.testing.assert_frame_equal(frame, wanted, check_dtype=False)
    assert frame["effect"].notna().sum() == FANS.number_of_edges()
    assert len(sure.to_frame(0.5, effects=effects)) == len(sure.to_frame(0.5))
    about = "effects is not a table of effects"
    assert_refused(OptionError, about, sure.to_frame, effects=effects.drop(columns="low"))
    others, there = confidence(("a", "b")), effects[effects["y"] == 3]
    assert_refused(DataError, "There is no variable '3'", others.to_frame, effects=there)
