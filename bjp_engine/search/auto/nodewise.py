"""Each variable by itself: who belongs to its blanket, and how surely.

Two models of a variable given the others are chosen by evidence, and the better one speaks for
it: a table over its blanket, the local score of MPL, with a look-ahead of two; and, of binary
variables, a logistic regression with products of two members. A regression with more than eight
members has no products. A look-ahead tries the pairs that interact with the variable, found by a
scan of all triples. Each model gives ln odds that a variable belongs to the blanket: what the
evidence would gain if it entered, or lose if it left, with the prior over structures.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Bools, Floats, Places
from bjp_engine.associations import ordered_variables
from bjp_engine.counts import local_prior, table_of
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency
from bjp_engine.kernels.regression import MOST, regress
from bjp_engine.kernels.rowwise import extend_blanket
from bjp_engine.kernels.table import CodedTable
from bjp_engine.kernels.tabled import LOOK, scan_triples, tabled
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.scores.prior import MOST_PROBABLE, StructurePrior, filled
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
    """What the variables say, each by itself, shape (n, n) each.

    `found` has [j, b] where b is in the blanket of j, `promise` the ln odds of that (natural log),
    and `regressed` where a logistic regression says it.
    """

    found: Adjacency
    promise: Floats
    regressed: Adjacency

    def log_odds(self, prior: Floats) -> Floats:
        """ln odds of each edge: those of the end that is surer of it.

        What tables have against an edge that neither end wants counts little: with many states it
        tells of the size of the table more than of the pair.
        """
        odds = np.maximum(self.promise, self.promise.T)
        wanted = self.found | self.regressed
        refused = ~(wanted | wanted.T)
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
    n, odds, columns, table = data.n, odds.copy(), binary_variables(data), table_of(data, progress)
    priors = {r: local_prior(data, gamma * max(1, r - 1)) for r in set(data.cardinalities)}
    helpers = interacting_pairs(data, table, progress)
    found, promise, evidence = np.zeros((n, n), dtype=np.bool_), np.zeros((n, n)), np.zeros(n)
    for j, r in enumerate(data.cardinalities):
        progress.tick(j, n + len(columns))
        evidence[j] = tabled(table, priors[r], odds[j], helpers[j], j, found[j], promise[j])
    regressed, its_odds = np.zeros_like(found), odds[np.ix_(columns, columns)]
    binary = data if len(columns) in (0, n) else data.select([data.names[j] for j in columns])
    for i, j in enumerate(columns.tolist()):
        progress.tick(n + i, n + len(columns))
        blanket, gains, value = _regress(binary, its_odds[i], gamma, i)
        if value > evidence[j]:
            found[j, columns], promise[j, columns], regressed[j, columns] = blanket, gains, True
    nothing = tells_nothing(data)
    found[nothing], found[:, nothing] = False, False
    return Nodewise(found, promise, regressed)


def binary_variables(data: Dataset) -> Places:
    """The variables of two states, if there are two such."""
    found = np.flatnonzero(np.equal(data.cardinalities, 2) & (data.rows > 0))
    return found if len(found) > 1 else found[:0]


def _regress(data: Dataset, odds: Floats, gamma: float, j: int) -> tuple[Bools, Floats, float]:
    """Blanket, promises and evidence of the logistic regression of one of binary variables."""
    found, promise = np.zeros(data.n, dtype=np.bool_), np.zeros(data.n)
    evidence = regress(table_of(data), odds, gamma, j, found, promise)
    if np.count_nonzero(found) == MOST:
        more, gains = found.copy(), promise.copy()
        value = extend_blanket(data.codes.T, j, odds, gamma, more, gains)
        if value > evidence:
            return more, gains, value
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
    if not crowded.any():
        return silent
    # The variance of X² for fixed margins (Dawson 1954) has a product for each of two of these.
    rows, per_row = data.rows, [(1 / counts[counts > 0]).sum() for counts in data.state_counts]
    rare = (rows * np.array(per_row) - states**2) / (rows - 2)
    usual = (states - 1) * (rows - states) / (rows - 1) - rare
    for j, found in _chi_squares(data, np.flatnonzero(crowded), progress):
        mean = rows / (rows - 1) * (states[j] - 1) * (states - 1)
        variance = 2 * rows / (rows - 3) * usual[j] * usual
        variance += rows**2 / (rows - 1) * rare[j] * rare
        far = ~silent & (found - mean > _DEVIATIONS * np.sqrt(np.maximum(variance, 0.0)))
        crowded[j] = not np.delete(far, j).any()
    return silent | crowded


def _chi_squares(data: Dataset, of: Places, progress: Progress) -> Iterator[tuple[int, Floats]]:
    """X² of each of some variables with every variable."""
    from scipy.sparse import csr_array

    first = np.cumsum([0, *data.cardinalities])
    states = data.codes + first[:-1]
    values = 1 / np.sqrt(np.concatenate(data.state_counts)[states])
    ends = np.arange(0, states.size + 1, data.n)
    rows = csr_array((values.ravel(), states.ravel(), ends), (data.rows, int(first[-1]))).tocsc()
    for j in of.tolist():
        progress.tick()
        squares = (rows[:, first[j] : first[j + 1]].T @ rows).power(2).sum(axis=0)
        yield j, data.rows * (np.add.reduceat(squares, first[:-1]) - 1)


def estimated_probability(data: Dataset, progress: Progress = UNWATCHED) -> float:
    """π of every pair, estimated from the data.

    The share of pairs that are edges of the graph of the variables' blankets, with a Beta prior
    of mean 2 / n worth n / 2 pairs; the blankets depend on π in turn, so it is done again until
    nothing changes.
    """
    n, data = data.n, data.drop_unused_states()
    pairs, seen = n * (n - 1) / 2, set[int]()
    probability = StructurePrior(expected_degree=EXPECTED_DEGREE).probability(n)
    for _ in range(_ROUNDS):
        found = nodewise(data, filled(n, probability), progress).found
        edges = int(np.count_nonzero(np.triu(found | found.T)))
        probability = min((edges + 1) / (pairs + max(n / 2, 2)), MOST_PROBABLE)
        if edges in seen:
            break
        seen.add(edges)
    return probability
