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
from typing import TYPE_CHECKING, Any, TypeAlias

import networkx as nx
import numpy as np

from bjp_engine.arrays import Bools, Floats, Places
from bjp_engine.dataset import DataLike, Dataset, as_dataset
from bjp_engine.errors import DataError, GraphError, OptionError, clip
from bjp_engine.graph import to_adjacency, to_graph
from bjp_engine.parameters.fit import fit_parameters
from bjp_engine.parameters.network import FittedNetwork
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.search.trace import SearchTrace
from bjp_engine.validate import Seed, whole_number, whole_seed

if TYPE_CHECKING:
    import pandas as pd

Graph: TypeAlias = "nx.Graph[Any]"
GraphLearner: TypeAlias = "Callable[[Dataset], Graph | SearchTrace]"
_FIT_OPTIONS = ("estimate", "ess", "ridge")


def cross_validate(
    data: DataLike,
    candidates: Mapping[str, Graph | GraphLearner],
    folds: int = 5,
    seed: Seed = 0,
    *,
    progress: Progress = UNWATCHED,
    **options: Any,
) -> pd.DataFrame:
    """Compare structures by how well they predict rows they have not seen.

    Parameters
    ----------
    candidates : mapping of str to networkx.Graph or callable(Dataset)
        Graphs, or functions that learn one from the rows they are given and return it or a
        SearchTrace.
    folds : int
        2 to N parts of nearly equal size; each is predicted from all others.

    Returns
    -------
    pandas.DataFrame
        A row for each of the data and a column for each candidate: Σ_i ln Pr(x_i | all other
        variables), natural log, by the network that was learned and fitted without its fold.

    Examples
    --------
    >>> import networkx as nx
    >>> from bjp_engine import Dataset
    >>> from bjp_engine.parameters import cross_validate
    >>> data = Dataset.from_codes([[0, 0], [0, 0], [1, 1], [0, 1]] * 25)
    >>> found = cross_validate(data, {"joined": nx.Graph([(0, 1)]), "apart": nx.empty_graph(2)})
    >>> found.mean().idxmax()
    'joined'
    >>> gain = found["joined"] - found["apart"]
    >>> f"{gain.mean():.2f} ± {gain.sem():.2f}"
    '0.41 ± 0.08'

    Notes
    -----
    The standard error of a mean takes the fitted networks as given.
    """
    import pandas as pd

    data, dealt = _dealt(data, folds, seed, options, progress)
    if not (isinstance(candidates, Mapping) and candidates):
        raise OptionError("candidates names nothing to compare; give a dict of graphs or learners.")
    values = {name: np.empty(data.rows) for name in candidates}
    for place, (name, candidate) in enumerate(candidates.items()):
        learner = learner_of(candidate, data, f"The candidate {clip(name)}")
        for k in range(folds):
            progress.tick()
            train, test = data.take(dealt != k), data.take(dealt == k)
            network = fit_parameters(train, learner(train), progress=progress.quiet, **options)
            values[name][dealt == k] = network.log_conditional(test).sum(axis=1)
            progress.tick(place * folds + k + 1, len(candidates) * folds)
    return pd.DataFrame(values)


def _dealt(
    data: DataLike, folds: int, seed: Seed, options: Mapping[str, Any], progress: Progress
) -> tuple[Dataset, Places]:
    """The rows with the fold of each; what `fit_parameters` has no option for is refused."""
    check_progress(progress)
    data = as_dataset(data)
    for name in options:
        if name not in _FIT_OPTIONS:
            raise OptionError(
                f"There is no option {clip(name)}; a network is fitted with "
                f"{', '.join(_FIT_OPTIONS)}."
            )
    return data, deal_rows(data.rows, folds, seed)


def deal_rows(rows: int, folds: int, seed: Seed) -> Places:
    """The fold of each row: as even as can be, in random order."""
    if rows < 2:
        raise DataError("The data have fewer than two rows, which make no folds; give more rows.")
    whole_number(folds, "folds", 2, rows)
    return np.random.default_rng(whole_seed(seed)).permutation(np.arange(rows) % folds)


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
        does; or a graph that is known. A graph that was learned from the same rows has seen what
        it predicts, and looks better than it is.
    folds : int
        2 to N parts of nearly equal size; each is predicted from all others.

    Returns
    -------
    pandas.DataFrame
        A row for each variable; of each number a column, and one of its standard error, `_error`:

        - accuracy: how often the most probable state given the neighbours is right.
        - majority: how often the most frequent state is.
        - normalised: (accuracy - majority) / (1 - majority). 1 if every row is predicted, 0 if the
          neighbours are of no use, below 0 if they mislead; nan if the most frequent state is
          always right.
        - gain: mean of ln Pr(observed state | neighbours) - ln Pr(observed state), in nats; 0
          without neighbours.

    Examples
    --------
    >>> from bjp_engine import Dataset
    >>> from bjp_engine.parameters import predict_variables
    >>> from bjp_engine import learn
    >>> data = Dataset.from_codes([[0, 0, 0], [1, 1, 0], [1, 1, 1]] * 40)
    >>> found = predict_variables(data, learn)
    >>> found["normalised"].round(1).tolist()
    [1.0, 1.0, -0.1]

    Notes
    -----
    The normalised accuracy is that of Haslbeck & Waldorp (2018), who take it on the rows that were
    fitted; here rows are held out, so it can be negative. A variable can have neighbours and
    the normalised accuracy 0: they change its probabilities, but never its most probable state. The
    gain shows this. Being well predicted is no sign of a cause (docs/theory.md §11). Standard
    errors take the fitted networks as given; that of `normalised` is by the delta method.
    """
    import pandas as pd

    data, dealt = _dealt(data, folds, seed, options, progress)
    learner = learner_of(candidate, data, "candidate")
    missed, by_margin = np.zeros((2, *data.codes.shape), dtype=np.bool_)
    gains = np.zeros(data.codes.shape)
    for k in range(folds):
        progress.tick(k, folds)
        train, test, held = data.take(dealt != k), data.take(dealt == k), dealt == k
        graph = learner(train)
        progress.tick()
        network, margins = (
            fit_parameters(train, one, progress=progress.quiet, **options)
            for one in (graph, nx.Graph())
        )
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
