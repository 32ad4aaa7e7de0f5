"""Markov chains over graphs on a few variables, whose scores are sums of look-ups.

A graph is a set of neighbours for each variable, as a bit mask. What a score needs of any graph is
in one table (`bjp_engine.kernels.lookup`): of a sum of assertions, ln Pr of the assertion on x and
y given a set, [x, y, whether dependent, set]; of MPL the local score [x, 0, 0, set].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.compiled import bare, kernel

# What the table is of.
FIRST_END, BOTH_ENDS, LOCAL = 0, 1, 2


class Scores(NamedTuple):
    """What the score of any graph is looked up in."""

    kind: int  # FIRST_END for BJP, BOTH_ENDS for IB-score, LOCAL for MPL
    values: NDArray[np.float64]
    odds: NDArray[np.float64]  # (n, n): what the prior over structures adds for each edge
    near_only: bool  # a pair is tested given those neighbours alone through which it is reached


class Copies(NamedTuple):
    """Graphs at several temperatures, changed by each sweep."""

    neighbours: NDArray[np.int64]  # (T, n): each variable's, as a bit mask
    degree: NDArray[np.int64]
    score: NDArray[np.float64]
    ladder: NDArray[np.float64]  # (T,): inverse temperatures
    # (T - 1,): sums, over attempted exchanges, of the probability of refusal, and how many
    refused: NDArray[np.float64]
    tried: NDArray[np.float64]


class Chances(NamedTuple):
    """The random numbers of some sweeps."""

    order: NDArray[np.int64]  # (S, m): the pairs, as each sweep tries them
    # (S, T, m): logistic, what β times the gain must exceed for a flip to be made
    logit: NDArray[np.float64]
    # (S, T): minus the log of uniform numbers, for the exchanges
    exponential: NDArray[np.float64]


class Drawn(NamedTuple):
    """What sweeps leave of the copy at β = 1, a row a draw."""

    # (D, m): sums over a draw's sweeps of the probability with which each pair was drawn
    chance: NDArray[np.float64]
    present: NDArray[np.bool_]  # (D, m): which pairs were edges after the last of them
    score: NDArray[np.float64]


@bare
def reached(neighbours, x, y):  # type: ignore[no-untyped-def]
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


@bare
def looked_up(scores, neighbours, degree):  # type: ignore[no-untyped-def]
    """The score of a graph."""
    n, total = len(neighbours), 0.0
    if scores.kind == LOCAL:
        for x in range(n):
            total += scores.values[x, 0, 0, neighbours[x]]
    for x in range(n):
        for y in range(x + 1, n):
            edge = neighbours[x] >> y & 1
            if edge:
                total += scores.odds[x, y]
            if scores.kind == LOCAL:
                continue
            from_x = neighbours[x] & ~(1 << y)
            from_y = neighbours[y] & ~(1 << x)
            if scores.near_only:
                from_x &= reached(neighbours, x, y)
                from_y &= reached(neighbours, y, x)
            # ψ: ascending degree, ties by index.
            if scores.kind == BOTH_ENDS or degree[x] <= degree[y]:
                total += scores.values[x, y, edge, from_x]
            if scores.kind == BOTH_ENDS or degree[x] > degree[y]:
                total += scores.values[x, y, edge, from_y]
    return total


@kernel
def look_up_graphs(scores, first, found):  # type: ignore[no-untyped-def]
    """The scores of the graphs with numbers from `first` on (see `bjp_engine.kernels.lookup`)."""
    n = len(scores.odds)
    neighbours, degree = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for g in range(len(found)):
        for x in range(n):
            neighbours[x] = degree[x] = 0
        p = 0
        for x in range(n):
            for y in range(x + 1, n):
                if (first + g) >> p & 1:
                    flip(neighbours, degree, x, y)
                p += 1
        found[g] = looked_up(scores, neighbours, degree)


@bare
def flip(neighbours, degree, i, j):  # type: ignore[no-untyped-def]
    """Make the edge or take it away; whether it is there now."""
    neighbours[i] ^= 1 << j
    neighbours[j] ^= 1 << i
    there = neighbours[i] >> j & 1
    step = 1 if there else -1
    degree[i] += step
    degree[j] += step
    return there


@kernel
def rescore(scores, copies):  # type: ignore[no-untyped-def]
    """Look up the score of every copy."""
    for t in range(len(copies.score)):
        copies.score[t] = looked_up(scores, copies.neighbours[t], copies.degree[t])


@bare
def sweep(scores, copies, t, order, logit, chance):  # type: ignore[no-untyped-def]
    """Draw every pair of a copy given all others, and add up the probabilities."""
    neighbours, degree, beta = copies.neighbours[t], copies.degree[t], copies.ladder[t]
    p = np.int64(0)
    n = len(neighbours)
    for k in range(len(order)):
        p = order[k]
        i, j = p // n, p % n
        there = flip(neighbours, degree, i, j)
        score = looked_up(scores, neighbours, degree)
        gain = score - copies.score[t]
        chance[k] = 1.0 / (1.0 + np.exp(-gain if there else gain))
        if beta * gain > logit[k]:
            copies.score[t] = score
        else:
            flip(neighbours, degree, i, j)


@bare
def exchange(copies, k, exponential):  # type: ignore[no-untyped-def]
    """Let two neighbouring temperatures exchange their graphs."""
    gain = (copies.ladder[k] - copies.ladder[k + 1]) * (copies.score[k + 1] - copies.score[k])
    copies.refused[k] += -np.expm1(min(0.0, gain))
    copies.tried[k] += 1
    if -exponential < gain:
        for x in range(copies.neighbours.shape[1]):
            mask, degree = copies.neighbours[k, x], copies.degree[k, x]
            copies.neighbours[k, x] = copies.neighbours[k + 1, x]
            copies.degree[k, x] = copies.degree[k + 1, x]
            copies.neighbours[k + 1, x], copies.degree[k + 1, x] = mask, degree
        score = copies.score[k]
        copies.score[k], copies.score[k + 1] = copies.score[k + 1], score


@kernel
def tempered(scores, copies, chances, parity, drawn):  # type: ignore[no-untyped-def]
    """Make sweeps of every copy, each followed by exchanges.

    Where `drawn` has rows, its draws are of equally many sweeps.
    """
    sweeps, temperatures, m = chances.logit.shape
    draws, n = len(drawn.score), copies.neighbours.shape[1]
    each = sweeps // max(draws, 1)
    chance = np.empty(m)
    for s in range(sweeps):
        for t in range(temperatures):
            sweep(scores, copies, t, chances.order[s], chances.logit[s, t], chance)
            if t == 0 and draws > 0:
                for k in range(m):
                    drawn.chance[s // each, chances.order[s, k]] += chance[k]
        # Before the exchange: what it brings was drawn at another temperature.
        if draws > 0 and (s + 1) % each == 0:
            drawn.score[s // each] = copies.score[0]
            for x in range(n):
                for y in range(n):
                    there = copies.neighbours[0, x] >> y & 1
                    drawn.present[s // each, x * n + y] = there == 1
        for k in range((s + parity) % 2, temperatures - 1, 2):
            exchange(copies, k, chances.exponential[s, k])
