"""From a graph and data to a network with parameters: on which factors, by which fitting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, get_args

import networkx as nx
import numpy as np

from bjp_engine.dataset import DataLike, Dataset, as_dataset
from bjp_engine.errors import OptionError
from bjp_engine.graph import Adjacency, GraphLike, pairs, to_adjacency, to_graph
from bjp_engine.parameters.likelihood import TOLERANCE, fit_by_scaling, fit_chordal
from bjp_engine.parameters.network import FittedNetwork, Fitting
from bjp_engine.parameters.pseudo import fit_by_pseudo_likelihood
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.sampling import Factor, MarkovModel
from bjp_engine.sampling.elimination import Scope, eliminate, maximal_cliques
from bjp_engine.validate import choice, positive_number

Factors = Literal["auto", "cliques", "edges"]

# 2 MB of weights: with more than that, cliques are broken into their edges.
MOST_BY_CLIQUE = 1 << 18
# 128 MB: with more than that nothing is fitted.
MOST_WEIGHTS = 1 << 24


def scopes_of(
    adjacency: Adjacency, cardinalities: Sequence[int], factors: Factors = "auto"
) -> tuple[tuple[Scope, ...], Literal["cliques", "edges"]]:
    """The sets of variables that get a factor each."""
    choice(factors, "factors", get_args(Factors))
    if factors != "edges":
        most = MOST_BY_CLIQUE if factors == "auto" else MOST_WEIGHTS
        cliques = maximal_cliques(nx.from_numpy_array(adjacency), cardinalities, most)
        if cliques is not None:
            return cliques, "cliques"
        if factors == "cliques":
            raise OptionError(
                f"The tables of the graph's cliques hold more than {MOST_WEIGHTS} weights; "
                "use factors='edges', or a graph with fewer edges."
            )
    return _edges(adjacency, cardinalities), "edges"


def _edges(adjacency: Adjacency, cardinalities: Sequence[int]) -> tuple[Scope, ...]:
    """The edges, and the variables that have none."""
    alone: list[Scope] = [(int(i),) for i in np.flatnonzero(~adjacency.any(axis=1))]
    scopes = sorted([*pairs(adjacency), *alone])
    if sum(math.prod(cardinalities[i] for i in scope) for scope in scopes) > MOST_WEIGHTS:
        raise OptionError(
            f"The tables of the graph's edges hold more than {MOST_WEIGHTS} weights; "
            "use a graph with fewer edges, or variables with fewer states."
        )
    return tuple(scopes)


Estimate = Literal["pseudo-likelihood", "likelihood", "auto"]


def fit_parameters(
    data: DataLike,
    graph: GraphLike,
    estimate: Estimate = "pseudo-likelihood",
    *,
    factors: Factors = "auto",
    ess: float = 1.0,
    ridge: float = 1.0,
    progress: Progress = UNWATCHED,
) -> FittedNetwork:
    """Fit the parameters of a Markov network to data.

    Parameters
    ----------
    estimate : {"pseudo-likelihood", "likelihood", "auto"}
        Maximum pseudo-likelihood, for any graph; maximum likelihood, where the tables of exact
        inference hold at most 2^20 cells; or the second where it can be had and the first
        elsewhere.
    factors : {"auto", "cliques", "edges"}
        What gets a factor: every maximal clique, so that every positive distribution with this
        Markov network can be reached; every edge, and every variable without one; or, with
        "auto", cliques where their tables hold at most 2^18 weights together, else edges.
    ess : float
        Positive. For maximum likelihood: rows spread evenly over all joint states that are
        added to the data, so that no probability is 0.
    ridge : float
        Positive. For maximum pseudo-likelihood, to the same end: ridge / 2 times the sum of the
        squared log potentials is taken off.

    Examples
    --------
    >>> import networkx as nx
    >>> from bjp_engine import fit_parameters
    >>> from bjp_engine import Dataset
    >>> data = Dataset.from_codes([[0, 0], [0, 0], [1, 1], [0, 1]] * 25)
    >>> network = fit_parameters(data, nx.Graph([(0, 1)]), "likelihood")
    >>> network.fitting, network.conditional(data.take([0]), 1).round(3).tolist()
    ('closed-form', [[0.666, 0.334]])

    Notes
    -----
    With maximum likelihood the margins of every factor's variables are the (smoothed) frequencies
    of the data; a chordal graph has it in closed form. Where cells are few to the weights,
    maximum pseudo-likelihood with its ridge predicts better, see docs/theory.md §11. The modules of
    `bjp_engine.parameters` cite the methods.
    """
    check_progress(progress)
    data = as_dataset(data)
    return fit_within(data, graph, estimate, progress, TOLERANCE, factors, (ess, ridge))


def fit_within(
    data: Dataset,
    graph: GraphLike,
    estimate: Estimate,
    progress: Progress,
    tolerance: float,
    factors: Factors = "auto",
    smoothing: tuple[float, float] = (1.0, 1.0),
) -> FittedNetwork:
    """The parameters, where the likelihood is maximised by sweeps to a tolerance."""
    ess, ridge = smoothing
    choice(estimate, "estimate", get_args(Estimate))
    ess = positive_number(ess, "ess", bounded=True)
    ridge = positive_number(ridge, "ridge", bounded=True)
    adjacency = to_adjacency(graph, data)
    scopes, chosen = scopes_of(adjacency, data.cardinalities, factors)
    tree = eliminate(adjacency, data.cardinalities)
    if tree is None and estimate == "likelihood":
        raise OptionError(
            "The graph is too dense for maximum likelihood; use estimate='pseudo-likelihood'."
        )
    if tree is None or estimate == "pseudo-likelihood":
        fitting: Fitting = "pseudo-likelihood"
        fit, added = fit_by_pseudo_likelihood(data, scopes, ridge, progress), ridge
    else:
        closed = tree.fill == 0 and (chosen == "cliques" or max(map(len, tree.cliques)) <= 2)
        fitting, added = "closed-form" if closed else "scaling", ess
        fit = (
            fit_chordal(data, scopes, tree, ess, progress)
            if closed
            else fit_by_scaling(data, scopes, tree, ess, progress, tolerance)
        )
    tables = tuple(map(Factor, scopes, fit.log_tables))
    return FittedNetwork(
        graph=to_graph(adjacency, data.names, frozen=True),
        model=MarkovModel(data.names, data.cardinalities, tables),
        labels=data.labels,
        fitting=fitting,
        scopes=chosen,
        rows=data.rows,
        smoothing=added,
        converged=fit.converged,
        iterations=fit.iterations,
        residual=fit.residual,
        log_partition=None if tree is None else tree.log_partition(tables),
        data=data,
    )
