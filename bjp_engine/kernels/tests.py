"""The tests of one variable x against several others, each counted the fastest way.

The ways of counting (see `cells` and `strata`) lead to the same tables, and evidence is added
without rounding (see `rising`), so their results agree to the last bit.
"""

from __future__ import annotations

import math

import numpy as np

from bjp_engine.kernels.across import all_across, suits
from bjp_engine.kernels.cells import begin_anew, column, possible, zeros
from bjp_engine.kernels.compiled import bare, inlined, inner
from bjp_engine.kernels.layout import MOST_COUNTS, at_a_time, dense_limit, fits, lay_out, without
from bjp_engine.kernels.plain import copy, row_numbers
from bjp_engine.kernels.posterior import (
    DEPENDENT,
    INDEPENDENT,
    TINY,
    doubt_of,
    doubts_of,
    log_dependent,
    log_dependent_tiny,
    spread_prior,
    usual_prior,
)
from bjp_engine.kernels.slices import evidence_of_slices, fill_ratios, open_slices, prepare
from bjp_engine.kernels.strata import (
    cells_of,
    numbered,
    parts_of,
    shared_rows,
    sparse_cells,
    strata,
)


@inlined
def assertions(table, evidence, x, blanket, targets, out):  # type: ignore[no-untyped-def]
    """What a graph asserts of x and each target: ln Pr given the blanket of x.

    Parameters
    ----------
    blanket : ndarray of int64, ascending
        B, the neighbours of x.
    targets : ndarray of int64, ascending
        Dependence given the rest of B is asserted of its members, independence given B of others.
    out : ndarray of float
        Filled, one value a target.
    """
    # Members are put aside, behind the others.
    begin_anew(table)
    ordered, values = zeros(table, np.int64(1), np.int64(len(targets)))[0], np.empty(len(targets))
    free, at = 0, 0
    for t in range(len(targets)):
        while at < len(blanket) and blanket[at] < targets[t]:
            at += 1
        if at == len(blanket) or blanket[at] != targets[t]:
            ordered[free] = targets[t]
            free += 1
    want = np.int64(INDEPENDENT)
    cells = tests(table, evidence, x, blanket, ordered[:free], want, values[:free])
    free, at = 0, 0
    for t in range(len(targets)):
        while at < len(blanket) and blanket[at] < targets[t]:
            at += 1
        if at < len(blanket) and blanket[at] == targets[t]:
            cells, out[t] = _member(table, evidence, x, blanket, at, cells)
        else:
            out[t] = values[free]
            free += 1


@inner
def tests(table, evidence, x, given, targets, want, out):  # type: ignore[no-untyped-def]
    """ln Pr(x ⊥ y | Z), or of its negation, for several y outside Z.

    Returns
    -------
    ndarray of int64
        The cells of (Z, x), where they were laid out on the way; else empty.
    """
    cells = table.scratch.counts[:0]
    across = want == INDEPENDENT and suits(table, evidence, x, given, targets)
    if across or not fits(table, x, given, targets):
        _by_strata(table, evidence, x, given, targets, want, out)
        return cells
    many, begin = at_a_time(table, x, given), 0
    while begin < len(targets):
        end = min(len(targets), begin + many)
        some = targets[begin:end]
        cells = _laid_out(table, evidence, x, given, some, want, out[begin:end])
        begin = end
    return cells


@inlined
def _laid_out(table, evidence, x, given, targets, want, out):  # type: ignore[no-untyped-def]
    """With the cells of all K slices laid out."""
    counted, within = lay_out(table, x, given, targets)
    cells = counted.reshape((-1, table.cardinalities[x]))
    slices = open_slices(table, cells)
    prior = _prior(table, evidence, given, occurring(slices.rows))
    states = states_of(table, targets)
    posteriors(evidence, prior, cells, within, states, slices, want, out)
    return counted[0]


@bare
def occurring(rows):  # type: ignore[no-untyped-def]
    """How many slices have rows."""
    count = 0
    for n in rows:
        count += n > 0
    return count


@inner
def states_of(table, targets):  # type: ignore[no-untyped-def]
    """The number of states of each target."""
    states = zeros(table, np.int64(1), np.int64(len(targets)))[0]
    for t in range(len(targets)):
        states[t] = table.cardinalities[targets[t]]
    return states


@bare
def posteriors(evidence, prior, cells, within, states, slices, want, out):  # type: ignore[no-untyped-def]
    """ln Pr(x ⊥ y | Z), or of its negation, of several y from cells laid out."""
    usual = usual_prior(prior)
    if usual:
        doubts_of(evidence, prior, cells, within, states, slices, out)
    begin = 0
    for t in range(len(states)):
        end = begin + states[t] - 1
        if usual and want == INDEPENDENT:
            out[t] = 0.0 - out[t]
        elif usual and out[t] >= TINY:
            out[t] = log_dependent(out[t])
        else:
            prepare(evidence, slices, cells, states[t])
            fill_ratios(evidence, cells, within[begin:end], slices)
            out[t] = _answer(prior, slices.ratios, want)
        begin = end


@bare
def _answer(prior, ratios, want):  # type: ignore[no-untyped-def]
    """What is asked, from the ratios of all slices."""
    s = doubt_of(prior, ratios)
    if want == INDEPENDENT:
        return 0.0 - s
    return log_dependent(s) if s >= TINY else log_dependent_tiny(prior, ratios)


@bare
def _prior(table, evidence, given, found):  # type: ignore[no-untyped-def]
    """The prior over the possible configurations of a set, or over those that occur."""
    k, log_k = possible(table.cardinalities, given)
    if evidence.observed:
        k = float(max(1, found))
        log_k = math.log(k)
    return spread_prior(evidence.log_prior, k, log_k)


@inlined
def _member(table, evidence, x, blanket, place, cells):  # type: ignore[no-untyped-def]
    """Dependence of x and blanket[place] given the rest; the cells of (B, x) are made once."""
    y = blanket[place]
    rest = np.empty(len(blanket) - 1, dtype=np.int64)
    copy(blanket[:place], rest)
    copy(blanket[place + 1 :], rest[place:])
    if len(cells) == 0:
        none = np.empty(0, dtype=np.int64)
        if fits(table, x, blanket, none):
            cells = lay_out(table, x, blanket, none)[0][0]
    if len(cells) == 0:
        value = np.empty(1)
        _by_strata(table, evidence, x, rest, blanket[place : place + 1], np.int64(DEPENDENT), value)
        return cells, value[0]
    margin, within = without(table, cells, x, blanket, place)
    return cells, _one(table, evidence, margin, within, x, rest, y)


@inlined
def _one(table, evidence, counted, within, x, given, y):  # type: ignore[no-untyped-def]
    """The posterior of dependence from the cells of one test."""
    cells = counted.reshape((-1, table.cardinalities[x]))
    slices = open_slices(table, cells)
    prior = _prior(table, evidence, given, occurring(slices.rows))
    out = np.empty(1)
    posteriors(
        evidence,
        prior,
        cells,
        within,
        table.cardinalities[y : y + 1],
        slices,
        np.int64(DEPENDENT),
        out,
    )
    return out[0]


@inner
def _by_strata(table, evidence, x, given, targets, want, out):  # type: ignore[no-untyped-def]
    """With the rows grouped by slices: all of them, or those that hold more than one row."""
    cards, rx, most = table.cardinalities, table.cardinalities[x], 1
    for y in targets:
        most = max(most, cards[y])
    kept = row_numbers(table.rows)
    anew, size = numbered(table, given, rx * most)
    found = size
    if size == 0 or evidence.observed:
        ids, found = strata(table, given)
        kept, anew, size = shared_rows(ids, found)
    prior = _prior(table, evidence, given, found)
    groups = (kept, anew, size)
    across = want == INDEPENDENT and suits(table, evidence, x, given, targets)
    if across and all_across(table, evidence, prior, x, targets, groups, out):
        for t in range(len(targets)):
            out[t] = 0.0 - out[t]
        return
    room = dense_limit(len(kept))
    counted, place = np.empty(0, dtype=np.int64), anew
    if size * rx <= room:
        counted, place = cells_of(column(table, x), rx, kept, anew, size)
    cells = counted.reshape((-1, rx))
    slices = open_slices(table, cells)
    counted_at_once = max(1, MOST_COUNTS // max(1, len(counted)))
    t = 0
    while t < len(targets):
        ry = cards[targets[t]]
        if size * rx * ry > room:
            keys, counts = sparse_cells(table, x, targets[t], kept, anew)
            _, _, ratios = evidence_of_slices(evidence, keys, counts, size, rx, ry)
            out[t] = _answer(prior, ratios, want)
            t += 1
            continue
        end = t + 1
        while end < len(targets) and cards[targets[end]] == ry and end - t < counted_at_once:
            end += 1
        within = parts_of(table, targets[t:end], kept, place, len(counted))
        states = states_of(table, targets[t:end])
        posteriors(evidence, prior, cells, within, states, slices, want, out[t:end])
        t = end
