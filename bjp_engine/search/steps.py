"""Proposals as columns, and the records that they become when they are looked at.

A climb on 128 variables makes a hundred proposals in three milliseconds; as many records, each
with its ψ and its lowest contributions, would take longer than that. So searches hand on
columns, and a step is built when someone reads it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import overload

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats
from bjp_engine.dataset import Name
from bjp_engine.records import record


@record
@dataclass(frozen=True, slots=True)
class Contribution:
    """The local contribution of one pair before a proposal.

    Parameters
    ----------
    edge : tuple of str or int
        The pair, in column order.
    adjacent : bool
        Whether it is an edge of the graph at that point.
    value : float
        The sum of its computed terms (natural log).
    """

    edge: tuple[Name, Name]
    adjacent: bool
    value: float


@record
@dataclass(frozen=True, slots=True)
class Step:
    """One proposal of a search and what became of it.

    Parameters
    ----------
    index : int
        1 for the first.
    phase : str
        "ascent"; for the MPL hill climb "blanket" (of edge[0], which takes in or gives up
        edge[1]) or "graph".
    edge : tuple of str or int
        The pair that is flipped.
    added : bool
        Whether the flip adds the edge; False where it removes it.
    accepted : bool
        Whether the flip was kept.
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
    """The pairs that came first before each of several proposals.

    Parameters
    ----------
    pairs : ndarray of int, shape (steps, keep, 2)
        -1 where there were fewer.
    """

    pairs: NDArray[np.int64]
    values: Floats
    adjacent: NDArray[np.bool_]

    def row(self, k: int, names: Sequence[Name]) -> tuple[Contribution, ...]:
        """Those before proposal k."""
        found = zip(
            self.pairs[k].tolist(), self.adjacent[k].tolist(), self.values[k].tolist(), strict=True
        )
        return tuple(Contribution((names[i], names[j]), on, v) for (i, j), on, v in found if i >= 0)


@dataclass(frozen=True, eq=False, slots=True)
class Proposals:
    """Several proposals of one phase, one after another, as columns.

    Parameters
    ----------
    degrees : ndarray of int, shape (n,), optional
        Of the graph before the first of them; None where they don't flip its edges.
    evaluations : ndarray of int, shape (steps,), optional
        Flips tried up to each.
    """

    phase: str
    pairs: NDArray[np.int64]
    added: NDArray[np.bool_]
    accepted: NDArray[np.bool_]
    gain: Floats
    score: Floats
    tests: NDArray[np.int64]
    degrees: NDArray[np.int64] | None = None
    lowest: Lowest | None = None
    evaluations: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        """How many they are."""
        return len(self.score)

    def pieces(self, most: int) -> Iterator[Proposals]:
        """The same in pieces of at most so many, for those that don't flip a graph's edges."""
        if len(self) <= most or self.degrees is not None:
            yield self
            return
        for start in range(0, len(self), most):
            part = slice(start, start + most)
            yield Proposals(
                self.phase,
                self.pairs[part],
                self.added[part],
                self.accepted[part],
                self.gain[part],
                self.score[part],
                self.tests[part],
                evaluations=None if self.evaluations is None else self.evaluations[part],
            )

    def steps(self, names: Sequence[Name], first: int, refused: bool = True) -> Iterator[Step]:
        """Each proposal as a record."""
        degrees = None if self.degrees is None else self.degrees.copy()
        for k in range(len(self)):
            if refused or self.accepted[k]:
                yield self._step(k, names, first, degrees)
            if degrees is not None and self.accepted[k]:
                degrees[self.pairs[k]] += self._change(k)

    def last(self, names: Sequence[Name], first: int) -> Step:
        """The last of them alone."""
        degrees = None if self.degrees is None else self.degrees.copy()
        if degrees is not None:
            made = np.flatnonzero(self.accepted[:-1])
            np.add.at(degrees, self.pairs[made], np.where(self.added[made, None], 1, -1))
        return self._step(len(self) - 1, names, first, degrees)

    def _change(self, k: int) -> int:
        """What flip k does to the degrees of its ends."""
        return 1 if self.added[k] else -1

    def _step(
        self, k: int, names: Sequence[Name], first: int, degrees: NDArray[np.int64] | None
    ) -> Step:
        """Proposal k as a record; `degrees` are those before it."""
        i, j = self.pairs[k].tolist()
        order: tuple[Name, ...] = ()
        if degrees is not None:
            flipped = degrees.copy()
            flipped[[i, j]] += self._change(k)
            order = tuple(names[v] for v in np.argsort(flipped, kind="stable").tolist())
        return Step(
            first + k,
            self.phase,
            (names[i], names[j]),
            bool(self.added[k]),
            bool(self.accepted[k]),
            float(self.gain[k]),
            float(self.score[k]),
            order,
            () if self.lowest is None else self.lowest.row(k, names),
            int(self.tests[k]),
            first + k if self.evaluations is None else int(self.evaluations[k]),
        )


def joined(batches: Sequence[Proposals]) -> list[Proposals]:
    """The same proposals in as few batches as may be: one of a walk is often a flip or two."""

    def kind(batch: Proposals) -> tuple[object, ...]:
        # The lowest are as many for each proposal of a batch, but not of any two.
        alone = id(batch) if batch.lowest is not None else None
        return batch.phase, batch.degrees is None, batch.evaluations is None, alone

    found = []
    for _, alike in groupby(batches, key=kind):
        first, *others = alike
        found.append(first if not others else _joined([first, *others]))
    return found


def _joined(alike: Sequence[Proposals]) -> Proposals:
    """Batches of one kind as one; the degrees before it are those before the first."""
    counts = [batch.evaluations for batch in alike if batch.evaluations is not None]
    return Proposals(
        alike[0].phase,
        np.concatenate([batch.pairs for batch in alike]),
        np.concatenate([batch.added for batch in alike]),
        np.concatenate([batch.accepted for batch in alike]),
        np.concatenate([batch.gain for batch in alike]),
        np.concatenate([batch.score for batch in alike]),
        np.concatenate([batch.tests for batch in alike]),
        alike[0].degrees,
        evaluations=np.concatenate(counts) if counts else None,
    )


class StepLog(Sequence[Step]):
    """The accepted flips of a search, in order; built when first looked at.

    Parameters
    ----------
    refused : bool
        Whether the refused proposals are in it, too.
    """

    def __init__(
        self, batches: Sequence[Proposals], names: Sequence[Name], refused: bool = False
    ) -> None:
        """Hold the columns; nothing is built yet."""
        self._batches, self._names, self._refused = tuple(joined(batches)), names, refused
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
