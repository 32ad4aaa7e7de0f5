"""Gibbs sampling, compiled: full conditionals from tables, or from the cliques' log tables.

A full conditional is held as the cumulative masses of the variable's states, the heaviest
state having mass 1. Both ways of getting at it do the same arithmetic in the same order, so
which one serves makes no difference to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from bjp_engine.errors import OptionError
from bjp_engine.sampling.blankets import Blankets, choose_tables, find_blankets, find_moves
from bjp_engine.sampling.factor import Factor
from bjp_engine.sampling.layout import Integers, Layout, lay_out, starts
from bjp_engine.validate import Seed, seed_sequence

# Look-ups of a run that keeps no tables, up to a minute; a chain costs some before its first
# sweep.
MAX_LOOKUPS = 4 * 10**9
LOOKUPS_PER_CHAIN = 6000
# Uniforms drawn at once, to bound memory.
BLOCK = 1 << 15
# So many moves are made sooner, even by nothing, than a branch is mispredicted.
FEW_MOVES = 8


class Conditionals(NamedTuple):
    """Every full conditional, and where a sampler stands in them.

    Parameters
    ----------
    tabled : ndarray of bool, shape (n,)
        Whose conditionals stand in `masses`; those of others are worked out at each visit.
    masses : ndarray of float
        The tables, and a row to work in for each of the others.
    origin : ndarray of int, shape (factors + n,)
        Where one stands if every state is 0: in each factor's table, in each variable's.
    pointer, place, stride : ndarray of int
        How a change of state moves that, see `Moves`.
    """

    tabled: NDArray[np.bool_]
    masses: NDArray[np.float64]
    origin: Integers
    pointer: Integers
    place: Integers
    stride: Integers


def gibbs_rows(
    factors: Sequence[Factor],
    cardinalities: Sequence[int],
    rows: int,
    seed: Seed,
    burn_in: int,
    sweeps: int,
) -> NDArray[Any]:
    """The first rows of a stream of chains, one after another."""
    layout = lay_out(factors, cardinalities)
    chains = -(-rows // sweeps)
    per_sweep = int((np.diff(layout.pointer) + 1) @ layout.cardinalities)
    if per_sweep * (rows + chains * burn_in) + LOOKUPS_PER_CHAIN * chains > MAX_LOOKUPS:
        raise OptionError(
            f"rows={rows} with burn_in={burn_in} and sweeps={sweeps} would run for minutes; "
            "ask for fewer rows, fewer burn-in sweeps or longer chains."
        )
    conditionals = _prepare(layout, rows + chains * burn_in)
    smallest = np.min_scalar_type(max(cardinalities) - 1)
    columns = np.empty((len(cardinalities), rows), dtype=smallest)
    for chain, stream in enumerate(seed_sequence(seed).spawn(chains)):
        part = columns[:, chain * sweeps : (chain + 1) * sweeps]
        # A kernel compiled for contiguous arrays only takes no slice of one.
        record = np.empty(part.shape, dtype=smallest)
        _run_chain(layout, conditionals, np.random.default_rng(stream), burn_in, record)
        part[:] = record
    return columns.T


def _prepare(layout: Layout, sweeps: int) -> Conditionals:
    """Make the tables that so many sweeps are worth."""
    blankets = find_blankets(layout)
    tabled = choose_tables(layout, blankets, sweeps)
    start = starts(np.where(tabled, blankets.size, layout.cardinalities))
    return Conditionals(
        tabled,
        _tables(layout, blankets, tabled, start),
        np.concatenate([layout.offsets, start[:-1]]),
        *find_moves(layout, blankets, tabled),
    )


def _run_chain(
    layout: Layout,
    conditionals: Conditionals,
    generator: np.random.Generator,
    burn_in: int,
    record: NDArray[Any],
) -> None:
    """Fill `record` with one column a sweep, after the burn-in."""
    state = generator.integers(0, layout.cardinalities)
    position = conditionals.origin.copy()
    codes = np.repeat(state, np.diff(conditionals.pointer))
    np.add.at(position, conditionals.place, conditionals.stride * codes)
    sweeps = burn_in + record.shape[1]
    uniforms = np.empty((min(sweeps, max(1, BLOCK // len(state))), len(state)))
    for sweep in range(-burn_in, record.shape[1], len(uniforms)):
        drawn = uniforms[: record.shape[1] - sweep]
        generator.random(out=drawn)
        _sweep(layout, conditionals, state, position, drawn, record, sweep)


@njit(cache=True, nogil=True)
def _tables(
    layout: Layout, blankets: Blankets, tabled: NDArray[np.bool_], start: Integers
) -> NDArray[np.float64]:
    """The masses of every state of the tabled variables, for every state of their blankets."""
    masses = np.empty(start[-1])
    state, position = np.zeros(len(tabled), dtype=np.int64), layout.offsets.copy()
    for v in range(len(tabled)):
        if tabled[v]:
            for row in range(start[v], start[v + 1], layout.cardinalities[v]):
                _work_out(layout, v, 0, position, masses, row)
                _advance(layout, blankets, v, state, position)
    return masses


@njit(cache=True, nogil=True)
def _advance(
    layout: Layout, blankets: Blankets, v: int, state: Integers, position: Integers
) -> None:
    """Go on to the next joint state of v's blanket; from the last one back to all zeros."""
    for u in blankets.neighbour[blankets.pointer[v] : blankets.pointer[v + 1]]:
        last = state[u] == layout.cardinalities[u] - 1
        change = -state[u] if last else 1
        state[u] += change
        for k in range(layout.pointer[u], layout.pointer[u + 1]):
            position[layout.factor[k]] += layout.stride[k] * change
        if not last:
            break


@njit(cache=True, nogil=True, inline="always")
def _work_out(
    layout: Layout,
    v: int,
    state: int,
    position: Integers,
    masses: NDArray[np.float64],
    row: int,
) -> None:
    """Write the cumulative masses of v's states, from `row` on.

    `position[f]` is where factor f's table stands, with v in that state; so it costs r_v
    look-ups a factor, however large the clique is.
    """
    mass = masses[row : row + layout.cardinalities[v]]
    mass[:] = 0.0
    for k in range(layout.pointer[v], layout.pointer[v + 1]):
        stride = layout.stride[k]
        first = position[layout.factor[k]] - stride * state
        for s in range(len(mass)):
            mass[s] += layout.tables[first + stride * s]
    top, total = mass[0], 0.0
    for s in range(1, len(mass)):
        top = max(top, mass[s])
    for s in range(len(mass)):
        gap = mass[s] - top
        total += np.exp(gap) if gap != 0.0 else 1.0
        mass[s] = total


@njit(cache=True, nogil=True)
def _sweep(
    layout: Layout,
    conditionals: Conditionals,
    state: Integers,
    position: Integers,
    uniforms: NDArray[np.float64],
    record: NDArray[Any],
    sweep: int,
) -> None:
    """Resample every variable from its full conditional, once a row of `uniforms`.

    Sweeps are numbered from `sweep` on, and recorded from 0 on.
    """
    tabled, masses, _, pointer, place, stride = conditionals
    factors = len(layout.offsets)
    for t in range(len(uniforms)):
        for v in range(len(state)):
            r, old, row = layout.cardinalities[v], state[v], position[factors + v]
            if not tabled[v]:
                _work_out(layout, v, old, position, masses, row)
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
        if sweep + t >= 0:
            record[:, sweep + t] = state
