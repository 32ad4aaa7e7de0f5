"""The odds of a slice where the prior of its cells is centred on independence (docs/theory.md §2).

A slice has n rows, cells c, and margins a and b over r_x and r_y states that occur in it. Let the
prior weigh A rows, and f(e, c) = ln Γ(Ae + c) - ln Γ(Ae) - c ln (A + n)e + c. Then

    ln odds = Σ f(ab / n², c) - Σ f(a / n, a) - Σ f(b / n, b) + f(1, n)

in which the powers of (A + n)e cancel: what is large never enters. The odds of both
A = κγ r_x r_y are averaged. Each f is rounded to a whole number of units as in `rising`, so sums
are exact in whatever order the cells are counted.
"""

from __future__ import annotations

import math

import numpy as np

from bjp_engine.kernels.compiled import bare, inlined
from bjp_engine.kernels.rising import log_factorial, stirling_rest

# Prior rows per cell, in units of γ: edges are strong or weak.
KAPPAS = 1.0, 8.0
# So many factors are taken out, so that Stirling's series is good to 1e-16.
_SHIFT = 16.0
# From a start so large Stirling's series is good without them, and steps are small against it.
_LARGE = 1e5


@bare
def _risen(start, count, end, scale):  # type: ignore[no-untyped-def]
    """ln Γ(start + count) - ln Γ(start) - count (ln end - 1), in units."""
    if count <= 3:
        product, factor = 1.0, 1.0 / end
        for i in range(count):
            product *= (start + i) * factor
        return np.int64(math.floor((math.log(product) + count) * scale + 0.5))
    if start < _LARGE:
        low, high = start + _SHIFT, start + count + _SHIFT
        value = (low - 0.5) * math.log(high / low)
        value += math.log(_factors(start) / _factors(start + count))
    else:
        low, high = start, start + count
        value = (low - 0.5) * math.log1p(count / low)
    value += count * math.log(high / end) + (stirling_rest(high) - stirling_rest(low))
    return np.int64(math.floor(value * scale + 0.5))


@inlined
def _factors(z):  # type: ignore[no-untyped-def]
    """Γ(z + 16) / Γ(z), in which z + i and z + 15 - i are multiplied first."""
    u = z * (z + 15.0)
    first, last = u * (u + 14.0) * ((u + 26.0) * (u + 36.0)), (u + 44.0) * (u + 50.0)
    return first * (last * ((u + 54.0) * (u + 56.0)))


@bare
def _add(units, weight, rows, share, count, scale):  # type: ignore[no-untyped-def]
    """Add f(share, count) to the sums of both κ."""
    a, b = units
    light, heavy = weight * KAPPAS[0], weight * KAPPAS[1]
    a += _risen(light * share, count, (light + rows) * share, scale)
    b += _risen(heavy * share, count, (heavy + rows) * share, scale)
    return a, b


@inlined
def _add_cell(units, weight, rows, a, b, count, scale):  # type: ignore[no-untyped-def]
    """The same for a cell with margins a and b."""
    if count == 0:
        return units
    share = (float(a) * float(b)) / (float(rows) * float(rows))
    return _add(units, weight, rows, share, count, scale)


@inlined
def _add_margin(units, weight, rows, count, scale):  # type: ignore[no-untyped-def]
    """The same for a margin, or for the whole."""
    if count == 0:
        return units
    return _add(units, weight, rows, float(count) / float(rows), count, scale)


@inlined
def _log_odds(cells, margins, scale):  # type: ignore[no-untyped-def]
    """ln odds by each κ."""
    return (cells[0] - margins[0]) / scale, (cells[1] - margins[1]) / scale


@bare
def log_mean(logs):  # type: ignore[no-untyped-def]
    """The log of the mean of two odds."""
    low, high = min(logs), max(logs)
    return high + math.log1p(math.exp(low - high)) - math.log(2.0)


@bare
def pair_odds(evidence, n, a, b, c):  # type: ignore[no-untyped-def]
    """ln odds of two by two cells: n rows, a and b in state 1 of x and of y, c in both."""
    if a == 0 or a == n or b == 0 or b == n:
        return 0.0
    scale, weight, none = 2.0**evidence.bits, 4.0 * evidence.gamma, np.int64(0)
    cells, margins = _add_margin((none, none), weight, n, n, scale), (none, none)
    cells = _add_cell(cells, weight, n, a, b, c, scale)
    cells = _add_cell(cells, weight, n, a, n - b, a - c, scale)
    cells = _add_cell(cells, weight, n, n - a, b, b - c, scale)
    cells = _add_cell(cells, weight, n, n - a, n - b, n - a - b + c, scale)
    for margin in (a, n - a, b, n - b):
        margins = _add_margin(margins, weight, n, margin, scale)
    return log_mean(_log_odds(cells, margins, scale))


@bare
def sparse_odds(evidence, keys, counts, ry, column):  # type: ignore[no-untyped-def]
    """ln of the slice's probability given its margins under independence, and ln odds by each κ.

    From the cells that occur; `column` is all zeros, before and after.
    """
    rows, rx, states, state = np.int64(0), 0, 0, np.int64(-1)
    for i in range(len(keys)):
        rx += keys[i] // ry != state
        state = keys[i] // ry
        states += column[keys[i] % ry] == 0
        column[keys[i] % ry] += counts[i]
        rows += counts[i]
    silent = rx < 2 or states < 2
    scale, weight, none = 2.0**evidence.bits, evidence.gamma * (rx * states), np.int64(0)
    cells, margins, given = (none, none), (none, none), -log_factorial(evidence, rows)
    begin, end = 0, 0
    while begin < len(keys):
        margin = np.int64(0)
        while end < len(keys) and keys[end] // ry == keys[begin] // ry:
            margin += counts[end]
            end += 1
        given += log_factorial(evidence, margin)
        margins = _add_margin(margins, weight, rows, margin, scale)
        for i in range(begin, end):
            b = column[keys[i] % ry]
            given -= log_factorial(evidence, counts[i])
            cells = _add_cell(cells, weight, rows, margin, b, counts[i], scale)
        begin = end
    for key in keys:
        b = column[key % ry]
        column[key % ry] = 0
        given += log_factorial(evidence, b)
        margins = _add_margin(margins, weight, rows, b, scale)
    cells = _add_margin(cells, weight, rows, rows, scale)
    return given / scale, (0.0, 0.0) if silent else _log_odds(cells, margins, scale)
