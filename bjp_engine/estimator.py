"""`BlanketLearner`: learn, fit and predict with the methods that scikit-learn expects.

This module imports scikit-learn; `bjp_engine` imports it when `BlanketLearner` is first asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal, Self, cast, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import ClassifierTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from bjp_engine.arrays import Bools, Floats, Ints
from bjp_engine.columns import Column, Table, as_values
from bjp_engine.dataset import Dataset, Name, warn_of_columns
from bjp_engine.errors import DataError, clip
from bjp_engine.graph import to_adjacency
from bjp_engine.labels import MISSING_LABEL
from bjp_engine.parameters import Estimate, fit_parameters
from bjp_engine.parameters.inference import log_known_states
from bjp_engine.parameters.network import code_rows
from bjp_engine.scores import KnownEdges
from bjp_engine.search import learn
from bjp_engine.validate import (
    Missing,
    choice,
    column_name,
    is_arrow,
    is_pandas,
    missing_sentence,
    unmasked,
    whole_frequencies,
)


def target_column(cells: Any, rows: int, target: Name) -> Column:
    """A target's cells as a column."""
    if cells is None:
        raise DataError(
            f"X has no column {clip(target)}, which is the target; give its cells as y, or in X."
        )
    if not is_pandas(cells, "Series"):
        cells = unmasked(cells, "y")
        cells = pd.Series(cells.ravel() if cells.shape == (rows, 1) else list(cells))
    if len(cells) != rows:
        raise DataError(f"y must hold {rows} cells, one per row of X.")
    return Column.of(cells, target)


def class_values(column: Column, labels: Sequence[str]) -> NDArray[Any]:
    """The value of each state of a column, of the column's own type where no cell is missing."""
    values = dict(zip(column.labels, column.values.tolist(), strict=True))
    found = as_values(values.get(label, MISSING_LABEL) for label in labels)
    return found if MISSING_LABEL in found else found.astype(column.values.dtype)


# What goes on to `learn` where it isn't None.
_OPTIONS = ("prior", "gamma", "prior_cells", "ess", "edge_probability", "expected_degree", "known")


def _has_target(learner: BlanketLearner) -> bool:
    """Whether there is something to predict; else a sentence says how to name it."""
    if learner.target is None:
        raise AttributeError("Name the column to predict: BlanketLearner(target=...).")
    return True


class BlanketLearner(BaseEstimator):
    """Learn a Markov network, structure and parameters, from a table of discrete columns.

    Parameters
    ----------
    method, search, prior, gamma, prior_cells, ess, edge_probability, expected_degree, known
        Of `bjp_engine.learn`; None is its default.
    estimate : {"pseudo-likelihood", "likelihood", "auto"}
        How parameters are fitted, see `bjp_engine.fit_parameters`.
    missing : {"error", "drop", "state"}
        Refuse missing cells; leave their rows out of `fit` and of the mean that `score` is, and
        refuse them where each row gets a result; or make them a state of their own.
    target : str or int, optional
        Name (for an array, position) of the column that `predict` and `predict_proba` predict from
        all others, and don't look at. Where X has no such column, `fit` takes it from y.

    Attributes
    ----------
    graph_ : networkx.Graph
        The learned structure, on the columns' names (positions, for an array).
    score_ : float
        The score of the graph (natural log), with what the prior over structures adds.
    trace_, network_ : SearchTrace, FittedNetwork
        How the structure was learned, for `bjp_engine.edge_probabilities` as well; and what was
        fitted.
    classes_ : ndarray of shape (r,)
        Only with a target: its states as they stand in the column, sorted.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from bjp_engine import BlanketLearner
    >>> rng = np.random.default_rng(0)
    >>> rain = rng.random(200) < 0.3
    >>> wet = rain ^ (rng.random(200) < 0.1)
    >>> X = pd.DataFrame({"rain": rain, "wet": wet, "coin": rng.random(200) < 0.5})
    >>> learner = BlanketLearner(method="bjp").fit(X)
    >>> list(learner.graph_.edges), learner.adjacency_.astype(int).tolist()
    ([('rain', 'wet')], [[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    >>> other = pd.DataFrame({"rain": [True, False], "coin": [True, True]})
    >>> BlanketLearner(target="wet").fit(X).predict(other).tolist()
    [True, False]

    Notes
    -----
    `score` is the mean log pseudo-likelihood, with a target, too; for the share of rows that are
    predicted right give scikit-learn's tools `scoring="accuracy"` and the target as y. With
    missing="drop", `predict` refuses rows with missing cells, so the score of each fold with such
    rows is nan: drop them first, or fill in their cells with `bjp_engine.parameters.impute`.

    A state that no row of `fit` had says nothing in the other methods: answers are averaged over
    its column given the rest of the row, with one warning, and the cell itself adds nothing to a
    log-likelihood unless a pandas Categorical declared the state. `FittedNetwork.conditional` has
    the details, and says which values are the same.

    Every distinct value of a column is a state: group measurements into bins first, for instance
    with sklearn.preprocessing.KBinsDiscretizer(encode="ordinal").
    """

    def __init__(  # noqa: PLR0913 - by convention every setting is an argument of its own
        self,
        method: str = "bjp",
        search: str | None = None,
        prior: float | None = None,
        *,
        edge_probability: float | Literal["data"] | None = None,
        expected_degree: float | None = None,
        known: KnownEdges | Mapping[Any, Any] | pd.DataFrame | None = None,
        ess: float | None = None,
        gamma: float | None = None,
        prior_cells: Literal["equal", "centred"] | None = None,
        estimate: Estimate = "pseudo-likelihood",
        missing: Missing = "error",
        target: Name | None = None,
    ) -> None:
        self.method = method
        self.search = search
        self.prior = prior
        self.edge_probability = edge_probability
        self.expected_degree = expected_degree
        self.known = known
        self.ess = ess
        self.gamma = gamma
        self.prior_cells = prior_cells
        self.estimate = estimate
        self.missing = missing
        self.target = target

    def fit(self, X: Any, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the structure, and fit its parameters.

        Parameters
        ----------
        X : DataFrame, array_like of shape (N, n) or Dataset
            One discrete variable a column: numbers, text or categories.
        y : array_like of shape (N,), optional
            The target's column, where a target is named that X does not hold; else not used.
        sample_weight : array_like of int, shape (N,), optional
            Frequencies: how often each row counts, exactly as if it stood there so often.

        Warns
        -----
        UserWarning
            As `bjp_engine.dataset.as_dataset` does.
        """
        choice(self.missing, "missing", get_args(Missing))
        if self.target is not None:
            column_name(self.target, "target")
        table = self._table(X, y, reset=True)
        if sample_weight is not None:
            counts = whole_frequencies(sample_weight, table.rows, len(table.columns))
            table = table.take(np.repeat(np.arange(table.rows), counts))
        warn_of_columns(table)
        data = Dataset.from_frame(table, missing=self.missing)
        given = {name: getattr(self, name) for name in _OPTIONS}
        options = {name: value for name, value in given.items() if value is not None}
        trace = learn(data, self.method, self.search, **options)
        network = fit_parameters(data, trace.graph, self.estimate)
        self.trace_, self.graph_, self.score_ = trace, trace.graph, trace.score
        self.adjacency_, self.network_ = to_adjacency(trace.graph, data), network
        if self.target is not None:
            labels = data.labels[data.index(self.target)]
            values = class_values(table.columns[self.target], labels)
            self._order = list(range(len(labels)))
            # Sorted, as scikit-learn's measures want them, where they have an order.
            with suppress(TypeError):
                self._order = np.argsort(values).tolist()
            self.classes_ = values[self._order]
        return self

    def score_samples(self, X: Any) -> Floats:
        """The log pseudo-likelihood of each row.

        Shape (N,): Σ_i ln Pr(x_i | all other variables of the row), natural log.
        """
        check_is_fitted(self)
        return self._log_likelihoods(self._table(X, None))

    def score(self, X: Any, y: object = None) -> float:
        """The mean log pseudo-likelihood of rows, to compare structures on unseen rows.

        That is of Σ_i ln Pr(x_i | all other variables), natural log; with missing="drop" over the
        rows without missing cells.
        """
        check_is_fitted(self)
        table = self._table(X, y)
        if self.missing == "drop":
            table = table.take(table.complete_rows())
            if not table.rows:
                raise DataError("Every row of X has a missing cell, so there is no mean to take.")
        return float(self._log_likelihoods(table).mean())

    @available_if(_has_target)
    def predict_proba(self, X: Any) -> Floats:
        """The probabilities of the target's states, given the other columns of each row.

        Shape (N, r); the states stand in the order of `classes_`.
        """
        check_is_fitted(self)
        table, network = self._table(X, None, known=False), self.network_
        i = network.data.index(cast(Name, self.target))
        codes, unseen = self._coded(table, i)
        found = np.exp(log_known_states(network.model, network.data, codes, unseen, i))
        return np.asarray(found / found.sum(axis=1, keepdims=True))[:, self._order]

    @available_if(_has_target)
    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable state of the target; of equally probable ones the first class."""
        chosen: NDArray[Any] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return chosen

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.input_tags.allow_nan = self.missing != "error"
        if self.target is not None:
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        return tags

    def _log_likelihoods(self, table: Table) -> Floats:
        """The log pseudo-likelihood of each row of a table with all columns."""
        network, (codes, unseen) = self.network_, self._coded(table, None)
        found = np.zeros(codes.shape, order="F")
        for i, r in enumerate(network.model.cardinalities):
            # What isn't even declared has no probability.
            rows = np.flatnonzero(codes[:, i] < r)
            args = codes[rows], unseen[rows], i
            states = log_known_states(network.model, network.data, *args)
            found[rows, i] = states[np.arange(len(rows)), codes[rows, i]]
        return np.asarray(found.sum(axis=1))

    def _coded(self, table: Table, but: int | None) -> tuple[Ints, Bools]:
        """Rows by the states that were learned, and which cells hold another; one column aside."""
        holes = np.array([column.holes for column in table.columns.values()])
        if holes.any() and self.missing != "state":
            raise DataError(missing_sentence(holes, table.names, "X.dropna()"))
        return code_rows(Dataset.from_frame(table, missing="state"), self.network_.data, but)

    def _table(self, X: Any, y: Any, *, reset: bool = False, known: bool = True) -> Table:
        """The columns of X as learned, and the target's: X's own where it is known, or else y."""
        given = X.to_frame() if isinstance(X, Dataset) else X
        if not is_arrow(given) and not is_pandas(given, "DataFrame"):
            given = self._frame_of_rows(given, reset)
        table, target = Table.of(given), self.target
        columns = dict(table.columns)
        own = columns.pop(cast(Name, target), None)
        validate_data(self, pd.DataFrame(columns=[*columns]), skip_check_array=True, reset=reset)
        if not table.rows:
            raise DataError("X has no rows; give at least one.")
        if target is None:
            return table
        if reset:
            self._place = len(columns) if own is None else table.names.index(target)
        if not known:
            own = Column(self.classes_[:1], np.zeros(table.rows, dtype=np.int8))
        elif own is None:
            own = target_column(y, table.rows, target)
        every = [*columns.items()]
        every.insert(self._place, (target, own))
        return replace(table, columns=dict(every))

    def _frame_of_rows(self, rows: Any, reset: bool) -> pd.DataFrame:
        """Rows of an array, in which the target is a place, as a frame with places as names."""
        listed = isinstance(rows, Sequence) and not isinstance(rows, str)
        if not listed and not hasattr(rows, "__array__") and not hasattr(rows, "shape"):
            # scikit-learn's sentence would hold all of it.
            raise DataError(
                f"X is of type {type(rows).__name__}; give a DataFrame, a Dataset or an array of "
                "rows."
            )
        if isinstance(rows, np.ma.MaskedArray):
            rows = unmasked(rows, "X")
        finite = "allow-nan" if self.missing != "error" else True
        cells = check_array(
            rows, dtype=None, ensure_all_finite=finite, estimator=self, input_name="X"
        )
        names: list[Name] = list(range(cells.shape[1]))
        if not reset and len(names) <= self.n_features_in_:
            others = [name for name in self.network_.names if name != self.target]
            names = others[: len(names)]
        return pd.DataFrame(cells, columns=names).infer_objects()
