"""`BlanketLearner`: learn, fit and predict with the methods that scikit-learn expects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from bjp_engine.arrays import Floats
from bjp_engine.dataset import Dataset, Name
from bjp_engine.estimator.coding import Missing, code_again, code_first
from bjp_engine.estimator.confidence import edge_confidence
from bjp_engine.graph import to_adjacency
from bjp_engine.parameters import Estimate, fit_parameters
from bjp_engine.search import learn, searches_for
from bjp_engine.validate import frame_names, is_pandas

# What goes on to `learn` where it isn't None.
_PASSED_ON = ("prior", "gamma", "ess", "edge_probability", "expected_degree")


class BlanketLearner(BaseEstimator):
    """Learn a Markov network, structure and parameters, from a table of discrete columns.

    Parameters
    ----------
    score : {"bjp", "ib", "mpl"}
        The score to maximise.
    search : str, optional
        How, see `bjp_engine.learn`. "auto" chooses start, search and prior over structures; for
        mpl, which it doesn't serve, and with None it is the search that belongs to the score.
    prior : float, optional
        Prior probability of independence of each test (bjp and ib).
    edge_probability : float or "data", optional
        Prior probability of each edge.
    expected_degree : float, optional
        Instead of it, how many neighbours a variable is expected to have.
    ess : float, optional
        Weight of MPL's prior, in rows.
    gamma : float, optional
        Prior weight of each cell of a test's tables (bjp and ib).
    confidence : {"test", "bootstrap", "mcmc"}, optional
        Whether, and how, to say how sure each edge is.
    resamples : int
        Of the bootstrap.
    random_state : int, RandomState instance or None
        Seeds what is random in `confidence`; learning itself is not random.
    n_jobs : int, optional
        Threads for `confidence`; -1 for every core.
    estimate : {"pseudo-likelihood", "likelihood", "auto"}
        How parameters are fitted, see `bjp_engine.fit_parameters`.
    categories : "auto" or list of array_like
        The states of each column; with "auto" those of a pandas Categorical, or else those that
        occur. Declare them where later rows may hold states that the first do not.
    missing : {"error", "state"}
        Refuse missing cells, or make them a state of their own.

    Attributes
    ----------
    graph_ : networkx.Graph
        The learned structure, on the columns' names (positions, for an array).
    adjacency_ : ndarray of bool, shape (n, n)
    score_ : float
        The score of the graph (natural log), with what the prior over structures adds.
    trace_ : SearchTrace
        How the search came there.
    network_ : FittedNetwork
        The graph with its parameters.
    edge_confidence_ : ndarray of float, shape (n, n), or None
        The probability of each pair to be an edge, 0 on the diagonal; None unless asked for.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only where the columns of X are named by text.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> rain = rng.random(200) < 0.3
    >>> wet = rain ^ (rng.random(200) < 0.1)
    >>> X = pd.DataFrame({"rain": rain, "wet": wet, "coin": rng.random(200) < 0.5})
    >>> learner = BlanketLearner(score="bjp").fit(X)
    >>> list(learner.graph_.edges), learner.adjacency_.astype(int).tolist()
    ([('rain', 'wet')], [[0, 1, 0], [1, 0, 0], [0, 0, 0]])

    Notes
    -----
    Every distinct value of a column is a state: group measurements into bins first, for instance
    with sklearn.preprocessing.KBinsDiscretizer(encode="ordinal").

    `score` is a parameter of the constructor and, by scikit-learn's conventions, a method.
    `get_params()["score"]` is the parameter, `learner.score(X)` the method; the parameter is set
    by `set_params(score="ib")` or `learner.score = "ib"`.
    """

    def __init__(  # noqa: PLR0913 - by convention every setting is an argument of its own
        self,
        score: str = "bjp",
        search: str | None = "auto",
        prior: float | None = None,
        *,
        edge_probability: float | Literal["data"] | None = None,
        expected_degree: float | None = None,
        ess: float | None = None,
        gamma: float | None = None,
        confidence: Literal["test", "bootstrap", "mcmc"] | None = None,
        resamples: int = 200,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
        estimate: Estimate = "pseudo-likelihood",
        categories: Literal["auto"] | Sequence[ArrayLike] = "auto",
        missing: Missing = "error",
    ) -> None:
        """Keep the settings as they are; `fit` checks them."""
        self.score = score
        self.search = search
        self.prior = prior
        self.edge_probability = edge_probability
        self.expected_degree = expected_degree
        self.ess = ess
        self.gamma = gamma
        self.confidence = confidence
        self.resamples = resamples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.estimate = estimate
        self.categories = categories
        self.missing = missing

    @property
    def score(self) -> Callable[..., float]:
        """The method `score(X, y=None)`: the mean log pseudo-likelihood of the rows of X.

        The mean over rows of Σ_i ln Pr(x_i | all other variables), natural log, so that
        `cross_val_score` and `GridSearchCV` compare structures by rows they have not seen.
        """
        return self._score

    @score.setter
    def score(self, name: str) -> None:
        # An instance's own attribute is hidden by the property of its class, but kept.
        self.__dict__["score"] = name

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name.

        Parameters
        ----------
        deep : bool
            No setting has settings of its own, so it makes no difference.

        Returns
        -------
        dict
        """
        return super().get_params(deep=deep) | {"score": self.__dict__["score"]}

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002 - by convention
        """Learn the structure, and fit its parameters.

        Parameters
        ----------
        X : DataFrame, array_like of shape (N, n) or Dataset
            One discrete variable a column: numbers, text or categories.
        y : object
            Not used.

        Returns
        -------
        BlanketLearner
            This very object.

        Raises
        ------
        DataError
            If the table can't be used; the sentence names the column.
        OptionError
            If a setting isn't known or is out of range.
        """
        data = code_first(self._frame(X, reset=True), self.categories, self.missing)
        given = {name: getattr(self, name) for name in _PASSED_ON}
        options = {name: value for name, value in given.items() if value is not None}
        search = self._search()
        trace = learn(data, self.__dict__["score"], search, **options)
        network = fit_parameters(data, trace.graph, self.estimate)
        confidence = None
        if self.confidence is not None:
            how = {
                "search": search,
                "resamples": self.resamples,
                "seed": int(check_random_state(self.random_state).randint(2**31 - 1)),
                "n_jobs": 1 if self.n_jobs is None else self.n_jobs,
            }
            confidence = edge_confidence(self.confidence, data, trace, options, how)
        self.trace_, self.graph_, self.score_ = trace, trace.graph, trace.score
        self.adjacency_ = to_adjacency(trace.graph, data)
        self.network_, self.edge_confidence_ = network, confidence
        return self

    def score_samples(self, X: Any) -> Floats:
        """The log pseudo-likelihood of each row.

        Parameters
        ----------
        X : DataFrame or array_like of shape (N, n)
            The columns that were learned from.

        Returns
        -------
        ndarray of float, shape (N,)
            Σ_i ln Pr(x_i | all other variables of the row), natural log.

        Raises
        ------
        DataError
            If a cell is missing, or holds a state that wasn't there to learn from.
        """
        data = self._coded(X)
        return np.asarray(self.network_.log_conditional(data).sum(axis=1))

    def _score(self, X: Any, y: object = None) -> float:  # noqa: ARG002 - by convention
        """The mean log pseudo-likelihood of the rows of X, see `score`."""
        return float(self.score_samples(X).mean())

    def conditional(self, X: Any, variable: Name) -> Floats:
        """The probabilities of one variable's states, given the other columns of each row.

        Parameters
        ----------
        X : DataFrame or array_like of shape (N, n)
            The columns that were learned from; what stands in that of `variable` is not looked
            at, but must be one of its states.
        variable : str or int
            Name or position of a column.

        Returns
        -------
        ndarray of float, shape (N, r)
            Each row sums to 1; the states stand in the order of `network_.labels`.

        Raises
        ------
        DataError
            If there is no such column, or a cell can't be used.
        """
        data = self._coded(X)
        return self.network_.conditional(data, variable)

    def to_pgmpy(self) -> Any:
        """The fitted network for pgmpy.

        Returns
        -------
        pgmpy.models.DiscreteMarkovNetwork

        Raises
        ------
        OptionError
            If pgmpy is not installed.
        """
        check_is_fitted(self)
        return self.network_.to_pgmpy()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.input_tags.allow_nan = self.missing == "state"
        return tags

    def _search(self) -> str | None:
        """The search by its registered name; None for the default of the score."""
        automatic = self.search == "auto"
        served = not automatic or "auto" in searches_for(self.__dict__["score"])
        return self.search if served else None

    def _coded(self, X: Any) -> Dataset:
        """Rows to predict, by the states that were learned."""
        check_is_fitted(self)
        network = self.network_
        frame = self._frame(X, reset=False)
        return code_again(frame, network.names, network.labels, self.missing)

    def _frame(self, X: Any, *, reset: bool) -> pd.DataFrame:
        """X as a frame, its width and names compared with those that were learned."""
        table = X.to_frame() if isinstance(X, Dataset) else X
        if is_pandas(table, "DataFrame"):
            frame_names(table)
            validate_data(self, table, skip_check_array=True, reset=reset)
            frame: pd.DataFrame = table
            return frame
        finite = True if self.missing == "error" else "allow-nan"
        checked = validate_data(self, table, dtype=None, ensure_all_finite=finite, reset=reset)
        return pd.DataFrame(checked)
