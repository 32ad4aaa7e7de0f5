"""Why a score differs between two graphs: the terms that changed, and by how much.

A graph with one edge more or less asserts something else about its ends and, because their blankets
differ, tests their other pairs under other conditions. For BJP the order ψ may differ too, and then
a pair may be tested from its other end: one assertion is newly computed, the opposite one newly
inferred. Every other term is the same number in both scores and cancels, so the difference of the
scores is the sum of what is listed here.

IB-score computes all assertions of a graph, BJP half of them; the others, of `SparedTests`, are
inferred as 1. So ln IB = ln BJP + Σ over these of ln Pr(c | D), and Σ_inferred |Z| - Σ_computed |Z|
= irr_t(G), as the two sides of a pair differ by |d_i - d_j| variables (docs/theory.md §5).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError
from bjp_engine.records import lock_arrays, record
from bjp_engine.scores.base import AssertionTerm, ScoreTrace, Term
from bjp_engine.scores.bjp import AssertionTerms, TermColumns
from bjp_engine.validate import instance

# So much of a score may two sums of its terms differ by.
_ROUNDING = 1e-9


class ChangeKind(StrEnum):
    """What is different about a term; the value is how it is shown."""

    COMPUTED = "newly computed"
    INFERRED = "newly inferred"
    ASSERTION = "other assertion"
    GIVEN = "other conditioning set"
    BLANKET = "other blanket"


@record
@dataclass(frozen=True, slots=True)
class TermChange:
    """One term that two scores of the same data don't share: of a pair (x, y), or a variable x."""

    kind: ChangeKind
    before: Term
    after: Term

    @property
    def x(self) -> Name:
        """The first variable of the pair, or the variable."""
        return self.after.x

    @property
    def y(self) -> Name | None:
        """The second variable of the pair; None for a local score."""
        return self.after.y if isinstance(self.after, AssertionTerm) else None

    @property
    def difference(self) -> float:
        """What this term adds to the score: after - before (natural log)."""
        return self.after.value - self.before.value


@record
@dataclass(frozen=True, eq=False, slots=True)
class ScoreChange:
    """The difference between two scores, term by term.

    Parameters
    ----------
    terms : tuple of TermChange
        The terms that changed, largest difference first, equal ones in the order of ψ.
    prior : float
        What the prior over structures adds to the difference.
    difference : float
        The sum of the terms' differences and `prior`, rounded once (natural log).
    """

    before: ScoreTrace
    after: ScoreTrace
    terms: tuple[TermChange, ...]
    prior: float
    difference: float


def score_change(before: ScoreTrace, after: ScoreTrace) -> ScoreChange:
    """Decompose the difference of two scores, term by term.

    Both are of the same data by the same score with the same options. An assertion that is inferred
    in both adds nothing to either and is never listed.

    Examples
    --------
    >>> from bjp_engine import score
    >>> from bjp_engine.scores import score_change
    >>> rows = [[0, 0], [0, 0], [1, 1], [1, 1]]
    >>> change = score_change(score(rows, []), score(rows, [(0, 1)]))
    >>> [(str(term.kind), round(term.difference, 4)) for term in change.terms]
    [('other assertion', 1.4553)]
    """
    instance(before, "before", ScoreTrace, "what `score` returns")
    instance(after, "after", ScoreTrace, "what `score` returns")
    first, second = before.terms, after.terms
    alike = before.method == after.method and list(before.graph) == list(after.graph)
    if alike and isinstance(first, AssertionTerms) and isinstance(second, AssertionTerms):
        found = _assertions(first, second)
    else:
        was = {term.x: term for term in first if alike}
        found = [
            TermChange(ChangeKind.BLANKET, was[term.x], term)
            for term in second
            if alike and was[term.x].given != term.given
        ]
    terms = sorted(found, key=lambda change: -abs(change.difference))
    values = [value for term in terms for value in (term.after.value, -term.before.value)]
    difference = math.fsum([*values, after.log_prior, -before.log_prior])
    rest = abs(before.total + difference - after.total)
    if not alike or rest > _ROUNDING * max(abs(before.total), abs(after.total)):
        raise OptionError(
            "before and after differ in terms that are the same in both graphs; score both by the "
            "same method, on the same data with the same options."
        )
    prior = after.log_prior - before.log_prior
    return ScoreChange(before, after, tuple(terms), prior, difference)


def _assertions(before: AssertionTerms, after: AssertionTerms) -> list[TermChange]:
    """The assertions that changed, in the order of the second walk."""
    old, new = before.columns(), after.columns()
    n = int(new.x.max(initial=0)) + 1
    place = np.zeros((n, n), dtype=np.intp)
    place[old.x, old.y] = np.arange(len(old.x))
    # Where the other walk has the same ordered pair.
    there = place[new.x, new.y]
    was, now, asserted = old.computed[there], new.computed, old.dependent[there] != new.dependent
    given = before.has_other_set(after)[new.x, new.y]
    changed = (was | now) & ((was != now) | asserted | given)
    return [
        TermChange(_kind(was[t] != now[t], now[t], asserted[t]), before[there[t]], after[t])
        for t in np.flatnonzero(changed).tolist()
    ]


def _kind(moved: bool, computed: bool, asserted: bool) -> ChangeKind:
    """What is reported of an assertion that changed in more than one way."""
    if moved:
        return ChangeKind.COMPUTED if computed else ChangeKind.INFERRED
    return ChangeKind.ASSERTION if asserted else ChangeKind.GIVEN


@record
@dataclass(frozen=True, eq=False, slots=True)
class SparedTests:
    """The assertions of a graph that BJP computes, and those whose tests it skips.

    Parameters
    ----------
    computed, inferred : numpy.recarray
        n(n - 1)/2 assertions each, all as IB-score computes them, see `AssertionTerms.columns`.
    """

    names: tuple[Name, ...]
    rows: int
    computed: TermColumns
    inferred: TermColumns
    log_bjp: float
    log_ib: float

    @property
    def irregularity(self) -> int:
        """Σ|Z| of the inferred less that of the computed: the graph's total irregularity."""
        return int(self.inferred.given.sum()) - int(self.computed.given.sum())

    def rows_a_slice(self, half: TermColumns) -> Floats:
        """N / K of each assertion; below 1 where there are more configurations of Z than rows."""
        log_rows = math.log(self.rows) if self.rows else -np.inf
        return np.exp(log_rows - half.log_configurations)


def spared_tests(trace: ScoreTrace) -> SparedTests:
    """Separate what BJP computes of a graph's IB-score from what only IB-score computes.

    Examples
    --------
    >>> from bjp_engine import score
    >>> from bjp_engine.scores import spared_tests
    >>> halves = spared_tests(score([[0, 0, 1], [1, 1, 0]], [(0, 1), (0, 2)], "ib"))
    >>> halves.computed.given.tolist(), halves.inferred.given.tolist(), halves.irregularity
    ([1, 0, 0], [1, 1, 1], 2)
    """
    instance(trace, "trace", ScoreTrace, "what `score` returns")
    terms, n = trace.terms, len(trace.order)
    if not isinstance(terms, AssertionTerms) or trace.tests < len(terms):
        raise OptionError(f"trace is a score by {trace.method!r}; score the graph by 'ib'.")
    every: Any = terms.columns()
    # In the order of ψ: x comes before y.
    earlier = np.tri(n, dtype=np.bool_).T[~np.eye(n, dtype=np.bool_)]
    computed, inferred = every[earlier], every[~earlier]
    lock_arrays((computed, inferred))
    log_bjp = math.fsum([*computed.value.tolist(), trace.log_prior])
    return SparedTests(
        tuple(trace.graph), terms.data.rows, computed, inferred, log_bjp, trace.total
    )
