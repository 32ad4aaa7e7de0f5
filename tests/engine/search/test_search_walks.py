"""The searches by gain and the climbs that go on: where they end, and what they may not miss."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.errors import OptionError
from bjp_engine.scores.structure import filled
from bjp_engine.search import StopReason, searches_for
from bjp_engine.search.auto.nodewise import nodewise
from tests.strategies import noisy_tree

METHODS = ("bjp", "ib", "mpl", "near")
every_method = pytest.mark.parametrize("method", METHODS)
PRIORS: tuple[dict[str, Any], ...] = ({}, {"expected_degree": 1})
# Searches that end where no single flip raises the score.
THOROUGH = {"hill-climb", "steepest", "restarts", "annealing"}


@pytest.fixture(scope="module")
def data() -> bjp.Dataset:
    return noisy_tree(5, (2, 3, 2, 2, 2, 4, 2), 250).data


def gains(data: bjp.Dataset, graph: nx.Graph, method: str, prior: dict) -> dict:
    """What each single flip gains, by scoring whole graphs."""
    before, found = bjp.score(data, graph, method, **prior).total, {}
    for pair in itertools.combinations(data.names, 2):
        other = nx.Graph(graph)
        flip(other, pair)
        found[pair] = bjp.score(data, other, method, **prior).total - before
    return found


def flip(graph: nx.Graph, pair: tuple) -> None:
    graph.remove_edge(*pair) if graph.has_edge(*pair) else graph.add_edge(*pair)


@every_method
def test_where_each_ends(data: bjp.Dataset, method: str) -> None:
    thorough = THOROUGH & set(searches_for(method))
    assert len(thorough) >= 3
    for search, prior in itertools.product(thorough, PRIORS):
        trace = bjp.learn(data, method, search, **prior)
        assert max(gains(data, trace.graph, method, prior).values()) <= 1e-9, (search, prior)
    # Of few variables the best graph is known.
    small = noisy_tree(2, (2, 2, 3, 2, 2), 150).data
    best = bjp.learn(small, method, "exhaustive").score
    for search in (*thorough, "tabu"):
        score = bjp.learn(small, method, search).score
        assert score <= best + 1e-9, search
        if search in ("tabu", "restarts", "annealing"):
            assert score == pytest.approx(best, rel=1e-12), search


@every_method
def test_steepest_makes_the_best_flip(data: bjp.Dataset, method: str) -> None:
    for prior in PRIORS:
        trace = bjp.learn(data, method, "steepest", **prior)
        graph = nx.Graph(trace.start)
        assert len(trace.steps) > 2
        for step in trace.steps:
            found = gains(data, graph, method, prior)
            assert step.gain == pytest.approx(max(found.values()), rel=1e-9)
            assert found[step.edge] == pytest.approx(step.gain, rel=1e-9)
            assert step.added == (not graph.has_edge(*step.edge))
            flip(graph, step.edge)


@pytest.mark.parametrize("method", ["bjp", "ib", "near"])
def test_the_hill_climb_goes_on_where_the_paper_stops(data: bjp.Dataset, method: str) -> None:
    for prior in PRIORS:
        paper = bjp.learn(data, method, "ibmap-hc", **prior)
        trace = bjp.learn(data, method, "hill-climb", **prior)
        assert [s.edge for s in trace.steps[: len(paper.steps)]] == [s.edge for s in paper.steps]
        assert trace.score >= paper.score
        graph = nx.Graph(trace.start)
        for step in trace.proposals:
            assert step.contributions[0].edge == step.edge
            values = [c.value for c in step.contributions]
            assert values == pytest.approx(sorted(values), rel=1e-12)
            found = gains(data, graph, method, prior)[step.edge]
            assert step.accepted == (found > 1e-9)
            assert step.added == (not graph.has_edge(*step.edge))
            if step.accepted:
                flip(graph, step.edge)


@every_method
def test_tabu_flips_nothing_back_and_ends(data: bjp.Dataset, method: str) -> None:
    tenure, again = 4, 0
    trace = bjp.learn(data, method, "tabu", tenure=tenure)
    steps, best = list(trace.steps), trace.start_score
    for k, step in enumerate(steps):
        if any(s.edge == step.edge for s in steps[max(0, k - tenure) : k]):
            assert step.score > best
        again += any(s.edge == step.edge for s in steps[:k])
        best = max(best, step.score)
    assert again
    trace = bjp.learn(data, method, "tabu", patience=7)
    assert len(trace.steps) == trace.best_at + 7
    assert trace.stop_reason is StopReason.PATIENCE


def test_the_seed_decides(data: bjp.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    for method, search in itertools.product(METHODS, ("restarts", "annealing")):
        one, other, again = (bjp.learn(data, method, search, seed=k).steps for k in (1, 2, 1))
        assert one == again != other, (method, search)
    # How many flips are made at once does not matter.
    for search in ("annealing", "restarts", "steepest"):
        whole = [(step.edge, step.score) for step in bjp.learn(data, "bjp", search).steps]
        for most in (1, 3, 50):
            with monkeypatch.context() as patch:
                patch.setattr("bjp_engine.search.walks.walk._MOST", most)
                patch.setattr("bjp_engine.search.walks.walk._FEWEST", 1)
                steps = bjp.learn(data, "bjp", search).steps
            assert [(step.edge, step.score) for step in steps] == whole, (search, most)


def test_options_that_do_not_fit_are_named(data: bjp.Dataset) -> None:
    for search, options, named in (
        ("annealing", {"hot": 1.0, "cold": 2.0}, "colder"),
        ("annealing", {"sweeps": 0}, "sweeps"),
        ("restarts", {"strength": 0}, "strength"),
        ("tabu", {"patience": 0}, "patience"),
    ):
        with pytest.raises(OptionError, match=named):
            bjp.learn(data, "bjp", search, **options)


class TestAuto:
    def test_starts_from_the_variables_blankets(self, data: bjp.Dataset) -> None:
        trace = bjp.learn(data, "bjp", "auto")
        by_node, evidence = nodewise(data, filled(data.n, 1 / 3)), trace.evidence
        others = (evidence.in_forest | (evidence.together > 0)) & (trace.structure.log_odds > 0)
        assert (evidence.found == by_node.found).all()
        assert (nx.to_numpy_array(trace.start, dtype=bool) == by_node.either | others).all()
        assert nx.utils.graphs_equal(trace.start, trace.milestones["nodewise"])
        assert (trace.structure.log_odds == trace.structure.log_odds.T).all()

    @pytest.mark.parametrize("method", ["bjp", "ib", "near"])
    def test_proposes_the_pair_that_disagrees_most(self, method: str) -> None:
        data = noisy_tree(14, (3, 2, 4) * 6, 80).data
        trace = bjp.learn(data, method, "auto", contributions=200)
        disagreement_in = partial(disagreement, data, method, trace.structure.log_odds)
        graph, marked = nx.Graph(trace.start), set[frozenset]()
        assert len(trace.proposals) > 1
        for step in trace.proposals:
            own = disagreement_in(graph)
            left = {pair: gain for pair, gain in own.items() if pair not in marked}
            assert own[frozenset(step.edge)] == pytest.approx(max(left.values()), rel=1e-6)
            assert own[frozenset(step.edge)] > 0
            if step.accepted:
                assert step.added == (not graph.has_edge(*step.edge))
                flip(graph, step.edge)
                marked = {pair for pair in marked if not pair & set(step.edge)}
            else:
                marked.add(frozenset(step.edge))
        left = disagreement_in(graph)
        assert all(gain <= 1e-9 for pair, gain in left.items() if pair not in marked)

    def test_a_given_prior_is_its_base(self) -> None:
        data = noisy_tree(1, (2,) * 14, 60).data
        few = bjp.learn(data, "bjp", "auto", expected_degree=1e-4)
        many = bjp.learn(data, "bjp", "auto", expected_degree=3)
        assert few.graph.number_of_edges() < many.graph.number_of_edges()
        assert many.steps == bjp.learn(data, "bjp", "auto").steps

    def test_constant_and_doubled_columns(self) -> None:
        x = np.random.default_rng(0).integers(0, 2, size=(300, 3))
        codes = np.column_stack([x, x[:, 0], np.zeros(300, dtype=int)])
        trace = bjp.learn(bjp.Dataset.from_codes(codes, (2, 2, 2, 2, 1)), "bjp", "auto")
        assert set(trace.graph.edges) == {(0, 3)}


def disagreement(data: bjp.Dataset, method: str, odds: np.ndarray, graph: nx.Graph) -> dict:
    """What each flip would gain if only the pair's own terms and odds changed."""
    found: dict[frozenset, float] = {}
    for i, j in itertools.combinations(range(data.n), 2):
        found[frozenset((i, j))] = -odds[i, j] if graph.has_edge(i, j) else odds[i, j]
    for term in bjp.score(data, graph, method, prior_cells="centred").computed:
        found[frozenset((term.x, term.y))] += np.log(-np.expm1(term.value)) - term.value
    return found
