"""Scores compared: the terms that a flip changes against brute force; what BJP is spared."""

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.errors import OptionError
from bjp_engine.scores.change import ChangeKind
from tests import oracles
from tests.refusals import assert_refused
from tests.strategies import as_graph, graphs, random_sample, samples

METHODS = ("bjp", "ib", "mpl", "near")


@st.composite
def pairs_of_graphs(draw):
    sample = draw(samples(max_rows=25, max_variables=5))
    before = draw(graphs(sample.n))
    if draw(st.booleans()):
        return sample, before, draw(graphs(sample.n))
    pair = draw(st.sampled_from(oracles.pairs(sample.n)))
    return sample, before, before ^ {frozenset(pair)}


def kind(one, other):
    """The word for what differs, spelled out; None where nothing does."""
    if not hasattr(one, "computed"):
        return None if one.given == other.given else ChangeKind.BLANKET
    if one.computed != other.computed:
        return ChangeKind.COMPUTED if other.computed else ChangeKind.INFERRED
    if not one.computed or (one.given, one.dependent) == (other.given, other.dependent):
        return None
    return ChangeKind.GIVEN if one.dependent == other.dependent else ChangeKind.ASSERTION


@given(pairs_of_graphs(), st.sampled_from(METHODS), st.sampled_from([None, 0.1, 0.8]))
def test_what_is_listed_is_what_differs_and_adds_up(case, method, edge):
    sample, *both = case
    before, after = (
        bjp.score(sample.data, as_graph(edges, sample.n), method, edge_probability=edge)
        for edges in both
    )
    change = bjp.scores.score_change(before, after)
    old, new = ({(t.x, getattr(t, "y", None)): t for t in trace.terms} for trace in (before, after))
    listed = {(one.x, one.y): one for one in change.terms}
    assert len(listed) == len(change.terms)
    for pair, term in new.items():
        expected = kind(old[pair], term)
        assert (pair in listed) == (expected is not None)
        if pair in listed:
            found = listed[pair]
            assert (found.before, found.after, found.kind) == (old[pair], term, expected)
        else:
            assert old[pair].value == term.value
    sizes = [abs(term.difference) for term in change.terms]
    assert sizes == sorted(sizes, reverse=True)
    assert change.difference == pytest.approx(after.total - before.total, rel=1e-12, abs=1e-9)
    parts = math.fsum([*(term.difference for term in change.terms), change.prior])
    assert parts == pytest.approx(change.difference, rel=1e-12, abs=1e-12)
    odds = 0.0 if edge is None else math.log(edge) - math.log1p(-edge)
    assert change.prior == pytest.approx((len(both[1]) - len(both[0])) * odds, abs=1e-12)


def test_the_example_of_the_theory():
    # X = Y in four rows: Pr(⊥) = 7/37, so the edge gains ln 30/37 - ln 7/37.
    data = bjp.Dataset.from_codes([[0, 0], [0, 0], [1, 1], [1, 1]])
    empty, joined = (bjp.score(data, g) for g in (nx.empty_graph(2), nx.path_graph(2)))
    change = bjp.scores.score_change(empty, joined)
    assert change.difference == pytest.approx(math.log(30 / 7), rel=1e-13)
    (term,) = change.terms
    assert (term.x, term.y, term.kind) == (0, 1, ChangeKind.ASSERTION)
    assert bjp.scores.score_change(joined, empty).difference == -change.difference
    none = bjp.scores.score_change(joined, joined)
    assert (none.terms, none.difference) == ((), 0.0)
    # One variable is no trouble.
    for method in METHODS:
        trace = bjp.score([[0], [1]], nx.empty_graph(1), method)
        assert bjp.scores.score_change(trace, trace).terms == ()


def test_traces_that_do_not_belong_together_are_refused():
    data, graph = random_sample(1, (2, 2, 3), 30).data, nx.path_graph(3)
    named = bjp.Dataset.from_codes(data.codes, names=["a", "b", "c"])
    other = random_sample(2, (2, 2, 3), 30).data
    one = bjp.score(data, graph)
    cases = [
        (one, bjp.score(data, graph, "ib")),
        (one, bjp.score(named, nx.path_graph(["a", "b", "c"]))),
        (one, bjp.score(data, graph, gamma=2.0)),
        *([bjp.score(rows, graph, method) for rows in (data, other)] for method in METHODS),
    ]
    for before, after in cases:
        about = "score both by the same method, on the same data"
        assert_refused(OptionError, about, bjp.scores.score_change, before, after)


# --- What BJP is spared: halves against the terms one by one, and the two identities --------------


@given(st.tuples(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(0, 28)))
def test_halves_are_the_terms_and_add_up(case):
    number, n, edges = case
    cards = tuple(np.random.default_rng(number).integers(1, 5, size=n).tolist())
    data, graph = random_sample(number, cards, 60).data, nx.gnm_random_graph(n, edges, seed=number)
    for options in ({}, {"expected_degree": 1.5} if n > 1 else {}):
        ours, theirs = (bjp.score(data, graph, method, **options) for method in ("bjp", "ib"))
        halves = bjp.scores.spared_tests(theirs)
        for computed, half in ((True, halves.computed), (False, halves.inferred)):
            terms = zip(ours.terms, theirs.terms, strict=True)
            kept = [other for mine, other in terms if mine.computed == computed]
            columns = (half.x, half.y, half.dependent, half.given, half.value)
            lines = zip(*(column.tolist() for column in columns), strict=True)
            assert list(lines) == [(t.x, t.y, t.dependent, len(t.given), t.value) for t in kept]
            sizes = [math.prod(data.cardinalities[z] for z in t.given) for t in kept]
            logs = [math.log(k) for k in sizes]
            assert half.log_configurations == pytest.approx(logs, abs=1e-12)
            assert halves.rows_a_slice(half) == pytest.approx([60 / k for k in sizes])
            assert half.posterior == pytest.approx([math.exp(t.value) for t in kept])
        # IB-score is BJP and the spared tests, whose sizes differ by the total irregularity.
        assert halves.log_ib == theirs.total <= halves.log_bjp
        assert halves.log_bjp == pytest.approx(ours.total, rel=1e-14)
        sums = [math.fsum(half.value) for half in (halves.computed, halves.inferred)]
        assert sums[0] + ours.log_prior == pytest.approx(ours.total, rel=1e-13)
        assert halves.log_ib == pytest.approx(halves.log_bjp + sums[1], rel=1e-13)
        assert halves.irregularity == bjp.metrics.total_irregularity(graph)
        sums = [int(half.given.sum()) for half in (halves.inferred, halves.computed)]
        assert sums[0] - sums[1] == halves.irregularity


def test_halves_need_all_assertions():
    data, graph = random_sample(4, (2, 3, 2, 4), 60).data, nx.path_graph(4)
    for method in ("bjp", "mpl", "near"):
        trace = bjp.score(data, graph, method)
        assert_refused(OptionError, "score the graph by 'ib'", bjp.scores.spared_tests, trace)
    with pytest.raises(ValueError, match="read-only"):
        bjp.scores.spared_tests(bjp.score(data, graph, "ib")).inferred.value[0] = 0.0
