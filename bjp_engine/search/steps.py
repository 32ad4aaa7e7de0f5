"""Proposals as columns, and the records that they become when they are looked at.

A climb on 128 variables makes a hundred proposals in three milliseconds; as many records, each
with its ψ and its lowest contributions, would take longer than that. So searches hand on
columns, and a step is built when someone reads it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, overload

import numpy as np

from bjp_engine.arrays import Bools, Floats, Ints
from bjp_engine.dataset import Name
from bjp_engine.records import record


@record
@dataclass(frozen=True, slots=True)
class Contribution:
    """The local contribution of one pair before a proposal.

    Parameters
    ----------
    value : float
        The sum of its computed terms (natural log).
    """

    edge: tuple[Name, Name]
    adjacent: bool
    value: float


@record
@dataclass(frozen=True, slots=True)
class Step:
    """One proposal of a search, and its outcome.

    Parameters
    ----------
    phase : str
        "ascent"; for the MPL hill climb "blanket" (of edge[0], which takes in or gives up
        edge[1]) or "graph".
    gain : float
        How much the flip changes the score (the local score, in phase "blanket").
    score : float
        The score with the flip made (the variable's local score, in phase "blanket").
    order : tuple of str or int
        ψ with the flip made; empty in phase "blanket".
    contributions : tuple of Contribution
        The local contributions of the pairs that came first before the flip; the first is the
        one proposed. Empty where the search doesn't use them.
    tests : int
        Tests (or local scores) computed up to here.
    evaluations : int
        Flips tried up to here, those among them that were refused or only weighed.
    """

    index: int
    phase: str
    edge: tuple[Name, Name]
    added: bool
    accepted: bool
    gain: float
    score: float
    order: tuple[Name, ...] = ()
    contributions: tuple[Contribution, ...] = ()
    tests: int = 0
    evaluations: int = 0


@dataclass(frozen=True, eq=False, slots=True)
class Lowest:
    """The pairs that came first before each of several proposals; -1 where there were fewer."""

    pairs: Ints
    values: Floats
    adjacent: Bools

    def row(self, k: int, names: Sequence[Name]) -> tuple[Contribution, ...]:
        """Those before proposal k."""
        found = zip(
            self.pairs[k].tolist(), self.adjacent[k].tolist(), self.values[k].tolist(), strict=True
        )
        return tuple(Contribution((names[i], names[j]), on, v) for (i, j), on, v in found if i >= 0)


@dataclass(frozen=True, eq=False, slots=True)
class Proposals:
    """Several proposals of one phase, one after another, as columns.

    `degrees` are those of the graph before the first; None where they don't flip its edges.
    """

    phase: str
    pairs: Ints
    added: Bools
    accepted: Bools
    gain: Floats
    score: Floats
    tests: Ints
    degrees: Ints | None = None
    lowest: Lowest | None = None
    evaluations: Ints | None = None

    def __len__(self) -> int:
        """How many they are."""
        return len(self.score)

    def steps(
        self, names: Sequence[Name], first: int, refused: bool = True, begin: int = 0
    ) -> Iterator[Step]:
        """Each proposal from one on as a record, numbered from `first` for the first of all."""
        change = np.where(self.added, 1, -1)
        degrees = None if self.degrees is None else self.degrees.copy()
        if degrees is not None:
            made = np.flatnonzero(self.accepted[:begin])
            np.add.at(degrees, self.pairs[made], change[made, None])
        for k in range(begin, len(self)):
            flipped = degrees
            if degrees is not None:
                flipped = degrees.copy()
                flipped[self.pairs[k]] += change[k]
            if refused or self.accepted[k]:
                yield self._step(k, names, first, flipped)
            if self.accepted[k]:
                degrees = flipped

    def _step(self, k: int, names: Sequence[Name], first: int, degrees: Ints | None) -> Step:
        """Proposal k as a record; `degrees` are those with its flip made."""
        i, j = self.pairs[k].tolist()
        order = () if degrees is None else np.argsort(degrees, kind="stable").tolist()
        return Step(
            first + k,
            self.phase,
            (names[i], names[j]),
            bool(self.added[k]),
            bool(self.accepted[k]),
            float(self.gain[k]),
            float(self.score[k]),
            tuple(names[v] for v in order),
            () if self.lowest is None else self.lowest.row(k, names),
            int(self.tests[k]),
            first + k if self.evaluations is None else int(self.evaluations[k]),
        )


# What has an entry for each proposal; the degrees of several batches are those before the first.
_COLUMNS = ("pairs", "added", "accepted", "gain", "score", "tests", "evaluations")


def join_alike(batches: Sequence[Proposals]) -> list[Proposals]:
    """The same proposals in as few batches as may be: one of a walk is often a flip or two."""

    def kind(batch: Proposals) -> tuple[object, ...]:
        # The lowest are as many for each proposal of a batch, but not of any two.
        alone = id(batch) if batch.lowest is not None else None
        return batch.phase, batch.degrees is None, batch.evaluations is None, alone

    found = []
    for _, alike in groupby(batches, key=kind):
        first, *others = alike
        if others:
            columns: dict[str, Any] = {
                name: np.concatenate([getattr(batch, name) for batch in (first, *others)])
                for name in _COLUMNS
                if getattr(first, name) is not None
            }
            first = replace(first, **columns)
        found.append(first)
    return found


class StepLog(Sequence[Step]):
    """The accepted flips of a search, in order; built when first looked at."""

    def __init__(
        self, batches: Sequence[Proposals], names: Sequence[Name], refused: bool = False
    ) -> None:
        """Hold the columns; nothing is built yet."""
        self._batches, self._names, self._refused = tuple(join_alike(batches)), names, refused
        self._length = sum(
            len(batch) if refused else int(batch.accepted.sum()) for batch in self._batches
        )
        self._built: tuple[Step, ...] | None = None

    def with_refused(self) -> StepLog:
        """Every proposal, accepted or not."""
        return StepLog(self._batches, self._names, refused=True)

    def _all(self) -> tuple[Step, ...]:
        """Every step as a record."""
        if self._built is None:
            self._built = tuple(self)
        return self._built

    def __len__(self) -> int:
        """How many flips were accepted."""
        return self._length

    @overload
    def __getitem__(self, position: int) -> Step: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, position: int | slice) -> Step | tuple[Step, ...]:
        """The flip at a position, or several as a tuple."""
        return self._all()[position]

    def __iter__(self) -> Iterator[Step]:
        """Each in turn; none is kept that wasn't before."""
        if self._built is not None:
            yield from self._built
            return
        first = 1
        for batch in self._batches:
            yield from batch.steps(self._names, first, self._refused)
            first += len(batch)

    def __eq__(self, other: object) -> bool:
        """Whether another sequence has the same steps."""
        if not isinstance(other, (tuple, list, StepLog)):
            return NotImplemented
        return self._all() == tuple(other)

    def __hash__(self) -> int:
        """As of the tuple of steps."""
        return hash(self._all())

    def __repr__(self) -> str:
        """One line."""
        return f"<{len(self)} steps>"
