"""The tests of one variable x against several others, each counted the fastest way.

    laid out   the cells of all K slices, by masks or row by row (see `counting`)
    grouped    rows by the slices that occur, where there are more cells than rows
    small      one test of two states each and up to three variables given, without any array made:
               in a sparse graph, when i gains an edge and moves back in ψ, each variable that now
               comes before it must be tested against i, given a blanket of its own

All lead to the same tables, and evidence is added without rounding (see `rising`), so their
results agree to the last bit.
"""

from __future__ import annotations

import math

import numpy as np

from bjp_engine.kernels.compiled import bare, inlined, inner, ones
from bjp_engine.kernels.counting import (
    MOST_COUNTS,
    at_a_time,
    cells_of,
    dense_limit,
    fits,
    lay_out,
    occurring_cells,
    parts_of,
    shared_rows,
    strata,
    without,
)
from bjp_engine.kernels.evidence import (
    DEPENDENT,
    FEW,
    INDEPENDENT,
    TINY,
    add_pair,
    doubt_of,
    doubts_of_pairs,
    evidence_of_slices,
    few_place,
    log_dependent,
    log_dependent_tiny,
    open_slices,
    prepare,
    ratios_of,
    silent,
    spread_prior,
    usual_prior,
)
from bjp_engine.kernels.loops import copy
from bjp_engine.kernels.table import column, possible

# Variables given in a small test, which needs a count for each set of x, y and those given; the
# scratch holds their planes, with one too many, and the counts.
MOST_GIVEN = 3
_PLANES = MOST_GIVEN + 3
SCRATCH = _PLANES + (1 << (MOST_GIVEN + 2))


@inlined
def assertions(table, evidence, x, blanket, targets, out):  # type: ignore[no-untyped-def]
    """What a graph asserts of x and each target: ln Pr given the blanket of x; both ascending.

    Dependence given the rest of it is asserted of its members, independence given it of others.
    """
    # Members are put aside, behind the others.
    ordered, values = np.empty(len(targets), dtype=np.int64), np.empty(len(targets))
    free = 0
    for y in targets:
        if _place_of(y, blanket) < 0:
            ordered[free] = y
            free += 1
    want = np.int64(INDEPENDENT)
    cells = test_pairs(table, evidence, x, blanket, ordered[:free], want, values[:free])
    free = 0
    for t in range(len(targets)):
        place = _place_of(targets[t], blanket)
        if place < 0:
            out[t] = values[free]
            free += 1
        else:
            cells = _member(table, evidence, x, blanket, place, cells, out[t : t + 1])


@bare
def _place_of(y, blanket):  # type: ignore[no-untyped-def]
    """Where a blanket has a variable; -1 where it hasn't."""
    for at in range(len(blanket)):
        if blanket[at] == y:
            return at
    return -1


@inner
def test_pairs(table, evidence, x, given, targets, want, out):  # type: ignore[no-untyped-def]
    """ln Pr(x ⊥ y | Z), or of its negation, for several y outside Z.

    Returns the cells of (Z, x), where they were laid out on the way; else none.
    """
    cells = np.empty(0, dtype=np.int64)
    if len(targets) == 0:
        return cells
    if not fits(table, x, given, targets):
        _by_groups(table, evidence, x, given, targets, want, out)
        return cells
    many = at_a_time(table, x, given)
    for begin in range(0, len(targets), many):
        end = begin + many
        some = targets[begin:end]
        cells, within = lay_out(table, x, given, some)
        weigh_laid_out(table, evidence, cells, within, x, given, some, want, out[begin:end])
    return cells


@inlined
def _member(table, evidence, x, blanket, place, cells, out):  # type: ignore[no-untyped-def]
    """Dependence of x and blanket[place] given the rest; the cells of (B, x) are made once."""
    want, one = np.int64(DEPENDENT), blanket[place : place + 1]
    rest = np.empty(len(blanket) - 1, dtype=np.int64)
    copy(blanket[:place], rest)
    copy(blanket[place + 1 :], rest[place:])
    if len(cells) == 0:
        none = np.empty(0, dtype=np.int64)
        if fits(table, x, blanket, none):
            cells = lay_out(table, x, blanket, none)[0]
    if len(cells) == 0:
        _by_groups(table, evidence, x, rest, one, want, out)
    else:
        margin, within = without(table, cells, x, blanket, place)
        weigh_laid_out(table, evidence, margin, within, x, rest, one, want, out)
    return cells


@inner
def weigh_laid_out(table, evidence, counted, within, x, given, targets, want, out):  # type: ignore[no-untyped-def]
    """From the cells of all K slices."""
    cells = counted.reshape((-1, table.cardinalities[x]))
    slices, found = open_slices(cells), 0
    for n in slices.rows:
        found += n > 0
    prior = _prior(evidence, given, found)
    _posteriors(table, evidence, prior, cells, within, targets, slices, want, out)


@inner
def _posteriors(table, evidence, prior, cells, within, targets, slices, want, out):  # type: ignore[no-untyped-def]
    """ln Pr(x ⊥ y | Z), or of its negation, of several y."""
    begin, pairs = 0, cells.shape[1] == 2 and usual_prior(prior)
    for y in targets:
        pairs = pairs and table.cardinalities[y] == 2
    for n in slices.rows:
        pairs = pairs and n < len(evidence.table)
    if pairs:
        prepare(evidence, slices, cells)
        if evidence.centred:
            doubts_of_pairs(evidence, True, prior, cells, within, slices, out)
        else:
            doubts_of_pairs(evidence, False, prior, cells, within, slices, out)
    for t in range(len(targets)):
        ry = table.cardinalities[targets[t]]
        end = begin + ry - 1
        if pairs and want == INDEPENDENT:
            out[t] = 0.0 - out[t]
        elif pairs and out[t] >= TINY:
            out[t] = log_dependent(out[t])
        else:
            ratios = ratios_of(evidence, cells, within[begin:end], slices.rows)
            out[t] = _answer(prior, ratios, want)
        begin = end


@bare
def _answer(prior, ratios, want):  # type: ignore[no-untyped-def]
    """What is asked, from the ratios of all slices."""
    s = doubt_of(prior, ratios)
    if want == INDEPENDENT:
        return 0.0 - s
    return log_dependent(s) if s >= TINY else log_dependent_tiny(prior, ratios)


@bare
def _prior(evidence, given, found):  # type: ignore[no-untyped-def]
    """The prior over the possible configurations of a set, or over those that occur."""
    k, log_k = possible(evidence.states, given)
    if evidence.observed:
        k = float(max(1, found))
        log_k = math.log(k)
    return spread_prior(evidence.log_prior, k, log_k)


@inner
def _by_groups(table, evidence, x, given, targets, want, out):  # type: ignore[no-untyped-def]
    """With the rows grouped by those slices that hold more than one."""
    cards, rx = table.cardinalities, table.cardinalities[x]
    ids, found = strata(table, given)
    kept, ids, size = shared_rows(ids, found)
    prior = _prior(evidence, given, found)
    room = dense_limit(len(kept))
    counted, place = np.empty(0, dtype=np.int64), ids
    if size * rx <= room:
        counted, place = cells_of(column(table, x), rx, kept, ids, size)
    cells = counted.reshape((-1, rx))
    slices = open_slices(cells)
    counted_at_once = max(1, MOST_COUNTS // max(1, len(counted)))
    t = 0
    while t < len(targets):
        end = t
        while end < len(targets) and end - t < counted_at_once:
            if size * rx * cards[targets[end]] > room:
                break
            end += 1
        if end == t:
            keys, counts = occurring_cells(table, (x, targets[t]), kept, ids)
            of_pair = keys, counts, size, rx, cards[targets[t]]
            out[t] = _answer(prior, evidence_of_slices(evidence, *of_pair)[2], want)
            t += 1
            continue
        some = targets[t:end]
        within = parts_of(table, some, kept, place, len(counted))
        _posteriors(table, evidence, prior, cells, within, some, slices, want, out[t:end])
        t = end


# --- Small ----------------------------------------------------------------------------------------


@bare
def small_assertion(table, evidence, x, blanket, y, scratch):  # type: ignore[no-untyped-def]
    """What a graph asserts of x and y given the blanket of x; NaN where the test isn't small.

    The scratch, shape (SCRATCH,), is overwritten.
    """
    cards, first = table.cardinalities, table.planes.first
    planes, counts = scratch[:_PLANES], scratch[_PLANES:]
    planes[0], planes[1] = first[y], first[x]
    given, want = 0, INDEPENDENT
    usual = cards[x] == 2 and cards[y] == 2 and len(blanket) <= MOST_GIVEN + 1
    for at in range(len(blanket) if usual else 0, 0, -1):
        z = blanket[at - 1]
        usual = usual and cards[z] == 2 and evidence.states[z] == 2
        if z == y:
            want = DEPENDENT
        else:
            planes[2 + given] = first[z]
            given += 1
    usual = usual and given <= MOST_GIVEN and table.rows + 3 < len(evidence.table)
    if not usual or evidence.gamma != 1.0 or evidence.observed:
        return np.nan
    k = np.int64(1) << given
    prior = spread_prior(evidence.log_prior, float(k), math.log(float(k)))
    if not usual_prior(prior):
        return np.nan
    _count_small(table, planes, 4 * k, counts)
    if evidence.centred:
        s = _doubt_small(evidence, True, prior, k, counts)
    else:
        s = _doubt_small(evidence, False, prior, k, counts)
    if want == INDEPENDENT:
        return 0.0 - s
    return log_dependent(s) if s >= TINY else np.nan


@bare
def _count_small(table, planes, size, counts):  # type: ignore[no-untyped-def]
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


@inlined
def _doubt_small(evidence, centred, prior, k, counts):  # type: ignore[no-untyped-def]
    """s, slice by slice; γ is 1, so that ρ(m, n) = ln (m + n - 1)! - ln (m - 1)!."""
    table, log_odds = evidence.table, prior.log_q - prior.log_p
    unit, odds, sums = 0.5**evidence.bits, math.exp(log_odds), (0.0, 0.0, 0)
    for at in range(0, 4 * k, 4):
        c = counts[at + 3]
        a, b = counts[at + 2] + c, counts[at + 1] + c
        n = counts[at] + counts[at + 1] + a
        place, fixed = np.int64(-1), np.int64(0)
        if n <= FEW:
            place = few_place(n, a)
        elif not centred:
            fixed = table[3] + 2 * table[n + 1] - table[n + 3] - table[a] - table[n - a]
        prepared = place, fixed
        sums = add_pair(evidence, centred, unit, sums, log_odds, odds, prepared, n, a, b, c)
    return sums[0] + math.log1p(sums[1]) + silent(prior, sums[2])
