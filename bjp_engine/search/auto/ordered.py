"""Blankets of variables with ordered states, by linear regressions of their scores.

A table of two variables has (r - 1)² free numbers, so few rows show only strong edges. If states
have an order, one number can say most of it: how one score changes with the other. A state's score
is its mid-rank, the share of rows in lower states and half of that in its own. The score of each
ordered variable is regressed on the others: on the score of an ordered one, or on its states where
that pays, and on the states of any other. With few rows nothing pays for the states of a variable
of many, and what it drives in steps or in a U would look connected. So from 7 states on a cubic of
the score is a third choice, and from 13 on a polynomial of degree 6 a fourth. With Zellner's prior
of unit information (g = N), p columns that explain a share R² of the variance have the evidence,
compared with none,

    ½ (N - 1 - p) ln(1 + N) - ½ (N - 1) ln(1 + N (1 - R²)).

Scores are not exactly linear in one another. So that many rows don't make edges of what this
leaves unexplained, N counts up to 2000: what is weaker, tables find with so many rows.

Blankets are chosen by single changes. As in `nodewise`, the ln odds of a member are what the
evidence gains by it, with the prior over structures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Bools, Floats, blocks
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency
from bjp_engine.progress import UNWATCHED, Progress

# A blanket has at most so many members.
_MOST_MEMBERS = 32
# Rows beyond these say more about the model than about the pair.
MOST_ROWS = 2000
# Variables of more observed states have no part in this.
MOST_STATES = 64
# Degrees of polynomials: those above 1 for variables of at least twice as many columns.
_DEGREES = (1, 3, 6)
# Cells of indicators that are held at a time: 16 MB.
_CELLS = 1 << 22
# Added to the variances of columns, so that those which others explain change nothing.
_RIDGE = 1e-9
# Equal evidences that were added up in another order still are equal.
_DIGITS = 9
# What is said of a pair counts for nothing if so many rows, or fewer, are expected outside both
# modes, and in full from the second number on: a few such rows agree by chance.
_NO_ROWS, _ENOUGH_ROWS = 2.0, 8.0
_Value = TypeVar("_Value", float, Floats)


@dataclass(frozen=True, eq=False, slots=True)
class ScoreRegressions:
    """What the regressions of the ordered variables say.

    Parameters
    ----------
    found : ndarray of bool, shape (n, n)
        [j, b] where b is in the blanket of j.
    promise : ndarray of float, shape (n, n)
        ln odds that it is (natural log), λ included; -inf where j isn't ordered.
    share : ndarray of float, shape (n, n)
        How much of it counts: less where few rows are expected outside both modes.
    """

    found: Adjacency
    promise: Floats
    share: Floats

    def claimed(self, prior: Floats) -> Floats:
        """ln odds of each edge by the end that is surer; -inf where neither is ordered.

        As with the models of binary variables, half of the prior is for taking the larger of two
        noisy numbers.
        """
        surer = np.maximum(self.promise, self.promise.T)
        return np.where(np.isfinite(surer), surer, -np.inf) + prior / 2

    def raised(self, said: Floats, prior: Floats) -> Floats:
        """ln odds of each edge: what others say, raised by a share of what this says beyond it."""
        return said + self.share * np.maximum(0.0, self.claimed(prior) - said)


@dataclass(frozen=True, eq=False, slots=True)
class Design:
    """The columns of all variables, standardised, and the rows that count.

    `covariance` has shape (P, P). `first` and `width` say which columns are a variable's; if it is
    ordered, the first one is its score. `alike` has, of the variables of each width, their indices,
    columns and covariances, of shapes (G,), (G, width) and (G, width, width).
    """

    rows: int
    covariance: Floats
    first: NDArray[np.intp]
    width: NDArray[np.intp]
    ordered: Bools
    alike: list[tuple[NDArray[np.intp], NDArray[np.intp], Floats]]


def ordered_variables(data: Dataset) -> Bools:
    """Which variables have an order that means something: of two states neither is between."""
    between = (np.array(data.cardinalities) > 2) & (data.rows > 0)
    return between & np.array(data.ordered, dtype=np.bool_)


def regressions(data: Dataset, odds: Floats, progress: Progress = UNWATCHED) -> ScoreRegressions:
    """Choose the blanket of every ordered variable by itself; all states of the data occur."""
    n = data.n
    found, promise = np.zeros((n, n), dtype=np.bool_), np.full((n, n), -np.inf)
    outside = np.array([data.rows - np.bincount(column).max() for column in data.codes.T])
    expected = np.outer(outside, outside) / data.rows
    share = np.clip((expected - _NO_ROWS) / (_ENOUGH_ROWS - _NO_ROWS), 0.0, 1.0)
    design = design_columns(data, progress)
    for j in np.flatnonzero(design.ordered):
        progress.tick(int(j), n)
        found[j], promise[j] = _blanket(design, int(j), odds[j])
    return ScoreRegressions(found, promise, share)


def design_columns(data: Dataset, progress: Progress) -> Design:
    """The columns of all variables and their covariances; variables of many states have none.

    The columns of a variable are orthonormal over the rows, so covariances are correlations.
    """
    sizes, rows = np.array(data.cardinalities), data.rows
    width = np.where(sizes <= MOST_STATES, sizes - 1, 0).astype(np.intp)
    first = np.cumsum(width) - width
    together = _counts(data, width, progress)
    alone = np.diag(together).copy()
    together -= np.outer(alone, alone) / rows
    for j in np.flatnonzero(width):
        block = slice(first[j], first[j] + width[j])
        counts = np.concatenate([[rows - alone[block].sum()], alone[block]])
        coded = _contrasts(counts)
        # Indicators of all states but the first span the same columns.
        coded = coded[1:] - coded[0]
        together[:, block] = together[:, block] @ coded
        together[block] = coded.T @ together[block]
    alike = []
    for size in sorted(set(width[width > 0].tolist())):
        members = np.flatnonzero(width == size)
        columns = first[members][:, None] + np.arange(size)
        alike.append((members, columns, together[columns[:, :, None], columns[:, None, :]]))
    ordered = ordered_variables(data) & (width > 0)
    return Design(min(rows, MOST_ROWS), together, first, width, ordered, alike)


def _counts(data: Dataset, width: NDArray[np.intp], progress: Progress) -> Floats:
    """Rows in each pair of states, of those but the first; on the diagonal rows in one."""
    size = int(width.sum())
    variable = np.repeat(np.arange(data.n), width)
    state = np.arange(size) - np.repeat(np.cumsum(width) - width, width) + 1
    found = np.zeros((size, size))
    for block in blocks(data.rows, size, _CELLS):
        progress.tick()
        # Whole numbers below 2^24: exact in single precision.
        inside = (data.codes[block][:, variable] == state).astype(np.float32)
        found += inside.T @ inside
    return found


def _contrasts(counts: Floats) -> Floats:
    """r - 1 orthonormal columns over the rows, by state, of polynomials of the mid-ranks.

    The first is linear in them, the first three are a cubic, the first six of degree 6; any others
    span the rest.
    """
    weights = np.sqrt(counts)[:, None]
    score = (np.cumsum(counts) - counts / 2) / counts.sum() - 0.5
    powers = np.vander(score, min(len(score), _DEGREES[-1] + 1), increasing=True)
    columns = np.column_stack([powers, np.eye(len(score))[:, powers.shape[1] - 1 : -1]])
    made: Floats = np.linalg.qr(weights * columns)[0][:, 1:] / weights
    return made


def _blanket(design: Design, j: int, odds: Floats) -> tuple[Bools, Floats]:
    """The blanket of one variable, and the ln odds of every other one."""
    used = np.zeros_like(design.width)
    while True:
        gains = _gains(design, j, used, odds)
        move, k = np.unravel_index(np.argmax(gains), gains.shape)
        if gains[move, k] <= 0.0 or (move and np.count_nonzero(used) == _MOST_MEMBERS):
            break
        used[k] = (0, *_DEGREES, design.width[k])[move]
    return used > 0, np.where(used > 0, -gains[0], gains[1:].max(axis=0))


def _gains(design: Design, j: int, used: NDArray[np.intp], odds: Floats) -> Floats:
    """What a model gains by each variable, shape (2 + degrees, n).

    The rows: without it, with a polynomial of its score of each degree, and with all its states.
    """
    n, m, target = len(odds), design.covariance, design.first[j]
    members = np.flatnonzero(used)
    taken = [np.arange(design.first[k], design.first[k] + used[k]) for k in members]
    columns = np.concatenate([*taken, np.empty(0, dtype=np.intp)]).astype(np.intp)
    inverse = np.linalg.inv(m[np.ix_(columns, columns)] + _RIDGE * np.eye(len(columns)))
    slopes = inverse @ m[columns]
    partial, p = m[target] - m[target, columns] @ slopes, len(columns)
    rest = float(partial[target])
    now, new = _evidence(design.rows, p, rest), np.where(used > 0, 0.0, odds)
    gains = np.full((2 + len(_DEGREES), n), -np.inf)
    ends = np.cumsum(used[members])
    for k, end in zip(members.tolist(), ends.tolist(), strict=True):
        for form, q in enumerate((0, *_DEGREES)):
            if q >= used[k] or (q and not design.ordered[k]) or not _has_degree(q, design.width[k]):
                continue
            gone = slice(end - int(used[k]) + q, end)
            slope = slopes[gone, target]
            lost = float(slope @ np.linalg.solve(inverse[gone, gone], slope))
            left = _evidence(design.rows, p + q - int(used[k]), rest + lost) - now
            gains[form, k] = left if q else left - odds[k]
    for of, its, own_covariance in design.alike:
        mine = partial[its]
        covariance = own_covariance - np.einsum("pgi,pgj->gij", m[columns][:, its], slopes[:, its])
        covariance += _RIDGE * np.eye(its.shape[1])
        width = its.shape[1]
        for form, q in enumerate((*_DEGREES, width), 1):
            if q != width and not _has_degree(q, width):
                continue
            part, head = mine[:, :q], covariance[:, :q, :q]
            explained = (part * np.linalg.solve(head, part[:, :, None])[:, :, 0]).sum(axis=1)
            gain = _evidence(design.rows, p + q - used[of], rest - explained) - now + new[of]
            fits = used[of] < q if q == width else design.ordered[of] & (used[of] < q)
            gains[form, of] = np.where(fits, gain, gains[form, of])
    gains[1:, j] = -np.inf
    return gains.round(_DIGITS)


def _has_degree(degree: int, width: int) -> bool:
    """Whether a variable of so many columns is offered a polynomial of that degree."""
    return degree <= 1 or 2 * degree <= width


def _evidence(rows: int, columns: int | NDArray[np.intp], rest: _Value) -> _Value:
    """Of a regression on so many columns that leave a share of the variance, against on none."""
    left = np.log1p(rows * np.maximum(rest, 0.0))
    value: _Value = ((rows - 1 - columns) * math.log1p(rows) - (rows - 1) * left) / 2
    return value
