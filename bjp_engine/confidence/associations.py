"""How each pair is associated: by itself, and with all other variables held fixed at once.

Variables are standardised columns: the score of an ordered variable (from 13 states on a polynomial
of it, six columns), r - 1 for the states of any other, as in `bjp_engine.search.auto.ordered`. With
the correlations M of all columns two statistics of a pair follow, each about χ² of f degrees of
freedom if there is no association:

    X² = N |M_ij|²             the pair alone: Pearson's, where neither variable is ordered;
    P² = (N - p) |R_ij|²       given all others, R the partial correlations of the blocks.

R is K = (M + I / N)⁻¹ with every diagonal block made the identity. P² needs rows: N ≥ 3 p, with p
the number of columns. Where few rows m are expected outside both commonest states, a χ² = z² has
a long tail, so it counts as Anscombe's transform 4 (√(m + z √m + ⅜) - √(m + ⅜))² if that is less.

How many pairs are associated given all others, and how strongly, a table shows by itself: P² is a
mixture of χ² for the pairs that are not, and of v χ² for a share π of the pairs (the two-groups
model of Efron 2008). Expectation maximisation finds π and v, and the ln odds of each pair are

    ln π / (1 - π) - ½ f ln v + ½ P² (1 - 1 / v).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.dataset import Dataset
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.search.auto.ordered import design_columns

# So many rows a column, at least, and so many columns, at most, for partial correlations.
_ROWS_OF_COLUMN, _MOST_COLUMNS = 3, 4096
# Of an ordered variable of 13 states or more a polynomial, so that what it drives in a U or in
# steps is explained by it.
_MANY_COLUMNS, _DEGREE = 12, 6
# Steps of expectation maximisation, and what v is before anything is seen and at least.
_STEPS, _USUAL_V, _LEAST_V, _MOST_SHARE = 60, 16.0, 4.0, 0.95
_LARGEST = 400.0


@dataclass(frozen=True, eq=False, slots=True)
class Associations:
    """Of each pair i < j in lexicographic order, shape (n(n - 1)/2,).

    Parameters
    ----------
    marginal : ndarray of float
        X², 0 where a variable has more than 64 states.
    freedom : ndarray of float
        f.
    partial : ndarray of float or None
        P²; None where there are too few rows.
    log_odds : ndarray of float
        ln odds of an association given all others; 0 where there are too few rows.
    share : float
        π; 0 where there are too few rows.
    """

    marginal: Floats
    freedom: Floats
    partial: Floats | None
    log_odds: Floats
    share: float


def measure_associations(data: Dataset, progress: Progress = UNWATCHED) -> Associations:
    """Both statistics of each pair; no variable is constant, and all states occur."""
    n, rows = data.n, data.rows
    upper = np.triu_indices(n, 1)
    design = design_columns(data, progress)
    # Of ordered variables the score alone, the first column, or a polynomial of it.
    degree = np.where(design.width >= _MANY_COLUMNS, _DEGREE, 1)
    width = np.where(design.ordered, np.minimum(design.width, degree), design.width)
    columns = np.concatenate([f + np.arange(w) for f, w in zip(design.first, width, strict=True)])
    correlations = design.covariance[np.ix_(columns, columns)]
    outside = np.array([rows - np.bincount(column).max(initial=0) for column in data.codes.T])
    expected = np.outer(outside, outside)[upper] / rows
    freedom = np.maximum(np.outer(width, width), 1)[upper].astype(np.float64)
    marginal = _shorten(rows * _sum_blocks(correlations**2, width)[upper], expected)
    p = len(columns)
    if p > _MOST_COLUMNS or rows < _ROWS_OF_COLUMN * p:
        return Associations(marginal, freedom, None, np.zeros(len(marginal)), 0.0)
    progress.tick()
    precision = np.linalg.inv(correlations + np.eye(p) / rows)
    whitened = _whiten_blocks(precision, width)
    partial = _shorten((rows - p) * _sum_blocks(whitened**2, width)[upper], expected)
    log_odds, share = fit_two_groups(partial, freedom, n)
    return Associations(marginal, freedom, partial, log_odds, share)


def fit_two_groups(statistic: Floats, freedom: Floats, n: int) -> tuple[Floats, float]:
    """ln odds of the second group for each statistic, and the share of that group.

    The share has a prior worth ½ n pairs, as that of a prior over structures of expected degree 2
    has, and v one worth two.
    """
    share, v = min(0.3, 2 / (n - 1) + 0.05), _USUAL_V
    held, log_odds = np.minimum(statistic, _LARGEST), np.zeros(len(statistic))
    for _ in range(_STEPS):
        log_odds = np.log(share / (1 - share)) - freedom / 2 * np.log(v)
        log_odds += statistic / 2 * (1 - 1 / v)
        chance = 0.5 + 0.5 * np.tanh(log_odds / 2)
        share = min(float(chance.sum() + 1) / (len(statistic) + n / 2 + 2), _MOST_SHARE)
        v = max(float(chance @ held + 2 * _USUAL_V) / float(chance @ freedom + 2), _LEAST_V)
    return log_odds, share


def _shorten(statistic: Floats, expected: Floats) -> Floats:
    """The statistic, or Anscombe's transform of it where few rows are expected."""
    root = np.sqrt(expected + np.sqrt(statistic * expected) + 0.375) - np.sqrt(expected + 0.375)
    found: Floats = np.minimum(statistic, 4 * root**2)
    return found


def _sum_blocks(values: Floats, width: np.ndarray) -> Floats:
    """The sums over the blocks of columns of each two variables."""
    if (width == 1).all():
        return values
    member = np.repeat(np.eye(len(width)), width, axis=1)
    found: Floats = member @ values @ member.T
    return found


def _whiten_blocks(matrix: Floats, width: np.ndarray) -> Floats:
    """The matrix with the block of each variable made the identity."""
    made, begin = matrix.copy(), 0
    for size in width.tolist():
        block = slice(begin, begin + size)
        root = np.linalg.inv(np.linalg.cholesky(matrix[block, block]))
        made[block] = root @ made[block]
        made[:, block] = made[:, block] @ root.T
        begin += size
    return made
