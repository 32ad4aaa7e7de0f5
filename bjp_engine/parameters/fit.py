"""From a graph and data to a network with parameters: on which factors, by which fitting.

Maximum likelihood, where exact inference is within reach, smooths the sample first: beside its N
rows there are `ess` rows spread evenly over all joint states, so the target of a set C of variables
with |C| cells is

    t_C(x) = (n_C(x) + ess / |C|) / (N + ess).

These are the margins of one positive distribution, so the likelihood has one maximum, and no
probability is 0. At the maximum the margin of every factor's scope equals its target.

- Chordal graph, a factor for each maximal clique: p(x) = Π_v t(x_v | x_{S_v}), in closed form
  (Lauritzen 1996, section 4.4). With the hyper Dirichlet prior of weight `ess` it is the mean of
  the posterior (Dawid & Lauritzen 1993).
- Else iterative proportional fitting: a factor is multiplied by target over margin, one factor
  after another (Deming & Stephan 1940), on the tables of a junction tree whose root moves along
  (Jiroušek & Přeučil 1995).

The pseudo-likelihood of a row, for any graph (Besag 1975), is the product of every variable's
probability given all others, which depends on its blanket only. With θ_C = ln φ_C,

    ln p(x_i = s | x_B) = η_s - ln Σ_t exp(η_t),   η_s = Σ_{C ∋ i} θ_C(x_{C∖i}, s),

and what is maximised is

    Σ_rows Σ_i ln p(x_i | x_{B^i}) - (ridge / 2) Σ_C |θ_C|²,

which is strictly concave. The last part is a Gaussian prior of variance 1 / `ridge` on every
weight: it keeps weights finite, hence probabilities above 0, picks one of the many ways to write
the same distribution as factors, treats all states alike, and fades as N grows.

Rows that agree on x_i's blanket are one row with a count for each state. All variables with the
same number of states are stacked: a sparse matrix picks rows of θ, so one product with it gives
all η, and one with its transpose the gradient, or the Hessian times a vector. With these a
trust-region Newton method with conjugate gradients (Nocedal & Wright 2006, section 7.1) needs
some ten steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias, get_args

import networkx as nx
import numpy as np

from bjp_engine.arrays import Floats, Places, columns
from bjp_engine.counts import table_of
from bjp_engine.dataset import DataLike, Dataset, as_dataset
from bjp_engine.errors import OptionError
from bjp_engine.graph import Adjacency, GraphLike, pairs, to_adjacency, to_graph
from bjp_engine.kernels.counting import cells_of_node
from bjp_engine.parameters.network import FittedNetwork, Fitting
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
# ln φ_C of each scope, and `converged` and `iterations` of `FittedNetwork`.
Fit: TypeAlias = tuple[Sequence[Floats], bool, int]

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
    tolerance: float = TOLERANCE,
    progress: Progress = UNWATCHED,
) -> FittedNetwork:
    """Fit the parameters of a Markov network to data.

    Parameters
    ----------
    estimate : {"pseudo-likelihood", "likelihood", "auto"}
        Maximum pseudo-likelihood, for any graph; maximum likelihood, where the tables of exact
        inference hold at most 2^20 cells; or the second where it can be had.
    ess : float
        For maximum likelihood: rows spread evenly over all joint states that are added to the data,
        so that no probability is 0.
    ridge : float
        For maximum pseudo-likelihood, to the same end: ridge / 2 times the sum of the squared log
        potentials is taken off.
    tolerance : float
        How near margins come to their targets where iterative fitting maximises the likelihood.

    Examples
    --------
    >>> from bjp_engine import fit_parameters
    >>> rows = [[0, 0], [0, 0], [1, 1], [0, 1]]
    >>> network = fit_parameters(rows * 25, [(0, 1)], "likelihood")
    >>> network.fitting, network.conditional(rows[:1], 1).round(3).tolist()
    ('closed-form', [[0.666, 0.334]])

    Factors are of maximal cliques, so that every positive distribution with this Markov network can
    be reached; where their tables would hold more than 2^18 weights, of edges. Where cells are few
    to the weights, maximum pseudo-likelihood with its ridge predicts better (docs/theory.md §11).
    """
    check_progress(progress)
    data = as_dataset(data)
    choice(estimate, "estimate", get_args(Estimate))
    ess = positive_number(ess, "ess", bounded=True)
    ridge = positive_number(ridge, "ridge", bounded=True)
    positive_number(tolerance, "tolerance")
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
    log_tables, converged, iterations = fit
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
    return log_tables, True, 1


def fit_by_scaling(
    data: Dataset,
    scopes: Sequence[Scope],
    tree: EliminationTree,
    ess: float,
    progress: Progress,
    tolerance: float,
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
    return log_tables, residual <= tolerance, sweeps


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


# The length of the gradient, for one row.
_SMALL_SLOPE = 1e-7
_MOST_STEPS = 500
# η that are held at once: 8 MB.
_MOST_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False, slots=True)
class _Block:
    """Some variables with r states each, stacked, with M configurations in all."""

    # csr_array of shape (M, R): which of the rows of weights add up to the η of a configuration.
    picks: Any
    places: Places  # shape (R, r): where these weights stand in θ
    # Shape (r, M): numpy adds up along a short last axis many times slower.
    counts: Floats

    @property
    def totals(self) -> Floats:
        """The rows of each configuration, shape (M,)."""
        return np.asarray(self.counts.sum(axis=0))

    def eta(self, theta: Floats) -> Floats:
        """η of every state of every configuration, shape (r, M)."""
        return np.ascontiguousarray((self.picks @ theta[self.places]).T)

    def back(self, change: Floats, length: int) -> Floats:
        """What a change of every η is for θ; a weight stands in a row for each of its variables."""
        rows = self.picks.T @ change.T
        sums = np.bincount(self.places.ravel(), rows.ravel(), length)
        return np.asarray(sums, dtype=np.float64)


class _Surface:
    """Minus what is maximised, for one row: its height, slope and curvature."""

    def __init__(
        self, blocks: Sequence[_Block], ridge: float, rows: int, progress: Progress
    ) -> None:
        self._blocks, self._ridge, self._rows = blocks, ridge, max(1, rows)
        self._descent = Descent(progress, _SMALL_SLOPE)
        self._at = np.empty(0)
        self._probabilities: list[Floats] = []

    def height_and_slope(self, theta: Floats) -> tuple[float, Floats]:
        value = self._ridge / 2 * float(theta @ theta)
        gradient = self._ridge * theta
        self._at, self._probabilities = theta.copy(), []
        for block in self._blocks:
            logs = block.eta(theta)
            logs -= logs.max(axis=0)
            logs -= np.log(np.exp(logs).sum(axis=0))
            value -= float((block.counts * logs).sum())
            self._probabilities.append(np.exp(logs))
            expected = block.totals * self._probabilities[-1]
            gradient += block.back(expected - block.counts, len(theta))
        gradient /= self._rows
        self._descent.tick(float(np.linalg.norm(gradient)))
        return value / self._rows, gradient

    def curvature(self, theta: Floats, vector: Floats) -> Floats:
        """The Hessian times a vector."""
        if not np.array_equal(self._at, theta):
            # The step tried last was refused.
            self.height_and_slope(theta)
        product = self._ridge * vector
        for block, p in zip(self._blocks, self._probabilities, strict=True):
            weighted = p * block.eta(vector)
            weighted -= p * weighted.sum(axis=0)
            product += block.back(block.totals * weighted, len(theta))
        return product / self._rows


def fit_by_pseudo_likelihood(
    data: Dataset, scopes: Sequence[Scope], ridge: float, progress: Progress
) -> Fit:
    """The one maximum of the penalised pseudo-likelihood."""
    from scipy.optimize import minimize

    shapes = [[data.cardinalities[i] for i in scope] for scope in scopes]
    # Where the weights of each scope begin in one vector of all; the length comes last.
    starts = np.cumsum([0, *map(math.prod, shapes)])
    blocks = [*_blocks(data, scopes, starts, progress)]
    surface = _Surface(blocks, ridge, data.rows, progress)
    found = minimize(
        surface.height_and_slope,
        np.zeros(starts[-1]),
        (),
        "trust-ncg",
        jac=True,
        hessp=surface.curvature,
        options={"gtol": _SMALL_SLOPE, "maxiter": _MOST_STEPS},
    )
    pieces = zip(np.split(found.x, starts[1:-1]), shapes, strict=True)
    log_tables = [piece.reshape(shape) for piece, shape in pieces]
    return log_tables, float(np.linalg.norm(found.jac)) <= _SMALL_SLOPE, int(found.nit)


def _blocks(
    data: Dataset, scopes: Sequence[Scope], starts: Places, progress: Progress
) -> Iterator[_Block]:
    """The variables by number of states, as many at a time as memory allows."""
    parts: list[_Block] = []
    for i in sorted(range(data.n), key=lambda i: data.cardinalities[i]):
        progress.tick()
        part = _one_variable(data, i, scopes, starts)
        same = parts and len(parts[0].counts) == len(part.counts)
        held = sum(other.counts.size for other in parts) + part.counts.size
        if parts and not (same and held <= _MOST_AT_ONCE):
            yield _stack(parts)
            parts = []
        parts.append(part)
    yield _stack(parts)


def _one_variable(data: Dataset, i: int, scopes: Sequence[Scope], starts: Places) -> _Block:
    """The configurations of a blanket, the weights that each picks, and the counts."""
    from scipy.sparse import csr_array

    mine = [k for k, scope in enumerate(scopes) if i in scope]
    members = sorted({j for k in mine for j in scopes[k]} - {i})
    first, keys, found = cells_of_node(table_of(data), i, columns(members))
    size, r = len(first), data.cardinalities[i]
    counts = np.zeros(size * r)
    counts[keys] = found
    configurations = {j: data.codes[first, j] for j in members}
    picked, places, width = [], [], 0
    for k in mine:
        shape = tuple(data.cardinalities[j] for j in scopes[k])
        rest = tuple(j for j in scopes[k] if j != i)
        cells = np.moveaxis(np.arange(np.prod(shape)).reshape(shape), scopes[k].index(i), -1)
        chosen = np.zeros(size, dtype=np.intp)
        for j in rest:
            chosen = chosen * data.cardinalities[j] + configurations[j]
        picked.append(chosen + width)
        places.append(starts[k] + cells.reshape(-1, r))
        width += len(places[-1])
    ends = np.arange(0, size * len(mine) + 1, len(mine))
    chosen = np.stack(picked, axis=1).ravel()
    picks = csr_array((np.ones(len(chosen)), chosen, ends), (size, width))
    by_state = np.ascontiguousarray(counts.reshape(size, r).T)
    return _Block(picks, np.concatenate(places), by_state)


def _stack(parts: Sequence[_Block]) -> _Block:
    from scipy.sparse import block_diag, csr_array

    return _Block(
        csr_array(block_diag([part.picks for part in parts], format="csr")),
        np.concatenate([part.places for part in parts]),
        np.concatenate([part.counts for part in parts], axis=1),
    )
