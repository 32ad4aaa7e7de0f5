"""Communities against every division of the variables, and bridges against their definition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.errors import DataError, OptionError
from bjp_engine.parameters import find_communities, fit_parameters, measure_bridges
from bjp_engine.parameters.communities import divide

# Two cliques of four with one edge between them, and a variable alone.
CAVES = nx.disjoint_union(nx.complete_graph(4), nx.complete_graph(4))
CAVES.add_edge(3, 4)
CAVES.add_node(8)


def fitted(graph: nx.Graph[Any], seed: int = 1) -> Any:
    data = bjp.sampling.random_model(graph, "log-odds", epsilon=0.7).sample(500, seed=seed)
    return fit_parameters(data, graph)


def divisions(items: list[int]) -> Iterator[list[set[int]]]:
    """Every division of some items into groups."""
    if not items:
        yield []
        return
    first, *rest = items
    for groups in divisions(rest):
        yield [{first}, *groups]
        for k, group in enumerate(groups):
            yield [*groups[:k], group | {first}, *groups[k + 1 :]]


def modularity(weights: np.ndarray, groups: list[Any]) -> float:
    """Newman and Girvan's formula, pair by pair."""
    total = weights.sum()
    degrees = weights.sum(axis=0)
    return sum(
        weights[i, j] / total - degrees[i] * degrees[j] / total**2
        for group in groups
        for i in group
        for j in group
    )


@pytest.mark.parametrize("seed", range(12))
def test_no_division_of_few_variables_has_a_higher_modularity(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.exponential(1, (6, 6)) * (rng.random((6, 6)) < 0.6), 1)
    weights += weights.T
    if not weights.any():
        return
    found = divide(weights, 0)
    assert sorted(i for group in found for i in group) == [*range(6)]
    best = max(modularity(weights, groups) for groups in divisions([*range(6)]))
    assert modularity(weights, found) == pytest.approx(best, abs=1e-12)


def test_the_karate_club_reaches_the_published_optimum() -> None:
    # 0.4198 is the maximum (Brandes and others 2008, On modularity clustering).
    weights = nx.to_numpy_array(bjp.networks.load("karate"), weight=None)
    found = divide(weights, 0)
    assert modularity(weights, found) == pytest.approx(0.4198, abs=5e-5)
    assert found == divide(weights, 0)
    assert [len(group) for group in found] == sorted(map(len, found), reverse=True)


def test_two_caves_are_two_communities_and_their_doors_the_bridges() -> None:
    network = fitted(CAVES)
    assert find_communities(network) == ((0, 1, 2, 3), (4, 5, 6, 7), (8,))
    table = measure_bridges(network)
    assert table["group"].tolist() == [1] * 4 + [2] * 4 + [3]
    assert table["neighbours"].tolist() == [3, 3, 3, 4, 4, 3, 3, 3, 0]
    assert (table["bridge"] > 0).tolist() == [name in (3, 4) for name in range(9)]


@pytest.mark.parametrize("groups", [None, [[0, 5, 8], [1, 2, 3, 4], {6, 7}]])
def test_strengths_are_sums_over_the_edges_of_a_variable(groups: Any) -> None:
    network = fitted(CAVES, seed=2)
    table = measure_bridges(network, groups)
    of = dict(zip(table["variable"], table["group"], strict=True))
    strength, bridge = dict.fromkeys(network.names, 0.0), dict.fromkeys(network.names, 0.0)
    for edge in network.effects(resamples=1).itertuples():
        for end in (edge.x, edge.y):
            strength[end] += abs(edge.effect)
            bridge[end] += abs(edge.effect) * (of[edge.x] != of[edge.y])
    assert table["variable"].tolist() == [*network.names]
    np.testing.assert_allclose(table["strength"], [*strength.values()], atol=1e-12)
    np.testing.assert_allclose(table["bridge"], [*bridge.values()], atol=1e-12)
    if groups is not None:
        assert [of[0], of[5], of[1], of[7]] == [1, 1, 2, 3]


def test_without_edges_each_variable_is_alone() -> None:
    network = fitted(nx.empty_graph(3))
    assert find_communities(network) == ((0,), (1,), (2,))
    table = measure_bridges(network)
    assert table["group"].tolist() == [1, 2, 3]
    assert not table[["strength", "bridge"]].to_numpy().any()


@pytest.mark.parametrize(
    ("groups", "kind", "text"),
    [
        ("ab", OptionError, "list of groups"),
        (3, OptionError, "list of groups"),
        (["ab", "c"], OptionError, r"groups\[0\]"),
        ([[0, 1]], OptionError, "'2' is in no group"),
        ([[0, 1, 2], [2]], OptionError, "'2' is in 2 groups"),
        ([[0, 1, 2, 9]], DataError, "no variable '9'"),
    ],
)
def test_groups_it_refuses(groups: Any, kind: type[Exception], text: str) -> None:
    network = fitted(nx.path_graph(3))
    with pytest.raises(kind, match=text):
        measure_bridges(network, groups)
    with pytest.raises(OptionError, match="fit_parameters"):
        measure_bridges(CAVES)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="seed"):
        find_communities(network, -1)
