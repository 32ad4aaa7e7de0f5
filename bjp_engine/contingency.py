"""Contingency tables on request: what a search needs of rows that are not at hand.

A `Request` names a variable x, a conditioning set Z and targets y; its answer has the counts of x
with each y within each configuration of Z. A count is a sum over rows, so the answers of several
parts of a table add up, whatever holds the parts. `Counter` is all that a dataset without rows
needs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from bjp_engine.arrays import Codes, Ints, number_rows
from bjp_engine.progress import UNWATCHED, Progress

# Counts of one answer in which every configuration is laid out: 8 MB.
MOST_LAID_OUT = 1 << 20


@dataclass(frozen=True, slots=True)
class Request:
    """The counts of x with each target, within each configuration of a conditioning set.

    Indices of variables; `given` and `targets` ascend, and no variable stands twice.
    """

    x: int
    given: tuple[int, ...]
    targets: tuple[int, ...]
    # Whether all configurations are laid out; else only cells that occur, of one target or none.
    laid_out: bool


class Layers(NamedTuple):
    """The counts of all configurations, in lexicographic order of Z.

    `cells` has shape (K r_x,), by configuration and state of x; `within`, shape (L, K r_x), how
    many of these rows are in each state but the first of each target.
    """

    cells: Ints
    within: Ints


@dataclass(frozen=True, eq=False, slots=True)
class CrossTally:
    """The non-zero cells of the r_x × r_y tables of all slices that have rows.

    Without a target r_y is 1.
    """

    given: tuple[int, ...]  # the conditioning set Z, ascending column indices
    configurations: Ints  # (S, |Z|): the codes of Z in each slice, lexicographic
    keys: Ints  # (slice · r_x + state of x) · r_y + state of y, ascending
    counts: Ints  # rows in each cell
    rx: int
    ry: int

    @property
    def size(self) -> int:
        """S, how many slices have rows."""
        return len(self.configurations)


Answer: TypeAlias = Layers | CrossTally


class Counter(Protocol):
    """Whatever can count the rows of a table: planes, weighted rows, shards on a cluster."""

    @property
    def rows(self) -> int:
        """N, how many rows are counted."""
        ...

    @property
    def drawable(self) -> bool:
        """Whether resamples can be drawn of the rows where they are."""
        ...

    @property
    def digest(self) -> str:
        """A hash of the rows and of how they are held."""
        ...

    def count(
        self, requests: Sequence[Request], progress: Progress = UNWATCHED
    ) -> Sequence[Answer]:
        """Answer requests, all at once, in their order."""
        ...

    def codes(self, progress: Progress = UNWATCHED) -> Codes:
        """The codes of all rows, shape (N, n), column by column in memory."""
        ...

    def select(self, variables: Sequence[int]) -> Counter:
        """The same rows with only some of the variables, in that order."""
        ...

    def resample(self, seed: int, k: int) -> Counter:
        """The k-th bootstrap resample of the rows, as `bjp_engine.confidence.bootstrap` draws."""
        ...


def requests_for(
    x: int,
    given: tuple[int, ...],
    targets: Sequence[int],
    cardinalities: Sequence[int],
    rows: int,
) -> list[Request]:
    """How to ask for the tables of x with some targets given Z; without targets, those of x."""
    size = cardinalities[x] * math.prod(cardinalities[z] for z in given)
    most = min(MOST_LAID_OUT, 4 * rows + 4096)
    if not targets:
        return [Request(x, given, (), size <= most)]
    found: list[Request] = []
    some: list[int] = []
    layers = 1
    for y in targets:
        more = cardinalities[y] - 1
        if size * (1 + more) > most:
            found.append(Request(x, given, (y,), laid_out=False))
            continue
        if some and size * (layers + more) > most:
            found.append(Request(x, given, tuple(some), laid_out=True))
            some, layers = [], 1
        some.append(y)
        layers += more
    if some:
        found.append(Request(x, given, tuple(some), laid_out=True))
    return found


def add(parts: Sequence[Sequence[Answer]], factors: Sequence[int] | None = None) -> list[Answer]:
    """The answers to some requests from those of the parts of a table.

    A part may stand for as many equal ones as its factor says.
    """
    factors = [1] * len(parts) if factors is None else factors
    return [_sum(answers, factors) for answers in zip(*parts, strict=True)]


def _sum(answers: Sequence[Any], factors: Sequence[int]) -> Answer:
    """The answer to one request."""
    if isinstance(answers[0], Layers):
        cells, within = (np.zeros(part.shape, np.int64) for part in answers[0])
        for answer, factor in zip(answers, factors, strict=True):
            cells += factor * answer.cells.astype(np.int64, copy=False)
            within += factor * answer.within.astype(np.int64, copy=False)
        return Layers(cells, within)
    one: CrossTally = answers[0]
    every = np.concatenate([answer.configurations for answer in answers])
    sizes = every.max(axis=0, initial=0) + 1
    place = number_rows(every, sizes.tolist())
    shown, first = np.unique(place, return_index=True)
    starts = np.cumsum([0, *(answer.size for answer in answers)])
    table = one.rx * one.ry
    keys = np.concatenate(
        [
            place[start + answer.keys // table] * table + answer.keys % table
            for start, answer in zip(starts[:-1], answers, strict=True)
        ]
    )
    counts = np.concatenate(
        [
            factor * answer.counts.astype(np.int64, copy=False)
            for factor, answer in zip(factors, answers, strict=True)
        ]
    )
    cells, at = np.unique(keys, return_inverse=True)
    summed = np.zeros(len(cells), np.int64)
    np.add.at(summed, at, counts)
    return replace(one, configurations=every[first[: len(shown)]], keys=cells, counts=summed)
