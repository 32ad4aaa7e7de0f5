"""Effects of edges and their differences: by hand, published, regressions and coverage."""

import itertools
import math

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import binom, norm
from statsmodels.stats.contingency_tables import StratifiedTable
from statsmodels.stats.meta_analysis import combine_effects

import bjp_engine as bjp
from bjp_engine.errors import DataError, OptionError
from bjp_engine.parameters import fit_parameters
from bjp_engine.parameters.effects import edge_effects
from tests import strategies
from tests.engine.calls import reports_of
from tests.refusals import assert_refused

PAIR = nx.Graph([(0, 1)])
TRIANGLE = nx.complete_graph(3)
# Two triangles on the edge {0, 1}, and an edge {3, 4} without common neighbours.
FANS = nx.Graph([(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (3, 4)])
PLAIN, PER_STEP, STRENGTH = "log odds ratio", "log odds ratio per step", "strength"


def with_cells(counts, **options):
    """Variables with these joint counts."""
    table = np.array(counts)
    codes = np.repeat(np.indices(table.shape).reshape(table.ndim, -1).T, table.ravel(), axis=0)
    return bjp.Dataset.from_codes(codes, table.shape, **options)


def of(found, x, y):
    (row,) = found[found["x"].isin([x, y]) & found["y"].isin([x, y])].itertuples()
    return row


def slices_by_hand(codes, graph, x, y):
    """Of the smallest sets next to x and to y that part them, the slices with the more pairs."""
    cut = nx.Graph(graph)
    cut.remove_edge(x, y)
    options = []
    for near, far in ((x, y), (y, x)):
        apart = cut.subgraph(set(cut) - set(cut[near]) | {far})
        beyond = nx.node_connected_component(apart, far)
        wall = sorted(v for v in cut[near] if any(u in beyond for u in cut[v]))
        slices = {}
        for row in codes.tolist():
            slices.setdefault(tuple(row[v] for v in wall), []).append((row[x], row[y]))
        pairs = sum(
            sum(a[0] != b[0] and a[1] != b[1] for a, b in itertools.combinations(rows, 2))
            / len(rows)
            for rows in slices.values()
        )
        options.append((pairs, [*slices.values()]))
    return max(options, key=lambda option: option[0])[1]


def by_hand(slices, step):
    """λ and its variance, where `step` is the product of the steps between two rows."""
    pairs = []  # slice, row, row, weight, what is z for the pair as it is
    for a, rows in enumerate(slices):
        for (i, first), (j, second) in itertools.combinations(enumerate(rows), 2):
            z = step(first, second)
            if z:
                pairs.append((a, i, j, 1 / len(rows), z))
    if not any(z > 0 for *_, z in pairs) or not any(z < 0 for *_, z in pairs):
        return None

    def pull(value, z):
        return z / (1 + math.exp(z * value))

    value = brentq(lambda v: sum(w * pull(v, z) for *_, w, z in pairs), -30, 30, xtol=1e-13)
    of_rows, same, bend = {}, 0.0, 0.0
    for a, i, j, w, z in pairs:
        g = w * pull(value, z)
        same += g * g
        for row in ((a, i), (a, j)):
            of_rows[row] = of_rows.get(row, 0.0) + g
        bend += w * z * z / (2 + 2 * math.cosh(z * value))
    whole = sum(g * g for g in of_rows.values())
    return value, max(whole - same, whole / 2) / bend**2


def effect_by_hand(slices, kind, orders):
    """Effect and, of a single number, variance."""
    if kind != STRENGTH:
        places = [{state: k for k, state in enumerate(order)} for order in orders]

        def step(first, second):
            along, across = (places[k][second[k]] - places[k][first[k]] for k in (0, 1))
            return along * across

        return by_hand(slices, step)
    ratios = []
    for pair in itertools.combinations(orders[0], 2):
        for other in itertools.combinations(orders[1], 2):
            inside = [[r for r in rows if r[0] in pair and r[1] in other] for rows in slices]
            sizes = [len(rows) for rows in slices]
            # Weights are those of the whole slices.
            straight = crossed = 0.0
            for rows, size in zip(inside, sizes, strict=True):
                n = {cell: rows.count(cell) for cell in itertools.product(pair, other)}
                straight += n[pair[0], other[0]] * n[pair[1], other[1]] / size
                crossed += n[pair[0], other[1]] * n[pair[1], other[0]] / size
            if straight and crossed:
                ratios.append(math.log(straight / crossed))
    return (math.sqrt(np.mean(np.square(ratios))), None) if ratios else None


@given(
    strategies.samples_with_graph(max_variables=5, max_rows=30, states=st.integers(1, 4)),
    st.integers(0, 99),
)
def test_it_is_that_of_all_pairs_of_rows(drawn, seed):
    sample, edges = drawn
    if not sample.rows:
        return
    graph, codes = strategies.as_graph(edges, sample.n), sample.data.codes
    rng = np.random.default_rng(seed)
    for ordered in (None, [*rng.permutation(sample.n)]):
        found = edge_effects(sample.data, graph, ordered=ordered, resamples=2)
        pairs = [(row.x, row.y) for row in found.itertuples()]
        assert pairs == sorted(tuple(sorted(edge)) for edge in graph.edges)
        for row in found.itertuples():
            used = [np.unique(codes[:, i]).tolist() for i in (row.x, row.y)]
            states = [max(2, len(one)) for one in used]
            usual = PER_STEP if ordered else STRENGTH
            assert row.kind == (PLAIN if states == [2, 2] else usual), row
            slices = slices_by_hand(codes, graph, row.x, row.y)
            wanted = effect_by_hand(slices, row.kind, used)
            if wanted is None:
                assert row.doubt in ("unknown", "infinite"), row
                assert (row.doubt == "unknown") == math.isnan(row.effect), row
                continue
            assert row.doubt not in ("unknown", "infinite"), row
            assert row.effect == pytest.approx(wanted[0], abs=1e-8), row
            assert row.low <= row.effect <= row.high
            if row.kind == PER_STEP:
                reach = 1.959963984540054 * math.sqrt(wanted[1])
                assert row.high - row.effect == pytest.approx(reach, rel=1e-6), row


def test_it_is_mantel_and_haenszels_and_a_log_odds_ratio():
    rng = np.random.default_rng(3)
    for size, slices in ((4000, 3), (300, 40), (60, 2)):
        z = rng.integers(slices, size=size)
        x = rng.random(size) < np.linspace(0.2, 0.7, slices)[z]
        y = rng.random(size) < 1 / (1 + np.exp(0.5 - z / slices - 0.8 * x))
        data = bjp.Dataset.from_codes(np.column_stack([x, y, z]).astype(int), [2, 2, slices])
        row = of(edge_effects(data, TRIANGLE), 0, 1)
        both = {"bins": 2, "range": [[0, 1], [0, 1]]}
        tables = [np.histogram2d(x[z == k], y[z == k], **both)[0] for k in range(slices)]
        published = StratifiedTable(tables)
        assert row.effect == pytest.approx(published.logodds_pooled, rel=1e-12), size
        error = (row.high - row.low) / 2 / norm.ppf(0.975)
        assert error == pytest.approx(published.logodds_pooled_se, rel=1e-9), size
    row = edge_effects(with_cells([[20, 5], [7, 30]]), PAIR).iloc[0]
    assert row["effect"] == pytest.approx(math.log(20 * 30 / (5 * 7)), rel=1e-12)
    assert (row["kind"], row["spread"], row["among"], row["doubt"]) == (PLAIN, 0.0, "", "")


@pytest.mark.filterwarnings("ignore:Only part of the data")
def test_how_a_network_was_fitted_has_no_part_in_it():
    data = strategies.noisy_tree(5, (3, 2, 2, 3, 2), 90).data
    wanted = fit_parameters(data, FANS).effects(resamples=5)
    for options in ({"estimate": "likelihood", "ess": 0.01}, {"ridge": 9.0}):
        found = fit_parameters(data, FANS, **options).effects(resamples=5)
        pd.testing.assert_frame_equal(found, wanted)


def asked(rng, rows, slope, *, marked):
    """Two questions that a gate opens; those who aren't asked have a state of their own, or no."""
    gate = rng.random(rows) < 0.5
    first = rng.random(rows) < 0.5
    second = rng.random(rows) < 1 / (1 + np.exp(0.4 - slope * first))
    answers = [np.where(gate, one + 1, 0 if marked else 1) for one in (first, second)]
    return np.column_stack([gate, *answers]).astype(int), first[gate], second[gate]


def ratio_of(x, y):
    n = np.histogram2d(x, y, bins=2)[0]
    return math.log(n[0, 0] * n[1, 1] / (n[0, 1] * n[1, 0]))


def test_slices_and_states_that_show_nothing_have_no_weight():
    # Only women can be pregnant, whatever the men's symptoms.
    rng = np.random.default_rng(1)
    for rows, of_men in itertools.product((300, 4000), (0.05, 0.5, 0.95)):
        woman = rng.random(rows) < 0.5
        pregnant = woman & (rng.random(rows) < 0.3)
        symptom = rng.random(rows) < np.where(woman, np.where(pregnant, 0.73, 0.5), of_men)
        frame = pd.DataFrame({"sex": np.where(woman, "woman", "man"), "pregnant": pregnant})
        data = bjp.Dataset.from_frame(frame.assign(symptom=symptom))
        row = of(edge_effects(data, nx.complete_graph(data.names)), "pregnant", "symptom")
        assert row.effect == pytest.approx(ratio_of(pregnant[woman], symptom[woman]), rel=1e-9)
        assert (row.among, row.doubt) == ("sex = woman", "silent"), (rows, of_men)
    # A gate: with it in the graph or not, the answer is that of those who were asked.
    for slope, marked in itertools.product((0.0, 1.0, 2.0), (True, False)):
        codes, first, second = asked(rng, 2000, slope, marked=marked)
        data = bjp.Dataset.from_codes(codes)
        row = of(edge_effects(data, TRIANGLE), 1, 2)
        assert abs(row.effect) == pytest.approx(abs(ratio_of(first, second)), rel=1e-9)
        assert (row.kind, row.among) == (STRENGTH if marked else PLAIN, "0 = 1")
    alone = edge_effects(bjp.Dataset.from_codes(asked(rng, 2000, 1.0, marked=True)[0][:, 1:]), PAIR)
    assert alone["doubt"].tolist() == ["never together"]
    assert alone["effect"][0] < 1.5


def test_what_rows_show_one_way_only_has_a_warning_and_what_none_shows_no_number():
    for counts, sign in (([[50, 0], [20, 30]], 1), ([[0, 50], [30, 0]], -1)):
        network = fit_parameters(with_cells(counts), PAIR)
        with pytest.warns(UserWarning, match="^The effect of 0 – 1 has no finite estimate"):
            row = network.effects().iloc[0]
        # Half a row in every cell (Haldane 1956).
        (a, b), (c, d) = (np.array(counts) + 0.5).tolist()
        error = math.sqrt(sum(1 / n for n in (a, b, c, d)))
        assert row["effect"] == pytest.approx(math.log(a * d / (b * c)))
        assert (row["high"] - row["low"]) / 2 == pytest.approx(1.96 * error, rel=1e-4)
        assert (row["doubt"], np.sign(row["effect"])) == ("infinite", sign)
    # An x that z decides says nothing of y.
    rng = np.random.default_rng(0)
    z, y = rng.integers(2, size=(2, 200))
    network = fit_parameters(np.column_stack([z, y, z]), TRIANGLE)
    with pytest.warns(UserWarning, match="effects? of 0") as said:
        found = network.effects(ordered=[0], resamples=3)
    assert [str(one.message).partition(",")[0] for one in said] == [
        "The data cannot show the effects of 0 – 1 and 1 – 2",
        "The effect of 0 – 2 has no finite estimate",
    ]
    row = of(found, 0, 1)
    assert np.isnan((row.effect, row.low, row.high)).all()
    # Opposite ends of a scale that never meet decide a slope only where it is steep, and states
    # that the slope expects together are missed.
    for table, doubt in (
        ([[40, 0, 40], [20, 40, 20], [40, 0, 40]], "never together"),
        ([[60, 1, 0], [1, 60, 1], [0, 1, 60]], "never together"),
        ([[40, 20, 0], [20, 40, 20], [0, 20, 40]], ""),
    ):
        found = edge_effects(with_cells(table), PAIR, ordered=[0, 1])
        assert found["doubt"].tolist() == [doubt], table


def coverage(draw, graph, truth, runs, **options):
    """In how many of some samples the interval holds the truth, and the mean error."""
    held, errors = 0, []
    for seed in range(runs):
        data = draw(np.random.default_rng([7, seed]))
        row = of(edge_effects(data, graph, seed=seed, **options), 0, 1)
        held += row.low <= truth <= row.high
        errors.append(row.effect - truth)
    return held, float(np.mean(errors))


def drawn_from(log_weights, rows):
    """Samples of a table of joint probabilities."""
    p = np.exp(log_weights) / np.exp(log_weights).sum()

    def draw(rng):
        cells = rng.choice(p.size, rows, p=p.ravel())
        return bjp.Dataset.from_codes(np.column_stack(np.unravel_index(cells, p.shape)), p.shape)

    return draw


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say():
    steps = np.arange(5) - 2.0
    five = drawn_from(0.29 * np.outer(steps, steps), 300)
    table = np.array([[0.9, -0.3, 0.1], [-0.4, 0.5, -0.2], [0, 0.2, 0.6]])
    centred = table - table.mean(0) - table.mean(1)[:, None] + table.mean()
    length = 2 * math.sqrt((centred**2).sum() / 4)
    halves = np.indices((2,) * 4) - 0.5
    cycle = sum(1.2 * halves[i] * halves[i - 1] for i in range(4))
    z = np.array([0.8, -0.8])
    sliced = centred[:, :, None] + np.array([1, 0, -1])[:, None, None] * z
    runs = 150
    low, high = binom.ppf([5e-4, 1 - 5e-4], runs, 0.95)
    for name, draw, graph, truth, options in (
        ("five steps", five, PAIR, 0.29, {"ordered": [0, 1]}),
        ("three states, sliced", drawn_from(sliced, 600), TRIANGLE, length, {}),
        ("a cycle", drawn_from(cycle, 200), nx.cycle_graph(4), 1.2, {}),
    ):
        held, bias = coverage(draw, graph, truth, runs, **options)
        assert low <= held <= high, (name, held)
        assert abs(bias) < 0.1, (name, bias)
    # Independent variables have strength 0, which the interval holds.
    held, _ = coverage(drawn_from(0 * table, 200), PAIR, 0.0, runs)
    assert low <= held <= high


def test_the_spread_is_that_between_slices_beyond_chance():
    rng = np.random.default_rng(2)
    for slopes in ([1, 1, 1, 1, 1, 1], [-1, 2, 0, 1, 3, -2]):
        z = rng.integers(6, size=1800)
        x = rng.random(1800) < 0.5
        y = rng.random(1800) < 1 / (1 + np.exp(0.3 - np.array(slopes)[z] * x))
        data = bjp.Dataset.from_codes(np.column_stack([x, y, z]).astype(int))
        cells = np.array([np.histogram2d(x[z == k], y[z == k], bins=2)[0] + 0.5 for k in range(6)])
        logs = np.log(cells[:, 0, 0] * cells[:, 1, 1] / (cells[:, 0, 1] * cells[:, 1, 0]))
        published = combine_effects(logs, (1 / cells).sum(axis=(1, 2)), method_re="dl")
        row = of(edge_effects(data, TRIANGLE), 0, 1)
        assert row.spread == pytest.approx(math.sqrt(max(0.0, published.tau2)), abs=1e-9), slopes
    # In each slice of z rows and columns are proportional, and differ from slice to slice.
    slices = [np.outer([2, 4, 6], [6, 3]), np.outer([8, 4, 4], [2, 6])]
    data = with_cells(np.stack(slices, axis=2))
    row = of(edge_effects(data, TRIANGLE), 0, 1)
    assert (row.effect, row.spread, row.low) == pytest.approx((0, 0, 0), abs=1e-12)


def test_other_orders_change_signs_only():
    sample = strategies.noisy_tree(5, (3, 4, 2, 3, 2), 120)
    data, order = sample.data, [3, 1, 4, 0, 2]

    def effects(data, named, graph=FANS):
        return edge_effects(data, graph, ordered=named, resamples=20)

    place = {old: new for new, old in enumerate(order)}
    columns, graph = sample.permuted_variables(order).data, nx.relabel_nodes(FANS, place)
    found, again = effects(data, data.names), effects(columns, columns.names, graph)
    codes = data.codes.astype(int)
    codes[:, 1] = 3 - codes[:, 1]
    turned = effects(bjp.Dataset.from_codes(codes, data.cardinalities), data.names)
    for row, other in zip(found.itertuples(), turned.itertuples(), strict=True):
        there, numbers = of(again, place[row.x], place[row.y]), (row.spread, row.low, row.high)
        assert there.effect == pytest.approx(row.effect, abs=1e-9), row
        assert (there.spread, there.low, there.high) == pytest.approx(numbers, abs=1e-9), row
        sign = -1 if 1 in (row.x, row.y) else 1
        assert other.effect == pytest.approx(sign * row.effect, abs=1e-9), row
    shuffled = data.take(np.random.default_rng(0).permutation(120))
    pd.testing.assert_frame_equal(effects(shuffled, data.names), found)


def test_strengths_of_many_rare_states_are_doubtful_and_a_slice_alone_has_no_spread():
    rng = np.random.default_rng(3)
    x, y = rng.integers(60, size=300), rng.integers(2, size=300)
    data = bjp.Dataset.from_codes(np.column_stack([x, y]))
    with pytest.warns(UserWarning, match="The strength of 0 – 1 is too low.* Merge rare states"):
        found = fit_parameters(data, PAIR).effects(resamples=5)
    assert found["doubt"].tolist() == ["sparse"]
    # One slice of three is informative: the others have a single state of one of the two.
    w, z = rng.integers(3, size=500), rng.integers(2, size=500)
    b = np.where(w == 2, rng.integers(1, 3, 500), 0)
    found = edge_effects(bjp.Dataset.from_codes(np.column_stack([b, z, w])), TRIANGLE)
    assert of(found, 0, 1).spread == 0


def test_both_ends_must_be_ordered_and_two_states_are():
    data = strategies.noisy_tree(3, (3, 3, 2, 2, 4), 60).data
    path = nx.path_graph(5)
    # Whoever names all of them, in any order, or a single one by itself, means the same.
    for some, wanted in (
        *((one, [STRENGTH, PER_STEP, PLAIN, STRENGTH]) for one in ([1], 1)),
        *((one, [PER_STEP, PER_STEP, PLAIN, PER_STEP]) for one in ([4, 1, 0], iter([0, 1, 4]))),
    ):
        assert edge_effects(data, path, ordered=some, resamples=1)["kind"].tolist() == wanted
    # Orders that the data declare are used unless others are given.
    plain, declared = (
        bjp.Dataset.from_codes(data.codes, data.cardinalities, ordered=ordered)
        for ordered in ([], [0, 1])
    )
    by_data = edge_effects(declared, path, resamples=5)
    pd.testing.assert_frame_equal(by_data, edge_effects(plain, path, ordered=[0, 1], resamples=5))
    none = edge_effects(declared, path, ordered=(), resamples=5)
    assert none["kind"].tolist() == [STRENGTH, STRENGTH, PLAIN, STRENGTH]


def test_very_many_states_take_their_most_frequent_ones():
    rng = np.random.default_rng(0)
    x = rng.zipf(1.3, 4000).clip(max=400)
    y = np.where(rng.random(4000) < 0.5, x, rng.zipf(1.3, 4000).clip(max=300))
    row = edge_effects(bjp.Dataset.from_codes(np.column_stack([x, y])), PAIR, resamples=3).iloc[0]
    assert row["kind"] == STRENGTH
    assert 0 < row["low"] <= row["effect"] <= row["high"] < 10


def test_seeds_levels_reports_and_what_is_out_of_range():
    data = with_cells([[9, 6, 4], [5, 9, 6], [3, 5, 9]])
    network = fit_parameters(data, PAIR)
    first, other = (edge_effects(data, PAIR, resamples=10, seed=k).iloc[0] for k in (1, 2))
    assert (other["effect"], other["high"] != first["high"]) == (first["effect"], True)
    wide, narrow = (edge_effects(data, PAIR, level, resamples=40) for level in (0.9, 0.5))
    assert wide["high"][0] > narrow["high"][0]
    empty = edge_effects(data, nx.empty_graph(2))
    assert list(empty) == ["x", "y", "effect", "low", "high", "spread", "kind", "among", "doubt"]
    assert (len(empty), {*empty.dtypes[["effect", "low", "high"]]}) == (0, {np.dtype(float)})
    assert reports_of(network.effects, resamples=4) == [(done, 4) for done in range(5)]
    for error, about, options in (
        *((OptionError, f"level='?{level}'?", {"level": level}) for level in (1, 0.0)),
        (OptionError, "resamples=", {"resamples": 0}),
        (OptionError, "must be a list", {"ordered": 2.5}),
        (DataError, "ordered: There is no variable 'z'", {"ordered": ["z"]}),
        (DataError, "ordered names the variable '1' twice", {"ordered": [1, "1"]}),
    ):
        assert_refused(error, about, network.effects, **options)
    assert_refused(DataError, "no row", fit_parameters(data.take([]), PAIR).effects)


def test_the_order_of_states_is_declared_with_the_data():
    frame = pd.DataFrame({"s": ["low", "mid", "high"] * 9, "y": ["0", "1", "1"] * 9})
    frame.loc[:2, "y"] = ["1", "0", "0"]
    network = fit_parameters(frame, nx.Graph([("s", "y")]))
    assert network.labels[0] == ("high", "low", "mid")
    assert_refused(OptionError, "Categorical", network.effects, ordered={"s": ["low", "mid"]})
    frame["s"] = pd.Categorical(frame["s"], ["low", "mid", "high"], ordered=True)
    network = fit_parameters(frame, nx.Graph([("s", "y")]))
    assert network.effects(resamples=1)["kind"].tolist() == [PER_STEP]
