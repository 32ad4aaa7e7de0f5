"""The same climbs written plainly: rows are counted one after the other for every single test.

Compiled by numba as the engine is, and with the posteriors kept that a flip doesn't touch, so
that what the engine gains is due to how it counts. Data: codes of shape (N, n) by column.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

TIE = 1e-12


@njit(cache=True)
def better(value, other):
    """Greater by more than rounding."""
    return value - other > TIE * max(abs(value), abs(other))


@njit(cache=True)
def tally(codes, cards, given, x, y):
    """Rows by configuration of `given`, state of x and state of y."""
    slices = 1
    for z in given:
        slices *= cards[z]
    counts = np.zeros((slices, cards[x], cards[y]), dtype=np.int64)
    for i in range(len(codes)):
        k = 0
        for z in given:
            k = k * cards[z] + codes[i, z]
        counts[k, codes[i, x], codes[i, y]] += 1
    return counts


@njit(cache=True)
def evidence(counts):
    """ln Γ(m) - ln Γ(m + Σ v) + Σ ln Γ(1 + v)."""
    total, value = counts.sum(), math.lgamma(len(counts))
    for v in counts:
        value += math.lgamma(1.0 + v)
    return value - math.lgamma(len(counts) + total)


@njit(cache=True)
def posterior(codes, cards, x, y, given, dependent):
    """ln Pr(x ⊥ y | given) or ln Pr of its negation, one slice after the other."""
    counts = tally(codes, cards, given, min(x, y), max(x, y))
    log_p = -math.log(2.0) / len(counts)
    doubt, last = 0.0, -np.inf
    for table in counts:
        log_g = evidence(table.sum(axis=1)) + evidence(table.sum(axis=0))
        odds = math.log(-math.expm1(log_p)) + evidence(table.ravel()) - log_p - log_g
        doubt += max(odds, 0.0) + math.log1p(math.exp(-abs(odds)))
        last = np.logaddexp(last, odds)
    if not dependent:
        return -doubt
    return math.log(-math.expm1(-doubt)) if doubt > 1e-12 else last


@njit(cache=True)
def first_of(degree, x, y):
    """Whether x precedes y by ascending degree."""
    return degree[x] < degree[y] or (degree[x] == degree[y] and x < y)


@njit(cache=True)
def complete(codes, cards, both, adjacency, values):
    """Compute the posteriors that the score needs and that are not known."""
    n, degree = len(cards), adjacency.sum(axis=1)
    for x in range(n):
        for y in range(n):
            needed = x != y and (both or first_of(degree, x, y))
            if needed and np.isnan(values[x, y]):
                members = adjacency[x].copy()
                members[y] = False
                given = np.flatnonzero(members)
                values[x, y] = posterior(codes, cards, x, y, given, adjacency[x, y])


@njit(cache=True)
def contributions(both, adjacency, values):
    """The score, and the pair that adds the least."""
    n, degree = len(adjacency), adjacency.sum(axis=1)
    total, least, pair = 0.0, np.inf, (0, 1)
    for i in range(n):
        for j in range(i + 1, n):
            if both:
                value = values[i, j] + values[j, i]
            else:
                value = values[i, j] if first_of(degree, i, j) else values[j, i]
            total += value
            if value < least - TIE * abs(least) or least == np.inf:
                least, pair = value, (i, j)
    return total, pair


@njit(cache=True)
def ibmap_hc(codes, cards, both):
    """The graph that IBMAP-HC ends with, from the empty one."""
    n = len(cards)
    adjacency, values = np.zeros((n, n), dtype=np.bool_), np.full((n, n), np.nan)
    complete(codes, cards, both, adjacency, values)
    score, (i, j) = contributions(both, adjacency, values)
    while True:
        adjacency[i, j] = adjacency[j, i] = not adjacency[i, j]
        values[i], values[j] = np.nan, np.nan
        complete(codes, cards, both, adjacency, values)
        raised, pair = contributions(both, adjacency, values)
        if not better(raised, score):
            adjacency[i, j] = adjacency[j, i] = not adjacency[i, j]
            return adjacency
        score, (i, j) = raised, pair


@njit(cache=True)
def local_score(codes, cards, j, given):
    """The part of the MPL of one variable."""
    counts = tally(codes, cards, given, j, j)
    alpha = 1.0 / (len(counts) * cards[j])
    value = 0.0
    for table in counts:
        total = 0
        for s in range(cards[j]):
            total += table[s, s]
            value += math.lgamma(alpha + table[s, s]) - math.lgamma(alpha)
        value += math.lgamma(cards[j] * alpha) - math.lgamma(cards[j] * alpha + total)
    return value


@njit(cache=True)
def best_change(codes, cards, j, inside, adding, score):
    """The member whose addition, or removal, most improves the part of j; -1 where none does."""
    best = -1
    for y in range(len(cards)):
        if y != j and inside[y] != adding:
            inside[y] = adding
            value = local_score(codes, cards, j, np.flatnonzero(inside))
            inside[y] = not adding
            if better(value, score):
                best, score = y, value
    return best, score


@njit(cache=True)
def mpl_blankets(codes, cards):
    """The blanket of every variable, found alone."""
    n = len(cards)
    found = np.zeros((n, n), dtype=np.bool_)
    for j in range(n):
        inside, adding = found[j], True
        score = local_score(codes, cards, j, np.flatnonzero(inside))
        while True:
            best, score = best_change(codes, cards, j, inside, adding, score)
            if best < 0 and adding:
                break
            if best >= 0:
                inside[best] = adding
            adding = best < 0 or inside.sum() <= 2
    return found


@njit(cache=True)
def gain_of(codes, cards, adjacency, i, j):
    """What joining i and j adds to the MPL, and how large the parts are."""
    gain = scale = 0.0
    for x, y in ((i, j), (j, i)):
        before = local_score(codes, cards, x, np.flatnonzero(adjacency[x]))
        more = adjacency[x].copy()
        more[y] = True
        gain += local_score(codes, cards, x, np.flatnonzero(more)) - before
        scale += abs(before)
    return gain, scale


@njit(cache=True)
def mpl_hc(codes, cards):
    """The graph that the MPL hill climb ends with."""
    found = mpl_blankets(codes, cards)
    adjacency, either = found & found.T, found | found.T
    while True:
        most, pair = 0.0, (-1, -1)
        for i in range(len(cards)):
            for j in range(i + 1, len(cards)):
                if either[i, j] and not adjacency[i, j]:
                    gain, scale = gain_of(codes, cards, adjacency, i, j)
                    if gain - most > TIE * max(abs(gain), abs(most), scale):
                        most, pair = gain, (i, j)
        if pair[0] < 0:
            return adjacency
        adjacency[pair[0], pair[1]] = adjacency[pair[1], pair[0]] = True


@njit(cache=True)
def every_posterior(codes, cards):
    """ln Pr of independence [x, y, 0, mask of Z] and of dependence [x, y, 1, mask of Z]."""
    n = len(cards)
    values = np.empty((n, n, 2, 1 << n))
    for x in range(n):
        for y in range(n):
            for mask in range(1 << n):
                if x != y and not mask >> x & 1 and not mask >> y & 1:
                    given = np.array([z for z in range(n) if mask >> z & 1])
                    values[x, y, 0, mask] = posterior(codes, cards, x, y, given, False)
                    values[x, y, 1, mask] = posterior(codes, cards, x, y, given, True)
    return values


@njit(cache=True)
def graph_of(number, n):
    """A numbered graph: bit p is the p-th pair in lexicographic order."""
    adjacency, p = np.zeros((n, n), dtype=np.bool_), 0
    for i in range(n):
        for j in range(i + 1, n):
            adjacency[i, j] = adjacency[j, i] = number >> p & 1
            p += 1
    return adjacency


@njit(cache=True)
def all_graphs(codes, cards):
    """The BJP of every graph: all tests once, then every graph pair by pair."""
    n, values = len(cards), every_posterior(codes, cards)
    scores = np.zeros(1 << (n * (n - 1) // 2))
    for g in range(len(scores)):
        adjacency = graph_of(g, n)
        degree, masks = np.zeros(n, np.int64), np.zeros(n, np.int64)
        for x in range(n):
            for y in range(n):
                degree[x] += adjacency[x, y]
                masks[x] |= np.int64(adjacency[x, y]) << y
        for i in range(n):
            for j in range(i + 1, n):
                x, y = (i, j) if first_of(degree, i, j) else (j, i)
                scores[g] += values[x, y, np.int64(adjacency[x, y]), masks[x] & ~(1 << y)]
    return scores
