"""The probabilities of one variable's states given the known cells of each row.

A cell that says nothing, as one of a value that no row to learn from had, is summed out: with U
the unknown cells and K the known ones, Pr(x_i | x_K) ∝ Σ_{x_U} Π_C φ_C(x_C), for all rows of one
pattern of unknown cells at once. Only unknown cells that a path of unknown cells joins to i matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Bools, Floats, blocks
from bjp_engine.dataset import Dataset
from bjp_engine.sampling import MarkovModel
from bjp_engine.sampling.elimination import MOST_CELLS, log_sum, spread
from bjp_engine.sampling.factor import Scope

# The rows, as one more axis of each table.
_ROWS = -1


def log_states(model: MarkovModel, codes: NDArray[Any], i: int) -> Floats:
    """ln Pr(x_i = s | all others) of every state, shape (N, r_i), of rows of codes."""
    eta = np.zeros((len(codes), model.cardinalities[i]))
    for factor in model.factors:
        if i in factor.variables:
            table = np.moveaxis(factor.log_table, factor.variables.index(i), -1)
            eta += table[tuple(codes[:, j] for j in factor.variables if j != i)]
    return eta - log_sum(eta, 1)[:, None]


def find_unseen(fitted: Dataset, codes: NDArray[Any]) -> Bools:
    """The cells whose state no row that was fitted to has; a state that isn't declared is r_i."""
    unseen = np.empty(codes.shape, dtype=np.bool_)
    for i, r in enumerate(fitted.cardinalities):
        unseen[:, i] = (np.bincount(fitted.codes[:, i], minlength=r + 1) == 0)[codes[:, i]]
    return unseen


def log_known_states(
    model: MarkovModel, fitted: Dataset, codes: NDArray[Any], unseen: Bools, i: int
) -> Floats:
    """The same where some cells say nothing.

    Where to sum over x_j needs a table of more than 2^20 cells for a row, each factor of j is
    averaged without the others, by the shares of j's states in the rows that were fitted to.
    """
    unknown = unseen.copy()
    unknown[:, i] = False
    open_rows = unknown.any(axis=1)
    found = np.empty((len(codes), model.cardinalities[i]))
    found[~open_rows] = log_states(model, codes[~open_rows], i)
    patterns, which = np.unique(unknown[open_rows], axis=0, return_inverse=True)
    for k, pattern in enumerate(patterns):
        rows = np.flatnonzero(open_rows)[which.ravel() == k]
        hidden = {i, *np.flatnonzero(pattern).tolist()}
        found[rows] = _summed(model, fitted, codes[rows], i, hidden)
    return found


def _summed(
    model: MarkovModel, fitted: Dataset, codes: NDArray[Any], i: int, hidden: set[int]
) -> Floats:
    """ln Pr(x_i = s | known cells) of rows in which the same cells are unknown."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_node(i)
    for factor in model.factors:
        nx.add_path(graph, hidden.intersection(factor.variables))
    hidden = nx.node_connected_component(graph, i)
    factors = [factor for factor in model.factors if not hidden.isdisjoint(factor.variables)]
    scopes = [tuple(v for v in factor.variables if v in hidden) for factor in factors]
    steps = _plan(scopes, model.cardinalities, i)
    found = np.empty((len(codes), model.cardinalities[i]))
    widest = max((size for _, size in steps if size <= MOST_CELLS), default=found.shape[1])
    for block in blocks(len(codes), widest, MOST_CELLS):
        parts = []
        for factor, scope in zip(factors, scopes, strict=True):
            axes = [factor.variables.index(v) for v in scope]
            table = np.moveaxis(factor.log_table, axes, range(-len(axes), 0))
            known = tuple(codes[block, v] for v in factor.variables if v not in hidden)
            parts.append(((_ROWS, *scope), table[known] if known else table[None]))
        for v, size in steps:
            touching = [part for part in parts if v in part[0]]
            parts = [part for part in parts if v not in part[0]]
            if size > MOST_CELLS:
                counts = np.bincount(fitted.codes[:, v], minlength=model.cardinalities[v])
                with np.errstate(divide="ignore"):
                    shares = np.log(counts / fitted.rows)
                parts += [_take_out([part, ((v,), shares)], v) for part in touching]
            else:
                parts.append(_take_out(touching, v))
        eta = sum((table for scope, table in parts if i in scope), np.zeros((1, found.shape[1])))
        found[block] = eta - log_sum(eta, 1)[:, None]
    return found


def _plan(scopes: Iterable[Scope], cardinalities: Sequence[int], i: int) -> list[tuple[int, int]]:
    """The variables but i in the order in which they are summed out, and the cells that each needs.

    The next is always the one that needs the smallest table.
    """
    left, steps = [set(scope) for scope in scopes], []
    while others := set().union(*left) - {i}:
        around = {v: set().union(*(one for one in left if v in one)) for v in others}
        sizes = {v: math.prod(cardinalities[u] for u in around[v]) for v in others}
        v = min(others, key=lambda u: (sizes[u], u))
        steps.append((v, sizes[v]))
        touching = [one - {v} for one in left if v in one]
        left = [one for one in left if v not in one]
        left += [around[v] - {v}] if sizes[v] <= MOST_CELLS else touching
    return steps


def _take_out(parts: Sequence[tuple[Scope, Floats]], v: int) -> tuple[Scope, Floats]:
    """The sum over the states of one variable of a product of tables."""
    onto = tuple(sorted(set().union(*(scope for scope, _ in parts))))
    joined = sum((spread(table, scope, onto) for scope, table in parts), np.zeros(1))
    return tuple(u for u in onto if u != v), log_sum(joined, onto.index(v))
