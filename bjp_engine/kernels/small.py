"""Single tests of two states each and up to three variables given, without any array made.

In a sparse graph most tests are of this kind: when i gains an edge and moves back in ψ, each
variable that now comes before it must be tested against i, given a blanket of its own.
"""

from __future__ import annotations

import math

import numpy as np

from bjp_engine.kernels.compiled import bare, inlined
from bjp_engine.kernels.posterior import (
    DEPENDENT,
    INDEPENDENT,
    TINY,
    add_pair,
    log_dependent,
    silent,
    spread_prior,
    usual_prior,
)
from bjp_engine.kernels.vectors import ones

MOST_GIVEN = 3
# A count for each set of x, y and the variables given.
SCRATCH = 1 << (MOST_GIVEN + 2)


@bare
def small_assertion(table, evidence, x, blanket, y, scratch):  # type: ignore[no-untyped-def]
    """What a graph asserts of x and y: ln Pr given the blanket of x without y.

    Parameters
    ----------
    scratch : ndarray of int64, shape (SCRATCH,)
        Overwritten.

    Returns
    -------
    float
        NaN where the test is of another kind.
    """
    cards, first = table.cardinalities, table.planes.first
    planes = (first[y], first[x], np.int64(0), np.int64(0), np.int64(0))
    given, want = 0, INDEPENDENT
    usual = cards[x] == 2 and cards[y] == 2 and len(blanket) <= MOST_GIVEN + 1
    for at in range(len(blanket) if usual else 0, 0, -1):
        z = blanket[at - 1]
        usual = usual and cards[z] == 2
        if z == y:
            want = DEPENDENT
        else:
            planes = _placed(planes, given, first[z])
            given += 1
    usual = usual and given <= MOST_GIVEN and table.rows + 3 < len(evidence.table)
    if not usual or evidence.gamma != 1.0 or evidence.observed:
        return np.nan
    k = np.int64(1) << given
    prior = spread_prior(evidence.log_prior, float(k), math.log(float(k)))
    if not usual_prior(prior):
        return np.nan
    _count(table, planes, 4 * k, scratch)
    s = _doubt(evidence, prior, k, scratch)
    if want == INDEPENDENT:
        return 0.0 - s
    return log_dependent(s) if s >= TINY else np.nan


@inlined
def _placed(planes, at, plane):  # type: ignore[no-untyped-def]
    """The tuple with one more plane given."""
    y, x, a, b, c = planes
    if at == 0:
        return y, x, plane, b, c
    if at == 1:
        return y, x, a, plane, c
    return y, x, a, b, plane


@bare
def _count(table, planes, size, counts):  # type: ignore[no-untyped-def]
    """The cells: bit 0 of their number is y's state, bit 1 x's, the others those of Z."""
    words, pairs = table.planes.words, table.planes.pairs
    for m in range(size):
        p = q = r = s = t = np.int64(-1)
        for bit in range(5):
            if m >> bit & 1:
                p, q, r, s, t = planes[bit], p, q, r, s
        if p < 0:
            counts[m] = table.rows
        elif q < 0:
            counts[m] = pairs[p, p]
        elif r < 0:
            counts[m] = pairs[p, q]
        else:
            # What is absent is doubled: it intersects nothing away.
            counts[m] = _in_all(
                words[p], words[q], words[r], words[s if s >= 0 else r], words[t if t >= 0 else r]
            )
    bit = 1
    while bit < size:
        for m in range(size):
            if not m & bit:
                counts[m] -= counts[m | bit]
        bit *= 2


@bare
def _in_all(a, b, c, d, e):  # type: ignore[no-untyped-def]
    """The number of ones in the intersection of five planes."""
    count = 0
    for w in range(len(a)):
        count += ones(a[w] & b[w] & c[w] & d[w] & e[w])
    return count


@bare
def _doubt(evidence, prior, k, counts):  # type: ignore[no-untyped-def]
    """s, slice by slice."""
    log_odds, sums = prior.log_q - prior.log_p, (0.0, 0.0, 0)
    for at in range(0, 4 * k, 4):
        c = counts[at + 3]
        a, b = counts[at + 2] + c, counts[at + 1] + c
        sums = add_pair(evidence, sums, log_odds, counts[at] + counts[at + 1] + a, a, b, c)
    return sums[0] + math.log1p(sums[1]) + silent(prior, sums[2])
