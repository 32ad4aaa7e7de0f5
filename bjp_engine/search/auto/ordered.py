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

Scores add up. Where two variables are driven by an interaction of two others, regressions leave
some dependence between them, and claim an edge. If it were one, the pair would depend at least as
much within the slices of each end's blanket, since nothing is assumed there. So a claim is
contradicted where the blankets that tables chose leave far less: ½ G² beyond its expectation,
½ df, and with three standard deviations added, is less than half of the ln odds claimed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Bools, Floats
from bjp_engine.associations import (
    DEGREES,
    Design,
    add_products,
    design_columns,
    interacting_scores,
)
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency
from bjp_engine.progress import UNWATCHED, Progress

# A blanket has at most so many members.
_MOST_MEMBERS = 32
_MOST_RESPONSES = 10
# Rows beyond these say more about the model than about the pair.
MOST_ROWS = 2000
# Added to the variances of columns, so that those which others explain change nothing.
_RIDGE = 1e-9
# Equal evidences that were added up in another order still are equal.
_DIGITS = 9
# What is said of a pair counts for nothing if so many rows, or fewer, are expected outside both
# modes, and in full from the second number on: a few such rows agree by chance.
_NO_ROWS, _ENOUGH_ROWS = 2.0, 8.0
# Tables contradict a claim with so many rows a cell of each slice, on average, where what they see
# and so many standard deviations are less than such a share of it.
_ROWS_OF_CELL, _DEVIATIONS, _CONTRADICTED = 2.0, 3.0, 0.5


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
    multiplied: Bools

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


def regressions(data: Dataset, odds: Floats, progress: Progress = UNWATCHED) -> ScoreRegressions:
    """Choose the blanket of every ordered variable by itself; all states of the data occur."""
    n = data.n
    found, promise = np.zeros((n, n), dtype=np.bool_), np.full((n, n), -np.inf)
    multiplied = np.zeros(n, dtype=np.bool_)
    outside = np.array([data.rows - np.bincount(column).max() for column in data.codes.T])
    expected = np.outer(outside, outside) / data.rows
    share = np.clip((expected - _NO_ROWS) / (_ENOUGH_ROWS - _NO_ROWS), 0.0, 1.0)
    design = design_columns(data, progress)
    responses = np.where(design.ordered, np.minimum(design.width, 1), design.width)
    triples = interacting_scores(data, design, progress)
    design = add_products(data, design, triples, progress)
    for j in np.flatnonzero((responses > 0) & (responses <= _MOST_RESPONSES)):
        progress.tick(int(j), n)
        its = np.arange(design.first[j], design.first[j] + responses[j])
        of_both = np.where(triples[:, 0] == j, odds[j, triples[:, 1:]].sum(axis=1), -np.inf)
        member, says = _blanket(design, int(j), its, np.concatenate([odds[j], of_both]))
        found[j], promise[j], multiplied[j] = member[:n], says[:n], member[n:].any()
        for k in np.flatnonzero(member[n:]):
            pair = triples[k, 1:]
            found[j, pair] = True
            promise[j, pair] = np.maximum(promise[j, pair], says[n + k])
    return ScoreRegressions(found, promise, share, multiplied)


def _blanket(
    design: Design, j: int, targets: NDArray[np.intp], odds: Floats
) -> tuple[Bools, Floats]:
    """The blanket of one variable, and the ln odds of every other one."""
    used = np.zeros_like(design.width)
    while True:
        gains = _gains(design, j, targets, used, odds)
        move, k = np.unravel_index(np.argmax(gains), gains.shape)
        if gains[move, k] <= 0.0 or (move and np.count_nonzero(used) == _MOST_MEMBERS):
            break
        used[k] = (0, *DEGREES, design.width[k])[move]
    return used > 0, np.where(used > 0, -gains[0], gains[1:].max(axis=0))


def _gains(
    design: Design, j: int, target: NDArray[np.intp], used: NDArray[np.intp], odds: Floats
) -> Floats:
    """What a model gains by each variable, shape (2 + degrees, n).

    The rows: without it, with a polynomial of its score of each degree, and with all its states.
    """
    n, m = len(odds), design.covariance
    members = np.flatnonzero(used)
    taken = [np.arange(design.first[k], design.first[k] + used[k]) for k in members]
    columns = np.concatenate([*taken, np.empty(0, dtype=np.intp)]).astype(np.intp)
    inverse = np.linalg.inv(m[np.ix_(columns, columns)] + _RIDGE * np.eye(len(columns)))
    slopes = inverse @ m[columns]
    partial, p = m[target] - m[np.ix_(target, columns)] @ slopes, len(columns)
    rest = partial[:, target]
    now, new = _evidence(min(design.rows, MOST_ROWS), p, rest), np.where(used > 0, 0.0, odds)
    gains = np.full((2 + len(DEGREES), n), -np.inf)
    ends = np.cumsum(used[members])
    for k, end in zip(members.tolist(), ends.tolist(), strict=True):
        for form, q in enumerate((0, *DEGREES)):
            if q >= used[k] or (q and not design.ordered[k]) or not _has_degree(q, design.width[k]):
                continue
            gone = slice(end - int(used[k]) + q, end)
            slope = slopes[gone][:, target]
            lost = slope.T @ np.linalg.solve(inverse[gone, gone], slope)
            left = _evidence(min(design.rows, MOST_ROWS), p + q - int(used[k]), rest + lost) - now
            gains[form, k] = left if q else left - odds[k]
    for of, its, own_covariance in design.alike:
        mine = np.moveaxis(partial[:, its], 0, 1)
        covariance = own_covariance - np.einsum("pgi,pgj->gij", m[columns][:, its], slopes[:, its])
        covariance += _RIDGE * np.eye(its.shape[1])
        width = its.shape[1]
        for form, q in enumerate((*DEGREES, width), 1):
            if q != width and not _has_degree(q, width):
                continue
            part, head = mine[:, :, :q], covariance[:, :q, :q]
            explained = part @ np.linalg.solve(head, np.swapaxes(part, 1, 2))
            gain = (
                _evidence(min(design.rows, MOST_ROWS), p + q - used[of], rest - explained)
                - now
                + new[of]
            )
            fits = used[of] < q if q == width else design.ordered[of] & (used[of] < q)
            gains[form, of] = np.where(fits, gain, gains[form, of])
    gains[1:, j] = -np.inf
    return gains.round(_DIGITS)


def _has_degree(degree: int, width: int) -> bool:
    """Whether a variable of so many columns is offered a polynomial of that degree."""
    return degree <= 1 or 2 * degree <= width


def _evidence(rows: int, columns: Any, rest: Floats) -> Any:
    """Of regressions on so many columns that leave covariances, shape (..., q, q), against none."""
    q = rest.shape[-1]
    left = np.linalg.slogdet(np.eye(q) + rows * rest)[1]
    return (q * (rows - 1 - columns) * math.log1p(rows) - (rows - 1) * left) / 2
