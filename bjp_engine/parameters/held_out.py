"""One graph, some rows to fit and others to predict."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import networkx as nx
import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.dataset import Dataset, check_dataset
from bjp_engine.errors import DataError, OptionError, clip, is_number
from bjp_engine.graph import to_adjacency
from bjp_engine.parameters.fit import fit_parameters
from bjp_engine.parameters.held_out_tables import log_conditional
from bjp_engine.parameters.network import FittedNetwork

Model = Literal["network", "tables"]


@dataclass(frozen=True, eq=False, slots=True)
class HeldOut:
    """The log pseudo-likelihood of rows that were not fitted.

    Parameters
    ----------
    values : ndarray of float, shape (N,)
        Σ_i ln Pr(x_i | all other variables) of each row, natural log; read-only.
    """

    values: Floats

    def __post_init__(self) -> None:
        """Take a copy that nobody can write to."""
        values = np.array(self.values, dtype=np.float64)
        values.setflags(write=False)
        object.__setattr__(self, "values", values)

    @property
    def mean(self) -> float:
        """For one row."""
        return float(self.values.mean())

    @property
    def error(self) -> float:
        """The standard error of the mean, for rows drawn anew; nan for a single row."""
        return standard_error(self.values)


def pseudo_log_likelihood(network: FittedNetwork, data: Dataset) -> float:
    """The mean over rows of Σ_i ln Pr(x_i | all other variables of the row).

    Parameters
    ----------
    network : FittedNetwork
    data : Dataset
        At least one row of the network's variables, with the same states.

    Returns
    -------
    float
        For one row, natural log.

    Raises
    ------
    DataError
        If there is no row, or the data have other variables or states.

    Examples
    --------
    >>> data = Dataset.from_codes([[0, 0], [0, 0], [1, 1], [0, 1]] * 25)
    >>> network = fit_parameters(data, nx.Graph([(0, 1)]), "likelihood")
    >>> round(pseudo_log_likelihood(network, data), 4)
    -0.8289
    """
    if not isinstance(network, FittedNetwork):
        raise OptionError(
            f"network is of type {type(network).__name__}; make one with fit_parameters."
        )
    return network.pseudo_log_likelihood(data)


def held_out(
    graph: nx.Graph[Any],
    train: Dataset,
    test: Dataset,
    model: Model = "network",
    **options: Any,
) -> HeldOut:
    """Fit a graph's parameters to some rows and predict others.

    Parameters
    ----------
    graph : networkx.Graph
        On the variables' names (or indices).
    train, test : Dataset
        With the same variables and states, as `Dataset.take` gives them.
    model : {"network", "tables"}
        The Markov network with a factor for each clique; or each variable's distribution given
        its blanket as a table of its own, with MPL's Dirichlet prior.
    **options
        Of `fit_parameters` (`estimate`, `factors`, `ess`, `ridge`, `watching`); `ess` only for
        tables.

    Returns
    -------
    HeldOut

    Raises
    ------
    DataError
        If a table has no row, or the two have other variables or states.
    OptionError
        If the model or an option is not known or out of range.
    GraphError
        If the graph doesn't fit the data.

    Examples
    --------
    >>> data = Dataset.from_codes([[0, 0], [0, 0], [1, 1], [0, 1]] * 25)
    >>> train, test = data.take(range(50)), data.take(range(50, 100))
    >>> joined = held_out(nx.Graph([(0, 1)]), train, test)
    >>> apart = held_out(nx.empty_graph(2), train, test)
    >>> joined.mean > apart.mean
    True

    Notes
    -----
    The network is the one by which to compare structures. Tables are quick and need no optimiser,
    but a hub's table has a row for each configuration of its neighbours, whatever the graph says
    about those, so the true graph of a hub predicts badly unless there are very many rows.

    Maximum pseudo-likelihood, the default of `fit_parameters`, can be had for every graph, so it is
    structures that are compared and not ways of fitting; and it maximises, on the rows that are
    fitted, the very measure that is taken on the others.
    """
    check_dataset(train)
    check_dataset(test)
    if not (train.rows and test.rows):
        raise DataError("A table to fit or to predict has no row; give each at least one.")
    if model == "network":
        network = fit_parameters(train, graph, **options)
        return HeldOut(network.log_conditional(test).sum(axis=1))
    if model != "tables":
        raise OptionError(f"model={clip(model)} is not known; use 'network' or 'tables'.")
    if (train.names, train.labels) != (test.names, test.labels):
        raise DataError(
            "The two tables have other variables or states; take both from one Dataset "
            "(Dataset.take)."
        )
    adjacency = to_adjacency(graph, train)
    return HeldOut(log_conditional(train, test, adjacency, _weight(options)).sum(axis=1))


def _weight(options: dict[str, Any]) -> float:
    """The one option of tables."""
    others = sorted(set(options) - {"ess"})
    ess = options.get("ess", 1.0)
    if others:
        raise OptionError(f"There is no option {clip(others[0])} for model='tables'; it takes ess.")
    if not (is_number(ess) and 1e-100 <= ess <= 1e100):
        raise OptionError(f"ess={clip(ess)} must be a positive number.")
    return float(ess)


def standard_error(values: Floats) -> float:
    """Of the mean of independent values."""
    return float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan
