"""The two halves of a graph's assertions: those that BJP computes, and those that it is spared.

IB-score computes all n(n - 1) assertions of a graph, BJP half of them; the other half is inferred
as 1 (docs/theory.md §3). So the traces of both scores of one graph show what each spared test would
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

from bjp_engine.arrays import Floats
from bjp_engine.dataset import Name
from bjp_engine.errors import GraphError, OptionError, clip
from bjp_engine.records import record
from bjp_engine.scores.assertions import AssertionTerms, TermColumns
from bjp_engine.scores.base import ScoreTrace
from bjp_engine.validate import instance


@record
@dataclass(frozen=True, eq=False, slots=True)
class SparedTests:
    """The assertions of a graph that BJP computes, and those whose tests it skips.

    Parameters
    ----------
    computed, inferred : TermColumns
        n(n - 1)/2 assertions each, all as IB-score computes them.
    log_prior : float
        What the prior over structures adds to either.
    """

    names: tuple[Name, ...]
    rows: int
    computed: TermColumns
    inferred: TermColumns
    log_bjp: float
    log_ib: float
    log_prior: float

    @property
    def irregularity(self) -> int:
        """Σ|Z| of the inferred less that of the computed: the graph's total irregularity."""
        return int(self.inferred.given.sum()) - int(self.computed.given.sum())

    def rows_a_slice(self, half: TermColumns) -> Floats:
        """N / K of each assertion: how many rows there are for each configuration of Z.

        Returns
        -------
        ndarray of float
            Below 1 where there are more configurations than rows.
        """
        log_rows = math.log(self.rows) if self.rows else -np.inf
        return np.exp(log_rows - half.log_configurations)


def spared_tests(bjp_trace: ScoreTrace, ib_trace: ScoreTrace) -> SparedTests:
    """Separate the assertions that BJP computes from those that only IB-score computes.

    Parameters
    ----------
    bjp_trace, ib_trace : ScoreTrace
        Of one graph, the same data and the same options.

    Examples
    --------
    >>> from bjp_engine.scores import spared_tests
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
        other.where(made),
        other.where(~made),
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
    """Whether two walks have the same pairs and edges."""
    return np.array_equal(one.x, other.x) and np.array_equal(one.dependent, other.dependent)
