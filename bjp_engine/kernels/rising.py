"""The log of a rising factorial, ln Γ(a + n) - ln Γ(a), as a whole number of small units.

All evidence is made of these. A table's odds are a sum of a dozen of them in which the large
parts cancel: with a million rows ln n! is 1.3e7, and a double keeps nine decimals of it. So
each value is rounded to a multiple of 2^-f and kept as the 64-bit integer v 2^f. Sums are exact,
in whatever order; where a sum on the way is too large it wraps around, and the end is right again
as long as it fits. f is the largest that leaves room for any odds of a dataset: 48 for 8000 rows
of two states.

By Stirling's formula ln Γ(z) = (z - ½) (ln z - 1) - ½ + ½ ln 2π + 1/12z - …. With ln z = c + d,
c a multiple of 2^-16, and z a whole number of halves and the rest, the large part is a product of
two whole numbers; what is left is so small that a double has all of its digits that count. Tables
hold what is computed without them, to the last bit: they only save time.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.compiled import bare, inlined

Whole = NDArray[np.int64]

# A table of this many entries (1 MB) stays in the second cache; larger n are computed.
MOST_ENTRIES = 1 << 17
_HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)
# Stirling's series with four terms is good to 1e-16 from here on.
_STIRLING_FROM = 16.0
# A start so many times as large as n, or beyond 2^31, is not subtracted from what it rises to.
_FAR, _MOST_START = 1024.0, float(1 << 31)
# ln z is looked up by the 11 leading bits of z.
_LEADING = 1024
_COARSE = 1 << 16
# Whole numbers in which these logs are worked out.
_EXACT = 1 << 120


def fraction_bits(largest: float) -> int:
    """f: how many bits remain for the fraction where sums are bounded by `largest`."""
    return 61 - math.ceil(math.log2(max(2.0, largest)))


def table_entries(largest: int) -> int:
    """How long a table for n = 0 … `largest` is: a power of two beyond it, 2^17 at most."""
    return min(1 << max(10, (largest + 64).bit_length()), MOST_ENTRIES)


@lru_cache(maxsize=1)
def leading_logs() -> NDArray[np.float64]:
    """ln q for q = 1024 … 2047 and, last, ln 2: a multiple of 2^-16 and the rest."""
    log_two = 18 * _arctanh(26) - 2 * _arctanh(4801) + 8 * _arctanh(8749)
    exact = [10 * log_two]
    for q in range(_LEADING, 2 * _LEADING - 1):
        exact.append(exact[-1] + 2 * _arctanh(2 * q + 1))
    exact.append(log_two)
    step = _EXACT // _COARSE
    coarse = [(value + step // 2) // step for value in exact]
    rest = [(v - c * step) / _EXACT for v, c in zip(exact, coarse, strict=True)]
    return np.array([[c / _COARSE for c in coarse], rest]).T.copy()


def _arctanh(m: int) -> int:
    """Artanh of 1 / m = 1 / m + 1 / 3m³ + 1 / 5m⁵ + …, in units of 2^-120."""
    power, total, k = _EXACT // m, 0, 1
    while power:
        total += power // k
        power //= m * m
        k += 2
    return total


@bare
def in_units(value, bits):  # type: ignore[no-untyped-def]
    """A double as a whole number of units of 2^-bits; it wraps around where it is too large."""
    floor = math.floor(value)
    unit = np.int64(1) << bits
    return np.int64(floor) * unit + np.int64(math.floor((value - floor) * unit + 0.5))


@bare
def fill_rising(table, logs, start, log_start, bits):  # type: ignore[no-untyped-def]
    """Fill in ln Γ(start + n) - ln Γ(start) for every n of a table."""
    origin = _origin(logs, start, log_start, bits)
    for n in range(len(table)):
        table[n] = _risen(logs, start, origin, n, bits)


@bare
def log_rising(logs, start, log_start, n, bits):  # type: ignore[no-untyped-def]
    """ln Γ(start + n) - ln Γ(start) in units; a start that underflows has its log all the same."""
    return _risen(logs, start, _origin(logs, start, log_start, bits), n, bits)


@bare
def _origin(logs, start, log_start, bits):  # type: ignore[no-untyped-def]
    """-ln Γ(start) in units, as ln(start) - ln Γ(start + 1); 0 where it isn't needed."""
    if start > _MOST_START:
        return np.int64(0)
    whole = np.floor(2.0 * start) / 2.0
    return in_units(log_start, bits) - _log_gamma(logs, whole + 1.0, start - whole, bits)


@inlined
def _risen(logs, start, origin, n, bits):  # type: ignore[no-untyped-def]
    """What start has risen to after n steps."""
    if n == 0:
        return np.int64(0)
    if start > _FAR * n or start > _MOST_START:
        return _risen_afar(logs, start, n, bits)
    whole = np.floor(2.0 * start) / 2.0
    return origin + _log_gamma(logs, whole + n, start - whole, bits)


@bare
def _log_gamma(logs, whole, part, bits):  # type: ignore[no-untyped-def]
    """ln Γ(whole + part) in units, from whole halves, at least 1, and what they leave."""
    below = 0.0
    if whole < _STIRLING_FROM:
        product = 1.0
        while whole < _STIRLING_FROM:
            product *= whole + part
            whole += 1.0
        below = math.log(product)
    z = whole + part
    coarse, rest = _log_in_parts(logs, z)
    # The last is what z has lost to rounding, times d/dz of (z - ½) ln z less the part in ln z.
    small = (z - 0.5) * rest + part * coarse - part + stirling_rest(z) + ((whole - z) + part)
    small += _HALF_LOG_TAU - 0.5 - below
    return _added(2.0 * whole - 1.0, coarse - 1.0, small, bits)


@bare
def _risen_afar(logs, start, n, bits):  # type: ignore[no-untyped-def]
    """ln Γ(start + n) - ln Γ(start) where ln Γ(start) would be much larger."""
    end, u = start + n, n / start
    rise = end - start
    lost = (start - (end - rise)) + (n - rise)
    coarse, rest = _log_in_parts(logs, end)
    rest += lost / end
    # (start - ½) ln(1 + u) - n, in which n = start u cancels.
    bend = u * u * _bend(u) if u < 1.0 / _LEADING else u - math.log1p(u)
    small = n * rest - u / 2 - (start - 0.5) * bend + stirling_rest(end) - stirling_rest(start)
    return _added(2.0 * n, coarse, small, bits)


@bare
def _added(halves, coarse, small, bits):  # type: ignore[no-untyped-def]
    """Half of halves · coarse, and what is small, in units: rounded only at the end."""
    product = np.int64(halves) * np.int64(coarse * _COARSE)
    # 17 bits of the product are its fraction.
    fraction = (product & (2 * _COARSE - 1)) * (0.5 / _COARSE)
    return (product >> 17 << bits) + in_units(small + fraction, bits)


@bare
def stirling_rest(z):  # type: ignore[no-untyped-def]
    """What Stirling's formula leaves out of ln Γ(z), to z^-9."""
    inverse = 1.0 / z
    w = inverse * inverse
    return (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w / 1680))) * inverse


@bare
def _bend(f):  # type: ignore[no-untyped-def]
    """(f - ln(1 + f)) / f² for f < 2^-10: f² times it is good to 2^-63."""
    return 1 / 2 - f * (1 / 3 - f * (1 / 4 - f * (1 / 5 - f / 6)))


@bare
def _log_in_parts(logs, z):  # type: ignore[no-untyped-def]
    """ln z as a multiple of 2^-16 and the rest: z = q 2^e (1 + f) with q of 11 bits."""
    exponent = 0
    while z >= 2.0 * _LEADING:
        z *= 0.5
        exponent += 1
    while z < _LEADING:
        z *= 2.0
        exponent -= 1
    q = np.int64(z)
    f = (z - q) / q
    coarse = logs[q - _LEADING, 0] + exponent * logs[_LEADING, 0]
    rest = logs[q - _LEADING, 1] + exponent * logs[_LEADING, 1]
    return coarse, rest + (f - f * f * _bend(f))


@bare
def rising_in(evidence, multiple, n):  # type: ignore[no-untyped-def]
    """ln Γ(γ m + n) - ln Γ(γ m) in units, m = `multiple`: from the table where it reaches."""
    table = evidence.table
    if evidence.gamma == 1.0 and multiple <= len(table):
        return log_factorial(evidence, n + multiple - 1) - table[multiple - 1]
    if multiple == 1 and n < len(table):
        return table[n]
    start = evidence.gamma * multiple
    return log_rising(evidence.logs, start, math.log(start), n, evidence.bits)


@bare
def log_factorial(evidence, k):  # type: ignore[no-untyped-def]
    """ln k! in units, which is what 1 has risen to."""
    if evidence.gamma == 1.0 and k < len(evidence.table):
        return evidence.table[k]
    return log_rising(evidence.logs, 1.0, 0.0, k, evidence.bits)
