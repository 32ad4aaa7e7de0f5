"""`BlanketLearner`: learn, fit and predict with the methods that scikit-learn expects.

This module imports scikit-learn; `bjp_engine` imports it when `BlanketLearner` is first asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, Literal, Self, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import ClassifierTags, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from bjp_engine.arrays import Bools, Floats, Ints
from bjp_engine.columns import Column, Table, arrow_table
from bjp_engine.confidence.kinds import confidence_of_kind
from bjp_engine.dataset import Dataset, Name, warn_of_columns
from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.graph import to_adjacency
from bjp_engine.labels import MISSING_LABEL
from bjp_engine.parameters import Estimate, fit_parameters
from bjp_engine.parameters.inference import find_unseen, log_known_states
from bjp_engine.parameters.network import code_states, recode, unknown_state, warn_of_unseen
from bjp_engine.scores import KnownEdges
from bjp_engine.search import SearchTrace, learn
from bjp_engine.search.many import threads_of
from bjp_engine.validate import (
    Missing,
    Seed,
    check_long,
    choice,
    column_name,
    frame_names,
    is_arrow,
    is_pandas,
    missing_sentence,
    plain_name,
    unmasked,
    whole_frequencies,
    whole_number,
    whole_seed,
)


def declare_states(frame: pd.DataFrame, categories: object) -> pd.DataFrame:
    """The frame with the states of each column declared."""
    names = frame_names(frame)
    if isinstance(categories, str) or not isinstance(categories, Sequence):
        raise OptionError("categories must be 'auto' or a list with the states of each column.")
    if len(categories) != len(names):
        raise OptionError(
            f"categories has {len(categories)} entries for {len(names)} columns; give one per "
            "column."
        )
    columns = []
    for place, (name, states) in enumerate(zip(names, categories, strict=True)):
        column = frame.iloc[:, place]
        known = pd.Index(list(states))
        if known.hasnans or not known.is_unique:
            raise OptionError(
                f"categories has a missing or repeated state for the column {clip(name)}; "
                "name each state once."
            )
        strange = column[~column.isin(known) & column.notna()]
        if len(strange):
            raise DataError(unknown_state(name, strange.iloc[0], known))
        columns.append(column.astype(pd.CategoricalDtype(known)))
    declared = pd.concat(columns, axis=1)
    declared.columns = frame.columns
    return declared


def repeat_rows(frame: pd.DataFrame, frequencies: object) -> pd.DataFrame:
    """Each row as often as its frequency says."""
    counts = whole_frequencies(frequencies, len(frame))
    check_long(counts, len(frame.columns))
    if not counts.any():
        raise DataError("Every weight in sample_weight is zero; give a row at least 1.")
    return frame.iloc[np.repeat(np.arange(len(frame)), counts)]


def as_frame(table: Any) -> Any:
    """A Dataset, or a table that comes as Arrow, as a DataFrame; anything else as it is."""
    if isinstance(table, Dataset):
        return table.to_frame()
    if is_arrow(table):
        return arrow_table(table).to_pandas()
    return table


def add_target(frame: pd.DataFrame, target: Name, y: Any) -> pd.DataFrame:
    """The frame with its target, which y holds where no column does."""
    if target in frame.columns:
        return frame
    if y is None:
        raise no_target(target)
    cells = y if is_pandas(y, "Series") else unmasked(y, "y")
    if np.shape(cells) == (len(frame), 1):
        cells = np.ravel(cells)
    if np.shape(cells) != (len(frame),):
        raise DataError(f"y must hold {len(frame)} cells, one per row of X.")
    column = pd.Series(cells).set_axis(frame.index)
    return pd.concat([frame, column.rename(target)], axis=1)


def no_target(target: Name) -> DataError:
    """Say that the target's cells are nowhere."""
    return DataError(
        f"X has no column {clip(target)}, which is the target; give its cells as y, or in X."
    )


def place_target(table: Any, target: Name, place: int, cells: Any, *, held: bool) -> Any:
    """The table with these cells as its column at a place; it may hold others there."""
    if is_pandas(table, "DataFrame"):
        placed = table.drop(columns=[target], errors="ignore")
        placed.insert(min(place, len(placed.columns)), target, np.asarray(cells, dtype=object))
        return placed
    array = np.array(table, dtype=object)
    if not held:
        return np.insert(array, place, cells, axis=1)
    array[:, place] = cells
    return array


def class_values(cells: pd.Series[Any], labels: Sequence[str], name: Name) -> NDArray[Any]:
    """The value of each state of a column, of the column's own type where no cell is missing."""
    column = Column.of(cells, name)
    values = dict(zip(column.labels, column.values.tolist(), strict=True))
    found = [values.get(label, MISSING_LABEL) for label in labels]
    if column.values.dtype.kind == "O" or MISSING_LABEL in found:
        return np.fromiter(found, dtype=object)
    return np.array(found, dtype=column.values.dtype)


# What goes on to `learn` where it isn't None: of the score, and of the prior over structures.
_OF_SCORE = ("prior", "gamma", "prior_cells", "ess")
_OF_STRUCTURE = ("edge_probability", "expected_degree", "known")


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
    confidence : {"calibrated", "test", "bootstrap", "exact"}, optional
        Whether, and how, to compute the confidence of each edge; "exact", the posterior over all
        graphs, of at most seven variables.
    resamples, random_state, n_jobs
        Of the bootstrap; a search that is random always has seed 0.
    estimate : {"pseudo-likelihood", "likelihood", "auto"}
        How parameters are fitted, see `bjp_engine.fit_parameters`.
    categories : "auto" or list of array_like
        The states of each column; with "auto" those of a pandas Categorical, or else those that
        occur. Declare them where later rows may hold states that the first do not.
    missing : {"error", "drop", "state"}
        Refuse missing cells; leave their rows out of `fit` and of the mean that `score` is, and
        refuse them where each row gets a result; or make them a state of their own.
    target : str or int, optional
        Name (for an array, position) of the column that `predict` and `predict_proba` predict from
        all others. Where X has no such column, `fit` takes it from y.
    unseen : {"average", "error"}
        What a state means that no row of `fit` had, in the other methods: nothing, so answers are
        averaged over its column given the rest of the row, with one warning, and the cell itself
        adds nothing to a log-likelihood unless the state was declared; or an error unless it was
        declared. `FittedNetwork.conditional` has the details, and says which values are the same.

    Attributes
    ----------
    graph_ : networkx.Graph
        The learned structure, on the columns' names (positions, for an array).
    score_ : float
        The score of the graph (natural log), with what the prior over structures adds.
    edge_confidence_ : ndarray of float, shape (n, n), or None
        The confidence of each pair to be an edge, 0 on the diagonal; None unless asked for.
    feature_names_in_ : ndarray of str
        Only where the columns of X are named by text.
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
        confidence: Literal["calibrated", "test", "bootstrap", "exact"] | None = None,
        resamples: int = 200,
        random_state: Seed | np.random.RandomState | None = 0,
        n_jobs: int = -1,
        estimate: Estimate = "pseudo-likelihood",
        categories: Literal["auto"] | Sequence[ArrayLike] = "auto",
        missing: Missing = "error",
        target: Name | None = None,
        unseen: Literal["average", "error"] = "average",
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
        self.confidence = confidence
        self.resamples = resamples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.estimate = estimate
        self.categories = categories
        self.missing = missing
        self.target = target
        self.unseen = unseen

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
            If a column holds over 12 different numbers that are not all whole; in fewer than 20
            rows, a different one in each.
        """
        choice(self.missing, "missing", get_args(Missing))
        choice(self.unseen, "unseen", ("average", "error"))
        if self.confidence is not None:
            choice(self.confidence, "confidence", ("calibrated", "test", "bootstrap", "exact"))
        whole_number(self.resamples, "resamples", 1)
        threads_of(self.n_jobs)
        frame = self._frame(X, reset=True)
        if self.target is not None:
            frame = add_target(frame, column_name(plain_name(self.target), "target"), y)
        if sample_weight is not None:
            frame = repeat_rows(frame, sample_weight)
        data = self._learnable(frame)
        given = {name: getattr(self, name) for name in (*_OF_SCORE, *_OF_STRUCTURE)}
        options = {name: value for name, value in given.items() if value is not None}
        trace = learn(data, self.method, self.search, **options)
        network = fit_parameters(data, trace.graph, self.estimate)
        self.edge_confidence_ = self._confidence(data, trace, options)
        self.trace_, self.graph_, self.score_ = trace, trace.graph, trace.score
        self.adjacency_, self.network_ = to_adjacency(trace.graph, data), network
        if self.target is not None:
            values = class_values(frame[self.target], self._target_labels(), self.target)
            # Sorted, as scikit-learn's measures want them.
            self.classes_ = np.sort(values) if _is_sortable(values) else values
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
        frame = self._table(X, y)
        if self.missing == "drop":
            frame = frame.dropna()
            if frame.empty:
                raise DataError("Every row of X has a missing cell, so there is no mean to take.")
        return float(self._log_likelihoods(frame).mean())

    def conditional(self, X: Any, variable: Name) -> Floats:
        """The probabilities of one variable's states, given the other columns of each row.

        X has all columns that were learned from; what stands in that of `variable` makes no
        difference, but a cell must stand there. Shape (N, r); the states stand in the order of
        `network_.labels`.
        """
        check_is_fitted(self)
        return self._conditional(self._table(X, None), variable)

    @available_if(_has_target)
    def predict_proba(self, X: Any) -> Floats:
        """The probabilities of the target's states, given the other columns of each row.

        The target's column may be in X, and isn't looked at. Shape (N, r); the states stand in the
        order of `classes_`.
        """
        check_is_fitted(self)
        cells = class_values(pd.Series(self.classes_), self._target_labels(), "target")
        place = {value: k for k, value in enumerate(cells.tolist())}
        order = [place[value] for value in self.classes_.tolist()]
        found = self._conditional(self._table(X, self.classes_[0], known=False), self._place())
        return found[:, order]

    @available_if(_has_target)
    def predict_log_proba(self, X: Any) -> Floats:
        """The logs of `predict_proba`, shape (N, r)."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    @available_if(_has_target)
    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable state of the target; of equally probable ones the first class."""
        chosen: NDArray[Any] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return chosen

    def to_pgmpy(self) -> Any:
        """The fitted network for pgmpy, see `FittedNetwork.to_pgmpy`."""
        check_is_fitted(self)
        return self.network_.to_pgmpy()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.input_tags.allow_nan = self.missing != "error"
        if self.target is not None:
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        return tags

    def _confidence(
        self, data: Dataset, trace: SearchTrace, options: dict[str, Any]
    ) -> Floats | None:
        if self.confidence is None:
            return None
        seed = self._seed() if self.confidence == "bootstrap" else 0
        how = options | {"resamples": self.resamples, "seed": seed, "n_jobs": self.n_jobs}
        return confidence_of_kind(self.confidence, data, trace, self.search, **how).matrix

    def _seed(self) -> int:
        given = self.random_state
        if given is None or isinstance(given, (Integral, np.random.RandomState)):
            # As scikit-learn has it.
            return int(check_random_state(given).randint(2**31 - 1))
        return whole_seed(given)

    def _learnable(self, frame: pd.DataFrame) -> Dataset:
        if not (isinstance(self.categories, str) and self.categories == "auto"):
            frame = declare_states(frame, self.categories)
        table = Table.of(frame)
        warn_of_columns(table, few=True)
        return Dataset.from_table(table, missing=self.missing)

    def _place(self) -> int:
        return self.network_.names.index(plain_name(self.target))

    def _target_labels(self) -> tuple[str, ...]:
        return self.network_.labels[self._place()]

    def _table(self, table: Any, y: object, *, known: bool = True) -> pd.DataFrame:
        """The table with every column of the network; y holds the target where it does not."""
        table = as_frame(table)
        if self.target is None:
            return self._frame(table, reset=False)
        named, width = is_pandas(table, "DataFrame"), len(self.network_.names)
        held = self.target in table.columns if named else np.shape(table)[1:] == (width,)
        if not known:
            y = np.full(len(table), y, dtype=object)
        if self.n_features_in_ < width:
            if held and named:
                y, table = table[self.target] if known else y, table.drop(columns=[self.target])
            return add_target(self._frame(table, reset=False), self.target, y)
        if named and not held and y is None:
            raise no_target(self.target)
        if not (held and known) and y is not None:
            table = place_target(table, self.target, self._place(), y, held=held)
        return self._frame(table, reset=False)

    def _log_likelihoods(self, frame: pd.DataFrame) -> Floats:
        """The log pseudo-likelihood of each row of a table with all columns."""
        network, (codes, unseen) = self.network_, self._coded(frame, None)
        found = np.zeros(codes.shape, order="F")
        for i, r in enumerate(network.model.cardinalities):
            # What isn't even declared has no probability.
            rows = np.flatnonzero(codes[:, i] < r)
            args = codes[rows], unseen[rows], i
            states = log_known_states(network.model, network.data, *args)
            found[rows, i] = states[np.arange(len(rows)), codes[rows, i]]
        return np.asarray(found.sum(axis=1))

    def _conditional(self, frame: pd.DataFrame, variable: Name) -> Floats:
        """The probabilities of a variable's states in each row of a table with all columns."""
        network = self.network_
        i = network.data.index(variable)
        codes, unseen = self._coded(frame, i)
        found = np.exp(log_known_states(network.model, network.data, codes, unseen, i))
        return np.asarray(found / found.sum(axis=1, keepdims=True))

    def _coded(self, frame: pd.DataFrame, but: int | None) -> tuple[Ints, Bools]:
        """Rows by the states that were learned, and which cells hold another; one column aside."""
        table, network = Table.of(frame), self.network_
        holes = np.array([column.holes for column in table.columns.values()])
        if holes.any() and self.missing != "state":
            raise DataError(missing_sentence(holes, table.names, "X.dropna()"))
        data = Dataset.from_table(table, missing="state")
        codes = code_states(data, network.labels)
        if self.unseen == "error":
            recode(data, network.labels)
        unseen = find_unseen(network.data, codes)
        if but is not None:
            unseen[:, but] = False
        warn_of_unseen(data, unseen, network.labels)
        return codes, unseen

    def _frame(self, X: Any, *, reset: bool) -> pd.DataFrame:
        """X as a frame, its width and names compared with those that were learned."""
        table = as_frame(X)
        if is_pandas(table, "DataFrame"):
            frame_names(table)
            validate_data(self, table, skip_check_array=True, reset=reset)
            if table.empty:
                raise DataError("X has no rows; give at least one.")
            return table
        rows = isinstance(table, Sequence) and not isinstance(table, str)
        if not rows and not hasattr(table, "__array__") and not hasattr(table, "shape"):
            # scikit-learn's sentence would hold all of it.
            raise DataError(
                f"X is of type {type(table).__name__}; give a DataFrame, a Dataset or an array of "
                "rows."
            )
        if isinstance(table, np.ma.MaskedArray):
            table = unmasked(table, "X")
        finite = "allow-nan" if self.missing != "error" else True
        return pd.DataFrame(
            validate_data(self, table, dtype=None, ensure_all_finite=finite, reset=reset)
        )


def _is_sortable(values: NDArray[Any]) -> bool:
    """Whether values have an order among each other."""
    try:
        np.sort(values)
    except TypeError:
        return False
    return True
