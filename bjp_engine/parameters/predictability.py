"""How well each variable is predicted by its neighbours, on held-out rows (docs/theory.md §11).

In a fitted network Pr(x_i | all others) depends on the neighbours of i only. For each fold of rows
the graph is learned and its parameters are fitted without the fold; then the fold is predicted.
A network without edges, fitted to the same rows in the same way, predicts it from the margins.

References
----------
Haslbeck & Waldorp (2018), How well do network models predict observations?
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from bjp_engine.arrays import Bools, Floats, Places
from bjp_engine.dataset import DataLike, Dataset, Name, as_dataset
from bjp_engine.graph import to_adjacency
from bjp_engine.parameters.fit import fit_parameters
from bjp_engine.parameters.held_out import (
    Graph,
    Learner,
    check_fit_options,
    check_folds,
    deal_rows,
    learner_of,
)
from bjp_engine.parameters.network import FittedNetwork
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import lock_arrays, record
from bjp_engine.validate import Seed

if TYPE_CHECKING:
    import pandas as pd


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
    candidate: Graph | Learner,
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
