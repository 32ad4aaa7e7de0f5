"""What BJP and IB-score share: a graph's assertions, and which of them are computed.

A graph asserts, for every ordered pair (x, y), ⟨x ⊥ y | B^x⟩ where y is no neighbour of x
and ⟨x ⊥̸ y | B^x without y⟩ where it is. The two scores differ in one thing only: which of the
n(n - 1) assertions are computed from the data. The rest is inferred as 1, ln 1 = 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, overload

import numpy as np
from numpy.typing import NDArray

from bjp_engine.counts import stratify
from bjp_engine.dataset import Dataset
from bjp_engine.evidence import Floats
from bjp_engine.graph import Adjacency, blanket, degree_order, to_graph
from bjp_engine.independence import TestOptions, log_posteriors
from bjp_engine.scores.base import AssertionTerm, Score, ScoreTrace, exact_sum, named
from bjp_engine.watch import NO_WATCH, Watch

Mask = NDArray[np.bool_]


class AssertionScore(Score, Protocol):
    """A score that is the sum of computed assertions' log posteriors."""

    def computed(self, adjacency: Adjacency) -> Mask:
        """Which ordered pairs (x, y) are computed, shape (n, n)."""
        ...


@dataclass(frozen=True, eq=False, slots=True)
class Posteriors:
    """ln Pr of a graph's assertions, as far as they are known.

    Parameters
    ----------
    values : ndarray of float, shape (n, n)
        ln Pr of the assertion on (x, y) given the blanket of x; NaN where not yet computed.
    tests : int
        How many tests were made for them in all.
    """

    values: Floats
    tests: int

    @classmethod
    def unknown(cls, n: int) -> Posteriors:
        """No assertion is known yet.

        Parameters
        ----------
        n : int
            The number of variables.

        Returns
        -------
        Posteriors
        """
        return cls(np.full((n, n), np.nan), 0)

    def after_flip(self, i: int, j: int) -> Posteriors:
        """What remains known when the edge {i, j} is flipped: all but the rows i and j.

        Parameters
        ----------
        i, j : int

        Returns
        -------
        Posteriors
        """
        values = self.values.copy()
        values[[i, j]] = np.nan
        return Posteriors(values, self.tests)

    def completed(
        self,
        data: Dataset,
        adjacency: Adjacency,
        wanted: Mask,
        options: TestOptions,
        watch: Watch = NO_WATCH,
    ) -> Posteriors:
        """The same with every wanted assertion computed.

        Parameters
        ----------
        data : Dataset
        adjacency : ndarray of bool, shape (n, n)
        wanted : ndarray of bool, shape (n, n)
        options : TestOptions
        watch : Watch

        Returns
        -------
        Posteriors

        Raises
        ------
        Cancelled
            If `watch` says so; nothing computed so far is kept.
        """
        missing = wanted & np.isnan(self.values)
        total = int(missing.sum())
        values, done = self.values.copy(), 0
        for x in np.flatnonzero(missing.any(axis=1)).tolist():
            watch.tick(done, total)
            targets = np.flatnonzero(missing[x]).tolist()
            for y, value in _row(data, x, targets, blanket(adjacency, x), options):
                values[x, y] = value
            done += len(targets)
        watch.tick(done, total)
        return Posteriors(values, self.tests + total)


def _row(
    data: Dataset, x: int, targets: list[int], neighbours: tuple[int, ...], options: TestOptions
) -> Iterator[tuple[int, float]]:
    """The assertions of one variable; its non-neighbours share the strata of its blanket."""
    others = [y for y in targets if y not in neighbours]
    if others:
        tests = log_posteriors(data, x, others, stratify(data, neighbours), options)
        yield from zip(others, (independent for independent, _ in tests), strict=True)
    for y in targets:
        if y in neighbours:
            strata = stratify(data, [z for z in neighbours if z != y])
            yield y, log_posteriors(data, x, [y], strata, options)[0][1]


def contributions(posteriors: Posteriors, computed: Mask) -> Floats:
    """The local contribution of each pair: the sum of its computed terms.

    Parameters
    ----------
    posteriors : Posteriors
        With every computed assertion known.
    computed : ndarray of bool, shape (n, n)

    Returns
    -------
    ndarray of float, shape (n(n - 1)/2,)
        Pairs i < j in lexicographic order.
    """
    terms = np.where(computed, posteriors.values, 0.0)
    upper = np.triu_indices(len(terms), 1)
    pairs: Floats = terms[upper] + terms.T[upper]
    return pairs


def total(posteriors: Posteriors, computed: Mask) -> float:
    """The score: the exactly rounded sum of the computed terms.

    Parameters
    ----------
    posteriors : Posteriors
    computed : ndarray of bool, shape (n, n)

    Returns
    -------
    float
    """
    return exact_sum(posteriors.values[computed].tolist())


def assertion_trace(
    score: AssertionScore,
    data: Dataset,
    adjacency: Adjacency,
    options: TestOptions,
    watch: Watch = NO_WATCH,
) -> ScoreTrace:
    """Score a graph by its assertions, row by row in the order ψ.

    Parameters
    ----------
    score : AssertionScore
    data : Dataset
    adjacency : ndarray of bool, shape (n, n)
    options : TestOptions
    watch : Watch

    Returns
    -------
    ScoreTrace
    """
    computed = score.computed(adjacency)
    posteriors = Posteriors.unknown(data.n).completed(data, adjacency, computed, options, watch)
    order = degree_order(adjacency)
    return ScoreTrace(
        score.name,
        to_graph(adjacency, data.names, frozen=True),
        named(order, data),
        AssertionTerms(data, adjacency, order, computed, posteriors.values),
        total(posteriors, computed),
        posteriors.tests,
    )


@dataclass(frozen=True, eq=False, slots=True)
class TermColumns:
    """All terms of a walk at once, as columns of length n(n - 1).

    Parameters
    ----------
    x, y : ndarray of int
        Column indices of the pair.
    dependent, computed : ndarray of bool
    value : ndarray of float
        0.0 where inferred.
    """

    x: NDArray[np.intp]
    y: NDArray[np.intp]
    dependent: Mask
    computed: Mask
    value: Floats


class AssertionTerms(Sequence[AssertionTerm]):
    """All n(n - 1) assertions in the order of ψ, built one by one when looked at.

    Parameters
    ----------
    data : Dataset
    adjacency : ndarray of bool, shape (n, n)
    order : ndarray of int, shape (n,)
    computed : ndarray of bool, shape (n, n)
    values : ndarray of float, shape (n, n)
    """

    def __init__(
        self,
        data: Dataset,
        adjacency: Adjacency,
        order: NDArray[np.intp],
        computed: Mask,
        values: Floats,
    ) -> None:
        """Hold the arrays; nothing is expanded yet."""
        self._data, self._adjacency, self._order = data, adjacency, order
        self._computed, self._values = computed, values

    def columns(self) -> TermColumns:
        """The same terms as columns, for whoever wants all of them.

        Returns
        -------
        TermColumns
        """
        n = len(self._order)
        row, column = np.nonzero(~np.eye(n, dtype=np.bool_))
        x, y = self._order[row], self._order[column]
        computed = self._computed[x, y]
        value = np.where(computed, self._values[x, y], 0.0)
        return TermColumns(x, y, self._adjacency[x, y], computed, value)

    def __len__(self) -> int:
        """The number of ordered pairs, n(n - 1)."""
        return len(self._order) * (len(self._order) - 1)

    @overload
    def __getitem__(self, position: int) -> AssertionTerm: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[AssertionTerm, ...]: ...
    def __getitem__(self, position: int | slice) -> AssertionTerm | tuple[AssertionTerm, ...]:
        """The term at a position of the walk."""
        if isinstance(position, slice):
            return tuple(self[k] for k in range(*position.indices(len(self))))
        row, column = divmod(range(len(self))[position], len(self._order) - 1)
        x, y = self._order[row], self._order[column + (column >= row)]
        computed = bool(self._computed[x, y])
        return AssertionTerm(
            self._data.names[x],
            self._data.names[y],
            tuple(self._data.names[z] for z in blanket(self._adjacency, int(x)) if z != y),
            bool(self._adjacency[x, y]),
            computed,
            float(self._values[x, y]) if computed else 0.0,
        )
