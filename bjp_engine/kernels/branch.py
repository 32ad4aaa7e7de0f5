"""The best graph of a decomposable score by branch and bound over pairs, edge or no edge.

A node of the tree has decided some pairs: only blankets that agree with it are left. Its bound
is tightened (see `relaxed`), graphs near its blankets are climbed from, and if the bound is
still above the best graph, a pair is decided both ways. The tree is gone through depth first, and
blankets are dropped by moving them behind, so it takes no memory but its path.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.compiled import bare, inner, kernel
from bjp_engine.kernels.loops import copy
from bjp_engine.kernels.relaxed import (
    WORTHWHILE,
    copy_matrix,
    drop,
    left,
    marginals,
    new_halves,
    swap,
    tighten,
)

# What becomes of a node: it is new, its first child was taken, and both were.
NEW, FIRST, BOTH = 0, 1, 2
# Steps of the multipliers at each node.
ROUNDS = 20


class Tree(NamedTuple):
    """The path from the root to the present node; all but `depth` by level."""

    depth: NDArray[np.int64]  # (1,): of the present node; -1 once the whole tree was gone through
    end: NDArray[np.int64]  # (levels, n): see `Candidates`
    multipliers: NDArray[np.float64]
    # (levels, 3): the pair that is decided below, and what its first child has, 1 for the edge
    pair: NDArray[np.int64]
    stage: NDArray[np.int64]
    bound: NDArray[np.float64]  # (levels, 2): nothing scores higher below the node; its 2nd child


class Best(NamedTuple):
    """The best graph so far."""

    graph: NDArray[np.int64]  # (n,): its blankets as masks
    score: NDArray[np.float64]
    slack: float  # what is higher by no more counts as equal


@bare
def climb(values, graph, slack):  # type: ignore[no-untyped-def]
    """Make the flip that raises the score most, from a graph, until none does; the score."""
    n = len(graph)
    while True:
        most, i, j = slack, -1, -1
        for a in range(n):
            for b in range(a):
                gain = values[a, graph[a] ^ 1 << b] - values[a, graph[a]]
                gain += values[b, graph[b] ^ 1 << a] - values[b, graph[b]]
                if gain > most:
                    most, i, j = gain, a, b
        if i < 0:
            break
        graph[i] ^= 1 << j
        graph[j] ^= 1 << i
    score = 0.0
    for a in range(n):
        score += values[a, graph[a]]
    return score


@bare
def keep_better(best, graph, score):  # type: ignore[no-untyped-def]
    """Take a graph as the best if it is better."""
    if score > best.score[0] + best.slack:
        best.score[0] = score
        copy(graph, best.graph)


@kernel
def restarts(values, best, blankets, picks):  # type: ignore[no-untyped-def]
    """Climb from the best graph, then again and again with some blankets of it exchanged.

    Some blankets of each variable that are good for itself, shape (n, k); and which variable gets
    which of them, shape (climbs, exchanges, 2).
    """
    graph = np.empty(len(best.graph), dtype=np.int64)
    copy(best.graph, graph)
    keep_better(best, graph, climb(values, graph, best.slack))
    for k in range(len(picks)):
        copy(best.graph, graph)
        for t in range(picks.shape[1]):
            j = picks[k, t, 0]
            blanket = blankets[j, picks[k, t, 1]]
            for i in range(len(graph)):
                if (graph[j] ^ blanket) >> i & 1:
                    graph[i] ^= 1 << j
            graph[j] = blanket
        keep_better(best, graph, climb(values, graph, best.slack))


@inner
def climb_nearby(values, best, chosen):  # type: ignore[no-untyped-def]
    """Climb from the edges on which both of their ends agree, and from those that one has."""
    n = len(chosen)
    graph = np.empty(n, dtype=np.int64)
    for either in range(2):
        for i in range(n):
            graph[i] = chosen[i] if either else np.int64(0)
        for i in range(n):
            for j in range(n):
                if chosen[i] >> j & 1 and (either or chosen[j] >> i & 1):
                    graph[j] |= 1 << i
                    graph[i] |= 1 << j
        keep_better(best, graph, climb(values, graph, best.slack))


@inner
def examine(values, candidates, tree, best, rounds):  # type: ignore[no-untyped-def]
    """Tighten the bound of the present node, look for better graphs and drop blankets.

    Returns the `marginals`, but for a node that is done with, and whether a graph below may be
    better than the best.
    """
    level, n = tree.depth[0], len(best.graph)
    end, multipliers, bound = tree.end[level], tree.multipliers[level], tree.bound[level]
    chosen, edges = np.zeros(n, dtype=np.int64), np.empty((2, n, n))
    floor = best.score[0] + best.slack
    bound[0] = min(bound[0], tighten(candidates, end, multipliers, chosen, floor, rounds))
    climb_nearby(values, best, chosen)
    floor = best.score[0] + best.slack
    halves = new_halves(n)
    while bound[0] > floor:
        bound[0] = min(bound[0], marginals(candidates, end, multipliers, halves, edges))
        dropped = drop(candidates, end, multipliers, edges, halves, floor)
        if dropped < 0:
            bound[0] = -np.inf
        if dropped * WORTHWHILE < left(candidates, end):
            break
    return edges, bound[0] > floor


@inner
def decide(tree, edges):  # type: ignore[no-untyped-def]
    """Choose the pair of which both decisions lower the bound most; False if all are decided."""
    level, n = tree.depth[0], edges.shape[1]
    bound, least, other = 0.0, 0.0, 0.0
    most, found = -1.0, False
    for i in range(n):
        bound += edges[0, i, i]
        for j in range(i):
            if max(edges[0, i, j], edges[0, j, i]) == -np.inf:
                continue
            if max(edges[1, i, j], edges[1, j, i]) == -np.inf:
                continue
            tops = edges[0, i, i] + edges[0, j, j]
            without = tops - (edges[0, i, j] + edges[0, j, i])
            within = tops - (edges[1, i, j] + edges[1, j, i])
            # Of equal ones that whose other decision lowers it more.
            promise = min(without, within) + 1e-3 * max(without, within)
            if promise > most:
                most, found = promise, True
                least, other = min(without, within), max(without, within)
                tree.pair[level, 0], tree.pair[level, 1] = i, j
                tree.pair[level, 2] = within <= without
    tree.bound[level, 1] = min(tree.bound[level, 0], bound - other)
    tree.bound[level + 1, 0] = min(tree.bound[level, 0], bound - least)
    return found


@inner
def descend(candidates, tree, has):  # type: ignore[no-untyped-def]
    """Go to the child that has the edge, or hasn't."""
    level = tree.depth[0]
    masks, values, begin = candidates
    end = tree.end[level + 1]
    copy(tree.end[level], end)
    copy_matrix(tree.multipliers[level], tree.multipliers[level + 1])
    i, j = tree.pair[level, 0], tree.pair[level, 1]
    for x, y in ((i, j), (j, i)):
        c = begin[x]
        while c < end[x]:
            if masks[c] >> y & 1 == has:
                c += 1
            else:
                end[x] -= 1
                swap(masks, values, c, end[x])
    tree.stage[level + 1] = NEW
    tree.depth[0] = level + 1


@kernel
def branch(values, candidates, tree, best, limits, settling):  # type: ignore[no-untyped-def]
    """Go on until so many blankets and nodes were looked at, or to the end; the nodes examined.

    To settle the root is to examine it and to leave it as new, unless it is done with.
    """
    nodes, looked = 0, 0
    while tree.depth[0] >= 0 and looked < limits[0] and nodes < limits[1]:
        level = tree.depth[0]
        floor = best.score[0] + best.slack
        if tree.stage[level] == NEW:
            nodes += 1
            looked += ROUNDS * left(candidates, tree.end[level])
            edges, is_open = examine(values, candidates, tree, best, ROUNDS)
            if is_open and settling:
                return nodes
            if is_open and decide(tree, edges):
                tree.stage[level] = FIRST
                descend(candidates, tree, tree.pair[level, 2])
            else:
                tree.depth[0] -= 1
        elif tree.stage[level] == FIRST and tree.bound[level, 1] > floor:
            tree.stage[level] = BOTH
            tree.bound[level + 1, 0] = tree.bound[level, 1]
            descend(candidates, tree, 1 - tree.pair[level, 2])
        else:
            tree.depth[0] -= 1
    return nodes
