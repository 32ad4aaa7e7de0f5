"""`BlanketLearner`: learn, fit and predict with the methods that scikit-learn expects.

This module imports scikit-learn; `bjp_engine` imports it when `BlanketLearner` is first asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from bjp_engine.arrays import Floats
from bjp_engine.confidence import bootstrap, edge_probabilities, posterior_edges, test_confidence
from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.graph import to_adjacency
from bjp_engine.parameters import Estimate, fit_parameters
from bjp_engine.parameters.network import recode, unknown_state
from bjp_engine.scores import KnownEdges
from bjp_engine.search import SearchTrace, learn
from bjp_engine.search.auto.search import begun_with
from bjp_engine.validate import choice, frame_names, is_pandas, unmasked

# What goes on to `learn` where it isn't None: of the score, and of the prior over structures.
_OF_SCORE = ("prior", "gamma", "prior_cells", "ess")
_OF_STRUCTURE = ("edge_probability", "expected_degree", "known")


class BlanketLearner(BaseEstimator):
    """Learn a Markov network, structure and parameters, from a table of discrete columns.

    Parameters
    ----------
    method : {"bjp", "ib", "mpl", "near"}
        The score to maximise.
    search : str, optional
        How, see `bjp_engine.learn`.
    prior : float, optional
        Prior probability of independence of each test (all but mpl).
    edge_probability : float or "data", optional
        Prior probability of each edge.
    expected_degree : float, optional
        Instead of it, how many neighbours a variable is expected to have.
    known : KnownEdges, mapping or DataFrame, optional
        Pairs that are required, forbidden or likely, see `bjp_engine.scores.KnownEdges`.
    ess : float, optional
        Weight of MPL's prior, in rows.
    gamma : float, optional
        Prior weight of each cell of a test's tables (all but mpl).
    prior_cells : {"equal", "centred"}, optional
        How that weight is spread over the cells (all but mpl), see `TestOptions`.
    confidence : {"calibrated", "test", "bootstrap", "mcmc"}, optional
        Whether, and how, to compute the confidence of each edge.
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
        The course of the search.
    network_ : FittedNetwork
        The graph with its parameters.
    edge_confidence_ : ndarray of float, shape (n, n), or None
        The confidence of each pair to be an edge, 0 on the diagonal; None unless asked for.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only where the columns of X are named by text.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rain = rng.random(200) < 0.3
    >>> wet = rain ^ (rng.random(200) < 0.1)
    >>> X = pd.DataFrame({"rain": rain, "wet": wet, "coin": rng.random(200) < 0.5})
    >>> learner = BlanketLearner(method="bjp").fit(X)
    >>> list(learner.graph_.edges), learner.adjacency_.astype(int).tolist()
    ([('rain', 'wet')], [[0, 1, 0], [1, 0, 0], [0, 0, 0]])

    Notes
    -----
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
        confidence: Literal["calibrated", "test", "bootstrap", "mcmc"] | None = None,
        resamples: int = 200,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
        estimate: Estimate = "pseudo-likelihood",
        categories: Literal["auto"] | Sequence[ArrayLike] = "auto",
        missing: Literal["error", "state"] = "error",
    ) -> None:
        """Keep the settings as they are; `fit` checks them."""
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
        data = self._learnable(self._frame(X, reset=True))
        given = {name: getattr(self, name) for name in (*_OF_SCORE, *_OF_STRUCTURE)}
        options = {name: value for name, value in given.items() if value is not None}
        trace = learn(data, self.method, self.search, **options)
        network = fit_parameters(data, trace.graph, self.estimate)
        self.edge_confidence_ = self._confidence(data, trace, options)
        self.trace_, self.graph_, self.score_ = trace, trace.graph, trace.score
        self.adjacency_, self.network_ = to_adjacency(trace.graph, data), network
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

    def score(self, X: Any, y: object = None) -> float:  # noqa: ARG002 - by convention
        """The mean log pseudo-likelihood of rows, to compare structures on unseen rows.

        Parameters
        ----------
        X : DataFrame or array_like of shape (N, n)
            The columns that were learned from.
        y : object
            Not used.

        Returns
        -------
        float
            The mean over rows of Σ_i ln Pr(x_i | all other variables), natural log.
        """
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
        """The fitted network for pgmpy, see `FittedNetwork.to_pgmpy`.

        Returns
        -------
        pgmpy.models.DiscreteMarkovNetwork
        """
        check_is_fitted(self)
        return self.network_.to_pgmpy()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.input_tags.allow_nan = self.missing == "state"
        return tags

    def _confidence(
        self, data: Dataset, trace: SearchTrace, options: dict[str, Any]
    ) -> Floats | None:
        """The confidence that each pair of variables is an edge."""
        if self.confidence is None:
            return None
        choice(self.confidence, "confidence", ("calibrated", "test", "bootstrap", "mcmc"))
        if self.confidence == "calibrated":
            return edge_probabilities(data, known=self.known).matrix
        if self.confidence == "test":
            begun = begun_with(trace.search, options)
            of_score = {name: begun[name] for name in _OF_SCORE if name in begun}
            return test_confidence(data, trace.graph, trace.method, **of_score).matrix
        random: dict[str, Any] = {
            "seed": int(check_random_state(self.random_state).randint(2**31 - 1)),
            "n_jobs": 1 if self.n_jobs is None else self.n_jobs,
        }
        if self.confidence == "bootstrap":
            random["resamples"] = self.resamples
            return bootstrap(data, trace.method, self.search, **random, **options).matrix
        options = begun_with(trace.search, options)
        return posterior_edges(data, trace.method, **random, **options).matrix

    def _learnable(self, frame: pd.DataFrame) -> Dataset:
        """Rows to learn from."""
        choice(self.missing, "missing", ("error", "state"))
        if not (isinstance(self.categories, str) and self.categories == "auto"):
            frame = _declared(frame, self.categories)
        return Dataset.from_frame(frame, missing=self.missing)

    def _coded(self, X: Any) -> Dataset:
        """Rows to predict, by the states that were learned."""
        check_is_fitted(self)
        data = Dataset.from_frame(self._frame(X, reset=False), missing=self.missing)
        return recode(data, self.network_.labels)

    def _frame(self, X: Any, *, reset: bool) -> pd.DataFrame:
        """X as a frame, its width and names compared with those that were learned."""
        table = X.to_frame() if isinstance(X, Dataset) else X
        if is_pandas(table, "DataFrame"):
            frame_names(table)
            validate_data(self, table, skip_check_array=True, reset=reset)
            if table.empty:
                raise DataError("X has no rows; give at least one.")
            return table
        if isinstance(table, np.ma.MaskedArray):
            table = unmasked(table, "X")
        finite = True if self.missing == "error" else "allow-nan"
        return pd.DataFrame(
            validate_data(self, table, dtype=None, ensure_all_finite=finite, reset=reset)
        )


def _declared(frame: pd.DataFrame, categories: object) -> pd.DataFrame:
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
            raise DataError(unknown_state(name, strange.iloc[0]))
        columns.append(column.astype(pd.CategoricalDtype(known)))
    declared = pd.concat(columns, axis=1)
    declared.columns = frame.columns
    return declared
