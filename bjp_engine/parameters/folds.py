"""Several structures, or ways to learn one, on the same folds of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.dataset import Dataset, check_dataset
from bjp_engine.errors import OptionError, clip
from bjp_engine.graph import to_adjacency, to_graph
from bjp_engine.parameters.held_out import HeldOut, Model, held_out, standard_error
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.sampling._arguments import Seed, seed_sequence
from bjp_engine.search.base import SearchTrace

Graph: TypeAlias = "nx.Graph[Any]"
Learner: TypeAlias = "Callable[[Dataset], Graph | SearchTrace]"


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better the first of two candidates predicts.

    Parameters
    ----------
    mean : float
        Of the paired differences of all rows, first less second; natural log.
    error : float
        Its standard error over rows, the fitted networks taken as given.
    """

    mean: float
    error: float


@dataclass(frozen=True, eq=False, slots=True)
class Comparison:
    """What several candidates predicted of the same rows.

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
    folds: NDArray[np.intp]
    graphs: tuple[tuple[Graph, ...], ...]

    def __getitem__(self, name: str) -> HeldOut:
        """One candidate's rows."""
        return HeldOut(self.values[self._place(name)])

    @property
    def best(self) -> str:
        """The candidate with the highest mean, the first of equal ones."""
        return self.names[int(np.argmax(self.values.mean(axis=1)))]

    def difference(self, first: str, second: str) -> Difference:
        """The paired difference of two candidates, row by row.

        Parameters
        ----------
        first, second : str

        Returns
        -------
        Difference

        Raises
        ------
        OptionError
            If there is no such candidate.
        """
        paired = self.values[self._place(first)] - self.values[self._place(second)]
        return Difference(float(paired.mean()), standard_error(paired))

    def _place(self, name: str) -> int:
        """Where a candidate stands."""
        if name not in self.names:
            known = ", ".join(map(clip, self.names))
            raise OptionError(f"There is no candidate {clip(name)}; there are {known}.")
        return self.names.index(name)


def cross_validate(
    data: Dataset,
    candidates: Mapping[str, Graph | Learner],
    folds: int = 5,
    seed: Seed = 0,
    *,
    model: Model = "network",
    watching: Progress = UNWATCHED,
    **options: Any,
) -> Comparison:
    """Compare structures by how well they predict rows they have not seen.

    Parameters
    ----------
    data : Dataset
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
    watching : Progress
        Told after each fold of each candidate, and asked whether to go on.
    **options
        See `held_out`.

    Returns
    -------
    Comparison

    Raises
    ------
    OptionError
        If folds, model or an option is out of range or not known, or there is no candidate.
    DataError, GraphError
        If a graph doesn't fit the data, or what a learner needs is missing.
    Cancelled
        If the watch asked to stop.

    Examples
    --------
    >>> data = Dataset.from_codes([[0, 0], [0, 0], [1, 1], [0, 1]] * 25)
    >>> found = cross_validate(data, {"joined": nx.Graph([(0, 1)]), "apart": nx.empty_graph(2)})
    >>> found.best, found.difference("joined", "apart").mean > 0
    ('joined', True)
    """
    check_dataset(data)
    dealt = _dealt(data, folds, seed)
    if not (isinstance(candidates, Mapping) and candidates):
        raise OptionError("candidates names nothing to compare; give a dict of graphs or learners.")
    parts = [(data.take(dealt != k), data.take(dealt == k)) for k in range(folds)]
    graphs: list[tuple[Graph, ...]] = []
    for name, candidate in candidates.items():
        watching.tick()
        graphs.append(tuple(_graph_of(candidate, train, name) for train, _ in parts))
    if model == "network":
        options = {"watching": watching} | options
    values = np.empty((len(graphs), data.rows))
    for place, of_folds in enumerate(graphs):
        for k, (graph, part) in enumerate(zip(of_folds, parts, strict=True)):
            values[place, dealt == k] = held_out(graph, *part, model, **options).values
            watching.tick(place * folds + k + 1, len(graphs) * folds)
    for array in (values, dealt):
        array.setflags(write=False)
    names = tuple(map(str, candidates))
    return Comparison(names, values, dealt, tuple(graphs))


def _dealt(data: Dataset, folds: int, seed: Seed) -> NDArray[np.intp]:
    """The fold of each row: as even as can be, in random order."""
    if isinstance(folds, bool) or not isinstance(folds, int) or not 2 <= folds <= data.rows:
        raise OptionError(
            f"folds={clip(folds)} must be a whole number from 2 to {data.rows}, the rows."
        )
    return np.random.default_rng(seed_sequence(seed)).permutation(np.arange(data.rows) % folds)


def _graph_of(candidate: Graph | Learner, train: Dataset, name: str) -> Graph:
    """The graph of a candidate for some rows to learn from, frozen."""
    found = candidate if isinstance(candidate, nx.Graph) else None
    if callable(candidate) and found is None:
        learned = candidate(train)
        found = learned.graph if isinstance(learned, SearchTrace) else learned
    if not isinstance(found, nx.Graph):
        raise OptionError(
            f"The candidate {clip(name)} is neither a graph nor a function that returns one."
        )
    return to_graph(to_adjacency(found, train), train.names, frozen=True)
