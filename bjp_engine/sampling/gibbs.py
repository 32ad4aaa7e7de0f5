"""Gibbs sampling, compiled: full conditionals from the log tables of the cliques."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from bjp_engine.errors import OptionError
from bjp_engine.sampling._arguments import Seed, seed_sequence
from bjp_engine.sampling.factor import Factor

# Table look-ups of a run, about a minute; a chain costs some before its first sweep.
MAX_LOOKUPS = 4 * 10**9
LOOKUPS_PER_CHAIN = 6000
# Sweeps whose uniforms are drawn at once, to bound memory.
BLOCK = 4096


class Layout(NamedTuple):
    """A model's factors as flat arrays for the kernel (compressed sparse rows).

    Parameters
    ----------
    cardinalities : ndarray of int, shape (n,)
        r_v.
    tables : ndarray of float
        Every log table in C order, one factor after another.
    offsets : ndarray of int, shape (factors,)
        Where each factor's table begins.
    pointer : ndarray of int, shape (n + 1,)
        Variable v is in the factors `factor[k]` for k from pointer[v] to pointer[v + 1].
    factor : ndarray of int
    stride : ndarray of int
        How far apart neighbouring states of v are in the table of `factor[k]`.
    """

    cardinalities: NDArray[np.int64]
    tables: NDArray[np.float64]
    offsets: NDArray[np.int64]
    pointer: NDArray[np.int64]
    factor: NDArray[np.int64]
    stride: NDArray[np.int64]


def gibbs_rows(
    factors: Sequence[Factor],
    cardinalities: Sequence[int],
    rows: int,
    seed: Seed,
    burn_in: int,
    sweeps: int,
) -> NDArray[np.int32]:
    """The first rows of a stream of chains, one after another.

    Parameters
    ----------
    factors : sequence of Factor
    cardinalities : sequence of int, length n
    rows, burn_in, sweeps : int
        See `MarkovModel.sample`.
    seed : int or sequence of int

    Returns
    -------
    ndarray of int, shape (rows, n)

    Raises
    ------
    OptionError
        If it would run for minutes.
    """
    layout = _layout(factors, cardinalities)
    chains = -(-rows // sweeps)
    per_sweep = int((np.diff(layout.pointer) + 1) @ layout.cardinalities)
    if per_sweep * (rows + chains * burn_in) + LOOKUPS_PER_CHAIN * chains > MAX_LOOKUPS:
        raise OptionError(
            f"rows={rows} with burn_in={burn_in} and sweeps={sweeps} would run for minutes; "
            "ask for fewer rows, fewer burn-in sweeps or longer chains."
        )
    codes = np.empty((rows, len(cardinalities)), dtype=np.int32)
    for chain, stream in enumerate(seed_sequence(seed).spawn(chains)):
        out = codes[chain * sweeps : (chain + 1) * sweeps]
        _run_chain(layout, np.random.default_rng(stream), burn_in, out)
    return codes


def _layout(factors: Sequence[Factor], cardinalities: Sequence[int]) -> Layout:
    """Lay the factors of a model out flat."""
    sizes = [factor.log_table.size for factor in factors]
    members: list[list[tuple[int, int]]] = [[] for _ in cardinalities]
    for f, factor in enumerate(factors):
        for axis, variable in enumerate(factor.variables):
            members[variable].append((f, math.prod(factor.log_table.shape[axis + 1 :])))
    flat = np.array([pair for row in members for pair in row], dtype=np.int64).reshape(-1, 2)
    return Layout(
        cardinalities=np.array(cardinalities, dtype=np.int64),
        tables=np.concatenate([np.zeros(0), *(f.log_table.ravel() for f in factors)]),
        offsets=np.cumsum([0, *sizes], dtype=np.int64)[:-1],
        pointer=np.cumsum([0, *map(len, members)], dtype=np.int64),
        factor=flat[:, 0].copy(),
        stride=flat[:, 1].copy(),
    )


def _run_chain(
    layout: Layout, generator: np.random.Generator, burn_in: int, out: NDArray[np.int32]
) -> None:
    """Fill `out` with one row a sweep, after the burn-in."""
    state = generator.integers(0, layout.cardinalities)
    position = layout.offsets.copy()
    codes = np.repeat(state, np.diff(layout.pointer))
    np.add.at(position, layout.factor, layout.stride * codes)
    scratch = np.empty((min(burn_in, BLOCK), len(state)), dtype=np.int32)
    burned = [scratch[: burn_in - start] for start in range(0, burn_in, BLOCK)]
    kept = [out[start : start + BLOCK] for start in range(0, len(out), BLOCK)]
    for record in burned + kept:
        _sweep(layout, state, position, generator.random(record.shape), record)


@njit(cache=True, nogil=True)
def _sweep(
    layout: Layout,
    state: NDArray[np.int64],
    position: NDArray[np.int64],
    uniforms: NDArray[np.float64],
    record: NDArray[np.int32],
) -> None:
    """Resample every variable from its full conditional, once a row of `uniforms`.

    `position[f]` is where factor f's table stands at the current state, so a full
    conditional costs r_v look-ups a factor however large the clique is.
    """
    cardinalities, tables, _, pointer, factor, stride = layout
    weight = np.empty(cardinalities.max())
    for t in range(len(uniforms)):
        for v in range(len(state)):
            r, old = cardinalities[v], state[v]
            weight[:r] = 0.0
            for k in range(pointer[v], pointer[v + 1]):
                first = position[factor[k]] - stride[k] * old
                for s in range(r):
                    weight[s] += tables[first + stride[k] * s]
            top, total = weight[0], 0.0
            for s in range(1, r):
                top = max(top, weight[s])
            for s in range(r):
                weight[s] = np.exp(weight[s] - top)
                total += weight[s]
            target, new, mass = uniforms[t, v] * total, 0, weight[0]
            while mass <= target and new < r - 1:
                new += 1
                mass += weight[new]
            if new != old:
                state[v] = new
                for k in range(pointer[v], pointer[v + 1]):
                    position[factor[k]] += stride[k] * (new - old)
            record[t, v] = new
