"""IBMAP-HC against docs/theory.md §4: the coronary climb, an oracle's climbs, and its promises."""

from __future__ import annotations

import itertools
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.errors import Cancelled, GraphError, OptionError
from bjp_engine.search import SearchTrace, Step, StopReason
from tests import oracles
from tests.strategies import (
    Sample,
    as_graph,
    edges_in,
    graphs,
    noisy_tree,
    permutations,
    random_sample,
    samples,
)

ROOT = Path(__file__).parents[3]
CORONARY = ROOT / "sample_data" / "datasets" / "coronary.csv"
METHODS = ("bjp", "ib", "near")
CLEAR = 1e-7  # decisions closer than this are left to rounding


def climb(data: bjp.Dataset, method: str = "bjp", **options: Any) -> SearchTrace:
    return bjp.learn(data, method, "ibmap-hc", **options)


def flips(trace: SearchTrace) -> list[frozenset]:
    return [frozenset(step.edge) for step in trace.steps]


def scores(trace: SearchTrace) -> list[float]:
    """Of the start, and after each flip."""
    return [trace.start_score, *(step.score for step in trace.steps)]


class TestCoronary:
    """docs/theory.md §8, and the golden file for the digits that it does not print."""

    SPEC_FLIPS = (
        ("mental_work", "physical_work"),
        ("smoking", "physical_work"),
        ("mental_work", "lipoprotein_ratio"),
        ("smoking", "lipoprotein_ratio"),
        ("systolic_pressure", "lipoprotein_ratio"),
        ("smoking", "systolic_pressure"),
        ("mental_work", "lipoprotein_ratio"),
    )

    @pytest.fixture
    def coronary(self) -> bjp.Dataset:
        return bjp.Dataset.from_frame(pd.read_csv(CORONARY))

    def test_as_printed(self, coronary: bjp.Dataset) -> None:
        trace = climb(coronary)
        assert flips(trace) == list(map(frozenset, self.SPEC_FLIPS))
        assert [step.added for step in trace.steps] == [True] * 6 + [False]
        assert trace.graph.number_of_edges() == 5
        assert trace.score == pytest.approx(-2.3698, abs=5e-5)
        order = (
            "family_history mental_work physical_work systolic_pressure lipoprotein_ratio smoking"
        )
        assert bjp.score(coronary, trace.graph).order == tuple(order.split())
        trace = climb(coronary, "ib")
        assert len(trace.steps) == 6
        assert trace.graph.number_of_edges() == 6
        assert trace.graph.has_edge("mental_work", "lipoprotein_ratio")
        assert trace.score == pytest.approx(-5.5823, abs=5e-5)

    def test_every_digit(self, coronary: bjp.Dataset) -> None:
        golden = json.loads((ROOT / "tests" / "golden" / "coronary.json").read_text("utf-8"))
        for method in METHODS:
            trace, expected = climb(coronary, method), golden[method]
            assert flips(trace) == [frozenset(edge) for edge in expected["flips"]]
            assert scores(trace) == pytest.approx(expected["scores"], rel=1e-10)
            assert set(trace.rejected.edge) == set(expected["rejected"])
            assert edges_in(trace.graph) == frozenset(map(frozenset, expected["edges"]))
            assert list(trace.steps[-1].order) == expected["order"]
            assert list(trace.order) == expected["order"]


def assert_same(trace: SearchTrace, truth: oracles.OracleSearch) -> None:
    assert flips(trace) == list(map(frozenset, truth.flips))
    assert scores(trace) == pytest.approx([float(s) for s in truth.scores], rel=1e-9, abs=1e-30)
    assert edges_in(trace.graph) == truth.edges
    rejected = None if trace.rejected is None else frozenset(trace.rejected.edge)
    assert rejected == (None if truth.rejected is None else frozenset(truth.rejected))


class TestAgainstTheOracle:
    @given(samples(max_variables=5), st.sampled_from(METHODS), st.data())
    def test_from_any_graph(self, sample: Sample, method: str, choice: st.DataObject) -> None:
        drawn = choice.draw(graphs(sample.n))
        truth = oracles.ibmap_hc(sample.rows, sample.cards, method)
        if truth.margin > CLEAR:
            assert_same(climb(sample.data, method), truth)
        truth = oracles.ibmap_hc(sample.rows, sample.cards, method, drawn)
        assume(truth.margin > CLEAR)
        trace = climb(sample.data, method, start=as_graph(drawn, sample.n))
        assert_same(trace, truth)
        assert edges_in(trace.start) == drawn

    @given(samples(max_variables=5, max_rows=40), st.sampled_from(METHODS))
    def test_starts_named_after_the_mpl_hill_climb(self, sample: Sample, method: str) -> None:
        mpl = oracles.mpl_hc(sample.rows, sample.cards)
        assume(mpl.margin > CLEAR)
        starts = {"mpl-and": mpl.and_graph, "mpl-or": mpl.or_graph, "mpl": mpl.edges}
        for name, start in {"empty": frozenset(), **starts}.items():
            truth = oracles.ibmap_hc(sample.rows, sample.cards, method, start)
            if truth.margin > CLEAR:
                assert_same(climb(sample.data, method, start=name), truth)

    @pytest.mark.parametrize("method", METHODS)
    def test_a_longer_climb(self, method: str) -> None:
        for seed, rows in enumerate((400, 100, 400, 100)):
            sample = noisy_tree(seed, (2, 3, 2, 4, 2, 3, 2), rows)
            truth = oracles.ibmap_hc(sample.rows, sample.cards, method)
            assert truth.margin > CLEAR
            assert len(truth.flips) > 3
            assert_same(climb(sample.data, method), truth)

    @given(samples(max_variables=5, min_variables=3), st.data())
    def test_ib_in_another_order_of_variables(self, sample: Sample, choice: st.DataObject) -> None:
        # BJP's order ψ breaks ties by index, so only IB-score is free of the order of columns.
        assume(oracles.ibmap_hc(sample.rows, sample.cards, "ib").margin > CLEAR)
        order = choice.draw(permutations(sample.n))
        before = edges_in(climb(sample.data, "ib").graph)
        after = edges_in(climb(sample.permuted_variables(order).data, "ib").graph)
        assert frozenset(frozenset(order[v] for v in edge) for edge in after) == before


class TestTies:
    def test_where_the_data_say_nothing_the_first_pair_is_proposed_and_refused(self) -> None:
        # Without rows, and with one: all posteriors are one half whatever the graph.
        none = bjp.Dataset.from_codes(np.zeros((0, 5), dtype=int), cardinalities=[2, 3, 2, 4, 2])
        cases = [none]
        for seed in range(20):
            cards = tuple(map(int, np.random.default_rng(seed).integers(2, 9, size=2 + seed % 5)))
            cases.append(random_sample(seed, cards, 1).data)
        for data, method in itertools.product(cases, METHODS):
            trace = climb(data, method)
            assert trace.steps == ()
            assert trace.rejected.edge == (0, 1)
            assert trace.graph.number_of_edges() == 0
        # A local score of one row is -ln r whatever the blanket.
        assert all(bjp.learn(data, "mpl").steps == () for data in cases)

    @pytest.mark.parametrize("method", METHODS)
    def test_equal_pairs(self, method: str) -> None:
        # Four copies of one column: six pairs with the very same counts, in lexicographic order.
        column = np.random.default_rng(4).integers(3, size=40)
        first = climb(bjp.Dataset.from_codes(np.column_stack([column] * 4)), method).steps[0]
        assert first.edge == (0, 1)
        assert [c.edge for c in first.contributions] == oracles.pairs(4)
        # Pairs (0,2) and (1,2) tie whichever way the counts are stored.
        rng = np.random.default_rng(6)
        source = rng.integers(4, size=60)
        copy = np.where(rng.random(60) < 0.8, source % 3, rng.integers(3, size=60))
        other = rng.integers(2, size=60)
        data = bjp.Dataset.from_codes(np.column_stack([copy, copy, source, other]))
        values = {c.edge: c.value for c in climb(data, method).steps[0].contributions}
        assert values[0, 2] == values[1, 2]
        # A column and its complement: the counts of (0,2) and (1,2) are the same in another order.
        rng = np.random.default_rng(7)
        for states in (2, 3, 5):
            source = rng.integers(states, size=61)
            noise = rng.integers(states, size=61)
            copy = np.where(rng.random(61) < 0.3, source, noise)
            codes = np.column_stack([copy, source, states - 1 - source])
            data = bjp.Dataset.from_codes(codes, cardinalities=[states] * 3)
            first = climb(data, method).steps[0]
            assert first.edge == (1, 2)
            assert [c.edge for c in first.contributions] == [(1, 2), (0, 1), (0, 2)]

    @given(samples(min_variables=2, max_variables=5), st.data())
    def test_ib_and_mpl_leave_a_constant_alone(self, sample: Sample, choice: st.DataObject) -> None:
        # With one state, g = h in every slice and no conditioning set grows: all gains are nought.
        constant = choice.draw(st.integers(0, sample.n - 1))
        rows = tuple((*row[:constant], 0, *row[constant + 1 :]) for row in sample.rows)
        cards = (*sample.cards[:constant], 1, *sample.cards[constant + 1 :])
        data = Sample(rows, cards).data
        assert climb(data, "ib").graph.degree(constant) == 0
        assert not any(constant in step.edge for step in bjp.learn(data, "mpl").steps)


class TestPromises:
    @given(samples(), st.sampled_from(METHODS))
    def test_each_proposal(self, sample: Sample, method: str) -> None:
        trace = climb(sample.data, method)
        edges, score = edges_in(trace.start), trace.start_score
        proposals = [*trace.steps, *([trace.rejected] if trace.rejected else [])]
        for number, step in enumerate(proposals, start=1):
            assert step.index == number
            self.assert_contributions(sample, method, edges, step)
            flipped = edges ^ {frozenset(step.edge)}
            fresh = bjp.score(sample.data, as_graph(flipped, sample.n), method)
            assert step.score == fresh.total
            assert step.order == fresh.order
            assert step.added == (frozenset(step.edge) in flipped)
            assert step.gain == pytest.approx(step.score - score, rel=1e-9, abs=1e-12)
            assert step.accepted == (step.score > score)
            assert step.accepted == (step is not trace.rejected)
            if step.accepted:
                # A gain is more than rounding.
                assert step.gain > 1e-13 * abs(step.score)
                edges, score = flipped, step.score
        assert edges == edges_in(trace.graph)
        assert all(low < high for low, high in pairwise(scores(trace)))
        assert score == trace.score == bjp.score(sample.data, trace.graph, method).total
        assert list(trace.graph.nodes) == list(range(sample.n))

    @staticmethod
    def assert_contributions(sample: Sample, method: str, edges: oracles.Edges, step: Step) -> None:
        """The lowest ten, ascending; each the sum of the pair's terms; the first is proposed."""
        sums = dict.fromkeys(oracles.pairs(sample.n), 0.0)
        for term in bjp.score(sample.data, as_graph(edges, sample.n), method).terms:
            sums[min(term.x, term.y), max(term.x, term.y)] += term.value
        assert len(step.contributions) == min(10, len(sums))
        values = [c.value for c in step.contributions]
        assert values == pytest.approx(sorted(values), rel=1e-12)
        assert values == pytest.approx(sorted(sums.values())[: len(values)], rel=1e-12)
        assert set(step.contributions[0].edge) == set(step.edge)
        for contribution in step.contributions:
            assert contribution.value == pytest.approx(sums[contribution.edge], rel=1e-12)
            assert contribution.adjacent == (frozenset(contribution.edge) in edges)

    def test_why_it_stopped(self) -> None:
        data, alone = random_sample(8, (2, 2, 3, 2), 100).data, [[0], [1]]
        for method in METHODS:
            trace = climb(data, method)
            assert trace.stop_reason is StopReason.NOT_RAISED
            assert str(trace.stop_reason.value).endswith("does not raise the score")
            assert trace.rejected.score <= trace.score
            assert not trace.rejected.accepted
            trace = climb(bjp.Dataset.from_codes(alone), method)
            assert trace.stop_reason is StopReason.NO_PAIR
            assert trace.rejected is None
            assert trace.score == 0.0
            assert list(trace.graph.nodes) == [0]

    def test_tests_and_seconds_are_counted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        data = random_sample(9, (2, 3, 4, 2, 3), 150).data
        monkeypatch.setattr("bjp_engine.search.driver.clock", itertools.count(0, 7).__next__)
        # Of ten pairs, from one end or from both.
        for method, pairs in (("bjp", 10), ("ib", 20)):
            trace = climb(data, method)
            assert trace.seconds == 7
            assert trace.tests >= pairs

    def test_options_reach_the_score_and_the_record(self) -> None:
        data = random_sample(10, (2, 3, 4, 2), 60).data
        options: dict[str, Any] = {"prior": 0.9, "gamma": 0.5, "slices": "observed"}
        trace = climb(data, **options)
        assert trace.score == bjp.score(data, trace.graph, **options).total
        assert trace.score != bjp.score(data, trace.graph).total
        trace = climb(data, contributions=3)
        assert {len(step.contributions) for step in trace.proposals} == {3}

    @pytest.mark.parametrize("method", METHODS)
    def test_watched_and_cancelled(self, method: str) -> None:
        data, seen = random_sample(2, (2, 3, 2, 4, 2, 2), 300).data, list[Step]()
        reported: list[tuple[int, int]] = []
        whole = climb(data, method, progress=bjp.Progress(lambda *now: reported.append(now)))
        assert reported
        assert all(0 <= done <= total for done, total in reported)
        assert len(whole.steps) > 2
        watch = bjp.Progress(cancelled=lambda: len(seen) >= 2)
        trace = climb(data, method, on_step=seen.append, progress=watch)
        assert trace.stop_reason is StopReason.CANCELLED
        assert trace.steps == tuple(seen) == whole.steps[:2]
        assert trace.rejected is None
        assert trace.score == whole.steps[1].score
        with pytest.raises(Cancelled):
            climb(data, method, progress=bjp.Progress(cancelled=lambda: True))

        def fail(step: Step) -> None:
            raise RuntimeError("the watcher fell asleep")

        with pytest.raises(RuntimeError, match="asleep"):
            climb(data, method, on_step=fail)

    def test_a_start_graph_must_fit_and_is_not_changed(self) -> None:
        data = bjp.Dataset.from_codes([[0, 1, 0], [1, 0, 0]], names=["rain", "wet", "sun"])
        with pytest.raises(GraphError, match="snow"):
            climb(data, start=nx.Graph([("rain", "snow")]))
        with pytest.raises(OptionError, match="full"):
            climb(data, start="full")
        start = nx.Graph([("rain", "wet"), ("wet", "sun"), ("rain", "sun")])
        assert climb(data, start=start).start.number_of_edges() == 3
        assert start.number_of_edges() == 3
