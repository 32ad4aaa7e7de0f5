"""How each pair is associated: by itself, and with all other variables held fixed at once.

Variables are standardised columns: r - 1 for the states of one without an order. An ordered one
counts in two forms, both as probable: by its score, the mid-rank, or by a cubic of it, so that a
dependence that rises and falls is seen, too; from 13 states on by a polynomial of degree 6 in both.
With the correlations M of all columns two statistics of a pair follow, each about χ² of f degrees
of freedom if there is no association:

    X² = N |M_ij|²             the pair alone: Pearson's, where neither variable is ordered;
    P² = (N - p) |R_ij|²       given all others, R the partial correlations of the blocks.

R is K = (M + I / N)⁻¹ with every diagonal block made the identity. P² needs rows: N ≥ 3 p, with p
the number of columns. docs/theory/support.md has what makes ln odds of both: Schwarz's criterion,
and the two-groups model of Efron (2008).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from bjp_engine.arrays import Bools, Floats, Ints, Places, blocks
from bjp_engine.dataset import Dataset
from bjp_engine.progress import UNWATCHED, Progress

# Variables of more observed states have no columns.
MOST_STATES = 64
# Degrees of polynomials: those above 1 for variables of at least twice as many columns.
DEGREES = (1, 3, 6)
# Cells of indicators that are held at a time: 16 MB.
_CELLS = 1 << 22
# So many rows a column, at least, and so many columns, at most, for partial correlations.
_ROWS_OF_COLUMN, _MOST_COLUMNS = 3, 4096
# From so many columns on an ordered variable has a polynomial of degree 6 in both forms.
_MANY_COLUMNS = 12
# Products of scores are looked for among so many variables at most, and so many kept for each.
_MOST_SCORES, _MOST_PRODUCTS = 256, 5
# Variances of less are none.
_RIDGE = 1e-9
# Steps of expectation maximisation, and what v is before anything is seen and at least.
_STEPS, _USUAL_V, _LEAST_V, _MOST_SHARE = 60, 16.0, 4.0, 0.95
_LARGEST, _LARGEST_RATIO = 400.0, 6.0


class Associations(NamedTuple):
    """Of each pair, shape (n, n) each, 0 on the diagonal.

    `marginal` and `partial` are the ln odds of an association given no other variable and given all
    others, `ratio` and `partial_ratio` X² / f and P² / f, at most 6. What is given all others is 0
    where there are too few rows.
    """

    marginal: Floats
    partial: Floats
    ratio: Floats
    partial_ratio: Floats

    def part(self, columns: Places) -> Associations:
        """Those of some variables, in this order."""
        return Associations(*(of[np.ix_(columns, columns)] for of in self))


@dataclass(frozen=True, eq=False, slots=True)
class Design:
    """The columns of all variables, orthonormal over the rows, and how many rows they have.

    `covariance` has shape (P, P). `first` and `width` say which columns are a variable's; if it is
    ordered, the first one is its score. `coded` has what each state of each variable is in them.
    """

    rows: int
    covariance: Floats
    first: Places
    width: Places
    ordered: Bools
    coded: list[Floats]


def measure_associations(data: Dataset, progress: Progress = UNWATCHED) -> Associations:
    """Both ln odds of each pair; no variable is constant, and all states occur."""
    design, outside = design_columns(data, progress), rows_outside(data)
    expected = np.outer(outside, outside) / data.rows
    degrees = [np.where(design.width >= _MANY_COLUMNS, DEGREES[-1], low) for low in DEGREES[:2]]
    fewer = (np.minimum(design.width, degree) for degree in degrees)
    straight, bent = (np.where(design.ordered, width, design.width) for width in fewer)
    found = _measure_form(design, straight, expected)
    if (straight != bent).any():
        # Either form of an association is as probable as the other.
        other, two = _measure_form(design, bent, expected), math.log(2.0)
        found = found._replace(marginal=np.logaddexp(found.marginal, other.marginal) - two)
        if other.partial.any():
            found = found._replace(partial=np.logaddexp(found.partial, other.partial) - two)
    for of in found:
        np.fill_diagonal(of, 0.0)
    return found


def rows_outside(data: Dataset) -> Ints:
    """How many rows are outside the commonest state of each variable."""
    return np.array([data.rows - counts.max() for counts in data.state_counts], dtype=np.int64)


def _measure_form(design: Design, width: Places, expected: Floats) -> Associations:
    """Both ln odds of each pair, with so many columns of each variable."""
    n, rows, p = len(width), design.rows, int(width.sum())
    upper = np.triu_indices(n, 1)
    columns = np.concatenate([f + np.arange(w) for f, w in zip(design.first, width, strict=True)])
    correlations = design.covariance[np.ix_(columns, columns)]
    freedom = np.maximum(np.outer(width, width), 1).astype(np.float64)
    alone = _shorten(rows * _sum_blocks(correlations**2, width), expected)
    partial = given = np.zeros((n, n))
    if p <= _MOST_COLUMNS and rows >= _ROWS_OF_COLUMN * p:
        squares = _whitened_squares(np.linalg.inv(correlations + np.eye(p) / rows), width)
        given = _shorten((rows - p) * squares, expected)
        partial[upper] = fit_two_groups(given[upper], freedom[upper], n)
        partial += partial.T
    ratios = (np.minimum(of / freedom, _LARGEST_RATIO) for of in (alone, given))
    return Associations((alone - freedom * math.log(rows)) / 2, partial, *ratios)


def ordered_variables(data: Dataset) -> Bools:
    """Which variables have an order that means something: of two states neither is between."""
    between = (np.array(data.cardinalities) > 2) & (data.rows > 0)
    return between & np.array(data.ordered, dtype=np.bool_)


def design_columns(data: Dataset, progress: Progress) -> Design:
    """The columns of all variables and their correlations; variables of many states have none."""
    sizes, rows = np.array(data.cardinalities), data.rows
    width = np.where(sizes <= MOST_STATES, sizes - 1, 0).astype(np.intp)
    first, size = np.cumsum(width) - width, int(width.sum())
    variable = np.repeat(np.arange(data.n), width)
    state = np.arange(size) - np.repeat(first, width) + 1
    together, coded = np.zeros((size, size)), list[Floats]()
    for part in blocks(rows, size, _CELLS):
        progress.tick()
        # Whole numbers below 2^24: exact in single precision, in any order of rows.
        inside = (data.codes[part][:, variable] == state).astype(np.float32)
        together += inside.T @ inside
    alone = np.diag(together).copy()
    together -= np.outer(alone, alone) / rows
    for counts, at, many in zip(data.state_counts, first, width, strict=True):
        block = slice(at, at + many)
        coded.append(_contrasts(counts) if many else np.empty((len(counts), 0)))
        if not many:
            continue
        # Indicators of all states but the first span the same columns.
        of_states = coded[-1][1:] - coded[-1][:1]
        together[:, block] = together[:, block] @ of_states
        together[block] = of_states.T @ together[block]
    return Design(rows, together, first, width, ordered_variables(data) & (width > 0), coded)


def interacting_scores(data: Dataset, design: Design, progress: Progress = UNWATCHED) -> Places:
    """Which scores the product of two others drives: rows (c, a, b), a few for each c.

    The partial correlation of c and a b, given a and b, is one that chance makes of less than one
    triple. It takes the moments of three scores only, and of two squares.
    """
    at = np.flatnonzero(design.ordered)
    m, found = len(at), [np.empty((0, 3), dtype=np.intp)]
    if not 3 <= m <= _MOST_SCORES:
        return found[0]
    third, fourth = np.zeros((m, m, m)), np.zeros((m, m))
    for block in blocks(data.rows, m * m, _CELLS):
        progress.tick()
        z = _scores(data, design, at, block)
        fourth += z.T**2 @ z**2
        for a in range(m):
            third[a, a:, a:] += z[:, a:].T @ (z[:, [a]] * z[:, a:])
    for a in range(m):
        third[a:, a, a:] = third[a:, a:, a] = third[a, a:, a:]
    two = design.covariance[np.ix_(design.first[at], design.first[at])]
    third, rest = third / data.rows, fourth / data.rows - two**2
    own = third.diagonal().T  # [a, b]: of the square of a with b
    free = np.maximum(1.0 - two**2, _RIDGE)
    rest -= (own**2 + own.T**2 - 2 * two * own * own.T) / free
    least = 2 * math.log(m * (m - 1) * (m - 2) / 2)
    for c in range(m):
        progress.tick()
        with_a, with_b = two[:, [c]], two[[c]]
        alone = 1.0 - (with_a**2 + with_b**2 - 2 * two * with_a * with_b) / free
        given = (own * (with_a - two * with_b) + own.T * (with_b - two * with_a)) / free
        usable = np.triu((rest > _RIDGE) & (alone > _RIDGE), 1)
        usable[c], usable[:, c] = False, False
        square = np.divide(
            (third[c] - given) ** 2, rest * alone, where=usable, out=np.zeros((m, m))
        )
        strong = np.flatnonzero(square * data.rows > least)
        best = strong[np.argsort(-square.ravel()[strong], kind="stable")][:_MOST_PRODUCTS]
        found.append(at[np.column_stack([np.full(len(best), c), *np.divmod(best, m)])])
    return np.concatenate(found)


def add_products(
    data: Dataset, design: Design, triples: Places, progress: Progress = UNWATCHED
) -> Design:
    """The same with one variable more for each row (c, a, b): the product of a's and b's scores."""
    many, size = len(triples), len(design.covariance)
    if not many:
        return design
    shared, gram, total = np.zeros((size, many)), np.zeros((many, many)), np.zeros(many)
    for block in blocks(data.rows, size + many, _CELLS):
        progress.tick()
        a, b = (_scores(data, design, of, block) for of in triples[:, 1:].T)
        of_states = zip(design.coded, data.codes[block].T, strict=True)
        shared += np.column_stack([coded[codes] for coded, codes in of_states]).T @ (a * b)
        gram, total = gram + (a * b).T @ (a * b), total + (a * b).sum(axis=0)
    gram -= np.outer(total, total) / data.rows
    scale, more = 1 / np.sqrt(np.maximum(gram.diagonal(), _RIDGE)), np.arange(many)
    shared, gram = shared * scale, gram * np.outer(scale, scale)
    return replace(
        design,
        covariance=np.block([[design.covariance, shared], [shared.T, gram]]),
        first=np.concatenate([design.first, size + more]),
        width=np.concatenate([design.width, np.ones(many, dtype=np.intp)]),
        ordered=np.concatenate([design.ordered, np.zeros(many, dtype=np.bool_)]),
    )


def _scores(data: Dataset, design: Design, of: Places, block: slice) -> Floats:
    """The scores of some variables in some rows, a column each, of variance 1 over all rows."""
    columns = [design.coded[j][data.codes[block, j], 0] for j in of]
    return np.column_stack(columns) * math.sqrt(data.rows)


def _contrasts(counts: Ints) -> Floats:
    """r - 1 orthonormal columns over the rows, by state, of polynomials of the mid-ranks.

    The first is linear in them, the first three are a cubic, the first six of degree 6; any others
    span the rest.
    """
    weights = np.sqrt(counts)[:, None]
    score = (np.cumsum(counts) - counts / 2) / counts.sum() - 0.5
    powers = np.vander(score, min(len(score), DEGREES[-1] + 1), increasing=True)
    columns = np.column_stack([powers, np.eye(len(score))[:, powers.shape[1] - 1 : -1]])
    made: Floats = np.linalg.qr(weights * columns)[0][:, 1:] / weights
    return made


def fit_two_groups(statistic: Floats, freedom: Floats, n: int) -> Floats:
    """ln odds of the second group for each statistic: v χ², in place of χ², for a share of all.

    They are ln π / (1 - π) - ½ f ln v + ½ P² (1 - 1 / v), π and v by expectation maximisation. The
    share π has a prior worth ½ n pairs, as that of a prior over structures of expected degree 2
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
    return log_odds


def _shorten(statistic: Floats, expected: Floats) -> Floats:
    """The statistic, or Anscombe's transform of it if less: its tail is long where rows are few."""
    root = np.sqrt(expected + np.sqrt(statistic * expected) + 0.375) - np.sqrt(expected + 0.375)
    found: Floats = np.minimum(statistic, 4 * root**2)
    return found


def _sum_blocks(values: Floats, width: Places) -> Floats:
    """The sums over the blocks of columns of each two variables."""
    if (width == 1).all():
        return values
    member = np.repeat(np.eye(len(width)), width, axis=1)
    found: Floats = member @ values @ member.T
    return found


def _whitened_squares(matrix: Floats, width: Places) -> Floats:
    """|R_ij|² of each two variables, R the matrix with every diagonal block made the identity."""
    # It is the trace of K_ii⁻¹ K_ij K_jj⁻¹ K_ji.
    scaled = matrix.copy()
    for end, size in zip(np.cumsum(width), width, strict=True):
        block = slice(end - size, end)
        scaled[block] = np.linalg.solve(matrix[block, block], matrix[block])
    return _sum_blocks(scaled * scaled.T, width)
