"""Flips on a board: those that are told, and those that a climb proposes by itself.

IBMAP-HC and its relatives choose pairs by what is on the board (`bjp_engine.kernels.board.Rule`).
Every other search tells which pairs to flip, and how much each must gain to be kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.board import (
    alike,
    comes_first,
    enter_row,
    find_ways,
    keep,
    lowest,
    mark,
    put_back,
    take_out,
    undo,
    unmark,
)
from bjp_engine.kernels.compiled import bare, borrowed, inlined, kernel
from bjp_engine.kernels.loops import better
from bjp_engine.kernels.pairwise import assertions, small_assertion

# So few tests of one variable are made one by one where they are small.
FEW_TARGETS = 3
# What `climb` says of its end.
GOES_ON, REFUSED, NONE_LEFT = 0, 1, 2


class Record(NamedTuple):
    """What a climb writes down of its proposals, a row each."""

    pair: NDArray[np.int64]
    score: NDArray[np.float64]  # with the flip made
    before: NDArray[np.float64]
    tests: NDArray[np.int64]
    kept: NDArray[np.bool_]
    # (steps, keep, 2): the pairs that came first before the flip, ascending; -1 where fewer were
    lowest: NDArray[np.int64]
    value: NDArray[np.float64]
    adjacent: NDArray[np.bool_]


class ClimbOrders(NamedTuple):
    """What is done before a climb proposes anything."""

    begin: int  # the pairs of the rows from `begin` to `end` of a new graph are entered,
    end: int
    flips: NDArray[np.int64]  # (F, 2): and these are tried, one after the other
    needed: NDArray[np.float64]  # (F,): what each must gain more than to be kept
    gain: NDArray[np.float64]  # written: what each gains,
    score: NDArray[np.float64]  # the score with the flip made,
    kept: NDArray[np.bool_]  # and whether it was kept


@inlined
def complete_pairs(table, evidence, board, i, j, start):  # type: ignore[no-untyped-def]
    """Make known what is computed of the pairs of i and j with all others from `start` on.

    What a third variable says of i and j is asked of it at once: it lays out its cells but once.
    """
    n, targets = len(board.degree), np.empty(len(board.degree), dtype=np.int64)
    for k in range(-2, n):
        whole, x, found = k < 0 or (k < len(board.rewired) and board.rewired[k]), np.int64(k), 0
        if k < 0:
            x = i if k == -2 else j
        if whole or start == 0 or k >= start:
            found = lacking(board, x, i, j, start, whole, targets)
        begin = 0
        while begin < found:
            end, blanket = found, board.neighbours[x, : board.degree[x]]
            if board.ways.size > 0:
                end, members = alike(board, x, targets, begin, found)
                blanket = board.ways_before[len(board.degree), :members]
            complete(table, evidence, board, x, blanket, targets[begin:end])
            begin = end


@bare
def lacking(board, x, i, j, start, whole, targets):  # type: ignore[no-untyped-def]
    """List what x must be tested against and isn't yet: from `start` on, or i and j; how many."""
    low, end, stride, found = start, len(board.degree), 1, 0
    if not whole:
        low, end = min(i, j), max(i, j) + 1
        stride = max(1, end - 1 - low)
    for y in range(low, end, stride):
        asked = y != x and (board.both or comes_first(board.degree, x, y))
        if asked and np.isnan(board.values[x, y]):
            targets[found] = y
            found += 1
    return found


@inlined
def complete(table, evidence, board, x, blanket, targets):  # type: ignore[no-untyped-def]
    """Compute assertions of x that are not known, given a blanket or the part that is near."""
    board.tests[0] += len(targets)
    if len(targets) <= FEW_TARGETS:
        small = True
        for y in targets:
            value = small_assertion(table, evidence, x, blanket, y, board.scratch)
            small = small and not np.isnan(value)
            _write(board, x, blanket, y, value)
        if small:
            return
    out = np.empty(len(targets))
    assertions(table, evidence, x, blanket, targets, out)
    for t in range(len(targets)):
        _write(board, x, blanket, targets[t], out[t])


@bare
def _write(board, x, blanket, y, value):  # type: ignore[no-untyped-def]
    """Note a value; a test given nothing is the same from either end."""
    board.values[x, y] = value
    if board.ways.size > 0:
        # If no other way leads from x to y, none leads from y to x.
        alike = len(blanket) == 0 or (len(blanket) == 1 and blanket[0] == y)
    else:
        alike = board.degree[x] == 0 and board.degree[y] == 0
    if alike:
        board.values[y, x] = value


@bare
def note(record, step, board, i, j, before):  # type: ignore[no-untyped-def]
    """Write down a proposal."""
    record.pair[step, 0], record.pair[step, 1] = i, j
    record.before[step], record.score[step] = before, board.total[0]
    record.tests[step] = board.tests[0]
    record.kept[step] = better(board.total[0], before)
    return record.kept[step]


@bare
def obey(orders, k, board, before):  # type: ignore[no-untyped-def]
    """Write down what became of a flip that was told, and whether it is kept."""
    orders.gain[k], orders.score[k] = board.total[0] - before, board.total[0]
    orders.kept[k] = orders.gain[k] > orders.needed[k]
    return orders.kept[k]


@bare
def choose(board, goes_on, record, step):  # type: ignore[no-untyped-def]
    """Write down the pairs that come first; whether one is left to propose."""
    rows = record.lowest[step], record.value[step], record.adjacent[step]
    found = lowest(board, *rows)
    n = len(board.degree)
    if found == 0 and goes_on and board.made[1] < n * (n - 1) // 2:
        unmark(board)
        found = lowest(board, *rows)
    if found == 0:
        return False
    i, j = record.lowest[step, 0, 0], record.lowest[step, 0, 1]
    return board.local[i, j] < np.inf


@kernel
def climb(table, evidence, board, goes_on, orders, record):  # type: ignore[no-untyped-def]
    """Try the flips that are ordered, then climb, as many steps as the record has rows.

    The pair of the least local contribution is proposed. If that is refused, the climb ends; or it
    `goes_on`: the pair is marked and the next one tried, and once every pair is marked, all marks
    are taken away if a flip was kept in between, so that it ends where no flip raises the score.

    Returns the proposals written down, and REFUSED where the last proposal was and the climb ends
    there, NONE_LEFT where there is nothing to propose, else GOES_ON. All that computes tests goes
    through one call, since a compiler takes each call anew.
    """
    table, evidence, board = borrowed(table), borrowed(evidence), borrowed(board)
    saved = np.empty((2 + len(board.rewired), len(board.degree)))
    told, ordered = len(orders.flips), orders.begin - orders.end
    step = np.int64(0)
    while ordered < told or step < len(record.score):
        start = np.int64(0)
        if ordered < 0:
            i = j = orders.end + ordered
            start = i + 1
            if i == 0:
                for x in range(len(board.rewired)):
                    find_ways(board, np.int64(x))
        elif ordered < told:
            i, j = orders.flips[ordered, 0], orders.flips[ordered, 1]
        else:
            if not choose(board, goes_on, record, step):
                return step, NONE_LEFT
            i, j = record.lowest[step, 0, 0], record.lowest[step, 0, 1]
        before, lost = board.total[0], board.total[1]
        if i != j:
            take_out(board, i, j, saved)
        complete_pairs(table, evidence, board, i, j, start)
        if i == j:
            ordered += 1
            enter_row(board, i)
            continue
        put_back(board, i, j, saved)
        board.made[0] += 1
        if ordered < told:
            kept = obey(orders, ordered, board, before)
            ordered += 1
        else:
            kept = note(record, step, board, i, j, before)
            step += 1
        if kept:
            keep(board, i, j, saved)
            continue
        undo(board, i, j, saved, before, lost)
        if step > 0:
            if not goes_on:
                return step, REFUSED
            mark(board, i, j)
    return step, GOES_ON
