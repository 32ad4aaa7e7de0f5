"""What a flip changes: the listed terms against brute force, their sum against the totals."""

from __future__ import annotations

import math
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.errors import OptionError
from bjp_engine.scores import ChangeKind
from tests import oracles
from tests.strategies import as_graph, graphs, random_sample, samples

METHODS = ("bjp", "ib", "mpl", "near")


@st.composite
def pairs_of_graphs(draw: st.DrawFn) -> tuple[Any, oracles.Edges, oracles.Edges]:
    """Data and two graphs, as often as not one flip apart."""
    sample = draw(samples(max_rows=25, max_variables=5))
    before = draw(graphs(sample.n))
    if draw(st.booleans()):
        return sample, before, draw(graphs(sample.n))
    pair = draw(st.sampled_from(oracles.pairs(sample.n)))
    return sample, before, before ^ {frozenset(pair)}


def traces(sample: Any, before: Any, after: Any, method: str, **options: Any) -> list[Any]:
    """Both scores."""
    return [
        bjp.score(sample.data, as_graph(edges, sample.n), method, **options)
        for edges in (before, after)
    ]


def by_pair(trace: bjp.scores.ScoreTrace) -> dict[Any, Any]:
    """The terms by what they are about."""
    return {(term.x, getattr(term, "y", None)): term for term in trace.terms}


@given(pairs_of_graphs(), st.sampled_from(METHODS))
def test_what_is_listed_is_what_differs(case: Any, method: str) -> None:
    before, after = traces(*case, method)
    change = bjp.scores.score_change(before, after)
    old, new = by_pair(before), by_pair(after)
    listed = {(term.x, term.y): term for term in change.terms}
    assert len(listed) == len(change.terms)
    for pair, term in new.items():
        made = [getattr(t, "computed", True) for t in (old[pair], term)]
        what = [(t.given, getattr(t, "dependent", None)) for t in (old[pair], term)]
        differs = made[0] != made[1] or (made[0] and what[0] != what[1])
        assert (pair in listed) == differs
        if differs:
            assert (listed[pair].before, listed[pair].after) == (old[pair], term)
            assert listed[pair].kind == kind(made, what, method)
        else:
            assert old[pair].value == term.value
    sizes = [abs(term.difference) for term in change.terms]
    assert sizes == sorted(sizes, reverse=True)


def kind(made: list[bool], what: list[Any], method: str) -> ChangeKind:
    """The word for it, spelled out."""
    if method == "mpl":
        return ChangeKind.BLANKET
    if made == [False, True]:
        return ChangeKind.COMPUTED
    if made == [True, False]:
        return ChangeKind.INFERRED
    return ChangeKind.GIVEN if what[0][1] == what[1][1] else ChangeKind.ASSERTION


@given(pairs_of_graphs(), st.sampled_from(METHODS), st.sampled_from([None, 0.1, 0.8]))
def test_the_differences_add_up(case: Any, method: str, edge: float | None) -> None:
    before, after = traces(*case, method, edge_probability=edge)
    change = bjp.scores.score_change(before, after)
    assert change.difference == pytest.approx(after.total - before.total, rel=1e-12, abs=1e-9)
    parts = math.fsum([*(term.difference for term in change.terms), change.prior])
    assert parts == pytest.approx(change.difference, rel=1e-12, abs=1e-12)
    more = len(case[2]) - len(case[1])
    expected = 0.0 if edge is None else more * (math.log(edge) - math.log1p(-edge))
    assert change.prior == pytest.approx(expected, abs=1e-12)


def test_against_the_oracles() -> None:
    sample = random_sample(3, (2, 3, 2, 2, 3), 40)
    before = oracles.edges_of([(0, 1), (1, 2), (1, 3)])
    for method in METHODS:
        for pair in oracles.pairs(5):
            after = before ^ {frozenset(pair)}
            change = bjp.scores.score_change(*traces(sample, before, after, method))
            exact = [oracles.score(sample.rows, sample.cards, e, method) for e in (before, after)]
            assert change.difference == pytest.approx(float(exact[1] - exact[0]), rel=1e-9), pair
            ends = {x for term in change.terms for x in (term.x, term.y)}
            assert ends & set(pair)


def test_a_flip_touches_only_the_rows_of_its_ends() -> None:
    sample = random_sample(8, (2,) * 7, 60)
    before = oracles.edges_of([(0, 1), (2, 3), (3, 4), (3, 5)])
    for pair in oracles.pairs(7):
        after = before ^ {frozenset(pair)}
        ib = bjp.scores.score_change(*traces(sample, before, after, "ib"))
        assert {(term.x, term.y) for term in ib.terms} == {
            (x, y) for x in pair for y in range(7) if y != x
        }
        asserted = [(t.x, t.y) for t in ib.terms if t.kind is ChangeKind.ASSERTION]
        assert sorted(asserted) == [pair, pair[::-1]]
        mpl = bjp.scores.score_change(*traces(sample, before, after, "mpl"))
        assert sorted(term.x for term in mpl.terms) == list(pair)
        # What BJP tests from the other end now is inferred from the one where it was tested.
        by_bjp = bjp.scores.score_change(*traces(sample, before, after, "bjp"))
        new = {(t.x, t.y) for t in by_bjp.terms if t.kind is ChangeKind.COMPUTED}
        gone = {(t.y, t.x) for t in by_bjp.terms if t.kind is ChangeKind.INFERRED}
        assert new == gone


def test_the_example_of_the_theory() -> None:
    # X = Y in four rows: Pr(⊥) = 7/37, so the edge gains ln 30/37 - ln 7/37.
    data = bjp.Dataset.from_codes([[0, 0], [0, 0], [1, 1], [1, 1]])
    empty, joined = (bjp.score(data, g) for g in (nx.empty_graph(2), nx.path_graph(2)))
    change = bjp.scores.score_change(empty, joined)
    assert change.difference == pytest.approx(math.log(30 / 7), rel=1e-13)
    (term,) = change.terms
    assert (term.x, term.y, term.kind) == (0, 1, ChangeKind.ASSERTION)
    assert bjp.scores.score_change(joined, empty).difference == -change.difference
    assert bjp.scores.score_change(joined, joined).terms == ()
    assert bjp.scores.score_change(joined, joined).difference == 0.0
    # One variable is no trouble.
    data = bjp.Dataset.from_codes([[0], [1]], names=["alone"])
    for method in METHODS:
        trace = bjp.score(data, nx.empty_graph(["alone"]), method)
        assert bjp.scores.score_change(trace, trace).terms == ()


def test_traces_that_do_not_belong_together_are_refused() -> None:
    data, graph = random_sample(1, (2, 2, 3), 30).data, nx.path_graph(3)
    named = bjp.Dataset.from_codes(data.codes, names=["a", "b", "c"])
    other = random_sample(2, (2, 2, 3), 30).data
    one = bjp.score(data, graph)
    cases = [
        (one, bjp.score(data, graph, "ib"), "score both graphs by the same method"),
        (one, bjp.score(named, nx.path_graph(["a", "b", "c"])), "different variables"),
        (one, bjp.score(data, graph, gamma=2.0), "with the same options"),
    ]
    for method in METHODS:
        pair = (bjp.score(rows, graph, method) for rows in (data, other))
        cases.append((*pair, "on the same data with the same options"))
    for before, after, sentence in cases:
        with pytest.raises(OptionError, match=sentence):
            bjp.scores.score_change(before, after)
