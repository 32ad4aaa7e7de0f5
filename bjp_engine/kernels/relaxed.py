"""Upper bounds on the best graph of a decomposable score, by relaxing that edges have two ends.

A decomposable score is Σ_j f_j(B_j) over the variables' blankets B_j. Chosen freely they need not
make a graph: j may be in B_i and not i in B_j. Let λ be any antisymmetric matrix and

    θ_j(B) = f_j(B) + Σ_{i ∈ B} λ_ji.

In a graph each edge adds λ_ij + λ_ji = 0, so Σ_j θ_j(B_j) is its score, and hence

    max over graphs ≤ D(λ) = Σ_j max_B θ_j(B)                                        (bound)

for every λ; the least D(λ) is the linear relaxation of the 0-1 programme over blankets.
A blanket B of j may be dropped if no graph that has it can score above a floor, that is if

    θ_j(B) + Σ_{k ≠ j} max {θ_k(C): j ∈ C if and only if k ∈ B} ≤ floor,              (drop)

since in such a graph every k has a blanket C of that kind.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.compiled import bare, inner
from bjp_engine.kernels.loops import copy

# The step is shortened after so many rounds that brought next to nothing.
PATIENCE = 5
SHORTER = 0.6
# Less than this part of what is between a bound and the floor is next to nothing.
ENOUGH = 1e-3
# Dropping is repeated while it takes away more than one in so many.
WORTHWHILE = 8


class Candidates(NamedTuple):
    """The blankets that are left, variable by variable.

    Which are left is said by `end` arrays beside: those from begin[j] to end[j]. What is dropped is
    moved behind, so that a shorter list is forgotten by going back to an earlier `end`.
    """

    masks: NDArray[np.int32]  # bit i of a blanket is set where variable i is in it
    values: NDArray[np.float64]  # f_j of each
    begin: NDArray[np.int64]  # (n + 1,): where the blankets of each variable begin


@bare
def half_sums(weights, halves):  # type: ignore[no-untyped-def]
    """The sum of weights over every set of the first half of the variables, and of the others."""
    low = len(weights) // 2
    for part in range(2):
        sums, first = halves[part], low * part
        sums[0] = 0.0
        for b in range(low if part == 0 else len(weights) - low):
            for q in range(1 << b):
                sums[q | 1 << b] = sums[q] + weights[first + b]


@inner
def new_halves(n):  # type: ignore[no-untyped-def]
    """Room for the sums of both halves."""
    return np.empty((2, 1 << (n - n // 2)))


@bare
def relaxed_bound(candidates, end, multipliers, halves, chosen):  # type: ignore[no-untyped-def]
    """D(λ), and the mask of the best blanket of each variable."""
    masks, values, begin = candidates
    n, bound = len(end), 0.0
    low = n // 2
    part = (1 << low) - 1
    for j in range(n):
        half_sums(multipliers[j], halves)
        top, best = -np.inf, np.int64(0)
        for c in range(begin[j], end[j]):
            value = values[c] + halves[0, masks[c] & part] + halves[1, masks[c] >> low]
            if value > top:
                top, best = value, np.int64(masks[c])
        chosen[j] = best
        bound += top
    return bound


@bare
def marginals(candidates, end, multipliers, halves, best):  # type: ignore[no-untyped-def]
    """D(λ), and max θ_j(B) over blankets without [0, j, i] and with [1, j, i] each variable i."""
    masks, values, begin = candidates
    n, bound = len(end), 0.0
    low = n // 2
    part = (1 << low) - 1
    for j in range(n):
        half_sums(multipliers[j], halves)
        for i in range(n):
            best[0, j, i] = best[1, j, i] = -np.inf
        least = -np.inf
        for c in range(begin[j], end[j]):
            mask = masks[c]
            value = values[c] + halves[0, mask & part] + halves[1, mask >> low]
            # Most are below all that was found; only a new one is looked at bit by bit.
            if value > least:
                least = noted(best, j, mask, value)
        # No blanket has j itself, so this is the greatest of all.
        bound += best[0, j, j]
    return bound


@bare
def noted(best, j, mask, value):  # type: ignore[no-untyped-def]
    """Raise the marginals of a blanket to its value; the least of all marginals then."""
    least = np.inf
    for i in range(best.shape[1]):
        side = mask >> i & 1
        best[side, j, i] = max(best[side, j, i], value)
        if i != j:
            least = min(least, best[0, j, i], best[1, j, i])
    return least


@bare
def gains_of(multipliers, best, j, gains):  # type: ignore[no-untyped-def]
    """What each k in a blanket of j adds to (drop), beside the sum where none is in it.

    Returns that sum, and the mask of the k that are in every blanket of j, since j is in all of
    theirs.
    """
    base, needed = 0.0, np.int64(0)
    for k in range(len(gains)):
        gains[k] = 0.0
        if k == j:
            continue
        gains[k] = multipliers[j, k] + best[1, k, j]
        if best[0, k, j] == -np.inf:
            needed |= 1 << k
        else:
            gains[k] -= best[0, k, j]
            base += best[0, k, j]
    return base, needed


@inner
def drop(candidates, end, multipliers, best, halves, floor):  # type: ignore[no-untyped-def]
    """Drop the blankets that no graph above the floor has; how many, or -1 if none is left of one.

    `best` are the marginals; see (drop) above.
    """
    masks, values, begin = candidates
    n, dropped = len(end), 0
    low = n // 2
    part = (1 << low) - 1
    gains = np.empty(n)
    for j in range(n):
        base, needed = gains_of(multipliers, best, j, gains)
        half_sums(gains, halves)
        c = begin[j]
        while c < end[j]:
            mask = masks[c]
            bound = base + values[c] + halves[0, mask & part] + halves[1, mask >> low]
            if bound > floor and mask & needed == needed:
                c += 1
                continue
            end[j] -= 1
            swap(masks, values, c, end[j])
            dropped += 1
        if end[j] == begin[j]:
            return -1
    return dropped


@bare
def swap(masks, values, a, b):  # type: ignore[no-untyped-def]
    """Let two blankets change places."""
    mask, value = masks[a], values[a]
    masks[a], values[a] = masks[b], values[b]
    masks[b], values[b] = mask, value


@bare
def copy_matrix(source, target):  # type: ignore[no-untyped-def]
    """Write a matrix over another."""
    for i in range(len(source)):
        copy(source[i], target[i])


@bare
def left(candidates, end):  # type: ignore[no-untyped-def]
    """How many blankets are left."""
    count = np.int64(0)
    for j in range(len(end)):
        count += end[j] - candidates.begin[j]
    return count


@inner
def tighten(candidates, end, multipliers, chosen, floor, rounds):  # type: ignore[no-untyped-def]
    """Make D(λ) smaller by subgradient steps after Polyak, until it is at most the floor.

    Where two variables disagree on their edge, the multipliers make it dearer to the one that
    has it and cheaper to the other. Returns the least D(λ); `multipliers` are those that gave it,
    `chosen` those blankets.
    """
    n = len(end)
    halves, steps = new_halves(n), np.zeros((n, n))
    trial, found = np.empty((n, n)), np.empty(n, dtype=np.int64)
    copy_matrix(multipliers, trial)
    least, scale, idle = np.inf, 1.0, 0
    for _ in range(rounds):
        bound = relaxed_bound(candidates, end, trial, halves, found)
        idle += 1
        if bound < least:
            if not least - bound <= ENOUGH * (least - floor):
                idle = 0
            least = bound
            copy_matrix(trial, multipliers)
            copy(found, chosen)
        if idle > PATIENCE:
            scale, idle, bound = scale * SHORTER, 0, least
            copy_matrix(multipliers, trial)
            copy(chosen, found)
        disagree = disagreements(found, steps)
        if least <= floor or disagree == 0:
            break
        step = scale * (bound - floor) / disagree
        for i in range(n):
            for j in range(n):
                trial[i, j] -= step * steps[i, j]
    return least


@bare
def disagreements(chosen, steps):  # type: ignore[no-untyped-def]
    """Fill 1 where the row's variable alone has the edge, -1 where the other; how many pairs."""
    count = 0
    for i in range(len(chosen)):
        for j in range(i):
            side = (chosen[i] >> j & 1) - (chosen[j] >> i & 1)
            steps[i, j], steps[j, i] = side, -side
            count += side * side
    return count
