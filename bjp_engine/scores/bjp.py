"""BJP, IB-score and near blankets: a graph's assertions, and which of them are computed.

A graph asserts, for every ordered pair (x, y), ⟨x ⊥ y | B^x⟩ where y is no neighbour of x
and ⟨x ⊥̸ y | B^x without y⟩ where it is. The scores differ in which of the n(n - 1) assertions are
computed from the data; the rest is inferred as 1, ln 1 = 0. With the variables sorted by ascending
degree, ψ:

- IB-score (Schlüter, Bromberg & Edera 2014) takes the assertions as if they were independent, and
  computes all, those at the hubs' large blankets included.
- BJP, the Blankets Joint Posterior (Schlüter, Strappa, Milone & Bromberg, arXiv 1608.02315), is the
  joint posterior of the n blankets: by the chain rule each is scored given the ones before it (eq.
  jointBlankets2). The assertion on (ψ_i, ψ_k) is computed with the blanket of ψ_i where i < k (eqs.
  ciPosterior, cdPosterior); where i > k it was settled from the other end, by the smaller blanket.
  So half of the tests are never made, and they are those of the largest conditioning sets.
- Near blankets, our extension of the paper, computes what BJP does, given no more than separates:
  Z(x, y) = (B^x ∩ the component of y in G without x) without y (docs/theory.md §3).

Symbols: ψ = `degree_order`, B^x = `blanket`, computed = `AssertionScore.computed`, the component =
`Board.ways`, Z(x, y) = `AssertionTerms.given`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, final

import numpy as np

from bjp_engine.arrays import Bools, Floats, Ints, Places
from bjp_engine.counts import counted_states, table_of
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency, degree_order
from bjp_engine.independence import IndependenceOptions
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.records import RecordSequence, lock_arrays, record
from bjp_engine.scores.base import AssertionTerm, Score, Term
from bjp_engine.scores.board import Assertions


class AssertionScore(Score):
    """A score that is the sum of computed assertions' log posteriors.

    A subclass says in `both_ends` which are: both assertions of each pair, or only that of the
    variable which comes first in ψ. With `near_only`, (x, y) is tested given only those neighbours
    of x through which y can be reached, not given all of them (docs/theory.md §3).
    """

    options_type = IndependenceOptions
    both_ends: bool
    near_only: bool = False

    @property
    def decomposes(self) -> bool:
        """Whether each variable's terms depend on its blanket alone, and not on ψ."""
        return self.both_ends and not self.near_only

    def assertions(
        self,
        data: Dataset,
        adjacency: Adjacency,
        options: IndependenceOptions,
        progress: Progress = UNWATCHED,
        **of_search: Any,
    ) -> Assertions:
        """A graph's assertions under flips, computed; `of_search` as of `Assertions.blank`."""
        made = Assertions.blank(
            table_of(data, progress),
            options.evidence(data),
            adjacency,
            self.both_ends,
            near_only=self.near_only,
            **of_search,
        )
        made.enter(progress)
        return made

    @final
    def computed(self, adjacency: Adjacency) -> Bools:
        """Which ordered pairs (x, y) are computed, shape (n, n)."""
        position = np.argsort(degree_order(adjacency))
        earlier = np.less.outer(position, position)
        return earlier | earlier.T if self.both_ends else earlier

    def terms(
        self,
        data: Dataset,
        adjacency: Adjacency,
        order: Places,
        options: IndependenceOptions,
        progress: Progress,
    ) -> tuple[Sequence[Term], list[float]]:
        """The assertions, row by row."""
        computed = self.computed(adjacency)
        made = self.assertions(data, adjacency, options, progress)
        found = computed, made.values, made.ways, options.prior_cells
        terms = AssertionTerms(data, adjacency, order, *found)
        return terms, made.values[computed].tolist()


class BJP(AssertionScore):
    """Each pair is computed once, from the end that comes first in ψ."""

    name = "bjp"
    title = "BJP"
    cited = "the Blankets Joint Posterior (BJP; Schlüter et al., arXiv:1608.02315)"
    both_ends = False


class IBScore(AssertionScore):
    """Each pair is computed from both ends."""

    name = "ib"
    title = "IB-score"
    cited = "IB-score (Schlüter et al., 2014)"
    both_ends = True


class NearBlankets(AssertionScore):
    """Each pair is computed as by BJP, given the neighbours through which it can be reached."""

    name = "near"
    title = "Near blankets"
    cited = (
        "near blankets, a variant of the Blankets Joint Posterior (BJP; Schlüter et al., "
        "arXiv:1608.02315) that conditions only on neighbours through which the other variable "
        "can be reached"
    )
    both_ends = False
    near_only = True


@record
@dataclass(frozen=True, eq=False, slots=True)
class TermColumns:
    """Assertions of a graph as columns, in the order ψ.

    Parameters
    ----------
    x, y : ndarray of int
        Column indices of the pair; the test uses the blanket of x.
    dependent : ndarray of bool
        Whether dependence is asserted.
    computed : ndarray of bool
        False where the assertion is inferred as 1.
    value : ndarray of float
        ln Pr(assertion | D); 0.0 where inferred.
    given : ndarray of int
        `|Z|`, how many variables the test conditions on, or would.
    log_configurations : ndarray of float
        ln K of these variables.
    """

    x: Places
    y: Places
    dependent: Bools
    computed: Bools
    value: Floats
    given: Ints
    log_configurations: Floats

    def __post_init__(self) -> None:
        lock_arrays(getattr(self, field.name) for field in fields(self))

    def __len__(self) -> int:
        return len(self.x)

    def where(self, chosen: Bools) -> TermColumns:
        """Some of them."""
        return TermColumns(*(getattr(self, field.name)[chosen] for field in fields(self)))

    @property
    def posterior(self) -> Floats:
        """Pr(assertion | D)."""
        return np.exp(self.value)

    @property
    def total(self) -> float:
        """The sum of the values (natural log), exactly rounded."""
        return math.fsum(self.value.tolist())


@dataclass(frozen=True, eq=False, repr=False)
class AssertionTerms(RecordSequence[AssertionTerm]):
    """All n(n - 1) assertions in the order of ψ, built one by one when looked at.

    Of pairs (x, y), shape (n, n): which were computed, their values, and in `ways` which neighbours
    of x are given: those z whose way (x, z) is the same. Without ways all are.
    """

    data: Dataset
    adjacency: Adjacency
    order: Places
    computed: Bools
    values: Floats
    ways: Ints | None
    prior_cells: str

    def columns(self) -> TermColumns:
        """All n(n - 1) terms as columns."""
        n = len(self.order)
        row, column = np.nonzero(~np.eye(n, dtype=np.bool_))
        x, y = self.order[row], self.order[column]
        computed = self.computed[x, y]
        value = np.where(computed, self.values[x, y], 0.0)
        dependent = self.adjacency[x, y]
        states = np.log(counted_states(self.data, self.prior_cells == "centred"))
        if self.ways is None:
            given = self.adjacency.sum(axis=1)[x] - dependent
            log_k = np.where(given > 0, (self.adjacency @ states)[x] - dependent * states[y], 0.0)
        else:
            sets = [self.given(v) for v in range(n)]
            given = np.stack([of_v.sum(axis=1) for of_v in sets])[x, y]
            log_k = np.stack([of_v @ states for of_v in sets])[x, y]
        return TermColumns(x, y, dependent, computed, value, given, log_k)

    def given(self, x: int) -> Bools:
        """Which variables z the test of x and each y conditions on, [y, z]."""
        blanket = self.adjacency[x]
        every = np.tile(blanket, (len(blanket), 1))
        if self.ways is not None:
            every &= np.equal.outer(self.ways[x], self.ways[x])
        np.fill_diagonal(every, False)
        return every

    def has_other_set(self, other: AssertionTerms) -> Bools:
        """Whether the test of each ordered pair conditions on another set there, shape (n, n)."""
        if self.ways is None and other.ways is None:
            flipped = self.adjacency ^ other.adjacency
            # B^x without y: a flip of {x, y} itself leaves it as it is.
            return flipped.sum(axis=1)[:, None] > flipped
        n = len(self.order)
        return np.stack([(self.given(x) != other.given(x)).any(axis=1) for x in range(n)])

    def __len__(self) -> int:
        return len(self.order) * (len(self.order) - 1)

    def build(self, k: int) -> AssertionTerm:
        """The term at a position of the walk."""
        row, column = divmod(k, len(self.order) - 1)
        x, y = self.order[row], self.order[column + (column >= row)]
        computed, names = bool(self.computed[x, y]), self.data.names
        given = self.adjacency[x] & (self.ways is None or self.ways[x] == self.ways[x, y])
        return AssertionTerm(
            names[x],
            names[y],
            tuple(names[z] for z in np.flatnonzero(given) if z != y),
            bool(self.adjacency[x, y]),
            computed,
            float(self.values[x, y]) if computed else 0.0,
        )
