"""Which full conditionals are kept as tables, and how a change of state moves through them.

The full conditional of a variable hangs on the states of its blanket only. Where the blanket
has few joint states, a sampler that will ask for them again and again looks the conditional
up; elsewhere it works it out from the factors. So it stands somewhere in the tables of some
variables and of some factors, and a change of state moves it by a stride in each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from bjp_engine.sampling.layout import Integers, Layout, starts

# Entries of all tables together, 8 MB.
MAX_MASSES = 1 << 20
# How often a table's average entry must be read to be worth its making.
READS = 2


class Blankets(NamedTuple):
    """Each variable's neighbours, and its table of a row of r_v masses for each joint state.

    Parameters
    ----------
    pointer : ndarray of int, shape (n + 1,)
        Variable v has the neighbours `neighbour[i]` for i from pointer[v] to pointer[v + 1].
    stride : ndarray of int
        How far apart their neighbouring states are in v's table; the first runs fastest.
    size : ndarray of int, shape (n,)
        Entries of v's table. A size or stride above `MAX_MASSES` is not told exactly.
    """

    pointer: Integers
    neighbour: Integers
    stride: Integers
    size: Integers


class Moves(NamedTuple):
    """What a sampler keeps up to date where a variable changes its state.

    Parameters
    ----------
    pointer : ndarray of int, shape (n + 1,)
        A change of variable v moves `place[k]` for k from pointer[v] to pointer[v + 1].
    place : ndarray of int
        f for factor f's table, and v + factors for the table of variable v.
    stride : ndarray of int
        By how much, for each state.
    """

    pointer: Integers
    place: Integers
    stride: Integers


def find_blankets(layout: Layout) -> Blankets:
    """Find out who shares a factor with whom."""
    return Blankets(*_find_blankets(layout, MAX_MASSES + 1))


def choose_tables(layout: Layout, blankets: Blankets, sweeps: int) -> NDArray[np.bool_]:
    """The variables whose full conditionals are worth a table."""
    order = np.argsort(blankets.size, kind="stable")
    fits = np.empty(len(order), dtype=np.bool_)
    fits[order] = np.cumsum(blankets.size[order]) <= MAX_MASSES
    return fits & (READS * blankets.size <= sweeps * layout.cardinalities)


def find_moves(layout: Layout, blankets: Blankets, tabled: NDArray[np.bool_]) -> Moves:
    """Find out what each variable moves: tables of its neighbours, factors of the others."""
    n, factors = len(layout.cardinalities), len(layout.offsets)
    owner = np.repeat(np.arange(n), np.diff(blankets.pointer))
    looked_up = tabled[owner]
    variable = np.repeat(np.arange(n), np.diff(layout.pointer))
    read = np.zeros(factors, dtype=np.bool_)
    read[layout.factor[~tabled[variable]]] = True
    worked_out = read[layout.factor]
    mover = np.concatenate([blankets.neighbour[looked_up], variable[worked_out]])
    place = np.concatenate([owner[looked_up] + factors, layout.factor[worked_out]])
    stride = np.concatenate([blankets.stride[looked_up], layout.stride[worked_out]])
    order = np.argsort(mover, kind="stable")
    return Moves(starts(np.bincount(mover, minlength=n)), place[order], stride[order])


@njit(cache=True, nogil=True)
def _find_blankets(layout: Layout, limit: int) -> tuple[Integers, Integers, Integers, Integers]:
    """The fields of `Blankets`; what is larger than `limit` is said to be `limit`."""
    n, pairs = len(layout.cardinalities), 0
    for f in layout.factor:
        pairs += layout.first[f + 1] - layout.first[f] - 1
    pointer, size = np.zeros(n + 1, dtype=np.int64), layout.cardinalities.copy()
    neighbour, stride = np.empty(pairs, dtype=np.int64), np.empty(pairs, dtype=np.int64)
    seen, found = np.full(n, -1), 0
    for v in range(n):
        seen[v] = v
        for f in layout.factor[layout.pointer[v] : layout.pointer[v + 1]]:
            for u in layout.member[layout.first[f] : layout.first[f + 1]]:
                if seen[u] != v:
                    seen[u] = v
                    neighbour[found], stride[found] = u, size[v]
                    size[v] = min(size[v] * layout.cardinalities[u], limit)
                    found += 1
        pointer[v + 1] = found
    return pointer, neighbour[:found], stride[:found], size
