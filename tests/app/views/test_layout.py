"""Where the nodes stand: every edge between them can be seen, whatever its graph."""

from itertools import combinations, pairwise, product

import networkx as nx
import numpy as np

from bjp_explorer.views import layout

RING = nx.Graph([(0, 3), (3, 1), (1, 4), (4, 2), (2, 5), (5, 0)])


def clearance(points, lines=None):
    """The least distance of a node from the line between two others."""
    least = np.inf
    for a, b in combinations(range(len(points)), 2) if lines is None else lines:
        along = points[b] - points[a]
        for c in set(range(len(points))) - {a, b}:
            share = np.clip((points[c] - points[a]) @ along / (along @ along), 0, 1)
            least = min(least, np.hypot(*(points[c] - points[a] - share * along)))
    return least


def gaps(points):
    """The distance of each node from each other, infinite from itself."""
    found = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    np.fill_diagonal(found, np.inf)
    return found


def place(n, graph):
    """Where nodes stand, which is within the drawing."""
    points = layout.positions(range(n), [graph])
    assert 0 <= points.min(initial=0) <= points.max(initial=1) <= 1
    return points


def test_few_and_many_variables_have_room_and_none_hides_a_line():
    graphs = {
        "coronary-like": nx.Graph([(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)]),
        "empty": nx.empty_graph(0),
        "ring, its nodes shuffled": RING,
        "two parts": nx.Graph([(0, 5), (1, 4), (4, 2)]),
        "complete": nx.complete_graph(6),
    }
    for name, n in product(graphs, range(6, layout.CIRCLE + 1)):
        assert clearance(place(n, graphs[name])) > 0.08, (name, n)
    around = np.argsort(np.arctan2(*(place(6, RING) - 0.5).T)).tolist()
    neighbours = zip(around, [*around[1:], around[0]], strict=True)
    assert set(map(frozenset, neighbours)) == set(map(frozenset, RING.edges))
    assert layout.positions(["only"], []).tolist() == [[0.5, 0.5]]
    for seed in range(3):
        assert gaps(place(40, nx.gnp_random_graph(40, 0.03, seed=seed))).min() > 0.01, seed
    for n, edges in product((60, 120, 300, 1000), (0, 1, 12)):
        lone = place(n, nx.path_graph(edges + 1))[edges + 1 :]
        # Half as far as on a square grid that fills half of the drawing.
        assert gaps(lone).min() > 0.5 * np.sqrt(0.5 / n), (n, edges)
    assert clearance(place(11, nx.path_graph(3))[3:]) > 1e-4
    graph, other = nx.gnp_random_graph(30, 0.1, seed=5), nx.empty_graph(30)
    other.add_edges_from(reversed(list(graph.edges)))
    np.testing.assert_allclose(place(30, graph), place(30, other), atol=1e-6)


def test_blocs_stand_apart_and_leaves_of_hubs_hide_no_edge():
    blocs = [(0, 2, 4, 6), (1, 3, 5, 7, 8)]
    graph = nx.Graph([(4, 7), *(pair for part in blocs for pair in combinations(part, 2))])
    points = place(9, graph)
    apart = gaps(points)
    # Along its arc each variable is nearer to the next of its bloc than the blocs to each other.
    within = max(apart[u, [v for v in part if v != u]].min() for part in blocs for u in part)
    assert within < 0.7 * apart[np.ix_(*blocs)].min()
    assert clearance(points) > 0.08
    graph = nx.path_graph(range(0, 128, 8))
    graph.add_edges_from((hub, hub + leaf) for hub in range(0, 128, 8) for leaf in range(1, 8))
    points = place(128, graph)
    lengths = [np.hypot(*(points[u] - points[v])) for u, v in graph.edges]
    # A drawing of a hand's breadth shows 128 nodes as dots whose radius is 0.013 of its side.
    assert min(lengths) > 3 * 0.013
    assert clearance(points, graph.edges) > 0.013


def test_a_node_on_a_line_hides_it_and_parts_leave_room():
    corners = np.array([[0.0, 0.0], [1.0, 1.0], [0.5, 0.51], [0.9, 0.1]])
    assert layout.hides_edge(corners, [(0, 1)])
    assert not layout.hides_edge(corners, [(0, 2), (2, 1), (0, 3), (3, 1)])
    # Lone variables stand in a row; an edge between two of them is hidden until it is known.
    names = [f"v{k}" for k in range(16)]
    known, more = nx.Graph([("v0", "v1"), ("v1", "v2")]), nx.Graph([("v4", "v6")])
    pairs = [(0, 1), (1, 2), (4, 6)]
    assert layout.hides_edge(layout.positions(names, [known]), pairs)
    assert not layout.hides_edge(layout.positions(names, [known, more]), pairs)
    union = nx.disjoint_union_all([nx.path_graph(k) for k in (5, 4, 3, 2)])
    across = layout.positions(list(union), [union])[:, 0]
    parts = [across[[*part]] for part in nx.connected_components(union)]
    spans = sorted((part.min(), part.max()) for part in parts)
    assert min(right[0] - left[1] for left, right in pairwise(spans)) >= 0.1

    # Hundreds of variables, as questions of one topic each.
    rng, n, first = np.random.default_rng(0), 400, 0
    crowd = nx.empty_graph(n)
    while first < n:
        last = min(n, first + int(rng.integers(1, 9)))
        crowd.add_edges_from((int(rng.integers(first, k)), k) for k in range(first + 1, last))
        first = last
    points = place(n, crowd)
    # On a drawing 1,000 pixels wide a node of so many is 8 pixels wide.
    assert gaps(points * [1000, 1000 / layout.WIDTH]).min() > 8
    assert np.ptp(points, axis=0).min() > 0.9
