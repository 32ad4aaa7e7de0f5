"""IBMAP-HC and the MPL hill climb against docs/theory.md §4: coronary, oracles, promises."""

import itertools
import json
from pathlib import Path
from unittest.mock import Mock

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.errors import GraphError, OptionError
from bjp_engine.search import PUBLISHED, StopReason
from tests import oracles
from tests.refusals import assert_refused
from tests.strategies import (
    Sample,
    as_graph,
    edges_in,
    graphs,
    noisy_tree,
    random_sample,
    samples,
    samples_with_graph,
)

ROOT = Path(__file__).parents[3]
METHODS = ("bjp", "ib", "near")
CLEAR = 1e-7  # decisions closer than this are left to rounding


def climb(data, method="bjp", **options):
    return bjp.learn(data, method, "ibmap-hc", **options)


def flips(trace, phase=None):
    return [frozenset(step.edge) for step in trace.steps if phase in (None, step.phase)]


def scores(trace, phase=None):
    """Of the start, and after each flip."""
    return [trace.start_score, *(s.score for s in trace.steps if phase in (None, s.phase))]


def test_coronary_as_printed_and_to_every_digit():
    """docs/theory.md §8, and the golden file for each flip with its score."""
    data = bjp.Dataset.from_frame(pd.read_csv(ROOT / "sample_data/datasets/coronary.csv"))
    golden = json.loads((ROOT / "tests/golden/coronary.json").read_text("utf-8"))
    traces = {method: climb(data, method) for method in METHODS} | {"mpl": bjp.learn(data, "mpl")}
    for method, edges, score in (("bjp", 5, -2.3698), ("ib", 6, -5.5823), ("mpl", 4, -6389.9399)):
        trace = traces[method]
        printed = (edges, pytest.approx(score, abs=5e-5))
        assert (trace.graph.number_of_edges(), trace.score) == printed, method
    for method, trace in traces.items():
        expected, phase = golden[method], "graph" if method == "mpl" else None
        assert flips(trace, phase) == [frozenset(edge) for edge in expected["flips"]], method
        found = scores(trace, phase)[1:]
        near = 1e-12 if method == "mpl" else 1e-10
        assert found == pytest.approx(expected["scores"][1:], rel=near), method
        assert edges_in(trace.graph) == frozenset(map(frozenset, expected["edges"])), method
        assert list(trace.order) == expected["order"], method
        if method != "mpl":
            assert trace.start_score == pytest.approx(expected["scores"][0], rel=1e-10), method
            assert set(trace.rejected.edge) == set(expected["rejected"]), method
            assert list(trace.steps[-1].order) == expected["order"], method


def assert_same(sample, method, name="empty", start=frozenset()):
    """The climb from a start, where the oracle's decisions are clear: flips, scores and the end."""
    truth = oracles.ibmap_hc(sample.rows, sample.cards, method, start)
    if truth.margin > CLEAR:
        trace = climb(sample.data, method, start=name)
        assert edges_in(trace.start) == start
        assert flips(trace) == list(map(frozenset, truth.flips))
        assert scores(trace) == pytest.approx([float(s) for s in truth.scores], abs=1e-30, rel=1e-9)
        rejected = None if trace.rejected is None else set(trace.rejected.edge)
        expected = None if truth.rejected is None else set(truth.rejected)
        assert (edges_in(trace.graph), rejected) == (truth.edges, expected)
    return truth


@given(samples(max_variables=5), st.sampled_from(METHODS), st.data())
def test_from_any_start_it_climbs_as_the_oracle(sample, method, choice):
    drawn, mpl = choice.draw(graphs(sample.n)), oracles.mpl_hc(sample.rows, sample.cards)
    starts = [("empty", frozenset()), (as_graph(drawn, sample.n), drawn)]
    if mpl.margin > CLEAR:
        starts += [("mpl-and", mpl.and_graph), ("mpl-or", mpl.or_graph), ("mpl", mpl.edges)]
    for name, start in starts:
        assert_same(sample, method, name, start)


@pytest.mark.parametrize("method", METHODS)
def test_a_longer_climb(method):
    for seed, rows in enumerate((400, 100, 400, 100)):
        sample = noisy_tree(seed, (2, 3, 2, 4, 2, 3, 2), rows)
        truth = assert_same(sample, method)
        assert (truth.margin > CLEAR, len(truth.flips) > 3) == (True, True)


def test_where_the_data_say_nothing_the_first_pair_is_proposed_and_refused():
    # Without rows, and with one: all posteriors are one half whatever the graph.
    cases = [random_sample(0, (2, 3, 2, 4, 2), 0).data]
    for seed in range(20):
        cards = tuple(map(int, np.random.default_rng(seed).integers(2, 9, size=2 + seed % 5)))
        cases.append(random_sample(seed, cards, 1).data)
    for data, method in itertools.product(cases, METHODS):
        trace = climb(data, method)
        found = (trace.steps, trace.rejected.edge, trace.graph.number_of_edges())
        assert found == ((), (0, 1), 0), method
    # A local score of one row is -ln r whatever the blanket.
    assert all(bjp.learn(data, "mpl").steps == () for data in cases)


def test_equal_pairs():
    def noisy_copy(seed, states, rows, share):
        rng = np.random.default_rng(seed)
        source, noise = rng.integers(states, size=(2, rows))
        return source, np.where(rng.random(rows) < share, source, noise)

    # Four copies of one column: six pairs with the very same counts, in lexicographic order.
    same = np.column_stack([noisy_copy(4, 3, 40, 1)[0]] * 4)
    source, copy = noisy_copy(6, 4, 60, 0.8)
    turned = np.column_stack([copy % 3, copy % 3, source, copy % 2])
    for method in METHODS:
        first = climb(same, method).steps[0]
        assert (first.edge, [c.edge for c in first.contributions]) == ((0, 1), oracles.pairs(4))
        # Pairs (0,2) and (1,2) tie whichever way the counts are stored.
        values = {c.edge: c.value for c in climb(turned, method).steps[0].contributions}
        assert values[0, 2] == values[1, 2]
    # The counts of a column and its complement with a noisy copy are the same in another order.
    for states, method in itertools.product((2, 3, 5), METHODS):
        source, copy = noisy_copy(7, states, 61, 0.3)
        codes = np.column_stack([copy, source, states - 1 - source])
        first = climb(bjp.Dataset.from_codes(codes, [states] * 3), method).steps[0]
        assert [c.edge for c in first.contributions] == [(1, 2), (0, 1), (0, 2)]
        source, copy = noisy_copy(7, states, 200, 0.6)
        codes = np.column_stack([source, states - 1 - source, copy])
        trace = bjp.learn(bjp.Dataset.from_codes(codes, [states] * 3), "mpl")
        assert moves(trace, 2)[0] == ("add", 0)


@given(samples(min_variables=2, max_variables=5), st.data())
def test_ib_and_mpl_leave_a_constant_alone(sample, choice):
    # With one state, g = h in every slice and no conditioning set grows: all gains are nought.
    constant = choice.draw(st.integers(0, sample.n - 1))
    rows = tuple((*row[:constant], 0, *row[constant + 1 :]) for row in sample.rows)
    cards = (*sample.cards[:constant], 1, *sample.cards[constant + 1 :])
    data = Sample(rows, cards).data
    assert climb(data, "ib").graph.degree(constant) == 0
    assert not any(constant in step.edge for step in bjp.learn(data, "mpl").steps)


@given(samples_with_graph(), st.sampled_from(METHODS))
def test_each_proposal_is_of_the_lowest_contribution(case, method):
    sample, edges = case
    trace = climb(sample.data, method, start=as_graph(edges, sample.n))
    score = trace.start_score
    assert score == bjp.score(sample.data, trace.start, method).total
    for number, step in enumerate(trace.proposals, start=1):
        # The lowest ten, ascending; each the sum of the pair's terms; the first is proposed.
        sums = dict.fromkeys(oracles.pairs(sample.n), 0.0)
        for term in bjp.score(sample.data, as_graph(edges, sample.n), method).terms:
            sums[min(term.x, term.y), max(term.x, term.y)] += term.value
        listed = [one.edge for one in step.contributions]
        assert len(set(listed)) == len(listed)
        assert set(listed[0]) == set(step.edge)
        values = [one.value for one in step.contributions]
        assert values == pytest.approx(sorted(sums.values())[:10], rel=1e-12)
        assert values == pytest.approx([sums[pair] for pair in listed], rel=1e-12)
        adjacent = [one.adjacent for one in step.contributions]
        assert adjacent == [frozenset(pair) in edges for pair in listed]
        flipped = edges ^ {frozenset(step.edge)}
        fresh = bjp.score(sample.data, as_graph(flipped, sample.n), method)
        accepted = number <= len(trace.steps)
        found = (step.index, step.score, step.order, step.added, step.accepted)
        added = frozenset(step.edge) in flipped
        assert found == (number, fresh.total, fresh.order, added, accepted)
        assert step.gain == pytest.approx(step.score - score, rel=1e-9, abs=1e-12)
        # A gain is more than rounding.
        assert (step.gain > 1e-13 * abs(step.score)) == accepted == (step.score > score)
        if accepted:
            edges, score = flipped, step.score
    assert (edges, score) == (edges_in(trace.graph), trace.score)


def test_what_is_counted_and_what_a_start_must_be():
    data = bjp.Dataset.from_codes(random_sample(8, (2, 2, 3, 2), 100).rows, names=[*"abcd"])
    # Of six pairs, from one end or from both.
    for method, pairs in (("bjp", 6), ("ib", 12), ("near", 6)):
        reported = []
        watch = bjp.Progress(lambda *now, seen=reported: seen.append(now))
        trace = climb(data, method, contributions=3, progress=watch)
        assert trace.tests >= pairs
        assert {len(step.contributions) for step in trace.proposals} == {3}
        assert reported
        assert all(0 <= done <= total for done, total in reported)
        watcher = Mock(side_effect=RuntimeError("the watcher fell asleep"))
        assert_refused(RuntimeError, "asleep", climb, data, method, on_step=watcher)
        trace = climb([[0], [1]], method)
        assert (trace.stop_reason, trace.rejected) == (StopReason.NO_PAIR, None)
        assert (trace.score, list(trace.graph.nodes)) == (0.0, [0])
    # Options reach the score and the record.
    for method, options in (("bjp", {"prior": 0.9, "slices": "observed"}), ("mpl", {"ess": 20.0})):
        trace = bjp.learn(data, method, PUBLISHED[method], **options)
        assert trace.score == bjp.score(data, trace.graph, method, **options).total
        assert trace.score != bjp.score(data, trace.graph, method).total
    # A start graph must fit and is not changed.
    assert_refused(GraphError, "snow", climb, data, start=nx.Graph([("a", "snow")]))
    assert_refused(OptionError, "full", climb, data, start="full")
    start = nx.complete_graph("abc")
    assert (climb(data, start=start).start.number_of_edges(), start.number_of_edges()) == (3, 3)


# --- The MPL hill climb: both phases, move by move ------------------------------------------------


def moves(trace, variable):
    """The changes of one variable's blanket."""
    steps = [s for s in trace.steps if s.phase == "blanket" and s.edge[0] == variable]
    return tuple(("add" if step.added else "delete", step.edge[1]) for step in steps)


def assert_same_ascent(trace, truth):
    """The AND and OR graphs, every flip between them, and the score after each."""
    graphs_of = trace.milestones["and"], trace.milestones["or"], trace.graph
    assert tuple(map(edges_in, graphs_of)) == (truth.and_graph, truth.or_graph, truth.edges)
    assert flips(trace, "graph") == list(map(frozenset, truth.flips))
    truths = [float(s) for s in truth.scores[1:]]
    assert scores(trace, "graph")[1:] == pytest.approx(truths, rel=1e-9)
    assert trace.score == pytest.approx(float(truth.score), rel=1e-9, abs=1e-30)


@given(samples(max_variables=5))
def test_mpl_graphs_flips_and_scores(sample):
    # The moves of each blanket stand in engine/kernels/test_kernels_local.py.
    truth = oracles.mpl_hc(sample.rows, sample.cards)
    assume(truth.margin > CLEAR)
    assert_same_ascent(bjp.learn(sample.data, "mpl"), truth)


def test_mpl_with_more_data_and_flips_between_and_and_or():
    larger = [noisy_tree(seed, (2, 3, 2, 4, 2, 3, 2), 400) for seed in range(4)]
    for sample in (*larger, *(noisy_tree(seed, (2,) * 6, 80) for seed in (1, 8, 47))):
        truth = oracles.mpl_hc(sample.rows, sample.cards)
        assert truth.margin > CLEAR
        assert len(truth.flips) == 2 or sample in larger
        assert_same_ascent(bjp.learn(sample.data, "mpl"), truth)


@pytest.mark.parametrize("causes", [2, 3])
def test_a_blanket_that_loses_a_member_again(causes):
    # Variable 0 says whether its causes reach two. It is first explained by the last variable, a
    # noisy repetition of it that the causes make superfluous; with two causes the blanket has just
    # the three members from which one may leave.
    rng = np.random.default_rng(17)
    states = 5 - causes
    table = rng.integers(states, size=(2000, causes))
    enough = table.sum(axis=1) >= 2
    zero, noisy = (enough ^ (rng.random(2000) < share) for share in (0.02, 0.1))
    rows = np.column_stack([zero, table, noisy]).tolist()
    sample = Sample(tuple(map(tuple, rows)), (2, *(states,) * causes, 2))
    _, expected = oracles.mpl_blanket(sample.rows, sample.cards, 0)
    assert (expected[0], expected[-1]) == (("add", causes + 1), ("delete", causes + 1))
    assert moves(bjp.learn(sample.data, "mpl"), 0) == expected


# The paper's printed figures (docs/theory.md §8) stand in tests/contracts/test_reproduction.py.


def test_enough_data_show_the_truth():
    # With 100 000 independent rows and an odds ratio of e an edge, every way finds the target.
    for network in (f"target-{i}" for i in range(1, 7)):
        truth = bjp.networks.load(network)
        model = bjp.sampling.random_model(truth, weights="log-odds")
        data = model.sample(100_000, seed=1, method="exact")
        table = bjp.all_graphs(data, "bjp")
        assert table.best == table.number(truth), network
        for method in ("mpl", "ib", "bjp"):
            learned = bjp.learn(data, method, PUBLISHED[method]).graph
            assert bjp.metrics.hamming(truth, learned) == 0, (network, method)
