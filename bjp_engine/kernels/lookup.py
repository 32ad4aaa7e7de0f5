"""All graphs on a few variables, each scored by one look-up a variable (docs/theory.md §4).

A graph is a number: bit p is the p-th pair (i, j), i < j, in lexicographic order. What a
variable adds to a score depends on its blanket, and for BJP on which variables come later in
ψ: both are sets of variables, so a table over pairs of sets answers for all graphs.
"""

from __future__ import annotations

import numpy as np

from bjp_engine.kernels.cells import begin_anew, borrow_table
from bjp_engine.kernels.compiled import inner, kernel
from bjp_engine.kernels.local import borrow_prior, local_score
from bjp_engine.kernels.posterior import DEPENDENT, INDEPENDENT, TINY, log_dependent
from bjp_engine.kernels.slices import borrow_evidence
from bjp_engine.kernels.tests import tests


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


@inner
def both_answers(table, evidence, x, given, targets, out, dependent):  # type: ignore[no-untyped-def]
    """ln Pr of independence of x and each target, and of dependence, given a set."""
    begin_anew(table)
    tests(table, evidence, x, given, targets, np.int64(INDEPENDENT), out)
    for t in range(len(targets)):
        # Only where it is next to nothing must -ln Pr be looked at more closely.
        dependent[t] = log_dependent(-out[t]) if -out[t] >= TINY else np.nan
        if np.isnan(dependent[t]):
            one = dependent[t : t + 1]
            tests(table, evidence, x, given, targets[t : t + 1], np.int64(DEPENDENT), one)


@kernel
def every_test(table, evidence, begin, end, values):  # type: ignore[no-untyped-def]
    """Fill ln Pr of independence [x, y, 0, Z] and dependence [x, y, 1, Z] for sets Z.

    Returns
    -------
    int
        How many tests were made.
    """
    table, evidence = borrow_table(table), borrow_evidence(evidence)
    n, made = len(table.cardinalities), 0
    for mask in range(begin, end):
        given = members_of(mask, n)
        free = members_of(~mask, n)
        for at in range(len(free) - 1):
            x, later = free[at], free[at + 1 :]
            out, dependent = np.empty(len(later)), np.empty(len(later))
            both_answers(table, evidence, x, given, later, out, dependent)
            for t in range(len(later)):
                values[x, later[t], 0, mask] = values[later[t], x, 0, mask] = out[t]
                values[x, later[t], 1, mask] = values[later[t], x, 1, mask] = dependent[t]
            made += len(later)
    return made


@kernel
def every_row(table, evidence, begin, end, values):  # type: ignore[no-untyped-def]
    """Add what variables assert [x, B] as far as tests given the sets of a range tell it.

    Independence of x and y is tested given the blanket of x, dependence given that without y;
    so each test adds to the rows of both, and after all 2^n sets every row is complete.

    Returns
    -------
    int
        How many tests were made.
    """
    table, evidence = borrow_table(table), borrow_evidence(evidence)
    n, made = len(table.cardinalities), 0
    for mask in range(begin, end):
        given = members_of(mask, n)
        free = members_of(~mask, n)
        for at in range(len(free) - 1):
            x, later = free[at], free[at + 1 :]
            out, dependent = np.empty(len(later)), np.empty(len(later))
            both_answers(table, evidence, x, given, later, out, dependent)
            for t in range(len(later)):
                y = later[t]
                values[x, mask] += out[t]
                values[y, mask] += out[t]
                values[x, mask | 1 << y] += dependent[t]
                values[y, mask | 1 << x] += dependent[t]
            made += len(later)
    return made


@kernel
def every_local_score(table, prior, values):  # type: ignore[no-untyped-def]
    """Fill the local score [j, Z] of every variable given every set of others.

    Returns
    -------
    int
        How many were computed.
    """
    table, prior = borrow_table(table), borrow_prior(prior)
    n, made = len(table.cardinalities), 0
    for j in range(n):
        for mask in range(1 << n):
            if not mask >> j & 1:
                begin_anew(table)
                values[j, mask] = local_score(table, prior, j, members_of(mask, n))
                made += 1
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
                    raised = total + value
                    rest = raised - total
                    lost += (total - (raised - rest)) + (value - rest)
                    total = raised
                sums[x, mask, computed] = total + lost


@kernel
def sum_of_rows(sums, which, scores):  # type: ignore[no-untyped-def]
    """Each graph's score: the sum over its variables of sums[x, which[x, graph]]."""
    n = len(sums)
    for g in range(len(scores)):
        total, lost = 0.0, 0.0
        for x in range(n):
            value = sums[x, which[x, g]]
            raised = total + value
            rest = raised - total
            lost += (total - (raised - rest)) + (value - rest)
            total = raised
        scores[g] = total + lost
