"""Each variable's blanket by its table, the local score of MPL, with a look-ahead of two.

Two variables that help only together, as the inputs of an exclusive or do, are never found one
by one: where no single change helps, pairs are tried that interact with the variable.
`scan_triples` finds these: of every three variables whether their dependence changes with the
third, by Bartlett's (1935) statistic L² / V of each three planes, with

    L = Σ ± ln(n + ½),    V = Σ 1 / (n + ½)

over the eight counts of a 2 × 2 × 2 table, + where the number of ones is odd.
"""

from __future__ import annotations

import math

import numpy as np

from bjp_engine.kernels.compiled import bare, borrowed, inlined, kernel
from bjp_engine.kernels.local import add_odds, flipped_scores, grown_scores, score_blanket
from bjp_engine.kernels.loops import better, copy, fill, others, places
from bjp_engine.kernels.table import common, write_intersection

# Pairs that are tried with a variable.
LOOK = 4


@kernel
def tabled(table, prior, odds, helpers, j, found, promise):  # type: ignore[no-untyped-def]
    """Choose the blanket of variable j by its local score and λ of the members; its evidence.

    `helpers`, shape (LOOK, 2), are the pairs that are tried, -1 where there are no more. What is
    filled is as `regression.regress` says.
    """
    table, prior = borrowed(table), borrowed(prior)
    grown, shrunk = np.empty(len(found)), np.empty(len(found))
    fill(found, False)
    score = score_blanket(table, prior, np.int64(j), places(found))
    while True:
        members, candidates = places(found), others(found, j)
        grown_scores(table, prior, j, members, candidates, grown[: len(candidates)])
        flipped_scores(table, prior, j, members, members, shrunk)
        add_odds(odds, members, candidates, 1.0, grown)
        add_odds(odds, members, members, -1.0, shrunk)
        change = _change(members, candidates, grown, shrunk, score)
        if change < 0:
            pair = _pair(table, prior, odds, j, found, helpers, score)
            if pair[0] < 0:
                break
            found[pair[0]] = found[pair[1]] = True
        else:
            found[change] = not found[change]
        now = places(found)
        score = score_blanket(table, prior, np.int64(j), now)
        for member in now:
            score += odds[member]
    for t in range(len(candidates)):
        promise[candidates[t]] = grown[t] - score
    for t in range(len(members)):
        promise[members[t]] = score - shrunk[t]
    return score


@bare
def _change(members, candidates, grown, shrunk, score):  # type: ignore[no-untyped-def]
    """The variable that enters or goes, the best of those that help; -1 where none does.

    From three members on, one that should go is taken out before another enters.
    """
    best, at = score, np.int64(-1)
    for t in range(len(members)):
        if better(shrunk[t], best):
            best, at = shrunk[t], members[t]
    if at >= 0 and len(members) > 2:
        return at
    for t in range(len(candidates)):
        if better(grown[t], best):
            best, at = grown[t], candidates[t]
    return at


@inlined
def _pair(table, prior, odds, j, inside, helpers, score):  # type: ignore[no-untyped-def]
    """The pair of helpers that raises the score most; -1 where none does."""
    best, pair = score, (np.int64(-1), np.int64(-1))
    base = 0.0
    for member in places(inside):
        base += odds[member]
    for a in range(len(helpers)):
        u, v = helpers[a, 0], helpers[a, 1]
        if u < 0:
            break
        if inside[u] or inside[v]:
            continue
        inside[u] = inside[v] = True
        value = score_blanket(table, prior, np.int64(j), places(inside))
        inside[u] = inside[v] = False
        value += base + odds[u] + odds[v]
        if better(value, best):
            best, pair = value, (u, v)
    return pair


@kernel
def scan_triples(table, owner, least, p, helpers, strength):  # type: ignore[no-untyped-def]
    """Note with each variable the pairs that interact most with it, beyond `least`.

    Of the triples whose first plane is p; `owner` has the variable of each plane, `strength`, shape
    (n, LOOK), the statistic of each of the helpers, descending.
    """
    table = borrowed(table)
    words, pairs, rows = table.planes.words, table.planes.pairs, table.rows
    mask = np.empty(words.shape[1], dtype=np.uint64)
    for q in range(p + 1, len(words)):
        if owner[q] == owner[p]:
            continue
        both = write_intersection(words[p], 0, words[q], 0, mask)
        for r in range(q + 1, len(words)):
            if owner[r] == owner[q]:
                continue
            every = common(mask, words[r], 0)
            with_p, with_q = np.int64(pairs[p, r]), np.int64(pairs[q, r])
            found = _interaction(
                rows, pairs[p, p], pairs[q, q], pairs[r, r], both, with_p, with_q, every
            )
            if found > least:
                a, b, c = owner[p], owner[q], owner[r]
                _note(helpers[a], strength[a], b, c, found)
                _note(helpers[b], strength[b], a, c, found)
                _note(helpers[c], strength[c], a, b, found)


@bare
def _interaction(rows, p, q, r, pq, pr, qr, every):  # type: ignore[no-untyped-def]
    """L² / V from the numbers of rows in one, two and all three planes."""
    alone = rows - p - q - r + pq + pr + qr - every
    odd = (every + 0.5) * (p - pq - pr + every + 0.5)
    odd *= (q - pq - qr + every + 0.5) * (r - pr - qr + every + 0.5)
    even = (alone + 0.5) * (pq - every + 0.5) * (pr - every + 0.5) * (qr - every + 0.5)
    spread = 1 / (every + 0.5) + 1 / (p - pq - pr + every + 0.5) + 1 / (alone + 0.5)
    spread += 1 / (q - pq - qr + every + 0.5) + 1 / (r - pr - qr + every + 0.5)
    spread += 1 / (pq - every + 0.5) + 1 / (pr - every + 0.5) + 1 / (qr - every + 0.5)
    contrast = math.log(odd / even)
    return contrast * contrast / spread


@bare
def _note(helpers, strength, u, v, found):  # type: ignore[no-untyped-def]
    """Insert a pair by its strength; one that is noted already keeps the greater."""
    at = len(helpers) - 1
    for k in range(len(helpers)):
        if helpers[k, 0] == u and helpers[k, 1] == v:
            at = k
    if found <= strength[at]:
        return
    while at > 0 and found > strength[at - 1]:
        copy(helpers[at - 1], helpers[at])
        strength[at] = strength[at - 1]
        at -= 1
    helpers[at, 0], helpers[at, 1], strength[at] = u, v, found
