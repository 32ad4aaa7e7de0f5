"""Each variable's blanket by its table, the local score of MPL, with a look-ahead of two.

Two variables that help only together, as the inputs of an exclusive or do, are never found one
by one: where no single change helps, the best few candidates are tried in pairs.
"""

from __future__ import annotations

import numpy as np

from bjp_engine.kernels.compiled import bare, inlined, kernel
from bjp_engine.kernels.intrinsics import borrowed
from bjp_engine.kernels.local import add_odds, grown_scores, score_blanket, shrunk_scores
from bjp_engine.kernels.loops import better, fill, others, places
from bjp_engine.kernels.table import begin_anew

# Candidates tried in pairs.
LOOK = 5


@kernel
def tabled(table, prior, odds, begin, end, found, promise, evidence):  # type: ignore[no-untyped-def]
    """Choose the blankets of the variables `begin` to `end` by local score and λ of the members.

    What is filled is as `regression.regress` says.
    """
    table, prior = borrowed(table), borrowed(prior)
    n = len(found)
    grown, shrunk = np.empty(n), np.empty(n)
    for j in range(begin, end):
        inside = found[j]
        fill(inside, False)
        begin_anew(table)
        score = score_blanket(table, prior, np.int64(j), places(inside))
        while True:
            members, candidates = places(inside), others(inside, j)
            begin_anew(table)
            grown_scores(table, prior, j, members, candidates, grown[: len(candidates)])
            if len(members) > 0:
                begin_anew(table)
                shrunk_scores(table, prior, j, members, shrunk[: len(members)])
            add_odds(odds[j], members, candidates, 1.0, grown)
            add_odds(odds[j], members, members, -1.0, shrunk)
            change = _change(members, candidates, grown, shrunk, score)
            if change < 0:
                pair = _pair(table, prior, odds[j], j, inside, candidates, grown, score)
                if pair[0] < 0:
                    break
                inside[pair[0]] = inside[pair[1]] = True
            else:
                inside[change] = not inside[change]
            now = places(inside)
            begin_anew(table)
            score = score_blanket(table, prior, np.int64(j), now)
            for member in now:
                score += odds[j, member]
        for t in range(len(candidates)):
            promise[j, candidates[t]] = grown[t] - score
        for t in range(len(members)):
            promise[j, members[t]] = score - shrunk[t]
        evidence[j] = score


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
def _pair(table, prior, odds, j, inside, candidates, grown, score):  # type: ignore[no-untyped-def]
    """Two candidates that help together, of those that do best alone; -1 where none do."""
    chosen, many = np.empty(LOOK, dtype=np.int64), min(LOOK, len(candidates))
    for a in range(many):
        top = -1
        for t in range(len(candidates)):
            used = False
            for b in range(a):
                used = used or chosen[b] == t
            if not used and (top < 0 or grown[t] > grown[top]):
                top = t
        chosen[a] = top
    best, pair = score, (np.int64(-1), np.int64(-1))
    base = 0.0
    for member in places(inside):
        base += odds[member]
    for a in range(many):
        for b in range(a):
            u, v = candidates[chosen[a]], candidates[chosen[b]]
            inside[u] = inside[v] = True
            begin_anew(table)
            value = score_blanket(table, prior, np.int64(j), places(inside))
            inside[u] = inside[v] = False
            value += base + odds[u] + odds[v]
            if better(value, best):
                best, pair = value, (u, v)
    return pair
