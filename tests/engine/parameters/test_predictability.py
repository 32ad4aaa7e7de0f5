"""Predictions of held-out rows against sums over all joint states, and against known truths."""

import itertools
import math
from functools import partial

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.errors import Cancelled, DataError, OptionError
from bjp_engine.parameters import cross_validate, fit_parameters, predict_variables
from bjp_engine.progress import Progress
from tests.refusals import assert_refused

PATH = nx.path_graph(4)


def joint_of(network):
    """Pr of every joint state, one product after another."""
    sizes = network.model.cardinalities
    joint = np.ones(sizes)
    for members, table in network.potentials().items():
        for state in itertools.product(*map(range, sizes)):
            joint[state] *= table[tuple(state[network.names.index(name)] for name in members)]
    return joint / joint.sum()


def test_every_cell_is_predicted_as_the_sum_over_all_joint_states_says():
    codes = np.array(bjp.sampling.random_model(PATH, "log-odds").sample(60, seed=1).codes)
    codes = np.column_stack([codes, (codes[:, 0] + np.random.default_rng(0).integers(0, 2, 60))])
    data = bjp.Dataset.from_codes(codes)
    graph = nx.Graph([*PATH.edges, (0, 4), (1, 4)])
    found = predict_variables(data, graph, folds=3, seed=2, estimate="likelihood")
    for k in range(3):
        train, test = data.codes[found.folds != k], data.codes[found.folds == k]
        joint = joint_of(fit_parameters(data.take(found.folds != k), graph, "likelihood"))
        for row, place in zip(test, np.flatnonzero(found.folds == k), strict=True):
            for i, r in enumerate(data.cardinalities):
                states = [joint[(*row[:i], s, *row[i + 1 :])] for s in range(r)]
                assert found.correct[place, i] == (int(np.argmax(states)) == row[i])
                often = [int((train[:, i] == s).sum()) for s in range(r)]
                assert found.majority[place, i] == (int(np.argmax(often)) == row[i])
                margin = (often[row[i]] + 1 / r) / (len(train) + 1)
                gain = math.log(states[row[i]] / sum(states)) - math.log(margin)
                assert found.gains[place, i] == pytest.approx(gain, abs=1e-6)


def test_each_row_is_predicted_without_it():
    data = bjp.sampling.random_model(PATH, "log-odds").sample(50, seed=1)
    seen = []

    def learn(rows):
        seen.append(rows.codes.tobytes())
        return nx.path_graph(len(seen))

    found = predict_variables(data, learn, folds=4)
    assert sorted(np.bincount(found.folds).tolist()) == [12, 12, 13, 13]
    assert seen == [data.take(found.folds != k).codes.tobytes() for k in range(4)]
    # What was learned for a fold predicts it; the first graph has no edge.
    assert [graph.number_of_edges() for graph in found.graphs] == [0, 1, 2, 3]
    assert not found.gains[found.folds == 0].any()
    assert found.gains[found.folds == 3].all()


def test_a_copy_is_predicted_and_noise_is_not():
    rng = np.random.default_rng(5)
    copied, noise = rng.integers(0, 3, 600), rng.integers(0, 2, (600, 2))
    data = bjp.Dataset.from_codes(np.column_stack([copied, copied, noise, np.zeros(600, int)]))
    found = predict_variables(data, bjp.learn).to_frame().set_index("variable")
    assert found["normalised"][:2].tolist() == [1.0, 1.0]
    assert found["accuracy"][:2].tolist() == [1.0, 1.0]
    assert (found["gain"][:2] > 0.9 * math.log(3)).all()
    for name in (2, 3):
        assert abs(found["normalised"][name]) < 3 * found["normalised_error"][name] + 1e-9
        assert found["gain"][name] < 0.01
    # A variable with one state leaves nothing to predict.
    assert math.isnan(found["normalised"][4])
    assert math.isnan(found["normalised_error"][4])
    assert (found["accuracy"][4], found["majority"][4]) == (1.0, 1.0)
    assert found["gain"][4] == pytest.approx(0, abs=1e-9)


def test_without_neighbours_the_gain_is_exactly_0():
    codes = bjp.sampling.random_model(PATH, "log-odds").sample(300, seed=1).codes
    # A third state, and two states that are equally frequent in some folds.
    codes = np.column_stack([codes, np.arange(300) % 3, np.arange(300) // 3 % 2])
    data = bjp.Dataset.from_codes(codes)
    for estimate in ("likelihood", "pseudo-likelihood"):
        found = predict_variables(data, PATH, estimate=estimate)
        for i in (4, 5):
            assert not found.gains[:, i].any(), estimate
            np.testing.assert_array_equal(found.correct[:, i], found.majority[:, i])
        frame = found.to_frame()
        assert not frame[["gain", "gain_error", "normalised"]].iloc[4:].to_numpy().any()
        assert found.gains[:, :4].all(), estimate


def test_noise_is_not_predicted_above_chance_even_where_edges_are_found_in_it():
    # MPL with a heavy prior finds edges in noise; the rows they were found in would say otherwise.
    data = bjp.Dataset.from_codes(np.random.default_rng(2).integers(0, 2, (120, 6)))
    learn = partial(bjp.learn, method="mpl", search="mpl-hc", ess=30.0)
    honest = predict_variables(data, learn)
    assert sum(graph.number_of_edges() for graph in honest.graphs) > 5
    assert honest.gains.mean() < 0
    whole = learn(data).graph
    network = fit_parameters(data, whole)
    margins = [np.log(np.bincount(column) / 120)[column] for column in data.codes.T]
    assert (network.log_conditional(data) - np.transpose(margins)).mean() > 0


def test_accuracies_are_those_of_the_true_model():
    # y is x with 1 in 5 flipped: accuracy 0.8 against 0.5, a gain of ln 2 less the entropy of 0.2.
    rng = np.random.default_rng(8)
    x = rng.integers(0, 2, 6000)
    y = x ^ (rng.random(6000) < 0.2)
    data = bjp.Dataset.from_codes(np.column_stack([x, y]))
    found = predict_variables(data, bjp.learn).to_frame()
    entropy = -(0.2 * math.log(0.2) + 0.8 * math.log(0.8))
    for row in found.itertuples():
        assert row.accuracy == pytest.approx(0.8, abs=4 * row.accuracy_error)
        assert row.normalised == pytest.approx(0.6, abs=4 * row.normalised_error)
        assert row.gain == pytest.approx(math.log(2) - entropy, abs=4 * row.gain_error)


def test_standard_errors_are_the_spread_over_samples():
    rng = np.random.default_rng(3)
    tables = []
    for _ in range(200):
        x = (rng.random(300) < 0.4).astype(int)
        y = x ^ (rng.random(300) < 0.2)
        data = bjp.Dataset.from_codes(np.column_stack([x, y]), (2, 2))
        tables.append(predict_variables(data, nx.path_graph(2), 2, estimate="likelihood"))
    frames = [table.to_frame().iloc[1] for table in tables]
    for name in ("accuracy", "normalised", "gain"):
        spread = np.std([frame[name] for frame in frames], ddof=1)
        error = np.mean([frame[f"{name}_error"] for frame in frames])
        # The spread of 200 values is known within 5 % or so, and refitting adds a little.
        assert error == pytest.approx(spread, rel=0.2)


def test_it_is_seeded_locked_and_reports():
    data = bjp.sampling.random_model(PATH, "log-odds").sample(60, seed=1)
    one, two = (predict_variables(data, bjp.learn, seed=3) for _ in range(2))
    np.testing.assert_array_equal(one.gains, two.gains)
    assert (predict_variables(data, bjp.learn, seed=4).folds != one.folds).any()
    for name in ("correct", "majority", "gains", "folds"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(one, name)[...] = 0
    seen = []
    predict_variables(data, PATH, 3, progress=Progress(lambda *at: seen.append(at)))
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]
    with pytest.raises(Cancelled):
        predict_variables(data, PATH, progress=Progress(cancelled=lambda: True))


def test_what_it_refuses():
    data = bjp.sampling.random_model(PATH, "log-odds").sample(60, seed=1)

    def check(error, about, candidate, rows=data, **more):
        assert_refused(error, about, predict_variables, rows, candidate, **more)

    for folds in (1, 61):
        check(OptionError, "folds", PATH, folds=folds)
    check(OptionError, "^candidate is neither a graph nor a function that", "auto")
    for rows in (data.take([]), data.take([0])):
        check(DataError, "fewer than two rows, which make no folds; give more", PATH, rows)
        assert_refused(DataError, "fewer than two rows", cross_validate, rows, {"path": PATH})
    about = "no option 'ridg'; a network is fitted with est"
    check(OptionError, about, PATH, ridg=1)
    assert_refused(OptionError, about, cross_validate, data, {"path": PATH}, ridg=1)
    for returned, kind in ((None, "None"), (5, "an object of type int")):
        about = f" returned {kind}; return a graph or a SearchTrace.$"
        check(OptionError, f"^candidate{about}", lambda _, got=returned: got)
        mine = {"mine": lambda _, got=returned: got}
        assert_refused(OptionError, f"^The candidate 'mine'{about}", cross_validate, data, mine)
