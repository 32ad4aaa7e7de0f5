"""Held-out rows: predictions by sums over all joint states, folds and their paired differences."""

import math
from functools import partial

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.errors import DataError, GraphError, OptionError
from bjp_engine.parameters import cross_validate, fit_parameters, held_out, predict_variables
from tests import strategies
from tests.engine.calls import reports_of
from tests.engine.parameters.joints import given_others, joint_of
from tests.refusals import assert_refused

PATH = nx.path_graph(4)
SAMPLE = strategies.noisy_tree(8, (2, 3, 2, 2, 2), 103)
GRAPHS = {"path": nx.path_graph(5), "empty": nx.empty_graph(5)}


def halves(sample):
    middle = len(sample.rows) // 2
    return sample.data.take(range(middle)), sample.data.take(range(middle, len(sample.rows)))


def test_the_network_is_fitted_to_the_one_and_predicts_the_other():
    sample = strategies.noisy_tree(7, (2, 3, 2, 2), 200)
    train, test = halves(sample)
    graph = nx.cycle_graph(4)
    for estimate in ("likelihood", "pseudo-likelihood"):
        network = fit_parameters(train, graph, estimate)
        found = held_out(graph, train, test, estimate=estimate)
        np.testing.assert_array_equal(found.values, network.log_conditional(test).sum(axis=1))
        assert found.mean == pytest.approx(network.pseudo_log_likelihood(test))
    spread = math.sqrt(np.var(found.values, ddof=1) / test.rows)
    assert found.error == pytest.approx(spread)
    np.testing.assert_array_equal(held_out(graph, train, test).values, found.values)


def test_the_true_graph_predicts_best():
    truth = bjp.networks.load("target-1")
    model = bjp.sampling.random_model(truth, "clique-potentials", seed=5)
    train, test = (model.sample(4000, seed=seed, method="exact") for seed in (5, 6))
    fewer = (nx.restricted_view(truth, [], [edge]) for edge in truth.edges)
    others = [nx.complete_graph(6), *map(nx.Graph, fewer)]
    best = held_out(truth, train, test).mean
    assert all(held_out(other, train, test).mean < best for other in others)


def test_each_row_is_predicted_once_from_all_other_folds_and_differences_are_paired():
    data = SAMPLE.data
    found = cross_validate(data, GRAPHS, folds=4, seed=3)
    assert sorted(np.bincount(found.folds)) == [25, 26, 26, 26]
    assert (cross_validate(data, GRAPHS, folds=4, seed=2).folds != found.folds).any()
    for k in range(4):
        out = found.folds == k
        for name, graph in GRAPHS.items():
            alone = held_out(graph, data.take(~out), data.take(out))
            np.testing.assert_allclose(found[name].values[out], alone.values, rtol=1e-12)
    assert found.best == "path"
    assert all(nx.is_frozen(graph) for graphs in found.graphs for graph in graphs)
    one, other = found.difference("path", "empty"), found.difference("empty", "path")
    paired = found["path"].values - found["empty"].values
    assert one.mean == pytest.approx(found["path"].mean - found["empty"].mean)
    assert one.mean == -other.mean > 0
    assert one.error == other.error == pytest.approx(np.std(paired, ddof=1) / math.sqrt(103))
    same = found.difference("path", "path")
    assert (same.mean, same.error) == (0, 0)


def test_learners_see_only_their_rows():
    data, seen = SAMPLE.data, []

    def by_mpl(train):
        seen.append(train.digest)
        return bjp.learn(train, "mpl")

    def by_bjp(train):
        return bjp.learn(train, search="ibmap-hc").graph

    found = cross_validate(data, {"mpl": by_mpl, "graph": by_bjp}, folds=3)
    parts = [data.take(found.folds != k) for k in range(3)]
    assert seen == [part.digest for part in parts]
    for k, part in enumerate(parts):
        assert nx.utils.graphs_equal(found.graphs[0][k], bjp.learn(part, "mpl").graph)
        assert nx.utils.graphs_equal(found.graphs[1][k], by_bjp(part))


def test_comparisons_report_stop_and_refuse():
    data = SAMPLE.data
    assert reports_of(cross_validate, data, GRAPHS) == [(k, 10) for k in range(1, 11)]
    seen = reports_of(held_out, GRAPHS["path"], data, data)
    assert (seen, seen[0][0], seen[-1][0]) == (sorted(seen), 0, seen[-1][1])
    usual = {"data": data, "candidates": GRAPHS}
    for change, error, about in (
        ({"folds": 1}, OptionError, "folds=1 must be a whole number from 2 to 103"),
        ({"folds": 104}, OptionError, "folds=104"),
        ({"candidates": {}}, OptionError, "candidates names nothing"),
        ({"candidates": {"a": 3}}, GraphError, "candidate 'a' can't be used: graph is of type int"),
        ({"candidates": {"a": nx.path_graph(9)}}, GraphError, "not one of the 5"),
        ({"model": "tables"}, OptionError, "no option 'model'"),
        ({"ridge": 0}, OptionError, "ridge=0"),
    ):
        assert_refused(error, about, cross_validate, **(usual | change))
    found = cross_validate(data, GRAPHS, folds=2)
    about = "no candidate 'tree'; there are 'path', 'empty'"
    assert_refused(OptionError, about, found.difference, "path", "tree")
    # Two tables must be of one kind.
    one, other = (bjp.Dataset.from_codes([[0, state], [1, 0]]) for state in (1, 2))
    assert_refused(DataError, "other", held_out, nx.path_graph(2), one, other)
    assert_refused(DataError, "has no row", held_out, nx.path_graph(2), one, one.take([]))


def test_every_cell_is_predicted_as_the_sum_over_all_joint_states_says():
    codes = np.array(bjp.sampling.random_model(PATH, "log-odds").sample(60, 1, "gibbs").codes)
    codes = np.column_stack([codes, (codes[:, 0] + np.random.default_rng(0).integers(0, 2, 60))])
    data = bjp.Dataset.from_codes(codes)
    graph = nx.Graph([*PATH.edges, (0, 4), (1, 4)])
    found = predict_variables(data, graph, folds=3, seed=2, estimate="likelihood")
    for k in range(3):
        train, test = data.codes[found.folds != k], data.codes[found.folds == k]
        network = fit_parameters(data.take(found.folds != k), graph, "likelihood")
        joint = joint_of(network.factors, data.cardinalities)
        for row, place in zip(test, np.flatnonzero(found.folds == k), strict=True):
            for i, r in enumerate(data.cardinalities):
                shares = given_others(joint, tuple(row), i, r)
                assert found.correct[place, i] == (int(np.argmax(shares)) == row[i])
                often = [int((train[:, i] == s).sum()) for s in range(r)]
                assert found.majority[place, i] == (int(np.argmax(often)) == row[i])
                margin = (often[row[i]] + 1 / r) / (len(train) + 1)
                gain = math.log(shares[row[i]]) - math.log(margin)
                assert found.gains[place, i] == pytest.approx(gain, abs=1e-6)
    frame = found.to_frame()
    right, usual = found.correct.mean(axis=0), found.majority.mean(axis=0)
    for name, wanted in (
        *(("accuracy", right), ("majority", usual), ("gain", found.gains.mean(axis=0))),
        ("normalised", (right - usual) / (1 - usual)),
    ):
        np.testing.assert_allclose(frame[name], wanted, rtol=1e-9, atol=1e-12, err_msg=name)


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
        assert not found.gains[:, 4:].any(), estimate
        np.testing.assert_array_equal(found.correct[:, 4:], found.majority[:, 4:])
        frame = found.to_frame()
        assert not frame[["gain", "gain_error", "normalised"]].iloc[4:].to_numpy().any()
        assert found.gains[:, :4].all(), estimate


def test_noise_is_not_predicted_above_chance_even_where_edges_are_found_in_it():
    # MPL with a heavy prior finds edges in noise.
    data = bjp.Dataset.from_codes(np.random.default_rng(2).integers(0, 2, (120, 6)))
    learn = partial(bjp.learn, method="mpl", search="mpl-hc", ess=30.0)
    honest = predict_variables(data, learn)
    assert sum(graph.number_of_edges() for graph in honest.graphs) > 5
    assert honest.gains.mean() < 0


def test_standard_errors_are_the_spread_over_samples():
    rng, frames = np.random.default_rng(3), []
    for _ in range(200):
        x = (rng.random(300) < 0.4).astype(int)
        data = bjp.Dataset.from_codes(np.column_stack([x, x ^ (rng.random(300) < 0.2)]), (2, 2))
        found = predict_variables(data, nx.path_graph(2), 2, estimate="likelihood")
        frames.append(found.to_frame().iloc[1])
    for name in ("accuracy", "normalised", "gain"):
        spread = np.std([frame[name] for frame in frames], ddof=1)
        error = np.mean([frame[f"{name}_error"] for frame in frames])
        # The spread of 200 values is known within 5 % or so, and refitting adds a little.
        assert error == pytest.approx(spread, rel=0.2)


def test_predictions_are_locked_report_and_refuse():
    data = bjp.sampling.random_model(PATH, "log-odds").sample(60, seed=1)
    found = predict_variables(data, PATH)
    for name in ("correct", "majority", "gains", "folds"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(found, name)[...] = 0
    assert reports_of(predict_variables, data, PATH, 3) == [(0, 3), (1, 3), (2, 3), (3, 3)]

    def check(error, about, candidate, rows=data, **more):
        assert_refused(error, about, predict_variables, rows, candidate, **more)

    for folds in (1, 61):
        check(OptionError, "folds", PATH, folds=folds)
    check(GraphError, "^candidate can't be used: graph is of type str, of which networkx", "auto")
    for rows in (data.take([]), data.take([0])):
        check(DataError, "fewer than two rows, which make no folds; give more", PATH, rows)
        assert_refused(DataError, "fewer than two rows", cross_validate, rows, {"path": PATH})
    about = "no option 'ridg'; a network is fitted with est"
    check(OptionError, about, PATH, ridg=1)
    assert_refused(OptionError, about, cross_validate, data, {"path": PATH}, ridg=1)
    for returned, kind in ((None, "NoneType"), (5, "int")):
        about = f" made a graph that can't be used: graph is of type {kind}, of which"
        mine = {"mine": lambda _, got=returned: got}
        check(GraphError, f"^candidate{about}", mine["mine"])
        assert_refused(GraphError, f"^The candidate 'mine'{about}", cross_validate, data, mine)
