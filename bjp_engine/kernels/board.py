"""A graph's assertions as it is flipped edge by edge.

The board holds ln Pr of every assertion that was needed so far. Flipping {i, j} changes the
blankets of i and j and their places in ψ, so only pairs that touch i or j get new terms; what
is still known of the other end is used again. The score is summed in two doubles, which
keeps what rounding would take from it.

Where a pair is tested given only the neighbours through which it can be reached, the board holds
which those are (`ways`). A flip of {i, j} may open or close a way between other variables: then
the assertions of exactly those pairs are forgotten whose conditioning set is another.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.compiled import bare, inlined
from bjp_engine.kernels.loops import TIE, copy, fill, least_of


class Board(NamedTuple):
    """Where a search over a score made of assertions stands."""

    both: bool  # a pair is computed from both ends (IB-score), or from the earlier in ψ (BJP)
    adjacency: NDArray[np.bool_]
    degree: NDArray[np.int64]
    neighbours: NDArray[np.int64]  # (n, n): of each variable, ascending; as many as its degree
    values: NDArray[np.float64]  # (n, n): ln Pr of the assertion on (x, y); NaN where not known
    # The local contribution of each pair i < j, by which it is chosen, the least first; infinite
    # elsewhere, for marked and for fixed pairs.
    local: NDArray[np.float64]
    least: NDArray[np.float64]  # (n,): the least of each row of `local`
    total: NDArray[np.float64]  # (2,): the score, and what rounding took from it
    tests: NDArray[np.int64]  # (1,): how many were computed
    made: NDArray[np.int64]  # (2,): flips tried, and pairs marked since one was last kept
    odds: NDArray[np.float64]  # (n, n): ln odds of each edge under the prior; empty where uniform
    marked: NDArray[np.bool_]  # (n, n): pairs i < j not to be proposed; empty where none ever is
    fixed: NDArray[np.bool_]  # (n, n): pairs that stay as they are; empty where none has to
    # (n, n, n): [x, y] is the row that `values` has for x with the edge {x, y} flipped, as far as
    # it is known; empty where that isn't kept.
    flipped: NDArray[np.float64]
    scratch: NDArray[np.int64]  # for small tests
    # (n, n): [x, y] is the least neighbour of x from which y is reached without passing x, -1 where
    # there is none; neighbours with equal ways are tested with y. Empty where all always are.
    ways: NDArray[np.int64]
    # (n + 3, n): before the flip that is tried, the ways of each variable; then, for one of them,
    # how many neighbours shared each way before and after; and a queue.
    ways_before: NDArray[np.int64]
    rewired: NDArray[np.bool_]  # (n,): variables but i and j whose conditioning sets it changed


# Stands for a value that was not forgotten: a logarithm of a probability is no greater than 0.
STILL_KNOWN = 1.0


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


@bare
def log_share(odds, adjacent):  # type: ignore[no-untyped-def]
    """ln of an edge's prior probability, or of its absence's, from ln odds."""
    value = odds if adjacent else -odds
    return min(value, 0.0) - math.log1p(math.exp(-abs(value)))


@bare
def contribution(board, i, j):  # type: ignore[no-untyped-def]
    """The local contribution of a pair: its terms, and its share of the prior."""
    one, other = terms(board.both, board.degree, board.values, i, j)
    if board.odds.size == 0:
        return one + other
    return one + other + log_share(board.odds[i, j], board.adjacency[i, j])


@bare
def of_pair(board, i, j):  # type: ignore[no-untyped-def]
    """By what a pair i < j is chosen: the least first."""
    if board.fixed.size > 0 and board.fixed[i, j]:
        return np.inf
    if board.marked.size > 0 and board.marked[i, j]:
        return np.inf
    return contribution(board, i, j)


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
        first = comes_first(degree, i, y)
        if both or first:
            total, lost = added(total, lost, sign * values[i, y])
        if both or not first:
            total, lost = added(total, lost, sign * values[y, i])
    board.total[0] = total + lost
    board.total[1] = lost - (board.total[0] - total)


@bare
def enter_row(board, i):  # type: ignore[no-untyped-def]
    """Enter the pairs (i, j), i < j, of a graph that is scored for the first time."""
    both, degree, values = board.both, board.degree, board.values
    total, lost = board.total[0], board.total[1]
    for j in range(i + 1, len(degree)):
        one, other = terms(both, degree, values, i, j)
        for value in (one, other):
            total, lost = added(total, lost, value)
        if board.odds.size > 0 and board.adjacency[i, j]:
            total, lost = added(total, lost, board.odds[i, j])
    board.total[0] = total + lost
    board.total[1] = lost - (board.total[0] - total)
    rank_row(board, i)


@bare
def rank_row(board, i):  # type: ignore[no-untyped-def]
    """Write down by what the pairs (i, j), i < j, are chosen."""
    for j in range(i + 1, len(board.degree)):
        board.local[i, j] = of_pair(board, i, j)
    board.least[i] = least_of(board.local[i])


@bare
def take_out(board, i, j, saved):  # type: ignore[no-untyped-def]
    """Flip the edge {i, j}, and take the terms of all pairs of i and j out of the score."""
    add_pairs(board, i, np.int64(-1), -1.0)
    add_pairs(board, j, i, -1.0)
    toggle(board, i, j)
    copy(board.values[i], saved[0])
    copy(board.values[j], saved[1])
    if board.flipped.size > 0:
        copy(board.flipped[i, j], board.values[i])
        copy(board.flipped[j, i], board.values[j])
    else:
        fill(board.values[i], np.nan)
        fill(board.values[j], np.nan)
    if board.ways.size > 0:
        rewire(board, i, j, saved)


@bare
def put_back(board, i, j, saved):  # type: ignore[no-untyped-def]
    """Add them as they are now."""
    add_pairs(board, i, np.int64(-1), 1.0)
    add_pairs(board, j, i, 1.0)
    for x in range(len(board.rewired)):
        if board.rewired[x]:
            add_rewired(board, x, i, j, saved, 1.0)
    if board.odds.size > 0:
        sign = 1.0 if board.adjacency[i, j] else -1.0
        total, lost = added(board.total[0], board.total[1], sign * board.odds[i, j])
        board.total[0] = total + lost
        board.total[1] = lost - (board.total[0] - total)


@bare
def keep(board, i, j, saved):  # type: ignore[no-untyped-def]
    """Keep the flip of {i, j}: pairs of i and j are chosen anew, and lose their marks."""
    board.made[1] = 0
    if board.flipped.size > 0:
        # Of their other flips nothing is known now; back again, everything is.
        for x in (i, j):
            for y in range(len(board.degree)):
                fill(board.flipped[x, y], np.nan)
        copy(saved[0], board.flipped[i, j])
        copy(saved[1], board.flipped[j, i])
    if board.marked.size > 0:
        for x in (i, j):
            for y in range(len(board.degree)):
                board.marked[min(x, y), max(x, y)] = False
    enter(board, i)
    enter(board, j)
    for x in range(len(board.rewired)):
        if board.rewired[x]:
            enter(board, x)
        if board.flipped.size > 0 and x != i and x != j:
            forget_flipped(board, x, i, j)


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
    """Write down by what the pairs of i are chosen, and keep the least of each row."""
    local, least = board.local, board.least
    for y in range(len(board.degree)):
        if y == i:
            continue
        row, column = min(i, y), max(i, y)
        old, value = local[row, column], of_pair(board, row, column)
        local[row, column] = value
        if value <= least[row]:
            least[row] = value
        elif old == least[row]:
            least[row] = least_of(local[row])


@bare
def mark(board, i, j):  # type: ignore[no-untyped-def]
    """Propose a pair no more until a pair that touches it is flipped."""
    row, column = min(i, j), max(i, j)
    board.made[1] += 1
    board.marked[row, column] = True
    board.local[row, column] = np.inf
    board.least[row] = least_of(board.local[row])


@bare
def unmark(board):  # type: ignore[no-untyped-def]
    """Take away all marks. A pair that is never proposed counts as marked, or this had no end."""
    board.made[1] = 0
    for i in range(len(board.degree)):
        fill(board.marked[i], False)
    for i in range(len(board.degree)):
        rank_row(board, np.int64(i))
        for j in range(i + 1, len(board.degree)):
            board.made[1] += board.local[i, j] == np.inf


@bare
def lowest(board, pairs, values, adjacent):  # type: ignore[no-untyped-def]
    """The pairs that come first, ascending, equal ones in lexicographic order; how many.

    `values` are their local contributions.
    """
    found = 0
    for t in range(len(values)):
        smallest = least_of(board.least)
        if smallest == np.inf:
            break
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
        found += 1
    for t in range(found):
        i, j = pairs[t, 0], pairs[t, 1]
        board.local[i, j] = values[t]
        board.least[i] = min(board.least[i], values[t])
        values[t] = contribution(board, i, j)
    for t in range(found, len(values)):
        pairs[t, 0] = pairs[t, 1] = -1
    return found


@bare
def undo(board, i, j, saved, before, lost):  # type: ignore[no-untyped-def]
    """Flip the edge {i, j} back. What was found out about others on the way stays known."""
    toggle(board, i, j)
    board.total[0], board.total[1] = before, lost
    if board.flipped.size > 0:
        copy(board.values[i], board.flipped[i, j])
        copy(board.values[j], board.flipped[j, i])
    copy(saved[0], board.values[i])
    copy(saved[1], board.values[j])
    if board.ways.size == 0:
        return
    for x in range(len(board.degree)):
        if x == i or x == j or board.rewired[x]:
            copy(board.ways_before[x], board.ways[x])
        if board.rewired[x]:
            for y in range(len(board.degree)):
                if saved[x + 2, y] != STILL_KNOWN:
                    board.values[x, y] = saved[x + 2, y]


# --- Ways -----------------------------------------------------------------------------------------


@bare
def find_ways(board, x):  # type: ignore[no-untyped-def]
    """Through which neighbour of x each variable is reached."""
    fill(board.ways[x], np.int64(-1))
    for k in range(board.degree[x]):
        spread(board, x, board.neighbours[x, k], board.ways[x])


@bare
def spread(board, x, start, marks):  # type: ignore[no-untyped-def]
    """Mark what is reached from a variable without passing x, if it isn't marked: breadth first."""
    if marks[start] >= 0:
        return
    queue = board.ways_before[len(board.degree) + 2]
    marks[start] = queue[0] = start
    done, found = 0, 1
    while done < found:
        v = queue[done]
        done += 1
        for m in range(board.degree[v]):
            w = board.neighbours[v, m]
            if w != x and marks[w] < 0:
                marks[w] = start
                queue[found] = w
                found += 1


@bare
def forget_flipped(board, x, i, j):  # type: ignore[no-untyped-def]
    """Forget what other flips of x would do, as far as the flip of {i, j} may have changed it."""
    marks = board.ways_before[len(board.degree)]
    everything = board.rewired[x]
    if not everything:
        if board.ways[x, i] >= 0 or board.ways[x, j] >= 0:
            return
        # An edge to a part that x doesn't reach opens ways within it: it may be another part now.
        fill(marks, np.int64(-1))
        spread(board, x, i, marks)
        spread(board, x, j, marks)
    for y in range(len(board.degree)):
        if everything or marks[y] >= 0:
            fill(board.flipped[x, y], np.nan)


@bare
def alike(board, x, targets, begin, end):  # type: ignore[no-untyped-def]
    """Put the targets that are reached as the first of them is in front, and list the neighbours.

    Returns where the other targets begin and how many neighbours they are; both stay ascending.
    """
    n, ways = len(board.degree), board.ways[x]
    members, others = board.ways_before[n], board.ways_before[n + 1]
    way, put, aside, found = ways[targets[begin]], begin, 0, 0
    for t in range(begin, end):
        y = targets[t]
        if ways[y] == way:
            targets[put] = y
            put += 1
        else:
            others[aside] = y
            aside += 1
    for t in range(aside):
        targets[put + t] = others[t]
    for k in range(board.degree[x] if way >= 0 else 0):
        z = board.neighbours[x, k]
        if ways[z] == way:
            members[found] = z
            found += 1
    return put, found


@bare
def rewire(board, i, j, saved):  # type: ignore[no-untyped-def]
    """Find the ways after a flip of {i, j}, and forget what was tested given another set.

    Of the rows of i and j all is forgotten already: what was tested given the same set returns.
    """
    adding = board.adjacency[i, j]
    for x in range(len(board.degree)):
        board.rewired[x] = False
        a, b = board.ways[x, i], board.ways[x, j]
        at_end = x == i or x == j
        # A new edge opens no way within a part that x reaches, or between two that it doesn't; and
        # the edges of such a part close none.
        if not at_end and a == b and (adding or a < 0):
            continue
        copy(board.ways[x], board.ways_before[x])
        find_ways(board, x)
        if at_end:
            there = board.ways[x] if adding else board.ways_before[x]
            row, other = (0, j) if x == i else (1, i)
            for y in range(len(board.degree)):
                if there[y] != there[other]:
                    board.values[x, y] = saved[row, y]
        else:
            forget_rewired(board, x, i, j, saved)


@bare
def forget_rewired(board, x, i, j, saved):  # type: ignore[no-untyped-def]
    """Forget the tests of x that now condition on another set, and take them out of the score."""
    n = len(board.degree)
    old, new = board.ways_before[x], board.ways[x]
    shared, share = board.ways_before[n], board.ways_before[n + 1]
    members = board.neighbours[x, : board.degree[x]]
    for z in members:
        shared[z] = share[z] = 0
    for z in members:
        shared[old[z]] += 1
        share[new[z]] += 1
    for y in range(n):
        # One flip only joins sets or only parts them, so that sets of one size are one set.
        same = old[y] == new[y] and (old[y] < 0 or shared[old[y]] == share[old[y]])
        saved[x + 2, y] = STILL_KNOWN if same else board.values[x, y]
        board.rewired[x] = board.rewired[x] or not same
    if board.rewired[x]:
        add_rewired(board, x, i, j, saved, -1.0)
        for y in range(n):
            if saved[x + 2, y] != STILL_KNOWN:
                board.values[x, y] = np.nan


@bare
def add_rewired(board, x, i, j, saved, sign):  # type: ignore[no-untyped-def]
    """Add what was forgotten of x, but its pairs with i and j, to the score, or take it out."""
    total, lost = board.total[0], board.total[1]
    for y in range(len(board.degree)):
        asked = y != x and y != i and y != j and saved[x + 2, y] != STILL_KNOWN
        if asked and (board.both or comes_first(board.degree, x, y)):
            total, lost = added(total, lost, sign * board.values[x, y])
    board.total[0] = total + lost
    board.total[1] = lost - (board.total[0] - total)
