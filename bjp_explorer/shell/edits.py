"""The graphs that were edited by hand on a dataset: the present one, and what each edit flipped."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from bjp_engine import Dataset
from bjp_engine.dataset import Name

# The most edits that can be taken back, and the most flips of pairs that they hold in all.
MOST_EDITS, MOST_FLIPS = 500, 100_000

Edges = Iterable[tuple[Name, Name]]


class Edits:
    """Pairs of columns are numbers, four bytes each; the graphs before are not kept."""

    def __init__(self, data: Dataset, *graphs: Edges) -> None:
        """The edges of graphs, one edit after another."""
        self._names, self._places = data.names, {name: i for i, name in enumerate(data.names)}
        self._now: set[int] | None = None
        self._flips: list[array[int]] = []
        self._opened: set[int] | None = None
        self._origin = ""
        for edges in graphs:
            self.add(edges)

    def __bool__(self) -> bool:
        """Whether anything was edited."""
        return self._now is not None

    @property
    def edges(self) -> list[tuple[Name, Name]]:
        """The present edges, in column order."""
        n = len(self._names)
        return [(self._names[k // n], self._names[k % n]) for k in sorted(self._now or ())]

    @property
    def can_undo(self) -> bool:
        """Whether there is an edit to take back."""
        return bool(self._flips)

    @property
    def origin(self) -> str:
        """How the present graph came about, where it was opened and is as it was; else empty."""
        return self._origin if self._now == self._opened else ""

    def add(self, edges: Edges, origin: str = "") -> None:
        """Make these the present edges; a graph that nobody edited has an origin."""
        new = self._numbers(edges)
        if origin:
            self._opened, self._origin = new, origin
        if new == self._now:
            return
        if self._now is not None:
            self._flips.append(array("I", sorted(self._now ^ new)))
        self._now = new
        while len(self._flips) > MOST_EDITS or sum(map(len, self._flips)) > MOST_FLIPS:
            del self._flips[0]

    def undo(self) -> None:
        """Take the last edit back."""
        if self._flips and self._now is not None:
            self._now ^= set(self._flips.pop())

    def _numbers(self, edges: Edges) -> set[int]:
        """Pairs of columns as numbers."""
        n, places = len(self._names), self._places
        ends = (sorted((places[u], places[v])) for u, v in edges)
        return {i * n + j for i, j in ends}
