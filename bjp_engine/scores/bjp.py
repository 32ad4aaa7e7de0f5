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

The board is the one mutable thing of the engine. A search owns one, and what it hands on are
copies; see `bjp_engine.kernels.board` for how it is kept up to date.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, final

import numpy as np

from bjp_engine.arrays import Bools, Floats, Ints, Places
from bjp_engine.counts import counted_states, table_of
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency, degree_order
from bjp_engine.independence import IndependenceOptions
from bjp_engine.kernels import climb as kernels
from bjp_engine.kernels.board import Board
from bjp_engine.kernels.climb import ClimbOrders, Record
from bjp_engine.kernels.evidence import Evidence
from bjp_engine.kernels.pairwise import SCRATCH
from bjp_engine.kernels.table import CodedTable
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.records import RecordSequence
from bjp_engine.scores.base import AssertionTerm, Score, Term

TermColumns: TypeAlias = "np.recarray[Any, Any]"
_NAMES = "x", "y", "dependent", "computed", "value", "posterior", "given", "log_configurations"
_COLUMNS = np.dtype([*zip(_NAMES, ("i8", "i8", "?", "?", "f8", "f8", "i8", "f8"), strict=True)])
# Of more variables the tests behind each possible flip would take more than 130 MB.
MOST_REMEMBERED = 256


@dataclass(frozen=True, eq=False, slots=True)
class Assertions:
    """The assertions of a graph that a score computes, their sum, and how a climb goes on."""

    table: CodedTable
    _evidence: Evidence
    board: Board
    goes_on: bool = False

    @classmethod
    def blank(  # noqa: PLR0913 - what is scored, how, and what becomes of it
        cls,
        table: CodedTable,
        evidence: Evidence,
        adjacency: Adjacency,
        both_ends: bool,
        *,
        odds: Floats | None = None,
        goes_on: bool = False,
        remembers: bool = False,
        near_only: bool = False,
        fixed: Bools | None = None,
    ) -> Assertions:
        """A graph of which nothing is known yet.

        A climb leaves `fixed` pairs, shape (n, n), as they are. `remembers` keeps the tests of
        flips that were only tried, for a search that tries the same ones again and again;
        `near_only` tests a pair given those neighbours alone through which it can be reached.
        """
        n = len(adjacency)
        near, marks = n * near_only, n * goes_on
        rows = n if remembers and n <= MOST_REMEMBERED else 0
        degree = adjacency.sum(axis=1, dtype=np.int64)
        neighbours = np.zeros((n, n), dtype=np.int64)
        for x in np.flatnonzero(degree):
            neighbours[x, : degree[x]] = np.flatnonzero(adjacency[x])
        board = Board(
            both=both_ends,
            adjacency=adjacency.copy(),
            degree=degree,
            neighbours=neighbours,
            values=np.full((n, n), np.nan),
            local=np.full((n, n), np.inf),
            least=np.full(n, np.inf),
            total=np.zeros(2),
            tests=np.zeros(1, dtype=np.int64),
            # A pair that is never proposed counts as marked.
            made=np.array([0, 0 if fixed is None else np.triu(fixed, 1).sum()], dtype=np.int64),
            odds=np.empty((0, 0)) if odds is None else odds.copy(),
            marked=np.zeros((marks, marks), dtype=np.bool_),
            fixed=np.zeros((0, 0), dtype=np.bool_) if fixed is None else fixed.copy(),
            flipped=np.full((rows, rows, rows), np.nan),
            scratch=np.zeros(SCRATCH, dtype=np.int64),
            ways=np.full((near, near), -1),
            ways_before=np.full((near and near + 3, near), -1),
            rewired=np.zeros(near, dtype=np.bool_),
        )
        return cls(table, evidence, board, goes_on)

    def enter(self, progress: Progress = UNWATCHED) -> None:
        """Score the graph: compute what isn't known, row by row where somebody watches."""
        n, none = len(self.adjacency), empty_record(0, 1)
        total = n * (n - 1) // (1 if self.board.both else 2)
        at_once = n if progress is UNWATCHED else 1
        for first in range(0, n, at_once):
            progress.tick(self.tests, total)
            self.run(orders_for(first, first + at_once), none)
        progress.tick(total, total)

    @property
    def score(self) -> float:
        """The sum of the computed terms (natural log), correctly rounded."""
        return float(self.board.total[0])

    @property
    def tests(self) -> int:
        """How many tests were made so far; one that is asserted from both ends counts once."""
        return int(self.board.tests[0])

    @property
    def adjacency(self) -> Adjacency:
        """The graph as it stands, shape (n, n)."""
        return self.board.adjacency

    @property
    def values(self) -> Floats:
        """ln Pr of the assertion on (x, y) given the blanket of x, shape (n, n)."""
        return self.board.values

    @property
    def ways(self) -> Ints | None:
        """By which neighbours each pair is tested (see `Board`); None where by all."""
        return self.board.ways if self.board.ways.size else None

    @property
    def evaluations(self) -> int:
        """How many flips were tried so far."""
        return int(self.board.made[0])

    def climb(self, most: int, keep: int) -> tuple[Record, int]:
        """Propose flips: their record, and whether it goes on."""
        n = len(self.board.degree)
        record = empty_record(most, min(keep, n * (n - 1) // 2))
        steps, end = self.run(orders_for(0, 0), record)
        return Record._make(column[:steps] for column in record), end

    def propose(self, pairs: Ints, needed: Floats) -> ClimbOrders:
        """Try flips one after the other, and keep those that gain more than they need."""
        orders = orders_for(0, 0, pairs, needed)
        self.run(orders, empty_record(0, 1))
        return orders

    def run(self, orders: ClimbOrders, record: Record) -> tuple[int, int]:
        """One call of the kernel: see `bjp_engine.kernels.climb.climb`."""
        by = self.table, self._evidence, self.board, self.goes_on
        steps, end = kernels.climb(*by, orders, record)
        return steps, end


def orders_for(
    begin: int, end: int, pairs: Ints | None = None, needed: Floats | None = None
) -> ClimbOrders:
    """Rows to score and flips to try, with arrays for their outcome."""
    flips = np.ascontiguousarray(np.empty((0, 2), dtype=np.int64) if pairs is None else pairs)
    wanted = np.ascontiguousarray([] if needed is None else needed, dtype=np.float64)
    gain, score, kept = np.empty(len(flips)), np.empty(len(flips)), np.zeros(len(flips), np.bool_)
    return ClimbOrders(begin, end, flips, wanted, gain, score, kept)


def empty_record(steps: int, keep: int) -> Record:
    """A record with space for so many proposals."""
    return Record(
        pair=np.empty((steps, 2), dtype=np.int64),
        score=np.empty(steps),
        before=np.empty(steps),
        tests=np.empty(steps, dtype=np.int64),
        kept=np.zeros(steps, dtype=np.bool_),
        lowest=np.empty((steps, keep, 2), dtype=np.int64),
        value=np.empty((steps, keep)),
        adjacent=np.empty((steps, keep), dtype=np.bool_),
    )


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
        """All n(n - 1) terms as columns, read-only.

        By their names: places x and y (the test uses the blanket of x); dependent; computed; value,
        ln Pr(assertion | D), or 0.0 where inferred, and posterior, its exponential; given, `|Z|`,
        how many variables the test conditions on, or would; log_configurations, ln K of these.
        """
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
        columns = [x, y, dependent, computed, value, np.exp(value), given, log_k]
        found: TermColumns = np.rec.fromarrays(columns, dtype=_COLUMNS)
        found.setflags(write=False)
        return found

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
