"""Contingency tables of two variables within the slices of a third set, and whoever counts them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from bjp_engine.arrays import Ints
from bjp_engine.progress import UNWATCHED, Progress

# x, y and the conditioning set, as column indices; without y, x alone.
Wanted: TypeAlias = tuple[int, int | None, tuple[int, ...]]


@dataclass(frozen=True, eq=False, slots=True)
class CrossTally:
    """The non-zero cells of the r_x × r_y tables of all slices that have rows.

    Without y, r_y is 1.
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


class Counter(Protocol):
    """What counts the rows of a dataset that lie elsewhere."""

    def count(
        self, wanted: Sequence[Wanted], progress: Progress = UNWATCHED, /
    ) -> list[CrossTally]:
        """The tables of some variables each, all at once."""
        ...
