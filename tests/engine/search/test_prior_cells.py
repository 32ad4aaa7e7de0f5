"""Every search of the scores that make tests, with prior cells centred on independence."""

from __future__ import annotations

import pytest

import bjp_engine as bjp
from bjp_engine.search import searches_for
from tests import oracles
from tests.strategies import edges_in, noisy_tree

OPTIONS = {"prior": 0.8, "prior_cells": "centred"}
SAMPLE = noisy_tree(3, (2, 3, 2, 4, 2), 150)
BINARY = noisy_tree(4, (2, 2, 2, 2, 2), 400)
SEARCHES = [
    (method, search)
    for method in ("bjp", "ib")
    for search in searches_for(method)
    if search != "auto"  # it adds a prior of its own
]


@pytest.mark.parametrize("sample", [SAMPLE, BINARY], ids=["any states", "two states"])
@pytest.mark.parametrize(("method", "search"), SEARCHES)
def test_what_a_search_scores_is_what_the_oracle_says(
    method: str, search: str, sample: object
) -> None:
    assert isinstance(sample, type(SAMPLE))
    trace = bjp.learn(sample.data, method, search, **OPTIONS)  # type: ignore[arg-type]
    edges = edges_in(trace.graph)
    truth = oracles.score(sample.rows, sample.cards, edges, method, **OPTIONS)
    assert trace.score == pytest.approx(float(truth), rel=1e-9)
    assert trace.score != bjp.score(sample.data, trace.graph, method, prior=0.8).score


@pytest.mark.parametrize("method", ["bjp", "ib"])
def test_the_best_of_all_graphs_is_the_best_by_the_oracle(method: str) -> None:
    sample = noisy_tree(5, (2, 3, 2, 2), 120)
    found = bjp.learn(sample.data, method, "exhaustive", **OPTIONS)  # type: ignore[arg-type]
    scores = {
        edges: oracles.score(sample.rows, sample.cards, edges, method, **OPTIONS)
        for edges in oracles.all_graphs(4)
    }
    assert scores[edges_in(found.graph)] == max(scores.values())


def test_independent_columns_of_many_states_have_hardly_an_edge() -> None:
    edges = {"equal": 0, "centred": 0}
    for cells in edges:
        for seed in range(1000, 1004):
            sample = noisy_tree(seed, (20,) * 8, 400, keep=0.0)
            trace = bjp.learn(sample.data, "bjp", "hill-climb", prior=0.9, prior_cells=cells)  # type: ignore[arg-type]
            edges[cells] += trace.graph.number_of_edges()
    assert edges["centred"] <= 1
    assert edges["equal"] > 20
