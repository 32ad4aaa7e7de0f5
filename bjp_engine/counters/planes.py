"""Rows held as bit planes alone: an eighth of their codes where variables have two states."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Codes, Ints, code_dtype
from bjp_engine.contingency import Answer, CrossTally, Layers, Request
from bjp_engine.counters.tally import columns, node_tally_of, tally_of
from bjp_engine.kernels.asked import counts_laid_out, reads_rows
from bjp_engine.kernels.table import (
    MOST_STATES,
    NO_ROWS,
    Planes,
    Table,
    count_pairs,
    first_planes,
    new_scratch,
    pack,
)
from bjp_engine.progress import UNWATCHED, Progress

# So many masks cost as much as to unpack a column and read it; measured.
_MOST_MASKS = 250
# Rows of a bootstrap that are drawn at a time.
_DRAWN = 1 << 20


@dataclass(frozen=True, eq=False)
class PlanesPart:
    """Some rows of a table as bit planes.

    Parameters
    ----------
    rows : int
        N.
    cardinalities : tuple of int
    words : ndarray of uint64, shape (P, W)
        Row i is bit i % 64 of word i // 64; one plane for each state but the first of variables
        with at most eight states.
    wide : mapping of int to ndarray
        The codes of the other variables, shape (N,).
    """

    rows: int
    cardinalities: tuple[int, ...]
    words: NDArray[np.uint64]
    wide: Mapping[int, Codes] = field(default_factory=dict)

    @classmethod
    def of(cls, codes: NDArray[Any], cardinalities: Sequence[int]) -> PlanesPart:
        """Pack codes, shape (N, n), best column by column in memory."""
        dtypes = {i: code_dtype([r]) for i, r in enumerate(cardinalities) if r > MOST_STATES}
        wide = {i: codes[:, i].astype(dtype) for i, dtype in dtypes.items()}
        words = pack(codes, cardinalities).words
        return cls(len(codes), tuple(cardinalities), words, wide)

    @property
    def nbytes(self) -> int:
        """The memory that the rows take."""
        return self.words.nbytes + sum(codes.nbytes for codes in self.wide.values())

    @property
    def drawable(self) -> bool:
        """Whether resamples can be drawn of the rows where they are."""
        return True

    @property
    def digest(self) -> str:
        """A hash of the rows."""
        content = hashlib.sha256(repr((self.rows, self.cardinalities)).encode())
        content.update(self.words.data)
        for i in sorted(self.wide):
            content.update(np.ascontiguousarray(self.wide[i]).data)
        return content.hexdigest()

    def codes_of(self, variable: int) -> Codes:
        """The codes of one variable, shape (N,)."""
        if variable in self.wide:
            return self.wide[variable]
        codes = np.zeros(self.rows, dtype=np.uint8)
        first = self._first[variable]
        for state in range(1, self.cardinalities[variable]):
            plane = self.words[first + state - 1].astype("<u8", copy=False).view(np.uint8)
            bits = np.unpackbits(plane, count=self.rows, bitorder="little")
            codes += bits if state == 1 else bits * np.uint8(state)
        return codes

    def codes(self, progress: Progress = UNWATCHED) -> Codes:
        """The codes of all rows, shape (N, n), column by column in memory."""
        progress.tick()
        return self._codes(range(len(self.cardinalities)))

    def take(self, rows: NDArray[Any]) -> PlanesPart:
        """Some of the rows, any of them more than once."""
        codes = np.empty((len(rows), len(self.cardinalities)), code_dtype(self.cardinalities), "F")
        for v in range(len(self.cardinalities)):
            codes[:, v] = self.codes_of(v)[rows]
        return PlanesPart.of(codes, self.cardinalities)

    def count(self, requests: Sequence[Request], progress: Progress = UNWATCHED) -> list[Answer]:
        """Answer requests."""
        found: list[Answer] = []
        for request in requests:
            progress.tick()
            found.append(self._laid_out(request) if request.laid_out else self._tally(request))
        return found

    def select(self, variables: Sequence[int]) -> PlanesPart:
        """The same rows with only some of the variables."""
        sizes = tuple(self.cardinalities[v] for v in variables)
        wide = {k: self.wide[v] for k, v in enumerate(variables) if v in self.wide}
        planes = [
            self._first[v] + state
            for v, r in zip(variables, sizes, strict=True)
            if v not in self.wide
            for state in range(r - 1)
        ]
        return PlanesPart(self.rows, sizes, self.words[planes], wide)

    def resample(self, seed: int, k: int) -> PlanesPart:
        """The k-th bootstrap resample, as if these were all rows."""
        return drawn([self], [0], self.rows, seed, k)[0]

    def _laid_out(self, request: Request) -> Layers:
        """The counts of all configurations."""
        variables, x, given, targets = _numbered(request)
        table = self._table(variables)
        if reads_rows(table, x, given, targets):
            table = _with_codes(table, self._codes(variables))
        return Layers(*counts_laid_out(table, x, given, targets))

    def _tally(self, request: Request) -> CrossTally:
        """The cells that occur."""
        variables, x, given, targets = _numbered(request)
        codes = self._codes(variables)
        table, places = _with_codes(self._table(variables), codes), tuple(given.tolist())
        if request.targets:
            tally = tally_of(table, codes, x, int(targets[0]), places)
        else:
            tally = node_tally_of(table, codes, x, places)
        return replace(tally, given=request.given)

    def _codes(self, variables: Sequence[int]) -> Codes:
        """The codes of some variables, column by column in memory."""
        dtype = code_dtype([self.cardinalities[v] for v in variables])
        codes = np.empty((self.rows, len(variables)), dtype, order="F")
        for place, v in enumerate(variables):
            codes[:, place] = self.codes_of(v)
        return codes

    def _table(self, variables: Sequence[int]) -> Table:
        """Some variables as the kernels read them, without rows."""
        first = self._first[list(variables)]
        sizes = np.array([self.cardinalities[v] for v in variables], dtype=np.int64)
        planes = Planes(self.words, first, self._pairs)
        none = np.empty((len(variables), 0), dtype=np.uint8)
        return Table(self.rows, none, sizes, planes, _MOST_MASKS, 1, new_scratch(), NO_ROWS)

    @cached_property
    def _first(self) -> Ints:
        """The plane of each variable's state 1, -1 where it has none; shape (n,)."""
        return first_planes(self.cardinalities)[0]

    @cached_property
    def _pairs(self) -> NDArray[np.int32]:
        """How many rows any two planes share, counted once."""
        pairs = np.zeros((len(self.words), len(self.words)), dtype=np.int32)
        count_pairs(self.words, pairs, 0, len(pairs))
        return pairs


def drawn(
    parts: Sequence[PlanesPart], starts: Sequence[int], total: int, seed: int, k: int
) -> list[PlanesPart]:
    """What the k-th bootstrap resample of `total` rows has of some parts of them.

    `starts` ascend and say with which row each begins. All draws are walked, whoever they are for.
    """
    sizes, bounds = [part.rows for part in parts], np.array(starts, dtype=np.int64)
    ends, places = bounds + sizes, np.cumsum([0, *sizes])
    times = np.zeros(places[-1], dtype=np.uint16)
    rng = np.random.default_rng([seed, k])
    for begin in range(0, total if len(times) else 0, _DRAWN):
        rows = rng.integers(total, size=min(_DRAWN, total - begin))
        part_of = np.searchsorted(bounds, rows, side="right") - 1
        here = (part_of >= 0) & (rows < ends[part_of])
        rows, part_of = rows[here], part_of[here]
        np.add.at(times, rows - bounds[part_of] + places[part_of], np.uint16(1))
    return [
        part.take(np.repeat(np.arange(part.rows), times[place : place + part.rows]))
        for part, place in zip(parts, places.tolist(), strict=False)
    ]


def _numbered(request: Request) -> tuple[list[int], int, Ints, Ints]:
    """The variables of a request, and the request in their places."""
    variables = sorted({request.x, *request.given, *request.targets})
    place = {v: k for k, v in enumerate(variables)}
    given, targets = (
        columns([place[v] for v in some]) for some in (request.given, request.targets)
    )
    return variables, place[request.x], given, targets


def _with_codes(table: Table, codes: Codes) -> Table:
    """A table with the codes of all rows, shape (N, n)."""
    return table._replace(codes=codes.T.view(np.uint8))
