"""BlanketLearner by scikit-learn's own checks, and against the functions that it stands for."""

import math
from functools import cache

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import bjp_engine as bjp
from bjp_engine import BlanketLearner
from bjp_engine.errors import DataError, OptionError
from tests import strategies
from tests.engine.calls import assert_options_refused
from tests.refusals import assert_refused

# Every check applies, so none is expected to fail; many give measurements, on purpose.
MEASUREMENTS = pytest.mark.filterwarnings("ignore:Column .* each becomes a state:UserWarning")


@MEASUREMENTS
@parametrize_with_checks([BlanketLearner()])
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.slow
@MEASUREMENTS
@parametrize_with_checks(
    [
        BlanketLearner(method="mpl", estimate="auto", missing="state"),
        BlanketLearner(method="ib", missing="drop"),
    ]
)
def test_the_checks_with_other_settings(estimator, check):
    check(estimator)


CORONARY = "sample_data/datasets/coronary.csv"


@cache
def coronary():
    """Text and categories side by side."""
    frame = pd.read_csv(CORONARY, dtype=str)
    for name in frame.columns[::2]:
        frame[name] = frame[name].astype("category")
    return frame


@cache
def data():
    return bjp.read_table(CORONARY)


@cache
def fitted():
    return BlanketLearner().fit(coronary())


def shirts():
    sizes = ["small", "large", "small", "mid"] * 20
    return pd.DataFrame({"size": sizes, "fits": [True, False, True, True] * 20})


@cache
def of_shirts():
    return BlanketLearner().fit(shirts())


def test_it_learns_what_learn_learns():
    names = list(data().names)
    for method, search in (
        *(("bjp", None), ("ib", None), ("mpl", None)),
        *(("bjp", "auto"), ("bjp", "ibmap-hc"), ("mpl", "tabu")),
    ):
        learner = BlanketLearner(method=method, search=search)
        assert learner.fit(coronary()) is learner
        trace = bjp.learn(data(), method, search)
        found = (learner.trace_.search, learner.score_, learner.trace_.score)
        assert found == (trace.search, trace.score, trace.score), (method, search)
        assert nx.utils.graphs_equal(learner.graph_, trace.graph), (method, search)
        assert (list(learner.graph_), list(learner.feature_names_in_)) == (names, names)
        assert learner.n_features_in_ == 6
        assert learner.adjacency_.dtype == bool
        np.testing.assert_array_equal(learner.adjacency_, nx.to_numpy_array(trace.graph) > 0)
        network = bjp.fit_parameters(data(), trace.graph, "pseudo-likelihood")
        rows = network.log_conditional(data()).sum(axis=1)
        np.testing.assert_array_equal(learner.score_samples(coronary()), rows)
        assert learner.score(coronary()) == pytest.approx(rows.mean())


def test_an_array_or_a_dataset_does_as_well():
    codes = np.array(strategies.noisy_tree(3, (2, 3, 2, 2), 200).rows)
    by_array = BlanketLearner().fit(codes)
    assert list(by_array.graph_) == [0, 1, 2, 3]
    assert not hasattr(by_array, "feature_names_in_")
    for same in (codes.tolist(), codes.astype(float), codes.astype(str), codes.astype(object)):
        other = BlanketLearner().fit(same)
        assert nx.utils.graphs_equal(other.graph_, by_array.graph_)
        assert other.score(same) == pytest.approx(by_array.score(codes))
    by_dataset = BlanketLearner().fit(data())
    assert by_dataset.score(data()) == fitted().score(data())
    assert list(by_dataset.feature_names_in_) == list(data().names)


def test_settings_are_passed_on():
    known = {("smoking", "family_history"): "required", ("smoking", "mental_work"): 0.01}
    for options in (
        *({"prior": 0.9}, {"gamma": 0.5}, {"prior_cells": "equal"}, {"method": "mpl", "ess": 8.0}),
        *({"edge_probability": 0.01}, {"expected_degree": 0.5}, {"known": known}),
    ):
        learner, trace = BlanketLearner(**options).fit(coronary()), bjp.learn(data(), **options)
        assert (learner.score_, learner.trace_.search) == (trace.score, trace.search), options
        # Each option makes a difference, so one that were lost would be noticed.
        assert learner.score_ != bjp.learn(data(), options.get("method", "bjp")).score, options
    rows = pd.DataFrame([(*pair, what) for pair, what in known.items()])
    assert BlanketLearner(known=rows).fit(coronary()).trace_.known == trace.known


def test_tables_and_settings_that_mean_nothing():
    masked = np.ma.masked_equal(np.arange(60).reshape(20, 3) % 6, 5)
    for table, about in (
        (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), "Two columns are named 'a'"),
        (pd.DataFrame({"a": [], "b": []}), "X has no rows"),
        (pd.DataFrame(index=range(3)), "no columns"),
        (pd.DataFrame({"a": [{}, {}]}), "Column 'a' holds lists or other containers"),
        (masked, "X is an array whose mask hides some of its cells"),
        *(({"a": [0, 1]}, "type dict;"), ("table.csv", "is of type str;"), (3, "of type int;")),
    ):
        assert_refused(DataError, about, BlanketLearner().fit, table)

    def fit(table, **settings):
        BlanketLearner(**settings).fit(table)

    cases = "method='bic' search='magic' prior=2 estimate='mle' missing='guess'"
    assert_options_refused(cases, fit, coronary())
    assert_refused(OptionError, "no option 'prior'", fit, coronary(), method="mpl", prior=0.9)


def test_a_weighted_table_is_the_long_one_in_every_digit():
    frame = coronary()
    short = frame.groupby(list(frame), observed=True).size().reset_index(name="n")
    cells, n = short.drop(columns="n"), short["n"]
    weighted = BlanketLearner().fit(cells, sample_weight=n)
    long = cells.loc[np.repeat(cells.index, n)]
    expanded = BlanketLearner().fit(long)
    assert weighted.network_.data.digest == expanded.network_.data.digest
    assert (weighted.score_, weighted.score(frame)) == (expanded.score_, expanded.score(frame))
    # What else is no frequency stands in test_weights.py.
    assert_refused(DataError, "80 numbers", BlanketLearner().fit, shirts(), sample_weight=[1, 2])


def test_rows_alone_and_other_columns():
    learner, frame = of_shirts(), shirts()
    # Values mean the same in a table with fewer of them.
    whole = learner.score_samples(frame)
    for k in range(4):
        np.testing.assert_array_equal(learner.score_samples(frame.iloc[[k]]), whole[[k]])
    for predict in (learner.score, learner.score_samples):
        assert_refused(DataError, "X has no rows; give at least one", predict, frame[:0])
    for other in (frame[["fits", "size"]], frame.rename(columns={"fits": "suits"})):
        with pytest.raises(ValueError, match="feature names"):
            learner.score(other)
    with pytest.raises(NotFittedError):
        BlanketLearner().score(frame)


def by_enumeration(network, labels, i):
    """ln Pr(x_i = s | the cells whose labels the fitted rows hold), from the joint distribution."""
    held = [
        {known[code] for code in column}
        for known, column in zip(network.labels, network.data.codes.T, strict=True)
    ]
    open_cells = [j for j, label in enumerate(labels) if j == i or label not in held[j]]
    places = tuple(
        slice(None) if j in open_cells else network.labels[j].index(label)
        for j, label in enumerate(labels)
    )
    others = tuple(k for k, j in enumerate(open_cells) if j != i)
    weights = network.model.joint()[places].sum(axis=others)
    return np.log(weights / weights.sum())


def test_a_value_that_no_row_held_says_nothing(monkeypatch):
    """Against the sum over all joint states; the sentence names columns and values."""
    rng = np.random.default_rng(3)
    codes = np.array(strategies.noisy_tree(3, (3, 2, 4, 3, 2), 400).rows)
    names = ["city", "sex", "job", "mood", "buys"]
    frame = pd.DataFrame(codes, columns=names).map(lambda code: f"s{code}")
    # One state is declared, and no row holds it.
    frame["job"] = frame["job"].astype(pd.CategoricalDtype(["s0", "s1", "s2", "s3", "never"]))
    graph = {("city", "sex"), ("sex", "job"), ("city", "job"), ("job", "mood"), ("mood", "buys")}
    known = dict.fromkeys(graph, "required")
    learner = BlanketLearner(target="buys", known=known, search="ibmap-hc").fit(frame)
    network = learner.network_
    other = frame.head(60).astype(object)
    other = other.mask(rng.random(other.shape) < 0.4, "strange").reset_index(drop=True)
    other.loc[3:8, "job"] = "never"
    about = r"'never', 'strange' in column 'job'.* says nothing: each answer is averaged"
    with pytest.warns(UserWarning, match=about) as caught:
        shares = learner.predict_proba(other)
    assert len(caught) == 1
    assert "'city'" in str(caught[0].message)
    assert "'buys'" not in str(caught[0].message)
    with pytest.warns(UserWarning, match="'buys'"):
        values = learner.score_samples(other)
    with pytest.warns(UserWarning, match=about):
        moods = network.conditional(other, "mood")
    for k, row in enumerate(other.itertuples(index=False)):
        every = [by_enumeration(network, row, i) for i in range(5)]
        np.testing.assert_allclose(np.log(shares[k]), every[4], atol=1e-9, err_msg=str(row))
        np.testing.assert_allclose(np.log(moods[k]), every[3], atol=1e-9, err_msg=str(row))
        own = [
            every[i][known.index(label)]
            for i, (known, label) in enumerate(zip(network.labels, row, strict=True))
            if label in known
        ]
        # What isn't declared has no probability of its own.
        assert values[k] == pytest.approx(math.fsum(own), abs=1e-9), row
    # Rows of known values are as ever, whatever stands beside them.
    whole = other[(~other.isin(["strange", "never"])).all(axis=1)]
    assert 0 < len(whole) < 30
    np.testing.assert_array_equal(values[whole.index], learner.score_samples(whole))
    # A declared state is none that is strange.
    declared = other.iloc[3:6].assign(city="s0", sex="s1", mood="s0", buys="s1")
    with pytest.warns(UserWarning, match="'never' in column 'job'"):
        assert np.isfinite(learner.score(declared))
    # Beyond exact tables each factor is averaged by itself, by the shares of the fitted rows.
    monkeypatch.setattr("bjp_engine.parameters.inference.MOST_CELLS", 1)
    with pytest.warns(UserWarning, match="'strange'"):
        found = learner.predict_proba(frame.head(1).assign(mood="strange"))[0]
    weights, row = np.ones(2), dict(zip(names, codes[0].tolist(), strict=True))
    for members, table in network.factors.items():
        if "buys" in members:
            cells = np.exp(table)
            if "mood" in members:
                shares = np.bincount(codes[:, 3]) / 400
                cells = np.tensordot(cells, shares, (members.index("mood"), 0))
            left = [name for name in members if name != "mood"]
            weights *= cells[tuple(slice(None) if v == "buys" else row[v] for v in left)]
    assert found == pytest.approx(weights / weights.sum(), rel=1e-9)


def test_cross_validation_is_finite_where_a_fold_lacks_a_state():
    lacking = shirts().assign(size=[*shirts()["size"][:-1], "huge"])
    with pytest.warns(UserWarning, match="No row to learn from holds 'huge' in column 'size'"):
        assert np.isfinite(cross_val_score(BlanketLearner(), lacking, cv=5)).all()


def test_one_value_in_several_spellings():
    rng = np.random.default_rng(1)
    x = rng.random(500) < 0.5
    y = np.where(rng.random(500) < 0.1, ~x, x)
    truth = {"bool": x, "int": x.astype(int), "float": x.astype(float)}
    truth |= {"text": x.astype(int).astype(str), "words": np.where(x, "true", "FALSE")}
    truth |= {"decimals": np.where(x, "1.0", "0.0")}
    for learned, cells in truth.items():
        learner = BlanketLearner(target="y").fit(pd.DataFrame({"x": cells, "y": y}))
        wanted = learner.predict_proba(pd.DataFrame({"x": cells}))
        for given, others in truth.items():
            found = learner.predict_proba(pd.DataFrame({"x": others}))
            np.testing.assert_array_equal(found, wanted, err_msg=f"{given} for {learned}")
        for one in (True, 1, 1.0, "1", "True", "1.00"):
            found = learner.network_.query("y", {"x": one})["probability"]
            assert found.equals(learner.network_.query("y", {"x": "True"})["probability"]), one
    # Where it is ambiguous, each text is a state of its own.
    for states, strange in (
        (["1", "2"], [True, "true", "01", " 1", "2.5"]),
        (["1", "1.0"], ["1.00", True]),
        (["True", "1"], ["true", "1.0"]),
        (["1", "2", "False"], [True, "0"]),
    ):
        table = pd.DataFrame({"x": states * 50, "y": [0, 1] * len(states) * 25})
        learner = BlanketLearner(target="y").fit(table)
        for value in strange:
            with pytest.warns(UserWarning, match="in column 'x'"):
                learner.predict(pd.DataFrame({"x": [value]}))
        learner.predict(pd.DataFrame({"x": states}))


def test_missing_cells_are_refused_are_a_state_or_drop_their_rows():
    holes, about = shirts(), "Column 'size' has 2 missing cells"
    holes.loc[[1, 5], "size"] = None
    for call in (BlanketLearner().fit, of_shirts().score):
        assert_refused(DataError, about, call, holes)
    taken = BlanketLearner(missing="state").fit(holes)
    assert taken.network_.labels[0] == ("large", "mid", "small", "(missing)")
    assert np.isfinite(taken.score_samples(holes)).all()
    learner = BlanketLearner(missing="drop").fit(holes)
    complete = BlanketLearner().fit(holes.dropna())
    assert learner.network_.data.digest == complete.network_.data.digest
    # A mean can do without them; a result for each row can't.
    assert learner.score(holes) == complete.score(holes.dropna())
    about = r"2 missing cells.*X\.dropna\(\)"
    assert_refused(DataError, about, learner.score_samples, holes)
    assert_refused(DataError, "no mean", learner.score, holes.loc[[1]])
    assert np.isfinite(cross_val_score(learner, holes, cv=4)).all()


def test_a_target_is_predicted_by_the_conditional_of_the_network():
    frame, plain = coronary(), fitted()
    y, rest = frame["smoking"], frame.drop(columns=["smoking"])
    within = BlanketLearner(target="smoking").fit(frame)
    assert within.score(frame) == plain.score(frame)
    found, labels = within.predict_proba(frame), plain.network_.labels[0]
    np.testing.assert_allclose(found, plain.network_.conditional(frame, "smoking"), rtol=1e-12)
    assert within.classes_.tolist() == list(labels)
    assert within.predict(frame).tolist() == [labels[k] for k in found.argmax(axis=1)]
    # Without a target nothing is predicted.
    assert not hasattr(plain, "predict")
    assert not hasattr(plain, "predict_proba")
    # The target's column may be there or not.
    beside = BlanketLearner(target="smoking").fit(rest, y)
    assert beside.n_features_in_ == within.n_features_in_ == 5
    assert {*map(frozenset, beside.graph_.edges)} == {*map(frozenset, within.graph_.edges)}
    about = r"no column 'smoking'.*as y"
    for learner in (within, beside):
        shares = learner.predict_proba(rest)
        np.testing.assert_allclose(shares, found, rtol=1e-5)
        for same in (frame, frame.assign(smoking=None)):
            np.testing.assert_array_equal(shares, learner.predict_proba(same))
        assert learner.score(rest, y) == pytest.approx(learner.score(frame), rel=1e-12)
        assert_refused(DataError, about, learner.score_samples, rest)
    new = BlanketLearner(target="smoking")
    assert_refused(DataError, about, new.fit, rest)
    assert_refused(DataError, "y must hold 1841 cells", new.fit, rest, y[:5])


def test_a_target_of_an_array_has_its_own_values():
    codes = np.array(strategies.noisy_tree(3, (2, 3, 2, 2), 200).rows)
    values = codes * 10 - 10
    within = BlanketLearner(target=1).fit(values)
    assert (within.classes_.tolist(), within.classes_.dtype.kind) == ([-10, 0, 10], "i")
    rest = np.delete(values, 1, axis=1)
    np.testing.assert_array_equal(within.predict(rest), within.predict(values))
    beside = BlanketLearner(target="y").fit(rest, values[:, 1])
    assert set(beside.graph_) == {0, 1, 2, "y"}
    np.testing.assert_array_equal(beside.predict(rest), within.predict(rest))
    assert BlanketLearner(target="y").fit(rest, codes[:, [1]]).predict(rest).shape == (200,)
    # Texts are sorted as scikit-learn sorts them.
    y = np.array(["9", "10"] * 50)
    learner = BlanketLearner(target="y").fit((y == "9").astype(int)[:, None], y)
    assert learner.classes_.tolist() == ["10", "9"]
    assert learner.predict([[1], [0]]).tolist() == ["9", "10"]
