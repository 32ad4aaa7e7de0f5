"""Rows on the workers of a cluster, and the contingency tables that these count.

A count is a sum over rows, so the tables of several parts add up. The parts of one thread of a
worker are a *group*, a future of Dask's: a round of tables is one message with a task for each
group. Dask knows how a group was made; where a worker dies, its files are read again elsewhere.
"""

from __future__ import annotations

import hashlib
import math
import pickle
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import chain
from typing import Any, Never, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Codes, Ints, code_dtype, columns, number_rows
from bjp_engine.cluster import Client, Future, check_client, results_of, workers_of
from bjp_engine.counts import CrossTally, Wanted
from bjp_engine.dataset import Dataset, Scored
from bjp_engine.errors import DataError
from bjp_engine.kernels.counting import count_by_masks
from bjp_engine.kernels.table import (
    MOST_STATES,
    CodedTable,
    Planes,
    count_pairs,
    first_planes,
    pack,
)
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.records import keep
from bjp_engine.sharded.scores import score_by_tables
from bjp_engine.validate import Name, check_names

# A table of more cells is sent as those that occur: 8 MB.
MOST_LAID_OUT = 1 << 20
# So many masks cost as much as to unpack a column and read it; measured.
_MOST_MASKS = 250

Variables: TypeAlias = tuple[int, ...]
# Some variables, and others of which each has a table with them; None for their table alone.
Request: TypeAlias = tuple[Variables, tuple[int | None, ...]]
# Laid out over (the other variable, the base); or the states of the cells that occur, and counts.
Counts: TypeAlias = Ints | tuple[Ints, Ints]


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows as bit planes, one for each state but the first, and as codes of other variables.

    Row i is bit i % 64 of word i // 64; `wide` has the codes of variables of over eight states.
    """

    rows: int
    cardinalities: tuple[int, ...]
    words: NDArray[np.uint64]
    wide: Mapping[int, Codes] = field(default_factory=dict)

    @classmethod
    def of(cls, codes: NDArray[Any], cardinalities: Sequence[int]) -> Part:
        """Pack codes, shape (N, n), best column by column in memory."""
        dtypes = {i: code_dtype([r]) for i, r in enumerate(cardinalities) if r > MOST_STATES}
        wide = {i: codes[:, i].astype(dtype) for i, dtype in dtypes.items()}
        return cls(len(codes), tuple(cardinalities), pack(codes, cardinalities).words, wide)

    def __sizeof__(self) -> int:
        """The memory that the rows take, as Dask asks for it."""
        return self.words.nbytes + sum(codes.nbytes for codes in self.wide.values())

    def codes_of(self, variable: int) -> Codes:
        """The codes of one variable, shape (N,)."""
        if variable in self.wide:
            return self.wide[variable]
        codes = np.zeros(self.rows, dtype=np.uint8)
        for state in range(1, self.cardinalities[variable]):
            plane = self.words[self._first[variable] + state - 1].astype("<u8", copy=False)
            bits = np.unpackbits(plane.view(np.uint8), count=self.rows, bitorder="little")
            codes += bits * np.uint8(state)
        return codes

    def tables(self, requests: Iterable[Request]) -> list[Counts]:
        """All tables that are asked for, in their order."""
        return [table for base, others in requests for table in self._tables(base, others)]

    def _tables(self, base: Variables, others: Sequence[int | None]) -> list[Counts]:
        """The tables of one base."""
        sizes = self.cardinalities
        size, added = math.prod(sizes[v] for v in base), [y for y in others if y is not None]
        fitting = [y for y in added if size * sizes[y] <= MOST_LAID_OUT]
        if size > MOST_LAID_OUT:
            return [self._cells(axes_of(base, y)) for y in others]
        masks = size * (2 + sum(sizes[y] - 1 for y in fitting))
        narrow = not any(v in self.wide for v in (*base, *fitting))
        if narrow and masks <= _MOST_MASKS * (len(base) + 1 + 3 * len(fitting)):
            laid_out = self._by_planes(base, fitting)
        else:
            laid_out = self._by_rows(base, size, fitting)
        return [laid_out[y] if y in laid_out else self._cells(axes_of(base, y)) for y in others]

    def _by_planes(self, base: Variables, others: Sequence[int]) -> dict[int | None, Ints]:
        """Tables by intersections of planes."""
        given, targets = columns(base[:-1]), columns(others)
        cells, layers = count_by_masks(self._table, base[-1], given, targets)
        found, begin = dict[int | None, Ints]({None: cells}), 0
        for y in others:
            of_y = layers[begin : begin + self.cardinalities[y] - 1]
            found[y] = np.concatenate([cells - of_y.sum(axis=0), *of_y])
            begin += len(of_y)
        return found

    def _by_rows(self, base: Variables, size: int, others: Sequence[int]) -> dict[int | None, Ints]:
        """Tables by numbering the cell of each row."""
        place = np.zeros(self.rows, dtype=np.int64)
        for v in base:
            place *= self.cardinalities[v]
            place += self.codes_of(v)
        found: dict[int | None, Ints] = {None: np.bincount(place, minlength=size)}
        for y in others:
            cells = self.codes_of(y) * np.int64(size) + place
            found[y] = np.bincount(cells, minlength=size * self.cardinalities[y])
        return found

    def _cells(self, variables: Variables) -> tuple[Ints, Ints]:
        """The cells that occur."""
        codes = np.stack([self.codes_of(v) for v in variables], axis=1).astype(np.int64)
        place = number_rows(codes, [self.cardinalities[v] for v in variables])
        _, first, counts = np.unique(place, return_index=True, return_counts=True)
        return codes[first], counts

    @cached_property
    def _first(self) -> Ints:
        """The plane of each variable's state 1."""
        return first_planes(self.cardinalities)[0]

    @cached_property
    def _table(self) -> CodedTable:
        """The planes as the kernels read them, with all pairs counted once."""
        pairs = np.zeros((len(self.words), len(self.words)), dtype=np.int32)
        count_pairs(self.words, pairs, 0, len(pairs))
        sizes, none = columns(self.cardinalities), np.empty((len(self._first), 0), dtype=np.uint8)
        none.setflags(write=False)  # as the codes of a dataset, for which the kernels are compiled
        planes = Planes(self.words, self._first, pairs)
        return CodedTable(self.rows, none, sizes, planes, _MOST_MASKS, 1)


def axes_of(base: Variables, other: int | None) -> Variables:
    """The variables of a table, in the order of its axes."""
    return base if other is None else (other, *base)


def variables_of(want: Wanted) -> Variables:
    """The variables of a table that is wanted, ascending."""
    x, y, given = want
    return tuple(sorted({x, *given} if y is None else {x, y, *given}))


def requests_for(wanted: Iterable[Wanted]) -> list[Request]:
    """How to ask for tables so that those with variables in common are counted at once."""
    asked: dict[Variables, list[int | None]] = {
        variables_of((x, None, given)): [] for x, y, given in wanted if y is not None
    }
    for whole in sorted({*map(variables_of, wanted)}, key=lambda one: (len(one), one)):
        rests = ((y, tuple(v for v in whole if v != y)) for y in reversed(whole))
        y, base = next(((y, rest) for y, rest in rests if rest in asked), (None, whole))
        if whole in asked or y is None:
            asked.setdefault(whole, []).append(None)
        else:
            asked[base].append(y)
    return [(base, tuple(others)) for base, others in asked.items() if others]


def add(one: Counts, other: Counts) -> Counts:
    """The table of two parts; cells that occur stand twice where both have them."""
    if isinstance(one, tuple):
        return np.concatenate([one[0], other[0]]), np.concatenate([one[1], other[1]])
    return one + other


def tally_of(counts: Counts, axes: Variables, sizes: Mapping[int, int], want: Wanted) -> CrossTally:
    """A table as the tally of x and y within the slices of the variables given."""
    x, y, given = want
    if isinstance(counts, tuple):
        states, rows = counts
    else:
        laid_out = counts.reshape([sizes[v] for v in axes])
        states, rows = np.argwhere(laid_out), laid_out[laid_out > 0]
    state = dict(zip(axes, states.T, strict=True))
    configurations = states[:, [axes.index(z) for z in given]]
    slices = number_rows(configurations, [sizes[z] for z in given])
    keys, rx, ry = slices * sizes[x] + state[x], sizes[x], 1
    if y is not None:
        ry = sizes[y]
        keys = keys * ry + state[y]
    keys, at = np.unique(keys, return_inverse=True)
    summed = np.bincount(at, rows).astype(np.int64)
    shown = np.unique(slices, return_index=True)[1]
    return CrossTally(given, configurations[shown], keys, summed, rx, ry)


@dataclass(frozen=True, eq=False)
class Shards:
    """Where the rows are that the workers of a cluster hold."""

    client: Client
    groups: Sequence[Future]  # of a tuple of parts each
    places: Sequence[Sequence[int]]  # of each group: which files its parts are
    sizes: Sequence[int]  # the rows of each file
    marks: Sequence[str]  # a hash of the content of each file

    @classmethod
    def of(
        cls, client: Client, parts: Sequence[Future], sizes: Sequence[int], marks: Sequence[str]
    ) -> Shards:
        """Group parts that are ready: each worker's by its threads, with about as many rows."""
        threads, holders = workers_of(client), client.who_has(list(parts))
        load = {(address, k): 0 for address, many in threads.items() for k in range(many)}
        places: dict[tuple[str, int], list[int]] = {thread: [] for thread in load}
        for place in sorted(range(len(parts)), key=lambda place: -sizes[place]):
            there = holders.get(parts[place].key, ())
            near = [thread for thread in load if thread[0] in there]
            thread = min(near or load, key=lambda one: load[one])
            load[thread] += sizes[place]
            places[thread].append(place)
        used = {thread: held for thread, held in places.items() if held}
        how = {"pure": False, "allow_other_workers": True}
        groups = [
            client.submit(tuple, [parts[k] for k in held], workers=[address], **how)
            for (address, _), held in used.items()
        ]
        return cls(client, groups, [*used.values()], sizes, marks)

    def ask(self, function: Any, progress: Progress, *given: object) -> list[Any]:
        """What a function returns for each group: one message, a task where each group lies."""
        check_client(self.client)
        arguments = ([one] * len(self.groups) for one in given)
        sent = self.client.map(function, self.groups, *arguments, pure=False)
        return results_of(self.client, sent, progress)


class ShardedDataset(Dataset):
    """A dataset whose rows lie on a cluster: `bjp_engine.read_sharded` makes one.

    `score`, `independence_test` and the published searches ask the workers for tables. Whatever
    else reads rows has them brought here, up to 2³⁰ cells.
    """

    shards: Shards
    chosen: Variables  # which variables of the rows these are

    def __init__(
        self,
        shards: Shards,
        names: tuple[Name, ...],
        labels: tuple[tuple[str, ...], ...],
        ordered: tuple[bool, ...],
        chosen: Variables | None = None,
    ) -> None:
        """Take rows of which `chosen` are the variables, by default all."""
        check_names(names)
        sizes, every = tuple(map(len, labels)), tuple(range(len(names)))
        keep(self, names=names, labels=labels, ordered=ordered, cardinalities=sizes, _derived={})
        keep(self, shards=shards, chosen=every if chosen is None else chosen)

    @property
    def is_here(self) -> bool:
        """Whether the rows are here: they are on the workers."""
        return False

    @cached_property
    def state_counts(self) -> list[Ints]:
        """How many rows are in each state, by variable; asked for in one round."""
        tables = self.count([(i, None, ()) for i in range(self.n)])
        both = zip(tables, self.cardinalities, strict=True)
        return [np.bincount(one.keys, one.counts, r).astype(np.int64) for one, r in both]

    def count(
        self, wanted: Sequence[Wanted], progress: Progress = UNWATCHED, /
    ) -> list[CrossTally]:
        """The tables of some variables each: one message to the cluster."""
        own = self.chosen
        asked: list[Wanted] = [
            (own[x], None if y is None else own[y], tuple(own[z] for z in given))
            for x, y, given in wanted
        ]
        requests = requests_for(asked)
        # As bytes: Dask would look into every tuple.
        found = self.shards.ask(_count, progress, pickle.dumps(requests))
        tables = [pickle.loads(one) for one in found]  # noqa: S301 - of our own making
        axes = [axes_of(base, y) for base, others in requests for y in others]
        counted = {}
        for variables, *parts in zip(axes, *tables, strict=True):
            counted[tuple(sorted(variables))] = reduce(add, parts), variables
        sizes = dict(zip(own, self.cardinalities, strict=True))
        return [
            replace(tally_of(*counted[variables_of(one)], sizes, one), given=given)
            for one, (_, _, given) in zip(asked, wanted, strict=True)
        ]

    @property
    def codes(self) -> Codes:
        """The codes of all rows, brought here when they are first asked for."""
        return self.hold().codes

    @property
    def rows(self) -> int:
        """N, the number of rows."""
        return sum(self.shards.sizes)

    def hold(self, progress: Progress = UNWATCHED) -> Dataset:
        """The same table with its rows here, one byte or two a cell; it is kept."""
        if not self.fits:
            raise DataError(
                f"Rows are needed here, and those of this dataset, {self.rows:,} of {self.n:,} "
                "variables, are too many; score, independence_test, and learn with 'ibmap-hc' or "
                "'mpl-hc' ask a cluster for tables alone. For anything else, choose variables "
                "with select, or read a sample of the rows with read_table."
            )
        return self.derived("rows", lambda: self._brought(progress))

    def _brought(self, progress: Progress) -> Dataset:
        """The rows in the order of the files."""
        found = chain.from_iterable(self.shards.ask(_codes, progress, self.chosen))
        parts = dict(zip(chain.from_iterable(self.shards.places), found, strict=True))
        codes, start = np.empty((self.rows, self.n), code_dtype(self.cardinalities), "F"), 0
        for place in sorted(parts):
            progress.tick()
            part = parts.pop(place)
            codes[start : start + len(part)] = part
            start += len(part)
        return Dataset(codes, self.cardinalities, self.names, self.labels, self.ordered)

    def select(self, variables: Iterable[Name]) -> Dataset:
        """The same rows with only some of the variables, as `Dataset.select`."""
        given = [variables] if isinstance(variables, (str, int, np.integer)) else variables
        wanted = [self.index(variable) for variable in given]
        parts: Any = self.names, self.labels, self.ordered, self.chosen
        return ShardedDataset(self.shards, *(tuple(part[i] for i in wanted) for part in parts))

    def scored_by(self, score: Scored) -> Scored:
        """The same score by tables that the workers count, where it can do with these."""
        found: Scored = score_by_tables(score)
        return found

    @cached_property
    def digest(self) -> str:
        """A hash of names, labels, orders and of each file's rows: not that of one table."""
        content = self.names, self.labels, self.ordered, self.chosen, self.shards.marks
        return hashlib.sha256(repr(content).encode()).hexdigest()

    def __reduce__(self) -> Never:
        """Rows stay where they are."""
        raise DataError(
            "The rows of this dataset lie on a cluster and are asked for by the client that read "
            "them; read them anew in another process."
        )

    def __repr__(self) -> str:
        """A line."""
        return f"ShardedDataset({self.rows} rows, {self.n} variables, on a cluster)"

    def _repr_html_(self) -> str:
        """The same in a notebook: there are no rows to show."""
        return f"<p>{self.rows:,} rows, {self.n:,} variables, on a cluster</p>"


# --- On the workers -------------------------------------------------------------------------------


def _count(group: Sequence[Part], requests: bytes) -> bytes:
    """The tables of a group."""
    asked: list[Request] = pickle.loads(requests)  # noqa: S301 - of our own making
    total = group[0].tables(asked)
    # One by one: a group has one thread, and memory for two answers.
    for part in group[1:]:
        total = [add(one, other) for one, other in zip(total, part.tables(asked), strict=True)]
    return pickle.dumps(total)


def _codes(group: Sequence[Part], variables: Variables) -> list[Codes]:
    """The codes of some variables of each part."""
    return [np.stack([part.codes_of(v) for v in variables], axis=1) for part in group]
