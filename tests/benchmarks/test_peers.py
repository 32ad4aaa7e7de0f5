"""RISE, our own code, and the frequencies that a peer gives. No other package is run."""

import math

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from benchmarks.accuracy import peer, rise


def spins(rows, n):
    return 2.0 * np.random.default_rng(1).integers(2, size=(rows, n)) - 1


class TestRise:
    def test_the_objective_is_the_mean_of_the_paper(self):
        data, couplings = spins(40, 3), np.random.default_rng(0).normal(size=(3, 3))
        found, slope = rise.objective(data, couplings)
        for i in range(3):
            fields = data @ couplings[i] + couplings[i, i] * (1 - data[:, i])
            terms = [math.exp(-s[i] * field) for s, field in zip(data, fields, strict=True)]
            assert found[i] == pytest.approx(sum(terms) / 40)
            for j in range(3):
                pulled = [
                    -s[i] * (s[j] if j != i else 1) * each
                    for s, each in zip(data, terms, strict=True)
                ]
                assert slope[i, j] == pytest.approx(sum(pulled) / 40)

    def test_the_solution_has_the_slope_of_the_penalty(self):
        data, weight = spins(60, 4), 0.05
        data[:, 1] = np.where(np.arange(60) % 7 < 5, data[:, 0], data[:, 1])
        found = rise.screen(data, weight)
        _, slope = rise.objective(data, found)
        own = np.eye(4, dtype=bool)
        np.testing.assert_allclose(slope[own], 0, atol=2e-3)
        not_zero = (found != 0) & ~own
        assert 0 < not_zero.sum() < 12
        np.testing.assert_allclose(slope[not_zero], -weight * np.sign(found[not_zero]), atol=2e-3)
        assert np.abs(slope[~own]).max() <= weight + 2e-3

    def test_the_published_penalty(self):
        assert rise.penalty(250, 10) == pytest.approx(0.4 * math.sqrt(math.log(2000) / 250))

    def test_strong_edges_are_found(self):
        for graph in (nx.path_graph(6), nx.star_graph(5)):
            data = bjp.sampling.random_model(graph, "log-odds").sample(8000, seed=100)
            assert rise.edges(data.codes) == sorted(tuple(sorted(edge)) for edge in graph.edges())

    def test_a_column_of_one_state_has_no_edges(self):
        codes = np.random.default_rng(2).integers(2, size=(200, 3))
        codes[:, 0], codes[:, 2] = 0, codes[:, 1]
        assert rise.edges(codes) == [(1, 2)]


def test_frequencies_are_shares_of_resamples():
    table = peer.Table(np.arange(8).reshape(4, 2) % 2, [2, 2])
    calls = []

    def search(one):
        calls.append(one.codes)
        return {"and": [(0, 1)] if len(calls) == 1 else [], "or": [(0, 1)]}

    found = peer.frequencies(table, search, 4)
    assert found == {"and": [(0, 1, 0.25)], "or": [(0, 1, 1.0)]}
    assert all(one.shape == (4, 2) for one in calls)
