"""A graph's assertions under flips: the kernels' board, with what it needs to go on.

The board is the one mutable thing of the engine. A search owns one, and what it hands on are
copies; see `bjp_engine.kernels.board` for how it is kept up to date.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bjp_engine.counts import table_of, with_rows
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency
from bjp_engine.independence import Floats, TestOptions
from bjp_engine.kernels import climb as kernels
from bjp_engine.kernels.board import Board
from bjp_engine.kernels.cells import Table
from bjp_engine.kernels.climb import NO_FLIPS, Orders, Record
from bjp_engine.kernels.slices import Evidence
from bjp_engine.kernels.small import SCRATCH
from bjp_engine.watch import NO_WATCH, Watch


@dataclass(frozen=True, eq=False, slots=True)
class Assertions:
    """The assertions of a graph that a score computes, and their sum.

    Parameters
    ----------
    table : Table
    evidence : Evidence
    board : Board
    """

    table: Table
    evidence: Evidence
    board: Board

    @classmethod
    def of(
        cls,
        data: Dataset,
        adjacency: Adjacency,
        both_ends: bool,
        options: TestOptions,
        watch: Watch = NO_WATCH,
    ) -> Assertions:
        """Compute what a graph's score needs.

        Parameters
        ----------
        data : Dataset
        adjacency : ndarray of bool, shape (n, n)
        both_ends : bool
            Whether each pair is computed from both ends, or from the earlier in ψ.
        options : TestOptions
        watch : Watch

        Returns
        -------
        Assertions

        Raises
        ------
        Cancelled
            If `watch` says so.
        """
        table = table_of(data, watch)
        if both_ends:
            table = with_rows(data, table)
        made = cls(table, options.evidence(data), _empty_board(adjacency, both_ends))
        total = data.n * (data.n - 1) // (1 if both_ends else 2)
        none = _empty_record(0, 1)
        # At once where nobody watches; else row by row.
        for first in range(0, data.n, data.n if watch is NO_WATCH else 1):
            watch.tick(made.tests, total)
            last = data.n if watch is NO_WATCH else first + 1
            orders = Orders(first, last, NO_FLIPS)
            kernels.climb(made.table, made.evidence, made.board, orders, none)
        watch.tick(total, total)
        return made

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

    def climb(self, most: int, keep: int) -> tuple[Record, bool]:
        """Flip the pair of lowest local contribution as long as the score rises.

        Parameters
        ----------
        most : int
            How many proposals at most.
        keep : int
            How many of the lowest local contributions are written down of each.

        Returns
        -------
        record : Record
            One row a proposal.
        refused : bool
            Whether the last one did not raise the score, and was undone.
        """
        n = len(self.board.degree)
        record = _empty_record(most, min(keep, n * (n - 1) // 2))
        orders = Orders(0, 0, NO_FLIPS)
        steps, end = kernels.climb(self.table, self.evidence, self.board, orders, record)
        return _cut(record, steps), end == kernels.REFUSED


def _empty_board(adjacency: Adjacency, both_ends: bool) -> Board:
    """A board on which nothing is known yet."""
    n = len(adjacency)
    degree = adjacency.sum(axis=1, dtype=np.int64)
    neighbours = np.zeros((n, n), dtype=np.int64)
    for x in np.flatnonzero(degree):
        neighbours[x, : degree[x]] = np.flatnonzero(adjacency[x])
    return Board(
        both=both_ends,
        adjacency=adjacency.copy(),
        degree=degree,
        neighbours=neighbours,
        values=np.full((n, n), np.nan),
        local=np.full((n, n), np.inf),
        least=np.full(n, np.inf),
        total=np.zeros(2),
        tests=np.zeros(1, dtype=np.int64),
        scratch=np.zeros(SCRATCH, dtype=np.int64),
    )


def _cut(record: Record, steps: int) -> Record:
    """The rows that were written."""
    return Record(
        record.pair[:steps],
        record.score[:steps],
        record.before[:steps],
        record.tests[:steps],
        record.lowest[:steps],
        record.value[:steps],
        record.adjacent[:steps],
    )


def _empty_record(steps: int, keep: int) -> Record:
    """Room for so many proposals."""
    return Record(
        pair=np.empty((steps, 2), dtype=np.int64),
        score=np.empty(steps),
        before=np.empty(steps),
        tests=np.empty(steps, dtype=np.int64),
        lowest=np.empty((steps, keep, 2), dtype=np.int64),
        value=np.empty((steps, keep)),
        adjacent=np.empty((steps, keep), dtype=np.bool_),
    )
