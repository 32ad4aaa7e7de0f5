"""From codes as they come to blocks of bit planes, and from one coding of these to another.

While a file is read, its values are coded in their order of appearance, and missing cells get a
code of their own when the first one comes. Which states these codes become is agreed later.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from mmap import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Bools, Codes, Ints, SignedCodes, code_dtype, signed_dtype
from bjp_engine.counters.planes import PlanesPart
from bjp_engine.counters.sums import Sum
from bjp_engine.kernels.table import MOST_STATES, first_planes, pack
from bjp_engine.validate import Name, check_states

# Rows of a block, and the codes that its columns may take while they are looked at.
BLOCK, _MOST_CODES = 1 << 22, 1 << 28
# A plane is read in pieces of so many rows.
_PIECE = 1 << 9
# So many bytes are worth pages of their own.
_LARGE = 1 << 18

Places = Sequence[NDArray[np.integer[Any]]]


@dataclass
class Lane:
    """One column on its way: the codes of one block, and the blocks that are packed."""

    name: Name
    block: int
    states: int = 0
    hole: int | None = None  # the code of missing cells
    parts: list[PlanesPart] = field(default_factory=list)
    _codes: SignedCodes = field(default_factory=lambda: np.empty(0, dtype=np.int8))
    _filled: int = 0

    @property
    def codes(self) -> int:
        """How many codes there are, that of missing cells included."""
        return self.states + (self.hole is not None)

    def take(self, codes: SignedCodes) -> None:
        """Take the codes of the next rows, -1 where a cell is missing."""
        if not len(self._codes):
            self._codes = np.empty(self.block, dtype=codes.dtype)
        elif codes.itemsize > self._codes.itemsize:
            self._codes = self._codes.astype(codes.dtype)
        while len(codes):
            some = codes[: self.block - self._filled]
            self._codes[self._filled : self._filled + len(some)] = some
            self._filled += len(some)
            codes = codes[len(some) :]
            if self._filled == self.block:
                self._pack()

    def close(self) -> None:
        """Pack what is left."""
        if self._filled:
            self._pack()
        self._codes = self._codes[:0].copy()

    def _pack(self) -> None:
        """Pack a block."""
        codes: NDArray[Any] = self._codes[: self._filled]
        self.states = max(self.states, int(codes.max()) + 1)
        if self.hole is None and codes.min() < 0:
            self.hole = self.states
        check_states(self.codes, self.name)
        if self.hole is not None:
            table = np.arange(self.states + 1)
            table[self.hole :] += 1
            table[-1] = self.hole
            codes = table.astype(code_dtype([self.codes])).take(codes)
        self._filled = 0
        part = PlanesPart.of(codes.reshape(-1, 1), (self.codes,))
        self.parts.append(replace(part, words=_apart(part.words)))


@dataclass
class Frequencies(Lane):
    """A column that says how often each row was counted; its codes stay codes."""

    blocks: list[SignedCodes] = field(default_factory=list)

    def _pack(self) -> None:
        """Keep a block."""
        codes = self._codes[: self._filled]
        self.states = max(self.states, int(codes.max()) + 1)
        if self.hole is None and codes.min() < 0:
            self.hole = self.states
        self._filled = 0
        self.blocks.append(codes.astype(signed_dtype(self.states)))


class Packing:
    """Columns on their way, by their names; one of them may hold frequencies."""

    def __init__(self, names: Sequence[Name], weights: Name | None = None) -> None:
        rows = min(BLOCK, _MOST_CODES // max(1, len(names)))
        self.block = max(_PIECE, rows - rows % _PIECE)
        self.lanes = [
            (Lane if name != weights or weights is None else Frequencies)(name, self.block)
            for name in names
        ]

    def parts(self) -> list[PlanesPart]:
        """The blocks of all columns but that of frequencies; they leave the lanes."""
        for lane in self.lanes:
            lane.close()
            lane.parts.reverse()
        lanes = [lane for lane in self.lanes if not isinstance(lane, Frequencies)]
        found = []
        while lanes and lanes[0].parts:
            found.append(_beside([lane.parts.pop() for lane in lanes]))
        return found


def _apart(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A copy of large planes that leaves no hole in the heap once it is let go."""
    if words.nbytes < _LARGE:
        return words
    pages: NDArray[np.uint64] = np.frombuffer(mmap(-1, words.nbytes), dtype=np.uint64)
    pages = pages.reshape(words.shape)
    pages[:] = words
    return pages


def _beside(columns: Sequence[PlanesPart]) -> PlanesPart:
    """Columns of the same rows as one part."""
    words = np.concatenate([one.words for one in columns if len(one.words)] or [columns[0].words])
    wide = {i: one.wide[0] for i, one in enumerate(columns) if 0 in one.wide}
    sizes = tuple(one.cardinalities[0] for one in columns)
    return PlanesPart(columns[0].rows, sizes, words, wide)


def tally(counter: Sum, sizes: Sequence[int]) -> list[Ints]:
    """How many rows have each code of each variable, by the factors of the parts."""
    found = [np.zeros(r, dtype=np.int64) for r in sizes]
    for part, factor in zip(counter.parts, counter.weights, strict=True):
        first = first_planes(part.cardinalities)[0]
        for i, (r, counts) in enumerate(zip(part.cardinalities, found, strict=True)):
            if i in part.wide:
                counts[:r] += factor * np.bincount(part.wide[i], minlength=r)
            else:
                ones = [_ones(part.words[first[i] + k]) for k in range(r - 1)]
                counts[:r] += factor * np.array([part.rows - sum(ones), *ones])
    return found


def _ones(plane: NDArray[np.uint64]) -> int:
    """How many rows are in a plane."""
    return int(np.bitwise_count(plane).sum(dtype=np.int64))


def repeat(parts: list[PlanesPart], frequencies: Iterable[Ints]) -> Sum:
    """Blocks whose rows stand for as many equal ones as their frequencies say.

    The parts leave their list. Small ones of one factor are joined.
    """
    found: dict[int, list[PlanesPart]] = {}
    most = max((part.rows for part in parts), default=0)
    parts.reverse()
    for counts in frequencies:
        part = parts.pop()
        for bit in range(int(counts.max(initial=0)).bit_length()):
            rows = np.flatnonzero(counts >> bit & 1)
            if len(rows):
                held = found.setdefault(1 << bit, [])
                held.append(part.take(rows))
                if len(held) > 1 and held[-2].rows + len(rows) <= most:
                    held[-2:] = [_below(held[-2:])]
    if not found:
        found[1] = [part.take(np.empty(0, dtype=np.intp))]
    made = [(factor, part) for factor, held in sorted(found.items()) for part in held]
    return Sum([part for _, part in made], [factor for factor, _ in made])


def _below(parts: Sequence[PlanesPart]) -> PlanesPart:
    """The rows of several parts as one part; the last has the most states."""
    sizes, rows = parts[-1].cardinalities, sum(part.rows for part in parts)
    codes = np.empty((rows, len(sizes)), code_dtype(sizes), "F")
    for i in range(len(sizes)):
        codes[:, i] = np.concatenate([part.codes_of(i) for part in parts])
    return PlanesPart.of(codes, sizes)


def without(counter: Sum, gone: Sequence[Bools]) -> Sum:
    """Only the rows in which no variable has a code that is gone."""
    kept, factors = [], []
    for part, factor in zip(counter.parts, counter.weights, strict=True):
        complete = np.ones(part.rows, dtype=np.bool_)
        for i, (r, codes) in enumerate(zip(part.cardinalities, gone, strict=True)):
            if codes[:r].any():
                complete &= ~codes[part.codes_of(i)]
        rows = np.flatnonzero(complete)
        if len(rows):
            kept.append(part if len(rows) == part.rows else part.take(rows))
            factors.append(factor)
    if not kept:
        kept, factors = [counter.parts[0].take(np.empty(0, dtype=np.intp))], [1]
    return Sum(kept, factors if counter.factors is not None else None)


def recode(
    counter: Sum, places: Places, cardinalities: Sequence[int], *, release: bool = False
) -> Sum:
    """The same rows by other codes: `places` has the new one for each old one, by variable.

    Planes of the new states are unions of those of the old ones, so no row is unpacked. With
    `release` the parts change within the list of the counter given, so that only one of them is
    ever held twice.
    """
    parts = counter.parts if release and isinstance(counter.parts, list) else list(counter.parts)
    for k in range(len(parts)):
        parts[k] = _recode(parts[k], places, tuple(cardinalities))
    return Sum(parts, counter.factors)


def _recode(part: PlanesPart, places: Places, cardinalities: tuple[int, ...]) -> PlanesPart:
    """One part by other codes."""
    same = zip(part.cardinalities, cardinalities, places, strict=True)
    if all(r == size and np.array_equal(table[:r], np.arange(r)) for r, size, table in same):
        return part
    old = first_planes(part.cardinalities)[0]
    new, owned = first_planes(cardinalities)
    words = np.zeros((owned, part.words.shape[1]), dtype=np.uint64)
    wide: dict[int, Codes] = {}
    for i, (known, r) in enumerate(zip(part.cardinalities, cardinalities, strict=True)):
        table = np.asarray(places[i])[:known]
        if r > MOST_STATES or i in part.wide:
            codes = table.astype(code_dtype([r])).take(part.codes_of(i))
            if r > MOST_STATES:
                wide[i] = codes
            else:
                words[new[i] : new[i] + r - 1] = pack(codes.reshape(-1, 1), (r,)).words
            continue
        planes = part.words[old[i] : old[i] + known - 1]
        for code in np.flatnonzero(table).tolist():
            plane = words[new[i] + table[code] - 1]
            plane |= planes[code - 1] if code else _others(planes, part)
    return PlanesPart(part.rows, cardinalities, words, wide)


def _others(planes: NDArray[np.uint64], part: PlanesPart) -> NDArray[np.uint64]:
    """The rows that are in none of some planes."""
    whole, rest = divmod(part.rows, 64)
    found = np.zeros(part.words.shape[1], dtype=np.uint64)
    found[:whole] = ~np.uint64(0)
    if rest:
        found[whole] = (1 << rest) - 1
    for plane in planes:
        found &= ~plane
    return found
