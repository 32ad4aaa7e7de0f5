"""All graphs on a few variables, each scored by one look-up a variable (docs/theory.md §4).

A graph is a number: bit p is the p-th pair (i, j), i < j, in lexicographic order. What a
variable adds to a score depends on its blanket, and for BJP on which variables come later in
ψ: both are sets of variables, so a table over pairs of sets answers for all graphs.
"""

from __future__ import annotations

import numpy as np

from bjp_engine.kernels.board import added
from bjp_engine.kernels.compiled import bare, borrowed, inner, kernel, ones
from bjp_engine.kernels.evidence import DEPENDENT, INDEPENDENT, TINY, log_dependent
from bjp_engine.kernels.loops import fill
from bjp_engine.kernels.pairwise import test_pairs


@inner
def members_of(mask, n):  # type: ignore[no-untyped-def]
    """The variables of a set, ascending."""
    members = np.empty(n, dtype=np.int64)
    found = 0
    for v in range(n):
        if mask >> v & 1:
            members[found] = v
            found += 1
    return members[:found]


@kernel
def every_test(table, evidence, begin, end, values):  # type: ignore[no-untyped-def]
    """Fill ln Pr of independence [x, y, 0, Z] and dependence [x, y, 1, Z] for the sets of a range.

    Returns how many tests were made.
    """
    table, evidence = borrowed(table), borrowed(evidence)
    n, made = len(table.cardinalities), 0
    for mask in range(begin, end):
        given, free = members_of(mask, n), members_of(~mask, n)
        for at in range(len(free) - 1):
            x, later = free[at], free[at + 1 :]
            out, dependent = np.empty(len(later)), np.empty(len(later))
            test_pairs(table, evidence, x, given, later, np.int64(INDEPENDENT), out)
            for t in range(len(later)):
                # Only where it is next to nothing must -ln Pr be looked at more closely.
                if -out[t] >= TINY:
                    dependent[t] = log_dependent(-out[t])
                else:
                    one, want = later[t : t + 1], np.int64(DEPENDENT)
                    test_pairs(table, evidence, x, given, one, want, dependent[t : t + 1])
                y = later[t]
                values[x, y, 0, mask] = values[y, x, 0, mask] = out[t]
                values[x, y, 1, mask] = values[y, x, 1, mask] = dependent[t]
            made += len(later)
    return made


@kernel
def row_sums(values, sums):  # type: ignore[no-untyped-def]
    """What variable x adds, [x, blanket, computed], where a set of others is computed from x."""
    n = len(values)
    for x in range(n):
        for mask in range(1 << n):
            if mask >> x & 1:
                continue
            for computed in range(1 << n):
                total, lost = 0.0, 0.0
                for y in range(n):
                    if y == x or not computed >> y & 1:
                        continue
                    adjacent = mask >> y & 1
                    value = values[x, y, adjacent, mask & ~(1 << y)]
                    total, lost = added(total, lost, value)
                sums[x, mask, computed] = total + lost


@kernel
def sum_of_rows(sums, which, scores):  # type: ignore[no-untyped-def]
    """Each graph's score: the sum over its variables of sums[x, which[x, graph]]."""
    n = len(sums)
    for g in range(len(scores)):
        total, lost = 0.0, 0.0
        for x in range(n):
            total, lost = added(total, lost, sums[x, which[x, g]])
        scores[g] = total + lost


@kernel
def near_scores(values, odds, both_ends, first, scores):  # type: ignore[no-untyped-def]
    """The scores of the graphs from number `first` on, by tests given near neighbours alone."""
    n = len(odds)
    neighbours = np.empty(n, dtype=np.int64)
    for g in range(len(scores)):
        fill(neighbours, np.int64(0))
        p, total = 0, 0.0
        for x in range(n):
            for y in range(x + 1, n):
                if (first + g) >> p & 1:
                    neighbours[x] |= 1 << y
                    neighbours[y] |= 1 << x
                p += 1
        for x in range(n):
            for y in range(x + 1, n):
                edge = neighbours[x] >> y & 1
                if edge:
                    total += odds[x, y]
                # ψ: ascending degree, ties by index.
                x_first = ones(neighbours[x]) <= ones(neighbours[y])
                if both_ends or x_first:
                    given = neighbours[x] & ~(1 << y) & _reached(neighbours, x, y)
                    total += values[x, y, edge, given]
                if both_ends or not x_first:
                    given = neighbours[y] & ~(1 << x) & _reached(neighbours, y, x)
                    total += values[x, y, edge, given]
        scores[g] = total


@bare
def _reached(neighbours, x, y):  # type: ignore[no-untyped-def]
    """The set of variables that y reaches without passing x."""
    found = fresh = np.int64(1) << y
    while fresh:
        more = np.int64(0)
        for v in range(len(neighbours)):
            if fresh >> v & 1:
                more |= neighbours[v]
        fresh = more & ~found & ~(np.int64(1) << x)
        found |= fresh
    return found
