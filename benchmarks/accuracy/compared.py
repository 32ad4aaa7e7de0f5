"""The rows that are compared, and what is worked out of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from benchmarks.accuracy.duels import Duel, duel
from benchmarks.accuracy.groups import REPORTING
from benchmarks.accuracy.methods import ALL, SUBJECT
from benchmarks.accuracy.standing import Means, Standing, complete, means, standings
from benchmarks.accuracy.store import Row
from benchmarks.accuracy.tables import OURS


@dataclass(frozen=True, eq=False)
class Results:
    """Every row, and what is worked out of those on the seeds that the fast methods have."""

    rows: list[Row]

    @cached_property
    def seeds(self) -> list[int]:
        """The seeds that are compared."""
        return complete(self.rows) or [0]

    @cached_property
    def judged(self) -> list[Row]:
        """The rows on them."""
        return [one for one in self.rows if one.seed in self.seeds]

    @cached_property
    def means(self) -> Means:
        """The means of the groups."""
        return means(self.rows, self.seeds)

    @cached_property
    def standings(self) -> list[Standing]:
        """Every method, the nearest to the lowest first."""
        return standings(self.rows, self.seeds)

    @cached_property
    def duels(self) -> list[Duel]:
        """The method that is judged against each other, on whatever samples both have."""
        rows = [one for one in self.rows if one.seed in REPORTING]
        others = {one.method for one in rows} - {SUBJECT}
        found = [duel(rows, SUBJECT, other) for other in sorted(others)]
        there = [one for one in found if one is not None]
        return sorted(there, key=lambda one: (one.other not in OURS, one.theirs.share))

    @property
    def columns(self) -> list[str]:
        """Of each method the graph that stands best, where it has a mean in most groups."""
        many = [one for one in self.standings if 2 * one.judged > len(self.means)]
        return [one.method for one in better_kinds(many)]

    def mine(self, found: Means) -> Standing | None:
        """How the method that is judged stands among some means."""
        names = {name for cells in found.values() for name in cells}
        rows = [one for one in self.rows if one.method in names]
        return next((s for s in standings(rows, self.seeds) if s.method == SUBJECT), None)


def better_kinds(found: Sequence[Standing]) -> list[Standing]:
    """Of each method the kind of graph that is usually nearer to the lowest."""
    belongs = {name: method.name for method in ALL for name in method.rows.values()}
    best: dict[str, Standing] = {}
    for one in found:
        best.setdefault(belongs.get(one.method, one.method), one)
    return list(best.values())


def without(found: Means, names: Sequence[str]) -> Means:
    """The means of all but some methods."""
    kept = {
        group: {name: mean for name, mean in cells.items() if name not in names}
        for group, cells in found.items()
    }
    return {group: cells for group, cells in kept.items() if cells}
