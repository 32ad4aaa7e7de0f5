"""Held-out rows: predictions by sums over all joint states, and the folds."""

import math

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.errors import DataError, GraphError, OptionError
from bjp_engine.parameters import fit_parameters, predict_variables
from bjp_engine.parameters.held_out import deal_rows
from tests import strategies
from tests.engine.calls import reports_of
from tests.engine.parameters.joints import given_others, joint_of
from tests.refusals import assert_refused

PATH = nx.path_graph(4)
SAMPLE = strategies.noisy_tree(8, (2, 3, 2, 2, 2), 103)


def test_the_true_graph_predicts_best():
    truth = bjp.networks.load("target-1")
    model = bjp.sampling.random_model(truth, "clique-potentials", seed=5)
    fewer = (nx.Graph(nx.restricted_view(truth, [], [edge])) for edge in truth.edges)
    graphs = [truth, nx.complete_graph(6), *fewer]
    data = model.sample(8000, seed=5, method="exact")
    gains = [predict_variables(data, graph, 2)["gain"].sum() for graph in graphs]
    assert gains[0] == max(gains)


def test_the_folds_are_as_even_as_can_be_and_differ_by_seed():
    dealt = deal_rows(103, 4, 3)
    assert sorted(np.bincount(dealt)) == [25, 26, 26, 26]
    assert (deal_rows(103, 4, 2) != dealt).any()


def test_learners_see_only_their_rows():
    data, dealt, seen, learned = SAMPLE.data, deal_rows(103, 3, 0), [], []
    parts = [data.take(dealt != k) for k in range(3)]

    def by_mpl(train):
        seen.append(train.digest)
        learned.append(bjp.learn(train, "mpl"))
        return learned[-1]

    def again(train):
        return learned[seen.index(train.digest)].graph

    found = [predict_variables(data, one, folds=3) for one in (by_mpl, again)]
    assert seen == [part.digest for part in parts]
    # A trace stands for its graph.
    assert found[0].equals(found[1])


def test_every_cell_is_predicted_as_the_sum_over_all_joint_states_says():
    codes = np.array(bjp.sampling.random_model(PATH, "log-odds").sample(60, 1, "gibbs").codes)
    codes = np.column_stack([codes, (codes[:, 0] + np.random.default_rng(0).integers(0, 2, 60))])
    data, dealt = bjp.Dataset.from_codes(codes), deal_rows(60, 3, 2)
    graph = nx.Graph([*PATH.edges, (0, 4), (1, 4)])
    correct, majority, gains = np.zeros((3, *codes.shape))
    for k in range(3):
        train = data.take(dealt != k)
        network = fit_parameters(train, graph, "likelihood")
        joint = joint_of(network.factors, data.cardinalities)
        for place in np.flatnonzero(dealt == k):
            row = data.codes[place]
            for i, r in enumerate(data.cardinalities):
                shares = given_others(joint, tuple(row), i, r)
                often = np.bincount(train.codes[:, i], minlength=r)
                correct[place, i] = np.argmax(shares) == row[i]
                majority[place, i] = np.argmax(often) == row[i]
                margin = (often[row[i]] + 1 / r) / (train.rows + 1)
                gains[place, i] = math.log(shares[row[i]]) - math.log(margin)
    frame = predict_variables(data, graph, folds=3, seed=2, estimate="likelihood")
    right, usual = correct.mean(axis=0), majority.mean(axis=0)
    for name, wanted in (
        *(("accuracy", right), ("majority", usual), ("gain", gains.mean(axis=0))),
        ("accuracy_error", correct.std(axis=0, ddof=1) / math.sqrt(60)),
        ("gain_error", gains.std(axis=0, ddof=1) / math.sqrt(60)),
        ("normalised", (right - usual) / (1 - usual)),
    ):
        np.testing.assert_allclose(frame[name], wanted, rtol=1e-5, atol=1e-7, err_msg=name)
    # By leaving out one row after another (Tukey's jackknife).
    missed, by_margin = ((1 - one).sum(axis=0) - (1 - one) for one in (correct, majority))
    jackknife = math.sqrt(59) * np.std(missed / by_margin, axis=0)
    np.testing.assert_allclose(frame["normalised_error"], jackknife, rtol=0.05)


def test_a_copy_is_predicted_and_noise_is_not():
    rng = np.random.default_rng(5)
    copied, noise = rng.integers(0, 3, 600), rng.integers(0, 2, (600, 2))
    data = bjp.Dataset.from_codes(np.column_stack([copied, copied, noise, np.zeros(600, int)]))
    found = predict_variables(data, bjp.learn).set_index("variable")
    assert (found.loc[[0, 1], ["normalised", "accuracy"]] == 1.0).all(axis=None)
    assert (found["gain"][:2] > 0.9 * math.log(3)).all()
    of_noise = found.loc[[2, 3]]
    assert (of_noise["normalised"].abs() < 3 * of_noise["normalised_error"] + 1e-9).all()
    assert (of_noise["gain"] < 0.01).all()
    # A variable with one state leaves nothing to predict.
    assert found.loc[4, ["normalised", "normalised_error"]].isna().all()
    assert (found["accuracy"][4], found["majority"][4]) == (1.0, 1.0)
    assert found["gain"][4] == pytest.approx(0, abs=1e-9)


def test_without_neighbours_the_gain_is_exactly_0():
    codes = bjp.sampling.random_model(PATH, "log-odds").sample(300, seed=1).codes
    # A third state, and two states that are equally frequent in some folds.
    codes = np.column_stack([codes, np.arange(300) % 3, np.arange(300) // 3 % 2])
    data = bjp.Dataset.from_codes(codes)
    for estimate in ("likelihood", "pseudo-likelihood"):
        found = predict_variables(data, PATH, estimate=estimate)
        assert not found[["gain", "gain_error", "normalised"]].iloc[4:].to_numpy().any(), estimate
        assert found["accuracy"][4:].tolist() == found["majority"][4:].tolist(), estimate
        assert found["gain"][:4].all(), estimate


def test_standard_errors_are_the_spread_over_samples():
    rng, frames = np.random.default_rng(3), []
    for _ in range(200):
        x = (rng.random(300) < 0.4).astype(int)
        data = bjp.Dataset.from_codes(np.column_stack([x, x ^ (rng.random(300) < 0.2)]), (2, 2))
        found = predict_variables(data, nx.path_graph(2), 2, estimate="likelihood")
        frames.append(found.iloc[1])
    for name in ("accuracy", "normalised", "gain"):
        spread = np.std([frame[name] for frame in frames], ddof=1)
        error = np.mean([frame[f"{name}_error"] for frame in frames])
        # The spread of 200 values is known within 5 % or so, and refitting adds a little.
        assert error == pytest.approx(spread, rel=0.2)


def test_it_reports_and_refuses():
    data, graph = SAMPLE.data, nx.path_graph(5)
    seen = reports_of(predict_variables, data, graph, 3)
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]
    for options, about in (
        ({"folds": 1}, "folds=1 must be a whole number from 2 to 103"),
        ({"folds": 104}, "folds=104"),
        ({"ridge": 0}, "ridge=0"),
    ):
        assert_refused(OptionError, about, predict_variables, data, graph, **options)
    for rows in (data.take([]), data.take([0])):
        about = "fewer than two rows, which make no folds"
        assert_refused(DataError, about, predict_variables, rows, graph)
    for odd, about in (
        ("auto", "^graph is of type str, of which networkx"),
        (nx.path_graph(9), "not one of the 5"),
        (lambda _: None, "^graph is of type NoneType, of"),
    ):
        assert_refused(GraphError, about, predict_variables, data, odd)
