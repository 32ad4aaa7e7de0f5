"""Flips that a search tells: against scores of whole graphs, for every score and prior."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.scores import SCORES
from bjp_engine.search.flips import Flips, flips_of
from bjp_engine.search.problem import pose
from tests import oracles
from tests.strategies import Sample, as_graph, noisy_tree, samples_with_graph

PRIORS = [{}, {"edge_probability": 0.1}, {"expected_degree": 1.5}, {"log_odds": "mixed"}]


def odds_for(n: int, prior: dict) -> dict:
    """The prior, its matrix made for so many variables."""
    if prior.get("log_odds") != "mixed":
        return prior
    made = np.add.outer(np.arange(n), np.arange(n)) % 5 - 2.5
    return {"log_odds": made}


def flips_for(data: bjp.Dataset, method: str, edges: oracles.Edges, prior: dict) -> Flips:
    adjacency = np.zeros((data.n, data.n), dtype=np.bool_)
    for i, j in map(tuple, edges):
        adjacency[i, j] = adjacency[j, i] = True
    return flips_of(pose(data, method, prior), adjacency)


def graph_of(adjacency: np.ndarray) -> set[tuple[int, int]]:
    return {(int(i), int(j)) for i, j in np.argwhere(np.triu(adjacency))}


@st.composite
def tried(draw: st.DrawFn) -> tuple[Sample, oracles.Edges, list[tuple[int, int]], list[float]]:
    """Data, a graph, and flips with what they need."""
    sample, edges = draw(samples_with_graph(min_variables=3, max_variables=6))
    flips = draw(st.lists(st.sampled_from(oracles.pairs(sample.n)), min_size=1, max_size=15))
    needs = st.sampled_from([-math.inf, -1.0, 0.0, math.inf])
    return sample, edges, flips, draw(st.lists(needs, min_size=len(flips), max_size=len(flips)))


@pytest.mark.parametrize("method", SCORES)
@settings(max_examples=40)
@given(case=tried(), prior=st.sampled_from(PRIORS))
def test_as_if_each_graph_were_scored(method: str, case: tuple, prior: dict) -> None:
    sample, edges, pairs, needed = case
    prior = odds_for(sample.n, prior)
    flips = flips_for(sample.data, method, edges, prior)
    graph = as_graph(edges, sample.n)
    assert flips.score == bjp.score(sample.data, graph, method, **prior).total
    found = flips.propose(np.array(pairs), np.array(needed))
    for k, (i, j) in enumerate(pairs):
        before = bjp.score(sample.data, graph, method, **prior).total
        flipped = graph.copy()
        flipped.remove_edge(i, j) if graph.has_edge(i, j) else flipped.add_edge(i, j)
        after = bjp.score(sample.data, flipped, method, **prior).total
        assert found.score[k] == pytest.approx(after, rel=1e-12, abs=1e-12)
        assert found.gain[k] == pytest.approx(after - before, rel=1e-9, abs=1e-9)
        assert found.kept[k] == (found.gain[k] > needed[k])
        if found.kept[k]:
            graph = flipped
    assert graph_of(flips.adjacency) == {tuple(sorted(edge)) for edge in graph.edges}
    assert flips.score == bjp.score(sample.data, graph, method, **prior).total


@pytest.mark.parametrize("method", SCORES)
def test_what_was_only_weighed_is_remembered(method: str) -> None:
    data = noisy_tree(3, (2, 3, 2, 2, 4, 2), 200).data
    flips = flips_for(data, method, frozenset(), {})
    pairs, never = np.array(oracles.pairs(data.n)), np.full(15, np.inf)
    first = flips.propose(pairs, never)
    tests = flips.tests
    again = flips.propose(pairs, never)
    assert (again.gain == first.gain).all()
    assert flips.tests == tests
    assert not flips.adjacency.any()


@pytest.mark.parametrize("method", ["bjp", "ib", "near"])
def test_more_variables_than_are_remembered(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = noisy_tree(3, (2,) * 12, 200).data
    rng, pairs = np.random.default_rng(0), np.array(oracles.pairs(12))
    chosen, needed = pairs[rng.integers(66, size=400)], np.log(rng.random(400))
    one = flips_for(data, method, frozenset(), {})
    found = one.propose(chosen, needed)
    monkeypatch.setattr("bjp_engine.scores.board.MOST_REMEMBERED", 11)
    other = flips_for(data, method, frozenset(), {})
    same = other.propose(chosen, needed)
    assert (same.kept == found.kept).all()
    assert (same.score == found.score).all()
    assert other.tests > one.tests
