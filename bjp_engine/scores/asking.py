"""What a score needs of data whose rows are counted elsewhere.

A board, or a sum of local parts, says which of its terms the next change needs. All their tables
are asked for in one round, and the kernels weigh the counts as if they had been made here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from bjp_engine.arrays import Floats, Ints
from bjp_engine.contingency import Answer, Counter, CrossTally, Layers, Request, requests_for
from bjp_engine.counters.tally import columns
from bjp_engine.dataset import Dataset
from bjp_engine.independence import weigh_cells
from bjp_engine.kernels import asked as kernels
from bjp_engine.kernels.board import Board
from bjp_engine.kernels.evidence import DEPENDENT, INDEPENDENT, Evidence
from bjp_engine.kernels.table import Table
from bjp_engine.progress import UNWATCHED, Progress

# What a board can list at a time, besides its largest test.
_ROOM = 1 << 16
_NOTHING: Mapping[Request, Answer] = MappingProxyType({})


class Round:
    """Requests that are sent together, and what becomes of each answer."""

    def __init__(self, counter: Counter, known: Mapping[Request, Answer] = _NOTHING) -> None:
        self._counter, self._known = counter, known
        self._uses = defaultdict[Request, list[Callable[[Any], None]]](list)

    def add(self, requests: Iterable[Request], use: Callable[[Request, Any], None]) -> None:
        """Ask; a request is sent once, however often it is needed."""
        for request in requests:
            self._uses[request].append(partial(use, request))

    def count(self, progress: Progress) -> Mapping[Request, Answer]:
        """What is known, and what wasn't yet."""
        lacking = [request for request in self._uses if request not in self._known]
        if not lacking:
            return self._known
        answers = self._counter.count(lacking, progress)
        return {**self._known, **dict(zip(lacking, answers, strict=True))}

    def send(self, progress: Progress) -> None:
        """Have everything counted, and use the answers."""
        found = self.count(progress)
        for request, uses in self._uses.items():
            for use in uses:
                use(found[request])


def room_for(n: int) -> Ints:
    """Where a board lists what it asks."""
    return np.zeros(_ROOM + 4 * n, dtype=np.int64)


@dataclass(frozen=True, eq=False, slots=True)
class Asking:
    """Answers a board from counts that are made elsewhere."""

    data: Dataset
    table: Table
    evidence: Evidence
    progress: Progress

    def answer(
        self, board: Board, *, watched: bool, known: Mapping[Request, Answer] = _NOTHING
    ) -> None:
        """Make known what the board has listed; unwatched, it can't be cancelled."""
        sent = self.round(known)
        self.take(board, sent)
        sent.send(self.progress if watched else UNWATCHED)

    def round(self, known: Mapping[Request, Answer] = _NOTHING) -> Round:
        """A round of requests, of which some may have been answered."""
        assert self.data.counter is not None
        return Round(self.data.counter, known)

    def take(self, board: Board, sent: Round) -> None:
        """Take what the board has listed into a round."""
        sizes, rows, values = self.data.cardinalities, self.data.rows, board.answers
        alone = defaultdict[tuple[int, int], dict[int, list[Ints]]](dict)
        for x, blanket, targets in _listed(board.asked):
            for y in targets if len(blanket) < 2 else ():
                if not blanket or blanket[0] == y:
                    # Given nothing, a test is the same from either end.
                    want = DEPENDENT if blanket else INDEPENDENT
                    alone[min(x, y), want].setdefault(max(x, y), []).append(columns([x, y]))
            if not blanket:
                continue
            free = [y for y in targets if y not in blanket]
            use = partial(self._tests, INDEPENDENT, values[x])
            sent.add(requests_for(x, blanket, free, sizes, rows) if free else (), use)
            members = [y for y in targets if y in blanket] if len(blanket) > 1 else []
            if members:
                self._ask_members(sent, x, blanket, members, values[x])
        for (x, want), ends in alone.items():
            use = partial(self._pairs, want, values, ends)
            sent.add(requests_for(x, (), sorted(ends), sizes, rows), use)
        board.asked[0] = 0

    def _ask_members(
        self, sent: Round, x: int, blanket: tuple[int, ...], members: Sequence[int], out: Floats
    ) -> None:
        """Ask for the dependence of x and members of its blanket, each given the rest."""
        sizes, rows = self.data.cardinalities, self.data.rows
        whole = requests_for(x, blanket, (), sizes, rows)
        if whole[0].laid_out:
            sent.add(whole, partial(self._members, members, out))
            return
        for y in members:
            rest = tuple(z for z in blanket if z != y)
            use = partial(self._tests, DEPENDENT, out)
            sent.add(requests_for(x, rest, (y,), sizes, rows), use)

    def _tests(self, want: int, out: Floats, request: Request, answer: Answer) -> None:
        """Write down ln Pr(x ⊥ y | Z), or of its negation, of the targets."""
        if isinstance(answer, CrossTally):
            weighed = weigh_cells(answer, self.evidence)
            independent = want == INDEPENDENT
            value = weighed.log_independent if independent else weighed.log_dependent
            out[request.targets[0]] = value
            return
        targets, values = columns(request.targets), np.empty(len(request.targets))
        of_test = request.x, columns(request.given), targets, np.int64(want), values
        kernels.weigh(self.table, self.evidence, tuple(answer), *of_test)
        out[targets] = values

    def _pairs(
        self,
        want: int,
        values: Floats,
        ends: dict[int, list[Ints]],
        request: Request,
        answer: Answer,
    ) -> None:
        """The same of pairs given nothing, for the ends from which they are asked."""
        found = np.empty(len(self.data.cardinalities))
        self._tests(want, found, request, answer)
        for y in request.targets:
            for pair in ends[y]:
                values[tuple(pair)] = found[y]

    def _members(
        self, members: Sequence[int], out: Floats, request: Request, answer: Layers
    ) -> None:
        """Write down what one table of x and its blanket says of each member given the rest."""
        blanket, value = columns(request.given), np.empty(1)
        for y in members:
            of_test = request.x, blanket, request.given.index(y), value
            kernels.weigh_member(self.table, self.evidence, answer.cells, *of_test)
            out[y] = value[0]


def _listed(asked: Ints) -> Iterator[tuple[int, tuple[int, ...], list[int]]]:
    """The tests that a board lists: x, the variables given, the targets."""
    numbers, at = asked[: asked[0]].tolist(), 1
    while at < len(numbers):
        x, given, targets = numbers[at : at + 3]
        begin = at + 3 + given
        yield x, tuple(numbers[at + 3 : begin]), numbers[begin : begin + targets]
        at = begin + targets
