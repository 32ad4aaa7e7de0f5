"""The two halves of a graph's assertions: those that BJP computes, and those that it is spared.

IB-score computes all n(n - 1) assertions of a graph, BJP half of them; the other half is inferred
as 1 (docs/theory.md §3). So the traces of both scores of one graph tell what each spared test would
have conditioned on and what it would have added:

    ln IB = ln BJP + Σ over the inferred assertions of ln Pr(c | D),
    Σ_inferred |Z| - Σ_computed |Z| = irr_t(G),

the second because the two sides of a pair differ by |d_i - d_j| variables (docs/theory.md §5).
All logs natural.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bjp_engine.arrays import Bools, Floats, Ints, Places
from bjp_engine.dataset import Name
from bjp_engine.errors import GraphError, OptionError, clip
from bjp_engine.records import record
from bjp_engine.scores.assertions import AssertionTerms, TermColumns
from bjp_engine.scores.base import ScoreTrace, exact_sum
from bjp_engine.validate import instance


@record
@dataclass(frozen=True, eq=False, slots=True)
class Half:
    """Half of a graph's assertions as columns of length n(n - 1)/2, in the order ψ.

    Parameters
    ----------
    x, y : ndarray of int
        Column indices; the test uses the blanket of x.
    dependent : ndarray of bool
        Whether dependence is asserted.
    given : ndarray of int
        |Z|.
    log_configurations : ndarray of float
        ln K.
    value : ndarray of float
        ln Pr(assertion | D) as IB-score computes it.
    """

    x: Places
    y: Places
    dependent: Bools
    given: Ints
    log_configurations: Floats
    value: Floats

    def __post_init__(self) -> None:
        """Lock the columns."""
        columns = (self.x, self.y, self.dependent, self.given, self.log_configurations)
        for column in (*columns, self.value):
            column.setflags(write=False)

    def __len__(self) -> int:
        """How many assertions there are."""
        return len(self.x)

    @property
    def posterior(self) -> Floats:
        """Pr(assertion | D)."""
        return np.exp(self.value)

    @property
    def distance(self) -> Floats:
        """|Pr - ½|: near 0 where the data hardly speak."""
        return np.abs(self.posterior - 0.5)

    @property
    def total(self) -> float:
        """What these assertions add to ln IB, exactly rounded."""
        return exact_sum(self.value.tolist())

    @property
    def mean_given(self) -> float:
        """The mean of |Z|; 0.0 where there are no assertions."""
        return float(self.given.mean()) if len(self) else 0.0

    def undecided(self, within: float = 0.1) -> int:
        """How many posteriors lie near ½."""
        return int((self.distance < within).sum())


@record
@dataclass(frozen=True, eq=False, slots=True)
class SparedTests:
    """What BJP computes of a graph's assertions and what it is spared.

    Parameters
    ----------
    names : tuple of str or int
        The variables, in column order.
    rows : int
        N.
    computed, inferred : Half
        Of BJP; IB-score computes both.
    log_bjp, log_ib : float
        The two totals.
    log_prior : float
        What the prior over structures adds to either.
    """

    names: tuple[Name, ...]
    rows: int
    computed: Half
    inferred: Half
    log_bjp: float
    log_ib: float
    log_prior: float

    @property
    def irregularity(self) -> int:
        """Σ|Z| of the inferred less that of the computed: the graph's total irregularity."""
        return int(self.inferred.given.sum()) - int(self.computed.given.sum())

    def rows_a_slice(self, half: Half) -> Floats:
        """N / K of each assertion: how many rows there are for each configuration of Z.

        Parameters
        ----------
        half : Half
            One of the two.

        Returns
        -------
        ndarray of float
            Below 1 where there are more configurations than rows.
        """
        log_rows = math.log(self.rows) if self.rows else -np.inf
        return np.exp(log_rows - half.log_configurations)


def spared_tests(bjp_trace: ScoreTrace, ib_trace: ScoreTrace) -> SparedTests:
    """Tell the assertions that BJP computes from those that only IB-score computes.

    Parameters
    ----------
    bjp_trace, ib_trace : ScoreTrace
        Of one graph, the same data and the same options.

    Returns
    -------
    SparedTests

    Raises
    ------
    OptionError
        If the traces are not of BJP and IB-score, or of different data or options.
    GraphError
        If they are of two graphs.

    Examples
    --------
    >>> import networkx as nx
    >>> from bjp_engine import Dataset, score
    >>> data, star = Dataset.from_codes([[0, 0, 1], [1, 1, 0]]), nx.star_graph(2)
    >>> halves = spared_tests(score(data, star, "bjp"), score(data, star, "ib"))
    >>> halves.computed.given.tolist(), halves.inferred.given.tolist(), halves.irregularity
    ([1, 0, 0], [1, 1, 1], 2)

    References
    ----------
    docs/theory.md §3 and §5.
    """
    ours, theirs = _terms(bjp_trace, "bjp_trace", 2), _terms(ib_trace, "ib_trace", 1)
    names, mine, other = tuple(bjp_trace.graph), ours.columns(), theirs.columns()
    if names != tuple(ib_trace.graph) or not _same_graph(mine, other):
        raise GraphError("The two traces are of different graphs; score one graph twice.")
    made = mine.computed
    agree = np.array_equal(mine.value[made], other.value[made]) and ours.rows == theirs.rows
    if not agree or bjp_trace.log_prior != ib_trace.log_prior:
        raise OptionError(
            "The two traces differ in tests that both scores make; score the graph with the same "
            "data and options."
        )
    return SparedTests(
        names,
        ours.rows,
        _half(other, made),
        _half(other, ~made),
        bjp_trace.score,
        ib_trace.score,
        ib_trace.log_prior,
    )


def _terms(trace: ScoreTrace, name: str, share: int) -> AssertionTerms:
    """The assertions of a trace, of which one in so many was computed."""
    instance(trace, name, ScoreTrace, "what `score` returns")
    if not isinstance(trace.terms, AssertionTerms) or trace.tests != len(trace.terms) // share:
        wanted = "half of all assertions, as 'bjp' does" if share == 2 else "all, as 'ib' does"
        raise OptionError(
            f"{name} is of method={clip(trace.method)}; give a trace of a score that computes "
            f"{wanted}."
        )
    return trace.terms


def _same_graph(one: TermColumns, other: TermColumns) -> bool:
    """Whether two walks speak of the same pairs and edges."""
    return np.array_equal(one.x, other.x) and np.array_equal(one.dependent, other.dependent)


def _half(terms: TermColumns, chosen: Bools) -> Half:
    """Some of the assertions of a walk."""
    return Half(
        terms.x[chosen],
        terms.y[chosen],
        terms.dependent[chosen],
        terms.given[chosen],
        terms.log_configurations[chosen],
        terms.value[chosen],
    )
