"""How well each variable's neighbours predict it in unseen rows (docs/theory/stability.md).

For each fold of rows the graph is learned and its parameters are fitted without the fold; then the
fold is predicted. Of one variable, a network without edges predicts it from the margins.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

import networkx as nx
import numpy as np

from bjp_engine.arrays import Bools, Floats, Places
from bjp_engine.dataset import DataLike, Dataset, as_dataset
from bjp_engine.errors import DataError
from bjp_engine.graph import on_names, to_adjacency
from bjp_engine.parameters.fit import fit_parameters
from bjp_engine.parameters.network import FittedNetwork
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.search.trace import SearchTrace
from bjp_engine.validate import Seed, whole_number, whole_seed

if TYPE_CHECKING:
    import pandas as pd

Graph: TypeAlias = "nx.Graph[Any]"
GraphLearner: TypeAlias = "Callable[[Dataset], Graph | SearchTrace]"


def deal_rows(rows: int, folds: int, seed: Seed) -> Places:
    """The fold of each row: as even as can be, in random order."""
    if rows < 2:
        raise DataError("The data have fewer than two rows, which make no folds; give more rows.")
    whole_number(folds, "folds", 2, rows)
    return np.random.default_rng(whole_seed(seed)).permutation(np.arange(rows) % folds)


def predict_variables(
    data: DataLike,
    candidate: Graph | GraphLearner,
    folds: int = 5,
    seed: Seed = 0,
    *,
    progress: Progress = UNWATCHED,
    **options: Any,
) -> pd.DataFrame:
    """Predict each variable from its neighbours, in rows that were not learned from.

    Parameters
    ----------
    candidate : callable(Dataset) or networkx.Graph
        Learns a graph from the rows it is given and returns it or a SearchTrace, as `bjp.learn`
        does; or a graph. One that was learned from the same rows looks better than it is.
    folds : int
        2 to N parts of nearly equal size; each is predicted from all others.
    **options
        As of `fit_parameters`.

    Returns
    -------
    pandas.DataFrame
        A row for each variable; of each number a column, and one of its standard error, `_error`:

        - accuracy: how often the most probable state given the neighbours is right.
        - majority: how often the most frequent state is.
        - normalised: (accuracy - majority) / (1 - majority); below 0 if neighbours mislead, nan if
          the most frequent state is always right.
        - gain: mean of ln Pr(observed state | neighbours) - ln Pr(observed state), in nats; 0
          without neighbours.

    Examples
    --------
    >>> from bjp_engine import learn
    >>> from bjp_engine.parameters import predict_variables
    >>> found = predict_variables([[0, 0, 0], [1, 1, 0], [1, 1, 1]] * 40, learn)
    >>> found["normalised"].round(1).tolist()
    [1.0, 1.0, -0.1]

    Notes
    -----
    The normalised accuracy is that of Haslbeck & Waldorp (2018), of held-out rows. It is 0 where
    neighbours change a variable's probabilities, but never its most probable state. The gain shows
    this, and its sum over the variables compares graphs. Standard errors take the fitted networks
    as given; that of `normalised` is by the delta method.
    """
    import pandas as pd

    check_progress(progress)
    data = as_dataset(data)
    dealt = deal_rows(data.rows, folds, seed)
    # The edges of a graph can be called, too.
    learner = candidate if callable(candidate) and not isinstance(candidate, Iterable) else None
    found: Any = None if learner else on_names(candidate, data.names)
    missed, by_margin = np.zeros((2, *data.codes.shape), dtype=np.bool_)
    gains, how = np.zeros(data.codes.shape), {**options, "progress": progress.quiet}
    for k in range(folds):
        progress.tick(k, folds)
        train, test, held = data.take(dealt != k), data.take(dealt == k), dealt == k
        margins = fit_parameters(train, nx.Graph(), **how)
        if learner:
            found = learner(train)
        graph = found.graph if isinstance(found, SearchTrace) else found
        network = fit_parameters(train, graph, **how)
        missed[held], by_margin[held], gains[held] = _predict(network, margins, test)
    progress.finish(folds)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = missed.sum(axis=0) / by_margin.sum(axis=0)
        ratio = np.where(by_margin.any(axis=0), ratio, np.nan)
        off = _error(missed - ratio * by_margin) / (by_margin.sum(axis=0) / data.rows)
    table: dict[str, Any] = {"variable": pd.Series(list(data.names), dtype=object)}
    for name, mean, error in (
        ("accuracy", (~missed).mean(axis=0), _error(~missed)),
        ("majority", (~by_margin).mean(axis=0), _error(~by_margin)),
        ("normalised", 1 - ratio, off),
        ("gain", gains.mean(axis=0), _error(gains)),
    ):
        table |= {name: mean, f"{name}_error": error}
    return pd.DataFrame(table)


def _predict(
    network: FittedNetwork, margins: FittedNetwork, test: Dataset
) -> tuple[Bools, Bools, Floats]:
    """Of each cell of a table: missed by its neighbours, missed by the margin, and the gain."""
    alone = ~to_adjacency(network.graph, test).any(axis=0)
    missed, by_margin = (
        np.column_stack([one.conditional(test, name).argmax(axis=1) for name in test.names])
        != test.codes
        for one in (network, margins)
    )
    gains = network.log_conditional(test) - margins.log_conditional(test)
    # Without neighbours both sides are the same margin, whatever two fits make of it.
    missed[:, alone], gains[:, alone] = by_margin[:, alone], 0
    return missed, by_margin, gains


def _error(values: Bools | Floats) -> Floats:
    """The standard error of the mean of each column."""
    return np.asarray(values.std(axis=0, ddof=1) / math.sqrt(len(values)))
