"""A graph with its parameters: the record that gives probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats, blocks
from bjp_engine.dataset import DataLike, Dataset, Name, as_dataset
from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.parameters.elimination import log_sum
from bjp_engine.records import FrozenMapping, record
from bjp_engine.sampling import MarkovModel

Fitting = Literal["closed-form", "scaling", "pseudo-likelihood"]


def recode(data: Dataset, labels: Sequence[tuple[str, ...]]) -> Dataset:
    """The same rows by states that are known already, found by their text."""
    codes = np.empty(data.codes.shape, dtype=np.int64)
    for i, (name, given, known) in enumerate(zip(data.names, data.labels, labels, strict=True)):
        place = {label: k for k, label in enumerate(known)}
        codes[:, i] = np.array([place.get(label, -1) for label in given])[data.codes[:, i]]
        if (codes[:, i] < 0).any():
            raise DataError(unknown_state(name, given[data.codes[codes[:, i].argmin(), i]]))
    return Dataset.from_codes(codes, [*map(len, labels)], data.names, labels)


def unknown_state(name: Name, state: object) -> str:
    """Say that a state was never declared."""
    return (
        f"Column {clip(name)} holds {clip(state)}, which is not one of its states; declare all "
        "states beforehand, as categories=[...] or as pandas Categorical columns."
    )


@record
@dataclass(frozen=True, eq=False, slots=True)
class FittedNetwork:
    """A Markov network with parameters, Pr(x) = Π_C φ_C(x_C) / Z.

    Parameters
    ----------
    graph : networkx.Graph
        Frozen, with every variable as a node.
    model : MarkovModel
        Names, numbers of states and factors; it also samples.
    labels : tuple of tuple of str
        The text of each state.
    fitting : {"closed-form", "scaling", "pseudo-likelihood"}
        How the factors were found: maximum likelihood in closed form or by iterative
        proportional fitting, or maximum pseudo-likelihood.
    scopes : {"cliques", "edges"}
        What has a factor: each maximal clique; or each edge, and each variable without one.
    rows : int
        N of the data that it was fitted to.
    smoothing : float
        `ess` of maximum likelihood, `ridge` of maximum pseudo-likelihood.
    converged : bool
    iterations : int
        Sweeps, or steps of the optimiser.
    residual : float
        What should be 0 at the maximum: the largest distance of a margin from its target, or
        the length of the gradient, each for one row.
    log_partition : float or None
        ln Z; None where exact inference is out of reach.

    Notes
    -----
    Built with `fit_parameters`.
    """

    graph: nx.Graph[Name]
    model: MarkovModel
    labels: tuple[tuple[str, ...], ...]
    fitting: Fitting
    scopes: Literal["cliques", "edges"]
    rows: int
    smoothing: float
    converged: bool
    iterations: int
    residual: float
    log_partition: float | None

    @property
    def names(self) -> tuple[Name, ...]:
        """The variables."""
        return self.model.names

    @property
    def factors(self) -> FrozenMapping[tuple[Name, ...], Floats]:
        """ln φ_C by the names of C in column order; an axis of length r_i for each, read-only."""
        return FrozenMapping(
            {
                tuple(self.names[i] for i in factor.variables): factor.log_table
                for factor in self.model.factors
            }
        )

    @property
    def weights(self) -> int:
        """How many numbers the factors hold."""
        return sum(factor.log_table.size for factor in self.model.factors)

    def conditional(self, data: DataLike, variable: Name) -> Floats:
        """The probabilities of one variable's states, given the other variables of each row.

        Parameters
        ----------
        data : Dataset, DataFrame or array
            N rows of the same variables; what it says of `variable` is not looked at.
        variable : str or int
            Its name, or its position among this network's.

        Returns
        -------
        ndarray of float, shape (N, r)
            Each row sums to 1.

        Raises
        ------
        DataError
            If the data have other variables or states.
        """
        same = self._matched(data)
        return np.exp(self._log_states(same.codes, same.index(variable)))

    def log_conditional(self, data: DataLike) -> Floats:
        """ln Pr(x_i | all other variables of the row), for every cell of a table.

        Parameters
        ----------
        data : Dataset, DataFrame or array
            N rows of the same variables, with the same states.

        Returns
        -------
        ndarray of float, shape (N, n)
            Natural logs, all finite.

        Raises
        ------
        DataError
            If the data have other variables or states.
        """
        codes = self._matched(data).codes
        found = np.empty(codes.shape, order="F")
        for i, r in enumerate(self.model.cardinalities):
            for block in blocks(len(codes), r):
                states = self._log_states(codes[block], i)
                found[block, i] = states[np.arange(len(states)), codes[block, i]]
        return found

    def pseudo_log_likelihood(self, data: DataLike) -> float:
        """The mean over rows of Σ_i ln Pr(x_i | all other variables of the row).

        Parameters
        ----------
        data : Dataset, DataFrame or array
            At least one row of the same variables, with the same states.

        Returns
        -------
        float
            For one row, natural log.

        Raises
        ------
        DataError
            If there is no row, or the data have other variables or states.
        """
        of_rows = self.log_conditional(data).sum(axis=1)
        if not len(of_rows):
            raise DataError("The data have no row, so there is no mean; give at least one.")
        return float(of_rows.mean())

    def log_probability(self, data: DataLike) -> Floats:
        """ln Pr(x) of each row.

        Parameters
        ----------
        data : Dataset, DataFrame or array
            N rows of the same variables, with the same states.

        Returns
        -------
        ndarray of float, shape (N,)

        Raises
        ------
        OptionError
            If Z is not known, because exact inference is out of reach.
        DataError
            If the data have other variables or states.
        """
        if self.log_partition is None:
            raise OptionError(
                "The graph is too dense to sum over all joint states, so a row's probability is "
                "not known; log_conditional and pseudo_log_likelihood need no such sum."
            )
        return self.model.log_weight(self._matched(data).codes) - self.log_partition

    def to_pgmpy(self) -> Any:
        """The same network for pgmpy.

        Returns
        -------
        pgmpy.models.DiscreteMarkovNetwork
            With the states' labels; the product of its factors is Pr(x) itself where Z is known.

        Raises
        ------
        OptionError
            If pgmpy is not installed.

        Notes
        -----
        pgmpy does not normalise what it is asked of a Markov network: with evidence it answers
        Pr(query, evidence), and `answer.normalize(inplace=False)` is Pr(query | evidence).
        """
        try:
            from pgmpy.factors.discrete import DiscreteFactor
            from pgmpy.models import DiscreteMarkovNetwork
        except ImportError:
            raise OptionError(
                "to_pgmpy needs pgmpy, which is not installed; "
                "install it with pip install 'bjp-explorer[pgmpy]'."
            ) from None
        labels = dict(zip(self.names, self.labels, strict=True))
        network = DiscreteMarkovNetwork()
        network.add_nodes_from(self.graph.nodes)
        network.add_edges_from(self.graph.edges)
        for members, values in self.potentials().items():
            states = {name: list(labels[name]) for name in members}
            network.add_factors(DiscreteFactor(list(members), list(values.shape), values, states))
        return network

    def potentials(self) -> dict[tuple[Name, ...], Floats]:
        """The factors as positive numbers, none too large for a double.

        Returns
        -------
        dict
            φ_C by the names of C, scaled so that Π_C φ_C(x_C) is Pr(x) itself where Z is known.
        """
        tables = self.factors
        tops = {members: float(log_table.max()) for members, log_table in tables.items()}
        # Divided by its largest entry no factor overflows; the rest of Z is shared out evenly.
        shift = 0.0
        if self.log_partition is not None:
            shift = (math.fsum(tops.values()) - self.log_partition) / len(tops)
        return {
            members: np.exp(log_table - tops[members] + shift)
            for members, log_table in tables.items()
        }

    def _matched(self, data: DataLike) -> Dataset:
        """The columns in this network's order; those of a frame or an array by its states."""
        given = as_dataset(data)
        strangers = [name for name in self.names if name not in given.names]
        if strangers or given.n != len(self.names):
            about = f"lack the variable {clip(strangers[0])}" if strangers else "have more columns"
            raise DataError(f"The data {about}; give the {len(self.names)} fitted variables.")
        same = given if given.names == self.names else given.select(self.names)
        if not isinstance(data, Dataset):
            return recode(same, self.labels)
        for name, labels, known in zip(self.names, same.labels, self.labels, strict=True):
            if labels != known:
                raise DataError(
                    f"Column {clip(name)} has other states than the fitted one; take both tables "
                    "from one Dataset (Dataset.take), or declare the same categories for both."
                )
        return same

    def _log_states(self, codes: NDArray[Any], i: int) -> Floats:
        """ln Pr(x_i = s | all others) of every state, shape (N, r_i)."""
        eta = np.zeros((len(codes), self.model.cardinalities[i]))
        for factor in self.model.factors:
            if i in factor.variables:
                table = np.moveaxis(factor.log_table, factor.variables.index(i), -1)
                eta += table[tuple(codes[:, j] for j in factor.variables if j != i)]
        return eta - log_sum(eta, 1)[:, None]
