"""Gibbs sampling: full conditionals looked up in tables, or worked out from a model's factors.

The full conditional of a variable depends on the states of its blanket only. It is held as the
cumulative masses of the variable's states, the heaviest state having mass 1. Looking it up and
working it out are the same arithmetic in the same order, and so give the same bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.compiled import bare, kernel

Integers = NDArray[np.int64]

# So many moves are made sooner, even by nothing, than a branch is mispredicted.
FEW_MOVES = 8


class Layout(NamedTuple):
    """A model's factors as flat arrays (compressed sparse rows)."""

    cardinalities: Integers
    tables: NDArray[np.float64]  # every log table in C order, one factor after another
    offsets: Integers  # where each factor's table begins
    # Variable v is in the factors factor[k] for k from pointer[v] to pointer[v + 1]; its
    # neighbouring states are stride[k] apart in the table.
    pointer: Integers
    factor: Integers
    stride: Integers
    # Factor f is over the variables member[i] for i from first[f] to first[f + 1].
    first: Integers
    member: Integers


class Blankets(NamedTuple):
    """Each variable's neighbours, and its table of a row of r_v masses for each joint state."""

    # Variable v has the neighbours neighbour[i] for i from pointer[v] to pointer[v + 1], whose
    # neighbouring states are stride[i] apart in v's table; the first runs fastest.
    pointer: Integers
    neighbour: Integers
    stride: Integers
    size: Integers  # entries of v's table; a size or stride above the limit is not exact


class Conditionals(NamedTuple):
    """Every full conditional, and how a change of state moves through the tables."""

    tabled: NDArray[np.bool_]  # whose masses are tabled; others are worked out at each visit
    masses: NDArray[np.float64]  # the tables, and a row to work in for each of the others
    origin: Integers  # where state 0 of all is: in each factor's table, in each variable's
    # A change of v by one state moves place[k] by stride[k], k from pointer[v] to pointer[v + 1];
    # a place is f for factor f's table, and v + factors for the table of variable v.
    pointer: Integers
    place: Integers
    stride: Integers


@kernel
def find_blankets(layout, limit):  # type: ignore[no-untyped-def]
    """Find out who shares a factor with whom; sizes end at a limit."""
    n, pairs = len(layout.cardinalities), 0
    for f in layout.factor:
        pairs += layout.first[f + 1] - layout.first[f] - 1
    pointer, size = np.zeros(n + 1, dtype=np.int64), layout.cardinalities.copy()
    neighbour, stride = np.empty(pairs, dtype=np.int64), np.empty(pairs, dtype=np.int64)
    seen, found = np.full(n, -1), 0
    for v in range(n):
        seen[v] = v
        for k in range(layout.pointer[v], layout.pointer[v + 1]):
            f = layout.factor[k]
            for i in range(layout.first[f], layout.first[f + 1]):
                u = layout.member[i]
                if seen[u] != v:
                    seen[u] = v
                    neighbour[found], stride[found] = u, size[v]
                    size[v] = min(size[v] * layout.cardinalities[u], limit)
                    found += 1
        pointer[v + 1] = found
    return Blankets(pointer, neighbour[:found], stride[:found], size)


@kernel
def tabulate(layout, blankets, tabled, start):  # type: ignore[no-untyped-def]
    """The masses of every state of the tabled variables, for every state of their blankets."""
    masses = np.empty(start[-1])
    state, position = np.zeros(len(tabled), dtype=np.int64), layout.offsets.copy()
    for v in range(len(tabled)):
        if tabled[v]:
            for row in range(start[v], start[v + 1], layout.cardinalities[v]):
                work_out(layout, v, np.int64(0), position, masses, row)
                advance(layout, blankets, v, state, position)
    return masses


@bare
def advance(layout, blankets, v, state, position):  # type: ignore[no-untyped-def]
    """Go on to the next joint state of v's blanket; from the last one back to all zeros."""
    for i in range(blankets.pointer[v], blankets.pointer[v + 1]):
        u = blankets.neighbour[i]
        last = state[u] == layout.cardinalities[u] - 1
        change = -state[u] if last else 1
        state[u] += change
        for k in range(layout.pointer[u], layout.pointer[u + 1]):
            position[layout.factor[k]] += layout.stride[k] * change
        if not last:
            break


@bare
def work_out(layout, v, state, position, masses, row):  # type: ignore[no-untyped-def]
    """Write the cumulative masses of v's states, from `row` on.

    `position[f]` is where factor f's table stands, with v in that state; so it costs r_v
    look-ups a factor, however large the clique is.
    """
    end = row + layout.cardinalities[v]
    for s in range(row, end):
        masses[s] = 0.0
    for k in range(layout.pointer[v], layout.pointer[v + 1]):
        stride = layout.stride[k]
        first = position[layout.factor[k]] - stride * state
        for s in range(row, end):
            masses[s] += layout.tables[first + stride * (s - row)]
    top, total = masses[row], 0.0
    for s in range(row + 1, end):
        top = max(top, masses[s])
    for s in range(row, end):
        gap = masses[s] - top
        total += np.exp(gap) if gap != 0.0 else 1.0
        masses[s] = total


@kernel
def sweep(layout, conditionals, state, position, uniforms, record, number):  # type: ignore[no-untyped-def]
    """Resample every variable from its full conditional, once a row of `uniforms`.

    Sweeps are numbered from `number` on, and recorded from 0 on.
    """
    tabled, masses, _, pointer, place, stride = conditionals
    factors = len(layout.offsets)
    for t in range(len(uniforms)):
        for v in range(len(state)):
            r, old, row = layout.cardinalities[v], state[v], position[factors + v]
            if not tabled[v]:
                work_out(layout, v, old, position, masses, row)
            target = uniforms[t, v] * masses[row + r - 1]
            # Binary variables are decided without a branch: nobody could predict it.
            new = np.int64(masses[row] <= target)
            if r > 2:
                while 0 < new < r - 1 and masses[row + new] <= target:
                    new += 1
            state[v] = new
            first, last = pointer[v], pointer[v + 1]
            if last - first <= FEW_MOVES or new != old:
                for k in range(first, last):
                    position[place[k]] += stride[k] * (new - old)
        if number + t >= 0:
            for v in range(len(state)):
                record[v, number + t] = state[v]
