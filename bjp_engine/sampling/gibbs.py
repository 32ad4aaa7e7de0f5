"""Gibbs samples of a model: which full conditionals are worth a table, and the chains."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from itertools import accumulate
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bjp_engine.arrays import Bools
from bjp_engine.errors import OptionError, clip
from bjp_engine.kernels.gibbs import Conditionals, Integers, Layout, sweep, tabulate
from bjp_engine.sampling.elimination import Factor

if TYPE_CHECKING:
    from bjp_engine.sampling import MarkovModel

# Look-ups of a run that keeps no tables, up to a minute; a chain costs some before its first
# sweep.
MAX_LOOKUPS = 4 * 10**9
LOOKUPS_PER_CHAIN = 6000
# Uniforms drawn at once, to bound memory.
BLOCK = 1 << 15
# Entries of all tables together, 8 MB.
MAX_MASSES = 1 << 20
# How often a table's average entry must be read to be worth its making.
READS = 2
# Chains that are compared, at least; the sweeps of half a chain that this takes, and what R̂ of
# chains that agree stays below.
COMPARED, HALF, MOST_R_HAT = 4, 100, 1.2


def gibbs_rows(model: MarkovModel, rows: int, seed: int, burn_in: int, sweeps: int) -> NDArray[Any]:
    """The first rows of a stream of chains, one after another; says where the chains disagree."""
    cardinalities = model.cardinalities
    layout = lay_out(model.factors, cardinalities)
    chains, longest = -(-rows // sweeps), min(rows, sweeps)
    compared = sweeps >= 2 * HALF
    if compared:
        # Sweeps beyond the rows asked for are for the comparison.
        chains, longest = max(chains, COMPARED), max(longest, 2 * HALF)
    total = chains * (burn_in + longest) if compared else rows + chains * burn_in
    per_sweep = int((np.diff(layout.pointer) + 1) @ layout.cardinalities)
    if per_sweep * total + LOOKUPS_PER_CHAIN * chains > MAX_LOOKUPS:
        raise OptionError(
            f"rows={rows} with burn_in={burn_in} and sweeps={sweeps} would run for minutes; "
            "ask for fewer rows, fewer burn-in sweeps or longer chains."
        )
    conditionals = prepare(layout, model.adjacency, total)
    smallest = np.min_scalar_type(max(cardinalities) - 1)
    columns = np.empty((len(cardinalities), rows), dtype=smallest)
    # One type for any number of states: the kernel is compiled once.
    record = np.empty((len(cardinalities), longest), dtype=np.uint16)
    at_once = max(1, BLOCK // len(cardinalities))
    uniforms = np.empty((min(burn_in + longest, at_once), len(cardinalities)))
    starts, shares = _starts(cardinalities), []
    for chain, stream in enumerate(np.random.SeedSequence(seed).spawn(chains)):
        part = columns[:, chain * sweeps : (chain + 1) * sweeps]
        wanted = longest if compared else part.shape[1]
        generator = np.random.default_rng(stream)
        state = generator.integers(0, layout.cardinalities)
        for number in range(-burn_in, wanted, len(uniforms)):
            drawn = uniforms[: wanted - number]
            generator.random(out=drawn)
            sweep(layout, conditionals, state, drawn, record, number)
        part[:] = record[:, : part.shape[1]]
        for half in np.split(record[:, : longest // 2 * 2], 2, axis=1) if compared else ():
            every = np.bincount((half + starts[:-1, None]).ravel(), minlength=starts[-1])
            shares.append(every / half.shape[1])
    if compared:
        _compare(np.array(shares), longest // 2, np.repeat(model.names, cardinalities))
    return columns.T


def _compare(shares: NDArray[np.float64], sweeps: int, names: NDArray[Any]) -> None:
    """Warn where the halves of chains have other shares of a state than chains that agree."""
    within = (shares * (1 - shares)).mean(axis=0)
    between = shares.var(axis=0, ddof=1)
    moves = between > 0
    ratio = np.divide(between, within, out=np.full(len(within), math.inf), where=within > 0)
    r_hat = np.sqrt(1 - 1 / sweeps + np.where(moves, ratio, 0))
    worst = int(np.argmax(r_hat))
    if r_hat[worst] > MOST_R_HAT:
        low, high = shares[:, worst].min(), shares[:, worst].max()
        warnings.warn(
            f"The Gibbs chains disagree: a state of {clip(names[worst])} has the share {low:.2f} "
            f"in one and {high:.2f} in another (R̂ = {r_hat[worst]:.2f}, 1 where chains agree). "
            "The rows may be far from the model; use method='exact' where its tables are small "
            "enough, else fewer edges or longer chains.",
            stacklevel=3,
        )


def lay_out(factors: Sequence[Factor], cardinalities: Sequence[int]) -> Layout:
    """Lay the factors of a model out flat."""
    member = np.array([v for factor in factors for v in factor.variables], dtype=np.int64)
    strides = [stride for factor in factors for stride in factor.log_table.strides]
    widths = [len(factor.variables) for factor in factors]
    return Layout(
        cardinalities=np.array(cardinalities, dtype=np.int64),
        tables=np.concatenate([np.zeros(0), *(f.log_table.ravel() for f in factors)]),
        offsets=_starts([factor.log_table.size for factor in factors])[:-1],
        first=_starts(widths),
        member=member,
        stride=np.array(strides, dtype=np.int64) // np.dtype(np.float64).itemsize,
        pointer=_starts(np.bincount(member, minlength=len(cardinalities))),
        factor=np.repeat(np.arange(len(factors)), widths)[np.argsort(member, kind="stable")],
    )


def prepare(layout: Layout, adjacency: Bools, sweeps: int) -> Conditionals:
    """Choose the full conditionals of which so many sweeps are worth a table, and fill these."""
    states = layout.cardinalities.tolist()
    # Of each variable its own stride, and then each neighbour's; at last the size of the table.
    around = [[v, *np.flatnonzero(row).tolist()] for v, row in enumerate(adjacency)]
    strides = [list(accumulate((states[u] for u in us), mul, initial=1)) for us in around]
    sizes = np.array([min(of_one[-1], MAX_MASSES + 1) for of_one in strides])
    order = np.argsort(sizes, kind="stable")
    tabled = np.empty(len(order), dtype=np.bool_)
    tabled[order] = np.cumsum(sizes[order]) <= MAX_MASSES
    tabled &= READS * sizes <= sweeps * layout.cardinalities
    chosen = np.flatnonzero(tabled).tolist()
    start = _starts(np.where(tabled, sizes, layout.cardinalities))
    conditionals = Conditionals(
        tabled=tabled,
        masses=np.empty(start[-1]),
        start=start,
        pointer=_starts([len(us) - 1 if tabled[v] else 0 for v, us in enumerate(around)]),
        neighbour=np.array([u for v in chosen for u in around[v][1:]], dtype=np.int64),
        stride=np.array([one for v in chosen for one in strides[v][1:-1]], dtype=np.int64),
    )
    tabulate(layout, conditionals)
    return conditionals


def _starts(sizes: ArrayLike) -> Integers:
    """Where pieces of these sizes begin, laid one after another, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
