"""Held-out rows: predictions by sums over all joint states, and the folds."""

import math
from itertools import product

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.errors import DataError, GraphError, OptionError
from bjp_engine.parameters import cross_validate, fit_parameters, predict_variables
from bjp_engine.parameters.held_out import deal_rows
from tests import strategies
from tests.engine.calls import reports_of
from tests.engine.parameters.joints import given_others, joint_of
from tests.refusals import assert_refused

PATH = nx.path_graph(4)
SAMPLE = strategies.noisy_tree(8, (2, 3, 2, 2, 2), 103)
GRAPHS = {"path": nx.path_graph(5), "empty": nx.empty_graph(5)}


def test_each_row_is_predicted_once_from_all_other_folds():
    data, dealt = SAMPLE.data, deal_rows(103, 4, 3)
    assert sorted(np.bincount(dealt)) == [25, 26, 26, 26]
    assert (deal_rows(103, 4, 2) != dealt).any()
    for estimate in ("likelihood", "pseudo-likelihood"):
        found = cross_validate(data, GRAPHS, folds=4, seed=3, estimate=estimate)
        for k, (name, graph) in product(range(4), GRAPHS.items()):
            train, test = data.take(dealt != k), data.take(dealt == k)
            alone = fit_parameters(train, graph, estimate).log_conditional(test).sum(axis=1)
            np.testing.assert_allclose(found[name][dealt == k], alone, rtol=1e-12)
    assert found.mean().idxmax() == "path"


def test_learners_see_only_their_rows():
    data, dealt, seen, learned = SAMPLE.data, deal_rows(103, 3, 0), [], []
    parts = [data.take(dealt != k) for k in range(3)]

    def by_mpl(train):
        seen.append(train.digest)
        learned.append(bjp.learn(train, "mpl"))
        return learned[-1]

    def again(train):
        return learned[seen.index(train.digest)].graph

    found = cross_validate(data, {"mpl": by_mpl, "again": again}, folds=3)
    assert seen == [part.digest for part in parts]
    # A trace stands for its graph.
    assert found["mpl"].tolist() == found["again"].tolist()
    # Of each variable, too.
    predicted = [predict_variables(data, one, folds=3) for one in (by_mpl, again)]
    assert seen[3:] == [part.digest for part in parts]
    assert predicted[0].equals(predicted[1])


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


def test_both_report_and_refuse():
    data = SAMPLE.data
    assert reports_of(cross_validate, data, GRAPHS) == [(k, 10) for k in range(1, 11)]
    seen = reports_of(predict_variables, data, GRAPHS["path"], 3)
    assert seen == [(k, 3) for k in range(4)]
    assert_refused(OptionError, "candidates names nothing", cross_validate, data, {})
    for call, wrap, what in (
        (cross_validate, lambda one: {"mine": one}, "The candidate 'mine'"),
        (predict_variables, lambda one: one, "candidate"),
    ):
        graph = wrap(GRAPHS["path"])
        for options, about in (
            ({"folds": 1}, "folds=1 must be a whole number from 2 to 103"),
            ({"folds": 104}, "folds=104"),
            ({"ridg": 1}, "no option 'ridg'; a network is fitted with est"),
            ({"ridge": 0}, "ridge=0"),
        ):
            assert_refused(OptionError, about, call, data, graph, **options)
        for rows in (data.take([]), data.take([0])):
            assert_refused(DataError, "fewer than two rows, which make no folds", call, rows, graph)
        for odd, about in (
            ("auto", "can't be used: graph is of type str, of which networkx"),
            (nx.path_graph(9), "can't be used: .* not one of the 5"),
            (lambda _: None, "made a graph that can't be used: graph is of type NoneType, of"),
        ):
            assert_refused(GraphError, f"^{what} {about}", call, data, wrap(odd))
