"""How well structures predict unseen rows: one graph, or several on the same folds.

With model="tables" each variable has a table of its own given its blanket, smoothed as MPL does:

    Pr(x_i = s | x_{B^i} = l) = (n_sl + ess / (r_i q_i)) / (n_l + ess / q_i)

with q_i configurations of the blanket, the mean of the posterior under MPL's Dirichlet prior
(Pensar et al. 2017).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats, Places, number_rows
from bjp_engine.dataset import DataLike, Dataset, as_dataset
from bjp_engine.errors import DataError, GraphError, OptionError, clip
from bjp_engine.graph import Adjacency, GraphLike, blanket, to_adjacency, to_graph
from bjp_engine.parameters.fit import fit_parameters
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import record
from bjp_engine.search.trace import SearchTrace
from bjp_engine.validate import Seed, choice, positive_number, seed_sequence, whole_number

Graph: TypeAlias = "nx.Graph[Any]"
Learner: TypeAlias = "Callable[[Dataset], Graph | SearchTrace]"
Model = Literal["network", "tables"]
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
    model: Model = "network",
    *,
    progress: Progress = UNWATCHED,
    **options: Any,
) -> HeldOut:
    """Fit a graph's parameters to some rows and predict others.

    Parameters
    ----------
    graph : networkx.Graph
        On the variables' names (or indices).
    train, test : Dataset, DataFrame or array
        With the same variables and states, as `Dataset.take` gives them.
    model : {"network", "tables"}
        The Markov network with a factor for each clique; or each variable's distribution given
        its blanket as a table of its own, with MPL's Dirichlet prior.
    **options
        Of `fit_parameters` (`estimate`, `factors`, `ess`, `ridge`); `ess` only for tables.

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

    Notes
    -----
    The network is the one by which to compare structures: by default it is fitted by maximum
    pseudo-likelihood, which can be had for every graph. Tables are quick, but a hub's table has a
    row for each configuration of its neighbours, so the true graph of a hub predicts badly unless
    there are very many rows.
    """
    check_progress(progress)
    train = as_dataset(train, "train")
    test = as_dataset(test, "test")
    if not (train.rows and test.rows):
        raise DataError("A table to fit or to predict has no row; give each at least one.")
    choice(model, "model", get_args(Model))
    if model == "network":
        check_fit_options(options)
        network = fit_parameters(train, graph, progress=progress, **options)
        return HeldOut(network.log_conditional(test).sum(axis=1))
    for name in options.keys() - {"ess"}:
        raise OptionError(f"There is no option {clip(name)} for model='tables'; it takes ess.")
    ess = positive_number(options.get("ess", 1.0), "ess", bounded=True)
    if (train.names, train.labels) != (test.names, test.labels):
        raise DataError(
            "The two tables have other variables or states; take both from one Dataset "
            "(Dataset.take)."
        )
    adjacency = to_adjacency(graph, train)
    return HeldOut(_log_conditional(train, test, adjacency, ess, progress).sum(axis=1))


def _log_conditional(
    train: Dataset, test: Dataset, adjacency: Adjacency, ess: float, progress: Progress
) -> Floats:
    """ln Pr(x_i | x_{B^i}) of every cell of a table, from the counts of another."""
    found = np.empty(test.codes.shape, order="F")
    for i, r in enumerate(test.cardinalities):
        progress.tick(i, test.n)
        members = blanket(adjacency, i)
        both = np.concatenate([train.codes[:, members], test.codes[:, members]])
        strata = number_rows(both, [train.cardinalities[j] for j in members])
        # q may be too large for a float.
        log_weight = math.log(ess) - sum(math.log(train.cardinalities[j]) for j in members)
        cells = strata * r + np.concatenate([train.codes[:, i], test.codes[:, i]])
        parts = (
            _log_counts(cells, train.rows, log_weight - math.log(r)),
            _log_counts(strata, train.rows, log_weight),
        )
        found[:, i] = parts[0] - parts[1]
    progress.finish(test.n)
    return found


def _log_counts(numbers: NDArray[Any], rows: int, log_weight: float) -> Floats:
    """ln(n + weight) for each row of the second table, n counted in the first."""
    _, dense = np.unique(numbers, return_inverse=True)
    counts = np.bincount(dense[:rows], minlength=int(dense.max(initial=0)) + 1)[dense[rows:]]
    logs = np.log(counts, out=np.full(len(counts), -np.inf), where=counts > 0)
    return np.asarray(np.logaddexp(logs, log_weight))


@record
@dataclass(frozen=True, eq=False, slots=True)
class Comparison:
    """How well several candidates predict the same rows.

    Parameters
    ----------
    names : tuple of str
        The K candidates, in the order given.
    values : ndarray of float, shape (K, N)
        The log pseudo-likelihood of each row of the data, from networks that were learned and
        fitted without its fold; read-only.
    folds : ndarray of int, shape (N,)
        The fold of each row; read-only.
    graphs : tuple of tuple of networkx.Graph
        For each candidate the graph of each fold.
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

        Parameters
        ----------
        first, second : str
            The names of the candidates.

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
    candidates: Mapping[str, Graph | Learner],
    folds: int = 5,
    seed: Seed = 0,
    *,
    model: Model = "network",
    progress: Progress = UNWATCHED,
    **options: Any,
) -> Comparison:
    """Compare structures by how well they predict rows they have not seen.

    Parameters
    ----------
    data : Dataset, DataFrame or array
        N rows.
    candidates : mapping of str to networkx.Graph or callable(Dataset)
        Graphs, or functions that learn one from the rows they are given and return it or a
        SearchTrace.
    folds : int
        2 to N parts of nearly equal size; each is predicted from all others.
    seed : int or sequence of int
        Deals the rows out.
    model : {"network", "tables"}
        See `held_out`.
    **options
        See `held_out`.

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
            predicted = held_out(graph, *part, model, progress=progress.quiet, **options)
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
