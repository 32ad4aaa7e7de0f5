"""BlanketLearner by scikit-learn's own checks, and against the functions that it stands for."""

from __future__ import annotations

import inspect
import math
import pickle
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.utils.estimator_checks import parametrize_with_checks

import bjp_engine as bjp
from tests import strategies

# Every check applies, so none is named here with a reason to fail.
EXPECTED_TO_FAIL: dict[str, str] = {}


# Many checks give measurements, on purpose.
@pytest.mark.filterwarnings("ignore:Column .* each becomes a state:UserWarning")
@parametrize_with_checks(
    [
        bjp.BlanketLearner(),
        bjp.BlanketLearner(method="mpl", estimate="auto", missing="state"),
        bjp.BlanketLearner(method="ib", confidence="test", missing="drop"),
    ],
    expected_failed_checks=lambda _: EXPECTED_TO_FAIL,
    xfail_strict=True,
)
def test_the_checks_of_scikit_learn(estimator: bjp.BlanketLearner, check: Any) -> None:
    check(estimator)


CORONARY = "sample_data/datasets/coronary.csv"


def coronary() -> pd.DataFrame:
    """Text and categories side by side."""
    frame = pd.read_csv(CORONARY, dtype=str)
    for name in frame.columns[::2]:
        frame[name] = frame[name].astype("category")
    return frame


# --- Fitting ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "search"),
    [
        ("bjp", None),
        ("ib", None),
        ("mpl", None),
        ("bjp", "auto"),
        ("bjp", "ibmap-hc"),
        ("mpl", "tabu"),
    ],
)
def test_it_learns_what_learn_learns(method: str, search: str | None) -> None:
    learner = bjp.BlanketLearner(method=method, search=search)
    assert learner.fit(coronary()) is learner
    data = bjp.read_table(CORONARY)
    trace = bjp.learn(data, method, search)
    assert learner.trace_.search == trace.search
    assert nx.utils.graphs_equal(learner.graph_, trace.graph)
    assert list(learner.graph_) == list(data.names)
    assert learner.score_ == trace.score == learner.trace_.score
    assert learner.adjacency_.dtype == bool
    np.testing.assert_array_equal(learner.adjacency_, nx.to_numpy_array(trace.graph) > 0)
    assert learner.edge_confidence_ is None
    assert learner.n_features_in_ == 6
    assert list(learner.feature_names_in_) == list(data.names)
    network = bjp.fit_parameters(data, trace.graph, "pseudo-likelihood")
    np.testing.assert_array_equal(
        learner.score_samples(coronary()), network.log_conditional(data).sum(axis=1)
    )
    assert learner.score(coronary()) == pytest.approx(network.pseudo_log_likelihood(data))


def test_an_array_does_as_well() -> None:
    sample = strategies.noisy_tree(3, (2, 3, 2, 2), 200)
    codes = np.array(sample.rows)
    by_array = bjp.BlanketLearner().fit(codes)
    assert list(by_array.graph_) == [0, 1, 2, 3]
    assert not hasattr(by_array, "feature_names_in_")
    for same in (codes.tolist(), codes.astype(float), codes.astype(str), codes.astype(object)):
        other = bjp.BlanketLearner().fit(same)
        assert nx.utils.graphs_equal(other.graph_, by_array.graph_)
        assert other.score(same) == pytest.approx(by_array.score(codes))


def test_a_dataset_does_as_well() -> None:
    data = bjp.read_table(CORONARY)
    by_dataset, by_frame = (bjp.BlanketLearner().fit(X) for X in (data, coronary()))
    assert by_dataset.score_ == by_frame.score_
    assert by_dataset.score(data) == by_frame.score(data)
    assert list(by_dataset.feature_names_in_) == list(data.names)


@pytest.mark.parametrize(
    ("table", "about"),
    [
        (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), "Two columns are named 'a'"),
        (pd.DataFrame({"a": [], "b": []}), "X has no rows"),
        (pd.DataFrame(index=range(3)), "no columns"),
        (pd.DataFrame({"a": [{}, {}]}), "Column 'a' holds lists or other containers"),
    ],
)
def test_tables_that_cannot_be_used(table: pd.DataFrame, about: str) -> None:
    with pytest.raises(bjp.errors.DataError, match=about):
        bjp.BlanketLearner().fit(table)


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ({"prior": 0.9}, {"prior": 0.9}),
        ({"gamma": 0.5}, {"gamma": 0.5}),
        ({"prior_cells": "equal"}, {"prior_cells": "equal"}),
        ({"method": "mpl", "ess": 8.0}, {"ess": 8.0}),
        ({"method": "mpl", "search": "exhaustive"}, {"search": "exhaustive"}),
        ({"edge_probability": 0.01}, {"edge_probability": 0.01}),
        ({"expected_degree": 0.5}, {"expected_degree": 0.5}),
    ],
)
def test_settings_are_passed_on(settings: dict[str, Any], options: dict[str, Any]) -> None:
    learner = bjp.BlanketLearner(**settings).fit(coronary())
    trace = bjp.learn(bjp.read_table(CORONARY), settings.get("method", "bjp"), **options)
    assert learner.score_ == trace.score
    # Each option makes a difference, so one that were lost would be noticed.
    if "search" not in options:
        usual = bjp.BlanketLearner(method=settings.get("method", "bjp"))
        assert learner.score_ != usual.fit(coronary()).score_
    assert learner.trace_.search == trace.search


@pytest.mark.parametrize(
    ("settings", "about"),
    [
        ({"method": "bic"}, "method='bic'"),
        ({"search": "magic"}, "search='magic'"),
        ({"method": "mpl", "prior": 0.9}, "no option 'prior'"),
        ({"prior": 2}, "prior=2"),
        ({"estimate": "mle"}, "estimate='mle'"),
        ({"confidence": "high"}, "confidence='high'"),
        ({"missing": "guess"}, "missing='guess'"),
        ({"unseen": "guess"}, "unseen='guess'"),
        ({"categories": "all"}, "categories must be 'auto'"),
        ({"categories": [["a"]]}, "categories has 1 entries for 6 columns"),
        ({"categories": [["a", "a"]] * 6}, "repeated state for the column 'smoking'"),
    ],
)
def test_settings_that_mean_nothing(settings: dict[str, Any], about: str) -> None:
    with pytest.raises(bjp.errors.OptionError, match=about):
        bjp.BlanketLearner(**settings).fit(coronary())


# --- By scikit-learn's tools --------------------------------------------------------------------


class TestTools:
    def test_it_survives_cloning_and_pickling(self) -> None:
        learner = bjp.BlanketLearner(method="mpl", ess=2.0).fit(coronary())
        assert clone(learner).get_params() == learner.get_params()
        assert not hasattr(clone(learner), "graph_")
        again = pickle.loads(pickle.dumps(learner))
        assert again.get_params() == learner.get_params()
        assert again.score(coronary()) == learner.score(coronary())

    @pytest.mark.parametrize("form", ["record", "mapping", "frame"])
    def test_known_pairs(self, form: str) -> None:
        rows = [("smoking", "family_history", "required"), ("smoking", "mental_work", 0.01)]
        known: Any = bjp.scores.KnownEdges.from_rows(rows)
        if form == "mapping":
            known = {(x, y): what for x, y, what in rows}
        elif form == "frame":
            known = pd.DataFrame(rows)
        learner = bjp.BlanketLearner(known=known, confidence="calibrated").fit(coronary())
        again = pickle.loads(pickle.dumps(clone(learner))).fit(coronary())
        for each in (learner, again):
            assert each.graph_.has_edge("smoking", "family_history")
            assert each.trace_.known == bjp.scores.KnownEdges.from_rows(rows)
            assert each.edge_confidence_[0, 5] == 1.0
        assert again.score_ == learner.score_

    def test_every_setting_is_documented(self) -> None:
        documented = inspect.getdoc(bjp.BlanketLearner) or ""
        for name in bjp.BlanketLearner().get_params():
            assert f"\n{name} : " in documented

    def test_cross_validation_is_that_of_the_engine(self) -> None:
        frame, data = coronary(), bjp.read_table(CORONARY)
        folds = KFold(4, shuffle=True, random_state=0)
        found = cross_val_score(bjp.BlanketLearner(), frame, cv=folds)
        for value, (train, test) in zip(found, folds.split(frame), strict=True):
            graph = bjp.learn(data.take(train)).graph
            alone = bjp.parameters.held_out(graph, data.take(train), data.take(test))
            assert value == pytest.approx(alone.mean)

    def test_a_grid_of_scores_and_priors(self) -> None:
        # The least of the priors allows no edge at all.
        grid = {"method": ["bjp", "mpl"], "edge_probability": [1e-300, 0.5]}
        folds = KFold(3, shuffle=True, random_state=0)
        search = GridSearchCV(bjp.BlanketLearner(), grid, cv=folds).fit(coronary())
        table = search.cv_results_
        means = {
            (setting["method"], setting["edge_probability"]): mean
            for setting, mean in zip(table["params"], table["mean_test_score"], strict=True)
        }
        assert means["bjp", 1e-300] < means["bjp", 0.5] > means["mpl", 0.5] > means["mpl", 1e-300]
        assert search.best_params_ == {"method": "bjp", "edge_probability": 0.5}
        assert search.score(coronary()) == search.best_estimator_.score(coronary())

    def test_behind_a_discretiser(self) -> None:
        rng = np.random.default_rng(0)
        x = rng.normal(size=(300, 1))
        table = np.hstack([x, x + rng.normal(size=(300, 1)), rng.normal(size=(300, 1))])
        bins = KBinsDiscretizer(3, encode="ordinal", strategy="uniform", quantile_method="linear")
        pipe = make_pipeline(bins, bjp.BlanketLearner()).fit(table)
        assert list(pipe[-1].graph_.edges) == [(0, 1)]
        assert pipe.score(table) < 0


# --- Rows to predict --------------------------------------------------------------------------


class TestPredicting:
    frame = pd.DataFrame(
        {"size": ["small", "large", "small", "mid"] * 20, "fits": [True, False, True, True] * 20}
    )

    def test_the_conditional_of_one_variable(self) -> None:
        learner = bjp.BlanketLearner().fit(self.frame)
        found = learner.conditional(self.frame, "size")
        assert found.shape == (80, 3)
        np.testing.assert_allclose(found.sum(axis=1), 1)
        labels = learner.network_.labels[0]
        assert labels == ("large", "mid", "small")
        assert found[0].argmax() == labels.index("small")
        assert found[1].argmax() == labels.index("large")
        np.testing.assert_array_equal(found, learner.conditional(self.frame, 0))
        with pytest.raises(bjp.errors.DataError, match="no variable 'colour'"):
            learner.conditional(self.frame, "colour")

    def test_values_mean_the_same_in_a_table_with_fewer_of_them(self) -> None:
        learner = bjp.BlanketLearner().fit(self.frame)
        whole = learner.score_samples(self.frame)
        for k in range(4):
            np.testing.assert_array_equal(learner.score_samples(self.frame.iloc[[k]]), whole[[k]])

    def test_what_is_no_table_is_named_by_its_type(self) -> None:
        for thing in ({"a": [0, 1]}, "table.csv", 3):
            with pytest.raises(bjp.errors.DataError, match=f"is of type {type(thing).__name__};"):
                bjp.BlanketLearner().fit(thing)

    def test_no_rows_have_no_mean(self) -> None:
        learner = bjp.BlanketLearner().fit(self.frame)
        for predict in (learner.score, learner.score_samples):
            with pytest.raises(bjp.errors.DataError, match="X has no rows; give at least one"):
                predict(self.frame[:0])

    def test_a_state_that_was_not_there(self) -> None:
        learner = bjp.BlanketLearner(unseen="error").fit(self.frame)
        other = self.frame.head(3).assign(size=["small", "huge", "mid"])
        with pytest.raises(
            bjp.errors.DataError, match=r"Column 'size' holds 'huge'.*categories=\[...\]"
        ):
            learner.score(other)

    def test_a_state_that_was_not_there_counts_as_one_that_no_row_held(self) -> None:
        learner = bjp.BlanketLearner().fit(self.frame)
        other = self.frame.head(3).assign(size=["small", "huge", "mid"])
        found = learner.score_samples(other)
        # Rows of known states are as ever, whatever stands beside them.
        np.testing.assert_array_equal(found[[0, 2]], learner.score_samples(other.iloc[[0, 2]]))
        data = bjp.Dataset.from_frame(self.frame)
        labels = [(*states, "other") for states in data.labels]
        wide = bjp.Dataset.from_codes(data.codes, [4, 3], data.names, labels)
        network = bjp.fit_parameters(wide, learner.graph_)
        row = bjp.Dataset.from_codes([[3, 0]], [4, 3], data.names, labels)
        assert found[1] == pytest.approx(network.log_conditional(row).sum())
        assert found[1] < found.min(where=[True, False, True], initial=0)
        shares = learner.conditional(other, "fits")
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        wanted = network.conditional(row, "fits")[0, :2]
        np.testing.assert_allclose(shares[1], wanted / wanted.sum())

    def test_cross_validation_is_finite_where_a_fold_lacks_a_state(self) -> None:
        frame = self.frame.assign(size=[*self.frame["size"][:-1], "huge"])
        found = cross_val_score(bjp.BlanketLearner(), frame, cv=5)
        assert np.isfinite(found).all()
        assert found[-1] == found.min()

    def test_declared_states_may_occur_later(self) -> None:
        states = ["small", "mid", "large", "huge"]
        other = self.frame.head(3).assign(size=["small", "huge", "mid"])
        by_setting = bjp.BlanketLearner(categories=[states, [False, True]]).fit(self.frame)
        assert by_setting.network_.labels == (tuple(states), ("False", "True"))
        as_categories = self.frame.astype({"size": pd.CategoricalDtype(states)})
        by_dtype = bjp.BlanketLearner().fit(as_categories)
        assert by_setting.score(other) == by_dtype.score(other) > -math.inf
        narrow = bjp.BlanketLearner(categories=[states[:2], [False, True]])
        with pytest.raises(bjp.errors.DataError, match="Column 'size' holds 'large'"):
            narrow.fit(self.frame)

    def test_missing_cells(self) -> None:
        holes = self.frame.copy()
        holes.loc[[1, 5], "size"] = None
        with pytest.raises(bjp.errors.DataError, match="Column 'size' has 2 missing cells"):
            bjp.BlanketLearner().fit(holes)
        learner = bjp.BlanketLearner().fit(self.frame)
        with pytest.raises(bjp.errors.DataError, match="Column 'size' has 2 missing cells"):
            learner.score(holes)
        taken = bjp.BlanketLearner(missing="state").fit(holes)
        assert taken.network_.labels[0] == ("large", "mid", "small", "(missing)")
        assert np.isfinite(taken.score_samples(holes)).all()

    def test_rows_with_missing_cells_are_dropped(self) -> None:
        holes = self.frame.copy()
        holes.loc[[1, 5], "size"] = None
        learner = bjp.BlanketLearner(missing="drop").fit(holes)
        complete = bjp.BlanketLearner().fit(holes.dropna())
        assert learner.score_ == complete.score_
        assert learner.network_.data.digest == complete.network_.data.digest
        # A mean can do without them; a result for each row can't.
        assert learner.score(holes) == complete.score(holes.dropna())
        for each in (learner.score_samples, lambda rows: learner.conditional(rows, "fits")):
            with pytest.raises(bjp.errors.DataError, match=r"2 missing cells.*X\.dropna\(\)"):
                each(holes)
        with pytest.raises(bjp.errors.DataError, match="no mean"):
            learner.score(holes.loc[[1]])
        assert np.isfinite(cross_val_score(learner, holes, cv=4)).all()

    def test_columns_must_be_those_that_were_learned_from(self) -> None:
        learner = bjp.BlanketLearner().fit(self.frame)
        with pytest.raises(ValueError, match="feature names"):
            learner.score(self.frame[["fits", "size"]])
        with pytest.raises(ValueError, match="feature names"):
            learner.score(self.frame.rename(columns={"fits": "suits"}))

    def test_nothing_before_it_is_fitted(self) -> None:
        learner = bjp.BlanketLearner()
        for call in (learner.score, learner.score_samples):
            with pytest.raises(NotFittedError):
                call(self.frame)
        with pytest.raises(NotFittedError):
            learner.conditional(self.frame, "size")
        with pytest.raises(NotFittedError):
            learner.to_pgmpy()

    def test_to_pgmpy(self) -> None:
        learner = bjp.BlanketLearner().fit(self.frame)
        made = learner.to_pgmpy()
        assert made.check_model()
        assert set(made.nodes) == {"size", "fits"}
        assert set(made.states["size"]) == {"large", "mid", "small"}


# --- A column to predict --------------------------------------------------------------------------


class TestTarget:
    frame = coronary()
    target = "smoking"

    def test_by_the_conditional_of_the_network(self) -> None:
        learner = bjp.BlanketLearner(target=self.target).fit(self.frame)
        plain = bjp.BlanketLearner().fit(self.frame)
        assert learner.score(self.frame) == plain.score(self.frame)
        found = learner.predict_proba(self.frame)
        np.testing.assert_array_equal(found, plain.conditional(self.frame, self.target))
        assert learner.classes_.tolist() == list(plain.network_.labels[0])
        best = [plain.network_.labels[0][k] for k in found.argmax(axis=1)]
        assert learner.predict(self.frame).tolist() == best

    def test_the_column_may_be_there_or_not(self) -> None:
        y, rest = self.frame[self.target], self.frame.drop(columns=[self.target])
        within = bjp.BlanketLearner(target=self.target).fit(self.frame)
        beside = bjp.BlanketLearner(target=self.target).fit(rest, y)
        assert beside.n_features_in_ == 5
        assert {*map(frozenset, beside.graph_.edges)} == {*map(frozenset, within.graph_.edges)}
        for learner in (within, beside):
            shares = learner.predict_proba(rest)
            np.testing.assert_array_equal(shares, learner.predict_proba(self.frame))
            hidden = self.frame.assign(**{self.target: None})
            np.testing.assert_array_equal(shares, learner.predict_proba(hidden))
            assert learner.score(rest, y) == pytest.approx(learner.score(self.frame), rel=1e-12)
            with pytest.raises(bjp.errors.DataError, match=r"no column 'smoking'.*as y"):
                learner.score_samples(rest)
        np.testing.assert_allclose(
            within.predict_proba(rest), beside.predict_proba(rest), rtol=1e-5
        )
        with pytest.raises(bjp.errors.DataError, match=r"no column 'smoking'.*as y"):
            bjp.BlanketLearner(target=self.target).fit(rest)
        with pytest.raises(bjp.errors.DataError, match="y must hold 1841 cells"):
            bjp.BlanketLearner(target=self.target).fit(rest, y[:5])

    def test_an_array_and_its_own_values(self) -> None:
        codes = np.array(strategies.noisy_tree(3, (2, 3, 2, 2), 200).rows)
        values = codes * 10 - 10
        within = bjp.BlanketLearner(target=1).fit(values)
        assert within.classes_.tolist() == [-10, 0, 10]
        assert within.classes_.dtype.kind == "i"
        rest = np.delete(values, 1, axis=1)
        np.testing.assert_array_equal(within.predict(rest), within.predict(values))
        beside = bjp.BlanketLearner(target="y").fit(rest, values[:, 1])
        assert set(beside.graph_) == {0, 1, 2, "y"}
        np.testing.assert_array_equal(beside.predict(rest), within.predict(rest))
        assert bjp.BlanketLearner(target="y").fit(rest, codes[:, [1]]).predict(rest).shape == (200,)

    def test_by_scikit_learns_measures(self) -> None:
        y, rest = self.frame["mental_work"], self.frame.drop(columns=["mental_work"])
        learner = bjp.BlanketLearner(target="mental_work")
        for scoring in ("accuracy", "roc_auc", "neg_log_loss"):
            folds = KFold(3, shuffle=True, random_state=0)
            found = cross_val_score(learner, rest, y == "yes", cv=folds, scoring=scoring)
            assert np.isfinite(found).all()
            assert found.min() > {"accuracy": 0.75, "roc_auc": 0.75, "neg_log_loss": -0.6}[scoring]

    def test_texts_are_sorted_as_scikit_learn_sorts_them(self) -> None:
        y = np.array(["9", "10"] * 50)
        cells = (y == "9").astype(int)[:, None]
        learner = bjp.BlanketLearner(target="y").fit(cells, y)
        assert learner.classes_.tolist() == ["10", "9"]
        assert learner.predict([[1], [0]]).tolist() == ["9", "10"]

    def test_without_a_target_nothing_is_predicted(self) -> None:
        learner = bjp.BlanketLearner().fit(self.frame)
        assert not hasattr(learner, "predict")
        assert not hasattr(learner, "predict_proba")


class TestFrequencies:
    def test_a_weighted_table_is_the_long_one_in_every_digit(self) -> None:
        frame = coronary()
        short = frame.groupby(list(frame), observed=True).size().reset_index(name="n")
        cells, n = short.drop(columns="n"), short["n"]
        weighted = bjp.BlanketLearner(confidence="calibrated").fit(cells, sample_weight=n)
        long = cells.loc[np.repeat(cells.index, n)]
        expanded = bjp.BlanketLearner(confidence="calibrated").fit(long)
        assert weighted.score_ == expanded.score_
        assert weighted.network_.data.digest == expanded.network_.data.digest
        np.testing.assert_array_equal(weighted.edge_confidence_, expanded.edge_confidence_)
        assert weighted.score(frame) == expanded.score(frame)

    @pytest.mark.parametrize(
        ("weights", "about"),
        [
            ([0.5] * 80, "Row 1 has the frequency 0.5"),
            ([0] * 80, "is zero"),
            ([1, 2], "80 numbers"),
        ],
    )
    def test_others_are_refused(self, weights: list[float], about: str) -> None:
        with pytest.raises(bjp.errors.DataError, match=about):
            bjp.BlanketLearner().fit(TestPredicting.frame, sample_weight=weights)


def test_measurements_are_not_learned_from_without_a_word() -> None:
    table = np.random.default_rng(0).normal(size=(40, 1))
    for cells in (table, pd.DataFrame(table.round(1))):
        with pytest.warns(UserWarning, match="each becomes a state; group the numbers first"):
            bjp.BlanketLearner().fit(cells)
    for rows in (2, 12, 19):
        with pytest.warns(UserWarning, match=f"{rows} different numbers in {rows} rows"):
            bjp.BlanketLearner().fit(table[:rows])
    # Two rows that agree, and whole numbers, may be categories.
    bjp.BlanketLearner().fit(np.append(table[:8], table[:1], axis=0))
    bjp.BlanketLearner().fit(np.arange(19.0).reshape(-1, 1))


@pytest.mark.parametrize(
    "odd", [{"resamples": -3}, {"resamples": "9"}, {"n_jobs": 0}, {"confidence": "sure"}]
)
def test_settings_are_checked_before_anything_is_learned(odd: dict[str, Any]) -> None:
    learner = bjp.BlanketLearner(**odd)
    with pytest.raises(bjp.errors.OptionError, match=f"^{next(iter(odd))}="):
        learner.fit([[0, 1], [1, 0]])
    assert not hasattr(learner, "n_features_in_")


# --- Confidence -------------------------------------------------------------------------------


class TestConfidence:
    @pytest.mark.parametrize("method", ["bjp", "ib"])
    def test_by_tests(self, method: str) -> None:
        learner = bjp.BlanketLearner(method=method, confidence="test").fit(coronary())
        data = bjp.read_table(CORONARY)
        matrix = learner.edge_confidence_
        assert (matrix == matrix.T).all()
        assert not matrix.diagonal().any()
        degrees = learner.adjacency_.sum(axis=1)
        for i in range(6):
            for j in range(i + 1, 6):
                first, second = sorted((i, j), key=lambda k: (degrees[k], k))
                ends = [(first, second), (second, first)][: 1 if method == "bjp" else 2]
                found = []
                for x, y in ends:
                    given = [k for k in range(6) if learner.adjacency_[x, k] and k != y]
                    test = bjp.independence_test(data, x, y, given, prior_cells="centred")
                    found.append(test.log_dependent)
                wanted = math.fsum(map(math.exp, found)) / len(found)
                assert matrix[i, j] == pytest.approx(wanted, abs=1e-12)

    def test_calibrated(self) -> None:
        learner = bjp.BlanketLearner(confidence="calibrated").fit(coronary())
        expected = bjp.edge_probabilities(bjp.read_table(CORONARY)).matrix
        np.testing.assert_array_equal(learner.edge_confidence_, expected)

    def test_mpl_makes_no_tests(self) -> None:
        learner = bjp.BlanketLearner(method="mpl", confidence="test")
        with pytest.raises(bjp.errors.OptionError, match="makes no tests"):
            learner.fit(coronary())

    @pytest.mark.parametrize("kind", ["bootstrap", "mcmc"])
    def test_by_resampling(self, kind: Any) -> None:
        settings = {"confidence": kind, "resamples": 20, "expected_degree": 1.0}
        learner = bjp.BlanketLearner(**settings, random_state=1).fit(coronary())
        matrix = learner.edge_confidence_
        assert matrix.shape == (6, 6)
        assert (matrix == matrix.T).all()
        assert ((matrix >= 0) & (matrix <= 1)).all()
        again = bjp.BlanketLearner(**settings, random_state=1).fit(coronary())
        np.testing.assert_array_equal(again.edge_confidence_, matrix)


def test_a_mask_that_hides_cells_is_refused() -> None:
    cells = np.ma.masked_equal(np.arange(60).reshape(20, 3) % 6, 5)
    with pytest.raises(
        bjp.errors.DataError, match="X is an array whose mask hides some of its cells"
    ):
        bjp.BlanketLearner().fit(cells)
