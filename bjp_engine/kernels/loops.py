"""What kernels do to whole arrays, as plain loops.

Numba compiles numpy's own ways (an assigned slice, `sum`, `flatnonzero`) with the messages of
all errors that they could raise, once in every kernel.
"""

from __future__ import annotations

import numpy as np

from bjp_engine.kernels.compiled import bare, inner


@bare
def copy(source, target):  # type: ignore[no-untyped-def]
    """Write an array over the beginning of another."""
    for k in range(len(source)):
        target[k] = source[k]


@bare
def fill(target, value):  # type: ignore[no-untyped-def]
    """Write one value everywhere."""
    for k in range(len(target)):
        target[k] = value


@bare
def sum_of(values):  # type: ignore[no-untyped-def]
    """The sum of whole numbers."""
    count = np.int64(0)
    for value in values:
        count += value
    return count


@bare
def product_of(x, y):  # type: ignore[no-untyped-def]
    """The sum of products over the first array, four at a time."""
    a = b = c = d = 0.0
    whole = len(x) // 4 * 4
    for r in range(0, whole, 4):
        a += x[r] * y[r]
        b += x[r + 1] * y[r + 1]
        c += x[r + 2] * y[r + 2]
        d += x[r + 3] * y[r + 3]
    for r in range(whole, len(x)):
        a += x[r] * y[r]
    return (a + b) + (c + d)


@bare
def least_of(values):  # type: ignore[no-untyped-def]
    """The least of some numbers, none of them NaN; four at a time."""
    a = b = c = d = np.inf
    whole = len(values) // 4 * 4
    for k in range(0, whole, 4):
        a = values[k] if values[k] < a else a
        b = values[k + 1] if values[k + 1] < b else b
        c = values[k + 2] if values[k + 2] < c else c
        d = values[k + 3] if values[k + 3] < d else d
    for k in range(whole, len(values)):
        a = values[k] if values[k] < a else a
    return min(a, b, c, d)


@inner
def places(flags):  # type: ignore[no-untyped-def]
    """Where flags are set, ascending."""
    found, end = np.empty(len(flags), dtype=np.int64), 0
    for k in range(len(flags)):
        if flags[k]:
            found[end] = k
            end += 1
    return found[:end]


@inner
def others(flags, but):  # type: ignore[no-untyped-def]
    """Where flags are not set, ascending, and not at one place."""
    free = np.empty(len(flags), dtype=np.bool_)
    for k in range(len(flags)):
        free[k] = not flags[k] and k != but
    return places(free)


@inner
def row_numbers(rows):  # type: ignore[no-untyped-def]
    """The numbers of all rows, ascending."""
    numbers = np.empty(rows, dtype=np.int32)
    for i in range(rows):
        numbers[i] = i
    return numbers


# Scores that differ by less, relative to their size, are equal but for rounding.
TIE = 1e-12


@bare
def better(value, other):  # type: ignore[no-untyped-def]
    """Whether a score is greater than another by more than rounding."""
    return value - other > TIE * max(abs(value), abs(other))
