"""A graph's assertions under flips: the kernels' board, with what it needs to go on.

The board is the one mutable thing of the engine. A search owns one, and what it hands on are
copies; see `bjp_engine.kernels.board` for how it is kept up to date.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bjp_engine.arrays import Bools, Floats, Ints
from bjp_engine.graph import Adjacency
from bjp_engine.kernels import climb as kernels
from bjp_engine.kernels.board import Board
from bjp_engine.kernels.climb import ClimbOrders, Record
from bjp_engine.kernels.evidence import Evidence
from bjp_engine.kernels.pairwise import SCRATCH
from bjp_engine.kernels.table import CodedTable
from bjp_engine.progress import UNWATCHED, Progress

# Of more variables the tests behind each possible flip would take more than 130 MB.
MOST_REMEMBERED = 256


class Outcome(NamedTuple):
    """What became of flips that were tried one after the other: each given those kept before it."""

    gain: Floats
    score: Floats  # with the flip made
    kept: Bools


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

    def propose(self, pairs: Ints, needed: Floats) -> Outcome:
        """Try flips one after the other, and keep those that gain more than they need."""
        orders = orders_for(0, 0, pairs, needed)
        self.run(orders, empty_record(0, 1))
        return Outcome(orders.gain, orders.score, orders.kept)

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
