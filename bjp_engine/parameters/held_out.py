"""How well structures predict unseen rows: one graph, or several on the same folds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats, Places
from bjp_engine.dataset import DataLike, Dataset, as_dataset
from bjp_engine.errors import DataError, GraphError, OptionError, clip
from bjp_engine.graph import GraphLike, to_adjacency, to_graph
from bjp_engine.parameters.fit import fit_parameters
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import record
from bjp_engine.search.trace import SearchTrace
from bjp_engine.validate import Seed, seed_sequence, whole_number

Graph: TypeAlias = "nx.Graph[Any]"
Learner: TypeAlias = "Callable[[Dataset], Graph | SearchTrace]"
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
    candidates: Mapping[str, Graph | Learner],
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
