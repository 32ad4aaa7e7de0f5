"""A graph's assertions under flips: the kernels' board, with what it needs to go on.

The board is the one mutable thing of the engine. A search owns one, and what it hands on are
copies; see `bjp_engine.kernels.board` for how it is kept up to date.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bjp_engine.arrays import Bools, Floats, Ints
from bjp_engine.contingency import Answer, Request
from bjp_engine.counts import table_of, table_without_rows, with_rows
from bjp_engine.dataset import Dataset
from bjp_engine.errors import Cancelled
from bjp_engine.graph import Adjacency
from bjp_engine.independence import IndependenceOptions
from bjp_engine.kernels import climb as kernels
from bjp_engine.kernels.board import Board
from bjp_engine.kernels.climb import ASKS, GOES_ON, Orders, Record
from bjp_engine.kernels.evidence import Evidence
from bjp_engine.kernels.table import Table
from bjp_engine.kernels.tests import SCRATCH
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.scores.asking import Asking, room_for

# Of more variables the tests behind each possible flip would take more than 130 MB.
MOST_REMEMBERED = 256
# What orders hold of each flip.
_FLIPS = ("flips", "needed", "gain", "score", "kept")


@dataclass(frozen=True, eq=False, slots=True)
class Outcome:
    """What became of flips that were tried one after the other: each given those kept before it.

    The score is with the flip made.
    """

    gain: Floats
    score: Floats
    kept: Bools


@dataclass(frozen=True, eq=False, slots=True)
class Assertions:
    """The assertions of a graph that a score computes, their sum, and how a climb goes on."""

    table: Table
    evidence: Evidence
    board: Board
    goes_on: bool = False
    # Of data whose rows are counted elsewhere.
    asking: Asking | None = None

    @classmethod
    def of(  # noqa: PLR0913 - what is scored, how, and what becomes of it
        cls,
        data: Dataset,
        adjacency: Adjacency,
        both_ends: bool,
        options: IndependenceOptions,
        progress: Progress = UNWATCHED,
        *,
        odds: Floats | None = None,
        goes_on: bool = False,
        remembers: bool = False,
        near_only: bool = False,
        fixed: Bools | None = None,
    ) -> Assertions:
        """Compute what a graph's score needs.

        A climb leaves `fixed` pairs, shape (n, n), as they are. `remembers` keeps the tests of
        flips that were only tried, for a search that tries the same ones again and again;
        `near_only` tests a pair given those neighbours alone through which it can be reached.
        """
        if data.counter is not None:
            table = table_without_rows(data)
        else:
            table = table_of(data, progress)
            table = with_rows(data, table) if both_ends else table
        board = _empty_board(adjacency, both_ends, odds, goes_on, remembers, near_only, fixed)
        evidence, asking = options.evidence(data), None
        if data.counter is not None:
            lacking = np.full((data.n, data.n), np.nan)
            board = board._replace(answers=lacking, asked=room_for(data.n))
            asking = Asking(data, table, evidence, progress.quiet)
        made = cls(table, evidence, board, goes_on, asking)
        total = data.n * (data.n - 1) // (1 if both_ends else 2)
        none = _empty_record(0, 1)
        # Row by row where somebody watches; in one round where rows are counted elsewhere.
        at_once = data.n if progress is UNWATCHED or asking else 1
        for first in range(0, data.n, at_once):
            progress.tick(made.tests, total)
            last = first + at_once
            made.run(orders_for(first, last), none)
        progress.tick(total, total)
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
        record = _empty_record(most, min(keep, n * (n - 1) // 2))
        steps, end = self.run(orders_for(0, 0), record)
        return Record._make(column[:steps] for column in record), end

    def propose(self, pairs: Ints, needed: Floats) -> Outcome:
        """Try flips one after the other, and keep those that gain more than they need."""
        orders = orders_for(0, 0, np.ascontiguousarray(pairs), needed)
        # Several that need not be kept: in one round for all.
        ahead = self.asking is not None and len(pairs) > 1 and not np.isneginf(needed).any()
        known = self._ask_ahead(orders.flips) if ahead else {}
        self.run(orders, _empty_record(0, 1), known)
        return Outcome(orders.gain, orders.score, orders.kept)

    def _ask_ahead(self, pairs: Ints) -> Mapping[Request, Answer]:
        """All that the flips of several pairs ask for, as if none were kept, in one round."""
        assert self.asking is not None
        sent, board, none = self.asking.round(), self.board, _empty_record(0, 1)
        made, tests = board.made.copy(), board.tests.copy()
        for k in range(len(pairs)):
            alone = orders_for(0, 0, pairs[k : k + 1], np.full(1, np.inf))
            kernels.climb(self.table, self.evidence, board, self.goes_on, alone, none)
            self.asking.take(board, sent)
        board.made[:], board.tests[:] = made, tests
        return sent.count(self.asking.progress)

    def run(
        self, orders: Orders, record: Record, known: Mapping[Request, Answer] | None = None
    ) -> tuple[int, int]:
        """One call of the kernel: see `bjp_engine.kernels.climb.climb`."""
        of_kernel, board = (self.table, self.evidence, self.board, self.goes_on), self.board
        done, kept = 0, False
        while True:
            tried = int(board.made[0])
            steps, end = kernels.climb(*of_kernel, orders, record)
            if self.asking is None or end != ASKS:
                return done + steps, end
            told = min(int(board.made[0]) - tried, len(orders.flips))
            kept = kept or bool(orders.kept[:told].any())
            if orders.begin < orders.end:
                orders = orders._replace(begin=orders.begin + steps)
            else:
                orders = orders._replace(**{name: getattr(orders, name)[told:] for name in _FLIPS})
                record = Record._make(column[steps:] for column in record)
                done += steps
            try:
                # Flips that were ordered and kept are not left without the others.
                self.asking.answer(board, watched=not kept, known=known or {})
            except Cancelled:
                board.asked[0] = 0
                # What was done so far is handed on; whoever asks for more is told.
                if not done:
                    raise
                return done, GOES_ON


def orders_for(
    begin: int, end: int, pairs: Ints | None = None, needed: Floats | None = None
) -> Orders:
    """Rows to score and flips to try, with arrays for their outcome."""
    flips = np.empty((0, 2), dtype=np.int64) if pairs is None else pairs
    count = len(flips)
    wanted = np.empty(0) if needed is None else np.ascontiguousarray(needed, dtype=np.float64)
    kept = np.zeros(count, dtype=np.bool_)
    return Orders(begin, end, flips, wanted, np.empty(count), np.empty(count), kept)


def _empty_board(
    adjacency: Adjacency,
    both_ends: bool,
    odds: Floats | None,
    marked: bool,
    remembers: bool,
    near_only: bool,
    fixed: Bools | None,
) -> Board:
    """A board on which nothing is known yet."""
    n = len(adjacency)
    near = n if near_only else 0
    marks = n if marked else 0
    rows = n if remembers and n <= MOST_REMEMBERED else 0
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
        answers=np.empty((0, 0)),
        asked=np.empty(0, dtype=np.int64),
    )


def _empty_record(steps: int, keep: int) -> Record:
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
