"""A model's factors as flat arrays, for kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bjp_engine.sampling.factor import Factor

Integers = NDArray[np.int64]


class Layout(NamedTuple):
    """A model's factors as flat arrays (compressed sparse rows).

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
    stride : ndarray of int
        How far apart neighbouring states of v are in the table of `factor[k]`.
    first : ndarray of int, shape (factors + 1,)
        Factor f is over the variables `member[i]` for i from first[f] to first[f + 1].
    """

    cardinalities: Integers
    tables: NDArray[np.float64]
    offsets: Integers
    pointer: Integers
    factor: Integers
    stride: Integers
    first: Integers
    member: Integers


def lay_out(factors: Sequence[Factor], cardinalities: Sequence[int]) -> Layout:
    """Lay the factors of a model out flat."""
    member = np.array([v for factor in factors for v in factor.variables], dtype=np.int64)
    strides = [stride for factor in factors for stride in factor.log_table.strides]
    widths = [len(factor.variables) for factor in factors]
    by_variable = np.argsort(member, kind="stable")
    return Layout(
        cardinalities=np.array(cardinalities, dtype=np.int64),
        tables=np.concatenate([np.zeros(0), *(f.log_table.ravel() for f in factors)]),
        offsets=starts([factor.log_table.size for factor in factors])[:-1],
        pointer=starts(np.bincount(member, minlength=len(cardinalities))),
        factor=np.repeat(np.arange(len(factors)), widths)[by_variable],
        stride=np.array(strides, dtype=np.int64)[by_variable] // np.dtype(np.float64).itemsize,
        first=starts(widths),
        member=member,
    )


def starts(sizes: ArrayLike) -> Integers:
    """Where pieces of these sizes begin, laid one after another, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
