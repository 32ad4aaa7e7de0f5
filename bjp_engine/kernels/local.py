"""A variable's part of the MPL given a blanket, and the climb that finds the blanket.

With ρ(α, n) = ln Γ(α + n) - ln Γ(α), q configurations of the blanket, r states of the variable,
α = N_ess / (r q), and n_ls rows in configuration l and state s, the part is (docs/theory.md §3)

    Σ_l { -ρ(r α, n_l) + Σ_s ρ(α, n_ls) },

where a configuration without rows adds 0 and one with a single row -ln r. The counts are those
of the tests: x is the variable, y the candidate that may join its blanket Z.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.compiled import bare, borrowed, inlined, inner, kernel
from bjp_engine.kernels.counting import (
    at_a_time,
    cells_of,
    dense_limit,
    fits,
    lay_out,
    occurring_cells,
    strata,
)
from bjp_engine.kernels.loops import better, copy, fill, others, places, row_numbers, sum_of
from bjp_engine.kernels.rising import Whole, in_units, log_rising
from bjp_engine.kernels.table import CodedTable, column, possible

# Entries of each table of ρ(α, n), and how many tables are kept.
MOST_ENTRIES = 1 << 14
MOST_TABLES = 48


class LocalPrior(NamedTuple):
    """The Dirichlet prior of the MPL, and the tables of ρ(α, n) that were needed so far."""

    log_ess: float  # ln N_ess
    bits: int  # ρ is in units of 2^-bits
    leading: NDArray[np.float64]  # see `rising.leading_logs`
    logs: NDArray[np.float64]  # (MOST_TABLES,): ln α of each table; NaN where there is none yet
    tables: Whole  # (MOST_TABLES, entries): 0 where an entry is not known yet


@bare
def table_of(prior, log_alpha):  # type: ignore[no-untyped-def]
    """Where the table of ρ(α, n) is; begun now if it isn't there yet; -1 where there is no room."""
    for place in range(len(prior.logs)):
        if prior.logs[place] == log_alpha:
            return place
        if np.isnan(prior.logs[place]):
            prior.logs[place] = log_alpha
            fill(prior.tables[place], 0)
            return place
    return -1


@bare
def risen(prior, place, log_alpha, n):  # type: ignore[no-untyped-def]
    """ρ(α, n) in units; a climb needs few of all n, so they are worked out as they come."""
    kept = place >= 0 and n < prior.tables.shape[1]
    value = prior.tables[place, n] if kept else np.int64(0)
    if value == 0 and n > 0:
        value = log_rising(prior.leading, math.exp(log_alpha), log_alpha, n, prior.bits)
        if kept:
            prior.tables[place, n] = value
    return value


@kernel
def log_alphas(table, prior, j, k, log_k):  # type: ignore[no-untyped-def]
    """ln α = ln N_ess - ln(r q), and ln(r α), for q = k configurations."""
    r = float(table.cardinalities[j])
    if k * r < np.inf:
        return prior.log_ess - math.log(k * r), prior.log_ess - math.log(k)
    return prior.log_ess - log_k - math.log(r), prior.log_ess - log_k


@inner
def score_blanket(table, prior, j, members):  # type: ignore[no-untyped-def]
    """The part of variable j given the members of its blanket, ascending."""
    k, log_k = possible(table.cardinalities, members)
    logs = log_alphas(table, prior, j, k, log_k)
    none = np.empty(0, dtype=np.int64)
    if fits(table, j, members, none):
        cells = lay_out(table, j, members, none)[0]
        return in_configurations(prior, logs, cells, table.cardinalities[j])
    ids, size = strata(table, members)
    return _in_strata(table, prior, logs, j, ids, size)


def local_score(table: CodedTable, prior: LocalPrior, j: int, members: NDArray[np.int64]) -> float:
    """The part of variable j given the members of its blanket."""
    blankets, scores = np.zeros((1, len(table.cardinalities)), dtype=np.bool_), np.empty(1)
    blankets[0, members] = True
    local_scores(table, prior, np.array([j]), blankets, scores)
    return float(scores[0])


@kernel
def local_scores(table, prior, nodes, blankets, scores):  # type: ignore[no-untyped-def]
    """The parts of some variables, each given the blanket that a row of flags has."""
    table, prior = borrowed(table), borrowed(prior)
    for k in range(len(nodes)):
        scores[k] = score_blanket(table, prior, nodes[k], places(blankets[k]))


@bare
def in_configurations(prior, logs, cells, r):  # type: ignore[no-untyped-def]
    """The part from the counts by configuration and state; `logs` are ln α and ln(r α)."""
    alpha, total = table_of(prior, logs[0]), table_of(prior, logs[1])
    alone = in_units(math.log(float(r)), prior.bits)
    units = np.int64(0)
    for first in range(0, len(cells), r):
        n = np.int64(0)
        for m in range(first, first + r):
            n += cells[m]
        if n == 1:
            units -= alone
        elif n > 1:
            units -= risen(prior, total, logs[1], n)
            for m in range(first, first + r):
                units += risen(prior, alpha, logs[0], cells[m])
    return units * 0.5**prior.bits


@inner
def _in_strata(table, prior, logs, j, ids, size):  # type: ignore[no-untyped-def]
    """The same from the configuration of each row."""
    r, every = table.cardinalities[j], row_numbers(table.rows)
    if size * r <= dense_limit(table.rows):
        cells, _ = cells_of(column(table, j), r, every, ids, size)
        return in_configurations(prior, logs, cells, r)
    keys, counts = occurring_cells(table, (j,), every, ids)
    return values_of_configurations(prior, logs, keys, counts, size, r)[1]


@kernel
def values_of_configurations(prior, logs, keys, counts, size, r):  # type: ignore[no-untyped-def]
    """The parts of a local score, from the cells configuration · r + state; and their sum."""
    prior = borrowed(prior)
    alpha, total = table_of(prior, logs[0]), table_of(prior, logs[1])
    values, end, sum_of_all = np.empty(size), 0, np.int64(0)
    for k in range(size):
        rows, units = np.int64(0), np.int64(0)
        while end < len(keys) and keys[end] < (k + 1) * r:
            rows += counts[end]
            units += risen(prior, alpha, logs[0], counts[end])
            end += 1
        if rows == 1:
            units = -in_units(math.log(float(r)), prior.bits)
        else:
            units -= risen(prior, total, logs[1], rows)
        values[k] = units * 0.5**prior.bits
        sum_of_all += units
    return values, sum_of_all * 0.5**prior.bits


@inner
def grown_scores(table, prior, j, members, candidates, out):  # type: ignore[no-untyped-def]
    """The parts of variable j when one of several candidates joins its blanket."""
    if fits(table, j, members, candidates):
        many = at_a_time(table, j, members)
        for begin in range(0, len(candidates), many):
            end = begin + many
            some = candidates[begin:end]
            cells, within = lay_out(table, j, members, some)
            _score_layers(table, prior, j, members, some, cells, within, out[begin:end])
        return
    flipped_scores(table, prior, j, members, candidates, out)


@inner
def flipped_scores(table, prior, j, members, candidates, out):  # type: ignore[no-untyped-def]
    """The parts of variable j when one of several variables joins its blanket, or leaves it."""
    inside = np.zeros(len(table.cardinalities), dtype=np.bool_)
    for member in members:
        inside[member] = True
    for t in range(len(candidates)):
        v = candidates[t]
        inside[v] = not inside[v]
        out[t] = score_blanket(table, prior, j, places(inside))
        inside[v] = not inside[v]


@inner
def _score_layers(table, prior, j, members, candidates, cells, within, out):  # type: ignore[no-untyped-def]
    """The parts from the cells of (blanket, j) and their layers by each candidate's states."""
    k, log_k = possible(table.cardinalities, members)
    size, begin = len(cells), 0
    for c in range(len(candidates)):
        ry = table.cardinalities[candidates[c]]
        finer = np.empty(ry * size, dtype=np.int64)
        copy(cells, finer)
        for state in range(1, ry):
            for m in range(size):
                finer[state * size + m] = within[begin, m]
                finer[m] -= within[begin, m]
            begin += 1
        logs = log_alphas(table, prior, j, k * ry, log_k + math.log(float(ry)))
        out[c] = in_configurations(prior, logs, finer, table.cardinalities[j])


@kernel
def blanket_climbs(table, prior, odds, begin, end, found):  # type: ignore[no-untyped-def]
    """Find the blankets of the variables `begin` to `end`, one after the other.

    `odds`, shape (n, n), is what each member adds; empty for nothing. The row of each variable in
    `found`, shape (n, n), is filled with the members of its blanket. Returns the changes (the
    variable, the member, 1 where it was added and 0 where removed, and how many local scores were
    computed up to there), the local score before and after each, with what the members add, and
    how many local scores were computed in all.
    """
    table, prior = borrowed(table), borrowed(prior)
    changes, scores = np.empty((64, 4), dtype=np.int64), np.empty((64, 2))
    made, computed = 0, 0
    for j in range(begin, end):
        inside, adding = found[j], j >= 0
        fill(inside, False)
        score = score_blanket(table, prior, j, places(inside))
        computed += 1
        while True:
            best, raised, tried = _best_change(table, prior, odds, j, inside, adding, score)
            computed += tried
            if best < 0 and adding:
                break
            if best >= 0:
                inside[best] = adding
                if made == len(changes):
                    changes = np.concatenate((changes, changes))
                    scores = np.concatenate((scores, scores))
                changes[made, 0], changes[made, 1] = j, best
                changes[made, 2], changes[made, 3] = adding, computed
                scores[made, 0], scores[made, 1] = score, raised
                score = raised
                made += 1
            # After each addition members are removed as long as that is better.
            adding = best < 0 or sum_of(inside) <= 2
    return changes[:made], scores[:made], computed


@inlined
def _best_change(table, prior, odds, j, inside, adding, score):  # type: ignore[no-untyped-def]
    """The candidate (or member) whose flip most improves the local score, the first of equals.

    -1 where none does; the score with the flip made; how many were tried.
    """
    members = places(inside)
    candidates = members
    if adding:
        candidates = others(inside, j)
    values = np.empty(len(candidates))
    if adding:
        grown_scores(table, prior, j, members, candidates, values)
    else:
        flipped_scores(table, prior, j, members, members, values)
    if odds.size > 0:
        add_odds(odds[j], members, candidates, 1.0 if adding else -1.0, values)
    best = np.int64(-1)
    for t in range(len(candidates)):
        if better(values[t], score):
            best, score = candidates[t], values[t]
    return best, score, len(candidates)


@bare
def add_odds(odds, members, candidates, sign, values):  # type: ignore[no-untyped-def]
    """Add what the members of each changed blanket add: one more, or with -1 one less."""
    inside = 0.0
    for member in members:
        inside += odds[member]
    for t in range(len(candidates)):
        values[t] += inside + sign * odds[candidates[t]]
