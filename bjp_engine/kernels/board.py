"""A graph's assertions as it is flipped edge by edge.

The board holds ln Pr of every assertion that was needed so far. Flipping {i, j} changes the
blankets of i and j and their places in ψ, so only pairs that touch i or j get new terms; what
is still known of the other end is used again. The score is summed in two doubles, which
keeps what rounding would take from it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.borrow import borrowed
from bjp_engine.kernels.compiled import bare, inlined, inner
from bjp_engine.kernels.plain import copy, fill
from bjp_engine.kernels.ties import TIE


class Board(NamedTuple):
    """Where a search over BJP or IB-score stands.

    Parameters
    ----------
    both : bool
        Whether a pair is computed from both ends (IB-score) or from the earlier in ψ (BJP).
    adjacency : ndarray of bool, shape (n, n)
    degree : ndarray of int64, shape (n,)
    neighbours : ndarray of int64, shape (n, n)
        The neighbours of each variable, ascending; as many as its degree.
    values : ndarray of float, shape (n, n)
        ln Pr of the assertion on (x, y) given the blanket of x; NaN where not known.
    local : ndarray of float, shape (n, n)
        The local contribution of each pair i < j; infinite elsewhere.
    least : ndarray of float, shape (n,)
        The least of each row of `local`.
    total : ndarray of float, shape (2,)
        The score, and what rounding took from it.
    tests : ndarray of int64, shape (1,)
        How many were computed.
    scratch : ndarray of int64, shape (SCRATCH,)
        For small tests.
    """

    both: bool
    adjacency: NDArray[np.bool_]
    degree: NDArray[np.int64]
    neighbours: NDArray[np.int64]
    values: NDArray[np.float64]
    local: NDArray[np.float64]
    least: NDArray[np.float64]
    total: NDArray[np.float64]
    tests: NDArray[np.int64]
    scratch: NDArray[np.int64]


@inner
def borrow_board(board):  # type: ignore[no-untyped-def]
    """The board with its arrays borrowed."""
    return Board(
        board.both,
        borrowed(board.adjacency),
        borrowed(board.degree),
        borrowed(board.neighbours),
        borrowed(board.values),
        borrowed(board.local),
        borrowed(board.least),
        borrowed(board.total),
        borrowed(board.tests),
        borrowed(board.scratch),
    )


@bare
def comes_first(degree, x, y):  # type: ignore[no-untyped-def]
    """Whether x precedes y in ψ: by degree, equal ones by index."""
    return degree[x] < degree[y] or (degree[x] == degree[y] and x < y)


@bare
def terms(both, degree, values, i, j):  # type: ignore[no-untyped-def]
    """The two terms of a pair; one that is inferred as 1 adds ln 1 = 0."""
    if both:
        return values[i, j], values[j, i]
    if comes_first(degree, i, j):
        return values[i, j], 0.0
    return 0.0, values[j, i]


@inlined
def added(total, lost, value):  # type: ignore[no-untyped-def]
    """A sum with one more value, and what rounding has taken from it."""
    raised = total + value
    rest = raised - total
    return raised, lost + ((total - (raised - rest)) + (value - rest))


@bare
def add_pairs(board, i, skip, sign):  # type: ignore[no-untyped-def]
    """Add the terms of all pairs of i but {i, skip} to the score, or take them out.

    The sum is in two parts, so that nothing is lost to rounding.
    """
    both, degree, values = board.both, board.degree, board.values
    total, lost = board.total[0], board.total[1]
    for y in range(len(degree)):
        if y == i or y == skip:
            continue
        one, other = terms(both, degree, values, i, y)
        for value in (sign * one, sign * other):
            total, lost = added(total, lost, value)
    board.total[0] = total + lost
    board.total[1] = lost - (board.total[0] - total)


@bare
def enter_row(board, i):  # type: ignore[no-untyped-def]
    """Enter the pairs (i, j), i < j, of a graph that is scored for the first time."""
    both, degree, values, local = board.both, board.degree, board.values, board.local
    total, lost = board.total[0], board.total[1]
    for j in range(i + 1, len(degree)):
        one, other = terms(both, degree, values, i, j)
        local[i, j] = one + other
        for value in (one, other):
            total, lost = added(total, lost, value)
    board.total[0] = total + lost
    board.total[1] = lost - (board.total[0] - total)
    board.least[i] = least_of(local[i])


@bare
def take_out(board, i, j, saved):  # type: ignore[no-untyped-def]
    """Flip the edge {i, j}, and take the terms of all pairs of i and j out of the score."""
    add_pairs(board, i, np.int64(-1), -1.0)
    add_pairs(board, j, i, -1.0)
    toggle(board, i, j)
    copy(board.values[i], saved[0])
    copy(board.values[j], saved[1])
    fill(board.values[i], np.nan)
    fill(board.values[j], np.nan)


@bare
def put_back(board, i, j):  # type: ignore[no-untyped-def]
    """Add them as they are now, and bring the local contributions up to date."""
    add_pairs(board, i, np.int64(-1), 1.0)
    add_pairs(board, j, i, 1.0)
    enter(board, i)
    enter(board, j)


@bare
def toggle(board, i, j):  # type: ignore[no-untyped-def]
    """Flip an edge in the graph alone."""
    adjacency, degree, neighbours = board.adjacency, board.degree, board.neighbours
    adding = not adjacency[i, j]
    adjacency[i, j] = adjacency[j, i] = adding
    for x, y in ((i, j), (j, i)):
        # The list stays ascending: a place is opened, or closed.
        k = degree[x]
        if adding:
            while k > 0 and neighbours[x, k - 1] > y:
                neighbours[x, k] = neighbours[x, k - 1]
                k -= 1
            neighbours[x, k] = y
            degree[x] += 1
        else:
            k = 0
            while neighbours[x, k] != y:
                k += 1
            for m in range(k, degree[x] - 1):
                neighbours[x, m] = neighbours[x, m + 1]
            degree[x] -= 1


@bare
def enter(board, i):  # type: ignore[no-untyped-def]
    """Write down the local contributions of the pairs of i, and keep the least of each row."""
    both, degree, values = board.both, board.degree, board.values
    local, least = board.local, board.least
    for y in range(len(degree)):
        if y == i:
            continue
        one, other = terms(both, degree, values, i, y)
        row, column = min(i, y), max(i, y)
        old, value = local[row, column], one + other
        local[row, column] = value
        if value <= least[row]:
            least[row] = value
        elif old == least[row]:
            least[row] = least_of(local[row])


@bare
def least_of(values):  # type: ignore[no-untyped-def]
    """The least of some numbers, none of them NaN; four at a time."""
    a = b = c = d = np.inf
    whole = len(values) // 4 * 4
    for k in range(0, whole, 4):
        a = values[k] if values[k] < a else a
        b = values[k + 1] if values[k + 1] < b else b
        c = values[k + 2] if values[k + 2] < c else c
        d = values[k + 3] if values[k + 3] < d else d
    for k in range(whole, len(values)):
        a = values[k] if values[k] < a else a
    return min(a, b, c, d)


@bare
def lowest(board, pairs, values, adjacent):  # type: ignore[no-untyped-def]
    """The pairs of lowest local contribution, ascending; equal ones in lexicographic order."""
    keep = len(values)
    for t in range(keep):
        smallest = least_of(board.least)
        limit = smallest + TIE * abs(smallest)
        i = 0
        while board.least[i] > limit:
            i += 1
        j = i + 1
        while board.local[i, j] > limit:
            j += 1
        pairs[t, 0], pairs[t, 1] = i, j
        values[t] = board.local[i, j]
        adjacent[t] = board.adjacency[i, j]
        board.local[i, j] = np.inf
        board.least[i] = least_of(board.local[i])
    for t in range(keep):
        i = pairs[t, 0]
        board.local[i, pairs[t, 1]] = values[t]
        board.least[i] = min(board.least[i], values[t])


@bare
def undo(board, i, j, saved, before, lost):  # type: ignore[no-untyped-def]
    """Flip the edge {i, j} back. What was found out about others on the way stays known."""
    toggle(board, i, j)
    board.total[0], board.total[1] = before, lost
    copy(saved[0], board.values[i])
    copy(saved[1], board.values[j])
    enter(board, i)
    enter(board, j)
