"""The log of a rising factorial, ln Γ(a + n) - ln Γ(a), as a whole number of small units.

All evidence is made of these. A table's odds are a sum of a dozen of them in which the large
parts cancel: with a million rows ln n! is 1.3e7, and a double keeps nine decimals of it. So
each value is rounded once, to a multiple of 2^-f, and kept as the 64-bit integer v 2^f. Sums
are exact, in whatever order; where a sum on the way is too large it wraps around, and the end
is right again as long as it fits. f is the largest that leaves room for any odds of a dataset:
48 for 8000 rows of two states.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.compiled import inner

Whole = NDArray[np.int64]

# A table of this many entries (1 MB) stays in the second cache; larger n are computed.
MOST_ENTRIES = 1 << 17
_HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)
# Stirling's series with four terms is good to 1e-16 from here on.
_STIRLING_FROM = 16.0
# Below this ln Γ(a) is -ln a to the last bit.
_VANISHING = 1e-17
# ln k is looked up by the 11 leading bits of k; a multiple of 2^-16 times k is exact.
_LEADING = 1024
_COARSE = 1 << 16


def fraction_bits(largest: float) -> int:
    """f: how many bits remain for the fraction of values up to a size.

    Parameters
    ----------
    largest : float
        A bound on what sums come to.

    Returns
    -------
    int
    """
    return 61 - math.ceil(math.log2(max(2.0, largest)))


def table_entries(largest: int) -> int:
    """How long a table for n = 0 … `largest` is.

    Parameters
    ----------
    largest : int

    Returns
    -------
    int
        A power of two beyond it, but 2^17 at most.
    """
    return min(1 << max(10, (largest + 64).bit_length()), MOST_ENTRIES)


@lru_cache(maxsize=1)
def leading_logs() -> NDArray[np.float64]:
    """ln q for q = 1024 … 2047 and, last, ln 2: a multiple of 2^-16 and the rest.

    Returns
    -------
    ndarray of float, shape (1025, 2)
    """
    with localcontext() as context:
        context.prec = 40
        exact = [Decimal(q).ln() for q in (*range(_LEADING, 2 * _LEADING), 2)]
        coarse = [round(value * _COARSE) / _COARSE for value in exact]
        rest = [float(v - Decimal(c)) for v, c in zip(exact, coarse, strict=True)]
    return np.array([coarse, rest]).T.copy()


@inner
def in_units(value, bits):  # type: ignore[no-untyped-def]
    """A double as a whole number of units of 2^-bits; it wraps around where it is too large."""
    floor = math.floor(value)
    unit = np.int64(1) << bits
    return np.int64(floor) * unit + np.int64(math.floor((value - floor) * unit + 0.5))


@inner
def fill_rising(table, start, log_start, bits):  # type: ignore[no-untyped-def]
    """Add up the logs of start, start + 1, …; what rounding takes from the sum is kept."""
    total, lost = 0.0, 0.0
    for n in range(len(table)):
        floor = math.floor(total)
        table[n] = in_units(floor, bits) + in_units((total - floor) + lost, bits)
        value = math.log(start + n) if n > 0 else log_start
        raised = total + value
        if abs(total) >= abs(value):
            lost += (total - raised) + value
        else:
            lost += (value - raised) + total
        total = raised


@inner
def log_rising(start, log_start, n):  # type: ignore[no-untyped-def]
    """ln Γ(start + n) - ln Γ(start), digits kept where start is huge or vanishes."""
    if n == 0:
        return 0.0
    if start < _VANISHING:
        return math.lgamma(float(n)) + log_start
    if start < _STIRLING_FROM:
        return math.lgamma(start + n) - math.lgamma(start)
    end = start + n
    main = (start - 0.5) * math.log1p(n / start) + n * math.log(end) - n
    return main + _stirling_rest(end) - _stirling_rest(start)


@inner
def _stirling_rest(z):  # type: ignore[no-untyped-def]
    """What Stirling's formula leaves out of ln Γ(z), to z^-9."""
    w = 1.0 / (z * z)
    return (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w / 1680))) / z


@inner
def rising_in(evidence, multiple, n):  # type: ignore[no-untyped-def]
    """ln Γ(γ m + n) - ln Γ(γ m) in units, m = `multiple`: from the table where it reaches."""
    table = evidence.table
    if evidence.gamma == 1.0:
        if multiple > len(table):
            return _risen_from(evidence, multiple, n)
        return _log_factorial(evidence, n + multiple - 1) - _log_factorial(evidence, multiple - 1)
    if multiple == 1 and n < len(table):
        return table[n]
    start = evidence.gamma * multiple
    return in_units(log_rising(start, math.log(start), n), evidence.bits)


@inner
def _log_factorial(evidence, k):  # type: ignore[no-untyped-def]
    """ln k! in units; beyond the table by Stirling's formula, with ln k to 19 digits."""
    if k < len(evidence.table):
        return evidence.table[k]
    coarse, rest = _log_whole(evidence.logs, k)
    small = (k + 0.5) * rest + _HALF_LOG_TAU + _stirling_rest(float(k))
    return in_units((k + 0.5) * coarse - k, evidence.bits) + in_units(small, evidence.bits)


@inner
def _risen_from(evidence, m, n):  # type: ignore[no-untyped-def]
    """ln (m + n - 1)! - ln (m - 1)! in units, for an m beyond the table."""
    if n == 0:
        return np.int64(0)
    end = m + n
    coarse, rest = _log_whole(evidence.logs, end)
    small = (m - 0.5) * math.log1p(n / m) - n + n * rest
    small += _stirling_rest(float(end)) - _stirling_rest(float(m))
    return in_units(n * coarse, evidence.bits) + in_units(small, evidence.bits)


@inner
def _log_whole(logs, k):  # type: ignore[no-untyped-def]
    """ln k as a multiple of 2^-16 and the rest: k = q 2^e (1 + f) with q of 11 bits."""
    exponent = 0
    q = k
    while q >= 2 * _LEADING:
        q >>= 1
        exponent += 1
    whole = q << exponent
    f = (k - whole) / whole
    # ln(1 + f) for f < 2^-10, to 2^-63.
    series = f - f * f * (1 / 2 - f * (1 / 3 - f * (1 / 4 - f * (1 / 5 - f / 6))))
    coarse = logs[q - _LEADING, 0] + exponent * logs[_LEADING, 0]
    return coarse, logs[q - _LEADING, 1] + exponent * logs[_LEADING, 1] + series
