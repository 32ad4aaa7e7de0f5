"""IBMAP-HC against docs/theory.md §4: the coronary climb, an oracle's climbs, and its promises."""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.errors import Cancelled, GraphError, OptionError
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
METHODS = ("bjp", "ib", "near")
CLEAR = 1e-7  # decisions closer than this are left to rounding


@pytest.fixture(scope="module")
def coronary() -> bjp.Dataset:
    return bjp.Dataset.from_frame(pd.read_csv(ROOT / "sample_data" / "datasets" / "coronary.csv"))


@pytest.fixture(scope="module")
def golden() -> dict[str, dict[str, list]]:
    return json.loads((ROOT / "tests" / "golden" / "coronary.json").read_text(encoding="utf-8"))


def flips(trace: bjp.search.SearchTrace) -> list[frozenset]:
    return [frozenset(step.edge) for step in trace.steps]


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

    def test_states_stand_in_sorted_order(self, coronary: bjp.Dataset) -> None:
        with (ROOT / "sample_data" / "datasets" / "coronary.csv").open(encoding="utf-8") as file:
            names, *rows = list(csv.reader(file))
        assert coronary.names == tuple(names)
        assert coronary.rows == 1841
        columns = zip(*rows, strict=True)
        assert coronary.labels == tuple(tuple(sorted(set(column))) for column in columns)

    def test_bjp_as_printed(self, coronary: bjp.Dataset) -> None:
        trace = bjp.learn(coronary, "bjp", search="ibmap-hc")
        assert flips(trace) == list(map(frozenset, self.SPEC_FLIPS))
        assert [step.added for step in trace.steps] == [True] * 6 + [False]
        assert trace.graph.number_of_edges() == 5
        assert trace.score == pytest.approx(-2.3698, abs=5e-5)
        assert bjp.score(coronary, trace.graph).order == (
            "family_history",
            "mental_work",
            "physical_work",
            "systolic_pressure",
            "lipoprotein_ratio",
            "smoking",
        )

    def test_ib_as_printed(self, coronary: bjp.Dataset) -> None:
        trace = bjp.learn(coronary, "ib", search="ibmap-hc")
        assert len(trace.steps) == 6
        assert trace.graph.number_of_edges() == 6
        assert trace.graph.has_edge("mental_work", "lipoprotein_ratio")
        assert trace.score == pytest.approx(-5.5823, abs=5e-5)

    @pytest.mark.parametrize("method", METHODS)
    def test_every_digit(
        self, coronary: bjp.Dataset, golden: dict[str, dict[str, list]], method: str
    ) -> None:
        trace, expected = bjp.learn(coronary, method, "ibmap-hc"), golden[method]
        assert flips(trace) == [frozenset(edge) for edge in expected["flips"]]
        scores = [trace.start_score, *(step.score for step in trace.steps)]
        assert scores == pytest.approx(expected["scores"], rel=1e-10)
        assert trace.rejected is not None
        assert set(trace.rejected.edge) == set(expected["rejected"])
        assert edges_in(trace.graph) == frozenset(map(frozenset, expected["edges"]))
        assert list(trace.steps[-1].order) == expected["order"]
        assert list(trace.order) == expected["order"]


class TestAgainstTheOracle:
    @staticmethod
    def assert_same(trace: bjp.search.SearchTrace, truth: oracles.OracleSearch) -> None:
        assert flips(trace) == list(map(frozenset, truth.flips))
        scores = [trace.start_score, *(step.score for step in trace.steps)]
        assert scores == pytest.approx([float(s) for s in truth.scores], rel=1e-9, abs=1e-30)
        assert edges_in(trace.graph) == truth.edges
        if truth.rejected is None:
            assert trace.rejected is None
        else:
            assert trace.rejected is not None
            assert frozenset(trace.rejected.edge) == frozenset(truth.rejected)

    @given(samples(max_variables=5), st.sampled_from(METHODS))
    def test_from_the_empty_graph(self, sample: Sample, method: str) -> None:
        truth = oracles.ibmap_hc(sample.rows, sample.cards, method)
        assume(truth.margin > CLEAR)
        self.assert_same(bjp.learn(sample.data, method, "ibmap-hc"), truth)

    @settings(max_examples=40)
    @given(samples(max_variables=5), st.sampled_from(METHODS), st.data())
    def test_from_any_graph(self, sample: Sample, method: str, choice: st.DataObject) -> None:
        start = choice.draw(graphs(sample.n))
        truth = oracles.ibmap_hc(sample.rows, sample.cards, method, start)
        assume(truth.margin > CLEAR)
        trace = bjp.learn(sample.data, method, start=as_graph(start, sample.n), search="ibmap-hc")
        self.assert_same(trace, truth)
        assert edges_in(trace.start) == start

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("seed", range(4))
    def test_a_longer_climb(self, method: str, seed: int) -> None:
        sample = noisy_tree(seed, (2, 3, 2, 4, 2, 3, 2), 400)
        truth = oracles.ibmap_hc(sample.rows, sample.cards, method)
        assert truth.margin > CLEAR
        assert len(truth.flips) > 3
        self.assert_same(bjp.learn(sample.data, method, "ibmap-hc"), truth)

    @settings(max_examples=25)
    @given(samples(max_variables=5, max_rows=40), st.sampled_from(METHODS))
    def test_starts_named_after_the_mpl_hill_climb(self, sample: Sample, method: str) -> None:
        mpl = oracles.mpl_hc(sample.rows, sample.cards)
        assume(mpl.margin > CLEAR)
        starts = {"mpl-and": mpl.and_graph, "mpl-or": mpl.or_graph, "mpl": mpl.edges}
        for name, start in {"empty": frozenset(), **starts}.items():
            truth = oracles.ibmap_hc(sample.rows, sample.cards, method, start)
            if truth.margin > CLEAR:
                self.assert_same(
                    bjp.learn(sample.data, method, start=name, search="ibmap-hc"), truth
                )

    @settings(max_examples=40)
    @given(samples(max_variables=5, min_variables=3), st.data())
    def test_ib_with_the_variables_in_another_order(
        self, sample: Sample, choice: st.DataObject
    ) -> None:
        # BJP's order ψ breaks ties by index, so only IB-score is free of the order of columns.
        assume(oracles.ibmap_hc(sample.rows, sample.cards, "ib").margin > CLEAR)
        order = choice.draw(permutations(sample.n))
        before = edges_in(bjp.learn(sample.data, "ib", search="ibmap-hc").graph)
        after = edges_in(
            bjp.learn(sample.permuted_variables(order).data, "ib", search="ibmap-hc").graph
        )
        assert frozenset(frozenset(order[v] for v in edge) for edge in after) == before

    def test_names_do_not_matter(self) -> None:
        sample = random_sample(3, (2, 3, 2, 4, 2), 200)
        names = ["zeta", "1", "<b>", "alpha", "0"]
        named = bjp.Dataset.from_codes(np.array(sample.rows), sample.cards, names)
        plain, trace = (
            bjp.learn(sample.data, search="ibmap-hc"),
            bjp.learn(named, search="ibmap-hc"),
        )
        assert [tuple(names[v] for v in s.edge) for s in plain.steps] == [
            tuple(s.edge) for s in trace.steps
        ]
        assert trace.score == plain.score


class TestTies:
    def test_without_data_the_first_pair_is_proposed_and_refused(self) -> None:
        data = bjp.Dataset.from_codes(np.zeros((0, 5), dtype=int), cardinalities=[2, 3, 2, 4, 2])
        for method in METHODS:
            trace = bjp.learn(data, method, "ibmap-hc")
            assert trace.steps == ()
            assert trace.rejected is not None
            assert trace.rejected.edge == (0, 1)
            assert trace.graph.number_of_edges() == 0

    @pytest.mark.parametrize("method", METHODS)
    def test_equal_pairs_are_taken_in_lexicographic_order(self, method: str) -> None:
        # Four copies of one column: six pairs with the very same counts.
        column = np.random.default_rng(4).integers(3, size=40)
        data = bjp.Dataset.from_codes(np.column_stack([column] * 4))
        first = bjp.learn(data, method, "ibmap-hc").steps[0]
        assert first.edge == (0, 1)
        assert [c.edge for c in first.contributions] == oracles.pairs(4)

    @pytest.mark.parametrize("method", METHODS)
    def test_two_columns_in_both_orders(self, method: str) -> None:
        # Pairs (0,2) and (1,2) tie whichever way the counts are stored.
        rng = np.random.default_rng(6)
        source = rng.integers(4, size=60)
        copy = np.where(rng.random(60) < 0.8, source % 3, rng.integers(3, size=60))
        other = rng.integers(2, size=60)
        data = bjp.Dataset.from_codes(np.column_stack([copy, copy, source, other]))
        contributions = {
            c.edge: c.value for c in bjp.learn(data, method, "ibmap-hc").steps[0].contributions
        }
        assert contributions[0, 2] == contributions[1, 2]

    @pytest.mark.parametrize("method", METHODS)
    def test_a_column_and_its_complement(self, method: str) -> None:
        # The counts of (0,2) and (1,2) are the same in another order: still a tie.
        rng = np.random.default_rng(7)
        for states in (2, 3, 5):
            source = rng.integers(states, size=61)
            noise = rng.integers(states, size=61)
            copy = np.where(rng.random(61) < 0.3, source, noise)
            data = bjp.Dataset.from_codes(
                np.column_stack([source, states - 1 - source, copy])[:, [2, 0, 1]],
                cardinalities=[states] * 3,
            )
            first = bjp.learn(data, method, "ibmap-hc").steps[0]
            assert first.edge == (1, 2)
            contributions = [c.edge for c in first.contributions]
            assert contributions == [(1, 2), (0, 1), (0, 2)]

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("seed", range(20))
    def test_one_row_says_nothing(self, method: str, seed: int) -> None:
        # All posteriors are one half whatever the graph: no flip raises the score.
        cards = tuple(map(int, np.random.default_rng(seed).integers(2, 9, size=2 + seed % 5)))
        trace = bjp.learn(random_sample(seed, cards, 1).data, method, "ibmap-hc")
        assert trace.steps == ()
        assert trace.rejected is not None
        assert trace.rejected.edge == (0, 1)

    @given(samples(min_variables=2, max_variables=5), st.data())
    def test_ib_leaves_a_constant_alone(self, sample: Sample, choice: st.DataObject) -> None:
        # With one state, g = h in every slice and no conditioning set grows: all gains are nought.
        constant = choice.draw(st.integers(0, sample.n - 1))
        rows = tuple((*row[:constant], 0, *row[constant + 1 :]) for row in sample.rows)
        cards = (*sample.cards[:constant], 1, *sample.cards[constant + 1 :])
        assert (
            bjp.learn(Sample(rows, cards).data, "ib", search="ibmap-hc").graph.degree(constant) == 0
        )

    @given(samples(max_variables=5), st.sampled_from(METHODS))
    def test_a_gain_is_more_than_rounding(self, sample: Sample, method: str) -> None:
        for step in bjp.learn(sample.data, method, "ibmap-hc").steps:
            assert step.gain > 1e-13 * abs(step.score)


class TestPromises:
    @given(samples(min_variables=3), st.sampled_from(METHODS))
    def test_each_proposal(self, sample: Sample, method: str) -> None:
        trace = bjp.learn(sample.data, method, "ibmap-hc")
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
                edges, score = flipped, step.score
        assert edges == edges_in(trace.graph)
        assert score == trace.score

    @staticmethod
    def assert_contributions(
        sample: Sample, method: str, edges: oracles.Edges, step: bjp.search.Step
    ) -> None:
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

    @given(samples(), st.sampled_from(METHODS))
    def test_the_score_climbs_and_nothing_is_visited_twice(
        self, sample: Sample, method: str
    ) -> None:
        trace = bjp.learn(sample.data, method, "ibmap-hc")
        scores = [trace.start_score, *(step.score for step in trace.steps)]
        assert all(low < high for low, high in pairwise(scores))
        assert scores[-1] == trace.score
        assert trace.score == bjp.score(sample.data, trace.graph, method).total
        assert list(trace.graph.nodes) == list(range(sample.n))

    @pytest.mark.parametrize("method", METHODS)
    def test_why_it_stopped(self, method: str) -> None:
        trace = bjp.learn(random_sample(8, (2, 2, 3, 2), 100).data, method, "ibmap-hc")
        assert trace.stop_reason == bjp.search.StopReason.NOT_RAISED
        assert str(trace.stop_reason.value).endswith("does not raise the score")
        assert trace.rejected is not None
        assert trace.rejected.score <= trace.score
        assert not trace.rejected.accepted

    @pytest.mark.parametrize("method", METHODS)
    def test_one_variable_has_no_pair(self, method: str) -> None:
        trace = bjp.learn(bjp.Dataset.from_codes([[0], [1]]), method, "ibmap-hc")
        assert trace.stop_reason == bjp.search.StopReason.NO_PAIR
        assert trace.rejected is None
        assert trace.score == 0.0
        assert list(trace.graph.nodes) == [0]

    @pytest.mark.parametrize("method", METHODS)
    def test_the_same_again(self, method: str) -> None:
        data = random_sample(9, (2, 3, 4, 2, 3), 150).data
        one, other = (
            bjp.learn(data, method, "ibmap-hc"),
            bjp.learn(data, method, "ibmap-hc"),
        )
        assert one.steps == other.steps
        assert (one.score, one.rejected, one.tests) == (other.score, other.rejected, other.tests)

    def test_tests_are_counted(self) -> None:
        sample = random_sample(9, (2, 3, 4, 2, 3), 150)
        bjp_tests, ib_tests = (
            bjp.learn(sample.data, method, "ibmap-hc").tests for method in ("bjp", "ib")
        )
        assert bjp_tests >= 10
        assert ib_tests >= 20
        assert bjp.learn(sample.data, search="ibmap-hc").seconds >= 0.0

    def test_the_options_of_the_test(self) -> None:
        sample = random_sample(10, (2, 3, 4, 2), 60)
        trace = bjp.learn(sample.data, prior=0.9, gamma=0.5, slices="observed", search="ibmap-hc")
        again = bjp.score(sample.data, trace.graph, prior=0.9, gamma=0.5, slices="observed")
        assert trace.score == again.total
        assert trace.score != bjp.score(sample.data, trace.graph).total

    def test_how_many_contributions_are_kept(self) -> None:
        sample = random_sample(10, (2, 3, 4, 2), 60)
        trace = bjp.learn(sample.data, contributions=3, search="ibmap-hc")
        assert {len(step.contributions) for step in trace.proposals} == {3}


class TestWatching:
    data = random_sample(2, (2, 3, 2, 4, 2, 2), 300).data

    @pytest.mark.parametrize("method", METHODS)
    def test_every_proposal_is_shown_as_it_happens(self, method: str) -> None:
        seen: list[bjp.search.Step] = []
        trace = bjp.learn(self.data, method, on_step=seen.append, search="ibmap-hc")
        assert tuple(seen) == (*trace.steps, trace.rejected)

    @pytest.mark.parametrize("method", METHODS)
    def test_cancelled_on_the_way(self, method: str) -> None:
        seen: list[bjp.search.Step] = []
        whole = bjp.learn(self.data, method, "ibmap-hc")
        assert len(whole.steps) > 2
        trace = bjp.learn(
            self.data,
            method,
            on_step=seen.append,
            progress=bjp.Progress(cancelled=lambda: len(seen) >= 2),
            search="ibmap-hc",
        )
        assert trace.stop_reason == bjp.search.StopReason.CANCELLED
        assert trace.steps == whole.steps[:2]
        assert trace.rejected is None
        assert trace.score == whole.steps[1].score

    @pytest.mark.parametrize("method", METHODS)
    def test_cancelled_before_it_began(self, method: str) -> None:
        with pytest.raises(Cancelled):
            bjp.learn(
                self.data, method, progress=bjp.Progress(cancelled=lambda: True), search="ibmap-hc"
            )

    @pytest.mark.parametrize("method", METHODS)
    def test_watching_changes_nothing(self, method: str) -> None:
        watched = bjp.learn(
            self.data,
            method,
            on_step=lambda step: None,
            progress=bjp.Progress(lambda done, total: None, lambda: False),
            search="ibmap-hc",
        )
        assert watched.steps == bjp.learn(self.data, method, "ibmap-hc").steps

    def test_progress_counts_up_to_its_total(self) -> None:
        seen: list[tuple[int, int]] = []
        bjp.learn(
            self.data,
            progress=bjp.Progress(report=lambda done, total: seen.append((done, total))),
            search="ibmap-hc",
        )
        assert all(0 <= done <= total for done, total in seen)

    def test_what_the_watcher_raises_comes_through(self) -> None:
        def fail(step: bjp.search.Step) -> None:
            raise RuntimeError("the watcher fell asleep")

        with pytest.raises(RuntimeError, match="asleep"):
            bjp.learn(self.data, on_step=fail, search="ibmap-hc")


class TestRefusals:
    data = bjp.Dataset.from_codes([[0, 1, 0], [1, 0, 0]], names=["rain", "wet", "sun"])

    @pytest.mark.parametrize(
        ("options", "word"),
        [
            ({"start": "full"}, "full"),
            ({"start": 3}, "start"),
            ({"contributions": -1}, "contributions"),
            ({"prior": 2}, "prior"),
            ({"restarts": 3}, "restarts"),
            ({"ess": 1.0}, "ess"),
        ],
    )
    def test_a_wrong_option_is_named(self, options: dict[str, object], word: str) -> None:
        with pytest.raises(OptionError, match=word):
            bjp.learn(self.data, "bjp", "ibmap-hc", **options)  # type: ignore[arg-type]

    def test_a_start_graph_must_fit(self) -> None:
        with pytest.raises(GraphError, match="snow"):
            bjp.learn(self.data, start=nx.Graph([("rain", "snow")]), search="ibmap-hc")

    def test_a_start_graph_is_not_changed(self) -> None:
        start = nx.Graph([("rain", "wet"), ("wet", "sun"), ("rain", "sun")])
        trace = bjp.learn(self.data, start=start, search="ibmap-hc")
        assert start.number_of_edges() == 3
        assert trace.start.number_of_edges() == 3

    @pytest.mark.parametrize(("method", "search"), [("bjp", "mpl-hc"), ("mpl", "ibmap-hc")])
    def test_a_search_of_another_score(self, method: str, search: str) -> None:
        with pytest.raises(OptionError, match=search):
            bjp.learn(self.data, method, search)

    def test_an_unknown_search_is_named(self) -> None:
        with pytest.raises(OptionError, match="simulated-annealing"):
            bjp.learn(self.data, "bjp", "simulated-annealing")
