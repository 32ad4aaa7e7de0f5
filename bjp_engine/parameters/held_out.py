"""How well structures, or each variable's neighbours, predict unseen rows (docs/theory.md §11).

For each fold of rows the graph is learned and its parameters are fitted without the fold; then the
fold is predicted. Of one variable, a network without edges predicts it from the margins.

References
----------
Haslbeck & Waldorp (2018), How well do network models predict observations?
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Bools, Floats, Places
from bjp_engine.dataset import DataLike, Dataset, Name, as_dataset
from bjp_engine.errors import DataError, GraphError, OptionError, clip
from bjp_engine.graph import GraphLike, to_adjacency, to_graph
from bjp_engine.parameters.fit import fit_parameters
from bjp_engine.parameters.network import FittedNetwork
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import lock_arrays, record
from bjp_engine.search.trace import SearchTrace
from bjp_engine.validate import Seed, seed_sequence, whole_number

if TYPE_CHECKING:
    import pandas as pd

Graph: TypeAlias = "nx.Graph[Any]"
GraphLearner: TypeAlias = "Callable[[Dataset], Graph | SearchTrace]"
_FIT_OPTIONS = ("estimate", "factors", "ess", "ridge")


@record
@dataclass(frozen=True, eq=False, slots=True)
class HeldOut:
    """The log pseudo-likelihood of rows that were not fitted, or the difference of two.

    Parameters
    ----------
    values : ndarray of float, shape (N,)
        Σ_i ln Pr(x_i | all other variables) of each row, natural log; read-only.
    """

    values: Floats

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64)
        values.setflags(write=False)
        object.__setattr__(self, "values", values)

    @property
    def mean(self) -> float:
        """For one row."""
        return float(self.values.mean())

    @property
    def error(self) -> float:
        """The standard error of the mean over repeated draws of rows; nan for a single row."""
        n = len(self.values)
        return float(self.values.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan


def held_out(
    graph: GraphLike,
    train: DataLike,
    test: DataLike,
    *,
    progress: Progress = UNWATCHED,
    **options: Any,
) -> HeldOut:
    """Fit a graph's parameters to some rows and predict others.

    Parameters
    ----------
    train, test : Dataset, DataFrame or array
        With the same variables and states, as `Dataset.take` gives them.

    Examples
    --------
    >>> import networkx as nx
    >>> from bjp_engine import Dataset
    >>> from bjp_engine.parameters import held_out
    >>> data = Dataset.from_codes([[0, 0], [0, 0], [1, 1], [0, 1]] * 25)
    >>> train, test = data.take(range(50)), data.take(range(50, 100))
    >>> joined = held_out(nx.Graph([(0, 1)]), train, test)
    >>> apart = held_out(nx.empty_graph(2), train, test)
    >>> joined.mean > apart.mean
    True
    """
    check_progress(progress)
    train = as_dataset(train, "train")
    test = as_dataset(test, "test")
    if not (train.rows and test.rows):
        raise DataError("A table to fit or to predict has no row; give each at least one.")
    check_fit_options(options)
    network = fit_parameters(train, graph, progress=progress, **options)
    return HeldOut(network.log_conditional(test).sum(axis=1))


@record
@dataclass(frozen=True, eq=False, slots=True)
class Comparison:
    """How well several candidates predict the same rows.

    Parameters
    ----------
    values : ndarray of float, shape (K, N)
        The log pseudo-likelihood of each row of the data, from networks that were learned and
        fitted without its fold; read-only.
    folds : ndarray of int, shape (N,)
        The fold of each row; read-only.
    """

    names: tuple[str, ...]
    values: NDArray[np.float64]
    folds: Places
    graphs: tuple[tuple[Graph, ...], ...]

    def __getitem__(self, name: str) -> HeldOut:
        return HeldOut(self.values[self._place(name)])

    @property
    def best(self) -> str:
        """The candidate with the highest mean, the first of equal ones."""
        return self.names[int(np.argmax(self.values.mean(axis=1)))]

    def difference(self, first: str, second: str) -> HeldOut:
        """The paired differences of two candidates, first less second, row by row.

        Returns
        -------
        HeldOut
            The error of its mean takes the fitted networks as given.
        """
        return HeldOut(self.values[self._place(first)] - self.values[self._place(second)])

    def _place(self, name: str) -> int:
        if not isinstance(name, str) or name not in self.names:
            known = ", ".join(map(clip, self.names))
            raise OptionError(f"There is no candidate {clip(name)}; there are {known}.")
        return self.names.index(name)


def cross_validate(
    data: DataLike,
    candidates: Mapping[str, Graph | GraphLearner],
    folds: int = 5,
    seed: Seed = 0,
    *,
    progress: Progress = UNWATCHED,
    **options: Any,
) -> Comparison:
    """Compare structures by how well they predict rows they have not seen.

    Parameters
    ----------
    candidates : mapping of str to networkx.Graph or callable(Dataset)
        Graphs, or functions that learn one from the rows they are given and return it or a
        SearchTrace.
    folds : int
        2 to N parts of nearly equal size; each is predicted from all others.

    Examples
    --------
    >>> import networkx as nx
    >>> from bjp_engine import Dataset
    >>> from bjp_engine.parameters import cross_validate
    >>> data = Dataset.from_codes([[0, 0], [0, 0], [1, 1], [0, 1]] * 25)
    >>> found = cross_validate(data, {"joined": nx.Graph([(0, 1)]), "apart": nx.empty_graph(2)})
    >>> found.best, found.difference("joined", "apart").mean > 0
    ('joined', True)
    """
    check_progress(progress)
    data = as_dataset(data)
    check_folds(folds, data.rows)
    dealt = deal_rows(data.rows, folds, seed)
    if not (isinstance(candidates, Mapping) and candidates):
        raise OptionError("candidates names nothing to compare; give a dict of graphs or learners.")
    parts = [(data.take(dealt != k), data.take(dealt == k)) for k in range(folds)]
    values = np.empty((len(candidates), data.rows))
    graphs: list[list[Graph]] = []
    made = 0
    for place, (name, candidate) in enumerate(candidates.items()):
        graphs.append([])
        learner = learner_of(candidate, data, f"The candidate {clip(name)}")
        for k, part in enumerate(parts):
            progress.tick()
            graph = learner(part[0])
            predicted = held_out(graph, *part, progress=progress.quiet, **options)
            values[place, dealt == k] = predicted.values
            graphs[-1].append(graph)
            made += 1
            progress.tick(made, len(candidates) * folds)
    for array in (values, dealt):
        array.setflags(write=False)
    return Comparison(tuple(map(str, candidates)), values, dealt, tuple(map(tuple, graphs)))


def check_fit_options(options: Mapping[str, Any]) -> None:
    """Refuse what `fit_parameters` has no option for."""
    for name in options:
        if name not in _FIT_OPTIONS:
            raise OptionError(
                f"There is no option {clip(name)}; a network is fitted with "
                f"{', '.join(_FIT_OPTIONS)}."
            )


def check_folds(folds: object, rows: int) -> None:
    """As many folds as some rows can be dealt into."""
    if rows < 2:
        raise DataError("The data have fewer than two rows, which make no folds; give more rows.")
    whole_number(folds, "folds", 2, rows)


def deal_rows(rows: int, folds: int, seed: Seed) -> Places:
    """The fold of each row: as even as can be, in random order."""
    generator = np.random.default_rng(seed_sequence(seed))
    return generator.permutation(np.arange(rows) % folds)


def learner_of(candidate: object, data: Dataset, what: str) -> Callable[[Dataset], Graph]:
    """What makes the graph of a candidate from rows, frozen; a sentence begins with `what`."""
    # The edges of a graph can be called, too.
    if callable(candidate) and not isinstance(candidate, Iterable):
        made = f"{what} made a graph that"
        return lambda train: _graph_of(candidate(train), train, made)
    graph = _graph_of(candidate, data, what)
    return lambda _: graph


def _graph_of(found: object, data: Dataset, what: str) -> Graph:
    """A graph on the names of the data."""
    if isinstance(found, SearchTrace):
        found = found.graph
    try:
        return to_graph(to_adjacency(found, data), data.names, frozen=True)
    except GraphError as reason:
        raise GraphError(f"{what} can't be used: {reason}") from None


@record
@dataclass(frozen=True, eq=False, slots=True)
class Predictability:
    """How well each variable of each row is predicted without that row, by `predict_variables`.

    Parameters
    ----------
    correct : ndarray of bool, shape (N, n)
        Whether the most probable state given the neighbours is the observed one.
    majority : ndarray of bool, shape (N, n)
        Whether the most frequent state of the other folds is the observed one.
    gains : ndarray of float, shape (N, n)
        ln Pr(observed state | neighbours) - ln Pr(observed state); 0 without neighbours.
    folds : ndarray of int, shape (N,)
        The fold of each row.
    graphs : tuple of networkx.Graph
        The graph of each fold, learned without it.
    """

    names: tuple[Name, ...]
    correct: Bools
    majority: Bools
    gains: Floats
    folds: Places
    graphs: tuple[nx.Graph[Any], ...]

    def __post_init__(self) -> None:
        lock_arrays((self.correct, self.majority, self.gains, self.folds))

    def to_frame(self) -> pd.DataFrame:
        """A row for each variable.

        Returns
        -------
        pandas.DataFrame
            With these columns; each but the first has a standard error, as `_error`:

            - variable.
            - accuracy: how often the most probable state given the neighbours is right.
            - majority: how often the most frequent state is.
            - normalised: (accuracy - majority) / (1 - majority). 1 if every row is predicted, 0 if
              the neighbours are of no use, below 0 if they mislead; nan if the most frequent
              state is always right.
            - gain: mean of ln Pr(observed state | neighbours) - ln Pr(observed state), in nats.

        Notes
        -----
        Standard errors take the fitted networks as given. That of `normalised`, a ratio of means,
        is by the delta method.
        """
        import pandas as pd

        rows = len(self.correct)
        missed, by_margin = ~self.correct, ~self.majority
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = missed.sum(axis=0) / by_margin.sum(axis=0)
            ratio = np.where(by_margin.any(axis=0), ratio, np.nan)
            off = _error(missed - ratio * by_margin) / (by_margin.sum(axis=0) / rows)
        return pd.DataFrame(
            {
                "variable": pd.Series(list(self.names), dtype=object),
                "accuracy": self.correct.mean(axis=0),
                "accuracy_error": _error(self.correct),
                "majority": self.majority.mean(axis=0),
                "majority_error": _error(self.majority),
                "normalised": 1 - ratio,
                "normalised_error": off,
                "gain": self.gains.mean(axis=0),
                "gain_error": _error(self.gains),
            }
        )


def predict_variables(
    data: DataLike,
    candidate: Graph | GraphLearner,
    folds: int = 5,
    seed: Seed = 0,
    *,
    progress: Progress = UNWATCHED,
    **options: Any,
) -> Predictability:
    """Predict each variable from its neighbours, in rows that were not learned from.

    Parameters
    ----------
    candidate : callable(Dataset) or networkx.Graph
        Learns a graph from the rows it is given and returns it or a SearchTrace, as `bjp.learn`
        does; or a graph that is known. A graph that was learned from the same rows has seen what
        it predicts, and looks better than it is.
    folds : int
        2 to N parts of nearly equal size; each is predicted from all others.

    Examples
    --------
    >>> from bjp_engine import Dataset
    >>> from bjp_engine.parameters import predict_variables
    >>> from bjp_engine import learn
    >>> data = Dataset.from_codes([[0, 0, 0], [1, 1, 0], [1, 1, 1]] * 40)
    >>> found = predict_variables(data, learn).to_frame()
    >>> found["normalised"].round(1).tolist()
    [1.0, 1.0, -0.1]

    Notes
    -----
    The normalised accuracy is that of Haslbeck & Waldorp (2018), who take it on the rows that were
    fitted; here rows are held out, so it can be negative. A variable can have neighbours and
    the normalised accuracy 0: they change its probabilities, but never its most probable state. The
    gain shows this. Being well predicted is no sign of a cause (docs/theory.md §11).
    """
    check_progress(progress)
    data = as_dataset(data)
    check_fit_options(options)
    check_folds(folds, data.rows)
    learner = learner_of(candidate, data, "candidate")
    dealt = deal_rows(data.rows, folds, seed)
    shape = data.codes.shape
    correct, majority = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
    gains, graphs = np.zeros(shape), []
    for k in range(folds):
        progress.tick(k, folds)
        train, test = data.take(dealt != k), data.take(dealt == k)
        graphs.append(learner(train))
        progress.tick()
        network, margins = (
            fit_parameters(train, graph, progress=progress.quiet, **options)
            for graph in (graphs[-1], nx.Graph())
        )
        found = _predicted(network, margins, test)
        correct[dealt == k], majority[dealt == k], gains[dealt == k] = found
    progress.finish(folds)
    return Predictability(data.names, correct, majority, gains, dealt, tuple(graphs))


def _predicted(
    network: FittedNetwork, margins: FittedNetwork, test: Dataset
) -> tuple[Bools, Bools, Floats]:
    """Of each cell of a table: right by its neighbours, right by the margin, and the gain."""
    alone = ~to_adjacency(network.graph, test).any(axis=0)
    right = [
        np.column_stack([one.conditional(test, name).argmax(axis=1) for name in test.names])
        == test.codes
        for one in (network, margins)
    ]
    gains = network.log_conditional(test) - margins.log_conditional(test)
    # Without neighbours both sides are the same margin, whatever two fits make of it.
    right[0][:, alone], gains[:, alone] = right[1][:, alone], 0
    return right[0], right[1], gains


def _error(values: Bools | Floats) -> Floats:
    """The standard error of the mean of each column; nan for a single row."""
    rows = len(values)
    if rows < 2:
        return np.full(values.shape[1], math.nan)
    return np.asarray(values.std(axis=0, ddof=1) / math.sqrt(rows))
