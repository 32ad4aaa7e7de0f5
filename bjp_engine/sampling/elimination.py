"""The tree on which exact inference and exact sampling run.

Variables are taken out of the graph one by one: when v is taken out, its neighbours that are left
are joined; v and they are the clique C_v, and S_v = C_v without v. The parent of v is the member of
S_v that goes next. The cliques make a junction tree (Koller & Friedman 2009, sections 9.4 and
10.1). The variable to go is one that adds the fewest edges, so a chordal graph gets none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Bools, Codes, Floats, blocks, code_dtype
from bjp_engine.errors import GraphError
from bjp_engine.kernels.loops import TIE
from bjp_engine.records import keep, record
from bjp_engine.validate import entries, whole_number

Scope = tuple[int, ...]
# An array has 64 axes at most.
MOST_AXES = 60


def maximal_cliques(
    graph: nx.Graph[int], cardinalities: Sequence[int], most: int
) -> tuple[Scope, ...] | None:
    """The maximal cliques in lexicographic order; None with more than `most` weights in all."""
    found: list[Scope] = []
    weights = 0
    for clique in nx.find_cliques(graph):
        weights += math.prod(cardinalities[i] for i in clique)
        if weights > most or len(clique) > MOST_AXES:
            return None
        found.append(tuple(sorted(clique)))
    return tuple(sorted(found))


@record
@dataclass(frozen=True, eq=False)
class Factor:
    """One clique's potential.

    Parameters
    ----------
    variables : tuple of int
        Positions of the clique's variables, ascending.
    log_table : ndarray of float, shape (r_i for i in variables)
        ln φ_C of every joint state; read-only.
    """

    variables: tuple[int, ...]
    log_table: NDArray[np.float64]

    def __post_init__(self) -> None:
        given = entries(self.variables, "variables")
        variables = tuple(whole_number(i, "variables") for i in given)
        try:
            table = np.array(self.log_table, dtype=np.float64, order="C")
        except (TypeError, ValueError):
            raise GraphError(f"The table of factor {variables} must hold numbers.") from None
        table.setflags(write=False)
        keep(self, variables=variables, log_table=table)


# Cells of all tables together: 8 MB, some ten milliseconds for one pass.
MOST_CELLS = 1 << 20
IMPOSSIBLE = "The factors leave no joint state possible; correct their zeros."


@dataclass(frozen=True, slots=True)
class EliminationTree:
    """The cliques of an elimination order, as a junction tree."""

    order: tuple[int, ...]  # the variables as they go
    cliques: tuple[Scope, ...]  # C_v, ascending, for v = 0, 1, …
    parents: tuple[int | None, ...]  # of v; None where it goes as the last of its component
    fill: int  # edges added on the way; 0 exactly for chordal (decomposable) graphs

    def separator(self, v: int) -> Scope:
        """S_v, the members of C_v but v itself."""
        return tuple(i for i in self.cliques[v] if i != v)

    def homes(self, scopes: Sequence[Scope]) -> dict[int, list[int]]:
        """For each variable v the positions of those scopes of which v is the first to go."""
        place = {v: k for k, v in enumerate(self.order)}
        found: dict[int, list[int]] = {v: [] for v in self.order}
        for k, scope in enumerate(scopes):
            found[min(scope, key=place.__getitem__)].append(k)
        return found

    def log_partition(self, factors: Sequence[Factor]) -> float:
        """ln Z = ln Σ_x Π_C φ_C(x_C), by taking out one variable after another."""
        _, messages = self._collect(factors, log_sum)
        tops = (v for v in self.order if self.parents[v] is None)
        return sum((float(messages[v].reshape(())) for v in tops), 0.0)

    def log_margins(self, factors: Sequence[Factor]) -> tuple[Floats, ...]:
        """ln Pr(x_v) of every variable v, by one pass up the tree and one down."""
        tables, messages = self._collect(factors, log_sum)
        found: dict[int, Floats] = {}
        for v in reversed(self.order):
            clique, parent = self.cliques[v], self.parents[v]
            if parent is not None:
                separator = self.separator(v)
                others = log_sum(tables[parent], axes_but(separator, self.cliques[parent]))
                # What the parent knows without what v told it.
                tables[v] = tables[v] + spread(others - messages[v], separator, clique)
            states = log_sum(tables[v], axes_but((v,), clique))
            found[v] = states - log_sum(states, 0)
        return tuple(found[v] for v in range(len(found)))

    def most_probable(self, factors: Sequence[Factor]) -> tuple[int, ...]:
        """The joint state of greatest Π_C φ_C(x_C), traced back from the last variable to go."""
        tables, _ = self._collect(factors, np.max)
        found: dict[int, int] = {}
        for v in reversed(self.order):
            line = tables[v][tuple(found.get(i, slice(None)) for i in self.cliques[v])]
            best = line.max()
            # Of states that differ by rounding only, the first.
            found[v] = int(np.argmax(line >= best - TIE * max(1.0, abs(best))))
        return tuple(found[v] for v in range(len(found)))

    def draw(
        self,
        factors: Sequence[Factor],
        cardinalities: Sequence[int],
        rows: int,
        generator: np.random.Generator,
    ) -> Codes:
        """Independent rows of codes, each variable given those that go after it."""
        tables, messages = self._collect(factors, log_sum)
        if any(np.isneginf(messages[v]).all() for v in self.order):
            raise GraphError(IMPOSSIBLE)
        for v, clique in enumerate(self.cliques):
            table = np.broadcast_to(tables[v], [cardinalities[i] for i in clique])
            table = np.moveaxis(table, clique.index(v), -1)
            shares = np.exp(table - highest(table, -1)).cumsum(axis=-1)
            # What never happens is never looked up.
            with np.errstate(invalid="ignore"):
                tables[v] = shares / shares[..., -1:]
        codes = np.empty((rows, len(self.order)), dtype=code_dtype(cardinalities), order="F")
        # A row's numbers lie side by side, so that fewer rows are the first of more.
        for block in blocks(rows, len(self.order), MOST_CELLS):
            part = codes[block]
            uniforms = generator.random(part.shape)
            for v in reversed(self.order):
                shares = tables[v][tuple(part[:, i] for i in self.separator(v))]
                part[:, v] = (uniforms[:, [v]] >= shares).sum(axis=-1)
        return codes

    def _collect(
        self, factors: Sequence[Factor], take_out: Callable[[Floats, int], Floats]
    ) -> tuple[dict[int, Floats], dict[int, Floats]]:
        """ln table of each C_v with all messages to it, and what v passes on to its parent."""
        homes = self.homes([factor.variables for factor in factors]).items()
        waiting = {v: [(factors[k].variables, factors[k].log_table) for k in at] for v, at in homes}
        tables: dict[int, Floats] = {}
        messages: dict[int, Floats] = {}
        for v in self.order:
            clique, parent = self.cliques[v], self.parents[v]
            log_table = np.zeros([1] * len(clique))
            for scope, table in waiting.pop(v):
                log_table = log_table + spread(table, scope, clique)
            tables[v], messages[v] = log_table, take_out(log_table, clique.index(v))
            if parent is not None:
                waiting[parent].append((self.separator(v), messages[v]))
        return tables, messages


def eliminate(
    adjacency: Bools, cardinalities: Sequence[int], most: int = MOST_CELLS
) -> EliminationTree | None:
    """An elimination order by fewest added edges, ties by the smaller table, then by index."""
    left = {i: set(np.flatnonzero(row).tolist()) for i, row in enumerate(adjacency)}
    costs = {v: _cost(v, left, cardinalities) for v in left}
    cliques: dict[int, Scope] = {}
    fill = cells = 0
    while left:
        v = min(costs, key=lambda u: (*costs[u], u))
        added, size = costs.pop(v)
        fill, cells = fill + added, cells + size
        if cells > most or len(left[v]) >= MOST_AXES:
            return None
        around = left.pop(v)
        cliques[v] = tuple(sorted({v, *around}))
        for u in around:
            left[u] |= around - {u}
            left[u].discard(v)
        for u in around.union(*(left[u] for u in around)):
            costs[u] = _cost(u, left, cardinalities)
    order, scopes = tuple(cliques), tuple(cliques[v] for v in range(len(adjacency)))
    place = {v: k for k, v in enumerate(order)}
    # Who passes on to whom.
    later = (sorted(scope, key=place.__getitem__)[1:] for scope in scopes)
    return EliminationTree(order, scopes, tuple(left[0] if left else None for left in later), fill)


def _cost(v: int, left: Mapping[int, set[int]], cardinalities: Sequence[int]) -> tuple[int, int]:
    """How many edges v would add if it went now, and the cells of its clique."""
    around = left[v]
    joined = sum(len(left[u] & around) for u in around) // 2
    missing = len(around) * (len(around) - 1) // 2 - joined
    return missing, math.prod(cardinalities[i] for i in (v, *around))


def spread(table: Floats, scope: Scope, onto: Scope) -> Floats:
    """A table with an axis of length 1 for each variable that it lacks, fit to be broadcast."""
    lengths = dict(zip(scope, table.shape, strict=True))
    return table.reshape([lengths.get(i, 1) for i in onto])


def axes_but(kept: Scope, scope: Scope) -> Scope:
    """The axes of a scope's table that belong to other variables."""
    return tuple(k for k, i in enumerate(scope) if i not in kept)


def log_sum(table: Floats, axis: int | tuple[int, ...]) -> Floats:
    """ln Σ exp along some axes, without overflow."""
    top = highest(table, axis)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(table - top).sum(axis=axis)) + top.squeeze(axis))


def highest(table: Floats, axis: int | tuple[int, ...]) -> Floats:
    """The largest logs along some axes, which stay; 0 where all weights are zero."""
    top = table.max(axis=axis, keepdims=True)
    return np.where(np.isneginf(top), 0.0, top)
