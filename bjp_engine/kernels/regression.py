"""A variable regressed on the others: which belong to its blanket, and how surely.

The model is logistic, with products of two members, and is chosen by evidence:

    ln ∫ L(β) N(β; 0, 1/γ) dβ + Σ λ of the members - ln 4 for each product,

the integral by Laplace's approximation. Forward, the change that promises most is tried first:
a candidate, a candidate with its product with one member, or the product of two members; the
promise is that of one step of Newton's method, from the score statistic of the columns that
would enter. Backward, what loses least by Wald's statistic goes, if that gains.
Only binary data; blankets of at most `MOST` members.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.kernels.compiled import bare, borrowed, inlined, inner, kernel
from bjp_engine.kernels.counting import lay_out
from bjp_engine.kernels.lattice import Lattice, Room, fit, invert, loss, transform, weigh
from bjp_engine.kernels.loops import fill, others

MOST = 8
_CELLS = 1 << (MOST + 1)
_TERMS = 1 + MOST + MOST * (MOST - 1) // 2 + 2
# A change that promises a small loss may still gain: one step of Newton's isn't everything.
_DOUBT = 1.0
# ln odds against a product of two members.
_PRODUCT = math.log(4.0)
_NEVER = -np.inf


class Model(NamedTuple):
    """A regression as it grows and shrinks."""

    # (MOST + 1,): in the order of the bits of a configuration's number, the highest first
    members: NDArray[np.int64]
    terms: NDArray[np.int64]  # (_TERMS,): the sets of its columns; the first is empty
    beta: NDArray[np.float64]  # (_TERMS,): the coefficients,
    saved: NDArray[np.float64]  # and what they were before a change was tried
    size: NDArray[np.int64]  # (2,): how many members, how many terms


@kernel
def regress(table, odds, gamma, j, found, promise):  # type: ignore[no-untyped-def]
    """Choose the blanket of variable j of binary data, with λ in `odds`; its evidence.

    γ is one over the variance of the coefficients' prior. Fills `found`, where b is in the blanket,
    and `promise`, ln odds that b belongs there, each of shape (n,).
    """
    table, j, n = borrowed(table), np.int64(j), len(found)
    members, terms = np.zeros(MOST + 1, dtype=np.int64), np.zeros(_TERMS, dtype=np.int64)
    model = Model(members, terms, np.zeros(_TERMS), np.zeros(_TERMS), np.array([0, 1]))
    counts, more = np.zeros((5, _CELLS)), np.zeros((5, _CELLS))
    lattice = Lattice(counts[0], counts[1], counts[2], counts[3], counts[4])
    spare = Lattice(more[0], more[1], more[2], more[3], more[4])
    square = np.zeros((3, _TERMS, _TERMS))
    room = Room(float(gamma), square[0], square[1], square[2], np.zeros(_TERMS))
    # Pairs that were tried in vain; those with n are of one variable alone.
    refused = np.zeros((n + 1, n + 1), dtype=np.bool_)
    gains, fresh, value = np.zeros((n, MOST + 1)), True, 0.0
    none = np.empty(0, dtype=np.int64)
    while True:
        k, m = model.size[0], model.size[1]
        cells = lay_out(table, j, model.members[:k], none)[0]
        _read(cells, lattice, np.int64(1) << k)
        if fresh:
            value = fit(lattice, np.int64(1) << k, model.terms, m, model.beta, room)
        else:
            weigh(lattice, np.int64(1) << k, model.terms, m, model.beta)
        fresh = False
        invert(lattice, model.terms, m, room)
        if _shrink(model, odds, room, refused, promise):
            fresh = True
            continue
        fill(found, False)
        for q in range(k):
            found[model.members[q]] = True
        candidates = others(found, j)
        cells, within = lay_out(table, j, model.members[:k], candidates)
        _promise(lattice, cells, within, model, odds, candidates, room, gains, promise)
        grown = False
        while not grown:
            t, a, b = _best(lattice, model, candidates, room, refused, gains)
            if t < -1:
                break
            bits = _split(spare, cells, within, t, np.int64(1) << k)
            raised, pays = _enter(spare, bits, model, odds, candidates, (t, a, b), room)
            grown = raised - value > pays + 1e-9
            if grown:
                value = raised
            else:
                _leave(model, k, m, t)
                _refuse(refused, model.members, candidates, t, a, b)
        if not grown:
            break
    for q in range(model.size[0]):
        value += odds[model.members[q]]
    return value - _PRODUCT * (model.size[1] - 1 - model.size[0])


@bare
def _read(cells, lattice, size):  # type: ignore[no-untyped-def]
    """Take the counts of each configuration."""
    for c in range(size):
        lattice.zero[c], lattice.one[c] = cells[2 * c], cells[2 * c + 1]


@bare
def _split(spare, cells, within, t, size):  # type: ignore[no-untyped-def]
    """The counts with candidate t as the last bit, or as they are where there is none."""
    if t < 0:
        _read(cells, spare, size)
        return size
    for c in range(size):
        zero, one = within[t, 2 * c], within[t, 2 * c + 1]
        spare.zero[2 * c], spare.one[2 * c] = cells[2 * c] - zero, cells[2 * c + 1] - one
        spare.zero[2 * c + 1], spare.one[2 * c + 1] = zero, one
    return 2 * size


@inner
def _shrink(model, odds, room, refused, promise):  # type: ignore[no-untyped-def]
    """Take out the product or the member that gains most by going; whether one went."""
    k, m = model.size[0], model.size[1]
    chosen = np.empty(_TERMS, dtype=np.int64)
    worst, product, member = 0.0, np.int64(-1), np.int64(-1)
    for q in range(1, m):
        if model.terms[q] & (model.terms[q] - 1):
            chosen[0] = q
            net = loss(model.beta, chosen, np.int64(1), room) - _PRODUCT
            if net < worst:
                worst, product = net, np.int64(q)
    for p in range(k):
        bit, count = np.int64(1) << (k - 1 - p), np.int64(0)
        for q in range(1, m):
            if model.terms[q] & bit:
                chosen[count] = q
                count += 1
        v = model.members[p]
        net = loss(model.beta, chosen, count, room) - _PRODUCT * (count - 1) + odds[v]
        promise[v] = net
        if net < worst:
            worst, member = net, np.int64(p)
    if member >= 0:
        fill(refused[model.members[member]], True)
        _remove(model, member)
        return True
    if product >= 0:
        a, b = np.int64(-1), np.int64(-1)
        for p in range(k):
            if model.terms[product] & (np.int64(1) << (k - 1 - p)):
                a, b = b, model.members[p]
        refused[a, b] = refused[b, a] = True
        _drop(model, product)
        return True
    return False


@bare
def _drop(model, q):  # type: ignore[no-untyped-def]
    """Take out one column."""
    for r in range(q, model.size[1] - 1):
        model.terms[r], model.beta[r] = model.terms[r + 1], model.beta[r + 1]
    model.size[1] -= 1


@bare
def _remove(model, p):  # type: ignore[no-untyped-def]
    """Take out a member with all of its columns."""
    k = model.size[0]
    bit = np.int64(1) << (k - 1 - p)
    q = 1
    while q < model.size[1]:
        if model.terms[q] & bit:
            _drop(model, q)
        else:
            low = model.terms[q] & (bit - 1)
            model.terms[q] = low | ((model.terms[q] & ~(2 * bit - 1)) >> 1)
            q += 1
    for r in range(p, k - 1):
        model.members[r] = model.members[r + 1]
    model.size[0] -= 1


@inner
def _promise(lattice, cells, within, model, odds, candidates, room, gains, promise):  # type: ignore[no-untyped-def]
    """What each candidate promises, alone [k] and with its product with each member [a].

    U² / (2 V) - ½ ln V of its column, or the same of both columns, with its λ.
    """
    k, m = model.size[0], model.size[1]
    size = np.int64(1) << k
    rest, spread = np.empty(size), np.empty(size)
    whole = lattice.weight[0] + room.ridge
    alone, solved = np.empty(m), np.empty(m)
    for t in range(len(candidates)):
        for c in range(size):
            rows = cells[2 * c] + cells[2 * c + 1]
            # The candidate's column, summed over the rows of a cell: +1 in state 0, else -1.
            column = rows - 2.0 * (within[t, 2 * c] + within[t, 2 * c + 1])
            of_ones = cells[2 * c + 1] - 2.0 * within[t, 2 * c + 1]
            p = lattice.fitted[c]
            rest[c], spread[c] = of_ones - p * column, p * (1 - p) * column
        transform(rest, size)
        transform(spread, size)
        for q in range(m):
            alone[q] = spread[model.terms[q]]
        v00 = whole - _form(room.inverse, alone, solved, m)
        v00 = max(v00, 1e-9)
        of_member = odds[candidates[t]]
        quadratic = rest[0] * rest[0] / (2 * v00)
        best = gains[t, k] = quadratic - 0.5 * math.log(v00 / room.ridge) + of_member
        for a in range(k):
            gains[t, a] = _of_two(lattice, model, room, rest, spread, solved, v00, a)
            gains[t, a] += of_member - _PRODUCT
            best = max(best, gains[t, a])
        promise[candidates[t]] = best


@bare
def _form(inverse, values, solved, m):  # type: ignore[no-untyped-def]
    """v' V v, and V v."""
    total = 0.0
    for q in range(m):
        entry = 0.0
        for r in range(m):
            entry += inverse[q, r] * values[r]
        solved[q] = entry
        total += entry * values[q]
    return total


@inlined
def _of_two(lattice, model, room, rest, spread, solved, v00, a):  # type: ignore[no-untyped-def]
    """What a candidate and its product with member a promise together."""
    k, m = model.size[0], model.size[1]
    bit = np.int64(1) << (k - 1 - a)
    v01, v11 = lattice.weight[bit], lattice.weight[0] + room.ridge
    for q in range(m):
        entry = spread[model.terms[q] ^ bit]
        v01 -= entry * solved[q]
        inner_sum = 0.0
        for r in range(m):
            inner_sum += room.inverse[q, r] * spread[model.terms[r] ^ bit]
        v11 -= entry * inner_sum
    det = v00 * v11 - v01 * v01
    if det <= 1e-6 * v00 * v11:
        return _NEVER
    u0, u1 = rest[0], rest[bit]
    quadratic = (u0 * u0 * v11 - 2 * u0 * u1 * v01 + u1 * u1 * v00) / (2 * det)
    return quadratic - 0.5 * math.log(det / (room.ridge * room.ridge))


@inlined
def _best(lattice, model, candidates, room, refused, gains):  # type: ignore[no-untyped-def]
    """The change that promises most and wasn't refused: a candidate t with member a, or a and b.

    t = -2 where there is none, -1 for the product of members a and b; a = -1 for t alone.
    """
    k, m = model.size[0], model.size[1]
    best, at = -_DOUBT, (-2, -1, -1)
    if k < MOST:
        for t in range(len(candidates)):
            for a in range(k + 1):
                with_ = model.members[a] if a < k else len(refused) - 1
                if gains[t, a] > best and not refused[candidates[t], with_]:
                    best, at = gains[t, a], (t, a if a < k else -1, -1)
    values, solved = room.step, room.factor[0]
    for a in range(k):
        for b in range(a + 1, k):
            if refused[model.members[a], model.members[b]]:
                continue
            both = (np.int64(1) << (k - 1 - a)) | (np.int64(1) << (k - 1 - b))
            known = False
            for q in range(m):
                known = known or model.terms[q] == both
                values[q] = lattice.weight[model.terms[q] ^ both]
            if known:
                continue
            v = max(lattice.weight[0] + room.ridge - _form(room.inverse, values, solved, m), 1e-9)
            promised = lattice.rest[both] * lattice.rest[both] / (2 * v)
            promised -= 0.5 * math.log(v / room.ridge) + _PRODUCT
            if promised > best:
                best, at = promised, (-1, a, b)
    return at


@inlined
def _enter(spare, size, model, odds, candidates, change, room):  # type: ignore[no-untyped-def]
    """Put new columns into the model, and fit it; the evidence, and what the change costs."""
    t, a, b = change
    k, m = model.size[0], model.size[1]
    pays = 0.0
    if t >= 0:
        # The new member is the last bit: all others move up by one.
        for q in range(m):
            model.terms[q] <<= 1
        model.members[k] = candidates[t]
        model.size[0] = k + 1
        model.terms[m], model.beta[m] = 1, 0.0
        model.size[1] = m + 1
        pays -= odds[candidates[t]]
    if a >= 0:
        both = np.int64(1) << (k - 1 - a)
        both = both << 1 | 1 if t >= 0 else both | (np.int64(1) << (k - 1 - b))
        last = model.size[1]
        model.terms[last], model.beta[last] = both, 0.0
        model.size[1] = last + 1
        pays += _PRODUCT
    for q in range(m):
        model.saved[q] = model.beta[q]
    raised = fit(spare, size, model.terms, model.size[1], model.beta, room)
    return raised, pays


@bare
def _leave(model, k, m, t):  # type: ignore[no-untyped-def]
    """Take the columns out that entered last."""
    for q in range(m):
        model.beta[q] = model.saved[q]
        if t >= 0:
            model.terms[q] >>= 1
    model.size[0], model.size[1] = k, m


@bare
def _refuse(refused, members, candidates, t, a, b):  # type: ignore[no-untyped-def]
    """Note that a change was tried in vain."""
    u = candidates[t] if t >= 0 else members[b]
    v = members[a] if a >= 0 else len(refused) - 1
    refused[u, v] = refused[v, u] = True
