"""All graphs on a few variables, each scored by one look-up a variable (docs/theory.md §4).

A graph is a number: bit p is the p-th pair (i, j), i < j, in lexicographic order. What a
variable adds to a score depends on its blanket, and for BJP on which variables come later in
ψ: both are sets of variables, so a table over pairs of sets answers for all graphs.

The local scores of all blankets come from the evidence of every set of variables. With
α(S) = N_ess / Π_{v ∈ S} r_v, ρ(α, n) = ln Γ(α + n) - ln Γ(α) and n_c the rows in configuration c
of the set S, let A(S) = Σ_c ρ(α(S), n_c). The part of variable j given B (see `local`) adds ρ(α, n)
over the cells of B ∪ {j} with α = N_ess / (r_j q_j) = α(B ∪ {j}), and takes off ρ(r_j α, n) over
those of B with r_j α = α(B). So it is A(B ∪ {j}) - A(B), and 2^n sets answer for n 2^(n-1) scores.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.compiled import bare, inlined, inner, kernel
from bjp_engine.kernels.counting import fits, lay_out
from bjp_engine.kernels.evidence import DEPENDENT, INDEPENDENT, TINY, Evidence, log_dependent
from bjp_engine.kernels.groups import strata
from bjp_engine.kernels.intrinsics import borrowed
from bjp_engine.kernels.local import Prior, local_scores, risen, table_of
from bjp_engine.kernels.table import Table, begin_anew, possible
from bjp_engine.kernels.tests import tests

Floats = NDArray[np.float64]


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


@inlined
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


def every_test(table: Table, evidence: Evidence, begin: int, end: int, values: Floats) -> int:
    """Fill ln Pr of independence [x, y, 0, Z] and dependence [x, y, 1, Z] for the sets of a range.

    Returns how many tests were made.
    """
    return int(_tests_given(table, evidence, begin, end, values, np.empty((0, 0))))


def every_row(table: Table, evidence: Evidence, begin: int, end: int, rows: Floats) -> int:
    """Add what variables assert [x, B] as far as tests given the sets of a range tell it.

    Independence of x and y is tested given the blanket of x, dependence given that without y;
    so each test adds to the rows of both, and after all 2^n sets every row is complete.
    Returns how many tests were made.
    """
    return int(_tests_given(table, evidence, begin, end, np.empty((0, 0, 0, 0)), rows))


@kernel
def _tests_given(table, evidence, begin, end, values, rows):  # type: ignore[no-untyped-def]
    """Make all tests given the sets of a range, for one of the two above."""
    table, evidence = borrowed(table), borrowed(evidence)
    n, made = len(table.cardinalities), 0
    for mask in range(begin, end):
        given, free = members_of(mask, n), members_of(~mask, n)
        for at in range(len(free) - 1):
            x, later = free[at], free[at + 1 :]
            out, dependent = np.empty(len(later)), np.empty(len(later))
            both_answers(table, evidence, x, given, later, out, dependent)
            for t in range(len(later)):
                y = later[t]
                if values.size > 0:
                    values[x, y, 0, mask] = values[y, x, 0, mask] = out[t]
                    values[x, y, 1, mask] = values[y, x, 1, mask] = dependent[t]
                if rows.size > 0:
                    rows[x, mask] += out[t]
                    rows[y, mask] += out[t]
                    rows[x, mask | 1 << y] += dependent[t]
                    rows[y, mask | 1 << x] += dependent[t]
            made += len(later)
    return made


def every_local_score(table: Table, prior: Prior, values: Floats) -> int:
    """Fill the local score [j, Z] of every variable given every set of others; how many."""
    n = len(values)
    blankets = (np.arange(1 << n)[:, None] >> np.arange(n) & 1).astype(np.bool_)
    for j in range(n):
        masks = np.flatnonzero(~blankets[:, j])
        scores = np.empty(len(masks))
        local_scores(table, prior, np.full(len(masks), j), blankets[masks], scores)
        values[j, masks] = scores
    return n << n - 1


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


@kernel
def near_scores(values, odds, both_ends, first, scores):  # type: ignore[no-untyped-def]
    """The scores of the graphs from number `first` on, by tests given near neighbours alone."""
    n = len(odds)
    neighbours, degree = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for g in range(len(scores)):
        for x in range(n):
            neighbours[x] = degree[x] = 0
        p, total = 0, 0.0
        for x in range(n):
            for y in range(x + 1, n):
                if (first + g) >> p & 1:
                    neighbours[x] |= 1 << y
                    neighbours[y] |= 1 << x
                    degree[x] += 1
                    degree[y] += 1
                p += 1
        for x in range(n):
            for y in range(x + 1, n):
                edge = neighbours[x] >> y & 1
                if edge:
                    total += odds[x, y]
                # ψ: ascending degree, ties by index.
                if both_ends or degree[x] <= degree[y]:
                    given = neighbours[x] & ~(1 << y) & _reached(neighbours, x, y)
                    total += values[x, y, edge, given]
                if both_ends or degree[x] > degree[y]:
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


@kernel
def every_set(table, prior, begin, end, units):  # type: ignore[no-untyped-def]
    """Fill A(S), in units of 2^-bits, of the sets with masks from `begin` to `end`."""
    table, prior = borrowed(table), borrowed(prior)
    n = len(table.cardinalities)
    for mask in range(begin, end):
        begin_anew(table)
        members = members_of(mask, n)
        k, log_k = possible(table.cardinalities, members)
        log_alpha = prior.log_ess - (np.log(k) if k < np.inf else log_k)
        place = table_of(prior, log_alpha)
        total = np.int64(0)
        for rows in _rows_of(table, members):
            if rows > 0:
                # Whole numbers wrap around; the difference of two sets is right again.
                total += risen(prior, place, log_alpha, rows)
        units[mask] = total


@inner
def _rows_of(table, members):  # type: ignore[no-untyped-def]
    """How many rows are in each configuration of a set, or in each that occurs."""
    none = np.empty(0, dtype=np.int64)
    last = len(members) - 1
    if last >= 0 and fits(table, members[last], members[:last], none):
        return lay_out(table, members[last], members[:last], none)[0][0]
    groups, size = strata(table, members)
    counts = np.zeros(size, dtype=np.int64)
    for i in range(len(groups)):
        counts[groups[i]] += 1
    return counts
