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
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Bools, Floats, Places
from bjp_engine.associations import ordered_variables
from bjp_engine.counts import cross_tally, local_prior, table_of
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency
from bjp_engine.kernels.regression import MOST, regress
from bjp_engine.kernels.rowwise import extend_blanket
from bjp_engine.kernels.table import CodedTable
from bjp_engine.kernels.tabled import LOOK, scan_triples, tabled
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.scores.prior import MOST_PROBABLE, filled
from bjp_engine.search.auto.probability import STATES

# The expected degree where nothing is known, and how often an estimate is refined at most.
EXPECTED_DEGREE = 2.0
_ROUNDS = 10
# What tables can have against an edge, beyond the prior (natural log).
_MOST_AGAINST = 2.0
# Of a variable with more states than the fit has seen, fewer rows a state are few.
FEW_ROWS = 10
# So many standard deviations are no chance.
_DEVIATIONS = 5.0
# Triples of more planes are not scanned: they would take longer than all else.
MOST_PLANES = 256


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
    """Choose the blanket of every variable by itself; γ weighs the priors of both models.

    The prior of a variable's tables weighs γ rows for each state but the first. Fewer would expect
    that a variable of many states is mostly in one, and take whatever splits its rows for a member
    of its blanket.
    """
    n, odds, binary = data.n, odds.copy(), binary_part(data)
    total = n + (len(binary[0]) if binary else 0)
    table, sizes = table_of(data, progress), data.cardinalities
    priors = {r: local_prior(data, gamma * max(1, r - 1)) for r in set(sizes)}
    helpers = interacting_pairs(data, table, progress)
    found, promise, evidence = _room(n)
    for j, r in enumerate(sizes):
        progress.tick(j, total)
        evidence[j] = tabled(table, priors[r], odds[j], helpers[j], j, found[j], promise[j])
    regressed = np.zeros((n, n), dtype=np.bool_)
    if binary is not None:
        columns, part = binary
        its_odds = odds[np.ix_(columns, columns)]
        other, its_promise, its_evidence = _regressions(part, its_odds, gamma, progress, total)
        better = its_evidence > evidence[columns]
        spoken = np.ix_(columns[better], columns)
        found[spoken], promise[spoken] = other[better], its_promise[better]
        regressed[spoken] = True
    nothing = tells_nothing(data)
    found[nothing], found[:, nothing] = False, False
    return Nodewise(found, promise, regressed)


def _regressions(
    data: Dataset, odds: Floats, gamma: float, progress: Progress, total: int
) -> tuple[Adjacency, Floats, Floats]:
    """Blankets, promises and evidence of the logistic regressions of the binary variables."""
    table = table_of(data, progress)
    found, promise, evidence = _room(data.n)
    for j in range(data.n):
        progress.tick(total - data.n + j, total)
        evidence[j] = regress(table, odds[j], gamma, j, found[j], promise[j])
        if np.count_nonzero(found[j]) == MOST:
            members, gains = found[j].copy(), promise[j].copy()
            value = extend_blanket(data.codes.T, j, odds[j], gamma, members, gains)
            if value > evidence[j]:
                found[j], promise[j], evidence[j] = members, gains, value
    return found, promise, evidence


def interacting_pairs(data: Dataset, table: CodedTable, progress: Progress) -> NDArray[np.int64]:
    """Pairs that interact most with each variable, shape (n, LOOK, 2), -1 where there are no more.

    So strongly that chance makes less than one such triple of planes.
    """
    helpers = np.full((data.n, LOOK, 2), -1, dtype=np.int64)
    strength, many = np.zeros((data.n, LOOK)), len(table.planes.words)
    if many < 3 or many > MOST_PLANES:
        return helpers
    width = np.where(table.planes.first >= 0, np.array(data.cardinalities) - 1, 0)
    owner = np.repeat(np.arange(data.n), width)
    # P(χ² > x) < exp(-x / 2).
    least = 2 * math.log(many * (many - 1) * (many - 2) / 6)
    for plane in range(many):
        progress.tick()
        scan_triples(table, owner, least, plane, helpers, strength)
    return helpers


def tells_nothing(data: Dataset, progress: Progress = UNWATCHED) -> Bools:
    """Which variables show nothing of others, and are left out.

    They have the same state in every row, or another one in each; or many states without an order
    and few rows in each, and an X² with no other variable that is far above its mean over all
    orders of the rows.
    """
    return data.derived("tells nothing", lambda: _find_silent(data, progress))


def _find_silent(data: Dataset, progress: Progress) -> Bools:
    states = np.array([np.count_nonzero(counts) for counts in data.state_counts])
    silent: Bools = (states <= 1) | (states == data.rows)
    crowded = (states > STATES[1]) & (data.rows < FEW_ROWS * states) & ~silent
    crowded &= ~ordered_variables(data)
    pairs = np.logical_or.outer(crowded, crowded) & ~np.logical_or.outer(silent, silent)
    related = np.zeros_like(silent)
    for pair in np.argwhere(np.triu(pairs, 1)):
        progress.tick()
        related[pair] |= _is_related(data, *pair.tolist())
    return silent | crowded & ~related


def _is_related(data: Dataset, x: int, y: int) -> bool:
    """Whether X² is far above its mean, with the variance of Dawson (1954) for fixed margins."""
    rows, tally = data.rows, cross_tally(data, x, y, ())
    of_x, of_y = np.divmod(tally.keys, tally.ry)
    a, b = data.state_counts[x], data.state_counts[y]
    found = rows * ((tally.counts / a[of_x] * (tally.counts / b[of_y])).sum() - 1)
    mean, variance = rows / (rows - 1), np.array([2 * rows / (rows - 3), rows**2 / (rows - 1)])
    for counts in (a[a > 0], b[b > 0]):
        r = len(counts)
        rare = (rows * (1 / counts).sum() - r**2) / (rows - 2)
        mean *= r - 1
        variance *= (r - 1) * (rows - r) / (rows - 1) - rare, rare
    return bool(found - mean > _DEVIATIONS * math.sqrt(variance.sum()))


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
    used = data.drop_unused_states()
    columns = np.flatnonzero(np.equal(used.cardinalities, 2) & (data.rows > 0))
    if len(columns) < 2:
        return None
    whole = len(columns) == data.n
    return columns, used if whole else used.select([data.names[j] for j in columns])
