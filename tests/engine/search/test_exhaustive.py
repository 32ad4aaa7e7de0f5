"""All graphs: the look-up tables against scoring each graph on its own (docs/theory.md §4)."""

from __future__ import annotations

import math
import tracemalloc

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.errors import BJPError, Cancelled, DataError, OptionError
from bjp_engine.search import PUBLISHED
from tests import oracles
from tests.strategies import Sample, as_graph, edges_in, random_sample, samples

METHODS = ("bjp", "ib", "mpl", "near")


def graph_of(number: int, n: int) -> oracles.Edges:
    """Bit p of a graph's number is its p-th pair in lexicographic order."""
    return oracles.edges_of(p for bit, p in enumerate(oracles.pairs(n)) if number >> bit & 1)


class TestAgainstTheOracle:
    @settings(max_examples=20)
    @given(samples(max_variables=3), st.sampled_from(METHODS))
    def test_every_graph_on_up_to_three_variables(self, sample: Sample, method: str) -> None:
        self.assert_all(sample, method)

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("seed", range(2))
    def test_every_graph_on_four_variables(self, method: str, seed: int) -> None:
        self.assert_all(random_sample(seed, (2, 3, 4, 2), 50), method)

    @staticmethod
    def assert_all(sample: Sample, method: str) -> None:
        truth = oracles.exhaustive(sample.rows, sample.cards, method)
        table = bjp.all_graphs(sample.data, method)
        assert len(table.scores) == len(truth)
        for number, value in enumerate(table.scores):
            edges = graph_of(number, sample.n)
            assert value == pytest.approx(float(truth[edges]), rel=1e-9, abs=1e-30)
        trace = bjp.learn(sample.data, method, "exhaustive")
        assert trace.score == pytest.approx(float(max(truth.values())), rel=1e-9, abs=1e-30)
        assert float(truth[edges_in(trace.graph)]) == pytest.approx(trace.score, rel=1e-9)


class TestSixVariables:
    SAMPLES = (
        random_sample(1, (2,) * 6, 200),
        random_sample(2, (2, 5, 3, 40, 2, 4), 120, declared=(2, 5, 4, 40, 3, 4)),
        Sample((), (2, 3, 2, 4, 2, 300)),
    )

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("sample", SAMPLES)
    def test_look_up_equals_score(self, sample: Sample, method: str) -> None:
        table = bjp.all_graphs(sample.data, method)
        assert table.scores.shape == (32_768,)
        numbers = np.random.default_rng(3).integers(32_768, size=197)
        for number in (0, 32_767, table.best, *map(int, numbers)):
            graph = as_graph(graph_of(number, 6), 6)
            direct = bjp.score(sample.data, graph, method).total
            assert table.scores[number] == pytest.approx(direct, rel=1e-9, abs=1e-12)
            assert table.number(graph) == number
            assert edges_in(table.graph(number)) == edges_in(graph)

    @pytest.mark.parametrize("method", METHODS)
    def test_the_best_graph(self, method: str) -> None:
        sample = self.SAMPLES[0]
        table = bjp.all_graphs(sample.data, method)
        trace = bjp.learn(sample.data, method, "exhaustive")
        assert table.best == int(np.argmax(table.scores))
        assert edges_in(trace.graph) == edges_in(table.graph(table.best))
        assert trace.score == bjp.score(sample.data, trace.graph, method).total
        assert trace.score >= bjp.learn(sample.data, method, PUBLISHED[method]).score
        assert trace.stop_reason == bjp.search.StopReason.COMPLETE
        assert trace.rejected is None

    def test_equal_scores_go_by_number(self) -> None:
        table = bjp.all_graphs(self.SAMPLES[2].data, "mpl")
        assert set(table.scores.tolist()) == {0.0}
        assert table.best == 0
        assert table.ranking.tolist() == list(range(32_768))
        assert not table.ranking.flags.writeable

    @pytest.mark.parametrize(
        ("method", "most"), [("bjp", 240), ("ib", 240), ("mpl", 192), ("near", 240)]
    )
    def test_only_so_many_tests_are_made(self, method: str, most: int) -> None:
        assert bjp.all_graphs(self.SAMPLES[0].data, method).tests == most

    @pytest.mark.parametrize(
        ("method", "options"),
        [
            ("bjp", {"prior": 0.8, "slices": "observed"}),
            ("ib", {"gamma": 2.0}),
            ("near", {"prior_cells": "centred", "expected_degree": 1}),
            ("mpl", {"ess": 9}),
        ],
    )
    def test_the_options_of_the_score(self, method: str, options: dict[str, object]) -> None:
        sample = self.SAMPLES[0]
        table = bjp.all_graphs(sample.data, method, **options)
        for number in (0, 77, 12_345, 32_767):
            graph = as_graph(graph_of(number, 6), 6)
            direct = bjp.score(sample.data, graph, method, **options).total
            assert table.scores[number] == pytest.approx(direct, rel=1e-9)


class TestSevenVariables:
    SAMPLES = (
        random_sample(11, (2,) * 7, 300),
        random_sample(12, (2, 4, 3, 2, 5, 2, 3), 60),
    )

    @pytest.mark.slow
    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("sample", SAMPLES)
    def test_look_up_equals_the_sum_of_every_term(self, sample: Sample, method: str) -> None:
        """Each term is made by a test or local score of its own, with odds and without."""
        rng = np.random.default_rng(4)
        odds = rng.normal(size=(7, 7))
        odds = odds + odds.T
        plain = bjp.all_graphs(sample.data, method)
        weighed = bjp.all_graphs(sample.data, method, log_odds=odds)
        assert plain.scores.shape == (2_097_152,)
        # The ends of blocks, and graphs from everywhere.
        ends = (0, 32_767, 32_768, 2_097_151, plain.best)
        for number in (*ends, *map(int, rng.integers(2_097_152, size=60))):
            edges = graph_of(number, 7)
            expected = slow_sum(sample, edges, method)
            assert plain.scores[number] == pytest.approx(expected, rel=1e-9, abs=1e-12)
            expected += sum(odds[min(edge), max(edge)] for edge in edges)
            assert weighed.scores[number] == pytest.approx(expected, rel=1e-9, abs=1e-9)
            assert plain.number(as_graph(edges, 7)) == number
            assert edges_in(plain.graph(number)) == edges_in(as_graph(edges, 7))

    def test_ranks_and_edge_probabilities(self) -> None:
        table = bjp.all_graphs(self.SAMPLES[0].data)
        ordered = table.scores[table.ranking]
        assert (np.diff(ordered) <= 1e-12 * np.abs(ordered[1:])).all()
        assert sorted(table.ranking[:1000]) == sorted(np.argsort(-table.scores)[:1000])
        assert table.rank(table.graph(table.best)) == 1
        weights = np.exp(table.scores - table.scores.max())
        numbers = np.arange(len(weights))
        for p, (i, j) in enumerate(oracles.pairs(7)):
            share = weights[numbers >> p & 1 == 1].sum() / weights.sum()
            assert table.edge_probabilities[i, j] == pytest.approx(share, rel=1e-9)

    def test_cancelled_between_blocks(self) -> None:
        seen: list[tuple[int, int]] = []
        watching = bjp.Progress(lambda done, of: seen.append((done, of)), lambda: len(seen) > 140)
        with pytest.raises(Cancelled):
            bjp.all_graphs(self.SAMPLES[0].data, "bjp", progress=watching)
        assert 0 < seen[-1][0] < seen[-1][1] == 2_097_152

    def test_memory(self) -> None:
        """The index is made block by block: far less is held than one of all graphs takes."""
        tracemalloc.start()
        try:
            bjp.all_graphs(self.SAMPLES[0].data)
            assert tracemalloc.get_traced_memory()[1] < 40_000_000
        finally:
            tracemalloc.stop()


def slow_sum(sample: Sample, edges: oracles.Edges, method: str) -> float:
    """A graph's score from single tests and local scores, each asked for by name."""
    n, data = sample.n, sample.data
    blankets = [
        sorted({*range(n)} & {v for e in edges if x in e for v in e} - {x}) for x in range(n)
    ]
    if method == "mpl":
        return math.fsum(bjp.scores.local_trace(data, x, blankets[x]).value for x in range(n))
    terms = []
    for x, y in oracles.pairs(n):
        ends = [(x, y), (y, x)]
        if method != "ib":
            # From the end with the smaller blanket, of equal ones the first.
            ends = [min(ends, key=lambda end: (len(blankets[end[0]]), end[0]))]
        for a, b in ends:
            given_ = [z for z in blankets[a] if z != b]
            if method == "near":
                given_ = sorted(oracles.near(edges, a, b))
            test = bjp.independence_test(data, a, b, given_)
            joined = b in blankets[a]
            terms.append(test.log_dependent if joined else test.log_independent)
    return math.fsum(terms)


class TestTable:
    sample = random_sample(5, (2, 3, 2, 2), 40)

    @pytest.mark.parametrize("method", METHODS)
    def test_shares_and_edge_probabilities(self, method: str) -> None:
        table = bjp.all_graphs(self.sample.data, method)
        truth = oracles.exhaustive(self.sample.rows, self.sample.cards, method)
        total = sum(oracles.mp.exp(value) for value in truth.values())
        for number in range(64):
            edges = graph_of(number, 4)
            share = oracles.mp.exp(truth[edges]) / total
            got = table.scores[table.number(as_graph(edges, 4))] - table.log_normaliser
            assert got == pytest.approx(float(oracles.mp.log(share)), rel=1e-9, abs=1e-12)
        for i, j in oracles.pairs(4):
            edge = frozenset((i, j))
            expected = sum(oracles.mp.exp(v) for e, v in truth.items() if edge in e) / total
            assert table.edge_probabilities[i, j] == pytest.approx(float(expected), rel=1e-9)
            assert table.edge_probabilities[j, i] == table.edge_probabilities[i, j]

    def test_ranks(self) -> None:
        table = bjp.all_graphs(self.sample.data)
        assert list(table.scores[table.ranking]) == sorted(table.scores, reverse=True)
        for place, number in enumerate(table.ranking[:5], start=1):
            ties = int((table.scores == table.scores[number]).sum())
            assert place <= table.rank(table.graph(int(number))) < place + ties

    def test_nothing_can_be_written(self) -> None:
        table = bjp.all_graphs(self.sample.data)
        with pytest.raises(ValueError, match="read-only"):
            table.scores[0] = 0.0

    def test_names(self) -> None:
        codes = np.array(self.sample.rows)
        data = bjp.Dataset.from_codes(codes, self.sample.cards, ["d", "b", "c", "a"])
        named, plain = bjp.all_graphs(data), bjp.all_graphs(self.sample.data)
        assert (named.scores == plain.scores).all()
        assert list(named.graph(1).edges) == [("d", "b")]
        assert named.number(nx.Graph([("c", "a")])) == 1 << 5

    def test_small_tables(self) -> None:
        alone = bjp.all_graphs(bjp.Dataset.from_codes([[0], [1]]))
        assert alone.scores.tolist() == [0.0]
        both = bjp.all_graphs(bjp.Dataset.from_codes([[0, 0], [0, 0], [1, 1], [1, 1]]))
        assert both.scores == pytest.approx([math.log(7 / 37), math.log(30 / 37)])


class TestRefusals:
    eight = bjp.Dataset.from_codes(np.zeros((3, 8), dtype=int), cardinalities=[2] * 8)

    def test_more_than_seven_variables(self) -> None:
        for call in (
            lambda: bjp.all_graphs(self.eight),
            lambda: bjp.learn(self.eight, "bjp", "exhaustive"),
        ):
            with pytest.raises(DataError, match=r"8 variables.* at most 7"):
                call()

    def test_wrong_options_are_named(self) -> None:
        data = random_sample(1, (2, 2), 5).data
        with pytest.raises(OptionError, match="bic"):
            bjp.all_graphs(data, "bic")
        with pytest.raises(OptionError, match="start"):
            bjp.learn(data, "bjp", "exhaustive", start="empty")

    def test_a_number_beyond_the_last_graph(self) -> None:
        table = bjp.all_graphs(random_sample(1, (2, 2, 2), 5).data)
        for number in (-1, 8):
            with pytest.raises((BJPError, IndexError)):
                table.graph(number)

    def test_cancelled(self) -> None:
        data = random_sample(1, (2,) * 6, 50).data
        with pytest.raises(Cancelled):
            bjp.learn(data, "bjp", "exhaustive", progress=bjp.Progress(cancelled=lambda: True))


@pytest.mark.parametrize("method", METHODS)
def test_the_coronary_climb_ends_high(method: str) -> None:
    """The hill climb's answer is one of the 32 768, at the score that the table gives it."""
    from pathlib import Path

    root = Path(__file__).parents[3]
    data = bjp.Dataset.from_frame(pd.read_csv(root / "sample_data" / "datasets" / "coronary.csv"))
    table, climb = bjp.all_graphs(data, method), bjp.learn(data, method, PUBLISHED[method])
    assert table.scores[table.number(climb.graph)] == pytest.approx(climb.score, rel=1e-12)
    assert table.scores.max() >= climb.score - 1e-12 * abs(climb.score)
