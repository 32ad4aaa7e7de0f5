"""Each variable by itself: who belongs to its blanket, and how surely.

Two models of a variable given the others are chosen by evidence, and the better one speaks for
it: a table over its blanket, the local score of MPL, with a look-ahead of two; and, of binary
variables, a logistic regression with products of two members. A regression with more than eight
members has no products. A look-ahead tries the pairs that interact with the variable, found by a
scan of all triples. Each model gives ln odds that a variable belongs to the blanket: what the
evidence would gain if it entered, or lose if it left, with the prior over structures.

Binary is a variable of which two states occur, whatever the other columns are, or which states
might have occurred.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats, Places
from bjp_engine.counts import local_prior, table_of
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency
from bjp_engine.kernels.regression import regress
from bjp_engine.kernels.rowwise import extend_blanket
from bjp_engine.kernels.table import CodedTable
from bjp_engine.kernels.tabled import LOOK, scan_triples, tabled
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.scores.prior import MOST_PROBABLE, filled

# The expected degree where nothing is known, and how often an estimate is refined at most.
EXPECTED_DEGREE = 2.0
_ROUNDS = 10
# What tables can have against an edge, beyond the prior (natural log).
_MOST_AGAINST = 2.0
# States times rows that are looked at between two looks at the progress: some ten milliseconds.
_STRIDE = 1 << 23
# A plane of fewer rows takes as long.
_LEAST_ROWS = 512
# Triples of more planes are not scanned: they would take longer than all else.
_MOST_PLANES = 256
# Words that are intersected between two looks at the progress.
_WORDS = 1 << 23


@dataclass(frozen=True, eq=False, slots=True)
class Nodewise:
    """What the variables say, each by itself.

    Parameters
    ----------
    found : ndarray of bool, shape (n, n)
        [j, b] where b is in the blanket of j.
    promise : ndarray of float, shape (n, n)
        ln odds that b belongs to the blanket of j (natural log).
    regressed : ndarray of bool, shape (n, n)
        [j, b] where the logistic regression of j speaks of b.
    """

    found: Adjacency
    promise: Floats
    regressed: Adjacency

    @property
    def either(self) -> Adjacency:
        """The graph of the pairs of which either end has the other in its blanket."""
        return self.found | self.found.T

    def log_odds(self, prior: Floats) -> Floats:
        """ln odds of each edge: those of the end that is surer of it.

        What tables have against an edge that neither end wants counts little: with many states it
        tells of the size of the table more than of the pair.
        """
        odds = np.maximum(self.promise, self.promise.T)
        refused = ~(self.either | self.regressed | self.regressed.T)
        odds[refused] = np.maximum(odds, prior - _MOST_AGAINST)[refused]
        np.fill_diagonal(odds, 0.0)
        return odds


def nodewise(
    data: Dataset, odds: Floats, progress: Progress = UNWATCHED, gamma: float = 1.0
) -> Nodewise:
    """Choose the blanket of every variable by itself; γ weighs the priors of both models."""
    n, odds, binary = data.n, odds.copy(), binary_part(data)
    total = n + (len(binary[0]) if binary else 0)
    table, sizes = table_of(data, progress), data.cardinalities
    priors = {r: local_prior(data, gamma * table_weight(r)) for r in set(sizes)}
    helpers = interacting_pairs(data, table, progress)
    found, promise, evidence = _room(n)
    for begin, end in _parts(data, progress):
        progress.tick(begin, total)
        for r, alike in groupby(range(begin, end), key=sizes.__getitem__):
            first, *rest = alike
            last = first + len(rest) + 1
            tabled(table, priors[r], odds, helpers, first, last, found, promise, evidence)
    regressed = np.zeros((n, n), dtype=np.bool_)
    if binary is not None:
        columns, part = binary
        its_odds = odds[np.ix_(columns, columns)]
        other, its_promise, its_evidence = _regressions(part, its_odds, gamma, progress, n, total)
        better = its_evidence > evidence[columns]
        spoken = np.ix_(columns[better], columns)
        found[spoken], promise[spoken] = other[better], its_promise[better]
        regressed[spoken] = True
    nothing = tells_nothing(data)
    found[nothing], found[:, nothing] = False, False
    return Nodewise(found, promise, regressed)


def _regressions(
    data: Dataset, odds: Floats, gamma: float, progress: Progress, done: int, total: int
) -> tuple[Adjacency, Floats, Floats]:
    """Blankets, promises and evidence of the logistic regressions of the binary variables."""
    m, table = data.n, table_of(data, progress)
    full, refused = np.zeros(m, dtype=np.bool_), np.zeros((m + 1, m + 1), dtype=np.bool_)
    made = found, promise, evidence = _room(m)
    for begin, end in _parts(data, progress):
        progress.tick(done + begin, total)
        regress(table, odds, gamma, begin, end, refused, *made, full)
    for j in np.flatnonzero(full):
        progress.tick(done + int(j), total)
        members, gains = found[j].copy(), promise[j].copy()
        value = extend_blanket(data.codes.T, j, odds[j], gamma, members, gains)
        if value > evidence[j]:
            found[j], promise[j], evidence[j] = members, gains, value
    return made


def interacting_pairs(data: Dataset, table: CodedTable, progress: Progress) -> NDArray[np.int64]:
    """Pairs that interact most with each variable, shape (n, LOOK, 2), -1 where there are no more.

    So strongly that chance makes less than one such triple of planes.
    """
    helpers = np.full((data.n, LOOK, 2), -1, dtype=np.int64)
    strength, words = np.zeros((data.n, LOOK)), table.planes.words
    many = len(words)
    if many < 3 or many > _MOST_PLANES:
        return helpers
    width = np.where(table.planes.first >= 0, np.array(data.cardinalities) - 1, 0)
    owner = np.repeat(np.arange(data.n), width)
    # P(χ² > x) < exp(-x / 2).
    least = 2 * math.log(many * (many - 1) * (many - 2) / 6)
    stride = max(1, _WORDS // (many * many * max(1, words.shape[1])))
    for begin in range(0, many, stride):
        progress.tick()
        end = min(many, begin + stride)
        scan_triples(table, owner, least, begin, end, helpers, strength)
    return helpers


def table_weight(states: int) -> float:
    """How many rows the prior of a variable's tables weighs, in units of γ.

    One for each state but the first. Fewer would expect that a variable of many states is mostly
    in one, and take whatever splits its rows for a member of its blanket.
    """
    return max(1.0, states - 1.0)


def _parts(data: Dataset, progress: Progress) -> Iterator[tuple[int, int]]:
    """The variables, all at once where nobody watches; else so many as take little time."""
    size = sum(data.cardinalities) * max(data.rows, _LEAST_ROWS)
    many = data.n if progress is UNWATCHED else _STRIDE // max(1, size)
    for begin in range(0, data.n, max(1, many)):
        yield begin, min(data.n, begin + max(1, many))


def tells_nothing(data: Dataset) -> NDArray[np.bool_]:
    """Which variables have the same state in every row, or another one in each."""
    apart = np.array([counts.max(initial=0) == 1 for counts in data.state_counts])
    found: NDArray[np.bool_] = apart | (data.codes[:1] == data.codes).all(axis=0)
    return found


def estimated_probability(data: Dataset, progress: Progress = UNWATCHED) -> float:
    """π of every pair, estimated from the data.

    The share of pairs that are edges of the graph of the variables' blankets, with a Beta prior
    of mean 2 / n worth n / 2 pairs; the blankets depend on π in turn, so it is done again until
    nothing changes.
    """
    n, data = data.n, data.drop_unused_states()
    pairs, seen = n * (n - 1) / 2, set[int]()
    probability = min(EXPECTED_DEGREE / max(n - 1, 1), MOST_PROBABLE)
    for _ in range(_ROUNDS):
        edges = int(nodewise(data, filled(n, probability), progress).either.sum()) // 2
        probability = min((edges + 1) / (pairs + max(n / 2, 2)), MOST_PROBABLE)
        if edges in seen:
            break
        seen.add(edges)
    return probability


def _room(n: int) -> tuple[Adjacency, Floats, Floats]:
    """Blankets, promises and evidence to be filled."""
    return np.zeros((n, n), dtype=np.bool_), np.zeros((n, n)), np.zeros(n)


def binary_part(data: Dataset) -> tuple[Places, Dataset] | None:
    """The variables of which exactly two states occur, coded 0 and 1, and their places.

    None where there are not two such.
    """
    columns, part = data.derived("binary", lambda: _select_binary(data))
    return None if len(columns) < 2 else (columns, data if part is None else part)


def _select_binary(data: Dataset) -> tuple[Places, Dataset | None]:
    """The columns, and a dataset of them; None for the data themselves, which keep this."""
    used = data.drop_unused_states()
    columns = np.flatnonzero(np.equal(used.cardinalities, 2) & (data.rows > 0))
    if len(columns) < 2 or (len(columns) == data.n and used is data):
        return columns, None
    return columns, used.select([data.names[j] for j in columns])
