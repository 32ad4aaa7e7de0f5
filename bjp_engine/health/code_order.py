"""Whether other columns confirm the order of codes: neighbours on a scale go with the same things.

Codes of regions were given in any order. Then the one they have fits what the states go with no
better than the r! / 2 others of r states, and its rank among these is a p-value without any model.
Fit is what a score that is linear in the mid-ranks explains of the χ² with all other columns. How
others are coded makes no difference to it, so p-values of several columns are independent where
none of them has an order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats
from bjp_engine.columns import FEW_STATES, Column
from bjp_engine.labels import natural_order
from bjp_engine.records import record
from bjp_engine.validate import Name

# Evenly spread rows, and states of other columns, that are looked at.
_ROWS, _OTHER_STATES = 2048, 2048
# Of more states than 6 not all orders are tried, but so many drawn ones.
_ALL_ORDERS, _ORDERS = 6, 400
# A group of columns is compared with so many of drawn orders.
_DRAWS = 4000
# Beyond so many standard deviations χ² shows that a column goes with others.
_CLEAR = 4.0
# Equal fits that were added up in another order still are equal.
_TIES = 1e-9


@record
@dataclass(frozen=True, eq=False, slots=True)
class CodeOrder:
    """What other columns say of the order of a column's codes."""

    p: float  # the share of all orders that fit as well as that of the codes, itself included
    possible: Floats  # the p-values that each order would have
    associated: bool  # whether the column clearly goes with others

    @property
    def fits(self) -> bool:
        """Whether few orders fit as well, or none."""
        return self.p <= max(0.2, float(self.possible.min()))

    @property
    def contradicted(self) -> bool:
        """Whether states clearly go with other columns, in no such order."""
        return self.associated and self.p > 0.5


def code_orders(columns: Mapping[Name, Column], names: Iterable[Name]) -> dict[Name, CodeOrder]:
    """What the other columns say of the codes of some columns of numbers."""
    names = list(names)
    if not names:
        return {}
    rows = columns[names[0]].rows
    sample = np.linspace(0, rows - 1, min(rows, _ROWS)).round().astype(np.intp)
    # Columns of one battery go with one another, so those of interest come first.
    others = [*names, *(name for name in columns if name not in set(names))]
    parts: dict[Name, NDArray[np.float32]] = {}
    left = _OTHER_STATES
    for name in others:
        column = columns[name]
        if np.count_nonzero(column.counts) > FEW_STATES:
            continue
        codes = column.codes[sample]
        seen = np.unique(codes[codes >= 0])
        if 2 <= len(seen) <= left:
            seen = seen[natural_order(column.values[seen])]
            parts[name] = np.equal.outer(codes, seen).astype(np.float32)
            left -= len(seen)
    if not parts:
        return {}
    every = np.hstack(list(parts.values()))
    firsts = np.cumsum([0, *(part.shape[1] for part in parts.values())])
    found = {}
    for name in names:
        if name not in parts or parts[name].shape[1] < 3:
            continue
        counts = (parts[name].T @ every).astype(np.float64)
        tables = [
            counts[:, first : first + part.shape[1]]
            for first, (other, part) in zip(firsts, parts.items(), strict=False)
            if other != name
        ]
        found[name] = _order_of(parts[name].sum(axis=0, dtype=np.float64), tables)
    return found


def group_p(orders: Iterable[CodeOrder]) -> float:
    """The share of groups with drawn orders whose p-values have as small a product."""
    every, rng = list(orders), np.random.default_rng(0)
    drawn = np.zeros(_DRAWS)
    for one in every:
        drawn += np.log(rng.choice(one.possible, _DRAWS))
    own = math.fsum(math.log(one.p) for one in every)
    return float((1 + np.count_nonzero(drawn <= own + _TIES)) / (1 + _DRAWS))


def _order_of(weights: Floats, tables: list[Floats]) -> CodeOrder:
    """The rank of the order of codes among others, by the tables with other columns."""
    r, total, freedom = len(weights), 0.0, 0
    gram = np.zeros((r, r))
    for counts in tables:
        table = counts[:, counts.any(axis=0)]
        below, beside = table.sum(axis=0), table.sum(axis=1)
        rows = below.sum()
        if len(below) < 2 or np.count_nonzero(beside) < 2:
            continue
        # Differences of the profile of each state from that of all, so that their squares are χ².
        share = below / rows
        profile = table / np.maximum(beside, 1.0)[:, None] - share * (beside > 0)[:, None]
        profile *= math.sqrt(rows) / np.sqrt(share)
        gram += profile @ profile.T
        total += float((np.square(table) / np.outer(beside.clip(1.0), below)).sum() - 1) * rows
        freedom += (int(np.count_nonzero(beside)) - 1) * (len(below) - 1)
    orders = _orders(r)
    fits = _fits(weights / weights.sum(), gram, orders)
    # Fits of equal size are one.
    ranked = np.sort(fits)
    worse = np.searchsorted(ranked, fits * (1 - _TIES) - _TIES)
    possible = (len(fits) - worse) / len(fits)
    clear = total - freedom > _CLEAR * math.sqrt(2 * max(1, freedom))
    return CodeOrder(float(possible[0]), possible, clear)


def _orders(r: int) -> NDArray[np.intp]:
    """Orders of some states, each but for its direction; the first is that of their codes."""
    if r <= _ALL_ORDERS:
        return np.array([one for one in permutations(range(r)) if one[0] < one[-1]], dtype=np.intp)
    rng = np.random.default_rng(0)
    drawn = [rng.permutation(r) for _ in range(_ORDERS)]
    return np.vstack([np.arange(r), *drawn])


def _fits(share: Floats, gram: Floats, orders: NDArray[np.intp]) -> Floats:
    """What the mid-ranks of each order explain of the χ²."""
    inside = share[orders]
    score = np.empty(orders.shape)
    np.put_along_axis(score, orders, inside.cumsum(axis=1) - inside / 2, axis=1)
    weighted = (score - 0.5) * share
    spread = ((score - 0.5) * weighted).sum(axis=1)
    fits: Floats = np.einsum("oi,ij,oj->o", weighted, gram, weighted) / spread
    return fits
