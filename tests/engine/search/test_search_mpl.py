"""The MPL hill climb against docs/theory.md §4: both phases, move by move."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given

import bjp_engine as bjp
from bjp_engine.search import StopReason
from tests import oracles
from tests.strategies import Sample, as_graph, edges_in, noisy_tree, random_sample, samples

ROOT = Path(__file__).parents[3]
CLEAR = 1e-7  # decisions closer than this are left to rounding


def in_phase(trace: bjp.search.SearchTrace, phase: str) -> list[bjp.search.Step]:
    return [step for step in trace.steps if step.phase == phase]


def assert_same(trace: bjp.search.SearchTrace, truth: oracles.OracleMPL) -> None:
    """The AND and OR graphs, every flip between them, and the score after each."""
    assert edges_in(trace.milestones["and"]) == truth.and_graph
    assert edges_in(trace.milestones["or"]) == truth.or_graph
    ascent = in_phase(trace, "graph")
    assert [frozenset(step.edge) for step in ascent] == list(map(frozenset, truth.flips))
    assert [step.score for step in ascent] == pytest.approx(
        [float(s) for s in truth.scores[1:]], rel=1e-9
    )
    assert edges_in(trace.graph) == truth.edges
    assert trace.score == pytest.approx(float(truth.score), rel=1e-9, abs=1e-30)


def moves(trace: bjp.search.SearchTrace, variable: int) -> tuple[tuple[str, int], ...]:
    """The changes of one variable's blanket."""
    return tuple(
        ("add" if step.added else "delete", step.edge[1])
        for step in in_phase(trace, "blanket")
        if step.edge[0] == variable
    )


def test_coronary_as_printed_and_to_every_digit() -> None:
    data = bjp.Dataset.from_frame(pd.read_csv(ROOT / "sample_data" / "datasets" / "coronary.csv"))
    expected = json.loads((ROOT / "tests" / "golden" / "coronary.json").read_text("utf-8"))["mpl"]
    trace = bjp.learn(data, "mpl")
    assert trace.graph.number_of_edges() == 4
    assert trace.score == pytest.approx(-6389.9399, abs=5e-5)
    ascent = in_phase(trace, "graph")
    assert [set(step.edge) for step in ascent] == [set(edge) for edge in expected["flips"]]
    assert [step.score for step in ascent] == pytest.approx(expected["scores"][1:], rel=1e-12)
    assert edges_in(trace.graph) == frozenset(map(frozenset, expected["edges"]))
    assert list(trace.order) == expected["order"]


class TestAgainstTheOracle:
    @given(samples(max_variables=5))
    def test_graphs_flips_scores_and_the_moves_of_each_blanket(self, sample: Sample) -> None:
        trace = bjp.learn(sample.data, "mpl")
        for variable in range(sample.n):
            best = oracles.Best()
            _, expected = oracles.mpl_blanket(sample.rows, sample.cards, variable, best)
            if best.margin > CLEAR:
                assert moves(trace, variable) == expected
        truth = oracles.mpl_hc(sample.rows, sample.cards)
        assume(truth.margin > CLEAR)
        assert_same(trace, truth)

    def test_more_data_and_flips_between_and_and_or(self) -> None:
        cases = [noisy_tree(seed, (2, 3, 2, 4, 2, 3, 2), 400) for seed in range(4)]
        cases += [noisy_tree(seed, (2,) * 6, 80) for seed in (1, 8, 47)]
        for sample in cases:
            truth = oracles.mpl_hc(sample.rows, sample.cards)
            assert truth.margin > CLEAR
            assert len(truth.flips) == 2 or sample.n == 7
            assert_same(bjp.learn(sample.data, "mpl"), truth)

    def test_a_blanket_that_loses_a_member_again(self) -> None:
        # 0 is first explained by its noisy summary, which the causes together make superfluous;
        # with two causes the blanket has just the three members from which one may leave.
        for causes in (2, 3):
            sample = summary(causes)
            _, expected = oracles.mpl_blanket(sample.rows, sample.cards, 0)
            assert expected[0] == ("add", causes + 1)
            assert expected[-1] == ("delete", causes + 1)
            assert moves(bjp.learn(sample.data, "mpl"), 0) == expected


def summary(causes: int = 3) -> Sample:
    """Variable 0 says whether its causes reach two; the last variable repeats it with noise."""
    rng = np.random.default_rng(17)
    states = 5 - causes
    table = rng.integers(states, size=(2000, causes))
    enough = (table.sum(axis=1) >= 2).astype(int)
    zero = np.where(rng.random(2000) < 0.02, 1 - enough, enough)
    noisy = np.where(rng.random(2000) < 0.1, 1 - enough, enough)
    rows = np.column_stack([zero, table, noisy]).tolist()
    return Sample(tuple(map(tuple, rows)), (2, *(states,) * causes, 2))


class TestTies:
    def test_equal_candidates_go_by_index(self) -> None:
        # A column, its complement and a noisy copy: the first of two equal candidates joins.
        rng = np.random.default_rng(7)
        for states in (2, 3, 5):
            source = rng.integers(states, size=200)
            noise = rng.integers(states, size=200)
            copy = np.where(rng.random(200) < 0.6, source, noise)
            table = np.column_stack([source, states - 1 - source, copy])
            data = bjp.Dataset.from_codes(table, cardinalities=[states] * 3)
            assert moves(bjp.learn(data, "mpl"), 2)[0] == ("add", 0)


class TestPromises:
    @given(samples())
    def test_the_record_is_consistent(self, sample: Sample) -> None:
        trace = bjp.learn(sample.data, "mpl")
        assert [step.index for step in trace.steps] == list(range(1, len(trace.steps) + 1))
        assert all(step.accepted and step.gain > 0 for step in trace.steps)
        phases = [step.phase for step in trace.steps]
        assert phases == sorted(phases)  # "blanket" < "graph"
        assert set(phases) <= {"blanket", "graph"}
        assert trace.score == bjp.score(sample.data, trace.graph, "mpl").total
        assert list(trace.graph.nodes) == list(range(sample.n))
        edges = edges_in(trace.milestones["and"])
        assert edges <= edges_in(trace.milestones["or"])
        for step in in_phase(trace, "graph"):
            edges = edges ^ {frozenset(step.edge)}
            fresh = bjp.score(sample.data, as_graph(edges, sample.n), "mpl")
            assert step.score == pytest.approx(fresh.total, rel=1e-12)
            assert step.order == fresh.order
            assert frozenset(step.edge) in edges_in(trace.milestones["or"])
        assert edges == edges_in(trace.graph)

    def test_without_rows_or_pairs_there_is_no_step(self) -> None:
        data = bjp.Dataset.from_codes(np.zeros((0, 4), dtype=int), cardinalities=[2, 3, 2, 4])
        assert bjp.learn(data, "mpl").score == 0.0
        alone = bjp.Dataset.from_codes([[0], [1]])
        assert list(bjp.learn(alone, "mpl").graph.nodes) == [0]
        assert bjp.learn(data, "mpl").steps == bjp.learn(alone, "mpl").steps == ()

    def test_why_it_stopped_and_another_equivalent_sample(self) -> None:
        trace = bjp.learn(random_sample(1, (2, 3, 2), 80).data, "mpl")
        assert trace.stop_reason is StopReason.NO_CANDIDATE
        assert trace.rejected is None
        data = random_sample(12, (2, 3, 2, 4), 100).data
        trace = bjp.learn(data, "mpl", ess=20.0)
        assert trace.score == bjp.score(data, trace.graph, "mpl", ess=20.0).total

    def test_cancelled_a_blanket_is_handed_on_whole(self) -> None:
        data, seen = summary().data, list[bjp.search.Step]()
        whole = bjp.learn(data, "mpl")
        watch = bjp.Progress(cancelled=lambda: len(seen) >= 3)
        cut = bjp.learn(data, "mpl", on_step=seen.append, progress=watch)
        assert cut.stop_reason is StopReason.CANCELLED
        assert 3 <= len(cut.steps) < len(whole.steps)
        assert cut.steps == whole.steps[: len(cut.steps)] == tuple(seen)
