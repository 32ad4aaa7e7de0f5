"""Maximum likelihood, where exact inference is within reach.

The sample is smoothed first: beside its N rows there are `ess` rows spread evenly over all joint
states, so the target of a set C of variables with |C| cells is

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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import networkx as nx
import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.dataset import Dataset
from bjp_engine.progress import Descent, Progress
from bjp_engine.sampling.elimination import EliminationTree, Scope, axes_but, spread

# Margins are met to this, a row in 10^8.
TOLERANCE = 1e-8
MOST_SWEEPS = 2000


@dataclass(frozen=True, eq=False, slots=True)
class Fit:
    """What a fitting routine returns; see `FittedNetwork`."""

    log_tables: tuple[Floats, ...]  # ln φ_C for each scope
    converged: bool
    iterations: int
    residual: float


def target(data: Dataset, scope: Scope, ess: float) -> Floats:
    """t_C, the smoothed frequencies of a set of variables."""
    shape = tuple(data.cardinalities[i] for i in scope)
    cells = np.ravel_multi_index(tuple(data.codes[:, i] for i in scope), shape)
    counts = np.bincount(cells, minlength=int(np.prod(shape)))
    smoothed = (counts.astype(np.float64) + ess / counts.size) / (data.rows + ess)
    return np.asarray(smoothed, dtype=np.float64).reshape(shape)


def fit_chordal(
    data: Dataset,
    scopes: Sequence[Scope],
    tree: EliminationTree,
    ess: float,
    progress: Progress,
) -> Fit:
    """The closed form, for a chordal graph and its maximal cliques."""
    log_tables = [np.zeros([data.cardinalities[i] for i in scope]) for scope in scopes]
    members = [set(scope) for scope in scopes]
    for v, clique in enumerate(tree.cliques):
        progress.tick(v, data.n)
        wanted = set(clique)
        k = next(k for k, scope in enumerate(members) if wanted <= scope)
        joint = target(data, clique, ess)
        log_conditional = np.log(joint) - np.log(joint.sum(axis=clique.index(v), keepdims=True))
        log_tables[k] += spread(log_conditional, clique, scopes[k])
    progress.finish(data.n)
    return Fit(tuple(log_tables), True, 1, 0.0)


def fit_by_scaling(
    data: Dataset,
    scopes: Sequence[Scope],
    tree: EliminationTree,
    ess: float,
    progress: Progress,
    tolerance: float = TOLERANCE,
) -> Fit:
    """Iterative proportional fitting on the tables of a junction tree."""
    targets = [target(data, scope, ess) for scope in scopes]
    log_tables = [np.zeros(table.shape) for table in targets]
    beliefs = _Beliefs(tree, data.cardinalities)
    homes, tour = tree.homes(scopes), list(_tour(tree))
    residual, sweeps, descent = np.inf, 0, Descent(progress, tolerance)
    while residual > tolerance and sweeps < MOST_SWEEPS:
        progress.tick()
        residual, sweeps = 0.0, sweeps + 1
        for source, v, first in tour:
            if source is not None:
                beliefs.move(source, v)
            for k in homes[v] if first else ():
                distance, log_ratio = beliefs.scale(v, scopes[k], targets[k])
                log_tables[k] += log_ratio
                residual = max(residual, distance)
        descent.tick(residual)
    return Fit(tuple(log_tables), residual <= tolerance, sweeps, residual)


def _tour(tree: EliminationTree) -> Iterator[tuple[int | None, int, bool]]:
    """Along every branch and back: where the root comes from, where it is, whether first."""
    branches: nx.DiGraph[int] = nx.DiGraph()
    # From the last to go: the top of each component comes before all others of it.
    for v in reversed(tree.order):
        parent = tree.parents[v]
        branches.add_node(v)
        if parent is not None:
            branches.add_edge(parent, v)
    for upper, lower, way in nx.dfs_labeled_edges(branches):
        if way == "forward":
            yield None if upper == lower else upper, lower, True
        elif upper != lower:
            yield lower, upper, False


class _Beliefs:
    """The tables of a junction tree; that of the root holds true margins."""

    def __init__(self, tree: EliminationTree, cardinalities: tuple[int, ...]) -> None:
        self.tree = tree
        self.tables = [_uniform(clique, cardinalities) for clique in tree.cliques]
        self.between = [
            _uniform(tree.separator(v), cardinalities) for v in range(len(tree.cliques))
        ]
        # A table is added up and multiplied along the same axes in every sweep.
        self._axes = cache(axes_but)
        self._shape = cache(
            lambda scope, onto: tuple(cardinalities[i] if i in scope else 1 for i in onto)
        )

    def move(self, source: int, v: int) -> None:
        """Make v the root, which its neighbour in the tree was until now."""
        lower = v if self.tree.parents[v] == source else source
        separator = self.tree.separator(lower)
        cliques = self.tree.cliques
        message = np.add.reduce(self.tables[source], self._axes(separator, cliques[source]))
        ratio = message / self.between[lower]
        self.tables[v] *= ratio.reshape(self._shape(separator, cliques[v]))
        self.between[lower] = message

    def scale(self, v: int, scope: Scope, wanted: Floats) -> tuple[float, Floats]:
        """Multiply a factor in the root's table; how far it was off, and the logs of the ratio."""
        clique = self.tree.cliques[v]
        found = np.add.reduce(self.tables[v], self._axes(scope, clique))
        ratio = wanted / found
        self.tables[v] *= ratio.reshape(self._shape(scope, clique))
        return float(np.maximum.reduce(np.abs(wanted - found), None)), np.log(ratio)


def _uniform(scope: Scope, cardinalities: tuple[int, ...]) -> Floats:
    shape = [cardinalities[i] for i in scope]
    return np.full(shape, 1.0 / float(np.prod(shape)))
