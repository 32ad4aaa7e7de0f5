"""Counting row by row, for tables of as many cells as there are rows, or somewhat fewer."""

from __future__ import annotations

import numpy as np

from bjp_engine.kernels.cells import column
from bjp_engine.kernels.compiled import inner
from bjp_engine.kernels.plain import fill


@inner
def count_by_rows(table, x, given, targets):  # type: ignore[no-untyped-def]
    """The cells of (Z, x), and their part in each state but the first of the targets."""
    place, size = _places(table, x, given)
    layers = 0
    for y in targets:
        layers += table.cardinalities[y] - 1
    # The layer before those of a target is where its first state is counted.
    counts = np.empty((layers + 1, size), dtype=np.int64)
    end = layers + 1
    for t in range(len(targets) - 1, -1, -1):
        begin = end - table.cardinalities[targets[t]]
        _count(table, targets[t], place, counts[begin:end])
        end = begin + 1
    cells = np.zeros((1, size), dtype=np.int64)
    if len(targets) == 0:
        for cell in place:
            cells[0, cell] += 1
        return cells, counts[1:]
    for layer in range(table.cardinalities[targets[0]]):
        for m in range(size):
            cells[0, m] += counts[layer, m]
    return cells, counts[1:]


@inner
def _places(table, x, given):  # type: ignore[no-untyped-def]
    """The cell of (Z, x) that each row is in, and how many there are."""
    place, size = np.zeros(table.rows, dtype=np.int32), np.int64(1)
    for z in given:
        append(table, place, z)
        size *= table.cardinalities[z]
    append(table, place, x)
    return place, size * table.cardinalities[x]


@inner
def append(table, ids, v):  # type: ignore[no-untyped-def]
    """One more digit for the number of each row: the state of a variable."""
    stored, r = table.codes[v], np.int32(table.cardinalities[v])
    if len(stored) == len(ids):
        for i in range(len(ids)):
            ids[i] = np.int32(ids[i] * r) + np.int32(stored[i])
        return
    codes = column(table, v)
    for i in range(len(ids)):
        ids[i] = np.int32(ids[i] * r) + np.int32(codes[i])


@inner
def _count(table, y, place, counts):  # type: ignore[no-untyped-def]
    """Count rows by the state of y and their cell."""
    # Unsigned numbers are never counted from the end: nothing is asked before they are used.
    stored, size = table.codes[y], np.uint64(counts.shape[1])
    flat = counts.reshape(counts.size)
    fill(flat, 0)
    if len(stored) == len(place):
        for i in range(len(place)):
            flat[np.uint64(stored[i]) * size + np.uint64(place[i])] += 1
        return
    codes = column(table, y)
    for i in range(len(place)):
        flat[np.uint64(codes[i]) * size + np.uint64(place[i])] += 1
