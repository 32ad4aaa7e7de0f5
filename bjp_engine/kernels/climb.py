"""IBMAP-HC on a board: what it computes of each graph, and which flips it proposes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.board import (
    borrow_board,
    comes_first,
    enter_row,
    lowest,
    put_back,
    take_out,
    undo,
)
from bjp_engine.kernels.cells import borrow_table
from bjp_engine.kernels.compiled import bare, inlined, kernel
from bjp_engine.kernels.slices import borrow_evidence
from bjp_engine.kernels.small import small_assertion
from bjp_engine.kernels.tests import assertions
from bjp_engine.kernels.ties import better

# So few tests of one variable are made one by one where they are small.
FEW_TARGETS = 3
# What `climb` says of its end.
GOES_ON, REFUSED = 0, 1


class Record(NamedTuple):
    """What a climb writes down of its proposals, a row each.

    Parameters
    ----------
    pair : ndarray of int64, shape (steps, 2)
    score : ndarray of float, shape (steps,)
        With the flip made.
    before : ndarray of float, shape (steps,)
    tests : ndarray of int64, shape (steps,)
    lowest : ndarray of int64, shape (steps, keep, 2)
        The pairs of lowest local contribution before the flip, ascending.
    value : ndarray of float, shape (steps, keep)
    adjacent : ndarray of bool, shape (steps, keep)
    """

    pair: NDArray[np.int64]
    score: NDArray[np.float64]
    before: NDArray[np.float64]
    tests: NDArray[np.int64]
    lowest: NDArray[np.int64]
    value: NDArray[np.float64]
    adjacent: NDArray[np.bool_]


class Orders(NamedTuple):
    """What a climb does first.

    Parameters
    ----------
    begin, end : int
        It enters the pairs of these rows of a new graph,
    flips : ndarray of int64, shape (F, 2)
        and makes these flips, whatever becomes of the score.
    """

    begin: int
    end: int
    flips: NDArray[np.int64]


NO_FLIPS = np.empty((0, 2), dtype=np.int64)


@inlined
def complete_pairs(table, evidence, board, i, j, start):  # type: ignore[no-untyped-def]
    """Make known what is computed of the pairs of i and j with all others from `start` on.

    What a third variable says of i and j is asked of it at once: it lays out its cells but once.
    """
    targets = np.empty(len(board.degree), dtype=np.int64)
    ends = (i, j)
    for k in range(-2, len(board.degree)):
        x, found = np.int64(k), 0
        if k < 0:
            x = ends[k + 2]
            found = lacking_of(board, x, start, targets)
        elif start == 0 or k >= start:
            found = lacking_from(board, x, ends, targets)
        if found > 0:
            complete(table, evidence, board, x, targets[:found])


@bare
def lacking_of(board, x, start, targets):  # type: ignore[no-untyped-def]
    """List what x must be tested against from `start` on, and isn't yet; how many."""
    found = 0
    for y in range(start, len(board.degree)):
        asked = y != x and (board.both or comes_first(board.degree, x, y))
        if asked and np.isnan(board.values[x, y]):
            targets[found] = y
            found += 1
    return found


@bare
def lacking_from(board, x, ends, targets):  # type: ignore[no-untyped-def]
    """List which of two variables x must be tested against, and isn't yet; how many."""
    found = 0
    for y in (min(ends), max(ends)):
        again = found > 0 and targets[found - 1] == y
        asked = y != x and (board.both or comes_first(board.degree, x, y))
        if asked and not again and np.isnan(board.values[x, y]):
            targets[found] = y
            found += 1
    return found


@inlined
def complete(table, evidence, board, x, targets):  # type: ignore[no-untyped-def]
    """Compute assertions of x that are not known."""
    values, degree = board.values, board.degree
    blanket = board.neighbours[x, : degree[x]]
    board.tests[0] += len(targets)
    if len(targets) <= FEW_TARGETS:
        small = True
        for y in targets:
            value = small_assertion(table, evidence, x, blanket, y, board.scratch)
            small = small and not np.isnan(value)
            _write(values, degree, x, y, value)
        if small:
            return
    out = np.empty(len(targets))
    assertions(table, evidence, x, blanket, targets, out)
    for t in range(len(targets)):
        _write(values, degree, x, targets[t], out[t])


@bare
def _write(values, degree, x, y, value):  # type: ignore[no-untyped-def]
    """Note a value; a test given nothing is the same from either end."""
    values[x, y] = value
    if degree[x] == 0 and degree[y] == 0:
        values[y, x] = value


@bare
def note(record, step, board, i, j, before):  # type: ignore[no-untyped-def]
    """Write down a proposal."""
    record.pair[step, 0], record.pair[step, 1] = i, j
    record.before[step], record.score[step] = before, board.total[0]
    record.tests[step] = board.tests[0]


@kernel
def climb(table, evidence, board, orders, record):  # type: ignore[no-untyped-def]
    """IBMAP-HC: flip the pair of lowest local contribution as long as the score rises.

    All that computes tests goes through one call, since a compiler takes each call anew.

    Parameters
    ----------
    table : Table
    evidence : Evidence
    board : Board
    orders : Orders
        What is done before.
    record : Record
        As many flips are proposed as it has rows.

    Returns
    -------
    steps : int
        Proposals written down.
    end : int
        REFUSED where the last proposal was, and undone; else GOES_ON.
    """
    table, evidence, board = borrow_table(table), borrow_evidence(evidence), borrow_board(board)
    flips, saved = orders.flips, np.empty((2, len(board.degree)))
    ordered, step = orders.begin - orders.end, 0
    while ordered < len(flips) or step < len(record.score):
        start = np.int64(0)
        if ordered < 0:
            i = j = orders.end + ordered
            start = i + 1
        elif ordered < len(flips):
            i, j = flips[ordered, 0], flips[ordered, 1]
        else:
            lowest(board, record.lowest[step], record.value[step], record.adjacent[step])
            i, j = record.lowest[step, 0, 0], record.lowest[step, 0, 1]
        before, lost = board.total[0], board.total[1]
        if i != j:
            take_out(board, i, j, saved)
        complete_pairs(table, evidence, board, i, j, start)
        if i == j:
            enter_row(board, i)
        else:
            put_back(board, i, j)
        if ordered < len(flips):
            ordered += 1
            continue
        note(record, step, board, i, j, before)
        step += 1
        if not better(board.total[0], before):
            undo(board, i, j, saved, before, lost)
            return step, REFUSED
    return step, GOES_ON
