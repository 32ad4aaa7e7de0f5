"""Where the nodes stand: every edge between them can be seen, whatever its graph."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pytest

from bjp_explorer.views import layout

GRAPHS = {
    "coronary-like": nx.Graph([(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)]),
    "empty": nx.empty_graph(0),
    "ring, its nodes shuffled": nx.Graph([(0, 3), (3, 1), (1, 4), (4, 2), (2, 5), (5, 0)]),
    "two parts": nx.Graph([(0, 5), (1, 4), (4, 2)]),
    "complete": nx.complete_graph(6),
}


def clearance(points: np.ndarray, lines: Iterable[tuple[int, int]] | None = None) -> float:
    """The least distance of a node from the line between two others."""
    least = np.inf
    for a, b in combinations(range(len(points)), 2) if lines is None else lines:
        along = points[b] - points[a]
        for c in set(range(len(points))) - {a, b}:
            share = np.clip((points[c] - points[a]) @ along / (along @ along), 0, 1)
            least = min(least, float(np.hypot(*(points[c] - points[a] - share * along))))
    return least


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=list(GRAPHS))
@pytest.mark.parametrize("n", range(6, layout.CIRCLE + 1))
def test_of_few_variables_none_stands_on_the_line_between_two(graph: nx.Graph, n: int) -> None:
    points = layout.positions(range(n), [graph])
    assert clearance(points) > 0.08
    assert points.min() >= 0
    assert points.max() <= 1


def test_a_ring_is_drawn_without_crossings() -> None:
    ring = GRAPHS["ring, its nodes shuffled"]
    points = layout.positions(range(6), [ring])
    around = np.argsort(np.arctan2(*(points - 0.5).T))
    neighbours = zip(around, np.roll(around, 1), strict=True)
    assert {frozenset(map(int, pair)) for pair in neighbours} == set(map(frozenset, ring.edges))


def test_blocs_stand_apart_on_the_circle() -> None:
    blocs = [(0, 2, 4, 6), (1, 3, 5, 7, 8)]
    graph: nx.Graph = nx.Graph([pair for part in blocs for pair in combinations(part, 2)])
    graph.add_edge(4, 7)
    points = layout.positions(range(9), [graph])
    apart = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    # Along its arc each variable is nearer to the next of its bloc than the blocs to each other.
    within = [min(apart[u, v] for v in part if v != u) for part in blocs for u in part]
    between = min(apart[u, v] for u in blocs[0] for v in blocs[1])
    assert max(within) < 0.7 * between
    assert clearance(points) > 0.08


def test_leaves_of_hubs_hide_no_edge() -> None:
    graph: nx.Graph = nx.path_graph([8 * k for k in range(16)])
    graph.add_edges_from((8 * k, 8 * k + leaf) for k in range(16) for leaf in range(1, 8))
    points = layout.positions(range(128), [graph])
    lengths = [np.hypot(*(points[u] - points[v])) for u, v in graph.edges]
    # A drawing of a hand's breadth shows 128 nodes as dots whose radius is 0.013 of its side.
    assert min(lengths) > 3 * 0.013
    assert clearance(points, graph.edges) > 0.013


@pytest.mark.parametrize("seed", range(3))
def test_of_many_variables_no_two_stand_on_one_place(seed: int) -> None:
    graph = nx.gnp_random_graph(40, 0.03, seed=seed)
    points = layout.positions(range(40), [graph])
    apart = [np.hypot(*(points[a] - points[b])) for a, b in combinations(range(40), 2)]
    assert min(apart) > 0.01
    assert (points >= 0).all()
    assert (points <= 1).all()


@pytest.mark.parametrize("n", [60, 120, 300, 1000])
@pytest.mark.parametrize("edges", [0, 1, 12])
def test_many_lone_variables_have_room(n: int, edges: int) -> None:
    points = layout.positions(range(n), [nx.path_graph(edges + 1)])[edges + 1 :]
    apart = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    np.fill_diagonal(apart, 1.0)
    # Half as far as on a square grid that fills half of the drawing.
    assert apart.min() > 0.5 * np.sqrt(0.5 / n)
    assert points.min() >= 0
    assert points.max() <= 1


def test_lone_variables_are_never_three_in_line() -> None:
    graph = nx.path_graph(3)
    points = layout.positions(range(11), [graph])[3:]
    assert clearance(points) > 1e-4


def test_the_order_of_the_edges_does_not_move_a_node() -> None:
    graph = nx.gnp_random_graph(30, 0.1, seed=5)
    other: nx.Graph = nx.Graph()
    other.add_nodes_from(range(30))
    other.add_edges_from(reversed(list(graph.edges)))
    np.testing.assert_allclose(
        layout.positions(range(30), [graph]), layout.positions(range(30), [other]), atol=1e-6
    )


def test_one_variable_stands_in_the_middle() -> None:
    assert layout.positions(["only"], []).tolist() == [[0.5, 0.5]]


def test_a_node_on_the_line_of_an_edge_hides_it() -> None:
    corners = np.array([[0.0, 0.0], [1.0, 1.0], [0.5, 0.51], [0.9, 0.1]])
    assert layout.hides_edge(corners, [(0, 1)])
    assert not layout.hides_edge(corners, [(0, 2), (2, 1), (0, 3), (3, 1)])
    # Lone variables stand in a row; an edge between two of them is hidden until it is known.
    names = [f"v{k}" for k in range(16)]
    known, more = nx.Graph([("v0", "v1"), ("v1", "v2")]), nx.Graph([("v4", "v6")])
    pairs = [(0, 1), (1, 2), (4, 6)]
    assert layout.hides_edge(layout.positions(names, [known]), pairs)
    assert not layout.hides_edge(layout.positions(names, [known, more]), pairs)


def test_parts_leave_room_for_nodes_between_them() -> None:
    parts = [nx.path_graph(k) for k in (5, 4, 3, 2)]
    union = nx.disjoint_union_all(parts)
    points = layout.positions(list(union), [union])
    ends = [{*part} for part in nx.connected_components(union)]
    spans = sorted((points[[*part], 0].min(), points[[*part], 0].max()) for part in ends)
    assert min(right[0] - left[1] for left, right in pairwise(spans)) >= 0.1


def crowd(n: int, seed: int) -> nx.Graph:
    """Many small parts, as questions of one topic each."""
    rng = np.random.default_rng(seed)
    graph: nx.Graph = nx.empty_graph(n)
    first = 0
    while first < n:
        last = min(n, first + int(rng.integers(1, 9)))
        graph.add_edges_from((int(rng.integers(first, k)), k) for k in range(first + 1, last))
        first = last
    return graph


@pytest.mark.parametrize("seed", range(3))
def test_hundreds_of_variables_in_small_parts_stand_apart(seed: int) -> None:
    points = layout.positions(range(400), [crowd(400, seed)])
    # On a drawing 1,000 pixels wide a node of so many is 8 pixels wide.
    places = points * [1000, 1000 / layout.WIDTH]
    apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    np.fill_diagonal(apart, np.inf)
    assert apart.min() > 8
    assert points.min() >= 0
    assert points.max() <= 1
    # The rows of parts fill the drawing.
    assert np.ptp(points, axis=0).min() > 0.9
