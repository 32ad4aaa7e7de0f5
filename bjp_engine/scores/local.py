"""What scores that are one part for each variable, given its blanket, share: Σ_j f_j(B^j).

A subclass of `LocalScore` gives `local`, the part of one variable. Where many parts can be
computed faster together, as those of MPL, it gives `LocalParts` of its own as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from bjp_engine.arrays import Floats, Ints, Places
from bjp_engine.dataset import Dataset
from bjp_engine.errors import OptionError, clip, listed
from bjp_engine.graph import Adjacency, blanket
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.scores.base import LocalTerm, Score, Term, exceeds, named
from bjp_engine.scores.known import KnownPairs

Members = tuple[int, ...]


class LocalParts:
    """Parts by variable and ascending blanket, each computed once; and how many were computed."""

    def __init__(self, n: int, part: Callable[[int, Members], float]) -> None:
        """Begin with none."""
        self._n, self._part = n, part
        self._known: dict[tuple[int, Members], float] = {}
        self.computed = 0

    def __call__(self, j: int, members: Members) -> float:
        """The part of variable j."""
        key = (j, members)
        if key not in self._known:
            self._known[key] = float(self._part(j, members))
            self.computed += 1
        return self._known[key]

    def prepare(self, wanted: Iterable[tuple[int, Members, Iterable[int]]]) -> None:
        """Hear which parts come next: of j given its members, and these with one flipped."""

    def of_graph(self, adjacency: Adjacency) -> Floats:
        """The part of every variable in a graph, shape (n,)."""
        return np.array([self(j, blanket(adjacency, j)) for j in range(self._n)])

    def climb(
        self,
        begin: int,
        end: int,
        odds: Floats,
        found: Adjacency,
        known: KnownPairs | None = None,
    ) -> tuple[Ints, Floats]:
        """Find the best blankets of some variables, one change after the other.

        The candidate that most improves the part enters; after each addition, while the blanket
        has more than two members, the one whose removal most improves it leaves. `odds` is what
        each member adds to a variable's part, empty for nothing; the variables' rows of `found`
        are filled. Required members are there from the start and stay, forbidden ones never enter.
        Of each change: variable, member, 1 if added or 0 if removed, and parts computed until then;
        the part before and after, with what the members add.
        """
        none = np.zeros((self._n, self._n), dtype=np.bool_)
        required, forbidden = (none, none) if known is None else (known.required, known.forbidden)
        changes, scores = [], []
        for j in range(begin, end):
            held, adding = blanket(required, j), True
            never = {j, *blanket(forbidden, j)}
            members, score = held, self(j, held)
            while True:
                best, raised = members, score
                entering = set(range(self._n)) - never - {*members}
                tried = sorted(entering if adding else {*members} - {*held})
                self.prepare([(j, members, tried)])
                for b in tried:
                    changed = with_flip(members, b)
                    value = self(j, changed)
                    if odds.size:
                        value += float(odds[j, list(changed)].sum())
                    if exceeds(value, raised):
                        best, raised = changed, value
                if best == members and adding:
                    break
                if best != members:
                    (b,) = set(best) ^ set(members)
                    changes.append((j, b, int(adding), self.computed))
                    scores.append((score, raised))
                adding = best == members or len(best) <= 2
                members, score = best, raised
            found[j] = False
            found[j, list(members)] = True
        return np.array(changes, dtype=np.int64).reshape(-1, 4), np.array(scores).reshape(-1, 2)

    def every(self) -> Floats:
        """The part of every variable given every set of others, shape (n, 2^n); else 0."""
        values = np.zeros((self._n, 1 << self._n))
        for mask in range(1 << self._n):
            members = tuple(v for v in range(self._n) if mask >> v & 1)
            for j in {*range(self._n)} - {*members}:
                values[j, mask] = self(j, members)
        return values

    def keep(self) -> None:
        """Leave what helps the next search on the same data."""


class LocalScore(Score):
    """A score that is the sum of one part for each variable, given its blanket.

    A subclass says in `local` what the part of a variable is (natural log).
    """

    decomposes = True

    def local(self, data: Dataset, j: int, members: Sequence[int], options: Any) -> float:
        """The part of variable j; `members` are its blanket, ascending."""
        raise NotImplementedError

    def parts(self, data: Dataset, options: Any, progress: Progress = UNWATCHED) -> LocalParts:
        """The parts as a search asks for them."""
        del progress

        def part(j: int, members: Members) -> float:
            value = float(self.local(data, j, members, options))
            if math.isnan(value):
                given = listed(named(members, data)) or "nothing"
                raise OptionError(
                    f"The local score of {clip(data.names[j])} given {given} is not a number; "
                    "return the natural log of the evidence, -inf where it is impossible."
                )
            return value

        return LocalParts(data.n, part)

    def terms(
        self, data: Dataset, adjacency: Adjacency, order: Places, options: Any, progress: Progress
    ) -> tuple[Sequence[Term], list[float]]:
        """The part of each variable."""
        parts, terms = self.parts(data, options, progress), list[LocalTerm]()
        for done, j in enumerate(order.tolist()):
            progress.tick(done, data.n)
            members = blanket(adjacency, j)
            terms.append(LocalTerm(data.names[j], named(members, data), parts(j, members)))
        parts.keep()
        return tuple(terms), [term.value for term in terms]


def with_flip(members: Members, b: int) -> Members:
    """A blanket with one member more or less."""
    return tuple(sorted({*members} ^ {b}))
