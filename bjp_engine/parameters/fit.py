"""From a graph and data to a network with parameters: on which factors, by which fitting.

Maximum pseudo-likelihood, for any graph, is in `pseudo`. Maximum likelihood, where exact inference
is within reach, smooths the sample first: beside its N rows there are `ess` rows spread evenly over
all joint states, so the target of a set C of variables with |C| cells is

    t_C(x) = (n_C(x) + ess / |C|) / (N + ess).

These are the margins of one positive distribution, so the likelihood has one maximum, and no
probability is 0. At the maximum the margin of every factor's scope equals its target.

- Chordal graph, a factor for each maximal clique: p(x) = Π_v t(x_v | x_{S_v}), in closed form
  (Lauritzen 1996, section 4.4). With the hyper Dirichlet prior of weight `ess` it is the mean of
  the posterior (Dawid & Lauritzen 1993).
- Else iterative proportional fitting: a factor is multiplied by target over margin, one factor
  after another (Deming & Stephan 1940), on the tables of a junction tree whose root moves along
  (Jiroušek & Přeučil 1995).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Literal, get_args

import networkx as nx
import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.dataset import DataLike, Dataset, as_dataset
from bjp_engine.errors import OptionError
from bjp_engine.graph import Adjacency, GraphLike, pairs, to_adjacency, to_graph
from bjp_engine.parameters.network import FittedNetwork, Fitting
from bjp_engine.parameters.pseudo import Fit, fit_by_pseudo_likelihood
from bjp_engine.progress import UNWATCHED, Descent, Progress, check_progress
from bjp_engine.sampling import Factor, MarkovModel
from bjp_engine.sampling.elimination import (
    EliminationTree,
    Scope,
    axes_but,
    eliminate,
    maximal_cliques,
    spread,
)
from bjp_engine.validate import choice, positive_number

Estimate = Literal["pseudo-likelihood", "likelihood", "auto"]

# 2 MB of weights: with more than that, cliques are broken into their edges.
MOST_BY_CLIQUE = 1 << 18
# 128 MB: with more than that nothing is fitted.
MOST_WEIGHTS = 1 << 24
# Margins are met to this, a row in 10^8.
TOLERANCE = 1e-8
MOST_SWEEPS = 2000


def scopes_of(
    adjacency: Adjacency, cardinalities: Sequence[int]
) -> tuple[tuple[Scope, ...], Literal["cliques", "edges"]]:
    """The sets of variables that get a factor each."""
    cliques = maximal_cliques(nx.from_numpy_array(adjacency), cardinalities, MOST_BY_CLIQUE)
    if cliques is not None:
        return cliques, "cliques"
    alone: list[Scope] = [(int(i),) for i in np.flatnonzero(~adjacency.any(axis=1))]
    scopes = tuple(sorted([*pairs(adjacency), *alone]))
    if sum(math.prod(cardinalities[i] for i in scope) for scope in scopes) > MOST_WEIGHTS:
        raise OptionError(
            f"The tables of the graph's edges hold more than {MOST_WEIGHTS} weights; "
            "use a graph with fewer edges, or variables with fewer states."
        )
    return scopes, "edges"


def fit_parameters(
    data: DataLike,
    graph: GraphLike,
    estimate: Estimate = "pseudo-likelihood",
    *,
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
    of the data; a chordal graph has it in closed form. Factors are of maximal cliques, so that
    every positive distribution with this Markov network can be reached; where their tables would
    hold more than 2^18 weights, of edges. Where cells are few to the weights,
    maximum pseudo-likelihood with its ridge predicts better, see docs/theory.md §11. The modules of
    `bjp_engine.parameters` cite the methods.
    """
    check_progress(progress)
    data = as_dataset(data)
    return fit_within(data, graph, estimate, progress, TOLERANCE, ess, ridge)


def fit_within(
    data: Dataset,
    graph: GraphLike,
    estimate: Estimate,
    progress: Progress,
    tolerance: float,
    ess: float = 1.0,
    ridge: float = 1.0,
) -> FittedNetwork:
    """The parameters, where the likelihood is maximised by sweeps to a tolerance."""
    choice(estimate, "estimate", get_args(Estimate))
    ess = positive_number(ess, "ess", bounded=True)
    ridge = positive_number(ridge, "ridge", bounded=True)
    adjacency = to_adjacency(graph, data)
    scopes, chosen = scopes_of(adjacency, data.cardinalities)
    tree = eliminate(adjacency, data.cardinalities)
    if tree is None and estimate == "likelihood":
        raise OptionError(
            "The graph is too dense for maximum likelihood; use estimate='pseudo-likelihood'."
        )
    fitting: Fitting
    if tree is None or estimate == "pseudo-likelihood":
        fitting, fit = "pseudo-likelihood", fit_by_pseudo_likelihood(data, scopes, ridge, progress)
    elif tree.fill == 0 and (chosen == "cliques" or max(map(len, tree.cliques)) <= 2):
        fitting, fit = "closed-form", fit_chordal(data, scopes, tree, ess, progress)
    else:
        fitting = "scaling"
        fit = fit_by_scaling(data, scopes, tree, ess, progress, tolerance)
    log_tables, converged, iterations, residual = fit
    tables = tuple(map(Factor, scopes, log_tables))
    return FittedNetwork(
        to_graph(adjacency, data.names, frozen=True),
        MarkovModel(data.names, data.cardinalities, tables),
        data.labels,
        fitting,
        chosen,
        data.rows,
        ridge if fitting == "pseudo-likelihood" else ess,
        converged,
        iterations,
        residual,
        None if tree is None else tree.log_partition(tables),
        data,
    )


def _target(data: Dataset, scope: Scope, ess: float) -> Floats:
    """t_C, the smoothed frequencies of a set of variables."""
    shape = tuple(data.cardinalities[i] for i in scope)
    cells = np.ravel_multi_index(tuple(data.codes[:, i] for i in scope), shape)
    counts = np.bincount(cells, minlength=int(np.prod(shape)))
    smoothed = (counts.astype(np.float64) + ess / counts.size) / (data.rows + ess)
    return np.asarray(smoothed, dtype=np.float64).reshape(shape)


def fit_chordal(
    data: Dataset, scopes: Sequence[Scope], tree: EliminationTree, ess: float, progress: Progress
) -> Fit:
    """The closed form, for a chordal graph and its maximal cliques."""
    log_tables = [np.zeros([data.cardinalities[i] for i in scope]) for scope in scopes]
    members = [set(scope) for scope in scopes]
    for v, clique in enumerate(tree.cliques):
        progress.tick(v, data.n)
        wanted = set(clique)
        k = next(k for k, scope in enumerate(members) if wanted <= scope)
        joint = _target(data, clique, ess)
        log_conditional = np.log(joint) - np.log(joint.sum(axis=clique.index(v), keepdims=True))
        log_tables[k] += spread(log_conditional, clique, scopes[k])
    progress.finish(data.n)
    return log_tables, True, 1, 0.0


def fit_by_scaling(
    data: Dataset,
    scopes: Sequence[Scope],
    tree: EliminationTree,
    ess: float,
    progress: Progress,
    tolerance: float = TOLERANCE,
) -> Fit:
    """Iterative proportional fitting on the tables of a junction tree."""
    targets = [_target(data, scope, ess) for scope in scopes]
    log_tables = [np.zeros(table.shape) for table in targets]
    # Of the cliques, of which the root's are true margins, and of the separators between them.
    tables = [_uniform(clique, data.cardinalities) for clique in tree.cliques]
    between = [_uniform(tree.separator(v), data.cardinalities) for v in range(data.n)]
    # A table is added up and multiplied along the same axes in every sweep.
    axes = cache(axes_but)
    shape = cache(lambda some, onto: [data.cardinalities[i] if i in some else 1 for i in onto])
    homes, tour = tree.homes(scopes), list(_tour(tree))
    residual, sweeps, descent = np.inf, 0, Descent(progress, tolerance)
    while residual > tolerance and sweeps < MOST_SWEEPS:
        progress.tick()
        residual, sweeps = 0.0, sweeps + 1
        for root, v, first in tour:
            clique = tree.cliques[v]
            if root is not None:
                # Its neighbour v becomes the root.
                lower = v if tree.parents[v] == root else root
                separator = tree.separator(lower)
                message = np.add.reduce(tables[root], axes(separator, tree.cliques[root]))
                tables[v] *= (message / between[lower]).reshape(shape(separator, clique))
                between[lower] = message
            for k in homes[v] if first else ():
                margin = np.add.reduce(tables[v], axes(scopes[k], clique))
                ratio = targets[k] / margin
                tables[v] *= ratio.reshape(shape(scopes[k], clique))
                log_tables[k] += np.log(ratio)
                residual = max(residual, float(np.abs(targets[k] - margin).max()))
        descent.tick(residual)
    return log_tables, residual <= tolerance, sweeps, residual


def _tour(tree: EliminationTree) -> Iterator[tuple[int | None, int, bool]]:
    """Along every branch and back: where the root comes from, where it is, whether first."""
    branches: nx.DiGraph[int] = nx.DiGraph()
    # From the last to go: the top of each component comes before all others of it.
    for v in reversed(tree.order):
        parent = tree.parents[v]
        nx.add_path(branches, [v] if parent is None else [parent, v])
    for upper, lower, way in nx.dfs_labeled_edges(branches):
        if way == "forward":
            yield None if upper == lower else upper, lower, True
        elif upper != lower:
            yield lower, upper, False


def _uniform(scope: Scope, cardinalities: tuple[int, ...]) -> Floats:
    shape = [cardinalities[i] for i in scope]
    return np.full(shape, 1.0 / math.prod(shape))
