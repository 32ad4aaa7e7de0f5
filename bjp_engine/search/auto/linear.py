"""Blankets by linear regressions, where variables of more than two states occur.

A table of two variables has (r - 1)² free numbers, so few rows show only strong edges; linear terms
have fewer. An ordered variable is a score, the mid-rank of its states, any other the r - 1 columns
of its states. Ordered ones enter by their score, a polynomial of it, or all states, whichever pays:
with few rows nothing pays for the states of a variable of many, and what it drives in steps or in a
U would look connected. With Zellner's prior of unit information (g = N), p columns that leave the
share R of the covariance of q responses have the evidence, compared with none,

    ½ q (N - 1 - p) ln(1 + N) - ½ (N - 1) ln |I + N R|.

Blankets are chosen by single changes; as in `nodewise`, the ln odds of a member are what the
evidence gains by it, with the prior over structures. Dependences are not exactly linear, and many
rows would make edges of what this leaves unexplained. So N counts up to 2000, and a claim is
contradicted by a model with a product of two scores that has no use for the pair, or by the tables
of both ends (`explained_away`). docs/theory/searches.md has all of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from bjp_engine.arrays import Bools, Floats, Places
from bjp_engine.associations import (
    DEGREES,
    Design,
    add_products,
    design_columns,
    interacting_scores,
    ordered_variables,
    rows_outside,
)
from bjp_engine.classical import classical_test
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency
from bjp_engine.progress import UNWATCHED, Progress

# A blanket has at most so many members, and a variable with more responses isn't regressed.
_MOST_MEMBERS, _MOST_RESPONSES = 32, 10
# States of fewer rows are no columns of their own.
_ROWS_OF_STATE = 5
# Rows beyond these say more about the model than about the pair.
_MOST_ROWS = 2000
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
class LinearModels:
    """What the regressions say, shape (n, n) each.

    `promise` has [j, b] the ln odds that b is in the blanket of j (natural log), λ included, -inf
    where j isn't regressed; `share` how much of it counts: less where few rows are expected outside
    both modes; and `multiplied` where the model of either end has a product.
    """

    promise: Floats
    share: Floats
    multiplied: Bools

    def raised(
        self, data: Dataset, said: Floats, tables: Adjacency, prior: Floats, progress: Progress
    ) -> tuple[Floats, Bools]:
        """ln odds of each edge, where tables `said` so much, and which claims are contradicted.

        `tables` has [j, b] where b is in the blanket that a table of j chose. As with the models of
        binary variables, half of the prior is for taking the larger of two noisy numbers.
        """
        claimed = np.maximum(self.promise, self.promise.T) + prior / 2
        gone = self.multiplied & (claimed < 0.0)
        gone |= explained_away(data, tables, claimed * max(1.0, data.rows / _MOST_ROWS), progress)
        raised = said + self.share * np.maximum(0.0, claimed - said)
        return np.where(gone, np.minimum(said, claimed), raised), gone


def linear_models(data: Dataset, odds: Floats, progress: Progress = UNWATCHED) -> LinearModels:
    """Choose the blanket of every variable by itself; all states of the data occur."""
    n = data.n
    promise, multiplied = np.full((n, n), -np.inf), np.zeros(n, dtype=np.bool_)
    outside = rows_outside(data)
    expected = np.outer(outside, outside) / data.rows
    share = np.clip((expected - _NO_ROWS) / (_ENOUGH_ROWS - _NO_ROWS), 0.0, 1.0)
    data = _pool_rare_states(data)
    design = design_columns(data, progress)
    responses = np.where(design.ordered, 1, design.width)
    triples = interacting_scores(data, design, progress)
    design = add_products(data, design, triples, progress)
    for j in np.flatnonzero((responses > 0) & (responses <= _MOST_RESPONSES)).tolist():
        progress.tick(j, n)
        of_both = np.where(triples[:, 0] == j, odds[j, triples[:, 1:]].sum(axis=1), -np.inf)
        used, says = _blanket(design, j, np.concatenate([odds[j], of_both]))
        promise[j], multiplied[j] = says[:n], used[n:].any()
        for product in np.flatnonzero(used[n:]):
            pair = triples[product, 1:]
            promise[j, pair] = np.maximum(promise[j, pair], says[n + product])
    return LinearModels(promise, share, multiplied | multiplied[:, None])


def _pool_rare_states(data: Dataset) -> Dataset:
    """Those of an unordered variable as one, until it has rows enough: few rows agree by chance."""
    codes, sizes = data.codes.astype(np.int64), list(data.cardinalities)
    for j in np.flatnonzero(~ordered_variables(data)):
        counts = data.state_counts[j]
        upward = np.argsort(counts, kind="stable")
        enough = np.searchsorted(np.cumsum(counts[upward]), _ROWS_OF_STATE) + 1
        rare = max(int(np.count_nonzero(counts < _ROWS_OF_STATE)), int(enough))
        more = min(rare, sizes[j] - 1) - 1
        numbers = np.maximum(np.argsort(upward) - more, 0)
        codes[:, j], sizes[j] = numbers[codes[:, j]], sizes[j] - more
    ordered = [name for name, has in zip(data.names, data.ordered, strict=True) if has]
    return Dataset.from_codes(codes, sizes, data.names, ordered=ordered)


def _blanket(design: Design, j: int, odds: Floats) -> tuple[Bools, Floats]:
    """The blanket of one variable, and the ln odds of every other one."""
    used = np.zeros_like(design.width)
    while True:
        gains = _gains(design, j, used, odds)
        move, k = np.unravel_index(np.argmax(gains), gains.shape)
        if gains[move, k] <= 0.0 or (move and np.count_nonzero(used) == _MOST_MEMBERS):
            break
        used[k] = (0, *DEGREES, design.width[k])[move]
    return used > 0, np.where(used > 0, -gains[0], gains[1:].max(axis=0))


def _gains(design: Design, j: int, used: Places, odds: Floats) -> Floats:
    """What a model gains by each variable, shape (2 + degrees, n).

    The rows: without it, with a polynomial of its score of each degree, and with all its states.
    """
    m, rows, members = design.covariance, min(design.rows, _MOST_ROWS), np.flatnonzero(used)
    taken = [np.arange(design.first[k], design.first[k] + used[k]) for k in members]
    columns = np.concatenate([*taken, np.empty(0, dtype=np.intp)]).astype(np.intp)
    inverse = np.linalg.inv(m[np.ix_(columns, columns)] + _RIDGE * np.eye(len(columns)))
    slopes = inverse @ m[columns]
    its = np.arange(design.first[j], design.first[j] + (design.ordered[j] or design.width[j]))
    partial, p = m[its] - m[np.ix_(its, columns)] @ slopes, len(columns)
    rest = partial[:, its]
    now, new = _evidence(rows, p, rest), np.where(used > 0, 0.0, odds)
    gains = np.full((2 + len(DEGREES), len(odds)), -np.inf)
    ends = np.cumsum(used[members])
    for k, end in zip(members.tolist(), ends.tolist(), strict=True):
        for form, q in _forms(int(design.width[k])):
            if q >= used[k] or (q and not design.ordered[k]):
                continue
            gone = slice(end - int(used[k]) + q, end)
            slope = slopes[gone][:, its]
            lost = slope.T @ np.linalg.solve(inverse[gone, gone], slope)
            left = _evidence(rows, p + q - int(used[k]), rest + lost) - now
            gains[form, k] = left if q else left - odds[k]
    for width in np.unique(design.width[design.width > 0]).tolist():
        of = np.flatnonzero(design.width == width)
        at = design.first[of][:, None] + np.arange(width)
        mine, others = np.moveaxis(partial[:, at], 0, 1), m[columns][:, at]
        covariance = (1.0 + _RIDGE) * np.eye(width)
        covariance = covariance - np.einsum("pgi,pgj->gij", others, slopes[:, at])
        for form, q in _forms(width)[1:]:
            part, head = mine[:, :, :q], covariance[:, :q, :q]
            left = rest - part @ np.linalg.solve(head, np.swapaxes(part, 1, 2))
            gain = _evidence(rows, p + q - used[of], left) - now + new[of]
            fits = (used[of] < q) & (design.ordered[of] | (q == width))
            gains[form, of] = np.where(fits, gain, gains[form, of])
    gains[1:, j] = -np.inf
    return gains.round(_DIGITS)


def _forms(width: int) -> list[tuple[int, int]]:
    """The rows of `_gains` for a variable of so many columns, and how many count in each."""
    every = enumerate((0, *DEGREES, width))
    return [(form, q) for form, q in every if q in (0, 1, width) or 2 * q <= width]


def _evidence(rows: int, columns: Any, rest: Floats) -> Any:
    """Of regressions on so many columns that leave covariances, shape (..., q, q), against none."""
    q = rest.shape[-1]
    left = np.linalg.slogdet(np.eye(q) + rows * rest)[1]
    return (q * (rows - 1 - columns) * math.log1p(rows) - (rows - 1) * left) / 2


def explained_away(
    data: Dataset, tables: Adjacency, claimed: Floats, progress: Progress = UNWATCHED
) -> Bools:
    """The pairs of which the tables of both ends contradict the ln odds claimed, shape (n, n).

    An edge would show at least as much within the slices of the blankets that these chose, since
    nothing is assumed there. A pair of which one end is in the blanket of the other is none such.
    """
    gone, has_any = np.zeros_like(tables), tables.any(axis=1)
    asked = (claimed > 0.0) & ~(tables | tables.T) & np.logical_and.outer(has_any, has_any)
    for i, j in np.argwhere(np.triu(asked, 1)):
        progress.tick()
        least = _CONTRADICTED * claimed[i, j]
        gone[i, j] = all(_most(data, i, j, np.flatnonzero(tables[end])) < least for end in (i, j))
    return gone | gone.T


def _most(data: Dataset, i: int, j: int, blanket: Places) -> float:
    """What the dependence within slices may come to, in ln; infinite where rows are too few."""
    test = classical_test(data, data.names[i], data.names[j], [data.names[k] for k in blanket])
    cells = len(test.slices) * data.cardinalities[i] * data.cardinalities[j]
    if data.rows < _ROWS_OF_CELL * cells:
        return math.inf
    return (test.g_squared - test.freedom) / 2 + _DEVIATIONS * math.sqrt(test.freedom / 2)
