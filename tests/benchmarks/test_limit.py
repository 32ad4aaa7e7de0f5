"""The limit: the posterior of edges by every graph's exact likelihood."""

from __future__ import annotations

import math
from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from benchmarks import limit

TABLE = np.array([[0.5, 0.0], [0.0, 0.5]])


def slowly(codes: np.ndarray, density: float) -> dict[tuple[int, int], float]:
    """One graph after another, one row after another."""
    n = codes.shape[1]
    pairs = list(combinations(range(n), 2))
    total, of_edge = 0.0, dict.fromkeys(pairs, 0.0)
    for has in product((False, True), repeat=len(pairs)):
        edges = [pair for pair, there in zip(pairs, has, strict=True) if there]

        def weight(row: tuple[int, ...], edges: list[tuple[int, int]] = edges) -> float:
            return math.exp(sum(TABLE[row[i], row[j]] for i, j in edges))

        z = sum(weight(row) for row in product((0, 1), repeat=n))
        value = density ** len(edges) * (1 - density) ** (len(pairs) - len(edges))
        value *= math.prod(weight(tuple(row)) / z for row in codes.tolist())
        total += value
        for edge in edges:
            of_edge[edge] += value
    return {pair: value / total for pair, value in of_edge.items()}


@pytest.mark.parametrize("seed", range(3))
def test_it_weighs_every_graph(seed: int) -> None:
    codes = np.random.default_rng(seed).integers(0, 2, (20, 3))
    found = limit.Limit(TABLE, 0.35, 3).edges(codes)
    assert found == pytest.approx(slowly(codes, 0.35), rel=1e-9)


def test_its_table_is_that_of_the_samples() -> None:
    model = bjp.sampling.random_model(nx.path_graph(2), "log-odds")
    (pair,) = (factor for factor in model.factors if len(factor.variables) == 2)
    assert (np.asarray(pair.log_table) == TABLE).all()


def test_nobody_is_nearer_on_average() -> None:
    for found in limit.measured(1000, 12).values():
        assert found["limit"] <= min(found[name] for name in limit.SEARCHES)
