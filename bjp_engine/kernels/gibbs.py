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


class Layout(NamedTuple):
    """A model's factors as flat arrays (compressed sparse rows)."""

    cardinalities: Integers
    tables: NDArray[np.float64]  # every log table in C order, one factor after another
    offsets: Integers  # where each factor's table begins
    # Factor f is over the variables member[i] for i from first[f] to first[f + 1], whose
    # neighbouring states are stride[i] apart in its table.
    first: Integers
    member: Integers
    stride: Integers
    # Variable v is in the factors factor[k] for k from pointer[v] to pointer[v + 1].
    pointer: Integers
    factor: Integers


class Conditionals(NamedTuple):
    """Every full conditional: a row of r_v masses for each joint state of the blanket."""

    tabled: NDArray[np.bool_]  # whose masses are tabled; others are worked out at each visit
    masses: NDArray[np.float64]  # the tables, and a row to work in for each of the others
    start: Integers  # where each variable's masses begin, and where the last end
    # Variable v has the neighbours neighbour[i] for i from pointer[v] to pointer[v + 1], whose
    # neighbouring states are stride[i] apart in v's table; the first runs fastest.
    pointer: Integers
    neighbour: Integers
    stride: Integers


@kernel
def tabulate(layout, conditionals):  # type: ignore[no-untyped-def]
    """Fill the tables."""
    tabled, masses, start, pointer, neighbour, _ = conditionals
    state = np.zeros(len(tabled), dtype=np.int64)
    for v in range(len(tabled)):
        if not tabled[v]:
            continue
        for row in range(start[v], start[v + 1], layout.cardinalities[v]):
            work_out(layout, v, state, masses, row)
            # The next joint state; after the last one all zeros again.
            for i in range(pointer[v], pointer[v + 1]):
                u = neighbour[i]
                state[u] = (state[u] + 1) % layout.cardinalities[u]
                if state[u] > 0:
                    break


@bare
def work_out(layout, v, state, masses, row):  # type: ignore[no-untyped-def]
    """Write the cumulative masses of v's states, from `row` on, given the states of the others."""
    end = row + layout.cardinalities[v]
    for s in range(row, end):
        masses[s] = 0.0
    for k in range(layout.pointer[v], layout.pointer[v + 1]):
        f = layout.factor[k]
        at, own = layout.offsets[f], np.int64(0)
        for i in range(layout.first[f], layout.first[f + 1]):
            if layout.member[i] == v:
                own = layout.stride[i]
            else:
                at += layout.stride[i] * state[layout.member[i]]
        for s in range(row, end):
            masses[s] += layout.tables[at + own * (s - row)]
    top, total = masses[row], 0.0
    for s in range(row + 1, end):
        top = max(top, masses[s])
    for s in range(row, end):
        gap = masses[s] - top
        total += np.exp(gap) if gap != 0.0 else 1.0
        masses[s] = total


@kernel
def sweep(layout, conditionals, state, uniforms, record, number):  # type: ignore[no-untyped-def]
    """Resample every variable from its full conditional, once a row of `uniforms`.

    Sweeps are numbered from `number` on, and recorded from 0 on.
    """
    tabled, masses, start, pointer, neighbour, stride = conditionals
    for t in range(len(uniforms)):
        for v in range(len(state)):
            r, row = layout.cardinalities[v], start[v]
            if tabled[v]:
                for i in range(pointer[v], pointer[v + 1]):
                    row += stride[i] * state[neighbour[i]]
            else:
                work_out(layout, v, state, masses, row)
            target = uniforms[t, v] * masses[row + r - 1]
            # Binary variables are decided without a branch: nobody could predict it.
            new = np.int64(masses[row] <= target)
            if r > 2:
                while 0 < new < r - 1 and masses[row + new] <= target:
                    new += 1
            state[v] = new
        if number + t >= 0:
            for v in range(len(state)):
                record[v, number + t] = state[v]
